"""Taggers on CoNLL-2003 (Wang and Li 2019, section 4.2 and 4.3): sentences, features, CRFs."""

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
)
from skbayeseval.sequences.frequencies import chunk_frequencies
from skbayeseval.sequences.tags import convert_tags

__all__ = ["Corpus", "compare_tag_sets", "features", "read_corpus"]

METRICS = ("precision", "recall", "f1")
WINDOW = 2


class Corpus(NamedTuple):
    """Sentences: what is known of each token, and its tags in IOB2."""

    X: list[list[list[str]]]
    y: list[list[str]]


def read_corpus(path: str | Path) -> Corpus:
    """Read a file in the format of the CoNLL-2003 task: word, part of speech, ..., IOB1 tag.

    Parameters
    ----------
    path : str or path
        The training part, or the folder that has it as ``eng.train``.

    Returns
    -------
    corpus : Corpus
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
                f"{path}, line {number}: a word, its part of speech and its tag were expected."
            )
        else:
            sentences[-1].append([columns[0], columns[1], columns[-1]])
    words, speech, tags = (
        [[token[column] for token in sentence] for sentence in sentences if sentence]
        for column in range(3)
    )
    if not tags:
        raise ValueError(f"{path} holds no sentences.")
    X = [features(*sentence) for sentence in zip(words, speech, strict=True)]
    return Corpus(X, convert_tags(tags, "IOB1", "IOB2", name="tags"))


def features(words: Sequence[str], speech: Sequence[str]) -> list[list[str]]:
    """Return the features of each token, the paper's.

    They are one, two and three neighbouring words, and the same of parts of speech, in a window
    from two before the token to two after it.

    Parameters
    ----------
    words, speech : sequence of str
        The words of a sentence and their parts of speech.

    Returns
    -------
    features : list of lists of str
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
    """Compare CRFs that learn IOB2 with CRFs that learn IOBES, by 3 x 2 BCV.

    Parameters
    ----------
    corpus : Corpus
        The sentences.
    task : {"NER", "ORG"}
        "NER" asks for the boundaries of all entities, whatever their type, "ORG" for
        organisations only; a tagger is trained for the task alone.
    max_iterations : int, default=100
        Of the optimiser.
    verbose : int, default=0
        1 shows progress over the twelve fits.

    Returns
    -------
    result : ComparisonResult
        Paired; A learns IOB2.
    """
    try:
        from sklearn_crfsuite import CRF
    except ImportError:
        raise ImportError(
            "The taggers need sklearn-crfsuite: pip install 'skbayeseval[chunks]'"
        ) from None
    # The paper does not tell how its CRFs were trained. This c2 is what CRF++ has by default.
    crf = CRF(algorithm="lbfgs", c2=0.5, max_iterations=max_iterations)
    # Blocks that agree in the frequencies of all four types, the same for both tasks.
    types = chunk_frequencies(corpus.y, "IOB2")
    return bayesian_cross_validate(
        ("IOB2", crf),
        ("IOBES", ConvertTags(crf, "IOB2", "IOBES")),
        corpus.X,
        [[_of_task(tag, task) for tag in tags] for tags in corpus.y],
        scoring=list(METRICS),
        cv=BlockRegularizedCV(regularize=types, random_state=0),
        counter=chunk_counter("IOB2", "IOBES"),
        verbose=verbose,
        random_state=0,
    )


def _of_task(tag: str, task: str) -> Any:
    if task == "ORG":
        return tag if tag.endswith("-ORG") else "O"
    return tag if tag == "O" else f"{tag[0]}-NE"
