"""The command `demo`."""

from __future__ import annotations

import argparse
from typing import Any

from skbayeseval.cli.output import as_shown, as_text, save

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command to the program."""
    parser = commands.add_parser(
        "demo",
        help="compare naive Bayes with an SVM on data that ships with scikit-learn",
        description="Fit naive Bayes and a support vector machine on data that ships with "
        "scikit-learn, and compare them.",
    )
    parser.add_argument(
        "--rope",
        type=float,
        default=0.01,
        help="the largest difference that does not matter (default: 0.01)",
    )
    parser.add_argument("--plot", metavar="FILE", help="save the figure to this file")
    parser.add_argument(
        "--report", metavar="FILE", help="save all that is known to one page of HTML"
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from skbayeseval.demo import by_each_model, naive_bayes_against_svm

    print("Naive Bayes and an SVM on the breast cancer data, by 3 x 2 block-regularised CV\n")
    result = naive_bayes_against_svm()
    print(result.decision(args.rope))
    print()
    print(result)
    print("\nThe difference in F1 under each model:\n")
    print(as_text(as_shown(by_each_model(args.rope).T, args.rope).T))
    save(result, args)
    return 0
