import threading
import time
from itertools import islice

import numpy as np
import pytest
from joblib import parallel_config
from sklearn import config_context, get_config
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from skbayeseval import (
    bayesian_cross_validate,
    compare_counts,
    compare_items,
    compare_many,
    compare_many_items,
    compare_predictions,
    compare_scores,
)
from skbayeseval.engines import blocks, bootstrap
from skbayeseval.engines.blocks import child_of, in_order, stream_blocks
from skbayeseval.judgement import Interval
from skbayeseval.metrics import from_confusion
from skbayeseval.models import (
    binary,
    data_sets,
    items,
    outcomes,
    specification,
    split_scores,
    weights,
)
from skbayeseval.posterior import curves


@pytest.fixture(autouse=True)
def three_cores(monkeypatch):
    monkeypatch.setattr(blocks.joblib, "cpu_count", lambda: 3)


def numbers(n, size):
    drawn = stream_blocks(lambda rng, k: rng.random(k), np.random.default_rng(5), n, size)
    return list(drawn)


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 3, -1])
def test_every_block_has_a_stream_of_its_own(n_jobs):
    with parallel_config(n_jobs=n_jobs):
        found = numbers(25, 10)
    parent = np.random.default_rng(5)
    for block, size in zip(found, (10, 10, 5), strict=True):
        np.testing.assert_array_equal(block, child_of(parent).random(size))


def test_no_more_blocks_are_at_work_than_threads_and_results_are_in_order():
    at_work, most, lock = 0, 0, threading.Lock()

    def work(i):
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        time.sleep(0.001 * (i % 3))
        with lock:
            at_work -= 1
        return i

    begun = 0

    def tasks():
        nonlocal begun
        for i in range(40):
            begun += 1
            yield (i,)

    with parallel_config(n_jobs=3):
        for done, i in enumerate(in_order(work, tasks())):
            assert i == done
            assert begun <= done + 6  # a caller who stops early has not paid for all of them
    assert most == 3


def test_one_thread_is_the_caller_and_does_nothing_ahead():
    begun = []

    def work(i):
        begun.append(i)
        return threading.current_thread()

    stream = in_order(work, ((i,) for i in range(5)))
    assert next(stream) is threading.current_thread()
    assert begun == [0]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_errors_and_interrupts_end_the_stream(n_jobs):
    done = []

    def work(i):
        if i == 3:
            raise KeyboardInterrupt
        done.append(i)
        return i

    before = set(threading.enumerate())
    with parallel_config(n_jobs=n_jobs), pytest.raises(KeyboardInterrupt):
        list(in_order(work, ((i,) for i in range(100))))
    assert set(range(3)) <= set(done)
    assert len(done) < 20
    assert set(threading.enumerate()) <= before


def test_threads_have_the_settings_of_the_caller():
    def work(_):
        return np.geterr()["divide"], get_config()["assume_finite"]

    with parallel_config(n_jobs=2), config_context(assume_finite=True), np.errstate(divide="call"):
        found = set(in_order(work, ((i,) for i in range(4))))
    assert found == {("call", True)}


def predictions(n_classes, n=60):
    rng = np.random.default_rng(n_classes)
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
    said = [np.where(rng.random(n) < p, y, rng.integers(0, n_classes, n)) for p in (0.9, 0.8, 0.7)]
    return y, *said


def indicators():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (40, 3))
    return y, *(np.where(rng.random(y.shape) < p, y, 1 - y) for p in (0.9, 0.8))


def instance_scores():
    y, a, b, _ = predictions(2)
    noise = np.random.default_rng(1).normal(size=(2, len(y)))
    return y, {"a": a + noise[0], "b": b + noise[1]}


def two(n_classes, n=60, **options):
    return compare_predictions(*predictions(n_classes, n)[:3], **SEED, **options)


def many(n_classes, **options):
    y, *said = predictions(n_classes)
    return compare_many(y, dict(zip("abc", said, strict=True)), **SEED, **options)


def of_labels(model):
    return compare_predictions(*indicators(), model=model, scoring="f1_macro", **SEED)


def of_scores(**options):
    y, of_each = instance_scores()
    a, b = of_each.values()
    return compare_predictions(y, None, None, y_score_a=a, y_score_b=b, **SEED, **options)


def of_numbers():
    y, a, b = np.random.default_rng(0).normal(size=(3, 50))
    return compare_predictions(y, y + a / 3, y + b / 2, scoring="r2", **SEED)


def of_items(n_systems, right=False, **options):
    found = np.random.default_rng(0).random((n_systems, 50))
    found = (found > 0.5).astype(int) if right else found
    if n_systems == 2:
        return compare_items(*found, **SEED, **options)
    return compare_many_items(dict(zip("abc", found, strict=True)), **SEED, **options)


def of_splits(*shape, **options):
    a, b = np.random.default_rng(0).random((2, *shape))
    return compare_scores(a, b, test_fraction=0.1, **SEED, **options)


def of_systems():
    table = np.random.default_rng(0).random((3, 4, 5))
    nested = {
        name: {str(d): list(runs) for d, runs in enumerate(of_one)}
        for name, of_one in zip("abc", table, strict=True)
    }
    return compare_scores(nested, test_fraction=0.2, **SEED)


def cross_validated(**options):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    X = rng.normal(size=(40, 2)) + y[:, None]
    return bayesian_cross_validate(RidgeClassifier(), GaussianNB(), X, y, **SEED, **options)


def shares(result):
    """Return some of the estimates of a prior probability."""
    (metric,) = result._metrics.values()
    return np.stack(list(islice(result._posterior.prior.shares(metric, Interval(-0.1, 0.1)), 4)))


SEED = {"random_state": 0, "n_draws": 100}

# Draws of every kind of specification, of parameters, of shares and of curves.
DRAWS = {
    "two classes": lambda: two(2, scoring="f1").draws,
    "unpaired": lambda: two(2, model="unpaired").draws,
    "bcv": lambda: compare_counts((40, 10, 12), (35, 10, 17), **SEED).draws,
    "three of two classes": lambda: many(2).draws,
    "recalls": lambda: two(4, scoring="f1_macro").draws,
    "recalls, tables": lambda: two(4, scoring="matthews_corrcoef").draws,
    "hierarchical": lambda: two(4, n=1000, model="hierarchical").draws,
    "three of four classes": lambda: many(4, scoring="f1_macro").draws,
    "groups": lambda: two(3, groups=np.arange(60) // 3, scoring="f1_macro").draws,
    "groups, tables": lambda: two(3, groups=np.arange(60) // 3, scoring="cohen_kappa").draws,
    "labels": lambda: of_labels("unpaired").draws,
    "labels, bcv": lambda: of_labels("bcv").draws,
    "labels, paired": lambda: of_labels("paired").draws,
    "instance scores": lambda: of_scores(scoring="roc_auc").draws,
    "numbers": lambda: of_numbers().draws,
    "items": lambda: of_items(2).draws,
    "three of items": lambda: of_items(3).draws,
    "items right or wrong": lambda: of_items(2, right=True).draws,
    "three of items right or wrong": lambda: of_items(3, right=True).draws,
    "items in groups": lambda: of_items(2, right=True, groups=np.arange(50) // 2).draws,
    "split scores": lambda: of_splits(10).draws,
    "data sets": lambda: of_splits(6, 10, model="signed-rank").draws,
    "systems": lambda: of_systems().draws,
    "inferred weights": lambda: cross_validated().draws,
    "parameters": lambda: two(2)._posterior.parameters()["theta+"],
    "parameters of recalls": lambda: two(4)._posterior.parameters()["rho_A"],
    "parameters of labels": lambda: of_labels("unpaired")._posterior.parameters()["mu_A"],
    "shares of rates": lambda: shares(two(2)),
    "shares of items": lambda: shares(of_items(2, right=True)),
    "curves": lambda: curves.curve_bands(of_scores(scoring="roc_auc")._posterior, "roc")[0].low,
}


@pytest.fixture
def small_blocks(monkeypatch):
    """Several blocks instead of one."""
    for module in (binary, bootstrap, items, specification):
        monkeypatch.setattr(module, "BLOCK", 10)
    for module in (bootstrap, outcomes, split_scores, data_sets, weights):
        monkeypatch.setattr(module, "BLOCK_BYTES", 2**13)
    monkeypatch.setattr(curves, "BLOCK_BYTES", 2**15)
    monkeypatch.setattr(curves, "N_DRAWS", 60)


@pytest.mark.parametrize("kind", DRAWS)
def test_draws_do_not_depend_on_the_number_of_threads(kind, small_blocks):
    found = []
    for n_jobs in (None, 2, 3):
        with parallel_config(n_jobs=n_jobs):
            found.append(np.asarray(DRAWS[kind]()))
    assert np.isfinite(found[0]).all()
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


@pytest.mark.parametrize("n_classes", [2, 4])
def test_tables_and_totals_see_the_same_draws(n_classes, small_blocks):
    # Accuracy is a function of totals, and here once more of whole tables.
    own = from_confusion(lambda t: np.trace(t, axis1=-2, axis2=-1) / t.sum(axis=(-2, -1)), "own")
    for options in ({}, {"groups": np.arange(1000) // 4}, {"model": "hierarchical"}):
        result = two(n_classes, n=1000, scoring=["accuracy", own], **options)
        posterior = result._posterior
        by_totals, by_tables = (
            np.hstack(list(posterior.stream(metric, posterior.rng(), 100)))
            for metric in result._metrics.values()
        )
        np.testing.assert_allclose(by_totals, by_tables, atol=1e-12)


def test_draws_of_a_pair_do_not_depend_on_the_others(small_blocks):
    # Of weights of instances. Groups with equal counts share weights, and who does depends on all.
    y, *said = predictions(2)
    a, b, c = said + np.random.default_rng(0).random((3, len(y)))
    options = SEED | {"scoring": "roc_auc"}
    three = compare_many(y, None, scores={"a": a, "b": b, "c": c}, **options).pairs[0, 1]
    pair = compare_predictions(y, None, None, y_score_a=a, y_score_b=b, **options)
    np.testing.assert_allclose(three.draws, pair.draws, atol=1e-12)
