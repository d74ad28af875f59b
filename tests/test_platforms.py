"""What other systems do differently: processes that start anew, paths with other separators."""

import os

import numpy as np
import pytest

from skbayeseval import compare_predictions, load_result, read_samples


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
