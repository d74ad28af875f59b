"""Models for two estimators compared on several data sets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from skbayeseval.evidence.split_scores import DataSetScores, SplitScores, SystemScores
from skbayeseval.models.specification import (
    AnySpecification,
    DataSetSpecification,
    Model,
    ScoreSpecification,
)

__all__ = [
    "NEXT_DATA_SET",
    "CorrelatedT",
    "HierarchicalScores",
    "HierarchicalSystems",
    "SignedRank",
    "SystemSpecification",
    "missing_variance",
    "noise_of_means",
    "step_seen",
    "without_noise",
]


Array = NDArray[Any]


# A split's difference has a standard deviation of at least this many steps of the score: that of
# the error of rounding to whole steps.
LEAST_STEPS = 12**-0.5


class CorrelatedT(Model):
    """The correlated Bayesian t-test, for any metric known by its split scores (model "scores").

    Split scores are normal around the mean score of each estimator. The correlation between splits
    is assumed to equal the share of test instances (Nadeau and Bengio 2003; Corani and Benavoli
    2015). The means have a flat prior, and the covariance of K estimators has a prior density
    proportional to det^(-K). Every difference then has the prior of the two papers, 1 / variance,
    regardless of the other estimators. The prior is improper, so there is no Bayes factor. Where
    halves of the data were compared as well, they correct the variance.

    A score of n_test instances moves in steps of 1 / n_test, so all splits may give the same
    difference although the learners do not always differ by that much. The standard deviation of a
    split's difference is therefore taken to be at least that of rounding to whole steps,
    1 / (n_test sqrt(12)). Where n_test is unknown, the step is the smallest difference between two
    scores that was seen. If all scores are the same, there is none, and the posterior of the
    difference is a point.

    Examples
    --------
    >>> from skbayeseval import compare_scores
    >>> a, b = [0.81, 0.79, 0.84, 0.80, 0.82], [0.78, 0.77, 0.80, 0.79, 0.78]
    >>> result = compare_scores(a, b, test_fraction=0.2, random_state=0)
    >>> result.model
    'scores'
    """

    name = "scores"
    needs_pairs = True
    needs_true_negatives = False
    has_proper_prior = False

    def specification(self, evidence: Any) -> ScoreSpecification:
        """Return the specification of the posterior, given the evidence."""
        if not isinstance(evidence, SplitScores):
            raise ValueError(
                "CorrelatedT requires split scores. Use compare_scores or bayesian_cross_validate."
            )
        scores = {name: without_noise(values, values) for name, values in evidence.scores.items()}
        steps = evidence.steps or {}
        added = {
            name: missing_variance(values, steps.get(name, step_seen(values)))
            for name, values in scores.items()
        }
        return ScoreSpecification(scores, evidence.test_fraction, evidence.halves, added)


def step_seen(scores: Array) -> float:
    """Return the smallest difference between two scores that are not equal; 0 if all are.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.models.data_sets import step_seen
    >>> step_seen(np.array([[0.75, 0.5, 0.625], [0.75, 0.75, 0.625]]))
    0.125
    """
    gaps = np.diff(np.unique(scores))
    return float(gaps.min()) if len(gaps) else 0.0


def missing_variance(scores: Array, step: float) -> Array:
    """Return what the variance of each estimator's split scores lacks.

    With it, the difference of any two estimators varies by `LEAST_STEPS` steps or more; it is 0
    where they do so already.

    Parameters
    ----------
    scores : ndarray of shape (n_estimators, n_splits)
        The split scores.
    step : float
        The smallest possible difference of two scores.
    """
    least = (LEAST_STEPS * step) ** 2
    lacks = np.zeros(len(scores))
    for i, own in enumerate(scores):
        variances = np.var(own - scores, axis=1, ddof=1)
        lacks[i] = max(0.0, least - np.delete(variances, i).min(initial=least)) / 2
    return lacks


def without_noise(values: Array, scores: Array) -> Array:
    """Round values to thirteen significant digits of the largest score, to drop rounding errors."""
    largest = float(np.abs(scores).max())
    if largest == 0:
        return values
    return np.round(values, 13 - math.ceil(math.log10(largest)))


# What the average variance of runs counts beside that of a system on a data set, in degrees of
# freedom: with few runs, the latter is known badly.
SHARED_DF = 2.0


# The noise is at least this fraction of the differences between systems, for the sake of numerical
# stability. Its variance is then 1e-8 of theirs.
LEAST_NOISE = 1e-4


@dataclass(frozen=True)
class SystemSpecification(AnySpecification):
    """Mean scores of systems on data sets, and the noise in them.

    Parameters
    ----------
    means : mapping of str to ndarray of shape (n_systems, n_data_sets)
        The mean score of each metric; NaN where it is missing.
    noise : mapping of str to ndarray of shape (n_data_sets, n_systems, n_systems)
        The covariance of the errors of mean scores, on each data set.
    """

    means: Mapping[str, Array]
    noise: Mapping[str, Array]


class HierarchicalSystems(Model):
    """A hierarchical model of several systems on several data sets, with or without holes.

    The score of a system on a data set is the level of the data set, plus the mean score of the
    system relative to others, plus an interaction of the two, plus noise. Levels are free, so only
    differences between systems on the same data set count. The interactions are normal. Each pair
    of systems has its own variance of the difference on a data set; these variances are partially
    pooled, and how much is inferred. The noise is taken to be known from runs or splits; it is part
    of the interaction where there is one score only. Scores that are missing are integrated out, as
    if they were missing at random.

    Who is the best of three systems or more, and who is surely worse, is told from partially pooled
    means: systems vary around a common mean by as much as their differences tell. Otherwise the
    best of many equal systems would be called better. Pairs are not pooled.

    The reported values are the mean scores of systems, shifted to the average level of these data
    sets. The interval of one system does not include the uncertainty about the levels of other data
    sets: it is that of its distance from the average system.

    Examples
    --------
    >>> from skbayeseval import compare_scores
    >>> scores = {
    ...     "x": {"iris": 0.95, "wine": 0.97, "digits": 0.96, "glass": 0.71},
    ...     "y": {"iris": 0.93, "wine": 0.96, "digits": 0.92, "glass": 0.68},
    ... }
    >>> compare_scores(scores, random_state=0).model
    'hierarchical systems'
    """

    name = "hierarchical systems"
    needs_pairs = True
    needs_true_negatives = False
    has_proper_prior = False

    def specification(self, evidence: Any) -> SystemSpecification:
        """Return the specification of the posterior, given the evidence."""
        if not isinstance(evidence, SystemScores):
            raise ValueError(
                "HierarchicalSystems requires the scores of systems on several data sets. Use "
                "compare_scores with a dict of systems."
            )
        noise = noise_of_means(evidence.scores, evidence.test_fraction)
        noise += _least_noise(evidence)[:, None, None] * np.eye(evidence.n_classifiers)
        return SystemSpecification({evidence.metric: evidence.means}, {evidence.metric: noise})


def noise_of_means(scores: Array, test_fraction: float | None) -> Array:
    """Return the covariance of the errors of mean scores, of shape (n_data_sets, K, K).

    Runs are independent of each other and between systems. Splits of a cross-validation are
    correlated (Nadeau and Bengio 2003), and systems with the same number of splits on a data set
    are taken to be tested on the same ones, so that what makes a split easy for both cancels out.
    With few runs the variance is known badly: the average over all data sets counts for two more.

    Parameters
    ----------
    scores : ndarray of shape (n_systems, n_data_sets, n_runs)
        The scores; NaN where there is none.
    test_fraction : float or None
        The correlation between splits; None for independent runs.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.models.data_sets import noise_of_means
    >>> noise_of_means(np.array([[[1.0, 3.0]], [[2.0, np.nan]]]), None)
    array([[[1., 0.],
            [0., 2.]]])
    """
    n_systems, n_sets, _ = scores.shape
    correlation = 0.0 if test_fraction is None else test_fraction
    blocks = list(_blocks(scores, same_splits=test_fraction is not None))
    squares = degrees = 0.0
    for _, _, centred in blocks:
        k, n = centred.shape
        own = centred - centred.mean(axis=0) if k > 1 else centred
        squares += float((own**2).sum())
        degrees += max(1, k - 1) * (n - 1)
    average = squares / degrees if degrees else 0.0
    found = np.zeros((n_sets, n_systems, n_systems))
    for d, which, centred in blocks:
        k, n = centred.shape
        variance = centred @ centred.T + SHARED_DF * average * np.eye(k)
        variance /= n - 1 + SHARED_DF
        found[d][np.ix_(which, which)] = variance * (1 / n + correlation / (1 - correlation))
    return found


def _blocks(scores: Array, *, same_splits: bool) -> Iterator[tuple[int, Array, Array]]:
    """Yield data set, systems and centred scores of each block of systems with shared splits."""
    n_runs = np.isfinite(scores).sum(axis=2)
    for d, of_all in enumerate(n_runs.T):
        for n in np.unique(of_all[of_all > 0]):
            systems = np.flatnonzero(of_all == n)
            for which in [systems] if same_splits else systems[:, None]:
                values = scores[which, d]
                values = values[np.isfinite(values)].reshape(len(which), n)
                yield d, which, values - values.mean(axis=1, keepdims=True)


def _least_noise(evidence: SystemScores) -> Array:
    """Return the variance of rounding errors of mean scores on each data set.

    Scores move in steps. The smallest difference between two scores is taken for one.
    """
    seen = evidence.scores[np.isfinite(evidence.scores)]
    step = step_seen(without_noise(seen, seen))
    rounding = (LEAST_STEPS * step) ** 2 / np.maximum(1, evidence.n_runs.max(axis=0))
    with np.errstate(invalid="ignore"):
        run = np.isfinite(evidence.means)
        centred = np.where(run, evidence.means, 0.0)
        centred = np.where(run, centred - centred.sum(axis=0) / np.maximum(1, run.sum(axis=0)), 0.0)
    typical = float((centred**2).sum()) / max(1, int(run.sum()))
    return np.maximum(rounding, LEAST_NOISE**2 * typical)


# What the hierarchical model of data sets calls the difference on a further one.
NEXT_DATA_SET = "next data set"


class SignedRank(Model):
    """The Bayesian signed-rank test over data sets (Benavoli et al. 2014).

    The differences on the data sets come from an unknown distribution, which has a Dirichlet
    process prior. The reported difference is the pseudo-median of that distribution: the median of
    the mean of two differences drawn from it. As in the paper, the probabilities are the shares of
    posterior draws in which such a mean is most probably worse, equivalent or better.

    Parameters
    ----------
    strength : float, default=0.5
        The weight of the prior's single pseudo-observation, a difference of 0. A data set has
        weight 1.

    Examples
    --------
    >>> from skbayeseval import compare_scores
    >>> a, b = [0.81, 0.79, 0.94, 0.70, 0.88], [0.80, 0.75, 0.91, 0.71, 0.85]
    >>> compare_scores(a, b, test_fraction=None, model="signed-rank", random_state=0).model
    'signed-rank'
    """

    name = "signed-rank"
    needs_pairs = True
    needs_true_negatives = False
    has_proper_prior = False

    def __init__(self, strength: float = 0.5) -> None:
        self.strength = strength

    def specification(self, evidence: Any) -> DataSetSpecification:
        """Return the specification of the posterior, given the evidence."""
        check_scalar(self.strength, "strength", (int, float), min_val=0.01, max_val=1e6)
        differences = _differences(evidence)
        means = {name: of_one.mean(axis=1) for name, of_one in differences.items()}
        return DataSetSpecification(means, strength=float(self.strength))


class HierarchicalScores(Model):
    """The hierarchical correlated t-test over data sets (Corani et al. 2017), sampled by PyMC.

    The mean differences on the data sets come from a Student t distribution, and the splits of each
    data set are correlated as in `CorrelatedT`. Noisy data sets are shrunk towards the others. The
    reported difference is the centre of the t distribution, the average over data sets. The metric
    "next data set" is the difference on a new data set.

    Examples
    --------
    >>> from skbayeseval.models import HierarchicalScores
    >>> HierarchicalScores()
    HierarchicalScores()
    """

    name = "hierarchical scores"
    derived_metrics = (NEXT_DATA_SET,)
    needs_pairs = True
    needs_true_negatives = False
    has_proper_prior = False

    def specification(self, evidence: Any) -> DataSetSpecification:
        """Return the specification of the posterior, given the evidence."""
        differences = _differences(evidence)
        n_splits = next(iter(differences.values())).shape[1]
        if n_splits < 3 or evidence.test_fraction is None:
            raise ValueError(
                "model='hierarchical' needs the scores of at least three splits of each data set, "
                "and test_fraction=. Use model='signed-rank' for one score per data set."
            )
        if len(differences) > 1:
            raise ValueError("model='hierarchical' accepts only one metric.")
        return DataSetSpecification(differences, correlation=evidence.test_fraction)


def _differences(evidence: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Return A - B for each metric, of shape (n_data_sets, n_splits)."""
    if not isinstance(evidence, DataSetScores):
        raise ValueError("Models of data sets need the scores of several data sets.")
    return {
        name: without_noise(scores[0] - scores[1], scores)
        for name, scores in evidence.scores.items()
    }
