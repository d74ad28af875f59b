"""The same comparison, or the score of one classifier, in each subgroup of the instances."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from skbayeseval._arrays import Array
from skbayeseval._html import html_table
from skbayeseval._validation import check_probability
from skbayeseval.display.forest import ForestDisplay
from skbayeseval.evidence.instances import Subgroups
from skbayeseval.judgement.decision import NO_ROPE, Decision, percent
from skbayeseval.judgement.distribution import Distribution, decision_of
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import check_rope
from skbayeseval.judgement.subgroup_decision import (
    LargestGap,
    Scores,
    SubgroupDecision,
    farthest_apart,
    largest_gap,
    name_subgroups,
)
from skbayeseval.metrics.confusion import GROUP_RATES
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import get_metric, in_headings, labelled
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.posterior.subgroups import Subgroup, compare_subgroups
from skbayeseval.results.text_tables import (
    LEAST_NAME,
    as_text,
    latex_table,
    markdown_table,
    with_letters,
    within,
)
from skbayeseval.results.words import Fact, as_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOO_FEW = "too few to say"

# A printed table shows so many subgroups at most.
MOST_LINES = 30


def _cut(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the first rows of a table and the last one, and a line if there are more."""
    more = len(table) - 1 - MOST_LINES
    if more <= 0:
        return table, []
    return pd.concat([table[:MOST_LINES], table[-1:]]), [f"and {more} more, in table"]


class OfSubgroups:
    """Base class of what is known of each subgroup of the instances."""

    _columns: tuple[str, ...]  # of a summary
    _of_many = False

    def __init__(
        self, posterior: Posterior, metric: Metric, given: Subgroups, names: tuple[str, ...]
    ) -> None:
        self._posterior, self._metric, self._given, self._names = posterior, metric, given, names
        self._subgroups, self._tau = compare_subgroups(posterior, metric, given)
        pair = len(names) == 2
        self._overall = posterior.difference(metric) if pair else posterior.value(metric, 0)

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self._metric.name

    @property
    def column(self) -> str | None:
        """The name of the column, if it has one."""
        return self._given.name

    @property
    def table(self) -> pd.DataFrame:
        """One row per subgroup: what `summary` returns by default."""
        return self.summary()

    @property
    def reasons(self) -> dict[Any, str]:
        """The subgroups with too few instances to say anything, and why."""
        return {one.label: one.reason for one in self._subgroups if one.pooled is None}

    @property
    def incomplete(self) -> dict[Any, str]:
        """The subgroups in which some classes of an average do not occur, and which."""
        return {one.label: one.absent for one in self._subgroups if one.absent}

    @property
    def draws(self) -> pd.DataFrame:
        """Draws of the pooled values, with one column per subgroup."""
        known = {one.label: one.pooled.draws for one in self._subgroups if one.pooled is not None}
        return pd.DataFrame(known)

    def summary(self) -> pd.DataFrame:
        """Return one row per subgroup."""
        raise NotImplementedError

    def _rows(self, subgroups: tuple[Subgroup, ...], prob: float, rope: Any = None) -> pd.DataFrame:
        """Return one row per subgroup."""
        labels = [one.label for one in subgroups]
        index = pd.Index(labels, name=self.column or "subgroup", tupleize_cols=False)
        rows = [self._row(one, prob, rope) for one in subgroups]
        table = pd.DataFrame(rows, index, self._columns)
        return table if table["n_groups"].any() else table.drop(columns="n_groups")

    def _row(self, one: Subgroup, prob: float, rope: Any) -> dict[str, Any]:
        row: dict[str, Any] = {"n": one.n, "n_groups": one.n_groups, "observed": one.observed[0]}
        row["note"] = one.reason or one.absent
        if one.pooled is not None and one.unpooled is not None:
            row |= {"mean": one.pooled.mean, "sd": one.pooled.sd}
            row |= zip(("hdi_low", "hdi_high"), one.pooled.hdi(prob), strict=True)
            row |= zip(("alone_low", "alone_high"), one.unpooled.hdi(prob), strict=True)
        return row

    def _with_whole(self, prob: float, rope: Any = None) -> pd.DataFrame:
        """Return one row per subgroup and one of all instances; no notes if there are none."""
        n, n_groups = (sum(getattr(one, of) for one in self._subgroups) for of in ("n", "n_groups"))
        observed = self._posterior.observed(self._metric)
        whole = Subgroup("all instances", n, n_groups, observed, self._overall, self._overall)
        table = self._rows((*self._subgroups, whole), prob, rope)
        table.index = table.index.map(str)
        return table if table["note"].any() else table.drop(columns="note")

    def _forest(self, table: pd.DataFrame, prob: float, **options: Any) -> ForestDisplay:
        overall = (self._overall.mean, *self._overall.hdi(prob))
        about: dict[str, Any] = {"names": self._names, "metric": self.metric, "prob": prob}
        return ForestDisplay(table, overall=overall, **about, **options)

    def __repr__(self) -> str:
        return str(self)


class SubgroupComparison(OfSubgroups):
    """The difference between two classifiers, A minus B, in each subgroup of the instances.

    Returned by `ComparisonResult.by`. Read-only.

    Attributes
    ----------
    names : tuple of str
        The names of A and B.
    metric : str
        The name of the metric.
    column : str or None
        The name of the column, if it has one.
    table : pandas.DataFrame
        What `summary` returns without a ROPE.
    reasons : dict
        The subgroups with too few instances to say anything, and why.
    incomplete : dict
        The subgroups in which some classes do not occur, although the metric is an average over
        classes, and which classes these are.
    draws : pandas.DataFrame
        Draws of the pooled difference, with one column per subgroup. Rows are joint draws.
    tau : ndarray of shape (n_draws,)
        Draws of the scale of the difference: half of all subgroups are within it of the centre.

    Examples
    --------
    >>> from skbayeseval import compare_items
    >>> right_a, right_b = [1, 1, 0, 1] * 90, [1, 0, 0, 1] * 90
    >>> subject = ["law", "law", "physics", "physics"] * 90
    >>> subgroups = compare_items(right_a, right_b, random_state=0).by(subject)
    >>> print(subgroups.decision(rope=0.05))
    A compared with B in subgroups (score, 95% intervals; differences up to 0.05 are equivalent):
      A significantly better: law
      practically equivalent: physics
      The difference varies between subgroups: it is higher in law than in physics by more
      than 0.1, the width of the ROPE, with probability more than 99.9%.
    """

    _names: tuple[str, str]
    _columns = (
        "n", "n_groups", "observed_a", "observed_b", "observed_difference", "mean", "sd", "hdi_low",
        "hdi_high", "alone_low", "alone_high", "p_worse", "p_rope", "p_better", "decision", "note",
    )  # fmt: skip

    @property
    def names(self) -> tuple[str, str]:
        """The names of A and B."""
        return self._names

    @property
    def tau(self) -> Array:
        """Draws of the scale: half of all subgroups are within it of the centre."""
        return self._tau

    def summary(self, rope: Any = None, *, prob: float = 0.95) -> pd.DataFrame:
        """Return one row per subgroup.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence. A number r means [-r, r]. Without one, nothing is
            decided: `decision` is "no ROPE", and `p_rope` the probability of a difference of 0.
        prob : float, default=0.95
            The probability mass of the HDI.

        Returns
        -------
        table : pandas.DataFrame
            The columns are n (instances), n_groups (where groups are the unit of the evidence),
            observed_a, observed_b and observed_difference, mean, sd, hdi_low and hdi_high of the
            pooled difference, alone_low and alone_high (the HDI given this subgroup alone),
            p_worse, p_rope, p_better, decision (">>", "~" or "<<", and "?" where nothing is
            settled) and note, which tells if there are too few instances, or if classes of an
            average do not occur.
            Subgroups with too few instances have NaN, and the decision "too few to say".
        """
        table = self._rows(self._subgroups, prob, rope)
        if rope is None:
            table["decision"] = table["decision"].where(table["decision"] == TOO_FEW, NO_ROPE)
        return table

    def _row(self, one: Subgroup, prob: float, rope: Any) -> dict[str, Any]:
        a, b = one.observed
        row = super()._row(one, prob, rope) | {"observed_a": a, "observed_b": b}
        row |= {"observed_difference": a - b, "decision": TOO_FEW}
        if one.pooled is not None:
            decision = self._decision(one.pooled, self._rope(rope), prob)
            row |= zip(("p_worse", "p_rope", "p_better"), decision.probabilities, strict=True)
            row["decision"] = decision.settled_code
        return row

    def decision(self, rope: Any = None, prob: float = 0.95) -> SubgroupDecision:
        """Return the decision about each subgroup, and whether the difference varies between them.

        Parameters
        ----------
        rope : float, str, (float, float) or dict
            The region of practical equivalence. A number r means [-r, r]. The difference varies
            between subgroups if two of them are farther apart than the ROPE is wide.
        prob : float, default=0.95
            The probability mass of the HDI that is compared with the ROPE, and the probability that
            is required to settle whether the difference varies.

        Returns
        -------
        decision : SubgroupDecision
            Its attributes are `subgroups`, `too_few`, `p_farthest`, `varies` and others; `str`
            returns sentences.
        """
        region = check_rope(rope, self._metric, self._posterior.observed(self._metric)[1])
        prob = check_probability(prob)
        decisions = {
            subgroup.label: self._decision(subgroup.pooled, region, prob)
            for subgroup in self._subgroups
            if subgroup.pooled is not None
        }
        return SubgroupDecision(
            decisions,
            self.reasons,
            *farthest_apart(self.draws, region.high - region.low),
            region,
            self._names,
            self.metric,
            prob,
            self.column,
            self.incomplete,
            called=in_headings(self._metric),
        )

    def plot(
        self, *, rope: Any = None, prob: float = 0.95, ax: Axes | None = None, **style: Any
    ) -> ForestDisplay:
        """Plot the difference in each subgroup, and overall.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence.
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
        shown = self._forest(
            self._rows(self._subgroups, prob, rope),
            prob,
            rope=None if rope is None else self._rope(rope),
            finding=self._finding(rope, prob),
        )
        return shown.plot(ax, **labelled(style, self._metric))

    def to_latex(self, rope: Any = None, *, prob: float = 0.95) -> str:
        r"""Return the summary as a LaTeX tabular, which needs ``\usepackage{booktabs}``.

        The last row is the difference given all instances.

        Parameters
        ----------
        rope, prob
            As in `summary`.
        """
        return latex_table(self._printed(rope, prob))

    def to_markdown(self, rope: Any = None, *, prob: float = 0.95) -> str:
        """Return the summary as a Markdown table; the parameters are those of `to_latex`."""
        return markdown_table(self._printed(rope, prob))

    def to_html(self, rope: Any = None, *, prob: float = 0.95) -> str:
        """Return the summary as an HTML table; the parameters are those of `to_latex`."""
        return html_table(self._printed(rope, prob))

    def __str__(self) -> str:
        (a, b), columns = self._names, self._names
        if max(len(a), len(b)) > LEAST_NAME:
            (a, b), columns = with_letters(self._names), ("A", "B")
        table, more = _cut(self._printed(None, 0.95, columns))
        shown = table.drop(columns=["95% interval, alone", "note"], errors="ignore")
        called = in_headings(self._metric)
        alone = ", the pair by itself" if self._of_many else ""
        heading = f"{a} minus {b} in {called}, by {self.column or 'subgroup'}{alone}:"
        lines = [heading, within(shown), *more]
        if "note" in table:
            for note, rows in table[table["note"] != ""].groupby("note", sort=False):
                lines += as_lines([Fact("note", f"{note} ({', '.join(rows.index)})")])
        if len(self._subgroups) - len(self.reasons) > 1:
            lines.append(f"{self._on_scale(0.95)}. decision(rope) tells whether that matters.")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return self.to_html()

    def _rope(self, rope: Any) -> Interval:
        of_b = self._posterior.observed(self._metric)[1]
        return check_rope(0.0 if rope is None else rope, self._metric, of_b)

    def _decision(self, difference: Distribution, rope: Interval, prob: float) -> Decision:
        return decision_of(difference, rope, prob, self._names, self.metric)

    def _finding(self, rope: Any, prob: float) -> str:
        """Return what the subgroups show, as a title."""
        if rope is not None:
            return self.decision(rope, prob).on_variation().rstrip(".")
        known = len(self._subgroups) - len(self.reasons)
        where = name_subgroups(self.column)
        if known < 2:
            return f"{known} of {len(self._subgroups)} {where} with enough instances"
        return self._on_scale(prob)

    def _on_scale(self, prob: float) -> str:
        """Return how much subgroups vary at most; at least, they vary as the prior has it."""
        where, most = name_subgroups(self.column), f"at most {np.quantile(self._tau, prob):.2g}"
        return f"Median deviation between {where}: {most}, with probability {percent(prob)}"

    def _printed(
        self, rope: Any, prob: float, names: tuple[str, str] | None = None
    ) -> pd.DataFrame:
        """Return the text of the table; the columns of A and B are named after them by default."""
        table = self._with_whole(prob, rope)
        if rope is None and "note" in table:
            too_few = table["decision"] == TOO_FEW
            table.loc[too_few, "note"] = f"{TOO_FEW}: " + table.loc[too_few, "note"]
        titles = dict(zip(("observed_a", "observed_b"), names or self._names, strict=True))
        table = table.drop(columns=["observed_difference", "sd"])
        return as_text(table, prob, rope=rope is not None, titles=titles)


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

    _columns = (
        "n", "n_groups", "observed", "mean", "sd", "hdi_low", "hdi_high", "alone_low", "alone_high",
        "note",
    )  # fmt: skip

    @property
    def name(self) -> str:
        """The name of the classifier."""
        return self._names[0]

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
        return self._rows(self._subgroups, prob)

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
        may be equal; its upper end tells what the gap is at most. A lower end of 0 does not show
        that groups are equal: small ones hide large gaps.

        Parameters
        ----------
        prob : float, default=0.95
            The probability mass of the interval.

        Returns
        -------
        gap : LargestGap
            Its attributes are `estimate`, `interval`, `highest`, `lowest`, `observed`,
            `by_chance`, what equal groups of these sizes would show, and `p_value`, of the test
            that all are equal; `str` returns a sentence.
        """
        gap = largest_gap({self.metric: self._scores(self._subgroups, self.metric)}, prob)
        return replace(gap, called=in_headings(self._metric))

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
            metric = GROUP_RATES.get(name) or get_metric(name)
            self._posterior.check_metric(metric)
            found, _ = compare_subgroups(self._posterior, metric, self._given, child)
            by_metric[name] = self._scores(found, name)
        return largest_gap(by_metric, prob)

    def _scores(self, subgroups: tuple[Subgroup, ...], metric: str) -> Scores:
        known = [one for one in subgroups if one.pooled is not None]
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
            np.array([one.size for one in known]),
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
        return self._forest(self.summary(prob=prob), prob, finding=finding).plot(ax, **style)

    def _text(self) -> pd.DataFrame:
        return as_text(self._with_whole(0.95).drop(columns=["sd", "alone_low", "alone_high"]))

    def __str__(self) -> str:
        called = in_headings(self._metric)
        heading = f"{called} of {self.name}, by {self.column or 'subgroup'}:"
        table, more = _cut(self._text())
        gap = [str(self.gap())] if len(self.draws.columns) > 1 else []
        return "\n".join([heading, within(table), *more, *gap])

    def _repr_html_(self) -> str:
        return html_table(self._text())


def instances_of(posterior: Posterior) -> Any:
    """Return the instances of the evidence; raise if the result does not know them."""
    if posterior.evidence.is_of_splits:
        raise ValueError(
            "Subgroups require the instances, which split scores do not tell apart. Compare with "
            "another model than model='scores', or pass predictions to compare_predictions."
        )
    if posterior.instances is None:
        raise ValueError(
            f"Subgroups require the instances, which this result of "
            f"{posterior.evidence.describe()} does not keep: it was made from counts, confusion "
            "matrices, counts= or more than 10 million instances, or loaded from a file. Call by "
            "on a result of compare_predictions, compare_many, compare_items or a function that "
            "cross-validates, before it is saved."
        )
    if posterior.prior_name is not None:
        raise ValueError(
            "Subgroups require a conjugate prior, but this result has a user-supplied prior. "
            "Compare again with engine='exact'."
        )
    return posterior.instances
