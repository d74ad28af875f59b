"""Models: priors, and the posteriors they imply. They use counts, not data or estimators."""

from skbayeseval.models.binary import (
    BCV,
    IndependentLabels,
    IndependentLabelsBCV,
    Paired,
    PairedChunks,
    Unpaired,
)
from skbayeseval.models.bootstrap import (
    GroupScoreWeights,
    GroupWeights,
    InstanceWeights,
    ScoreWeights,
)
from skbayeseval.models.data_sets import HierarchicalScores, SignedRank
from skbayeseval.models.items import ClusteredItems, ItemWeights, RightOrWrong
from skbayeseval.models.multiclass import (
    Hierarchical,
    PairedHierarchical,
    PairedMany,
    PairedRecalls,
    Recalls,
)
from skbayeseval.models.registry import published_and_alternative_models, resolve_model
from skbayeseval.models.split_scores import CorrelatedT
from skbayeseval.models.systems import HierarchicalSystems

__all__ = [
    "BCV",
    "ClusteredItems",
    "CorrelatedT",
    "GroupScoreWeights",
    "GroupWeights",
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
    "ScoreWeights",
    "SignedRank",
    "Unpaired",
    "published_and_alternative_models",
    "resolve_model",
]
