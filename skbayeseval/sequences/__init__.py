"""Tagged sentences: tag schemes, chunks, and an estimator that converts between schemes."""

from skbayeseval.sequences.tags import chunk_frequencies, convert_tags, tags_to_chunks

__all__ = ["chunk_frequencies", "convert_tags", "tags_to_chunks"]
