"""The command `systems`: a leaderboard of systems on several tasks."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval import compare_scores
from skbayeseval._files import text_table
from skbayeseval.cli.output import InputError, report
from skbayeseval.cli.parsing import add_model, add_output, model_options, names_of

# What else than an empty cell is a missing score.
HOLES = ("", "-", "na", "n/a", "nan")


def add_to(commands: Any) -> None:
    """Add the command to the program."""
    parser = commands.add_parser(
        "systems",
        help="rank systems by a table of their scores on several tasks, in tiers",
        description="Rank two or more systems by a table with a row per system and a column per "
        "task, as leaderboards have it: a header line, names in the first column, one score per "
        "cell. Cells may be empty where a system was not run on a task. A column that is called "
        "like an average, such as avg or mean, is left out.",
        epilog="example: skbayeseval systems scores.csv --rope 0.5 --plot tiers.png",
    )
    parser.add_argument("file", metavar="FILE", help="the table, in CSV or TSV")
    parser.add_argument(
        "--tasks-in-rows",
        action="store_true",
        help="the table has a row per task and a column per system",
    )
    parser.add_argument(
        "--scoring", default="score", metavar="NAME", help="what the score is called"
    )
    parser.add_argument(
        "--lower-is-better", action="store_true", help="lower scores are better, as errors are"
    )
    add_model(parser, model="auto", models="auto or hierarchical")
    add_output(parser)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    scores = _read(args.file, by_task=args.tasks_in_rows)
    if len(scores) < 3:
        hint = "" if args.tasks_in_rows else "; if it has a row per task, pass --tasks-in-rows"
        raise InputError(
            f"{args.file} has scores on {len(scores)} tasks, but three or more are needed to tell "
            f"how much differences vary over tasks{hint}"
        )
    names = names_of(args, list(scores.columns))
    scores, scoring = scores.set_axis(list(names), axis=1), args.scoring
    if args.lower_is_better:
        scores, scoring = -scores, f"neg_{scoring}"
    return report(compare_scores(scores, scoring=scoring, **model_options(args)), args)


def _read(path: str, *, by_task: bool) -> pd.DataFrame:
    """Return the scores, with a row per task and a column per system."""
    cells = text_table(path, path).fillna("")
    if min(cells.shape) < 2:
        raise InputError(f"{path} must have names in its first line and column, and scores beside")
    table = cells.iloc[1:, 1:].set_axis(cells.iloc[1:, 0].to_list(), axis=0)
    table = table.set_axis(cells.iloc[0, 1:].to_list(), axis=1)
    for axis in (table.index, table.columns):
        if not axis.is_unique:
            raise InputError(f"{path} has {axis[axis.duplicated()][0]!r} more than once")
    is_hole = table.apply(lambda column: column.str.strip().str.lower().isin(HOLES))
    scores = table.where(~is_hole).apply(pd.to_numeric, errors="coerce")
    for row, column in np.argwhere((scores.isna() & ~is_hole).to_numpy()):
        raise InputError(
            f"{table.iloc[row, column]!r} in row {table.index[row]!r} and column "
            f"{table.columns[column]!r} of {path} is no number; leave the cell empty if there is "
            "no score"
        )
    return scores if by_task else scores.T
