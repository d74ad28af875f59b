"""Every code block of README.md and docs/ runs, and prints what stands below it."""

import re
import shlex

import matplotlib.pyplot as plt
import pytest

from skbayeseval.cli.program import main
from tests.conftest import ROOT

PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/guide/*.md")])
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Pages that take more than about three seconds.
SLOW = {
    "models.md", "coming_from.md", "command_line.md", "cross_validation.md", "data.md",
    "grid_search.md", "large_data.md", "planning.md", "priors_pymc_arviz.md",
}  # fmt: skip


def blocks_of(path):
    """Return (language, code, printed) of each block that is run; None where nothing is shown."""
    found = [match.groups() for match in BLOCK.finditer(path.read_text())]
    following = [*found, ("", None)][1:]
    return [
        (language, code, text if next_language == "" else None)
        for (language, code), (next_language, text) in zip(found, following, strict=False)
        if language == "python" or (language == "sh" and code.startswith("skbayeseval "))
    ]


def run_commands(code):
    """Run lines of the command line, and print the exit code where `echo $?` asks for it."""
    exit_code = None
    for line in code.replace("\\\n", " ").splitlines():
        if line == "echo $?":
            print(exit_code)
        else:
            program, *arguments = shlex.split(line)
            assert program == "skbayeseval"
            exit_code = main(arguments)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.name, marks=[pytest.mark.slow] if path.name in SLOW else [])
        for path in PAGES
        if blocks_of(path)
    ],
)
def test_blocks_print_what_is_shown(path, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for language, code, printed in blocks_of(path):
        if language == "sh":
            run_commands(code)
        else:
            exec(compile(code, str(path), "exec"), namespace)
        plt.close("all")
        shown = capsys.readouterr().out
        if printed is not None:
            # A table's header may end in blanks, which editors like to remove.
            assert [line.rstrip() for line in shown.splitlines()] == [
                line.rstrip() for line in printed.splitlines()
            ]
        else:
            assert shown == ""


def test_the_readme_has_blocks_and_outputs():
    assert sum(printed is not None for *_, printed in blocks_of(ROOT / "README.md")) >= 3
