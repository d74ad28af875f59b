"""Pieces of HTML. Whatever comes from data is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import pandas as pd

__all__ = [
    "block",
    "frame_table",
    "lines",
    "listed",
    "note",
    "paragraphs",
    "row",
    "section",
    "shares",
    "table",
    "text",
    "verdict",
]


def text(value: Any) -> str:
    """Return any value as text of HTML, in which nothing is markup."""
    return escape(str(value), quote=True)


def paragraphs(words: str) -> str:
    """Return text as HTML paragraphs, which blank lines separate."""
    parts = filter(None, (part.strip() for part in words.split("\n\n")))
    return "".join(f"<p>{text(' '.join(part.split()))}</p>" for part in parts)


def lines(words: str) -> str:
    """Return text as one HTML paragraph that keeps its lines."""
    return f"<p>{'<br>'.join(text(line.strip()) for line in words.splitlines())}</p>"


def note(words: str) -> str:
    """Return text as an HTML paragraph of lesser weight."""
    return f'<p class="note">{text(words)}</p>'


def listed(items: Iterable[tuple[str, Any]]) -> str:
    """Return pairs of a term and its value as an HTML description list."""
    rows = "".join(f"<dt>{text(term)}</dt><dd>{text(value)}</dd>" for term, value in items)
    return f"<dl>{rows}</dl>"


def table(header: Sequence[Any], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """Return an HTML table; the first cell of each row is its header.

    Examples
    --------
    >>> from skbayeseval.pages.elements import table
    >>> '<th scope="row">&lt;b&gt;</th><td>0.9</td>' in table(["name", "f1"], [["<b>", "0.9"]])
    True
    """
    above = f"<caption>{text(caption)}</caption>" if caption else ""
    head = "".join(f'<th scope="col">{text(cell)}</th>' for cell in header)
    body = "".join(
        f'<tr><th scope="row">{text(first)}</th>'
        + "".join(f"<td>{text(cell)}</td>" for cell in others)
        + "</tr>"
        for first, *others in rows
    )
    return (
        f'<div class="scroll"><table>{above}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def frame_table(frame: pd.DataFrame, caption: str = "") -> str:
    """Return a data frame of text as an HTML table with its index as the first column."""
    rows = zip(frame.index, frame.itertuples(index=False, name=None), strict=True)
    header = [frame.index.name or "", *frame.columns]
    return table(header, ([index, *row] for index, row in rows), caption)


def row(*parts: str) -> str:
    """Return parts that stand side by side where there is room."""
    return f'<div class="row">{"".join(parts)}</div>'


def shares(parts: Iterable[tuple[str, float, str]]) -> str:
    """Return a bar of probabilities, each with its name and colour."""
    found = list(parts)
    bar = "".join(
        f'<span style="width:{100 * share:.2f}%;background:{text(colour)}"></span>'
        for _, share, colour in found
    )
    names = "".join(
        f'<span><b style="background:{text(colour)}"></b>{text(name)}</span>'
        for name, _, colour in found
    )
    return f'<div class="shares">{bar}</div><div class="names">{names}</div>'


def section(title: str, *parts: str) -> str:
    """Return a section of a page; nothing if it has no parts."""
    inside = "".join(parts)
    return f"<section><h2>{text(title)}</h2>{inside}</section>" if inside else ""


def verdict(*parts: str) -> str:
    """Return what a page says first."""
    return f'<div class="verdict">{"".join(parts)}</div>'


def block(*parts: str) -> str:
    """Return what a notebook shows of a result, with a style of its own."""
    return f'<div class="skbayeseval"><style>{_STYLE}</style>{"".join(parts)}</div>'


# Colours follow the notebook, light or dark: text and lines have the colour of its text.
_STYLE = (
    ".skbayeseval{max-width:48em}"
    ".skbayeseval p{margin:.4em 0}"
    ".skbayeseval .note{opacity:.75;font-size:.92em}"
    ".skbayeseval .scroll{overflow-x:auto}"
    ".skbayeseval table{border-collapse:collapse;margin:.6em 0}"
    ".skbayeseval th,.skbayeseval td{padding:.25em .7em;text-align:right}"
    ".skbayeseval th:first-child{text-align:left}"
    ".skbayeseval thead th{border-bottom:1px solid currentColor;overflow-wrap:anywhere;"
    "min-width:6em}"
    ".skbayeseval td{white-space:nowrap}"
    ".skbayeseval .shares{display:flex;height:.7em;max-width:30em}"
    ".skbayeseval .names>span{margin-right:1.2em}"
    ".skbayeseval .names b{display:inline-block;width:.7em;height:.7em;margin-right:.4em}"
    ".skbayeseval figure{margin:.6em 0}"
    ".skbayeseval svg{max-width:100%;height:auto}"
)
