"""One record of a log, and the score, the id and the group that it tells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

import pandas as pd

from skbayeseval._arrays import in_short, in_words, wrong

# Scores that are words, in any case.
WORDS = {"pass": 1.0, "fail": 0.0, "correct": 1.0, "incorrect": 0.0, "yes": 1.0, "no": 0.0}

# Stands for the score of a sample that its log calls failed, or did not score.
UNSCORED = object()

# Stands for a score of which a sample has several values, or of which the name means several.
AMBIGUOUS = object()


class Record(NamedTuple):
    """One record.

    Attributes
    ----------
    kind : str
        What a record of this file is called, such as "line" or "row" (below a header).
    number : int
        The number of the record in the file, from 1.
    path : str
        The file.
    values : mapping of str to object
        What it contains, by name. In CSV tables, all is text, and None where a cell is empty.
    more : mapping of str to object
        What it says about its item, which may be asked for as well.
    id : str or None
        The name of the ids, where the format has one.
    scores : sequence of str or None
        The names of what may be the score, where the format tells.
    document : str or None
        The name of what tells whether items with the same id are the same.
    filter : str
        To which of several parts of the file it belongs.
    run : object
        Which run of its item it is; None where the format does not number runs.
    task : str
        The task, where several are read together.
    model : str
        The model or provider that was tested, where the format tells.
    """

    kind: str
    number: int
    path: str
    values: Mapping[str, Any]
    more: Mapping[str, Any] = {}
    id: str | None = None
    scores: Sequence[str] | None = None
    document: str | None = None
    filter: str = "none"
    run: Any = None
    task: str = ""
    model: str = ""

    @property
    def where(self) -> str:
        """Where the record is, such as "line 3 of grades.jsonl"."""
        return f"{self.kind} {self.number} of {self.path}"

    @property
    def columns(self) -> list[str]:
        """The names of all that it contains."""
        return list(dict.fromkeys([*self.values, *self.more]))

    def value(self, column: str, known: Sequence[str] | None = None) -> Any:
        """Return what the record has under a name; the error tells the names that are known."""
        if column in self.values or column in self.more:
            return self.get(column)
        has = in_words(self.columns if known is None else known, column)
        raise ValueError(f"{self.where} has no {column!r}. It has {has}.")

    def get(self, column: str) -> Any:
        """Return what the record has under a name; None if it has nothing."""
        return self.values.get(column, self.more.get(column))

    def text(self, column: str) -> str:
        """Return an id or a group as text: 7 and "7" are the same, in JSON and in tables."""
        value = self.value(column)
        # Larger floats stand for several whole numbers.
        is_whole_float = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
        is_whole = isinstance(value, Decimal) and value.is_finite() and value == int(value)
        if is_whole_float or is_whole:
            value = int(value)
        if isinstance(value, (str, int, UUID)) and str(value).strip():
            return str(value)
        raise ValueError(
            f"{column!r} must be a text or a whole number, got {in_short(value)} in {self.where}."
        )

    def run_number(self) -> int:
        """Return the number of the run, or that of the record."""
        if self.run is None:
            return self.number
        if not isinstance(self.run, int) or abs(self.run) > 2**53:
            raise wrong(f"The run of {self.where}", "a whole number", self.run)
        return self.run

    def score(self, column: str) -> float:
        """Return a finite number; NaN if there is no score: null, NaN or an empty cell."""
        value = self.value(column, self.scores)
        if value is AMBIGUOUS:
            raise ValueError(
                f"{column!r} has several values in {self.where}, or is the name of several scores."
            )
        if is_missing(value):
            return math.nan
        number = WORDS.get(str(value).lower(), as_number(value))
        if number is None or not math.isfinite(number):
            raise ValueError(
                f"{column!r} must be a finite number, true or false, pass or fail, correct or "
                f"incorrect, yes or no, got {in_short(value)} in {self.where}."
            )
        return number


def is_missing(value: Any) -> bool:
    """Return whether there is no score: the log says so, or it is null, NaN or an empty cell."""
    if isinstance(value, str):
        return value.strip().lower() in ("", "nan")
    return value is UNSCORED or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def as_number(value: Any) -> float | None:
    """Return the number that a value is, or that the text of a table's cell means."""
    if isinstance(value, str):
        if value.lower() in ("true", "false"):
            return float(value.lower() == "true")
        try:
            return None if "_" in value else float(value)  # to Python, 1_0 is 10
        except ValueError:
            return None
    try:
        return float(value) if isinstance(value, (bool, int, float, Decimal)) else None
    except OverflowError:  # a whole number beyond all floats
        return math.inf
