"""From two estimators and data to a result: splits, collection, counts, posterior.

Finished work outlives later errors. If the refit of a `BayesianComparer` fails, `result_` and
`ranking_` are there. An error after all fits, such as one of Markov chains, has the predictions in
its attribute `cv_results`; one of `refit_simplest`, which scikit-learn calls after all fits, leaves
the results of the search in `search.refit.cv_results_`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import clone, is_regressor
from sklearn.model_selection import check_cv

from skbayeseval._arrays import check_rows, check_same_length, wrong
from skbayeseval._labels import check_indicator, is_indicator
from skbayeseval._validation import check_random_state_entropy, check_weight, check_whole_number
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
from skbayeseval.models.binary import IndependentLabels, IndependentLabelsBCV
from skbayeseval.models.split_scores import CorrelatedT
from skbayeseval.posterior.build import make_posterior, resolve_engine
from skbayeseval.posterior.full_size import TrainingSizes
from skbayeseval.posterior.inferred_weight import InferredWeights, ObservedRows
from skbayeseval.results.comparison import ComparisonResult
from skbayeseval.results.ranking import Ranking
from skbayeseval.splitting.block_cv import BlockRegularizedCV, splitter_name
from skbayeseval.splitting.check_splits import (
    Split,
    check_iterable_cv,
    make_splits,
    splits_of_another_size,
    splits_of_halves,
)
from skbayeseval.splitting.checkpoint import check_repeatable
from skbayeseval.splitting.collect import Collection, CrossValidation, Fitting, collect, route
from skbayeseval.splitting.naming import check_estimator_names, named_estimators

# The children of the entropy that seed the default splitter, the halves of the data and those of
# training sets; the posterior's is 0.
_SPLITTER, _HALVES, _SIZES = 1, 2, 3

WEIGHTS = ("inferred", "published")
ESTIMANDS = ("full", "learner", "fitted")


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
    cv, entropy = resolve_splitter(estimators, y, options, cv, random_state)
    name = "bayesian_cross_validate"
    check_requests(scoring, params)
    routed = route(name, name, estimators, cv, params, groups)
    return compare_learners(estimators, X, y, options, cv, *routed, entropy).pairs[0, 1]


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
) -> tuple[Any, int]:
    """Return the splitter and the entropy; the default splitter gets a seed of its own."""
    check_repeatable(options.checkpoint, cv, options.calibrate, random_state)
    entropy = check_random_state_entropy(random_state)
    # The targets of regressors are not classes to balance.
    kind, counter = kind_of_target(estimators), options.counter
    if cv is None:
        regularize = None if kind == "numbers" else getattr(counter, "frequencies", "auto")
        seed = _seed(entropy, _SPLITTER)
        return BlockRegularizedCV(regularize=regularize, random_state=seed), entropy
    targets = y if counter is None else None
    return check_cv(check_iterable_cv(cv), targets, classifier=kind == "classes"), entropy


def _seed(entropy: int, child: int) -> int:
    return int(np.random.SeedSequence(entropy, spawn_key=(child,)).generate_state(1)[0])


def kind_of_target(estimators: Mapping[str, Any]) -> str:
    """Return "classes", or "numbers" where regressors are compared."""
    regress = any(hasattr(e, "__sklearn_tags__") and is_regressor(e) for e in estimators.values())
    return "numbers" if regress else "classes"


@dataclass(frozen=True, kw_only=True)
class CrossValidationOptions(Fitting):
    """What the cross-validating functions let users choose, beside estimators, data and splits.

    The attributes are the parameters of `bayesian_cross_validate` of the same names.
    """

    scoring: Any = None
    model: Any = "auto"
    engine: Any = "exact"
    prior: Any = None
    n_draws: Any = None
    labels: Any = None
    pos_label: Any = None
    counter: Any = None
    weight: Any = None
    calibrate: Any = 0
    estimand: Any = "learner"

    def check(self) -> None:
        """Raise if an option about fits or weights is not valid; others are checked when used."""
        super().check()
        weight, estimand, calibrate = self.weight, self.estimand, self.calibrate
        check_whole_number(calibrate, "calibrate", minimum=0)
        if not isinstance(estimand, str) or estimand not in ESTIMANDS:
            raise wrong("estimand", f"one of {list(ESTIMANDS)}", estimand)
        if isinstance(weight, str) and weight not in WEIGHTS:
            raise wrong("weight", f"one of {list(WEIGHTS)} or a number", weight)
        if weight is not None and not isinstance(weight, str):
            check_weight(weight)
        known = weight is not None and weight != "inferred"
        if calibrate and (known or estimand == "fitted"):
            what = f"weight={weight!r}" if known else "estimand='fitted'"
            raise ValueError(
                f"calibrate={calibrate} infers the weight, but {what} was given. Use calibrate=0."
            )
        if estimand != "learner" and known:
            raise ValueError(
                f"estimand={estimand!r} infers the weight, but weight={weight!r} was given. Leave "
                "weight= out, or use estimand='learner'."
            )

    def weight_for(self, model: Model) -> str | float:
        """Return the weight, or the default of the model; raise if the model has none."""
        if isinstance(model, CorrelatedT):
            if self.weight not in (None, "published") or self.estimand != "learner":
                raise ValueError(
                    "model='scores' models split scores, which have no weight: weight= and "
                    "estimand= do not apply. calibrate= does."
                )
            return "published"
        inferred = model.infers_weight or self.calibrate or self.estimand != "learner"
        weight = ("inferred" if inferred else "published") if self.weight is None else self.weight
        if weight == "inferred" and isinstance(model, (IndependentLabels, IndependentLabelsBCV)):
            raise ValueError(
                f"model={model.name!r} of a multi-label indicator has no inferred weight. Use "
                "model='paired' or weight='published'."
            )
        return weight if isinstance(weight, str) else float(weight)


def compare_learners(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    options: CrossValidationOptions,
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
    Ranking(rehearsed, names, target.metrics)
    weight = options.weight_for(rehearsed.model)
    full = options.estimand == "full"
    if full and not engine.has_independent_draws:
        raise ValueError(
            "estimand='full' moves independent draws, which Markov chains are not. Use "
            "engine='exact' or estimand='learner'."
        )
    halves = []
    if options.calibrate:
        seed, n_halves = _seed(entropy, _HALVES), int(options.calibrate)
        halves = splits_of_halves(cv, X, y, split_params, n_halves, seed, target.class_codes)
    splits = make_splits(cv, X, y, split_params, splits)
    target.check_number_of_splits(len(splits))
    n_samples, classes = target.n_samples, target.class_codes
    resized = []
    if full:
        seed = _seed(entropy, _SIZES)
        resized = splits_of_another_size(cv, n_samples, groups, classes, seed, splits)
    of_halves = [split for pair in halves for half in pair for split in half]
    for i, (_, test) in enumerate([*splits, *of_halves]):
        target.check_split(i, test)
    for i, (_, test) in enumerate(resized, start=len(splits) + len(of_halves)):
        try:
            target.check_split(i, test)
        except ValueError as error:
            raise ValueError(
                "estimand='full' also tests in further splits, one of which has too few instances. "
                f"{error} Or use estimand='learner'."
            ) from error
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
        halves=halves,
        resized=resized,
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
        instances = weights = None
        if collected.evidence.n_rows is not None:
            of_row = collection.tested()[0].astype(np.min_scalar_type(n_samples))
            instances = Instances(n_samples, index_of([X, y, groups]), of_row)
        if weight == "inferred":
            weights = _infer_weights(collected, target, collection, rehearsed.model, options)
            # The single weight for what needs one: with a mixture, the median weight of the first
            # metric; for Markov chains, the smallest that gives all metrics their variance.
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
    further = collection.another_size
    record = CrossValidation(
        splitter_name(cv),
        len(collection.kept),
        collection.train_size,
        results,
        scores,
        collection.test_size,
        collection.two_fold_repeats,
        "learner" if further is None and full else options.estimand,
        collection.weight,
        n_samples,
        None if further is None else further.train_size,
        out_of_fold,
    )
    return Ranking(result, names, target.metrics, record)


def _infer_weights(
    collected: CollectedEvidence,
    target: Target,
    collection: Collection,
    model: Model,
    options: CrossValidationOptions,
) -> InferredWeights:
    """Return the inferred weights."""
    further: Any
    of_splits: Any
    halves: Any = [tuple(map(target.collected, pair)) for pair in collection.halves]
    sizes, further, of_splits = None, None, collected.scored
    if collection.another_size is not None:
        further = target.collected(collection.another_size)
        sizes = TrainingSizes(
            collection.train_size, collection.another_size.train_size, target.n_samples
        )
        # The averages of some metrics depend on the size of test sets, which must be the same.
        tests = [test for _, test in collection.another_size.splits]
        same = [len(test) for _, test in collection.splits] == [len(test) for test in tests]
        if of_splits is not None and not same:
            of_splits = target.collected(collection.cut(tests)).scored
    counted = scored = None
    if collected.rows is not None:
        counted = ObservedRows(
            collected.rows,
            [(one.evidence, other.evidence) for one, other in halves],
            further and (further.rows, collected.evidence, further.evidence),
        )
    if collected.scored_rows is not None:
        scored = ObservedRows(
            collected.scored_rows,
            [(one.scored, other.scored) for one, other in halves],
            further and (further.scored_rows, of_splits, further.scored),
        )
    return InferredWeights(
        counted,
        scored,
        len(collection.names),
        model.needs_pairs,
        options.estimand,
        sizes,
        options.verbose > 0,
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
