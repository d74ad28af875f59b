"""`ScoreResult`: the posterior of one classifier's score."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any

import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric
from skbayeseval.posterior.diagnostics import mixing
from skbayeseval.results.base import PosteriorView

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from skbayeseval.display import ScoreDisplay

__all__ = ["ScoreResult"]

Array = NDArray[Any]


class ScoreResult(PosteriorView):
    """The posterior of one classifier's score.

    Made by `score_posterior`. Read-only. With several metrics, properties are those of the first
    and every method takes ``metric=``.

    Attributes
    ----------
    name : str
        The name of the classifier.
    metrics : tuple of str
        The names of the metrics.
    draws : ndarray of shape (n_draws,)
        Draws of the score.
    observed : float
        The plain score.

    Examples
    --------
    >>> from skbayeseval import score_posterior
    >>> result = score_posterior([0, 1, 1, 0, 1, 1], [0, 1, 0, 0, 1, 1], random_state=0)
    >>> round(result.observed, 3)
    0.833
    >>> result.probability(above=0.5) > 0.8
    True
    """

    @property
    def name(self) -> str:
        """The name of the classifier."""
        return self._names[0]

    @property
    def draws(self) -> Array:
        """Draws of the score."""
        return self._distribution().draws

    @property
    def observed(self) -> float:
        """The plain score."""
        return self._posterior.observed(self._metric(None))[0]

    def hdi(self, prob: float = 0.95, *, metric: str | Metric | None = None) -> Interval:
        """Return the highest-density interval of the score."""
        return self._distribution(metric).hdi(prob)

    def interval(self, prob: float = 0.95, *, metric: str | Metric | None = None) -> Interval:
        """Return the equal-tailed interval of the score, in closed form where there is one."""
        return self._distribution(metric).interval(prob)

    def probability(self, *, above: float, metric: str | Metric | None = None) -> float:
        """Return the posterior probability that the score lies above a value."""
        check_scalar(above, "above", Real)
        if not math.isfinite(above):
            raise ValueError(f"above={above!r} must be a finite number.")
        return self._distribution(metric).around(Interval(above, above)).better

    def summary(self, *, prob: float = 0.95) -> pd.DataFrame:
        """Return one row a metric: observed, mean, sd, mcse, hdi_low, hdi_high, hdi_mcse.

        Of Markov chains also ess and r_hat.
        """
        rows = []
        for metric in self._metrics.values():
            value = self._distribution(metric)
            low, high = value.hdi(prob)
            mixed = mixing(self._posterior, value.draws)
            row = {
                "observed": self._posterior.observed(metric)[0],
                "mean": value.mean,
                "sd": value.sd,
                "mcse": value.mcse,
                "hdi_low": low,
                "hdi_high": high,
                "hdi_mcse": value.hdi_mcse(prob),
            }
            rows.append(row if mixed is None else row | {"ess": mixed.ess, "r_hat": mixed.r_hat})
        return pd.DataFrame(rows, index=pd.Index(self.metrics, name="metric"))

    def plot(
        self,
        *,
        prob: float = 0.95,
        metric: str | Metric | None = None,
        ax: Axes | None = None,
    ) -> ScoreDisplay:
        """Draw the posterior of the score with its HDI and the observed score.

        Returns
        -------
        display : ScoreDisplay
            With `ax_` and `figure_`, as scikit-learn's displays.
        """
        from skbayeseval.display import ScoreDisplay

        which = self._metric(metric)
        return ScoreDisplay(
            self._distribution(which),
            observed=self._posterior.observed(which)[0],
            name=self.name,
            metric=which.name,
            prob=prob,
        ).plot(ax=ax)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(name={self.name!r}, metrics={self.metrics}, "
            f"model={self.model!r}, engine={self.engine!r}, n_draws={self.n_draws})"
        )

    def __str__(self) -> str:
        lines = []
        for name in self.metrics:
            seen = self.metric(self._metrics[name])
            low, high = seen.hdi()
            lines.append(
                f"The {name} of {self.name} lies between {low:.4f} and {high:.4f} with "
                f"probability 95% (observed {seen.observed:.4f})."
            )
        return "\n".join(lines)

    def _distribution(self, metric: str | Metric | None = None) -> Distribution:
        """Return the posterior that all answers come from."""
        return self._posterior.value(self._metric(metric), 0)
