"""The constants of kappa are those that the laboratory's records give."""

from importlib import import_module

import numpy as np
import pytest

from skbayeseval import bayesian_cross_validate
from skbayeseval.metrics import get_metric
from skbayeseval.posterior import inferred_weight
from tests.benchmarks.test_real import folder, real, records  # noqa: F401, fixtures
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def weight():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks" / "coverage")
        yield import_module("weight")


def test_the_package_has_the_constants_of_the_records(weight):
    fitted = weight.fit(weight.load())
    assert {1: fitted.stable_one, 3: fitted.stable_pair} == inferred_weight.STABLE
    assert fitted.unseen == inferred_weight.KAPPA_UNKNOWN
    assert fitted.by_class == inferred_weight.BY_CLASS
    powers = {1: (weight.POWER,), 3: (weight.POWER_DIFFERENCE, *2 * [weight.POWER_EACH])}
    assert powers == inferred_weight.POWERS
    assert weight.DF == inferred_weight.DF


@pytest.mark.parametrize("metric", ["accuracy", "f1", "f1_macro"])
def test_influence_is_the_derivative(weight, metric):
    table = np.random.default_rng(0).integers(1, 30, (3, 3)).astype(float)
    found = weight.influence(table, metric)
    for i, j in np.ndindex(3, 3):
        more = table.copy()
        more[i, j] += 1e-4
        slope = (weight.value(more, metric) - weight.value(table, metric)) / 1e-4
        assert found[i, j] == pytest.approx(slope, rel=1e-3, abs=1e-7)


@pytest.fixture(scope="module")
def cells(weight, real, folder):  # noqa: F811
    """The cells of the recorded data sets."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("problems"), "PROBLEMS", real.PROBLEMS)
        return weight.gather(folder)


@pytest.mark.parametrize("scheme", ["3x2", "10-fold"])
def test_kappa_and_test_noise_are_those_of_the_package(weight, real, records, cells, scheme):  # noqa: F811
    y, splits, fits = real.data_set(records, 0)
    with real.mock.patch.object(real.BlockRegularizedCV, "split", return_value=splits["3x2"]):
        result = bayesian_cross_validate(
            real.Replay(0, fits),
            real.Replay(1, fits),
            np.arange(len(y))[:, None],
            y,
            scoring=["accuracy", "f1"],
            cv=splits[scheme],
            estimand="learner" if scheme == "3x2" else "full",
        )
    of_halves, in_folds = (1.4, 1.2, 1.6, 1.4), (1.3, 1.1, 1.6, 1.15)
    kappa = cells.kappa(weight.Constants(*(of_halves if scheme == "3x2" else in_folds)))
    for metric in ("accuracy", "f1"):
        seen = result.metric(metric)
        observed = seen.observed_a, seen.observed_b, seen.observed_a - seen.observed_b
        truth = weight.value(records["truth"], metric)
        truth = truth[weight.SHARES.index(weight.SCHEMES[scheme])][:2]
        truths = *truth, truth[0] - truth[1]
        for q, learners in enumerate(["bayes", "lda", "bayes, lda"]):
            (cell,) = np.flatnonzero((cells.learners == learners) & (cells.metric == metric))
            quantity = result._posterior.weights.quantity(
                get_metric(metric), *[(0,), (1,), (0, 1)][q]
            )
            assert quantity.weight.scale == pytest.approx(kappa[cell, 0])
            distance = (observed[q] - truths[q]) / np.sqrt(quantity.noise)
            z = cells.z[list(weight.SCHEMES).index(scheme), cell, 0]
            assert z == pytest.approx(distance)


def test_records_become_cells(weight, cells, tmp_path):
    assert cells.z.shape == (len(weight.SCHEMES), 20, 2)
    assert cells.is_pair.sum() == 12
    assert cells.members[4].tolist() == [0, 1]
    weight.save(cells, tmp_path / "cells.npz")
    again = weight.load(tmp_path / "cells.npz")
    np.testing.assert_allclose(again.z, cells.z, atol=1 / 32)
    np.testing.assert_allclose(again.log_b, cells.log_b, atol=1 / 32)
    near = np.abs(np.log(np.maximum(cells.noise, 1e-9))) < 7.9
    np.testing.assert_allclose(again.noise[near], cells.noise[near], rtol=0.04)
