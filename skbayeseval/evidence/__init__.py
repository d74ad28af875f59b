"""From labels and tables to counts."""

from skbayeseval.evidence.block_cv import calibrated_weight
from skbayeseval.evidence.counts import ConfusionCounts, PairedCounts

__all__ = ["ConfusionCounts", "PairedCounts", "calibrated_weight"]
