import io

import pytest
from rich.console import Console
from sklearn.utils.parallel import delayed

from skbayeseval.evidence import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def square(x):
    return x * x


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_results_and_silence(n_jobs, capsys):
    parallel = progress.ProgressParallel(n_jobs=n_jobs, total=5, show=True)
    assert parallel(delayed(square)(i) for i in range(5)) == [0, 1, 4, 9, 16]
    # Under pytest output is no terminal.
    captured = capsys.readouterr()
    assert captured.out + captured.err == ""


def test_a_terminal_sees_the_bar(monkeypatch):
    written = Terminal()
    monkeypatch.setattr(
        progress, "Console", lambda **_: Console(file=written, force_terminal=True, width=100)
    )
    parallel = progress.ProgressParallel(n_jobs=1, total=5, show=True)
    parallel(delayed(square)(i) for i in range(5))
    assert "5/5" in written.getvalue()
    written.truncate(0)
    progress.ProgressParallel(n_jobs=1, total=5, show=False)(delayed(square)(i) for i in range(5))
    assert "5/5" not in written.getvalue()
