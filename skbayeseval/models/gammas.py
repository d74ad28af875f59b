"""Gamma variables, and the Dirichlet vectors that are made of them; Gamma functions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.special import gammaln, ndtr

from skbayeseval._arrays import Array

# Gamma variables with smaller shapes may all be 0, and their shares unknown.
SMALL = 0.1

# From this count on, the logarithm of its Gamma function has lost too many digits to be subtracted.
MANY = 1e6


@dataclass(frozen=True)
class Simplex:
    """A probability vector, or one per label, with its Dirichlet prior and effective counts."""

    name: str
    prior: Array
    counts: Array


class GammaRows:
    """Draw Gamma variables, one row per shape, with rows in increasing order of shape.

    In NumPy, this is faster than broadcasting shapes.

    Parameters
    ----------
    shape : ndarray of shape (k,)
        The Gamma shapes.

    Attributes
    ----------
    order : ndarray of shape (k,)
        The index in `shape` of each row.
    place : ndarray of shape (k,)
        The row of each entry of `shape`.
    """

    def __init__(self, shape: Array) -> None:
        self.order = np.argsort(shape, kind="stable")
        self.place = np.empty(len(shape), dtype=np.intp)
        self.place[self.order] = np.arange(len(shape))
        self._distinct, times = np.unique(shape, return_counts=True)
        self._ends = np.cumsum(times)

    def draw(self, rng: Generator, n_draws: int) -> Array:
        """Return draws of shape (k, n_draws)."""
        rows = np.empty((len(self.place), n_draws))
        start = 0
        for shape, end in zip(self._distinct, self._ends, strict=True):
            rng.standard_gamma(shape, out=rows[start:end])
            start = end
        return rows


def gamma_rows(rng: Generator, shape: Array, n_draws: int) -> Array:
    """Return Gamma variables of shape (k, n_draws), given k shapes.

    In NumPy, this is faster than broadcasting shapes.
    """
    gammas = np.empty((len(shape), n_draws))
    for row, own in zip(gammas, shape, strict=True):
        rng.standard_gamma(own, out=row)
    return gammas


def dirichlet(rng: Generator, shape: Array, n_draws: int) -> Array:
    """Return draws of probability vectors, of shape (k, ..., n_draws), given shapes (k, ...).

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.models.gammas import dirichlet
    >>> draws = dirichlet(np.random.default_rng(0), np.array([2.0, 1.0, 7.0]), 4)
    >>> draws.shape, draws.sum(axis=0).round(6)
    ((3, 4), array([1., 1., 1., 1.]))
    """
    gammas = gamma_rows(rng, shape.ravel(), n_draws)
    return shares_of(rng, gammas.reshape(*shape.shape, n_draws), shape)


def shares_of(rng: Generator, gammas: Array, shape: Array) -> Array:
    """Return the shares of Gamma variables of shape (k, ..., n_draws) in their sums over k."""
    for place in np.argwhere(np.atleast_1d(shape.max(axis=0) < SMALL)):
        vector = (slice(None), *place[: shape.ndim - 1])
        # A Gamma(a) variable is one of a + 1 times U^(1 / a), by logarithms: it may underflow, and
        # what is left of 1 by the others of NumPy's Dirichlet vectors is rounded away.
        small = shape[vector][:, None]
        logs = np.log(rng.standard_gamma(small + 1, gammas[vector].shape))
        logs -= rng.standard_exponential(gammas[vector].shape) / small
        gammas[vector] = np.exp(logs - logs.max(axis=0))
    gammas /= gammas.sum(axis=0)
    return gammas


def correlated_gammas(rng: Generator, shapes: Array, n_rows: int, mixing: Array | None) -> Array:
    """Return Gamma variables that are correlated between kinds, and independent otherwise.

    Each is an increasing function of a normal variable (Marsaglia and Tsang 2000), and the normal
    variables are correlated. The few that are rejected are drawn again, independently.

    Parameters
    ----------
    rng : numpy.random.Generator
        The source of randomness.
    shapes : ndarray of shape (n_kinds, n_draws)
        The Gamma shapes.
    n_rows : int
        The number of variables per kind and draw.
    mixing : ndarray of shape (n_kinds, n_normals) or None
        A square root of the correlation matrix. None: independent.

    Returns
    -------
    gammas : ndarray of shape (n_kinds, n_rows, n_draws)

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.models.gammas import correlated_gammas
    >>> mixing = np.linalg.cholesky([[1.0, 0.9], [0.9, 1.0]])
    >>> a, b = correlated_gammas(np.random.default_rng(0), np.full((2, 500), 3.0), 4, mixing)
    >>> bool(np.corrcoef(a.ravel(), b.ravel())[0, 1] > 0.8)
    True
    """
    n_kinds, n_draws = shapes.shape
    shape = (n_kinds, n_rows, n_draws)
    if mixing is None or n_kinds == 1:
        return rng.standard_gamma(np.broadcast_to(shapes[:, None], shape))
    # Gamma(a) with a < 1 is Gamma(a + 1) times a uniform variable to the power of 1 / a.
    small = shapes < 1
    normal = _mixed(rng, mixing, n_rows, n_draws)
    at_least_one = np.where(small, shapes + 1, shapes)[:, None]
    gammas = _from_normals(rng, normal, at_least_one)
    columns = np.flatnonzero(small.any(axis=0))
    power = np.where(small, 1 / np.maximum(shapes, 1e-300), 0.0)[:, None, columns]
    gammas[:, :, columns] *= ndtr(_mixed(rng, mixing, n_rows, len(columns))) ** power
    return gammas


def _mixed(rng: Generator, mixing: Array, n_rows: int, n_draws: int) -> Array:
    """Return normal variables that are correlated between kinds."""
    return np.tensordot(mixing, rng.standard_normal((mixing.shape[1], n_rows, n_draws)), 1)


def _from_normals(rng: Generator, normal: Array, shape: Array) -> Array:
    """Return Gamma variables that increase with normal ones, given shapes of at least 1."""
    d = shape - 1 / 3
    gammas = 1 + normal * (1 / (3 * np.sqrt(d)))
    gammas *= gammas * gammas
    square, u = normal * normal, rng.random(normal.shape)
    # All but a few are accepted without a logarithm.
    few = np.nonzero(u >= 1 - 0.0331 * square * square)
    v, own = gammas[few], np.broadcast_to(d, normal.shape)[few]
    with np.errstate(divide="ignore", invalid="ignore"):
        rejected = ~(np.log(u[few]) < square[few] / 2 + own * (1 - v + np.log(v)))
    gammas *= d
    gammas[tuple(axis[rejected] for axis in few)] = rng.standard_gamma(own[rejected] + 1 / 3)
    return gammas


def log_rising(shape: Array, counts: Array) -> Array:
    """Return the sum over counts of log(Gamma(shape + count) / Gamma(shape)).

    The sum is right up to a constant that depends on the counts.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.models.gammas import log_rising
    >>> first, second = log_rising(np.array([1.0, 2.0]), np.array([1e15]))  # Gamma(n + 1), ...
    >>> round(float(np.exp(second - first) / 1e15), 9)
    1.0
    """
    total = np.zeros(np.shape(shape))
    of_shape = gammaln(shape)
    for count, times in zip(*np.unique(counts[counts > 0], return_counts=True), strict=True):
        more = shape + count
        if count < MANY:
            total += times * (gammaln(more) - of_shape)
        else:  # Stirling's series for the ratio of Gamma(more) and Gamma(count), term by term
            log_ratio = (count - 0.5) * np.log1p(shape / count) + shape * (np.log(more) - 1)
            total += times * (log_ratio + (1 / more - 1 / count) / 12 - of_shape)
    return total
