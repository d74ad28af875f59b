"""Long tables that are damaged, and ids that collide."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skbayeseval import compare_items
from tests.fuzz.harness import attempt, examples

COLUMNS = {"system": "model", "item": "id", "score": "score", "n_draws": 100, "random_state": 0}

# Ids, many of which are the same as text, as numbers or as floats.
LARGE = 2**60
IDS = st.one_of(
    st.sampled_from(
        [1, "1", 1.0, True, "True", "true", "1.0", " 1", 0, "0", False, -1, "-1", "01"]
    ),
    st.sampled_from(
        [LARGE, LARGE + 1, str(LARGE), 2**63, 2**64 - 1, -(2**63), 2**53, float(2**53)]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=300),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@examples(120)
@given(data=st.data())
def test_ids_that_collide(data, folder):
    """Items are told apart as Python does, or refused."""
    ids = data.draw(st.lists(IDS, min_size=2, max_size=6))
    order = data.draw(st.permutations(range(len(ids))))
    scores = np.linspace(0, 1, len(ids)), np.linspace(1, 3, len(ids))
    rows = [
        {"model": name, "id": ids[i], "score": of_one[i]}
        for name, of_one, items in zip("ab", scores, (range(len(ids)), order), strict=True)
        for i in items
    ]
    table = pd.DataFrame(rows).astype({"id": object})
    table["id"] = pd.Series([row["id"] for row in rows], dtype=object)
    if data.draw(st.booleans()):
        table = folder / "ids.jsonl"
        table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    result = attempt("compare_items", lambda: compare_items(table, **COLUMNS))
    if result is None:  # floats do not tell large numbers apart
        large = any(isinstance(one, (int, float)) and abs(one) >= 2**53 for one in ids)
        assert large or len(set(ids)) < len(ids)
        return
    assert len(set(ids)) == len(ids)
    np.testing.assert_array_equal(result.evidence.scores[..., 0], scores)
