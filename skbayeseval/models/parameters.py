"""The parameters of a model by name, as the papers call them.

mu are the class proportions; rho+ and rho- the rates of positive predictions; theta the outcomes of
a true class; eta the concentration of the hierarchical prior; pi the cells (tp, fp, fn, tn). A or B
after an underscore is the classifier.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from skbayeseval.evidence.base import letter

__all__ = ["CELLS", "OUTCOMES", "Parameter", "SplitScoreSums", "letter", "sums_of_splits"]

Array = NDArray[Any]

OUTCOMES = ("11", "10", "01", "00")
CELLS = ("tp", "fp", "fn", "tn")


class Parameter(NamedTuple):
    """A probability, or several that sum to 1, with the Dirichlet prior.

    Parameters
    ----------
    name : str
        Its name.
    prior : ndarray of shape (..., k)
        The Dirichlet prior; with `is_beta` k is 2 and the parameter is the first of the two.
    is_beta : bool
        Whether a draw is a number (for each of the leading axes) or k of them.
    dims : tuple of str
        What the axes of a draw are.
    flat : {None, "plain", "log"}
        For numbers of any size: whether the prior is flat, of them or of their logarithm; `prior`
        then holds where the data put it and how closely, for the sampler to start from.
    power : float
        Not flat, but with a density of this power of the number, for that of its logarithm.
    """

    name: str
    prior: Array
    is_beta: bool
    dims: tuple[str, ...] = ()
    flat: str | None = None
    power: float = 0.0

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one draw."""
        return self.prior.shape[:-1] if self.is_beta or self.flat else self.prior.shape


class SplitScoreSums(NamedTuple):
    """Sums over splits of the differences d = a - b and of B's scores."""

    n_splits: int
    mean_d: float
    mean_b: float
    ss_d: float
    ss_b: float
    sp: float

    @property
    def slope(self) -> float:
        """The slope of b on d."""
        return self.sp / self.ss_d

    @property
    def ss_e(self) -> float:
        """The sum of squares of b that d leaves."""
        return self.ss_b - self.sp**2 / self.ss_d


def sums_of_splits(a: Array, b: Array, added: Array | None = None) -> SplitScoreSums:
    """Return the sums of two estimators' scores, with variance added to each of them."""
    d = a - b
    more_a, more_b = (0.0, 0.0) if added is None else (len(d) - 1) * added
    centred_d, centred_b = d - d.mean(), b - b.mean()
    return SplitScoreSums(
        len(d),
        float(d.mean()),
        float(b.mean()),
        float(centred_d @ centred_d + more_a + more_b),
        float(centred_b @ centred_b + more_b),
        float(centred_d @ centred_b - more_b),
    )
