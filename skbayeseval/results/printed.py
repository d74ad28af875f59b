"""Results as tables for papers and pages: what their columns are, and how many digits are shown."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from skbayeseval._html import table_lines
from skbayeseval._validation import check_flag, check_metric_labels
from skbayeseval.judgement.decision import format_probability, in_a_table
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import warn_of_one_rope
from skbayeseval.results.summary import score_row, summary_row

if TYPE_CHECKING:
    from skbayeseval.results.comparison import ComparisonResult
    from skbayeseval.results.ranking import Ranking
    from skbayeseval.results.single import ScoreResult

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "≈": r"$\approx$",
    "≪": r"$\ll$",
    "≫": r"$\gg$",
    "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": "--",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"\textbar{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "_%&$#{}"},
}


# What Markdown would take for markup: of a word, a tag, an entity, or the text of a link.
_MARKUP = re.compile(r"[\\|*`~]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=\()")


MINUS = "\N{MINUS SIGN}"


# If a standard deviation is 0, this many decimals are shown; more than the most never are.
USUAL_DECIMALS = 4


MOST_DECIMALS = 8


def decimals(sd: float) -> int:
    """Return the number of decimals that shows two digits of a standard deviation."""
    if not 0 < sd < math.inf:
        return USUAL_DECIMALS
    # Rounded first, since 0.00996 is shown as 0.010.
    magnitude = math.floor(math.log10(float(f"{sd:.1e}")))
    return min(max(1 - magnitude, 0), MOST_DECIMALS)


def fixed(value: float, digits: int) -> str:
    """Return the number with so many decimals, and a minus sign in place of a hyphen."""
    if math.isnan(value):
        return ""
    text = f"{value:.{digits}f}"
    if float(text) == 0:  # not -0.00
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def written_interval(interval: Interval, digits: int) -> str:
    """Return the interval with so many decimals."""
    return f"[{fixed(interval.low, digits)}, {fixed(interval.high, digits)}]"


def format_value(value: Any, digits: int = 4) -> str:
    """Return the value of a parameter as short text."""
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if np.isnan(number):
            return ""
        if 1 <= abs(number) < 1e6:  # 1000, not 1e+03
            return np.format_float_positional(number, digits, fractional=False, trim="-")
        return f"{number:.{digits}g}"
    if isinstance(value, (tuple, list)):
        inner = ", ".join(format_value(one, digits) for one in value)
        return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
    if isinstance(value, type) or callable(value):
        return str(getattr(value, "__name__", value))
    return " ".join(str(value).split())


def markdown_table(frame: pd.DataFrame, right: Collection[str] = ()) -> str:
    """Return a data frame of text as a Markdown table.

    Parameters
    ----------
    frame : pandas.DataFrame
        The text of each cell. The index is the first column.
    right : collection of str, default=()
        The columns that are aligned to the right, such as numbers.
    """
    rows, sides = _cells(frame, right)
    lines = [f"| {' | '.join(map(_markdown, row))} |" for row in rows]
    rules = [" --- " if side == "l" else " ---: " for side in sides]
    return "\n".join([lines[0], f"|{'|'.join(rules)}|", *lines[1:]])


def latex_table(frame: pd.DataFrame, right: Collection[str] = ()) -> str:
    """Return a data frame of text as a LaTeX tabular with booktabs rules.

    The parameters are those of `markdown_table`.
    """
    rows, sides = _cells(frame, right)
    lines = [" & ".join(map(_latex, row)) for row in rows]
    # LaTeX would read these characters as an option of the line before.
    lines = [f"{{{one[0]}}}{one[1:]}" if one[:1] in ("[", "*") else one for one in lines]
    head, *body = (f"{line} \\\\" for line in lines)
    begin = f"\\begin{{tabular}}{{{sides}}}"
    end = ["\\bottomrule", "\\end{tabular}"]
    return "\n".join([begin, "\\toprule", head, "\\midrule", *body, *end])


def html_table(frame: pd.DataFrame, right: Collection[str] = ()) -> str:
    """Return a data frame of text as an HTML table.

    The parameters are those of `markdown_table`.
    """
    (header, *rows), sides = _cells(frame, right)
    styles = ["" if side == "l" else ' style="text-align: right"' for side in sides]
    return "\n".join(["<table>", *table_lines(header, rows, styles), "</table>"])


def _cells(frame: pd.DataFrame, right: Collection[str]) -> tuple[list[list[str]], str]:
    """Return the text of each row, the header first, and the side of each column: "l" or "r"."""
    header = (frame.index.name or "", *frame.columns)
    rows = [
        [" ".join(str(cell).split()) for cell in row]
        for row in [header, *frame.itertuples(name=None)]
    ]
    return rows, "l" + "".join("r" if name in right else "l" for name in frame.columns)


def _markdown(cell: str) -> str:
    return _MARKUP.sub(lambda found: f"\\{found[0]}", cell).replace(MINUS, "-")


def _latex(cell: str) -> str:
    cell = re.sub("-(?=-)", "-\0", cell)  # "--" would become a dash
    return "".join(_LATEX.get(character, character) for character in cell).replace("\0", "{}")


# The text of a table, and the columns that are aligned to the right.
Table = tuple[pd.DataFrame, Collection[str]]


Column = tuple[str, list[str]]


# What metrics are called, by their names; None if that is their names.
Labels = Mapping[str, str] | None


DECISION = "decision"


# The columns whose sign is turned where a loss has a label, next to the HDI.
SIGNED = {"observed", "observed_a", "observed_b", "mean"}


# The codes of the decisions about a classifier of a ranking, against the best.
AGAINST_THE_BEST = {"equivalent": "~", "open": "<", "worse": "<<"}


def comparison_table(
    result: ComparisonResult, rope: Any, prob: float, mcse: bool, labels: Labels
) -> Table:
    """Return the table of a comparison, with one row per metric."""
    metrics = result._metrics.values()
    warn_of_one_rope(rope, metrics)
    summary = pd.DataFrame(
        [summary_row(result._posterior, metric, result.names, rope, prob) for metric in metrics]
    )
    observed = [result._posterior.observed(metric) for metric in metrics]
    summary["observed_a"], summary["observed_b"] = zip(*observed, strict=True)
    summary.index = pd.Index(name_metrics(summary, result.metrics, labels), name="metric")
    chances = [("P(worse)", summary["p_worse"]), ("P(better)", summary["p_better"])]
    if rope is not None or (summary["p_rope"] > 0).any():
        where = "P(in ROPE)" if rope is not None else "P(equal)"
        chances.insert(1, (where, summary["p_rope"]))
    decisions = [] if rope is None else [(DECISION, list(map(in_a_table, summary["decision"])))]
    columns = zip(result.names, ("observed_a", "observed_b"), strict=True)
    return _table(summary, columns, prob, mcse, chances, decisions)


def score_table(result: ScoreResult, prob: float, mcse: bool, labels: Labels) -> Table:
    """Return the table of one classifier, with one row per metric."""
    rows = [score_row(result._posterior, metric, prob) for metric in result._metrics.values()]
    summary = pd.DataFrame(rows)
    summary.index = pd.Index(name_metrics(summary, result.metrics, labels), name="metric")
    return _table(summary, [("observed", "observed")], prob, mcse)


def ranking_table(result: Ranking, rope: Any, prob: float, mcse: bool, labels: Labels) -> Table:
    """Return the table of a ranking, with one row per classifier, the best first."""
    metric = result._metric(None)
    values = [result._posterior.value(metric, k) for k in range(len(result.names))]
    spread = {
        "sd": [value.sd for value in values],
        "mcse": [value.mcse for value in values],
        "hdi_mcse": [value.hdi_mcse(prob) for value in values],
    }
    table = result.ranking(prob=prob).join(pd.DataFrame(spread, index=list(result.names)))
    decision = None if rope is None else result.decision(rope, prob)
    observed = name_observed(table, result.metrics[0], labels)
    further = [
        ("P(best)", _percentages(table["p_best"], prob)),
        ("rank", list(map(written_ranks, table["rank_low"], table["rank_high"]))),
    ]
    if decision is not None:
        states = decision.states()
        symbols = {name: in_a_table(AGAINST_THE_BEST[state]) for name, state in states.items()}
        if decision.best_alone is not None:
            symbols[decision.best_alone] = "best"
        chances = [decision.p_equivalent[name] for name in table.index]
        further.append(("P(equivalent)", _percentages(chances, prob)))
        further.append((DECISION, [symbols[name] for name in table.index]))
    return _table(table, [(observed, "observed")], prob, mcse, further=further)


def _table(
    summary: pd.DataFrame,
    observed: Iterable[tuple[str, str]],
    prob: float,
    mcse: bool,
    chances: Iterable[tuple[str, pd.Series]] = (),
    further: Sequence[Column] = (),
) -> Table:
    """Return the text of observed values, mean, deviation, probabilities, HDI and further columns.

    `observed` has what observed values are called, and which column of the summary they are.
    """
    digits = [decimals(sd) for sd in summary["sd"]]

    def rounded(name: str) -> list[str]:
        return [fixed(float(value), n) for value, n in zip(summary[name], digits, strict=True)]

    def errors(name: str) -> list[str]:
        return [fixed(error, decimals(error)) for error in summary[name]]

    columns = [(called, rounded(name)) for called, name in observed]
    columns += [("mean", rounded("mean")), ("std", rounded("sd"))]
    if check_flag(mcse, "mcse"):
        columns.append(("mcse", errors("mcse")))
    columns += [(name, _percentages(values, prob)) for name, values in chances]
    ends = zip(rounded("hdi_low"), rounded("hdi_high"), strict=True)
    columns.append((f"{100 * prob:.3g}% HDI", [f"[{low}, {high}]" for low, high in ends]))
    if mcse:
        columns.append(("HDI mcse", errors("hdi_mcse")))
        if "ess" in summary:
            columns.append(("ess", [f"{ess:.0f}" for ess in summary["ess"]]))
            columns.append(("R-hat", [fixed(r_hat, 3) for r_hat in summary["r_hat"]]))
    columns += further
    names = [name for name, _ in columns]
    cells = list(zip(*(texts for _, texts in columns), strict=True))
    frame = pd.DataFrame(cells, index=summary.index, columns=names, dtype=object)
    return frame, [name for name in names if name != DECISION]


def name_metrics(table: pd.DataFrame, metrics: Sequence[str], labels: Labels) -> list[str]:
    """Return what the metrics of the rows are called; turn the sign of rows of labelled losses."""
    called = check_metric_labels(labels)
    turned = [name in called and name.startswith("neg_") for name in metrics]
    if any(turned):
        for column in SIGNED & set(table.columns):
            table.loc[turned, column] *= -1
        ends = table.loc[turned, ["hdi_high", "hdi_low"]]
        table.loc[turned, ["hdi_low", "hdi_high"]] = -ends.to_numpy()
    return [called.get(name, name) for name in metrics]


def name_observed(table: pd.DataFrame, metric: str, labels: Labels) -> str:
    """Return what the observed values of a metric are called, in a table of that metric alone."""
    name_metrics(table, [metric] * len(table), labels)
    return (labels or {}).get(metric, "observed")


def written_ranks(low: int, high: int) -> str:
    """Return an interval of ranks as text."""
    return str(low) if low == high else f"{low} to {high}"


def _percentages(values: Iterable[float], prob: float) -> list[str]:
    return [format_probability(value, threshold=prob) for value in values]
