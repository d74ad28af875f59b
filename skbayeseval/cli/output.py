"""The options that several commands have, and what becomes of a result."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from skbayeseval import ComparisonResult, Ranking, ScoreResult
from skbayeseval._files import save_figure, written_whole
from skbayeseval.cli.formats import (
    FORMATS,
    GATES,
    Gate,
    Result,
    Rope,
    judge,
    printable,
)
from skbayeseval.results.page import Page, page_of_gate, write_page

# The exit code if a gate is not passed.
NOT_PASSED = 3

# Options that are not called as the argument that they stand for, as messages write it.
OPTIONS = {
    "n_draws": "--draws",
    "random_state": "--seed",
    "margin=": "--rope",
    "counter=": "--chunks",
    "y_true": "--truth",
    "y_pred_a": "--a",
    "y_pred_b": "--b",
    "y_score_a": "--score-a",
    "y_score_b": "--score-b",
    "counts_a": "--a",
    "counts_b": "--b",
}


class InputError(ValueError):
    """What is wrong with arguments or files, in the words of the command line."""


def as_option(name: str) -> str:
    """Return the option of an argument of this name."""
    return f"--{name.replace('_', '-')}"


def with_options(error: Exception, args: argparse.Namespace) -> str:
    """Return a message as it is, and which options are meant by arguments that it mentions."""
    message = str(error)
    if isinstance(error, InputError):
        return message
    systems = getattr(args, "systems", ("A", "B"))
    meant = OPTIONS | dict(zip(("scores_a", "scores_b"), systems, strict=False))
    options = [f"{name} is {option}" for name, option in meant.items() if name in message]
    return f"{message} ({', '.join(options)})" if options else message


class _Once(argparse.Action):
    """Store a value, and refuse a second one, which would silently replace the first."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        given = vars(namespace).setdefault("given", set())
        if self.dest in given:
            raise argparse.ArgumentError(self, "may be given only once")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """A parser that reports errors in one line, and takes no option twice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.register("action", None, _Once)

    def error(self, message: str) -> NoReturn:
        """Exit with code 2."""
        if message.endswith("required: FILE"):
            message += ", before options that take several values"
        self.exit(2, f"{self.prog}: error: {printable(message)} (see {self.prog} --help)\n")

    def add_scoring(self, *, scoring: str) -> None:
        """Add the options of what is compared."""
        text = f"the metrics (default: {scoring})"
        self.add_argument("--scoring", nargs="+", action="extend", metavar="NAME", help=text)
        self.add_argument("--weight", type=float, help="the weight of one count (default: 1)")

    def add_model(self, *, model: str, models: str) -> None:
        """Add the options of the model and its draws."""
        self.add_argument("--model", default=model, help=f"{models} (default: {model})")
        text = "the number of posterior draws (default: 20000, fewer with more than 250 classes)"
        self.add_argument("--draws", type=int, help=text)
        self.add_argument("--seed", type=int, default=0, help="the seed of the draws (default: 0)")

    def add_output(self, *, disagreements: str = "") -> None:
        """Add the options of what is printed and saved; `disagreements` says what has them."""
        add = self.add_argument
        add(
            "--rope",
            type=_difference,
            help="the largest difference that does not matter, such as 0.01, or 1%% of the "
            "largest score that the metric can have, or of B's (of the best) if it has none",
        )
        add(
            "--gate",
            type=_gate,
            metavar="{non-inferior,better,NUMBER}",
            help="exit with 0 if A, the first, may be shipped, otherwise with 3. non-inferior: A "
            "is not worse than B by more than --rope with a probability of at least 95%%. better: "
            "A is better than B, by more than --rope if it is given, with that probability. This "
            "is required for each metric, and for each of several others than A. A number, of A "
            "alone: its score is above that number, with that probability",
        )
        add(
            "--planned",
            type=int,
            metavar="N",
            help="how many items or instances there will be at most. The gate may then be asked as "
            "often as you like while they come in",
        )
        add("--names", nargs="+", metavar="NAME", help="names of A, B, ...")
        if disagreements:
            text = f"save as CSV what A and B differ on, the most decisive first: {disagreements}"
            add("--disagreements", metavar="FILE", help=text)
        add("--plot", metavar="FILE", help="save a figure of all metrics (.png, .pdf, .svg)")
        add("--report", metavar="FILE", help="save all that is known to one page of HTML")
        formats = self.add_mutually_exclusive_group()
        formats.add_argument(
            "--format",
            choices=list(FORMATS),
            default="text",
            help="what to print: text (default); markdown, for a pull request; or json",
        )
        text = "the same as --format json"
        formats.add_argument("--json", dest="format", action="store_const", const="json", help=text)


def model_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the model and its draws, by the names of arguments."""
    return {"model": args.model, "n_draws": args.draws, "random_state": args.seed}


def _gate(text: str) -> str | float:
    """Return what a gate asks: a word, or a number."""
    if text in GATES:
        return text
    try:
        limit = float(text)
    except ValueError:
        limit = math.nan
    if not math.isfinite(limit):
        raise argparse.ArgumentTypeError(
            f"invalid choice: {text!r} (choose from {', '.join(GATES)} or, of one model, a number)"
        )
    return limit


def _difference(text: str) -> float | str:
    """Return a number, or a percentage as it is written: what it is of is not known yet."""
    try:
        difference = float(text.removesuffix("%"))
    except ValueError:
        difference = math.nan
    if not 0 <= difference < math.inf:
        raise argparse.ArgumentTypeError(
            f"must be a number of 0 or more, such as 0.01 or 1%, got {text!r}"
        )
    return text if text.endswith("%") else difference


def names_of(args: argparse.Namespace, default: Sequence[str]) -> Any:
    """Return the names of what is compared, those given or the default ones."""
    if args.names is not None and len(args.names) != len(default):
        raise InputError(
            f"--names must be {len(default)} names, as many as are compared, got {args.names}"
        )
    names = tuple(printable(name) for name in args.names or default)
    if not all(name.strip() for name in names):
        raise InputError(f"--names must not be empty, got {list(names)}")
    if len(set(names)) < len(names):
        raise InputError(f"--names must differ from each other, got {list(names)}")
    return names


def report(result: Result, args: argparse.Namespace) -> int:
    """Print and save a result, and return the exit code, which is that of the gate."""
    if isinstance(args.gate, float) and not isinstance(result, ScoreResult):
        raise InputError(f"--gate {args.gate:g} is about one model, but several are compared")
    args.rope, gate = _in_units(result, args.rope), None
    if args.gate is not None:
        gate = judge(result, args.gate, args.rope, planned=args.planned)
    say(FORMATS[args.format](result, gate, args.rope))
    save(result, args, gate)
    return 0 if gate is None or gate.passed else NOT_PASSED


def _in_units(result: Result, rope: float | str | None) -> Rope | None:
    """Return a percentage in the units of the metric, or of each metric if these differ."""
    if not isinstance(rope, str):
        return rope
    found = {name: result._rope(rope, metric).high for name, metric in result._metrics.items()}
    return found if len(set(found.values())) > 1 else next(iter(found.values()))


def say(text: object) -> None:
    """Print at once, or no more after the reader of a pipe, such as head, has seen enough.

    What was judged stands, and what is to be saved is saved all the same.
    """
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def check_disagreements(args: argparse.Namespace, names: Sequence[str]) -> None:
    """Raise if disagreements of more than two are asked for."""
    if args.disagreements and len(names) > 2:
        raise InputError(
            f"--disagreements is about two, but {len(names)} are compared: {', '.join(names)}"
        )


def save(result: Result, args: argparse.Namespace, gate: Gate | None = None) -> None:
    """Save figure, page (which begins with the gate) and disagreements, if they are asked for."""
    said = []
    if isinstance(result, ComparisonResult) and vars(args).get("disagreements"):
        table = result.disagreements(vars(args).get("columns"))
        with written_whole(args.disagreements) as temporary:
            table.to_csv(temporary, index_label=str(table.index.name or "row"), lineterminator="\n")
        said.append(f"{len(table):,} disagreements: {args.disagreements}")
    if args.plot:
        said.append(f"figure: {save_figure(_figure(result, args.rope), args.plot)}")
    if args.report:
        ropes = result._ropes(args.rope)

        def page() -> Page:
            if gate is None:
                return result._page(ropes)
            return page_of_gate(result, gate.answers, f"G{str(gate).splitlines()[0][1:]}")

        write_page(args.report, result, page)
        said.append(f"report: {args.report}")
    if getattr(args, "format", "text") == "text":  # the demo has no formats
        for line in said:
            say(f"\n{printable(line)}")


def _figure(result: Result, rope: Rope | None) -> Any:
    """Return a figure of all metrics, one below the other; of a ranking, its tiers."""
    options: dict[str, Any] = {"rope": rope, "kind": "posterior"}
    if isinstance(result, Ranking):
        options["kind"] = "tiers"
    elif isinstance(result, ScoreResult):
        options = {}
    if len(result.metrics) == 1:
        return result.plot(**options).figure_
    from matplotlib import pyplot as plt

    width, height = plt.rcParams["figure.figsize"]
    n = len(result.metrics)
    figure, axes = plt.subplots(n, figsize=(width, n * height), layout="constrained")
    for ax, name in zip(axes, result.metrics, strict=True):
        result.plot(**options, metric=name, ax=ax)
    return figure
