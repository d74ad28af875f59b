"""Models: priors, and the posteriors they imply. They use counts, not data or estimators.

`resolve_model` turns `model=` into a model that fits the evidence.

The default prior is not the published one. One count per cell widens intervals of classifiers that
seldom disagree (docs/calibration.md), so `model="paired"` has a quarter. `models.Paired()` is the
published model, whose tables are reproduced, and Bayes factors are computed under its prior.
Results with few errors say that the prior matters.
"""

from __future__ import annotations

from keyword import iskeyword
from typing import Any, NamedTuple

from sklearn.base import clone

from skbayeseval._arrays import in_short
from skbayeseval.evidence.interface import Evidence
from skbayeseval.models.base import Model
from skbayeseval.models.binary import (
    BCV,
    IndependentLabels,
    IndependentLabelsBCV,
    Paired,
    PairedChunks,
    Unpaired,
)
from skbayeseval.models.bootstrap import InstanceWeights
from skbayeseval.models.hierarchical_scores import HierarchicalScores
from skbayeseval.models.items import ItemWeights, RightOrWrong
from skbayeseval.models.multiclass import (
    Hierarchical,
    PairedHierarchical,
    PairedMany,
    PairedRecalls,
    Recalls,
)
from skbayeseval.models.signed_rank import SignedRank
from skbayeseval.models.split_scores import CorrelatedT
from skbayeseval.models.systems import HierarchicalSystems

__all__ = [
    "BCV",
    "CorrelatedT",
    "Hierarchical",
    "HierarchicalScores",
    "HierarchicalSystems",
    "IndependentLabels",
    "IndependentLabelsBCV",
    "InstanceWeights",
    "ItemWeights",
    "Paired",
    "PairedChunks",
    "PairedHierarchical",
    "PairedMany",
    "PairedRecalls",
    "Recalls",
    "RightOrWrong",
    "SignedRank",
    "Unpaired",
    "published_and_alternative_models",
    "resolve_model",
]


class Family(NamedTuple):
    """The models of one kind of evidence.

    Attributes
    ----------
    models : dict of str to model class
        The models by name.
    why_not : str
        Why other models do not fit.
    default : str, default=""
        What "auto" means, if it is not "paired" or "unpaired".
    others : tuple of model class, default=()
        Models without a name that fit as well.
    called : str, default=""
        What models are called here, if not by their own name.
    """

    models: dict[str, type[Model]]
    why_not: str
    default: str = ""
    others: tuple[type[Model], ...] = ()
    called: str = ""

    @property
    def kinds(self) -> tuple[type[Model], ...]:
        """All models that fit."""
        return (*self.models.values(), *self.others)


_IN_GROUPS = "assumes independent instances, but groups= or blocks= was given."
_WEIGHTS: dict[str, type[Model]] = {"paired": InstanceWeights}
_OF_CHUNKS = "requires true negatives, which chunks do not have."

FAMILIES = {
    "two classes": Family(
        {"paired": Paired, "unpaired": Unpaired, "hierarchical": Hierarchical, "bcv": BCV},
        "does not fit one label per instance.",
        others=(PairedMany, PairedHierarchical, PairedRecalls, Recalls),
    ),
    "classes": Family(
        {"paired": PairedRecalls, "unpaired": Hierarchical, "hierarchical": Hierarchical},
        "does not fit one label per instance of more than two classes.",
        others=(PairedHierarchical, Recalls),
    ),
    "groups": Family(_WEIGHTS, _IN_GROUPS, called="group weights"),
    "labels": Family(
        {"paired": InstanceWeights, "unpaired": IndependentLabels, "bcv": IndependentLabelsBCV},
        "requires one label per instance, but y is a multi-label indicator.",
    ),
    "weighted": Family(_WEIGHTS, "takes plain counts, but sample_weight= was given."),
    "sentences": Family({"paired": InstanceWeights, "bcv": BCV}, _OF_CHUNKS),
    "chunks": Family({"bcv": BCV}, _OF_CHUNKS, default="bcv", others=(PairedChunks,)),
    "scores": Family(
        _WEIGHTS,
        "models predicted classes, but the metric is computed from instance scores.",
        called="instance weights",
    ),
    "numbers": Family(
        _WEIGHTS,
        "models predicted classes, but the predictions are numbers.",
        called="instance weights",
    ),
    "grouped scores": Family(_WEIGHTS, _IN_GROUPS, called="group weights"),
    "splits": Family(
        {"scores": CorrelatedT},
        "requires predictions or counts, but only split scores are available.",
        default="scores",
    ),
    "data sets": Family(
        {"signed-rank": SignedRank, "hierarchical": HierarchicalScores},
        "does not fit scores from several data sets.",
        default="signed-rank",
    ),
    "systems": Family(
        {"hierarchical": HierarchicalSystems},
        "does not fit scores of systems on several data sets.",
        default="hierarchical",
    ),
    "right or wrong": Family(
        {"paired": RightOrWrong, "bootstrap": ItemWeights}, "does not fit one score per item."
    ),
    "items": Family(
        {"bootstrap": ItemWeights},
        "does not fit one score per item, unless all scores are 0 or 1, with one run per item.",
        default="bootstrap",
    ),
    "items in groups": Family(
        {"bootstrap": ItemWeights}, "does not fit items in groups.", default="bootstrap"
    ),
}

# What takes the place of a model that is asked for by name where there are not two classifiers, and
# of the one that "auto" means where there is one.
_NOT_OF_TWO: dict[type[Model], type[Model]] = {Paired: PairedMany}
_AUTO_OF_ONE: dict[type[Model], type[Model]] = {Hierarchical: Recalls}

MODEL_CLASSES = {kind.__name__: kind for family in FAMILIES.values() for kind in family.kinds}

# The names of all models, and of those for classes and for scores of splits or data sets.
_KNOWN = {"auto", *(name for family in FAMILIES.values() for name in family.models)}
_NAMED = ("two classes", "splits", "data sets")
NAMES = list({"auto": None} | {name: None for key in _NAMED for name in FAMILIES[key].models})


def _each(kind: type[Model], *priors: dict[str, Any]) -> list[Model]:
    """Return a model with its published prior, and with others."""
    return [kind(), *(kind().set_params(**prior) for prior in priors)]


_BCV = _each(BCV, {"lambda_": 0.5}, {"lambda_": 0.25})

# The models of a sensitivity analysis: each with its published, its default and other priors.
_ALTERNATIVES: dict[str, list[Model]] = {
    "right or wrong": [*_each(RightOrWrong, {"theta": 0.5}, {"theta": 0.25}), ItemWeights()],
    "classes": [
        *_each(PairedRecalls, {"mu": 1.0}, {"eta": (2.0, 1.0)}),
        PairedHierarchical(),
        *_each(Hierarchical, {"mu": 0.5}, {"eta": (2.0, 1.0)}),
    ],
    "two classes": [
        *_each(Paired, {"mu": 0.5, "theta": 0.5}, {"theta": 0.25}),
        *_each(Unpaired, {"mu": 0.5, "rho": 0.5}, {"rho": 2.0}),
        Hierarchical(),
        *_BCV,
    ],
    "chunks": [*_each(PairedChunks, {"lambda_": 0.5}, {"lambda_": 0.25}), *_BCV],
}


def resolve_model(model: Any, evidence: Evidence) -> Model:
    """Return the model of the evidence that is asked for, with its default prior, or a copy.

    Parameters
    ----------
    model : str or model instance
        "auto" means "paired" if predictions are known in pairs, otherwise "unpaired".
    evidence : Evidence
        What it is to fit.
    """
    family, n_classifiers = family_of(evidence), evidence.n_classifiers
    fitting = FAMILIES[family]
    if isinstance(model, Model):
        asked = f"{type(model).__name__}()"
        registered = next((k for k in type(model).__mro__ if k in MODEL_CLASSES.values()), None)
        # Users may write models of their own for one label per instance.
        if registered not in fitting.kinds and (registered or evidence.family != "classes"):
            raise _misfit(asked, fitting)
        resolved = clone(model)
    elif isinstance(model, str):
        if model not in _KNOWN:
            valid = NAMES if evidence.family == "classes" else ["auto", *fitting.models]
            raise ValueError(
                f"model={in_short(model)} is not a known model. Valid models are {valid}."
            )
        name = model
        if model == "auto":
            name = fitting.default or ("paired" if evidence.is_paired else "unpaired")
        asked = repr(name)
        if name not in fitting.models:
            raise _misfit(asked, fitting)
        kind = fitting.models[name]
        if n_classifiers != 2:
            kind = _NOT_OF_TWO.get(kind, kind)
        if n_classifiers == 1 and model == "auto":
            kind = _AUTO_OF_ONE.get(kind, kind)
        resolved = kind(**kind.default_prior)
        if kind.default_prior:
            resolved.published = kind()
    else:
        raise TypeError(
            f"model must be one of {NAMES} or an instance of a model class, got {in_short(model)}."
        )
    if fitting.called:
        resolved.name = fitting.called
    most, takes_one = resolved.most_classifiers, not resolved.needs_pairs
    if most is not None and not 2 - takes_one <= n_classifiers <= most:
        number = "two" if most == 2 else f"at most {most}"
        raise ValueError(
            f"model={asked} requires {number} classifiers, but there are {n_classifiers}. Use "
            "model='paired' or model='unpaired'."
        )
    return resolved


def _misfit(model: str, family: Family) -> ValueError:
    return ValueError(f"model={model} {family.why_not} Use one of {list(family.models)}.")


def family_of(evidence: Evidence) -> str:
    """Return the key of the family: two classes have models of their own."""
    is_binary = evidence.family == "classes" and len(evidence.margins()[0].labels) <= 2
    return "two classes" if is_binary else evidence.family


def from_prior(kind: type[Model], prior: Any) -> Model:
    """Return the model with the parameters of `prior`."""
    if not isinstance(prior, dict):
        raise TypeError(f"prior must be None or a dict of parameters, got {in_short(prior)}.")
    model = kind()
    known = model.prior()
    unknown = [key for key in prior if key not in known]
    if unknown:
        raise ValueError(
            f"The prior of model {kind.name!r} has no parameter {unknown[0]!r}. Valid parameters "
            f"are {list(known)}."
        )
    # Reserved words of Python have an underscore as parameters.
    parameters = {f"{key}_" if iskeyword(key) else key: value for key, value in prior.items()}
    return clone(model.set_params(**parameters))


def published_and_alternative_models(evidence: Evidence) -> list[Model]:
    """Return the models that fit, each with its published, its default and other priors."""
    others = _NOT_OF_TWO if evidence.n_classifiers != 2 else {}
    true_negatives = evidence.margins()[0].has_true_negatives
    return [
        others.get(type(model), type(model))(**model.get_params())
        for model in _ALTERNATIVES.get(family_of(evidence), [])
        if (evidence.is_paired or not model.needs_pairs)
        and (true_negatives or not model.needs_true_negatives)
    ]
