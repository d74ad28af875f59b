import threading
from functools import partial

import numpy as np
import pytest
from joblib import parallel_config
from sklearn import config_context, get_config

from skbayeseval.models import base, blocks, items, vectors
from skbayeseval.models.blocks import in_order
from skbayeseval.results import figures
from tests.results import gallery


@pytest.fixture(autouse=True)
def three_cores(monkeypatch):
    monkeypatch.setattr(blocks.joblib, "cpu_count", lambda: 3)


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
