"""Evidence: all that a model sees of the data, one class for each kind."""

from skbayeseval.evidence.chunks import ChunkCounts
from skbayeseval.evidence.counts import ConfusionCounts, PairedCounts

__all__ = ["ChunkCounts", "ConfusionCounts", "PairedCounts"]
