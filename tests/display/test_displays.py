import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from skbayeseval import (
    chunk_counter,
    compare_counts,
    compare_predictions,
    compare_scores,
)
from skbayeseval.display import FactorDisplay, HeatmapDisplay, JointDisplay, PosteriorDisplay
from skbayeseval.display.style import pair_words, shorten, text_width
from skbayeseval.judgement import Interval
from skbayeseval.judgement.bayes_factor import BayesFactor
from skbayeseval.judgement.decision import format_probability
from skbayeseval.metrics import per_class

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
    assert "95% interval" in shown
    assert "ROPE [-0.01, 0.01]" in shown
    assert ax.get_xlabel() == "difference in f1 (x minus y)"
    low, high = ax.get_xlim()
    assert low < 0 < high


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
    options = {"n_draws": 4000, "random_state": 0}
    sure = compare_counts((88, 10, 12), (86, 12, 14), **options).plot("factor")
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
        (88, 10, 12, 90), (86, 12, 14, 88), model="hierarchical", **options
    ).plot("factor")
    assert "not reliable" in doubtful.ax_.get_title()


def test_a_point_mass_has_no_density():
    equal = BayesFactor(1e300, 300.0, 0.0, True, "savage-dickey")
    display = FactorDisplay(np.zeros(99), DRAWS, factor=equal, prior_at_zero=2.0)
    assert "posterior, all of it at 0" in texts(display.plot().ax_)


def test_classes_of_tags_are_types_of_chunks():
    """Each type is compared as if its chunks alone were counted; other types have no share."""
    rng = np.random.default_rng(0)
    gold, a, b = (rng.choice(["O", "B-PER", "B-ORG"], size=(60, 8)).tolist() for _ in range(3))
    a = [true if i % 3 else said for i, (true, said) in enumerate(zip(gold, a, strict=True))]
    counter = chunk_counter("IOB2")
    result = compare_predictions(gold, a, b, counter=counter, random_state=0)
    table = result.plot("classes", rope=0.1).table
    assert list(table.index) == ["ORG", "PER"]
    for metric in ("f1", "precision"):
        table = result.plot("classes", metric=metric).table
        for kind in ("ORG", "PER"):
            only = compare_predictions(
                gold, a, b, counter=chunk_counter("IOB2", types=kind), scoring=metric,
                random_state=0,
            )  # fmt: skip
            assert table["mean"][kind] == only.draws.mean()
    for options in ({"groups": np.arange(60) // 3}, {"model": "bcv"}):
        result = compare_predictions(gold, a, b, counter=counter, n_draws=200, **options)
        assert list(result.plot("classes").table.index) == ["ORG", "PER"]
    with pytest.raises(ValueError, match="types="):
        compare_counts((88, 10, 12), (86, 12, 14), n_draws=200).plot("classes")


def test_heatmap_has_no_numbers_that_are_too_small():
    values = np.random.default_rng(0).random((99, 12))
    values[0, 0] = np.nan
    means = pd.DataFrame(values).rename_axis(index="y", columns="x")
    decisions = pd.DataFrame(np.where(values > 0.9, "~", "<<")).where(means.notna(), "")
    ax = HeatmapDisplay(means, decisions, metric="f1").plot().ax_
    assert {text.get_text() for text in ax.texts} == {"≈", "", "·"}
    HeatmapDisplay(means * 0 + 0.5, decisions).plot(ax=ax)


def test_colours_of_a_heatmap_span_at_least_the_rope():
    """Else differences that do not matter would look large."""
    means = pd.DataFrame([[0.9, 0.901]]).rename_axis(index="y", columns="x")
    decisions = pd.DataFrame([["~", "~"]])

    def span(rope):
        return HeatmapDisplay(means, decisions, rope=rope).plot().fill_[0].get_clim()

    assert span(0.02) == pytest.approx((0.881, 0.901))
    assert span(0.0005) == span(0.0) == pytest.approx((0.9, 0.901))


def test_labels_of_metrics():
    """A minus B in a score with a minus sign is B minus A in the loss."""
    labels = {"roc_auc": "ROC AUC", "neg_brier_score": "Brier score"}
    for metric, of_difference, of_values in (
        ("roc_auc", "difference in ROC AUC (A minus B)", "ROC AUC of B"),
        (
            "neg_brier_score",
            "difference in Brier score (B minus A)",
            "\N{MINUS SIGN}Brier score of B",
        ),
        ("f1", "difference in f1 (A minus B)", "f1 of B"),
    ):
        display = PosteriorDisplay(DRAWS, metric=metric).plot(labels=labels)
        assert (display.ax_.get_xlabel(), display.metric) == (of_difference, metric)
        joint = JointDisplay(DRAWS, DRAWS[::-1], metric=metric).plot(labels=labels)
        assert joint.ax_.get_xlabel() == of_values


LONG = [f"make_pipeline(StandardScaler(), LogisticRegression(C={c}))" for c in (0.01, 0.1, 10.0)]
INNER = [f"make_pipeline(Scaler(with_std={c}), LogisticRegression())" for c in (True, False)]


@pytest.mark.parametrize("names", [LONG, INNER, ["x" * 40 + "y" * k for k in range(3)]])
def test_shortened_names_stay_different(names):
    short = shorten(names, 1.5, 8.0)
    assert len(set(short)) == len(names)
    assert all(text_width(name, 8.0) < 1.9 for name in short)
    assert shorten(["a", "b"], 1.5, 8.0) == ["a", "b"]


def test_long_names_become_letters_with_a_key():
    words = pair_words((LONG[0], LONG[1]), 1.0, 3.0, 8.0)
    assert words[:2] == ("A", "B")
    one, other = words[2].split("\n")
    assert one.startswith("A: ")
    assert one[3:] != other[3:]
    ax = PosteriorDisplay(DRAWS, names=tuple(LONG[:2])).plot().ax_
    assert f"A: {LONG[0]}" in ax.get_xlabel()
    assert pair_words(("x", "$y$"), 1.0, 3.0, 8.0) == ("x", r"\$y\$", "")


def test_titles_say_what_was_found():
    rope = Interval(-0.01, 0.01)
    ax = PosteriorDisplay(DRAWS, names=("x", "y"), rope=rope).plot().ax_
    title = ax.get_title()
    better, worse = (format_probability(np.mean(one)) for one in (DRAWS > 0.01, DRAWS < -0.01))
    assert title.startswith(f"not settled: {better} x better, ")
    assert title.endswith(f", {worse} y better")
    assert f"x ▶\nbetter by more {better}" in texts(ax)
    assert f"◀ y\nbetter by more {worse}" in texts(ax)
    settled = PosteriorDisplay(DRAWS - 0.2, names=("x", "y"), rope=rope).plot().ax_
    assert settled.get_title() == "≪  x significantly worse than y"
    close = PosteriorDisplay(DRAWS / 20, names=("x", "y"), rope=rope).plot().ax_
    assert close.get_title() == "≈  x practically equivalent to y"
    same = PosteriorDisplay(np.zeros(9), identical="predictions").plot().ax_
    assert same.get_title() == "A and B are identical: their predictions are the same"
    assert PosteriorDisplay(DRAWS).plot(title="mine").ax_.get_title() == "mine"
    assert PosteriorDisplay(DRAWS).plot(title="").ax_.get_title() == ""


def test_style_reaches_the_artists():
    display = PosteriorDisplay(DRAWS, rope=Interval(-0.01, 0.01)).plot(
        colors=["black", "red"],
        line_kw={"lw": 9},
        fill_kw={"alpha": 0.9},
        text_kw={"size": 5},
    )
    fill = display.fill_[0][0]
    assert to_hex(fill.get_facecolor()) == "#000000"
    assert fill.get_facecolor()[3] == pytest.approx(0.9)
    assert display.line_[0].get_linewidth() == 9
    assert [text.get_fontsize() for text in display.text_] == [5, 5, 5]
    assert [to_hex(text.get_color()) for text in display.text_] == ["#ff0000", "#000000", "#009e73"]
    with pytest.raises(TypeError, match="colour"):
        PosteriorDisplay(DRAWS).plot(colour="red")


def test_classes_are_sorted_and_show_their_decisions():
    rng = np.random.default_rng(0)
    y = np.arange(900) % 3
    a = np.where(rng.random(900) < 0.9, y, (y + 1) % 3)
    b = np.where(rng.random(900) < 0.7, y, (y + 1) % 3)
    result = compare_predictions(y, a, b, scoring="f1_macro", n_draws=3000, random_state=0)
    display = result.plot("classes", rope=0.01)
    alone = compare_predictions(y, a, b, scoring=per_class("f1"), n_draws=3000, random_state=0)
    for label, row in display.table.iterrows():
        decision = alone.decision(0.01, metric=f"f1[{label}]")
        assert (row["hdi_low"], row["hdi_high"]) == decision.hdi
        assert row["decision"] == decision.code
    means = [line.get_xdata() for line in display.line_]
    assert sorted(np.concatenate(means)) == sorted(display.table["mean"])
    order = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert order == [str(k) for k in display.table["mean"].sort_values().index]
    assert [text.get_text() for text in display.text_].count("≫") == 3
    assert display.ax_.get_title() == "A is better in 3 of 3 classes"
    mine = compare_predictions(y, a, b, scoring={"mine": "recall_macro"}, n_draws=200)
    assert "recall" in mine.plot("classes").ax_.get_xlabel()
    recall = result.plot("classes", metric="recall_macro").table
    assert recall.loc[0, "mean"] == pytest.approx(result.metric("recall[0]").draws.mean())
    with pytest.raises(ValueError, match="kind='classes' requires predictions"):
        compare_scores([0.8, 0.9, 0.7], [0.7, 0.8, 0.75], test_fraction=0.2).plot("classes")
