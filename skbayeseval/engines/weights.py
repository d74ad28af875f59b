"""Exact draws for weighted instances or groups, and for independent labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skbayeseval.engines.gammas import GammaRows
from skbayeseval.metrics.confusion import Totals
from skbayeseval.models.specification import LabelSpecification, WeightSpecification

__all__ = ["label_blocks", "label_totals", "stream_labels", "stream_weights"]

Array = NDArray[Any]

# The approximate memory of a block of draws. Changing it changes the draws of a given seed.
BLOCK_BYTES = 2**26


def stream_weights(
    specification: WeightSpecification, rng: np.random.Generator, n_draws: int, *, tables: bool
) -> Iterator[Totals | Array]:
    """Yield blocks of totals of shape (n_classifiers, n, M), or of tables."""
    units = specification.units.distinct()
    gammas = GammaRows(units.shape)
    n_classifiers, m = len(units.hits), len(units.labels)
    totals = (*units.hits, *units.predicted, units.true)
    summed = units.cells if tables else totals
    # All sums over units in one product, of matrices whose rows are in order.
    to_sums = sparse.vstack([matrix[gammas.order].T for matrix in summed], format="csr")
    sizes = units.sizes[gammas.order]
    # Blocks are the same with and without tables, and so are the draws. A product must not take
    # seconds: it cannot be interrupted.
    entries = sum(matrix.nnz for matrix in (*totals, *units.cells))
    cells = n_classifiers * min(m, 200) ** 2 if units.cells else 0
    for size in _sizes(n_draws, 8 * (3 * len(sizes) + 8 * m + 2 * cells) + entries):
        weights = gammas.draw(rng, size)
        sums = to_sums @ weights
        sums /= sizes @ weights
        sums = sums.reshape(len(summed), -1, size).swapaxes(1, 2)
        if tables:
            yield np.ascontiguousarray(sums).reshape(len(summed), size, m, m)
            continue
        hits, predicted, true = sums[:n_classifiers], sums[n_classifiers:-1], sums[-1]
        yield Totals(hits, np.broadcast_to(true, hits.shape), predicted)


def stream_labels(
    specification: LabelSpecification, rng: np.random.Generator, n_draws: int, *, prior: bool
) -> Iterator[Totals]:
    """Yield blocks of totals of shape (n_classifiers, n, n_labels)."""
    for parameters in label_blocks(specification, rng, n_draws, prior=prior):
        yield label_totals(parameters)


def label_blocks(
    specification: LabelSpecification, rng: np.random.Generator, n_draws: int, *, prior: bool
) -> Iterator[dict[str, Array]]:
    """Yield blocks of draws of the parameters.

    These are either mu, rho+ and rho- of shape (n_classifiers, n, n_labels), or pi, the cells
    (tp, fp, fn, tn), of shape (n_classifiers, n, n_labels, 4).
    """
    counts = np.zeros_like(specification.cells) if prior else specification.cells
    n_classifiers, n_labels, _ = counts.shape
    for size in _sizes(n_draws, 8 * 8 * n_classifiers * n_labels):
        if specification.cell_prior is not None:
            shapes = (counts + specification.cell_prior)[:, None]
            cells = rng.standard_gamma(shapes, (n_classifiers, size, n_labels, 4))
            yield {"pi": cells / cells.sum(axis=-1, keepdims=True)}
        else:
            tp, fp, fn, tn = np.moveaxis(counts[:, None], -1, 0)
            shape = (n_classifiers, size, n_labels)
            (present, absent), rho = specification.mu, specification.rho
            mu = rng.beta(present + tp + fn, absent + fp + tn, shape)
            found = rng.beta(rho[0, 0] + tp, rho[0, 1] + fn, shape)
            alarm = rng.beta(rho[1, 0] + fp, rho[1, 1] + tn, shape)
            yield {"mu": mu, "rho+": found, "rho-": alarm}


def label_totals(parameters: Mapping[str, Array]) -> Totals:
    """Return the totals of hits, true and predicted, of shape (n_classifiers, n, n_labels)."""
    if "pi" in parameters:
        tp, fp, fn, _ = np.moveaxis(parameters["pi"], -1, 0)
    else:
        mu, found, alarm = (parameters[name] for name in ("mu", "rho+", "rho-"))
        tp, fn, fp = mu * found, mu * (1 - found), (1 - mu) * alarm
    return Totals(tp, tp + fn, tp + fp)


def _sizes(n_draws: int, bytes_per_draw: int) -> Iterator[int]:
    block = max(1, min(4096, BLOCK_BYTES // bytes_per_draw))
    for start in range(0, n_draws, block):
        yield min(block, n_draws - start)
