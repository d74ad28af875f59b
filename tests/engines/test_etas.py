"""Draws of eta against numerical integration, and its density against the formula."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import betainc, expit, gammaln, log_expit

from skbayeseval.engines.rows import Eta, EtaSampler, log_density_of_eta
from skbayeseval.evidence import ConfusionCounts
from skbayeseval.models import Hierarchical
from tests.engines.confusion_tables import TABLES


@pytest.mark.parametrize("n_classes", [2, 20, 2000])
def test_eta_at_the_edges(n_classes):
    table = np.eye(n_classes) * 25
    (group,) = Hierarchical().specification((ConfusionCounts.from_matrix(table),)).groups
    logit = EtaSampler(group.etas[0], prior=False).draw(np.random.default_rng(0), 1000)
    assert np.isfinite(logit).all()
    # A perfect classifier: 1 - eta is about 1 / (rows * log(25)).
    assert 0.01 < expit(-logit).mean() * n_classes < 2


SHAPES = [(1.0, 1.0), (0.5, 3.0), (20_000.0, 5_000.0), (0.01, 0.01), (0.02, 0.5), (0.5, 0.02)]


def assert_logit_of_beta(logit, a, b):
    """Compare draws of a logit with the Beta distribution; 1 - eta is computed without rounding."""

    def cdf(x):
        return np.where(x < 0, betainc(a, b, expit(x)), 1 - betainc(b, a, expit(-x)))

    assert stats.ks_1samp(logit, cdf).pvalue > 1e-4


@pytest.mark.parametrize("shapes", SHAPES)
def test_eta_before_the_data_is_beta(shapes):
    counts = ConfusionCounts.from_matrix(TABLES["ordinary"])
    (group,) = Hierarchical(eta=shapes).specification((counts,)).groups
    logit = EtaSampler(group.etas[0], prior=True).draw(np.random.default_rng(0), 10_000)
    assert_logit_of_beta(logit, *shapes)


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("right", [True, False])
def test_eta_after_one_instance_is_beta(shapes, right):
    counts = ConfusionCounts.from_matrix([[right, not right], [0, 0]])
    (group,) = Hierarchical(eta=shapes).specification((counts,)).groups
    sampler = EtaSampler(group.etas[0], prior=False)
    after = (shapes[0] + right, shapes[1] + (not right))
    assert_logit_of_beta(sampler.draw(np.random.default_rng(0), 10_000), *after)
    assert sampler.mean == pytest.approx(after[0] / sum(after), abs=1e-4)


@pytest.mark.parametrize("n_classes", [2, 10, 1000])
@pytest.mark.parametrize(
    ("counts", "times"),
    [
        ([1, 2, 30], [5, 1, 2]),
        ([0.2, 0.999, 1.0, 7.3], [1, 4, 2, 9]),
        ([1, 5e5], [900, 3]),
        ([], []),
    ],
)
def test_density_is_that_of_the_formula(n_classes, counts, times):
    counts, times = np.array(counts), np.array(times, dtype=int)
    right, wrong = np.repeat(counts, times), np.repeat(counts[:2], times[:2])
    eta = Eta(np.array([2.0, 1.5]), n_classes, right, wrong)
    logit = np.linspace(-30, 30, 301)
    expected = 2 * log_expit(logit) + 1.5 * log_expit(-logit)
    for shape, numbers in ((expit(logit), right), (expit(-logit) / (n_classes - 1), wrong)):
        for number in numbers:
            expected += gammaln(shape + number) - gammaln(shape)
    found = log_density_of_eta(eta, logit, prior=False)
    # Errors of rounding are those of the largest terms.
    scale = 1 + np.sum(times * np.abs(gammaln(counts + 1)))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13 * scale)


def test_density_of_many_instances_is_that_of_the_formula_up_to_a_constant():
    counts = np.array([3e6, 1e9])
    eta = Eta(np.ones(2), 3, right=counts, wrong=counts[:0])
    logit = np.linspace(-3, 3, 61)
    found = log_density_of_eta(eta, logit, prior=False) - log_expit(logit) - log_expit(-logit)
    # With n much larger than eta, Gamma(n + eta) / Gamma(n) is n^eta.
    shape = expit(logit)
    expected = shape * np.log(counts).sum() - 2 * gammaln(shape)
    np.testing.assert_allclose(found - found[0], expected - expected[0], atol=1e-5)
