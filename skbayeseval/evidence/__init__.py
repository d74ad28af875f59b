"""Evidence: all that a model sees of the data, one class for each kind."""

from skbayeseval.evidence.base import Evidence
from skbayeseval.evidence.chunks import ChunkCounts
from skbayeseval.evidence.counts import ConfusionCounts, MarginalCounts, PairedCounts
from skbayeseval.evidence.instance_scores import ScoredInstances
from skbayeseval.evidence.split_scores import DataSetScores, SplitScores
from skbayeseval.evidence.units import UnitCounts

__all__ = [
    "KINDS",
    "ChunkCounts",
    "ConfusionCounts",
    "DataSetScores",
    "Evidence",
    "MarginalCounts",
    "PairedCounts",
    "ScoredInstances",
    "SplitScores",
    "UnitCounts",
]

# All kinds of evidence by the name that files have for them.
KINDS: dict[str, type[Evidence]] = {
    kind.kind: kind
    for kind in (
        ChunkCounts,
        DataSetScores,
        MarginalCounts,
        PairedCounts,
        ScoredInstances,
        SplitScores,
        UnitCounts,
    )
}
