"""The posterior of one quantity: every method, sentence, table and figure asks it."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skbayeseval._validation import check_probability
from skbayeseval.judgement.decision import Decision, Probabilities, decide, masses
from skbayeseval.judgement.intervals import Interval, equal_tailed, hdi, hdi_mcse
from skbayeseval.judgement.rope import check_rope

__all__ = ["Distribution", "as_distribution", "decision_of"]

Array = NDArray[Any]


class Distribution:
    """The posterior of one quantity, known by draws; subclasses know some of it in closed form.

    Draws are read-only, and what takes long to compute of them is computed once.

    Parameters
    ----------
    draws : array-like of shape (n_draws,)
        Draws of the quantity.
    mcse : float, default=None
        The Monte Carlo standard error of the mean; by default that of independent draws.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.judgement import Distribution
    >>> difference = Distribution(np.arange(-10, 91) / 1000)
    >>> round(difference.mean, 3), round(difference.mass(0.0, 1.0), 3)
    (0.04, 0.901)
    """

    def __init__(self, draws: ArrayLike, mcse: float | None = None) -> None:
        self.draws = np.asarray(draws, dtype=float).view()
        self.draws.flags.writeable = False
        self._mcse = mcse
        self._hdis: dict[float, Interval] = {}

    @cached_property
    def mean(self) -> float:
        """The mean."""
        return float(self.draws.mean())

    @cached_property
    def sd(self) -> float:
        """The standard deviation."""
        return float(self.draws.std(ddof=1))

    @property
    def mcse(self) -> float:
        """The Monte Carlo standard error of the mean."""
        return self.sd / math.sqrt(len(self.draws)) if self._mcse is None else self._mcse

    def hdi(self, prob: float = 0.95) -> Interval:
        """Return the highest-density interval."""
        prob = check_probability(prob)
        if prob not in self._hdis:
            self._hdis[prob] = hdi(self.draws, prob)
        return self._hdis[prob]

    def hdi_mcse(self, prob: float = 0.95) -> float:
        """Return the Monte Carlo standard error of the ends of the HDI, the larger of the two."""
        return hdi_mcse(self.draws, prob)

    def interval(self, prob: float = 0.95) -> Interval:
        """Return the equal-tailed interval."""
        return equal_tailed(self.draws, check_probability(prob))

    def mass(self, low: float, high: float) -> float:
        """Return the probability of the values from `low` to `high`, both included."""
        return float(np.mean((self.draws >= low) & (self.draws <= high)))

    def around(self, region: Interval) -> Probabilities:
        """Return the probabilities of values left of, in and right of a region."""
        return masses(self.draws, region)


def as_distribution(given: Distribution | ArrayLike) -> Distribution:
    """Return a distribution; draws alone are taken for independent ones."""
    return given if isinstance(given, Distribution) else Distribution(given)


def decision_of(
    difference: Distribution,
    rope: Any,
    prob: float,
    names: tuple[str, str],
    metric: str,
    *,
    shift: float = 0.0,
) -> Decision:
    """Return the decision that the posterior of a difference leads to.

    `shift` is how far other random splits could move the difference; the decision then tells
    whether it depends on them.
    """
    region, hdi = check_rope(rope), difference.hdi(prob)
    found = decide(
        hdi,
        region,
        difference.around(region),
        difference.mean,
        names=names,
        metric=metric,
        prob=prob,
    )
    if shift == 0:
        return found
    moved = [
        decide(
            Interval(hdi.low + move, hdi.high + move),
            region,
            difference.around(Interval(region.low - move, region.high - move)),
            difference.mean + move,
        ).code
        for move in (-shift, shift)
    ]
    return replace(found, depends_on_splits=any(code != found.code for code in moved))
