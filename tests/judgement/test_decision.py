from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from skbayeseval.judgement.decision import (
    Decision,
    Lead,
    Probabilities,
    code_of,
    codes_given_hdi,
    format_interval,
    format_probability,
)
from skbayeseval.judgement.intervals import Interval, hdi_of_rows
from skbayeseval.judgement.rope import check_rope

ROPE = Interval(-0.05, 0.05)


def decide(hdi, rope, around, mean, names=("A", "B")):
    """Return a decision of which no more is known."""
    sign = int(np.sign(around.better - around.worse))
    lead = Lead(names, sign, max(around.better, around.worse), around.equivalent, mean, hdi)
    return Decision(code_of(hdi, rope, around, mean), hdi, rope, around, lead, names)


@pytest.mark.parametrize(
    ("interval", "shown"),
    [
        ((-np.inf, 0.01), "[-inf, +0.010]"),
        ((0.0, 0.0), "[0.000, 0.000]"),
        ((-0.00012, 0.00034), "[-0.00012, +0.00034]"),
        ((12.0, 4000.0), "[+12, +4000]"),
    ],
)
def test_intervals_have_as_many_digits_as_their_width_needs(interval, shown):
    assert format_interval(Interval(*interval)) == shown


@pytest.mark.parametrize(
    ("hdi", "worse", "better", "code", "symbol", "label"),
    [
        ((-0.02, 0.03), 0.0, 0.0, "~", "≈", "practically equivalent"),
        ((-0.05, 0.05), 0.02, 0.02, "~", "≈", "practically equivalent"),
        ((-0.2, -0.06), 1.0, 0.0, "<<", "≪", "significantly worse"),
        ((0.06, 0.2), 0.0, 1.0, ">>", "≫", "significantly better"),
        ((0.05, 0.2), 0.0, 0.97, ">", ">", "not settled"),
        ((-0.2, 0.3), 0.3, 0.4, ">", ">", "not settled"),
        # Ties go by the mean, here the middle of the HDI.
        ((-0.1, 0.11), 0.25, 0.25, ">", ">", "not settled"),
        ((-0.11, 0.1), 0.25, 0.25, "<", "<", "not settled"),
        ((-0.1, 0.1), 0.25, 0.25, "?", "?", "not settled"),
    ],
)
def test_rule(hdi, worse, better, code, symbol, label):
    found = decide(
        Interval(*hdi), ROPE, Probabilities(worse, 1 - worse - better, better), np.mean(hdi)
    )
    assert (found.code, found.symbol, found.label) == (code, symbol, label)


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
        around = Probabilities(worse, 1 - worse - better, better)
        found = decide(Interval(*row["hdi"]), rope, around, row["mean"])
        assert found.code == row["decision"], row


@pytest.mark.parametrize(
    ("probabilities", "rope", "words"),
    [
        (
            (0.556, 0.384, 0.06),
            0.01,
            "55.6% y better by more than 0.01, 38.4% equivalent, 6.0% x better by more than 0.01",
        ),
        (
            (0.21, 0.62, 0.17),
            0.01,
            "21.0% y better by more than 0.01, 62.0% equivalent, 17.0% x better by more than 0.01",
        ),
        (
            (0.25, 0.5, 0.25),
            0.01,
            "25.0% x better by more than 0.01, 50.0% equivalent, 25.0% y better by more than 0.01",
        ),
        (
            (0.001, 0.3, 0.699),
            (-0.01, 0.02),
            "69.9% x better by more than 0.02, 30.0% equivalent, 0.1% y better by more than 0.01",
        ),
        ((0.3, 0.0, 0.7), 0, "70.0% x better, 30.0% y better"),
    ],
)
def test_what_is_not_settled_is_told_by_probabilities(probabilities, rope, words):
    lean = probabilities[2] - probabilities[0]
    found = decide(
        Interval(-0.2, 0.2), check_rope(rope), Probabilities(*probabilities), lean, names=("x", "y")
    )
    assert not found.settled
    assert f"not settled: {words}\n   (score" in str(found)


@pytest.mark.parametrize(
    ("units", "words"),
    [
        ("labelled instances of class 1", ": more labelled instances of class 1 could settle it; "
         "required_sample_size estimates how many."),
        ("items", ": more items could settle it; required_sample_size estimates how many."),
        ("evidence", ": more evidence could settle it."),
        ("", "."),
    ],
)  # fmt: skip
def test_what_could_settle_it(units, words):
    found = decide(Interval(-0.2, 0.2), ROPE, Probabilities(0.2, 0.2, 0.6), 0.1)
    either = "outside ±0.05 (one is better) or inside (they are equivalent)"
    needed = f"Settled once the whole 95% interval is {either}"
    assert str(replace(found, units=units)).splitlines()[2:] == [f"   {needed}{words}"]


def test_what_is_not_settled_takes_four_lines_at_most():
    found = decide(Interval(-0.2, 0.2), ROPE, Probabilities(0.2, 0.2, 0.6), 0.1)
    more = {"more_repeats": "cv=A(7)", "trained_on": "Applies to learners.", "n_repeats": 3}
    found = replace(found, depends_on_splits=True, other_metrics=("f1",), **more)
    for turn in ("", "More training data changes the estimate."):
        lines = str(replace(found, turn=turn)).splitlines()
        assert len(lines) == 4
        assert lines[0].startswith(turn or "not settled: ")
        assert lines[-1].endswith("Applies to learners.")


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (0.56, "No clear difference between A and B on f1 (B ahead with probability 56.0%)"),
        (0.8996, "No clear difference between A and B on f1 (B ahead with probability 89.96%)"),
        (0.9, "B is probably better than A on f1 (probability 90.0%)"),
        (0.97496, "B is probably better than A on f1 (probability 97.496%)"),
        (0.975, "B is better than A on f1 (probability 97.5%)"),
        (0.99999, "B is better than A on f1 (probability more than 99.9%)"),
    ],
)
def test_the_scale_of_words(probability, words):
    lead = Lead(("A", "B"), -1, probability, 0.0, -0.02, Interval(-0.05, 0.01))
    assert lead.verdict(" on f1") == words
    assert lead.amount() == "B ahead by 0.020, 95% interval from 0.010 behind to 0.050 ahead"
    told = replace(lead, over_splits=(0.93, 0.997)).verdict()
    assert told.endswith(", between 93.0% and 99.7% over other splits)")


def test_nobody_is_ahead():
    level = Lead(("A", "B"), 0, 0.5, 0.0, 0.0001, Interval(-0.02, 0.01))
    assert level.verdict() == "No clear difference between A and B (neither is ahead)"
    assert level.amount() == "hardly any; 95% interval: A 0.020 behind to 0.010 ahead"
    equal = replace(level, sign=1, probability=0.2, equal=0.7)
    assert equal.verdict().endswith("between A and B (equal with probability 70.0%)")


@pytest.mark.parametrize(("n_repeats", "advised"), [(6, True), (7, False)])
def test_more_repeats_are_advised_if_there_are_few(n_repeats, advised):
    found = decide(Interval(0.06, 0.2), ROPE, Probabilities(0.0, 0.1, 0.9), 0.1)
    found = replace(found, depends_on_splits=True, n_repeats=n_repeats)
    for more, advice in (("cv=A(7)", "; more repeats would help, such as cv=A(7)"), ("", "")):
        said = str(replace(found, more_repeats=more)).splitlines()[1]
        ending = advice if advised else f", even after {n_repeats} repeats"
        assert said == f"   Other random splits could change this decision{ending}."


def test_draws_at_the_edges_of_the_rope_are_in_it():
    # Six of a hundred draws are outside, on one side; the rest is exactly at the other edge.
    outside = np.repeat([[-0.2, 0.05], [0.2, -0.05]], [6, 94], axis=1)
    inside = np.linspace(-0.05, 0.05, 101)
    for draws, codes in ((outside, ["<", ">"]), ([inside, inside + 0.2], ["~", ">>"])):
        rows = np.array(draws)
        assert codes_given_hdi(rows, *hdi_of_rows(rows, 0.95), ROPE).tolist() == codes


@pytest.mark.parametrize(
    ("probability", "threshold", "text"),
    [
        *((0.947, 0.95, "94.7%"), (0.9496, 0.95, "94.96%"), (0.95, 0.95, "95.0%")),
        *((0.0504, 0.95, "5.04%"), (0.8996, 0.9, "89.96%"), (0.8996, 0.95, "90.0%")),
        *((0.9996, 0.95, ">99.9%"), (0.0004, 0.95, "<0.1%")),
    ],
)
def test_a_probability_is_not_rounded_across_its_threshold(probability, threshold, text):
    assert format_probability(probability, threshold=threshold) == text
