"""The results of `benchmarks.bench` as text, and as the table of docs/performance.md."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

__all__ = ["as_markdown", "as_text", "write_into"]

BEGIN = "<!-- performance: printed by make bench -->"
END = "<!-- end of performance -->"

# What docs/performance.md shows; all the rest is in results.json.
SHOWN = (
    "paired-50000",
    "hierarchical",
    "multilabel",
    "thousand-classes",
    "many-classifiers",
    "roc-auc",
    "cross-validation",
    "pymc",
    "prob_conf_mat",
)


def number(value: float | None, unit: str = "ratio") -> str:
    """Return a value in words: 1.3, 0.25, 1/40."""
    if value is None:
        return "not installed"
    if unit == "MB":
        return f"{value:.0f} MB"
    if unit == "ratio" and value < 0.1:
        return f"1/{float(f'{1 / value:.2g}'):,.0f}"
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"


def cells(row: dict[str, Any]) -> tuple[str, str, str, str]:
    """Return job, against, and what was found with one thread and with two."""
    two_threads = "" if row["two_threads"] is None else number(row["two_threads"])
    return row["job"], row["against"], number(row["value"], row["unit"]), two_threads


def as_text(results: dict[str, Any]) -> str:
    """Return the whole table for a terminal."""
    lines = [("job", "against", "one thread", "two threads")]
    lines += [cells(row) for row in results["rows"]]
    printed = []
    for job, against, *found in lines:
        columns = [textwrap.wrap(job, 50), textwrap.wrap(against, 40), found[:1], found[1:]]
        for k in range(max(map(len, columns))):
            parts = [column[k] if k < len(column) else "" for column in columns]
            printed.append(f"{parts[0]:52}{parts[1]:42}{parts[2]:>13}{parts[3]:>13}".rstrip())
    return "\n".join([*printed, "", *textwrap.wrap(conditions(results), 120)])


def as_markdown(results: dict[str, Any]) -> str:
    """Return the table of docs/performance.md and how it was measured."""
    rows = {name: [row for row in results["rows"] if row["name"] == name] for name in SHOWN}
    lines = ["| job | against | one thread | two threads |", "| --- | --- | --- | --- |"]
    lines += [f"| {' | '.join(cells(row))} |" for of_name in rows.values() for row in of_name]
    return "\n".join([*lines, "", *textwrap.wrap(conditions(results), 118)])


def conditions(results: dict[str, Any]) -> str:
    """Return how, when and with what the results were measured."""
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    return (
        "Our time divided by that of the other, run by turns, median of several rounds; of growth, "
        f"the exponent. {results['date']}, {results['cores']} cores, Python {results['python']}, "
        f"{versions}."
    )


def write_into(path: Path, results: dict[str, Any]) -> None:
    """Renew the table in a file, between its marks."""
    before, begin, rest = path.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{path} has no lines {BEGIN!r} and {END!r} to write between.")
    path.write_text(f"{before}{BEGIN}\n{as_markdown(results)}\n{END}{after}")
