"""Names and sentences that fit into a figure: wrapped, or shortened but still distinct."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["MINUS", "PairWords", "pair_words", "plain", "shorten", "text_width", "wrap"]

MINUS = "\N{MINUS SIGN}"


def plain(text: str) -> str:
    """Escape $, so that matplotlib does not parse the text as mathematics."""
    return text.replace("$", r"\$")


def text_width(text: str, size: float) -> float:
    """Return the width in inches of one line of text, for a font size in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    width, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), False)
    return width / 72


def wrap(text: str, inches: float, size: float) -> str:
    """Break each line of the text where it is wider than this."""

    def wrapped(line: str) -> list[str]:
        width = text_width(line, size)
        if width <= inches:
            return [line]
        most = max(8, int(0.95 * len(line) * inches / width))
        return textwrap.wrap(line, most, break_on_hyphens=False)

    return "\n".join(part for line in text.split("\n") for part in wrapped(line))


def shorten(names: Sequence[str], inches: float, size: float) -> list[str]:
    """Shorten names that are wider than this; different names stay different.

    A name loses its middle. If that makes two names alike, it loses what is around the first
    place where it differs from the most similar name; failing that, names are numbered.

    Examples
    --------
    >>> from skbayeseval.display.words import shorten
    >>> shorten(["SVC", "pipeline(PCA(20), SVC(C=1))", "pipeline(PCA(20), SVC(C=10))"], 1.2, 10)
    ['SVC', 'pipeline…C(C=1))', 'pipeline…(C=10))']
    """
    widest = max(names, key=len, default="")
    if not names or max(text_width(name, size) for name in names) <= inches:
        return list(names)
    most = max(6, int(len(widest) * inches / max(text_width(widest, size), 1e-9)))
    for cut in (_without_middle, _around_difference, _numbered):
        found = cut(names, most)
        if len(set(found)) == len(set(names)):
            break
    return found


def _without_middle(names: Sequence[str], most: int) -> list[str]:
    head = most // 2
    tail = most - 1 - head
    return [name if len(name) <= most else f"{name[:head]}…{name[-tail:]}" for name in names]


def _around_difference(names: Sequence[str], most: int) -> list[str]:
    found = []
    head = most // 4
    for name in names:
        if len(name) <= most:
            found.append(name)
            continue
        start = max(_common(name, other) for other in names if other != name)
        start = min(max(start - 2, head), len(name) - (most - head - 2))
        end = start + most - head - 2
        found.append(f"{name[:head]}…{name[start:end]}" + ("…" if end < len(name) else ""))
    return found


def _common(a: str, b: str) -> int:
    """Return the length of the common beginning."""
    return next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(map(len, (a, b)))
    )


def _numbered(names: Sequence[str], most: int) -> list[str]:
    return [f"{i}: {name[: max(most - len(f'{i}: ') - 1, 1)]}…" for i, name in enumerate(names, 1)]


class PairWords(NamedTuple):
    """What a figure calls A and B, and the key if that is not their names.

    Attributes
    ----------
    a, b : str
        The names, or the letters A and B.
    key : str
        Two lines that tell which name each letter stands for; empty if there are no letters.
    """

    a: str
    b: str
    key: str


def pair_words(names: tuple[str, str], inches: float, line: float, size: float) -> PairWords:
    """Return the names if they are not wider than `inches`, otherwise letters with a key.

    `line` is the width of a line of the key in inches, and `size` the font size of both in points.
    """
    a, b = map(plain, names)
    if max(text_width(name, size) for name in names) <= inches:
        return PairWords(a, b, "")
    long_a, long_b = map(plain, shorten(names, line - text_width("A: ", size), size))
    return PairWords("A", "B", f"A: {long_a}\nB: {long_b}")
