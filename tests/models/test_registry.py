import pytest

from skbayeseval.evidence import ConfusionCounts
from skbayeseval.models import (
    BCV,
    ClusteredItems,
    Hierarchical,
    Paired,
    PairedChunks,
    PairedHierarchical,
    PairedMany,
    PairedRecalls,
    RightOrWrong,
    Unpaired,
    published_and_alternative_models,
    resolve_model,
)
from skbayeseval.models.registry import MODEL_CLASSES


@pytest.mark.parametrize(
    ("name", "evidence", "default"),
    [
        ("auto", {}, Paired(theta=0.25)),
        ("paired", {}, Paired(theta=0.25)),
        ("paired", {"n_classifiers": 3}, PairedMany(theta=0.25)),
        ("paired", {"n_classes": 3}, PairedRecalls()),
        ("auto", {"family": "right or wrong"}, RightOrWrong(theta=0.5)),
        ("auto", {"family": "chunks"}, PairedChunks(lambda_=0.5)),
        ("bcv", {"family": "chunks"}, BCV()),
        ("bcv", {}, BCV()),
        ("unpaired", {}, Unpaired()),
        ("hierarchical", {}, Hierarchical()),
        ("clustered", {"family": "right or wrong in groups"}, ClusteredItems()),
    ],
)
def test_default_priors(name, evidence, default):
    model = resolve_model(name, None, paired=True, **evidence)
    assert model == default
    assert (model.published or model) == type(default)()
    # Whoever chooses a prior gets it, with or without the name of the model.
    assert resolve_model(default, None, paired=True, **evidence).published is None
    assert resolve_model(name, default.prior(), paired=True, **evidence).published is None


def test_prior_replaces_the_default():
    model = resolve_model("bcv", {"lambda": 0.5}, paired=False)
    assert model == BCV(lambda_=0.5)
    assert model.prior() == {"lambda": 0.5}
    model = resolve_model("paired", {"mu": (2, 3)}, paired=True)
    assert model == Paired(mu=(2, 3), theta=0.25)
    assert model.published == Paired(mu=(2, 3))


def test_published_prior_first_and_jeffreys_among_the_others():
    found = published_and_alternative_models("classes", paired=True, true_negatives=True)
    for kind in (Paired, Unpaired, Hierarchical, BCV):
        assert next(model for model in found if type(model) is kind) == kind()
    assert {Paired(mu=0.5, theta=0.5), Unpaired(mu=0.5, rho=0.5), BCV(lambda_=0.5)} <= set(found)
    # Half of Jeffreys' prior counts, and twice the published ones.
    assert {Paired(theta=0.25), Unpaired(rho=2.0), BCV(lambda_=0.25)} <= set(found)
    chunks = published_and_alternative_models("chunks", paired=True, true_negatives=False)
    assert chunks[0] == PairedChunks()
    assert {type(model) for model in chunks} == {PairedChunks, BCV}
    assert {PairedChunks(lambda_=0.5), PairedChunks(lambda_=0.25)} <= set(chunks)
    many = published_and_alternative_models(
        "classes", paired=True, true_negatives=True, n_classes=3
    )
    assert many == [
        PairedRecalls(), PairedRecalls(mu=1.0), PairedRecalls(eta=(2.0, 1.0)), PairedHierarchical(),
        Hierarchical(), Hierarchical(mu=0.5), Hierarchical(eta=(2.0, 1.0)),
    ]  # fmt: skip
    alone = published_and_alternative_models(
        "classes", paired=False, true_negatives=True, n_classes=3
    )
    assert {type(model) for model in alone} == {Hierarchical}
    assert published_and_alternative_models("labels", paired=True, true_negatives=True) == []
    for models in (found, many):
        assert len(set(models)) == len(models)


COUNTS = ConfusionCounts.from_matrix([[8, 2], [3, 7]])


@pytest.mark.parametrize("kind", MODEL_CLASSES.values())
def test_paired_models_need_pairs(kind):
    if kind.needs_pairs:
        with pytest.raises(ValueError, match="need|require"):
            kind().specification((COUNTS, COUNTS))
    assert kind.needs_pairs == (kind.name not in ("unpaired", "hierarchical", "recalls", "bcv"))
