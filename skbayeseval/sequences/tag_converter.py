"""`ConvertTags`: a meta-estimator that trains a tagger on the tags of another scheme."""

from __future__ import annotations

from typing import Any, Self

from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from skbayeseval.sequences.tags import convert_tags

__all__ = ["ConvertTags"]


def _estimator_has(name: str) -> Any:
    return available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), name))


class ConvertTags(MetaEstimatorMixin, BaseEstimator):
    """Meta-estimator that fits a tagger to tags converted to another scheme.

    `fit` receives tags in the scheme `source` and converts them to the scheme `target`; `predict`
    returns tags in the scheme `target`.

    Parameters
    ----------
    estimator : estimator
        The tagger. A clone of it is fitted.
    source, target : {"IOB1", "IOB2", "IOBES", "BMES"}
        The scheme of the tags passed to `fit`, and the scheme to convert them to.

    Attributes
    ----------
    estimator_ : estimator
        The fitted tagger.
    classes_ : list or ndarray
        The tags known to the fitted tagger. Exists only if the tagger has `classes_`.

    See Also
    --------
    chunk_counter : Count the chunks found by taggers that use different schemes.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from skbayeseval import ConvertTags
    >>> class Memory(BaseEstimator):  # memorizes the training tags
    ...     def fit(self, X, y):
    ...         self.seen_ = dict(zip(X, y))
    ...         return self
    ...     def predict(self, X):
    ...         return [self.seen_[x] for x in X]
    >>> tagger = ConvertTags(Memory(), source="IOB2", target="IOBES")
    >>> tagger.fit(["Ada Lovelace"], [["B-PER", "I-PER"]]).predict(["Ada Lovelace"])
    [['B-PER', 'E-PER']]
    """

    def __init__(self, estimator: Any, source: str, target: str) -> None:
        self.estimator = estimator
        self.source = source
        self.target = target

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Fit the tagger to the converted tags.

        Parameters
        ----------
        X : sequence of shape (n_sentences,)
            The sentences, in the format that the tagger expects.
        y : sequence of sequences of str
            Their tags, in the scheme `source`.
        **params : dict
            Parameters passed to the `fit` method of the tagger.

        Returns
        -------
        self : ConvertTags
            The fitted estimator.
        """
        if get_config()["enable_metadata_routing"]:
            params = dict(process_routing(self, "fit", **params).estimator.fit)
        converted = convert_tags(y, self.source, self.target)
        self.estimator_ = clone(self.estimator).fit(X, converted, **params)
        return self

    @_estimator_has("predict")
    def predict(self, X: Any) -> Any:
        """Return the tags of each sentence, in the scheme `target`.

        Parameters
        ----------
        X : sequence of shape (n_sentences,)
            The sentences.

        Returns
        -------
        y : sequence of sequences of str
            The predicted tags of each sentence.
        """
        check_is_fitted(self)
        return self.estimator_.predict(X)

    @property
    def classes_(self) -> Any:
        """The tags known to the fitted tagger."""
        return self.estimator_.classes_

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the router from `fit` to the tagger's `fit`."""
        return MetadataRouter(owner=type(self).__name__).add(
            estimator=self.estimator,
            method_mapping=MethodMapping().add(caller="fit", callee="fit"),
        )
