"""Class proportions whose own distribution is learned from all classes.

With many classes, Dirichlet(1, ..., 1) draws the proportions of rare classes towards 1 / M, and
proportions of balanced classes vary more than they should. Here proportions are normalised rates.
The rates come from a distribution that is itself unknown, a Dirichlet process over a grid of rates,
so that classes with similar counts share information and the others do not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from skbayeseval.engines.gammas import gamma_rows

__all__ = ["ProportionSampler"]

Array = NDArray[Any]

# The grid of rates, how closely a rate follows its node (the shape of a Gamma distribution), and
# the concentration of the Dirichlet process, in classes.
N_NODES = 40
SMALLEST_RATE = 0.05
SHAPE = 20.0
CONCENTRATION = 4.0
N_ITERATIONS = 100


class ProportionSampler:
    """Draw class proportions given how many instances each class has.

    Parameters
    ----------
    counts : ndarray of shape (n_classes,)
        The effective number of instances of each class.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.engines.proportions import ProportionSampler
    >>> draws = ProportionSampler(np.array([9.0, 11.0, 10.0])).draw(np.random.default_rng(0), 4)
    >>> draws.shape, draws.sum(axis=1).round(6).tolist()
    ((4, 3), [1.0, 1.0, 1.0, 1.0])
    """

    def __init__(self, counts: Array) -> None:
        # Sums of weighted counts differ in their last digits.
        self.counts = np.round(counts, 9)
        self.distinct, kind = np.unique(self.counts, return_inverse=True)
        times = np.bincount(kind)
        largest = 1.5 * self.distinct[-1] + 1
        self.nodes = np.geomspace(SMALLEST_RATE, largest, N_NODES)
        cumulative = np.cumsum(_responsibilities(self.distinct, times, self.nodes), axis=1)
        cumulative = np.minimum(cumulative, 1.0)
        cumulative[:, -1] = 1.0
        # The distribution functions one above another, to look all draws up at once.
        self.cumulative = (cumulative + np.arange(len(self.distinct))[:, None]).ravel()
        self.kind = kind[:, None]

    def draw(self, rng: np.random.Generator, n_draws: int) -> Array:
        """Return draws of shape (n_draws, n_classes)."""
        uniform = rng.random((len(self.counts), n_draws))
        value = np.minimum(uniform + self.kind, np.nextafter(self.kind + 1.0, 0.0))
        node = np.searchsorted(self.cumulative, value, side="right") % N_NODES
        rates = gamma_rows(rng, SHAPE + self.counts, n_draws)
        rates /= 1 + SHAPE / self.nodes[node]
        return np.ascontiguousarray((rates / rates.sum(axis=0)).T)


def _responsibilities(counts: Array, times: Array, nodes: Array) -> Array:
    """Return the probability of each node, for each distinct count.

    Each class learns from all classes but itself (collapsed variational inference of order zero),
    so that a class unlike all others keeps the uncertainty of its own count.
    """
    n = counts[:, None]
    log_likelihood = (
        gammaln(n + SHAPE) + SHAPE * np.log(SHAPE / nodes) - (n + SHAPE) * np.log1p(SHAPE / nodes)
    )
    likelihood = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    found = likelihood / likelihood.sum(axis=1, keepdims=True)
    for _ in range(N_ITERATIONS):
        of_others = times @ found - found
        found = likelihood * (CONCENTRATION / len(nodes) + of_others)
        found /= found.sum(axis=1, keepdims=True)
    return found
