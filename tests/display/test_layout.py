"""In the gallery's figures, no text is cut off or covers another."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from skbayeseval.display import PosteriorDisplay
from skbayeseval.judgement import Interval
from tests.display.gallery import cases, draw

CASES = cases()

# Drawn in all layouts by the quick tests; the others are slow.
QUICK = [
    "heatmap-easy",
    "parameters-many",
    *(f"{kind}-long" for kind in ("posterior", "joint", "trace", "classes", "ranking")),
    *(f"{kind}-long" for kind in ("pairs", "forest", "power", "net_benefit")),
]

# One pixel of 100 in an inch is not seen.
TOLERANCE = 1.0


def shown_texts(figure):
    """Return the texts that are drawn, without ticks beyond the limits of their axis."""
    found = []
    axes = [one for ax in figure.axes for one in (ax, *ax.child_axes)]
    for ax in axes:
        found += [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
        if ax.get_legend() is not None:
            found += ax.get_legend().get_texts()
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            ticks = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=False)
            margin = 1e-9 * (high - low)
            found += [label for at, label in ticks if low - margin <= at <= high + margin]
    return [text for text in found if text.get_visible() and text.get_text().strip()]


def problems(figure):
    figure.set_dpi(100)
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    width, height = figure.canvas.get_width_height()
    texts = [(text, text.get_window_extent(renderer)) for text in shown_texts(figure)]
    found = []
    for text, box in texts:
        over = max(-box.x0, -box.y0, box.x1 - width, box.y1 - height)
        if over > TOLERANCE:
            found.append(f"{text.get_text()!r} is cut off by {over:.0f} pixels")
    straight = [(text, box) for text, box in texts if text.get_rotation() in (0, 90)]
    for (one, a), (other, b) in combinations(straight, 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        along = min(a.y1, b.y1) - max(a.y0, b.y0)
        if min(across, along) > TOLERANCE:
            found.append(f"{one.get_text()!r} and {other.get_text()!r} overlap")
    return found


@pytest.mark.parametrize("layout", ["pair-tight", "column-constrained"])
@pytest.mark.parametrize("name", QUICK)
def test_nothing_is_cut_off_or_covered(name, layout):
    assert problems(draw(CASES[name], layout)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_whole_gallery(name):
    for layout in ("own",) if name in QUICK else ("own", "pair-tight", "column-constrained"):
        assert problems(draw(CASES[name], layout)) == []


def test_axes_that_share_the_x_axis_have_one_label():
    figure, axes = plt.subplots(2, figsize=(6.5, 6), sharex=True, layout="constrained")
    draws = np.random.default_rng(0).normal(0.02, 0.01, 500)
    for ax in axes:
        PosteriorDisplay(draws, metric="f1", rope=Interval(-0.01, 0.01)).plot(ax)
    assert problems(figure) == []
    assert [ax.get_xlabel() for ax in axes] == ["", "difference in f1 (A minus B)"]
    # The legend follows what is above it, whether that are ticks and a label or only the axis.
    renderer = figure.canvas.get_renderer()
    gaps = [
        ax.get_tightbbox(renderer, bbox_extra_artists=[ax.xaxis]).y0
        - ax.get_legend().get_window_extent(renderer).y1
        for ax in axes
    ]
    assert all(-2 < gap < 15 for gap in gaps)


def test_the_check_finds_what_is_wrong():
    figure, ax = plt.subplots(figsize=(2, 2))
    ax.text(0.5, 0.5, "one")
    ax.text(0.5, 0.52, "other")
    ax.set_title("a title that is much wider than two inches")
    found = problems(figure)
    assert any("cut off" in one for one in found)
    assert "'one' and 'other' overlap" in found
