"""Simulated labels and predictions for measurements of run time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def labels(
    n_classes: int, n_instances: int, accuracies: tuple[float, ...] = (0.8, 0.75), seed: int = 0
) -> list[Array]:
    """Return true classes and predictions, which are right or a class drawn at random."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_instances)
    return [y] + [
        np.where(rng.random(n_instances) < p, y, rng.integers(0, n_classes, n_instances))
        for p in accuracies
    ]


def indicators(n_instances: int, n_labels: int, seed: int = 0) -> list[Array]:
    """Return label sets and two predictions of them, of which few differ.

    As in collections of news, most instances have one of a few dozen label sets.
    """
    rng = np.random.default_rng(seed)
    sets = rng.random((40, n_labels)) < 0.2
    how_often = 1 / np.arange(1, 41)
    y = sets[rng.choice(40, n_instances, p=how_often / how_often.sum())]
    wrong = [rng.random(y.shape) < rate for rate in (0.008, 0.01)]
    return [y.astype(int), *((y ^ errors).astype(int) for errors in wrong)]


def tables(y: Array, predictions: list[Array], n_classes: int) -> Array:
    """Return the confusion tables, of shape (n_classifiers, n_classes, n_classes)."""
    cells = [np.bincount(y * n_classes + p, minlength=n_classes**2) for p in predictions]
    return np.reshape(cells, (len(predictions), n_classes, n_classes))
