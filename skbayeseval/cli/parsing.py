"""The parser of arguments, and the options that several commands have."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

from skbayeseval.cli.formats import GATES, printable
from skbayeseval.cli.output import InputError

FORMATS = ("text", "markdown", "json", "github")


class _Once(argparse.Action):
    """Store a value, and refuse a second one, which would silently replace the first."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
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


def number(text: str) -> float:
    """Return the number that an option is; to Python, 1_0 is one, too."""
    with suppress(ValueError):
        if "_" not in text:
            return float(text)
    raise argparse.ArgumentTypeError(f"must be a number, got {text!r}")


def whole_number(text: str) -> int:
    """Return the whole number that an option is."""
    with suppress(ValueError):
        if "_" not in text:
            return int(text)
    raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}")


def add_scoring(parser: argparse.ArgumentParser, *, scoring: str) -> None:
    """Add the options of what is compared."""
    parser.add_argument(
        "--scoring",
        nargs="+",
        action="extend",
        metavar="NAME",
        help=f"the metrics (default: {scoring})",
    )
    parser.add_argument(
        "--weight", type=number, default=1.0, help="the weight of one count (default: 1)"
    )


def add_model(parser: argparse.ArgumentParser, *, model: str, models: str) -> None:
    """Add the options of the model and its draws."""
    parser.add_argument("--model", default=model, help=f"{models} (default: {model})")
    parser.add_argument(
        "--draws",
        type=whole_number,
        help="the number of posterior draws (default: 20000, fewer with more than 250 classes)",
    )
    parser.add_argument(
        "--seed", type=whole_number, default=0, help="the seed of the draws (default: 0)"
    )


def model_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the model and its draws, by the names of arguments."""
    return {"model": args.model, "n_draws": args.draws, "random_state": args.seed}


def add_output(parser: argparse.ArgumentParser, *, disagreements: str = "") -> None:
    """Add the options of what is decided, printed and saved; `disagreements` says what has them."""
    parser.add_argument(
        "--rope",
        type=_difference,
        help="the largest difference that does not matter, such as 0.01, or 1%% of the largest "
        "score that the metric can have, or of B's (of the best) if it has none",
    )
    parser.add_argument(
        "--gate",
        choices=list(GATES),
        help="for continuous integration: exit with 0 if A, the first, may be shipped, and with 3 "
        "if not or if that is not settled. non-inferior: A is not worse than B by more than --rope "
        "with a probability of at least 95%%. better: A is better than B, by more than --rope if "
        "it is given, with a probability of at least 95%%. If there are several metrics or several "
        "others than A, this is required for each",
    )
    parser.add_argument(
        "--looks",
        type=whole_number,
        default=1,
        metavar="K",
        help="how often the gate is asked in all while data come in; each time requires a "
        "probability of 1 - 0.05 / K instead of 95%%, so that asking again does not open it "
        "(default: 1)",
    )
    parser.add_argument(
        "--planned",
        type=whole_number,
        metavar="N",
        help="in the place of --looks: how many items or instances there will be at most. The gate "
        "may then be asked as often as you like while they come in; each time requires more than "
        "95%%, the more so the fewer of them are there",
    )
    parser.add_argument(
        "--junit",
        metavar="FILE",
        help="save the answers of --gate to this file of JUnit's XML, with a test case for each",
    )
    parser.add_argument("--names", nargs="+", metavar="NAME", help="names of A, B, ...")
    if disagreements:
        parser.add_argument(
            "--disagreements",
            metavar="FILE",
            help="save a CSV table of what A and B differ on, the most decisive first: "
            f"{disagreements}",
        )
    parser.add_argument(
        "--plot",
        metavar="FILE",
        help="save a figure of all metrics to this file (.png, .pdf, .svg)",
    )
    parser.add_argument(
        "--report", metavar="FILE", help="save all that is known to one page of HTML"
    )
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="what to print: text (default); markdown, a sentence and a table for a pull request; "
        "json; or github: the Markdown goes to the summary of the job, if GITHUB_STEP_SUMMARY "
        "names its file, and the verdict is an annotation and the outputs passed and sentence of "
        "the step",
    )
    formats.add_argument(
        "--json",
        dest="format",
        action="store_const",
        const="json",
        help="the same as --format json",
    )


def _difference(text: str) -> float | str:
    """Return a number, or a percentage as it is written: what it is of is not known yet."""
    with suppress(argparse.ArgumentTypeError):
        difference = number(text.removesuffix("%"))
        if 0 <= difference < math.inf:
            return text if text.endswith("%") else difference
    raise argparse.ArgumentTypeError(
        f"must be a number of 0 or more, such as 0.01 or 1%, got {text!r}"
    )


def names_of(args: argparse.Namespace, default: Sequence[str]) -> tuple[str, ...]:
    """Return the names of what is compared, those given or the default ones."""
    if args.names is not None and len(args.names) != len(default):
        raise InputError(
            f"--names must be {len(default)} names, as many as are compared, got {args.names}"
        )
    names = tuple(printable(name) for name in args.names or default)
    if len(set(names)) < len(names):
        raise InputError(f"--names must differ from each other, got {list(names)}")
    return names
