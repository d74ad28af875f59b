"""Records of logs, and their formats, each a function that yields records: `read_records`.

Formats are told by what is in a file, not by its name. Lines and rows are read one by one; other
JSON is in memory as a whole. Archives are read in memory, so that no path in them is ever used, and
what they unpack to is bounded.
"""

from __future__ import annotations

import fnmatch
import glob
import gzip
import io
import json
import lzma
import math
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import IO, Any, NamedTuple
from uuid import UUID

import pandas as pd

from skbayeseval._arrays import counts_from_zero, in_short, in_words, wrong
from skbayeseval._tables import (
    check_different,
    columns_of_parquet,
    connected,
    text_table_in_parts,
)

# What lm-evaluation-harness logs of each document besides its metrics.
LOG_COLUMNS = frozenset(
    (
        "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
        "doc_hash", "prompt_hash", "target_hash",
    )
)  # fmt: skip

# Compressed files may unpack to this many bytes, or to so many times their own size if this is
# more. Logs in which a long prompt is repeated shrink to a hundredth.
MOST_BYTES = 2**30
MOST_TIMES = 200

GZIP, ZIP, EMPTY_ZIP, PARQUET = b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06", b"PAR1"
ZSTANDARD = 93  # the number of this method in zip archives

# What damaged archives raise, and archives with passwords.
DAMAGED = (
    EOFError, NotImplementedError, OverflowError, RuntimeError, gzip.BadGzipFile, lzma.LZMAError,
    struct.error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


# Scores that are words, in any case.
WORDS = {"pass": 1.0, "fail": 0.0, "correct": 1.0, "incorrect": 0.0, "yes": 1.0, "no": 0.0}

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
        What it contains, and what it says about its item, by name. In CSV tables, all is text, and
        None where a cell is empty.
    scores : sequence of str
        The names of what may be the score.
    id : str or None
        The name of the ids, where the format has one.
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
    values: Mapping[Any, Any]
    scores: Sequence[str]
    id: str | None = None
    document: str | None = None
    filter: str = "none"
    run: Any = None
    task: str = ""
    model: str = ""

    @property
    def where(self) -> str:
        """Where the record is, such as "line 3 of grades.jsonl"."""
        return f"{self.kind} {self.number} of {self.path}"

    def value(self, column: str, known: Iterable[str]) -> Any:
        """Return what the record has under a name; the error tells the names that are known."""
        if column not in self.values:
            has = in_words(known, column)
            raise ValueError(f"{self.where} has no {column!r}. It has {has}.")
        return self.values[column]

    def text(self, column: str) -> str:
        """Return an id or a group as text: 7 and "7" are the same, in JSON and in tables."""
        value = self.value(column, self.values)
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
    return pd.api.types.is_scalar(value) and bool(pd.isna(value))


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


def read_records(source: Any, name: str, task: str | None) -> Iterator[Record]:
    """Yield the records of a data frame, a folder or a file."""
    is_folder = not isinstance(source, pd.DataFrame) and os.path.isdir(source)
    if task is not None and not is_folder:
        raise ValueError(f"task={task!r} chooses a log in a folder, but {name} is no folder.")
    if isinstance(source, pd.DataFrame):
        return _numbered("row", name, _frame(source, name))
    return _folder(os.fspath(source), name, task) if is_folder else _file(source, name)


def _frame(frame: pd.DataFrame, name: str) -> Iterator[dict[Any, Any]]:
    """Yield the rows of a data frame; an index that does not only count rows is a column."""
    if not counts_from_zero(frame.index):
        frame = frame.reset_index()
    frame = frame.set_axis([str(column) for column in frame.columns], axis=1)
    check_different(frame.columns.tolist(), name)
    # As objects, so that a row of numbers and texts has values of Python.
    yield from frame.astype(object).to_dict("records")


def _folder(folder: str, name: str, task: str | None) -> Iterator[Record]:
    """Yield the records of a run of HELM, or of the newest logs of lm-evaluation-harness."""
    of_helm = os.path.join(folder, "per_instance_stats.json")
    if os.path.isfile(of_helm):
        yield from _file(of_helm, of_helm)
        return
    newest: dict[str, tuple[str, str]] = {}
    models = set()
    for depth in ("", "*"):
        for path in glob.glob(os.path.join(glob.escape(folder), depth, "samples_*.jsonl*")):
            parts = re.fullmatch(r"samples_(.+)_(\d{4}-.+?)\.jsonl(\.gz)?", os.path.basename(path))
            if parts is not None:
                models.add(os.path.dirname(path))
                newest[parts[1]] = max(newest.get(parts[1], ("", "")), (parts[2], path))
    known = in_words(sorted(newest), task or "")
    chosen = sorted(fnmatch.filter(newest, "*" if task is None else task))
    if not newest:
        raise ValueError(
            f"{name} is a folder without logs. It should have samples_*.jsonl, as "
            "lm-evaluation-harness writes them with --log_samples, or per_instance_stats.json, as "
            "HELM does. Pass other logs as files."
        )
    if len(models) > 1:
        raise ValueError(
            f"{name} has logs of several models. Pass one of {in_words(sorted(models))}."
        )
    if not chosen:
        raise ValueError(f"task={task!r} is not in {name}, whose tasks are: {known}.")
    if task is None and len(newest) > 1:
        raise ValueError(
            f"task= must say which task of {name} to read, which has several: {known}. A pattern "
            "such as 'mmlu_*' reads several, and '*' all; group='task' tells them apart."
        )
    for one in chosen:
        for record in _file(newest[one][1], newest[one][1]):
            together = "" if task in (None, one) else one
            yield record._replace(task=together, values={"task": one, **record.values})


def model_beside(path: str) -> str:
    """Return the model that another file of the same run names; "" if there is none.

    It is in run_spec.json (HELM) or results_*.json (lm-evaluation-harness).
    """
    folder, file = os.path.split(path)
    when = re.search(r"_(\d{4}-.+?)\.jsonl", file)
    other, key = (f"results_{when[1]}.json", "model_name") if when else ("run_spec.json", "model")
    try:
        with open(os.path.join(folder, other), encoding="utf-8") as beside:
            found = json.load(beside)
        return str((found if when else found["adapter_spec"])[key] or "")
    except (OSError, LookupError, RecursionError, TypeError, ValueError):
        return ""


def _file(path: str | os.PathLike[str], name: str) -> Iterator[Record]:
    """Yield the records of a file, which is told by its first bytes."""
    with open(path, "rb") as file:
        raw: IO[bytes] = file if file.seekable() else io.BytesIO(file.read())  # a pipe
        start = raw.read(4)
        size = raw.seek(0, io.SEEK_END)
        raw.seek(0)
        try:
            if start == PARQUET:
                yield from _numbered("row", name, _parquet(os.fspath(path), name))
            elif start in (ZIP, EMPTY_ZIP):
                yield from _archive_of_inspect(raw, size, name)
            elif start.startswith(GZIP):
                unpacked, n_bytes = gzip.GzipFile(fileobj=raw), 0
                while part := unpacked.read(2**20):
                    n_bytes += len(part)
                    _check_unpacked(n_bytes, size, name)
                unpacked.seek(0)
                yield from _text(unpacked, name)
            else:
                yield from _text(raw, name)
        except UnicodeDecodeError as error:
            raise ValueError(f"{name} is not a text file in UTF-8: {error}.") from error
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(
                f"{name} looks like a log, but has values of the wrong type. Is it damaged?"
            ) from error
        except DAMAGED as error:
            kind = "gzip file" if start.startswith(GZIP) else "zip archive"
            raise ValueError(f"{name} is a damaged {kind}: {error}") from error


def _check_unpacked(n_bytes: int, packed: int, name: str) -> None:
    """Raise if a compressed file unpacks to more than logs do."""
    most = max(MOST_BYTES, MOST_TIMES * packed)
    if n_bytes > most:
        raise ValueError(
            f"{name} unpacks to more than {most:,} bytes, 1 GiB and {MOST_TIMES} times its size, "
            "which logs do not. If you trust it, unpack it: what is not compressed is read "
            "whatever its size."
        )


def _text(stream: Any, name: str) -> Iterator[Record]:
    """Yield the records of JSON, JSON Lines or a table, told by the first character."""
    with io.TextIOWrapper(stream, encoding="utf-8-sig") as text:
        first = next((line for line in iter(text.readline, "") if line.strip()), "").lstrip()
        text.seek(0)
        document: Any = None
        if first.startswith("{"):
            try:
                document = _parsed(first, name)
            except ValueError:  # perhaps one object over several lines
                document = _parsed(text.read(), name)
                if _reader_of(document) is None:
                    raise ValueError(
                        f"{name} is a JSON object, but no log of Inspect or promptfoo, and not one "
                        f"object per line: it has {in_words(document)}."
                    ) from None
        elif first.startswith("["):
            document = _parsed(text.read(), name)
        reader = _reader_of(document)
        if reader is not None:
            if sum(1 for line in text if line.strip()) > 1:
                raise ValueError(
                    f"{name} has further lines after a log that is one line of JSON. Pass one log "
                    "per file."
                )
            yield from reader(document, name)
        elif isinstance(document, list):
            yield from _numbered("element", name, document)
        elif first.startswith("{"):
            for number, line in enumerate(text, start=1):
                if line.strip():
                    yield _plain("line", number, name, _parsed(line, f"line {number} of {name}"))
        elif first:
            yield from _numbered("row", name, _rows(text, name))


def _parsed(text: str | bytes, where: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where} is not valid JSON: {error}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, whose names must differ: to Python, the last one counts."""
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ValueError(f"an object has more than one {twice!r}")
    return values


def _rows(text: IO[str], name: str) -> Iterator[dict[Any, Any]]:
    """Yield the rows of a table below its header."""
    header: list[str] = []
    for part in text_table_in_parts(text, name, n_rows=1_000):  # cells may be long
        cells = part.astype(object).where(part.notna(), None)
        if not header:
            header = ["" if cell is None else cell for cell in cells.iloc[0]]
            check_different(header, name)
            cells = cells[1:]
        yield from cells.set_axis(header, axis=1).to_dict("records")


def _parquet(path: str, name: str) -> Iterator[dict[Any, Any]]:
    """Yield the rows of a Parquet table, by DuckDB."""
    with connected(name) as connection:
        columns = columns_of_parquet(connection, path)
        check_different(columns, name)
        table = connection.execute("SELECT * FROM read_parquet(?)", [glob.escape(path)])
        while rows := table.fetchmany(1_000):
            yield from (dict(zip(columns, row, strict=True)) for row in rows)


def _numbered(kind: str, path: str, rows: Iterable[Any]) -> Iterator[Record]:
    for number, values in enumerate(rows, start=1):
        yield _plain(kind, number, path, values)


def _plain(kind: str, number: int, path: str, values: Any) -> Record:
    """Return a record of any JSON or table, or one that lm-evaluation-harness wrote."""
    if not isinstance(values, dict):
        where = f"{kind} {number} of {path}"
        raise wrong(where, "a JSON object, such as {'id': 1, 'score': 0.5}", values)
    scores, id_column = list(values), None
    if "doc_id" in values and ("resps" in values or "filtered_resps" in values):
        metrics = values.get("metrics")
        known = metrics if isinstance(metrics, list) else values.keys() - LOG_COLUMNS
        id_column, scores = "doc_id", [column for column in values if column in known]
    if isinstance(values.get("doc"), dict):
        values = {**values["doc"], **values}
    hashed, part = "doc_hash" if "doc_hash" in values else None, str(values.get("filter", "none"))
    return Record(kind, number, path, values, scores, id_column, hashed, part)


# Inspect

# What Inspect's value_to_float makes of grades.
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "no": 0.0}


def _archive_of_inspect(raw: IO[bytes], size: int, name: str) -> Iterator[Record]:
    """Yield the samples of Inspect's .eval: their summaries, or whole if these are not there."""
    archive = zipfile.ZipFile(raw)
    raw.seek(-22 - len(archive.comment), io.SEEK_END)  # what ends an archive is there
    starts_late = min((info.header_offset for info in archive.infolist()), default=0) > 0
    if starts_late or raw.read(4) != EMPTY_ZIP:
        raise ValueError(
            f"{name} is a zip archive and something else, such as another one. Pass one log per "
            "file."
        )
    members = {info.filename: info for info in archive.infolist()}  # later ones replace earlier
    parts = sorted(members.keys() & {"header.json", "summaries.json"})
    if "summaries.json" not in parts:
        parts += [part for part in members if re.fullmatch(r"samples/.*\.json", part)]
    _check_unpacked(sum(members[part].file_size for part in parts), size, name)
    parsed: Iterator[Any] = (
        _parsed(_content(archive, raw, members[part], name), f"{part} in {name}") for part in parts
    )
    header = next(parsed)["eval"] if "header.json" in parts else {}
    if parts in ([], ["header.json"]):
        raise ValueError(f"{name} is a zip archive without samples, no log of Inspect.")
    if parts[-1] == "summaries.json":
        summaries = next(parsed)
        parsed = iter(summaries if isinstance(summaries, list) else [summaries])
    yield from _inspect(parsed, name, header)


def _content(archive: zipfile.ZipFile, raw: IO[bytes], info: zipfile.ZipInfo, name: str) -> bytes:
    """Return the content of a member, of which no more is unpacked than it is said to have."""
    stream: Any
    if info.compress_type == ZSTANDARD:
        try:
            import zstandard
        except ImportError as error:
            raise ImportError(
                f"{name} is compressed by Zstandard: pip install 'skbayeseval[zstd]' to read it."
            ) from error
        # Of the local header, 30 bytes long, the last four are the lengths of what follows.
        raw.seek(info.header_offset + 26)
        raw.seek(sum(struct.unpack("<HH", raw.read(4))), io.SEEK_CUR)
        packed = io.BytesIO(raw.read(info.compress_size))
        stream = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
    else:
        stream = archive.open(info)
    with stream:
        content = bytes(stream.read(info.file_size + 1))
    if len(content) != info.file_size:
        raise zipfile.BadZipFile(f"{info.filename} has not the size that it is said to have")
    return content


def _inspect(samples: Iterable[Any], name: str, header: Mapping[str, Any]) -> Iterator[Record]:
    """Yield the samples of Inspect; of a sample that failed and was tried again, the last."""
    model = str(header.get("model") or "")
    kept: dict[tuple[str, str], tuple[int, dict[str, Any], dict[str, Any]]] = {}
    meant: dict[str, set[tuple[str, str | None]]] = {}
    for number, sample in enumerate(samples, start=1):
        if not isinstance(sample, dict) or not {"id", "epoch"} <= sample.keys():
            raise wrong(f"sample {number} of {name}", "an object with id and epoch", sample)
        scores: dict[str, Any] = {}
        for scorer, score in (sample.get("scores") or {}).items():
            value = score["value"]
            for part in value if isinstance(value, dict) else (None,):
                column = scorer if part is None else f"{scorer}_{part}"
                meant.setdefault(column, set()).add((scorer, part))
                scores[column] = _graded(value if part is None else value[part])
        more = {**(sample.get("metadata") or {}), "id": sample["id"], "epoch": sample["epoch"]}
        if isinstance(sample.get("input"), str):
            more["input"] = sample["input"][:500]  # summaries are shortened
        key = repr(sample["id"]), repr(sample["epoch"])
        earlier, _, former = kept.get(key, (0, {}, {}))
        if former != scores and any(value is not None for value in former.values()):
            raise ValueError(
                f"Samples {earlier} and {number} of {name} have the same id, {key[0]}, and the "
                "same epoch, but other scores."
            )
        kept[key] = (number, more, scores)
    none = {column: None for *_, scores in kept.values() for column in scores}
    names = list(none)
    ambiguous = {column: AMBIGUOUS for column, meanings in meant.items() if len(meanings) > 1}
    for number, more, scores in kept.values():
        values, run = {**more, **none, **scores, **ambiguous}, more["epoch"]
        yield Record("sample", number, name, values, names, "id", "input", run=run, model=model)


def _graded(value: Any) -> Any:
    if value is None or value != value:  # NaN is how Inspect writes that there is no score
        return None
    return GRADES.get(value, GRADES.get(value.lower(), value)) if isinstance(value, str) else value


# HELM


def _helm(document: list[Any], name: str) -> Iterator[Record]:
    """Yield the instances of HELM, which each metric has in an entry of its own."""
    # By instance, trial and perturbation: the first entry, what is known, and scores by split.
    kept: dict[tuple[str, ...], tuple[int, dict[str, Any], dict[str, dict[str, Any]]]] = {}
    perturbations: dict[str, dict[str, Any]] = {}
    for number, entry in enumerate(document, start=1):
        stats = entry.get("stats") if isinstance(entry, dict) else None
        if not isinstance(stats, list) or "instance_id" not in entry:
            raise wrong(f"entry {number} of {name}", "an object with instance_id and stats", entry)
        about = {key: entry.get(key, 0) for key in ("instance_id", "train_trial_index")}
        how = json.dumps(entry.get("perturbation") or {}, sort_keys=True)
        perturbations[how] = entry.get("perturbation") or {}
        _, more, by_split = kept.setdefault((*map(repr, about.values()), how), (number, about, {}))
        for stat in stats:
            called, count = stat["name"], stat.get("count", 0)
            more |= {"sub_split": called["sub_split"]} if "sub_split" in called else {}
            scores = by_split.setdefault(called.get("split") or "", {})
            _add(scores, called["name"], stat["sum"] / count if count else None)
    all_scores = [scores for *_, by_split in kept.values() for scores in by_split.values()]
    none = {column: None for scores in all_scores for column in scores}
    names, shown = list(none), _perturbations_by_name(perturbations)
    for (*_, how), (number, more, by_split) in kept.items():
        for split, scores in (by_split or {"": {}}).items():
            part = f"{split} {shown[how]}".strip() or "none"
            known = {**more, "split": split} if split else more
            values, run = {**known, **none, **scores}, more["train_trial_index"]
            yield Record("entry", number, name, values, names, "instance_id", None, part, run)


def _perturbations_by_name(perturbations: Mapping[str, dict[str, Any]]) -> dict[str, str]:
    """Return what to call each perturbation: name and seed, and parameters that tell it apart."""
    called = {
        how: " ".join(str(one[key]) for key in ("name", "seed") if key in one)
        for how, one in perturbations.items()
    }
    shown = {}
    for how, one in perturbations.items():
        twins = [other for which, other in perturbations.items() if called[which] == called[how]]
        differ = [key for key in sorted(one) if any(twin.get(key) != one[key] for twin in twins)]
        shown[how] = " ".join([called[how], *(f"{key}={one[key]}" for key in differ)])
    return shown


def _add(scores: dict[str, Any], name: str, value: Any) -> None:
    """Add a score, which may be there already if it is the same."""
    scores[name] = value if scores.get(name, value) == value else AMBIGUOUS


# promptfoo


def _promptfoo(document: dict[str, Any], name: str) -> Iterator[Record]:
    """Yield the results of promptfoo. Tests with the same variables are runs of one item."""
    rows = document["results"]["results"]
    # The first provider comes first, whichever answered first.
    numbered = sorted(enumerate(rows, start=1), key=lambda row: row[1].get("promptIdx", 0))
    several = len({row["prompt"]["label"] for row in rows}) > 1
    named = [row.get("namedScores") or {} for row in rows]
    none = dict.fromkeys(["score", "success", *(column for one in named for column in one)])
    names = list(none)
    for number, row in numbered:
        test, provider = row.get("testCase") or {}, row.get("provider") or {}
        variables = test.get("vars") or row.get("vars") or {}
        shown = variables or test.get("description") or row.get("testIdx")
        item = shown if isinstance(shown, str) else json.dumps(shown, sort_keys=True)
        part = provider if isinstance(provider, str) else provider.get("label") or provider["id"]
        if several:
            part = f"{part} ({row['prompt']['label']})"
        scores = dict(row.get("namedScores") or {})
        for key in ("score", "success"):
            if key in row:
                _add(scores, key, row[key])
        if row.get("failureReason") == 2:  # an error, no answer
            scores = {}
        more = {**(test.get("metadata") or {}), **variables, "test": item}
        run, part = row.get("testIdx", number), str(part)
        values = {**more, **none, **scores}
        yield Record("result", number, name, values, names, "test", None, part, run, model=part)


# Logs that are one JSON document: its type, names in it or in its first element, and its reader.
DOCUMENTS: tuple[tuple[type, set[str], Callable[[Any, str], Iterator[Record]]], ...] = (
    (
        dict,
        {"version", "status", "eval"},
        lambda log, name: _inspect(log.get("samples") or [], name, log["eval"]),
    ),
    (list, {"instance_id", "stats"}, _helm),
    (dict, {"evalId", "results"}, _promptfoo),
)


def _reader_of(document: Any) -> Callable[[Any, str], Iterator[Record]] | None:
    first = document[0] if isinstance(document, list) and document else document
    for kind, names, reader in DOCUMENTS:
        if isinstance(document, kind) and isinstance(first, dict) and names <= first.keys():
            return reader
    return None
