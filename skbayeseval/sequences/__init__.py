"""Tagged sentences: tag schemes, chunks, and an estimator that converts between schemes."""

from skbayeseval.sequences.frequencies import chunk_frequencies
from skbayeseval.sequences.tags import convert_tags, tags_to_chunks

__all__ = ["chunk_frequencies", "convert_tags", "tags_to_chunks"]
