"""The command `counts`: two classifiers from their confusion counts."""

from __future__ import annotations

import argparse
from typing import Any

from skbayeseval import compare_counts
from skbayeseval.cli.gate import check_gate
from skbayeseval.cli.output import report
from skbayeseval.cli.parsing import add_model, add_output, add_scoring, names_of

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
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
        parser.add_argument(
            f"--{name}",
            required=True,
            nargs="+",
            type=float,
            metavar="N",
            help=f"TP FP FN [TN] of {name.upper()}",
        )
    add_scoring(parser, scoring="f1")
    add_model(parser, model="bcv", models="bcv or unpaired")
    add_output(parser)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    check_gate(args.gate, args.rope)
    names = names_of(args, ("A", "B"))
    result = compare_counts(
        args.a,
        args.b,
        scoring=args.scoring or "f1",
        model=args.model,
        weight=args.weight,
        names=(names[0], names[1]),
        n_draws=args.draws,
        random_state=args.seed,
    )
    return report(result, args)
