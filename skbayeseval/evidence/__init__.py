"""From labels, tags and tables to counts."""

from skbayeseval.evidence.block_cv import BlockRegularizedCV, calibrated_weight
from skbayeseval.evidence.chunks import ChunkCounts, chunk_frequencies
from skbayeseval.evidence.counts import ConfusionCounts, PairedCounts
from skbayeseval.evidence.tags import convert_tags, tags_to_chunks

__all__ = [
    "BlockRegularizedCV",
    "ChunkCounts",
    "ConfusionCounts",
    "PairedCounts",
    "calibrated_weight",
    "chunk_frequencies",
    "convert_tags",
    "tags_to_chunks",
]
