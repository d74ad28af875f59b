"""What other systems do differently: processes that start anew, paths with other separators."""

import os

import numpy as np
import pytest

from skbayeseval import compare_items, compare_predictions, load_result

LINES = ["model,id,score", "new,1,1", "new,2,0", "old,1,1", "old,2,1", ""]


def observed(path):
    result = compare_items(path, system="model", item="id", score="score", n_draws=100)
    return result.observed_a, result.observed_b


@pytest.mark.parametrize("name", ["größe und länge", "C:\\results" if os.name == "posix" else "a"])
def test_any_name_of_a_file_will_do(name, tmp_path):
    y = np.arange(20) % 2
    result = compare_predictions(y, y, 1 - y, n_draws=100, random_state=0)
    result.save(tmp_path / f"{name}.npz")
    assert (load_result(tmp_path / f"{name}.npz").draws == result.draws).all()
    (tmp_path / f"{name}.csv").write_text("\n".join(LINES), encoding="utf-8")
    assert observed(tmp_path / f"{name}.csv") == (0.5, 1)
