"""The model of several systems on several data sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.evidence.systems import SystemScores
from skbayeseval.models.scores import LEAST_STEPS, step_seen, without_noise
from skbayeseval.models.specification import AnySpecification, Model

__all__ = ["HierarchicalSystems", "SystemSpecification", "noise_of_means"]

Array = NDArray[Any]

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
    >>> from skbayeseval.models.systems import noise_of_means
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
