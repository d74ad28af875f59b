import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import make_multilabel_classification, make_regression
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import BayesianComparer, bayesian_cross_validate, chunk_counter
from skbayeseval._files import read_archive, write_archive
from skbayeseval.splitting import checkpoint as module
from tests.splitting.logged import Logged, X, Y, compare, files

FIRST, SECOND = Logged(), Logged(1.0)

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="signals and limits of Linux")


@pytest.fixture
def log(tmp_path, monkeypatch):
    """Return a function that tells which fits there were since it was last called."""
    path = tmp_path / "fits.log"
    monkeypatch.setenv("LOG_OF_FITS", str(path))

    def fits():
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    return fits


def test_finished_fits_are_not_repeated(tmp_path, log, capsys):
    folder = tmp_path / "new" / "folder"
    plain = compare(None)
    expected = log()
    first = compare(folder)
    assert log() == expected
    assert len(files(folder)) == len(expected) == 12
    again = compare(str(folder))
    assert log() == []
    for result in (first, again):
        np.testing.assert_array_equal(result.draws, plain.draws)
    for name, of_one in first.cv_results.items():
        for key, values in of_one.items():
            np.testing.assert_array_equal(again.cv_results[name][key], values)
    for file in files(folder)[3:5]:
        file.unlink()
    capsys.readouterr()
    np.testing.assert_array_equal(compare(folder, verbose=1).draws, plain.draws)
    assert len(log()) == 2
    shown = capsys.readouterr().err
    assert f"10 of 12 fits are in the checkpoint {folder}" in shown
    assert "fitting: 2 of 2 done" in shown


def test_what_determines_a_fit(tmp_path, log):
    def fits_of(X=X, Y=Y, a=FIRST, b=SECOND, **options):
        given = {"n_draws": 1000, "random_state": 0, "checkpoint": tmp_path / "folder", **options}
        bayesian_cross_validate(a, b, X, Y, **given)
        return len(log())

    assert fits_of() == 12
    # What is computed from the predictions, and the names, are not part of a fit.
    assert fits_of(scoring=["f1", "precision"], model="unpaired", n_draws=2000) == 0
    assert fits_of(a=("other", Logged()), b=Logged(1), weight="published") == 6
    assert fits_of(a=Logged(1.0), b=Logged(0.0)) == 6
    # The data: one value in the middle, one label, another order.
    other = X.copy()
    other[80, 3] += 1e-12
    assert fits_of(X=other) == 12
    assert fits_of(Y=np.where(np.arange(160) == 80, 1 - Y, Y)) == 12
    assert fits_of(random_state=1) == 12
    assert fits_of(cv=KFold(4)) == 8
    assert fits_of(groups=np.arange(160) // 2) == 12
    assert fits_of(labels=[1, 0]) == 12
    assert fits_of(cv=KFold(5), estimand="full") == 22
    assert fits_of(estimand="full") == 20
    assert fits_of() == 0
    with config_context(transform_output="pandas"):
        assert fits_of() == 12


def test_other_versions_are_other_fits(tmp_path, log, monkeypatch):
    compare(tmp_path / "folder")
    log()
    for name in ("sklearn_version", "numpy_version", "scipy_version", "__version__"):
        monkeypatch.setattr(module, name, "0.0")
        compare(tmp_path / "folder")
        assert len(log()) == 12


def test_failed_fits_are_tried_again(tmp_path, log):
    folder, broken = tmp_path / "folder", tmp_path / "fits.log.broken"
    plain = compare(folder)
    for file in files(folder)[:2]:
        file.unlink()
    before = files(folder)
    log()
    broken.touch()
    with pytest.raises(RuntimeError, match="a full moon"):
        compare(folder)
    with pytest.warns(FitFailedWarning, match="2 fits failed"):
        compare(folder, error_score=np.nan)
    assert files(folder) == before
    broken.unlink()
    np.testing.assert_array_equal(compare(folder).draws, plain.draws)
    assert len(log()) == 2


def test_random_states_are_parts_of_fits(tmp_path):
    options = {"random_state": 0, "n_draws": 1000, "checkpoint": tmp_path / "folder"}
    for seed in (0, 1, 0):
        tree = DecisionTreeClassifier(max_features=1, random_state=np.random.RandomState(seed))
        bayesian_cross_validate(tree, GaussianNB(), X, Y, **options)
    assert len(files(tmp_path / "folder")) == 3 * 6


def test_equal_estimators_and_equal_splits_are_fits_of_their_own(tmp_path):
    trees = [(name, DecisionTreeClassifier(max_features=1)) for name in "ab"]
    folds = [*KFold(2).split(X), *KFold(2).split(X)]
    options = {"cv": folds, "random_state": 0, "n_draws": 1000, "checkpoint": tmp_path / "folder"}
    first = bayesian_cross_validate(*trees, X, Y, **options)
    assert len(files(tmp_path / "folder")) == 8
    with pytest.warns(UserWarning, match="Fits of 'a', 'b' drew random numbers without"):
        again = bayesian_cross_validate(*trees, X, Y, **options)
    for name in "ab":
        np.testing.assert_array_equal(first.predictions[name], again.predictions[name])
    np.testing.assert_array_equal(first.draws, again.draws)
    # Neither names nor positions are part of a fit, so that others may join.
    three = [("c", GaussianNB()), ("d", DecisionTreeClassifier(max_features=1)), *trees]
    comparer = BayesianComparer(three, **options)
    with pytest.warns(UserWarning, match="Fits of 'd', 'a' drew random numbers without"):
        comparer.fit(X, Y)
    assert len(files(tmp_path / "folder")) == 8 + 4 + 4


MULTILABEL = make_multilabel_classification(120, n_classes=3, random_state=0)
NUMBERS = make_regression(120, 4, noise=9.0, random_state=0)
TAGS = [["B-PER", "I-PER", "O"] if i % 3 else ["O", "B-LOC"] for i in range(40)]


class Repeats(Logged):
    """A tagger that predicts the tags which `X` holds."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.array([np.array(tags) for tags in X], dtype=object)


PAIR = GaussianNB(), LogisticRegression()
STEPS = {"gaussiannb": list(PAIR)}
SEARCH = GridSearchCV(make_pipeline(FunctionTransformer(), GaussianNB()), STEPS)
KINDS = {
    "texts as labels": ((*PAIR, X, np.array(["no", "yes"])[Y]), {}),
    "scores of instances": ((*PAIR, X, Y), {"scoring": ["accuracy", "roc_auc", "neg_log_loss"]}),
    "split scores": ((*PAIR, X, Y), {"model": "scores", "scoring": ["accuracy", "f1"]}),
    "numbers": (
        (Ridge(5.0), LinearRegression(), *NUMBERS),
        {"scoring": ["r2", "neg_mean_absolute_error"]},
    ),
    "labels": ((*map(MultiOutputClassifier, PAIR), *MULTILABEL), {"scoring": "f1_micro"}),
    "chunks": (
        (Repeats(), Repeats(2.0), np.array([*TAGS, None], dtype=object)[:-1], TAGS),
        {"counter": chunk_counter("IOB2", "IOB2")},
    ),
    "searches": ((GaussianNB(), SEARCH, X, Y), {}),
}


@pytest.mark.parametrize(
    "kind", [*list(KINDS)[:-1], pytest.param("searches", marks=pytest.mark.slow)]
)
def test_all_that_is_compared(kind, tmp_path):
    args, options = KINDS[kind]
    options = {**options, "random_state": 0, "n_draws": 1000}
    plain = bayesian_cross_validate(*args, **options)
    first, again = (
        bayesian_cross_validate(*args, **options, checkpoint=tmp_path / "folder") for _ in "ab"
    )
    for metric in plain.metrics:
        for result in (first, again):
            np.testing.assert_array_equal(result.metric(metric).draws, plain.metric(metric).draws)
    for one, other in zip(first.cv_results.values(), again.cv_results.values(), strict=True):
        assert one.get("best_params") == other.get("best_params")
    assert len(files(tmp_path / "folder")) == 2 * plain.n_splits
    for file in files(tmp_path / "folder"):
        np.load(file, allow_pickle=False)["header"]


def test_what_cannot_be_told_apart_is_refused_before_any_fit(tmp_path, log):
    folder = tmp_path / "folder"
    unknown = make_pipeline(FunctionTransformer(lambda x: x), Logged())

    def run(checkpoint, **options):
        options = {"random_state": 0, "n_draws": 1000, **options}
        bayesian_cross_validate(("mine", unknown), Logged(), X, Y, checkpoint=checkpoint, **options)

    with pytest.raises(
        ValueError, match=r"estimator 'mine' has changed: it cannot be hashed .*lambda"
    ):
        run(folder)
    with pytest.raises(ValueError, match="'other', which is not the name of an estimator"):
        run({"path": folder, "keys": {"other": "1"}})
    own = {"own": lambda estimator, X, y: 1.0}
    with pytest.raises(ValueError, match=r"whether scoring has changed.*Define it by a def"):
        run({"path": folder, "keys": {"mine": "1"}}, model="scores", scoring=own)
    assert log() == []
    assert not folder.exists()
    for version, n_fits in (("1", 12), ("1", 0), ("2", 6)):
        run({"path": folder, "keys": {"mine": version}})
        assert len(log()) == n_fits


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"random_state": None}, "requires random_state= with cv=None"),
        ({"random_state": None, "cv": KFold(5), "estimand": "full"}, "which fits halves"),
        ({"cv": KFold(3, shuffle=True)}, "a splitter with a random_state"),
        ({"return_estimator": True}, "return_estimator=True cannot be combined"),
        ({"checkpoint": 3}, "must be the path of a folder"),
        ({"checkpoint": b"bytes"}, "must be the path of a folder"),
        ({"checkpoint": ""}, "must be the path of a folder"),
        ({"checkpoint": {"path": "x", "key": {}}}, "a dict with the items 'path' and 'keys'"),
        ({"checkpoint": {"path": "x", "keys": {"a": 1}}}, "a dict of names of estimators to texts"),
    ],
)
def test_wrong_arguments(options, words, tmp_path, monkeypatch, log):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((TypeError, ValueError), match=words):
        compare(**{"checkpoint": "folder", **options})
    assert os.listdir(tmp_path) == []


def test_folders_of_others(tmp_path, log):
    (tmp_path / "mine.txt").touch()
    with pytest.raises(ValueError, match=r"a folder with other files, such as 'mine.txt'"):
        compare(tmp_path)
    with pytest.raises(FileExistsError, match="mine.txt"):
        compare(tmp_path / "mine.txt")
    folder = tmp_path / "folder"
    folder.mkdir()
    marker = folder / "checkpoint.txt"
    for text in ("skbayeseval checkpoint 1", "\0\xff"):
        marker.write_text(text)
        with pytest.raises(ValueError, match="not of this version of skbayeseval, or is damaged"):
            compare(folder)
        assert marker.read_text() == text
    assert log() == []
    assert os.listdir(folder) == ["checkpoint.txt"]


def test_a_folder_that_cannot_be_written(tmp_path, log, monkeypatch):
    folder = tmp_path / "folder"
    plain = compare(folder)
    log()
    # Instead of a mode, which root may ignore.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    np.testing.assert_array_equal(compare(folder).draws, plain.draws)
    files(folder)[0].unlink()
    with pytest.raises(PermissionError, match=r"folder' is read-only, but not all fits are in it"):
        compare(folder)
    assert log() == []


def cut(path):
    path.write_bytes(path.read_bytes()[:-50])


def of_another_fit(path):
    shutil.copy(files(path.parent)[-1], path)


def without_a_part(path):
    header, arrays = read_archive(path)
    del header["fit_time"]
    write_archive(path, header, arrays)


def one_byte_changed(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [cut, of_another_fit, without_a_part, one_byte_changed])
def test_damaged_files(damage, tmp_path, log):
    folder = tmp_path / "folder"
    compare(folder)
    log()
    victim = files(folder)[0]
    damage(victim)
    files(folder)[5].unlink()
    content = victim.read_bytes()
    words = r"\.npz is not a fit of this checkpoint: .* Remove the file"
    with pytest.raises(ValueError, match=re.escape(str(victim.with_suffix(""))) + words):
        compare(folder)
    assert log() == []
    assert victim.read_bytes() == content
    victim.unlink()
    compare(folder)
    assert len(log()) == 2


def start(folder, draws, n_jobs, seconds):
    script = "from tests.splitting.logged import main; main()"
    command = [sys.executable, "-c", script, str(folder), str(draws), str(n_jobs)]
    return subprocess.Popen(
        command, env={**os.environ, "SECONDS_OF_A_FIT": str(seconds)}, start_new_session=True
    )


@pytest.mark.slow
@ON_LINUX
def test_killed_at_any_moment(tmp_path, log):
    """Runs of 32 fits are killed; each later run has the fits that were on disk."""
    rng = np.random.default_rng(0)
    expected = compare(None, estimand="full").draws
    all_fits = Counter(log())
    assert all_fits.total() == 32
    for trial in range(4):
        n_jobs = 1 + trial % 2
        folder, draws = tmp_path / f"folder{trial}", tmp_path / "draws.npy"
        process = start(folder, draws, n_jobs, seconds=0.05)
        wanted = int(rng.integers(0, 30))
        while process.poll() is None and (not folder.exists() or len(files(folder)) < wanted):
            time.sleep(0.002)
        time.sleep(rng.random() * 0.1)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        before = Counter(log())
        kept = len(files(folder))
        # A fit may be logged, but not on disk: at most one per worker.
        assert kept <= before.total() <= kept + 2 * n_jobs
        process = start(folder, draws, n_jobs, seconds=0)
        assert process.wait() == 0
        after = Counter(log())
        assert after.total() == 32 - kept
        assert not after - all_fits
        assert before + after >= all_fits
        np.testing.assert_array_equal(np.load(draws), expected)
        draws.unlink()
