"""Pages and fragments of HTML, with figures as SVG; all that comes from data is escaped.

Pages follow the reader's colours. Figures are drawn by the displays on a `Figure` of their own, so
that pyplot is not touched, and stand in the page as images of SVG. The pages are plain strings;
whatever comes from data passes functions of this module, which escape it.
"""

from __future__ import annotations

import io
import re
import warnings
from base64 import b64encode
from collections.abc import Callable, Iterable
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from skbayeseval._files import check_path, check_place, written_whole
from skbayeseval._validation import UNWRITABLE

# The style of results in notebooks and on pages, and of pages only. Colours follow the notebook or
# the browser, light or dark: lines have the colour of its text.
_STYLE, _PAGE_STYLE = (
    "\n" + (Path(__file__).parent / name).read_text(encoding="utf-8")
    for name in ("_html.css", "_page.css")
)

# The columns of tables that are aligned to the left.
LEFT = ("decision", "note")


def text(value: Any) -> str:
    """Return any value as text of HTML, in which nothing is markup and all can be written."""
    written = UNWRITABLE.sub(lambda found: ascii(found[0])[1:-1], str(value))
    return escape(written, quote=True)


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


def html_table(frame: pd.DataFrame, caption: str = "") -> str:
    """Return a data frame of text as an HTML table, with its index as the first column.

    Examples
    --------
    >>> import pandas as pd
    >>> from skbayeseval._html import html_table
    >>> '<th scope="row">&lt;b&gt;</th>' in html_table(pd.DataFrame({"f1": ["0.9"]}, index=["<b>"]))
    True
    """
    right = ["" if name in LEFT else ' style="text-align: right"' for name in frame.columns]
    names = zip(right, frame.columns, strict=True)
    head = "".join(f'<th scope="col"{style}>{text(name)}</th>' for style, name in names)
    lines = [f'<tr><th scope="col">{text(frame.index.name or "")}</th>{head}</tr>']
    for name, *row in frame.itertuples(name=None):
        cells = zip(right, row, strict=True)
        inside = "".join(f"<td{style}>{text(cell)}</td>" for style, cell in cells)
        lines.append(f'<tr><th scope="row">{text(name)}</th>{inside}</tr>')
    above = [f"<caption>{text(caption)}</caption>"] if caption else []
    head_and_body = ["<thead>", lines[0], "</thead>", "<tbody>", *lines[1:], "</tbody>"]
    return "\n".join(["<table>", *above, *head_and_body, "</table>"])


def frame_table(frame: pd.DataFrame, caption: str = "") -> str:
    """Return a table of a page or notebook, which may be wider than that."""
    return f'<div class="scroll">{html_table(frame, caption)}</div>'


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


def section(title: str, *parts: str, level: int = 2) -> str:
    """Return a section of a page; nothing if it has no parts."""
    inside = "".join(parts)
    heading = f"<h{level}>{text(title)}</h{level}>"
    return f"<section>{heading}{inside}</section>" if inside else ""


def folded(title: str, *parts: str) -> str:
    """Return parts that the reader unfolds."""
    return f"<details><summary>{text(title)}</summary>{''.join(parts)}</details>"


def block(*parts: str) -> str:
    """Return what a notebook shows of a result, with a style of its own."""
    return f'<div class="skbayeseval"><style>{_STYLE}</style>{"".join(parts)}</div>'


def document(title: str, headline: str, *parts: str) -> str:
    """Return a whole page: what it is about, what it says first, and its sections."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{text(title)}</title>\n<style>{_STYLE}{_PAGE_STYLE}</style>\n</head>\n<body>\n"
        '<main class="skbayeseval">\n'
        f"<header><p>{text(title)}</p><h1>{text(headline)}</h1></header>\n"
        + "\n".join(filter(None, parts))
        + "\n</main>\n</body>\n</html>\n"
    )


def write_page(path: str | PathLike[str], page: Callable[[], str]) -> None:
    """Write what `page` returns to a file, which is replaced only when all of it is written."""
    if Path(check_path(path)).suffix.lower() not in ("", ".html", ".htm"):
        raise ValueError(f"path must end in .html, since the page is HTML, got {str(path)!r}.")
    check_place(path)
    made = page()
    with written_whole(path) as temporary:
        Path(temporary).write_text(made, encoding="utf-8", newline="\n")


# In inches: so narrow that text can still be read on a telephone.
WIDTH = 5.4


def inline_svg(
    draw: Callable[..., object], label: str, *, size: tuple[float, float] = (WIDTH, 2.9)
) -> str:
    """Return a figure as an HTML image that needs no file, or a note if it cannot be drawn.

    Parameters
    ----------
    draw : callable
        A function that draws on the matplotlib Axes that it is given as `ax`.
    label : str
        What the figure shows, for those who cannot see it.
    size : (float, float), default=(5.4, 2.9)
        The width and height in inches.
    """
    written = io.BytesIO()
    try:
        from matplotlib.figure import Figure

        figure = Figure(figsize=size, layout="constrained")
        with warnings.catch_warnings():  # characters that the font lacks are drawn as boxes
            warnings.simplefilter("ignore", UserWarning)
            draw(ax=figure.subplots())
            figure.savefig(written, format="svg", metadata={"Date": None})
    except Exception as error:  # a figure that fails must not hide the rest
        return f"<p>The figure could not be drawn: {text(error)}</p>"
    # Random ids are numbered, so that the same figure is the same text.
    numbers: dict[bytes, bytes] = {}
    drawing = re.sub(
        rb"\b(?:[a-z]|image)[0-9a-f]{10}\b",
        lambda found: numbers.setdefault(found[0], b"id%d" % len(numbers)),
        written.getvalue(),
    )
    data = b64encode(drawing).decode()
    return f'<figure><img alt="{text(label)}" src="data:image/svg+xml;base64,{data}"></figure>'
