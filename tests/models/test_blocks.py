import threading
import time
from functools import partial

import numpy as np
import pytest
from joblib import parallel_config
from sklearn import config_context, get_config

from skbayeseval import compare_predictions
from skbayeseval.metrics import from_confusion
from skbayeseval.models import base, blocks, items, vectors
from skbayeseval.models.blocks import child_of, in_order, stream_blocks
from skbayeseval.results import figures
from tests.results import gallery


@pytest.fixture(autouse=True)
def three_cores(monkeypatch):
    monkeypatch.setattr(blocks.joblib, "cpu_count", lambda: 3)


@pytest.mark.parametrize("n_jobs", [None, 3])
def test_every_block_has_a_stream_of_its_own(n_jobs):
    with parallel_config(n_jobs=n_jobs):
        stream = stream_blocks(lambda rng, k: rng.random(k), np.random.default_rng(5), 25, 10)
        found = list(stream)
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


def draws_of(make):
    result = make()
    return np.stack([result._posterior.draws(metric)[0] for metric in result._metrics.values()])


# Draws of every kind of specification, of parameters and of curves.
DRAWS = {name: partial(draws_of, make) for name, make in gallery.EXACT.items()} | {
    "parameters": lambda: gallery.EXACT["paired"]()._posterior.parameters()["theta+"],
    "parameters of recalls": lambda: gallery.many_classes()._posterior.parameters()["rho_A"],
    "curves": lambda: figures.Curves(gallery.instance_scores()._posterior, "roc").bands()[0].low,
}


@pytest.fixture
def small_blocks(monkeypatch):
    """Several blocks instead of one."""
    for module in (base, items, vectors):
        monkeypatch.setattr(module, "BLOCK", 10)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 2**13)
    monkeypatch.setattr(figures, "BLOCK_BYTES", 2**15)
    monkeypatch.setattr(figures, "BAND_DRAWS", 60)


@pytest.mark.parametrize("kind", DRAWS)
def test_draws_do_not_depend_on_the_number_of_threads(kind, small_blocks):
    found = []
    for n_jobs in (None, 3):
        with parallel_config("threading", n_jobs=n_jobs):  # fits, too, without processes
            found.append(np.asarray(DRAWS[kind]()))
    assert np.isfinite(found[0]).all()
    np.testing.assert_array_equal(found[1], found[0])


def test_tables_and_totals_see_the_same_draws(small_blocks):
    # Macro-F1 is a function of totals, and here once more of whole tables.
    def f1_macro(tables):
        hits = np.diagonal(tables, axis1=-2, axis2=-1)
        return (2 * hits / (tables.sum(axis=-1) + tables.sum(axis=-2))).mean(axis=-1)

    own = from_confusion(f1_macro, "own")
    for options in ({}, {"groups": np.arange(1000) // 4}, {"model": "hierarchical"}):
        result = compare_predictions(
            *gallery.labels(4, 1000)[:3], scoring=["f1_macro", own], **options
        )
        posterior = result._posterior
        by_totals, by_tables = (
            np.hstack(list(posterior.stream(metric, posterior.rng(), 100)))
            for metric in result._metrics.values()
        )
        np.testing.assert_allclose(by_totals, by_tables, atol=1e-12)
