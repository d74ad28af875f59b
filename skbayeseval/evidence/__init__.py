"""Evidence: the data that a model is given, with one class per kind of data."""

from skbayeseval.evidence.chunks import ChunkCounts
from skbayeseval.evidence.counts import ConfusionCounts, MarginalCounts, PairedCounts
from skbayeseval.evidence.instance_scores import ScoredInstances
from skbayeseval.evidence.interface import Evidence
from skbayeseval.evidence.item_scores import ItemScores
from skbayeseval.evidence.predicted_numbers import PredictedNumbers
from skbayeseval.evidence.split_scores import DataSetScores, SplitScores, SystemScores
from skbayeseval.evidence.units import UnitCounts

__all__ = [
    "ChunkCounts",
    "ConfusionCounts",
    "DataSetScores",
    "Evidence",
    "ItemScores",
    "MarginalCounts",
    "PairedCounts",
    "PredictedNumbers",
    "ScoredInstances",
    "SplitScores",
    "SystemScores",
    "UnitCounts",
]
