import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_runs(path, capsys):
    runpy.run_path(str(path))
    assert "HDI" in capsys.readouterr().out


def test_there_are_examples():
    assert EXAMPLES
