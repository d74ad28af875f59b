"""Draws of eta against numerical integration, and its density against the formula."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import betainc, expit

from skbayeseval.engines.rows import EtaSampler
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
