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
from skbayeseval.cli.output import InputError, check_disagreements, report
from skbayeseval.cli.parsing import add_model, add_output, model_options, names_of
from skbayeseval.compare.item_alignment import MISSING
from skbayeseval.compare.logs import models_of_log, names_of_models

EXTENSIONS = r"(\.(jsonl|json|ndjson|csv|tsv|txt|eval|parquet|pq))?(\.gz)?$"


def add_items_to(commands: Any) -> None:
    """Add the command to the program."""
    parser = commands.add_parser(
        "items",
        help="compare two or more systems from logs with one score per item",
        description="Compare two or more systems from one score per item: logs of "
        "lm-evaluation-harness (a file of samples, or its folder), of Inspect (.eval or JSON), of "
        "HELM (per_instance_stats.json, or its folder) and of promptfoo (JSON); other JSON Lines, "
        "CSV or Parquet tables. One file per system, or one file of promptfoo with several "
        "providers; text may be compressed by gzip. Formats are told by what is in a file. Items "
        "are matched by their ids.",
        epilog="example: skbayeseval items new.jsonl old.jsonl --score exact_match --filter "
        "strict-match --group subject --rope 0.01 --gate non-inferior",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="the logs of A, of B, ...")
    parser.add_argument("--score", metavar="NAME", help="the score (default: the only one)")
    parser.add_argument(
        "--id", metavar="NAME", help="the ids of items (default: those of the format)"
    )
    parser.add_argument(
        "--group",
        "--groups",
        metavar="NAME",
        help="what items belong to, such as subject: groups are then the unit of the evidence",
    )
    parser.add_argument(
        "--filter",
        action="append",
        metavar="NAME",
        help="which part of a file is meant, if there are several: the filter of "
        "lm-evaluation-harness, the provider of promptfoo, the split of HELM. Once, or once for "
        "each system: several parts of a single FILE are compared with each other",
    )
    parser.add_argument(
        "--task",
        metavar="NAME",
        help="the task, in a folder of lm-evaluation-harness that has several; 'mmlu_*' or '*' for "
        "several of them",
    )
    parser.add_argument(
        "--runs",
        choices=("all", "first", "last"),
        help="what an id that occurs more than once means: further runs of this item, which all "
        "count, or retries, of which the first or the last counts (default: an error)",
    )
    parser.add_argument(
        "--scoring",
        metavar="NAME",
        help="pass@5: one of 5 attempts or more succeeds; pass^5: all do; with --runs all "
        "(default: the mean of the score)",
    )
    parser.add_argument(
        "--human",
        metavar="NAME",
        help="the grades that people gave to some of the items, 10 or more: the score, which is "
        "that of a judge, is corrected by them",
    )
    parser.add_argument(
        "--missing",
        choices=MISSING,
        default="raise",
        help="what to do about items that only some files have a score for: drop them, count them "
        "as wrong (a score of 0), estimate how they would be, or raise an error (the default)",
    )
    parser.add_argument(
        "--lower-is-better", action="store_true", help="lower scores are better, as errors are"
    )
    add_model(parser, model="auto", models="auto, paired, bootstrap or clustered")
    add_output(parser, disagreements="items with their ids and scores")
    parser.set_defaults(run=_run_items)


def _run_items(args: argparse.Namespace) -> int:
    paths, filters = _parts(args.files, _filters(args))
    default = filters if len(args.files) == 1 else _default_names(paths)
    args.systems = names_of(args, default)  # errors name them
    check_disagreements(args, args.systems)
    samples = [
        read_samples(
            path,
            score=args.score,
            id=args.id,
            group=args.group,
            filter=of_one,
            task=args.task,
            runs=args.runs or False,
            human=args.human,
        )
        for path, of_one in zip(paths, filters, strict=True)
    ]
    if len(args.files) > 1:
        args.systems = names_of(args, names_of_models(samples, default))
    names = args.systems
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
        return report(compare_many_items(dict(zip(names, samples, strict=True)), **options), args)
    return report(compare_items(*samples, names=(names[0], names[1]), **options), args)


def _parts(files: list[str], filters: list[Any]) -> tuple[list[str], list[Any]]:
    """Return the file of each system, and which part of it is meant."""
    n = len(filters) if len(files) == 1 else len(files)
    if len(filters) not in (1, n):
        raise InputError(f"--filter must be given once, or {n} times, got {filters}")
    parts = list(zip(files * (n // len(files)), filters * (n // len(filters)), strict=True))
    for (one, part), (other, of_other) in itertools.combinations(parts, 2):
        if os.path.realpath(one) == os.path.realpath(other) and part == of_other:
            raise InputError(f"{one} and {other} are the same file")
    return [path for path, _ in parts], [part for _, part in parts]


def _filters(args: argparse.Namespace) -> list[Any]:
    """Return what to read of the files: by default all, and of a single one, each of its models."""
    filters = args.filter or [None]
    if len(args.files) > 1 or len(filters) > 1:
        return filters
    (path,) = args.files
    models = models_of_log(path, args.task)
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
    if args.filter or args.gate:
        why = f"--gate asks about the first system, and {path}" if args.gate else f"{few}, which"
        raise InputError(f"{why} has several: {in_words(models)}. Pass, for example, {choice}")
    return list(models)


def _default_names(paths: list[str]) -> list[str]:
    """Return the names of the files, or their paths if these names are the same."""
    names = [re.sub(EXTENSIONS, "", os.path.basename(os.path.normpath(path))) for path in paths]
    return names if len(set(names)) == len(names) else paths


# What else than an empty cell is a missing score.
HOLES = ("", "-", "na", "n/a", "nan")


def add_systems_to(commands: Any) -> None:
    """Add the command to the program."""
    parser = commands.add_parser(
        "systems",
        help="rank systems by a table of their scores on several tasks or items, in tiers",
        description="Rank two or more systems by a table with a row per system and a column per "
        "task, as leaderboards have it: a header line, names in the first column, one score per "
        "cell. Cells may be empty where a system was not run on a task. A column that is called "
        "like an average, such as avg or mean, is left out. With --items, columns are items of one "
        "benchmark, such as questions, that were drawn from many.",
        epilog="examples: skbayeseval systems scores.csv --rope 0.5 --plot tiers.png; skbayeseval "
        "systems answers.csv --items --long model question correct",
    )
    parser.add_argument("file", metavar="FILE", help="the table, in CSV or TSV")
    parser.add_argument(
        "--tasks-in-rows",
        action="store_true",
        help="the table has a row per task and a column per system",
    )
    parser.add_argument(
        "--items",
        action="store_true",
        help="scores are of items and not of tasks: what a system was not run on is estimated from "
        "how others did on these items",
    )
    parser.add_argument(
        "--long",
        nargs=3,
        metavar=("SYSTEM", "TASK", "SCORE"),
        help="the table has a row per score, and these columns (TASK has the items, with --items)",
    )
    parser.add_argument(
        "--scoring", default="score", metavar="NAME", help="what the score is called"
    )
    parser.add_argument(
        "--lower-is-better", action="store_true", help="lower scores are better, as errors are"
    )
    add_model(
        parser, model="auto", models="auto or hierarchical; with --items, bootstrap or paired"
    )
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
