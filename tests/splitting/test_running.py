"""Parallel tasks and their progress."""

import io
import os
import re
import sys
import types
import warnings

import pytest
from joblib import Parallel, delayed
from rich.console import Console
from sklearn import config_context, get_config

from skbayeseval import _running as progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def square(x):
    return x * x


def run(n, **options):
    calls = (delayed(square)(i) for i in range(n))
    return list(progress.in_parallel(calls, total=n, show=True, **options))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_log_gets_a_line_for_every_tenth(n_jobs, capsys):
    # Under pytest output is no terminal.
    assert run(40, n_jobs=n_jobs, doing="fitting") == [i * i for i in range(40)]
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert lines[0] == "fitting: 0 of 40 done"
    assert re.fullmatch(r"fitting: 40 of 40 done, [\d:]+ elapsed, 0:00:00 left", lines[-1])
    assert len(lines) == 11
    done = [int(re.match(r"fitting: (\d+) of 40", line)[1]) for line in lines]
    assert done == sorted(set(done))


def test_a_terminal_sees_the_bar(monkeypatch):
    written = Terminal()
    monkeypatch.setattr(
        progress, "Console", lambda **_: Console(file=written, force_terminal=True, width=100)
    )
    run(5, n_jobs=1)
    assert "5/5" in written.getvalue()


@pytest.fixture
def notebook(monkeypatch):
    """IPython's display: an output per display, which updates replace, and all that was shown."""
    found = types.SimpleNamespace(outputs=[], history=[])

    def display(shown, *, display_id):
        assert display_id
        place = len(found.outputs)
        found.outputs.append("")

        def update(shown):
            found.outputs[place] = shown
            found.history.append(shown)

        update(shown)
        return types.SimpleNamespace(update=update)

    module = types.SimpleNamespace(display=display, HTML=str)
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(progress, "Console", lambda **_: Console(force_jupyter=True))
    return found


def test_a_notebook_sees_one_bar_and_nothing_of_it_stays(notebook, capsys):
    for doing in ("fitting", "<refitting>"):
        assert run(300, n_jobs=1, doing=doing)[-1] == 299**2
    with pytest.raises(ZeroDivisionError):  # the bar goes when a task fails
        list(progress.in_parallel([delayed(divmod)(1, 0)] * 2, total=2, show=True, n_jobs=1))
    assert notebook.outputs == ["", "", ""]
    shown = [one for one in notebook.history if one][:-1]
    assert 'value="300" max="300"' in shown[-1]
    assert "&lt;refitting&gt;: 300 of 300" in shown[-1]
    assert len(shown) <= 2 * 101  # one update per percent at most
    captured = capsys.readouterr()
    assert captured.out + captured.err == ""


@pytest.mark.parametrize(
    ("show", "patience", "shown"),
    [(True, -1.0, [0, 2, 20]), (True, float("inf"), []), (False, -1.0, [])],
)
def test_work_that_is_long_shows_progress(show, patience, shown, monkeypatch, capsys):
    monkeypatch.setattr(progress, "SHOW_AFTER", patience)
    with progress.progress_if_long("drawing", 20, show=show) as advance:
        for done in range(1, 21):
            advance(done)
    lines = capsys.readouterr().err.splitlines()
    assert lines[:1] == ["drawing: 0 of 20 done"] * bool(shown)
    done = [int(line.split()[1]) for line in lines]
    assert [done[0], done[1], done[-1]] == shown if shown else not done


# Tasks.


def setting(x):
    return x, get_config()["assume_finite"], os.getpid(), list(warnings.filters)


@pytest.mark.parametrize("backend", ["loky", "threading", "sequential"])
def test_tasks_run_as_their_caller_would(backend):
    filters = warnings.filters
    with config_context(assume_finite=True):
        task = delayed(progress.Task(setting))
    found = Parallel(2, backend=backend)(task(x) for x in range(3))
    assert [x for x, *_ in found] == [0, 1, 2]
    assert all(assume_finite for _, assume_finite, *_ in found)
    for _, _, process, seen in found:
        assert (process == os.getpid()) == (backend != "loky")
        # Filters travel as text.
        assert [(f[0], f[2], f[4]) for f in seen] == [(f[0], f[2], f[4]) for f in filters]
        assert [pattern(f) for f in seen] == [pattern(f) for f in filters]


def pattern(one):
    return [re.compile(part).pattern if part else None for part in (one[1], one[3])]
