"""Simulation-based calibration of the second engine: every label is a replication of its own."""

import numpy as np
import pytest
from scipy import stats

from skbayeseval import PyMCEngine
from skbayeseval.models import IndependentLabels

N_LABELS = 150
KEPT = 99


def f1(mu, found, alarm):
    return 2 * mu * found / (mu * found + (1 - mu) * alarm + mu)


@pytest.mark.slow
def test_ranks_are_uniform():
    rng = np.random.default_rng(3)
    truth = rng.random((3, 2, N_LABELS))
    mu, found, alarm = truth
    cells = np.stack(
        [mu * found, (1 - mu) * alarm, mu * (1 - found), (1 - mu) * (1 - alarm)], axis=-1
    )
    counts = rng.multinomial(40, cells).astype(float)
    specification = IndependentLabels()
    specification._take_cells(counts[..., [0, 2, 1, 3]].reshape(2, -1, 2, 2), 0)
    engine = PyMCEngine(draws=1000, tune=500, chains=2, cores=1)
    trace = engine.draw(specification, tuple(range(N_LABELS)), seed=3)
    draws = trace.flat()
    scores = {key: f1(*(draws[f"{name}_{key}"] for name in ("mu", "rho+", "rho-"))) for key in "AB"}
    true = f1(*truth)
    # A chain's draws are correlated: keep few of them, far apart.
    thin = np.linspace(0, len(scores["A"]) - 1, KEPT).astype(int)
    for sampled, value in (
        (scores["A"] - scores["B"], true[0] - true[1]),
        (scores["A"], true[0]),
        (draws["mu_B"], mu[1]),
    ):
        ranks = (sampled[thin] < value).sum(axis=0)
        uniform = stats.uniform(0, 1)
        spread = (ranks + rng.random(N_LABELS)) / (KEPT + 1)
        assert stats.kstest(spread, uniform.cdf).pvalue > 0.01
        assert abs(stats.norm.ppf(spread).std() - 1) < 3 / np.sqrt(2 * N_LABELS)
