from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from skbayeseval import BayesianComparer, compare_many
from skbayeseval.evidence import ConfusionCounts, MarginalCounts
from skbayeseval.models import (
    BCV,
    MODEL_CLASSES,
    Hierarchical,
    InstanceWeights,
    ItemWeights,
    Paired,
    PairedMany,
    PairedRecalls,
    RightOrWrong,
    Unpaired,
    resolve_model,
)


@pytest.mark.parametrize(
    ("name", "evidence", "default"),
    [
        ("auto", {}, Paired(theta=0.25)),
        ("paired", {}, Paired(theta=0.25)),
        ("paired", {"n_classifiers": 3}, PairedMany(theta=0.25)),
        ("paired", {"n_classes": 3}, PairedRecalls()),
        ("auto", {"family": "right or wrong"}, RightOrWrong(theta=0.5)),
        ("auto", {"family": "sentences"}, InstanceWeights()),
        ("auto", {"family": "chunks"}, BCV()),
        ("bcv", {"family": "chunks"}, BCV()),
        ("bcv", {}, BCV()),
        ("unpaired", {}, Unpaired()),
        ("hierarchical", {}, Hierarchical()),
        ("auto", {"family": "items in groups"}, ItemWeights()),
    ],
)
def test_default_priors(name, evidence, default):
    one = SimpleNamespace(labels=range(evidence.pop("n_classes", 2)))
    given = {"family": "classes", "n_classifiers": 2, "is_paired": True, "margins": lambda: [one]}
    given = SimpleNamespace(**given | evidence)
    model = resolve_model(name, given)
    assert model == default
    assert (model.published or model) == type(default)()
    # Whoever chooses a prior gets it.
    assert resolve_model(default, given).published is None
    assert BCV(lambda_=0.5).prior() == {"lambda": 0.5}


COUNTS = ConfusionCounts.from_matrix([[8, 2], [3, 7]])


@pytest.mark.parametrize("kind", MODEL_CLASSES.values())
def test_paired_models_need_pairs(kind):
    if kind.needs_pairs:
        with pytest.raises(ValueError, match="need|require"):
            kind().specification(MarginalCounts((COUNTS, COUNTS)))
    assert kind.needs_pairs == (kind.name not in ("unpaired", "hierarchical", "recalls", "bcv"))


def test_models_by_name_take_as_many_classifiers_as_they_declare(monkeypatch):
    """They refuse others before anything is fitted, as instances do."""
    monkeypatch.setattr(Unpaired, "most_classifiers", 2)
    y = np.arange(20) % 2
    three = {"a": y, "b": y, "c": 1 - y}
    estimators = [DummyClassifier(), DummyClassifier(), DummyClassifier()]
    monkeypatch.setattr(DummyClassifier, "fit", None)
    for call in (
        lambda: compare_many(y, three, model="unpaired"),
        lambda: BayesianComparer(estimators, model="unpaired").fit(y[:, None], y),
    ):
        with pytest.raises(ValueError, match="model='unpaired' requires two classifiers, but ther"):
            call()
