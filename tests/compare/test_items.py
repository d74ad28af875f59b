"""Comparisons from one score per item."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp, t

from skbayeseval import compare_items, compare_many_items, compare_predictions
from skbayeseval.models import Paired, RightOrWrong

RNG = np.random.default_rng(0)
N = 60
EASE = RNG.normal(size=N)
RIGHT = np.array([EASE + RNG.normal(shift, 1, N) > 0 for shift in (0.8, 0.3, 0.0)]).astype(int)
GRADES = np.clip(np.round(3 + EASE + RNG.normal(size=(3, N))), 1, 5)
RUNS = EASE[:, None] + RNG.normal(size=(2, N, 4))
GROUPS = np.arange(N) // 4
QUICK = {"n_draws": 2000, "random_state": 0}


class TestAgreement:
    def test_right_or_wrong_is_the_paired_model_of_recall(self):
        # The prior of one true class, and closed forms on both sides.
        y = np.repeat([1, 0], [N, 10])
        a, b = (np.append(right, [0] * 10) for right in RIGHT[:2])
        expected = compare_predictions(y, a, b, scoring="recall", model=Paired(), **QUICK)
        found = compare_items(*RIGHT[:2], model=RightOrWrong(), **QUICK)
        for of in "ab":
            assert found.interval(of=of) == pytest.approx(expected.interval(of=of), rel=1e-12)
        # Bayes factors as well, with the default prior.
        expected = compare_predictions(y, a, b, scoring="recall", random_state=0)
        for higher, (one, other) in ((True, RIGHT[:2]), (False, 1 - RIGHT[:2])):
            found = compare_items(one, other, higher_is_better=higher, random_state=0)
            exact, theirs = found.bayes_factor(), expected.bayes_factor()
            assert exact.log10 == pytest.approx(theirs.log10, rel=1e-12)
            rope = (-0.1, 0.2)  # not symmetric, and with much of the posterior inside
            of_rope = expected.bayes_factor(rope=rope).value
            assert found.bayes_factor(rope=rope).value == pytest.approx(of_rope, rel=0.05)

    @pytest.mark.parametrize("scores", [RIGHT, GRADES], ids=["right", "grades"])
    def test_one_group_per_item_is_the_plain_bootstrap(self, scores):
        plain = compare_items(*scores[:2], model="bootstrap", **QUICK)
        names = [f"item {i}" for i in np.random.default_rng(1).permutation(N)]
        grouped = compare_items(*scores[:2], groups=names, model="bootstrap", **QUICK)
        np.testing.assert_array_equal(plain.draws, grouped.draws)

    def test_graded_scores_have_nearly_the_interval_of_the_t_test(self):
        a, b = np.random.default_rng(1).normal(size=(2, 40))
        low, high = compare_items(a, b, n_draws=100_000, random_state=0).interval()
        d = a - b
        half = t(39).ppf(0.975) * d.std(ddof=1) / np.sqrt(40)
        assert low == pytest.approx(d.mean() - half, abs=0.06 * half)
        assert high == pytest.approx(d.mean() + half, abs=0.06 * half)


class TestInvariance:
    @pytest.mark.parametrize(
        "options", [{}, {"groups": GROUPS}, {"higher_is_better": False}], ids=str
    )
    @pytest.mark.parametrize("scores", [GRADES, RUNS], ids=["grades", "runs"])
    def test_exchanging_a_and_b_changes_the_sign(self, scores, options):
        one = compare_items(scores[0], scores[1], **options, **QUICK)
        other = compare_items(scores[1], scores[0], **options, **QUICK)
        np.testing.assert_allclose(one.draws, -other.draws, atol=1e-12)

    def test_wrong_instead_of_right(self):
        right = compare_items(*RIGHT[:2], random_state=0)
        wrong = compare_items(*(1 - RIGHT[:2]), higher_is_better=False, random_state=0)
        assert wrong.metrics == ("neg_score",)
        assert wrong.observed_a == pytest.approx(right.observed_a - 1)
        assert ks_2samp(wrong.draws, right.draws).pvalue > 0.001
        assert ks_2samp(wrong.draws_a, right.draws_a - 1).pvalue > 0.001
        worse = right.summary().loc["score", "p_worse"]
        assert wrong.summary().loc["neg_score", "p_worse"] == pytest.approx(worse, abs=0.01)

    def test_the_order_of_items_does_not_matter(self):
        draws = []
        for order in (np.arange(N), np.random.default_rng(1).permutation(N)):
            options = {"groups": GROUPS[order], "random_state": 0}
            draws.append(compare_items(*RIGHT[:2, order], **options).draws)
        assert ks_2samp(*draws).pvalue > 0.001

    def test_shifts_and_scales_follow(self):
        one = compare_items(*GRADES[:2], **QUICK)
        other = compare_items(*(10 * GRADES[:2] + 3), **QUICK)
        np.testing.assert_allclose(other.draws, 10 * one.draws, atol=1e-9)
        np.testing.assert_allclose(other.draws_a, 10 * one.draws_a + 3, atol=1e-9)

    @pytest.mark.parametrize("size", [1e155, 1e-155])
    def test_scores_whose_squares_are_no_floats(self, size):
        with pytest.raises(ValueError, match=r"scores_a, scores_b must be between 1e-150 and"):
            compare_items(*(size * RUNS), **QUICK)
        with pytest.raises(ValueError, match=r"human_a, human_b must be between 1e-150 and"):
            compare_items(*GRADES[:2], human_a=size * GRADES[0], human_b=size * GRADES[1])


class TestSmallSamples:
    def test_all_right(self):
        ones = np.ones(20)
        result = compare_items(ones, ones, random_state=0)
        assert result.model == "paired"
        assert result.hdi().low < -0.05 < 0.05 < result.hdi().high
        assert "identical" in str(result)

    @pytest.mark.parametrize("n_items", [20, 50, 200])
    def test_all_right_in_several_runs_tells_as_much_as_in_one(self, n_items):
        once, thrice = np.ones(n_items), np.ones((n_items, 3))
        expected = compare_items(once, once, random_state=0)
        found = compare_items(thrice, thrice, random_state=0)
        assert found.hdi() == pytest.approx(expected.hdi(), rel=0.2)
        assert found.non_inferiority(0.5 / n_items).answer == "not settled"

    @pytest.mark.parametrize("difference", [0.0, 0.5])
    def test_equal_differences_of_grades_are_no_point(self, difference):
        grades = np.array([1.0, 2.0, 3.0, 4.0, 2.0, 3.0, 1.0, 4.0, 2.0, 3.0])
        result = compare_items(grades + difference, grades, random_state=0)
        low, high = result.hdi()
        assert low < difference - 0.01 < difference + 0.01 < high
        assert np.abs(result.draws).max() <= 4

    def test_scores_that_are_all_the_same_need_limits(self):
        threes = np.full(10, 3.0)
        with pytest.raises(ValueError, match=r"All scores are 3, .* Pass limits="):
            compare_items(threes, threes)
        expected = compare_items(threes, threes, limits=(1, 5), **QUICK)
        assert expected.hdi().high > 0.05
        assert expected.draws_a.min() >= 1
        # Others tell by how much they can differ.
        scores = {"a": threes, "b": threes, "c": np.arange(10) % 5 + 1}
        found = compare_many_items(scores, **QUICK).pairs["a", "b"].alone
        assert found.hdi() == pytest.approx(expected.hdi())

    def test_systems_that_are_the_same_stay_in_order(self):
        right = np.arange(40) % 3 > 0
        ranking = compare_many_items({"c": right, "a": right, "b": right}, model="bootstrap")
        assert ranking.tiers(0.1).groups == (tuple(ranking.table.index),) == (("c", "a", "b"),)

    def test_limits_hold(self):
        result = compare_items([4, 5, 5, 5, 5], [5, 5, 4, 5, 5], limits=(1, 5), **QUICK)
        assert result.draws_a.max() <= 5
        with pytest.raises(ValueError, match="covers at least half of the possible differences"):
            result.decision(rope=4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "unpaired"}, r"model='unpaired' does not fit one score per item"),
        ({"model": "paired", "groups": GROUPS}, r"does not fit items in groups"),
        ({"groups": GROUPS[:5]}, r"groups has 5, the scores have 60"),
        ({"groups": np.zeros(N)}, r"single group"),
        ({"model": RightOrWrong(theta=0)}, r"greater than 0"),
        ({"model": "paired", "limits": (0, 1)}, r"limits= is of model='bootstrap'"),
        ({"limits": (0, 0.5)}, r"scores from 0 to 1"),
        ({"model": "bootstrap", "limits": (1, 0)}, r"smaller one first"),
        ({"limits": 3}, r"pair of numbers"),
    ],
)
def test_wrong_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        compare_items(*RIGHT[:2], **options)


@pytest.mark.parametrize(
    ("scores", "options", "kind", "message"),
    [
        ({"a": GRADES[0]}, {}, ValueError, "two or more systems"),
        (list(GRADES), {}, TypeError, "must be a dict"),
        ({"a": RIGHT[0], "b": RIGHT[1], "c": RIGHT[2]}, {"model": RightOrWrong([1, 1, 1, 2])},
         ValueError, "must be a number for more than two systems"),
        ({"a": [1.5], "b": [2.0]}, {}, ValueError, "single item"),
        ({"a": GRADES[0], "b": GRADES[1]}, {"scoring": 3}, TypeError, "scoring must be a string"),
        ({"a": GRADES[0], "b": GRADES[1]}, {"higher_is_better": 1}, TypeError, "True or False"),
    ],
)  # fmt: skip
def test_wrong_arguments_of_many(scores, options, kind, message):
    with pytest.raises(kind, match=message):
        compare_many_items(scores, **options)


P = np.random.default_rng(2).beta(0.4, 0.4, (2, N, 1))
ATTEMPTS = (np.random.default_rng(3).random((2, N, 6)) < P).astype(float)
UNEQUAL = ATTEMPTS.copy()
UNEQUAL[0, ::3, 4:] = UNEQUAL[1, 5, 3:] = np.nan


class TestAttempts:
    """pass@k and pass^k, from several runs per item."""

    @pytest.mark.parametrize(("scoring", "joined"), [("pass@6", np.any), ("pass^6", np.all)])
    @pytest.mark.parametrize("options", [{}, {"groups": GROUPS}], ids=str)
    def test_of_all_runs_it_is_right_or_wrong(self, scoring, joined, options):
        found = compare_items(*ATTEMPTS, scoring=scoring, **options, **QUICK)
        expected = compare_items(*joined(ATTEMPTS, axis=2), **options, **QUICK)
        assert found.model == expected.model
        np.testing.assert_array_equal(found.draws, expected.draws)

    def test_one_attempt_is_the_mean(self):
        found = compare_items(*UNEQUAL, scoring="pass@1", **QUICK)
        np.testing.assert_array_equal(found.draws, compare_items(*UNEQUAL, **QUICK).draws)

    @pytest.mark.parametrize("scoring", ["pass@3", "pass^3"])
    def test_estimates_are_unbiased_at_few_runs(self, scoring):
        # Most items never or always succeed.
        rng = np.random.default_rng(4)
        p = rng.beta(0.2, 0.3, (2, 20_000))
        scores = (rng.random((2, 20_000, 5)) < p[:, :, None]) * 1.0
        scores[:, ::2, 3:] = np.nan
        result = compare_items(*scores, scoring=scoring, n_draws=100, random_state=0)
        of_items = 1 - (1 - p) ** 3 if scoring == "pass@3" else p**3
        found = [result.observed_a, result.observed_b]  # with a standard error of 0.0015
        np.testing.assert_allclose(found, of_items.mean(axis=1), atol=0.006)

    def test_intervals_cover_where_few_items_carry_the_difference(self):
        # Hard items: most never succeed twice, of both systems. Without an allowance for this, the
        # intervals cover 0.86.
        def probabilities(rng, n):
            item = rng.beta(0.3, 3, n)
            return np.clip(item * rng.uniform(0.4, 1.6, (2, n)) * [[1.2], [1.0]], 0, 1)

        rng = np.random.default_rng(5)
        a, b = np.mean(probabilities(rng, 1_000_000) ** 2, axis=1)
        covered = 0
        for i in range(200):
            runs = np.moveaxis(rng.random((5, 2, 30)) < probabilities(rng, 30), 0, 2)
            options = {"scoring": "pass^2", "n_draws": 500, "random_state": i}
            low, high = compare_items(*runs, **options).hdi()
            covered += low <= a - b <= high
        assert covered / 200 > 0.91

    @pytest.mark.parametrize("options", [{}, {"groups": GROUPS}], ids=str)
    def test_invariances(self, options):
        one = compare_items(*UNEQUAL, scoring="pass@2", **options, **QUICK)
        other = compare_items(*UNEQUAL[::-1], scoring="pass@2", **options, **QUICK)
        np.testing.assert_allclose(one.draws, -other.draws, atol=1e-12)
        runs = compare_items(*UNEQUAL[:, :, ::-1], scoring="pass@2", **options, **QUICK)
        np.testing.assert_allclose(one.draws, runs.draws, atol=1e-12)
        systems = {"a": UNEQUAL[0], "b": UNEQUAL[1], "c": 1 - UNEQUAL[0]}
        many = compare_many_items(systems, scoring="pass@2", **options, **QUICK)
        pair = many.pairs["a", "b"].alone.draws
        assert ks_2samp(pair, one.draws, method="asymp").pvalue > 0.001

    def test_a_column_of_this_name_is_a_score(self):
        table = pd.DataFrame(ATTEMPTS.mean(axis=2).T, columns=["a", "b"]).rename_axis("id")
        table = table.reset_index().melt("id", var_name="model", value_name="pass@5")
        result = compare_items(table, system="model", item="id", score="pass@5", **QUICK)
        assert result.observed_a == pytest.approx(ATTEMPTS[0].mean())

    @pytest.mark.parametrize(
        ("scores", "options", "message"),
        [
            (UNEQUAL, {"scoring": "pass@4"}, r"scores_b has fewer for 1 of 60 .* 'pass@3'"),
            *((UNEQUAL, {"scoring": name}, r"scoring must be such as 'pass@5'")
              for name in ("pass@k", "Pass@5", "pass@0")),
            (UNEQUAL, {"scoring": "pass@3", "higher_is_better": False}, r"1 minus the scores"),
            (UNEQUAL / 2, {"scoring": "pass@3"}, r"0 or 1, but scores_a has 0.5"),
        ],
    )  # fmt: skip
    def test_what_is_refused(self, scores, options, message):
        with pytest.raises(ValueError, match=message):
            compare_items(*scores, **options)
