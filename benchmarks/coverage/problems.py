"""Learning problems on real data: a population, a number of instances, and two learners.

Every other population, in alphabetical order, is for the design of methods, the rest for their
test.
"""

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
    """A population, and two learners trained on instances of it.

    Attributes
    ----------
    of : str
        The population, a key of `POPULATIONS`.
    n : int
        The number of instances.
    a, b : str
        The learners, keys of `LEARNERS`.
    half : {"design", "test"}
        What the population is for.
    """

    of: str
    n: int
    a: str
    b: str
    half: str

    @property
    def name(self) -> str:
        """The name in tables."""
        return f"{self.of}_{self.n}_{self.a}_{self.b}"

    @property
    def key(self) -> int:
        """The seed of the problem."""
        return zlib.crc32(self.name.encode())

    @property
    def n_classes(self) -> int:
        """The number of classes of the population."""
        return int(population(self.of)[1].max()) + 1

    def learners(self) -> list[tuple[str, Any]]:
        """Return the two learners; random ones use NumPy's global generator."""
        return [("A", clone(LEARNERS[self.a])), ("B", clone(LEARNERS[self.b]))]

    def draw(self, n: int, rng: Generator) -> tuple[Array, Array]:
        """Return features and classes of n instances; of two classes, both occur twice."""
        X, y = population(self.of)
        while True:
            rows = rng.permutation(len(y))[:n]
            if self.n_classes > 2 or np.bincount(y[rows], minlength=2).min() >= 2:
                return X[rows], y[rows]

    def draw_apart(self, n: int, m: int, rng: Generator) -> tuple[Array, Array, Array, Array]:
        """Return features and classes of n instances, and of m others."""
        X, y = population(self.of)
        rows = rng.permutation(len(y))
        first, second = rows[:n], rows[n : n + m]
        return X[first], y[first], X[second], y[second]


PAIRS = [
    ("bayes", "lda"),
    ("lda", "knn1"),
    ("logreg", "forest"),
    ("tree", "knn5"),
    ("svm", "lda"),
    ("bayes", "tree3"),
    ("knn5", "logreg"),
    ("tree5", "forest"),
    ("logreg", "logreg.01"),
    ("knn15", "bayes"),
    ("extra-tree", "knn5"),
    ("lda", "logreg"),
]
SIZES = [200, 600, 100, 400, 1000, 150, 300, 800]

# Many or rare classes need more instances. One hundred of page_blocks may lack a class.
AT_LEAST = {"letters": 600, "newsgroups": 600, "weather": 600, "lending_club": 400, "caravan": 400}
LEFT_OUT = {"page_blocks_100_knn5_logreg"}

# Populations of a further problem each: the nearest neighbour against linear discriminant analysis.
FURTHER = ("optical_digits", "textures", "letters", "pen_digits")


def _problems() -> list[Problem]:
    names = sorted(POPULATIONS)
    half = {name: ("design", "test")[i % 2] for i, name in enumerate(names)}
    found = [
        Problem(
            name,
            max(SIZES[(i + 3 * j) % 8], AT_LEAST.get(name, 0)),
            *PAIRS[(i + 5 * j) % 12],
            half[name],
        )
        for i, name in enumerate(names)
        for j in range(2)
    ]
    found += [Problem(name, 600, "knn1", "lda", half[name]) for name in FURTHER]
    return [problem for problem in found if problem.name not in LEFT_OUT]


PROBLEMS = _problems()
