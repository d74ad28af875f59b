import json

import pytest

from skbayeseval.cli import main


@pytest.fixture
def run(capsys):
    """A function that runs a command: the first argument is split into words, others are not."""

    def run(line, *more):
        try:
            code = main([*line.split(), *map(str, more)])
        except SystemExit as stop:
            code = stop.code
        return code, capsys.readouterr()

    return run


@pytest.fixture
def reported(run):
    """A function that runs a command and returns the JSON that it prints."""

    def reported(line, *more):
        code, said = run(line, *more, "--json")
        assert code == 0, said.err
        return json.loads(said.out)

    return reported


@pytest.fixture
def refused(run):
    """A function that asserts that a command is refused in one line, with words in this order."""

    def refused(words, line, *more):
        code, said = run(line, *more)
        assert (code, said.err.count("\n")) == (2, 1), said
        rest = said.err
        for part in words.split(" ... "):
            assert part in rest, said.err
            rest = rest.partition(part)[2]

    return refused
