"""What other systems do differently: processes that start anew, paths with other separators."""

import os
import subprocess
import sys

import numpy as np
import pytest

from skbayeseval import compare_predictions, load_result, read_samples

# As on macOS and Windows, where a process begins by importing what it needs.
SCRIPT = """
import multiprocessing

import joblib
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from skbayeseval import bayesian_cross_validate

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    X, y = load_iris(return_X_y=True)
    both = GaussianNB(), LogisticRegression(max_iter=500)
    options = {"scoring": "f1_macro", "n_draws": 500, "random_state": 0}
    alone = bayesian_cross_validate(*both, X, y, **options)
    with joblib.parallel_config("multiprocessing", n_jobs=2):
        spawned = bayesian_cross_validate(*both, X, y, n_jobs=2, **options)
    print((alone.draws == spawned.draws).all())
"""


@pytest.mark.slow
def test_processes_that_are_spawned_give_the_same_draws(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.stdout.strip(), done.returncode) == ("True", 0), done.stderr


@pytest.mark.parametrize("name", ["größe und länge", "C:\\results" if os.name == "posix" else "a"])
def test_any_name_of_a_file_will_do(name, tmp_path):
    y = np.arange(20) % 2
    result = compare_predictions(y, y, 1 - y, n_draws=100, random_state=0)
    result.save(tmp_path / f"{name}.npz")
    assert (load_result(tmp_path / f"{name}.npz").draws == result.draws).all()
    (tmp_path / f"{name}.csv").write_text("id,score\n1,1\n2,0\n", encoding="utf-8")
    assert len(read_samples(tmp_path / f"{name}.csv")) == 2


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_text_that_windows_wrote_is_read(line_end, mark, tmp_path):
    lines = ["id,score", "1,1", "2,0", ""]
    (tmp_path / "a.csv").write_bytes((mark + line_end.join(lines)).encode())
    assert read_samples(tmp_path / "a.csv").scores.to_dict() == {"1": 1.0, "2": 0.0}
