"""From one score per item to a result: `compare_items` and `compare_many_items`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from numpy.typing import ArrayLike

from skbayeseval._alignment import by_column, names_of_series
from skbayeseval._arrays import in_short
from skbayeseval._validation import check_flag, check_names
from skbayeseval.compare.item_alignment import align_groups, align_items
from skbayeseval.compare.samples import (
    Samples,
    check_same_documents,
    check_same_score,
    groups_of_samples,
)
from skbayeseval.compare.scale_checks import warn_of_other_scales
from skbayeseval.evidence.instances import Instances
from skbayeseval.evidence.items import ItemScores
from skbayeseval.metrics.confusion import Metric
from skbayeseval.metrics.registry import item_metric
from skbayeseval.models.items import ItemWeights
from skbayeseval.posterior.build import make_posterior
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.results.comparison import ComparisonResult
from skbayeseval.results.ranking import Ranking

__all__ = ["compare_items", "compare_many_items"]


def compare_items(
    scores_a: ArrayLike | Samples,
    scores_b: ArrayLike | Samples,
    *,
    ids: Any = None,
    groups: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    higher_is_better: bool = True,
    scoring: str = "score",
    model: Any = "auto",
    prior: dict[str, Any] | None = None,
    n_draws: int = 20_000,
    random_state: Any = None,
) -> ComparisonResult:
    """Compare two systems from one score per item: right or wrong, a grade, an error.

    The result is about the mean score over all items that could have been drawn, of which these
    are a sample.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_items,) or (n_items, n_runs), or Samples
        The scores of A and B on the same items. Several runs of an item are columns, with NaN where
        a run is missing; they are averaged. pandas objects are matched by their index, in any
        order, and what `read_samples` read from logs by its ids; all others by position.
    ids : array-like of shape (n_items,), pair of these or dict, default=None
        The ids of the items, if they are to be matched by these: a pair with the ids of A and of B,
        each in its own order, or a dict by name. One sequence for both says that both have the same
        order.
    groups : array-like of shape (n_items,), default=None
        Items that belong together, such as questions about one text: groups are then the unit of
        the evidence. In the order of `scores_a`, or a Series whose index has the ids. By default
        those that `read_samples` was asked to read.
    names : (str, str), default=None
        The names of the two systems. By default those of the scores, if these are Series with
        different names, otherwise A and B.
    higher_is_better : bool, default=True
        Whether higher scores are better. If not, the metric is minus the mean score, called
        ``"neg_"`` and the name of the score, as in scikit-learn: A is better where A minus B is
        positive.
    scoring : str, default="score"
        What to call the score.
    model : {"auto", "paired", "bootstrap", "clustered"} or model instance, default="auto"
        - "paired", for scores that are all 0 or 1, in one run and without groups, where it is the
          default: the paired model, with a Dirichlet prior of who is right.
        - "bootstrap", the default otherwise: random weights of items, or of groups.
        - "clustered", for scores that are all 0 or 1, in one run and with groups: each group has
          its own probabilities of being right.
    prior : dict, default=None
        Parameters of the prior: "theta" (paired; 0.5 by default), "limits", the smallest and the
        largest possible score (bootstrap), "theta" and "d" (clustered).
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
    """
    names = check_names(names_of_series(names, scores_a, scores_b), 2)
    return ComparisonResult(
        *_posterior_of_items(
            {"scores_a": scores_a, "scores_b": scores_b},
            ids,
            groups,
            names,
            higher_is_better,
            scoring,
            (model, "exact", prior, n_draws, random_state),
        )
    )


def compare_many_items(
    scores: Mapping[str, ArrayLike | Samples] | pd.DataFrame,
    *,
    ids: Any = None,
    groups: ArrayLike | None = None,
    higher_is_better: bool = True,
    scoring: str = "score",
    model: Any = "auto",
    prior: dict[str, Any] | None = None,
    n_draws: int = 20_000,
    random_state: Any = None,
) -> Ranking:
    """Compare two or more systems from one score per item.

    Parameters
    ----------
    scores : mapping of str to array-like of shape (n_items,) or (n_items, n_runs), or to Samples
        The scores of each system on the same items, by name, as in `compare_items`; or a DataFrame
        with a row per item and a column per system.
    ids, groups, higher_is_better, scoring, prior, n_draws, random_state
        As in `compare_items`. `ids` may be one sequence per system, or a dict by name.
    model : {"auto", "paired", "bootstrap"} or model instance, default="auto"
        As in `compare_items`; "clustered" compares two systems only.

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
    scores = by_column(scores)
    if not isinstance(scores, Mapping):
        raise TypeError(
            "scores must be a dict of names to the scores of a system, or a DataFrame with a "
            f"column per system, got {in_short(scores)}."
        )
    if len(scores) < 2:
        raise ValueError(f"scores must have two or more systems, got {list(scores)}.")
    names = check_names(list(scores), len(scores))
    return Ranking(
        *_posterior_of_items(
            scores,
            ids,
            groups,
            names,
            higher_is_better,
            scoring,
            (model, "exact", prior, n_draws, random_state),
        )
    )


def _posterior_of_items(
    scores: Mapping[str, Any],
    ids: Any,
    groups: Any,
    names: Sequence[str],
    higher_is_better: bool,
    scoring: str,
    options: tuple[Any, ...],
) -> tuple[Posterior, tuple[str, ...], dict[str, Metric]]:
    """Return what a result is made of: posterior, names and metrics."""
    if not isinstance(scoring, str):
        raise TypeError(
            f"scoring must be a string, the name of the score, got {in_short(scoring)}."
        )
    higher = check_flag(higher_is_better, "higher_is_better")
    check_same_score(scores.values())
    check_same_documents(scores)
    plain = {name: one.scores if isinstance(one, Samples) else one for name, one in scores.items()}
    joined, order = align_items(plain, ids, keys=names)
    group = None
    if groups is None:
        groups = groups_of_samples(scores.values())
    if groups is not None:
        group = align_groups(groups, joined.shape[1], order, by_position=ids is not None)
    evidence = ItemScores(joined, group, higher)
    instances = Instances(evidence.n_items, order, has_ids=ids is not None)
    posterior = make_posterior(evidence, *options, instances=instances)
    _warn_of_other_scales(dict(zip(scores, joined, strict=True)), posterior.model, higher)
    called = scoring if higher else f"neg_{scoring}"
    metric = item_metric(called, _bounds(posterior, evidence))
    return posterior, tuple(names), {called: metric}


def _warn_of_other_scales(scores: Mapping[str, Any], model: Any, higher: bool) -> None:
    """Warn of scores on different scales, unless the limits of the scale are given."""
    if isinstance(model, ItemWeights) and model.limits is not None:
        return
    warn_of_other_scales(
        scores,
        shares=higher,
        hint=" If they are on the same scale, pass its limits: prior={'limits': (low, high)}.",
        stacklevel=4,
    )


def _bounds(posterior: Posterior, evidence: ItemScores) -> tuple[float, float] | None:
    """Return the smallest and the largest possible value of the metric, if known."""
    model = posterior.model
    limits = model.known_limits(evidence) if isinstance(model, ItemWeights) else (0.0, 1.0)
    if limits is None:
        return None
    low, high = sorted(evidence.sign * end for end in limits)
    return low + 0.0, high + 0.0  # no negative zeros
