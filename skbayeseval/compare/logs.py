"""Read one score per item from the logs of evaluation harnesses: `read_samples`."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import math
import os
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import IO, Any, NamedTuple

import numpy as np
import pandas as pd

from skbayeseval._arrays import in_short, wrong
from skbayeseval._files import check_path, text_table_in_parts
from skbayeseval._validation import UnlikelyDataWarning, check_flag

GZIP = b"\x1f\x8b"

# Names that can only be those of items.
ID_COLUMNS = (
    "id", "doc_id", "item_id", "question_id", "example_id", "sample_id", "task_id", "item",
)  # fmt: skip

# By what lm-evaluation-harness tells whether documents are the same.
DOCUMENT = "doc_hash"

# What lm-evaluation-harness logs of each document besides its metrics.
LOG_COLUMNS = frozenset(
    (
        "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
        "doc_hash", "prompt_hash", "target_hash",
    )
)  # fmt: skip


class _Record(NamedTuple):
    """One record.

    Attributes
    ----------
    kind : str
        What a record of this file is called: "line", "element" (of an array) or "row" (below the
        header of a table).
    number : int
        The number of the record in the file, from 1.
    path : str
        The file.
    values : dict of str to object
        What it contains, by name. In tables, all is text, and None where a cell is empty.
    """

    kind: str
    number: int
    path: str
    values: dict[str, Any]

    @property
    def where(self) -> str:
        """Where the record is, such as "line 3 of grades.jsonl"."""
        return f"{self.kind} {self.number} of {self.path}"

    @property
    def is_log(self) -> bool:
        """Whether lm-evaluation-harness wrote it."""
        return "doc_id" in self.values and not {"resps", "filtered_resps"}.isdisjoint(self.values)

    @property
    def all_values(self) -> dict[str, Any]:
        """What it contains, and what the document of a log does."""
        document = self.values.get("doc")
        return self.values | {
            name: value
            for name, value in (document if isinstance(document, dict) else {}).items()
            if name not in self.values
        }

    def value(self, column: str) -> Any:
        """Return what the record has under a name."""
        values = self.all_values
        if column not in values:
            raise ValueError(f"{self.where} has no {column!r}. It has {', '.join(values)}.")
        return values[column]

    def text(self, column: str) -> str:
        """Return an id or a group as text: 7 and "7" are the same, in JSON and in tables."""
        value = self.value(column)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, (str, int)) and str(value).strip():
            return str(value)
        raise ValueError(
            f"{column!r} must be a text or a whole number, got {in_short(value)} in {self.where}."
        )

    def score(self, column: str) -> float:
        """Return a finite number."""
        value = self.value(column)
        number = _as_number(value)
        if number is None or not math.isfinite(number):
            raise ValueError(
                f"{column!r} must be a finite number, true or false, got {in_short(value)} in "
                f"{self.where}."
            )
        return number

    def the_only(self, option: str, known: list[str], what: str, none: str) -> str:
        """Return the only column that may be meant."""
        if len(known) != 1:
            why = f"any of {', '.join(known)} may be it" if known else none
            raise ValueError(
                f"{option}= must say which column of {self.path} {what}, because {why}. The "
                f"columns are {', '.join(self.all_values)}."
            )
        return known[0]


def _read_records(path: str | PathLike[str], name: str) -> Iterator[_Record]:
    """Yield the records of a file in UTF-8, which may be compressed by gzip.

    JSON is told from tables by the first character. Only arrays are in memory as a whole.
    """
    with open(path, "rb") as file:
        raw: IO[bytes] = file if file.seekable() else io.BytesIO(file.read())  # a pipe
        is_compressed = raw.read(len(GZIP)) == GZIP
        raw.seek(0)
        unpacked: Any = gzip.GzipFile(fileobj=raw) if is_compressed else raw
        text = io.TextIOWrapper(unpacked, encoding="utf-8-sig")
        try:
            characters = iter(lambda: text.read(1), "")
            first = next((character for character in characters if character.strip()), "")
            text.seek(0)
            if first in ("{", "["):
                yield from _objects(text, name, is_array=first == "[")
            elif first:
                yield from _rows(text, name)
        except UnicodeDecodeError as error:
            raise ValueError(f"{name} is not a text file in UTF-8: {error}.") from error
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{name} is a damaged gzip file: {error}") from error


def _objects(text: IO[str], name: str, *, is_array: bool) -> Iterator[_Record]:
    """Yield the elements of a JSON array, or one object per line."""
    kind = "element" if is_array else "line"
    found: Iterable[Any] = _parsed(text.read(), name) if is_array else text
    for number, values in enumerate(found, start=1):
        where = f"{kind} {number} of {name}"
        if not is_array:
            if not values.strip():
                continue
            values = _parsed(values, where)
        if not isinstance(values, dict):
            raise wrong(where, "a JSON object, such as {'id': 1, 'score': 0.5}", values)
        yield _Record(kind, number, name, values)


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where} is not valid JSON: {error}") from error


def _rows(text: IO[str], name: str) -> Iterator[_Record]:
    """Yield the rows of a table below its header."""
    header: list[str] = []
    number = 0
    for part in text_table_in_parts(text, name, n_rows=1_000):  # cells may be long
        cells = part.astype(object).where(part.notna(), None)
        for row in cells.itertuples(index=False, name=None):
            if header:
                number += 1
                yield _Record("row", number, name, dict(zip(header, row, strict=True)))
                continue
            header = ["" if cell is None else cell for cell in row]
            twice = [column for i, column in enumerate(header) if column in header[:i]]
            if twice:
                raise ValueError(
                    f"{name} has more than one column {twice[0]!r}: {', '.join(header)}."
                )


@dataclass(frozen=True, eq=False, repr=False)
class Samples:
    r"""One score per item, and the groups of items, as `read_samples` found them.

    Attributes
    ----------
    scores : Series of shape (n_items,) or DataFrame of shape (n_items, n_runs)
        The scores, by the ids of the items, which are text.
    groups : Series of shape (n_items,) or None
        The group of each item, by the ids of the items; None unless asked for.
    score : str
        The name of the score.
    guessed : bool
        Whether this is the score because it is the only one in the file.
    source : str
        The file.
    documents : Series of shape (n_items,) or None
        The hash of the document of each item, by the ids of the items, where lm-evaluation-harness
        logged it and numbers of documents are the ids.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from skbayeseval import read_samples
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "grades.csv")
    ...     _ = path.write_text("id,grade,text\n7,4,x\n8,2,x\n9,3,y\n")
    ...     samples = read_samples(path, group="text")
    >>> samples.scores.to_dict()
    {'7': 4.0, '8': 2.0, '9': 3.0}
    >>> samples.groups.to_dict()
    {'7': 'x', '8': 'x', '9': 'y'}
    """

    scores: pd.Series[Any] | pd.DataFrame
    groups: pd.Series[Any] | None
    score: str
    guessed: bool = False
    source: str = ""
    documents: pd.Series[Any] | None = None

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        runs = f", {self.scores.shape[1]} runs" if self.scores.ndim == 2 else ""
        groups = "" if self.groups is None else f", {self.groups.nunique()} groups"
        return f"Samples({len(self)} items{runs}{groups}, score={self.score!r})"


def read_samples(
    path: str | PathLike[str],
    *,
    score: str | None = None,
    id: str | None = None,  # noqa: A002
    group: str | None = None,
    filter: str | None = None,  # noqa: A002
    runs: bool = False,
) -> Samples:
    r"""Read one score per item from a log, for `compare_items` and `compare_many_items`.

    Files are the logs of samples that lm-evaluation-harness writes with ``--log_samples``, other
    JSON Lines with one object per line, or CSV tables with a header, separated by commas, tabs or
    semicolons; in UTF-8, and compressed by gzip or not. They are read line by line, and only what
    is asked for is kept.

    Parameters
    ----------
    path : str or path-like
        The file.
    score : str, default=None
        The name of the score, which is a number, or true or false. By default the only one that
        there is, or a column that is called "score".
    id : str, default=None
        The name of the ids of items, by which the items of several files are matched. By default
        "doc_id" in logs of lm-evaluation-harness, and otherwise the only column with a name such as
        "id". "doc_hash" matches the documents of these logs by what they contain. Ids are compared
        as text.
    group : str, default=None
        The name of what items belong to, such as a subject or a text: groups are then the unit of
        the evidence. In logs of lm-evaluation-harness, a column of the data set will do.
    filter : str, default=None
        Which of several filters of lm-evaluation-harness to read, such as "strict-match".
    runs : bool, default=False
        Whether an id that occurs more than once means further runs of this item. By default it is
        an error.

    Returns
    -------
    samples : Samples
        `compare_items` and `compare_many_items` match samples by their ids, and use their groups.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from skbayeseval import compare_items, read_samples
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, right in (("new", [1, 1, 1, 0, 1, 1]), ("old", [1, 0, 1, 0, 0, 1])):
    ...         lines = [json.dumps({"doc_id": i, "acc": x}) for i, x in enumerate(right)]
    ...         _ = pathlib.Path(folder, f"{name}.jsonl").write_text("\n".join(lines))
    ...     new = read_samples(f"{folder}/new.jsonl")
    ...     old = read_samples(f"{folder}/old.jsonl")
    >>> new
    Samples(6 items, score='acc')
    >>> result = compare_items(new, old, names=("new", "old"), random_state=0)
    >>> round(result.observed_a - result.observed_b, 3)
    0.333
    """
    name = check_path(path)
    records = _read_records(path, name)
    runs = check_flag(runs, "runs")
    first = next(records, None)
    if first is None:
        raise ValueError(f"{name} contains no samples.")
    id = _id_column(first) if id is None else id  # noqa: A001
    guessed = score is None
    score = _score_column(first, {id, group}) if score is None else score
    rows: list[tuple[Any, ...]] = []
    filters: set[str] = set()
    for record in itertools.chain([first], records):
        filters.add(str(record.values.get("filter", "none")))
        if filter is None or str(record.values.get("filter", "none")) == filter:
            rows.append(
                (
                    record.text(id),
                    record.score(score),
                    None if group is None else record.text(group),
                    record.values.get(DOCUMENT) if id == "doc_id" else None,
                    record.number,
                )
            )
    if filter is None and len(filters) > 1:
        raise ValueError(
            f"filter= must say which samples of {name} to read, which has several filters: "
            f"{', '.join(sorted(filters))}."
        )
    if filter is not None and filter not in filters:
        raise ValueError(
            f"filter={filter!r} is not in {name}, whose filters are: {', '.join(sorted(filters))}."
        )
    table = pd.DataFrame(rows, columns=["id", "score", "group", "document", "number"])
    index = pd.Index(table["id"].to_numpy(), name=id)
    run = table.groupby("id", sort=False).cumcount().to_numpy()
    if not runs and run.any():
        item = table["id"][int(np.argmax(run > 0))]
        one, again = table["number"][table["id"] == item][:2]
        raise ValueError(
            f"{id} {item!r} occurs more than once in {name}, in {first.kind}s {one} and {again}. "
            "Pass runs=True if these are runs of the same item. (Logs of older versions of "
            "lm-evaluation-harness have one line per filter and do not name the filter: keep the "
            "lines of one.)"
        )
    once = run == 0
    groups = None
    if group is not None:
        groups = pd.Series(table["group"].to_numpy()[once], index[once], name=group)
        differ = np.flatnonzero(table["group"].to_numpy() != groups[table["id"]].to_numpy())
        if len(differ):
            item, other = table.loc[differ[0], ["id", "group"]]
            raise ValueError(
                f"{name} has several values of {group!r} for item {item!r}: {groups[item]!r} and "
                f"{other!r}."
            )
    documents = None
    if table["document"].notna().any():
        documents = pd.Series(table["document"].to_numpy()[once], index[once], name=DOCUMENT)
    code, items = pd.factorize(index)
    values = np.full((len(items), run.max() + 1), np.nan)
    values[code, run] = table["score"].to_numpy()
    values.flags.writeable = False
    frame = pd.DataFrame(values, index=items.rename(id), copy=False)
    scores = frame if runs else frame[0].rename(score)
    return Samples(scores, groups, score, guessed, os.path.abspath(path), documents)


def check_same_score(given: Iterable[Any]) -> None:
    """Raise if samples have different scores and this was not asked for."""
    samples = [one for one in given if isinstance(one, Samples)]
    scores = list(dict.fromkeys(one.score for one in samples))
    if len(scores) > 1 and any(one.guessed for one in samples):
        raise ValueError(
            f"The samples have different scores: {', '.join(scores)}. Pass score= to read_samples."
        )


def check_same_documents(given: Mapping[str, Any]) -> None:
    """Raise if items with the same id are different documents; warn if a log was read twice."""
    samples = {name: one for name, one in given.items() if isinstance(one, Samples)}
    for (name, one), (other, another) in itertools.combinations(samples.items(), 2):
        same = np.array_equal(one.scores.to_numpy(), another.scores.to_numpy(), equal_nan=True)
        if same and one.source and one.source == another.source:
            warnings.warn(
                f"{name} and {other} are the same scores, read from the same file, {one.source}.",
                UnlikelyDataWarning,
                stacklevel=4,
            )
        if one.documents is None or another.documents is None:
            continue
        hashes, others = one.documents.align(another.documents, join="inner")
        differ = hashes.index[hashes.notna() & others.notna() & (hashes != others)]
        if len(differ):
            few = ", ".join(map(repr, differ[:3].tolist()))
            raise ValueError(
                f"{name} and {other} are about different documents: {len(differ)} of "
                f"{len(hashes)} items with the same doc_id have another {DOCUMENT}, such as {few}. "
                f"Were both made with the same task and the same data? Pass id={DOCUMENT!r} to "
                "read_samples to match documents by what they contain, or id= with another column "
                "that identifies them."
            )


def groups_of_samples(given: Iterable[Any]) -> pd.Series[Any] | None:
    """Return the groups of all items of samples; None if unknown."""
    known = [one.groups for one in given if isinstance(one, Samples) and one.groups is not None]
    if not known:
        return None
    groups, *others = known
    for other in others:
        first, again = groups.align(other, join="inner")
        differ = first.index[first.to_numpy() != again.to_numpy()]
        if len(differ):
            item = differ[0]
            raise ValueError(
                f"The samples have different groups for {len(differ)} items: item {item!r} is in "
                f"{first[item]!r} and in {again[item]!r}."
            )
        groups = pd.concat([groups, other[~other.index.isin(groups.index)]])
    return groups


def _as_number(value: Any) -> float | None:
    """Return the number that a value is, or that the text of a table's cell means."""
    if isinstance(value, str):
        if value.lower() in ("true", "false"):
            return float(value.lower() == "true")
        try:
            return float(value)
        except ValueError:
            return None
    try:
        return float(value) if isinstance(value, (bool, int, float)) else None
    except OverflowError:  # a whole number beyond all floats
        return math.inf


def _id_column(record: _Record) -> str:
    known = [column for column in ID_COLUMNS if column in record.values]
    if record.is_log:
        return "doc_id"
    return record.the_only("id", known, "has the ids of items", "none has a usual name")


def _score_column(record: _Record, taken: set[str | None]) -> str:
    values = record.values
    names: Iterable[str] = values
    if record.is_log and isinstance(values.get("metrics"), list):
        names = [name for name in values if name in values["metrics"]]
    # What is missing here may be a number elsewhere.
    known = [
        name
        for name in names
        if name not in {*taken, *LOG_COLUMNS, *ID_COLUMNS}
        and (values[name] is None or _as_number(values[name]) is not None)
    ]
    if "score" in known and not record.is_log:
        return "score"
    return record.the_only("score", known, "is the score", "none is a number")
