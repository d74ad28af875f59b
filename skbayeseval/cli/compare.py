"""The command `compare`: classifiers, regressors or taggers from files of predictions."""

from __future__ import annotations

import argparse
import io
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval import (
    ComparisonResult,
    Ranking,
    ScoreResult,
    chunk_counter,
    compare_many,
    compare_predictions,
    score_posterior,
)
from skbayeseval._arrays import in_words
from skbayeseval._tables import PARQUET, parquet_table, text_table
from skbayeseval.cli.output import (
    InputError,
    as_option,
    check_disagreements,
    model_options,
    names_of,
    report,
)
from skbayeseval.metrics.scoring import is_of_numbers
from skbayeseval.sequences import read_conll

STANDARD_INPUT = "-"

# So many different fractions among predicted labels are scores, if no true label is a fraction.
MANY = 3

FRACTION = r"[+-]?\d*\.\d*[1-9]\d*(?:[eE][+-]?\d+)?"

# The options about a table.
TABLE_OPTIONS = ("truth", "a", "b", "score_a", "score_b", "groups", "folds", "disagreements")


class _Table:
    """Columns of a file as text; errors name the option and the column."""

    def __init__(self, path: str, columns: Sequence[tuple[str, str]]) -> None:
        self.path = "standard input" if path == STANDARD_INPUT else path
        if path.lower().endswith(PARQUET):
            cells = parquet_table(path, dtype_backend="numpy_nullable").astype("string")
        else:
            if path == STANDARD_INPUT and sys.stdin is None:
                raise InputError("- is standard input, which is closed")
            source: Any = io.BytesIO(sys.stdin.buffer.read()) if path == STANDARD_INPUT else path
            cells = text_table(source, self.path)
        self.cells, header = cells.fillna(""), list(cells.columns)
        for option, name in columns:
            if header.count(name) != 1:
                problem = "no such column" if name not in header else "more than one such column"
                raise InputError(
                    f"{option} {name}: {problem} in {self.path}, which has {in_words(header, name)}"
                )

    def texts(self, option: str, name: str, what: str = "label") -> list[str]:
        """Return a column, in which nothing is missing; `what` is in a cell."""
        cells = self.cells[name]
        empty = np.flatnonzero(cells.str.strip() == "")
        if len(empty):
            raise InputError(
                f"{option} {name}: {len(empty)} of {len(cells)} {what}s in {self.path} are "
                f"missing, the first in row {empty[0] + 1} below the header. Every instance must "
                f"have a {what}."
            )
        return cells.tolist()

    def numbers(self, option: str, name: str, what: str, why: str) -> list[float]:
        """Return a column of numbers; `why` says why it must be one."""
        texts = self.texts(option, name, what)
        numbers = pd.to_numeric(pd.Series(texts), errors="coerce").to_numpy(float)
        wrong = np.flatnonzero(~np.isfinite(numbers))
        if len(wrong):
            raise InputError(
                f"{option} {name}: {texts[wrong[0]]!r} in row {wrong[0] + 1} of {self.path} is no "
                f"number, but {why}"
            )
        return numbers.tolist()


def add_to(commands: Any) -> None:
    """Add the command to the program."""
    parser = commands.add_parser(
        "compare",
        help="compare two or more columns of predictions in a table, or two files of tags",
        description="Compare two or more classifiers by columns of a table, or look at one; "
        "regressors, with "
        "--scoring r2 or another metric of numbers; or, with --chunks, two taggers.",
        epilog="examples: skbayeseval compare predictions.csv --truth y --a nb --b svm "
        "--scoring f1 --rope 0.01; skbayeseval compare scores.csv --truth y --score-a p_nb "
        "--score-b p_svm --scoring roc_auc; skbayeseval compare predictions.csv --truth y --a svm "
        "--gate 0.9; skbayeseval compare gold.conll a.conll b.conll "
        "--chunks IOB2",
    )
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        metavar="FILE",
        help="the table: CSV or TSV with a header line, - for standard input, or a .parquet file, "
        "if pyarrow is installed. With --chunks, the files of the true tags, of A's tags and of "
        "B's tags, with one token per line and its tag in the last column",
    )
    add("--truth", metavar="COLUMN", help="the true labels")
    add("--a", metavar="COLUMN", help="the predictions of A")
    add(
        "--b", action="append", metavar="COLUMN", help="those of B; several times for more than two"
    )
    add(
        "--score-a", metavar="COLUMN", help="the scores of A for the positive class, as for ROC AUC"
    )
    add("--score-b", action="append", metavar="COLUMN", help="those of B; also several times")
    add("--groups", metavar="COLUMN", help="what instances belong to: the unit of the evidence")
    add(
        "--folds",
        metavar="COLUMN",
        help="the fold of each row, where predictions are of a cross-validation that has run; -1 "
        "or nothing for rows that were not tested. The weight is then inferred by default",
    )
    add("--chunks", metavar="SCHEME", help="the scheme of tags: IOB1, IOB2, IOBES or BMES")
    add("--labels", nargs="+", metavar="LABEL", help="the classes (default: those that occur)")
    add("--pos-label", metavar="LABEL", help="the positive class (default: 1, if it is a class)")
    parser.add_scoring(scoring="accuracy, or f1 with --chunks")
    parser.add_model(model="auto", models="auto, paired, unpaired or bcv")
    parser.add_output(disagreements="rows with the truth, both predictions and all other columns")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    given = {
        "scoring": args.scoring,
        "weight": args.weight,
        "labels": args.labels,
        "pos_label": args.pos_label,
        **model_options(args),
    }
    compared = _compare_chunks(args, given) if args.chunks else _compare_columns(args, given)
    return report(compared, args)


def _compare_columns(
    args: argparse.Namespace, given: dict[str, Any]
) -> ComparisonResult | Ranking | ScoreResult:
    _check_column_options(args)
    if len(args.files) > 1:
        raise InputError(f"one table is expected, got {len(args.files)} files")
    predicted = [] if args.a is None else [("--a", args.a), *(("--b", b) for b in args.b or [])]
    scored = []
    if args.score_a is not None:
        scored = [("--score-a", args.score_a), *(("--score-b", b) for b in args.score_b or [])]
    columns = [column for _, column in predicted or scored]
    for named in (predicted, scored):
        _check_different([args.truth, *(column for _, column in named)])
    names = names_of(args, columns)
    check_disagreements(args, names)
    truth_column = ("--truth", args.truth)
    grouped = [] if args.groups is None else [("--groups", args.groups)]
    of_folds = [] if args.folds is None else [("--folds", args.folds)]
    of_all = [truth_column, *predicted, *scored, *grouped, *of_folds]
    table = _Table(args.files[0], of_all)
    args.columns = table.cells.drop(columns=[args.truth, *columns]).reset_index(drop=True)
    for column in grouped:
        given["groups"] = table.texts(*column, "group")
    for _, column in of_folds:
        cells = table.cells[column].str.strip()
        given["folds"] = cells.where(~cells.isin(["", "-1"])).to_numpy(object)
    scores = [table.numbers(*column, "score", "scores are numbers") for column in scored]
    truth: Any
    predictions: list[Any]
    if is_of_numbers(args.scoring):
        why = "the metric is one of numbers"
        truth, *predictions = (
            table.numbers(*column, "number", why) for column in (truth_column, *predicted)
        )
    else:
        truth, *predictions = (table.texts(*column) for column in (truth_column, *predicted))
        labels_of = dict(zip(predicted, map(set, predictions), strict=True))
        given["pos_label"] = _checked_pos_label(args, set(truth), labels_of)
    if len(names) > 2:
        return compare_many(
            truth,
            dict(zip(names, predictions, strict=True)) if predictions else None,
            scores=dict(zip(names, scores, strict=True)) if scores else None,
            **given,
        )
    if len(names) == 1:
        a, score = (*predictions, None)[0], (*scores, None)[0]
        return score_posterior(truth, a, y_score=score, name=names[0], **given)
    a, b = predictions or (None, None)
    score_a, score_b = scores or (None, None)
    return compare_predictions(
        truth, a, b, y_score_a=score_a, y_score_b=score_b, names=names, **given
    )


def _check_column_options(args: argparse.Namespace) -> None:
    """Raise unless there is a truth, and predictions or scores of A and of the same others."""
    kinds = [("a", "b"), ("score_a", "score_b")]
    kinds = [kind for kind in kinds if any(getattr(args, name) is not None for name in kind)]
    needed = ["truth", *(a for a, _ in kinds or [("a", "b")])]
    missing = [as_option(name) for name in needed if getattr(args, name) is None]
    if missing:
        raise InputError(
            f"{', '.join(missing)} must name columns of the table; for files of tags, pass --chunks"
        )
    n_others = {b: len(getattr(args, b) or []) for _, b in kinds}
    if len(set(n_others.values())) > 1:
        raise InputError(
            f"--b and --score-b must name as many columns, got {n_others['b']} and "
            f"{n_others['score_b']}"
        )
    if not any(n_others.values()):
        for option in ("rope", "disagreements"):
            if getattr(args, option) is not None:
                raise InputError(f"--{option} is about two, but only one is given: pass --b")
        if isinstance(args.gate, str):
            raise InputError(f"--gate {args.gate} is about two: pass --b, or a number to exceed")


def _check_different(columns: Sequence[str]) -> None:
    """Raise if a column or a file is compared with itself: a gate would pass, whatever is in it."""
    for k, column in enumerate(columns):
        if column in columns[:k]:
            raise InputError(f"{column} is given more than once, and nothing differs from itself")


def _compare_chunks(args: argparse.Namespace, given: dict[str, Any]) -> ComparisonResult:
    for name in TABLE_OPTIONS:
        if getattr(args, name) is not None:
            raise InputError(f"{as_option(name)} is about a table, and does not go with --chunks")
    if len(args.files) != 3:
        raise InputError(
            "--chunks requires three files, those of the true tags, of A's tags and of B's tags, "
            f"got {len(args.files)}"
        )
    _check_different(args.files)
    (words, gold), (words_a, a), (words_b, b) = (read_conll(path) for path in args.files)
    gold_path, *paths = args.files
    for path, other in zip(paths, (words_a, words_b), strict=True):
        _check_same_words(words, other, gold_path, path)
    stems = [Path(path).stem for path in paths]
    names = names_of(args, stems if len(set(stems)) == 2 else paths)
    counter = chunk_counter(args.chunks)
    return compare_predictions(gold, a, b, counter=counter, names=names, **given)


def _check_same_words(gold: Any, other: Any, gold_path: str, path: str) -> None:
    """Raise if two files of tags have different words, where both have words."""
    for number, (ours, theirs) in enumerate(zip(gold, other, strict=False), start=1):
        for our_token, their_token in zip(ours, theirs, strict=False):
            if our_token and their_token and our_token[0] != their_token[0]:
                raise InputError(
                    f"sentence {number} has the word {our_token[0]!r} in {gold_path}, but "
                    f"{their_token[0]!r} in {path}"
                )


def _checked_pos_label(
    args: argparse.Namespace, truth: set[str], predicted: Mapping[tuple[str, str], set[str]]
) -> str | None:
    """Return the positive class; raise if labels are scores, or written in several ways.

    Numbers such as 0.73 that are predicted and never true are probabilities.
    """
    declared = set(args.labels or [])
    fractions_known = any(re.fullmatch(FRACTION, label) for label in truth | declared)
    for (option, column), labels in predicted.items():
        fractions = {label for label in labels if re.fullmatch(FRACTION, label)}
        if len(fractions) >= MANY and not fractions_known:
            raise InputError(
                f"{option} {column} must contain labels, got numbers such as {min(fractions)}, "
                f"which --truth does not contain. Pass probabilities and other scores as "
                f"{option.replace('--', '--score-')} {column}, with a metric of scores such as "
                "--scoring roc_auc, or threshold them first. To compare predictions of numbers, "
                "pass a metric of numbers, such as --scoring r2."
            )
    classes = declared.union(truth, *predicted.values())
    written: dict[str, str] = {}
    for label in sorted(classes):
        other = written.setdefault(_plain(label), label)
        if other != label:
            raise InputError(
                f"{other!r} and {label!r} are two classes, because labels are compared as text. "
                "Write the labels of all columns in the same way."
            )
    if args.pos_label is not None or len(classes) != 2:
        return args.pos_label
    return written.get("1", written.get("true"))


def _plain(label: str) -> str:
    """Return a label without spaces around it and ".0" after a whole number; true for True."""
    text = re.sub(r"(?a:^([+-]?\d+)\.0*$)", r"\1", label.strip())
    return text.lower() if text.lower() in ("true", "false") else text
