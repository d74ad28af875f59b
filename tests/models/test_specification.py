from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

from skbayeseval.engines.rows import EtaSampler
from skbayeseval.evidence import ConfusionCounts, PairedCounts
from skbayeseval.evidence.base import letter
from skbayeseval.judgement.bayes_factor import BayesFactor, favour
from skbayeseval.judgement.decision import Decision, Probabilities
from skbayeseval.judgement.frequentist import mcnemar
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.registry import get_metric
from skbayeseval.metrics.scoring import per_class
from skbayeseval.models import Hierarchical, InstanceWeights, Unpaired
from skbayeseval.models.data_sets import DataSetSpecification
from skbayeseval.models.margins import BetaMargin, F1Margin
from skbayeseval.models.registry import MODEL_CLASSES
from skbayeseval.models.specification import AnySpecification, Model, check_concentration
from skbayeseval.models.weights import LabelSpecification
from tests.engines.cases import cases, labelled

COUNTS = ConfusionCounts.from_matrix([[8, 2], [3, 7]])


def frozen():
    rows = Hierarchical().specification((COUNTS, COUNTS))
    cells = Unpaired().specification((COUNTS, COUNTS))
    yield from (rows, rows.groups[0], rows.groups[0].etas[0], cells, cells.simplexes[0])
    yield next(model.specification(e) for name, model, e, _ in cases() if name.startswith("labels"))
    yield InstanceWeights().specification(labelled("few"))
    yield from (COUNTS, PairedCounts.from_labels([0, 1], {"a": [0, 1], "b": [1, 1]}))
    yield from (BetaMargin(1.0, 2.0), F1Margin(1.0, 2.0), get_metric("f1"), per_class("f1"))
    yield from (favour(0.3), mcnemar(3, 1), BayesFactor(1.0, 0.0, 0.0, True, "interval"))
    end = Interval(0.0, 0.1)
    yield Decision("~", "≈", "practically equivalent", end, end, Probabilities(0.0, 1.0, 0.0))


def test_values_cannot_be_changed():
    for value in frozen():
        for field in fields(value):
            with pytest.raises(FrozenInstanceError):
                setattr(value, field.name, getattr(value, field.name))


def test_arrays_of_counts_cannot_be_changed():
    paired = PairedCounts.from_labels([0, 1], {"a": [0, 1], "b": [1, 1]})
    for array in (COUNTS.table, paired.truth, paired.predictions, paired.counts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 3


def test_letters_name_every_classifier():
    names = [letter(k) for k in range(80)]
    assert names[:3] == ["A", "B", "C"]
    assert names[25:28] == ["Z", "A1", "B1"]
    assert len(set(names)) == len(names)
    assert not any("_" in name for name in names)


@pytest.mark.parametrize("value", [0.009, 0.0, -1.0, np.inf, np.nan, "1", True, [1.0, 2.0, 3.0]])
def test_bad_concentrations(value):
    with pytest.raises(ValueError, match="prior 'mu'"):
        check_concentration(value, (2,), "mu")


def test_concentrations_broadcast_to_arrays_of_their_own():
    given = np.array([1.0, 2.0])
    found = check_concentration(given, (2, 2), "rho")
    found[0, 0] = 7
    assert found.tolist() == [[7, 2], [1, 2]]
    assert given.tolist() == [1, 2]
    assert check_concentration(0.01, (), "lambda") == 0.01


def test_a_model_of_ones_own_claims_nothing():
    model = Model()
    assert model.margin("f1", {}, 0) is None
    assert model.independent_margins("f1", {}) is None
    assert model.log_density_at_zero("f1", {}) is None
    assert model.has_finite_prior_density("f1", {}) is None
    assert not model.needs_pairs
    assert model.needs_true_negatives
    assert model.has_proper_prior


def test_a_specification_of_ones_own_claims_nothing():
    specification = AnySpecification()
    assert specification.parameters() == []
    assert specification.coordinates(("a", "b")) == specification.dims() == {}
    assert specification.shapes(prior=True) == {}
    assert specification.law("f1", np.array([1, -1])) is None
    assert specification.row_names == []
    assert specification.class_prior_mass == 0
    assert not specification.draws_cost_one
    found, strength = specification.ranked("f1")
    assert (len(found), strength) == (0, None)
    with pytest.raises(ValueError, match="prevalence= requires a model of classes"):
        specification.with_prevalence(np.array([0.5, 0.5]), 1)


def test_mass_of_the_class_proportions():
    counts = ConfusionCounts.from_matrix(np.eye(3))
    specification = Hierarchical(mu=(0.5, 2.0, 3.0)).specification((counts, counts))
    assert specification.class_prior_mass == 5.5


def test_parameters_of_labels_are_those_of_each_label():
    cells = np.ones((2, 3, 4))
    rates = LabelSpecification(cells, mu=np.array([1.0, 2.0]), rho=np.array([[3.0, 4], [5, 6]]))
    expected = {"mu": [1, 2], "rho+": [3, 4], "rho-": [5, 6]}
    assert [(p.name, p.is_beta, p.dims, p.prior.tolist()) for p in rates.parameters()] == [
        (f"{name}_{k}", True, ("target",), [prior] * 3)
        for k in "AB"
        for name, prior in expected.items()
    ]
    bcv = LabelSpecification(cells, cell_prior=np.array([1.0, 2, 3, 4]))
    assert [(p.name, p.is_beta, p.dims, p.prior.tolist()) for p in bcv.parameters()] == [
        (f"pi_{k}", False, ("target", "cell"), [[1, 2, 3, 4]] * 3) for k in "AB"
    ]
    assert bcv.coordinates(("x", "y", 3))["target"] == ["x", "y", "3"]
    assert len(bcv.coordinates(("x", "y", 3))["cell"]) == 4


def test_eta_given_counts_by_quadrature():
    # One right of one: the likelihood is eta, the posterior of a uniform eta Beta(2, 1).
    counts = ConfusionCounts.from_matrix([[1, 0], [0, 0]])
    (group,) = Hierarchical().specification((counts,)).groups
    logit = EtaSampler(group.etas[0], prior=False).draw(np.random.default_rng(0), 40_000)
    eta = 1 / (1 + np.exp(-logit))
    assert eta.mean() == pytest.approx(2 / 3, abs=0.005)
    assert eta.var() == pytest.approx(1 / 18, rel=0.03)


@pytest.mark.parametrize("kind", MODEL_CLASSES.values())
def test_paired_models_need_pairs(kind):
    if kind.needs_pairs:
        with pytest.raises(ValueError, match="need|require"):
            kind().specification((COUNTS, COUNTS))
    alone = ("unpaired", "hierarchical", "recalls", "bcv")
    assert kind.needs_pairs == (kind.name not in alone)


def test_differences_are_ranked_only_where_the_prior_has_a_strength():
    differences = np.array([0.1, -0.2, 0.3])
    found, strength = DataSetSpecification({"f1": differences}, strength=0.5).ranked("f1")
    assert (found.tolist(), strength) == ([0.1, -0.2, 0.3], 0.5)
    splits = DataSetSpecification({"f1": np.ones((3, 2))}, correlation=0.1)
    found, strength = splits.ranked("f1")
    assert (len(found), strength) == (0, None)


def test_parameters_of_several_data_sets_are_numbers():
    splits = DataSetSpecification({"f1": np.ones((3, 2))}, correlation=0.1)
    shapes = {parameter.name: parameter.shape for parameter in splits.parameters()}
    assert shapes == {"delta0": (), "sigma0": (), "nu": ()}
