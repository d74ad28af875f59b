"""Tag schemes: conversion between one tag per token and chunks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from skbayeseval._arrays import in_short

__all__ = [
    "SCHEMES",
    "Chunk",
    "check_scheme",
    "check_sentences",
    "chunks_to_tags",
    "convert_tags",
    "tags_to_chunks",
]

# Prefixes of each scheme for the first, inner and last token of a chunk, and for a chunk of one
# token.
SCHEMES = {"IOB1": "IIII", "IOB2": "BIIB", "IOBES": "BIES", "BMES": "BMES"}

# Meaning of each prefix. IOB1 also uses B, for a chunk that follows one of the same type directly.
_MEANING = {"B": "first", "I": "inside", "M": "inside", "E": "last", "S": "single"}


class Chunk(NamedTuple):
    """A chunk of a sentence: its type and its tokens from `start` up to, but excluding, `stop`.

    Examples
    --------
    >>> from skbayeseval.sequences.tags import Chunk
    >>> Chunk("PER", 0, 2).type
    'PER'
    """

    type: str
    start: int
    stop: int


def tags_to_chunks(y: Any, scheme: str, *, name: str = "y") -> list[list[Chunk]]:
    """Return the chunks of each sentence.

    Sequences that violate the rules of their scheme are interpreted as in conlleval: a tag that
    cannot continue the preceding chunk starts a new one. Every sequence of valid tags is accepted.

    Parameters
    ----------
    y : sequence of sequences of str
        The tags of each sentence, such as "B-PER" or "O", or "B" for chunks without types.
    scheme : {"IOB1", "IOB2", "IOBES", "BMES"}
        The tag scheme.
    name : str, default="y"
        The name of `y` in error messages.

    Returns
    -------
    chunks : list of list of Chunk
        The chunks of each sentence.

    Examples
    --------
    >>> from skbayeseval.sequences.tags import tags_to_chunks
    >>> tags_to_chunks([["I-PER", "I-PER", "O", "B-ORG"]], "IOB2")
    [[Chunk(type='PER', start=0, stop=2), Chunk(type='ORG', start=3, stop=4)]]
    """
    check_scheme(scheme)
    return [
        _chunks(tags, scheme, f"{name}[{i}]") for i, tags in enumerate(check_sentences(y, name))
    ]


def chunks_to_tags(chunks: Iterable[Chunk], length: int, scheme: str) -> list[str]:
    """Return the tags of one sentence.

    Parameters
    ----------
    chunks : iterable of Chunk
        The chunks, which must not overlap.
    length : int
        The number of tokens.
    scheme : {"IOB1", "IOB2", "IOBES", "BMES"}
        The tag scheme.

    Returns
    -------
    tags : list of str
        The tags of the sentence.

    Examples
    --------
    >>> from skbayeseval.sequences.tags import Chunk, chunks_to_tags
    >>> chunks_to_tags([Chunk("PER", 0, 2), Chunk("ORG", 3, 4)], 4, "IOBES")
    ['B-PER', 'E-PER', 'O', 'S-ORG']
    """
    first, inside, last, single = tuple(SCHEMES[check_scheme(scheme)])
    tags = ["O"] * length
    before = Chunk("", 0, 0)
    for chunk in sorted(chunks, key=lambda one: one.start):
        size = chunk.stop - chunk.start
        prefixes = single if size == 1 else first + inside * (size - 2) + last
        if scheme == "IOB1" and size and before.stop == chunk.start and before.type == chunk.type:
            prefixes = "B" + prefixes[1:]
        ending = f"-{chunk.type}" if chunk.type else ""
        tags[chunk.start : chunk.stop] = [prefix + ending for prefix in prefixes]
        before = chunk
    return tags


def convert_tags(y: Any, source: str, target: str, *, name: str = "y") -> list[list[str]]:
    """Convert tags to another scheme.

    Parameters
    ----------
    y : sequence of sequences of str
        The tags of each sentence.
    source, target : {"IOB1", "IOB2", "IOBES", "BMES"}
        The scheme of `y`, and the scheme to convert it to.
    name : str, default="y"
        The name of `y` in error messages.

    Returns
    -------
    tags : list of list of str
        The converted tags of each sentence.

    Examples
    --------
    >>> from skbayeseval.sequences.tags import convert_tags
    >>> convert_tags([["B-PER", "I-PER", "O", "B-ORG"]], "IOB2", "IOBES")
    [['B-PER', 'E-PER', 'O', 'S-ORG']]
    """
    check_scheme(target, "target")
    sentences = check_sentences(y, name)
    found = tags_to_chunks(sentences, check_scheme(source, "source"), name=name)
    return [
        chunks_to_tags(chunks, len(tags), target)
        for chunks, tags in zip(found, sentences, strict=True)
    ]


def check_scheme(scheme: Any, name: str = "scheme") -> str:
    """Return `scheme` if it is valid."""
    if not isinstance(scheme, str) or scheme not in SCHEMES:
        raise ValueError(
            f"{name}={in_short(scheme)} is not a known scheme. Valid schemes are {list(SCHEMES)}."
        )
    return scheme


def check_sentences(y: Any, name: str) -> list[Sequence[Any]]:
    """Return `y` as a list with one sequence of tags per sentence."""
    single = isinstance(y, (str, bytes)) or getattr(y, "ndim", 1) == 0
    if single or not isinstance(y, Iterable):
        raise TypeError(f"{name} must be a sequence of sequences of tags, got {in_short(y)}.")
    sentences = list(y)
    if not sentences:
        raise ValueError(f"Found array with 0 sample(s): {name} is empty.")
    for i, tags in enumerate(sentences):
        if isinstance(tags, (str, bytes)) or not isinstance(tags, (Sequence, np.ndarray)):
            raise ValueError(
                f"{name} must contain one sequence of tags per sentence, such as ['B-PER', 'O'], "
                f"but {name}[{i}] is {in_short(tags)}."
            )
    return sentences


def _chunks(tags: Sequence[Any], scheme: str, where: str) -> list[Chunk]:
    """Return the chunks of one sentence by the rules of conlleval.

    A chunk continues from one token to the next if the prefix of the first token is B or I, the
    prefix of the second token is I or E, and both have the same type. Every other tag except O
    starts a new chunk.
    """
    chunks: list[Chunk] = []
    may_go_on = False
    for i, tag in enumerate(tags):
        meaning, kind = _parse(tag, scheme) if isinstance(tag, str) else (None, "")
        if meaning is None:
            prefixes = _prefixes(scheme)
            raise ValueError(
                f"{where} contains {tag!r}, which is not a tag of scheme {scheme!r}. Valid tags "
                f"are 'O' and those with a prefix in {prefixes}, such as '{prefixes[0]}-PER' or "
                f"'{prefixes[0]}'."
            )
        if may_go_on and meaning in ("inside", "last") and kind == chunks[-1].type:
            chunks[-1] = chunks[-1]._replace(stop=i + 1)
        elif meaning != "outside":
            chunks.append(Chunk(kind, i, i + 1))
        may_go_on = meaning in ("first", "inside")
    return chunks


@lru_cache(maxsize=4096)
def _parse(tag: str, scheme: str) -> tuple[str | None, str]:
    """Return the meaning of the prefix (None if it is not in the scheme) and the chunk type."""
    if tag == "O":
        return "outside", ""
    prefix, _, kind = tag.partition("-")
    return (_MEANING[prefix] if prefix in _prefixes(scheme) else None), kind


def _prefixes(scheme: str) -> list[str]:
    return sorted({*SCHEMES[scheme], "B"})
