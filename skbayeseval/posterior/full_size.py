"""From the training sizes of a cross-validation to all instances.

A learner's score follows its training size s about as a - b s^-alpha. Two sizes and alpha tell the
score at a third size: the score at the larger one and r times the step from the smaller to the
larger one, where r hardly depends on alpha. The step may be noise, so it is shrunk as far as noise
may explain it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# Exponents of learning curves, all of them equally probable.
EXPONENTS = np.linspace(0.25, 1.0, 4)

# The number of values of the share of noise in a step, all of them equally probable.
N_SHARES = 25

# The number of equally probable shifts from the splits to all instances.
N_SHIFTS = len(EXPONENTS) * N_SHARES

# A rate at which a step is certainly not noise.
MOST = 1e6


class TrainingSizes(NamedTuple):
    """The number of training instances of the splits, of the further splits, and of all data."""

    splits: float
    further: float
    all: float

    @property
    def sign(self) -> float:
        """1 if the further splits have larger training sets, else -1."""
        return 1.0 if self.further > self.splits else -1.0

    @property
    def multiples(self) -> Array:
        """How many steps it takes from the splits to all data, for each exponent.

        A step leads from the smaller size to the larger one.
        """
        small, large = sorted((self.splits, self.further))
        beyond = (large**-EXPONENTS - self.all**-EXPONENTS) / (
            small**-EXPONENTS - large**-EXPONENTS
        )
        return np.asarray(beyond + (self.splits < self.further))


class FullSize(NamedTuple):
    """How a cross-validated quantity D continues to training sets of all instances.

    Attributes
    ----------
    step : float
        D in the further splits minus D in the splits.
    rate : float
        Half the square of the step, divided by its variance if it is noise.
    slope : float
        The covariance of the errors of D and of the step from the smaller training size to the
        larger one, divided by the variance of the latter.
    inflation, further : float
        The variances of D at all instances and in the further splits, divided by that in the
        splits.
    sizes : TrainingSizes
        The training sizes.
    """

    step: float
    rate: float
    slope: float
    inflation: float
    further: float
    sizes: TrainingSizes

    @property
    def is_noise(self) -> bool:
        """Whether the step is less than two of its standard deviations."""
        return self.rate < 2.0

    @property
    def shifts(self) -> Array:
        """By how much D moves from the splits to all instances: values, equally probable."""
        # Where the step is noise, both sizes tell the same, and D is moved towards the average of
        # both that varies least.
        share = _shares_of_noise(self.rate)
        moves = self.sizes.multiples[:, None] * (1 - share) - self.slope * share
        return np.ravel(moves) * self.sizes.sign * self.step


def extrapolate(
    influence: Array, further: Array, step: float, kappa: float, sizes: TrainingSizes
) -> FullSize:
    """Extrapolate a quantity D to all instances, given D at two training sizes.

    D has a flat prior, and the true step from the smaller size to the larger one is normal around 0
    with a variance that is learned from the step itself: the share of noise in it is the square of
    a uniform variable. Given the share, D at all instances is normal.

    Parameters
    ----------
    influence, further : ndarray of shape (n_units,)
        The influence of each unit on D in the splits, and in the further splits.
    step : float
        D in the further splits minus D in the splits.
    kappa : float
        The variance of D divided by its test noise, the sum of its squared influences.
    sizes : TrainingSizes
        The training sizes.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.posterior.full_size import TrainingSizes, extrapolate
    >>> influence = np.array([0.01, -0.01, 0.01, -0.01])
    >>> sizes = TrainingSizes(splits=50, further=75, all=100)
    >>> found = extrapolate(influence, influence[[0, 1, 3, 2]], 0.2, 1.5, sizes)
    >>> round(float(found.shifts.mean()), 2)
    0.3
    """
    of_step = sizes.sign * (further - influence)
    squares = np.square(np.concatenate([influence, further]))
    if not squares.any():  # the quantity is the same for all instances, at both sizes
        return FullSize(step, MOST, 0.0, 1.0, 1.0, sizes)
    # Where no instance has an influence, the next one may have one: no variance is 0.
    one = float(squares[squares > 0].mean())
    noise, total = float(of_step @ of_step) + one, float(influence @ influence) + one
    rate = min(step**2 / (2 * kappa * noise), MOST)
    slope = float(influence @ of_step) / noise
    kept = 1 - _shares_of_noise(rate)
    variance = total - slope**2 * noise + (sizes.multiples[:, None] + slope) ** 2 * kept * noise
    of_further = float(further @ further) + one
    return FullSize(step, rate, slope, float(variance.mean()) / total, of_further / total, sizes)


def _shares_of_noise(rate: float) -> Array:
    """Return values of the share of noise in a step, equally probable: a truncated exponential."""
    ranks = (np.arange(N_SHARES) + 0.5) / N_SHARES
    if rate < 1e-9:
        return ranks
    return np.asarray(-np.log1p(ranks * np.expm1(-rate)) / rate)
