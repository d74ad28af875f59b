"""`DifferenceAnswers`: what is asked of the difference between two classifiers, and answered."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from skbayeseval._arrays import Array, in_short
from skbayeseval._validation import check_probability
from skbayeseval.judgement.bayes_factor import BayesFactor, BayesTest, favour
from skbayeseval.judgement.decision import (
    Decision,
    ExpectedLoss,
    Probabilities,
    check_cost,
    expected_loss,
    on_more_training,
)
from skbayeseval.judgement.distribution import (
    Distribution,
    OneSidedDecision,
    decision_of,
    one_sided,
)
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import check_margin
from skbayeseval.metrics.metric import Metric
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.posterior.prior_odds import bayes_factor
from skbayeseval.results.described import RopeResult
from skbayeseval.results.facts import applies_to, trained_on

# A class is scarce if it has less than this share of all instances.
SCARCE = 0.25


def scarce_class(posterior: Posterior, metric: Metric) -> Any:
    """Return the class on whose instances a metric rests and which has few of all; None if none."""
    scored: Any = posterior.scored
    if metric.source == "instances" and scored is not None and scored.truth.ndim == 1:
        labels, positive = scored.labels, 1 if scored.positive is None else scored.positive
        true = np.bincount(scored.truth, minlength=len(labels))
    elif metric.source == "tables" and posterior.evidence.family == "classes":
        counts = posterior.counts[0]
        labels, positive, true = counts.labels, counts.positive, counts.true
    else:
        return None
    needed = metric.class_needed(positive)
    classes = [] if needed is None else [needed]
    if len(labels) == 2 and metric.needs_classes == "several":
        classes = [0, 1]
    rare = min(classes, key=lambda c: true[c], default=None)
    return None if rare is None or not true[rare] < SCARCE * true.sum() else labels[rare]


class DifferenceAnswers(RopeResult):
    """Base class of comparisons of two classifiers: questions about their difference."""

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
        self, rope: Any, prob: float = 0.95, *, metric: str | Metric | None = None
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
        which, record = self._metric(metric), self._cross_validation
        shift, n_repeats = self._posterior.resplitting(which)
        difference, region = self._distribution(which), self._rope(rope, which)
        decision = decision_of(difference, region, prob, self.names, which.name, shift=shift)
        return replace(
            decision,
            n_repeats=n_repeats,
            more_repeats=record.more_repeats if record else "",
            units=self._units(which),
            turn=self._turn(which, decision.rope),
            trained_on=trained_on(self),
            other_metrics=self._others(metric),
        )

    def _reference(self, metric: Metric) -> float:
        return self._posterior.completed(metric)[1]

    def _turn(self, metric: Metric, rope: Interval) -> str:
        """Return a sentence on how the difference changes with the training size, or ""."""
        record, at_half = self._cross_validation, self._posterior.at_half(metric)
        if at_half is None or record is None or record.n_instances is None:
            return ""
        difference, (small, sd) = self._distribution(metric), at_half
        if abs(difference.mean - small) < 2 * math.hypot(difference.draws.std(), sd):
            return ""  # noise may explain it
        sizes = record.n_instances / 2, record.train_size
        return on_more_training(small, difference.mean, sizes, rope, self.names)

    def _units(self, metric: Metric) -> str:
        """Return what more evidence consists of that could settle a metric, if anything could."""
        if metric.name in self._posterior.model.derived_metrics:
            return ""  # a further data set deviates, however many are known
        if self.evidence.n_groups:
            return self.evidence.noun_of_groups
        if self.evidence.is_of_items:
            return "items"
        if self.evidence.is_of_splits:
            return "evidence"
        if self.evidence.noun == "chunks":
            return "sentences"
        label = scarce_class(self._posterior, metric)
        of_class = "" if label is None else f" of class {label}"
        if self.evidence.has_independent_instances and not metric.weighs_instances:
            return f"labelled instances{of_class}"
        return f"instances{of_class}"

    def non_inferiority(
        self,
        margin: float | str,
        prob: float = 0.95,
        *,
        looks: int = 1,
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
        looks : int, default=1
            How often this is asked in all while data come in, stopping at the first yes. Each look
            then requires ``1 - (1 - prob) / looks``, so that of classifiers which are worse by the
            margin at most ``1 - prob`` get a yes at any of them.
        planned : int, default=None
            How many items or instances there will be at most, if this is asked as they come in, in
            the place of `looks`. The fewer of them are there, the more is required (the boundary of
            O'Brien and Fleming, 1979), down to a probability of ``(1 + prob) / 2`` at the end, so
            that the same holds for any number of looks.
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
        safe to ship: A is not worse than B by more than 0.01 with probability 99.4% (f1)
           Applies to what was tested, on instances like these; not to models trained again.
        """
        return self._one_sided("non-inferiority", margin, prob, looks, planned, metric)

    def superiority(
        self,
        margin: float | str = 0.0,
        prob: float = 0.95,
        *,
        looks: int = 1,
        planned: int | None = None,
        metric: str | Metric | None = None,
    ) -> OneSidedDecision:
        """Return whether A is better than B by more than the margin.

        Parameters
        ----------
        margin : float or str, default=0.0
            The smallest gain that is worth having, at least 0, or a percentage as in `decision`.
        prob, looks, planned, metric
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
        return self._one_sided("superiority", margin, prob, looks, planned, metric)

    def _one_sided(
        self,
        question: str,
        margin: float | str,
        prob: float,
        looks: int,
        planned: int | None,
        metric: str | Metric | None,
    ) -> OneSidedDecision:
        which, prob, record = self._metric(metric), check_probability(prob), self._cross_validation
        shift, n_repeats = self._posterior.resplitting(which)
        margin = check_margin(margin, which, self._percentage_of(which))
        plan, difference = self._plan(planned, looks), self._distribution(which)
        decision = one_sided(
            question, difference, margin, prob, self.names, which.name,
            shift=shift, looks=looks, plan=plan,
        )  # fmt: skip
        return replace(
            decision,
            n_repeats=n_repeats,
            more_repeats=record.more_repeats if record else "",
            trained_on=trained_on(self),
            applies_to=f"Applies to {applies_to(self)}.",
            other_metrics=self._others(metric),
        )

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

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((88, 10, 12), (80, 14, 20), names=("new", "old"))
        >>> result.expected_loss(rope=0.01).choice
        'new'
        """
        which, difference = self._metric(metric), self._distribution(metric).draws
        draws = np.vstack([difference, np.zeros_like(difference)])
        region = self._rope(rope, which)
        allowed, costs = (-region.low, region.high), check_cost(cost)
        others = self._others(metric)
        return expected_loss(draws, allowed, costs, self.names, which.name, others)

    def bayes_factor(
        self,
        rope: Any = None,
        *,
        method: str | None = None,
        metric: str | Metric | None = None,
    ) -> BayesFactor:
        """Return the Bayes factor of equality over difference.

        Bayes factors use the published prior, one count per cell, unless a model instance was
        given: the default prior of the paired models is infinite at a difference of 0.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            With a ROPE (recommended), the null hypothesis is a difference inside the ROPE, and the
            factor is the ratio of its posterior and prior odds.
        method : {"interval", "savage-dickey", "kde"}, default=None
            The method. By default, "interval" with a ROPE. Without a ROPE, "savage-dickey" if the
            prior density at 0 is known and finite, otherwise "kde", the kernel density estimate of
            the papers, which is never marked as reliable.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.

        Returns
        -------
        factor : BayesFactor
            A value above 3 is substantial evidence for equality, a value below 1/3 against it.
            It is the factor by which the data change the odds of equality.
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
        if of == "difference":
            return self._once((which, of), lambda: self._posterior.difference(which))
        return self._once((which, of), lambda: self._posterior.value(which, "ab".index(of)))
