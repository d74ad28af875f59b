"""Exact draws of eta, the prior mean of recalls, from a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from skbayeseval.engines.gammas import log_rising
from skbayeseval.models.specification import Eta

__all__ = ["EtaSampler"]

Array = NDArray[Any]

# The degree with which the interpolation below has no error but that of rounding.
DEGREE = 24


class EtaSampler:
    """Draw logit(eta) by inverse CDF; the logit keeps the relative precision of 1 - eta.

    Parameters
    ----------
    eta : Eta
        The prior and the counts.
    prior : bool
        Whether to draw from the prior instead of the posterior.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.special import expit
    >>> from skbayeseval.engines.etas import EtaSampler
    >>> from skbayeseval.models.specification import Eta
    >>> counts = np.array([1.0]), np.array([6])  # six classes, of one instance each
    >>> none = np.array([]), np.array([], dtype=int)
    >>> eta = EtaSampler(Eta(np.ones(2), 6, right=counts, wrong=none), prior=False)
    >>> round(eta.mean, 3)  # Beta(7, 1)
    0.875
    >>> expit(eta.draw(np.random.default_rng(0), 3)).round(2)
    array([0.94, 0.83, 0.63])
    """

    def __init__(self, eta: Eta, *, prior: bool) -> None:
        self.grid, log_density = _eta_grid(eta, prior)
        density = np.exp(log_density - log_density.max())
        self.mass = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])

    @property
    def mean(self) -> float:
        """The mean of eta."""
        weight = np.diff(self.mass)
        eta = expit(self.grid)
        return float(weight @ (eta[1:] + eta[:-1]) / (2 * weight.sum()))

    def draw(self, rng: np.random.Generator, n_draws: int, n_strata: int = 1) -> Array:
        """Return `n_draws` times `n_strata` draws of logit(eta), one per stratum."""
        uniform = (np.arange(n_strata) + rng.random((n_draws, n_strata))).ravel() / n_strata
        return np.interp(uniform * self.mass[-1], self.mass, self.grid)


def _eta_grid(eta: Eta, prior: bool) -> tuple[Array, Array]:
    """Return a grid of logit(eta) around the mode, and the log density on it."""
    log_density_of = _log_density(eta, prior)
    # Below 0 the log density falls by at least the first parameter per unit, above by the second.
    low, high = -max(60.0, 40 / eta.prior[0]), max(60.0, 40 / eta.prior[1])
    for n_steps in (200, 200, 1000):  # locate the mode, narrow the range, final grid
        n_nodes = 1 + round(n_steps * max(1.0, (high - low) / 120))
        grid = np.linspace(low, high, n_nodes)
        log_density = log_density_of(grid)
        inside = np.flatnonzero(log_density > log_density.max() - 40)
        low = grid[max(inside[0] - 1, 0)]
        high = grid[min(inside[-1] + 1, n_nodes - 1)]
    return grid, log_density


def _log_density(eta: Eta, prior: bool) -> Callable[[Array], Array]:
    """Return a function of logit(eta), the log of its density up to a constant.

    The rows are integrated out, so the likelihood is a product of Dirichlet-multinomials.
    """

    def log_prior(logit: Array) -> Array:
        return eta.prior[0] * log_expit(logit) + eta.prior[1] * log_expit(-logit)

    if prior:
        return log_prior
    of_right, of_wrong = _log_likelihood(*eta.right), _log_likelihood(*eta.wrong)

    def log_density(logit: Array) -> Array:
        # The prior mass of a right prediction is eta; 1 - eta is divided among the wrong ones.
        log_right, log_wrong = log_expit(logit), log_expit(-logit) - np.log(eta.n_classes - 1)
        return log_prior(logit) + of_right(log_right) + of_wrong(log_wrong)

    return log_density


def _log_likelihood(counts: Array, times: Array) -> Callable[[Array], Array]:
    """Return a function of log(shape), where the shape is at most 1, up to a constant.

    It is the sum of log(Gamma(shape + count) / Gamma(shape)) over counts.
    """
    counts, times = np.asarray(counts), np.asarray(times)
    large = counts >= 1
    # For a count of at least 1, that is log(shape) and an analytic function of the shape above -1:
    # a polynomial is as precise, and the same for all counts.
    of_large = Chebyshev.interpolate(
        lambda shape: log_rising(shape + 1, counts[large] - 1, times[large]), DEGREE, [0, 1]
    )

    def log_likelihood(log_shape: Array) -> Array:
        shape = np.exp(log_shape)
        of_small = log_rising(shape, counts[~large], times[~large])
        return times[large].sum() * log_shape + of_large(shape) + of_small

    return log_likelihood
