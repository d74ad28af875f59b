"""Frequencies of chunk types in tagged sentences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval._arrays import in_short
from skbayeseval.sequences.tags import tags_to_chunks

__all__ = ["check_types", "chunk_frequencies"]


def chunk_frequencies(
    y: Any, scheme: str, *, types: str | Iterable[str] | None = None
) -> pd.DataFrame:
    """Count the chunks of each type in each sentence.

    Parameters
    ----------
    y : sequence of sequences of str
        The tags of each sentence.
    scheme : {"IOB1", "IOB2", "IOBES", "BMES"}
        The tag scheme.
    types : str or list of str, default=None
        The chunk types to count. None counts all types that occur.

    Returns
    -------
    table : pandas.DataFrame of shape (n_sentences, n_types)
        The frequencies, for example for ``BlockRegularizedCV(regularize=...)``.

    Examples
    --------
    >>> from skbayeseval.sequences import chunk_frequencies
    >>> chunk_frequencies([["B-PER", "O", "B-ORG"], ["B-ORG", "B-ORG"]], "IOB2")
       ORG  PER
    0    1    1
    1    2    0
    """
    found = tags_to_chunks(y, scheme)
    wanted = check_types(types)
    columns = (
        sorted({chunk.type for chunks in found for chunk in chunks})
        if wanted is None
        else list(wanted)
    )
    counts = np.zeros((len(found), len(columns)), dtype=int)
    position = {kind: k for k, kind in enumerate(columns)}
    for i, chunks in enumerate(found):
        for chunk in chunks:
            if chunk.type in position:
                counts[i, position[chunk.type]] += 1
    return pd.DataFrame(counts, columns=columns)


def check_types(types: Any) -> tuple[str, ...] | None:
    """Return the chunk types as a tuple, or None for all types."""
    if types is None:
        return None
    several = isinstance(types, Iterable) and getattr(types, "ndim", 1) > 0
    kinds = (types,) if isinstance(types, str) or not several else tuple(types)
    if not kinds or not all(isinstance(kind, str) for kind in kinds):
        raise ValueError(
            f"types must be a chunk type such as 'ORG' or a list of chunk types, got "
            f"{in_short(types)}."
        )
    return kinds
