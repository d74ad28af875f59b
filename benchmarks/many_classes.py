"""How often 95% intervals contain the truth when there are many classes.

    python benchmarks/many_classes.py                    # about half an hour
    python benchmarks/many_classes.py --runs 20 --classes 20 100

Two classifiers with different recalls per class and, mostly, the same errors: of every class's
wrong predictions, 90% are on three other classes. The proportions of the classes are equal or
follow Zipf's law. Compared are `model="paired"` and the model with the published prior.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skbayeseval import compare_predictions
from skbayeseval.models import PairedHierarchical

Array = NDArray[Any]
METRICS = ("accuracy", "f1_macro")
MODELS = {"paired": "paired", "published prior": PairedHierarchical()}


class Population(NamedTuple):
    """Class proportions, recalls of A and B, how often both are right, and where errors go."""

    mu: Array
    recalls: Array
    both: Array
    confused_with: Array
    how_often: Array

    @classmethod
    def draw(cls, n_classes: int, proportions: str, rng: np.random.Generator) -> Population:
        """Draw a population with mean recalls of about 0.80 and 0.77."""
        mu = 1 / np.arange(1, n_classes + 1) if proportions == "Zipf" else np.ones(n_classes)
        level = rng.normal(1.6, 0.7, n_classes)
        logits = level + rng.normal([[0.0], [-0.15]], 0.25, (2, n_classes))
        recalls = 1 / (1 + np.exp(-logits))
        same = rng.uniform(0.3, 0.9)
        both = same * recalls.min(axis=0) + (1 - same) * recalls.prod(axis=0)
        steps = rng.integers(1, n_classes, (n_classes, 3))
        confused_with = (np.arange(n_classes)[:, None] + steps) % n_classes
        how_often = 0.9 * rng.dirichlet(np.ones(3), n_classes)
        return cls(mu / mu.sum(), recalls, both, confused_with, how_often)

    def truth(self) -> Array:
        """Return the metrics of A and of B, of shape (2, n_metrics)."""
        n_classes = len(self.mu)
        found = []
        for recall in self.recalls:
            hits, wrong = self.mu * recall, self.mu * (1 - recall)
            predicted = hits + 0.1 * (wrong.sum() - wrong) / (n_classes - 1)
            np.add.at(predicted, self.confused_with, self.how_often * wrong[:, None])
            found.append([hits.sum(), np.mean(2 * hits / (self.mu + predicted))])
        return np.array(found)

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return true classes and the predictions of both."""
        y = rng.choice(len(self.mu), n, p=self.mu)
        u, (a, b), both = rng.random(n), self.recalls[:, y], self.both[y]
        right = np.stack([u < a, np.where(u < a, u < both, u < a + b - both)])
        errors = [self._errors(y, rng) for _ in range(2)]
        errors[1] = np.where(rng.random(n) < 0.5, *errors)
        return y, np.where(right, y, errors)

    def _errors(self, y: Array, rng: np.random.Generator) -> Array:
        n_classes = len(self.mu)
        which = (rng.random(len(y))[:, None] > np.cumsum(self.how_often[y], axis=1)).sum(axis=1)
        others = (y + rng.integers(1, n_classes, len(y))) % n_classes
        return np.where(which < 3, self.confused_with[y, np.minimum(which, 2)], others)


def one_run(n_classes: int, per_class: int, proportions: str, seed: int) -> dict[Any, Any]:
    """Return whether each interval contains the truth, and the time of each model."""
    rng = np.random.default_rng([n_classes, per_class, seed])
    population = Population.draw(n_classes, proportions, rng)
    y, (a, b) = population.sample(n_classes * per_class, rng)
    truth = population.truth()
    found: dict[Any, Any] = {}
    for name, model in MODELS.items():
        start = time.perf_counter()
        result = compare_predictions(
            y, a, b, labels=np.arange(n_classes), scoring=list(METRICS), model=model,
            n_draws=1000, random_state=seed,
        )  # fmt: skip
        for metric, (of_a, of_b) in zip(METRICS, truth.T, strict=True):
            for what, low, high in (
                (of_a, *result.hdi(of="a", metric=metric)),
                (of_a - of_b, *result.hdi(metric=metric)),
            ):
                kind = metric if what is of_a else f"difference in {metric}"
                found[name, kind] = low <= what <= high
        found[name, "seconds"] = time.perf_counter() - start
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--classes", type=int, nargs="*", default=[20, 100, 1000])
    parser.add_argument("--seconds", type=float, default=300.0, help="at most, per row")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for n_classes in options.classes:
        for per_class in (10, 50):
            for proportions in ("equal", "Zipf"):
                start, runs = time.perf_counter(), []
                while len(runs) < options.runs and time.perf_counter() - start < options.seconds:
                    runs.append(one_run(n_classes, per_class, proportions, len(runs)))
                means = pd.DataFrame(runs).mean()
                means.index = pd.MultiIndex.from_tuples(means.index)
                print(f"{n_classes} classes, {per_class} each, {proportions}: {len(runs)} runs")
                print(means.unstack().round(2).to_string(), flush=True)


if __name__ == "__main__":
    main()
