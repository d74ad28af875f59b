"""Sparse draws against dense ones."""

from dataclasses import replace

import numpy as np
import pytest

from skbayeseval.engines.rows import REMAINDER, EtaSampler, StickRows
from skbayeseval.evidence import ConfusionCounts, PairedCounts
from skbayeseval.metrics.confusion import Totals, totals_of
from skbayeseval.metrics.registry import get_metric
from skbayeseval.models import Hierarchical, PairedHierarchical
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


@pytest.mark.parametrize("mass", [0.5, 1.0, 4.0])
@pytest.mark.parametrize(("prior", "fewest"), [(True, 0), (False, 17)])
def test_no_more_sticks_than_the_remainder_needs(mass, prior, fewest):
    counts = ConfusionCounts.from_matrix(TABLES["ordinary"])
    (group,) = Hierarchical().specification((counts,)).groups
    n_sticks = StickRows(replace(group, mass=mass), prior).n_sticks
    left = [mass / (mass + fewest) * (mass / (1 + mass)) ** n for n in (n_sticks, n_sticks - 1)]
    assert left[0] <= REMAINDER < left[1]


def test_prior_of_the_rows():
    # Before the data row j is Dirichlet(omega_j): E and Var of the diagonal given eta's Beta(1, 1).
    model = Hierarchical().specification((ConfusionCounts.from_matrix(np.ones((4, 4))),))
    blocks = stream_outcomes(model, np.random.default_rng(0), 40_000, prior=True, tables=True)
    (tables,) = np.concatenate(list(blocks), axis=1)
    recall = tables[:, 0, 0] / tables[:, 0].sum(axis=1)
    # E(theta) = E(eta) = 1/2; Var = E(eta (1 - eta)) / 2 + Var(eta) = 1/12 + 1/12.
    assert recall.mean() == pytest.approx(0.5, abs=4 * recall.std() / 200)
    assert recall.var() == pytest.approx(1 / 6, rel=0.02)


def test_totals_are_those_of_the_tables():
    outcomes = np.array([(0, 0, 0, 7), (0, 0, 1, 2), (0, 2, 0, 1), (1, 1, 2, 2), (2, 0, 0, 1)])
    evidence = PairedCounts(outcomes[:, 0], outcomes[:, 1:-1], outcomes[:, -1], (0, 1, 2))
    model = PairedHierarchical().specification(evidence)
    tables, totals = (
        next(stream_outcomes(model, np.random.default_rng(0), 500, prior=False, tables=tables))
        for tables in (True, False)
    )
    for drawn, expected in zip(totals, totals_of(tables), strict=True):
        np.testing.assert_allclose(drawn, expected, atol=1e-12)


class FixedEta(EtaSampler):
    """An eta that is known, to test the rest."""

    def __init__(self, value):
        self.logit = np.log(value / (1 - value))

    def draw(self, rng, n_draws):
        return np.full(n_draws, self.logit)


def sparse_tables(monkeypatch, specification, etas, n, seed=0):
    """Tables of all classifiers with the etas given."""
    from skbayeseval.engines import rows

    values = iter(etas)
    monkeypatch.setattr(rows, "EtaSampler", lambda eta, prior: FixedEta(next(values)))
    blocks = stream_outcomes(
        specification, np.random.default_rng(seed), n, prior=False, tables=True
    )
    return np.concatenate(list(blocks), axis=1)


@pytest.mark.parametrize("eta", [0.05, 0.9])
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
