"""Learning problems with known truth, on which intervals are tested.

The list was fixed before any interval was computed on it. The method was designed on other problems
(docs/calibration.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from learners import LEARNERS
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

__all__ = ["SCENARIOS", "Scenario"]

Array = NDArray[Any]
Generator = np.random.Generator

N_FEATURES = 10


class Scenario(NamedTuple):
    """Data and two learners.

    Attributes
    ----------
    name : str
        The name in tables.
    shape : str
        The shape of the classes, a key of `SHAPES`.
    n : int
        The number of instances.
    prevalence : float
        The share of the positive class; with five classes, that of the most frequent one.
    a, b : str
        The learners, keys of `LEARNERS`. "/even" and "/odd" give a learner every other feature.
    fixed : bool
        Whether the number of instances of each class is fixed instead of random.
    group_size : int
        The number of instances per group; 1 means no groups.
    """

    name: str
    shape: str
    n: int
    prevalence: float
    a: str
    b: str
    fixed: bool = False
    group_size: int = 1

    @property
    def is_null(self) -> bool:
        """Whether both learners perform equally well by construction."""
        return self.name.startswith("null")

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes."""
        return self.shape != "five"

    @property
    def metrics(self) -> list[str]:
        """The metrics that are compared."""
        if not self.is_binary:
            return ["accuracy", "f1_macro"]
        # ROC AUC takes long, and rare mistakes need many data sets.
        quick = self.n > 1000 or self.is_null
        return ["accuracy", "f1"] if quick else ["accuracy", "f1", "roc_auc"]

    def learners(self) -> list[tuple[str, Any]]:
        """Return the two learners; random ones use NumPy's global generator."""
        found = []
        for i, spec in enumerate((self.a, self.b)):
            name, _, features = spec.partition("/")
            learner = clone(LEARNERS[name])
            if features:
                start = 0 if features == "even" else 1
                chosen = FunctionTransformer(_every_other, kw_args={"start": start})
                learner = make_pipeline(chosen, learner)
            found.append(("AB"[i], learner))
        return found

    def draw(self, n: int, rng: Generator) -> tuple[Array, Array, Array | None]:
        """Return features, classes and groups (None without groups) of about n instances."""
        n_groups = -(-n // self.group_size)
        rows = n_groups * self.group_size
        groups = np.repeat(np.arange(n_groups), self.group_size)
        y = self._classes(rows, n_groups, rng)
        X = SHAPES[self.shape](y, rng)
        if self.group_size > 1:
            X = X + rng.normal(0, 0.7, (n_groups, N_FEATURES))[groups]
        return X, y, groups if self.group_size > 1 else None

    def _classes(self, rows: int, n_groups: int, rng: Generator) -> Array:
        if self.is_binary:
            shares = np.array([1 - self.prevalence, self.prevalence])
        else:
            shares = np.append(self.prevalence, np.full(4, (1 - self.prevalence) / 4))
        if self.fixed:
            counts = np.floor(shares * rows).astype(int)
            counts[0] += rows - counts.sum()
            return rng.permutation(np.repeat(np.arange(len(shares)), counts))
        if self.group_size == 1:
            return rng.choice(len(shares), rows, p=shares)
        # The instances of a group tend to be of the same class.
        tendency = rng.beta(*(2 * shares[::-1]), n_groups)
        return (rng.random(rows) < np.repeat(tendency, self.group_size)).astype(int)


def _every_other(X: Array, start: int) -> Array:
    return X[:, start::2]


def _shift(y: Array, rng: Generator) -> Array:
    X = rng.normal(size=(len(y), N_FEATURES))
    X[:, :4] += np.outer(y, [0.9, 0.9, 0.4, 0.4])
    return X


def _spread(y: Array, rng: Generator) -> Array:
    X = rng.normal(size=(len(y), N_FEATURES))
    X[:, :4] *= np.where(y > 0, 1.8, 1.0)[:, None]
    X[:, :2] += 0.6 * y[:, None]
    return X


def _cross(y: Array, rng: Generator) -> Array:
    X = rng.normal(size=(len(y), N_FEATURES))
    side = rng.choice([-1, 1], len(y))
    X[:, 0] += 1.3 * side
    X[:, 1] += 1.3 * side * (2 * y - 1)
    X[:, 2] += 0.5 * y
    return X


def _clusters(y: Array, rng: Generator) -> Array:
    X = rng.normal(size=(len(y), N_FEATURES))
    centres = np.array([[[2, 0], [-2, 1], [0, -2]], [[0, 2], [2, -1.5], [-2, -1]]], dtype=float)
    X[:, :2] += centres[np.minimum(y, 1), rng.integers(0, 3, len(y))]
    return X


def _tails(y: Array, rng: Generator) -> Array:
    X = rng.standard_t(3, size=(len(y), N_FEATURES))
    X[:, :4] += 0.8 * y[:, None]
    return X


def _five(y: Array, rng: Generator) -> Array:
    X = rng.normal(size=(len(y), N_FEATURES))
    angle = 2 * np.pi * y / 5
    X[:, :2] += 2.0 * np.column_stack([np.cos(angle), np.sin(angle)])
    X[:, 2] += 0.5 * y
    return X


SHAPES: dict[str, Callable[[Array, Generator], Array]] = {
    "shift": _shift,
    "spread": _spread,
    "cross": _cross,
    "clusters": _clusters,
    "tails": _tails,
    "five": _five,
}

SCENARIOS = [
    Scenario("shift-100", "shift", 100, 0.5, "bayes", "lda"),
    Scenario("shift-200", "shift", 200, 0.5, "lda", "logistic", fixed=True),
    Scenario("shift-500", "shift", 500, 0.2, "bayes", "logistic"),
    Scenario("shift-1000", "shift", 1000, 0.1, "lda", "knn15"),
    Scenario("shift-2000", "shift", 2000, 0.05, "bayes", "lda", fixed=True),
    Scenario("spread-100", "spread", 100, 0.5, "qda", "bayes"),
    Scenario("spread-300", "spread", 300, 0.35, "bayes", "tree3"),
    Scenario("spread-1000", "spread", 1000, 0.5, "qda", "lda", fixed=True),
    Scenario("spread-2000", "spread", 2000, 0.2, "tree3", "knn15"),
    Scenario("cross-200", "cross", 200, 0.5, "knn5", "tree5"),
    Scenario("cross-500", "cross", 500, 0.35, "tree5", "qda"),
    Scenario("cross-1000", "cross", 1000, 0.2, "knn5", "qda", fixed=True),
    Scenario("clusters-100", "clusters", 100, 0.35, "knn5", "lda"),
    Scenario("clusters-300", "clusters", 300, 0.5, "knn15", "tree3", fixed=True),
    Scenario("clusters-500", "clusters", 500, 0.1, "knn5", "bayes"),
    Scenario("clusters-2000", "clusters", 2000, 0.5, "qda", "knn5"),
    Scenario("tails-200", "tails", 200, 0.5, "bayes", "logistic"),
    Scenario("tails-500", "tails", 500, 0.35, "knn15", "lda"),
    Scenario("tails-1000", "tails", 1000, 0.1, "logistic", "lda"),
    Scenario("tails-1000-fixed", "tails", 1000, 0.5, "bayes", "lda", fixed=True),
    Scenario("five-200", "five", 200, 0.2, "bayes", "lda"),
    Scenario("five-500", "five", 500, 0.2, "knn5", "tree5"),
    Scenario("five-1000", "five", 1000, 0.2, "lda", "knn15", fixed=True),
    Scenario("five-2000", "five", 2000, 0.6, "bayes", "tree5"),
    Scenario("groups-40x15", "shift", 600, 0.5, "bayes", "knn5", group_size=15),
    Scenario("groups-100x5", "cross", 500, 0.35, "knn15", "lda", group_size=5),
    Scenario("subspace-500", "shift", 500, 0.5, "subspace", "lda"),
    Scenario("threshold-500", "clusters", 500, 0.35, "threshold", "lda"),
    Scenario("extra-tree-300", "tails", 300, 0.2, "extra-tree", "knn5"),
    Scenario("null-subspace-500", "shift", 500, 0.5, "subspace", "subspace"),
    Scenario("null-subspace-2000", "shift", 2000, 0.5, "subspace", "subspace"),
    Scenario("null-extra-tree-200", "cross", 200, 0.35, "extra-tree", "extra-tree"),
    Scenario("null-lda-200", "shift", 200, 0.5, "lda/even", "lda/odd"),
    Scenario("null-bayes-1000", "shift", 1000, 0.2, "bayes/even", "bayes/odd"),
    Scenario("null-groups-40x15", "shift", 600, 0.5, "lda/even", "lda/odd", group_size=15),
    Scenario("null-rare-20-of-300", "shift", 300, 0.067, "lda/even", "lda/odd"),
    Scenario("null-rare-36-of-300", "shift", 300, 0.12, "lda/even", "lda/odd"),
    Scenario("null-rare-50-of-300", "shift", 300, 0.167, "lda/even", "lda/odd"),
]
