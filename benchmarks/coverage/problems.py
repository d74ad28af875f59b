"""Learning problems on real data: a population, a number of instances, and four learners."""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import numpy as np
from learners import LEARNERS
from numpy.typing import NDArray
from populations import POPULATIONS, population
from sklearn.base import clone

__all__ = ["PROBLEMS", "Problem"]

Array = NDArray[Any]
Generator = np.random.Generator


class Problem(NamedTuple):
    """A population, and learners trained on instances of it.

    Attributes
    ----------
    of : str
        The population, a key of `POPULATIONS`.
    n : int
        The number of instances.
    learners : tuple of str
        Keys of `LEARNERS`.
    half : {0, 1}
        The half of the populations to which it belongs.
    """

    of: str
    n: int
    learners: tuple[str, ...]
    half: int

    @property
    def name(self) -> str:
        """The name in tables."""
        return f"{self.of}_{self.n}_{self.learners[0]}"

    @property
    def n_classes(self) -> int:
        """The number of classes of the population."""
        return int(population(self.of)[1].max()) + 1

    def generator(self, seed: int) -> Generator:
        """Return a generator, having seeded that of NumPy, which random learners use."""
        rng = np.random.default_rng([zlib.crc32(self.of.encode()), self.n, seed])
        np.random.seed(rng.integers(2**31))  # noqa: NPY002, for the random learners
        return rng

    def fresh_learners(self) -> list[Any]:
        """Return the learners, not fitted."""
        return [clone(LEARNERS[name]) for name in self.learners]

    def draw(self, rng: Generator) -> tuple[Array, Array]:
        """Return features and classes of n instances; of two classes, both occur four times."""
        X, y = population(self.of)
        while True:
            rows = rng.permutation(len(y))[: self.n]
            if self.n_classes > 2 or np.bincount(y[rows], minlength=2).min() >= 4:
                return X[rows], y[rows]

    def draw_apart(self, m: int, rng: Generator) -> tuple[Array, Array, Array, Array]:
        """Return features and classes of n instances, and of m others."""
        X, y = population(self.of)
        rows = rng.permutation(len(y))
        first, second = rows[: self.n], rows[self.n : self.n + m]
        return X[first], y[first], X[second], y[second]


NAMES = ["bayes", "lda", "knn5", "tree5", "logreg", "knn1"]
NAMES += ["svm", "tree", "forest", "knn15", "logreg.01", "extra-tree"]
SIZES = [200, 600, 150, 400, 800, 120, 300, 500]

# Many or rare classes need more instances.
AT_LEAST = {"letters": 600, "newsgroups": 600, "weather": 600, "lending_club": 400}
AT_LEAST |= {"caravan": 400, "remote_work": 300, "page_blocks": 200}

PROBLEMS = [
    Problem(
        of,
        max(SIZES[(i + 3 * j) % 8], AT_LEAST.get(of, 0)),
        tuple(NAMES[(i + 5 * j + d) % 12] for d in (0, 1, 4, 6)),
        i % 2,
    )
    for i, of in enumerate(sorted(POPULATIONS))
    for j in range(2)
]
