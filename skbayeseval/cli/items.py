"""The commands `items`, from logs with one score per item, and `systems`, from a leaderboard."""

from __future__ import annotations

import argparse
import itertools
import os
import re
import shlex
from typing import Any

import numpy as np
import pandas as pd

from skbayeseval import compare_items, compare_many_items, compare_scores, read_samples
from skbayeseval._arrays import in_words
from skbayeseval._tables import text_table
from skbayeseval.cli.output import (
    InputError,
    add_model,
    add_output,
    check_disagreements,
    model_options,
    names_of,
    report,
)
from skbayeseval.compare.item_alignment import MISSING
from skbayeseval.compare.logs import models_of_log, names_of_models

EXTENSIONS = r"(\.(jsonl|json|ndjson|csv|tsv|txt|eval|parquet|pq))?(\.gz)?$"


def add_items_to(commands: Any) -> None:
    """Add the command to the program."""
    parser = commands.add_parser(
        "items",
        help="compare two or more systems from logs with one score per item",
        description="Compare two or more systems from one score per item: logs of "
        "lm-evaluation-harness, Inspect, HELM and promptfoo, and other JSON Lines, CSV or Parquet "
        "tables. One file or folder per system, or one log of several models. Items are matched by "
        "their ids.",
        epilog="example: skbayeseval items new.jsonl old.jsonl --score exact_match --filter "
        "strict-match --group subject --rope 0.01 --gate non-inferior",
    )
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="the logs of A, of B, ...")
    add("--score", metavar="NAME", help="the score (default: the only one)")
    add("--id", metavar="NAME", help="the ids of items (default: those of the format)")
    add("--group", "--groups", metavar="NAME", help="what items belong to, such as subject")
    add(
        "--filter",
        action="append",
        metavar="NAME",
        help="which part of a file is meant: the filter of lm-evaluation-harness, the provider of "
        "promptfoo, the split of HELM. Once, or once for each system; several parts of a single "
        "FILE are compared with each other",
    )
    add("--task", metavar="NAME", help="the task in a folder of several; 'mmlu_*' or '*' for more")
    add(
        "--runs",
        choices=("all", "first", "last"),
        help="what an id that occurs again means: a further run, which counts (all), or a retry, "
        "of which the first or the last counts (default: an error)",
    )
    add("--scoring", metavar="NAME", help="pass@5 or pass^5, with --runs all (default: the mean)")
    add("--human", metavar="NAME", help="people's grades of some items, which correct the score")
    add(
        "--missing",
        choices=MISSING,
        default="raise",
        help="what to do about items that only some files have: drop them, count them as wrong (a "
        "score of 0), estimate how they would be, or raise an error (the default)",
    )
    add("--lower-is-better", action="store_true", help="lower scores are better, as errors are")
    add_model(parser, model="auto", models="auto, paired or bootstrap")
    add_output(parser, disagreements="items with their ids and scores")
    parser.set_defaults(run=_run_items)


def _run_items(args: argparse.Namespace) -> int:
    parts = _parts(args)
    stems = [re.sub(EXTENSIONS, "", os.path.basename(os.path.normpath(path))) for path, _ in parts]
    default = stems if len(set(stems)) == len(stems) else [path for path, _ in parts]
    if len(args.files) == 1:
        default = [part for _, part in parts]
    args.systems = names_of(args, default)  # errors name them
    check_disagreements(args, args.systems)
    samples = [
        read_samples(
            path,
            score=args.score,
            id=args.id,
            group=args.group,
            filter=part,
            task=args.task,
            runs=args.runs or False,
            human=args.human,
        )
        for path, part in parts
    ]
    if len(args.files) > 1:
        args.systems = names_of(args, names_of_models(samples, default))
    if args.scoring not in (None, samples[0].score) and not re.match("(?i)pass[@^]", args.scoring):
        raise InputError(
            f"--scoring must be pass@k or pass^k, such as pass@5, got {args.scoring}; all other "
            "scores are compared by their mean, and --score names the one that is meant"
        )
    options: dict[str, Any] = {
        "scoring": args.scoring or samples[0].score,
        "higher_is_better": not args.lower_is_better,
        "missing": args.missing,
        **model_options(args),
    }
    if len(samples) > 2:
        scores = dict(zip(args.systems, samples, strict=True))
        return report(compare_many_items(scores, **options), args)
    return report(compare_items(*samples, names=args.systems, **options), args)


def _parts(args: argparse.Namespace) -> list[tuple[str, Any]]:
    """Return the file of each system, and which part of it is meant."""
    files, filters = args.files, args.filter or [None]
    if len(files) == len(filters) == 1:
        filters = _parts_of_one(files[0], args)
    n = max(len(files), len(filters))
    if len(filters) not in (1, n) or len(files) not in (1, n):
        raise InputError(f"--filter must be given once, or {len(files)} times, got {filters}")
    parts = list(zip(files * (n // len(files)), filters * (n // len(filters)), strict=True))
    for (one, part), (other, of_other) in itertools.combinations(parts, 2):
        if os.path.realpath(one) == os.path.realpath(other) and part == of_other:
            raise InputError(f"{one} and {other} are the same file")
    return parts


def _parts_of_one(path: str, args: argparse.Namespace) -> list[str]:
    """Return the names of the models of which one file is the log."""
    models = models_of_log(path, args.task)
    if len(models) > 1 and all(models.values()) and not (args.filter or args.gate):
        return list(models)
    few = f"two or more files are expected, got only {path}"
    if len(models) < 2:
        named = ", ".join(filter(None, models.values()))
        raise InputError(few + (f", the log of {named}" if named else ""))
    choice = f"--filter {' --filter '.join(map(shlex.quote, list(models)[:2]))}"
    if not all(models.values()):
        raise InputError(
            f"{few}, the log of one system, with the filters {in_words(models)}. Pass the log of "
            f"another system, too, or {choice} to compare these filters with each other"
        )
    why = f"--gate asks about the first system, and {path}" if args.gate else f"{few}, which"
    raise InputError(f"{why} has several: {in_words(models)}. Pass, for example, {choice}")


# What else than an empty cell is a missing score.
HOLES = ("", "-", "na", "n/a", "nan")


def add_systems_to(commands: Any) -> None:
    """Add the command to the program."""
    parser = commands.add_parser(
        "systems",
        help="rank systems by a table of their scores on several tasks or items, in tiers",
        description="Rank two or more systems by a table with a row per system and a column per "
        "task, as leaderboards have it, with names in the first line and column. Cells may be "
        "empty. A column that is called like an average, such as avg or mean, is left out.",
        epilog="examples: skbayeseval systems scores.csv --rope 0.5 --plot tiers.png; skbayeseval "
        "systems answers.csv --items --long model question correct",
    )
    add = parser.add_argument
    add("file", metavar="FILE", help="the table, in CSV or TSV")
    add("--tasks-in-rows", action="store_true", help="with a row per task and a column per system")
    add(
        "--items",
        action="store_true",
        help="scores are of items, such as questions, and not of tasks: what a system was not run "
        "on is estimated from how others did on these items",
    )
    add(
        "--long",
        nargs=3,
        metavar=("SYSTEM", "TASK", "SCORE"),
        help="the table has a row per score, and these columns (TASK has the items, with --items)",
    )
    add("--scoring", default="score", metavar="NAME", help="what the score is called")
    add("--lower-is-better", action="store_true", help="lower scores are better, as errors are")
    models = "auto or hierarchical; with --items, bootstrap or paired"
    add_model(parser, model="auto", models=models)
    add_output(parser)
    parser.set_defaults(run=_run_systems)


def _run_systems(args: argparse.Namespace) -> int:
    scores = _read(args.file, by_task=args.tasks_in_rows, long=args.long)
    if args.items:
        board = scores.set_axis(list(names_of(args, list(scores.columns))), axis=1)
        options = {"scoring": args.scoring, "higher_is_better": not args.lower_is_better}
        known = {"missing": "estimate", **options, **model_options(args)}
        return report(compare_many_items(board, **known), args)
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


def _read(path: str, *, by_task: bool, long: list[str] | None = None) -> pd.DataFrame:
    """Return the scores, with a row per task and a column per system."""
    cells = text_table(path, path).fillna("")
    if long is not None:
        cells, by_task = _as_matrix(cells, long, path), True
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


def _as_matrix(cells: pd.DataFrame, columns: list[str], path: str) -> pd.DataFrame:
    """Return the cells of a table with a row per score as one with a row per task."""
    header = cells.iloc[0].tolist()
    for name in columns:
        if header.count(name) != 1:
            raise InputError(
                f"--long {name}: {path} must have one such column, but has {in_words(header, name)}"
            )
    table = cells.iloc[1:].set_axis(header, axis=1)[columns]
    system, task, score = columns
    for _, again in table[table.duplicated([system, task])].iterrows():
        raise InputError(
            f"{path} has more than one score of {again[system]!r} on {again[task]!r}; average them "
            "first"
        )
    wide = table.pivot(index=task, columns=system, values=score).fillna("")
    wide = wide.reindex(index=table[task].unique(), columns=table[system].unique()).reset_index()
    return pd.concat([wide.columns.to_frame().T, wide]).reset_index(drop=True)
