"""`BayesianComparer`: the comparison as an estimator."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.pipeline import FeatureUnion
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from skbayeseval._arrays import check_rows, number_of_samples, wrong
from skbayeseval._labels import is_indicator
from skbayeseval._validation import check_flag
from skbayeseval.compare.learners import (
    CrossValidationOptions,
    compare_learners,
    compares_scores,
    kind_of_target,
    named_estimators,
    prepare_learners,
)
from skbayeseval.compare.split_score_target import resolve_scorers
from skbayeseval.compare.targets import score_counts, score_learner
from skbayeseval.evidence.chunks import ChunkCounter
from skbayeseval.judgement.decision import Decision
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import RankingDecision
from skbayeseval.judgement.rope import check_rope
from skbayeseval.metrics.scoring import requests_of, resolve_scoring, routed_to_all
from skbayeseval.models.pymc import PyMCEngine
from skbayeseval.results.ranking import Ranking
from skbayeseval.splitting.block_cv import BlockRegularizedCV
from skbayeseval.splitting.collect import Learners, metadata_router, name_the_place

if TYPE_CHECKING:
    from skbayeseval.display.style import Display


# Parameters that are no options of a cross-validation.
OF_COMPARERS = {"estimators", "rope", "refit", "random_state"}


def _best_has(method: str) -> Callable[[BayesianComparer], bool]:
    """Return a check that `method` can be delegated, as `GridSearchCV` does."""

    def check(self: BayesianComparer) -> bool:
        if not self.refit:
            return False
        fitted = [("", self.best_estimator_)] if hasattr(self, "best_estimator_") else []
        return all(hasattr(one, method) for _, one in fitted or named_estimators(self.estimators))

    return check


class BayesianComparer(MetaEstimatorMixin, BaseEstimator):
    """Compare estimators by cross-validation: a posterior instead of two means.

    Fits clones of the estimators on the same splits and passes their paired predictions to a
    model. The result applies to learners trained on as many instances as a training set has, not to
    models refitted on all data.

    Parameters
    ----------
    estimators : list of estimator or of (str, estimator), or dict of str to estimator
        Two or more classifiers, or regressors.
    cv : int, splitter or iterable, default=None
        None means ``BlockRegularizedCV(3)``, or up to ten folds with ``estimand="full"``. Otherwise
        anything that scikit-learn's `check_cv` accepts.
    scoring : str, Metric, list or dict, default=None
        As in `compare_predictions`. None means accuracy, or R2 for regressors.
    model : {"auto", "paired", "unpaired", "hierarchical", "bcv", "scores"} or model instance, \
            default="auto"
        "auto" means "paired". "scores" compares split scores of any scorer.
    engine : {"exact", "pymc"} or PyMCEngine, default="exact"
        "exact" draws independently from the conjugate posterior, "pymc" runs Markov chains, also
        with a prior that is not conjugate: ``PyMCEngine(prior=function)``.
    n_draws : int, default=None
        The number of draws of the exact engine, as in `compare_predictions`.
    labels : array-like, default=None
        The classes; by default those of `y`.
    pos_label : object, default=None
        The positive class for metrics such as F1; by default 1, if it is one of the classes.
    rope : float, str, (float, float) or dict, default=None
        The region of practical equivalence that `decision`, `summary` and `plot` take by default.
    refit : bool, default=False
        Whether to fit the best estimator on all data and to delegate `predict`, `predict_proba`,
        `decision_function` and `score` to it. If that fit fails, its error is raised, and the
        attributes of the comparison are there.
    counter : ChunkCounter, default=None
        As in `bayesian_cross_validate`, for two taggers.
    weight, estimand, blocks
        As in `bayesian_cross_validate`.
    n_jobs : int, default=None
        The number of fits to run in parallel, with the active joblib backend, and of threads that
        make the draws.
    verbose : int, default=0
        1 shows progress of fits, and of draws that take longer than a second: a bar in terminals
        and notebooks, lines on standard error elsewhere.
    error_score : "raise" or np.nan, default="raise"
        As in `bayesian_cross_validate`.
    checkpoint : str, path or dict, default=None
        As in `bayesian_cross_validate`: a folder for finished fits, from which a later `fit` goes
        on. Of the refit nothing is kept.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws and, with ``cv=None``, the splits.

    Attributes
    ----------
    ranking_ : Ranking
        All estimators on one joint posterior.
    result_ : ComparisonResult
        The comparison of the first two estimators, ``ranking_.pairs[0, 1]``.
    best_name_, best_index_ : str, int
        The estimator with the highest posterior mean of the first metric.
    best_estimator_ : estimator
        The best estimator, fitted on all data. Available if ``refit=True``.
    refit_time_ : float
        Seconds needed for that fit.
    cv_results_ : dict of str to dict
        For each estimator, what `cross_validate` would have returned.
    n_splits_ : int
        The number of splits that were used.
    classes_ : ndarray
        The classes, for classifiers.
    n_features_in_, feature_names_in_
        As scikit-learn defines them, where `X` has columns (with names).

    See Also
    --------
    bayesian_cross_validate : The same as a function.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skbayeseval import BayesianComparer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> comparer = BayesianComparer(
    ...     [RidgeClassifier(), ("bayes", GaussianNB())], rope=0.01, refit=True, random_state=0
    ... )
    >>> comparer.fit(X, y).best_name_
    'RidgeClassifier'
    >>> comparer.decision().code
    '>'
    >>> comparer.predict(X[:3])
    array([0, 0, 0])
    """

    def __init__(
        self,
        estimators: Sequence[Any] | Mapping[str, Any],
        *,
        cv: Any = None,
        scoring: Any = None,
        model: Any = "auto",
        engine: str | PyMCEngine = "exact",
        n_draws: int | None = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        rope: Any = None,
        refit: bool = False,
        counter: ChunkCounter | None = None,
        weight: str | float | None = None,
        estimand: str = "learner",
        blocks: int | str | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        error_score: str | float = "raise",
        checkpoint: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.cv = cv
        self.scoring = scoring
        self.model = model
        self.engine = engine
        self.n_draws = n_draws
        self.labels = labels
        self.pos_label = pos_label
        self.rope = rope
        self.refit = refit
        self.counter = counter
        self.weight = weight
        self.estimand = estimand
        self.blocks = blocks
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.error_score = error_score
        self.checkpoint = checkpoint
        self.random_state = random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with ``deep=True`` those of the estimators as well.

        Parameters
        ----------
        deep : bool, default=True
            Whether to add the estimators by name and their parameters as ``<name>__<param>``.

        Returns
        -------
        params : dict
        """
        params = super().get_params(deep=deep)
        if deep:
            for name, estimator in named_estimators(self.estimators):
                params.setdefault(name, estimator)
                if hasattr(estimator, "get_params") and not isinstance(estimator, type):
                    deeper = estimator.get_params(deep=True)
                    params.update({f"{name}__{key}": value for key, value in deeper.items()})
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the comparer, or of its estimators as ``<name>__<param>``.

        Parameters
        ----------
        **params : dict
            The parameters; ``<name>=estimator`` replaces an estimator.

        Returns
        -------
        self : BayesianComparer
        """
        if "estimators" in params:
            self.estimators = params.pop("estimators")
        names = [name for name, _ in named_estimators(self.estimators)]
        parameters = super().get_params(deep=False)
        replaced = {n: params.pop(n) for n in names if n in params and n not in parameters}
        if replaced and isinstance(self.estimators, Mapping):
            self.estimators = {**self.estimators, **replaced}
        elif replaced:
            self.estimators = [
                (name, replaced.get(name, entry[1]))
                if isinstance(entry, tuple)
                else replaced.get(name, entry)
                for name, entry in zip(names, self.estimators, strict=True)
            ]
        return super().set_params(**params)  # which finds estimators in get_params

    def fit(self, X: Any, y: ArrayLike, **params: Any) -> Self:
        """Run the comparison.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            The data; only indexed.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            The labels, or a multi-label indicator; numbers, for regressors.
        **params : dict
            Goes to every `fit`; where metadata routing is enabled, it is routed, to scorers as
            well. `groups` go to the splitter, and groups instead of instances are then weighted.

        Returns
        -------
        self : BayesianComparer
        """
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )
        if not isinstance(self.estimators, (list, tuple, Mapping)) or len(self.estimators) < 2:
            wanted = "two or more: a list of estimators or of (name, estimator) pairs, or a dict"
            raise wrong("estimators", wanted, self.estimators)
        check_flag(self.refit, "refit")
        if self.rope is not None:
            for rope in self.rope.values() if isinstance(self.rope, Mapping) else [self.rope]:
                check_rope(rope)
        groups = None
        if not get_config()["enable_metadata_routing"]:
            groups = params.pop("groups", None)
        own = super().get_params(deep=False)
        known = {name: own[name] for name in own.keys() - OF_COMPARERS}
        caller, options = type(self).__name__, CrossValidationOptions(**known)
        learners, options = prepare_learners(
            caller, self.estimators, y, options, groups, params, self.random_state, reserved=own
        )
        ranking = compare_learners(Ranking, learners, X, y, options)
        best_name = str(ranking.table.index[0])
        for attribute in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, attribute)  # what an earlier fit left behind
        self.ranking_ = ranking
        self.result_ = ranking.pairs[0, 1]
        self.cv_results_ = ranking.cv_results
        self.n_splits_ = self.result_.n_splits
        several = is_indicator(y) and len(ranking.labels) > 0
        if kind_of_target(learners.estimators) == "classes" and self.counter is None:
            self.classes_ = np.asarray(ranking.labels) if several else np.unique(np.asarray(y))
        self.best_index_ = ranking.names.index(best_name)
        self.best_name_ = best_name
        shape: tuple[int, ...] = getattr(X, "shape", ())
        if len(shape) == 2:
            self.n_features_in_ = int(shape[1])
        columns = np.asarray(getattr(X, "columns", []), dtype=object)
        if len(columns) and all(isinstance(column, str) for column in columns):
            self.feature_names_in_ = columns
        if self.refit:
            self._refit_best(learners, X, y)
        return self

    def hdi(self, prob: float = 0.95, **options: Any) -> Interval:
        """Return the highest-density interval; see `ComparisonResult.hdi`."""
        check_is_fitted(self, "result_")
        return self.result_.hdi(prob, **options)

    def decision(
        self, rope: Any = None, prob: float = 0.95, **options: Any
    ) -> Decision | RankingDecision:
        """Return the decision against `rope`, or the comparer's own.

        See `ComparisonResult.decision`; with three or more estimators, `Ranking.decision`.
        """
        rope = self.rope if rope is None else rope
        if rope is None:
            raise ValueError("decision requires rope=, here or in the constructor, got None.")
        return self._answer().decision(rope, prob, **options)

    def summary(self, rope: Any = None, **options: Any) -> pd.DataFrame:
        """Return one row per metric, or, with three or more estimators, one row per pair.

        See `ComparisonResult.summary` and `Ranking.summary`.
        """
        return self._answer().summary(self.rope if rope is None else rope, **options)

    def plot(self, kind: str | None = None, *, rope: Any = None, **options: Any) -> Display:
        """Draw the result.

        See `ComparisonResult.plot`; with three or more estimators, `Ranking.plot`.
        """
        rope = self.rope if rope is None else rope
        if kind is not None:
            options["kind"] = kind
        return self._answer().plot(rope=rope, **options)

    if not TYPE_CHECKING:  # type checkers would take every name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Raise for a name that there is not; tell how to get one that `refit` gives."""
            message = f"{type(self).__name__!r} object has no attribute {name!r}"
            if hasattr(type(self), name) and not self.refit:
                message += ", because refit=False: set refit=True and fit again"
            raise AttributeError(message, name=name, obj=self)

    @available_if(_best_has("predict"))
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict by the best estimator, refitted on all data."""
        return self._best().predict(X)

    @available_if(_best_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return class probabilities of the best estimator, refitted on all data."""
        return self._best().predict_proba(X)

    @available_if(_best_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return decision values of the best estimator, refitted on all data."""
        return self._best().decision_function(X)

    @available_if(_best_has("fit"))
    def score(self, X: Any, y: ArrayLike, **params: Any) -> float:
        """Return the first metric of the best estimator.

        `params` are columns that the metric takes.
        """
        best = self._best()
        if self.counter is not None:
            counts = self.counter.count_one(y, self.predict(X), self.best_index_)
            return score_counts(next(iter(self.result_._metrics.values())), counts)
        check_rows({"X": X, "y": y, **params})
        if self.scoring is None and compares_scores(self.model):
            return float(best.score(X, y, **params))
        scoring = routed_to_all(self.scoring, params, number_of_samples(y, "y"))
        if compares_scores(self.model):
            scorers = resolve_scorers(best, y, self.labels, self.pos_label, scoring)
            score = next(iter(scorers.values()))(best, X, y)
            return float(next(iter(score.values())) if isinstance(score, Mapping) else score)
        labels = getattr(self, "classes_", ()) if self.labels is None else self.labels
        classes = tuple(np.asarray(labels).tolist())
        scoring = self.result_.metrics[0] if scoring is None else scoring
        metrics = resolve_scoring(scoring, classes, is_indicator(y), self.pos_label)
        return score_learner(next(iter(metrics.values())), classes, self.pos_label, best, X, y)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return where metadata go: to `split`, to each estimator's `fit`, and to scorers."""
        cv = BlockRegularizedCV() if self.cv is None else self.cv
        estimators = dict(named_estimators(self.estimators))
        scorers = requests_of(self.scoring, estimators.values())
        return metadata_router(self, estimators, cv, scorers)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_each = [get_tags(estimator) for _, estimator in named_estimators(self.estimators)]
        tags.target_tags.required = True
        tags.input_tags.pairwise = any(each.input_tags.pairwise for each in of_each)
        tags.input_tags.sparse = all(each.input_tags.sparse for each in of_each)
        tags.input_tags.allow_nan = all(each.input_tags.allow_nan for each in of_each)
        if self.refit and of_each:
            tags.estimator_type = of_each[0].estimator_type
            tags.classifier_tags = of_each[0].classifier_tags
            tags.regressor_tags = of_each[0].regressor_tags
            if tags.classifier_tags is not None:
                tags.classifier_tags.multi_label = False
        return tags

    def _sk_visual_block_(self) -> Any:
        # The estimators side by side in scikit-learn's HTML diagram, which has no public way to
        # ask for that other than a union's own.
        return FeatureUnion(named_estimators(self.estimators))._sk_visual_block_()

    def _answer(self) -> Any:
        """Return the comparison of two estimators, or the ranking of more."""
        check_is_fitted(self, "result_")
        return self.result_ if len(self.ranking_.names) == 2 else self.ranking_

    def _best(self) -> Any:
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    def _refit_best(self, learners: Learners, X: Any, y: Any) -> None:
        estimator = learners.estimators[self.best_name_]
        start = time.perf_counter()
        try:
            best = clone(estimator).fit(X, y, **learners.fit_params[self.best_name_])
        except Exception as error:
            place = f"The comparison is complete, but the refit of {self.best_name_!r} failed"
            name_the_place(error, place)
            raise
        self.best_estimator_ = best
        self.refit_time_ = time.perf_counter() - start
        if hasattr(best, "n_features_in_"):
            self.n_features_in_ = best.n_features_in_
