"""From named estimators and data to a result: splits, fits, counts, weights, posterior.

Finished work outlives later errors. If the refit of a `BayesianComparer` fails, `result_` and
`ranking_` are there. An error after all fits, such as one of Markov chains, has the predictions in
its attribute `cv_results`; one of `refit_simplest`, which scikit-learn calls after all fits, leaves
the results of the search in `search.refit.cv_results_`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from sklearn.base import is_classifier, is_regressor
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedKFold,
    check_cv,
)

from skbayeseval._arrays import check_rows, check_same_length, in_short, number_of_samples, wrong
from skbayeseval._labels import check_label_vector, is_indicator
from skbayeseval._streams import Stream, seed_of
from skbayeseval._validation import check_random_state_entropy
from skbayeseval.compare.inference import (
    check_cv_weight,
    cv_scores,
    infer,
    weight_for,
)
from skbayeseval.compare.ordered_rows import (
    are_in_order,
    check_blocks,
    warn_of_neighbours,
)
from skbayeseval.compare.split_score_target import ScoreTarget, check_responses
from skbayeseval.compare.targets import (
    ChunkTarget,
    LabelTarget,
    NumberTarget,
    Target,
)
from skbayeseval.evidence.instances import Instances, index_of
from skbayeseval.evidence.split_scores import SplitScores
from skbayeseval.judgement.decision import MANY_REPEATS
from skbayeseval.metrics.scorers import WithColumns
from skbayeseval.metrics.scoring import (
    is_of_numbers,
    known_columns,
    requests_of,
    with_columns,
)
from skbayeseval.models.pymc import PyMCEngine
from skbayeseval.posterior.build import check_posterior, make_posterior
from skbayeseval.posterior.inferred_weight import InferredWeights
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.results.result import Result
from skbayeseval.splitting.block_cv import (
    BalancedGroupKFold,
    BlockRegularizedCV,
    orthogonal_array,
)
from skbayeseval.splitting.checkpoint import check_repeatable
from skbayeseval.splitting.collect import (
    Collection,
    CrossValidation,
    Fitting,
    Learners,
    collect,
    route,
)
from skbayeseval.splitting.out_of_fold import OutOfFold
from skbayeseval.splitting.splits import Split, check_iterable_cv, make_splits, splitter_name


def named_estimators(estimators: Any) -> list[tuple[str, Any]]:
    """Return (name, estimator) pairs for a list of estimators or of such pairs, or for a dict.

    The default name is the class name; for a pipeline, that of its last step. Repeated names get
    the suffixes -1, -2, and so on. Anything but a list, tuple or dict gives an empty list, because
    parameters are validated in `fit`.
    """
    if isinstance(estimators, Mapping):
        return list(estimators.items())
    if not isinstance(estimators, (list, tuple)):
        return []
    pairs: list[tuple[Any, Any]] = [
        (one[0], one[1]) if isinstance(one, tuple) and len(one) == 2 else (None, one)
        for one in estimators
    ]
    bases = [_class_name(estimator) for name, estimator in pairs if name is None]
    seen: Counter[str] = Counter()
    named = []
    for name, estimator in pairs:
        if name is None:
            name = _class_name(estimator)
            seen[name] += 1
            name = name if bases.count(name) == 1 else f"{name}-{seen[name]}"
        named.append((name, estimator))
    return named


def _check_estimators(
    given: Any, reserved: Container[str], methods: Sequence[str]
) -> dict[str, Any]:
    """Validate names and estimators, which must have these methods, and return them as a dict."""
    estimators = named_estimators(given)
    for name, estimator in estimators:
        if not isinstance(name, str):
            raise TypeError(f"The name of an estimator must be a string, got {name!r}.")
        if "__" in name:
            raise ValueError(f"Estimator names must not contain __: got {name!r}.")
        if name in reserved:
            raise ValueError(f"Estimator names conflict with constructor arguments: {name!r}.")
        missing = [method for method in methods if not hasattr(estimator, method)]
        # Some, such as stacking by its default, have predict only once they are fitted.
        if missing == ["predict"] and _is_supervised(estimator):
            missing = []
        if missing or isinstance(estimator, type):
            hint = f" Pass {estimator.__name__}(...)." if isinstance(estimator, type) else ""
            raise TypeError(
                f"{in_short(estimator)} is not an estimator: it must be an instance with "
                f"{' and '.join(methods)}, or a pair (name, estimator).{hint}"
            )
    names = [name for name, _ in estimators]
    if len(set(names)) < len(names):
        raise ValueError(f"Names provided are not unique: {names!r}.")
    return dict(estimators)


def _is_supervised(estimator: Any) -> bool:
    """Return whether an estimator says that it is a classifier or a regressor."""
    has_tags = hasattr(estimator, "__sklearn_tags__") and not isinstance(estimator, type)
    return has_tags and (is_classifier(estimator) or is_regressor(estimator))


def _class_name(estimator: Any) -> str:
    steps = getattr(estimator, "steps", None)
    last = steps[-1][1] if isinstance(steps, list) and steps else estimator
    return type(last).__name__


# Learners trained on a smaller share of the data are too different from those trained on all: the
# share is that of the fewest folds.
LEAST_SHARE, LEAST_FOLDS, MOST_FOLDS = 0.8, 5, 10

# With fewer instances or groups, a class might be missing from a half that is drawn at random.
SCARCE = 15

# What is said of learners: a ranking, or the score of one.
R = TypeVar("R", bound=Result)

ESTIMANDS = ("full", "learner")


@dataclass(frozen=True, kw_only=True)
class CrossValidationOptions(Fitting):
    """What the cross-validating functions let users choose, beside estimators and data.

    The attributes are the parameters of `bayesian_cross_validate` of the same names; and
    `own_columns`, what the `score` methods of estimators request, by their names.
    """

    cv: Any = None
    scoring: Any = None
    model: Any = "auto"
    engine: Any = "exact"
    n_draws: Any = None
    labels: Any = None
    pos_label: Any = None
    counter: Any = None
    weight: Any = None
    estimand: Any = "learner"
    blocks: Any = None
    own_columns: Mapping[str, WithColumns] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise if an option about fits or weights is not valid; others are checked when used."""
        super().__post_init__()
        weight, estimand = self.weight, self.estimand
        if not isinstance(estimand, str) or estimand not in ESTIMANDS:
            raise wrong("estimand", f"one of {list(ESTIMANDS)}", estimand)
        check_cv_weight(weight)
        if compares_scores(self.model) and (
            weight not in (None, "published") or estimand == "full"
        ):
            raise ValueError(
                "model='scores' models split scores, which have no weight: weight= and estimand= "
                "do not apply."
            )
        if estimand == "full" and weight not in (None, "inferred"):
            raise ValueError(
                f"estimand='full' infers the weight, but weight={weight!r} was given. Omit one."
            )


def prepare_learners(
    caller: str,
    given: Any,
    y: Any,
    options: CrossValidationOptions,
    groups: Any,
    params: Any,
    random_state: Any,
    *,
    reserved: Container[str] = (),
) -> tuple[Learners, CrossValidationOptions]:
    """Return the estimators with their splitter, parameters and entropy, and the options.

    The options that are returned have the columns that scorers are given. `caller` is the function
    or class that metadata were passed to. The default splitter gets a seed of its own. Estimators
    cannot have the names that are `reserved`.
    """
    methods = ("fit",) if compares_scores(options.model) else ("fit", "predict")
    estimators = _check_estimators(given, reserved, methods)
    cv, is_of_all = options.cv, options.estimand == "full"
    if options.checkpoint is not None:
        check_repeatable(cv, is_of_all, random_state)
    entropy = check_random_state_entropy(random_state)
    seed = seed_of(entropy, Stream.SPLITTER)
    # The targets of regressors are not classes to balance.
    target, counter = kind_of_target(estimators), options.counter
    if cv is None and is_of_all:
        kinds: Any = (KFold, GroupKFold)
        if target == "classes" and counter is None and not is_indicator(y):
            kinds = (StratifiedKFold, BalancedGroupKFold)
        passed = params.get("groups") if isinstance(params, Mapping) else None
        of_each = passed if groups is None else groups
        n_folds = _folds_of_all(y, of_each, target, stratify=kinds[0] is StratifiedKFold)
        cv = kinds[of_each is not None](n_folds, shuffle=True, random_state=seed)
    elif cv is None:  # halves, balanced in classes or in the types of chunks
        balanced = None if target == "numbers" else getattr(counter, "frequencies", "auto")
        cv = BlockRegularizedCV(regularize=balanced, random_state=seed)
    else:
        targets = y if counter is None else None
        cv = check_cv(check_iterable_cv(cv), targets, classifier=target == "classes")
    scorers = requests_of(options.scoring, estimators.values())
    split, fit, columns = route(caller, estimators, cv, params, groups, scorers)
    learners = Learners(estimators, cv, split, fit, entropy, params or {})
    n = number_of_samples(y, "y")
    if options.scoring is not None:
        return learners, replace(options, scoring=with_columns(options.scoring, columns, n))
    own = {name: known for name, known in zip(estimators, columns, strict=True) if known}
    if own and not compares_scores(options.model):
        name, requested = next(iter(own.items()))
        raise ValueError(
            f"The score method of {name!r} requests {list(requested)}, but without scoring=, "
            f"model={in_short(options.model)} counts all instances alike. Pass a scorer with this "
            "request, made by make_scorer and set_score_request, or model='scores', which compares "
            "what score returns; or set the request to False."
        )
    own_columns = {name: known_columns(known, n) for name, known in own.items()}
    return learners, replace(options, own_columns=own_columns)


def _folds_of_all(y: Any, groups: Any, target: str, *, stratify: bool) -> int:
    """Return how many folds `estimand="full"` has: ten, or as many as the data allow.

    Each fold has a group, or an instance, of each class, unless that takes fewer than five folds;
    and two instances where they are numbers, because one number does not vary.
    """
    n_samples = number_of_samples(y, "y")
    unit, most, allowed = "instances", n_samples, n_samples
    units = np.arange(n_samples)
    if groups is not None:
        check_same_length(y=y, groups=groups)
        labels = check_label_vector(groups, "groups", classes=False)
        units = np.ravel(np.unique(labels, return_inverse=True)[1])
        unit, most = "groups", int(units.max()) + 1
    if target == "numbers":
        allowed = n_samples // 2
    if most >= LEAST_FOLDS and stratify:
        classes = pd.factorize(check_label_vector(y, "y"))[0]
        pairs = np.unique(np.column_stack([classes, units]), axis=0)
        allowed = int(np.bincount(pairs[:, 0]).min())
        if np.bincount(classes).max() < LEAST_FOLDS:
            unit, most = "instances of a class", int(np.bincount(classes).max())
    if most < LEAST_FOLDS:
        raise ValueError(
            f"estimand='full' requires at least {LEAST_FOLDS} {unit}, because each of "
            f"{LEAST_FOLDS} folds is left out once, got {most} (n_samples={n_samples})."
        )
    return min(MOST_FOLDS, most, max(LEAST_FOLDS, allowed))


def kind_of_target(estimators: Mapping[str, Any]) -> str:
    """Return "classes", or "numbers" where regressors are compared."""
    regress = any(hasattr(e, "__sklearn_tags__") and is_regressor(e) for e in estimators.values())
    return "numbers" if regress else "classes"


def compare_learners(
    make_result: type[R],
    learners: Learners,
    X: Any,
    y: Any,
    options: CrossValidationOptions,
    splits: list[Split] | None = None,
    said: Mapping[str, Sequence[Any]] | None = None,
) -> R:
    """Fit, predict, count and compare; all cross-validating functions end here.

    `make_result` is the class of the result; one learner has a `ScoreResult`. `splits` are those of
    `cv`, where they were generated before, and `said` is what is known of the test set of each, so
    that nothing is fitted.
    """
    names = tuple(learners.estimators)
    is_ordered = _check_rows(learners, X, y, options)
    target = _target(learners, X, y, options)
    shows_chains = options.verbose and options.engine == "pymc"
    engine = PyMCEngine(progressbar=True) if shows_chains else options.engine
    drawing = (options.model, engine, options.n_draws, learners.entropy)
    # What is wrong with the arguments is wrong with the truth in the place of predictions as well.
    perfect = target.perfect()
    checked = check_posterior(perfect.evidence, *drawing, scored=perfect.scored)
    make_result(checked, names, target.metrics)
    of_all, of_search = options.estimand == "full", splits is not None
    weight = weight_for(options.weight, checked.model, checked.evidence, of_all=of_all)
    splits = make_splits(learners.cv, X, y, learners.split_params, splits)
    n_samples = number_of_samples(y, "y")
    if options.blocks not in (None, 1):
        warn_of_neighbours(splits, n_samples, options.blocks)
    halved = _halves(learners, X, y, options, splits) if of_all else []
    target.check_splits([test for _, test in [*splits, *halved]])
    asked, observers = [*target.metrics], {name: target.observer(name) for name in names}
    collection = collect(
        learners, X, y, options, splits=splits, observers=observers, halved=halved, said=said
    )
    scores = {name: target.split_scores(name, collection) for name in names}
    several = isinstance(options.scoring, (list, tuple, set, Mapping)) or [*target.metrics] != asked
    results = _results_of_cross_validate(collection, scores, options, target, several=several)
    try:
        posterior, weights, out_of_fold = _posterior_of_fits(
            target, collection, learners, X, y, options, weight, drawing, is_ordered=is_ordered
        )
        cautions = {} if weights is None else weights.cautions(names, target.metrics.values())
    except BaseException as error:  # Ctrl-C during Markov chains as well
        _keep_fits(error, target, collection, results)
        raise
    posterior.shows_progress, posterior.n_jobs = options.verbose > 0, options.n_jobs
    train_size, test_size = collection.sizes
    record = CrossValidation(
        splitter_name(learners.cv),
        len(collection.kept),
        train_size,
        results,
        {key: {name: scores[name][key] for name in names} for key in target.metrics},
        test_size,
        collection.two_fold_repeats,
        options.estimand,
        collection.weight,
        n_samples,
        out_of_fold,
        cautions,
        "" if weights is None else _more_repeats(learners, y, options),
        "" if of_search else _for_all(options, checked, train_size / n_samples),
    )
    return make_result(posterior, names, target.metrics, record)


def _posterior_of_fits(
    target: Target,
    collection: Collection,
    learners: Learners,
    X: Any,
    y: Any,
    options: CrossValidationOptions,
    weight: Any,
    drawing: tuple[Any, Any, Any, Any],
    *,
    is_ordered: bool,
) -> tuple[Posterior, InferredWeights | None, OutOfFold | None]:
    """Return the posterior, inferred weights and the predictions that fits were kept of."""
    if isinstance(target, ScoreTarget):
        scores, metrics = target.evidence_of_fits(collection), target.metrics.values()
        return make_posterior(scores, *drawing, metrics=metrics), None, None
    table, halved = target.of_fits(collection), None
    if weight == "inferred" and collection.halved is not None:
        halved = target.of_fits(collection.halved)
    of_row = table.instance.astype(np.min_scalar_type(table.number))
    index, frame = index_of([X, y, learners.groups]), X if hasattr(X, "columns") else None
    posterior, weights = infer(
        target,
        table,
        weight,
        drawing,
        blocks=options.blocks,
        is_ordered=is_ordered,
        instances=Instances(table.number, index, of_row, frame=frame),
        halved=halved,
    )
    if target.described is None:
        return posterior, weights, None
    is_frame = isinstance(X, (pd.DataFrame, pd.Series))
    index = X.index if is_frame else index_of([y, learners.groups])
    return posterior, weights, table.out_of_fold(target.described, index)


def _check_rows(learners: Learners, X: Any, y: Any, options: CrossValidationOptions) -> bool:
    """Raise unless X, y and what is passed with them have the same rows, and `blocks` are of these.

    Return whether rows are visibly in order of time.
    """
    if X is None:
        raise ValueError("X must be the data, with one row per instance, got None.")
    check_same_length(X=X, y=y, groups=learners.groups)
    check_rows({"X": X, "y": y, "groups": learners.groups, **learners.params})
    if options.blocks is not None:
        check_blocks(options.blocks, learners.groups, number_of_samples(y, "y"))
        if compares_scores(options.model):
            raise ValueError("model='scores' models split scores: blocks= does not apply.")
    return are_in_order([X, y], options.blocks, learners.cv)


def _results_of_cross_validate(
    collection: Collection,
    scores: Mapping[str, Mapping[str, Any]],
    options: CrossValidationOptions,
    target: Target,
    *,
    several: bool,
) -> dict[str, dict[str, Any]]:
    """Return for each estimator what `cross_validate` would have returned, given its scores."""
    sizes = np.array([len(test) for _, test in collection.splits])
    results: dict[str, dict[str, Any]] = {}
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
        results[name] |= cv_scores(scores[name], sizes, target, several=several)
    return results


def _more_repeats(learners: Learners, y: Any, options: CrossValidationOptions) -> str:
    """Return which `cv` has more repeats of the same splits, as code; "" if none is known.

    What is advised is accepted without a warning, and does not mix groups or times.
    """
    cv, many, groups = learners.cv, MANY_REPEATS, learners.groups
    seed = "" if options.checkpoint is None else ", random_state=0"
    if options.blocks not in (None, 1):
        return ""  # splits with repeats are shuffled
    is_of_classes = kind_of_target(learners.estimators) == "classes" and options.counter is None
    if isinstance(cv, BlockRegularizedCV):
        smallest = len(np.unique(groups)) if groups is not None else number_of_samples(y, "y")
        if is_of_classes and not is_indicator(y):
            smallest = min(smallest, np.unique(np.asarray(y), return_counts=True)[1].min())
        if smallest < len(orthogonal_array(many)):
            return ""
        if options.cv is None:
            balanced = "" if cv.regularize == "auto" else ", regularize=None"
            if options.counter is not None and cv.regularize != "auto":
                balanced = ", regularize=counter.frequencies"
            return f"cv=BlockRegularizedCV({many}{balanced}{seed})"
    if hasattr(cv, "n_repeats"):
        return f"n_repeats={many} in cv"
    repeated = {KFold: "RepeatedKFold", StratifiedKFold: "RepeatedStratifiedKFold"}.get(type(cv))
    if repeated is None or groups is not None:
        return ""
    return f"cv={repeated}(n_splits={cv.n_splits}, n_repeats={many}{seed})"


def _for_all(options: CrossValidationOptions, posterior: Posterior, train_share: float) -> str:
    """Return which arguments ask about models refitted on all instances; "" if none do."""
    may_keep_cv = options.cv is not None and train_share >= LEAST_SHARE
    if options.blocks not in (None, 1) and not may_keep_cv:
        return ""  # the splits of cv=None are shuffled
    if posterior.evidence.family == "labels" and not posterior.model.weights_units:
        return ""  # the weight cannot be inferred
    without = [] if options.cv is None or may_keep_cv else ["cv="]
    without += [] if options.weight in (None, "inferred") else ["weight="]
    return " without ".join(filter(None, ["estimand='full'", " and ".join(without)]))


def _halves(
    learners: Learners, X: Any, y: Any, options: CrossValidationOptions, splits: list[Split]
) -> list[Split]:
    """Return splits into halves that tell the instability, where the splits are not halves.

    They are drawn at random, with groups kept whole, because balanced ones would hide what class
    counts do to learners. Only classes that might be missing from a half are balanced. Raise unless
    training sets are nearly all instances, but for rounding to whole ones.
    """
    n_samples = number_of_samples(y, "y")
    n_trained = float(np.mean([len(train) for train, _ in splits]))
    if n_trained <= LEAST_SHARE * n_samples - 1:
        raise ValueError(
            "estimand='full' is about learners trained on all instances, but the training sets of "
            f"cv have {n_trained:.0f} of {n_samples}, less than {LEAST_SHARE:.0%}. If the order of "
            "instances does not matter, leave cv= out."
        )
    if 2 * len(splits[0][0]) <= n_samples + 1:
        return []
    scarce, seed = np.empty((0, 0)), seed_of(learners.entropy, Stream.HALVES)
    is_of_classes = kind_of_target(learners.estimators) == "classes" and options.counter is None
    if is_of_classes and not is_indicator(y):
        codes = pd.factorize(check_label_vector(y, "y"))[0]
        units = range(len(codes)) if learners.groups is None else learners.groups
        n_units = pd.Series(np.asarray(units)).groupby(codes).nunique()
        scarce = codes[:, None] == np.flatnonzero(n_units < SCARCE)
    cv = BlockRegularizedCV(regularize=scarce if scarce.size else None, random_state=seed)
    return make_splits(cv, X, y, {"groups": learners.groups})


def _target(learners: Learners, X: Any, y: Any, options: CrossValidationOptions) -> Target:
    """Return what is compared: chunks, plain scores, numbers, or classes and labels."""
    estimators = learners.estimators
    make_target: type[Target] = LabelTarget
    if options.counter is not None:
        make_target = ChunkTarget
    elif compares_scores(options.model):
        make_target = ScoreTarget
    elif kind_of_target(estimators) == "numbers" or is_of_numbers(options.scoring):
        make_target = NumberTarget
    try:
        target = make_target(y, estimators, options, learners.groups)
    except ValueError as error:
        if not is_indicator(y) or len(getattr(X, "shape", (1,))) > 1:
            raise
        raise ValueError(f"{error} X and y may have been passed in the wrong order.") from error
    for metric in target.metrics.values() if make_target is LabelTarget else ():
        if metric.source == "instances":
            check_responses(metric, estimators)
    return target


def compares_scores(model: Any) -> bool:
    """Whether the model, or the one of this name, is of the scores of splits."""
    if isinstance(model, str):
        return model == "scores"
    return issubclass(getattr(model, "takes", object), SplitScores)


def _keep_fits(
    error: BaseException, target: Target, collection: Collection, results: dict[str, Any]
) -> None:
    """Attach what the fits gave to an error that occurred after them."""
    kept = {
        name: {
            **result,
            "indices": collection.indices(),
            "predictions": [target.predicted(run.observed) for run in collection.runs[name]],
        }
        for name, result in results.items()
    }
    error.cv_results = kept  # type: ignore[attr-defined]
    error.add_note(
        "All fits were done before this error: error.cv_results[name] has what cross_validate "
        "would have returned, and the 'predictions' for the test 'indices'."
    )
