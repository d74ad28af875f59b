"""The correlated Bayesian t-test against baycomp, scikit-learn's example, scipy and itself."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from skbayeseval import compare_scores
from skbayeseval.models.split_scores import (
    missing_variance,
    without_noise,
)


def scores(n_splits=20, gap=0.01, seed=0):
    rng = np.random.default_rng(seed)
    level = rng.normal(0.8, 0.02, n_splits)
    return level + rng.normal(gap, 0.01, n_splits), level + rng.normal(0, 0.01, n_splits)


@pytest.mark.parametrize("runs", [1, 2, 5])
@pytest.mark.parametrize("rope", [0.0, 0.005, 0.02])
def test_equals_baycomp(runs, rope):
    baycomp = pytest.importorskip("baycomp")
    a, b = scores(10 * runs, seed=runs)
    # Theirs is of the second minus the first, and the first of three is that the first is better.
    theirs = baycomp.CorrelatedTTest(b, a, rope=rope, runs=runs)
    ours = compare_scores(a, b, test_fraction=0.1, random_state=0)
    worse, equivalent, better = ours.probability(rope)
    expected = theirs.probs()
    assert (worse, better) == pytest.approx((expected[0], expected[-1]), abs=1e-10)
    assert equivalent == pytest.approx(expected[1] if rope else 0, abs=1e-10)
    assert ours.summary(rope)["mean"].iloc[0] == pytest.approx(theirs.mean, abs=1e-10)


def test_equals_the_statistics_example_of_scikit_learn():
    # examples/model_selection/plot_grid_search_stats.py: corrected_std, and a Student posterior
    # with n - 1 degrees of freedom whose cdf and interval it prints.
    a, b = scores(100, seed=3)
    differences = a - b
    n, n_test, n_train = len(a), 75, 225
    corrected_std = np.sqrt(np.var(differences, ddof=1) * (1 / n + n_test / n_train))
    theirs = stats.t(n - 1, loc=np.mean(differences), scale=corrected_std)
    ours = compare_scores(a, b, test_fraction=n_test / (n_test + n_train))
    assert ours.probability().better == pytest.approx(1 - theirs.cdf(0), abs=1e-10)
    assert ours.probability(0.01).equivalent == pytest.approx(
        theirs.cdf(0.01) - theirs.cdf(-0.01), abs=1e-10
    )
    for prob in (0.5, 0.75, 0.95):
        assert ours.interval(prob) == pytest.approx(theirs.interval(prob), abs=1e-10)
        assert ours.hdi(prob) == ours.interval(prob)


@pytest.mark.parametrize("n_splits", [3, 10])
def test_every_pair_of_many_is_the_pair_alone(n_splits):
    rng = np.random.default_rng(1)
    level = rng.normal(0.8, 0.02, n_splits)
    given = {f"m{k}": level + rng.normal(0.002 * k, 0.01, n_splits) for k in range(5)}
    ranking = compare_scores(given, test_fraction=0.3, random_state=0, n_draws=40_000)
    assert ranking.table["p_best"].sum() == pytest.approx(1)
    assert ranking.observed == pytest.approx([values.mean() for values in given.values()])
    for i, j in combinations(range(5), 2):
        pair = ranking.pairs[i, j].alone
        alone = compare_scores(given[f"m{i}"], given[f"m{j}"], test_fraction=0.3, random_state=0)
        assert pair.probability(0.01) == alone.probability(0.01)
        np.testing.assert_allclose(pair.draws[:100], alone.draws[:100], atol=1e-12)
        law = pair._posterior.difference(pair._metric(None)).law
        exact = stats.t(law.df, law.mean, law.scale)
        assert stats.kstest(pair.draws, exact.cdf).pvalue > 1e-4


def test_swapping_mirrors_it_and_the_unit_of_scores_is_nothing():
    a, b = scores()
    ours, swapped, moved = (
        compare_scores(*pair, test_fraction=0.2)
        for pair in ((a, b), (b, a), (3 * a - 7, 3 * b - 7))
    )
    assert ours.probability(0.01)[::-1] == pytest.approx(swapped.probability(0.01))
    assert moved.probability(0.03) == pytest.approx(ours.probability(0.01))
    low, high = ours.hdi()
    assert swapped.hdi() == pytest.approx((-high, -low))
    assert moved.hdi() == pytest.approx((3 * low, 3 * high))


@pytest.mark.parametrize(("gap", "n_test"), [(0.0, 20), (0.01, 100), (-0.05, 20)])
def test_equal_differences_vary_by_a_rounding_error(gap, n_test):
    a = np.array([0.8, 0.85, 0.75, 0.9, 0.8])
    result = compare_scores(a + gap, a, test_fraction=0.2, n_test=n_test, random_state=0)
    scale = np.sqrt(1 / 5 + 0.2 / 0.8) / (n_test * np.sqrt(12))
    exact = stats.t(4, gap, scale)
    assert result.hdi() == pytest.approx(exact.interval(0.95), abs=1e-10)
    assert result.probability().better == pytest.approx(exact.sf(0))
    assert result.probability().equivalent == pytest.approx(0, abs=1e-12)
    assert stats.kstest(result.draws, exact.cdf).pvalue > 0.001
    back = compare_scores(a, a + gap, test_fraction=0.2, n_test=n_test)
    assert back.hdi() == pytest.approx((-result.hdi().high, -result.hdi().low), abs=1e-12)


def test_the_step_of_scores_is_the_smallest_one_seen():
    a = np.array([0.8, 0.85, 0.75, 0.9, 0.8])
    seen = compare_scores(a + 0.1, a, test_fraction=0.2)
    given = compare_scores(a + 0.1, a, test_fraction=0.2, n_test=20)
    assert seen.hdi() == pytest.approx(given.hdi())


def test_scores_that_vary_more_than_their_step_are_not_touched():
    a, b = np.round(scores(), 2)
    assert np.std(a - b, ddof=1) > 0.01 / np.sqrt(12)
    for n_test in (None, 100):
        result = compare_scores(a, b, test_fraction=0.2, n_test=n_test)
        d = a - b
        exact = stats.t(19, d.mean(), np.sqrt(1 / 20 + 0.25) * d.std(ddof=1))
        assert result.hdi() == pytest.approx(exact.interval(0.95), abs=1e-10)
    assert not missing_variance(np.stack([a, b]), 0.01).any()


def test_rounding_makes_no_winner():
    ours = compare_scores([0.3] * 3, [0.1 + 0.2] * 3, test_fraction=0.2, random_state=0)
    assert ours.probability() == (0, 1, 0)
    assert "(equal with probability >99.9%)" in str(ours)
    assert not ours.to_arviz().posterior["score_difference"].any()
    a, _ = scores()
    ranking = compare_scores({"a": a, "b": a + 1e-15}, test_fraction=0.2, random_state=0)
    assert ranking.table["p_best"].tolist() == pytest.approx([0.5, 0.5], abs=0.02)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_rounding_errors_are_relative_to_the_scores(scale):
    a, _ = scores()
    ahead = compare_scores(scale * (a + 0.05), scale * a, test_fraction=0.2)
    step = scale * np.diff(np.sort(np.r_[a, a + 0.05])).min()
    exact = stats.t(19, 0, np.sqrt(0.3 / 12) * step)
    assert ahead.summary()["sd"].iloc[0] == pytest.approx(exact.std(), rel=1e-4)
    values = scale * np.array([0.1 + 0.2, 0.7])
    assert without_noise(values, values)[0] == pytest.approx(0.3 * scale, rel=1e-15)


def test_two_splits_have_no_standard_deviation():
    result = compare_scores([0.8, 0.9], [0.7, 0.85], test_fraction=0.5, random_state=0)
    assert result.summary()["sd"].iloc[0] == np.inf
    exact = stats.cauchy(0.075, np.sqrt(0.5 + 1) * np.std([0.1, 0.05], ddof=1))
    assert result.probability().better == pytest.approx(exact.sf(0))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"scores_b": [0.1, 0.2]}, ValueError, "inconsistent numbers of samples: scores_a has 20"),
        ({"test_fraction": 2}, ValueError, "test_fraction == 2"),
        ({"test_fraction": None}, ValueError, "requires test_fraction="),
        ({"n_test": 0}, ValueError, "at least 1, got 0"),
        ({"n_test": "20"}, ValueError, "n_test must be the number of instances"),
        ({"scoring": 3}, TypeError, "scoring must be a string, the name of the metric"),
    ],
)
def test_bad_input(change, error, message):
    a, b = scores()
    with pytest.raises(error, match=message):
        compare_scores(**({"scores_a": a, "scores_b": b, "test_fraction": 0.1} | change))
    with pytest.raises(ValueError, match="no split scores of 'f1'"):
        compare_scores(a, b, test_fraction=0.1).metric("f1")


@pytest.mark.parametrize(("scoring", "most"), [("roc_auc", 1.0), ("r2", np.inf)])
def test_intervals_end_where_the_metric_does(scoring, most):
    a, b = [0.99, 0.98, 0.95, 1.0, 0.99], [0.05, 0.2, 0.5, 0.02, 0.1]
    result = compare_scores(a, b, test_fraction=0.2, scoring=scoring, random_state=0)
    # Student's t, which knows no limits.
    scale = np.sqrt((1 / 5 + 0.2 / 0.8) * np.var(a, ddof=1))
    free = stats.t(4, np.mean(a), scale).ppf(0.9995)
    assert free > 1
    assert result.interval(0.999, of="a").high == pytest.approx(min(free, most), abs=1e-3)
    assert result.hdi(0.999).high <= most
    assert result.draws_a.max() <= most
