"""Cross-validation of two learners, or of one: the posterior next to `cross_validate`.

What is said of one learner is what a comparison says of it: the model of one is the margin of that
of two.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from skbayeseval.compare.learners import (
    CrossValidationOptions,
    compare_learners,
    prepare_learners,
)
from skbayeseval.evidence.chunks import ChunkCounter
from skbayeseval.models.pymc import PyMCEngine
from skbayeseval.results.comparison import ComparisonResult
from skbayeseval.results.single import ScoreResult


def bayesian_cross_validate(
    estimator_a: Any,
    estimator_b: Any,
    X: Any,
    y: ArrayLike,
    *others: Any,
    groups: ArrayLike | None = None,
    scoring: Any = None,
    cv: Any = None,
    model: Any = "auto",
    engine: str | PyMCEngine = "exact",
    n_draws: int | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    counter: ChunkCounter | None = None,
    weight: str | float | None = None,
    estimand: str = "learner",
    blocks: int | str | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    return_estimator: bool = False,
    return_indices: bool = False,
    error_score: str | float = "raise",
    checkpoint: Any = None,
    random_state: Any = None,
) -> ComparisonResult:
    """Compare two learners by cross-validation: the posterior next to `cross_validate`.

    Both are fitted on the same splits, and their paired predictions are counted. A count has a
    weight below 1, because training sets differ and instances may be validated more than once; the
    weight is inferred from how much the results vary. The result applies to learners trained on as
    many instances as a training set has (half of them by default), not to models refitted on all
    data; with ``estimand="full"``, to learners trained on all of them.

    Parameters
    ----------
    estimator_a, estimator_b : estimator or (str, estimator)
        The classifiers, or regressors. Clones of them are fitted.
    X : array-like of shape (n_samples, ...)
        The data: arrays, data frames, sparse matrices, lists of texts. They are only indexed.
    y : array-like of shape (n_samples,) or (n_samples, n_labels), or sequence of sequences
        The labels, of any dtype; or a multi-label indicator; or numbers, for regressors; or, with
        `counter`, the tags of each sentence.
    *others : object
        Refused: three or more estimators are compared by `BayesianComparer`.
    groups : array-like of shape (n_samples,), default=None
        The group of each instance, such as the patient. The default splitter keeps groups whole,
        and groups instead of instances are weighted. With metadata routing enabled, pass it in
        `params`.
    scoring : str, Metric, list or dict, default=None
        As in `compare_predictions`. None means accuracy, R2 for regressors, or F1 with `counter`.
        Metrics such as "roc_auc" are computed from `decision_function` or `predict_proba`, within
        each split, and so are metrics of numbers, such as "r2". A sum of gains or costs is told
        per instance. With ``model="scores"``, anything that `cross_validate` accepts, and a sum is
        that of a test set; None then means the `score` method of the estimators.
    cv : int, splitter or iterable, default=None
        None means ``BlockRegularizedCV(3)``, with `counter` balanced in the types of chunks; with
        ``estimand="full"``, ten folds, stratified, which keep groups whole, or as many of five to
        ten as the groups and the rarest class allow.
        Otherwise anything that scikit-learn's `check_cv` accepts.
    model : {"auto", "paired", "unpaired", "hierarchical", "bcv", "scores"} or model instance, \
            default="auto"
        "auto" means "paired"; for regressors, these are weights of instances. "scores" compares
        split scores by the correlated t-test, with any scorer that `cross_validate` accepts.
    engine, n_draws, labels, pos_label
        As in `compare_predictions`.
    counter : ChunkCounter, default=None
        Made by `chunk_counter`: `y` contains tags of its first scheme, A predicts in the first
        scheme, B in the second, and chunks are compared, with the sentence as the unit.
        `ConvertTags` makes a tagger learn the second.
    weight : {"inferred", "published"} or float, default=None
        The weight of one count. "inferred" estimates for each metric how much training sets add to
        the variation between instances, from how much halves of the data differ. "published" is
        that of the splitter: w(m) of block-regularised cross-validation, otherwise
        sum(r) / sum(r^2), where instance i is validated r_i times; it is often too large. None
        means "published" for ``model="bcv"`` and ``model="unpaired"``, otherwise "inferred".
    estimand : {"full", "learner"}, default="learner"
        Whose performance is compared: that of learners trained on all instances of X, or on new
        training sets of the size of those here. With "full", ``cv=None`` means ten folds, whose
        training sets are nearly all instances; a `cv` that is given must train on at least four
        fifths of the data. Halves of the data are fitted as well (`BlockRegularizedCV`, six fits of
        each estimator), which tell how much training sets matter. Splits that are halves themselves
        tell it anyway; without either, the weight is one that suits most learners.
    blocks : int or "auto", default=None
        The number of consecutive rows that are weighted together, as in `compare_predictions`,
        where the rows of X are in order of time. Pass ``cv=TimeSeriesSplit()`` as well, so that
        learners are tested on what comes after their training set.
    n_jobs : int, default=None
        The number of fits to run in parallel, with the active joblib backend, and of threads that
        make the draws.
    verbose : int, default=0
        1 shows progress of fits, and of draws that take longer than a second: a bar in terminals
        and notebooks, lines on standard error elsewhere.
    params : dict, default=None
        Passed to every `fit`. With metadata routing enabled, routed as by `cross_validate`: to
        `fit`, to the splitter, and to scorers that request columns, such as amounts of money, which
        are given those of the test set. Without `scoring`, requests of the estimators' `score`
        require ``model="scores"``.
    return_estimator, return_indices : bool, default=False
        Whether to include the fitted estimators and the splits in `cv_results`.
    error_score : "raise" or np.nan, default="raise"
        With NaN, a repeat of block-regularised cross-validation (for other splitters, a split) in
        which a fit fails is dropped for both classifiers, with a warning, and the weight is
        adjusted.
    checkpoint : str, path or dict, default=None
        A folder for finished fits, made if it does not exist. What is kept of a fit, its
        predictions and times, is written there at once, and the same call goes on from what it
        finds, after whatever stopped it, to the same result. Fits with other data, splits or
        parameters are other fits: they share the folder without harm. Of an estimator that is
        random without a `random_state`, the fits in the folder are one run, and using them again
        gives a UserWarning. An estimator whose parameters cannot be told apart, such as a lambda,
        requires a version in ``{"path": folder, "keys": {name: version}}``. See docs/long_runs.md.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws and, with ``cv=None``, the splits. A `cv` that is given is not altered.

    Returns
    -------
    result : ComparisonResult

    See Also
    --------
    BayesianComparer : The same as an estimator.
    bayesian_cross_val_score : For one learner.
    compare_predictions : For predictions made elsewhere.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> from skbayeseval import bayesian_cross_validate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> svm = make_pipeline(StandardScaler(), SVC())
    >>> result = bayesian_cross_validate(svm, GaussianNB(), X, y, scoring="f1", random_state=0)
    >>> result.names
    ('SVC', 'GaussianNB')
    >>> result.decision(rope=0.005).label
    'significantly better'
    """
    if others:
        raise TypeError(
            "bayesian_cross_validate compares two estimators on X and y, and takes all else by "
            f"name, but got {4 + len(others)} arguments. To compare three or more estimators, use "
            "BayesianComparer([a, b, c]).fit(X, y)."
        )
    options = CrossValidationOptions(
        cv=cv,
        scoring=scoring,
        model=model,
        engine=engine,
        n_draws=n_draws,
        labels=labels,
        pos_label=pos_label,
        counter=counter,
        weight=weight,
        estimand=estimand,
        blocks=blocks,
        n_jobs=n_jobs,
        verbose=verbose,
        return_estimator=return_estimator,
        return_indices=return_indices,
        error_score=error_score,
        checkpoint=checkpoint,
    )
    caller, pair = "bayesian_cross_validate", [estimator_a, estimator_b]
    learners, options = prepare_learners(caller, pair, y, options, groups, params, random_state)
    return compare_learners(ComparisonResult, learners, X, y, options)


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
    n_draws: int | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    weight: str | float | None = None,
    estimand: str = "learner",
    blocks: int | str | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
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
        As in `bayesian_cross_validate`.
    model : {"auto", "paired", "unpaired", "hierarchical", "bcv", "scores"} or model instance, \
            default="auto"
        "auto" means "paired", as for two learners: it is the model that the learner would have in a
        comparison. "scores" takes split scores, with any scorer that `cross_validate` accepts.
    engine, n_draws, labels, pos_label
        As in `compare_predictions`.
    weight, estimand, blocks, n_jobs, verbose, params, return_estimator, return_indices, \
            error_score, checkpoint, random_state
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
        cv=cv,
        scoring=scoring,
        model=model,
        engine=engine,
        n_draws=n_draws,
        labels=labels,
        pos_label=pos_label,
        weight=weight,
        estimand=estimand,
        blocks=blocks,
        n_jobs=n_jobs,
        verbose=verbose,
        return_estimator=return_estimator,
        return_indices=return_indices,
        error_score=error_score,
        checkpoint=checkpoint,
    )
    caller, one = "bayesian_cross_val_score", [estimator]
    learners, options = prepare_learners(caller, one, y, options, groups, params, random_state)
    return compare_learners(ScoreResult, learners, X, y, options)
