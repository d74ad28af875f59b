"""From one score per item to a result: `compare_items` and `compare_many_items`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from skbayeseval._arrays import by_column, in_short, in_words, names_of_series, wrong
from skbayeseval._validation import check_flag, check_names
from skbayeseval.compare.item_alignment import (
    align_groups,
    align_human,
    align_items,
    estimated_scores,
)
from skbayeseval.compare.long_table import scores_of_systems
from skbayeseval.compare.ordered_rows import (
    are_in_order,
    blocks_of_evidence,
    check_blocks,
    length_of_blocks,
)
from skbayeseval.compare.split_scores import warn_of_other_scales
from skbayeseval.evidence.instances import Instances
from skbayeseval.evidence.item_scores import ItemScores
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import item_metric
from skbayeseval.models import ItemWeights
from skbayeseval.posterior.build import make_posterior
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.results.comparison import ComparisonResult
from skbayeseval.results.ranking import Ranking


def compare_items(
    scores_a: ArrayLike | str | PathLike[str],
    scores_b: ArrayLike | None = None,
    *,
    system: str | None = None,
    item: Any = None,
    score: str | None = None,
    runs: str | None = None,
    groups: ArrayLike | str | None = None,
    blocks: int | str | None = None,
    missing: str = "raise",
    human_a: ArrayLike | None = None,
    human_b: ArrayLike | None = None,
    judge: str | Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    higher_is_better: bool = True,
    scoring: str | None = None,
    limits: tuple[float, float] | None = None,
    model: Any = "auto",
    n_draws: int | None = None,
    random_state: Any = None,
) -> ComparisonResult:
    """Compare two systems from one score per item: right or wrong, a grade, an error.

    The result is about the mean score over all items that could have been drawn, of which these
    are a sample.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_items,) or (n_items, n_runs)
        The scores of A and B on the same items. Several runs of an item are columns, with NaN where
        a run is missing; they are averaged. pandas objects are matched by their index, in any
        order; all others by position. `scores_a` alone may be a long table, with a row for each
        score of a system on an item: a DataFrame, or the path of a file of CSV (.csv, .tsv, .txt),
        JSON Lines (.jsonl, .ndjson) or Parquet (.parquet, .pq, for which pyarrow is needed), in
        UTF-8, compressed by gzip or not. A is the system that comes first, unless `names` say so.
    system, score : str, default=None
        The columns of a long table that name the systems and have their scores: numbers, true or
        false; empty, null or NaN where there is none.
    item : str, list of str or array-like of shape (n_items,), default=None
        The column of a long table that has the ids of items, or those that are ids together. Ids
        are compared as Python does; in CSV, they are text. Of arrays, the ids themselves, if items
        are to be matched by these: a pair with the ids of A and of B, each in its own order, or a
        dict by name. One sequence for both says that both have the same order.
    runs : {"all", "first", "last"}, default=None
        What rows of the same system and item are: further runs ("all"), or retries, of which the
        first or the last counts. By default, they are an error.
    groups : str or array-like of shape (n_items,), default=None
        Items that belong together, such as questions about one text: groups are then the unit of
        the evidence. In the order of `scores_a`, or a Series whose index has the ids; a column of
        a long table.
    blocks : int or "auto", default=None
        The number of consecutive items that are weighted together, as in `compare_predictions`,
        where the items of `scores_a` are in order of time.
    missing : {"raise", "drop", "wrong", "estimate"}, default="raise"
        What to do about items that only one of them has a score for: "drop" compares the items that
        both have, "wrong" counts a missing score, also that of a run, as 0, a failure, which
        requires scores between 0 and 1. "estimate" is for boards with holes: a missing score is
        taken to be the level of the item plus the distance of the system from others, which the
        items that systems share tell; ten or more of these must join each system to the others. The
        printed result tells how many were missing.
    human_a, human_b : array-like of shape (n_items,), default=None
        The grades that people gave to a random part of the items, 10 or more of each system, with
        NaN where they gave none, or Series with the ids of the items that they graded. The scores
        are then those of a judge that may err, and the result is about the mean of the grades that
        people would give.
    judge : str or list of str, default=None
        Who gave the scores, if these are grades of a judge, such as a model. Several judges are
        columns, and not runs; they are averaged, and the result tells how much they disagree.
    names : (str, str), default=None
        The names of the two systems. By default those of the scores, if these are Series with
        different names, otherwise A and B. Of a long table, its systems, the one to be A first.
    higher_is_better : bool, default=True
        Whether higher scores are better. If not, the metric is minus the mean score, called
        ``"neg_"`` and the name of the score, as in scikit-learn: A is better where A minus B is
        positive.
    scoring : str, default=None
        What to call the score: by default as the column `score` is called, or "score". "pass@k",
        such as "pass@5", is the probability that at least one of k attempts at an item succeeds,
        and "pass^k" that all do, averaged over items. They need scores that are 0 or 1, in k runs
        or more. A column of this very name is taken for what it is.
    limits : (float, float), default=None
        The smallest and the largest possible score, such as (1, 5). The model is then "bootstrap".
    model : {"auto", "paired", "bootstrap"} or model instance, default="auto"
        - "paired", for scores that are all 0 or 1, in one run and without groups, where it is the
          default: the paired model, with a Dirichlet prior of who is right.
        - "bootstrap", the default otherwise: random weights of items, or of groups.
    n_draws, random_state
        As in `compare_predictions`.

    Returns
    -------
    result : ComparisonResult
        If there are several runs, the printed result tells how much of the variance of the
        difference comes from runs, and whether more runs or more items would shorten intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval import compare_items
    >>> rng = np.random.default_rng(0)
    >>> ability = rng.normal(size=200)
    >>> a = ability + rng.normal(0.6, 1, 200) > 0
    >>> b = ability + rng.normal(0.2, 1, 200) > 0
    >>> result = compare_items(a, b, names=("new", "old"), scoring="accuracy", random_state=0)
    >>> result.non_inferiority(0.01).answer
    'yes'

    A long table:

    >>> import pandas as pd
    >>> table = pd.DataFrame(
    ...     {"model": np.repeat(["new", "old"], 200), "id": [*range(200)] * 2, "correct": [*a, *b]}
    ... )
    >>> columns = {"system": "model", "item": "id", "score": "correct"}
    >>> again = compare_items(table, **columns, random_state=0)
    >>> again.names, again.metrics, bool((again.draws == result.draws).all())
    (('new', 'old'), ('correct',), True)
    """
    if scores_b is None:
        found, item, groups = scores_of_systems(scores_a, system, item, score, runs, groups)
        if len(found) != 2:
            more = " compare_many_items ranks several." if len(found) > 2 else ""
            raise ValueError(
                f"compare_items compares two systems, but column {system!r} has {len(found)}: "
                f"{in_words(found)}.{more}"
            )
        names = check_names(list(found) if names is None else names, 2)
        if set(names) != set(found):
            raise wrong("names", f"the systems of the table, {[*found]}, A first", names)
        scores: dict[str, Any] = {name: found[name] for name in names}
    else:
        _check_no_table(system, score, runs)
        names = check_names(names_of_series(names, scores_a, scores_b), 2)
        scores = {"scores_a": scores_a, "scores_b": scores_b}
    human = {"human_a": human_a, "human_b": human_b}
    asked = (item, groups, blocks, missing, judge, higher_is_better, scoring, limits)
    options = (model, "exact", n_draws, random_state)
    return ComparisonResult(*_posterior_of_items(scores, human, names, asked, options, score))


def compare_many_items(
    scores: Mapping[str, ArrayLike] | pd.DataFrame | str | PathLike[str],
    *,
    system: str | None = None,
    item: Any = None,
    score: str | None = None,
    runs: str | None = None,
    groups: ArrayLike | str | None = None,
    blocks: int | str | None = None,
    missing: str = "raise",
    human: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    judge: str | Sequence[str] | None = None,
    higher_is_better: bool = True,
    scoring: str | None = None,
    limits: tuple[float, float] | None = None,
    model: Any = "auto",
    n_draws: int | None = None,
    random_state: Any = None,
) -> Ranking:
    """Compare two or more systems from one score per item.

    Parameters
    ----------
    scores : mapping of str to array-like of shape (n_items,) or (n_items, n_runs)
        The scores of each system on the same items, by name, as in `compare_items`; a DataFrame
        with a row per item and a column per system; or, with `system`, `item` and `score`, a long
        table or the path of one.
    human : mapping of str to array-like of shape (n_items,), or DataFrame, default=None
        The grades of people by the names of the systems, as `human_a` in `compare_items`.
    system, item, score, runs, groups, blocks, missing, judge, higher_is_better, scoring, limits, \
    n_draws, random_state
        As in `compare_items`. `item` may be one sequence of ids per system, or a dict by name.
    model : {"auto", "paired", "bootstrap"} or model instance, default="auto"
        As in `compare_items`.

    Returns
    -------
    ranking : Ranking

    Examples
    --------
    >>> from skbayeseval import compare_many_items
    >>> grades = {"x": [4, 5, 3, 4, 5], "y": [4, 3, 3, 5, 4], "z": [2, 1, 3, 3, 2]}
    >>> ranking = compare_many_items(grades, random_state=0)
    >>> ranking.table["p_best"].idxmax()
    'x'
    """
    if system is not None or isinstance(scores, (str, PathLike)):
        scores, item, groups = scores_of_systems(scores, system, item, score, runs, groups)
    else:
        _check_no_table(system, score, runs)
        scores = by_column(scores)
    if not isinstance(scores, Mapping):
        wanted = "a dict of systems to their scores, or a pandas DataFrame with a column each"
        raise wrong("scores", wanted, scores, TypeError)
    if len(scores) < 2:
        raise ValueError(f"scores must have two or more systems, got {list(scores)}.")
    names = check_names(list(scores), len(scores))
    grades = dict.fromkeys(scores) if human is None else by_column(human)
    if not isinstance(grades, Mapping) or set(grades) != set(scores):
        raise wrong("human", f"a dict with the keys {list(scores)}", human)
    grades = {name: grades[name] for name in scores}
    asked = (item, groups, blocks, missing, judge, higher_is_better, scoring, limits)
    options = (model, "exact", n_draws, random_state)
    return Ranking(*_posterior_of_items(scores, grades, names, asked, options, score))


def _check_no_table(system: Any, score: Any, runs: Any) -> None:
    """Raise if there are options of a long table, but no table."""
    for name, given in (("system", system), ("score", score), ("runs", runs)):
        if given is not None:
            raise ValueError(
                f"{name}={in_short(given)} is about a long table, passed in the place of all "
                "scores with system=, item= and score=."
            )


def _posterior_of_items(
    scores: Mapping[str, Any],
    human: Mapping[str, Any],
    names: Sequence[str],
    asked: tuple[Any, ...],
    options: tuple[Any, ...],
    column: str | None,
) -> tuple[Posterior, tuple[str, ...], dict[str, Metric]]:
    """Return what a result is made of: posterior, names and metrics.

    `column` is the one that the scores of a long table are from.
    """
    item, groups, blocks, missing, judge, higher_is_better, scoring, limits = asked
    model, *others = options
    if limits is not None:
        if not isinstance(model, str) or model not in ("auto", "bootstrap"):
            raise ValueError(f"limits= is of model='bootstrap', but model is {in_short(model)}.")
        model = ItemWeights(limits)
    scoring = (column or "score") if scoring is None else scoring
    if not isinstance(scoring, str):
        raise wrong("scoring", "a string, the name of the score", scoring, TypeError)
    higher = check_flag(higher_is_better, "higher_is_better")
    items = align_items(scores, item, keys=names, missing=missing, higher_is_better=higher)
    by_position = item is not None and column is None  # groups of a table are by id
    group = None if groups is None else align_groups(groups, items, by_position=by_position)
    attempts, tables = (1, False), dict(zip(scores, items.scores, strict=True))
    has_holes = missing == "estimate" and items.missing is not None
    if scoring != column:
        attempts = _check_attempts(scoring, tables, higher, has_holes)
    grades = align_human(human, items, by_position=by_position)
    if grades is not None and attempts[0] > 1:
        raise ValueError(f"scoring={scoring!r} cannot be corrected by grades of people.")
    judges = _check_judges(judge, items.scores.shape[2])
    estimated = estimated_scores(items.scores, names, grades) if has_holes else None
    described = (higher, *attempts, items.missing, grades, judges, estimated)
    n_items = items.scores.shape[1]
    if blocks is not None:
        check_blocks(blocks, groups, n_items)
    is_ordered = are_in_order([items.labels], blocks)
    evidence: Any = ItemScores(items.scores, group, *described)
    if blocks is not None or (is_ordered and group is None):
        length, losses = length_of_blocks(evidence, blocks)
        if length > 1:
            evidence = ItemScores(items.scores, np.arange(n_items) // length, *described)
            evidence = blocks_of_evidence(evidence, length, losses)
    instances = Instances(n_items, items.order, has_ids=by_position)
    posterior = make_posterior(evidence, model, *others, instances=instances)
    model = posterior.model
    if getattr(model, "limits", None) is None:
        hint = " If they are on the same scale, pass limits=(low, high)."
        warn_of_other_scales(tables, shares=higher, hint=hint)
    limits = (0.0, 1.0) if evidence.is_right_or_wrong else None
    if hasattr(model, "known_limits"):
        limits = model.known_limits(evidence)
    bounds = None
    if limits is not None and grades is None:  # a correction may go beyond them
        low, high = sorted(evidence.sign * end for end in limits)
        bounds = low + 0.0, high + 0.0  # no negative zeros
        if estimated is not None:
            _check_possible(dict(zip(names, estimated.mean(axis=1), strict=True)), limits)
    called = scoring if higher else f"neg_{scoring}"
    return posterior, tuple(names), {called: item_metric(called, bounds)}


def _check_possible(means: Mapping[str, float], limits: tuple[float, float]) -> None:
    """Raise if the estimated score of a system is one that cannot be."""
    for name, mean in means.items():
        if not limits[0] - 1e-9 <= mean <= limits[1] + 1e-9:
            raise ValueError(
                f"missing='estimate' takes {name} to be as far from the others on the items that "
                f"it lacks as on those that it has, but its score on all items would be {mean:.3g}"
                f", outside of {limits[0]:g} to {limits[1]:g}. Leave it out, run it on more items, "
                "or pass missing='drop' or missing='wrong'."
            )


def _check_judges(judge: Any, n_columns: int) -> tuple[str, ...]:
    """Return the names of the judges."""
    judges = (judge,) if isinstance(judge, str) else () if judge is None else judge
    if not isinstance(judges, (tuple, list)) or not all(isinstance(name, str) for name in judges):
        raise wrong("judge", "the name of the judge, or a list of names", judge, TypeError)
    if len(judges) > 1 and len(judges) != n_columns:
        raise ValueError(
            f"judge has {len(judges)} names, but the scores have {n_columns} columns. Several "
            "judges are columns of the scores, with shape (items, judges)."
        )
    return tuple(judges)


def _check_attempts(
    scoring: str, tables: Mapping[str, NDArray[Any]], higher: bool, has_holes: bool
) -> tuple[int, bool]:
    """Return k, and whether all k must succeed, of pass@k and pass^k; (1, False) of other scores.

    Of fewer than k runs, only moments of the probability of success up to their number are known,
    so that pass@k would be what a model of it makes it.
    """
    if not re.match(r"pass[@^]", scoring, re.IGNORECASE):
        return 1, False
    parsed = re.fullmatch(r"pass([@^])([1-9][0-9]*)", scoring)
    if parsed is None:
        raise wrong("scoring", "such as 'pass@5' or 'pass^5', with a whole number", scoring)
    k = int(parsed[2])
    if k == 1:
        return 1, False
    if has_holes:
        raise ValueError(
            f"scoring={scoring!r} cannot be estimated where runs are missing. Pass missing='drop' "
            "to compare the items that all have."
        )
    if not higher:
        raise ValueError(
            f"scoring={scoring!r} needs scores that are 1 for a success, but higher_is_better is "
            "False. Pass 1 minus the scores."
        )
    already = f"If the scores are {scoring} already, call them otherwise."
    n_runs = {name: np.isfinite(table).sum(axis=1) for name, table in tables.items()}
    least = min(int(of_each.min()) for of_each in n_runs.values())
    for name, table in tables.items():
        other = table[np.isfinite(table) & (table != 0) & (table != 1)]
        if len(other):
            raise ValueError(
                f"scoring={scoring!r} needs scores that are 0 or 1, but {name} has {other[0]:g}. "
                f"{already}"
            )
        few = int((n_runs[name] < k).sum())
        if few:
            raise ValueError(
                f"scoring={scoring!r} needs {k} or more runs of each item, but {name} has fewer "
                f"for {few:,} of {len(table):,} items. Run these more often, drop them from all "
                f"inputs, or ask for 'pass{parsed[1]}{least}'. {already}"
            )
    return k, parsed[1] == "^"
