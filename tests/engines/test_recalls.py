"""Draws of recalls against numerical integration, dense draws and closed forms."""

import numpy as np
import pytest
from scipy.special import expit

from skbayeseval.engines.recalls import RecallGrid, RecallRows
from skbayeseval.engines.rows import GroupDraws, Recall
from skbayeseval.evidence import PairedCounts
from skbayeseval.models import PairedRecalls
from skbayeseval.models.outcomes import row_sampler
from tests.engines import confusion_tables
from tests.engines.cases import stream_outcomes

TABLES = {**confusion_tables.TABLES, "never right": [[0, 1, 0], [4, 0, 0], [2, 5, 0]]}


def paired_votes(n=400, n_classes=4, n_classifiers=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(n_classes, n)
    hard = rng.random(n)
    right = hard + 0.3 * rng.random((n_classifiers, n)) < 0.9
    wrong = (y + rng.integers(1, n_classes, (n_classifiers, n))) % n_classes
    predictions = {f"c{k}": one for k, one in enumerate(np.where(right, y, wrong))}
    return PairedCounts.from_labels(y, predictions, labels=np.arange(n_classes))


@pytest.mark.parametrize("prior", [True, False])
def test_extreme_concentrations_leave_no_nan(prior):
    evidence = paired_votes(n=12, n_classes=5)
    for icc in ((1e3, 0.01), (0.01, 1e3)):
        specification = PairedRecalls(icc=icc, eta=0.01).specification(evidence)
        for tables in stream_outcomes(
            specification, np.random.default_rng(0), 500, prior=prior, tables=True
        ):
            assert np.isfinite(tables).all()
            assert tables.min() >= 0
            np.testing.assert_allclose(tables.sum(axis=(2, 3)), 1)


def test_etas_are_as_correlated_as_being_right():
    evidence = paired_votes(n=4000, n_classes=20, n_classifiers=3)
    (group,) = PairedRecalls().specification(evidence).groups
    sampler = row_sampler(group, False)
    assert isinstance(sampler, RecallRows)
    wanted = sampler.mixing @ sampler.mixing.T
    rng = np.random.default_rng(0)
    base = sampler.draw_base(rng, 4000)
    np.testing.assert_allclose(np.corrcoef(base.logits), wanted, atol=0.1)
    assert (np.corrcoef(np.log(base.masses))[np.triu_indices(3, 1)] > 0.8).all()
    # The same for draws that are independent, as those of Markov chains are.
    alone = [grid.draw(rng.random((3, 4000))) for grid in sampler.grids]
    logits, masses = zip(*alone, strict=True)
    base = sampler.arranged(rng, GroupDraws(None, logits, masses))
    np.testing.assert_allclose(np.corrcoef(base.logits), wanted, atol=0.15)
    assert (np.corrcoef(np.log(base.masses))[np.triu_indices(3, 1)] > 0.8).all()
    assert base.mu.shape == (4000, 20)
    for before, after in zip(logits, base.logits, strict=True):
        np.testing.assert_array_equal(np.sort(before), np.sort(after))


EDGES = np.array([0.0, 1e-300, 1e-12, 0.5, 1 - 1e-12, 1 - 2**-53])


@pytest.mark.parametrize("icc", [1.0, 3e5, 1e6])
def test_draws_exist_where_densities_underflow(icc):
    counts = Recall(np.ones(2), np.full(2, icc), right=np.full(3, 500.0), wrong=np.full(3, 500.0))
    uniform = np.stack(np.meshgrid(EDGES, EDGES, EDGES)).reshape(3, -1)
    grid = RecallGrid(counts, prior=False)
    logit, mass = grid.draw(uniform)
    assert np.isfinite(logit).all()
    assert np.isfinite(mass).all()
    assert grid.logit[0] - 1e-9 <= logit.min() <= logit.max() <= grid.logit[-1] + 1e-9
    logit, mass = grid.draw(np.random.default_rng(0).random((3, 20_000)))
    assert expit(logit).mean() == pytest.approx(0.5, abs=0.01)
    if icc > 1:  # the prior says that 1 / (1 + s) is about 1/2, and the data do not object
        assert np.log(mass).mean() == pytest.approx(0, abs=0.05)
