"""Files of results: what is loaded is what was saved, and what was damaged is refused."""

import io
import pickle
import re
import warnings
import zipfile
from hashlib import sha256

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import BlockRegularizedCV, count_scorer, load_result, metrics, report_search
from skbayeseval._files import read_archive, write_archive
from tests.results import gallery


def recorded():
    """Return the ranking of a search that recorded counts."""
    grid, cv = {"max_depth": [1, 2, 3]}, BlockRegularizedCV(3, random_state=0)
    options = {"scoring": count_scorer([0, 1, 2]), "refit": False, "cv": cv}
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, **options)
    return report_search(search.fit(*load_iris(return_X_y=True)), rope=0.1, random_state=0).ranking


# Beside kinds of which tests/data has a file.
MAKERS = gallery.MAKERS | {
    "resampled": lambda: gallery.of_two(scoring=metrics.resampled(accuracy_score)),
    "recorded": recorded,
    "pair_of_recorded": lambda: recorded().pairs[0, 2],
    "mirrored_pair": lambda: gallery.ranking().pairs[2, 1],
}


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


@pytest.mark.parametrize("kind", MAKERS)
def test_what_is_loaded_or_unpickled_is_what_was_saved(saved, kind):
    result, path = saved[kind]
    for again in (loaded(path), pickle.loads(pickle.dumps(result))):
        assert type(again) is type(result)
        assert (str(again), repr(again)) == (str(result), repr(result))
        assert again.details() == result.details()
        assert again.explain() == result.explain()
        assert not re.search(r"worth +(\S+) to \1 ", again.details())
        assert is_same(again, result)


def test_a_checksum_of_something_else(saved, tmp_path):
    with zipfile.ZipFile(saved["paired"][1]) as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    for name, content in members.items():
        with zipfile.ZipFile(tmp_path / "file", "w") as changed:
            for one, written in {**members, name: content[:-1] + bytes([content[-1] ^ 1])}.items():
                changed.writestr(one, written)
        assert loaded(tmp_path / "file") is None, name


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "skbayeseval result 999"}, "result 999', but this version .* Load it with"),
        ({"evidence": {"<record>": ["Nonsense", {}]}}, "no meaning"),
        ({"metrics": None}, "is not a valid result file"),
    ],
)
def test_headers_of_something_else(saved, tmp_path, change, message):
    header, arrays = read_archive(saved["paired"][1])
    write_archive(tmp_path / "changed", header | change, arrays)
    with pytest.raises(ValueError, match=message) as caught:
        load_result(tmp_path / "changed")
    assert str(tmp_path / "changed") in str(caught.value)


def test_nothing_is_unpickled(tmp_path):
    content = io.BytesIO()
    np.save(content, np.array([print], dtype=object), allow_pickle=True)
    checksum = sha256()
    with zipfile.ZipFile(tmp_path / "file", "w") as archive:
        archive.writestr("draws_0.npy", content.getvalue())
        checksum.update(b"draws_0.npy" + content.getvalue())
        archive.writestr("checksum", checksum.hexdigest())
    with pytest.raises(ValueError, match="allow_pickle"):
        load_result(tmp_path / "file")


def test_large_arrays_are_not_unpacked(saved, tmp_path):
    with np.load(saved["paired"][1]) as file:
        members = dict(file)
    members["draws_0"] = np.zeros((2, 100_000))
    np.savez_compressed(tmp_path / "bomb.npz", **members)
    with pytest.raises(ValueError, match="larger than the file"):
        load_result(tmp_path / "bomb.npz")
