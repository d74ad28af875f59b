"""The command `compare`: classifiers, regressors or taggers from files of predictions."""

from __future__ import annotations

import argparse
import io
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from skbayeseval import (
    ComparisonResult,
    Ranking,
    TableCounts,
    chunk_counter,
    compare_many,
    compare_predictions,
    compare_table,
    count_table,
)
from skbayeseval._duckdb_tables import PARQUET, open_table, quoted
from skbayeseval._files import text_table
from skbayeseval.cli.output import InputError, report
from skbayeseval.cli.parsing import add_model, add_output, add_scoring, model_options, names_of
from skbayeseval.metrics.scoring import is_of_numbers
from skbayeseval.sequences.tags import TaggedFile, read_conll

STANDARD_INPUT = "-"

# So many different fractions among predicted labels are scores, if no true label is a fraction.
MANY = 3

FRACTION = r"[+-]?\d*\.\d*[1-9]\d*(?:[eE][+-]?\d+)?"

# The options that name columns.
COLUMN_OPTIONS = ("truth", "a", "b", "score_a", "score_b", "groups")


def _read_columns(path: str, columns: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the cells of columns as text, with "" where a cell is missing.

    Columns come after the options that name them. Parquet is known by the name of the file.
    """
    names = list(dict.fromkeys(name for _, name in columns))
    if path.lower().endswith(PARQUET):
        with open_table(path, names, argument="FILE") as relation:
            _check_header(columns, list(relation.columns), path)
            texts = ", ".join(f"coalesce({quoted(name)}::VARCHAR, '')" for name in names)
            rows = relation.project(texts).fetchall()
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}
    source: Any = path
    if path == STANDARD_INPUT:
        source = io.BytesIO(sys.stdin.buffer.read())
    table = text_table(source, _shown(path)).fillna("")
    header = table.iloc[0].tolist()
    _check_header(columns, header, _shown(path))
    return {name: table.iloc[1:, header.index(name)].tolist() for name in names}


def _shown(path: str) -> str:
    return "standard input" if path == STANDARD_INPUT else path


def _check_header(columns: Iterable[tuple[str, str]], header: list[str], where: str) -> None:
    for option, name in columns:
        if header.count(name) != 1:
            found = "no such column" if name not in header else "more than one such column"
            raise InputError(f"{option} {name}: {found} in {where}, which has {', '.join(header)}")


def _check_present(
    cells: list[str], option: str, name: str, path: str, what: str = "label"
) -> list[str]:
    """Return the cells of a column, none of which is missing; `what` is in a cell."""
    empty = [i for i, cell in enumerate(cells, start=1) if not cell.strip()]
    if empty:
        raise InputError(
            f"{option} {name}: {len(empty)} of {len(cells)} {what}s in {_shown(path)} are missing, "
            f"the first in row {empty[0]} below the header. Every instance must have a {what}."
        )
    return cells


def _as_numbers(
    cells: list[str], option: str, name: str, path: str, what: str, why: str
) -> list[float]:
    """Return a column of numbers; errors say what is in a cell, and why it is a number."""
    numbers = []
    for row, text in enumerate(_check_present(cells, option, name, path, what), start=1):
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise InputError(
                f"{option} {name}: {text!r} in row {row} of {_shown(path)} is no number, but {why}"
            )
        numbers.append(number)
    return numbers


def _count_labels(path: str, columns: Mapping[str, str]) -> TableCounts:
    """Count the rows of a Parquet file by the cells of the columns, as text.

    `columns` are named by the options that they come from, as in `count_table`.
    """
    with open_table(path, columns.values(), argument="FILE") as relation:
        options = [(f"--{option}", column) for option, column in columns.items()]
        _check_header(options, list(relation.columns), path)
        texts = [
            f"coalesce({quoted(column)}::VARCHAR, '') AS {option}"
            for option, column in columns.items()
        ]
        counts = count_table(relation.project(", ".join(texts)), **{name: name for name in columns})
    for i, (option, column) in enumerate(columns.items()):
        empty = sum(n for outcome, n in counts.outcomes.items() if not outcome[i].strip())
        if empty:
            raise InputError(
                f"--{option} {column}: {empty:,} of {counts.total:,} labels in {path} are missing. "
                "Every instance must have a label."
            )
    return replace(counts, columns=columns)


def add_to(commands: Any) -> None:
    """Add the command to the program."""
    parser = commands.add_parser(
        "compare",
        help="compare two or more columns of predictions in a table, or two files of tags",
        description="Compare two or more classifiers from a table with one column of true labels "
        "and one column of predictions per classifier; regressors, with --scoring r2 or another "
        "metric of numbers; or, with --chunks, two taggers from files with one token per line and "
        "its tag in the last column.",
        epilog="examples: skbayeseval compare predictions.csv --truth y --a nb --b svm "
        "--scoring f1 --rope 0.01; skbayeseval compare predictions.parquet --truth y --a new "
        "--b old --b older --rope 0.01 --gate non-inferior; skbayeseval compare scores.csv "
        "--truth y --score-a p_nb --score-b p_svm --scoring roc_auc; skbayeseval compare "
        "gold.conll a.conll b.conll --chunks IOB2",
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="the table, in which labels are text: a file with a header line and columns "
        "separated by commas, tabs or semicolons; - for standard input; or a file that ends in "
        ".parquet, if DuckDB is installed. With --chunks, the files of the true tags, of A's tags "
        "and of B's tags",
    )
    parser.add_argument("--truth", metavar="COLUMN", help="the true labels")
    parser.add_argument("--a", metavar="COLUMN", help="the predictions of A")
    parser.add_argument(
        "--b",
        action="append",
        metavar="COLUMN",
        help="the predictions of B; may be given more than once, to compare more than two",
    )
    parser.add_argument(
        "--score-a",
        metavar="COLUMN",
        help="the scores of A for the positive class, for --scoring roc_auc, average_precision, "
        "neg_log_loss and neg_brier_score",
    )
    parser.add_argument(
        "--score-b",
        action="append",
        metavar="COLUMN",
        help="the scores of B; may be given more than once",
    )
    parser.add_argument(
        "--groups",
        metavar="COLUMN",
        help="what instances belong to, such as documents: groups are then the unit of the "
        "evidence",
    )
    parser.add_argument(
        "--chunks", metavar="SCHEME", help="compare chunks of tags: IOB1, IOB2, IOBES or BMES"
    )
    parser.add_argument(
        "--labels", nargs="+", metavar="LABEL", help="the classes (default: those that occur)"
    )
    parser.add_argument(
        "--pos-label", metavar="LABEL", help="the positive class (default: 1, if that is a class)"
    )
    add_scoring(parser, scoring="accuracy, or f1 with --chunks")
    add_model(parser, model="auto", models="auto, paired, unpaired or bcv")
    add_output(parser)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    return report(_compare_chunks(args) if args.chunks else _compare_columns(args), args)


def _common(args: argparse.Namespace) -> dict[str, Any]:
    return {
        "scoring": args.scoring,
        "weight": args.weight,
        "labels": args.labels,
        **model_options(args),
    }


def _compare_columns(args: argparse.Namespace) -> ComparisonResult | Ranking:
    _check_column_options(args)
    if len(args.files) > 1:
        raise InputError(f"one table is expected, got {len(args.files)} files")
    path = args.files[0]
    predicted = [] if args.a is None else [("--a", args.a), *(("--b", b) for b in args.b)]
    scored = []
    if args.score_a is not None:
        scored = [("--score-a", args.score_a), *(("--score-b", b) for b in args.score_b)]
    of_numbers = is_of_numbers(args.scoring)
    columns = [column for _, column in predicted or scored]
    declared = set(args.labels or [])
    options = {**_common(args), "pos_label": args.pos_label}
    if path.lower().endswith(PARQUET) and len(predicted) == 2 and not (scored or of_numbers):
        # DuckDB counts the labels, so that they need not fit into memory.
        counted = {"truth": args.truth, "a": args.a, "b": args.b[0], "groups": args.groups}
        counts = _count_labels(path, {k: v for k, v in counted.items() if v is not None})
        occur = [{outcome[i] for outcome in counts.outcomes} for i in range(3)]
        said = dict(zip(predicted, occur[1:], strict=True))
        classes = _check_labels(occur[0], said, declared)
        names = names_of(args, _default_names(columns))
        if args.pos_label is None:
            options["pos_label"] = _class_one(classes)
        return compare_table(counts, names=(names[0], names[1]), **options)
    wanted = [("--truth", args.truth), *predicted, *scored]
    if args.groups is not None:
        wanted.append(("--groups", args.groups))
    table = _read_columns(path, wanted)
    names = names_of(args, _default_names(columns))

    def numbers(option: str, column: str, what: str, why: str) -> list[float]:
        return _as_numbers(table[column], option, column, path, what, why)

    if args.groups is not None:
        cells = table[args.groups]
        options["groups"] = _check_present(cells, "--groups", args.groups, path, "group")
    scores = [numbers(*one, "score", "scores are numbers") for one in scored]
    truth: Any
    predictions: list[Any]
    if of_numbers:
        truth, *predictions = (
            numbers(*one, "number", "the metric is one of numbers")
            for one in (("--truth", args.truth), *predicted)
        )
    else:
        truth, *predictions = (
            _check_present(table[column], option, column, path)
            for option, column in (("--truth", args.truth), *predicted)
        )
        said = dict(zip(predicted, map(set, predictions), strict=True))
        classes = _check_labels(set(truth), said, declared)
        if args.pos_label is None:
            options["pos_label"] = _class_one(classes | declared)
    if len(names) > 2:
        return compare_many(
            truth,
            dict(zip(names, predictions, strict=True)) if predictions else None,
            scores=dict(zip(names, scores, strict=True)) if scores else None,
            **options,
        )
    a, b = predictions or (None, None)
    score_a, score_b = scores or (None, None)
    return compare_predictions(
        truth, a, b, y_score_a=score_a, y_score_b=score_b, names=(names[0], names[1]), **options
    )


def _check_column_options(args: argparse.Namespace) -> None:
    """Raise unless there is a truth, and predictions or scores of A and of the same others."""
    needs_predictions = args.score_a is None and args.score_b is None
    needed = ["truth", *(["a", "b"] if needs_predictions else ["score_a", "score_b"])]
    if args.a is not None or args.b is not None:
        needed += ["a", "b"]
    missing = [_option(name) for name in dict.fromkeys(needed) if getattr(args, name) is None]
    if missing:
        raise InputError(
            f"{', '.join(missing)} must name columns of the table; for files of tags, pass --chunks"
        )
    if args.b is not None and args.score_b is not None and len(args.b) != len(args.score_b):
        raise InputError(
            f"--b and --score-b must name as many columns, got {len(args.b)} and "
            f"{len(args.score_b)}"
        )


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _default_names(columns: Sequence[str]) -> Sequence[str]:
    """Return the names of the columns; letters if a column is compared with itself."""
    distinct = len(set(columns)) == len(columns)
    return columns if distinct else [chr(ord("A") + i) for i in range(len(columns))]


def _compare_chunks(args: argparse.Namespace) -> ComparisonResult:
    given = [_option(name) for name in COLUMN_OPTIONS if getattr(args, name) is not None]
    if given:
        raise InputError(f"{given[0]} names a column of a table, and does not go with --chunks")
    if len(args.files) != 3:
        raise InputError(
            "--chunks requires three files, those of the true tags, of A's tags and of B's tags, "
            f"got {len(args.files)}"
        )
    gold, a, b = (read_conll(path) for path in args.files)
    for path, other in zip(args.files[1:], (a, b), strict=True):
        _check_same_words(gold, other, args.files[0], path)
    paths = args.files[1:]
    stems = [Path(path).stem for path in paths]
    names = names_of(args, _default_names(stems if len(set(stems)) == 2 else paths))
    return compare_predictions(
        gold.tags,
        a.tags,
        b.tags,
        counter=chunk_counter(args.chunks),
        names=(names[0], names[1]),
        pos_label=args.pos_label,
        **_common(args),
    )


def _check_same_words(gold: TaggedFile, other: TaggedFile, gold_path: str, path: str) -> None:
    """Raise if two files of tags have different words, where both have words."""
    if len(gold.tags) != len(other.tags):
        raise InputError(
            f"{gold_path} has {len(gold.tags)} sentences, but {path} has {len(other.tags)}"
        )
    for number, (ours, theirs) in enumerate(zip(gold.tokens, other.tokens, strict=True), start=1):
        if len(ours) != len(theirs):
            raise InputError(
                f"sentence {number} has {len(ours)} tokens in {gold_path}, but {len(theirs)} in "
                f"{path}"
            )
        for one, another in zip(ours, theirs, strict=True):
            if one and another and one[0] != another[0]:
                raise InputError(
                    f"sentence {number} has the word {one[0]!r} in {gold_path}, but {another[0]!r} "
                    f"in {path}"
                )


def _check_labels(
    truth: set[str], predicted: Mapping[tuple[str, str], set[str]], declared: set[str]
) -> set[str]:
    """Return the classes that occur; raise if they are scores, or written in several ways.

    Numbers such as 0.73 that are predicted and never true are probabilities.
    """
    fractions_known = any(re.fullmatch(FRACTION, label) for label in truth | declared)
    for (option, column), said in predicted.items():
        fractions = {label for label in said if re.fullmatch(FRACTION, label)}
        if len(fractions) >= MANY and not fractions_known:
            raise InputError(
                f"{option} {column} must contain labels, got numbers such as {min(fractions)}, "
                f"which --truth does not contain. Pass probabilities and other scores as "
                f"{option.replace('--', '--score-')} {column}, with a metric of scores such as "
                "--scoring roc_auc, or threshold them first. To compare predictions of numbers, "
                "pass a metric of numbers, such as --scoring r2."
            )
    classes = truth.union(*predicted.values())
    written: dict[str, str] = {}
    for label in sorted(classes | declared):
        other = written.setdefault(_plain(label), label)
        if other != label:
            raise InputError(
                f"{other!r} and {label!r} are two classes, because labels are compared as text. "
                "Write the labels of all columns in the same way."
            )
    return classes


def _plain(label: str) -> str:
    """Return a label without spaces around it and ".0" after a whole number; true for True."""
    text = re.sub(r"(?a:^([+-]?\d+)\.0*$)", r"\1", label.strip())
    return text.lower() if text.lower() in ("true", "false") else text


def _class_one(classes: set[str]) -> str | None:
    """Return the class 1 (or true) of two classes, as it is written."""
    ones = [label for label in classes if _plain(label) in ("1", "true")]
    return ones[0] if len(ones) == 1 and len(classes) == 2 else None
