"""Files of tagged sentences in the format of the CoNLL shared tasks."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import NamedTuple

__all__ = ["TaggedFile", "read_conll"]

# The line between documents, which is no token.
DOCUMENT = "-DOCSTART-"


class TaggedFile(NamedTuple):
    """The sentences of a file.

    Attributes
    ----------
    tokens : list of list of list of str
        The columns of each token but the last, per sentence.
    tags : list of list of str
        The last column, per sentence.
    """

    tokens: list[list[list[str]]]
    tags: list[list[str]]


def read_conll(path: str | PathLike[str]) -> TaggedFile:
    r"""Read a file with one token per line, its tag in the last column, and empty lines between.

    Parameters
    ----------
    path : str or path-like
        The file, in UTF-8; columns are separated by spaces or tabs.

    Returns
    -------
    sentences : TaggedFile

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from skbayeseval.sequences.conll import read_conll
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "gold.conll"
    ...     _ = path.write_text("Ada B-PER\nsleeps O\n\nRome B-LOC\n")
    ...     read_conll(path).tags
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
    return TaggedFile(
        [[token[:-1] for token in sentence] for sentence in found],
        [[token[-1] for token in sentence] for sentence in found],
    )
