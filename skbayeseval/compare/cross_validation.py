"""From two estimators and data to a result: splits, collection, counts, posterior.

Finished work outlives later errors. If the refit of a `BayesianComparer` fails, `result_` and
`ranking_` are there. An error after all fits, such as one of Markov chains, has the predictions in
its attribute `cv_results`; one of `refit_simplest`, which scikit-learn calls after all fits, leaves
the results of the search in `search.refit.cv_results_`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import clone, is_regressor
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)

from skbayeseval._arrays import check_rows, check_same_length, number_of_samples
from skbayeseval._labels import check_indicator, is_indicator
from skbayeseval._validation import check_random_state_entropy
from skbayeseval.compare.cross_validation_options import CrossValidationOptions
from skbayeseval.compare.split_score_target import ScoreTarget
from skbayeseval.compare.targets import (
    ChunkTarget,
    CollectedEvidence,
    LabelTarget,
    NumberTarget,
    Target,
)
from skbayeseval.engines.pymc import PyMCEngine
from skbayeseval.evidence.chunks import ChunkCounter
from skbayeseval.evidence.validated_rows import Instances, index_of
from skbayeseval.metrics.registry import is_of_numbers, spelled_out
from skbayeseval.metrics.scorers import name_of
from skbayeseval.models.base import Model
from skbayeseval.models.split_scores import CorrelatedT
from skbayeseval.posterior.build import make_posterior, resolve_engine
from skbayeseval.posterior.inferred_weight import InferredWeights, ObservedRows
from skbayeseval.results.base import PosteriorView
from skbayeseval.results.comparison import ComparisonResult
from skbayeseval.results.ranking import Ranking
from skbayeseval.splitting.block_cv import BlockRegularizedCV, splitter_name
from skbayeseval.splitting.check_splits import (
    Split,
    check_iterable_cv,
    make_splits,
)
from skbayeseval.splitting.checkpoint import check_repeatable
from skbayeseval.splitting.collect import Collection, CrossValidation, collect, route
from skbayeseval.splitting.naming import check_estimator_names, named_estimators

# The children of the entropy that seed the default splitter, and the splits into halves; the
# posterior's is 0.
_SPLITTER, _HALVES = 1, 2

# Learners trained on a smaller share of the data are too different from those trained on all.
LEAST_SHARE = 0.8

# What is said of learners: a ranking, or the score of one.
Result = TypeVar("Result", bound=PosteriorView)


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
    n_draws: int | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    counter: ChunkCounter | None = None,
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
        None means ``BlockRegularizedCV(3)``, with `counter` balanced in the types of chunks; with
        ``estimand="full"``, ten folds, stratified, which keep groups whole.
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
        the variation between instances, from how much halves of the data differ. "published" is
        that of the splitter: w(m) of block-regularised cross-validation, otherwise
        sum(r) / sum(r^2), where instance i is validated r_i times; it is often too large. None
        means "published" for ``model="bcv"`` and ``model="unpaired"``, otherwise "inferred".
    calibrate : bool, default=False
        Whether to fit on halves of the data as well (`BlockRegularizedCV`, six fits of each
        estimator), which tell how much training sets matter. Splits that are halves themselves tell
        it anyway; without either, the weight is one that suits most learners.
    estimand : {"full", "learner", "fitted"}, default="learner"
        Whose performance is compared: that of learners trained on all instances of X, on new
        training sets of the size of those here, or that of the models fitted here, on average, for
        which training sets do not vary. With "full", ``cv=None`` means ten folds, whose training
        sets are nearly all instances, and ``calibrate=True``; a `cv` that is given must train on at
        least four fifths of the data.
    n_jobs : int, default=None
        The number of fits to run in parallel, with the active joblib backend, and of threads that
        make the draws.
    verbose : int, default=0
        1 shows progress of fits, and of draws that take longer than a second: a bar in terminals
        and notebooks, lines on standard error elsewhere.
    params : dict, default=None
        Passed to every `fit`, or routed if metadata routing is enabled. Sample weights reach `fit`
        only: the counts stay unweighted, and scorers that request metadata are refused.
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
        scoring=scoring,
        model=model,
        engine=engine,
        prior=prior,
        n_draws=n_draws,
        labels=labels,
        pos_label=pos_label,
        counter=counter,
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
    estimators = check_estimator_names(named_estimators([estimator_a, estimator_b]))
    has_groups = groups is not None or (isinstance(params, Mapping) and "groups" in params)
    cv, entropy = resolve_splitter(estimators, y, options, cv, random_state, has_groups)
    name = "bayesian_cross_validate"
    check_requests(scoring, params)
    routed = route(name, name, estimators, cv, params, groups)
    return compare_learners(Ranking, estimators, X, y, options, cv, *routed, entropy).pairs[0, 1]


def check_requests(scoring: Any, params: Mapping[str, Any] | None) -> None:
    """Raise if scorers request metadata that are passed: here they go to `fit` and `split` only."""
    if not isinstance(params, Mapping) or not get_config()["enable_metadata_routing"]:
        return
    for _, scorer in spelled_out(scoring):
        requested: set[str] = set()
        if hasattr(scorer, "get_metadata_routing"):
            requested = scorer.get_metadata_routing().consumes("score", list(params))
        if requested:
            raise ValueError(
                f"scoring={name_of(scorer)!r} requests {sorted(requested)} by metadata routing, "
                "but only fit and split are given metadata here, scorers nothing but predictions. "
                "If scores should do without, use set_score_request(...=False)."
            )


def resolve_splitter(
    estimators: Mapping[str, Any],
    y: Any,
    options: CrossValidationOptions,
    cv: Any,
    random_state: Any,
    has_groups: bool,
) -> tuple[Any, int]:
    """Return the splitter and the entropy; the default splitter gets a seed of its own."""
    check_repeatable(options.checkpoint, cv, options.tells_instability, random_state)
    entropy = check_random_state_entropy(random_state)
    # The targets of regressors are not classes to balance.
    kind, counter = kind_of_target(estimators), options.counter
    if cv is None and options.estimand == "full":
        stratified = kind == "classes" and counter is None and not is_indicator(y)
        ten_folds = {
            (False, False): KFold,
            (False, True): GroupKFold,
            (True, False): StratifiedKFold,
            (True, True): StratifiedGroupKFold,
        }[stratified, has_groups]
        return ten_folds(10, shuffle=True, random_state=_seed(entropy, _SPLITTER)), entropy
    if cv is None:
        return halving_splitter(kind, counter, _seed(entropy, _SPLITTER)), entropy
    targets = y if counter is None else None
    return check_cv(check_iterable_cv(cv), targets, classifier=kind == "classes"), entropy


def halving_splitter(kind: str, counter: Any, seed: int) -> BlockRegularizedCV:
    """Return the splitter into halves, balanced in classes or in the types of chunks."""
    regularize = None if kind == "numbers" else getattr(counter, "frequencies", "auto")
    return BlockRegularizedCV(regularize=regularize, random_state=seed)


def _seed(entropy: int, child: int) -> int:
    return int(np.random.SeedSequence(entropy, spawn_key=(child,)).generate_state(1)[0])


def kind_of_target(estimators: Mapping[str, Any]) -> str:
    """Return "classes", or "numbers" where regressors are compared."""
    regress = any(hasattr(e, "__sklearn_tags__") and is_regressor(e) for e in estimators.values())
    return "numbers" if regress else "classes"


def compare_learners(
    kind: type[Result],
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    options: CrossValidationOptions,
    cv: Any,
    split_params: Mapping[str, Any],
    fit_params: Mapping[str, Mapping[str, Any]],
    entropy: int,
    splits: list[Split] | None = None,
) -> Result:
    """Fit, predict, count and compare; all cross-validating functions end here.

    `kind` is that of the result; one learner has a `ScoreResult`. `splits` are those of `cv`, where
    they were generated before.
    """
    names, groups = tuple(estimators), split_params.get("groups")
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
    drawing = (options.model, engine, options.prior, options.n_draws, entropy)
    # A rehearsal on perfect predictions: whatever is wrong with the arguments is wrong here too,
    # before anything is fitted.
    perfect = target.rehearsal()
    rehearsed = make_posterior(perfect.evidence, *drawing, scored=perfect.scored, rehearsal=True)
    kind(rehearsed, names, target.metrics)
    weight = options.weight_for(rehearsed.model)
    splits = make_splits(cv, X, y, split_params, splits)
    target.check_number_of_splits(len(splits))
    n_samples = target.n_samples
    if options.estimand == "full":
        _check_nearly_all(splits, n_samples)
    halved = _halves(estimators, X, y, options, split_params, splits, _seed(entropy, _HALVES))
    for i, (_, test) in enumerate([*splits, *halved]):
        target.check_split(i, test)
    collection = collect(
        estimators,
        X,
        y,
        options,
        cv=cv,
        splits=splits,
        fit_params=fit_params,
        groups=groups,
        observers={name: target.observer(name) for name in names},
        halved=halved,
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
            results[name]["indices"] = collection.indices()
        for key, values in target.split_scores(name, collection).items():
            values.flags.writeable = False
            scores[key][name] = values
            results[name]["test_score" if single else f"test_{key}"] = values
    try:
        collected = target.collected(collection)
        cautions: dict[str, str] = {}
        instances = weights = None
        if collected.evidence.n_rows is not None:
            of_row = collection.tested()[0].astype(np.min_scalar_type(n_samples))
            instances = Instances(n_samples, index_of([X, y, groups]), of_row)
        if weight == "inferred":
            weights = _infer_weights(collected, target, collection, rehearsed.model, options)
            # The single weight for what needs one: the median weight of the first metric; for
            # Markov chains, the smallest that gives all metrics their variance.
            if options.estimand != "fitted":
                cautions = weights.cautions(names, target.metrics.values())
            inferred = [weights.difference(metric) for metric in target.metrics.values()]
            weight = inferred[0].median
            if not engine.has_independent_draws:
                weight = min(one.matching_variance for one in inferred)
        if not isinstance(weight, str):
            collected = collected.with_weight(weight)
        result = make_posterior(
            collected.evidence,
            *drawing,
            scored=collected.scored,
            weights=weights,
            instances=instances,
            metrics=target.metrics.values(),
        )
    except BaseException as error:  # Ctrl-C during Markov chains as well
        _keep_fits(error, target, collection, results)
        raise
    result.shows_progress, result.n_jobs = options.verbose > 0, options.n_jobs
    out_of_fold = target.out_of_fold(collection)
    if out_of_fold is not None:
        index = X.index if isinstance(X, (pd.DataFrame, pd.Series)) else index_of([y, groups])
        out_of_fold = replace(out_of_fold, index=index)
    record = CrossValidation(
        splitter_name(cv),
        len(collection.kept),
        collection.train_size,
        results,
        scores,
        collection.test_size,
        collection.two_fold_repeats,
        options.estimand,
        collection.weight,
        n_samples,
        out_of_fold,
        cautions,
    )
    return kind(result, names, target.metrics, record)


def _check_nearly_all(splits: list[Split], n_samples: int) -> None:
    """Raise unless training sets are nearly all instances."""
    share = float(np.mean([len(train) for train, _ in splits])) / n_samples
    if share < LEAST_SHARE:
        raise ValueError(
            "estimand='full' is about learners trained on all instances, but the training sets of "
            f"cv have {share:.0%} of them. If the order of instances does not matter, leave cv= "
            "out, or pass cv=10."
        )


def _halves(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    options: CrossValidationOptions,
    split_params: Mapping[str, Any],
    splits: list[Split],
    seed: int,
) -> list[Split]:
    """Return splits into halves that tell the instability, where the splits are not halves."""
    if not options.tells_instability or 2 * len(splits[0][0]) <= number_of_samples(X, "X") + 1:
        return []
    cv = halving_splitter(kind_of_target(estimators), options.counter, seed)
    groups = {"groups": split_params.get("groups")}
    return make_splits(cv, X, y, groups)


def _infer_weights(
    collected: CollectedEvidence,
    target: Target,
    collection: Collection,
    model: Model,
    options: CrossValidationOptions,
) -> InferredWeights:
    """Return the inferred weights."""
    rows, scored_rows = collected.rows, collected.scored_rows
    counted = None if rows is None else ObservedRows(rows)
    scored = None if scored_rows is None else ObservedRows(scored_rows)
    if collection.halved is not None:
        halved = target.collected(collection.halved)
        if counted:
            counted = ObservedRows(counted.rows, halved.rows, halved.evidence.observed)
        if scored:
            source = halved.scored or halved.evidence
            scored = ObservedRows(scored.rows, halved.scored_rows, source.observed)
    return InferredWeights(
        counted,
        scored,
        len(collection.names),
        model.needs_pairs,
        options.estimand,
    )


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
    kept = {
        name: {
            **of_one,
            "indices": collection.indices(),
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
