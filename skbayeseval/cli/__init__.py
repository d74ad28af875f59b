"""The command-line interface, with one file per command."""

from skbayeseval.cli.program import main

__all__ = ["main"]
