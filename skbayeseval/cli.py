"""The command-line interface."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import pandas as pd

import skbayeseval
from skbayeseval import ComparisonResult, chunk_counter, compare_counts, compare_predictions
from skbayeseval._files import save_figure
from skbayeseval.metrics.scoring import is_of_numbers
from skbayeseval.sequences.conll import TaggedFile, read_conll

__all__ = ["main"]


class _Parser(argparse.ArgumentParser):
    """A parser that reports errors in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {_printable(message)} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0, or 2 for bad input or missing data."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # terminals may not support ≫ and ≈
            stream.reconfigure(errors="replace")
    args = _parser().parse_args(argv)
    try:
        return args.run(args) or 0
    except BrokenPipeError:  # for example, piped into head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, TypeError, ArithmeticError, OSError, ImportError) as error:
        message = _printable(" ".join(str(error).split()))
        print(f"skbayeseval {args.command}: error: {message}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="skbayeseval",
        description="Is classifier A really better than B, by how much, and how sure are we?",
    )
    parser.add_argument("--version", action="version", version=skbayeseval.__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    compare = commands.add_parser(
        "compare",
        help="compare two columns of predictions in a CSV file, or two files of tags",
        description="Compare two classifiers from a CSV file with one column of true labels and "
        "one column of predictions per classifier; regressors, with --scoring r2 or another metric "
        "of numbers; or, with --chunks, two taggers from files with one token per line and its tag "
        "in the last column.",
        epilog="examples: skbayeseval compare predictions.csv --truth y --a nb --b svm "
        "--scoring f1 --rope 0.01; skbayeseval compare gold.conll a.conll b.conll --chunks IOB2",
    )
    compare.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="the CSV file, with a header line, in which labels are text; with --chunks, the files "
        "of the true tags, of A's tags and of B's tags",
    )
    compare.add_argument("--truth", metavar="COLUMN", help="the true labels")
    compare.add_argument("--a", metavar="COLUMN", help="the predictions of A")
    compare.add_argument("--b", metavar="COLUMN", help="the predictions of B")
    compare.add_argument(
        "--chunks", metavar="SCHEME", help="compare chunks of tags: IOB1, IOB2, IOBES or BMES"
    )
    compare.add_argument(
        "--pos-label", metavar="LABEL", help="the positive class (default: 1, if that is a class)"
    )
    _add_common(compare, scoring="accuracy, or f1 with --chunks", model="auto")
    compare.set_defaults(run=_compare)

    counts = commands.add_parser(
        "counts",
        help="compare two classifiers from their confusion counts",
        description="Compare two classifiers from their numbers of true positives, false "
        "positives, false negatives and, if known, true negatives.",
        epilog="example: skbayeseval counts --a 88 10 12 --b 80 14 20 --scoring f1 recall "
        "--rope 0.01",
    )
    for name in ("a", "b"):
        counts.add_argument(
            f"--{name}",
            required=True,
            nargs="+",
            type=float,
            metavar="N",
            help=f"TP FP FN [TN] of {name.upper()}",
        )
    _add_common(counts, scoring="f1", model="bcv")
    counts.set_defaults(run=_counts, scoring=["f1"])

    demo = commands.add_parser(
        "demo",
        help="compare naive Bayes with an SVM on data that ships with scikit-learn",
        description="Fit naive Bayes and a support vector machine on data that ships with "
        "scikit-learn, and compare them.",
    )
    demo.add_argument(
        "--rope",
        type=float,
        default=0.01,
        help="the largest difference that does not matter (default: 0.01)",
    )
    demo.add_argument("--plot", metavar="FILE", help="save the figure to this file")
    demo.add_argument("--report", metavar="FILE", help="save all that is known to one page of HTML")
    demo.set_defaults(run=_demo)

    papers = commands.add_parser(
        "reproduce",
        help="reproduce the tables and figures of the papers",
        description="Run the experiments of the papers, and print published and reproduced "
        "values. Experiments whose data are missing are skipped with a message, and the exit code "
        "is then 2.",
        epilog="example: skbayeseval reproduce acl2019 --conll eng.train",
    )
    papers.add_argument("paper", choices=["sigir2016", "icdm2015", "acl2019", "all"])
    papers.add_argument(
        "--data-home",
        metavar="DIR",
        help="the folder of scikit-learn's data sets, for 20 Newsgroups, which is downloaded if "
        "necessary (default: SCIKIT_LEARN_DATA, or scikit-learn's default)",
    )
    papers.add_argument(
        "--conll",
        metavar="PATH",
        help="the English training part of CoNLL-2003 (eng.train), or its folder; fitting 24 "
        "CRFs takes 12 minutes on one core",
    )
    papers.add_argument(
        "--output",
        metavar="FOLDER",
        default="reproduction",
        help="the folder to save figures in (default: %(default)s)",
    )
    papers.set_defaults(run=_reproduce)
    return parser


def _add_common(parser: argparse.ArgumentParser, *, scoring: str, model: str) -> None:
    parser.add_argument(
        "--scoring",
        nargs="+",
        metavar="NAME",
        help=f"the metrics (default: {scoring})",
    )
    parser.add_argument(
        "--rope", type=float, help="the largest difference that does not matter, such as 0.01"
    )
    parser.add_argument(
        "--model", default=model, help=f"auto, paired, unpaired or bcv (default: {model})"
    )
    parser.add_argument(
        "--weight", type=float, default=1.0, help="the weight of one count (default: 1)"
    )
    parser.add_argument(
        "--draws", type=int, default=20_000, help="the number of posterior draws (default: 20000)"
    )
    parser.add_argument("--seed", type=int, default=0, help="the seed of the draws (default: 0)")
    parser.add_argument("--names", nargs=2, metavar=("A", "B"), help="names of the classifiers")
    parser.add_argument(
        "--plot", metavar="FILE", help="save the figure to this file (.png, .pdf, .svg)"
    )
    parser.add_argument(
        "--report", metavar="FILE", help="save all that is known to one page of HTML"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def _common(args: argparse.Namespace) -> dict[str, Any]:
    return {
        "scoring": args.scoring,
        "model": args.model,
        "weight": args.weight,
        "n_draws": args.draws,
        "random_state": args.seed,
    }


def _compare(args: argparse.Namespace) -> None:
    _report(_compare_chunks(args) if args.chunks else _compare_columns(args), args)


def _compare_columns(args: argparse.Namespace) -> ComparisonResult:
    options = ("truth", "a", "b")
    missing = [f"--{option}" for option in options if getattr(args, option) is None]
    if missing:
        raise ValueError(
            f"{', '.join(missing)} must name columns of the CSV file; for files of tags, pass "
            "--chunks"
        )
    if len(args.files) > 1:
        raise ValueError(f"one CSV file is expected, got {len(args.files)} files")
    (path,) = args.files
    table = _read_csv(path)
    columns = {option: _labels(table, option, getattr(args, option), path) for option in options}
    names = _names(args.names or ((args.a, args.b) if args.a != args.b else ("A", "B")))
    if is_of_numbers(args.scoring):
        numbers = [_numbers(columns[option], option, path) for option in options]
        return compare_predictions(*numbers, names=names, pos_label=args.pos_label, **_common(args))
    classes = {label for column in columns.values() for label in column}
    _check_spelling(classes)
    return compare_predictions(
        columns["truth"],
        columns["a"],
        columns["b"],
        names=names,
        pos_label=_class_one(classes) if args.pos_label is None else args.pos_label,
        **_common(args),
    )


def _numbers(column: list[str], option: str, path: str) -> list[float]:
    """Return the numbers of a column, for metrics of numbers."""
    found = []
    for row, text in enumerate(column, start=1):
        try:
            found.append(float(text))
        except ValueError:
            raise ValueError(
                f"--{option}: {text!r} in row {row} of {path} is no number, but the metric is one "
                "of numbers"
            ) from None
    return found


def _compare_chunks(args: argparse.Namespace) -> ComparisonResult:
    given = [f"--{name}" for name in ("truth", "a", "b") if getattr(args, name) is not None]
    if given:
        raise ValueError(f"{given[0]} names a column of a CSV file, and does not go with --chunks")
    if len(args.files) != 3:
        raise ValueError(
            "--chunks requires three files, those of the true tags, of A's tags and of B's tags, "
            f"got {len(args.files)}"
        )
    gold, a, b = (read_conll(path) for path in args.files)
    for path, other in zip(args.files[1:], (a, b), strict=True):
        _check_same_words(gold, other, args.files[0], path)
    return compare_predictions(
        gold.tags,
        a.tags,
        b.tags,
        counter=chunk_counter(args.chunks),
        names=_names(args.names or ("A", "B")),
        pos_label=args.pos_label,
        **_common(args),
    )


def _check_same_words(gold: TaggedFile, other: TaggedFile, gold_path: str, path: str) -> None:
    """Raise if two files of tags have different words, where both have words."""
    if len(gold.tags) != len(other.tags):
        raise ValueError(
            f"{gold_path} has {len(gold.tags)} sentences, but {path} has {len(other.tags)}"
        )
    for number, (ours, theirs) in enumerate(zip(gold.tokens, other.tokens, strict=True), start=1):
        if len(ours) != len(theirs):
            raise ValueError(
                f"sentence {number} has {len(ours)} tokens in {gold_path}, but {len(theirs)} in "
                f"{path}"
            )
        for one, another in zip(ours, theirs, strict=True):
            if one and another and one[0] != another[0]:
                raise ValueError(
                    f"sentence {number} has the word {one[0]!r} in {gold_path}, but {another[0]!r} "
                    f"in {path}"
                )


def _read_csv(path: str) -> pd.DataFrame:
    """Return all cells as text, the header in the first row; only empty cells are missing."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.:-]*://", path):
        raise ValueError(f"{path} is an address, but only files are read. Download it first.")
    try:
        # pandas takes no absolute path for an address. With a header of its own, it would make an
        # index of the first column where lines are longer than the header.
        return pd.read_csv(
            os.path.abspath(path), header=None, dtype=str, keep_default_na=False, na_values=[""]
        )
    except OSError:
        raise
    except Exception as error:  # pandas may raise any exception of its decoders
        raise ValueError(f"{path} cannot be read as a CSV table: {error}") from error


def _labels(table: pd.DataFrame, option: str, name: str, path: str) -> list[str]:
    """Return the labels of a column of the table."""
    header = ["" if pd.isna(cell) else cell for cell in table.iloc[0]]
    if header.count(name) != 1:
        found = "no such column" if name not in header else "more than one such column"
        raise ValueError(f"--{option} {name}: {found} in {path}, which has {', '.join(header)}")
    column = table.iloc[1:, header.index(name)].fillna("").tolist()
    empty = [i for i, label in enumerate(column, start=1) if not label.strip()]
    if empty:
        raise ValueError(
            f"--{option} {name}: {len(empty)} of {len(column)} labels in {path} are missing, the "
            f"first in row {empty[0]} below the header. Every instance must have a label."
        )
    return column


def _check_spelling(classes: set[str]) -> None:
    """Raise if labels that were surely meant to be the same are written differently."""
    written: dict[str, str] = {}
    for label in sorted(classes):
        other = written.setdefault(_plain(label), label)
        if other != label:
            raise ValueError(
                f"{other!r} and {label!r} are two classes, because labels are compared as text. "
                "Write the labels of all columns in the same way."
            )


def _plain(label: str) -> str:
    """Return a label without spaces around it and ".0" after a whole number; true for True."""
    text = re.sub(r"(?a:^([+-]?\d+)\.0*$)", r"\1", label.strip())
    return text.lower() if text.lower() in ("true", "false") else text


def _class_one(classes: set[str]) -> str | None:
    """Return the class 1 (or true) of two classes, as it is written."""
    ones = [label for label in classes if _plain(label) in ("1", "true")]
    return ones[0] if len(ones) == 1 and len(classes) == 2 else None


def _names(names: Sequence[str]) -> tuple[str, str]:
    return _printable(names[0]), _printable(names[1])


def _printable(text: str) -> str:
    """Escape characters that would control the terminal, as `repr` does."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _counts(args: argparse.Namespace) -> None:
    names = _names(args.names or ("A", "B"))
    _report(compare_counts(args.a, args.b, names=names, **_common(args)), args)


def _demo(args: argparse.Namespace) -> None:
    from skbayeseval.demo import by_each_model, naive_bayes_against_svm

    print("Naive Bayes and an SVM on the breast cancer data, by 3 x 2 block-regularised CV\n")
    result = naive_bayes_against_svm()
    print(result.decision(args.rope))
    print()
    print(result)
    print("\nThe difference in F1 under each model:\n")
    print(_text(by_each_model(args.rope)))
    _save_figure(result, args)
    _save_page(result, args)


def _reproduce(args: argparse.Namespace) -> int:
    import matplotlib as mpl

    from skbayeseval.reproduce import PAPERS, reproduce

    mpl.use("agg")  # figures go to files
    papers = PAPERS if args.paper == "all" else (args.paper,)
    report = reproduce(papers, args.output, data_home=args.data_home, conll=args.conll)
    return 2 if report.missing else 0


def _report(result: ComparisonResult, args: argparse.Namespace) -> None:
    summary = result.summary(args.rope)
    if args.json:
        report = result.to_dict()
        report["rope"] = args.rope
        report["summary"] = json.loads(summary.to_json(orient="index", double_precision=15))
        print(json.dumps(report, indent=2))
    else:
        if args.rope is not None:
            print(*(result.decision(args.rope, metric=name) for name in result.metrics), sep="\n")
            print()
        print(result)
        print()
        print(_text(summary.T))
        for name in result.metrics if args.rope else ():
            factor = result.bayes_factor(args.rope, metric=name)
            if not factor.reliable:
                print(f"\nbf of {name} is NaN, because it is not reliable: {factor.reason}")
    _save_figure(result, args, quiet=args.json)
    _save_page(result, args, quiet=args.json)


def _text(table: pd.DataFrame) -> str:
    return table.to_string(float_format="{:.4g}".format)


def _save_figure(result: ComparisonResult, args: argparse.Namespace, quiet: bool = False) -> None:
    if args.plot:
        path = save_figure(result.plot(rope=args.rope).figure_, args.plot)
        if not quiet:
            print(f"\nfigure: {_printable(str(path))}")


def _save_page(result: ComparisonResult, args: argparse.Namespace, quiet: bool = False) -> None:
    if args.report:
        result.report(args.report, rope=args.rope)
        if not quiet:
            print(f"\nreport: {_printable(args.report)}")
