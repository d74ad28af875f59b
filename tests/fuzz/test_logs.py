"""Damaged logs."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skbayeseval import read_samples
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


@examples(400)
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


@examples(400)
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
