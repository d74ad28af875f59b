import os
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

mpl.use("agg")

# One profile for all: the same examples in every run, however fast or busy the machine is.
settings.register_profile(
    "skbayeseval",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("skbayeseval")

ROOT = Path(__file__).parents[1]


def pytest_configure(config):
    # On its first import of a day, ArviZ 0.23 writes a file, which two workers cannot do at once.
    if getattr(config.option, "numprocesses", None):
        with warnings.catch_warnings(action="ignore", category=FutureWarning):
            import arviz  # noqa: F401


@pytest.fixture
def published():
    # Imported here: benchmarks/mutation.py changes the package after this file is read.
    from skbayeseval.reproduce.tables import load_published

    return load_published


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def correlated_votes():
    """Labels and the predictions of two correlated classifiers, 400 instances."""
    rng = np.random.default_rng(7)
    y = (rng.random(400) < 0.4).astype(int)
    hard = rng.random(400)
    a = np.where(hard + 0.2 * rng.random(400) < 0.95, y, 1 - y)
    b = np.where(hard + 0.2 * rng.random(400) < 0.90, y, 1 - y)
    return y, a, b


@pytest.fixture
def votes():
    return correlated_votes()


@pytest.fixture(scope="session")
def newsgroups():
    """Predictions of the papers' four classifiers on 20 Newsgroups, kept in .cache."""
    from joblib import Memory

    # joblib must find the function by name, whichever process runs the test.
    from tests.newsgroups import predict

    home = os.environ.get("SCIKIT_LEARN_DATA", "")
    if not (Path(home) / "20news-bydate_py3.pkz").exists():
        pytest.skip("20 Newsgroups is not here; point SCIKIT_LEARN_DATA at scikit-learn's cache")
    return Memory(ROOT / ".cache", verbose=0).cache(predict)(str(home))
