"""Results as tables for papers and pages: what their columns are, and how many digits are shown."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd

from skbayeseval.judgement.decision import format_probability, in_a_table
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import RankingDecision
from skbayeseval.metrics.confusion import Metric
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.results.base import PosteriorView
from skbayeseval.results.summary import score_row, summary_row
from skbayeseval.results.tables import (
    decimals,
    fixed,
    html_table,
    latex_table,
    markdown_table,
    written_interval,
)

__all__ = [
    "ComparisonTables",
    "RopeTables",
    "Table",
    "comparison_table",
    "ranking_table",
    "score_table",
    "written_ranks",
]

# The text of a table, and the columns that are aligned to the right.
Table = tuple[pd.DataFrame, Collection[str]]
Column = tuple[str, list[str]]

DECISION = "decision"

# The codes of the decisions about a classifier of a ranking, against the best.
AGAINST_THE_BEST = {"equivalent": "~", "open": "<", "worse": "<<"}


class RopeTables:
    """Base class of results whose tables take a ROPE."""

    def to_latex(self, rope: Any = None, *, prob: float = 0.95, mcse: bool = False) -> str:
        r"""Return the result as a LaTeX tabular, which needs ``\usepackage{booktabs}``.

        A comparison has one row per metric, a ranking one row per classifier. Numbers are rounded
        to two digits of the standard deviation of their row.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence. Without one, nothing is decided.
        prob : float, default=0.95
            The probability mass of the HDI.
        mcse : bool, default=False
            Whether to include Monte Carlo standard errors and, for Markov chains, diagnostics.

        Returns
        -------
        table : str
            For a comparison, the columns are the observed metric values, the mean and standard
            deviation of the difference A minus B, the Bayes factor for equality (below 1, it is
            evidence for a difference; a dash means that it is not reliable, for the reason that
            `bayes_factor` tells), the probabilities that A is worse, inside the ROPE and better,
            the HDI and, with a ROPE, the decision: the symbol of what is settled, or "not
            settled". For a ranking, they are the observed metric value, its mean, standard
            deviation and HDI, the probability of being best and the rank; with a ROPE also the
            probability of being practically equivalent to the best, and the decision against the
            best.

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((88, 10, 12), (80, 14, 20), names=("new", "old"))
        >>> print(result.to_latex(rope=0.01).splitlines()[4].split(" & ")[-1])
        not settled \\
        """
        return latex_table(*self._table(rope, prob, mcse))

    def to_markdown(self, rope: Any = None, *, prob: float = 0.95, mcse: bool = False) -> str:
        """Return the result as a Markdown table.

        The parameters and the columns are those of `to_latex`.
        """
        return markdown_table(*self._table(rope, prob, mcse))

    def to_html(self, rope: Any = None, *, prob: float = 0.95, mcse: bool = False) -> str:
        """Return the result as an HTML table, with escaped names.

        The parameters and the columns are those of `to_latex`.
        """
        return html_table(*self._table(rope, prob, mcse))

    def _table(self, rope: Any, prob: float, mcse: bool) -> Table:
        """Return the text of the table, and the columns that are aligned to the right."""
        raise NotImplementedError


class ComparisonTables(RopeTables, PosteriorView):
    """Base class of comparisons of two classifiers."""

    def _table(self, rope: Any, prob: float, mcse: bool) -> Table:
        a, b = self._names
        return comparison_table(self._posterior, self._metrics, (a, b), rope, prob, mcse)


def comparison_table(
    posterior: Posterior,
    metrics: Mapping[str, Metric],
    names: tuple[str, str],
    rope: Any,
    prob: float,
    mcse: bool,
) -> Table:
    """Return the table of a comparison, with one row per metric."""
    rows = [summary_row(posterior, metric, names, rope, prob) for metric in metrics.values()]
    observed = [posterior.observed(metric) for metric in metrics.values()]
    summary = pd.DataFrame(rows)
    digits = [decimals(sd) for sd in summary["sd"]]
    columns = [
        (name, _rounded([of_all[k] for of_all in observed], digits)) for k, name in enumerate(names)
    ]
    columns += _location(summary, digits, mcse)
    proper = posterior.has_known_prior and any(map(posterior.has_proper_prior, metrics.values()))
    if summary["bf"].notna().any() or (proper and rope is not None):
        columns.append(("BF for equality", [_factor(value) for value in summary["bf"]]))
    columns.append(("P(worse)", _percentages(summary["p_worse"])))
    if rope is not None or (summary["p_rope"] > 0).any():
        where = "P(in ROPE)" if rope is not None else "P(equal)"
        columns.append((where, _percentages(summary["p_rope"])))
    columns.append(("P(better)", _percentages(summary["p_better"])))
    columns += _interval(summary, digits, prob, mcse)
    if rope is not None:
        columns.append((DECISION, [in_a_table(code) for code in summary["decision"]]))
    return _joined(columns, pd.Index(list(metrics), name="metric"))


def score_table(
    posterior: Posterior, metrics: Mapping[str, Metric], prob: float, mcse: bool
) -> Table:
    """Return the table of one classifier, with one row per metric."""
    summary = pd.DataFrame([score_row(posterior, metric, prob) for metric in metrics.values()])
    digits = [decimals(sd) for sd in summary["sd"]]
    columns = [("observed", _rounded(summary["observed"], digits))]
    columns += _location(summary, digits, mcse)
    columns += _interval(summary, digits, prob, mcse)
    return _joined(columns, pd.Index(list(metrics), name="metric"))


def ranking_table(
    table: pd.DataFrame, decision: RankingDecision | None, prob: float, mcse: bool
) -> Table:
    """Return the table of a ranking, with one row per classifier, the best first.

    `table` has the columns of `Ranking.ranking`, and sd, mcse and hdi_mcse.
    """
    digits = [decimals(sd) for sd in table["sd"]]
    columns = [("observed", _rounded(table["observed"], digits))]
    columns += _location(table, digits, mcse)
    columns += _interval(table, digits, prob, mcse)
    columns.append(("P(best)", _percentages(table["p_best"])))
    columns.append(("rank", list(map(written_ranks, table["rank_low"], table["rank_high"]))))
    if decision is not None:
        symbols = {
            name: in_a_table(code)
            for case, code in AGAINST_THE_BEST.items()
            for name in getattr(decision, case)
        }
        if decision.best_alone is not None:
            symbols[decision.best_alone] = "best"
        chances = [decision.p_equivalent[name] for name in table.index]
        columns.append(("P(equivalent)", _percentages(chances)))
        columns.append((DECISION, [symbols[name] for name in table.index]))
    return _joined(columns, table.index)


def written_ranks(low: int, high: int) -> str:
    """Return an interval of ranks as text."""
    return str(low) if low == high else f"{low} to {high}"


def _location(summary: pd.DataFrame, digits: list[int], mcse: bool) -> list[Column]:
    found = [("mean", _rounded(summary["mean"], digits)), ("std", _rounded(summary["sd"], digits))]
    return [*found, ("mcse", _errors(summary["mcse"]))] if mcse else found


def _interval(summary: pd.DataFrame, digits: list[int], prob: float, mcse: bool) -> list[Column]:
    ends = zip(summary["hdi_low"], summary["hdi_high"], digits, strict=True)
    texts = [written_interval(Interval(low, high), n) for low, high, n in ends]
    found = [(f"{100 * prob:.3g}% HDI", texts)]
    if mcse:
        found.append(("HDI mcse", _errors(summary["hdi_mcse"])))
        if "ess" in summary:
            found.append(("ess", [f"{ess:.0f}" for ess in summary["ess"]]))
            found.append(("R-hat", [fixed(r_hat, 3) for r_hat in summary["r_hat"]]))
    return found


def _rounded(values: Any, digits: list[int]) -> list[str]:
    return [fixed(float(value), n) for value, n in zip(values, digits, strict=True)]


def _errors(values: Any) -> list[str]:
    return [fixed(error, decimals(error)) for error in values]


def _percentages(values: Any) -> list[str]:
    return [format_probability(value) for value in values]


def _factor(value: float) -> str:
    """Return a Bayes factor as text."""
    if math.isnan(value):
        return "\N{EN DASH}"
    if not 0.001 <= value <= 1e6:
        return "<0.001" if value < 1 else ">1,000,000"
    return f"{value:,.0f}" if value >= 9.95 else fixed(value, max(1, decimals(value)))


def _joined(columns: list[Column], index: pd.Index) -> Table:
    names = [name for name, _ in columns]
    cells = list(zip(*(texts for _, texts in columns), strict=True))
    frame = pd.DataFrame(cells, index=index, columns=names, dtype=object)
    return frame, [name for name in names if name != DECISION]
