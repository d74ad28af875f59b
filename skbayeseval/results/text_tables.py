"""Results as tables of text, and such tables in LaTeX, Markdown and HTML."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval._html import LEFT
from skbayeseval._validation import check_flag, check_metric_labels
from skbayeseval.judgement.decision import IN_TABLES, format_probability
from skbayeseval.judgement.ranking_decision import Tiers
from skbayeseval.metrics.metric import Metric

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
_MARKUP = re.compile(r"[\\|*`~$]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=\()")

MINUS = "\N{MINUS SIGN}"

# If a standard deviation is 0, this many decimals are shown; more than the most never are.
USUAL_DECIMALS, MOST_DECIMALS = 4, 8

# So many significant digits tell a float from all others.
EXACT_DIGITS = 17

# What metrics are called, by their names; None if that is their names.
Labels = Mapping[str, str] | None

# What columns of summaries are called in tables.
TITLES = {
    "sd": "std",
    "p_worse": "P(worse)",
    "p_rope": "P(in ROPE)",
    "p_better": "P(better)",
    "p_best": "P(best)",
    "p_equivalent": "P(equivalent)",
    "hdi_low": "interval",
    "alone_low": "interval, alone",
    "hdi_mcse": "interval mcse",
    "r_hat": "R-hat",
    "n_groups": "groups",
}

# The columns of the ends of intervals.
LOW_ENDS, HIGH_ENDS = ("hdi_low", "alone_low"), ("hdi_high", "alone_high")

# Columns that are left out unless Monte Carlo errors are asked for.
ERRORS = ["mcse", "hdi_mcse", "ess", "r_hat"]

# The mean, in tables of several of which the best is chosen: it allows for that.
ESTIMATE = "estimate"

# Printed tables have so many characters on a line, and names that are shortened so many at least.
PAGE, LEAST_NAME = 80, 12

# The codes of the decisions about a classifier, against the best.
AGAINST_THE_BEST = {"equivalent": "~", "open": "?", "worse": "<<"}

# Columns whose sign is turned where a loss has a label, next to the HDI.
SIGNED = ("observed", "observed_a", "observed_b", "completed", "mean")


def decimals(sd: float) -> int:
    """Return the number of decimals that shows two digits of a standard deviation."""
    if not 0 < sd < math.inf:
        return USUAL_DECIMALS
    # Rounded first, since 0.00996 is shown as 0.010.
    magnitude = math.floor(math.log10(float(f"{sd:.1e}")))
    return min(max(1 - magnitude, 0), MOST_DECIMALS)


def fixed(value: float, digits: int) -> str:
    """Return the number with so many decimals, and a minus sign in place of a hyphen."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:  # not -0.00
        text = text.lstrip("-")
    return text.replace("-", MINUS)


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
        inner = ", ".join(format_value(part, digits) for part in value)
        return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
    if isinstance(value, type) or callable(value):
        return str(getattr(value, "__name__", value))
    return " ".join(str(value).split())


def format_values(values: Sequence[Any], digits: int = 4) -> list[str]:
    """Return values of one parameter as short text, with the digits that tell them apart.

    Examples
    --------
    >>> from skbayeseval.results.text_tables import format_values
    >>> format_values([0.1, 10.0, 10.001])
    ['0.1', '10', '10.001']
    """
    exact = [format_value(value, EXACT_DIGITS) for value in values]
    for number in range(digits, EXACT_DIGITS):
        texts = [format_value(value, number) for value in values]
        if len(set(texts)) == len(set(exact)):
            return texts
    return exact


def as_text(
    summary: pd.DataFrame,
    prob: float = 0.95,
    *,
    rope: bool = True,
    mcse: bool = False,
    titles: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return a summary as text: rounded by row, with intervals and what is decided in words.

    Parameters
    ----------
    summary : pandas.DataFrame
        A summary, with columns such as "mean", "sd", "hdi_low" and "p_better"; others are written
        as they are.
    prob : float, default=0.95
        The probability mass of intervals.
    rope : bool, default=True
        Whether there is a ROPE; otherwise nothing is decided.
    mcse : bool, default=False
        Whether to show Monte Carlo errors.
    titles : mapping of str to str, default=None
        What further columns are called.
    """
    called = {**TITLES, **(titles or {})}
    left_out = [] if check_flag(mcse, "mcse") else ERRORS
    if not rope:
        left_out = [*left_out, "decision"]
        called["p_rope"] = "P(equal)"
        if "p_rope" in summary and not (summary["p_rope"] > 0).any():
            left_out.append("p_rope")
    # A quarter of an interval is about a standard deviation.
    spread = summary["sd"] if "sd" in summary else (summary["hdi_high"] - summary["hdi_low"]) / 4
    digits = [decimals(sd) for sd in spread]
    if summary.index.name != "metric":  # all rows are on one scale
        digits = [sorted(digits)[len(digits) // 2]] * len(digits)
    columns = []
    for name in summary.columns:
        if name in left_out or name in HIGH_ENDS:
            continue
        cells = [_cell(str(name), *cell, prob) for cell in zip(summary[name], digits, strict=True)]
        title = called.get(name, str(name))
        if name in LOW_ENDS:
            title = f"{100 * prob:.3g}% {title}"
            high = HIGH_ENDS[LOW_ENDS.index(name)]
            ends = zip(cells, summary[high], digits, strict=True)
            cells = [low and f"[{low}, {fixed(value, n)}]" for low, value, n in ends]
        columns.append((title, cells))
    rows = list(zip(*(cells for _, cells in columns), strict=True))
    return pd.DataFrame(rows, summary.index, [title for title, _ in columns], dtype=object)


def _cell(name: str, value: Any, digits: int, prob: float) -> str:
    """Return a cell of a column of a summary as text."""
    if name == "decision":
        return IN_TABLES.get(value, str(value))
    if isinstance(value, str):
        return value
    if math.isnan(value):
        return ""
    if name in (*SIGNED, *LOW_ENDS, "sd"):
        return fixed(value, digits)
    if name.endswith("mcse"):
        return fixed(value, decimals(value))
    if name.startswith("p_"):
        return format_probability(value, threshold=prob)
    return fixed(value, 3) if name == "r_hat" else f"{value:,.0f}"


def within(frame: pd.DataFrame, n_names: int = 0, *, shorter: bool = True) -> str:
    """Return a table of text as lines that fit a page, with shorter names if need be and allowed.

    Names are in the index and in the first `n_names` columns.
    """
    titles = list(map(str, frame.columns))
    columns = [["", *map(str, frame.index)]]
    columns += [[title, *frame.iloc[:, k]] for k, title in enumerate(titles)]
    widths = [max(map(len, column)) for column in columns]
    named, others = widths[: n_names + 1], widths[n_names + 1 :]
    for gap in (2, 1):
        room = PAGE - sum(others) - gap * (len(widths) - 1)
        fits = range(max(*named, LEAST_NAME), LEAST_NAME - 1, -1)
        most = next((m for m in fits if sum(min(w, m) for w in named) <= room), LEAST_NAME)
        if sum(min(width, most) for width in named) <= room:
            break
    if shorter:
        columns[: n_names + 1] = [_shortened(names, most) for names in columns[: n_names + 1]]
    aligned = [str.ljust, *[str.rjust] * len(titles)]
    cells = [
        [align(cell, max(map(len, column))) for cell in column]
        for align, column in zip(aligned, columns, strict=True)
    ]
    return "\n".join((" " * gap).join(row).rstrip() for row in zip(*cells, strict=True))


def _shortened(names: list[str], most: int) -> list[str]:
    """Return names of so many characters at most that differ where the names do, if possible."""
    for tail in range(3, most - 3):
        head = most - 3 - tail
        short = [f"{name[:head]}...{name[-tail:]}" if len(name) > most else name for name in names]
        if len(set(short)) == len(set(names)):
            return short
    # Where only the middle differs, both ends are cut off.
    letters = zip(*(name for name in names if len(name) > most), strict=False)
    start = next((k for k, found in enumerate(letters) if len(set(found)) > 1), 0)
    short = [f"...{name[start:][: most - 6]}..." if len(name) > most else name for name in names]
    return short if len(set(short)) == len(set(names)) else names


def with_letters(names: Sequence[str]) -> list[str]:
    """Return names with the letters that stand for them in the columns of a table."""
    return [
        name if name == one else f"{name} ({one})" for name, one in zip(names, "AB", strict=True)
    ]


def name_metrics(table: pd.DataFrame, metrics: Sequence[str], labels: Labels) -> list[str]:
    """Return what the metrics of the rows are called; turn the sign of rows of labelled losses."""
    called = check_metric_labels(labels)
    turned = [name in called and name.startswith("neg_") for name in metrics]
    if any(turned):
        for column in set(SIGNED) & set(table.columns):
            table.loc[turned, column] *= -1
        ends = table.loc[turned, ["hdi_high", "hdi_low"]]
        table.loc[turned, ["hdi_low", "hdi_high"]] = -ends.to_numpy()
    return [called.get(name, name) for name in metrics]


def name_observed(table: pd.DataFrame, metric: str, labels: Labels) -> dict[str, str]:
    """Return what observed values are called in a table of one metric; turn signs as above."""
    name_metrics(table, [metric] * len(table), labels)
    return {"observed": (labels or {}).get(metric, "observed")}


def by_model_and_prior(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of other priors with one column for the model and the prior."""
    return table.set_axis(pd.Index(map(", ".join, table.index), name="model, prior"))


def in_tiers(table: pd.DataFrame, tiers: Tiers) -> pd.DataFrame:
    """Return a table of text in the order of tiers, with their numbers before all else."""
    numbers = tiers.numbers()
    table = table.loc[list(numbers)]
    table.insert(0, "tier", list(map(str, numbers.values())))
    return table


def markdown_table(frame: pd.DataFrame) -> str:
    """Return a data frame of text as a Markdown table; the index is the first column."""
    rows, sides = _cells(frame)
    lines = [f"| {' | '.join(map(_markdown, row))} |" for row in rows]
    rules = [" --- " if side == "l" else " ---: " for side in sides]
    return "\n".join([lines[0], f"|{'|'.join(rules)}|", *lines[1:]])


def latex_table(frame: pd.DataFrame) -> str:
    """Return a data frame of text as a LaTeX tabular with booktabs rules."""
    rows, sides = _cells(frame)
    lines = [" & ".join(map(_latex, row)) for row in rows]
    # LaTeX would read these characters as an option of the line before.
    lines = [f"{{{line[0]}}}{line[1:]}" if line[:1] in ("[", "*") else line for line in lines]
    head, *body = (f"{line} \\\\" for line in lines)
    begin = f"\\begin{{tabular}}{{{sides}}}"
    end = ["\\bottomrule", "\\end{tabular}"]
    return "\n".join([begin, "\\toprule", head, "\\midrule", *body, *end])


def _cells(frame: pd.DataFrame) -> tuple[list[list[str]], str]:
    """Return the text of each row, the header first, and the side of each column: "l" or "r"."""
    header = (frame.index.name or "", *frame.columns)
    rows = [
        [" ".join(str(cell).split()) for cell in row]
        for row in [header, *frame.itertuples(name=None)]
    ]
    return rows, "l" + "".join("l" if name in LEFT else "r" for name in frame.columns)


def markdown_line(text: str) -> str:
    r"""Return a line of text that Markdown shows as it is, not as a heading or a list.

    Examples
    --------
    >>> from skbayeseval.results.text_tables import markdown_line
    >>> print(markdown_line("# 1 is *better* than <b>"))
    \# 1 is \*better\* than \<b>
    """
    # "::" at the beginning of a line is a command of GitHub's runners.
    return re.sub(r"^(\s*\d*)(?=[-#>+=:.)])", r"\1\\", _markdown(text))


def _markdown(cell: str) -> str:
    return _MARKUP.sub(lambda match: f"\\{match[0]}", cell).replace(MINUS, "-")


def _latex(cell: str) -> str:
    cell = re.sub("-(?=-)", "-\0", cell)  # "--" would become a dash
    return "".join(_LATEX.get(character, character) for character in cell).replace("\0", "{}")


def table_of_one(
    result: Any, prob: float = 0.95, mcse: bool = False, labels: Labels = None
) -> pd.DataFrame:
    """Return the text of the table of one classifier, with one row per metric."""
    summary = result.summary(prob=prob)
    summary.index = pd.Index(name_metrics(summary, result.metrics, labels), name="metric")
    return as_text(summary, prob, mcse=mcse)


def table_of_pair(
    result: Any,
    rope: Any = None,
    prob: float = 0.95,
    mcse: bool = False,
    labels: Labels = None,
) -> pd.DataFrame:
    """Return the text of the table of two classifiers, with one row per metric."""
    summary = result.summary(rope, prob=prob)
    observed = [result._posterior.observed(metric) for metric in result._metrics.values()]
    for position, values in enumerate(zip(*observed, strict=True)):
        summary.insert(position, ("observed_a", "observed_b")[position], values)
    summary.index = pd.Index(name_metrics(summary, result.metrics, labels), name="metric")
    titles = dict(zip(("observed_a", "observed_b"), result.names, strict=True))
    return as_text(summary, prob, rope=rope is not None, mcse=mcse, titles=titles)


def table_of_many(
    ranking: Any,
    rope: Any = None,
    prob: float = 0.95,
    mcse: bool = False,
    labels: Labels = None,
    metric: str | Metric | None = None,
) -> pd.DataFrame:
    """Return the text of the table of several, with one row per classifier, the best first."""
    table, which = ranking.ranking(prob=prob, metric=metric), ranking._metric(metric)
    of_all = dict(zip(ranking.names, ranking._scores.values(which), strict=True))
    values = [of_all[name] for name in table.index]
    after = list(table).index("mean") + 1
    table.insert(after, "sd", [value.sd for value in values])
    table.insert(after + 1, "mcse", [value.mcse for value in values])
    table.insert(after + 4, "hdi_mcse", [value.hdi_mcse(prob) for value in values])
    ranks = zip(table["rank_low"], table["rank_high"], strict=True)
    table["rank"] = [f"{low}" if low == high else f"{low} to {high}" for low, high in ranks]
    if rope is not None:
        decision = ranking.decision(rope, prob, metric=which)
        states = decision.states()
        table["p_equivalent"] = [decision.p_equivalent[name] for name in table.index]
        table["decision"] = [
            "best" if name == decision.best_alone else AGAINST_THE_BEST[states[name]]
            for name in table.index
        ]
    titles = name_observed(table, which.name, labels) | {"mean": ESTIMATE}
    shown = table.drop(columns=["expected_rank", "rank_low", "rank_high"])
    return as_text(shown, prob, mcse=mcse, titles=titles)
