"""The command `reproduce`."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
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
    parser.add_argument(
        "--data-home",
        metavar="DIR",
        help="the folder of scikit-learn's data sets, for 20 Newsgroups, which is downloaded if "
        "necessary (default: SCIKIT_LEARN_DATA, or scikit-learn's default)",
    )
    parser.add_argument(
        "--conll",
        metavar="PATH",
        help="the English training part of CoNLL-2003 (eng.train), or its folder; fitting 24 "
        "CRFs takes 12 minutes on one core",
    )
    parser.add_argument(
        "--output",
        metavar="FOLDER",
        default="reproduction",
        help="the folder to save figures in (default: %(default)s)",
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    import matplotlib as mpl

    from skbayeseval.reproduce import PAPERS, reproduce

    mpl.use("agg")  # figures go to files
    papers = PAPERS if args.paper == "all" else (args.paper,)
    report = reproduce(papers, args.output, data_home=args.data_home, conll=args.conll)
    return 2 if report.missing else 0
