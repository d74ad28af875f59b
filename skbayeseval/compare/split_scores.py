"""From scores of splits, or of data sets, to a result: `compare_scores` and `rank_scores`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import connected_components

from skbayeseval._arrays import (
    Array,
    as_numbers,
    check_magnitude,
    check_rows,
    check_same_length,
    in_short,
    names_of_series,
    wrong,
)
from skbayeseval._validation import UnlikelyDataWarning, as_float, check_names, warn_caller
from skbayeseval.evidence.split_scores import (
    DataSetScores,
    SplitScores,
    SystemScores,
    check_split_scores,
    check_test_fraction,
)
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import NEXT_DATA_SET, split_metric
from skbayeseval.models.pymc import PyMCEngine
from skbayeseval.posterior.build import make_posterior, resolve_engine
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.results.comparison import ComparisonResult
from skbayeseval.results.ranking import Ranking

# What columns of leaderboards are called that are no data sets, without what is no letter.
AVERAGE = re.compile(r"(macro|micro|weighted)?(avg|average|mean|overall)(score|accuracy)?")

# How far a score may be outside the range of its metric, by rounding errors.
ROUNDING = 1e-9

# Percentages are 100 times as large as shares; two systems are hardly apart by such a factor.
LIKE_PERCENTAGES = (30, 300)


def collect_systems(scores: Any, test_fraction: float | None, metric: str) -> SystemScores:
    """Return the scores of systems on data sets; raise if they cannot be compared.

    Parameters
    ----------
    scores : mapping of str to mapping, or DataFrame
        A dict of system to a dict of data set to one score or several, or a table with a row per
        data set and a column per system. What is absent, None or NaN is missing.
    test_fraction : float or None
        As in `SystemScores`.
    metric : str
        The name of the score.

    Examples
    --------
    >>> from skbayeseval.compare.split_scores import collect_systems
    >>> scores = {"x": {"iris": 0.9, "wine": 0.7, "digits": 0.8},
    ...           "y": {"digits": [0.7, 0.9], "iris": 0.8, "wine": 0.6, "glass": 0.5}}
    >>> collect_systems(scores, None, "accuracy").describe()
    '4 data sets, 1 of 8 scores missing, with 1 to 2 runs each'
    """
    systems = _columns(scores)
    cells = {
        (system, data_set): numbers
        for system, of_system in systems.items()
        for data_set, values in of_system.items()
        if (numbers := _cell(values, system, data_set)) is not None
    }
    known = {data_set for _, data_set in cells}
    every = dict.fromkeys(name for of_system in systems.values() for name in of_system)
    data_sets = _without_averages((name for name in every if name in known), "data set")
    n_runs = max(map(len, cells.values()), default=1)
    table = np.full((len(systems), len(data_sets), n_runs), np.nan)
    for k, system in enumerate(systems):
        for d, data_set in enumerate(data_sets):
            values = cells.get((system, data_set), np.empty(0))
            table[k, d, : len(values)] = values
    names = tuple(map(str, data_sets))
    if len(set(names)) < len(names):
        raise ValueError(f"The names of data sets must differ as strings, got {in_short(names)}.")
    _check_connected(table, list(systems))
    check_magnitude(table, "scores")
    if len(np.unique(table[np.isfinite(table)])) == 1:
        raise ValueError("All scores are the same, which does not tell how much they vary.")
    return SystemScores(table, metric, names, test_fraction)


def _without_averages(names: Iterable[Hashable], what: str) -> list[Hashable]:
    """Return the names of data sets or splits, with a warning without those of their averages."""
    known = list(names)
    averages = [
        name for name in known if AVERAGE.fullmatch(re.sub(r"[^a-z]", "", str(name).lower()))
    ]
    if averages:
        warn_caller(
            f"{', '.join(map(repr, averages))} is left out: it is called like an average of the "
            f"others, and not like a {what}. Give it another name if it is one."
        )
    return [name for name in known if name not in averages]


def _columns(scores: Any, *, arrays: bool = False) -> dict[str, Mapping[Hashable, Any]]:
    """Return the scores of each system by data set or split; those of arrays by position."""
    if isinstance(scores, pd.DataFrame):
        _check_unique(scores.columns, "columns")
        _check_unique(scores.index, "index")
        scores = {system: scores[system] for system in scores.columns}
    systems: dict[str, Mapping[Hashable, Any]] = {}
    for system, of_system in scores.items():
        if not isinstance(system, str):
            raise TypeError(f"The names of systems must be strings, got {system!r}.")
        if isinstance(of_system, pd.Series):
            _check_unique(of_system.index, f"index of {system!r}")
            of_system = dict(zip(of_system.index, of_system, strict=True))
        if arrays and not isinstance(of_system, Mapping):
            of_system = dict(enumerate(check_split_scores(of_system, f"scores[{system!r}]")))
        if not isinstance(of_system, Mapping):
            raise TypeError(
                f"The scores of {system!r} must be a dict of data set to score, got "
                f"{in_short(of_system)}. If these are the scores of splits, pass test_fraction=."
            )
        systems[system] = of_system
    if len(systems) < 2:
        raise ValueError(f"scores must have two or more systems, got {list(systems)}.")
    return systems


def _check_unique(index: pd.Index[Any], what: str) -> None:
    if not index.is_unique:
        twice = index[index.duplicated()].tolist()[0]
        raise ValueError(f"The {what} of scores must be unique, but {twice!r} occurs twice.")


def _cell(values: Any, system: str, data_set: Hashable) -> Array | None:
    """Return the scores of one system on one data set; None if they are missing."""
    name = f"scores[{system!r}][{data_set!r}]"
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{name} must be a number, or a sequence of numbers, got {values!r}.")
    if np.ndim(values) == 0:
        if pd.isna(values):
            return None
        values = [values]
    array = as_numbers(values, name)
    if array.ndim != 1 or not len(array):
        raise ValueError(
            f"{name} must be one score, or one score per run or split, got shape {array.shape}."
        )
    if not np.isfinite(array).all():
        raise ValueError(
            f"Input {name} contains NaN or infinity. Leave out runs that failed; a data set that "
            "is missing is left out, None or NaN."
        )
    return array


def _check_connected(table: Array, systems: list[str]) -> None:
    """Raise unless all systems can be compared, directly or by way of others."""
    run = np.isfinite(table[:, :, 0])
    empty = np.flatnonzero(~run.any(axis=1))
    if len(empty):
        raise ValueError(f"scores has no score of {systems[empty[0]]!r}. Remove this system.")
    shared = run.sum(axis=0) >= 2
    k, n_shared = len(systems), int(shared.sum())
    if n_shared < 3:
        whose = "both" if k == 2 else "two or more"
        raise ValueError(
            f"scores has {n_shared} data sets with scores of {whose} systems. At least three are "
            "needed to tell how much differences vary over data sets."
        )
    _, group = connected_components(run @ run.T, directed=False)
    apart = [name for name, number in zip(systems, group, strict=True) if number != group[0]]
    if apart:
        others = [name for name in systems if name not in apart]
        raise ValueError(
            f"No data set has a score of one of {in_short(apart)} as well as of one of "
            f"{in_short(others)}, so these cannot be compared with each other. Compare them "
            "separately, or add such scores."
        )
    left = int((run.sum(axis=0)[shared] - 1).sum()) - (k - 1)
    if left < 2:
        raise ValueError(
            f"scores has too few scores of the same data sets for {k} systems: only {left} more "
            "than are needed to compare them at all, and two are needed to tell how much "
            "differences vary over data sets."
        )


def compare_scores(
    scores_a: Any,
    scores_b: Any = None,
    *,
    test_fraction: float | None = None,
    n_test: float | None = None,
    scoring: str = "score",
    model: Any = "auto",
    names: Sequence[str] | None = None,
    engine: str | PyMCEngine = "exact",
    n_draws: int | None = None,
    random_state: Any = None,
) -> Any:
    """Compare estimators from their scores in splits, or on several data sets.

    For any metric, of regressors too. ``compare_scores(scores_a, scores_b, test_fraction=...)``
    compares two estimators in the same splits by the correlated Bayesian t-test, on one data set or
    on several, and ``compare_scores({system: scores}, test_fraction=...)`` two or more.
    ``compare_scores({system: {data set: scores}})`` compares two or more systems on
    several data sets, not all of which every system needs to have been run on. Where predictions
    are at hand `compare_predictions` is sharper: scores of a few splits are all that is known here.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_splits,) or (n_data_sets, n_splits)
        The scores of A and B in each split of the same cross-validation; higher is better, so pass
        errors and losses with a minus sign, as in
        ``compare_scores(-rmse_a, -rmse_b, scoring="neg_rmse", test_fraction=0.1)``. A row a
        data set where there are several; with ``model="signed-rank"`` also one score per data set.

        Instead of both, a table of systems. With `test_fraction`, a DataFrame with a row per split
        and a column per system, or a dict of system to its scores in the same splits. Without it, a
        DataFrame with a row per data set and a column per system, or a dict of system to a dict (or
        Series) of data set to its score or its scores in several runs, which may differ in number.
        What is absent, None or NaN is missing. If such dicts have several scores per data set,
        `test_fraction` says that these are those of splits.
        What is called like an average, such as "avg", is no data set: it is left out with a
        warning.
    test_fraction : float or None, default=None
        The share of the instances that a split tests, 1 / k for k folds: what correlates the
        splits (Nadeau and Bengio 2003). The correlated t-test and the hierarchical model of two
        arrays require it, the signed-rank test does not need it. With a table of systems, None
        means that its rows are data sets, and that several scores of one are those of independent
        runs, such as random seeds. Otherwise scores are those of splits, and systems with the same
        number of them on a data set have the same splits.
    n_test : float, default=None
        The number of instances that a split tests, for scores that are shares of instances, such
        as accuracy. They move in steps of 1 / n_test, so the correlated t-test assumes that a
        split's difference has a standard deviation of 1 / (n_test sqrt(12)) or more, even if all
        differences are equal. By default, the step is the smallest difference of two scores that
        was seen; if all scores are the same, the posterior is a point. Only for splits of one data
        set.
    scoring : str, default="score"
        What to call the metric.
    model : {"auto", "scores", "signed-rank", "hierarchical"} or model instance, default="auto"
        "auto" is "scores", the correlated t-test on one data set. Of several, "signed-rank" is the
        Bayesian signed-rank test of their means, and "hierarchical" the model of Corani et al.
        (2017), sampled by PyMC whatever `engine` is. Of a table of data sets, "auto" and
        "hierarchical" are `models.HierarchicalSystems`. Both models are about the average over such
        data sets; their metric "next data set" is about a single further one.
    names : (str, str), default=None
        The names of A and B. By default those of the scores, if these are Series with different
        names, otherwise A and B. Not with a table, which has names.
    engine, n_draws, random_state
        As in `compare_predictions`. Tables of systems require the exact engine.

    Returns
    -------
    result : ComparisonResult or Ranking
        A `ComparisonResult` of two arrays, a `Ranking` of a dict or DataFrame. Of splits of one
        data set, probabilities and intervals are in closed form, and a pair of the ranking is what
        is said of its two arrays.

    Examples
    --------
    >>> from skbayeseval import compare_scores
    >>> a, b = [0.81, 0.79, 0.84, 0.80, 0.82], [0.78, 0.77, 0.80, 0.79, 0.78]
    >>> result = compare_scores(a, b, test_fraction=0.2, scoring="r2", random_state=0)
    >>> round(result.probability().better, 4)
    0.9836

    Three systems in the same splits:

    >>> c = [0.80, 0.80, 0.83, 0.79, 0.81]
    >>> ranking = compare_scores({"a": a, "b": b, "c": c}, test_fraction=0.2, random_state=0)
    >>> ranking.evidence.describe()
    '5 splits with a correlation of 0.2'
    >>> round(ranking.pairs["a", "b"].alone.probability().better, 4)
    0.9836

    Three systems on data sets, of which one was not run on "glass":

    >>> ranking = compare_scores(
    ...     {
    ...         "forest": {"iris": 0.95, "wine": 0.98, "yeast": 0.61, "glass": 0.79, "sonar": 0.84},
    ...         "svm": {"iris": 0.96, "wine": 0.97, "yeast": 0.60, "sonar": 0.85},
    ...         "bayes": {"iris": 0.95, "wine": 0.97, "yeast": 0.48, "glass": 0.47, "sonar": 0.68},
    ...     },
    ...     scoring="accuracy",
    ...     random_state=0,
    ... )
    >>> ranking.evidence.describe()
    '5 data sets, 1 of 15 scores missing'
    >>> ranking.table.index[-1]
    'bayes'
    """
    options: tuple[Any, ...] = (model, engine, n_draws, random_state)
    if isinstance(scores_a, Mapping) or scores_b is None:
        _check_of_systems(scores_a, scores_b, names)
        share = None if test_fraction is None else check_test_fraction(test_fraction)
        splits = None if share is None else _same_splits(scores_a)
        if splits is not None:
            return Ranking(*_of_splits(splits, list(scores_a), share, n_test, scoring, options))
        if n_test is not None:
            raise ValueError(f"n_test={in_short(n_test)} does not apply to scores on data sets.")
        evidence = collect_systems(scores_a, share, _check_called(scoring))
        check_range(evidence.scores, scoring)
        warn_of_other_scales(dict(zip(scores_a, evidence.scores, strict=True)))
        posterior = make_posterior(evidence, *options)
        return Ranking(posterior, tuple(scores_a), {scoring: split_metric(scoring)})
    names = check_names(names_of_series(names, scores_a, scores_b), 2)
    kind = getattr(model, "name", model)
    kind = kind if isinstance(kind, str) else ""  # refused by make_posterior
    both = {"scores_a": scores_a, "scores_b": scores_b}
    check_rows(both)
    check_rows(both, columns=True)
    if kind == "auto" and _has_rows(scores_a):
        raise ValueError(
            "scores_a has rows: if they are data sets, give model='signed-rank' or 'hierarchical'; "
            "if they are repeats on one data set, give all its splits in one row."
        )
    if _has_rows(scores_a) or kind in ("signed-rank", "hierarchical", "hierarchical scores"):
        data_sets = _check_data_sets(both, test_fraction, scoring)
        check_range(data_sets.scores[scoring], scoring)
        warn_of_other_scales(dict(zip(both, data_sets.scores[scoring], strict=True)))
        if kind in ("hierarchical", "hierarchical scores") and not isinstance(engine, PyMCEngine):
            resolve_engine(engine)
            options = (model, PyMCEngine(), n_draws, random_state)
        posterior = make_posterior(data_sets, *options)
        metrics = [scoring, *posterior.model.derived_metrics]
        return ComparisonResult(posterior, names, {name: split_metric(name) for name in metrics})
    return ComparisonResult(*_of_splits(both, names, test_fraction, n_test, scoring, options))


def _of_splits(
    scores: Mapping[str, Any],
    names: Sequence[str],
    test_fraction: float | None,
    n_test: float | None,
    scoring: str,
    options: tuple[Any, ...],
) -> tuple[Posterior, tuple[str, ...], dict[str, Metric]]:
    """Return what a result of scores in the same splits is made of; `scores` by argument."""
    vectors = {name: check_split_scores(of_system, name) for name, of_system in scores.items()}
    called = _check_called(scoring)
    for vector in vectors.values():
        check_range(vector, called)
    warn_of_other_scales(vectors)
    check_same_length(**vectors)
    share = check_test_fraction(test_fraction)
    steps = None
    if n_test is not None:
        if not isinstance(n_test, Real) or not 1 <= as_float(n_test) < np.inf:
            raise wrong("n_test", "the number of instances of a test set, at least 1", n_test)
        steps = {called: 1 / float(n_test)}
    evidence = SplitScores({called: np.stack(list(vectors.values()))}, share, steps=steps)
    posterior = make_posterior(evidence, *options)
    return posterior, check_names(names, len(scores)), {called: split_metric(called)}


def _same_splits(scores: Any) -> dict[str, list[Any]] | None:
    """Return the scores of systems in the same splits; None if there are several per data set."""
    if isinstance(scores, pd.DataFrame):
        kept = _without_averages(scores.index, "split")
        scores = scores[scores.index.isin(kept)].reset_index(drop=True)  # splits need no names
    systems = _columns(scores, arrays=True)
    if any(np.ndim(score) for of_system in systems.values() for score in of_system.values()):
        return None
    name, first = next(iter(systems.items()))
    for other, of_system in systems.items():
        apart = first.keys() ^ of_system.keys()
        if apart:
            raise ValueError(
                f"The scores of {name!r} and {other!r} must be those of the same splits, but only "
                f"one of them has a score of split {min(apart, key=str)!r}. Without "
                "test_fraction=, scores are taken for those of data sets."
            )
    splits = _without_averages(first, "split")
    return {
        f"scores[{system!r}]": [of_system[split] for split in splits]
        for system, of_system in systems.items()
    }


def _check_of_systems(scores_a: Any, scores_b: Any, names: Any) -> None:
    """Raise unless the arguments are those of two or more systems with names."""
    if not isinstance(scores_a, (Mapping, pd.DataFrame)) or scores_b is not None:
        raise TypeError(
            "compare_scores requires scores_a and scores_b, or a dict of systems in place of both. "
            "scores_b must be left out if scores_a is a dict: compare_scores({'A': scores_a, "
            f"'B': scores_b}}), got {in_short(scores_a)} and {in_short(scores_b)}."
        )
    if names is not None:
        raise ValueError(
            f"names={in_short(names)} does not apply to a dict of systems: its keys are the names."
        )


def _has_rows(scores: Any) -> bool:
    if hasattr(scores, "shape"):
        return len(scores.shape) == 2
    first = scores[0] if isinstance(scores, (list, tuple)) and scores else None
    return hasattr(first, "__len__") and not isinstance(first, str)


def _check_data_sets(
    both: Mapping[str, ArrayLike], test_fraction: float | None, scoring: str
) -> DataSetScores:
    """Return the scores of two estimators on several data sets."""
    tables = []
    for name, scores in both.items():
        table = as_numbers(scores, name)
        table = table.reshape(-1, 1) if table.ndim < 2 else table
        if table.ndim != 2 or len(table) < 2:
            raise ValueError(
                f"{name} must have a row for each of two or more data sets, got shape "
                f"{table.shape}."
            )
        if not np.isfinite(table).all():
            raise ValueError(f"Input {name} contains NaN or infinity.")
        tables.append(table)
    if tables[0].shape != tables[1].shape:
        raise ValueError(
            f"scores_a has shape {tables[0].shape}, but scores_b has shape {tables[1].shape}."
        )
    share = None if test_fraction is None else check_test_fraction(test_fraction)
    return DataSetScores({_check_called(scoring): np.stack(tables)}, share)


def _check_called(scoring: Any) -> str:
    if not isinstance(scoring, str):
        raise wrong("scoring", "a string, the name of the metric", scoring, TypeError)
    if scoring == NEXT_DATA_SET:
        raise ValueError(
            f"scoring={scoring!r} is the name of what is said of a further data set. Give the "
            "score another name."
        )
    return scoring


def check_range(scores: NDArray[Any], scoring: str) -> None:
    """Raise if scores are outside the range of the metric, as percentages are."""
    bounds = split_metric(scoring).bounds
    if bounds is None:
        return
    known = scores[np.isfinite(scores)]
    outside = known[(known < bounds[0] - ROUNDING) | (known > bounds[1] + ROUNDING)]
    if len(outside):
        raise ValueError(
            f"scoring={scoring!r} lies between {bounds[0]:g} and {bounds[1]:g}, but scores contain "
            f"{outside[0]:g}. Divide percentages by 100, or give the score another name."
        )


def warn_of_other_scales(
    scores: Mapping[str, Array], *, shares: bool = True, hint: str = ""
) -> None:
    """Warn if one system's scores are right or wrong, or shares, and another's are not.

    Grades or counts of which one system has only 0 and 1 are no reason to warn, if another has 1
    besides larger ones.

    Parameters
    ----------
    scores : mapping of str to ndarray
        The scores of each system, by argument; NaN where there is none.
    shares : bool, default=True
        Whether scores in [0, 1] are taken for shares; times and errors have no such limit.
    hint : str, default=""
        What to do if the scores are on the same scale.
    """
    known = {name: values[np.isfinite(values)] for name, values in scores.items()}
    distinct = {name: np.unique(values) for name, values in known.items()}
    for (name, small), (other, large) in itertools.permutations(known.items(), 2):
        if np.array_equal(distinct[name], [0, 1]):
            leaves_out_one = large.max() > 1 and not ((large > 0) & (large <= 1)).any()
            differ = leaves_out_one or np.array_equal(distinct[other], [-1, 1])
        else:
            differ = shares and _are_shares_and_percentages(small, large)
        if differ:
            warn_caller(
                f"{name} and {other} may be on different scales: {name} contains "
                f"{_described(distinct[name])}, {other} contains {_described(distinct[other])}. "
                f"Bring them to the same scale, for example by dividing percentages by 100.{hint}",
                UnlikelyDataWarning,
            )
            return


def _are_shares_and_percentages(small: Array, large: Array) -> bool:
    if min(small.min(), large.min()) < 0 or not 0 < small.max() <= 1 < large.max() <= 100:
        return False
    least, most = LIKE_PERCENTAGES
    return bool(least <= np.median(large[large > 0]) / np.median(small[small > 0]) <= most)


def _described(values: Array) -> str:
    if len(values) <= 2:
        return " and ".join(f"{value:g}" for value in values)
    return f"numbers from {values[0]:g} to {values[-1]:g}"
