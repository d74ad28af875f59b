"""Results as tables for papers and pages: what their columns are, and how many digits are shown."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval._validation import check_flag, check_metric_labels
from skbayeseval.judgement.decision import format_probability, in_a_table
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import RankingDecision
from skbayeseval.judgement.rope import warn_of_one_rope
from skbayeseval.metrics.confusion import Metric
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.results.base import PosteriorView
from skbayeseval.results.summary import score_row, summary_row

__all__ = [
    "ComparisonTables",
    "Labels",
    "RopeTables",
    "Table",
    "comparison_table",
    "decimals",
    "fixed",
    "format_value",
    "html_table",
    "latex_table",
    "markdown_table",
    "name_observed",
    "ranking_table",
    "score_table",
    "written_interval",
    "written_ranks",
]


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
    header, rows = _texts(frame)
    lines = [f"| {' | '.join(map(_markdown, row))} |" for row in [header, *rows]]
    rules = [" --- " if side == "l" else " ---: " for side in _sides(frame, right)]
    return "\n".join([lines[0], f"|{'|'.join(rules)}|", *lines[1:]])


def latex_table(frame: pd.DataFrame, right: Collection[str] = ()) -> str:
    """Return a data frame of text as a LaTeX tabular with booktabs rules.

    The parameters are those of `markdown_table`.
    """
    header, rows = _texts(frame)
    lines = [f"{_unread(' & '.join(map(_latex, row)))} \\\\" for row in [header, *rows]]
    return "\n".join(
        [
            f"\\begin{{tabular}}{{{_sides(frame, right)}}}",
            "\\toprule",
            lines[0],
            "\\midrule",
            *lines[1:],
            "\\bottomrule",
            "\\end{tabular}",
        ]
    )


def html_table(frame: pd.DataFrame, right: Collection[str] = ()) -> str:
    """Return a data frame of text as an HTML table.

    The parameters are those of `markdown_table`.
    """
    header, rows = _texts(frame)
    styles = ["" if side == "l" else ' style="text-align: right"' for side in _sides(frame, right)]

    def line(row: list[str], tags: list[str]) -> str:
        cells = [
            f"<{tag}{style}>{escape(cell)}</{tag.split()[0]}>"
            for tag, style, cell in zip(tags, styles, row, strict=True)
        ]
        return f"<tr>{''.join(cells)}</tr>"

    head = line(header, ['th scope="col"'] * len(header))
    body = [line(row, ['th scope="row"', *["td"] * (len(row) - 1)]) for row in rows]
    return "\n".join(
        ["<table>", "<thead>", head, "</thead>", "<tbody>", *body, "</tbody>", "</table>"]
    )


def _sides(frame: pd.DataFrame, right: Collection[str]) -> str:
    return "l" + "".join("r" if name in right else "l" for name in frame.columns)


def _markdown(cell: str) -> str:
    return _MARKUP.sub(lambda found: f"\\{found[0]}", cell).replace(MINUS, "-")


def _latex(cell: str) -> str:
    cell = re.sub("-(?=-)", "-\0", cell)  # "--" would become a dash
    return "".join(_LATEX.get(character, character) for character in cell).replace("\0", "{}")


def _unread(line: str) -> str:
    """Protect a first character that LaTeX would read as an option of the line before."""
    return f"{{{line[0]}}}{line[1:]}" if line[:1] in ("[", "*") else line


def _texts(frame: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    header = [_line(frame.index.name or ""), *map(_line, frame.columns)]
    rows = [
        [_line(index), *map(_line, row)]
        for index, row in zip(frame.index, frame.itertuples(index=False), strict=True)
    ]
    return header, rows


def _line(value: Any) -> str:
    return " ".join(str(value).split())


# The text of a table, and the columns that are aligned to the right.
Table = tuple[pd.DataFrame, Collection[str]]


Column = tuple[str, list[str]]


# What metrics are called, by their names.
Labels = Mapping[str, str]


DECISION = "decision"


# The columns whose sign is turned where a loss has a label, next to the HDI.
SIGNED = {"observed", "observed_a", "observed_b", "mean"}


# The codes of the decisions about a classifier of a ranking, against the best.
AGAINST_THE_BEST = {"equivalent": "~", "open": "<", "worse": "<<"}


class RopeTables:
    """Base class of results whose tables take a ROPE."""

    def to_latex(
        self,
        rope: Any = None,
        *,
        prob: float = 0.95,
        mcse: bool = False,
        labels: Labels | None = None,
    ) -> str:
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
        labels : dict of str to str, default=None
            What metrics are called, such as {"roc_auc": "ROC AUC"}. In a table of classifiers, the
            label of the metric stands above the observed values. Under a label, scores with a
            minus sign are written without it: with {"neg_brier_score": "Brier score"}, smaller
            numbers are better, and a negative difference speaks for A.

        Returns
        -------
        table : str
            For a comparison, the columns are the observed metric values, the mean and standard
            deviation of the difference A minus B, the probabilities that A is worse, inside the
            ROPE and better, the HDI and, with a ROPE, the decision: the symbol of what is settled,
            or "not settled". For a ranking, they are the observed metric value, its mean, standard
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
        return latex_table(*self._table(rope, prob, mcse, labels))

    def to_markdown(
        self,
        rope: Any = None,
        *,
        prob: float = 0.95,
        mcse: bool = False,
        labels: Labels | None = None,
    ) -> str:
        """Return the result as a Markdown table.

        The parameters and the columns are those of `to_latex`.
        """
        return markdown_table(*self._table(rope, prob, mcse, labels))

    def to_html(
        self,
        rope: Any = None,
        *,
        prob: float = 0.95,
        mcse: bool = False,
        labels: Labels | None = None,
    ) -> str:
        """Return the result as an HTML table, with escaped names.

        The parameters and the columns are those of `to_latex`.
        """
        return html_table(*self._table(rope, prob, mcse, labels))

    def _table(self, rope: Any, prob: float, mcse: bool, labels: Labels | None) -> Table:
        """Return the text of the table, and the columns that are aligned to the right."""
        raise NotImplementedError


class ComparisonTables(RopeTables, PosteriorView):
    """Base class of comparisons of two classifiers."""

    def _table(self, rope: Any, prob: float, mcse: bool, labels: Labels | None) -> Table:
        a, b = self._names
        return comparison_table(self._posterior, self._metrics, (a, b), rope, prob, mcse, labels)


def comparison_table(
    posterior: Posterior,
    metrics: Mapping[str, Metric],
    names: tuple[str, str],
    rope: Any,
    prob: float,
    mcse: bool,
    labels: Labels | None = None,
) -> Table:
    """Return the table of a comparison, with one row per metric."""
    warn_of_one_rope(rope, metrics.values())
    rows = [summary_row(posterior, metric, names, rope, prob) for metric in metrics.values()]
    summary = pd.DataFrame(rows)
    observed = [posterior.observed(metric) for metric in metrics.values()]
    summary["observed_a"], summary["observed_b"] = zip(*observed, strict=True)
    index = pd.Index(name_metrics(summary, list(metrics), labels), name="metric")
    digits = [decimals(sd) for sd in summary["sd"]]
    columns = [
        (name, _rounded(summary[f"observed_{k}"], digits))
        for k, name in zip("ab", names, strict=True)
    ]
    columns += _location(summary, digits, mcse)
    columns.append(("P(worse)", _percentages(summary["p_worse"], prob)))
    if rope is not None or (summary["p_rope"] > 0).any():
        where = "P(in ROPE)" if rope is not None else "P(equal)"
        columns.append((where, _percentages(summary["p_rope"], prob)))
    columns.append(("P(better)", _percentages(summary["p_better"], prob)))
    columns += _interval(summary, digits, prob, mcse)
    if rope is not None:
        columns.append((DECISION, [in_a_table(code) for code in summary["decision"]]))
    return _joined(columns, index)


def score_table(
    posterior: Posterior,
    metrics: Mapping[str, Metric],
    prob: float,
    mcse: bool,
    labels: Labels | None = None,
) -> Table:
    """Return the table of one classifier, with one row per metric."""
    summary = pd.DataFrame([score_row(posterior, metric, prob) for metric in metrics.values()])
    index = pd.Index(name_metrics(summary, list(metrics), labels), name="metric")
    digits = [decimals(sd) for sd in summary["sd"]]
    columns = [("observed", _rounded(summary["observed"], digits))]
    columns += _location(summary, digits, mcse)
    columns += _interval(summary, digits, prob, mcse)
    return _joined(columns, index)


def ranking_table(
    table: pd.DataFrame,
    decision: RankingDecision | None,
    prob: float,
    mcse: bool,
    metric: str,
    labels: Labels | None = None,
) -> Table:
    """Return the table of a ranking, with one row per classifier, the best first.

    `table` has the columns of `Ranking.ranking`, and sd, mcse and hdi_mcse.
    """
    observed = name_observed(table, metric, labels)
    digits = [decimals(sd) for sd in table["sd"]]
    columns = [(observed, _rounded(table["observed"], digits))]
    columns += _location(table, digits, mcse)
    columns += _interval(table, digits, prob, mcse)
    columns.append(("P(best)", _percentages(table["p_best"], prob)))
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
        columns.append(("P(equivalent)", _percentages(chances, prob)))
        columns.append((DECISION, [symbols[name] for name in table.index]))
    return _joined(columns, table.index)


def name_metrics(table: pd.DataFrame, metrics: Sequence[str], labels: Labels | None) -> list[str]:
    """Return what the metrics of the rows are called; turn the sign of rows of labelled losses."""
    called = check_metric_labels(labels)
    turned = [name in called and name.startswith("neg_") for name in metrics]
    if any(turned):
        for column in SIGNED & set(table.columns):
            table.loc[turned, column] *= -1
        ends = table.loc[turned, ["hdi_high", "hdi_low"]]
        table.loc[turned, ["hdi_low", "hdi_high"]] = -ends.to_numpy()
    return [called.get(name, name) for name in metrics]


def name_observed(table: pd.DataFrame, metric: str, labels: Labels | None) -> str:
    """Return what the observed values of a metric are called, in a table of that metric alone."""
    name_metrics(table, [metric] * len(table), labels)
    return (labels or {}).get(metric, "observed")


def written_ranks(low: int, high: int) -> str:
    """Return an interval of ranks as text."""
    return str(low) if low == high else f"{low} to {high}"


def _location(summary: pd.DataFrame, digits: list[int], mcse: bool) -> list[Column]:
    found = [("mean", _rounded(summary["mean"], digits)), ("std", _rounded(summary["sd"], digits))]
    return [*found, ("mcse", _errors(summary["mcse"]))] if check_flag(mcse, "mcse") else found


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


def _percentages(values: Any, prob: float) -> list[str]:
    return [format_probability(value, threshold=prob) for value in values]


def _joined(columns: list[Column], index: pd.Index) -> Table:
    names = [name for name, _ in columns]
    cells = list(zip(*(texts for _, texts in columns), strict=True))
    frame = pd.DataFrame(cells, index=index, columns=names, dtype=object)
    return frame, [name for name in names if name != DECISION]
