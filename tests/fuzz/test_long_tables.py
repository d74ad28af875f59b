"""Long tables that are damaged, and ids that collide."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skbayeseval import ComparisonResult, compare_items
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
def test_damaged_bytes(data, folder):
    rows = [
        {"model": name, "id": f"q{i}", "score": i % 3 / 2, "text": "ä,\n;"}
        for name in ("new", "old")
        for i in range(8)
    ]
    kind = data.draw(st.sampled_from(["csv", "jsonl"]))
    text = (
        pd.DataFrame(rows).to_csv(index=False)
        if kind == "csv"
        else "\n".join(map(json.dumps, rows))
    )
    content = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        how = data.draw(st.sampled_from(["cut", "flip", "drop", "repeat"]))
        until = at + data.draw(st.integers(1, 40))
        if how == "cut" and at:
            del content[at:]
        elif how == "flip":
            content[at] ^= data.draw(st.integers(1, 255))
        elif how == "drop" and until < len(content):
            del content[at:until]
        else:
            content[at:at] = content[at:until]
    path = folder / f"table.{kind}"
    path.write_bytes(content)
    result = attempt("compare_items", lambda: compare_items(path, missing="drop", **COLUMNS))
    assert result is None or isinstance(result, ComparisonResult)


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


KINDS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]


@examples(120)
@given(data=st.data())
def test_ids_of_all_types_of_numbers(data):
    """Items are matched as Python's numbers are equal, in both directions and as indexes."""
    both = []
    for _ in range(2):
        kind = data.draw(st.sampled_from([*KINDS, "float64", "bool", "object"]))
        limits = np.iinfo(kind) if kind in KINDS else np.iinfo(np.int8)
        near = st.sampled_from([limits.min, limits.max, *range(3)])
        if kind in ("int64", "uint64", "object"):
            near = st.one_of(near, st.integers(LARGE, LARGE + 5))
        own = st.booleans() if kind == "bool" else near
        ids = data.draw(st.lists(own, min_size=2, max_size=8, unique=True))
        both.append(pd.Index(np.array(ids, dtype=kind)))
    tables = [
        dict(zip(ids.tolist(), np.linspace(0, k, len(ids)), strict=True))
        for k, ids in enumerate(both, start=1)
    ]
    scores = [list(table.values()) for table in tables]
    common = [one for one in tables[0] if one in tables[1]]
    missing = data.draw(st.sampled_from(["raise", "drop"]))
    options = {"missing": missing, "n_draws": 100, "random_state": 0}
    if data.draw(st.booleans()):
        options["item"] = both
    else:
        scores = [pd.Series(one, ids) for one, ids in zip(scores, both, strict=True)]
        counts = [ids.tolist() == list(range(len(ids))) for ids in both]
        if any(counts) and len(both[0]) == len(both[1]) and len(common) < len(both[0]):
            return  # an index that counts rows fits any other
    result = attempt("compare_items", lambda: compare_items(*scores, **options))
    same = len(common) == len(both[0]) == len(both[1])
    if result is None:
        assert not same if missing == "raise" else len(common) < 2
        return
    assert same or missing == "drop"
    found = result.evidence.scores[..., 0]
    np.testing.assert_array_equal(found, [[table[one] for one in common] for table in tables])
