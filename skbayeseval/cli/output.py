"""What is printed and saved of a result, and the exit code that it gives."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pandas as pd

from skbayeseval import ComparisonResult, Ranking
from skbayeseval._files import save_figure, written_whole
from skbayeseval._html import write_page
from skbayeseval.cli.formats import (
    Gate,
    Rope,
    as_markdown,
    judge,
    printable,
    report_to_github,
    write_junit,
)
from skbayeseval.evidence.item_scores import ItemScores
from skbayeseval.judgement.rope import warn_of_one_rope
from skbayeseval.results.ranking import MOST_IN_PAIRS
from skbayeseval.results.report import page
from skbayeseval.results.text_tables import as_text, within

# The exit code if a gate is not passed.
NOT_PASSED = 3


# Options by the arguments of functions that they stand for.
OPTIONS = {
    "n_draws": "--draws",
    "random_state": "--seed",
    "margin": "--rope",
    "counter": "--chunks",
    **{
        name: f"--{name.replace('_', '-')}"
        for name in (
            "pos_label", "scoring", "model", "weight", "rope", "names", "labels", "groups", "score",
            "id", "group", "filter", "task", "missing", "human", "truth", "a", "b", "looks",
            "planned", "runs",
        )
    },
}  # fmt: skip

# The same of data, which messages name without "=".
DATA = {
    "y_true": "--truth",
    "y_pred_a": "--a",
    "y_pred_b": "--b",
    "y_score_a": "--score-a",
    "y_score_b": "--score-b",
    "counts_a": "--a",
    "counts_b": "--b",
}

# What has an entry per item, which JSON does not show: `to_dict` has it.
PER_ITEM = {"scores", "group", "human", "seen", "estimated"}

Result = ComparisonResult | Ranking


class InputError(ValueError):
    """What is wrong with arguments or files, in the words of the command line."""


def in_words_of_options(error: Exception, names: Sequence[str] = ("A", "B")) -> str:
    """Return a message of a function with ``--labels`` for ``labels=``, and other options so.

    `names` are those of the systems whose scores are compared.
    """

    def option(found: re.Match[str]) -> str:
        name, text, value = found.groups()
        if name not in OPTIONS:
            return found[0]
        return f"{OPTIONS[name]} {text or ''}" if text or value else OPTIONS[name]

    if isinstance(error, InputError):
        return str(error)
    message = re.sub(r"\b(\w+)=(?:'([^']*)'|(?=([\w\[(-])))?", option, str(error))
    words = DATA | dict(zip(("scores_a", "scores_b"), names, strict=False))
    return re.sub(rf"\b({'|'.join(words)})\b=?", lambda found: words[found[1]], message)


def report(result: Result, args: argparse.Namespace) -> int:
    """Print and save a result, and return the exit code, which is that of the gate."""
    args.rope = _in_units(result, args.rope)
    looking = {"looks": args.looks, "planned": args.planned}
    gate = None if args.gate is None else judge(result, args.gate, args.rope, **looking)
    with printing():
        if args.format == "json":
            found = _as_json(result, args.rope)
            print(
                json.dumps(found if gate is None else {**found, "gate": gate.as_json()}, indent=2)
            )
        elif args.format == "markdown":
            print(as_markdown(result, gate, args.rope), end="")
        elif args.format == "github":
            report_to_github(result, gate, args.rope)
        else:
            print("" if gate is None else f"{gate}\n\n", end="")
            _print(result, args.rope)
    if args.junit is not None and gate is not None:
        write_junit(gate, args.junit)
    save(result, args, gate)
    return 0 if gate is None or gate.passed else NOT_PASSED


def _in_units(result: Result, rope: float | str | None) -> Rope | None:
    """Return a percentage in the units of the metric, or of each metric if these differ."""
    if not isinstance(rope, str):
        return rope
    found = {name: result._rope(rope, metric).high for name, metric in result._metrics.items()}
    return found if len(set(found.values())) > 1 else next(iter(found.values()))


@contextmanager
def printing() -> Iterator[None]:
    """Print at once, or no more after the reader of a pipe, such as head, has seen enough.

    What was judged stands, and what is to be saved is saved all the same.
    """
    try:
        yield
        if sys.stdout is not None:  # it is None where it was closed from the beginning
            sys.stdout.flush()
    except BrokenPipeError:
        stop_printing()


def stop_printing() -> None:
    """Let what is printed from now on go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def check_disagreements(args: argparse.Namespace, names: Sequence[str]) -> None:
    """Raise if disagreements of more than two are asked for."""
    if args.disagreements and len(names) > 2:
        raise InputError(
            f"--disagreements is about two, but {len(names)} are compared: {', '.join(names)}"
        )


def save(result: Result, args: argparse.Namespace, gate: Gate | None = None) -> None:
    """Save figure, page (which begins with the gate) and disagreements, if they are asked for."""
    quiet = getattr(args, "format", "text") != "text"  # the demo has no formats
    if isinstance(result, ComparisonResult) and vars(args).get("disagreements"):
        table = result.disagreements(vars(args).get("columns"))
        with written_whole(args.disagreements) as temporary:
            table.to_csv(temporary, index_label=str(table.index.name or "row"), lineterminator="\n")
        with printing():
            said = f"{len(table):,} disagreements: {printable(args.disagreements)}"
            print("" if quiet else f"\n{said}\n", end="")
    if args.plot:
        path = save_figure(_figure(result, args.rope), args.plot)
        with printing():
            print("" if quiet else f"\nfigure: {printable(str(path))}\n", end="")
    if args.report:
        ropes = result._ropes(args.rope)
        headline = f"G{str(gate).splitlines()[0][1:]}" if gate else ""
        write_page(args.report, lambda: page(result, result, ropes, headline=headline))
        with printing():
            print("" if quiet else f"\nreport: {printable(args.report)}\n", end="")


def _print(result: Result, rope: Rope | None) -> None:
    words = str(result).replace("decision(rope=r), with r", "--rope r, with r")
    if isinstance(result, Ranking) and result._is_board and rope is not None:
        plain, with_rope = ("\n".join(result._verdict_lines(of)) for of in (None, rope))
        words = words.replace(plain, with_rope).partition("\n  next ")[0]
    elif rope is not None:
        decisions = "\n".join(str(result.decision(rope, metric=name)) for name in result.metrics)
        print(_in_python(decisions), end="\n\n")
        words = words.partition("\n  next ")[0]
    if isinstance(result, Ranking) and not result._is_board:
        print(*(result.tiers(rope or 0.0, metric=name) for name in result.metrics), "", sep="\n")
    print(_in_python(words))
    if not isinstance(result, Ranking):
        return
    if result._is_board:
        print(
            f"The differences of all {len(result.pairs):,} pairs are in --format json, those of "
            f"the {MOST_IN_PAIRS} best in --report."
        )
        return
    for name, summary in _summaries(result, rope).items():
        pairs = as_text(summary, rope=rope is not None).drop(columns="std")
        pairs.index = pd.Index([" minus ".join(pair) for pair in pairs.index])
        print(f"\n{name}, the differences of pairs:\n{within(pairs)}")


def _in_python(words: str) -> str:
    """Return advice to call a function, as it is said where no Python runs."""
    words = words.replace("more in details()", "more in --report")
    return words.replace("required_sample_size", "in Python, required_sample_size")


def _summaries(ranking: Ranking, rope: Rope | None) -> dict[str, pd.DataFrame]:
    warn_of_one_rope(rope, ranking._metrics.values())
    return {name: ranking.summary(rope, metric=name) for name in ranking.metrics}


def _as_json(result: Result, rope: Rope | None) -> dict[str, Any]:
    """Return a result as JSON has it; of a ranking, the tables and the pairs of each metric."""
    found = {**result.to_dict(), "rope": rope}
    if isinstance(result.evidence, ItemScores):
        known = {key: value for key, value in found["evidence"].items() if key not in PER_ITEM}
        found["evidence"] = {**known, "n_items": result.evidence.n_items}
    if isinstance(result, Ranking):
        found["ranking"] = {
            name: _rows(result.ranking(rope=rope or 0.0, metric=name)) for name in result.metrics
        }
        found["tiers"] = {
            name: result.tiers(rope or 0.0, metric=name).groups for name in result.metrics
        }
        found["summary"] = {
            name: _rows(summary) for name, summary in _summaries(result, rope).items()
        }
    else:
        table = result.summary(rope)
        found["summary"] = json.loads(table.to_json(orient="index", double_precision=15))
    return found


def _rows(table: pd.DataFrame) -> Any:
    return json.loads(table.reset_index().to_json(orient="records", double_precision=15))


def _figure(result: Result, rope: Rope | None) -> Any:
    """Return a figure of all metrics, one below the other; of a ranking, its tiers."""
    kind = "tiers" if isinstance(result, Ranking) else "posterior"
    if len(result.metrics) == 1:
        return result.plot(kind, rope=rope).figure_
    from matplotlib import pyplot as plt

    width, height = plt.rcParams["figure.figsize"]
    n = len(result.metrics)
    figure, axes = plt.subplots(n, figsize=(width, n * height), layout="constrained")
    for ax, name in zip(axes, result.metrics, strict=True):
        result.plot(kind, rope=rope, metric=name, ax=ax)
    return figure
