"""The same comparison in each subgroup of the instances."""

from __future__ import annotations

from collections.abc import Sequence
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
from skbayeseval.judgement.subgroup_decision import SubgroupDecision, farthest_apart, name_subgroups
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import labelled
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.posterior.subgroups import Subgroup, compare_subgroups
from skbayeseval.results.facts import as_lines
from skbayeseval.results.text_tables import (
    LEAST_NAME,
    as_text,
    latex_table,
    markdown_table,
    with_letters,
    within,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOO_FEW = "too few to say"

# The columns of a summary.
COLUMNS = [
    "n", "n_groups", "observed_a", "observed_b", "observed_difference", "mean", "sd", "hdi_low",
    "hdi_high", "alone_low", "alone_high", "p_worse", "p_rope", "p_better", "decision", "note",
]  # fmt: skip

# A printed comparison shows so many subgroups at most.
MOST_LINES = 30


class OfSubgroups:
    """Base class of what is known of each subgroup of the instances."""

    def __init__(self, posterior: Posterior, metric: Metric, given: Subgroups) -> None:
        compared = compare_subgroups(posterior, metric, given)
        self._subgroups = compared.subgroups
        self._tau = compared.tau
        self._metric = metric
        self._column = given.name

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self._metric.name

    @property
    def column(self) -> str | None:
        """The name of the column, if it has one."""
        return self._column

    @property
    def reasons(self) -> dict[Any, str]:
        """The subgroups with too few instances to say anything, and why."""
        return {
            subgroup.label: subgroup.reason
            for subgroup in self._subgroups
            if subgroup.pooled is None
        }

    @property
    def incomplete(self) -> dict[Any, str]:
        """The subgroups in which some classes of an average do not occur, and which."""
        return {subgroup.label: subgroup.absent for subgroup in self._subgroups if subgroup.absent}

    @property
    def draws(self) -> pd.DataFrame:
        """Draws of the pooled values, with one column per subgroup."""
        return pd.DataFrame(
            {
                subgroup.label: subgroup.pooled.draws
                for subgroup in self._subgroups
                if subgroup.pooled is not None
            }
        )

    def _index(self) -> pd.Index[Any]:
        labels = [subgroup.label for subgroup in self._subgroups]
        return pd.Index(labels, name=self._column or "subgroup", tupleize_cols=False)


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
    A compared with B in subgroups (score, 95% HDI, ROPE [-0.050, +0.050]):
      A significantly better: law
      practically equivalent: physics
      The difference varies between subgroups: it is higher in law than in physics by more
      than 0.1, the width of the ROPE, with probability more than 99.9%.
    """

    def __init__(
        self, posterior: Posterior, metric: Metric, given: Subgroups, names: tuple[str, str]
    ) -> None:
        super().__init__(posterior, metric, given)
        self._overall = posterior.difference(metric)
        self._observed = posterior.observed(metric)
        self._names = names

    @property
    def names(self) -> tuple[str, str]:
        """The names of A and B."""
        return self._names

    @property
    def table(self) -> pd.DataFrame:
        """One row per subgroup, as `summary` returns it without a ROPE."""
        return self.summary()

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
        table = self._judged(rope, prob)
        if rope is None:
            table["decision"] = table["decision"].where(table["decision"] == TOO_FEW, NO_ROPE)
        return table

    def _judged(self, rope: Any, prob: float) -> pd.DataFrame:
        """Return one row per subgroup, with decisions."""
        return self._rows(self._subgroups, rope, prob).set_axis(self._index())

    def _rows(self, subgroups: Sequence[Subgroup], rope: Any, prob: float) -> pd.DataFrame:
        region, rows = self._rope(rope), []
        for subgroup in subgroups:
            a, b = subgroup.observed
            row: dict[str, Any] = {"n": subgroup.n, "n_groups": subgroup.n_groups}
            row |= {"observed_a": a, "observed_b": b, "observed_difference": a - b}
            pooled, unpooled = subgroup.pooled, subgroup.unpooled
            if pooled is None or unpooled is None:
                rows.append({**row, "decision": TOO_FEW, "note": subgroup.reason})
                continue
            decision = self._decision(pooled, region, prob)
            row |= {"mean": pooled.mean, "sd": pooled.sd}
            row |= zip(("hdi_low", "hdi_high"), decision.hdi, strict=True)
            row |= zip(("alone_low", "alone_high"), unpooled.hdi(prob), strict=True)
            row |= zip(("p_worse", "p_rope", "p_better"), decision.probabilities, strict=True)
            rows.append({**row, "decision": decision.settled_code, "note": subgroup.absent})
        table = pd.DataFrame(rows, columns=COLUMNS)
        return table if table["n_groups"].any() else table.drop(columns="n_groups")

    def decision(self, rope: Any, prob: float = 0.95) -> SubgroupDecision:
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
        region, prob = self._rope(rope), check_probability(prob)
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
            self._column,
            self.incomplete,
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
        return ForestDisplay(
            self._judged(rope, prob),
            overall=(self._overall.mean, *self._overall.hdi(prob)),
            names=self._names,
            metric=self.metric,
            rope=None if rope is None else self._rope(rope),
            prob=prob,
            column=self._column,
            finding=self._finding(rope, prob),
        ).plot(ax, **labelled(style, self._metric))

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
        table = self._printed(None, 0.95, columns)
        more = len(table) - 1 - MOST_LINES
        if more > 0:
            table = pd.concat([table[:MOST_LINES], table[-1:]])
        lines = [
            f"{a} minus {b} in {self.metric}, by {self._column or 'subgroup'}:",
            within(table.drop(columns=["95% HDI, alone", "note"], errors="ignore")),
            *([f"and {more} more, in table"] if more > 0 else []),
        ]
        if "note" in table:
            for note, rows in table[table["note"] != ""].groupby("note", sort=False):
                lines += as_lines([("note", f"{note} ({', '.join(rows.index)})")])
        if len(self._subgroups) - len(self.reasons) > 1:
            lines.append(f"{self._on_scale(0.95)}. decision(rope) tells whether that matters.")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_html()

    def _rope(self, rope: Any) -> Interval:
        return check_rope(0.0 if rope is None else rope, self._metric, self._observed[1])

    def _decision(self, difference: Distribution, rope: Interval, prob: float) -> Decision:
        return decision_of(difference, rope, prob, self._names, self.metric)

    def _finding(self, rope: Any, prob: float) -> str:
        """Return what the subgroups show, as a title."""
        if rope is not None:
            return self.decision(rope, prob).on_variation().rstrip(".")
        known = len(self._subgroups) - len(self.reasons)
        where = name_subgroups(self._column)
        if known < 2:
            return f"{known} of {len(self._subgroups)} {where} with enough instances"
        return self._on_scale(prob)

    def _on_scale(self, prob: float) -> str:
        """Return how much subgroups vary at most; at least, they vary as the prior has it."""
        where, most = name_subgroups(self._column), f"at most {np.quantile(self._tau, prob):.2g}"
        return f"Median deviation between {where}: {most}, with probability {percent(prob)}"

    def _printed(
        self, rope: Any, prob: float, names: tuple[str, str] | None = None
    ) -> pd.DataFrame:
        """Return the text of the table; the columns of A and B are named after them by default."""
        a, b = self._observed
        n, n_groups = (sum(getattr(one, of) for one in self._subgroups) for of in ("n", "n_groups"))
        whole = Subgroup("all instances", n, n_groups, (a, b), self._overall, self._overall)
        shown = [*self._subgroups, whole]
        table = self._rows(shown, rope, prob)
        index = [str(subgroup.label) for subgroup in shown]
        table = table.set_axis(pd.Index(index, name=self._column or "subgroup"))
        left_out = ["observed_difference", "sd"]
        if not table["note"].any():
            left_out.append("note")
        titles = dict(zip(("observed_a", "observed_b"), names or self._names, strict=True))
        if rope is None:
            too_few = table["decision"] == TOO_FEW
            table.loc[too_few, "note"] = f"{TOO_FEW}: " + table.loc[too_few, "note"]
        table = table.drop(columns=left_out)
        return as_text(table, prob, rope=rope is not None, titles=titles)


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
            "matrices, a table or more than 10 million instances, or loaded from a file. Call by "
            "on a result of compare_predictions, compare_many, compare_items or a function that "
            "cross-validates, before it is saved."
        )
    if not posterior.has_known_prior or "callable" in posterior.prior_description:
        raise ValueError(
            "Subgroups require a conjugate prior, but this result has a user-supplied prior. "
            "Compare again with engine='exact'."
        )
    return posterior.instances
