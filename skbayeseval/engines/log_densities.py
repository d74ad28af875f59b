"""Log likelihood and log prior of draws of the parameters, for models of Dirichlet vectors.

Both are those of the PyMC graph. Counts of weighted evidence are multiplied by their weight, and so
is their log likelihood.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from skbayeseval.models.parameters import letter
from skbayeseval.models.specification import (
    AnySpecification,
    LabelSpecification,
    Specification,
)

__all__ = ["LogDensities", "log_densities"]

Array = NDArray[Any]

SMALLEST = np.finfo(float).tiny


class LogDensities(NamedTuple):
    """The terms of the log likelihood and of the log prior, of shape (n_draws,), by name."""

    likelihood: dict[str, Array]
    prior: dict[str, Array]


def log_densities(
    specification: AnySpecification, draws: Mapping[str, Array]
) -> LogDensities | None:
    """Return the log densities of draws of the parameters; None if these are not all there is.

    That is so where rows of tables or weights of units are drawn besides the parameters, and where
    the draws lack a parameter.
    """
    vectors = list(_vectors(specification))
    if not vectors or any(name not in draws for name, _, _ in vectors):
        return None
    likelihood, prior = {}, {}
    for name, shapes, counts in vectors:
        values = draws[name]
        if values.ndim == shapes.ndim:  # the first of two that sum to 1
            values = np.stack([values, 1 - values], axis=-1)
        values = np.maximum(values, SMALLEST)
        norm = gammaln(shapes.sum(axis=-1)) - gammaln(shapes).sum(axis=-1)
        each_prior = xlogy(shapes - 1, values).sum(axis=-1) + norm
        each_likelihood = xlogy(counts, values).sum(axis=-1)
        likelihood[f"counts of {name}"] = _over_targets(each_likelihood)
        prior[f"prior of {name}"] = _over_targets(each_prior)
    return LogDensities(likelihood, prior)


def _over_targets(values: Array) -> Array:
    return values.reshape(len(values), -1).sum(axis=1)


@singledispatch
def _vectors(specification: AnySpecification) -> Iterator[tuple[str, Array, Array]]:
    """Yield each probability vector: its name, Dirichlet prior and effective counts."""
    yield from ()


@_vectors.register
def _(specification: Specification) -> Iterator[tuple[str, Array, Array]]:
    for simplex in specification.simplexes:
        yield simplex.name, simplex.prior, simplex.counts


@_vectors.register
def _(specification: LabelSpecification) -> Iterator[tuple[str, Array, Array]]:
    priors = {parameter.name: parameter.prior for parameter in specification.parameters()}
    for k, cells in enumerate(specification.cells):
        tp, fp, fn, tn = cells.T
        of_each: dict[str, tuple[Array, ...]] = {"pi": (tp, fp, fn, tn)}
        if specification.cell_prior is None:
            of_each = {"mu": (tp + fn, fp + tn), "rho+": (tp, fn), "rho-": (fp, tn)}
        for stem, counts in of_each.items():
            name = f"{stem}_{letter(k)}"
            yield name, priors[name], np.stack(counts, axis=-1)
