"""`ComparisonResult`: the posterior of two classifiers, and what can be asked of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas as pd
from numpy.typing import NDArray

from skbayeseval.judgement.bayes_factor import BayesFactor
from skbayeseval.judgement.bayes_test import BayesTest, favour
from skbayeseval.judgement.decision import Decision, Probabilities, check_rope
from skbayeseval.judgement.distribution import Distribution, decision_of
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.confusion import Metric
from skbayeseval.planning.required import required_sample_size
from skbayeseval.planning.sample_size import SampleSize
from skbayeseval.posterior.prior_odds import bayes_factor
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.results import figures
from skbayeseval.results.base import PosteriorView
from skbayeseval.results.frequentist import classical_tests
from skbayeseval.results.summary import prior_sensitivity, summary_row
from skbayeseval.results.text import describe_basis, describe_difference

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from skbayeseval.display import (
        FactorDisplay,
        JointDisplay,
        PosteriorDisplay,
        ScoresDisplay,
        TraceDisplay,
    )

__all__ = ["ComparisonResult"]

Array = NDArray[Any]


class ComparisonResult(PosteriorView):
    """The posterior of the difference between two classifiers, A minus B.

    Made by `bayesian_cross_validate`, `BayesianComparer`, `compare_predictions`,
    `compare_confusion_matrices` and `compare_counts`; a pair of a `Ranking`. Read-only.
    With several metrics, properties are those of the first and every method takes ``metric=``.

    Attributes
    ----------
    names : tuple of str
        The names of A and B.
    metrics : tuple of str
        The names of the metrics.
    model, engine : str
        What was computed, and how.
    prior : dict
        The parameters of the model's prior.
    weight : float
        What one count is worth.
    n_draws : int
        The number of draws.
    draws, draws_a, draws_b : ndarray of shape (n_draws,)
        Draws of the difference, of A's score and of B's.
    observed_a, observed_b : float
        The plain scores.
    cv_results : dict or None
        For each estimator what `cross_validate` would have returned.
    n_splits : int or None
        The number of splits of the cross-validation.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> result = compare_counts((88, 10, 12), (80, 14, 20), names=("new", "old"), random_state=0)
    >>> print(result.decision(rope=0.01))
    >  new slightly better than old (f1, 95% HDI [-0.008, +0.141], ROPE [-0.010, +0.010])
    """

    @property
    def names(self) -> tuple[str, str]:
        """The names of A and B."""
        a, b = self._names
        return a, b

    @property
    def draws(self) -> Array:
        """Draws of the difference, A minus B."""
        return self._distribution().draws

    @property
    def draws_a(self) -> Array:
        """Draws of A's score."""
        return self._distribution(of="a").draws

    @property
    def draws_b(self) -> Array:
        """Draws of B's score."""
        return self._distribution(of="b").draws

    @property
    def observed_a(self) -> float:
        """A's plain score."""
        return self._posterior.observed(self._metric(None))[0]

    @property
    def observed_b(self) -> float:
        """B's plain score."""
        return self._posterior.observed(self._metric(None))[1]

    @property
    def cv_results(self) -> dict[str, dict[str, Any]] | None:
        """For each estimator what `cross_validate` would have returned; None if not from there."""
        return None if self._cross_validation is None else self._cross_validation.results

    @property
    def n_splits(self) -> int | None:
        """The number of splits of the cross-validation; None if not from there."""
        return None if self._cross_validation is None else self._cross_validation.n_splits

    def hdi(
        self, prob: float = 0.95, *, of: str = "difference", metric: str | Metric | None = None
    ) -> Interval:
        """Return the highest-density interval.

        Parameters
        ----------
        prob : float, default=0.95
            Its mass.
        of : {"difference", "a", "b"}, default="difference"
            Whose interval.
        metric : str or Metric, default=None
            Of which metric; the first by default.

        Returns
        -------
        interval : Interval
        """
        return self._distribution(metric, of).hdi(prob)

    def interval(
        self, prob: float = 0.95, *, of: str = "difference", metric: str | Metric | None = None
    ) -> Interval:
        """Return the equal-tailed interval, in closed form or by quadrature where there is one.

        Parameters
        ----------
        prob, of, metric
            As in `hdi`.

        Returns
        -------
        interval : Interval
        """
        return self._distribution(metric, of).interval(prob)

    def probability(self, rope: Any = 0.0, *, metric: str | Metric | None = None) -> Probabilities:
        """Return the posterior mass of the difference left of, in and right of the ROPE.

        Parameters
        ----------
        rope : float or (float, float), default=0.0
            Differences that do not matter; a number r means [-r, r].
        metric : str or Metric, default=None
            Of which metric; the first by default.

        Returns
        -------
        probabilities : Probabilities
            `worse`, `equivalent` and `better`, of A compared with B.
        """
        return self._distribution(metric).around(check_rope(rope))

    def decision(
        self, rope: Any, prob: float = 0.95, *, metric: str | Metric | None = None
    ) -> Decision:
        """Return what the posterior says of A against B.

        Parameters
        ----------
        rope : float or (float, float)
            Differences that do not matter; a number r means [-r, r].
        prob : float, default=0.95
            The mass of the HDI that is held against the ROPE.
        metric : str or Metric, default=None
            Of which metric; the first by default.

        Returns
        -------
        decision : Decision
        """
        which = self._metric(metric)
        return decision_of(self._distribution(which), rope, prob, self.names, which.name)

    def bayes_factor(
        self,
        rope: Any = None,
        *,
        method: str | None = None,
        metric: str | Metric | None = None,
    ) -> BayesFactor:
        """Return the Bayes factor of equality over difference.

        Parameters
        ----------
        rope : float or (float, float), default=None
            With a ROPE, the interval null: posterior over prior odds of a difference in the ROPE.
            Recommended.
        method : {"interval", "savage-dickey", "kde"}, default=None
            Without a ROPE, Savage-Dickey where the prior density at 0 is known and finite,
            elsewhere the papers' kernel estimate, which is never called reliable.
        metric : str or Metric, default=None
            Of which metric; the first by default.

        Returns
        -------
        factor : BayesFactor
            Above 3 is substantial evidence for equality, below 1/3 against it.
        """
        return bayes_factor(self._posterior, self._metric(metric), rope, method)

    def bayes_test(self, *, metric: str | Metric | None = None) -> BayesTest:
        """Return the Bayes test of Wang and Li (2019), H1: B is better than A.

        By quadrature where both scores are independent with laws in closed form (model "bcv"),
        otherwise from the draws.
        """
        return favour(self._distribution(metric).mass(0.0, math.inf))

    def summary(self, rope: Any = None, *, prob: float = 0.95) -> pd.DataFrame:
        """Return one row a metric.

        Parameters
        ----------
        rope : float or (float, float), default=None
            Differences that do not matter. None is the point 0: no two classifiers are then
            practically equivalent, and `bf` is Savage-Dickey where that is defined, else NaN.
        prob : float, default=0.95
            The mass of the HDI.

        Returns
        -------
        table : pandas.DataFrame
            mean, sd and mcse (its Monte Carlo error) of the difference, bf (Bayes factor of
            equality; `bayes_factor` tells its error and whether it is reliable), p_worse, p_rope,
            p_better, hdi_low, hdi_high, hdi_mcse, decision; of Markov chains also ess (bulk
            effective sample size) and r_hat, and mcse is then ArviZ's.
        """
        rows = [
            summary_row(self._posterior, metric, self.names, rope, prob)
            for metric in self._metrics.values()
        ]
        return pd.DataFrame(rows, index=pd.Index(self.metrics, name="metric"))

    def prior_sensitivity(
        self, rope: Any, *, prob: float = 0.95, metric: str | Metric | None = None
    ) -> pd.DataFrame:
        """Return the summary under each model's published prior and a few others.

        Parameters
        ----------
        rope : float or (float, float)
            Differences that do not matter.
        prob : float, default=0.95
            The mass of the HDI.
        metric : str or Metric, default=None
            Of which metric; the first by default.

        Returns
        -------
        table : pandas.DataFrame
            One row a model and prior; the first of each model is the published one, and the
            result's own comes first if it is none of them.
        """
        return prior_sensitivity(self._posterior, self._metric(metric), self.names, rope, prob)

    def required_sample_size(
        self,
        rope: Any,
        *,
        assurance: float = 0.8,
        prob: float = 0.95,
        metric: str | Metric | None = None,
        largest: int | None = None,
        n_replications: int = 1000,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> SampleSize:
        """Return how many labelled instances would probably settle the comparison.

        Settled is a decision that A is significantly better, significantly worse or practically
        equivalent. By simulation: a truth is drawn from the posterior, further instances from that
        truth, they are added to those at hand, and the decision is taken as `decision` does. The
        answer is the smallest number of instances at which it is settled as often as asked for.

        Parameters
        ----------
        rope : float or (float, float)
            Differences that do not matter; a number r means [-r, r].
        assurance : float, default=0.8
            The probability with which it is to be settled.
        prob : float, default=0.95
            The mass of the HDI that is held against the ROPE.
        metric : str or Metric, default=None
            Of which metric; the first by default.
        largest : int, default=None
            The largest number of instances in all to try; 1,000 times the present one by default.
        n_replications : int, default=1000
            How many test sets are simulated. With two classes that takes seconds; with more classes
            minutes, so fewer, such as 200, may do.
        n_jobs : int, default=None
            How many jobs to run at a time, as joblib has it. It does not change the numbers.
        verbose : int, default=0
            1 shows progress: a bar in terminals and notebooks, lines on standard error elsewhere.
        random_state : int, RandomState, Generator or None, default=None
            What the simulation follows from; None is the seed that the result has.

        Returns
        -------
        size : SampleSize
            `n_total`, `n_more`, the probability `reached` with its Monte Carlo error `mcse`, an
            `interval` for `n_total`; `never` where even `largest` would not do, as happens where
            the posterior sits on the edge of the ROPE. `str` is a sentence.

        Notes
        -----
        Under cross-validation every further instance is validated as often as those at hand, and
        its counts are worth as much; it speaks of learners trained on as many instances as now.
        Where A and B were tested on instances of their own, both get `n_more`, and `n_now` is the
        larger of their numbers. Instances are the counts where true negatives are not counted, or
        where a weight came without a cross-validation to tell how often each was counted.

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((88, 10, 12), (80, 14, 20), random_state=0)
        >>> size = result.required_sample_size(rope=0.01, n_replications=50)
        >>> size.n_now, size.n_more > 200
        (114, True)
        """
        which = self._metric(metric)
        return required_sample_size(
            self.exact_posterior("required_sample_size"),
            which,
            self.decision(rope, prob, metric=which),
            n_now=self._n_instances(),
            assurance=assurance,
            largest=largest,
            n_replications=n_replications,
            n_jobs=n_jobs,
            verbose=verbose,
            random_state=random_state,
        )

    def exact_posterior(self, asked: str) -> Posterior:
        """Return the posterior without its draws; raise where `asked` cannot stand on it."""
        return self._posterior.exact(asked)

    def _n_instances(self) -> int:
        """Return the number of instances, each of which may have been counted several times."""
        record = self._cross_validation
        if record is not None and record.test_size is not None:
            return round(record.train_size + record.test_size)
        return round(max(counts.total for counts in self._posterior.counts))

    def frequentist(self, *, metric: str | Metric | None = None) -> pd.DataFrame:
        """Return the classical tests that the same evidence allows, one row a test.

        Of instances judged by both: sign test (the s-test of Yang and Liu 1999) and McNemar's,
        where every instance counts once. Of each alone: the unpaired two-proportion z-test
        (p-test). Of three or more classes: sign test and paired t-test of their F1 (S-test,
        T-test). Of the splits of a cross-validation: the corrected resampled t-test, and the tests
        made for 3 x 2 block-regularised and for 5 x 2 cross-validation.

        Parameters
        ----------
        metric : str or Metric, default=None
            Whose scores the tests of splits compare; the first by default.

        Returns
        -------
        table : pandas.DataFrame
            level ("micro": instances or chunks, "macro": classes, "splits"), compares, statistic
            (positive where A is ahead; for sign and McNemar tests in how many of the `n` pairs that
            differ A is ahead), df, n, pvalue (two-sided), note.

        Examples
        --------
        >>> from skbayeseval import compare_predictions
        >>> y, a, b = [1, 0] * 20, [1, 0] * 18 + [0, 1] * 2, [1, 0] * 14 + [0, 1] * 6
        >>> compare_predictions(y, a, b, random_state=0).frequentist()["pvalue"].round(3)
        test
        sign test           0.008
        McNemar, exact      0.008
        McNemar, mid-p      0.004
        two-proportion z    0.025
        Name: pvalue, dtype: float64
        """
        which = self._metric(metric)
        return classical_tests(self.evidence, self._cross_validation, self.names, which.name)

    def plot(
        self,
        kind: str = "posterior",
        *,
        rope: Any = None,
        prob: float = 0.95,
        metric: str | Metric | None = None,
        ax: Axes | None = None,
    ) -> PosteriorDisplay | JointDisplay | FactorDisplay | ScoresDisplay | TraceDisplay:
        """Draw the result.

        Parameters
        ----------
        kind : {"posterior", "joint", "factor", "scores", "trace"}, default="posterior"
            The posterior of the difference; draws of A against draws of B; prior and posterior
            density at 0; the scores of each split of a cross-validation; or the draws of the
            difference in the order in which they were made.
        rope : float or (float, float), default=None
            The region to mark ("posterior" and "joint").
        prob : float, default=0.95
            The mass of the HDI to mark ("posterior").
        metric : str or Metric, default=None
            Of which metric; the first by default.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        display : PosteriorDisplay, JointDisplay, FactorDisplay, ScoresDisplay or TraceDisplay
            With `ax_` and `figure_`, as scikit-learn's displays.
        """
        posterior, which, names = self._posterior, self._metric(metric), self.names
        region = None if rope is None else check_rope(rope)
        displays: dict[str, Callable[[], Any]] = {
            "posterior": lambda: figures.posterior_display(posterior, which, names, region, prob),
            "joint": lambda: figures.joint_display(posterior, which, names, region),
            "factor": lambda: figures.factor_display(posterior, which, names),
            "scores": lambda: figures.scores_display(self.split_scores(which), which, names),
            "trace": lambda: figures.trace_display(posterior, which, names),
        }
        if kind not in displays:
            raise ValueError(f"kind={kind!r} is not known. Known are: {list(displays)}.")
        return displays[kind]().plot(ax=ax)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(names={self.names}, metrics={self.metrics}, "
            f"model={self.model!r}, engine={self.engine!r}, n_draws={self.n_draws})"
        )

    def __str__(self) -> str:
        lines = []
        for name, metric in self._metrics.items():
            observed = self._posterior.observed(metric)
            difference = self._distribution(metric)
            lines += describe_difference(name, self.names, difference, observed)
        lines += describe_basis(self._posterior, self._metrics, self.names, self._cross_validation)
        if "callable" in self.prior:
            lines.append(f"  prior       {self.prior['callable']}")
        lines += [f"  warning     {warning}" for warning in self.warnings]
        return "\n".join(
            [
                *lines,
                "  Use decision(rope=r) to compare this with the smallest difference r that "
                "matters to you.",
            ]
        )

    def _distribution(
        self, metric: str | Metric | None = None, of: str = "difference"
    ) -> Distribution:
        """Return the posterior that all answers about a quantity come from."""
        if of not in ("difference", "a", "b"):
            raise ValueError(f"of={of!r} is not known. Known are: ['difference', 'a', 'b'].")
        which = self._metric(metric)
        if of == "difference":
            return self._posterior.difference(which)
        return self._posterior.value(which, "ab".index(of))

    def split_scores(self, metric: Metric) -> tuple[Array, Array]:
        """Return the values of a metric in the splits, of A and of B."""
        if self.evidence.is_of_splits and not self.evidence.is_of_difference:
            a, b = self.evidence.scores[metric.name]  # type: ignore[attr-defined]
            return a, b
        if self._cross_validation is None:
            raise ValueError(
                "kind='scores' shows the splits of a cross-validation, but this result is not of "
                "one; bayesian_cross_validate and BayesianComparer give such results."
            )
        scores = self._cross_validation.scores
        if metric.name not in scores:
            raise ValueError(
                f"The splits were not scored by {metric.name!r}, only by {list(scores)}."
            )
        a, b = (scores[metric.name][name] for name in self.names)
        return a, b
