"""Files of results that were damaged or changed: a ValueError, or a result that is consistent."""

import io
import json
import warnings
import zipfile

import numpy as np
import pytest

from skbayeseval import ComparisonResult, load_result
from skbayeseval._archive import read_archive, write_archive
from tests.results.gallery import GALLERY, chains, paired

MAKERS = {make.__name__: make for make in (*GALLERY, chains)}

# What a number, a text or a list may be replaced by.
NOT_VALUES = ({"<float>": "one"}, {"<other>": 1}, {"<numpy>": ["O", 1]}, {"<array>": "nothing"})
VALUES = ({"<array>": "array_0"}, {"<tuple>": [1]}, {"<float>": "nan"}, {"<numpy>": ["<f8", 1.0]})
WRONG = (None, True, "", "x", -1, 0, 2.5, 1e300, 10**30, [], {}, [1], *VALUES, *NOT_VALUES)


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


def use(result):
    """Ask a result what users ask."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert str(result)
        assert repr(result)
        json.dumps(result.to_dict(), allow_nan=False)
        for name in result.metrics:
            interval = result.metric(name)
            assert all(np.isfinite(draws).all() for draws in draws_of(interval))
        if isinstance(result, ComparisonResult):
            assert np.isfinite(result.hdi()).all()
            assert result.decision(0.01).code
            try:
                result.frequentist()
            except ValueError as error:
                assert "No classical test" in str(error)  # noqa: PT017


def damaged(contents, rng):
    """Return the bytes of a file after an accident."""
    accident = rng.integers(6)
    i, j = sorted(rng.integers(0, len(contents) + 1, 2))
    if accident == 0:  # a bit
        i = min(i, len(contents) - 1)
        return contents[:i] + bytes([contents[i] ^ (1 << rng.integers(8))]) + contents[i + 1 :]
    if accident == 1:
        return contents[:i]
    if accident == 2:
        return contents[:i] + contents[j:]
    if accident == 3:
        return contents[:i] + bytes(j - i) + contents[j:]
    if accident == 4:
        return contents[:i] + rng.bytes(10) + contents[i:]
    return contents + contents[i:]


def places(value, path=()):
    """Yield the path of every value in nested dicts and lists."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in items if isinstance(value, (dict, list)) else ():
        if isinstance(one, (dict, list)):
            yield from places(one, (*path, key))
        else:
            yield (*path, key)


def changed_header(header, rng):
    """Return a header with one value replaced, removed or added."""
    header = json.loads(json.dumps(header))
    found = list(places(header))
    *parents, key = found[rng.integers(len(found))]
    parent = header
    for one in parents:
        parent = parent[one]
    change = rng.integers(5)
    if change == 0:
        del parent[key]
    elif change == 1 and isinstance(parent, dict):
        parent["extra"] = WRONG[rng.integers(len(WRONG))]
    elif change == 2 and isinstance(parent[key], (int, float)):
        parent[key] = parent[key] * -1.5
    else:
        parent[key] = WRONG[rng.integers(len(WRONG))]
    return header


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


TRIALS = [pytest.param(4, id="quick"), pytest.param(60, id="all", marks=pytest.mark.slow)]


@pytest.mark.parametrize("trials", TRIALS)
@pytest.mark.parametrize("kind", MAKERS)
def test_damaged(saved, tmp_path, kind, trials):
    result, path = saved[kind]
    contents = path.read_bytes()
    for seed in range(trials):
        (tmp_path / "file").write_bytes(damaged(contents, np.random.default_rng(seed)))
        again = loaded(tmp_path / "file")
        assert again is None or is_same(again, result), seed


@pytest.mark.parametrize("trials", TRIALS)
@pytest.mark.parametrize("kind", MAKERS)
def test_changed_without_the_checksums(saved, tmp_path, kind, trials):
    result, path = saved[kind]
    with np.load(path) as file:
        members = dict(file)
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        header = json.loads(str(members["header"]))
        arrays = {name: v for name, v in members.items() if name not in ("header", "checksum")}
        if seed % 2:
            header = changed_header(header, rng)
        else:
            arrays = changed_arrays(arrays, rng)
        text = np.array(json.dumps(header))
        np.savez(tmp_path / "file.npz", header=text, checksum=members["checksum"], **arrays)
        again = loaded(tmp_path / "file.npz")
        assert again is None or is_same(again, result), seed


@pytest.mark.parametrize("trials", TRIALS)
@pytest.mark.parametrize("kind", MAKERS)
def test_changed_with_the_checksums(saved, tmp_path, kind, trials):
    header, arrays = read_archive(saved[kind][1])
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        if seed % 2:
            write_archive(tmp_path / "file", changed_header(header, rng), arrays)
        else:
            write_archive(tmp_path / "file", header, changed_arrays(arrays, rng))
        again = loaded(tmp_path / "file")
        if again is not None:
            use(again)


@pytest.fixture
def parts(tmp_path):
    paired().save(tmp_path / "file")
    return read_archive(tmp_path / "file")


def refused(tmp_path, header, arrays, message):
    write_archive(tmp_path / "changed", header, arrays)
    with pytest.raises(ValueError, match=message) as caught:
        load_result(tmp_path / "changed")
    assert str(tmp_path / "changed") in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "skbayeseval result 3"}, "format is 'skbayeseval result 3', but this version"),
        ({"kind": "Nonsense"}, "contains 'Nonsense', which is none of"),
        ({"kind": "ScoreResult"}, "evidence of 2 classifiers"),
        ({"names": ["x", "x"]}, "names must differ"),
        ({"names": ["x"]}, "names must be 2 strings"),
        ({"n_draws": 100}, "draws of 'mine' have shape"),
        ({"entropy": -1}, "entropy == -1"),
        ({"metrics": []}, "no metrics"),
        ({"weight": 3.0}, "'weight' in its header is not what a result would store"),
        ({"news": 1}, "'news' in its header is not what a result would store"),
        ({"model_class": "Paired", "prior": {"nu": 1}}, "has no parameter 'nu'"),
    ],
)
def test_each_check_has_its_message(parts, tmp_path, change, message):
    header, arrays = parts
    refused(tmp_path, {**header, **change}, arrays, message)


def test_checks_of_draws(parts, tmp_path):
    header, arrays = parts
    for wrong, message in ((np.nan, "contain NaN or infinity"), (1.5, "not between 0 and 1")):
        draws = arrays["draws_0"].copy()
        draws[1, 7] = wrong
        refused(tmp_path, header, {**arrays, "draws_0": draws}, message)
    single = arrays["draws_0"].astype(np.float32)
    refused(tmp_path, header, {**arrays, "draws_0": single}, "type float32, must be")


def test_values_of_other_evidence(parts, tmp_path):
    header, arrays = parts
    counts = next(name for name, values in arrays.items() if values.dtype == float)
    refused(tmp_path, header, {**arrays, counts: arrays[counts] + 1}, "'mine' is .* its evidence")
    header["metrics"][0]["observed"][0] += 0.01
    refused(tmp_path, header, arrays, "'mine' is .* for its evidence")


def test_large_arrays_are_not_unpacked(tmp_path):
    paired().save(tmp_path / "file")
    with np.load(tmp_path / "file") as file:
        members = dict(file)
    members["draws_0"] = np.zeros((2, 10_000_000))
    np.savez_compressed(tmp_path / "bomb.npz", **members)
    with pytest.raises(ValueError, match="is compressed"):
        load_result(tmp_path / "bomb.npz")


def test_an_array_that_claims_to_be_large(tmp_path):
    paired().save(tmp_path / "file")
    claim = io.BytesIO()
    shape = {"descr": "<f8", "fortran_order": False, "shape": (2, 10**12)}
    np.lib.format.write_array_header_1_0(claim, shape)
    with (
        zipfile.ZipFile(tmp_path / "file") as whole,
        zipfile.ZipFile(tmp_path / "claim", "w") as changed,
    ):
        for name in whole.namelist():
            changed.writestr(name, claim.getvalue() if name == "draws_0.npy" else whole.read(name))
    with pytest.raises(ValueError, match="does not have the size of its shape"):
        load_result(tmp_path / "claim")


def test_objects_are_refused(tmp_path):
    paired().save(tmp_path / "file")
    with np.load(tmp_path / "file") as file:
        members = dict(file)
    members["draws_0"] = np.array([{}], dtype=object)
    np.savez(tmp_path / "objects.npz", **members)
    with pytest.raises(ValueError, match="has values of type object"):
        load_result(tmp_path / "objects.npz")
