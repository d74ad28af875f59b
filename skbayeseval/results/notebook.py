"""What a notebook shows of a result: a sentence, a table and a small figure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

from skbayeseval._html import WIDTH, block, inline_svg, lines, note, table
from skbayeseval.judgement.decision import format_interval, format_probability
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import who_is_best
from skbayeseval.results.base import PosteriorView
from skbayeseval.results.comparison import ComparisonResult
from skbayeseval.results.ranking import Ranking
from skbayeseval.results.single import ScoreResult
from skbayeseval.results.text import decimals, describe_difference, describe_draws, plain

__all__ = ["comparison_table", "notebook_view", "ranking_table", "score_table"]

# Larger tables are cut.
MOST_ROWS = 25
# The number of metrics whose sentence is shown.
MOST_SENTENCES = 4


@singledispatch
def notebook_view(result: Any) -> str:
    """Return the HTML of a result for notebooks; implemented for each kind of result."""
    raise TypeError(f"There is no HTML for a {type(result).__name__}.")


@notebook_view.register
def _(result: ComparisonResult) -> str:
    posterior = result._posterior
    words = "\n".join(verdicts(result)[:MOST_SENTENCES])
    basis = (
        f"{result.model} model, {describe_draws(posterior)} from "
        f"{posterior.evidence.describe()}; differences are {result.names[0]} minus "
        f"{result.names[1]}{on_splits(result)}"
    )
    figure = inline_svg(
        lambda ax: result.plot(ax=ax), f"posterior of the difference in {result.metrics[0]}"
    )
    warnings = "".join(map(note, result.warnings))
    return block(lines(words), comparison_table(result), figure, note(basis), warnings)


@notebook_view.register
def _(result: Ranking) -> str:
    words = "\n".join(leaders(result)[:MOST_SENTENCES])
    return block(
        lines(words),
        ranking_table(result, result.metrics[:1]),
        ranking_figure(result),
        *map(note, result.warnings),
    )


@notebook_view.register
def _(result: ScoreResult) -> str:
    figure = inline_svg(
        lambda ax: result.plot(ax=ax), f"posterior of {result.metrics[0]} of {result.name}"
    )
    return block(lines(str(result)), score_table(result), figure, *map(note, result.warnings))


def verdicts(result: ComparisonResult) -> list[str]:
    """Return one sentence per metric on who is better, and how surely."""
    posterior = result._posterior
    return [
        describe_difference(
            name,
            result.names,
            posterior.difference(metric),
            posterior.observed(metric),
            posterior.what_is_identical(metric),
        )[0]
        for name, metric in result._metrics.items()
    ]


def on_splits(result: PosteriorView) -> str:
    """Return a remark that observed values are not means of splits; empty where they are."""
    metrics = result._metrics.values()
    if result.n_splits is None or not any(metric.source == "tables" for metric in metrics):
        return ""
    return f"; observed values are of {result.n_splits} splits pooled, not means of splits"


def leaders(result: Ranking) -> list[str]:
    """Return one sentence per metric on who is most probably the best."""
    found = []
    for name in result.metrics:
        p_best = result.ranking(metric=name)["p_best"]
        said = who_is_best(str(p_best.idxmax()), len(p_best), p_best.max(), on=f" on {name}")
        found.append(f"{said}.")
    return found


def comparison_table(result: ComparisonResult, prob: float = 0.95) -> str:
    """Return the observed values and the posterior of the difference, one row per metric."""
    a, b = result.names
    header = ["metric", a, b, "difference", f"{100 * prob:.3g}% HDI", "P(first better)"]
    rows = []
    for name, metric in list(result._metrics.items())[:MOST_ROWS]:
        difference = result._distribution(metric)
        hdi = difference.hdi(prob)
        digits = decimals(hdi)
        observed = (plain(value, digits) for value in result._posterior.observed(metric))
        better = difference.around(Interval(0.0, 0.0)).better
        rows.append(
            [name, *observed, f"{plain(difference.mean, digits)}", format_interval(hdi),
             format_probability(better)]
        )  # fmt: skip
    return table(header, rows) + _cut(len(result.metrics))


def ranking_table(result: Ranking, metrics: Sequence[str]) -> str:
    """Return the observed value, posterior, probability of being best and ranks of each.

    Of several metrics, the name of each stands in its first row.
    """
    several = len(metrics) > 1
    header = ["classifier", "observed", "mean", "95% HDI", "P(best)", "rank"]
    rows: list[list[str]] = []
    for metric in metrics:
        found = _rows_of_ranking(result, metric)
        firsts = [metric, *[""] * (len(found) - 1)]
        rows += [
            [first, *row] if several else row for first, row in zip(firsts, found, strict=True)
        ]
    return table(["metric", *header] if several else header, rows) + _cut(len(result.names))


def _rows_of_ranking(result: Ranking, metric: str) -> list[list[str]]:
    rows = []
    for name, row in result.ranking(metric=metric).head(MOST_ROWS).iterrows():
        hdi = Interval(row["hdi_low"], row["hdi_high"])
        digits = decimals(hdi)
        low, high = int(row["rank_low"]), int(row["rank_high"])
        rows.append(
            [str(name), plain(row["observed"], digits), plain(row["mean"], digits),
             format_interval(hdi, sign=False), format_probability(row["p_best"]),
             str(low) if low == high else f"{low} to {high}"]
        )  # fmt: skip
    return rows


def score_table(result: ScoreResult) -> str:
    """Return the observed value and the posterior of each metric."""
    rows = []
    for name, row in result.summary().head(MOST_ROWS).iterrows():
        hdi = Interval(row["hdi_low"], row["hdi_high"])
        digits = decimals(hdi)
        rows.append(
            [name, plain(row["observed"], digits), plain(row["mean"], digits),
             plain(row["sd"], digits + 1), format_interval(hdi, sign=False)]
        )  # fmt: skip
    return table(["metric", "observed", "mean", "sd", "95% HDI"], rows) + _cut(len(result.metrics))


def ranking_figure(result: Ranking, metric: Any = None, prefix: str | None = None) -> str:
    """Return the figure of the ranking, as high as its rows need."""
    return inline_svg(
        lambda ax: result.plot(ax=ax, metric=metric),
        f"ranking by {result.metrics[0] if metric is None else metric}",
        size=(WIDTH, min(1.2 + 0.3 * len(result.names), 9.0)),
        prefix=prefix,
    )


def _cut(number: int) -> str:
    return note(f"... and {number - MOST_ROWS} more") if number > MOST_ROWS else ""
