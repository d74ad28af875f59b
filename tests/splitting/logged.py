"""Estimators that write a line into a file for each fit, and a comparison of two of them."""

import os
import sys
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from skbayeseval import bayesian_cross_validate

X, Y = make_classification(160, random_state=0)


class Logged(ClassifierMixin, BaseEstimator):
    """Naive Bayes that takes its time, and fails as long as there is a certain file."""

    def __init__(self, smoothing=1e-9):
        self.smoothing = smoothing

    def fit(self, X, y):
        time.sleep(float(os.environ.get("SECONDS_OF_A_FIT", "0")))
        if os.path.exists(f"{os.environ['LOG_OF_FITS']}.broken"):
            raise RuntimeError("a full moon")
        self.inner_ = GaussianNB(var_smoothing=self.smoothing).fit(X, y)
        self.classes_ = self.inner_.classes_
        with open(os.environ["LOG_OF_FITS"], "a") as log:
            log.write(f"{self.smoothing} {np.sum(X):.6f}\n")
        return self

    def predict(self, X):
        return self.inner_.predict(X)


def compare(checkpoint, **options):
    """Compare two estimators; 12 fits."""
    given = {"n_draws": 2000, "random_state": 0, "checkpoint": checkpoint, **options}
    return bayesian_cross_validate(Logged(), Logged(1.0), X, Y, **given)


def files(folder):
    """Return the files of finished fits."""
    return sorted(path for path in folder.glob("*.npz") if not path.name.startswith("."))


def main():
    """Compare in a process of its own."""
    folder, draws, n_jobs = sys.argv[1:]
    np.save(draws, compare(folder, n_jobs=int(n_jobs), estimand="full").draws)
