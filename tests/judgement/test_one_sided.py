from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from skbayeseval import compare_counts, compare_items, compare_many, compare_scores
from skbayeseval.judgement.decision import check_cost, expected_loss
from skbayeseval.judgement.distribution import Distribution, Plan, one_sided
from skbayeseval.judgement.rope import check_margin
from skbayeseval.metrics import get_metric

NAMES = ("new", "old")
UNBOUNDED = get_metric("neg_mean_absolute_error")


def answer_to(question, probability, margin=0.01, **options):
    """Return the answer, given draws that are above the limit with this probability."""
    limit = margin if question == "superiority" else -margin
    number = round(1000 * probability)
    draws = limit + np.repeat([-0.001, 0.001], [1000 - number, number])
    return one_sided(question, Distribution(draws), margin, 0.95, NAMES, "f1", **options)


@pytest.mark.parametrize(
    ("probability", "answer", "words"),
    [
        (0.97, "yes", "safe to ship: new is at most 0.01 worse than old with probability "
         "97.0% (f1; 95% required)"),
        (0.82, "not settled", "not settled: the probability that new is at most "
         "0.01 worse than old is 82.0% (f1; 95% required)"),
        (0.02, "no", "not safe to ship: new is worse than old by more than 0.01 with probability "
         "98.0% (f1; 95% required)"),
    ],
)  # fmt: skip
def test_sentences_of_non_inferiority(probability, answer, words):
    found = answer_to("non-inferiority", probability)
    assert (found.answer, found.settled) == (answer, answer != "not settled")
    assert str(found) == repr(found) == words


@pytest.mark.parametrize("question", ["non-inferiority", "superiority"])
def test_answers_that_other_splits_could_change(question):
    # The draws are 0.001 from the limit: larger shifts move all of them across it.
    words = "\n   Other random splits could change this answer."
    for probability in (0.97, 0.5, 0.02):
        for shift, depends in ((0.0009, False), (0.0011, True)):
            found = answer_to(question, probability, shift=shift)
            assert found.depends_on_splits == (words in str(found)) == depends


def test_probabilities_in_closed_form():
    # Split scores: the difference is Student t with n - 1 degrees of freedom.
    a, b = np.array([0.8, 0.82, 0.85, 0.81]), np.array([0.79, 0.8, 0.8, 0.82])
    result = compare_scores(a, b, test_fraction=0.25, scoring="r2")
    d = a - b
    law = stats.t(3, d.mean(), np.sqrt((1 / 4 + 0.25 / 0.75) * d.var(ddof=1)))
    found = result.non_inferiority(0.01), result.superiority(0.01), result.superiority()
    assert [one.probability for one in found] == pytest.approx(law.sf([-0.01, 0.01, 0.0]), abs=1e-9)


def test_margins_that_cannot_be_meant():
    for margin, metric, error, message in (
        (1, get_metric("accuracy"), ValueError, r"margin=1 is at least half .* Did you mean 0.01"),
        (-0.01, UNBOUNDED, ValueError, "must be finite and at least 0"),
        ([0.01], UNBOUNDED, TypeError, "margin must be a number"),
        ("one", UNBOUNDED, ValueError, "margin='one' is not a percentage"),
    ):
        with pytest.raises(error, match=message):
            check_margin(margin, metric, -45.0)
    assert check_margin(3, UNBOUNDED) == 3.0
    assert check_margin("1%", UNBOUNDED, -45.0) == pytest.approx(0.45)
    assert check_margin("1%", get_metric("accuracy"), 0.8) == 0.01


def lost(difference, rope, cost=(1.0, 1.0)):
    draws = np.vstack([difference, np.zeros_like(difference)])
    return expected_loss(draws, (rope, rope), cost, NAMES, "f1")


def test_expected_loss_in_closed_form():
    draws = stats.norm(0.01, 0.02).ppf((np.arange(100_000) + 0.5) / 100_000)
    found = lost(draws, 0.0)
    # E[max(0, X)] of a normal distribution.
    z = 0.5
    assert found.b == pytest.approx(0.02 * (stats.norm.pdf(z) + z * stats.norm.cdf(z)), rel=1e-4)
    assert found.b - found.a == pytest.approx(0.01, rel=1e-4)
    assert (found.choice, found.waiting) == ("new", found.a)
    assert str(found).startswith(
        "Choose new; old would cost 0.010 in f1 on average, and may cost up to 0.049. The expected "
        "loss in f1 is 0.004 with new, 0.014 with old. To wait"
    )
    assert found.largest == pytest.approx((0.0292, 0.0492), abs=1e-4)


@pytest.mark.parametrize(
    ("mean", "words"),
    [
        (0.002, "either, new by a hair; old would cost 0.002 in f1 on average"),
        (0.01, "new; old would cost 0.010 in f1 on average, and may cost up to 0.049"),
        (0.03, "new; old would cost 0.030 in f1 on average, and may cost up to 0.069"),
        (-0.03, "old; new would cost 0.030 in f1 on average, and may cost up to 0.069"),
        (0.05, "new; old would cost 0.050 in f1 on average"),
    ],
)
def test_which_one_to_ship(mean, words):
    draws = stats.norm(mean, 0.02).ppf((np.arange(100_000) + 0.5) / 100_000)
    assert lost(draws, 0.0).in_short() == words


def test_the_rope_and_the_costs_of_expected_loss():
    draws = np.array([-0.03, -0.01, 0.0, 0.02])
    found = lost(draws, 0.01)
    assert (found.a, found.b, found.choice) == (0.03 / 4, 0.02 / 4, "old")
    found = lost(draws, 0.01, (1.0, 10.0))
    assert (found.a, found.b, found.choice) == (0.03 / 4, 0.2 / 4, "new")
    assert "in f1 costs 1 with new and 10 with old. " in str(found)
    # However probable it is that it loses nothing.
    assert lost(draws, 0.01, (1.0, 90.0)).in_short().startswith("new; old would cost 0.443 on")
    found = lost(draws, 0.01, (1000.0, 1000.0))
    # 5 is no loss in a metric of at most 1.
    assert str(found).startswith(
        "Choose either, old by a hair; new would cost 2.5 on average. The expected cost is 5 with "
        "old, 7.5 with new, where a loss of 1 in f1 costs 1,000."
    )
    same = lost(np.zeros(3), 0.0)
    assert "Choose either new or old, which cost the same." in str(same)


def test_expected_losses_of_several():
    draws = np.array([[0.9, 0.8, 0.9], [0.8, 0.9, 0.8], [0.5, 0.5, 0.5]])
    found = expected_loss(draws, [0.05] * 3, (1.0, 1.0, 2.0), ("x", "y", "z"), "f1")
    np.testing.assert_allclose(found.losses, [0.1 / 3, 0.2 / 3, 0.8])
    assert (found.choice, found.waiting) == ("x", found.losses[0])
    assert "1 with x and 1 with y and 2 with z. To wait until it is known who is" in str(found)
    for cost in (0, (1, -1), "x", (1,)):
        with pytest.raises((ValueError, TypeError), match="cost must be"):
            check_cost(cost)


def passing(scores):
    """Return how often equally many looks see a score beyond theirs, if there is no difference."""
    looks = np.arange(1, len(scores) + 1)
    correlation = np.sqrt(np.minimum.outer(looks, looks) / np.maximum.outer(looks, looks))
    return 1 - stats.multivariate_normal(cov=correlation, seed=0).cdf(scores)


def test_the_boundary_of_a_plan():
    """It is that of O'Brien and Fleming for more and more looks: c falls short of its limit.

    For 5 looks and two-sided 5%, c is 2.040 (Jennison and Turnbull 2000, table 2.3).
    """
    plan = np.array([Plan(k, 5).score_required(0.975) for k in range(1, 6)])
    assert plan[-1] == pytest.approx(stats.norm.isf(0.0125))
    assert passing(2.040 * plan / plan[-1]) == pytest.approx(0.025, abs=1e-4)
    found = [passing([Plan(k, n).score_required(0.95) for k in range(1, n + 1)]) for n in (1, 3, 6)]
    assert found[0] == pytest.approx(0.025)
    assert all(less < more < 0.05 for less, more in pairwise(found))


def planned_answer(score, plan, n_draws=1000, sd=0.01):
    """Return the answer of a normal posterior that is this many of its deviations above 0."""
    draws = stats.norm(score * sd, sd).ppf((np.arange(n_draws) + 0.5) / n_draws)
    return one_sided("superiority", Distribution(draws), 0.0, 0.95, NAMES, "f1", plan=plan)


def test_a_plan_requires_less_and_less():
    found = planned_answer(2.5, Plan(1000, 2000, "items"))
    assert (found.answer, found.prob) == ("not settled", pytest.approx(stats.norm.cdf(2.7718)))
    assert str(found).endswith(
        "99.4% (f1; 99.7213% required at 1,000 of 2,000 planned items; "
        f"{found.n_more} more give one if the difference stays as it is)"
    )
    # The score is 2.5 now, and grows as the root of the number.
    assert found.n_more == pytest.approx(1000 * (2.7718 / 2.5 - 1), abs=5)
    for more, answer in ((found.n_more - 20, "not settled"), (found.n_more + 20, "yes")):
        n = 1000 + more
        assert planned_answer(2.5 * np.sqrt(n / 1000), Plan(n, 2000)).answer == answer
    assert planned_answer(-3.0, Plan(1000, 2000)).answer == "no"
    few = str(planned_answer(1.0, Plan(1000, 2000)))
    assert "all of them are too few if the difference stays as it is" in few
    last = planned_answer(1.9, Plan(2000, 2000))
    assert str(last).endswith("97.5% required at 2,000 of 2,000 planned instances)")
    assert planned_answer(2.0, Plan(2000, 2000)).answer == "yes"


def test_no_draw_on_the_other_side_is_no_proof():
    for score, answer in ((4.5, "not settled"), (-4.5, "not settled"), (9.0, "yes"), (-9.0, "no")):
        found = planned_answer(score, Plan(100, 2000))  # which requires 8.77
        assert found.probability == (score > 0)
        assert found.answer == answer
        assert "more than 99.99% " in str(found)


def test_plans_of_results():
    right = np.ones(400), np.arange(400) % 100 > 0
    result = compare_items(*right, random_state=0)
    safe, better = result.non_inferiority(0.1, planned=1000), result.superiority(planned=1000)
    assert safe.plan == better.plan == (400, 1000, "items")
    assert safe.answer == "yes"
    counts = compare_counts((88, 10, 12, 90), (80, 14, 20, 86), n_draws=100)
    assert counts.superiority(planned=300).plan == (200, 300, "instances")
    of_splits = compare_scores([0.8, 0.9], [0.7, 0.7], test_fraction=0.25, scoring="r2")
    for asked, options, error, message in (
        (result, {"planned": 2.5}, TypeError, "planned must be a whole number, got 2.5"),
        (result, {"planned": 300}, ValueError, "planned=300 is less than the 400 items .* before"),
        (of_splits, {"planned": 500}, ValueError, "planned= is a number of items or instances"),
    ):
        with pytest.raises(error, match=message):
            asked.superiority(**options)


def test_an_answer_is_true_on_yes_alone():
    answers = [
        compare_counts((900, 50, 60), (890, 60, 70), random_state=0).non_inferiority(0.01),
        compare_counts((88, 10, 12), (80, 14, 20), random_state=0).superiority(0.05),
        compare_counts((700, 150, 260), (900, 50, 60), random_state=0).non_inferiority(0.01),
    ]
    assert [answer.answer for answer in answers] == ["yes", "not settled", "no"]
    assert [bool(answer) for answer in answers] == [True, False, False]


@pytest.mark.parametrize(
    ("ask", "instead"),
    [
        (lambda pair, ranking: pair.decision(0.01), r"Decision .* code, .* superiority\(margin\)"),
        (lambda pair, ranking: pair.expected_loss(rope=0.01), "ExpectedLoss .* choice"),
        (lambda pair, ranking: pair.by([0, 1] * 100).decision(0.01), "SubgroupDecision .*varies"),
        (lambda pair, ranking: ranking.decision(0.01), "RankingDecision .*best_alone"),
        (lambda pair, ranking: ranking.tiers(), "Tiers .* groups"),
    ],
)
def test_what_is_no_yes_or_no_is_no_condition(ask, instead):
    y = np.arange(200) // 100
    ranking = compare_many(y, {"a": y, "b": np.roll(y, 5), "c": np.roll(y, 9)}, random_state=0)
    said = ask(ranking.pairs[0, 1], ranking)
    with pytest.raises(TypeError, match=f"A {instead}"):
        assert said
