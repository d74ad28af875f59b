"""Sparse draws against dense ones."""

import numpy as np
import pytest
from scipy import stats

from skbayeseval.engines.rows import EtaSampler
from skbayeseval.evidence import ConfusionCounts, PairedCounts
from skbayeseval.metrics.confusion import Totals
from skbayeseval.metrics.registry import get_metric
from skbayeseval.models import Hierarchical, PairedHierarchical, PairedMany
from tests.engines.cases import stream_outcomes
from tests.engines.confusion_tables import TABLES, concentrations

N = 100_000


def dirichlet_rows(rng, shapes, n):
    """Dense Dirichlet draws in logs, which stay exact for tiny shapes."""
    logs = np.log(rng.standard_gamma(shapes + 1, (n, *shapes.shape)))
    logs += np.log(rng.random(logs.shape)) / shapes
    logs -= logs.max(axis=-1, keepdims=True)
    weights = np.exp(logs)
    return weights / weights.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("n_classes", [2, 50])
@pytest.mark.parametrize("prior", [True, False])
def test_rows_where_eta_underflows(n_classes, prior):
    # Before the data, eta and 1 - eta are below 1e-323 with probability exp(-7.4) / 2 each.
    table = np.diag(np.arange(n_classes))
    specification = Hierarchical(eta=(0.01, 0.01)).specification(
        (ConfusionCounts.from_matrix(table),)
    )
    rng = np.random.default_rng(0)
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        for totals in stream_outcomes(specification, rng, 10_000, prior=prior, tables=False):
            assert all(np.isfinite(total).all() for total in totals)
            np.testing.assert_allclose(totals.predicted.sum(axis=-1), 1)


class FixedEta(EtaSampler):
    """An eta that is known, to test the rest."""

    def __init__(self, value):
        self.logit = np.log(value / (1 - value))

    def draw(self, rng, n_draws, n_strata=1):
        return np.full(n_draws * n_strata, self.logit)


def sparse_tables(monkeypatch, specification, etas, n, seed=0):
    """Tables of all classifiers with the etas given."""
    from skbayeseval.engines import rows

    values = iter(etas)
    monkeypatch.setattr(rows, "EtaSampler", lambda eta, prior: FixedEta(next(values)))
    blocks = stream_outcomes(
        specification, np.random.default_rng(seed), n, prior=False, tables=True
    )
    return np.concatenate(list(blocks), axis=1)


@pytest.mark.parametrize("eta", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("name", TABLES)
def test_sparse_equals_dense(name, eta, monkeypatch):
    counts = ConfusionCounts.from_matrix(TABLES[name])
    specification = Hierarchical().specification((counts,))
    (sparse,) = sparse_tables(monkeypatch, specification, [eta], N)
    rng = np.random.default_rng(1)
    rows = dirichlet_rows(rng, concentrations(eta, 3) + counts.table, N)
    dense = rng.dirichlet(1 + counts.table.sum(axis=1), N)[:, :, None] * rows
    np.testing.assert_allclose(sparse.sum(axis=(1, 2)), 1)
    for metric in ("accuracy", "f1_macro", "recall_macro"):
        x, y = get_metric(metric)(sparse), get_metric(metric)(dense)
        assert abs(x.mean() - y.mean()) < 4 * np.hypot(x.std(), y.std()) / np.sqrt(N)
        assert x.std() == pytest.approx(y.std(), rel=0.02)
    cells = np.abs(sparse.mean(0) - dense.mean(0))
    assert (cells < 4.5 * np.hypot(sparse.std(0), dense.std(0)) / np.sqrt(N) + 1e-12).all()


OUTCOMES_2 = [(0, 0, 0, 7), (0, 0, 1, 2), (0, 2, 0, 1), (1, 1, 1, 3), (1, 1, 2, 2), (2, 0, 0, 1)]
OUTCOMES_3 = [(0, 0, 0, 0, 6), (0, 1, 0, 2, 2), (1, 1, 1, 0, 3), (1, 1, 2, 1, 2), (2, 2, 2, 2, 1)]


@pytest.mark.parametrize("etas", [(0.1, 0.3, 0.2), (0.8, 0.6, 0.9)])
@pytest.mark.parametrize(
    "outcomes",
    [
        pytest.param(OUTCOMES_2, id="K=2"),
        pytest.param(OUTCOMES_3, id="K=3", marks=pytest.mark.slow),
    ],
)
def test_joint_by_brute_force(outcomes, etas, monkeypatch):
    # All M^K cells of each row, dense, with the outer product of the priors.
    outcomes = np.array(outcomes)
    k = outcomes.shape[1] - 2
    etas = etas[:k]
    evidence = PairedCounts(outcomes[:, 0], outcomes[:, 1:-1], outcomes[:, -1], (0, 1, 2))
    specification = PairedHierarchical().specification(evidence)
    n = 200_000
    sparse = sparse_tables(monkeypatch, specification, etas, n)

    rng = np.random.default_rng(1)
    mu = rng.dirichlet(1 + np.bincount(outcomes[:, 0], outcomes[:, -1], 3), n)
    dense = np.zeros((k, n, 3, 3))
    counts = evidence.cube()
    for j in range(3):
        omega = np.ones(())
        for eta in etas:
            omega = np.multiply.outer(omega, concentrations(eta, 3)[j])
        theta = dirichlet_rows(rng, (omega + counts[j]).ravel(), n).reshape(n, *(3,) * k)
        for i in range(k):
            others = tuple(1 + axis for axis in range(k) if axis != i)
            dense[i, :, j] = mu[:, [j]] * theta.sum(axis=others)
    for metric in ("accuracy", "f1_macro"):
        x, y = (get_metric(metric)(tables) for tables in (sparse, dense))
        for a, b in [(0, 1), (k - 2, k - 1)]:
            dx, dy = x[a] - x[b], y[a] - y[b]
            assert abs(dx.mean() - dy.mean()) < 4 * np.hypot(dx.std(), dy.std()) / np.sqrt(n)
            assert dx.std() == pytest.approx(dy.std(), rel=0.01)


@pytest.mark.parametrize("n_classifiers", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_many_binary_classifiers_by_brute_force(n_classifiers):
    # Dir(4 / 2^K + counts) over all 2^K outcomes.
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 25)
    predictions = np.where(rng.random((n_classifiers, 25)) < 0.8, truth, 1 - truth)
    evidence = PairedCounts.from_labels(truth, {str(i): p for i, p in enumerate(predictions)})
    specification = PairedMany().specification(evidence)
    blocks = stream_outcomes(specification, rng, N, prior=False, tables=True)
    sparse = np.concatenate(list(blocks), axis=1)
    cube = evidence.cube()
    mu = rng.dirichlet(1 + np.bincount(truth), N)
    shape = (2,) * n_classifiers
    theta = [
        rng.dirichlet(cube[j].ravel() + 4 / 2**n_classifiers, N).reshape(N, *shape)
        for j in range(2)
    ]
    for i in (0, n_classifiers - 1):
        others = tuple(1 + axis for axis in range(n_classifiers) if axis != i)
        dense = np.stack([mu[:, [j]] * theta[j].sum(axis=others) for j in range(2)], axis=1)
        x, y = get_metric("f1")(sparse[i]), get_metric("f1")(dense)
        assert abs(x.mean() - y.mean()) < 4 * np.hypot(x.std(), y.std()) / np.sqrt(N)
        assert x.std() == pytest.approx(y.std(), rel=0.02)


@pytest.mark.parametrize("n_classes", [2, 7, 2000])
def test_nothing_underflows(n_classes):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, n_classes, 300)
    predictions = np.where(rng.random((2, 300)) < 0.7, truth, rng.integers(0, n_classes, (2, 300)))
    evidence = PairedCounts.from_labels(
        truth, {"a": predictions[0], "b": predictions[1]}, labels=range(n_classes), weight=0.37
    )
    for prior in (True, False):
        for model in (Hierarchical(), PairedHierarchical()):
            specification = model.specification(evidence)
            blocks = list(stream_outcomes(specification, rng, 20, prior=prior, tables=False))
            totals = Totals(*(np.concatenate(p, axis=1) for p in zip(*blocks, strict=True)))
            for total in totals:
                assert np.isfinite(total).all()
                assert (total >= 0).all()
            np.testing.assert_allclose(totals.true.sum(-1), 1)
            np.testing.assert_allclose(totals.predicted.sum(-1), 1)
            assert (totals.hits <= np.minimum(totals.true, totals.predicted) + 1e-12).all()


def test_prior_of_the_rows():
    # Before the data row j is Dirichlet(omega_j): E and Var of the diagonal given eta's Beta(1, 1).
    counts = ConfusionCounts.from_matrix(np.ones((4, 4)))
    specification = Hierarchical().specification((counts,))
    blocks = stream_outcomes(specification, np.random.default_rng(0), N, prior=True, tables=True)
    (tables,) = np.concatenate(list(blocks), axis=1)
    recall = tables[:, 0, 0] / tables[:, 0].sum(axis=1)
    # E(theta) = E(eta) = 1/2; Var = E(eta (1 - eta)) / 2 + Var(eta) = 1/12 + 1/12.
    assert recall.mean() == pytest.approx(0.5, abs=4 * recall.std() / np.sqrt(N))
    assert recall.var() == pytest.approx(1 / 6, rel=0.02)


@pytest.mark.parametrize("theta", [0.3, 1.0, 2.5])
def test_rates_of_many_before_the_data_are_beta(theta):
    # Of 2^K outcomes with 4 theta / 2^K each, half have a classifier right: Beta(2 theta, 2 theta).
    counts = PairedCounts([0, 1], [[0, 1, 0], [1, 1, 0]], [5, 6], (0, 1))
    specification = PairedMany(theta=theta).specification(counts)
    rng = np.random.default_rng(0)
    blocks = stream_outcomes(specification, rng, 3000, prior=True, tables=False)
    law = stats.beta(2 * theta, 2 * theta)
    for rates in np.concatenate([block.hits / block.true for block in blocks], axis=1):
        for of_class in rates.T:
            assert stats.ks_1samp(of_class, law.cdf).pvalue > 1e-4
