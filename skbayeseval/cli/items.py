"""The command `items`: systems from logs with one score per item."""

from __future__ import annotations

import argparse
import itertools
import os
import re
from typing import Any

from skbayeseval import compare_items, compare_many_items, read_samples
from skbayeseval.cli.output import InputError, report
from skbayeseval.cli.parsing import add_model, add_output, model_options, names_of
from skbayeseval.compare.item_alignment import MISSING

EXTENSIONS = r"(\.(jsonl|json|ndjson|csv|tsv|txt|eval|parquet|pq))?(\.gz)?$"


def add_to(commands: Any) -> None:
    """Add the command to the program."""
    parser = commands.add_parser(
        "items",
        help="compare two or more systems from logs with one score per item",
        description="Compare two or more systems from one score per item: logs of "
        "lm-evaluation-harness (a file of samples, or its folder), of Inspect (.eval or JSON), of "
        "HELM (per_instance_stats.json, or its folder) and of promptfoo (JSON); other JSON Lines, "
        "CSV or Parquet tables. One file per system; text may be compressed by gzip. Formats are "
        "told by what is in a file. Items are matched by their ids.",
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
        action="store_true",
        help="an id that occurs more than once means further runs of this item",
    )
    parser.add_argument(
        "--scoring",
        metavar="NAME",
        help="pass@5: one of 5 attempts or more succeeds; pass^5: all do; with --runs (default: "
        "the mean of the score)",
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
        "as wrong (a score of 0), or raise an error (the default)",
    )
    parser.add_argument(
        "--lower-is-better", action="store_true", help="lower scores are better, as errors are"
    )
    add_model(parser, model="auto", models="auto, paired, bootstrap or clustered")
    add_output(parser)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    paths, filters = _parts(args.files, args.filter or [None])
    names = names_of(args, args.filter if len(args.files) == 1 else _default_names(paths))
    args.systems = names  # errors name them
    samples = [
        read_samples(
            path,
            score=args.score,
            id=args.id,
            group=args.group,
            filter=of_one,
            task=args.task,
            runs=args.runs,
            human=args.human,
        )
        for path, of_one in zip(paths, filters, strict=True)
    ]
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
    if n < 2:
        raise InputError(f"two or more files are expected, got only {files[0]}")
    if len(filters) not in (1, n):
        raise InputError(f"--filter must be given once, or {n} times, got {filters}")
    parts = list(zip(files * (n // len(files)), filters * (n // len(filters)), strict=True))
    for (one, part), (other, of_other) in itertools.combinations(parts, 2):
        if os.path.realpath(one) == os.path.realpath(other) and part == of_other:
            raise InputError(f"{one} and {other} are the same file")
    return [path for path, _ in parts], [part for _, part in parts]


def _default_names(paths: list[str]) -> list[str]:
    """Return the names of the files, or their paths if these names are the same."""
    names = [re.sub(EXTENSIONS, "", os.path.basename(os.path.normpath(path))) for path in paths]
    return names if len(set(names)) == len(names) else paths
