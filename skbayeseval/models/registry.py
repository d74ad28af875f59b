"""Resolve `model=` and `prior=` to a model that fits the evidence."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from skbayeseval._arrays import in_short
from skbayeseval.models.binary import BCV, BinaryModel, Paired, Unpaired
from skbayeseval.models.chunks import PairedChunks
from skbayeseval.models.data_sets import HierarchicalScores, SignedRank
from skbayeseval.models.items import ClusteredItems, ItemWeights, RightOrWrong
from skbayeseval.models.multiclass import (
    Hierarchical,
    PairedHierarchical,
    PairedMany,
    PairedRecalls,
    Recalls,
)
from skbayeseval.models.specification import Model
from skbayeseval.models.split_scores import CorrelatedT
from skbayeseval.models.systems import HierarchicalSystems
from skbayeseval.models.weights import (
    GroupScoreWeights,
    GroupWeights,
    IndependentLabels,
    IndependentLabelsBCV,
    InstanceWeights,
    ScoreWeights,
)

NAMES = ["auto", "paired", "unpaired", "hierarchical", "bcv", "scores", "signed-rank"]

# The names of models that only one score per item has.
ITEM_NAMES = [ItemWeights.name, ClusteredItems.name]

MODEL_CLASSES: dict[str, type[Model]] = {
    kind.__name__: kind
    for kind in (
        BCV,
        ClusteredItems,
        CorrelatedT,
        GroupScoreWeights,
        GroupWeights,
        Hierarchical,
        HierarchicalScores,
        HierarchicalSystems,
        IndependentLabels,
        IndependentLabelsBCV,
        InstanceWeights,
        ItemWeights,
        Paired,
        PairedChunks,
        PairedHierarchical,
        PairedMany,
        PairedRecalls,
        Recalls,
        RightOrWrong,
        ScoreWeights,
        SignedRank,
        Unpaired,
    )
}

# The models of evidence other than one label per instance, by name, and why others do not fit.
FAMILIES: dict[str, tuple[dict[str, type[Model]], str]] = {
    "groups": (
        {"paired": GroupWeights, GroupWeights.name: GroupWeights},
        "assumes independent instances, but groups= was given.",
    ),
    "labels": (
        {
            "paired": InstanceWeights,
            "unpaired": IndependentLabels,
            "bcv": IndependentLabelsBCV,
        },
        "requires one label per instance, but y is a multi-label indicator.",
    ),
    "chunks": (
        {"paired": PairedChunks, "bcv": BCV},
        "requires true negatives, which chunks do not have.",
    ),
    "scores": (
        {"paired": ScoreWeights, ScoreWeights.name: ScoreWeights},
        "models predicted classes, but the metric is computed from instance scores.",
    ),
    "numbers": (
        {"paired": ScoreWeights, ScoreWeights.name: ScoreWeights},
        "models predicted classes, but the predictions are numbers.",
    ),
    "grouped scores": (
        {"paired": GroupScoreWeights, GroupScoreWeights.name: GroupScoreWeights},
        "assumes independent instances, but groups= was given.",
    ),
    "splits": (
        {CorrelatedT.name: CorrelatedT},
        "requires predictions or counts, but only split scores are available.",
    ),
    "data sets": (
        {
            SignedRank.name: SignedRank,
            "hierarchical": HierarchicalScores,
            HierarchicalScores.name: HierarchicalScores,
        },
        "does not fit scores from several data sets.",
    ),
    "systems": (
        {"hierarchical": HierarchicalSystems, HierarchicalSystems.name: HierarchicalSystems},
        "does not fit scores of systems on several data sets.",
    ),
    "right or wrong": (
        {RightOrWrong.name: RightOrWrong, ItemWeights.name: ItemWeights},
        "does not fit one score per item.",
    ),
    "right or wrong in groups": (
        {ItemWeights.name: ItemWeights, ClusteredItems.name: ClusteredItems},
        "does not fit items in groups.",
    ),
    "items": (
        {ItemWeights.name: ItemWeights},
        "does not fit one score per item, unless all scores are 0 or 1, with one run per item.",
    ),
    "items in groups": (
        {ItemWeights.name: ItemWeights},
        "does not fit items in groups, unless all scores are 0 or 1, with one run per item.",
    ),
}

# What "auto" means where it is not "paired" or "unpaired".
DEFAULTS = {
    "splits": CorrelatedT.name,
    "data sets": SignedRank.name,
    "systems": HierarchicalSystems.name,
    "items": ItemWeights.name,
    "right or wrong in groups": ItemWeights.name,
    "items in groups": ItemWeights.name,
}

# What the prior of a model that is asked for by name has in place of the published one, which makes
# intervals too wide where classifiers seldom disagree (docs/calibration.md, single test sets).
DEFAULT_PRIORS: dict[type[Model], dict[str, Any]] = {
    Paired: {"theta": 0.25},
    PairedMany: {"theta": 0.25},
    RightOrWrong: {"theta": 0.5},
    PairedChunks: {"lambda": 0.5},
}

# Parameter names for prior keys that are reserved words in Python.
_PARAMETERS = {"lambda": "lambda_"}


def resolve_model(
    model: Any,
    prior: Any,
    *,
    paired: bool,
    n_classes: int = 2,
    n_classifiers: int = 2,
    family: str = "classes",
) -> Model:
    """Return the model named by `model`, with `prior` in place of its default prior.

    Parameters
    ----------
    model : str or model instance
        "auto" means "paired" if `paired`, otherwise "unpaired".
    prior : dict or None
        The prior parameters of the model.
    paired : bool
        Whether the predictions of all classifiers are known for each instance.
    n_classes, n_classifiers : int
        The number of classes and of classifiers in the evidence.
    family : str, default="classes"
        The family of the evidence: "classes" for one label per instance, or a key of `FAMILIES`.
    """
    if isinstance(model, Model):
        if prior is not None:
            raise ValueError(
                f"model={model!r} has its own prior. Pass either a model instance or prior=, not "
                "both."
            )
        _check_fit(type(model), n_classes, n_classifiers, family)
        return clone(model)
    if not isinstance(model, str):
        raise TypeError(
            f"model must be one of {NAMES} or an instance of a model class, got {in_short(model)}."
        )
    name = ("paired" if paired else "unpaired") if model == "auto" else model
    if name not in [*NAMES, *ITEM_NAMES]:
        raise ValueError(f"model={in_short(model)} is not a known model. Valid models are {NAMES}.")
    if model == "auto":
        name = DEFAULTS.get(family, name)
    kind = model_class(name, n_classes, n_classifiers, family)
    if model == "auto" and kind is Hierarchical and n_classifiers == 1:
        kind = Recalls
    given = from_prior(kind, {} if prior is None else prior)
    found = from_prior(kind, {**DEFAULT_PRIORS.get(kind, {}), **(prior or {})})
    found.published = None if found == given else given
    return found


def model_class(
    name: str, n_classes: int, n_classifiers: int, family: str = "classes"
) -> type[Model]:
    """Return the class of the named model for the given numbers of classes and classifiers."""
    if family in FAMILIES:
        kinds, why_not = FAMILIES[family]
        if name not in kinds:
            raise ValueError(f"model={name!r} {why_not} Use one of {list(kinds)}.")
        return kinds[name]
    if name in (CorrelatedT.name, SignedRank.name):
        raise ValueError(
            f"model={name!r} requires split scores. Use compare_scores; model='scores' is also "
            "accepted by bayesian_cross_validate and BayesianComparer."
        )
    if name in ITEM_NAMES:
        raise ValueError(f"model={name!r} requires one score per item. Use compare_items.")
    if name == "paired":
        if n_classes > 2:
            return PairedRecalls
        return Paired if n_classifiers == 2 else PairedMany
    if name == "hierarchical" or (name == "unpaired" and n_classes > 2):
        return Hierarchical
    kind = BCV if name == "bcv" else Unpaired
    _check_fit(kind, n_classes, n_classifiers, family)
    return kind


def _check_fit(kind: type[Model], n_classes: int, n_classifiers: int, family: str) -> None:
    """Raise unless a model class, or one of its base classes, fits the evidence."""
    if family not in FAMILIES:
        others = {one for kinds, _ in FAMILIES.values() for one in kinds.values()} - {BCV}
        fits = not issubclass(kind, tuple(others))
    else:
        fits = issubclass(kind, tuple(FAMILIES[family][0].values()))
    if not fits:
        what = "one label per instance"
        if family in FAMILIES:
            what = f"evidence of kind {family!r}"
        raise ValueError(
            f"model={kind.__name__}() does not fit {what}. Use model='auto', or one of {NAMES}."
        )
    if n_classes > 2 and (issubclass(kind, BinaryModel) or kind is PairedMany):
        raise ValueError(
            f"model={kind.name!r} requires two classes, but there are {n_classes}. Use "
            "model='auto' or model='hierarchical'."
        )
    if kind is Paired and n_classifiers != 2:
        raise ValueError(
            f"{kind.__name__} requires two classifiers, but there are {n_classifiers}. Use "
            "model='paired'."
        )


def from_prior(kind: type[Model], prior: Any) -> Model:
    """Return the model with the parameters of `prior`."""
    if not isinstance(prior, dict):
        raise TypeError(f"prior must be None or a dict of parameters, got {in_short(prior)}.")
    known = kind().prior()
    unknown = [key for key in prior if key not in known]
    if unknown:
        raise ValueError(
            f"The prior of model {kind.name!r} has no parameter {unknown[0]!r}. Valid parameters "
            f"are {list(known)}."
        )
    parameters = {str(_PARAMETERS.get(key, key)): value for key, value in prior.items()}
    return clone(kind().set_params(**parameters))


def published_and_alternative_models(
    family: str, *, paired: bool, true_negatives: bool, n_classes: int = 2
) -> list[Model]:
    """Return the models that fit, each with its published, its default and other priors."""
    models: list[Model] = []
    if family == "right or wrong":
        return [RightOrWrong(), RightOrWrong(theta=0.5), RightOrWrong(theta=0.25), ItemWeights()]
    if family not in ("classes", "chunks"):
        return models
    if n_classes > 2:
        if paired:
            models += [PairedRecalls(), PairedRecalls(mu=1.0), PairedRecalls(eta=(2.0, 1.0))]
            models += [PairedHierarchical()]
        return [*models, Hierarchical(), Hierarchical(mu=0.5), Hierarchical(eta=(2.0, 1.0))]
    if family == "chunks":
        models += [PairedChunks(), PairedChunks(lambda_=0.5), PairedChunks(lambda_=0.25)]
    elif paired:
        models += [Paired(), Paired(mu=0.5, theta=0.5), Paired(theta=0.25)]
    if true_negatives:
        models += [Unpaired(), Unpaired(mu=0.5, rho=0.5), Unpaired(rho=2.0), Hierarchical()]
    return [*models, BCV(), BCV(lambda_=0.5), BCV(lambda_=0.25)]
