"""From labels and tables to counts."""

from skbayeseval.evidence.block_cv import BlockRegularizedCV, calibrated_weight
from skbayeseval.evidence.counts import ConfusionCounts, PairedCounts

__all__ = ["BlockRegularizedCV", "ConfusionCounts", "PairedCounts", "calibrated_weight"]
