import numpy as np
import pytest

from skbayeseval import compare_predictions, metrics
from skbayeseval.evidence.validated_rows import cell_influence
from skbayeseval.planning.truths import (
    SCALE,
    plausibility,
    populations_of,
    spread_of_instances,
    tables_of,
    truths,
)

ACCURACY, F1 = metrics.get_metric("accuracy"), metrics.get_metric("f1")
CELLS = np.random.default_rng(0).dirichlet(np.ones(8), 30).reshape(-1, 2, 2, 2)


def test_tables_are_the_margins():
    ((a, b),) = tables_of([populations_of(CELLS[0])], 2)
    np.testing.assert_allclose(a, CELLS[0].sum(axis=2))
    np.testing.assert_allclose(b, CELLS[0].sum(axis=1))
    (apart,) = tables_of([populations_of(a, b)], 2)
    np.testing.assert_allclose(apart, [a, b])


def test_accuracy_has_a_normal_prior_given_the_disagreement():
    only_a = CELLS[:, 0, 0, 1] + CELLS[:, 1, 1, 0]
    only_b = CELLS[:, 0, 1, 0] + CELLS[:, 1, 0, 1]
    expected = np.exp(-0.5 * ((only_a - only_b) / SCALE) ** 2 / (only_a + only_b))
    differences, found = plausibility([populations_of(one) for one in CELLS], ACCURACY, 1, 2)
    np.testing.assert_allclose(differences, only_a - only_b)
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-6)


def test_the_spread_of_instances_in_f1():
    """A positive found instead of missed is worth (2 - F1) / D, a false alarm less F1 / D."""
    table = np.array([[0.5, 0.1], [0.1, 0.3]])
    f1, size = 0.75, 0.8  # D = 2 TP + FP + FN
    influence = cell_influence(F1, table, 1)
    (found,) = spread_of_instances([populations_of(CELLS[0])], influence)
    negative, positive = (CELLS[0, k, 0, 1] + CELLS[0, k, 1, 0] for k in (0, 1))
    expected = np.sqrt(positive * (2 - f1) ** 2 + negative * f1**2) / size
    assert found == pytest.approx(expected, rel=1e-5)


def test_separate_tables_take_half_of_all_errors_for_disagreements():
    a, b = np.array([[0.5, 0.1], [0.1, 0.3]]), np.array([[0.4, 0.2], [0.0, 0.4]])
    (found,) = spread_of_instances([populations_of(a, b)], cell_influence(ACCURACY, a, 1))
    assert found == pytest.approx(np.sqrt((0.2 + 0.2) / 2))


@pytest.mark.parametrize("metric", [ACCURACY, F1, metrics.get_metric("matthews_corrcoef")])
def test_swapping_the_classifiers_changes_nothing(metric):
    swapped = np.swapaxes(CELLS, 2, 3)
    one, other = (
        plausibility([populations_of(c) for c in cells], metric, 1, 2) for cells in (CELLS, swapped)
    )
    np.testing.assert_allclose(one[0], -other[0], atol=1e-12)
    np.testing.assert_allclose(one[1], other[1], rtol=1e-6)


@pytest.mark.slow
def test_truths_are_shrunk_but_disagree_as_often():
    """The prior acts as 1 / SCALE^2 instances without a difference."""
    y = np.repeat([0, 1], 500)
    wrong = np.zeros((2, 1000), dtype=bool)
    wrong[0, np.r_[:20, 500:520]] = True
    wrong[1, np.r_[20:50, 520:550]] = True
    result = compare_predictions(y, *np.where(wrong, 1 - y, y), random_state=0)
    drawn = truths(result._exact_posterior(""), ACCURACY, np.random.default_rng(0), 3000)
    tables = tables_of(drawn, 2)
    difference = np.trace(tables[:, 0] - tables[:, 1], axis1=1, axis2=2)
    # The flat posterior has the mean 20 / 1008, of 1008 instances with its prior counts.
    shrunk = 20 / 1008 * 1008 / (1008 + 1 / SCALE**2)
    assert difference.mean() == pytest.approx(shrunk, abs=0.0015)
    assert result.draws.mean() == pytest.approx(20 / 1008, abs=0.0005)


@pytest.mark.slow
def test_seeds_differ_by_what_their_intervals_say():
    """Totals of other seeds are about 5% away, and the intervals reach 11% to either side."""
    y = np.repeat([0, 1], 200)
    wrong = np.zeros((2, 400), dtype=bool)
    wrong[0, np.r_[:26]] = True
    wrong[1, np.r_[26:48]] = True
    result = compare_predictions(y, *np.where(wrong, 1 - y, y), random_state=0)
    sizes = [result.required_sample_size(0.03, random_state=seed) for seed in range(10)]
    totals = np.array([size.n_total for size in sizes])
    intervals = [size.interval for size in sizes]
    stated = np.mean([interval.high - interval.low for interval in intervals]) / (2 * 1.96)
    # Ten numbers estimate a standard deviation within these factors with probability 99.8%.
    assert 0.35 < np.std(totals, ddof=1) / stated < 1.76
    assert stated / totals.mean() < 0.07
    assert sum(interval.low < totals.mean() < interval.high for interval in intervals) >= 8


def test_truths_are_spread_evenly():
    """The share of truths above a limit varies less than that of independent draws."""
    y = np.repeat([0, 1], 100)
    a, b = np.where(np.arange(200) % 10 == 0, 1 - y, y), np.where(np.arange(200) % 9 == 0, 1 - y, y)
    posterior = compare_predictions(y, a, b, random_state=0)._exact_posterior("")
    means = []
    for seed in range(20):
        tables = tables_of(truths(posterior, ACCURACY, np.random.default_rng(seed), 100), 2)
        means.append(np.trace(tables[:, 0] - tables[:, 1], axis1=1, axis2=2))
    means = np.array(means)
    assert means.mean(axis=1).std() < 0.7 * means.std() / np.sqrt(100)
