"""Gamma variables, drawn fast, and correlated ones; and Gamma functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, ndtr

Array = NDArray[Any]

# Gamma variables with smaller shapes may all be 0, and their shares unknown.
SMALL = 0.1

# From this shape on, Gamma variables are faster made of normal ones.
LARGE = 4

# From this count on, the logarithm of its Gamma function has lost too many digits to be subtracted.
MANY = 1e6

# See `_from_normals`.
SHRINK = math.sqrt(3 / 16)


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

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.engines.gammas import gamma_rows
    >>> gamma_rows(np.random.default_rng(0), np.array([0.5, 100.0]), 1000).mean(axis=1).round()
    array([  0., 100.])
    """
    rows = np.empty((len(shape), n_draws))
    large = shape >= LARGE
    if large.any():
        d, scale = _scales(shape[large, None])
        normal = rng.standard_normal((len(d), n_draws))
        rows[large] = _from_normals(rng, normal, d, scale)
    for row in np.flatnonzero(~large):
        rng.standard_gamma(shape[row], out=rows[row])
    return rows


def dirichlet_rows(rng: Generator, shapes: Sequence[Array], n_draws: int) -> list[Array]:
    """Return Dirichlet draws of shape (k, n_draws) for each vector of k shapes.

    This is faster than `rng.dirichlet` of each.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.engines.gammas import dirichlet_rows
    >>> shapes = [np.array([30.0, 0.5]), np.array([2.0, 1.0, 7.0])]
    >>> two, three = dirichlet_rows(np.random.default_rng(0), shapes, 4)
    >>> three.shape, three.sum(axis=0).round(6)
    ((3, 4), array([1., 1., 1., 1.]))
    """
    rows = gamma_rows(rng, np.concatenate(shapes), n_draws)
    found = np.split(rows, np.cumsum([len(shape) for shape in shapes])[:-1])
    for k, shape in enumerate(shapes):
        if shape.max() < SMALL:
            found[k] = np.ascontiguousarray(rng.dirichlet(shape, n_draws).T)
        else:
            found[k] /= found[k].sum(axis=0)
    return found


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
    >>> from skbayeseval.engines.gammas import correlated_gammas
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
    n_normals = mixing.shape[1]
    normal = np.tensordot(mixing, rng.standard_normal((n_normals, n_rows, n_draws)), 1)
    found = _from_normals(rng, normal, *_scales(np.where(small, shapes + 1, shapes)[:, None]))
    columns = np.flatnonzero(small.any(axis=0))
    if len(columns):
        again = rng.standard_normal((n_normals, n_rows, len(columns)))
        power = np.where(small, 1 / np.maximum(shapes, 1e-300), 0.0)[:, None, columns]
        found[:, :, columns] *= ndtr(np.tensordot(mixing, again, 1)) ** power
    return found


def large_gammas(rng: Generator, shapes: Array, which: Array | slice = slice(None)) -> Array:
    """Return Gamma variables, one row for each entry of `which`.

    In NumPy, this is faster than `Generator.standard_gamma` of an array.

    Parameters
    ----------
    rng : numpy.random.Generator
        The source of randomness.
    shapes : ndarray of shape (n_kinds, n_draws)
        The Gamma shapes, each of which must be at least 1.
    which : ndarray of shape (n_rows,), default=slice(None)
        The row of `shapes` that each row has. By default, each occurs once.

    Returns
    -------
    gammas : ndarray of shape (n_rows, n_draws)

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.engines.gammas import large_gammas
    >>> shapes, which = np.full((1, 1000), 25.0), np.array([0, 0])
    >>> gammas = large_gammas(np.random.default_rng(0), shapes, which)
    >>> bool(abs(gammas.mean() - 25) < 1)
    True
    """
    d, scale = (values[which] for values in _scales(shapes))
    return _from_normals(rng, rng.standard_normal(d.shape), d, scale)


def _scales(shapes: Array) -> tuple[Array, Array]:
    """Return d and the scale of `_from_normals`, which has the reason for it."""
    d = shapes - 1 / 3
    scale = np.sqrt(d)
    return d, np.divide(1 / (3 * SHRINK), scale, out=scale)


def _from_normals(rng: Generator, normal: Array, d: Array, scale: Array) -> Array:
    """Return Gamma variables that increase with normal ones, which are overwritten.

    The shapes d + 1/3 are at least 1. Few are rejected, and drawn again.
    """
    # With z = normal / (3 sqrt(d)) and a uniform variable u, Marsaglia and Tsang accept d (1 + z)^3
    # if log(u) < 3 d (log(1 + z) - z + z^2 / 2 - z^3 / 3), of which the right side is above
    # -1.5 d z^4 unless z < -1/2. So u < 31/32 and z^2 <= 1 / sqrt(48 d) suffice: then the right
    # side is above -1/32 > log(31/32), and z > -0.43, since d >= 2/3. In terms of w = scale normal,
    # where z = SHRINK w, that is w^2 <= scale.
    w = np.multiply(normal, scale, out=normal)
    found = np.multiply(w, w, out=np.empty(w.shape))
    unsure = found > scale
    bits = _bytes(rng, w.shape)
    unsure |= bits >= 248
    few = np.flatnonzero(unsure)
    z = SHRINK * w.ravel()[few]
    w *= SHRINK
    w += 1.0
    np.multiply(w, w, out=found)
    found *= w
    found *= d
    # Of the few, eight bits of u mostly suffice.
    d = np.broadcast_to(d, w.shape)[np.unravel_index(few, w.shape)]
    of_u = bits.ravel()[few]
    doubtful = np.flatnonzero((384 * d * (z * z) ** 2 + of_u > 255) | (z < -0.5))
    z, d, few = z[doubtful], d[doubtful], few[doubtful]
    u = (of_u[doubtful] + rng.random(len(doubtful))) / 256
    with np.errstate(divide="ignore", invalid="ignore"):
        accepted = np.log(u) < 3 * d * (np.log1p(z) - z * (1 - z * (1 / 2 - z / 3)))
    found.ravel()[few[~accepted]] = rng.standard_gamma(d[~accepted] + 1 / 3)
    return found


def _bytes(rng: Generator, shape: tuple[int, ...]) -> Array:
    """Return random bytes, of a bit generator whose words have 64 bits, as all of ours have."""
    size = math.prod(shape)
    words = rng.bit_generator.random_raw(-(-size // 8))
    return words.view(np.uint8)[:size].reshape(shape)


def log_rising(shape: Array, counts: ArrayLike, times: ArrayLike = 1) -> Array:
    """Return the sum of log(Gamma(shape + count) / Gamma(shape)) over counts.

    Each count occurs `times` times. The sum is right up to a constant that depends on the counts.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.engines.gammas import log_rising
    >>> first, second = log_rising(np.array([1.0, 2.0]), 1e15)  # Gamma(n + 1), Gamma(n + 2) / 1!
    >>> round(float(np.exp(second - first) / 1e15), 9)
    1.0
    """
    counts, times = np.broadcast_arrays(np.ravel(counts), times)
    if not times.sum():  # Gamma(0) is infinite
        return np.zeros(np.shape(shape))
    total = np.asarray(-times.sum() * gammaln(shape))
    for count, often in zip(counts, times, strict=True):
        more = shape + count
        if count < MANY:
            total += often * gammaln(more)
        else:  # Stirling's series for the ratio of Gamma(more) and Gamma(count), term by term
            log_ratio = (count - 0.5) * np.log1p(shape / count) + shape * (np.log(more) - 1)
            total += often * (log_ratio + (1 / more - 1 / count) / 12)
    return total
