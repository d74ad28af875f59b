"""What is printed and saved of a result, and the exit code that it gives."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

import pandas as pd

from skbayeseval import ComparisonResult, Ranking
from skbayeseval._files import save_figure
from skbayeseval.cli.gate import judge
from skbayeseval.cli.messages import printable
from skbayeseval.judgement.decision import SETTLED, WORDS

__all__ = ["as_shown", "as_text", "report", "save", "stop_printing"]

Result = ComparisonResult | Ranking


def report(result: Result, args: argparse.Namespace) -> int:
    """Print and save a result, and return the exit code, which is that of the gate."""
    gate = None if args.gate is None else judge(result, args.gate, args.rope)
    try:
        if args.json:
            found = _as_json(result, args.rope)
            if gate is not None:
                found["gate"] = gate.to_dict()
            print(json.dumps(found, indent=2))
        else:
            _print(result, args.rope)
        sys.stdout.flush()
    except BrokenPipeError:  # the gate has been judged all the same
        stop_printing()
    save(result, args, quiet=args.json)
    if gate is None:
        return 0
    if not args.json:
        print(f"\n{gate}")
    return gate.exit_code


def stop_printing() -> None:
    """Print no more, after the reader of a pipe, such as head, has seen enough."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def as_text(table: pd.DataFrame) -> str:
    """Return a table with four digits."""
    return table.to_string(float_format="{:.4g}".format)


def save(result: Result, args: argparse.Namespace, *, quiet: bool = False) -> None:
    """Save the figure and the page, where these are asked for."""
    if args.plot:
        path = save_figure(_figure(result, args.rope), args.plot)
        if not quiet:
            print(f"\nfigure: {printable(str(path))}")
    if args.report:
        result.report(args.report, rope=args.rope)
        if not quiet:
            print(f"\nreport: {printable(args.report)}")


def _print(result: Result, rope: float | None) -> None:
    if rope is not None:
        print(*(result.decision(rope, metric=name) for name in result.metrics), sep="\n")
        print()
    print(_with_options(str(result), rope))
    print()
    if isinstance(result, Ranking):
        for name, summary in _summaries(result, rope).items():
            print(f"{name}, the differences of pairs:\n{as_text(as_shown(summary, rope))}")
            print(*_on_factors(summary, rope), "", sep="\n")
        return
    summary = result.summary(rope)
    print(as_text(as_shown(summary, rope).T), *_on_factors(summary, rope), sep="\n")
    for name in result.metrics if rope else ():
        try:
            factor = result.bayes_factor(rope, metric=name)
        except ValueError:  # the model has no proper prior
            continue
        if not factor.reliable:
            print(f"\nbf of {name} is NaN, because it is not reliable: {factor.reason}")


def as_shown(summary: pd.DataFrame, rope: float | None) -> pd.DataFrame:
    """Return a summary as it is printed: with words for what is not settled.

    Without a ROPE, nothing is decided, and mostly nothing is known of a difference of exactly 0.
    """
    if rope is not None:
        words = {code: label for code, (_, label) in WORDS.items() if code not in SETTLED}
        return summary.assign(decision=summary["decision"].replace(words))
    empty = ["bf"] if summary["bf"].isna().all() else []
    empty += ["p_rope"] if (summary["p_rope"] == 0).all() else []
    return summary.drop(columns=["decision", *empty]).rename(columns={"p_rope": "p_equal"})


def _on_factors(summary: pd.DataFrame, rope: float | None) -> Iterator[str]:
    """Yield a line on what Bayes factors are in favour of, if there are any."""
    if summary["bf"].notna().any():
        equal = "a difference of 0" if not rope else "a difference inside the ROPE"
        yield f"bf: Bayes factor for {equal}; above 1 the data speak for it, below 1 against it"


def _with_options(text: str, rope: float | None) -> str:
    """Return a printed result with options in the place of methods, where these are advised."""
    if rope is not None:
        text = re.sub(r"\n *Use decision\(rope=r\) .*", "", text)
    text = text.replace("Use decision(rope=r)", "Use --rope r")
    return text.replace("see prior_sensitivity()", "see --report FILE")


def _summaries(ranking: Ranking, rope: float | None) -> dict[str, pd.DataFrame]:
    return {name: ranking.summary(rope, metric=name) for name in ranking.metrics}


def _as_json(result: Result, rope: float | None) -> dict[str, Any]:
    """Return a result as JSON has it; of a ranking, the tables and the pairs of each metric."""
    found = {**result.to_dict(), "rope": rope}
    if isinstance(result, Ranking):
        found["ranking"] = {name: _rows(result.ranking(metric=name)) for name in result.metrics}
        found["summary"] = {
            name: _rows(summary) for name, summary in _summaries(result, rope).items()
        }
    else:
        table = result.summary(rope)
        found["summary"] = json.loads(table.to_json(orient="index", double_precision=15))
    return found


def _rows(table: pd.DataFrame) -> Any:
    return json.loads(table.reset_index().to_json(orient="records", double_precision=15))


def _figure(result: Result, rope: float | None) -> Any:
    """Return a figure of all metrics, one below the other."""
    if len(result.metrics) == 1:
        return result.plot(rope=rope).figure_
    from matplotlib import pyplot as plt

    width, height = plt.rcParams["figure.figsize"]
    n = len(result.metrics)
    figure, axes = plt.subplots(n, figsize=(width, n * height), layout="constrained")
    for ax, name in zip(axes, result.metrics, strict=True):
        result.plot(rope=rope, metric=name, ax=ax)
    return figure
