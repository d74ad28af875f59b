"""Ctrl-C in the middle of long work reaches the user as KeyboardInterrupt."""

import os
import signal
import subprocess
import sys

import pytest

# What each script does would take minutes; it says "go" when that begins.
BEGIN = """
import time
import joblib
import numpy as np
import skbayeseval as sb
from sklearn.base import BaseEstimator, ClassifierMixin

class Slow(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        time.sleep(120)

    def predict(self, X):
        return np.zeros(len(X), dtype=int)

rng = np.random.default_rng(0)
X, y = rng.normal(size=(100, 2)), np.arange(100) % 2

def classes(n, m):
    y = rng.integers(0, m, n)
    return y, *(np.where(rng.random(n) < p, y, rng.integers(0, m, n)) for p in (0.8, 0.7))
"""
LONG = {
    "draws of many classes": (
        "data = classes(20_000, 5000)",
        "sb.compare_predictions(*data, scoring='f1_macro', n_draws=10**6).hdi()",
    ),
    "fits in processes": (
        "",
        "sb.bayesian_cross_validate(Slow(), Slow(), X, y, error_score=np.nan, n_jobs=2)",
    ),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT to a child is POSIX")
@pytest.mark.parametrize("name", LONG)
def test_interrupts_reach_the_user(name):
    prepare, work = LONG[name]
    code = (
        f"{BEGIN}\n{prepare}\nprint('go', flush=True)\ntry:\n    {work}\n"
        "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    ) as process:
        try:
            assert process.stdout.readline() == "go\n"
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(3)  # in the middle of the work
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=100)[0] == "interrupted\n"
        finally:
            process.kill()
