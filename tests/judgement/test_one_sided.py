import numpy as np
import pytest
from scipy import stats

from skbayeseval import compare_counts, compare_scores
from skbayeseval.judgement.expected_loss import check_cost, expected_loss
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.one_sided import check_margin, non_inferiority, superiority

NAMES = ("new", "old")


@pytest.mark.parametrize(
    ("probability", "answer", "words"),
    [
        (0.97, "yes", "safe to ship: new is not worse than old by more than 0.01 with probability "
         "97.0% (f1)"),
        (0.82, "not settled", "not settled: new is not worse than old by more than 0.01 with "
         "probability 82.0% (f1; 0.95 or more would be a yes)"),
        (0.02, "no", "not safe to ship: new is worse than old by more than 0.01 with probability "
         "98.0% (f1)"),
    ],
)  # fmt: skip
def test_sentences_of_non_inferiority(probability, answer, words):
    found = non_inferiority(probability, 0.01, 0.95, NAMES, "f1")
    assert (found.answer, found.settled) == (answer, answer != "not settled")
    assert str(found) == repr(found) == words


@pytest.mark.parametrize(
    ("probability", "margin", "words"),
    [
        (0.97, 0.0, "new is better than old with probability 97.0% (f1)"),
        (0.5, 0.01, "not settled: new is better than old by more than 0.01 with probability 50.0%"),
        (0.01, 0.01, "new is not better than old by more than 0.01 with probability 99.0% (f1)"),
    ],
)
def test_sentences_of_superiority(probability, margin, words):
    assert str(superiority(probability, margin, 0.95, NAMES, "f1")).startswith(words)


def test_probabilities_in_closed_form():
    # Split scores: the difference is Student t with n - 1 degrees of freedom.
    a, b = np.array([0.8, 0.82, 0.85, 0.81]), np.array([0.79, 0.8, 0.8, 0.82])
    result = compare_scores(a, b, test_fraction=0.25, scoring="r2")
    d = a - b
    law = stats.t(3, d.mean(), np.sqrt((1 / 4 + 0.25 / 0.75) * d.var(ddof=1)))
    assert result.non_inferiority(0.01).probability == pytest.approx(law.sf(-0.01), abs=1e-9)
    assert result.superiority(0.01).probability == pytest.approx(law.sf(0.01), abs=1e-9)
    assert result.superiority().probability == pytest.approx(law.sf(0.0), abs=1e-9)


def test_one_side_is_the_other_seen_from_b():
    counts = (88, 10, 12), (80, 14, 20)
    one = compare_counts(*counts, random_state=0)
    other = compare_counts(*counts[::-1], random_state=0)
    not_worse = one.non_inferiority(0.02).probability
    assert not_worse == pytest.approx(1 - other.superiority(0.02).probability, abs=0.01)
    probabilities = one.probability(0.02)
    assert not_worse == pytest.approx(1 - probabilities.worse, abs=1e-6)


@pytest.mark.parametrize("margin", [-0.01, np.inf, np.nan])
def test_margins_below_zero_are_refused(margin):
    with pytest.raises(ValueError, match="must be finite and at least 0"):
        check_margin(margin, None)


def test_margins_that_cannot_be_meant():
    with pytest.raises(ValueError, match=r"margin=1 is at least half .* Did you mean 0.01"):
        check_margin(1, (0.0, 1.0))
    with pytest.raises(TypeError, match="margin must be a number"):
        check_margin("1%", None)
    assert check_margin(3, None) == 3.0


def test_expected_loss_in_closed_form():
    draws = stats.norm(0.01, 0.02).ppf((np.arange(100_000) + 0.5) / 100_000)
    found = expected_loss(draws, Interval(0.0, 0.0), (1.0, 1.0), NAMES, "f1")
    # E[max(0, X)] of a normal distribution.
    z = 0.5
    assert found.b == pytest.approx(0.02 * (stats.norm.pdf(z) + z * stats.norm.cdf(z)), rel=1e-4)
    assert found.b - found.a == pytest.approx(0.01, rel=1e-4)
    assert (found.choice, found.waiting) == ("new", found.a)
    assert str(found).startswith("Choose new: its expected loss in f1 is 0.004, that of old 0.014.")


def test_the_rope_and_the_costs_of_expected_loss():
    draws = np.array([-0.03, -0.01, 0.0, 0.02])
    found = expected_loss(draws, Interval(-0.01, 0.01), (1.0, 1.0), NAMES, "f1")
    assert (found.a, found.b, found.choice) == (0.03 / 4, 0.02 / 4, "old")
    found = expected_loss(draws, Interval(-0.01, 0.01), (1.0, 10.0), NAMES, "f1")
    assert (found.a, found.b, found.choice) == (0.03 / 4, 0.2 / 4, "new")
    same = expected_loss(np.zeros(3), Interval(0.0, 0.0), (1.0, 1.0), NAMES, "f1")
    assert "Choose either new or old" in str(same)


@pytest.mark.parametrize(
    ("cost", "error"), [(0, ValueError), ((1, -1), ValueError), ("x", TypeError), ((1,), TypeError)]
)
def test_bad_costs(cost, error):
    with pytest.raises(error, match="cost must be"):
        check_cost(cost)
