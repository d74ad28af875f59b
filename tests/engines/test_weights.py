import numpy as np
import pytest
from scipy import stats

from skbayeseval import compare_predictions
from skbayeseval.evidence.units import UnitCounts
from skbayeseval.metrics.metric import Metric
from skbayeseval.models.bootstrap import InstanceWeights

N_DRAWS = 20_000


def instances(n=400, n_labels=3):
    """A few kinds of instances, of unequal numbers."""
    rng = np.random.default_rng(0)
    y = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]])[rng.choice(3, n, p=[0.6, 0.3, 0.1])]
    a, b = (np.where(rng.random((n, n_labels)) < p, 1 - y, y) for p in (0.1, 0.2))
    return y, a, b


def drawn(units, metric, model=None):
    """Return draws of a metric before anything is added for few units."""
    specification = (model or InstanceWeights()).specification(units)
    rng = np.random.default_rng(1)
    return np.concatenate(list(specification.stream(metric, rng, N_DRAWS)), axis=1)


def total(name, label):
    return Metric(name, lambda totals, positive, zero: getattr(totals, name)[..., label])


def test_a_share_of_instances_is_a_beta_variable():
    y, a, _ = instances()
    units = UnitCounts.from_indicators(y, {"a": a}, weight=0.3)
    right = 0.3 * (y * a)[:, 1].sum()
    law = stats.beta(right, 0.3 * len(y) - right)
    assert stats.ks_1samp(drawn(units, total("hits", 1))[0], law.cdf).pvalue > 1e-3


@pytest.mark.parametrize("groups", [None, np.arange(400) // 2])
def test_exchanging_classifiers_changes_the_sign_only(groups):
    y, a, b = instances()
    options = {"scoring": ["f1_micro", "f1_macro"], "groups": groups, "random_state": 0}
    one = compare_predictions(y, a, b, **options)
    other = compare_predictions(y, b, a, **options)
    for name in one.metrics:
        np.testing.assert_array_equal(one.metric(name).draws, -other.metric(name).draws)
        np.testing.assert_array_equal(one.metric(name).draws_a, other.metric(name).draws_b)


def test_order_of_labels_does_not_matter():
    y, a, b = instances()
    for name in ("f1_micro", "f1_macro"):
        options = {"scoring": name, "random_state": 0, "n_draws": 1000}
        one = compare_predictions(y, a, b, **options)
        other = compare_predictions(*(matrix[:, [2, 0, 1]] for matrix in (y, a, b)), **options)
        np.testing.assert_allclose(one.draws, other.draws, rtol=1e-9, atol=1e-12)
