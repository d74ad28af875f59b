"""The commands `items`, from a table with a row per score, and `systems`, from a leaderboard."""

from __future__ import annotations

import argparse
import re
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval import compare_items, compare_many_items, compare_scores
from skbayeseval._arrays import in_words
from skbayeseval._tables import HOLES, text_table
from skbayeseval.cli.formats import printable
from skbayeseval.cli.output import (
    InputError,
    check_disagreements,
    model_options,
    names_of,
    report,
)
from skbayeseval.compare.item_alignment import MISSING
from skbayeseval.compare.long_table import RUNS, read_table


def add_items_to(commands: Any) -> None:
    """Add the command to the program."""
    parser = commands.add_parser(
        "items",
        help="compare two or more systems from a table with one score per system and item",
        description="Compare two or more systems from one score per item: a table of CSV, JSON "
        "Lines or Parquet with a row for each score of a system on an item.",
        epilog="example: skbayeseval items table.jsonl --system model --item id --score correct "
        "--groups subject --names new old --rope 0.01 --gate non-inferior",
    )
    add = parser.add_argument
    add("file", metavar="FILE", help="the table: .csv, .tsv, .txt, .jsonl, .ndjson, .parquet, .pq")
    add("--system", required=True, metavar="NAME", help="the column of systems; A comes first")
    text = "the column of items, or those that are ids together"
    add("--item", required=True, nargs="+", metavar="NAME", help=text)
    add("--score", required=True, metavar="NAME", help="the column of scores")
    add("--groups", metavar="NAME", help="the column of what items belong to, such as a text")
    add(
        "--runs",
        choices=RUNS,
        help="what rows of the same system and item are: runs, which all count, or retries, of "
        "which the first or the last counts (default: an error)",
    )
    add("--scoring", metavar="NAME", help="pass@5 or pass^5, with --runs all (default: the mean)")
    add(
        "--missing",
        choices=MISSING,
        default="raise",
        help="what to do about items that only some systems have: drop them, count them as wrong "
        "(a score of 0), estimate how they would be, or raise an error (the default)",
    )
    add("--lower-is-better", action="store_true", help="lower scores are better, as errors are")
    parser.add_model(model="auto", models="auto, paired or bootstrap")
    parser.add_output(disagreements="items with their ids and scores")
    parser.set_defaults(run=_run_items)


def _run_items(args: argparse.Namespace) -> int:
    if args.scoring is not None and not re.match("(?i)pass[@^]", args.scoring):
        raise InputError(
            f"--scoring must be pass@k or pass^k, such as pass@5, got {args.scoring}; all other "
            "scores are compared by their mean, and --score names the one that is meant"
        )
    columns = {name: vars(args)[name] for name in ("system", "item", "score", "groups")}
    system = columns["system"]
    table, systems = read_table(args.file), []
    if system in table:
        column = table[system].map(lambda one: printable(str(one)), na_action="ignore")
        table, systems = table.assign(**{system: column}), list(column.dropna().unique())
    if args.names is not None:
        if not set(args.names) <= set(systems) or len(set(args.names)) < len(args.names):
            raise InputError(
                f"--names must be different systems of the table, which has {in_words(systems)}, "
                f"got {args.names}"
            )
        table, systems = (
            pd.concat([table[table[system] == name] for name in args.names]),
            args.names,
        )
    check_disagreements(args, systems)
    options: dict[str, Any] = {
        **columns,
        "runs": args.runs,
        "scoring": args.scoring,
        "higher_is_better": not args.lower_is_better,
        "missing": args.missing,
        **model_options(args),
    }
    compare: Any = compare_many_items if len(systems) > 2 else compare_items
    return report(compare(table, **options), args)


def add_systems_to(commands: Any) -> None:
    """Add the command to the program."""
    parser = commands.add_parser(
        "systems",
        help="rank systems by a table of their scores on several tasks, in tiers",
        description="Rank two or more systems by a table with a row per system and a column per "
        "task, as leaderboards have it, with names in the first line and column. Cells may be "
        "empty. A column that is called like an average, such as avg or mean, is left out.",
        epilog="example: skbayeseval systems scores.csv --rope 0.5 --plot tiers.png",
    )
    add = parser.add_argument
    add("file", metavar="FILE", help="the table, in CSV or TSV")
    add("--tasks-in-rows", action="store_true", help="with a row per task and a column per system")
    add("--scoring", default="score", metavar="NAME", help="what the score is called")
    add("--lower-is-better", action="store_true", help="lower scores are better, as errors are")
    parser.add_model(model="auto", models="auto or hierarchical")
    parser.add_output()
    parser.set_defaults(run=_run_systems)


def _run_systems(args: argparse.Namespace) -> int:
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
    if cells.empty or cells.shape[1] < 2:
        raise InputError(f"{path} must have names in its first line and column, and scores beside")
    table = cells.iloc[:, 1:].set_axis(cells.iloc[:, 0].to_list(), axis=0)
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
