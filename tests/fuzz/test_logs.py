"""Logs that are damaged, joined or repeated, and ids that collide."""

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skbayeseval import compare_items, read_samples
from skbayeseval.compare.logs import Samples
from tests.fuzz.harness import attempt, examples

LOGS = Path(__file__).parents[1] / "compare" / "logs"
OPTIONS = {
    "inspect_deflated_new.eval": {"score": "match"},
    "inspect_error.eval": {"score": "match"},
    "inspect_new.json.gz": {"score": "match"},
    "promptfoo_new.json": {},
    "helm_new/per_instance_stats.json": {"score": "exact_match", "filter": "test"},
    "harness_new/model/samples_sums_2026-11-17T15-46-54.890418.jsonl": {"score": "acc"},
}
JUNK = (None, 0, 1.5, "", "x", [], {}, [1], {"x": 1}, True, float("nan"), 10**400)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("logs") / "log"


def check(path, options):
    """Read a log, which gives samples or a refusal that names the file."""

    def named():
        try:
            return read_samples(path, **options)
        except (ValueError, TypeError) as error:
            if str(path) not in str(error):
                raise AssertionError(f"which file? {error}") from error
            raise

    samples = attempt("read_samples", named)
    if samples is not None:
        assert isinstance(samples, Samples)
        assert not np.isinf(samples.scores.to_numpy()).any()
        assert samples.scores.index.is_unique


@examples(160)
@given(data=st.data())
def test_damaged_bytes(data, path):
    name = data.draw(st.sampled_from(list(OPTIONS)))
    content = bytearray((LOGS / name).read_bytes())
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
    path.write_bytes(content)
    check(path, OPTIONS[name])


def places(node, prefix=()):
    """Yield the paths of all nodes."""
    yield prefix
    if isinstance(node, (dict, list)):
        for key, child in node.items() if isinstance(node, dict) else enumerate(node):
            yield from places(child, (*prefix, key))


PARSED = {
    name: json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    for name in ("inspect_new.json.gz", "promptfoo_new.json", "helm_new/per_instance_stats.json")
    for data in [(LOGS / name).read_bytes()]
}
PLACES = {name: list(places(document)) for name, document in PARSED.items()}


@examples(160)
@given(data=st.data())
def test_damaged_json(data, path):
    """One value is replaced, those near the root more often than there are."""
    name = data.draw(st.sampled_from(list(PARSED)))
    depth = data.draw(st.integers(0, 7))
    at = data.draw(st.sampled_from([p for p in PLACES[name] if len(p) <= depth]))
    junk = data.draw(st.sampled_from(JUNK))
    document = json.loads(json.dumps(PARSED[name])) if at else junk
    node = document
    for key in at[:-1]:
        node = node[key]
    if at:
        node[at[-1]] = junk
    path.write_text(json.dumps(document))
    check(path, OPTIONS[name])


@examples(60)
@given(data=st.data())
def test_joined_logs(data, path):
    """All of it is read, or nothing."""
    name = data.draw(st.sampled_from(list(OPTIONS)))
    content = (LOGS / name).read_bytes()
    other = (LOGS / data.draw(st.sampled_from([name, *OPTIONS]))).read_bytes()
    between = data.draw(st.sampled_from([b"", b"\n", b"\r\n\r\n", b"\0", b" ", b","]))
    path.write_bytes(content + between + other[: data.draw(st.integers(1, len(other)))])
    assert attempt("read_samples", lambda: read_samples(path, **OPTIONS[name])) is None


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
SCORES = st.sampled_from([0, 1, True, False, 0.5, None])


def as_text(one):
    """Return an id as logs are matched by; None if it must be refused."""
    if isinstance(one, float):
        return str(int(one)) if one < 2**53 else None
    return str(one) if str(one).strip() else None


def check_scores(path, entries, **options):
    """Assert that (id, run, score) are read as they are, unless the same run occurs again."""
    keys = [(as_text(one), run) for one, run, _ in entries]
    samples = attempt("read_samples", lambda: read_samples(path, **options))
    if samples is None:
        refused = any(text is None for text, _ in keys) or len(set(keys)) < len(keys)
        assert refused or {score for *_, score in entries} == {None}
        return
    assert None not in dict(keys)
    expected = {}
    for (text, run), (*_, score) in sorted(zip(keys, entries, strict=True), key=lambda x: x[0][1]):
        expected.setdefault(text, {})[run] = np.nan if score is None else float(score)
    found = samples.scores if samples.scores.ndim == 2 else samples.scores.to_frame()
    assert set(found.index) == set(expected)
    for text, of_runs in expected.items():
        row = found.loc[text].to_numpy()[: len(of_runs)]
        np.testing.assert_array_equal(row, list(of_runs.values()))
    assert len(set(keys)) == len(keys) or "instance_id" in samples.scores.index.names


@examples(120)
@given(data=st.data())
def test_ids_that_collide(data, path):
    kind = data.draw(st.sampled_from(["lines", "array", "frame", "inspect", "helm"]))
    several = kind in ("inspect", "helm")
    runs = st.integers(0, 2) if several else st.just(0)
    entries = data.draw(st.lists(st.tuples(IDS, runs, SCORES), min_size=1, max_size=6))
    if several and len({(repr(one), run) for one, run, _ in entries}) < len(entries):
        entries = entries[:1]  # samples may be tried again, which other tests are about
    if kind == "inspect":
        samples = [
            {"id": one, "epoch": run, "scores": {} if score is None else {"x": {"value": score}}}
            for one, run, score in entries
        ]
        log = {"version": 2, "status": "success", "eval": {}, "samples": samples}
        path.write_text(json.dumps(log))
        check_scores(path, entries, score="x")
    elif kind == "helm":
        stats = [
            {
                "instance_id": one,
                "train_trial_index": run,
                "stats": [{"name": {"name": "x"}, "count": score is not None, "sum": score}],
            }
            for one, run, score in entries
        ]
        path.write_text(json.dumps(stats))
        check_scores(path, entries)
    else:
        rows = [{"id": one, "score": score} for one, _, score in entries]
        text = "\n".join(map(json.dumps, rows)) if kind == "lines" else json.dumps(rows)
        path.write_text(text)
        check_scores(pd.DataFrame(rows, dtype=object) if kind == "frame" else path, entries)


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
        options["ids"] = both
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
