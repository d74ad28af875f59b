"""Fits on the workers of Dask, through joblib."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from joblib import parallel_config

from tests.splitting.logged import compare, files

# The cluster's own warnings, such as those of workers that are killed, are not of interest here.
pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.xdist_group("cluster"),
]


@pytest.fixture
def log(tmp_path, monkeypatch):
    """Return the file with a line for each fit."""
    path = tmp_path / "fits.log"
    monkeypatch.setenv("LOG_OF_FITS", str(path))
    return path


@pytest.fixture
def cluster(log):
    """Return the client of two worker processes; their environment is that of the test."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as workers, distributed.Client(workers) as client:
        yield client


@pytest.mark.slow
def test_dask(cluster, log, tmp_path, capsys):
    expected = compare(None).draws
    log.unlink()
    with parallel_config("dask"):
        np.testing.assert_array_equal(compare(None).draws, expected)
        np.testing.assert_array_equal(compare(tmp_path / "folder", verbose=1).draws, expected)
        assert len(files(tmp_path / "folder")) == 12
        np.testing.assert_array_equal(compare(tmp_path / "folder").draws, expected)
    assert len(log.read_text().splitlines()) == 24
    assert "fitting: 12 of 12 done" in capsys.readouterr().err


class Document(str):
    """A text that writes a line into a file whenever it is sent from the process of the test."""

    __slots__ = ()
    path = None

    def __reduce__(self):
        if Document.path is not None:
            with open(Document.path, "a") as log:
                log.write("sent\n")
        return Document, (str(self),)


def kill(pids, folder):
    """Kill workers when the first fits are done."""

    def run():
        while len(files(folder)) < 3:
            time.sleep(0.01)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    threading.Thread(target=run, daemon=True).start()


@pytest.mark.slow
def test_all_workers_that_are_killed(cluster, log, tmp_path):
    expected = compare(None).draws
    cluster.run(os.environ.__setitem__, "SECONDS_OF_A_FIT", "0.3")
    kill(list(cluster.run(os.getpid).values()), tmp_path / "folder")
    with parallel_config("dask"):
        with pytest.raises(Exception, match="cancelled"):
            compare(tmp_path / "folder")
        log.unlink()
        kept = len(files(tmp_path / "folder"))
        np.testing.assert_array_equal(compare(tmp_path / "folder").draws, expected)
    assert 3 <= kept < 12
    assert len(log.read_text().splitlines()) == 12 - kept
