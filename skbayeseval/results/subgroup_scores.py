"""The metric of one classifier in each group of the instances, and the gaps between groups."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from skbayeseval._html import html_table
from skbayeseval.display.forest import ForestDisplay
from skbayeseval.evidence.instances import Subgroups
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.subgroup_decision import LargestGap, Scores, largest_gap
from skbayeseval.metrics.confusion import RATES
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import get_metric
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.posterior.subgroups import Subgroup, compare_subgroups
from skbayeseval.results.subgroups import MOST_LINES, OfSubgroups
from skbayeseval.results.text_tables import as_text, within

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = [
    "n", "n_groups", "observed", "mean", "sd", "hdi_low", "hdi_high", "alone_low", "alone_high",
    "note",
]  # fmt: skip


class SubgroupScores(OfSubgroups):
    """The metric of one classifier in each group of the instances, and the gaps between groups.

    Returned by `ScoreResult.by`. Read-only. Three or more groups are partially pooled: the less
    the data show, the more their scores are drawn together.

    Attributes
    ----------
    name : str
        The name of the classifier.
    metric : str
        The name of the metric.
    column : str or None
        The name of the column, if it has one.
    table : pandas.DataFrame
        What `summary` returns.
    reasons : dict
        The groups with too few instances to say anything, and why.
    incomplete : dict
        The groups in which some classes do not occur, although the metric is an average over
        classes, and which classes these are.
    draws : pandas.DataFrame
        Draws of the pooled metric, with one column per group. Rows are joint draws.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval import score_posterior
    >>> rng = np.random.default_rng(0)
    >>> y, age = rng.integers(0, 2, 900), rng.choice(["18-39", "40-64", "65+"], 900)
    >>> said = np.where(rng.random(900) < np.where(age == "65+", 0.75, 0.9), y, 1 - y)
    >>> groups = score_posterior(y, said, scoring="recall", random_state=0).by(age)
    >>> groups.gap().lowest
    '65+'
    """

    def __init__(self, posterior: Posterior, metric: Metric, given: Subgroups, name: str) -> None:
        super().__init__(posterior, metric, given)
        self._posterior, self._given, self._name = posterior, given, name
        self._overall = posterior.value(metric, 0)

    @property
    def name(self) -> str:
        """The name of the classifier."""
        return self._name

    @property
    def table(self) -> pd.DataFrame:
        """One row per group, as `summary` returns it."""
        return self.summary()

    def summary(self, *, prob: float = 0.95) -> pd.DataFrame:
        """Return one row per group.

        Parameters
        ----------
        prob : float, default=0.95
            The probability mass of the HDI.

        Returns
        -------
        table : pandas.DataFrame
            The columns are n (instances), n_groups (where groups of instances are the unit of the
            evidence), observed, mean, sd, hdi_low and hdi_high of the pooled metric, alone_low and
            alone_high (the HDI given this group alone), and note, which tells if there are too few
            instances, or if classes of an average do not occur.
        """
        return self._rows(self._subgroups, prob).set_axis(self._index())

    def _rows(self, subgroups: Sequence[Subgroup], prob: float) -> pd.DataFrame:
        rows = []
        for subgroup in subgroups:
            row: dict[str, Any] = {"n": subgroup.n, "n_groups": subgroup.n_groups}
            row["observed"] = subgroup.observed[0]
            pooled, alone = subgroup.pooled, subgroup.unpooled
            if pooled is not None and alone is not None:
                row |= {"mean": pooled.mean, "sd": pooled.sd}
                row |= zip(("hdi_low", "hdi_high"), pooled.hdi(prob), strict=True)
                row |= zip(("alone_low", "alone_high"), alone.hdi(prob), strict=True)
            rows.append({**row, "note": subgroup.reason or subgroup.absent})
        table = pd.DataFrame(rows, columns=COLUMNS)
        return table if table["n_groups"].any() else table.drop(columns="n_groups")

    def gaps(self, *, prob: float = 0.95) -> pd.DataFrame:
        """Return the gap between each two groups, the largest first.

        Parameters
        ----------
        prob : float, default=0.95
            The probability mass of the HDI.

        Returns
        -------
        table : pandas.DataFrame
            One row per pair of groups with enough instances, the one with the higher mean first:
            observed, mean, sd, hdi_low and hdi_high of the difference. Each interval is about one
            pair; `gap` is about the largest of all.
        """
        draws, rows = self.draws, {}
        observed = {one.label: one.observed[0] for one in self._subgroups}
        order = draws.columns[np.argsort(-draws.mean().to_numpy(), kind="stable")]
        for high, low in combinations(order, 2):
            difference = Distribution((draws[high] - draws[low]).to_numpy())
            ends = difference.hdi(prob)
            rows[high, low] = [
                observed[high] - observed[low], difference.mean, difference.sd, *ends
            ]  # fmt: skip
        table = pd.DataFrame(
            list(rows.values()),
            pd.MultiIndex.from_tuples(list(rows), names=["higher", "lower"]) if rows else None,
            ["observed", "mean", "sd", "hdi_low", "hdi_high"],
        )
        return table.sort_values("mean", ascending=False, kind="stable")

    def gap(self, prob: float = 0.95) -> LargestGap:
        """Return the largest gap between groups, with what chance makes of the largest.

        Of many groups, some are far apart by chance: the observed largest gap is too large. The
        pooled one is not, and its interval allows for the choice. Its lower end is 0 where groups
        may be equal; its upper end tells what the gap is at most.

        Parameters
        ----------
        prob : float, default=0.95
            The probability mass of the interval.

        Returns
        -------
        gap : LargestGap
            Its attributes are `estimate`, `interval`, `highest`, `lowest`, `observed` and
            `by_chance`, what equal groups of these sizes would show; `str` returns a sentence.
        """
        return largest_gap({self.metric: self._scores(self._subgroups, self.metric)}, prob)

    def demographic_parity_difference(self, prob: float = 0.95) -> LargestGap:
        """Return the largest gap in the selection rate, the share that is predicted positive.

        Its attribute `observed` is what fairlearn's function of this name returns.

        Parameters
        ----------
        prob : float, default=0.95
            The probability mass of the interval.

        Returns
        -------
        gap : LargestGap
        """
        return self._gap_in(("selection_rate",), prob)

    def equalized_odds_difference(self, prob: float = 0.95) -> LargestGap:
        """Return the greater of the largest gaps in recall and in the false positive rate.

        Its attribute `observed` is what fairlearn's function of this name returns, if each group
        has positives and negatives.

        Parameters
        ----------
        prob : float, default=0.95
            The probability mass of the interval.

        Returns
        -------
        gap : LargestGap
        """
        return self._gap_in(("recall", "false_positive_rate"), prob)

    def _gap_in(self, names: tuple[str, ...], prob: float) -> LargestGap:
        by_metric = {}
        for child, name in enumerate(names, 1):
            metric = RATES.get(name) or get_metric(name)
            self._posterior.check_metric(metric)
            found = compare_subgroups(self._posterior, metric, self._given, child)
            by_metric[name] = self._scores(found.subgroups, name)
        return largest_gap(by_metric, prob)

    def _scores(self, subgroups: Sequence[Subgroup], metric: str) -> Scores:
        known = [one for one in subgroups if one.pooled is not None and one.unpooled is not None]
        if len(known) < 2:
            why = "; ".join(f"{one.label}: {one.reason}" for one in subgroups if one.reason)
            raise ValueError(
                f"A gap in {metric} requires two groups with enough instances, got {len(known)}"
                + (f" ({why})." if why else ".")
            )
        return Scores(
            tuple(one.label for one in known),
            np.array([one.observed[0] for one in known]),
            np.array([one.pooled.draws for one in known if one.pooled]),
            np.array([one.unpooled.draws for one in known if one.unpooled]),
        )

    def plot(self, *, prob: float = 0.95, ax: Axes | None = None, **style: Any) -> ForestDisplay:
        """Plot the metric in each group, and overall.

        Parameters
        ----------
        prob : float, default=0.95
            The probability mass of the HDI.
        ax : matplotlib Axes, default=None
            The axes to draw on. None creates a new figure.
        **style
            Further arguments of `Display.plot`, such as `title` or `colors`.

        Returns
        -------
        display : ForestDisplay
        """
        finding = ""
        if len(self.draws.columns) > 1:
            gap = self.gap(prob)
            low, high = gap.interval
            finding = f"Largest gap {gap.estimate:.3f} ({low:.3f} to {high:.3f})"
        return ForestDisplay(
            self.summary(prob=prob),
            overall=(self._overall.mean, *self._overall.hdi(prob)),
            names=(self._name,),
            metric=self.metric,
            prob=prob,
            column=self._column,
            finding=finding,
        ).plot(ax, **style)

    def _text(self) -> pd.DataFrame:
        n, n_groups = (sum(getattr(one, of) for one in self._subgroups) for of in ("n", "n_groups"))
        observed = self._posterior.observed(self._metric)
        whole = Subgroup("all instances", n, n_groups, observed, self._overall, self._overall)
        table = self._rows([*self._subgroups, whole], 0.95)
        names = [str(one.label) for one in self._subgroups]
        table.index = pd.Index([*names, "all instances"], name=self._column or "subgroup")
        left_out = ["sd", "alone_low", "alone_high"] + ["note"] * (not table["note"].any())
        return as_text(table.drop(columns=left_out))

    def __str__(self) -> str:
        table = self._text()
        more = len(table) - 1 - MOST_LINES
        if more > 0:
            table = pd.concat([table[:MOST_LINES], table[-1:]])
        lines = [
            f"{self.metric} of {self._name}, by {self._column or 'subgroup'}:",
            within(table),
            *([f"and {more} more, in table"] if more > 0 else []),
            *([str(self.gap())] if len(self.draws.columns) > 1 else []),
        ]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self._text())
