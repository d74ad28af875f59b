"""From `model=` and `prior=` to a model that fits the evidence."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from skbayeseval.models.binary import BCV, BinaryModel, Paired, Unpaired
from skbayeseval.models.chunks import PairedChunks
from skbayeseval.models.data_sets import HierarchicalScores, SignedRank
from skbayeseval.models.multiclass import Hierarchical, PairedHierarchical, PairedMany
from skbayeseval.models.scores import CorrelatedT
from skbayeseval.models.specification import Model
from skbayeseval.models.weights import (
    GroupWeights,
    IndependentLabels,
    IndependentLabelsBCV,
    InstanceWeights,
    ScoreWeights,
)

__all__ = ["published_and_alternative_models", "resolve_model"]

NAMES = ["auto", "paired", "unpaired", "hierarchical", "bcv", "scores", "signed-rank"]

MODEL_CLASSES: dict[str, type[Model]] = {
    kind.__name__: kind
    for kind in (
        BCV,
        CorrelatedT,
        GroupWeights,
        Hierarchical,
        HierarchicalScores,
        IndependentLabels,
        IndependentLabelsBCV,
        InstanceWeights,
        Paired,
        PairedChunks,
        PairedHierarchical,
        PairedMany,
        ScoreWeights,
        SignedRank,
        Unpaired,
    )
}

# What a prior's keys are called where Python has the name for itself.
_PARAMETERS = {"lambda": "lambda_"}


def resolve_model(
    model: Any,
    prior: Any,
    *,
    paired: bool,
    n_classes: int = 2,
    n_classifiers: int = 2,
    units: str | None = None,
) -> Model:
    """Return the model that `model` names, with `prior` in place of its published one.

    Parameters
    ----------
    model : str or model instance
        "auto" is "paired" where `paired`, otherwise "unpaired".
    prior : dict or None
        The model's prior parameters.
    paired : bool
        Whether it is known what all classifiers said of each instance.
    n_classes, n_classifiers : int
        What the model has to fit.
    units : {"labels", "groups", "chunks", "scores", "splits", "data sets"} or None
        Whether instances have several labels, belong to groups, are sentences with chunks, or are
        known by their scores alone; or whether only the scores of splits are known, of one data
        set or of several.
    """
    if isinstance(model, Model):
        if prior is not None:
            raise ValueError(
                f"model={model!r} carries its prior; give either a model instance or prior=, "
                "not both."
            )
        _check_fit(type(model), n_classes, n_classifiers, units)
        return clone(model)
    if not isinstance(model, str):
        raise TypeError(
            f"model must be one of {NAMES} or an instance of a model class, got {model!r}."
        )
    name = ("paired" if paired else "unpaired") if model == "auto" else model
    if name not in NAMES:
        raise ValueError(f"model={model!r} is not known. Known are: {NAMES}.")
    if model == "auto":
        name = {"splits": CorrelatedT.name, "data sets": SignedRank.name}.get(units or "", name)
    kind = model_class(name, n_classes, n_classifiers, units)
    return from_prior(kind, {} if prior is None else prior)


def model_class(
    name: str, n_classes: int, n_classifiers: int, units: str | None = None
) -> type[Model]:
    """Return the model of that name for so many classes and classifiers."""
    if (units == "data sets") != (name in (SignedRank.name, HierarchicalScores.name)):
        if units == "data sets" and name == "hierarchical":
            return HierarchicalScores
        raise ValueError(
            f"model={name!r} does not fit: models of several data sets are 'signed-rank' and "
            "'hierarchical', and compare_scores takes them with one row a data set."
        )
    if units == "data sets":
        return SignedRank if name == SignedRank.name else HierarchicalScores
    if (units == "splits") != (name == CorrelatedT.name):
        raise ValueError(
            "model='scores' is of the scores of splits; compare_scores and the cross-validating "
            "faces take it."
            if name == CorrelatedT.name
            else f"model={name!r} needs predictions or counts, but only the scores of splits are "
            "known. Use model='scores'."
        )
    if name == CorrelatedT.name:
        return CorrelatedT
    if units == "scores":
        if name not in ("paired", ScoreWeights.name):
            raise ValueError(
                f"model={name!r} is of predicted classes, but metrics of scores weight instances. "
                "Use model='auto'."
            )
        return ScoreWeights
    if units == "groups":
        if name not in ("paired", GroupWeights.name):
            raise ValueError(
                f"model={name!r} takes instances for independent; with groups= use model='auto', "
                "which weights groups."
            )
        return GroupWeights
    if units == "labels":
        kinds = {m.name: m for m in (InstanceWeights, IndependentLabels, IndependentLabelsBCV)}
        if name not in kinds:
            raise ValueError(
                f"model={name!r} is of one class an instance, but y is a multi-label indicator. "
                f"Use one of {list(kinds)}."
            )
        return kinds[name]
    if units == "chunks":
        kinds = {m.name: m for m in (PairedChunks, BCV)}
        if name not in kinds:
            raise ValueError(
                f"model={name!r} needs true negatives, which chunks do not have. Use one of "
                f"{list(kinds)}."
            )
        return kinds[name]
    if name == "paired":
        if n_classes > 2:
            return PairedHierarchical
        return Paired if n_classifiers == 2 else PairedMany
    if name == "hierarchical" or (name == "unpaired" and n_classes > 2):
        return Hierarchical
    kind = BCV if name == "bcv" else Unpaired
    _check_fit(kind, n_classes, n_classifiers, units)
    return kind


def _check_fit(kind: type[Model], n_classes: int, n_classifiers: int, units: str | None) -> None:
    of_scores = (CorrelatedT, ScoreWeights, SignedRank, HierarchicalScores)
    if issubclass(kind, of_scores) or units in ("splits", "scores", "data sets"):
        if model_class(kind.name, n_classes, n_classifiers, units) is not kind:
            raise ValueError(f"{kind.__name__} does not fit predictions; it is of scores.")
        return
    weighs_units = issubclass(kind, (InstanceWeights, IndependentLabels, IndependentLabelsBCV))
    fits = issubclass(kind, BCV) if units == "chunks" else weighs_units == (units is not None)
    if not fits or (kind is PairedChunks and units != "chunks"):
        raise ValueError(
            f"{kind.__name__} does not fit "
            + ("one class an instance." if units is None else f"{units} of instances.")
        )
    if n_classes > 2 and (issubclass(kind, BinaryModel) or kind is PairedMany):
        raise ValueError(
            f"model={kind.name!r} is of two classes, but there are {n_classes}. Use "
            "model='auto' or model='hierarchical'."
        )
    if kind is Paired and n_classifiers != 2:
        raise ValueError(
            f"{kind.__name__} is of two classifiers, but there are {n_classifiers}. Use "
            "model='paired'."
        )


def from_prior(kind: type[Model], prior: Any) -> Model:
    """Return the model with the parameters of `prior`."""
    if not isinstance(prior, dict):
        raise TypeError(f"prior must be None or a dict of parameters, got {prior!r}.")
    known = kind().prior()
    unknown = [key for key in prior if key not in known]
    if unknown:
        raise ValueError(
            f"prior has no parameter {unknown[0]!r} in model {kind.name!r}; it takes {list(known)}."
        )
    parameters = {str(_PARAMETERS.get(key, key)): value for key, value in prior.items()}
    return clone(kind().set_params(**parameters))


def published_and_alternative_models(
    *,
    paired: bool,
    true_negatives: bool,
    n_classes: int = 2,
    labels: bool = False,
    chunks: bool = False,
) -> list[Model]:
    """Return the models that the evidence allows, each with its published prior and others."""
    models: list[Model] = []
    if labels:
        return models
    if n_classes > 2:
        if paired:
            models += [PairedHierarchical(), PairedHierarchical(mu=0.5)]
            models += [PairedHierarchical(eta=(2.0, 1.0))]
        return [*models, Hierarchical(), Hierarchical(mu=0.5), Hierarchical(eta=(2.0, 1.0))]
    if chunks:
        models += [PairedChunks(), PairedChunks(lambda_=0.5), PairedChunks(lambda_=0.25)]
    if paired:
        models += [Paired(), Paired(mu=0.5, theta=0.5), Paired(theta=0.25)]
    if true_negatives:
        models += [Unpaired(), Unpaired(mu=0.5, rho=0.5), Unpaired(rho=2.0), Hierarchical()]
    return [*models, BCV(), BCV(lambda_=0.5), BCV(lambda_=0.25)]
