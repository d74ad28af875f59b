"""Rows of tables: eta against numerical integration, sticks against what must hold."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import betainc, expit

from skbayeseval.models import Hierarchical
from skbayeseval.models.rows import EtaSampler
from tests.models.cases import TABLES, alone, stream_outcomes


@pytest.mark.parametrize("n_classes", [2, 2000])
def test_eta_at_the_edges(n_classes):
    table = np.eye(n_classes) * 25
    (group,) = Hierarchical().specification(alone(table)).groups
    logit = EtaSampler(group.etas[0], prior=False).draw(np.random.default_rng(0), 1000)
    assert np.isfinite(logit).all()
    # A perfect classifier: 1 - eta is about 1 / (rows * log(25)).
    assert 0.01 < expit(-logit).mean() * n_classes < 2


@pytest.mark.parametrize("shapes", [(0.5, 3.0), (20_000.0, 5_000.0), (0.01, 0.01), (0.5, 0.02)])
@pytest.mark.parametrize("right", [None, True, False])
def test_eta_before_the_data_and_after_one_instance_is_beta(shapes, right):
    prior = right is None
    table = TABLES["ordinary"] if prior else [[right, not right], [0, 0]]
    (group,) = Hierarchical(eta=shapes).specification(alone(table)).groups
    sampler = EtaSampler(group.etas[0], prior=prior)
    a, b = shapes if prior else (shapes[0] + right, shapes[1] + (not right))
    logit = sampler.draw(np.random.default_rng(0), 10_000)

    def cdf(x):  # of logit(eta); 1 - eta without rounding
        return np.where(x < 0, betainc(a, b, expit(x)), 1 - betainc(b, a, expit(-x)))

    assert stats.ks_1samp(logit, cdf).pvalue > 1e-4
    assert sampler.mean == pytest.approx(a / (a + b), abs=1e-4)


@pytest.mark.parametrize("n_classes", [2, 50])
@pytest.mark.parametrize("prior", [True, False])
def test_rows_where_eta_underflows(n_classes, prior):
    # Before the data, eta and 1 - eta are below 1e-323 with probability exp(-7.4) / 2 each.
    table = np.diag(np.arange(n_classes))
    specification = Hierarchical(eta=(0.01, 0.01)).specification(alone(table))
    rng = np.random.default_rng(0)
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        for totals in stream_outcomes(specification, rng, 10_000, prior=prior, tables=False):
            assert all(np.isfinite(total).all() for total in totals)
            np.testing.assert_allclose(totals.predicted.sum(axis=-1), 1)
