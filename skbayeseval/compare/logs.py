"""Read one score per item from the logs of evaluation harnesses: `read_samples`."""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval._arrays import in_words, wrong
from skbayeseval._files import check_path
from skbayeseval.compare.log_formats import (
    AMBIGUOUS,
    WORDS,
    Record,
    as_number,
    is_missing,
    model_beside,
    read_records,
)

# Names that can only be those of items.
ID_COLUMNS = (
    "id", "doc_id", "item_id", "question_id", "example_id", "sample_id", "task_id", "item",
)  # fmt: skip


# What is kept of a record.
COLUMNS = ["id", "score", "group", "document", "number", "run", "human"]


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
        The file, and which part of it; "" if there is none.
    documents : Series of shape (n_items,) or None
        What tells whether items with the same id are the same, by the ids of the items, where it is
        known: the hash of the document (lm-evaluation-harness), or the input (Inspect).
    human : Series of shape (n_graded,) or None
        The grades of people, by the ids of the items that have one; None unless asked for.
    model : str
        The model or provider that the log names; "" if it names none.

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
    human: pd.Series[Any] | None = None
    model: str = ""

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        runs = f", {self.scores.shape[1]} runs" if self.scores.ndim == 2 else ""
        groups = "" if self.groups is None else f", {self.groups.nunique()} groups"
        return f"Samples({len(self)} items{runs}{groups}, score={self.score!r})"


def read_samples(
    path: str | PathLike[str] | pd.DataFrame,
    *,
    score: str | None = None,
    id: str | None = None,  # noqa: A002
    group: str | None = None,
    filter: str | None = None,  # noqa: A002
    task: str | None = None,
    runs: bool | str = False,
    human: str | None = None,
) -> Samples:
    r"""Read one score per item from a log, for `compare_items` and `compare_many_items`.

    Formats are told by what is in a file: logs of lm-evaluation-harness (``--log_samples``), of
    Inspect (.eval and JSON), of HELM (per_instance_stats.json) and of promptfoo (JSON), other JSON
    Lines and JSON arrays, CSV tables separated by commas, tabs or semicolons, and Parquet tables.
    Text is in UTF-8, compressed by gzip or not. JSON Lines and tables are read row by row, and only
    what is asked for is kept.

    Parameters
    ----------
    path : str, path-like or DataFrame
        The file; or the folder that lm-evaluation-harness or HELM wrote to; or a data frame with a
        row per item and run.
    score : str, default=None
        The name of the score, which is a number, true or false, or one of Inspect's grades; or
        pass or fail, correct or incorrect, yes or no, which are read as 1 and 0, with a warning
        that says so. By default the only one that there is, or a column that is called "score".
    id : str, default=None
        The name of the ids of items, by which the items of several files are matched. By default
        that of the format (in promptfoo, the variables of the test), and otherwise the only column
        with a name such as "id". "doc_hash" matches the documents of lm-evaluation-harness by what
        they contain. Ids are compared as text.
    group : str, default=None
        The name of what items belong to, such as a subject or a text: groups are then the unit of
        the evidence. A column of the data set, the metadata of a sample or a variable of a test
        will do.
    filter : str, default=None
        Which of several parts of a file to read: the filter of lm-evaluation-harness, such as
        "strict-match", the provider of promptfoo, the split and perturbation of HELM.
    task : str, default=None
        Which task to read from a folder of lm-evaluation-harness, of which the newest log counts. A
        pattern, such as "mmlu_*" or "*", reads several; "task" is then a column.
    runs : bool or {"all", "first", "last"}, default=False
        What an id that occurs more than once means: further runs of this item (True or "all"), or
        retries, of which the first or the last counts. By default it is an error, except for the
        epochs of Inspect, the trials of HELM and the repeated tests of promptfoo, which are
        numbered, and all count as runs.
    human : str, default=None
        The name of the grades that people gave to some of the items, if the score is that of a
        judge which may err. Where there is none, it is missing, empty, null or NaN.

    Returns
    -------
    samples : Samples
        `compare_items` and `compare_many_items` match samples by their ids, and use their groups
        and the grades of people.
        The score is NaN where a sample failed, or was not scored, according to its log, and where
        it is null, NaN or an empty cell: `missing` of `compare_items` says what to do about it.

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
    if isinstance(path, pd.DataFrame):
        name, source = "the data frame", ""
    else:
        name = check_path(path)
        source = os.path.abspath(name) + ("" if filter is None else f" ({filter})")
    if not isinstance(runs, (bool, np.bool_)) and runs not in ("all", "first", "last"):
        raise wrong("runs", "True, False, 'all', 'first' or 'last'", runs)
    records = read_records(path, name, task)
    first = next(records, None)
    if first is None:
        raise ValueError(f"{name} contains no samples.")
    id = _id_column(first) if id is None else id  # noqa: A001
    guessed = score is None
    score = _score_column(first, {id, group, human}) if score is None else score
    document = first.document if id == (first.id or "doc_id") else None
    rows: list[tuple[Any, ...]] = []
    filters: dict[str, str] = {}
    words: dict[str, float] = {}
    for record in itertools.chain([first], records):
        filters[record.filter] = record.model
        if filter not in (None, record.filter):
            continue
        item = record.text(id)
        for word in (record.values.get(score), record.values.get(human)):
            if isinstance(word, str) and word.lower() in WORDS:
                words[word] = WORDS[word.lower()]
        rows.append(
            (
                f"{record.task}/{item}" if record.task else item,
                record.score(score),
                None if group is None else record.text(group),
                record.values.get(document),
                record.number,
                record.run_number(),
                np.nan if record.values.get(human) is None else record.score(human or ""),
            )
        )
    _check_filter(filter, set(filters), name)
    if words:
        read = ", ".join(f"{word!r} as {number:g}" for word, number in sorted(words.items()))
        warnings.warn(f"Scores that are words are read as numbers: {read}.", stacklevel=2)
    table = pd.DataFrame(rows, columns=COLUMNS)
    if not runs:
        _check_runs(table, first, id, name)
    if runs in ("first", "last"):
        attempts = table.groupby("id")["run"]
        kept = 1 if runs == "first" else attempts.transform("size")
        table = table[attempts.rank("first") == kept].reset_index(drop=True)
    by_item = table.groupby("id", sort=False)
    run = by_item["run"].rank("first").to_numpy(np.int64) - 1
    of_items = table[run == 0].set_index(pd.Index(table["id"][run == 0].to_numpy(), name=id))
    groups = documents = grades = None
    if group is not None:
        groups = of_items["group"].rename(group)
        _check_groups(table, groups, name)
    if table["document"].notna().any():
        documents = of_items["document"].rename(document)
    if human is not None:
        grades = by_item["human"].mean().dropna().rename(human)
        if not len(grades):
            raise ValueError(
                f"human={human!r} must name grades of people in {name}, but no sample has "
                f"one. The columns of the first are {in_words(first.values, human)}."
            )
    code, items = pd.factorize(pd.Index(table["id"].to_numpy(), name=id))
    values = np.full((len(items), run.max() + 1), np.nan)
    values[code, run] = table["score"].to_numpy()
    values.flags.writeable = False
    frame = pd.DataFrame(values, index=items.rename(id), copy=False)
    several = runs in (True, "all") or len(frame.columns) > 1
    scores = frame if several else frame[0].rename(score)
    model = filters[first.filter if filter is None else filter] or model_beside(first.path)
    return Samples(scores, groups, score, guessed, source, documents, grades, model)


def models_of_log(path: str | PathLike[str], task: str | None = None) -> dict[str, str]:
    """Return the parts of a log that `filter` chooses from, and the model of each."""
    records = read_records(path, check_path(path), task)
    return {record.filter: record.model for record in records}


def names_of_models(samples: Sequence[Any], names: Sequence[str]) -> list[str]:
    """Return the models that samples name; the other names if these do not tell them apart.

    Those that share a model with some have the other name as well.
    """
    models = [getattr(one, "model", "") for one in samples]
    if not all(models) or len(set(models)) == 1:
        return list(names)
    called = [
        model if models.count(model) == 1 else f"{model} ({name})"
        for model, name in zip(models, names, strict=True)
    ]
    return called if len(set(called)) == len(called) else list(names)


def _check_runs(table: pd.DataFrame, first: Record, id: str, name: str) -> None:  # noqa: A002
    """Raise if an item occurs more than once, other than in runs that its format numbers."""
    same = ["id"] if first.run is None else ["id", "run"]
    repeated = table[table.duplicated(same, keep=False)]
    if len(repeated):
        (item, *_), (once, again, *_) = next(iter(repeated.groupby(same, sort=False)["number"]))
        raise ValueError(
            f"{id} {item!r} occurs more than once in {name}, in {first.kind}s {once} and {again}. "
            "Pass runs='all' if these are runs of the same item, to be averaged, or, if they are "
            "retries, runs='first' or runs='last' to keep one. (Logs of older versions of "
            "lm-evaluation-harness have one line per filter and do not name the filter: keep the "
            "lines of one.)"
        )


def _check_groups(table: pd.DataFrame, groups: pd.Series[Any], name: str) -> None:
    """Raise if the runs of an item are in several groups."""
    differ = np.flatnonzero(table["group"].to_numpy() != groups[table["id"]].to_numpy())
    if len(differ):
        item, other = table.iloc[differ[0]][["id", "group"]]
        raise ValueError(
            f"{name} has several values of {groups.name!r} for item {item!r}: {groups[item]!r} and "
            f"{other!r}."
        )


def _check_filter(filter: str | None, filters: set[str], name: str) -> None:  # noqa: A002
    """Raise if it is not known which part of a file is meant."""
    known = in_words(sorted(filters), filter or "")
    if filter is None and len(filters) > 1:
        raise ValueError(
            f"filter= must say which samples of {name} to read, which has several filters: {known}."
        )
    if filter is not None and filter not in filters:
        raise ValueError(f"filter={filter!r} is not in {name}, whose filters are: {known}.")


def check_same_score(samples: Sequence[Samples]) -> None:
    """Raise if samples have different scores and this was not asked for."""
    scores = list(dict.fromkeys(sample.score for sample in samples))
    if len(scores) > 1 and any(sample.guessed for sample in samples):
        raise ValueError(
            f"The samples have different scores: {', '.join(scores)}. Pass score=, a name that all "
            "of them have, when they are read; or rename a column, if these mean the same."
        )


def check_same_documents(samples: Mapping[str, Samples]) -> None:
    """Raise if items with the same id are different documents."""
    for (name, one), (other, another) in itertools.combinations(samples.items(), 2):
        if one.documents is None or another.documents is None:
            continue
        hashes, others = one.documents.align(another.documents, join="inner")
        differ = hashes.index[hashes.notna() & others.notna() & (hashes != others)]
        if len(differ):
            few = ", ".join(map(repr, differ[:3].tolist()))
            raise ValueError(
                f"{name} and {other} are about different documents: {len(differ)} of "
                f"{len(hashes)} items with the same {hashes.index.name} have another "
                f"{hashes.name}, such as {few}. Were both made with the same task and the same "
                f"data? Pass id={hashes.name!r} to read_samples to match documents by what they "
                "contain, or id= with another column that identifies them."
            )


def groups_of_samples(samples: Iterable[Samples]) -> pd.Series[Any] | None:
    """Return the groups of all items of samples; None if unknown."""
    known = [one.groups for one in samples if one.groups is not None]
    if not known:
        return None
    every = pd.concat(known)
    groups = every[~every.index.duplicated()]
    differ = np.flatnonzero(every.to_numpy() != groups[every.index].to_numpy())
    if len(differ):
        item = every.index[differ[0]]
        raise ValueError(
            f"The samples have different groups for {every.index[differ].nunique()} items: item "
            f"{item!r} is in {groups[item]!r} and in {every.iloc[differ[0]]!r}."
        )
    return groups


def _id_column(record: Record) -> str:
    known = [column for column in ID_COLUMNS if column in record.values]
    return record.id or _the_only(
        record, "id", known, "has the ids of items", "none has a usual name"
    )


def _score_column(record: Record, taken: set[str | None]) -> str:
    # What is missing here may be a number elsewhere.
    names = [name for name in record.scores if name not in {*taken, *ID_COLUMNS}]
    values = {name: record.values[name] for name in names}
    no_numbers = all(as_number(value) is None for value in values.values())
    known = [
        name
        for name, value in values.items()
        if value is AMBIGUOUS
        or is_missing(value)
        or as_number(value) is not None
        or (no_numbers and str(value).lower() in WORDS)
    ]
    if "score" in known and record.id != "doc_id":
        return "score"
    return _the_only(record, "score", known, "is the score", "none is a number")


def _the_only(record: Record, option: str, known: list[str], what: str, none: str) -> str:
    """Return the only column that may be meant."""
    if len(known) != 1:
        why = f"any of {in_words(known)} may be it" if known else none
        raise ValueError(
            f"{option}= must say which column of {record.path} {what}, because {why}. The columns "
            f"are {in_words(record.values, option)}."
        )
    return known[0]
