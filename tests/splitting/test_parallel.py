import os
import re
import warnings

import joblib
import pytest
from sklearn import config_context, get_config

from skbayeseval._running import Task


def setting(x):
    return x, get_config()["assume_finite"], os.getpid(), list(warnings.filters)


@pytest.mark.parametrize("backend", ["loky", "threading", "sequential"])
def test_tasks_run_as_their_caller_would(backend):
    filters = warnings.filters
    with config_context(assume_finite=True):
        task = joblib.delayed(Task(setting))
    found = joblib.Parallel(2, backend=backend)(task(x) for x in range(3))
    assert [x for x, *_ in found] == [0, 1, 2]
    assert all(assume_finite for _, assume_finite, *_ in found)
    for _, _, process, seen in found:
        assert (process == os.getpid()) == (backend != "loky")
        # Filters travel as text.
        assert [(f[0], f[2], f[4]) for f in seen] == [(f[0], f[2], f[4]) for f in filters]
        assert [pattern(f) for f in seen] == [pattern(f) for f in filters]


def pattern(one):
    return [re.compile(part).pattern if part else None for part in (one[1], one[3])]


def test_a_worker_process_has_its_own_filters_back():
    task = Task(setting)
    task.process = -1  # as in another process
    before = list(warnings.filters)
    task.filters = [("ignore", re.compile("some"), UserWarning, None, 0)]
    (_, message, *_), *others = task(1)[3]
    assert message.pattern == "some"
    assert not others
    assert list(warnings.filters) == before
