"""Tag schemes: conversion between one tag per token and chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from skbayeseval._arrays import in_short, wrong

# Prefixes of each scheme for the first, inner and last token of a chunk, and for a chunk of one
# token.
SCHEMES = {"IOB1": "IIII", "IOB2": "BIIB", "IOBES": "BIES", "BMES": "BMES"}

# Meaning of each prefix. IOB1 also uses B, for a chunk that follows one of the same type directly.
_MEANING = {"B": "first", "I": "inside", "M": "inside", "E": "last", "S": "single"}

# The line between documents, which is no token.
DOCUMENT = "-DOCSTART-"


class Chunk(NamedTuple):
    """A chunk of a sentence: its type and its tokens from `start` up to, but excluding, `stop`.

    Examples
    --------
    >>> from skbayeseval.sequences import Chunk
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
    >>> from skbayeseval.sequences import tags_to_chunks
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
    >>> from skbayeseval.sequences import Chunk, chunks_to_tags
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
    >>> from skbayeseval.sequences import convert_tags
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
    meanings = {prefix: _MEANING[prefix] for prefix in sorted({*SCHEMES[scheme], "B"})}
    chunks: list[Chunk] = []
    may_go_on = False
    for i, tag in enumerate(tags):
        prefix, _, kind = tag.partition("-") if isinstance(tag, str) else ("", "", "")
        meaning = "outside" if prefix == tag == "O" else meanings.get(prefix)
        if meaning is None:
            first, *_ = prefixes = list(meanings)
            raise ValueError(
                f"{where} contains {tag!r}, which is not a tag of scheme {scheme!r}. Valid tags "
                f"are 'O' and those with a prefix in {prefixes}, such as '{first}-PER' or "
                f"'{first}'."
            )
        if may_go_on and meaning in ("inside", "last") and kind == chunks[-1].type:
            chunks[-1] = chunks[-1]._replace(stop=i + 1)
        elif meaning != "outside":
            chunks.append(Chunk(kind, i, i + 1))
        may_go_on = meaning in ("first", "inside")
    return chunks


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
    columns = check_chunk_types(types)
    if columns is None:
        columns = tuple(sorted({chunk.type for chunks in found for chunk in chunks}))
    counts = [Counter(chunk.type for chunk in chunks) for chunks in found]
    table = [[counter[kind] for kind in columns] for counter in counts]
    return pd.DataFrame(table, columns=list(columns), index=range(len(found)), dtype=int)


def check_chunk_types(types: Any) -> tuple[str, ...] | None:
    """Return the chunk types as a tuple, or None for all types."""
    if types is None:
        return None
    several = isinstance(types, Iterable) and getattr(types, "ndim", 1) > 0
    kinds = (types,) if isinstance(types, str) or not several else tuple(types)
    if not kinds or not all(isinstance(kind, str) for kind in kinds):
        raise wrong("types", "a chunk type such as 'ORG' or a list of chunk types", types)
    return kinds


def read_conll(path: str | PathLike[str]) -> tuple[list[list[list[str]]], list[list[str]]]:
    r"""Read a file with one token per line, its tag in the last column, and empty lines between.

    Parameters
    ----------
    path : str or path-like
        The file, in UTF-8; columns are separated by spaces or tabs.

    Returns
    -------
    tokens : list of list of list of str
        The columns of each token but the last, per sentence.
    tags : list of list of str
        The last column, per sentence.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from skbayeseval.sequences import read_conll
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "gold.conll"
    ...     _ = path.write_text("Ada B-PER\nsleeps O\n\nRome B-LOC\n")
    ...     read_conll(path)[1]
    [['B-PER', 'O'], ['B-LOC']]
    """
    sentences: list[list[list[str]]] = [[]]
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        columns = line.split()
        if not columns or columns[0] == DOCUMENT:
            sentences.append([])
        else:
            sentences[-1].append(columns)
    found = [sentence for sentence in sentences if sentence]
    if not found:
        raise ValueError(f"{path} contains no sentences.")
    tokens = [[token[:-1] for token in sentence] for sentence in found]
    return tokens, [[token[-1] for token in sentence] for sentence in found]


class ConvertTags(MetaEstimatorMixin, BaseEstimator):
    """Meta-estimator that fits a tagger to tags converted to another scheme.

    `fit` receives tags in the scheme `source` and converts them to the scheme `target`; `predict`
    returns tags in the scheme `target`.

    Parameters
    ----------
    estimator : estimator
        The tagger. A clone of it is fitted.
    source, target : {"IOB1", "IOB2", "IOBES", "BMES"}
        The scheme of the tags passed to `fit`, and the scheme to convert them to.

    Attributes
    ----------
    estimator_ : estimator
        The fitted tagger.
    classes_ : list or ndarray
        The tags known to the fitted tagger. Exists only if the tagger has `classes_`.

    See Also
    --------
    chunk_counter : Count the chunks found by taggers that use different schemes.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from skbayeseval import ConvertTags
    >>> class Memory(BaseEstimator):  # memorizes the training tags
    ...     def fit(self, X, y):
    ...         self.seen_ = dict(zip(X, y))
    ...         return self
    ...     def predict(self, X):
    ...         return [self.seen_[x] for x in X]
    >>> tagger = ConvertTags(Memory(), source="IOB2", target="IOBES")
    >>> tagger.fit(["Ada Lovelace"], [["B-PER", "I-PER"]]).predict(["Ada Lovelace"])
    [['B-PER', 'E-PER']]
    """

    def __init__(self, estimator: Any, source: str, target: str) -> None:
        self.estimator = estimator
        self.source = source
        self.target = target

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Fit the tagger to the converted tags.

        Parameters
        ----------
        X : sequence of shape (n_sentences,)
            The sentences, in the format that the tagger expects.
        y : sequence of sequences of str
            Their tags, in the scheme `source`.
        **params : dict
            Parameters passed to the `fit` method of the tagger.

        Returns
        -------
        self : ConvertTags
            The fitted estimator.
        """
        if get_config()["enable_metadata_routing"]:
            params = dict(process_routing(self, "fit", **params).estimator.fit)
        converted = convert_tags(y, self.source, self.target)
        self.estimator_ = clone(self.estimator).fit(X, converted, **params)
        return self

    @available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), "predict"))
    def predict(self, X: Any) -> Any:
        """Return the tags of each sentence, in the scheme `target`.

        Parameters
        ----------
        X : sequence of shape (n_sentences,)
            The sentences.

        Returns
        -------
        y : sequence of sequences of str
            The predicted tags of each sentence.
        """
        check_is_fitted(self)
        return self.estimator_.predict(X)

    @property
    def classes_(self) -> Any:
        """The tags known to the fitted tagger."""
        return self.estimator_.classes_

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the router from `fit` to the tagger's `fit`."""
        return MetadataRouter(owner=type(self).__name__).add(
            estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit")
        )
