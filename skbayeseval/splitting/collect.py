"""Fit several estimators on shared splits and collect what `cross_validate` would return.

X belongs to the estimators. It is indexed (`_safe_indexing`, which scikit-learn exports) and never
validated or converted.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from scipy import sparse
from sklearn import get_config
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import FitFailedWarning
from sklearn.utils import _safe_indexing, check_random_state, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from skbayeseval._arrays import Array, number_of_samples, wrong
from skbayeseval._files import storable
from skbayeseval._running import SharedList, Task, in_parallel
from skbayeseval._validation import check_flag, check_n_jobs, check_whole_number, warn_caller
from skbayeseval.splitting.block_cv import BlockRegularizedCV
from skbayeseval.splitting.checkpoint import Checkpoint
from skbayeseval.splitting.digest import digest
from skbayeseval.splitting.out_of_fold import OutOfFold
from skbayeseval.splitting.splits import Split, pooled_weight, take_rows

# Maps (fitted estimator, X_test, y_test) to the named outputs to keep.
Observe = Callable[[Any, Any, Any], Mapping[str, Any]]


@dataclass(frozen=True)
class CrossValidation:
    """Description of the cross-validation behind a result.

    Attributes
    ----------
    splitter : str
        The name of the splitter.
    n_splits : int
        The number of splits that were kept.
    train_size : float
        The mean number of training instances per split.
    results : dict of str to dict
        For each estimator, the dict that `cross_validate` would have returned.
    scores : dict of str to dict
        For each metric and estimator, the split scores.
    test_size : float or None
        The mean number of test instances per split.
    two_fold_repeats : int or None
        The number of repeats if the splits are repeated two-fold cross-validation, else None.
    estimand : {"full", "learner"}
        Whose performance is compared.
    published_weight : float or None
        The published weight of one count: 1 if every instance was tested once.
    n_instances : int or None
        The number of all instances.
    out_of_fold : OutOfFold or None
        What was predicted for the test sets; None if it was not kept.
    cautions : dict of str to str
        Why intervals of some of the estimators may be too narrow.
    more_repeats : str
        Which `cv` has more repeats of the same splits, as code; "" if none is known.
    for_all : str
        Which arguments ask about models refitted on all instances, as code; "" if none do.
    """

    splitter: str
    n_splits: int
    train_size: float
    results: dict[str, dict[str, Any]]
    scores: dict[str, dict[str, Array]]
    test_size: float | None = None
    two_fold_repeats: int | None = None
    estimand: str = "learner"
    published_weight: float | None = None
    n_instances: int | None = None
    out_of_fold: OutOfFold | None = field(default=None, repr=False)
    cautions: dict[str, str] = field(default_factory=dict)
    more_repeats: str = ""
    for_all: str = ""


@dataclass(frozen=True, kw_only=True)
class Fitting:
    """How estimators are fitted: what users choose, as in `bayesian_cross_validate`."""

    n_jobs: int | None = None
    verbose: int = 0
    return_estimator: bool = False
    return_indices: bool = False
    error_score: str | float = "raise"
    checkpoint: Any = None

    def __post_init__(self) -> None:
        """Raise if one of the options is not valid."""
        score = self.error_score
        is_nan = isinstance(score, float) and math.isnan(score)
        if not is_nan and not (isinstance(score, str) and score == "raise"):
            raise wrong("error_score", "'raise' or np.nan", score)
        check_n_jobs(self.n_jobs)
        check_whole_number(self.verbose, "verbose", minimum=0)
        for name in ("return_estimator", "return_indices"):
            check_flag(getattr(self, name), name)
        if Checkpoint.of(self.checkpoint) is not None and self.return_estimator:
            raise ValueError(
                "checkpoint= keeps predictions, not fitted estimators, so return_estimator=True "
                "cannot be combined with it."
            )


class Learners(NamedTuple):
    """Estimators by name, their splitter, and what it and their fits are given.

    `entropy` seeds the draws, and the splits if these are not given. `params` are what users passed
    with X and y, whoever it is for.
    """

    estimators: Mapping[str, Any]
    cv: Any
    split_params: Mapping[str, Any]
    fit_params: Mapping[str, Mapping[str, Any]]
    entropy: int
    params: Mapping[str, Any]

    @property
    def groups(self) -> Any:
        """The group of each instance; None if there are no groups."""
        return self.split_params.get("groups")


@dataclass(frozen=True)
class _Run:
    """Output of one estimator in one split; `chosen` holds `best_params_` of a search.

    `unseeded` is whether the fit drew from numpy's global random state, as estimators with
    ``random_state=None`` do if they are random; it is known of fits for a checkpoint only.
    """

    observed: Mapping[str, Any]
    fit_time: float
    score_time: float
    estimator: Any
    error: str | None = None
    chosen: Mapping[str, Any] | None = None
    unseeded: bool = False


@dataclass(frozen=True)
class Collection:
    """Outputs of several estimators on the same splits.

    Attributes
    ----------
    splits : list of (train, test)
        All splits, including those in which an estimator failed.
    kept : list of int
        The indices of the splits that are evaluated. With ``error_score=np.nan``, splits in which
        an estimator failed are dropped; for `BlockRegularizedCV` the whole repeat is dropped.
    runs : dict of str to list
        For each estimator, its runs in the order of the splits.
    weight : float
        The published weight of one count pooled over the kept splits.
    halved : Collection or None
        The outputs on further splits into halves, which tell how much training sets matter.
    """

    splits: list[Split]
    kept: list[int]
    runs: dict[str, list[_Run]] = field(repr=False)
    weight: float = 1.0
    halved: Collection | None = field(default=None, repr=False)

    @property
    def failures(self) -> list[tuple[str, int, str]]:
        """The estimator, the split and the error of each failure to fit or predict."""
        return [
            (name, i, run.error)
            for name, runs in self.runs.items()
            for i, run in enumerate(runs)
            if run.error is not None
        ]

    @property
    def sizes(self) -> tuple[float, float]:
        """The mean numbers of training and of test instances per split."""
        train, test = (np.mean([len(self.splits[i][k]) for i in self.kept]) for k in (0, 1))
        return float(train), float(test)

    @property
    def two_fold_repeats(self) -> int | None:
        """The number of repeats if the splits are repeated two-fold cross-validation, else None."""
        kept = [[np.sort(rows) for rows in self.splits[i]] for i in self.kept]
        mirrored = all(
            np.array_equal(train, next_test) and np.array_equal(test, next_train)
            for (train, test), (next_train, next_test) in zip(kept[::2], kept[1::2], strict=False)
        )
        return len(kept) // 2 if mirrored and len(kept) % 2 == 0 else None

    def indices(self) -> dict[str, tuple[Array, ...]]:
        """Return the training and the test indices of all splits, as `cross_validate` does."""
        train, test = zip(*self.splits, strict=True)
        return {"train": train, "test": test}

    def tested(self) -> tuple[Array, Array]:
        """Return the test indices of the kept splits, one after another, and the split of each."""
        tests = [self.splits[i][1] for i in self.kept]
        return np.concatenate(tests), np.repeat(np.arange(len(tests)), list(map(len, tests)))

    def pooled(self, name: str, what: str = "predict") -> Any:
        """Return the output `what` of one estimator for all instances that were `tested`."""
        outputs = [self.runs[name][i].observed[what] for i in self.kept]
        if sparse.issparse(outputs[0]):
            return sparse.vstack(outputs, format="csr")
        if isinstance(outputs[0], list):  # of tags
            return [tags for output in outputs for tags in output]
        return np.concatenate([np.asarray(output) for output in outputs])

    def without_failures(self, cv: Any, halves: Collection | None) -> Collection:
        """Return the outputs without splits in which a fit failed, and with those on halves."""
        failures, n_splits, unit, kept = self.failures, len(self.splits), "split", self.kept
        if failures:
            failed = {i for _, i, _ in failures}
            if isinstance(cv, BlockRegularizedCV):
                unit = "repeat"
                failed = {2 * (i // 2) + half for i in failed for half in (0, 1)}
            kept = [i for i in kept if i not in failed]
            details = "; ".join(f"{name!r} in split {i}: {error}" for name, i, error in failures)
            if not kept:
                raise ValueError(f"At least one estimator failed in every {unit}. {details}")
            warn_caller(
                f"{len(failures)} fits failed. Every {unit} with a failure is dropped for all "
                f"estimators; {len(kept)} of {n_splits} splits are left. {details}",
                FitFailedWarning,
            )
        if halves is not None and halves.failures:
            warn_caller(
                "Fits on halves of the data failed, so that they do not tell how much training "
                f"sets matter (the first: {halves.failures[0][2]}).",
                FitFailedWarning,
            )
            halves = None
        weight = pooled_weight(cv, [self.splits[i][1] for i in kept])
        return replace(self, kept=kept, weight=weight, halved=halves)


def collect(
    learners: Learners,
    X: Any,
    y: Any,
    fitting: Fitting,
    *,
    splits: list[Split],
    observers: Mapping[str, Observe],
    halved: Sequence[Split] = (),
    said: Mapping[str, Sequence[Any]] | None = None,
) -> Collection:
    """Fit clones of the estimators on every training set and observe them on the test set.

    All estimators share the splits. Each pair of a split and an estimator is one joblib task, run
    by the active joblib backend. `observers` are called with the fitted estimator of their name and
    the test set, and return a dict of the outputs to keep. If one raises, the fit counts as failed.
    `halved` are further splits into halves, which are collected as well. Fits that are in the
    checkpoint are not repeated, and those that finish are added to it at once. Nothing is fitted
    for which it is known what was `said` of each test set, in the form of fitted estimators.
    """
    X, y = indexable(X, y)
    everything = [*splits, *halved]
    checkpoint, keys = Checkpoint.of(fitting.checkpoint), {}
    finished: dict[tuple[str, int], _Run] = {}
    if said is not None:
        for name, of_splits in said.items():
            for i, (one, (_, test)) in enumerate(zip(of_splits, splits, strict=True)):
                observed = observers[name](one, test, _safe_indexing(y, test))
                finished[name, i] = _Run(observed, math.nan, math.nan, None)
    elif checkpoint is not None:
        keys = checkpoint.keys_of_fits(learners, X, y, observers, everything)
        finished = _finished(checkpoint, keys, show=fitting.verbose > 0)
    tasks = [(name, i) for i in range(len(everything)) for name in learners.estimators]
    left = [task for task in tasks if task not in finished]
    fit, n_samples = delayed(Task(_fit_and_observe)), number_of_samples(X, "X")
    common = [SharedList(data) if type(data) is list else data for data in (X, y)]
    calls = (
        fit(
            (name, i),
            clone(learners.estimators[name]),
            *common,
            *everything[i],
            params=take_rows(learners.fit_params[name], everything[i][0], n_samples),
            where=f"split {i}" if i < len(splits) else "a half of the data",
            keep=fitting.return_estimator and i < len(splits),
            reraise=fitting.error_score == "raise",
            observe=_on(observers[name], everything[i][1]),
            checkpoint=checkpoint,
            key=keys.get((name, i)),
        )
        for name, i in left
    )
    show = fitting.verbose > 0 and len(left) > 0
    for task, run in in_parallel(
        calls, n_jobs=fitting.n_jobs, total=len(left), show=show, ordered=False
    ):
        finished[task] = run
        # A worker on a machine with other disks cannot do that itself.
        if checkpoint is not None and run.error is None and not checkpoint.has(keys[task]):
            checkpoint.store(keys[task], run)
    n = len(splits)
    runs = {name: [finished[task] for task in tasks if task[0] == name] for name, _ in tasks}
    halves = Collection(
        [*halved], [*range(len(halved))], {name: of_one[n:] for name, of_one in runs.items()}
    )
    whole = Collection(splits, [*range(n)], {name: of_one[:n] for name, of_one in runs.items()})
    return whole.without_failures(learners.cv, halves if halved else None)


def _on(observe: Any, rows: Array) -> Observe:
    """Return an observer of a test set; some have further columns of it."""
    observer: Observe = observe.of_rows(rows) if hasattr(observe, "of_rows") else observe
    return observer


def _finished(
    checkpoint: Checkpoint, keys: Mapping[tuple[str, int], str], show: bool
) -> dict[tuple[str, int], _Run]:
    """Return the fits that are in the checkpoint, which is made if it does not exist."""
    checkpoint.open()
    finished = {
        task: _Run(estimator=None, **checkpoint.load(key))
        for task, key in keys.items()
        if checkpoint.has(key)
    }
    if len(finished) < len(keys):
        checkpoint.check_writable()
    if show and finished:
        message = f"{len(finished)} of {len(keys)} fits are in the checkpoint {checkpoint.path}"
        print(message, file=sys.stderr)
    unseeded = {name: None for (name, _), run in finished.items() if run.unseeded}
    if unseeded:
        warn_caller(
            f"Fits of {', '.join(map(repr, unseeded))} drew random numbers without a random_state. "
            f"Those in the checkpoint {checkpoint.path} are of one run, and are used again as they "
            "are. For another run, pass a random_state to the estimator, or choose another folder."
        )
    return finished


def route(
    owner: str,
    estimators: Mapping[str, Any],
    cv: Any,
    params: Mapping[str, Any] | None,
    groups: Any = None,
    scorers: Sequence[Any] = (),
) -> tuple[dict[str, Any], dict[str, dict[str, Any]], list[dict[str, Any]]]:
    """Return the parameters of the splitter, of each estimator's `fit`, and of each scorer.

    The rules are those of `cross_validate`. With metadata routing, each object receives the
    metadata it requested. Without it, every `fit` receives `params` and the splitter `groups`.
    """
    if not isinstance(params, Mapping | None):
        raise wrong("params", "a dict of arguments of fit, by their names", params, TypeError)
    params = dict(params or {})
    if not get_config()["enable_metadata_routing"]:
        return {"groups": groups}, dict.fromkeys(estimators, params), [{} for _ in scorers]
    if groups is not None:
        raise ValueError(
            "`groups` can only be passed if metadata routing is not enabled via "
            "`sklearn.set_config(enable_metadata_routing=True)`. When routing is enabled, pass "
            "`groups` alongside other metadata via the `params` argument instead."
        )
    routed = process_routing(metadata_router(owner, estimators, cv, scorers), "fit", **params)
    fits = {name: dict(routed[f"estimator_{i}"].fit) for i, name in enumerate(estimators)}
    scores = [dict(routed[f"scorer_{i}"].score) for i in range(len(scorers))]
    return dict(routed.splitter.split), fits, scores


def metadata_router(
    owner: Any, estimators: Mapping[str, Any], cv: Any, scorers: Sequence[Any]
) -> MetadataRouter:
    """Return the router from `fit` to the splitter, each estimator's `fit`, and scorers."""
    router = MetadataRouter(owner=owner)
    called = {"split": {"splitter": cv}}
    called["fit"] = {f"estimator_{i}": one for i, one in enumerate(estimators.values())}
    called["score"] = {f"scorer_{i}": one for i, one in enumerate(scorers)}
    for callee, objects in called.items():
        mapping = MethodMapping().add(caller="fit", callee=callee)
        router.add(**objects, method_mapping=mapping)
    return router


def observe_predictions(estimator: Any, X_test: Any, y_test: Any) -> dict[str, Any]:
    """Return the predictions of a fitted estimator, one for each instance."""
    predictions = estimator.predict(X_test)
    n_predicted, n_test = number_of_samples(predictions, "predict"), number_of_samples(X_test, "X")
    if n_predicted != n_test:
        raise ValueError(f"predict returned {n_predicted} predictions for {n_test} instances")
    return {"predict": predictions}


def _fit_and_observe(
    task: tuple[str, int],
    estimator: BaseEstimator,
    X: Any,
    y: Any,
    train: Array,
    test: Array,
    *,
    params: Mapping[str, Any],
    where: str,
    keep: bool,
    reraise: bool,
    observe: Observe,
    checkpoint: Checkpoint | None,
    key: str | None,
) -> tuple[tuple[str, int], _Run]:
    """Fit and observe one estimator in one split, and add it to the checkpoint.

    `task` is returned with what was found, which need not come in the order of the tasks.
    """
    start = time.perf_counter()
    fit_time = math.nan
    try:
        X_train, X_test = _rows(estimator, X, train, train), _rows(estimator, X, test, train)
        y_train = _safe_indexing(y, train)
        random_state = check_random_state(None).get_state(legacy=False) if key else None
        start = time.perf_counter()
        estimator.fit(X_train, y_train, **params)
        fit_time = time.perf_counter() - start
        observed = observe(estimator, X_test, _safe_indexing(y, test))
    except Exception as error:
        if reraise:
            name_the_place(error, f"Estimator {task[0]!r} failed in {where}")
            raise
        fit_time = time.perf_counter() - start if math.isnan(fit_time) else fit_time
        failed = f"{type(error).__name__}: {error}"
        return task, _Run({}, fit_time, 0.0, estimator if keep else None, failed)
    score_time = time.perf_counter() - start - fit_time
    # Of a search, or of a search that is the last step of a pipeline.
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    chosen = getattr(last, "best_params_", None)
    run = _Run(observed, fit_time, score_time, estimator if keep else None, chosen=chosen)
    if checkpoint is not None and key is not None:
        unseeded = digest(random_state) != digest(check_random_state(None).get_state(legacy=False))
        run = replace(run, chosen=storable(chosen), unseeded=unseeded)
        if checkpoint.is_here():
            checkpoint.store(key, run)
    return task, run


def _rows(estimator: Any, X: Any, rows: Array, train: Array) -> Any:
    """Return rows of X; for a precomputed kernel, select the columns of the training set too."""
    if not hasattr(estimator, "__sklearn_tags__") or not get_tags(estimator).input_tags.pairwise:
        return _safe_indexing(X, rows)
    X = X if hasattr(X, "shape") else np.asarray(X)
    if X.shape[0] != X.shape[-1]:
        raise ValueError(f"X must be a square kernel matrix, got shape {X.shape}")
    return _safe_indexing(_safe_indexing(X, rows), train, axis=1)


def name_the_place(error: Exception, where: str) -> None:
    """Add to the message of an error where it occurred, such as the estimator and the split."""
    if error.args and isinstance(error.args[0], str):
        error.args = (f"{where}: {error.args[0]}", *error.args[1:])
    if where not in str(error):  # the exception class builds its own message
        error.add_note(where)
