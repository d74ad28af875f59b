"""Exact draws for weighted instances or groups, and for independent labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skbayeseval.engines.blocks import as_drawn, stream_blocks
from skbayeseval.engines.gammas import GammaRows
from skbayeseval.metrics.confusion import Totals
from skbayeseval.models.specification import LabelSpecification, WeightSpecification

__all__ = ["label_blocks", "label_totals", "stream_labels", "stream_weights"]

Array = NDArray[Any]

# The approximate memory of a block of draws. Changing it changes the draws of a given seed.
BLOCK_BYTES = 2**24


def stream_weights(
    specification: WeightSpecification,
    rng: np.random.Generator,
    n_draws: int,
    *,
    tables: bool,
    of_block: Callable[[Totals | Array], Any] = as_drawn,
) -> Iterator[Any]:
    """Yield blocks of totals of shape (n_classifiers, n, M), or of tables, or what is asked."""
    units = specification.units.distinct()
    gammas = GammaRows(units.shape)
    n_classifiers, m = len(units.hits), len(units.labels)
    summed = units.cells if tables else (*units.hits, *units.predicted, units.true)
    # All sums over units in one product, of matrices whose rows are in order.
    to_sums = sparse.vstack([matrix[gammas.order].T for matrix in summed], format="csr")
    sizes = units.sizes[gammas.order]

    def draw(rng: np.random.Generator, size: int) -> Any:
        weights = gammas.draw(rng, size)
        sums = to_sums @ weights
        sums /= sizes @ weights
        sums = sums.reshape(len(summed), -1, size).swapaxes(1, 2)
        if tables:
            return of_block(np.ascontiguousarray(sums).reshape(len(summed), size, m, m))
        hits, predicted, true = sums[:n_classifiers], sums[n_classifiers:-1], sums[-1]
        return of_block(Totals(hits, np.broadcast_to(true, hits.shape), predicted))

    # Blocks, and so draws, do not depend on the metric. A product must not take seconds: it cannot
    # be interrupted.
    entries = units.true.nnz + sum(
        matrix.nnz for of_all in (units.hits, units.predicted, units.cells) for matrix in of_all
    )
    cells = n_classifiers * min(m, 200) ** 2 if units.cells else 0
    block = _size(8 * (3 * len(sizes) + 8 * n_classifiers * m + 2 * cells) + entries)
    return stream_blocks(draw, rng, n_draws, block)


def stream_labels(
    specification: LabelSpecification,
    rng: np.random.Generator,
    n_draws: int,
    *,
    prior: bool,
    of_block: Callable[[Totals], Any] = as_drawn,
) -> Iterator[Any]:
    """Yield blocks of totals of shape (n_classifiers, n, n_labels), or what is asked of them."""

    def of_parameters(parameters: dict[str, Array]) -> Any:
        return of_block(label_totals(parameters))

    return label_blocks(specification, rng, n_draws, prior=prior, of_block=of_parameters)


def label_blocks(
    specification: LabelSpecification,
    rng: np.random.Generator,
    n_draws: int,
    *,
    prior: bool,
    of_block: Callable[[dict[str, Array]], Any] = as_drawn,
) -> Iterator[Any]:
    """Yield blocks of draws of the parameters, or what is asked of them.

    These are either mu, rho+ and rho- of shape (n_classifiers, n, n_labels), or pi, the cells
    (tp, fp, fn, tn), of shape (n_classifiers, n, n_labels, 4).
    """
    counts = np.zeros_like(specification.cells) if prior else specification.cells
    n_classifiers, n_labels, _ = counts.shape

    def draw(rng: np.random.Generator, size: int) -> Any:
        if specification.cell_prior is not None:
            shapes = (counts + specification.cell_prior)[:, None]
            cells = rng.standard_gamma(shapes, (n_classifiers, size, n_labels, 4))
            return of_block({"pi": cells / cells.sum(axis=-1, keepdims=True)})
        tp, fp, fn, tn = np.moveaxis(counts[:, None], -1, 0)
        shape = (n_classifiers, size, n_labels)
        (present, absent), rho = specification.mu, specification.rho
        mu = rng.beta(present + tp + fn, absent + fp + tn, shape)
        found = rng.beta(rho[0, 0] + tp, rho[0, 1] + fn, shape)
        alarm = rng.beta(rho[1, 0] + fp, rho[1, 1] + tn, shape)
        return of_block({"mu": mu, "rho+": found, "rho-": alarm})

    return stream_blocks(draw, rng, n_draws, _size(8 * 8 * n_classifiers * n_labels))


def label_totals(parameters: Mapping[str, Array]) -> Totals:
    """Return the totals of hits, true and predicted, of shape (n_classifiers, n, n_labels)."""
    if "pi" in parameters:
        tp, fp, fn, _ = np.moveaxis(parameters["pi"], -1, 0)
    else:
        mu, found, alarm = (parameters[name] for name in ("mu", "rho+", "rho-"))
        tp, fn, fp = mu * found, mu * (1 - found), (1 - mu) * alarm
    return Totals(tp, tp + fn, tp + fp)


def _size(bytes_per_draw: int) -> int:
    return max(1, min(1024, BLOCK_BYTES // bytes_per_draw))
