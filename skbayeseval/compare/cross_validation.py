"""From two estimators and data to a result: splits, collection, counts, posterior."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import clone, is_regressor
from sklearn.model_selection import check_cv
from sklearn.utils import indexable

from skbayeseval._arrays import check_rows, check_same_length
from skbayeseval._labels import check_indicator, is_indicator
from skbayeseval._validation import (
    check_flag,
    check_n_jobs,
    check_pre_dispatch,
    check_random_state_entropy,
    check_whole_number,
)
from skbayeseval.compare.split_score_target import ScoreTarget
from skbayeseval.compare.targets import (
    ChunkTarget,
    CollectedEvidence,
    LabelTarget,
    NumberTarget,
    Target,
)
from skbayeseval.compare.weighting import Weighting, plug_in_weight
from skbayeseval.engines.pymc import PyMCEngine
from skbayeseval.evidence.chunks import ChunkCounter
from skbayeseval.evidence.validated_rows import Instances, index_of
from skbayeseval.metrics.scoring import is_of_numbers
from skbayeseval.models.split_scores import CorrelatedT
from skbayeseval.posterior.build import make_posterior, resolve_engine
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.results.comparison import ComparisonResult
from skbayeseval.results.ranking import Ranking
from skbayeseval.splitting.block_cv import BlockRegularizedCV
from skbayeseval.splitting.check_splits import (
    check_iterable_cv,
    splits_of_another_size,
    splits_of_halves,
)
from skbayeseval.splitting.checkpoint import Checkpoint, check_repeatable
from skbayeseval.splitting.collect import (
    Collection,
    CrossValidation,
    Split,
    check_error_score,
    collect,
    route,
)
from skbayeseval.splitting.naming import check_estimator_names, named_estimators

# The children of the entropy that seed the default splitter, the halves of the data and those of
# training sets; the posterior's is 0.
_SPLITTER, _HALVES, _SIZES = 1, 2, 3


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
    prior: dict[str, Any] | Callable[..., Any] | None = None,
    n_draws: int = 20_000,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    counter: ChunkCounter | None = None,
    weight: str | float | None = None,
    calibrate: int = 0,
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
        each split, and so are metrics of numbers, such as "r2". With ``model="scores"``, anything
        that `cross_validate` accepts; None then means the `score` method of the estimators.
    cv : int, splitter or iterable, default=None
        None means ``BlockRegularizedCV(3)``, with `counter` balanced in the types of chunks.
        Otherwise anything that scikit-learn's `check_cv` accepts.
    model : {"auto", "paired", "unpaired", "hierarchical", "bcv", "scores"} or model instance, \
            default="auto"
        "auto" means "paired"; for regressors, these are weights of instances. "scores" compares
        split scores by the correlated t-test, with any scorer that `cross_validate` accepts.
    engine, prior, n_draws, labels, pos_label
        As in `compare_predictions`.
    counter : ChunkCounter, default=None
        Made by `chunk_counter`: `y` contains tags of its first scheme, A predicts in the first
        scheme, B in the second, and chunks are compared. `ConvertTags` makes a tagger learn the
        second.
    weight : {"inferred", "published"} or float, default=None
        The weight of one count. "inferred" estimates for each metric how much training sets add to
        the variation between instances, by a formula that was fitted to real and simulated problems
        and has the spread of the splits in it. "published" is that of the splitter: w(m) of
        block-regularised cross-validation, otherwise sum(r) / sum(r^2), where instance i is
        validated r_i times; it is often too large. None means "published" for ``model="bcv"`` and
        ``model="unpaired"``, otherwise "inferred".
    calibrate : int, default=0
        How often to repeat the comparison on two disjoint halves of the data, to infer the weight
        more precisely. Each repeats all fits twice, on half as many instances; 8 is a good number.
    estimand : {"full", "learner", "fitted"}, default="learner"
        Whose performance is compared: that of learners trained on all instances of X, on new
        training sets of the size of those here, or that of the models fitted here, on average, for
        which training sets do not vary. "full" fits on training sets of a second size as well and
        extrapolates from both: with `BlockRegularizedCV` on all blocks but one, with any other
        splitter on a random half of each training set. It takes about twice as long.
    n_jobs : int, default=None
        The number of fits to run in parallel, with the active joblib backend, and of threads that
        make the draws.
    verbose : int, default=0
        1 shows progress of fits, and of draws that take longer than a second: a bar in terminals
        and notebooks, lines on standard error elsewhere.
    params : dict, default=None
        Passed to every `fit`, or routed if metadata routing is enabled. Sample weights reach `fit`
        only: the counts stay unweighted.
    pre_dispatch : int or str, default="2*n_jobs"
        As in `cross_validate`.
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
    options = CrossValidationOptions.of(locals())
    if others:
        raise TypeError(
            "bayesian_cross_validate compares two estimators on X and y, and takes all else by "
            f"name, but got {4 + len(others)} arguments. To compare three or more estimators, use "
            "BayesianComparer([a, b, c]).fit(X, y)."
        )
    estimators = check_estimator_names(named_estimators([estimator_a, estimator_b]))
    name = "bayesian_cross_validate"
    resolved = resolve_splits_and_params(
        estimators, y, options, cv, params, groups, random_state, owner=name, method=name
    )
    return compare_learners(estimators, X, y, options, **resolved).pairs[0, 1]


def resolve_splits_and_params(
    estimators: Mapping[str, Any],
    y: Any,
    options: CrossValidationOptions,
    cv: Any,
    params: Mapping[str, Any] | None,
    groups: Any,
    random_state: Any,
    *,
    owner: str,
    method: str,
) -> dict[str, Any]:
    """Return the last arguments of `compare_learners`: splitter, its and fit's parameters, seed.

    The default splitter gets a seed of its own from the random state. `owner` and `method` are what
    errors about metadata routing call the caller.
    """
    check_repeatable(options.checkpoint, cv, options.calibrate, random_state)
    entropy = check_random_state_entropy(random_state)
    # The targets of regressors are not classes to balance.
    kind, counter = kind_of_target(estimators), options.counter
    if cv is None:
        seed = np.random.SeedSequence(entropy, spawn_key=(_SPLITTER,)).generate_state(1)[0]
        regularize = None if kind == "numbers" else getattr(counter, "frequencies", "auto")
        cv = BlockRegularizedCV(regularize=regularize, random_state=int(seed))
    else:
        targets = y if counter is None else None
        cv = check_cv(check_iterable_cv(cv), targets, classifier=kind == "classes")
    split_params, fit_params = route(owner, method, estimators, cv, params, groups)
    return {"cv": cv, "split_params": split_params, "fit_params": fit_params, "entropy": entropy}


def kind_of_target(estimators: Mapping[str, Any]) -> str:
    """Return "classes", or "numbers" where regressors are compared."""
    regress = any(hasattr(e, "__sklearn_tags__") and is_regressor(e) for e in estimators.values())
    return "numbers" if regress else "classes"


@dataclass(frozen=True)
class CrossValidationOptions:
    """What the cross-validating functions let users choose, beside estimators, data and splits.

    The attributes are the parameters of `bayesian_cross_validate` of the same names.
    """

    scoring: Any = None
    model: Any = "auto"
    engine: Any = "exact"
    prior: Any = None
    n_draws: Any = 20_000
    labels: Any = None
    pos_label: Any = None
    counter: Any = None
    weight: Any = None
    calibrate: Any = 0
    estimand: Any = "learner"
    n_jobs: int | None = None
    verbose: int = 0
    pre_dispatch: int | str = "2*n_jobs"
    return_estimator: bool = False
    return_indices: bool = False
    error_score: str | float = "raise"
    checkpoint: Any = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> CrossValidationOptions:
        """Take the options out of a mapping that may hold more."""
        return cls(
            **{field.name: given[field.name] for field in fields(cls) if field.name in given}
        )

    def check(self) -> None:
        """Raise if an option about the fits is not valid; the others are checked when resolved."""
        check_error_score(self.error_score)
        check_n_jobs(self.n_jobs)
        check_pre_dispatch(self.pre_dispatch)
        check_whole_number(self.verbose, "verbose", minimum=0)
        for name in ("return_estimator", "return_indices"):
            check_flag(getattr(self, name), name)
        if Checkpoint.of(self.checkpoint) is not None and self.return_estimator:
            raise ValueError(
                "checkpoint= keeps predictions, not fitted estimators, so return_estimator=True "
                "cannot be combined with it."
            )


def compare_learners(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    options: CrossValidationOptions,
    *,
    cv: Any,
    split_params: Mapping[str, Any],
    fit_params: Mapping[str, Mapping[str, Any]],
    entropy: int,
    splits: list[Split] | None = None,
) -> Ranking:
    """Fit, predict, count and compare; all cross-validating functions end here.

    `splits` are those of `cv`, where they were generated before.
    """
    options.check()
    weighting = Weighting.of(options)
    names = tuple(estimators)
    groups = split_params.get("groups")
    if X is None:
        raise ValueError("X must be the data, with one row per instance, got None.")
    check_same_length(X=X, y=y, groups=groups)
    check_rows({"X": X, "y": y, "groups": groups})
    for of_one in fit_params.values():
        check_rows({"y": y, **of_one})
    target = _target(estimators, X, y, options, groups)

    engine = resolve_engine(options.engine, options.prior)
    if options.verbose and isinstance(options.engine, str) and not engine.has_independent_draws:
        engine = clone(engine).set_params(progressbar=True)

    def posterior(collected: CollectedEvidence, **more: Any) -> Posterior:
        return make_posterior(
            collected.evidence,
            options.model,
            engine,
            options.prior,
            options.n_draws,
            entropy,
            scored=collected.scored,
            **more,
        )

    # A rehearsal on perfect predictions: whatever is wrong with the arguments is wrong here too,
    # before anything is fitted.
    rehearsed = posterior(target.rehearsal(), rehearsal=True)
    Ranking(rehearsed, names, target.metrics)
    weighting = weighting.for_model(rehearsed.model)

    halves = []
    if weighting.calibrate:
        seed = np.random.SeedSequence(entropy, spawn_key=(_HALVES,)).generate_state(1)[0]
        halves = splits_of_halves(
            cv, X, y, split_params, weighting.calibrate, int(seed), target.class_codes
        )
    (rows,) = indexable(X)
    n_samples = rows.shape[0] if hasattr(rows, "shape") else len(rows)
    resize = None
    if weighting.estimand == "full":
        if not engine.has_independent_draws:
            raise ValueError(
                "estimand='full' moves independent draws, which Markov chains are not. Use "
                "engine='exact' or estimand='learner'."
            )
        seed = np.random.SeedSequence(entropy, spawn_key=(_SIZES,)).generate_state(1)[0]
        resize = partial(
            splits_of_another_size, cv, n_samples, groups, target.class_codes, int(seed)
        )
    collection = collect(
        estimators,
        X,
        y,
        cv=cv,
        split_params=split_params,
        fit_params=fit_params,
        splits=splits,
        n_jobs=options.n_jobs,
        verbose=options.verbose,
        pre_dispatch=options.pre_dispatch,
        return_estimator=options.return_estimator,
        error_score=options.error_score,
        observers={name: target.observer(name) for name in names},
        check_split=target.check_split,
        halves=halves,
        resize=resize,
        checkpoint=Checkpoint.of(options.checkpoint),
    )
    several = isinstance(options.scoring, (list, tuple, set, Mapping))
    single = len(target.metrics) == 1 and not several
    scores: dict[str, dict[str, Any]] = {key: {} for key in target.metrics}
    results: dict[str, dict[str, Any]] = {}  # as of `cross_validate`
    for name, runs in collection.runs.items():
        times = np.array([[run.fit_time, run.score_time] for run in runs]).T
        times.flags.writeable = False
        results[name] = {"fit_time": times[0], "score_time": times[1]}
        if any(run.chosen is not None for run in runs):
            results[name]["best_params"] = [run.chosen for run in runs]
        if options.return_estimator:
            results[name]["estimator"] = [run.estimator for run in runs]
        if options.return_indices:
            train, test = zip(*collection.splits, strict=True)
            results[name]["indices"] = {"train": train, "test": test}
        for key, values in target.split_scores(name, collection).items():
            values.flags.writeable = False
            scores[key][name] = values
            results[name]["test_score" if single else f"test_{key}"] = values
    try:
        collected = target.collected(collection)
        instances = None
        if collected.evidence.n_rows is not None:
            index = index_of([X, y, groups])
            instances = Instances.tested(collection.test_indices(), n_samples, index)
        if weighting.is_inferred:
            inferred = weighting.infer(collected, target, collection, rehearsed.model, n_samples)
            mixture = engine.has_independent_draws
            collected = collected.with_weight(
                plug_in_weight(inferred, target.metrics, mixture=mixture)
            )
            result = posterior(collected, weights=inferred, instances=instances)
        else:
            if weighting.number is not None:
                collected = collected.with_weight(weighting.number)
            result = posterior(collected, instances=instances)
    except BaseException as error:  # Ctrl-C during Markov chains as well
        _keep_fits(error, target, collection, results)
        raise
    result.shows_progress, result.n_jobs = options.verbose > 0, options.n_jobs
    out_of_fold = target.out_of_fold(collection)
    if out_of_fold is not None:
        index = X.index if isinstance(X, (pd.DataFrame, pd.Series)) else index_of([y, groups])
        out_of_fold = replace(out_of_fold, index=index)
    further = collection.another_size
    splitter = type(cv).__name__
    record = CrossValidation(
        "splits as given" if splitter.startswith("_") else splitter,
        len(collection.kept),
        collection.train_size,
        results,
        scores,
        collection.test_size,
        collection.two_fold_repeats,
        "learner" if further is None and weighting.estimand == "full" else weighting.estimand,
        collection.weight,
        n_samples,
        None if further is None else further.train_size,
        out_of_fold,
    )
    return Ranking(result, names, target.metrics, record)


def _target(
    estimators: Mapping[str, Any], X: Any, y: Any, options: CrossValidationOptions, groups: Any
) -> Target:
    """Return what is compared: chunks, plain scores, numbers, or classes and labels."""
    kind: type[LabelTarget | ChunkTarget | ScoreTarget | NumberTarget] = LabelTarget
    if options.counter is not None:
        kind = ChunkTarget
    elif compares_scores(options.model):
        kind = ScoreTarget
    elif kind_of_target(estimators) == "numbers" or is_of_numbers(options.scoring):
        kind = NumberTarget
    if kind is LabelTarget and is_indicator(y) and _is_vector(X):
        try:
            check_indicator(y, "y")
        except ValueError as error:
            raise ValueError(
                f"{error} Since X has one dimension and y has shape {np.shape(y)}, X and y may "
                "have been passed in the wrong order."
            ) from error
    return kind(y, estimators, options, groups)


def _is_vector(X: Any) -> bool:
    if hasattr(X, "shape"):
        return len(X.shape) == 1
    return isinstance(X, (list, tuple)) and np.isscalar(X[0])


def compares_scores(model: Any) -> bool:
    """Whether the model is of the scores of splits, of whatever estimators."""
    return isinstance(model, CorrelatedT) or (isinstance(model, str) and model == CorrelatedT.name)


def _keep_fits(
    error: BaseException, target: Target, collection: Collection, results: dict[str, Any]
) -> None:
    """Attach what the fits gave to an error that occurred after them."""
    train, test = zip(*collection.splits, strict=True)
    kept = {
        name: {
            **of_one,
            "indices": {"train": train, "test": test},
            "predictions": [target.predicted(run.observed) for run in collection.runs[name]],
        }
        for name, of_one in results.items()
    }
    error.cv_results = kept  # type: ignore[attr-defined]
    error.add_note(
        "All fits were done before this error, whose attribute cv_results has, for each estimator, "
        "what cross_validate would have returned, and the predictions for the test set of each "
        "split: error.cv_results[name]['predictions'], with error.cv_results[name]['indices']."
    )
