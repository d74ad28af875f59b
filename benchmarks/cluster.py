"""Wall time of a comparison on a Dask cluster, relative to joblib's own processes.

Run with ``python -m benchmarks.cluster``; requires distributed. Two workers fit estimators to 40 MB
of data, for two seconds each, whatever else the machine does. The ratio should stay below 1.25.
"""

import time

import joblib
import numpy as np
from distributed import Client, LocalCluster
from sklearn.base import BaseEstimator, ClassifierMixin

from skbayeseval import bayesian_cross_validate


class Unhurried(ClassifierMixin, BaseEstimator):
    """A threshold of one column, which takes its time."""

    def __init__(self, column=0, seconds=2.0):
        self.column = column
        self.seconds = seconds

    def fit(self, X, y):
        """Wait, and find the threshold."""
        self.classes_ = np.unique(y)
        self.threshold_ = np.median(X[:, self.column])
        time.sleep(self.seconds)
        return self

    def predict(self, X):
        """Return the class above or below the threshold."""
        return self.classes_[(X[:, self.column] > self.threshold_).astype(int)]


def main(rounds=3):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50_000, 100))
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=len(X)) > 0, "yes", "no")

    def seconds(**options):
        start = time.perf_counter()
        bayesian_cross_validate(
            Unhurried(), ("other", Unhurried(1)), X, y, random_state=0, **options
        )
        return time.perf_counter() - start

    ratios = []
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster):
        for number in range(rounds + 1):
            processes = seconds(n_jobs=2)
            with joblib.parallel_config("dask"):
                dask = seconds()
            ratio = dask / processes
            if number:  # the first round imports what workers need
                ratios.append(ratio)
                print(f"Dask {dask:6.2f} s   n_jobs=2 {processes:6.2f} s   {ratio:.3f}")
    print(f"median ratio {np.median(ratios):.3f}")


if __name__ == "__main__":
    main()
