import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_counts
from skbayeseval.display import HeatmapDisplay, JointDisplay, PosteriorDisplay, ScoreDisplay
from skbayeseval.judgement import Interval

DRAWS = np.random.default_rng(0).normal(0.02, 0.01, 5000)


def texts(ax):
    legend = ax.get_legend()
    found = [text.get_text() for text in ax.texts]
    return " | ".join(found + [text.get_text() for text in legend.get_texts()])


def test_posterior_shows_masses_and_hdi():
    display = PosteriorDisplay(DRAWS, names=("x", "y"), rope=Interval(-0.01, 0.01), metric="f1")
    assert not hasattr(display, "ax_")
    ax = display.plot().ax_
    shown = texts(ax)
    assert f"{np.mean(DRAWS > 0.01):.1%}" in shown
    assert f"{np.mean(DRAWS < -0.01):.1%}" in shown
    assert f"{np.mean(np.abs(DRAWS) <= 0.01):.1%}" in shown
    assert "95% HDI [+0.0" in shown
    assert "ROPE [-0.01, 0.01]" in shown
    assert ax.get_xlabel() == "difference in f1 (x minus y)"
    narrow = PosteriorDisplay(DRAWS, prob=0.5).plot().ax_
    assert "50% HDI" in texts(narrow)
    low, high = ax.get_xlim()
    assert low < 0 < high


def test_posterior_without_a_rope():
    shown = texts(PosteriorDisplay(DRAWS).plot().ax_)
    assert "equivalent" not in shown
    assert f"{np.mean(DRAWS > 0):.1%}" in shown


def test_zero_is_in_the_picture():
    ax = PosteriorDisplay(DRAWS + 0.5).plot().ax_
    assert ax.get_xlim()[0] <= 0


def test_constant_draws_can_be_drawn():
    PosteriorDisplay(np.zeros(200)).plot()
    ScoreDisplay(np.ones(200), observed=1.0).plot()
    JointDisplay(np.ones(200), np.ones(200)).plot()


def test_joint_has_the_diagonal():
    b = DRAWS[::-1]
    ax = JointDisplay(DRAWS, b, names=("x", "y"), rope=Interval(-0.01, 0.01)).plot().ax_
    # The percentages are those around the ROPE that is drawn.
    assert f"x better {np.mean(DRAWS - b > 0.01):.1%}" in texts(ax)
    assert f"equivalent {np.mean(np.abs(DRAWS - b) <= 0.01):.1%}" in texts(ax)
    plain = JointDisplay(DRAWS, b, names=("x", "y")).plot().ax_
    assert f"x better {np.mean(b < DRAWS):.1%}" in texts(plain)
    assert ax.get_xlim() == ax.get_ylim()
    (band,) = ax.collections
    (corners,) = [path.vertices for path in band.get_paths()]
    offsets = np.unique(np.round(corners[:, 1] - corners[:, 0], 12))
    np.testing.assert_allclose(offsets, [-0.01, 0.01])
    diagonal = ax.lines[1].get_xydata()
    np.testing.assert_array_equal(diagonal[:, 0], diagonal[:, 1])


def test_factor_tells_value_and_doubt():
    sure = compare_counts((88, 10, 12), (86, 12, 14), random_state=0).plot("factor")
    assert "savage-dickey)" in sure.ax_.get_title()
    # bcv F1 with lambda = 1 has the prior density 16/15 at 0, and the marks give the factor.
    prior, posterior = (
        line.get_ydata()[0] for line in sure.ax_.lines if len(line.get_xdata()) == 1
    )
    assert prior == pytest.approx(16 / 15)
    assert posterior / prior == pytest.approx(sure.factor.value)
    wide, high = (line.get_ydata() for line in sure.ax_.lines if len(line.get_xdata()) == 400)
    assert wide.max() < 2 < 5 < high.max()
    doubtful = compare_counts(
        (88, 10, 12, 90), (86, 12, 14, 88), model="hierarchical", random_state=0
    ).plot("factor")
    assert "not reliable" in doubtful.ax_.get_title()


@pytest.mark.parametrize("kind", ["posterior", "joint", "factor"])
def test_the_users_style_stays(kind):
    before = mpl.rcParams.copy()
    compare_counts((88, 10, 12), (86, 12, 14), random_state=0).plot(kind, rope=0.01)
    assert mpl.rcParams == before


def test_long_and_mathematical_names():
    names = ("a" * 80, "$\\bad{$")
    for display in (
        PosteriorDisplay(DRAWS, names=names, rope=Interval(-0.01, 0.01)).plot(),
        JointDisplay(DRAWS, DRAWS[::-1], names=names).plot(),
    ):
        display.figure_.canvas.draw()
        assert len(display.ax_.get_xlabel()) < 80


def test_heatmap_of_a_large_grid_has_no_numbers():
    values = np.random.default_rng(0).random((11, 12))
    values[0, 0] = np.nan
    means = pd.DataFrame(values).rename_axis(index="y", columns="x")
    decisions = pd.DataFrame(np.where(values > 0.9, "~", "<<")).where(means.notna(), "")
    ax = HeatmapDisplay(means, decisions, metric="f1").plot().ax_
    assert {text.get_text() for text in ax.texts} <= {"≈", "", "·"} or len(ax.texts) == 132
    HeatmapDisplay(means * 0 + 0.5, decisions).plot(ax=ax)
