"""Files that releases have saved load for ever, and answer the same numbers.

`python -m tests.test_saved_results` saves those of this version, once, before its release.
"""

import json

import numpy as np
import pytest

import skbayeseval
from skbayeseval import load_result
from tests.conftest import ROOT
from tests.results.gallery import COMMON, MAKERS

DATA = ROOT / "tests" / "data"
FILES = sorted(DATA.glob("*/*.npz"))
# The chains of one file were made up, and do not agree with each other.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

NUMBERS = ["observed", "mean", "sd", "p_worse", "p_rope", "p_better", "hdi_low", "hdi_high"]


def answers(result):
    """Return what a result says, by column and row of its summary."""
    is_score = isinstance(result, skbayeseval.ScoreResult)
    rope = {} if is_score else {"rope": dict.fromkeys(result.metrics, 0.02)}
    table = result.summary(**rope).filter(NUMBERS)
    return {
        "class": type(result).__name__,
        "model": result.to_dict()["model"],
        "rows": [str(row) for row in table.index],
        **{column: table[column].tolist() for column in table},
    }


def save_all(folder):
    """Save a result of every kind, with few draws, and what it answers."""
    folder.mkdir(parents=True)
    expected = {}
    COMMON["n_draws"] = 100
    for name, make in MAKERS.items():
        result = make()
        result.save(folder / f"{name}.npz")
        expected[name] = answers(result)
    (folder / "answers.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


def test_every_kind_was_saved():
    assert set(MAKERS) <= {path.stem for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_saved_file_answers_the_same(path):
    expected = json.loads((path.parent / "answers.json").read_text(encoding="utf-8"))[path.stem]
    found = answers(load_result(path))
    for key in ("class", "model", "rows"):
        assert found.pop(key) == expected.pop(key)
    assert found.keys() == expected.keys()
    for column, values in expected.items():
        np.testing.assert_allclose(found[column], values, rtol=1e-6, atol=1e-9, err_msg=column)


if __name__ == "__main__":
    save_all(DATA / skbayeseval.__version__)
