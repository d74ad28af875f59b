"""`ScoreResult`: the posterior of one classifier's score."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from skbayeseval._validation import check_probability
from skbayeseval.judgement.intervals import Interval, equal_tailed, hdi, hdi_mcse
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
        return self._draws(None)

    @property
    def observed(self) -> float:
        """The plain score."""
        return self._posterior.observed(self._metric(None))[0]

    def hdi(self, prob: float = 0.95, *, metric: str | Metric | None = None) -> Interval:
        """Return the highest-density interval of the score."""
        return hdi(self._draws(metric), prob)

    def interval(self, prob: float = 0.95, *, metric: str | Metric | None = None) -> Interval:
        """Return the equal-tailed interval of the score, in closed form where there is one."""
        prob = check_probability(prob)
        margin = self._posterior.margin(self._metric(metric), 0)
        if margin is None:
            return equal_tailed(self._draws(metric), prob)
        return Interval(*margin.interval(prob))

    def probability(self, *, above: float, metric: str | Metric | None = None) -> float:
        """Return the posterior probability that the score lies above a value."""
        check_scalar(above, "above", Real)
        if not math.isfinite(above):
            raise ValueError(f"above={above!r} must be a finite number.")
        return float(np.mean(self._draws(metric) > above))

    def summary(self, *, prob: float = 0.95) -> pd.DataFrame:
        """Return one row a metric: observed, mean, sd, mcse, hdi_low, hdi_high, hdi_mcse.

        Of Markov chains also ess and r_hat.
        """
        rows = []
        for metric in self._metrics.values():
            draws = self._draws(metric)
            low, high = hdi(draws, prob)
            sd = float(draws.std(ddof=1))
            mixed = mixing(self._posterior, draws)
            row = {
                "observed": self._posterior.observed(metric)[0],
                "mean": float(draws.mean()),
                "sd": sd,
                "mcse": sd / math.sqrt(len(draws)) if mixed is None else mixed.mcse,
                "hdi_low": low,
                "hdi_high": high,
                "hdi_mcse": hdi_mcse(draws, prob),
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
            self._draws(which),
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

    def _draws(self, metric: str | Metric | None) -> Array:
        (draws,) = self._posterior.draws(self._metric(metric))
        return draws
