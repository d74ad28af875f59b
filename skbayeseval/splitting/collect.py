"""Fit and predict over shared splits, and report what `cross_validate` would report."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import get_config
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import FitFailedWarning, UnsetMetadataPassedError
from sklearn.utils import _safe_indexing, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import delayed

from skbayeseval.splitting.block_cv import BlockRegularizedCV
from skbayeseval.splitting.progress import ProgressParallel
from skbayeseval.splitting.weights import pooled_weight

__all__ = [
    "Collection",
    "CrossValidation",
    "Failure",
    "Observe",
    "collect",
    "metadata_router",
    "observe_predictions",
    "route",
]

Array = NDArray[Any]
Split = tuple[Array, Array]

# From name, fitted estimator, X_test and y_test to what is kept of them, by name.
Observe = Callable[[str, Any, Any, Any], Mapping[str, Any]]


@dataclass(frozen=True)
class CrossValidation:
    """Where cross-validated evidence comes from.

    Attributes
    ----------
    splitter : str
        The kind of splitter.
    n_splits : int
        The number of splits that count.
    train_size : float
        The mean number of training instances.
    results : dict of str to dict
        For each estimator what `cross_validate` would have returned.
    scores : dict of str to dict
        For each metric and estimator the scores of the splits.
    test_size : float or None
        The mean number of test instances.
    two_fold_repeats : int or None
        The number of repeats, where the splits are repeats of two folds.
    """

    splitter: str
    n_splits: int
    train_size: float
    results: dict[str, dict[str, Any]]
    scores: dict[str, dict[str, Array]]
    test_size: float | None = None
    two_fold_repeats: int | None = None

    def renamed(self, names: Sequence[str], others: Sequence[str]) -> CrossValidation:
        """Return the same of estimators that are called otherwise."""
        new = dict(zip(names, others, strict=True))
        return replace(
            self,
            results={new[name]: of_one for name, of_one in self.results.items() if name in new},
            scores={
                metric: {new[name]: of_one for name, of_one in scores.items() if name in new}
                for metric, scores in self.scores.items()
            },
        )


@dataclass(frozen=True)
class Failure:
    """An estimator that could not be fitted or could not predict in a split."""

    estimator: str
    split: int
    error: str


@dataclass(frozen=True)
class _Run:
    """What one estimator did in one split; `chosen` are the parameters that a search found best."""

    observed: Mapping[str, Any]
    fit_time: float
    score_time: float
    estimator: Any
    error: str | None = None
    chosen: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Collection:
    """What several estimators did over the same splits.

    Attributes
    ----------
    names : tuple of str
        The estimators.
    splits : list of (train, test)
        All splits, failed ones too.
    kept : list of int
        The splits that count: all, or with ``error_score=np.nan`` those in which, and in whose
        replicate, no estimator failed.
    runs : dict of str to list
        For each estimator its runs, in the order of the splits.
    weight : float
        What one of the counts pooled over the kept splits is worth.
    """

    names: tuple[str, ...]
    splits: list[Split]
    kept: list[int]
    runs: dict[str, list[_Run]] = field(repr=False)
    weight: float

    @property
    def train_size(self) -> float:
        """The mean number of training instances."""
        return float(np.mean([len(self.splits[i][0]) for i in self.kept]))

    @property
    def test_size(self) -> float:
        """The mean number of test instances."""
        return float(np.mean([len(self.splits[i][1]) for i in self.kept]))

    @property
    def two_fold_repeats(self) -> int | None:
        """The number of repeats, where every two splits are the two folds of one; else None."""
        kept = [self.splits[i] for i in self.kept]
        mirrored = all(
            np.array_equal(np.sort(test), np.sort(next_train))
            and np.array_equal(np.sort(train), np.sort(next_test))
            for (train, test), (next_train, next_test) in zip(kept[::2], kept[1::2], strict=False)
        )
        return len(kept) // 2 if mirrored and len(kept) % 2 == 0 else None

    def test_indices(self) -> Array:
        """Return the instances validated in the kept splits, one after another."""
        return np.concatenate([self.splits[i][1] for i in self.kept])

    def pooled(self, name: str, what: str = "predict") -> Any:
        """Return what was observed of one estimator for `test_indices`."""
        found = [self.runs[name][i].observed[what] for i in self.kept]
        if sparse.issparse(found[0]):
            return sparse.vstack(found, format="csr")
        return np.concatenate([np.asarray(one) for one in found])


def collect(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    cv: Any,
    split_params: Mapping[str, Any],
    fit_params: Mapping[str, Mapping[str, Any]],
    n_jobs: int | None = None,
    verbose: int = 0,
    pre_dispatch: int | str = "2*n_jobs",
    return_estimator: bool = False,
    error_score: str | float = "raise",
    observe: Observe | None = None,
    check_split: Callable[[int, Array], None] | None = None,
) -> Collection:
    """Fit clones of the estimators on every split's training set and observe its test set.

    The splits are made once and shared. Every split and estimator is a unit of work of one joblib
    pass, on whatever backend the user has set. `observe`, called with the estimator's name, the
    fitted estimator and the test set, returns what is to be kept by name, its predictions by
    default; where it raises, the split has failed. `check_split`, called with the position and the
    test set of every split before anything is fitted, raises where a test set will not do.
    """
    check_error_score(error_score)
    X, y = indexable(X, y)
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    rows = np.arange(n_samples)  # turns masks and negative indices into plain ones
    splits = [
        (rows[np.asarray(train)], rows[np.asarray(test)])
        for train, test in cv.split(X, y, **split_params)
    ]
    if not splits:
        raise ValueError(f"cv={cv!r} gives no splits. An iterator of splits serves once only.")
    for i, (_, test) in enumerate(splits):
        if check_split is not None:
            check_split(i, test)
    tasks = [(name, i) for i in range(len(splits)) for name in estimators]
    parallel = ProgressParallel(
        n_jobs=n_jobs, pre_dispatch=pre_dispatch, total=len(tasks), show=verbose > 0
    )
    runs = parallel(
        delayed(_fit_and_observe)(
            clone(estimators[name]),
            X,
            y,
            *splits[i],
            params=_at(fit_params[name], splits[i][0], n_samples),
            where=f"Estimator {name!r} failed in split {i}",
            keep=return_estimator,
            reraise=error_score == "raise",
            observe=partial(observe or observe_predictions, name),
        )
        for name, i in tasks
    )
    of_each: dict[str, list[_Run]] = {name: [] for name in estimators}
    for (name, _), run in zip(tasks, runs, strict=True):
        of_each[name].append(run)
    failures = [
        Failure(name, i, run.error)
        for name, of_one in of_each.items()
        for i, run in enumerate(of_one)
        if run.error is not None
    ]
    kept = _kept_splits(cv, len(splits), failures)
    return Collection(
        tuple(estimators), splits, kept, of_each, pooled_weight(cv, [splits[i][1] for i in kept])
    )


def route(
    owner: str,
    caller: str,
    estimators: Mapping[str, Any],
    cv: Any,
    params: Mapping[str, Any] | None,
    groups: Any = None,
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return what goes to the splitter, and what to each estimator's `fit`.

    As `cross_validate`: with metadata routing each gets what it requested; without, `params` go to
    every `fit` and `groups` to the splitter.
    """
    params = dict(params or {})
    if not get_config()["enable_metadata_routing"]:
        return {"groups": groups}, dict.fromkeys(estimators, params)
    if groups is not None:
        raise ValueError(
            "`groups` can only be passed if metadata routing is not enabled via "
            "`sklearn.set_config(enable_metadata_routing=True)`. When routing is enabled, pass "
            "`groups` alongside other metadata via the `params` argument instead."
        )
    router = metadata_router(owner, estimators, cv)
    try:
        routed = process_routing(router, "fit", **params)
    except UnsetMetadataPassedError as error:
        raise UnsetMetadataPassedError(
            message=str(error).replace(f"{owner}.fit", caller),
            unrequested_params=error.unrequested_params,
            routed_params=error.routed_params,
        ) from None
    fits = {name: dict(routed[_key(i)].fit) for i, name in enumerate(estimators)}
    return dict(routed.splitter.split), fits


def metadata_router(owner: Any, estimators: Mapping[str, Any], cv: Any) -> MetadataRouter:
    """Return the router from `fit` to the splitter's `split` and each estimator's `fit`."""
    router = MetadataRouter(owner=owner).add(
        splitter=cv, method_mapping=MethodMapping().add(caller="fit", callee="split")
    )
    for i, estimator in enumerate(estimators.values()):
        router.add(
            **{_key(i): estimator},
            method_mapping=MethodMapping().add(caller="fit", callee="fit"),
        )
    return router


def check_error_score(error_score: Any) -> None:
    """Raise unless `error_score` is "raise" or NaN."""
    if isinstance(error_score, str) and error_score == "raise":
        return
    if isinstance(error_score, float) and math.isnan(error_score):
        return
    raise ValueError(f"error_score must be 'raise' or np.nan, got {error_score!r}.")


def _key(i: int) -> str:
    return f"estimator_{i}"


def observe_predictions(name: str, estimator: Any, X_test: Any, y_test: Any) -> dict[str, Any]:
    """Return the predictions of a fitted estimator."""
    predictions = estimator.predict(X_test)
    n_predicted = predictions.shape[0] if hasattr(predictions, "shape") else len(predictions)
    n_test = X_test.shape[0] if hasattr(X_test, "shape") else len(X_test)
    if n_predicted != n_test:
        raise ValueError(f"predict returned {n_predicted} labels for {n_test} instances")
    return {"predict": predictions}


def _fit_and_observe(
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
    observe: Callable[[Any, Any, Any], Mapping[str, Any]],
) -> _Run:
    start = time.perf_counter()
    fit_time = math.nan
    try:
        X_train, X_test = _rows(estimator, X, train, train), _rows(estimator, X, test, train)
        y_train = _safe_indexing(y, train)
        start = time.perf_counter()
        estimator.fit(X_train, y_train, **params)
        fit_time = time.perf_counter() - start
        observed = observe(estimator, X_test, _safe_indexing(y, test))
    except Exception as error:
        if reraise:
            _name_the_place(error, where)
            raise
        fit_time = time.perf_counter() - start if math.isnan(fit_time) else fit_time
        failed = f"{type(error).__name__}: {error}"
        return _Run({}, fit_time, 0.0, estimator if keep else None, failed)
    score_time = time.perf_counter() - start - fit_time
    kept = estimator if keep else None
    return _Run(observed, fit_time, score_time, kept, chosen=_chosen_parameters(estimator))


def _chosen_parameters(estimator: Any) -> Mapping[str, Any] | None:
    """Return the parameters that a search, or the search at a pipeline's end, found best."""
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    return getattr(last, "best_params_", None)


def _rows(estimator: Any, X: Any, rows: Array, train: Array) -> Any:
    """Return rows of X, and of a precomputed kernel the columns of the training set too."""
    if not hasattr(estimator, "__sklearn_tags__") or not get_tags(estimator).input_tags.pairwise:
        return _safe_indexing(X, rows)
    if not hasattr(X, "shape") or X.shape[0] != X.shape[1]:
        raise ValueError("X should be a square kernel matrix")
    return X[np.ix_(rows, train)]


def _name_the_place(error: Exception, where: str) -> None:
    """Say in the error's own message in which estimator and split it happened."""
    if error.args and isinstance(error.args[0], str):
        error.args = (f"{where}: {error.args[0]}", *error.args[1:])
    if where not in str(error):  # some exceptions write their message themselves
        error.add_note(where)


def _at(params: Mapping[str, Any], rows: Array, n_samples: int) -> dict[str, Any]:
    """Return the parameters with those that hold a value an instance taken at `rows`."""

    def taken(value: Any) -> Any:
        if isinstance(value, (str, bytes, Mapping)):
            return value
        if not hasattr(value, "shape") and hasattr(value, "__array__"):
            value = np.asarray(value)
        size = value.shape[0] if getattr(value, "shape", ()) else None
        if size is None and isinstance(value, Sequence):
            size = len(value)
        return _safe_indexing(value, rows) if size == n_samples else value

    return {name: taken(value) for name, value in params.items()}


def _kept_splits(cv: Any, n_splits: int, failures: list[Failure]) -> list[int]:
    """Return the splits that count, and warn of those that do not."""
    if not failures:
        return list(range(n_splits))
    failed = {failure.split for failure in failures}
    unit = "split"
    if isinstance(cv, BlockRegularizedCV):
        unit = "replicate"
        failed = {2 * (i // 2) + half for i in failed for half in (0, 1)}
    kept = [i for i in range(n_splits) if i not in failed]
    details = "; ".join(f"{f.estimator!r} in split {f.split}: {f.error}" for f in failures)
    if not kept:
        raise ValueError(f"No {unit} is left in which every estimator could be fitted. {details}")
    warnings.warn(
        f"{len(failures)} fits failed. Every {unit} with a failure is dropped for all estimators; "
        f"{len(kept)} of {n_splits} splits are left. {details}",
        FitFailedWarning,
        stacklevel=5,
    )
    return kept
