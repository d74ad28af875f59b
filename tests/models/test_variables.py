"""Graphs, and priors that build variables of their own; nothing is sampled here."""

import numpy as np
import pytest

from skbayeseval import compare_many
from skbayeseval.evidence import DataSetScores
from skbayeseval.models import HierarchicalScores
from skbayeseval.models.pymc import stick_transform
from tests.models.cases import cases

SIMPLEXES = np.array([[0.2, 0.5, 0.3, 1e-3], [0.25, 0.25, 0.25, 0.25], [0.9, 0.05, 0.01, 0.04]])
SIMPLEXES /= SIMPLEXES.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def pm():
    import pymc

    return pymc


def graph_of(case, prior=None, **options):
    model, evidence = next((m, e) for name, m, e, _ in cases() if name == case)
    labels = (0, 1, 2) if "classes" in case or "hierarchical" in case else (0, 1)
    return model.specification(evidence).build_graph(labels, prior=prior, **options)


def free(graph):
    return {variable.name for variable in graph.free_RVs}


def test_what_a_prior_may_return(pm):
    published = free(graph_of("unpaired few"))
    assert free(graph_of("unpaired few", lambda: {"rho+_A": 0.8})) == published - {"rho+_A"}
    graph = graph_of("unpaired few", lambda: pm.LogitNormal("rho+_A", 0, 1))
    assert "logitnormal" in graph.str_repr().lower()
    with pytest.raises(TypeError, match="got 'much' for 'rho\\+_A'"):
        graph_of("unpaired few", lambda: {"rho+_A": "much"})
    with pytest.raises(TypeError, match="must return None or a dict"):
        graph_of("unpaired few", lambda: 3)


def test_who_is_handed_the_parameters(pm):
    def with_default(sd=0.1):
        assert sd == 0.1
        pm.LogitNormal("rho+_A", 0, sd)

    def with_two(parameters, sd=0.1):
        return {"rho+_A": parameters["rho+_B"]}

    assert "rho+_A" in free(graph_of("unpaired few", with_default))
    assert "rho+_A" not in free(graph_of("unpaired few", with_two))
    with pytest.raises(KeyError, match="not a parameter of this model"):
        graph_of("unpaired few", lambda parameters: parameters["nope"])


def test_a_prior_of_tau_takes_the_place_of_the_published_one(pm):
    def potentials(prior=None):
        return {potential.name for potential in graph_of("scores few", prior).potentials}

    assert "prior of tau" in potentials()
    assert "prior of tau" not in potentials(lambda: pm.LogNormal("tau", 0, 1, dims="metric"))
    assert "prior of tau" in potentials(lambda: pm.LogNormal("sigma", 0, 1, dims="metric"))


def test_priors_of_data_sets(pm):
    scores = np.random.default_rng(0).normal(size=(2, 4, 5))
    model = HierarchicalScores().specification(DataSetScores({"r2": scores}, 0.1))

    def handed(parameters):
        return {"delta0": pm.Normal("d", parameters["sigma0"], 0.1)}

    graph = model.build_graph((), prior=lambda: pm.HalfNormal("sigma0", 0.1))
    assert {"delta0", "sigma0", "nu", "precision"} <= set(graph.named_vars)
    graph = model.build_graph((), prior=handed)
    assert "d" in free(graph)
    assert "delta0" not in free(graph)
    with pytest.raises(ValueError, match="'delta0' the shape"):
        model.build_graph((), prior=lambda: pm.Normal("delta0", 0, 1, shape=4))


def test_nothing_to_sample():
    y = [0, 1] * 10
    with pytest.raises(
        ValueError, match="no parameters for PyMC to sample: those that prevalence="
    ):
        compare_many(y, {"a": y, "b": y, "c": y}, prevalence=0.1, engine="pymc")


def test_a_graph_of_its_own_inside_another(pm):
    with pm.Model() as mine:
        for _ in range(2):
            graph = graph_of("paired few")
    assert not mine.named_vars
    assert free(graph) == {"mu", "theta+", "theta-"}


@pytest.fixture(scope="module")
def sticks():
    import pytensor
    import pytensor.tensor as pt

    value, transform = pt.matrix(), stick_transform()
    return [
        pytensor.function([value], of(value), mode="FAST_COMPILE")
        for of in (transform.forward, transform.backward, transform.log_jac_det)
    ]


def test_there_and_back(sticks):
    forward, backward, _ = sticks
    np.testing.assert_allclose(backward(forward(SIMPLEXES)), SIMPLEXES, rtol=1e-12)
    extreme = backward(np.array([[-40.0, 30.0, 500.0]]))
    assert np.isfinite(extreme).all()
    assert extreme.sum() == pytest.approx(1)


def test_jacobian_by_differences(sticks):
    forward, backward, log_jac_det = sticks
    found = log_jac_det(forward(SIMPLEXES))
    for simplex, value in zip(SIMPLEXES, found, strict=True):
        start, step = forward(simplex[None]), 1e-6
        # The last cell follows from the others.
        columns = [
            (backward(start + step * unit) - backward(start - step * unit))[0, :-1] / (2 * step)
            for unit in np.eye(3)
        ]
        assert value == pytest.approx(np.linalg.slogdet(columns)[1], abs=1e-6)
