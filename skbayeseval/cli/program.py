"""The program `skbayeseval`: its commands, its errors and its exit codes."""

from __future__ import annotations

import argparse
import io
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import skbayeseval
from skbayeseval._validation import UnlikelyDataWarning
from skbayeseval.cli import compare, counts, demo, items, reproduce
from skbayeseval.cli.messages import in_words_of_options, printable
from skbayeseval.cli.output import printing
from skbayeseval.cli.parsing import Parser

__all__ = ["main"]

EXIT_CODES = (
    "exit codes: 0 if all is well, 1 after an unforeseen failure, 2 if arguments or files are not "
    "as they should be, 3 if --gate is not passed"
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    0; 2 for bad input or missing data; 3 if a gate is not passed.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # terminals may not support ≫ and ≈
            stream.reconfigure(errors="replace")
    args = _parser().parse_args(argv)
    broken = 0  # the exit code if a pipe, such as one into head, breaks
    try:
        with warnings.catch_warnings():
            _print_warnings(args.command)
            if getattr(args, "gate", None) is not None:  # nobody reads warnings there
                warnings.simplefilter("error", UnlikelyDataWarning)
                broken = 1  # there is no verdict yet
            with printing():
                return args.run(args)
            return broken
    except UnlikelyDataWarning as warning:
        return _refuse(args, warning, " --gate does not judge such data.")
    except (ValueError, TypeError, ArithmeticError, OSError, ImportError) as error:
        return _refuse(args, error)


def _print_warnings(command: str) -> None:
    """Let warnings be printed in one line, as errors are."""

    def show(message: Any, *_: Any, **__: Any) -> None:
        _print(command, "warning", message)

    warnings.showwarning = show


def _refuse(args: argparse.Namespace, error: Exception, reason: str = "") -> int:
    _print(args.command, "error", error, reason)
    return 2


def _print(command: str, what: str, found: Exception, more: str = "") -> None:
    message = printable(" ".join(in_words_of_options(found, command).split()))
    print(f"skbayeseval {command}: {what}: {message}{more}", file=sys.stderr)


def _parser() -> Parser:
    parser = Parser(
        prog="skbayeseval",
        description="Is classifier A really better than B, by how much, and how sure are we?",
        epilog=EXIT_CODES,
    )
    parser.add_argument("--version", action="version", version=skbayeseval.__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in (compare, items, counts, demo, reproduce):
        command.add_to(commands)
    return parser
