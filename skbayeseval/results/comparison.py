"""`ComparisonResult`: the result of comparing two classifiers; `Pairs`: all of several."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from skbayeseval._arrays import Array, choices, in_short, wrong
from skbayeseval._validation import check_flag
from skbayeseval.display import PosteriorDisplay
from skbayeseval.display.style import Display
from skbayeseval.evidence.instances import Instances, subgroups_of
from skbayeseval.evidence.item_scores import ItemScores
from skbayeseval.judgement.bayes_factor import BayesFactor, BayesTest, favour
from skbayeseval.judgement.decision import (
    Decision,
    ExpectedLoss,
    Probabilities,
)
from skbayeseval.judgement.distribution import (
    Distribution,
    OneSidedDecision,
    decision_of,
)
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import warn_of_one_rope
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import labelled
from skbayeseval.planning.sample_size import SampleSize, required_sample_size
from skbayeseval.posterior.pair import PooledPair
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.posterior.prior_odds import bayes_factor
from skbayeseval.results import words
from skbayeseval.results.classical_tests import classical_tests
from skbayeseval.results.disagreements import of_items, of_predictions, with_columns
from skbayeseval.results.figures import figure_of_pair
from skbayeseval.results.page import Page, page_of_pair
from skbayeseval.results.result import Result
from skbayeseval.results.subgroups import SubgroupComparison, instances_of
from skbayeseval.results.summaries import summary_row, under_other_priors
from skbayeseval.results.text_tables import table_of_pair
from skbayeseval.results.words import Fact
from skbayeseval.splitting.collect import CrossValidation

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ComparisonResult(Result):
    """The posterior of the difference between two classifiers, A minus B.

    Returned by `bayesian_cross_validate`, `BayesianComparer`, the functions `compare_...`, and the
    pairs of a `Ranking`. Read-only.
    With several metrics, properties refer to the first metric and methods take ``metric=``.

    Attributes
    ----------
    names : tuple of str
        The names of A and B.
    metrics : tuple of str
        The names of the metrics.
    model, engine : str
        The names of the model and of the engine.
    alone : ComparisonResult
        The pair by itself, if it is one of a ranking of three or more; otherwise the result itself.
    draws, draws_a, draws_b : ndarray of shape (n_draws,)
        Draws of the difference and of the metric of A and of B. Where the weight of counts is
        inferred, each has its own, so that `draws` is not ``draws_a - draws_b``.
    observed_a, observed_b : float
        The observed metric values of A and B. After a cross-validation, metrics of predictions are
        computed from the predictions of all splits together. The mean of the split scores, as of
        `cross_validate`, can differ; `cv_results` has these.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> result = compare_counts((88, 10, 12), (80, 14, 20), names=("new", "old"), random_state=0)
    >>> decision = result.decision(rope=0.01)
    >>> decision.symbol, decision.settled, round(decision.probabilities.better, 2)
    ('>', False, 0.92)
    """

    def __init__(
        self,
        posterior: Posterior,
        names: tuple[str, ...],
        metrics: Mapping[str, Metric],
        cross_validation: CrossValidation | None = None,
        of_many: PooledPair | None = None,
    ) -> None:
        super().__init__(posterior, names, metrics, cross_validation)
        self._of_many = of_many

    @property
    def _parts(self) -> tuple[Any, ...]:
        return *super()._parts, self._of_many

    @property
    def names(self) -> tuple[str, str]:
        """The names of A and B."""
        a, b = self._names
        return a, b

    @property
    def alone(self) -> ComparisonResult:
        """The pair by itself, whoever else was compared; the result itself if nobody was.

        A pair of a ranking of three or more is drawn as the ranking is, allowing for the others:
        the best of many equal classifiers looks better than the worst by chance. The pair alone
        does not depend on the others, as if only these two had been compared. What rests on the
        data alone is the same in both: `frequentist`, `disagreements` and Bayes factors.
        """
        return self if self._of_many is None else ComparisonResult(*super()._parts)

    @property
    def draws(self) -> Array:
        """Draws of the difference, A minus B."""
        return self._distribution().draws

    @property
    def draws_a(self) -> Array:
        """Draws of the metric of A."""
        return self._distribution(of="a").draws

    @property
    def draws_b(self) -> Array:
        """Draws of the metric of B."""
        return self._distribution(of="b").draws

    @property
    def observed_a(self) -> float:
        """The observed metric value of A; after a cross-validation, of all splits pooled."""
        return self._posterior.observed(self._metric(None))[0]

    @property
    def observed_b(self) -> float:
        """The observed metric value of B; after a cross-validation, of all splits pooled."""
        return self._posterior.observed(self._metric(None))[1]

    def hdi(
        self, prob: float = 0.95, *, of: str = "difference", metric: str | Metric | None = None
    ) -> Interval:
        """Return the highest-density interval.

        Parameters
        ----------
        prob : float, default=0.95
            The probability mass of the interval.
        of : {"difference", "a", "b"}, default="difference"
            The quantity: the difference, or the metric of A or of B.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.

        Returns
        -------
        interval : Interval
        """
        return self._distribution(metric, of).hdi(prob)

    def interval(
        self, prob: float = 0.95, *, of: str = "difference", metric: str | Metric | None = None
    ) -> Interval:
        """Return the equal-tailed interval, in closed form or by quadrature if possible.

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
        """Return the posterior probabilities of a difference below, inside and above the ROPE.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=0.0
            The region of practical equivalence. A number r means [-r, r].
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.

        Returns
        -------
        probabilities : Probabilities
            The probabilities `worse`, `equivalent` and `better` of A compared with B.
        """
        which = self._metric(metric)
        return self._distribution(which).around(self._rope(rope, which))

    def decision(
        self, rope: Any = None, prob: float = 0.95, *, metric: str | Metric | None = None
    ) -> Decision:
        """Return the decision between A and B.

        Parameters
        ----------
        rope : float, str, (float, float) or dict
            The region of practical equivalence. A number r means [-r, r], and a dict has the ROPE
            of each metric. A percentage, such as "1%", is one of the largest score that the metric
            can have: 0.01 for accuracy or R2. For errors, log loss and scores of unknown range, it
            is one of the observed score of B: 0.45 if a mean absolute error of 45 was observed.
        prob : float, default=0.95
            The probability mass of the HDI that is compared with the ROPE.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.

        Returns
        -------
        decision : Decision
            The decision about one metric. After a repeated cross-validation, it tells whether other
            random splits of the same data could have led to another decision
            (`depends_on_splits`), judged by how much the repeats differ. With
            ``estimand="full"``, its first line tells if more training data change the answer.
        """
        which = self._metric(metric)
        shift, n_repeats = self._posterior.resplitting(which)
        difference, region = self._distribution(which), self._rope(rope, which)
        decision = decision_of(difference, region, prob, self.names, which.name, shift=shift)
        return replace(
            decision,
            **self._about(metric),
            n_repeats=n_repeats,
            units=words.units_of(self, which),
            turn=words.on_more_training(self, which, decision.rope),
        )

    def non_inferiority(
        self,
        margin: float | str,
        prob: float = 0.95,
        *,
        planned: int | None = None,
        metric: str | Metric | None = None,
    ) -> OneSidedDecision:
        """Return whether A is not worse than B by more than the margin, so that it is safe to ship.

        Parameters
        ----------
        margin : float or str
            The largest loss that is acceptable, at least 0, or a percentage as in `decision`.
        prob : float, default=0.95
            The probability that is required.
        planned : int, default=None
            How many items or instances there will be at most, if this is asked as they come in,
            stopping at the first yes. The fewer of them are there, the more is required (the
            boundary of O'Brien and Fleming, 1979), down to a probability of ``(1 + prob) / 2`` at
            the end, so that of classifiers which are worse by the margin at most ``1 - prob`` get a
            yes at any of the looks.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.

        Returns
        -------
        decision : OneSidedDecision
            Its attributes are `answer`, `probability`, `settled` and others; `str` returns a
            sentence. After a repeated cross-validation, it tells whether other random splits of the
            same data could have led to another answer (`depends_on_splits`).

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((900, 50, 60), (890, 60, 70), random_state=0)
        >>> print(result.non_inferiority(0.01))
        safe to ship: A is at most 0.01 worse than B with probability 99.4% (F1; 95% required)
           Applies to what was tested, on instances like these; not to models trained again.
        """
        difference, margin = self._distribution(metric), self._margin(margin, metric)
        return self._one_sided("non-inferiority", difference, margin, prob, planned, metric)

    def superiority(
        self,
        margin: float | str = 0.0,
        prob: float = 0.95,
        *,
        planned: int | None = None,
        metric: str | Metric | None = None,
    ) -> OneSidedDecision:
        """Return whether A is better than B by more than the margin.

        Parameters
        ----------
        margin : float or str, default=0.0
            The smallest gain that is worth having, at least 0, or a percentage as in `decision`.
        prob, planned, metric
            As in `non_inferiority`.

        Returns
        -------
        decision : OneSidedDecision
            As in `non_inferiority`.

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((900, 50, 60), (890, 60, 70), random_state=0)
        >>> result.superiority(0.01).answer
        'not settled'
        """
        difference, margin = self._distribution(metric), self._margin(margin, metric)
        return self._one_sided("superiority", difference, margin, prob, planned, metric)

    def expected_loss(
        self, rope: Any = 0.0, *, cost: Any = 1.0, metric: str | Metric | None = None
    ) -> ExpectedLoss:
        """Return which classifier to choose now, and what it would be worth to wait.

        Choosing A loses the difference to B where B is better by more than the ROPE allows, and
        nothing otherwise. The losses are averaged over the posterior.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=0.0
            As in `decision`. Differences inside the ROPE cost nothing.
        cost : float or (float, float), default=1.0
            What a loss of 1 in the metric costs. A pair gives the cost for choosing A though B is
            better, and for choosing B though A is better.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.

        Returns
        -------
        loss : ExpectedLoss
            Its attributes are `choice`, the losses `a` and `b`, and `waiting`, what knowing the
            difference would save at most; `str` returns a sentence.

        Raises
        ------
        ValueError
            If the losses have no mean, as those in likelihood ratios.

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((88, 10, 12), (80, 14, 20), names=("new", "old"))
        >>> result.expected_loss(rope=0.01).choice
        'new'
        """
        region = self._rope(rope, self._metric(metric))
        return self._expected_loss((-region.low, region.high), cost, metric)

    def bayes_factor(
        self,
        rope: Any = None,
        *,
        method: str | None = None,
        metric: str | Metric | None = None,
    ) -> BayesFactor:
        """Return the Bayes factor of equality over difference.

        Bayes factors use the published prior, one count per cell, unless a model
        instance was given: the default prior of the paired models is infinite at a difference of 0.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            With a ROPE (recommended), the null hypothesis is a difference inside the ROPE, and the
            factor is the ratio of its posterior and prior odds.
            Without one, it is the Savage-Dickey ratio of the densities at 0.
        method : {"kde"}, default=None
            Without a ROPE, "kde" is the kernel density estimate of the papers in the place of the
            Savage-Dickey ratio. It depends on its bandwidth, and is never marked as reliable.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.

        Returns
        -------
        factor : BayesFactor
            A value above 3 is substantial evidence for equality, a value below 1/3 against it.
            It is the factor by which the data change the odds of equality.

        Raises
        ------
        ValueError
            If the metric has no proper prior; without a ROPE, if the prior density of the
            difference at 0 is infinite, as for F1 under the paired model, or not known.
        """
        which = self._metric(metric)
        region = None if rope is None else self._rope(rope, which)
        return bayes_factor(self._posterior, which, region, method)

    def bayes_test(self, *, metric: str | Metric | None = None) -> BayesTest:
        """Return the Bayes test of Wang and Li (2019), H1: B is better than A.

        Computed by quadrature if the metrics of A and B are independent with known distributions
        (model "bcv"), otherwise from the draws.
        """
        return favour(self._distribution(metric).mass(0.0, math.inf))

    def summary(
        self, rope: Any = None, *, prob: float = 0.95, bayes_factor: bool = False
    ) -> pd.DataFrame:
        """Return a summary with one row per metric.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence. Without one, nothing is decided: `decision` is
            "no ROPE", and `p_rope` is the probability of a difference of exactly 0.
        prob : float, default=0.95
            The probability mass of the HDI.
        bayes_factor : bool, default=False
            Whether to include bf, the Bayes factor for equality: above 1, the data speak for
            equality, below 1 for a difference. It is NaN where it is not defined or not reliable,
            for a reason that `bayes_factor` tells. As told there, Bayes factors use the published
            prior.

        Returns
        -------
        table : pandas.DataFrame
            The columns are the mean, sd and mcse (Monte Carlo standard error of the mean) of the
            difference, p_worse, p_rope, p_better, hdi_low, hdi_high, hdi_mcse and decision (">>",
            "~" or "<<", and "?" where nothing is settled). For Markov chains, there are also ess
            (bulk effective sample size) and r_hat, and mcse is computed by ArviZ.
        """
        warn_of_one_rope(rope, self._metrics.values())
        check_flag(bayes_factor, "bayes_factor")
        rows = [
            summary_row(
                self._posterior,
                metric,
                self.names,
                rope,
                prob,
                difference=self._distribution(metric),
                bayes_factor=bayes_factor,
            )
            for metric in self._metrics.values()
        ]
        return pd.DataFrame(rows, index=pd.Index(self.metrics, name="metric"))

    def prior_sensitivity(
        self, rope: Any = None, *, prob: float = 0.95, metric: str | Metric | None = None
    ) -> pd.DataFrame:
        """Return the summary under each model that fits, with published and other priors.

        A pair of a ranking is compared by itself here, as `alone` is. The priors differ in what
        they assume of a classifier's rates, such as its recall. Under the paired model, theta=1
        (published) is a Beta(2, 2) prior of each rate, theta=0.5 is flat, and theta=0.25 (the
        default) is Jeffreys' prior. Under the unpaired model, that is rho=2, rho=1 (published) and
        rho=0.5.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence, as in `summary`.
        prob : float, default=0.95
            The probability mass of the HDI.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.

        Returns
        -------
        table : pandas.DataFrame
            One row per model and prior. The first row of each model has the published prior. If
            the prior of the result is not among them, it comes first. If there is no other model or
            prior, as for random weights of instances (ROC AUC) or of groups, the only row says so.

        Examples
        --------
        Both classifiers are right on all of 30 instances:

        >>> from skbayeseval import compare_predictions
        >>> y = [0, 1] * 15
        >>> result = compare_predictions(y, y, y, random_state=0)
        >>> result.prior_sensitivity(rope=0.01)["p_rope"].loc["paired"].round(1)
        prior
        mu=1.0, theta=1.0     0.2
        mu=0.5, theta=0.5     0.3
        mu=1.0, theta=0.25    0.5
        Name: p_rope, dtype: float64
        """
        which = self._metric(metric)
        return under_other_priors(
            self._posterior,
            which,
            lambda posterior: summary_row(posterior, which, self.names, rope, prob),
        )

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
        """Return how many labelled instances are needed for a clear decision.

        A decision is clear if A is significantly better, significantly worse or practically
        equivalent. The number is found by simulation: draw a truth from the posterior, draw new
        instances from that truth, add them to the present instances, and decide as `decision` does.
        The result is the smallest number of instances at which the fraction of clear decisions
        reaches `assurance`. A pair of a ranking is compared by itself, as `alone` is.

        Truths are drawn as if the difference had, instead of a flat prior, a Cauchy prior around 0
        whose scale is a twentieth of the standard deviation of the difference on one instance. If
        they agree on 90% of the instances, that is 0.016 in accuracy. The present difference would
        otherwise be taken at face value, which is too optimistic for classifiers that are nearly
        equal (docs/calibration.md). If only the confusion table of each classifier is known, half
        of their errors are taken for disagreements.

        Parameters
        ----------
        rope, prob, metric
            As in `decision`.
        assurance : float, default=0.8
            The probability of a clear decision.
        largest : int, default=None
            The largest total number of instances to try. By default, 1,000 times the present
            number.
        n_replications : int, default=1000
            The number of simulated test sets. This takes seconds with two classes, but minutes with
            more classes, for which a smaller number, such as 200, may be enough.
        n_jobs, verbose : int
            As in `power_analysis`.
        random_state : int, RandomState, Generator or None, default=None
            The seed of the simulation. By default, it is derived from the seed of the result.

        Returns
        -------
        size : SampleSize
            The attributes are `n_total`, `n_more`, the probability `reached` with its Monte Carlo
            error `mcse`, an `interval` for `n_total`, and `never`, which is True if even `largest`
            instances are not enough, for example if the posterior is concentrated at a limit of the
            ROPE. `chances` has the probability of a clear decision at 2, 5 and 10 times the present
            number, and `n_even` is the number at which it is one half. `str` says all of it.

        Notes
        -----
        After a cross-validation, every new instance is validated as often as the present ones, and
        its counts have the same weight. The answer is then about learners trained on as many
        instances as now. If A and B were evaluated on different instances, both get `n_more` new
        instances, and `n_now` is the larger of their numbers of instances. The number of counts is
        used as the number of instances if true negatives are not counted, or if a weight was given
        without a cross-validation. For one score per item, the difference is taken to be normal.

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((88, 10, 12), (80, 14, 20), random_state=0)
        >>> size = result.required_sample_size(rope=0.05, n_replications=50)
        >>> size.n_now, size.n_more > 200
        (114, True)
        """
        which = self._metric(metric)
        return required_sample_size(
            self._posterior,
            which,
            self.alone.decision(rope, prob, metric=which),
            n_now=self._n_instances(),
            assurance=assurance,
            largest=largest,
            n_replications=n_replications,
            n_jobs=n_jobs,
            verbose=verbose,
            random_state=random_state,
        )

    def frequentist(self, *, metric: str | Metric | None = None) -> pd.DataFrame:
        """Return the classical tests that apply to the evidence, with one row per test.

        - Paired predictions in which every instance is counted once: the sign test (the s-test of
          Yang and Liu 1999) and McNemar's test.
        - Separate counts: the two-proportion z-test (p-test). Of paired predictions it ignores that
          the same instances were predicted; it is listed because papers print it.
        - ROC AUC of one test set: the test of DeLong et al. (1988).
        - Three or more classes: the sign test and the paired t-test of the F1 of each class (S-test
          and T-test).
        - One score per item: the paired t-test and the sign test; McNemar's test if items are
          right or wrong.
        - Groups (``groups=``): the paired t-test and the sign test of the means of groups.
        - Rows in order (``blocks=``): these tests of blocks, and Diebold and Mariano's test, as
          corrected by Harvey, Leybourne and Newbold (1997).
        - Splits of a cross-validation: the corrected resampled t-test, and the tests for 3 x 2
          block-regularised and for 5 x 2 cross-validation.

        Parameters
        ----------
        metric : str or Metric, default=None
            The metric for tests of split scores. By default, the first metric of the result.

        Returns
        -------
        table : pandas.DataFrame
            The columns are level ("micro" for instances or chunks, "macro" for classes, "items",
            "groups", "blocks", "rows", "splits", "data sets"), compares, statistic (positive if A
            is better; for sign and McNemar tests, the number of the `n` differing pairs in which A
            is better), df, n, pvalue (two-sided) and note.

        Raises
        ------
        ValueError
            If no test applies: of other metrics of instance scores, and of predicted numbers,
            there are only tests of groups and of splits.

        Examples
        --------
        >>> from skbayeseval import compare_predictions
        >>> y, a, b = [1, 0] * 20, [1, 0] * 18 + [0, 1] * 2, [1, 0] * 14 + [0, 1] * 6
        >>> compare_predictions(y, a, b, random_state=0).frequentist()["pvalue"].round(3)
        test
        sign test                            0.008
        McNemar, exact                       0.008
        McNemar, mid-p                       0.004
        two-proportion z, ignoring pairs     0.025
        Name: pvalue, dtype: float64
        """
        chosen = self._metric(metric)
        return classical_tests(self._posterior, self._cross_validation, self.names, chosen)

    def by(self, column: Any, *, metric: str | Metric | None = None) -> SubgroupComparison:
        """Return the same comparison in each subgroup of the instances, partially pooled.

        A pair of a ranking is compared by itself, as `alone` is.

        Each subgroup gets the posterior of the same model given its instances alone. The true
        differences of the subgroups are then taken to vary around a common centre, and how much
        they vary is learned: the less the data show, the more the differences are drawn together.
        This takes the luck off subgroups that stand out because they are small. Their distribution
        has long tails (Cauchy), so that a subgroup that is far from all others stays there.

        Parameters
        ----------
        column : str or array-like of shape (n_instances,)
            The subgroup of each instance, such as sex, site or language: one value for each row of
            the predictions, scores or items that were compared, or of X. A Series whose index has
            the labels of these rows may be in any order. A string is the name of a column of X,
            if this was a DataFrame, which is not saved with the result.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.

        Returns
        -------
        subgroups : SubgroupComparison

        Notes
        -----
        Groups of instances (``groups=``) must each be in one subgroup. After a cross-validation,
        weights of counts that are inferred are inferred for each subgroup. Results of counts, of
        confusion matrices and of split scores do not know the instances, and neither do results
        that were loaded from a file.

        Examples
        --------
        >>> import numpy as np
        >>> from skbayeseval import compare_predictions
        >>> rng = np.random.default_rng(0)
        >>> y, site = rng.integers(0, 2, 600), rng.choice(["Bonn", "Kiel", "Ulm"], 600)
        >>> a, b = (np.where(rng.random(600) < p, y, 1 - y) for p in (0.9, 0.8))
        >>> subgroups = compare_predictions(y, a, b, random_state=0).by(site)
        >>> subgroups.summary(rope=0.01)["decision"].to_list()
        ['>>', '>>', '>>']
        """
        which = self._metric(metric)
        subgroups = subgroups_of(column, instances_of(self._posterior))
        found = SubgroupComparison(self._posterior, which, subgroups, self.names)
        found._of_many = self._of_many is not None
        return found

    def disagreements(self, columns: Any = None) -> pd.DataFrame:
        """Return the instances or items on which A and B differ, the most decisive first.

        Parameters
        ----------
        columns : DataFrame, Series, dict or sequence, default=None
            What else to show of each instance, such as its text: one row for each row of the
            predictions, scores or items that were compared, or of X. pandas objects whose index
            has the labels of these rows may be in any order.

        Returns
        -------
        table : pandas.DataFrame
            One row per instance on which A and B differ, with the index of the data or the ids of
            the items. The columns are truth (not of items); what A and B said, or their scores,
            under their names; difference, that of A minus B in how right they are, which is the
            order of the rows; better, the name of the one that is nearer to the truth, or
            "neither"; and `columns`.

            The difference is 1, 0 or -1 for classes, of the shares of right labels for multi-label
            indicators, of absolute errors for numbers (positive where A's is smaller), and of
            scores for items. If a cross-validation has several passes over the data, the columns of
            A and B are the shares of passes in which they were right ("A right"), or their mean
            absolute errors ("A error"), and passes tells of how many.

        Raises
        ------
        ValueError
            If the instances are not known, as for `predictions`: where counts, confusion matrices
            or split scores were compared, within groups of predicted classes, of chunks, and mostly
            for files of results.

        Notes
        -----
        Two runs of one system are compared in the same way: the table has the items whose score has
        flipped.

        Examples
        --------
        >>> from skbayeseval import compare_items
        >>> questions = ["2 + 2", "3 * 3", "7 - 5", "8 / 2"]
        >>> result = compare_items([1, 1, 0, 1], [1, 0, 1, 1], names=("Tuesday", "Monday"))
        >>> result.disagreements({"question": questions})
           Tuesday  Monday  difference   better question
        1      1.0     0.0         1.0  Tuesday    3 * 3
        2      0.0     1.0        -1.0   Monday    7 - 5
        """
        evidence, posterior = self.evidence, self._posterior
        if isinstance(evidence, ItemScores):
            instances = posterior.instances or Instances(evidence.n_items)
            found, index = of_items(evidence, self.names), instances.index
        else:
            tested = self._predicted
            found, index = of_predictions(tested, self.names), tested.index
            instances = posterior.instances or Instances(tested.n_samples, index)
        table = with_columns(found, columns, instances)
        return table if index is None else table.set_axis(index[table.index])

    def plot(
        self,
        kind: str = "posterior",
        *,
        rope: Any = None,
        prob: float = 0.95,
        metric: str | Metric | None = None,
        thresholds: tuple[float, float] | None = None,
        ax: Axes | None = None,
        **style: Any,
    ) -> Display:
        """Plot the result.

        Of a pair of a ranking, "factor", "trace", "learning_curve" and types of chunks are those of
        the pair by itself, as `alone` is.

        Parameters
        ----------
        kind : str, default="posterior"
            The kind of plot:

            - "posterior": the posterior of the difference.
            - "joint": the draws of A against the draws of B.
            - "factor": the prior and posterior density of the difference at 0; kernel estimates,
              as in the papers, where the prior's is infinite or not known.
            - "scores": the split scores of a cross-validation.
            - "learning_curve": the difference between learners trained on half of the data, and on
              as many instances as the splits do, with ``estimand="full"``.
            - "trace": the draws of the difference in the order in which they were drawn.
            - "classes": the difference in each class, in F1 unless `metric` is, or averages,
              "precision", "recall", "jaccard" or another F-beta. Where weights are inferred, it
              takes as long as one metric for each class. For tags, it is the difference in each
              type of chunk, with the weight that all chunks have; loaded results do not keep types.
            - "roc", "precision_recall", "calibration", "net_benefit": the curves of A and B with
              pointwise bands, for binary problems with instance scores (the last two:
              probabilities). The bands come from the same random weights of instances as ROC AUC,
              but are not widened for few instances: with fewer than 20 positives or negatives,
              they are approximate.
            - "net_benefit_difference": the net benefit of A minus that of B, with such a band.
            - "calibration_difference": how much more positives there are than predicted, A minus B,
              in bins of probabilities that both have in common, with such a band.
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence, for "posterior", "joint" and "classes".
        prob : float, default=0.95
            The probability mass of the HDI or of the band.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.
        thresholds : (float, float), default=None
            The range of thresholds of "net_benefit" and "net_benefit_difference": those at which
            somebody might act. By default, from 0.01 to 0.99.
        ax : matplotlib Axes, default=None
            The axes to draw on. By default, a new figure is created.
        **style
            Options of the display: `title`, `colors`, `labels`, `line_kw`, `fill_kw`, `text_kw`.
            See `display.Display.plot`.

        Returns
        -------
        display : Display
            The display, with attributes `ax_`, `figure_`, `line_`, `fill_` and `text_`, as in
            scikit-learn.

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((88, 10, 12), (80, 14, 20), random_state=0)
        >>> display = result.plot(rope=0.01, colors=["black", "grey"])
        >>> display.ax_.get_title()
        'not settled: 91.9% A better, 5.4% equivalent, 2.7% B better'
        """
        shown, of = figure_of_pair(self, kind, rope, prob, metric, thresholds)
        return shown.plot(ax=ax, **labelled(style, of))

    def __str__(self) -> str:
        return words.printed(self, *words.verdict_of_pair(self))

    def _told(self, metric: Metric) -> tuple[str, list[Fact]]:
        headline, amount = words.pair_in_words(self, metric)
        known = Fact("difference", amount), Fact("observed", words.observed_of(self, metric))
        return headline, list(known)

    def _draw_limit(self, ax: Axes, *, metric: str, limit: float, title: str) -> None:
        """Draw the difference with a limit, as gates have one."""
        which = self._metric(metric)
        shown = PosteriorDisplay(
            self._distribution(which), names=self.names, metric=which.name, limit=limit
        )
        shown.plot(ax=ax, **labelled({"title": title}, which))

    def _page(self, ropes: Any) -> Page:
        return page_of_pair(self, ropes)

    def _table(self, *options: Any) -> pd.DataFrame:
        return table_of_pair(self, *options)

    def _rivals(self, metric: Metric) -> Array:
        difference = self._distribution(metric).draws
        return np.vstack([difference, np.zeros_like(difference)])

    def _reference(self, metric: Metric) -> float:
        return (self.evidence.completed or self._posterior.observed(metric))[1]

    def _distribution(
        self, metric: str | Metric | None = None, of: str = "difference"
    ) -> Distribution:
        """Return the posterior of the difference, or of the metric of A or B."""
        if not isinstance(of, str) or of not in ("difference", "a", "b"):
            raise ValueError(
                f"of={in_short(of)} is not a known quantity. Valid quantities are ['difference', "
                "'a', 'b']."
            )
        which = self._metric(metric)
        if self._of_many is not None:
            of_pair = self._once(which, partial(self._of_many.drawn, which))
            return of_pair[("difference", "a", "b").index(of)]
        if of == "difference":
            return self._once((which, of), lambda: self._posterior.difference(which))
        return self._once((which, of), lambda: self._posterior.value(which, "ab".index(of)))


class Pairs(Mapping[tuple[int, int], ComparisonResult]):
    """The comparisons of all pairs of classifiers, by position or by name.

    ``pairs[i, j]`` compares i with j, and ``pairs[j, i]`` is its exact mirror image. Of three or
    more classifiers, a pair is drawn as the ranking is, allowing for the others; its attribute
    `alone` is the pair by itself. Iteration is over the pairs with i before j.

    Examples
    --------
    >>> from skbayeseval import compare_many
    >>> y = [0, 1, 1, 0, 1, 0]
    >>> predictions = {"a": [0, 1, 1, 0, 1, 0], "b": [0, 0, 1, 0, 1, 1], "c": [1, 0, 1, 0, 0, 1]}
    >>> pairs = compare_many(y, predictions, random_state=0).pairs
    >>> list(pairs)
    [(0, 1), (0, 2), (1, 2)]
    >>> pairs["a", "c"].names
    ('a', 'c')
    """

    def __init__(self, ranking: Any) -> None:
        self._ranking = ranking

    def __getitem__(self, key: Any) -> ComparisonResult:
        try:
            first, second = key
        except (TypeError, ValueError) as error:
            wanted = "two positions or names of classifiers"
            raise wrong("The key of pairs", wanted, key, KeyError) from error
        return self._ranking._pair(self.position(first), self.position(second))

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return combinations(range(len(self._ranking.names)), 2)

    def __len__(self) -> int:
        k = len(self._ranking.names)
        return k * (k - 1) // 2

    def position(self, classifier: Any) -> int:
        """Return the position of a classifier, given its name or position."""
        names = self._ranking.names
        try:
            position = names.index(classifier) if isinstance(classifier, str) else index(classifier)
            if -len(names) <= position < len(names):
                return position % len(names)
        except (TypeError, ValueError):
            pass
        raise KeyError(
            f"{in_short(classifier)} is not the name or position of a classifier. The names are "
            f"{choices(classifier, names)}."
        )
