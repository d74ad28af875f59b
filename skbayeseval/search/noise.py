"""What is noise of recorded counts and split scores.

How much these vary by chance is known as far as the splits tell. A variance from five splits is
known to within a factor of three, and a correlation hardly at all: the sample covariance of many
candidates is mostly noise, and singular. So each candidate keeps a variance of its own, drawn on
the scale of logarithms towards those of the candidates with about the same score (as Smyth 2004
does for genes). What many candidates tell well is how much differences between them vary, relative
to their variances; these ratios are drawn towards those of candidates with about the same scores,
too. No candidate has the noise of another, and hopeless ones do not make good ones vague.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import digamma

from skbayeseval._arrays import Array
from skbayeseval.evidence.unit_numbers import cell_influence
from skbayeseval.metrics.metric import Metric
from skbayeseval.models.split_scores import LEAST_STEPS
from skbayeseval.posterior.inferred_weight import (
    OF_FOLDS,
    STABLE,
    QuantityWeight,
    WeightPosterior,
    Weights,
    infer_weight,
    mean_of_weights,
)
from skbayeseval.splitting.splits import (
    SplitProportions,
)

# The variances of candidates with about the same score count as much as so many splits, the ratios
# of the differences between such candidates as so many, and independence as so many.
DF_VARIANCE, DF_RATIO, DF_INDEPENDENT = 12.0, 8.0, 2.0

# What others tell of the variance of a candidate adds so many degrees of freedom, fewer than
# `DF_VARIANCE`, because all are tested on the same instances.
DF_OTHERS = 4.0


def alike(means: Array, variances: Array) -> Array:
    """Return the share of each candidate among those with about the score of each one."""
    scale = np.sqrt(variances[:, None] * variances)
    off = (means[:, None] - means) ** 2
    apart = np.divide(off, scale, out=np.where(off > 0, np.inf, 0.0), where=scale > 0)
    near = 1 / (1 + apart) ** 2
    return np.asarray(near / near.sum(axis=1, keepdims=True))


def moderated(means: Array, variances: Array, df: float) -> Array:
    """Return variances of split scores, drawn towards those of candidates with about the same mean.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.search.noise import moderated
    >>> variances = np.array([1.0, 2.0, 9.0, 900.0]) / 1e4
    >>> (1e4 * moderated(np.array([0.9, 0.9, 0.9, 0.2]), variances, df=4.0)).round(1)
    array([   2.8,    3.1,    4.8, 1107.6])
    """
    with np.errstate(divide="ignore"):
        logs = np.log(variances) - digamma(df / 2) + np.log(df / 2)
    scales = np.exp(alike(means, variances) @ np.maximum(logs, np.log(np.finfo(float).tiny)))
    return np.asarray((DF_VARIANCE * scales + df * variances) / (DF_VARIANCE + df))


def shared_covariance(
    means: Array, variances: Array, off: Array, df: float, least: float = 0.0
) -> Array:
    """Return the covariance of candidates with given variances, from how their differences vary.

    `off`, of shape (n_candidates, n_splits), are the deviations of splits from the mean of a pass,
    with `df` degrees of freedom. What is seen moves in steps, and varies by `least` or more.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.search.noise import shared_covariance
    >>> off = np.array([[-1.0, 0.0, 1.0], [-1.0, 0.5, 0.5], [-0.5, -0.5, 1.0]])
    >>> shared_covariance(np.zeros(3), np.ones(3), off, 2.0).round(2)
    array([[1.  , 0.63, 0.63],
           [0.63, 1.  , 0.57],
           [0.63, 0.57, 1.  ]])
    """
    seen = off @ off.T / df
    both = variances[:, None] + variances
    differing = np.diag(seen)[:, None] + np.diag(seen) - 2 * seen
    differing = np.where(np.eye(len(seen)) > 0, 0.0, np.maximum(differing, 2 * least))
    ratios = np.divide(differing, both, out=np.zeros_like(both), where=both > 0)
    shares = alike(means, variances)
    # A candidate does not differ from itself, which says nothing about others.
    others = np.maximum(1 - shares @ shares.T, 1e-9)
    ratios = (df * ratios + DF_RATIO * (shares @ ratios @ shares.T / others)) / (df + DF_RATIO)
    number = 1 / (shares**2).sum(axis=1)
    strength = df * np.sqrt(number[:, None] * number) / 2
    ratios = np.minimum(ratios, 1.0) ** (strength / (strength + DF_INDEPENDENT))
    covariance = both / 2 * (1 - ratios)
    np.fill_diagonal(covariance, variances)
    # The nearest that is a covariance, with these variances.
    values, vectors = np.linalg.eigh(covariance)
    projected = vectors * np.maximum(values, 0.0) @ vectors.T
    sd = np.sqrt(np.diag(projected))
    factor = np.divide(np.sqrt(variances), sd, out=np.zeros_like(sd), where=sd > 0)
    return np.asarray(factor[:, None] * projected * factor)


class RecordedSplits(NamedTuple):
    """What is known of the splits that were recorded.

    They pass over the data `n_passes` times; once if their test sets were drawn at random. Counts
    have the variance of test noise at `published_weight`, and that of a mean score is `inflation`
    times that of a split score. In `are_halves`, each half of the data is tested by what was
    trained on the other.
    """

    n_splits: int
    n_passes: int
    published_weight: float
    inflation: float
    are_halves: bool

    @classmethod
    def of(cls, proportions: SplitProportions, n_splits: int) -> RecordedSplits:
        """Return what the proportions of test sets tell."""
        share, weight = proportions.test_fraction, proportions.weight or 1.0
        n_folds = n_splits if share is None else max(round(min(1 / share, 1e9)), 1)
        # Random test sets count less than as many folds.
        is_whole = n_folds > 1 and n_splits % n_folds == 0
        if is_whole and n_splits * weight > 0.99 * n_folds:
            n_passes = n_splits // n_folds
            return cls(n_splits, n_passes, 1 / n_passes, 1 / n_folds, n_folds == 2)
        # The mean of test sets with instances in common (Nadeau and Bengio 2003).
        inflation = 1 / n_splits + (0.0 if share is None else share / (1 - share))
        return cls(n_splits, 1, weight, inflation, False)

    def kappa(self, metric: Metric, instability: float) -> WeightPosterior:
        """Return the weight of the counts of one candidate, with what training sets add."""
        return infer_weight(
            self.published_weight,
            instability=[instability] if self.are_halves else [],
            by_class=metric.counts_alike != "instances",
        )

    def deviations(self, values: Array) -> tuple[Array, float]:
        """Return how splits deviate from the mean of their pass, and the degrees of freedom."""
        by_pass = values.reshape(len(values), self.n_passes, -1)
        off = (by_pass - by_pass.mean(axis=2, keepdims=True)).reshape(values.shape)
        return off, float(self.n_splits - self.n_passes)

    def noise_of_scores(self, scores: Array, least: float) -> tuple[Array, float]:
        """Return the covariance of mean scores, and its degrees of freedom.

        `least` is the least variance of a split score. Scores of halves vary by much of what
        training sets add to test noise, those of folds do not.
        """
        _, first, place = np.unique(scores, axis=0, return_index=True, return_inverse=True)
        off, df = self.deviations(scores[first])  # copies tell nothing more
        means, sample = scores[first].mean(axis=1), np.maximum((off**2).sum(axis=1) / df, least)
        covariance = shared_covariance(means, moderated(means, sample, df), off, df, least)
        factor = self.inflation * (STABLE[1] if self.are_halves else OF_FOLDS)
        return factor * covariance[np.ix_(place.ravel(), place.ravel())], df + DF_OTHERS


@dataclass(frozen=True, eq=False)
class TableWeights(Weights):
    """Weights of recorded counts: each candidate has its own, and all vary together.

    Counts do not tell who was right on the same instances, but how alike candidates vary from split
    to split.

    Parameters
    ----------
    tables : ndarray of shape (n_candidates, n_splits, n_classes, n_classes)
        The confusion counts of each split.
    positive : int
        The position of the positive class.
    splits : RecordedSplits
        What is known of the splits.
    """

    tables: Array
    positive: int
    splits: RecordedSplits
    chosen: tuple[int, int] | None = None

    are_own = False

    @property
    def n_classifiers(self) -> int:  # type: ignore[override]
        """The number of candidates."""
        return len(self.tables)

    @property
    def basis(self) -> str:  # type: ignore[override]
        """What the weights rest on, in words."""
        return f"from the counts of {self.splits.n_splits} splits"

    def _in_splits(self, metric: Metric) -> tuple[Array, Array, float, Array]:
        """Return how the metric deviates in splits, with its degrees of freedom, and test noise.

        They are the metric of each candidate, its deviations in each split from the mean of the
        pass, their degrees of freedom, and the variance of a split due to test noise, by pass.
        """
        pooled, passes = self.tables.sum(axis=1), (len(self.tables), self.splits.n_passes, -1)
        slopes = np.stack([cell_influence(metric, table, self.positive) for table in pooled])[
            :, None
        ]
        sizes = self.tables.sum(axis=(2, 3))
        values = (self.tables * slopes).sum(axis=(2, 3)) / sizes
        squares = (self.tables * slopes**2).sum(axis=(2, 3)) / sizes
        noise = (squares - values**2) / np.maximum(sizes - 1, 1)
        off, df = self.splits.deviations(values)
        return metric(pooled, self.positive), off, df, noise.reshape(passes).mean(axis=2)

    def each(self, metric: Metric) -> list[WeightPosterior]:
        """Return the weight of each candidate."""
        _, off, _, noise = self._in_splits(metric)
        ratios = np.ones_like(noise)
        if self.splits.are_halves:
            between = 2 * off.reshape(*noise.shape, 2)[..., 0] ** 2
            np.divide(between, noise, out=ratios, where=noise > 0)
        return [self.splits.kappa(metric, ratio) for ratio in ratios.mean(axis=1).tolist()]

    def difference(self, metric: Metric) -> WeightPosterior:
        """Return the mean of the weights."""
        return mean_of_weights(self.each(metric))

    def pair(self, i: int, j: int) -> TableWeights:
        """Return the weights of two of the candidates."""
        return replace(self, tables=self.tables[[i, j]])

    def _of(self, metric: Metric, i: int, j: int | None) -> QuantityWeight:
        return QuantityWeight(self.each(metric)[i] if j is None else self.difference(metric))

    def together(self, metric: Metric, draws: Array, rng: np.random.Generator) -> Array:
        """Return the draws in an order with the correlations of the splits (Iman, Conover 1982)."""
        rows = self.tables.reshape(len(self.tables), -1)
        _, first, place = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        place = place.ravel()  # of each candidate among those that are no copies of others
        means, off, df, noise = self._in_splits(metric)
        if not df:  # a single split does not tell it
            return draws[first][place]
        means, off, noise = means[first], off[first], noise[first].mean(axis=1)
        ratios = np.divide(
            (off**2).sum(axis=1) / df, noise, out=np.ones_like(noise), where=noise > 0
        )
        variances = noise * np.maximum(alike(means, noise) @ ratios, 1.0)
        least = float((LEAST_STEPS / self.tables[0].sum(axis=(1, 2)).mean()) ** 2)
        values, vectors = np.linalg.eigh(shared_covariance(means, variances, off, df, least))
        root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        normal = root @ rng.standard_normal((len(first), draws.shape[1]))
        ranks = normal.argsort(axis=1).argsort(axis=1)
        return np.take_along_axis(np.sort(draws[first], axis=1), ranks, axis=1)[place]
