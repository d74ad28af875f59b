"""From one estimator and data to the posterior of its score, next to `cross_val_score`.

It is what a comparison says of this learner: the model of one is the margin of that of two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from skbayeseval.compare.cross_validation import (
    check_requests,
    compare_learners,
    resolve_splitter,
)
from skbayeseval.compare.cross_validation_options import CrossValidationOptions
from skbayeseval.engines.pymc import PyMCEngine
from skbayeseval.results.single import ScoreResult
from skbayeseval.splitting.collect import route
from skbayeseval.splitting.naming import check_estimator_names, named_estimators


def bayesian_cross_val_score(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    scoring: Any = None,
    cv: Any = None,
    model: Any = "auto",
    engine: str | PyMCEngine = "exact",
    prior: dict[str, Any] | Callable[..., Any] | None = None,
    n_draws: int | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    weight: str | float | None = None,
    calibrate: bool = False,
    estimand: str = "learner",
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: int | str = "2*n_jobs",
    return_estimator: bool = False,
    return_indices: bool = False,
    error_score: str | float = "raise",
    checkpoint: Any = None,
    random_state: Any = None,
) -> ScoreResult:
    """Return how sure the score of one learner is: the posterior next to `cross_val_score`.

    The mean and the interval are those that `bayesian_cross_validate` has for this learner, with
    the same splits. The result applies to learners trained on as many instances as a training set
    has (half of them by default), not to a model refitted on all data; with ``estimand="full"``, to
    learners trained on all of them.

    Parameters
    ----------
    estimator : estimator or (str, estimator)
        The classifier, or regressor. Clones of it are fitted.
    X : array-like of shape (n_samples, ...)
        The data: arrays, data frames, sparse matrices, lists of texts. They are only indexed.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        The labels, of any dtype; or a multi-label indicator; or numbers, for regressors. Tags of
        sentences are not supported, since chunks are counted for two taggers at a time.
    groups : array-like of shape (n_samples,), default=None
        The group of each instance, such as the patient. The default splitter keeps groups whole,
        and groups instead of instances are weighted. With metadata routing enabled, pass it in
        `params`.
    scoring : str, Metric, list or dict, default=None
        As in `bayesian_cross_validate`. None means accuracy, or R2 for regressors.
    cv : int, splitter or iterable, default=None
        None means ``BlockRegularizedCV(3)``; with ``estimand="full"``, ten folds, stratified, which
        keep groups whole. Otherwise anything that scikit-learn's `check_cv` accepts.
    model : {"auto", "paired", "unpaired", "hierarchical", "bcv", "scores"} or model instance, \
            default="auto"
        "auto" means "paired", as for two learners: it is the model that the learner would have in a
        comparison. "scores" takes split scores, with any scorer that `cross_validate` accepts.
    engine, prior, n_draws, labels, pos_label
        As in `compare_predictions`.
    weight, calibrate, estimand, n_jobs, verbose, params, pre_dispatch, return_estimator, \
            return_indices, error_score, checkpoint, random_state
        As in `bayesian_cross_validate`.

    Returns
    -------
    result : ScoreResult

    See Also
    --------
    bayesian_cross_validate : For two learners.
    score_posterior : For predictions made elsewhere.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skbayeseval import bayesian_cross_val_score
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> result = bayesian_cross_val_score(GaussianNB(), X, y, estimand="full", random_state=0)
    >>> round(result.observed, 2)
    0.94
    >>> result.probability(above=0.9) > 0.95
    True
    """
    options = CrossValidationOptions(
        scoring=scoring,
        model=model,
        engine=engine,
        prior=prior,
        n_draws=n_draws,
        labels=labels,
        pos_label=pos_label,
        weight=weight,
        calibrate=calibrate,
        estimand=estimand,
        n_jobs=n_jobs,
        verbose=verbose,
        pre_dispatch=pre_dispatch,
        return_estimator=return_estimator,
        return_indices=return_indices,
        error_score=error_score,
        checkpoint=checkpoint,
    )
    estimators = check_estimator_names(named_estimators([estimator]))
    has_groups = groups is not None or (isinstance(params, Mapping) and "groups" in params)
    cv, entropy = resolve_splitter(estimators, y, options, cv, random_state, has_groups)
    check_requests(scoring, params)
    name = "bayesian_cross_val_score"
    routed = route(name, name, estimators, cv, params, groups)
    return compare_learners(ScoreResult, estimators, X, y, options, cv, *routed, entropy)
