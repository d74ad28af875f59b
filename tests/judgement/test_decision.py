from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from skbayeseval.judgement.decision import (
    MARKS,
    WORDS,
    Probabilities,
    decide,
    decision_codes,
    format_interval,
    in_a_table,
    masses,
    times_as_much,
)
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import check_rope

ROPE = Interval(-0.05, 0.05)


@pytest.mark.parametrize(
    ("hdi", "worse", "better", "code", "symbol", "label"),
    [
        ((-0.02, 0.03), 0.0, 0.0, "~", "≈", "practically equivalent"),
        ((-0.05, 0.05), 0.02, 0.02, "~", "≈", "practically equivalent"),
        ((-0.2, -0.06), 1.0, 0.0, "<<", "≪", "significantly worse"),
        ((0.06, 0.2), 0.0, 1.0, ">>", "≫", "significantly better"),
        ((-0.2, -0.05), 0.97, 0.0, "<", "<", "not settled"),
        ((0.05, 0.2), 0.0, 0.97, ">", ">", "not settled"),
        ((-0.063, 0.008), 0.1, 0.0, "<", "<", "not settled"),
        ((-0.2, 0.3), 0.3, 0.4, ">", ">", "not settled"),
    ],
)
def test_rule(hdi, worse, better, code, symbol, label):
    found = decide(
        Interval(*hdi), ROPE, Probabilities(worse, 1 - worse - better, better), np.mean(hdi)
    )
    assert (found.code, found.symbol, found.label) == (code, symbol, label)


@pytest.mark.parametrize(("mean", "code"), [(0.001, ">"), (-0.001, "<"), (0.0, "?")])
def test_ties_go_by_the_mean(mean, code):
    found = decide(Interval(-0.1, 0.1), ROPE, Probabilities(0.25, 0.5, 0.25), mean)
    assert found.code == code


def test_all_printed_decisions(published):
    # SIGIR 2016, Tables 4 to 6: the printed HDI against the printed ROPE; where the HDI crosses
    # it, masses of a normal with the printed mean and sd.
    tables = published("sigir2016_tables_4_5_6")
    rope = Interval(*tables["rope"])
    rows = [row for table in tables["tables"].values() for row in table["rows"]]
    assert len(rows) == 60
    for row in rows:
        law = stats.norm(row["mean"], row["std"])
        worse, better = law.cdf(rope.low), law.sf(rope.high)
        found = decide(
            Interval(*row["hdi"]),
            rope,
            Probabilities(worse, 1 - worse - better, better),
            row["mean"],
        )
        assert found.code == row["decision"], row


def test_sentences():
    masses_ = Probabilities(0.0, 0.1, 0.9)
    text = str(decide(Interval(0.06, 0.2), ROPE, masses_, 0.1, names=("x", "y"), metric="f1"))
    assert text == (
        "≫  x significantly better than y (f1, 95% HDI [+0.060, +0.200], ROPE [-0.050, +0.050])"
    )
    text = str(decide(Interval(-0.01, 0.01), ROPE, masses_, 0.0, names=("x", "y"), prob=0.9))
    assert text.startswith("≈  x practically equivalent to y (score, 90% HDI")
    undecided = decide(Interval(-0.1, 0.1), ROPE, Probabilities(0.25, 0.5, 0.25), 0.0)
    assert str(undecided).startswith(
        "not settled: A and B are practically equivalent with probability 50%, A better 25%, "
        "B better 25%\n   (score, 95% HDI"
    )
    assert repr(undecided) == str(undecided)


@pytest.mark.parametrize(
    ("probabilities", "rope", "words"),
    [
        ((0.556, 0.384, 0.06), 0.01, "y is better than x by more than 0.01 with probability 56%, "
         "equivalent 38%, x better 6%"),
        ((0.21, 0.62, 0.17), 0.01, "x and y are practically equivalent with probability 62%, "
         "y better 21%, x better 17%"),
        ((0.001, 0.3, 0.699), (-0.01, 0.02), "x is better than y by more than 0.02 with "
         "probability 70%, equivalent 30%, y better <1%"),
        ((0.3, 0.0, 0.7), 0, "x is better than y with probability 70%, y better 30%"),
    ],
)  # fmt: skip
def test_what_is_not_settled_is_told_by_probabilities(probabilities, rope, words):
    lean = probabilities[2] - probabilities[0]
    found = decide(
        Interval(-0.2, 0.2), check_rope(rope), Probabilities(*probabilities), lean, names=("x", "y")
    )
    assert not found.settled
    assert f"not settled: {words}\n   (score" in str(found)


@pytest.mark.parametrize(
    ("hdi", "mean", "factor"),
    [
        ((-0.03, 0.17), 0.07, 25),  # 0.1 from the mean to the end, 0.02 to the ROPE
        ((-0.17, 0.03), -0.07, 25),
        ((-0.23, 0.03), -0.07, 25),  # only the end towards the ROPE matters
        ((-0.03, 0.23), 0.07, 25),
        ((-0.08, 0.10), 0.01, (0.09 / 0.04) ** 2),  # inside: the nearer limit
        ((-0.05, 0.15), 0.05, np.inf),
        ((0.06, 0.2), 0.1, 1),
    ],
)
def test_how_much_more_evidence_would_settle_it(hdi, mean, factor):
    better, worse = (0.6, 0.2) if mean > 0 else (0.2, 0.6)
    found = decide(Interval(*hdi), ROPE, Probabilities(worse, 0.2, better), mean)
    assert found.more_evidence == pytest.approx(factor)
    # The interval that so much evidence would give touches the limit of the ROPE.
    words = {np.inf: "would hardly settle it", 1: ""}.get(factor, f"About {factor:.2g} times")
    assert words in str(found)


@pytest.mark.parametrize("code", ["<", ">", "?"])
def test_what_is_not_settled_has_no_symbol(code):
    # "> not settled" reads as if the decision were ">".
    sides = {"<": (0.5, 0.3), ">": (0.3, 0.5), "?": (0.4, 0.4)}[code]
    found = decide(Interval(-0.2, 0.2), ROPE, Probabilities(sides[0], 0.2, sides[1]), 0.0)
    assert (found.code, found.symbol) == (code, code)
    assert str(found).startswith("not settled: ")
    assert in_a_table(code) == "not settled"
    assert MARKS[code] == "?"


@pytest.mark.parametrize("code", ["<<", "~", ">>"])
def test_what_is_settled_has_its_symbol(code):
    assert in_a_table(code) == MARKS[code] == WORDS[code][0]


@pytest.mark.parametrize(
    ("more", "units", "words"),
    [
        (1.05, None, "Slightly more evidence"),
        (1.05, "groups", "Slightly more groups"),
        (1.94, None, "About 1.9 times as much evidence"),
        (117.0, None, "About 120 times as much evidence"),
        (117.0, "groups", "About 120 times as many groups"),
        (998.0, None, "About 1,000 times as much evidence"),
    ],
)
def test_how_much_more_in_words(more, units, words):
    found = decide(Interval(-0.2, 0.2), ROPE, Probabilities(0.2, 0.2, 0.6), 0.1)
    assert times_as_much(replace(found, more_evidence=more, units=units), "evidence") == words
    assert f"   {words} would settle it" in str(replace(found, more_evidence=more, units=units))


def test_other_metrics_are_told():
    found = decide(Interval(0.06, 0.2), ROPE, Probabilities(0.0, 0.1, 0.9), 0.1, metric="f1")
    both = replace(found, other_metrics=("recall", "accuracy"))
    assert str(both).splitlines()[1:] == [
        "   This is about f1 only: for other metrics, pass metric='recall' or 'accuracy'."
    ]
    assert both == found
    many = replace(found, other_metrics=tuple("abcde"))
    assert str(many).endswith("pass metric= one of the 5 others.")


def test_masses_are_exact_about_the_edges():
    draws = np.array([-0.2, -0.05, 0.0, 0.05, 0.051, 0.3])
    assert masses(draws, ROPE) == pytest.approx((1 / 6, 3 / 6, 2 / 6))


def test_draws_at_the_edges_of_the_rope_are_in_it():
    # Six of a hundred draws are outside, on one side; the rest is exactly at the other edge.
    worse, better = np.repeat([[-0.2, 0.05], [0.2, -0.05]], [6, 94], axis=1)
    assert decision_codes(np.stack([worse, better]), ROPE).tolist() == ["<", ">"]
    inside = np.linspace(-0.05, 0.05, 101)
    assert decision_codes(np.stack([inside, inside + 0.2]), ROPE).tolist() == ["~", ">>"]


def test_format():
    assert format_interval(Interval(-0.01, 0.0)) == "[-0.010, 0.000]"
    assert format_interval(Interval(0.00012, 0.00034)) == "[+0.00012, +0.00034]"
    assert format_interval(Interval(0.25, 0.75), sign=False) == "[0.250, 0.750]"
    assert format_interval(Interval(0.3, 0.3)) == "[+0.300, +0.300]"
