"""Figures as inline SVG, drawn without pyplot, in colours that follow the page."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from secrets import token_hex
from typing import Any
from xml.etree import ElementTree

from skbayeseval.pages.elements import text

__all__ = ["WIDTH", "inline_svg"]

Element = ElementTree.Element

# In inches: so narrow that text can still be read on a telephone.
WIDTH = 5.4

# References to elements of the same drawing.
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
# Black and dark greys, which would not be seen on a dark page.
_DARK = re.compile(r"\b(fill|stroke): #([0-7][0-9a-f])\2\2\b")


def inline_svg(
    draw: Callable[[Any], object],
    label: str,
    *,
    size: tuple[float, float] = (WIDTH, 2.9),
    prefix: str | None = None,
    paper: bool = False,
) -> str:
    """Return a figure as HTML, or a note if it cannot be drawn.

    Parameters
    ----------
    draw : callable
        A function that draws on the matplotlib Axes that it is given.
    label : str
        What the figure shows, for those who cannot see it.
    size : (float, float), default=(5.4, 2.9)
        The width and height in inches.
    prefix : str, default=None
        The beginning of all ids, which must be unique on a page. By default, a random one.
    paper : bool, default=False
        Whether the figure keeps its colours on a white ground. By default, black and white become
        the colour of the text and transparent.
    """
    try:
        drawing = ElementTree.fromstring(_svg(draw, size))
        _tidy(drawing, token_hex(4) if prefix is None else prefix)
        if not paper:
            _follow_the_page(drawing)
    except Exception as error:  # a figure that fails must not hide the rest
        return f"<p>The figure could not be drawn: {text(error)}</p>"
    drawing.set("role", "img")
    drawing.set("aria-label", label)
    kind = ' class="paper"' if paper else ""
    inside = ElementTree.tostring(drawing, encoding="unicode")
    return f"<figure{kind}>{inside}</figure>"


def _svg(draw: Callable[[Any], object], size: tuple[float, float]) -> str:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    written = io.StringIO()
    with warnings.catch_warnings():  # characters that the font lacks are drawn as boxes
        warnings.simplefilter("ignore", UserWarning)
        draw(figure.subplots())
        figure.savefig(written, format="svg", transparent=True)
    return written.getvalue()


def _tidy(drawing: Element, prefix: str) -> None:
    """Drop namespaces, metadata and the style that would leak, and make ids unique."""
    for parent in list(drawing.iter()):
        for child in list(parent):
            if child.tag.endswith(("}metadata", "}style")):
                parent.remove(child)
    drawing.set("stroke-linejoin", "round")
    used: dict[str, str] = {}

    def renamed(reference: str) -> str:
        return used.setdefault(reference, f"{prefix}-{len(used)}")

    for element in drawing.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.tail = None
        for name, value in list(element.attrib.items()):
            del element.attrib[name]
            plain = name.rpartition("}")[2]
            if plain == "href" and value.startswith("#"):
                value = f"#{renamed(value[1:])}"
            value = _REFERENCE.sub(lambda found: f"url(#{renamed(found[1])})", value)
            element.set(plain, " ".join(value.split()))
    for element in drawing.iter():
        name = element.attrib.pop("id", "")
        if name in used:
            element.set("id", used[name])


def _follow_the_page(drawing: Element) -> None:
    """Give what is black the colour of the page's text, and make white grounds transparent."""
    drawing.set("fill", "currentColor")
    for element in drawing.iter():
        style = element.get("style")
        if style is None:
            continue
        if element.tag == "path":
            style = style.replace("fill: #ffffff", "fill: none")
        element.set("style", _DARK.sub(_current, style))


def _current(found: re.Match[str]) -> str:
    """Return the colour of the text, the fainter the lighter the grey was."""
    attribute, grey = found[1], int(found[2], 16)
    faint = "" if grey < 0x20 else f"; {attribute}-opacity: {1 - grey / 255:.2g}"
    return f"{attribute}: currentColor{faint}"
