"""Taggers on CoNLL-2003 (Wang and Li 2019, sections 4.2 and 4.3): sentences, features, CRFs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from skbayeseval import (
    BlockRegularizedCV,
    ComparisonResult,
    ConvertTags,
    bayesian_cross_validate,
    chunk_counter,
    models,
)
from skbayeseval.sequences.frequencies import chunk_frequencies
from skbayeseval.sequences.tags import convert_tags

__all__ = ["Corpus", "compare_tag_sets", "features", "read_corpus"]

METRICS = ("precision", "recall", "f1")
WINDOW = 2


class Corpus(NamedTuple):
    """Sentences, as the features and the IOB2 tag of each token."""

    X: list[list[list[str]]]
    y: list[list[str]]


def read_corpus(path: str | Path) -> Corpus:
    """Read a file in the format of CoNLL-2003: word, part of speech, ..., IOB1 tag.

    Parameters
    ----------
    path : str or path
        The file with the training part, or the folder that contains it as ``eng.train``.

    Returns
    -------
    corpus : Corpus
        The features and tags of the sentences.
    """
    path = Path(path)
    path = path / "eng.train" if path.is_dir() else path
    sentences: list[list[list[str]]] = [[]]
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        columns = line.split()
        if not columns or columns[0] == "-DOCSTART-":
            sentences.append([])
        elif len(columns) < 3:
            raise ValueError(
                f"{path}, line {number}: expected a word, its part of speech and its tag."
            )
        else:
            sentences[-1].append([columns[0], columns[1], columns[-1]])
    words, speech, tags = (
        [[token[column] for token in sentence] for sentence in sentences if sentence]
        for column in range(3)
    )
    if not tags:
        raise ValueError(f"{path} contains no sentences.")
    X = [features(*sentence) for sentence in zip(words, speech, strict=True)]
    return Corpus(X, convert_tags(tags, "IOB1", "IOB2", name="tags"))


def features(words: Sequence[str], speech: Sequence[str]) -> list[list[str]]:
    """Return the features of each token, as in the paper.

    They are the unigrams, bigrams and trigrams of words and of parts of speech, in a window from
    two tokens before the token to two tokens after it.

    Parameters
    ----------
    words, speech : sequence of str
        The words of a sentence and their parts of speech.

    Returns
    -------
    features : list of lists of str
        The features of each token.
    """
    return [[*_ngrams("w", words, i), *_ngrams("p", speech, i)] for i in range(len(words))]


def _ngrams(mark: str, values: Sequence[str], i: int) -> Iterator[str]:
    window = [
        values[k] if 0 <= k < len(values) else ("<s>" if k < 0 else "</s>")
        for k in range(i - WINDOW, i + WINDOW + 1)
    ]
    for size in (1, 2, 3):
        for start in range(len(window) - size + 1):
            yield f"{mark}{start - WINDOW}={'|'.join(window[start : start + size])}"


def compare_tag_sets(
    corpus: Corpus, task: str, *, max_iterations: int = 100, verbose: int = 0
) -> ComparisonResult:
    """Compare CRFs trained on IOB2 with CRFs trained on IOBES, by 3 x 2 BCV.

    Parameters
    ----------
    corpus : Corpus
        The sentences.
    task : {"NER", "ORG"}
        "NER" means the boundaries of all entities, regardless of type; "ORG" means organisations
        only. Each task has its own taggers.
    max_iterations : int, default=100
        The maximum number of iterations of the optimiser.
    verbose : int, default=0
        1 shows progress over the twelve fits.

    Returns
    -------
    result : ComparisonResult
        The paired comparison; A is trained on IOB2.
    """
    try:
        from sklearn_crfsuite import CRF
    except ImportError:
        raise ImportError(
            "The taggers need sklearn-crfsuite: pip install 'skbayeseval[chunks]'"
        ) from None
    # The paper does not state how its CRFs were trained. This c2 corresponds to the CRF++ default.
    crf = CRF(algorithm="lbfgs", c2=0.5, max_iterations=max_iterations)
    # The blocks balance the frequencies of all four entity types, and are the same for both tasks.
    types = chunk_frequencies(corpus.y, "IOB2")
    return bayesian_cross_validate(
        ("IOB2", crf),
        ("IOBES", ConvertTags(crf, "IOB2", "IOBES")),
        corpus.X,
        [[_of_task(tag, task) for tag in tags] for tags in corpus.y],
        scoring=list(METRICS),
        model=models.PairedChunks(),
        cv=BlockRegularizedCV(regularize=types, random_state=0),
        counter=chunk_counter("IOB2", "IOBES"),
        weight="published",
        verbose=verbose,
        random_state=0,
    )


def _of_task(tag: str, task: str) -> Any:
    if task == "ORG":
        return tag if tag.endswith("-ORG") else "O"
    return tag if tag == "O" else f"{tag[0]}-NE"
