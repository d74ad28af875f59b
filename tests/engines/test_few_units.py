"""Draws from few units, against closed forms, simulations with known truth, and by symmetry."""

import numpy as np
import pytest
from scipy import stats

from skbayeseval import compare_many, compare_predictions, hdi, score_posterior
from skbayeseval.engines.bootstrap import (
    allow_for_few_carriers,
    allow_for_few_units,
    difference_of_twins,
)
from skbayeseval.evidence.unit_numbers import UnitNumbers, effective_number
from skbayeseval.results.facts import _carriers_of_table


def numbers(k, n=None):
    return UnitNumbers("groups", k, float(k), float(k if n is None else n), float(k))


def by_score(y, a, b, scoring="roc_auc", **options):
    scores = {"y_score_a": a, "y_score_b": b, "scoring": scoring}
    return compare_predictions(y, None, None, **scores, random_state=0, **options)


def ranked(rng, n_positive, n_negative):
    y = np.repeat([1, 0], [n_positive, n_negative])
    shared = y + 0.7 * rng.normal(size=len(y))
    return y, *(shared + 0.7 * rng.normal(size=len(y)) for _ in range(2))


def grouped(rng, k, size=10):
    groups = np.repeat(np.arange(k), size)
    y = rng.random(k * size) < 0.4
    found = []
    for _ in range(2):
        right = rng.random(k * size) < stats.norm.cdf(0.8 + 0.5 * rng.normal(size=k))[groups]
        found.append(np.where(right, y, ~y).astype(int))
    return y.astype(int), *found, groups


@pytest.mark.parametrize("k", [4, 10, 100])
def test_a_mean_of_normal_values_has_students_distribution(k):
    # Draws of a mean of k values with variance s^2 (k - 1) / k have this variance / (k + 1).
    rng = np.random.default_rng(0)
    values = rng.normal(size=k)
    sd = np.sqrt(values.var() / (k + 1))
    draws = values.mean() + sd * rng.normal(size=(1, 40_000))
    found = allow_for_few_units(draws, numbers(k), None, rng)[0]
    exact = stats.t(k - 1, values.mean(), values.std(ddof=1) / np.sqrt(k))
    assert stats.kstest(found, exact.cdf).pvalue > 0.001


def test_many_units_change_next_to_nothing():
    rng = np.random.default_rng(1)
    draws = 0.8 + 0.01 * rng.normal(size=(2, 20_000))
    found = allow_for_few_units(draws, numbers(2000), (0.0, 1.0), rng)
    assert found.mean(axis=1) == pytest.approx([0.8, 0.8], abs=0.001)
    assert found.std(axis=1) == pytest.approx([0.01, 0.01], rel=0.02)
    assert np.corrcoef(draws[0], found[0])[0, 1] > 0.99


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.0, 1.0)])
@pytest.mark.parametrize("k", [2, 5, 20])
def test_draws_stay_within_the_range(k, bounds):
    rng = np.random.default_rng(2)
    low, high = bounds
    draws = low + (high - low) * rng.beta(5, 0.2, (3, 20_000))
    found = allow_for_few_units(draws, numbers(k), bounds, rng)
    assert low <= found.min() < found.max() <= high
    assert np.all(found.std(axis=1) > draws.std(axis=1))


def test_all_right_is_about_jeffreys_posterior():
    # For so many units that the stretch is nothing: half an instance, on average half right.
    rng = np.random.default_rng(3)
    found = allow_for_few_units(np.ones((1, 40_000)), numbers(1000), (0.0, 1.0), rng)[0]
    assert 1 - found.mean() == pytest.approx(0.25 / 1000, rel=0.1)
    few = allow_for_few_units(np.ones((1, 40_000)), numbers(5), (0.0, 1.0), rng)[0]
    assert 0.2 < hdi(few).low < 0.05 ** (1 / 5) + 0.1  # Clopper and Pearson: 0.55, one-sided


@pytest.mark.parametrize(("scoring", "k"), [("roc_auc", 4), ("average_precision", 6)])
def test_exchanging_a_and_b_changes_the_sign_alone(scoring, k):
    y, a, b = ranked(np.random.default_rng(4), k, 30)
    ours, swapped = by_score(y, a, b, scoring), by_score(y, b, a, scoring)
    np.testing.assert_array_equal(ours.draws, -swapped.draws)
    y, a, b, groups = grouped(np.random.default_rng(4), k)
    for name in ("accuracy", "f1"):
        options = {"groups": groups, "scoring": name, "random_state": 0}
        ours, swapped = (compare_predictions(y, *ab, **options) for ab in ((a, b), (b, a)))
        np.testing.assert_array_equal(ours.draws, -swapped.draws)
        np.testing.assert_array_equal(ours.draws, ours.draws_a - ours.draws_b)


@pytest.mark.parametrize(("of_areas", "df"), [(True, 4.0), (False, 2 / (1 / 4 - 1 / 30))])
def test_few_carriers_have_students_distribution_with_fewer_degrees(of_areas, df):
    rng = np.random.default_rng(0)
    draws = stats.t(29).rvs(40_000, random_state=rng)  # that of 30 units
    found = allow_for_few_carriers(draws, numbers(30), 4.0, None, rng, of_areas=of_areas)
    assert stats.kstest(found, stats.t(df).cdf).pvalue > 0.001
    for carriers in (29.0, np.inf):
        same = allow_for_few_carriers(draws, numbers(30), carriers, None, rng, of_areas=of_areas)
        assert same is draws


def test_effective_numbers():
    rng = np.random.default_rng(0)
    u = rng.normal(size=50_000)
    assert effective_number(u) == pytest.approx(50_000 / 3, rel=0.05)
    assert effective_number(3 * u) == pytest.approx(effective_number(u))
    assert effective_number(np.repeat(u, 2)) == pytest.approx(2 * effective_number(u))
    assert effective_number(u, 2.0) == pytest.approx(2 * effective_number(u))
    assert effective_number(np.zeros(3)) == np.inf


def nearly_perfect(seed=0, n_positive=20, n_negative=200):
    """Return scores with ROC AUCs of 0.93 and 0.95."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_positive, n_negative])
    shared = np.sqrt(0.5) * rng.normal(size=len(y))
    own = (np.sqrt(2) * stats.norm.ppf(auc) * y for auc in (0.93, 0.95))
    return y, *(shared + one + np.sqrt(0.5) * rng.normal(size=len(y)) for one in own)


def test_a_handful_of_misranked_positives_makes_the_difference_wider():
    y, a, b = nearly_perfect()
    result, twins = by_score(y, a, b), by_score(y, a, a)
    metric = result._metrics["roc_auc"]
    carriers = result._posterior.carried_by(metric)
    assert 2 < carriers < 9
    assert twins._posterior.carried_by(metric) == np.inf
    plain = np.subtract(*result._posterior.draws(metric))
    for prob in (0.8, 0.95, 0.99):
        ends = np.array([(1 - prob) / 2, (1 + prob) / 2])
        wider = np.ptp(result.interval(prob)) / np.ptp(np.quantile(plain, ends))
        expected = stats.t(carriers).ppf(ends[1]) / stats.t(19).ppf(ends[1])
        assert wider == pytest.approx(expected, rel=0.05)
    assert result.draws.mean() == pytest.approx(plain.mean(), abs=0.003)


def test_who_carries_does_not_depend_on_order_scale_or_others():
    y, a, b = nearly_perfect()
    two = by_score(y, a, b)
    metric = two._metrics["roc_auc"]
    order = np.random.default_rng(1).permutation(len(y))
    shuffled = by_score(y[order], a[order], np.exp(b[order]))
    again = by_score(*(np.tile(values, 2) for values in (y, a, b)))
    own = [two._posterior.carried_by(metric, which) for which in (None, 0, 1)]
    for other, times in ((shuffled, 1), (again, 2)):
        found = [other._posterior.carried_by(metric, which) for which in (None, 0, 1)]
        assert found == pytest.approx([times * number for number in own])
    scores = {"a": a, "b": b, "c": np.random.default_rng(2).permutation(a)}
    many = compare_many(y, None, scores=scores, scoring="roc_auc", random_state=0)
    np.testing.assert_allclose(many.pairs[0, 1].draws, two.draws)
    np.testing.assert_array_equal(many.pairs[1, 0].draws, -many.pairs[0, 1].draws)
    alone = score_posterior(y, None, y_score=a, scoring="roc_auc", random_state=0)
    np.testing.assert_allclose(alone.draws, two.draws_a)


def test_the_order_of_groups_is_a_matter_of_draws_only():
    y, a, b, groups = grouped(np.random.default_rng(6), 5)
    one = compare_predictions(y, a, b, groups=groups, random_state=0, n_draws=100_000)
    other = compare_predictions(y, a, b, groups=-groups, random_state=1, n_draws=100_000)
    assert one.hdi() == pytest.approx(other.hdi(), abs=0.02)


def test_classifiers_that_never_differ_may_still_differ():
    y, a, _, groups = grouped(np.random.default_rng(7), 8)
    twins = compare_predictions(y, a, a, groups=groups, random_state=0)
    low, high = twins.hdi()
    assert -0.2 < low < 0 < high < 0.2
    assert twins.probability().better == pytest.approx(0.5, abs=0.02)
    assert twins.probability().equivalent == 0
    draws = difference_of_twins(numbers(8, 80), (0.0, 1.0), np.random.default_rng(0), 40_000)
    assert abs(draws.mean()) < 4 * draws.std() / 200


@pytest.mark.parametrize("n", [3, 10])
def test_a_perfect_ranking_is_not_certain(n):
    y = np.repeat([1, 0], [n, 5 * n])
    noise = np.linspace(0, 0.1, len(y))
    result = by_score(y, y + noise, y + 0.5 - noise)
    low, high = result.hdi(of="a")
    assert 0 < low < 0.99
    assert high <= 1
    assert result.hdi().low < 0 < result.hdi().high
    assert result.observed_a == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: compare_predictions([0, 1, 1], [0, 1, 0], [0, 1, 1], groups=["x"] * 3),
            "There is a single group.*Pass at least two groups",
        ),
        (
            lambda: by_score([0, 1], [0.1, 0.2], [0.3, 0.2], "neg_brier_score", groups=[1, 1]),
            "There is a single group",
        ),
        (
            lambda: by_score([0, 0, 1], [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]),
            "y_true has one of positives only.*at least two positives",
        ),
        (lambda: by_score([0, 1, 1], [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]), "at least two negatives"),
        (
            lambda: compare_predictions([[1, 1]], [[1, 1]], [[1, 0]], scoring="f1_micro"),
            "There is a single instance",
        ),
    ],
)
def test_a_single_unit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_few_units_are_told():
    y, a, b, groups = grouped(np.random.default_rng(8), 7)
    assert "only 7 groups: intervals are widened" in str(
        compare_predictions(y, a, b, groups=groups)
    )
    assert "caution" not in compare_predictions(y, a, b).details()
    y, a, b = ranked(np.random.default_rng(8), 30, 9)
    assert "only 9 negatives: intervals are widened" in str(by_score(y, a, b))
    y, a, b = ranked(np.random.default_rng(8), 30, 90)
    assert "caution" not in by_score(y, a, b).details()


def test_few_that_carry_are_told():
    y = np.repeat([1.0, -1.0, 50.0], [30, 30, 1])
    said = y + np.random.default_rng(0).normal(size=61)
    said[-1] = 20.0
    result = score_posterior(y, said, scoring="r2", random_state=0)
    words = "few instances carry this estimate (effective number 3): its interval may be too narrow"
    assert f"  caution     {words}\n" in str(result)
    assert f"Caution: {words}." in result.explain()
    result = compare_predictions(y, said, -said, scoring=["r2", "neg_mean_squared_error"])
    carried = "  caution     r2: few instances carry the difference (effective number"
    assert carried in str(result)
    assert carried in result.details()
    y, a, b = ranked(np.random.default_rng(8), 300, 300)
    assert "carry" not in by_score(y, a, b).details()


def test_few_false_alarms_carry_the_precision_of_a_rare_class():
    y = np.repeat([1, 0], 50)
    said = np.r_[np.ones(45), np.zeros(5), np.ones(2), np.zeros(48)].astype(int)
    told = score_posterior(y, said, scoring="precision", prevalence=0.02, random_state=0)
    # Kurtosis of right or wrong with a rate of p: 1 / (p (1 - p)) - 3; recalls matter little.
    assert "few instances carry this estimate (effective number 2)" in str(told)
    assert round(50 / (1 / (0.04 * 0.96) - 3)) == 2
    plain = score_posterior(y, said, scoring="precision", random_state=0)
    assert "carry" not in plain.details()
    # The classes vary within themselves only, each around its own recall.
    right = np.r_[np.ones(25), np.zeros(25), np.ones(48), np.zeros(2)]
    result = score_posterior(y, np.where(right == 1, y, 1 - y), prevalence=0.3, random_state=0)
    within = np.where(
        y == 1, 0.3 * (right - right[y == 1].mean()), 0.7 * (right - right[y == 0].mean())
    )
    found = _carriers_of_table(result._posterior, result._metrics["accuracy"])
    assert found == pytest.approx(effective_number(within))


def excluded(compare, n_sets):
    """Return how often the 95% HDI of two equally good classifiers excludes 0."""
    found = 0
    for seed in range(n_sets):
        low, high = compare(np.random.default_rng(seed)).hdi()
        found += not low <= 0 <= high
    return found / n_sets


@pytest.mark.slow
@pytest.mark.parametrize(("k", "at_most"), [(5, 0.12), (10, 0.08), (20, 0.08)])
@pytest.mark.parametrize("scoring", ["accuracy", "f1", "roc_auc"])
def test_equally_good_classifiers_are_rarely_told_apart(scoring, k, at_most):
    def compare(rng):
        if scoring == "roc_auc":
            return by_score(*ranked(rng, k, 50), n_draws=1000)
        y, a, b, groups = grouped(rng, k)
        return compare_predictions(
            y, a, b, groups=groups, scoring=scoring, n_draws=1000, random_state=0
        )

    assert excluded(compare, 600) <= at_most + 0.015  # 1.3 standard errors


@pytest.mark.slow
def test_few_that_are_exactly_at_the_margin_are_called_safe_to_ship():
    # With the number of positives alone, 11% are; the difference of 0.02 was covered by 92%.
    safe = covered = 0
    for seed in range(600):
        result = by_score(*nearly_perfect(seed), n_draws=1000)
        safe += result.non_inferiority(0.02).answer == "yes"
        low, high = result.hdi()
        covered += low <= -0.02 <= high
    assert safe / 600 < 0.09
    assert covered / 600 > 0.935
