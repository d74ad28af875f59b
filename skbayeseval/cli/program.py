"""The program `skbayeseval`: its commands, its errors and its exit codes."""

from __future__ import annotations

import argparse
import io
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import skbayeseval
from skbayeseval import compare_counts
from skbayeseval._files import check_place
from skbayeseval._validation import UnlikelyDataWarning
from skbayeseval.cli import compare, items
from skbayeseval.cli.formats import one_line
from skbayeseval.cli.output import (
    InputError,
    Parser,
    model_options,
    names_of,
    report,
    save,
    say,
    with_options,
)
from skbayeseval.results.text_tables import as_text

EXIT_CODES = (
    "exit codes: 0 if all is well, 1 after an unforeseen failure, 2 if arguments or files are not "
    "as they should be, 3 if --gate is not passed"
)


def add_counts(commands: Any) -> None:
    """Add the command to the program."""
    parser = commands.add_parser(
        "counts",
        help="compare two classifiers from their confusion counts",
        description="Compare two classifiers from their numbers of true positives, false "
        "positives, false negatives and, if known, true negatives.",
        epilog="example: skbayeseval counts --a 88 10 12 --b 80 14 20 --scoring f1 recall "
        "--rope 0.01",
    )
    for name in ("a", "b"):
        counts = {"nargs": "+", "type": float, "metavar": "N", "required": True}
        parser.add_argument(f"--{name}", **counts, help=f"TP FP FN [TN] of {name.upper()}")
    parser.add_scoring(scoring="f1")
    parser.add_model(model="bcv", models="bcv or unpaired")
    parser.add_output()
    parser.set_defaults(run=_run_counts)


def _run_counts(args: argparse.Namespace) -> int:
    result = compare_counts(
        args.a,
        args.b,
        scoring=args.scoring or "f1",
        weight=args.weight,
        names=names_of(args, ("A", "B")),
        **model_options(args),
    )
    return report(result, args)


def add_demo(commands: Any) -> None:
    """Add the command to the program."""
    what = "naive Bayes with an SVM on data that ships with scikit-learn"
    parser = commands.add_parser("demo", help=f"compare {what}", description=f"Compare {what}.")
    text = "the largest difference that does not matter (default: 0.01)"
    parser.add_argument("--rope", type=float, default=0.01, help=text)
    parser.add_argument("--plot", metavar="FILE", help="save the figure to this file")
    parser.add_argument("--report", metavar="FILE", help="save a page of HTML")
    parser.set_defaults(run=_run_demo)


def _run_demo(args: argparse.Namespace) -> int:
    from skbayeseval.demo import by_each_model, naive_bayes_against_svm

    say("Naive Bayes and an SVM on the breast cancer data, by 3 x 2 block-regularised CV\n")
    result = naive_bayes_against_svm()
    say(f"{result.decision(args.rope)}\n\n{result}\n\nThe difference in F1 under each model:\n")
    say(as_text(by_each_model(args.rope)).T.to_string())
    save(result, args)
    return 0


def add_reproduce(commands: Any) -> None:
    """Add the command to the program."""
    parser = commands.add_parser(
        "reproduce",
        help="reproduce the tables and figures of the papers",
        description="Run the experiments of the papers, and print published and reproduced "
        "values. Experiments whose data are missing are skipped with a message, and the exit code "
        "is then 2.",
        epilog="example: skbayeseval reproduce acl2019 --conll eng.train",
    )
    parser.add_argument("paper", choices=["sigir2016", "icdm2015", "acl2019", "all"])
    add = parser.add_argument
    add("--data-home", metavar="DIR", help="scikit-learn's data sets (default: its own folder)")
    add(
        "--conll", metavar="PATH", help="the training part of CoNLL-2003 (eng.train), or its folder"
    )
    text = "the folder to save figures in (default: %(default)s)"
    add("--output", metavar="FOLDER", default="reproduction", help=text)
    parser.set_defaults(run=_run_reproduce)


def _run_reproduce(args: argparse.Namespace) -> int:
    import matplotlib as mpl

    from skbayeseval.reproduce import PAPERS, reproduce

    mpl.use("agg")  # figures go to files
    papers = PAPERS if args.paper == "all" else (args.paper,)
    report = reproduce(papers, args.output, data_home=args.data_home, conll=args.conll, write=say)
    return 2 if report.missing else 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    0; 2 for bad input or missing data; 3 if a gate is not passed.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # terminals may not support ≫ and ≈
            stream.reconfigure(errors="replace")
    parser = Parser(
        prog="skbayeseval",
        description="Is classifier A really better than B, by how much, and how sure are we?",
        epilog=EXIT_CODES,
    )
    parser.add_argument("--version", action="version", version=skbayeseval.__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in (
        compare.add_to,
        items.add_items_to,
        items.add_systems_to,
        add_counts,
        add_demo,
        add_reproduce,
    ):
        add(commands)
    args = parser.parse_args(argv)

    told = set()

    def tell(what: str, said: Any, more: str = "") -> None:
        message = one_line(with_options(said, args)) + more
        if message in told:
            return
        told.add(message)
        print(f"skbayeseval {args.command}: {what}: {message}", file=sys.stderr)

    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: tell("warning", message)
            if getattr(args, "gate", None) == "non-inferior" and args.rope is None:
                raise InputError(
                    "--gate non-inferior requires --rope, the largest loss that does not matter"
                )
            if getattr(args, "gate", None) is None:
                if getattr(args, "planned", None) is not None:
                    raise InputError("--planned is about a gate, and requires --gate")
            else:  # nobody reads warnings there
                warnings.simplefilter("error", UnlikelyDataWarning)
            for option in ("plot", "report"):
                if getattr(args, option, None):
                    check_place(getattr(args, option))
            return args.run(args)
    except UnlikelyDataWarning as warning:
        tell("error", warning, " --gate does not judge such data.")
    except (ValueError, TypeError, ArithmeticError, OSError, ImportError) as error:
        tell("error", error)
    return 2
