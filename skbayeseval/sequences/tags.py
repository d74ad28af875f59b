"""Tag schemes: from one tag a token to chunks, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "SCHEMES",
    "Chunk",
    "check_scheme",
    "check_sentences",
    "chunks_to_tags",
    "convert_tags",
    "tags_to_chunks",
]

# For each scheme the prefixes of (the first token, those inside, the last, a single one).
SCHEMES = {"IOB1": "IIII", "IOB2": "BIIB", "IOBES": "BIES", "BMES": "BMES"}

# What each prefix means; IOB1 has a B too, where two chunks of a type touch.
_MEANING = {"B": "first", "I": "inside", "M": "inside", "E": "last", "S": "single"}


class Chunk(NamedTuple):
    """A chunk of a sentence: tokens `start` to `stop`, which is not of it any more.

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

    Sequences that break the rules of their scheme are read as conlleval reads them: a tag that
    cannot go on with the chunk before it begins one. No sequence of tags of the scheme is refused.

    Parameters
    ----------
    y : sequence of sequences of str
        The tags of each sentence, such as "B-PER", "O", or "B" where chunks have no types.
    scheme : {"IOB1", "IOB2", "IOBES", "BMES"}
        How the tags mark chunks.
    name : str, default="y"
        What to call `y` in errors.

    Returns
    -------
    chunks : list of list of Chunk

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
        They must not overlap.
    length : int
        The number of tokens.
    scheme : {"IOB1", "IOB2", "IOBES", "BMES"}
        How to mark chunks.

    Returns
    -------
    tags : list of str

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
    """Return the same chunks in the tags of another scheme.

    Parameters
    ----------
    y : sequence of sequences of str
        The tags of each sentence.
    source, target : {"IOB1", "IOB2", "IOBES", "BMES"}
        The scheme of `y`, and the one to turn it into.
    name : str, default="y"
        What to call `y` in errors.

    Returns
    -------
    tags : list of list of str

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
    """Return the scheme if it is a known one."""
    if not isinstance(scheme, str) or scheme not in SCHEMES:
        raise ValueError(f"{name}={scheme!r} is not a known scheme. Known are: {list(SCHEMES)}.")
    return scheme


def check_sentences(y: Any, name: str) -> list[Sequence[Any]]:
    """Return `y` as a list of sequences, one a sentence; a 2-D array is sentences of one length."""
    if isinstance(y, (str, bytes)) or not isinstance(y, Iterable):
        raise TypeError(f"{name} must be a sequence of sequences of tags, got {y!r}.")
    sentences = list(y)
    if not sentences:
        raise ValueError(f"Found array with 0 sample(s): {name} is empty.")
    for i, tags in enumerate(sentences):
        if isinstance(tags, (str, bytes)) or not isinstance(tags, (Sequence, np.ndarray)):
            raise ValueError(
                f"{name} must hold one sequence of tags a sentence, such as ['B-PER', 'O'], but "
                f"{name}[{i}] is {tags!r}."
            )
    return sentences


def _chunks(tags: Sequence[Any], scheme: str, where: str) -> list[Chunk]:
    """Read one sentence by conlleval's rules.

    Its tables of what begins and what ends a chunk come down to this: a chunk goes on from one
    token to the next where the first may be followed (B, I), the second may follow (I, E), and
    both are of one type. All else but O begins a chunk.
    """
    chunks: list[Chunk] = []
    may_go_on = False
    for i, tag in enumerate(tags):
        meaning, kind = _parse(tag, scheme) if isinstance(tag, str) else (None, "")
        if meaning is None:
            prefixes = _prefixes(scheme)
            raise ValueError(
                f"{where} holds {tag!r}, which is not a tag of scheme {scheme!r}: that has 'O' "
                f"and the prefixes {prefixes}, as in '{prefixes[0]}-PER' or '{prefixes[0]}'."
            )
        if may_go_on and meaning in ("inside", "last") and kind == chunks[-1].type:
            chunks[-1] = chunks[-1]._replace(stop=i + 1)
        elif meaning != "outside":
            chunks.append(Chunk(kind, i, i + 1))
        may_go_on = meaning in ("first", "inside")
    return chunks


@lru_cache(maxsize=4096)
def _parse(tag: str, scheme: str) -> tuple[str | None, str]:
    """Return what the tag says of its token (None if it is not of the scheme), and the type."""
    if tag == "O":
        return "outside", ""
    prefix, _, kind = tag.partition("-")
    return (_MEANING[prefix] if prefix in _prefixes(scheme) else None), kind


def _prefixes(scheme: str) -> list[str]:
    return sorted({*SCHEMES[scheme], "B"})
