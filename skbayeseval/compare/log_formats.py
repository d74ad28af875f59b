"""The formats of logs, each a function that yields records: `read_records`.

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
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import IO, Any

import pandas as pd

from skbayeseval._arrays import counts_from_zero, in_words, wrong
from skbayeseval._duckdb_tables import columns_of_parquet
from skbayeseval._files import text_table_in_parts
from skbayeseval.compare.log_records import AMBIGUOUS, UNSCORED, Record

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


def read_records(source: Any, name: str, task: str | None) -> Iterator[Record]:
    """Yield the records of a data frame, a folder or a file."""
    is_folder = not isinstance(source, pd.DataFrame) and os.path.isdir(source)
    if task is not None and not is_folder:
        raise ValueError(f"task={task!r} chooses a log in a folder, but {name} is no folder.")
    if isinstance(source, pd.DataFrame):
        return _frame(source, name)
    return _folder(os.fspath(source), name, task) if is_folder else _file(source, name)


def _frame(frame: pd.DataFrame, name: str) -> Iterator[Record]:
    """Yield the rows of a data frame; an index that does not only count rows is a column."""
    if not counts_from_zero(frame.index):
        frame = frame.reset_index()
    columns = [str(column) for column in frame.columns]
    _check_different(columns, name)
    # One column after the other, so that a row of numbers and texts has values of Python.
    cells = [frame.iloc[:, i].astype(object).tolist() for i in range(len(columns))]
    for number, row in enumerate(zip(*cells, strict=True), start=1):
        yield _plain("row", number, name, dict(zip(columns, row, strict=True)))


def _check_different(columns: list[str], name: str) -> None:
    twice = [column for i, column in enumerate(columns) if column in columns[:i]]
    if twice:
        raise ValueError(f"{name} has more than one column {twice[0]!r}: {', '.join(columns)}.")


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
            yield record._replace(task=together, more={"task": one, **record.more})


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
        budget = _Budget(name, size)
        try:
            if start == PARQUET:
                yield from _parquet(os.fspath(path), name)
            elif start in (ZIP, EMPTY_ZIP):
                yield from _archive_of_inspect(raw, budget)
            elif start.startswith(GZIP):
                unpacked: Any = _Unpacked(gzip.GzipFile(fileobj=raw), budget)
                yield from _text(io.BufferedReader(unpacked), name)
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


class _Budget:
    """How much a compressed file may unpack to."""

    def __init__(self, name: str, size: int) -> None:
        self.name, self.most, self.used = name, max(MOST_BYTES, MOST_TIMES * size), 0

    def use(self, data: bytes) -> bytes:
        self.used += len(data)
        if self.used > self.most:
            raise ValueError(
                f"{self.name} unpacks to more than {self.most:,} bytes, 1 GiB and {MOST_TIMES} "
                "times its size, which logs do not. If you trust it, unpack it: what is not "
                "compressed is read whatever its size."
            )
        return data


class _Unpacked(io.RawIOBase):
    """A compressed stream of which no more is read than the budget allows; it can be rewound."""

    def __init__(self, stream: Any, budget: _Budget) -> None:
        self.stream, self.budget = stream, budget

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.budget.use(self.stream.read(len(buffer)))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        position: int = self.stream.seek(offset, whence)
        self.budget.used = position
        return position


def _text(stream: IO[bytes], name: str) -> Iterator[Record]:
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
            for number, values in enumerate(document, start=1):
                yield _plain("element", number, name, values)
        elif first:
            yield from _lines(text, name) if first.startswith("{") else _rows(text, name)


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


def _lines(text: IO[str], name: str) -> Iterator[Record]:
    for number, line in enumerate(text, start=1):
        if line.strip():
            yield _plain("line", number, name, _parsed(line, f"line {number} of {name}"))


def _rows(text: IO[str], name: str) -> Iterator[Record]:
    """Yield the rows of a table below its header."""
    header: list[str] = []
    number = 0
    for part in text_table_in_parts(text, name, n_rows=1_000):  # cells may be long
        cells = part.astype(object).where(part.notna(), None)
        for row in cells.itertuples(index=False, name=None):
            if header:
                number += 1
                yield _plain("row", number, name, dict(zip(header, row, strict=True)))
                continue
            header = ["" if cell is None else cell for cell in row]
            _check_different(header, name)


def _parquet(path: str, name: str) -> Iterator[Record]:
    """Yield the rows of a Parquet table, by DuckDB."""
    try:
        import duckdb
    except ImportError as error:
        raise ImportError(
            f"{name} is a Parquet table, which DuckDB reads: pip install 'skbayeseval[duckdb]'."
        ) from error
    with duckdb.connect(config={"autoinstall_known_extensions": "false"}) as connection:
        try:
            columns = columns_of_parquet(connection, path)
            _check_different(columns, name)
            table = connection.execute("SELECT * FROM read_parquet(?)", [glob.escape(path)])
            number = 0
            while rows := table.fetchmany(1_000):
                for row in rows:
                    number += 1
                    yield _plain("row", number, name, dict(zip(columns, row, strict=True)))
        except duckdb.Error as error:
            raise ValueError(f"{name} cannot be read as a Parquet table: {error}") from error


def _plain(kind: str, number: int, path: str, values: Any) -> Record:
    """Return a record of any JSON or table, or one that lm-evaluation-harness wrote."""
    if not isinstance(values, dict):
        where = f"{kind} {number} of {path}"
        raise wrong(where, "a JSON object, such as {'id': 1, 'score': 0.5}", values)
    document, scores, id_column = values.get("doc"), None, None
    if "doc_id" in values and ("resps" in values or "filtered_resps" in values):
        metrics = values.get("metrics")
        known = metrics if isinstance(metrics, list) else values.keys() - LOG_COLUMNS
        id_column, scores = "doc_id", [column for column in values if column in known]
    more, part = document if isinstance(document, dict) else {}, str(values.get("filter", "none"))
    hashed = "doc_hash" if "doc_hash" in values else None
    return Record(kind, number, path, values, more, id_column, scores, hashed, part)


# Inspect

# What Inspect's value_to_float makes of grades.
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "no": 0.0}


def _archive_of_inspect(raw: IO[bytes], budget: _Budget) -> Iterator[Record]:
    """Yield the samples of Inspect's .eval: their summaries, or whole if these are not there."""
    archive = zipfile.ZipFile(raw)
    raw.seek(-22 - len(archive.comment), io.SEEK_END)  # what ends an archive is there
    starts_late = min((info.header_offset for info in archive.infolist()), default=0) > 0
    if starts_late or raw.read(4) != EMPTY_ZIP:
        raise ValueError(
            f"{budget.name} is a zip archive and something else, such as another one. Pass one "
            "log per file."
        )
    members = {info.filename: info for info in archive.infolist()}  # later ones replace earlier
    parsed = partial(_json_of_member, archive, raw, budget)
    names = [name for name in members if re.fullmatch(r"samples/.*\.json", name)]
    if "summaries.json" in members:
        summaries = parsed(members["summaries.json"])
        samples: Iterable[Any] = summaries if isinstance(summaries, list) else [summaries]
    elif names:
        samples = (parsed(members[name]) for name in names)
    else:
        raise ValueError(f"{budget.name} is a zip archive without samples, no log of Inspect.")
    header = parsed(members["header.json"])["eval"] if "header.json" in members else {}
    yield from _inspect(samples, budget.name, header)


def _json_of_member(
    archive: zipfile.ZipFile, raw: IO[bytes], budget: _Budget, info: zipfile.ZipInfo
) -> Any:
    stream: Any
    if info.compress_type == ZSTANDARD:
        # Of the local header, 30 bytes long, the last four are the lengths of what follows.
        raw.seek(info.header_offset + 26)
        raw.seek(sum(struct.unpack("<HH", raw.read(4))), io.SEEK_CUR)
        stream = _zstandard(io.BytesIO(raw.read(info.compress_size)), budget.name)
    else:
        stream = archive.open(info)
    with stream:
        parts = iter(lambda: budget.use(stream.read(2**20)), b"")
        return _parsed(b"".join(parts), f"{info.filename} in {budget.name}")


def _zstandard(stream: IO[bytes], name: str) -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise ImportError(
            f"{name} is compressed by Zstandard: pip install 'skbayeseval[zstd]' to read it."
        ) from error
    return zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)


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
        if former != scores and any(value is not UNSCORED for value in former.values()):
            raise ValueError(
                f"Samples {earlier} and {number} of {name} have the same id, {key[0]}, and the "
                "same epoch, but other scores."
            )
        kept[key] = (number, more, scores)
    none = _unscored(scores for _, _, scores in kept.values())
    names = list(none)
    ambiguous = {column: AMBIGUOUS for column, meanings in meant.items() if len(meanings) > 1}
    for number, more, scores in kept.values():
        values, run = none | scores | ambiguous, more["epoch"]
        yield Record(
            "sample", number, name, values, more, "id", names, "input", run=run, model=model
        )


def _unscored(scores: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return all names of scores, in order, with the value of what has no score."""
    return {name: UNSCORED for one in scores for name in one}


def _graded(value: Any) -> Any:
    if value is None or value != value:  # NaN is how Inspect writes that there is no score
        return UNSCORED
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
            _add(scores, called["name"], stat["sum"] / count if count else UNSCORED)
    none = _unscored(scores for *_, by_split in kept.values() for scores in by_split.values())
    names, shown = list(none), _perturbations_by_name(perturbations)
    for (*_, how), (number, more, by_split) in kept.items():
        for split, scores in (by_split or {"": {}}).items():
            part = f"{split} {shown[how]}".strip() or "none"
            known = {**more, "split": split} if split else more
            run = more["train_trial_index"]
            yield Record(
                "entry", number, name, none | scores, known, "instance_id", names, None, part, run
            )


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
    none = _unscored([{"score": 0, "success": 0}, *(row.get("namedScores") or {} for row in rows)])
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
        yield Record(
            "result", number, name, none | scores, more, "test", names, None, part, run, model=part
        )


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
