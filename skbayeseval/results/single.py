"""`ScoreResult`: the posterior of the metrics of one classifier."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any

import pandas as pd
from sklearn.utils import check_scalar

from skbayeseval._arrays import Array, in_short
from skbayeseval._validation import as_float
from skbayeseval.display import ScoreDisplay
from skbayeseval.evidence.instances import subgroups_of
from skbayeseval.judgement.distribution import Distribution, OneSidedDecision
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import GROUP_RATES
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import labelled
from skbayeseval.results import words
from skbayeseval.results.page import Page, page_of_one
from skbayeseval.results.result import Result
from skbayeseval.results.subgroups import SubgroupScores, instances_of
from skbayeseval.results.summaries import score_row, under_other_priors
from skbayeseval.results.text_tables import table_of_one
from skbayeseval.results.words import Fact

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ScoreResult(Result):
    """The posterior of the metrics of one classifier.

    Returned by `bayesian_cross_val_score` and `score_posterior`. Read-only. With several metrics,
    properties refer to the first metric and methods take ``metric=``.

    Attributes
    ----------
    name : str
        The name of the classifier.
    metrics : tuple of str
        The names of the metrics.
    draws : ndarray of shape (n_draws,)
        Draws of the metric.
    observed : float
        The observed metric value.

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
        """Draws of the metric."""
        return self._distribution().draws

    @property
    def observed(self) -> float:
        """The observed metric value."""
        return self._posterior.observed(self._metric(None))[0]

    def hdi(self, prob: float = 0.95, *, metric: str | Metric | None = None) -> Interval:
        """Return the highest-density interval of the metric."""
        return self._distribution(metric).hdi(prob)

    def interval(self, prob: float = 0.95, *, metric: str | Metric | None = None) -> Interval:
        """Return the equal-tailed interval of the metric, in closed form if possible."""
        return self._distribution(metric).interval(prob)

    def probability(self, *, above: float, metric: str | Metric | None = None) -> float:
        """Return the posterior probability that the metric is greater than `above`."""
        limit = _checked(above, "above")
        return self._distribution(metric).around(Interval(limit, limit)).better

    def exceeds(
        self,
        limit: float,
        prob: float = 0.95,
        *,
        planned: int | None = None,
        metric: str | Metric | None = None,
    ) -> OneSidedDecision:
        """Return whether the metric is above a limit: yes, no, or not settled.

        Parameters
        ----------
        limit : float
            The limit. That of an error or a loss has its minus sign, as the metric has.
        prob, planned, metric
            As in `ComparisonResult.non_inferiority`.

        Returns
        -------
        decision : OneSidedDecision
            As in `ComparisonResult.non_inferiority`; it is true on yes alone.

        Examples
        --------
        >>> from skbayeseval import score_posterior
        >>> result = score_posterior([0, 1] * 150, [0, 1] * 140 + [1, 0] * 10, random_state=0)
        >>> print(result.exceeds(0.9))
        the accuracy of A is above 0.9 with probability 95.8% (95% required)
           Applies to what was tested, on instances like these; not to models trained again.
        """
        value, limit = self._distribution(metric), _checked(limit, "limit")
        return self._one_sided("above", value, limit, prob, planned, metric)

    def summary(self, *, prob: float = 0.95) -> pd.DataFrame:
        """Return one row per metric: observed, mean, sd, mcse, hdi_low, hdi_high, hdi_mcse.

        For Markov chains, there are also ess and r_hat.
        """
        rows = [score_row(self._posterior, metric, prob) for metric in self._metrics.values()]
        return pd.DataFrame(rows, index=pd.Index(self.metrics, name="metric"))

    def prior_sensitivity(
        self, *, prob: float = 0.95, metric: str | Metric | None = None
    ) -> pd.DataFrame:
        """Return the summary under each model that fits, with published and other priors.

        Parameters
        ----------
        prob : float, default=0.95
            The probability mass of the HDI.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.

        Returns
        -------
        table : pandas.DataFrame
            One row per model and prior, with the columns of `summary`. If the prior of the result
            is not among them, it comes first.

        Examples
        --------
        With rho=1, the rates of the classifier have a flat prior, with rho=0.5 Jeffreys' prior:

        >>> from skbayeseval import score_posterior
        >>> result = score_posterior([0, 1] * 15, [0, 1] * 15, random_state=0)
        >>> result.prior_sensitivity()["mean"].loc["unpaired"].round(1)
        prior
        mu=1.0, rho=1.0    0.9
        mu=0.5, rho=0.5    1.0
        mu=1.0, rho=2.0    0.9
        Name: mean, dtype: float64
        """
        which = self._metric(metric)
        return under_other_priors(
            self._posterior, which, lambda posterior: score_row(posterior, which, prob)
        )

    def plot(
        self,
        *,
        prob: float = 0.95,
        metric: str | Metric | None = None,
        ax: Axes | None = None,
        **style: Any,
    ) -> ScoreDisplay:
        """Plot the posterior of the metric with its HDI and the observed metric value.

        Parameters
        ----------
        prob : float, default=0.95
            The probability mass of the HDI.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.
        ax : matplotlib Axes, default=None
            The axes to draw on. By default, a new figure is created.
        **style
            Options of the display: `title`, `colors`, `labels`, `line_kw`, `fill_kw`, `text_kw`
            and `draw`.

        Returns
        -------
        display : ScoreDisplay
            The display, with attributes `ax_` and `figure_` as in scikit-learn.
        """
        which = self._metric(metric)
        return self._display(which, prob).plot(ax=ax, **labelled(style, which))

    def by(self, column: Any, *, metric: str | Metric | None = None) -> SubgroupScores:
        """Return the metric in each group of the instances, and the gaps between groups.

        Three or more groups are partially pooled, as in `ComparisonResult.by`, which takes the luck
        off the highest and the lowest of many.

        Parameters
        ----------
        column : str or array-like of shape (n_instances,)
            The group of each instance, as in `ComparisonResult.by`.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result. Rates of two classes of which
            neither high nor low ones are better may be "selection_rate", the share of instances
            that are predicted positive, and "false_positive_rate".

        Returns
        -------
        groups : SubgroupScores
            Its methods are `gap`, `gaps`, `demographic_parity_difference`,
            `equalized_odds_difference`, `summary` and `plot`.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from skbayeseval import bayesian_cross_val_score
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> result = bayesian_cross_val_score(GaussianNB(), X, y, random_state=0)
        >>> result.by(X["mean radius"] > 13).table["n"].to_dict()
        {False: 259, True: 310}
        """
        is_rate = isinstance(metric, str) and metric in GROUP_RATES and metric not in self._metrics
        which = GROUP_RATES[str(metric)] if is_rate else self._metric(metric)
        given = subgroups_of(column, instances_of(self._posterior))
        which = self._posterior.check_metric(which)
        return SubgroupScores(self._posterior, which, given, self._names)

    def __str__(self) -> str:
        then = "exceeds(s) tells how probably it is above s, the least that is good enough for you"
        return words.printed(self, words.verdict_of_one(self), then)

    def _told(self, metric: Metric) -> tuple[str, list[Fact]]:
        # The mean of the splits, as scikit-learn has it, if that is another number.
        pooled = words.means_of_splits(self, metric) is not None
        facts = [Fact("observed", words.observed_of(self, metric))] if pooled else []
        return words.headline_of_one(self, metric), facts

    def _display(self, which: Metric, prob: float, limit: float | None = None) -> ScoreDisplay:
        return ScoreDisplay(
            self._distribution(which),
            observed=self._posterior.observed(which)[0],
            name=self.name,
            metric=which.name,
            prob=prob,
            limit=limit,
        )

    def _draw_limit(self, ax: Axes, *, metric: str, limit: float, title: str) -> None:
        """Draw the metric with a limit, as gates have one."""
        which = self._metric(metric)
        self._display(which, 0.95, limit).plot(ax=ax, **labelled({"title": title}, which))

    def _page(self, ropes: Any) -> Page:
        return page_of_one(self)

    def _table(self, rope: Any, *options: Any) -> pd.DataFrame:
        self._ropes(rope)
        return table_of_one(self, *options)

    def _ropes(self, rope: Any) -> None:
        if rope is not None:
            raise TypeError(
                "rope is of a comparison. Whether one classifier is good enough is told by "
                "exceeds(limit)."
            )

    def _distribution(self, metric: str | Metric | None = None) -> Distribution:
        """Return the posterior of the metric."""
        return self._posterior.value(self._metric(metric), 0)


def _checked(limit: Any, name: str) -> float:
    """Return a limit as a finite number."""
    check_scalar(limit, name, Real)
    number = as_float(limit)
    if not math.isfinite(number):
        raise ValueError(f"{name} == {in_short(limit)}, must be a finite number.")
    return number
