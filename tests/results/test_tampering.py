"""Files of results that were damaged or changed: a ValueError, or the same result."""

import io
import json
import pickle
import shutil
import subprocess
import sys
import warnings
import zipfile
from hashlib import sha256

import numpy as np
import pytest

from skbayeseval import ScoreResult, load_result
from skbayeseval._files import read_archive, write_archive
from tests.results.gallery import MAKERS


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The result of each kind, and the file that it is saved to."""
    folder, found = tmp_path_factory.mktemp("saved"), {}
    for name, make in MAKERS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of too few chains and draws
            result = make()
        path = folder / f"{name}.npz"
        result.save(path)
        found[name] = result, path
    return found


def loaded(path):
    """Load a result; None if it is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return load_result(path)
        except ValueError as error:
            message = str(error)
    assert str(path) in message
    return None


def draws_of(result):
    return [result._posterior.draws(metric) for metric in result._metrics.values()]


def is_same(result, other):
    return result.to_dict() == other.to_dict() and all(
        map(np.array_equal, draws_of(result), draws_of(other))
    )


def changed_arrays(arrays, rng):
    """Return arrays of which one or two were changed."""
    arrays = {name: values.copy() for name, values in arrays.items()}
    names = list(arrays)
    one, other = rng.choice(names, 2)
    change = rng.integers(7)
    if change == 0:
        arrays[one], arrays[other] = arrays[other], arrays[one]
    elif change == 1:
        arrays[one] = arrays[one][..., :-1] if arrays[one].ndim else arrays[one][None]
    elif change == 2:
        del arrays[one]
    elif change == 3:
        arrays[one] = arrays[one].astype("U8")
    elif change == 4:
        arrays[one] = arrays[one].reshape(-1)
    elif arrays[one].size:
        values = arrays[one].reshape(-1)
        wrong = [np.nan, np.inf, -1.0, 7.0] if values.dtype.kind == "f" else [-1, 7, 10**9]
        values[rng.integers(len(values))] = rng.choice(wrong)
    return arrays


@pytest.mark.parametrize("kind", MAKERS)
def test_what_is_loaded_or_unpickled_is_what_was_saved(saved, kind):
    result, path = saved[kind]
    for again in (loaded(path), pickle.loads(pickle.dumps(result))):
        assert type(again) is type(result)
        assert (str(again), repr(again)) == (str(result), repr(result))
        assert again.details() == result.details()
        assert is_same(again, result)


def test_a_checksum_of_something_else(saved, tmp_path):
    with zipfile.ZipFile(saved["paired"][1]) as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    for name, content in members.items():
        with zipfile.ZipFile(tmp_path / "file", "w") as changed:
            for one, written in {**members, name: content[:-1] + bytes([content[-1] ^ 1])}.items():
                changed.writestr(one, written)
        assert loaded(tmp_path / "file") is None, name


# What a file of 15 KB may say that would take gigabytes.
SPARSE = {"<sparse>": [{"<array>": "array_2"}, {"<array>": "array_0"}, {"<array>": "array_0"}, 0]}
WIDE = {"<sparse>": [*SPARSE["<sparse>"][:3], {"<tuple>": [300_000_000, 300_000_000]}]}
HIGH = {"<sparse>": [*SPARSE["<sparse>"][:3], {"<tuple>": [5_000_000, 100]}]}
F1 = {"name": "f1", "formula": "f1", "zero_division": 0.0, "source": "tables", "needs": ""}
F1 |= {"limits": {"<tuple>": [0.0, 1.0]}, "observed": [0.9, 12 / 13]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"names": ["A", "A"]}, "names must differ"),
        ({"kind": "nonsense"}, "said to be a 'nonsense' of 2 classifiers"),
        ({"n_draws": -5}, "n_draws == -5, must be >= 1"),
        ({"n_draws": 100}, r"draws of mine has shape \(2, 200\), but \(2, 100\)"),
        ({"n_draws": 10**15}, r"draws of mine has shape \(2, 200\)"),
        ({"weight": 0.5}, "its weight is 0.5, not 1.0"),
        ({"model": "unpaired"}, "its model is 'unpaired', not 'paired'"),
        ({"model_class": "Unpaired"}, "its content is not consistent|no parameter"),
        ({"entropy": -1}, "entropy == -1"),
        ({"prevalence": [0.5, 0.6]}, "prevalence must be"),
        ({"prevalence": WIDE}, "has no meaning"),
        ({"prior_name": {"<numpy>": ["(9000,9000)f8", 0.0]}}, "has no meaning"),
        ({"metrics": [F1 | {"observed": [5.0, 0.9]}]}, r"observed f1 has entries .* \[-1e-09"),
        ({"metrics": [F1 | {"observed": [0.9, 0.9]}]}, "observed f1 is not that of its evid"),
        ({"metrics": [F1, F1]}, "with names that differ"),
        ({"metrics": [F1 | {"limits": {"<tuple>": [0.0, 9.0]}}]}, "its metrics is"),
        ({"format": "skbayeseval result 6"}, "before the first release wrote. Compare again, and"),
        ({"format": "skbayeseval result 999"}, "result 999', but this version .* Update skbayes"),
        ({"evidence": {"<record>": ["Nonsense", {}]}}, "no meaning"),
        ({"metrics": None}, "is not a valid result file"),
        ({"draws_0": np.zeros((2, 100))}, r"has shape \(2, 100\), but \(2, 200\) is expected"),
        ({"draws_0": np.full((2, 200), np.nan)}, "draws of mine has entries that are not finite"),
        ({"draws_0": np.full((2, 200), 7.0)}, "draws of mine has entries .* or outside"),
        ({"array_0": np.full(6, 9)}, "truth has entries"),
        ({"array_1": np.zeros((6, 3), dtype=int)}, "of 3 classifiers"),
        ({"array_2": np.full(6, -1.0)}, "counts must not be negative"),
    ],
)
def test_parts_of_something_else(saved, tmp_path, change, message):
    header, arrays = read_archive(saved["paired"][1])
    known = {key: value for key, value in change.items() if key in header}
    write_archive(tmp_path / "changed", header | known, arrays | (change if not known else {}))
    with pytest.raises(ValueError, match=message) as caught:
        load_result(tmp_path / "changed")
    assert str(tmp_path / "changed") in str(caught.value)


def claiming(path, name, dtype, shape, content=b""):
    """Write a file in which an array claims to be larger than it is, with a fitting checksum."""
    claim, checksum = io.BytesIO(), sha256()
    about = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(claim, about)
    with zipfile.ZipFile(path) as whole:
        members = {one: whole.read(one) for one in whole.namelist() if one != "checksum"}
    members[f"{name}.npy"] = claim.getvalue() + content
    with zipfile.ZipFile(path, "w") as changed:
        for one, written in members.items():
            changed.writestr(one, written)
            checksum.update(one.encode() + written)
        changed.writestr("checksum", checksum.hexdigest())


@pytest.mark.parametrize(
    ("name", "dtype", "shape", "message"),
    [
        ("draws_0", "<f8", (2, 10**12), r"shape \(2, 10+\) and dtype <f8, but has 4 bytes"),
        ("draws_0", "<U400000000", (), "but has 4 bytes"),
        ("draws_0", "|O", (1,), "but has 4 bytes"),
        ("header", "<U400000000", (), "but has 4 bytes"),
        ("draws_0", "<f8", (-1, 5), "but has 4 bytes|not consistent|negative"),
        ("draws_0", "<U1", (), "characters that do not exist"),
    ],
)
def test_arrays_that_claim_to_be_large(saved, tmp_path, name, dtype, shape, message):
    shutil.copy(saved["paired"][1], tmp_path / "file")
    claiming(tmp_path / "file", name, dtype, shape, b"\xff\xff\xff\xff")
    with pytest.raises(ValueError, match=message):
        load_result(tmp_path / "file")


IN_LITTLE_MEMORY = """
import resource, sys
from pathlib import Path
from tests.results.test_tampering import *
folder = Path(sys.argv[1])
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 500_000_000, -1))
header, arrays = read_archive(folder / "paired")
for key in header:
    for value in (WIDE, HIGH, {"<numpy>": ["<U400000000", "a"]}):
        write_archive(folder / "changed", {**header, key: value}, arrays)
        assert loaded(folder / "changed") is None, (key, value)
header, arrays = read_archive(folder / "multi_label")
fields = header["evidence"]["<record>"][1]
for shape in ([300_000_000, 3], [40, 300_000_000], [5_000_000, 3], [-1, 3], [40.0, 3]):
    for matrix in (fields["true"], fields["hits"]["<tuple>"][0]):
        former, matrix["<sparse>"][3] = matrix["<sparse>"][3], {"<tuple>": shape}
        write_archive(folder / "changed", header, arrays)
        assert loaded(folder / "changed") is None, shape
        matrix["<sparse>"][3] = former
for dtype, shape in (("<f8", (2, 10**12)), ("<U400000000", ()), ("<f8", (2, 10**8))):
    (folder / "changed").write_bytes((folder / "paired").read_bytes())
    claiming(folder / "changed", "draws_0", dtype, shape)
    assert loaded(folder / "changed") is None, (dtype, shape)
print("all refused")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_in_little_memory(tmp_path, saved):
    for kind in ("paired", "multi_label"):
        shutil.copy(saved[kind][1], tmp_path / kind)
    command = [sys.executable, "-c", IN_LITTLE_MEMORY, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout == "all refused\n", done.stderr


def test_large_arrays_are_not_unpacked(saved, tmp_path):
    with np.load(saved["paired"][1]) as file:
        members = dict(file)
    members["draws_0"] = np.zeros((2, 100_000))
    np.savez_compressed(tmp_path / "bomb.npz", **members)
    with pytest.raises(ValueError, match="larger than the file"):
        load_result(tmp_path / "bomb.npz")


WRONG_VALUES = [
    None, True, False, 0, 1, -1, -5, 7, 3, 10**12, 10**30, 0.5, -0.5, 1.5, 1e308, "", "a", "A",
    "nonsense", "accuracy", [], [1], ["a", "a"], {}, {"a": 1}, {"<float>": "nan"},
    {"<float>": "inf"},
    {"<tuple>": []}, {"<tuple>": [1, 2]}, {"<tuple>": [0, 300_000_000]}, {"<array>": "array_0"},
    {"<array>": "draws_0"}, {"<numpy>": ["<U400000000", "a"]}, {"<numpy>": ["<f8", 0.5]},
    {"<numpy>": ["(9000,9000)f8", 0.5]}, {"<record>": ["ConfusionCounts", {}]},
    {"<sparse>": [[], [], [], {"<tuple>": [10**9, 3]}]}, "\ud800", "\0",
]  # fmt: skip


def places(tree, path=()):
    """Yield the paths of all parts of a header."""
    if path:
        yield path
    if isinstance(tree, dict):
        for key, part in tree.items():
            yield from places(part, (*path, key))
    elif isinstance(tree, list):
        for i, part in enumerate(tree[:4]):
            yield from places(part, (*path, i))


def with_another_value(header, rng):
    """Return a header with another value in one place, repeated, left out, or exchanged."""
    header = json.loads(json.dumps(header))
    paths = list(places(header))
    *way, last = paths[rng.integers(len(paths))]
    part = header
    for step in way:
        part = part[step]
    change = rng.integers(10)
    if change == 0:
        del part[last]
    elif change == 1 and isinstance(part[last], list):
        part[last] = part[last] + part[last]
    elif change == 2 and isinstance(part[last], (int, float)):
        part[last] = -part[last]
    elif change == 3:
        other = paths[rng.integers(len(paths))]
        taken = header
        for step in other:
            taken = taken[step]
        part[last] = json.loads(json.dumps(taken))
    else:
        part[last] = WRONG_VALUES[rng.integers(len(WRONG_VALUES))]
    return header


def check_consistent(result, path):
    """Assert that a result answers, and that its parts agree."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert str(result)
        table = result.summary() if isinstance(result, ScoreResult) else result.summary(rope=0.01)
        if not isinstance(result, ScoreResult):
            assert str(result.decision(0.01))
        result.save(path)  # and can be loaded again
        again = load_result(path)
    assert str(again) == str(result)
    assert again.details() == result.details()
    assert len(table)
    assert len(set(result._names)) == len(result._names) == result.evidence.n_classifiers
    assert len(set(result.metrics)) == len(result.metrics)
    for metric in result._metrics.values():
        draws, observed = result._posterior.draws(metric), result._posterior.observed(metric)
        assert draws.shape[1] == result.n_draws > 0
        assert np.isfinite(draws).all()
        assert np.isfinite(observed).all()
        low, high = (-np.inf, np.inf) if metric.source == "splits" else metric.limits
        assert low - 1e-6 <= min(observed)
        assert max(observed) <= high + 1e-6


def try_changes(path, seeds, folder):
    """Load files that differ from one in a value, with a checksum of their own."""
    header, arrays = read_archive(path)
    for seed in seeds:
        rng = np.random.default_rng(seed)
        if seed % 3:
            changed = with_another_value(header, rng), arrays
        else:
            changed = header, changed_arrays(arrays, rng)
        write_archive(folder / "changed", *changed)
        try:
            result = loaded(folder / "changed")
            if result is not None:
                check_consistent(result, folder / "again")
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(6), id="quick"),
        pytest.param(range(6, 400), id="all", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("kind", MAKERS)
def test_changed_with_a_new_checksum(saved, tmp_path, kind, seeds):
    try_changes(saved[kind][1], seeds, tmp_path)
