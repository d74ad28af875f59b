"""Draw the logo: the posterior of a difference, and how much of it lies beyond zero.

``python tools/logo.py`` writes ``docs/_static/logo.svg``, for light pages, and ``logo-dark.svg``.
"""

import math
from pathlib import Path

STATIC = Path(__file__).parents[1] / "docs" / "_static"
# The colours of the area beyond zero, of the rest, and of the line at zero.
COLOURS = {
    "logo.svg": ("#0072B2", "#B8B8B8", "#333333"),
    "logo-dark.svg": ("#56B4E9", "#6E6E6E", "#E6E6E6"),
}
SIZE, BOTTOM, HEIGHT, ZERO = 64, 54, 46, 23


def area(start: int, stop: int) -> str:
    """Return the path around what lies below a normal curve between two places."""
    points = (
        f"{x / 2:g},{BOTTOM - HEIGHT * math.exp(-0.5 * ((x / 2 - 34) / 10) ** 2):.2f}"
        for x in range(2 * start, 2 * stop + 1)
    )
    return f"M{start},{BOTTOM} L{' '.join(points)} L{stop},{BOTTOM} Z"


def logo(beyond: str, rest: str, line: str) -> str:
    """Return the logo in these colours as SVG."""
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}">
<title>skbayeseval</title>
<path fill="{rest}" d="{area(2, ZERO)}"/>
<path fill="{beyond}" d="{area(ZERO, SIZE - 2)}"/>
<path stroke="{line}" stroke-width="3" stroke-linecap="round" d="M{ZERO},6 V60"/>
</svg>
"""


if __name__ == "__main__":
    for name, colours in COLOURS.items():
        (STATIC / name).write_text(logo(*colours), encoding="utf-8")
