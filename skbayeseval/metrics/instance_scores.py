"""Metrics of instance scores, vectorised over many draws of instance weights, and their table.

Each metric equals the scikit-learn scorer of the same name with `sample_weight`. `prepare` does all
computations that do not depend on the weights, and returns a function that maps weights of shape
(n, n_draws) to metric values of shape (n_draws,).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_scalar

from skbayeseval._arrays import Array
from skbayeseval.metrics.metric import SHARE, ScoreMetric

# The step of complex derivatives, which have no rounding error to balance it against.
STEP = 1e-30


class Sums(NamedTuple):
    """Weighted sums from which a metric is computed, each of shape (n_columns, n_draws).

    A column is a class against the rest, or a pair of classes. To combine test sets, the sums of
    each test set are divided by its unweighted sums (`relative_to`) and added (`plus`). The metric
    of the total is an average over test sets, weighted by the instance weights of each test set in
    a draw. An unweighted average over small test sets would hide their variability.

    Attributes
    ----------
    numerators, denominators : ndarray
        For each column, the numerator and denominator of the metric; for ROC AUC the weight of
        correctly ordered pairs of instances and the weight of all pairs.
    shares : ndarray
        The weight of each column in the average over columns.
    """

    numerators: Array
    denominators: Array
    shares: Array

    def relative_to(self, plain: Sums) -> Sums:
        """Return the sums of a test set divided by its unweighted sums."""
        return Sums(
            self.numerators / plain.denominators,
            self.denominators / plain.denominators,
            self.shares / plain.shares.sum(axis=0),
        )

    def plus(self, other: Sums) -> Sums:
        """Return the total of the sums of two test sets."""
        return Sums(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    def average(self) -> Array:
        """Return the metric values, of shape (n_draws,)."""
        areas = _ratio(self.numerators, self.denominators)
        return _ratio((areas * self.shares).sum(axis=0), self.shares.sum(axis=0))

    def average_slope(self, slopes: Sums) -> Array:
        """Return the derivatives of the one metric value, given those of the sums."""
        areas = _ratio(self.numerators, self.denominators)
        of_areas = (slopes.numerators - areas * slopes.denominators) / self.denominators
        of_shares = (areas - self.average()) * slopes.shares
        return (of_areas * self.shares + of_shares).sum(axis=0) / self.shares.sum(axis=0)


class InSums(NamedTuple):
    """A metric as a function of few weighted sums over instances.

    Attributes
    ----------
    rows : ndarray of shape (n_sums, n)
        What each instance adds to each sum.
    of_sums : callable
        Maps the sums, of shape (n_sums, n_draws), to those of the metric.
    leaves_out_pairs : bool
        Whether that leaves out what the weights of positives and of negatives do together. The
        first row says who is positive; the second and the last are deviations from the metric.
    """

    rows: Array
    of_sums: Callable[[Array], Sums]
    leaves_out_pairs: bool = False


class Prepared:
    """A metric on one test set as a function of the instance weights.

    Attributes
    ----------
    takes_counts : bool
        Whether weights must be whole numbers: how often each instance is repeated.
    """

    takes_counts = False

    def sums(self, weights: Array) -> Sums:
        """Return the sums of the metric for weights of shape (n, n_draws)."""
        raise NotImplementedError

    def drawn(self, weights: Array) -> Sums:
        """Return the sums for random weights, which may allow for what noise adds to them."""
        return self.sums(weights)

    def slopes(self) -> Sums:
        """Return the derivatives of the sums at equal weights, each of shape (n_columns, n)."""
        raise NotImplementedError

    def in_sums(self) -> InSums | None:
        """Return the metric as a function of few weighted sums; None if it is not known as one."""
        return None

    def __call__(self, weights: Array) -> Array:
        """Return the metric values, of shape (n_draws,)."""
        return self.sums(weights).average()


def prepare(
    metric: ScoreMetric, truth: Array, scores: Array, sample_weight: Array | None = None
) -> Prepared:
    """Return a metric on one test set as a function of the instance weights.

    Parameters
    ----------
    metric : ScoreMetric
        The metric.
    truth : ndarray of shape (n,) or (n, n_labels)
        The index of the true class, or a label indicator of 0 and 1.
    scores : ndarray of shape (n,), (n, n_classes) or (n, n_labels)
        The instance scores: of class 1 of a binary problem, of each class, or of each label.
    sample_weight : ndarray of shape (n,), default=None
        What multiplies the weights of the instances.

    Returns
    -------
    metric : Prepared
        Maps weights of shape (n, n_draws) to metric values of shape (n_draws,). The weights need
        not sum to 1. The value is NaN if a class that the metric requires has zero weight.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.metrics import get_metric
    >>> from skbayeseval.metrics.instance_scores import prepare
    >>> truth, scores = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> prepare(get_metric("roc_auc"), truth, scores)(np.ones((4, 1)))
    array([0.75])
    """
    name = metric.formula
    kind = "multilabel" if truth.ndim == 2 else "binary" if scores.ndim == 1 else "multiclass"
    if kind not in metric.kinds:
        hint = " Use roc_auc_ovr or roc_auc_ovo." if name == "roc_auc" else ""
        raise ValueError(f"{name} is not defined for {kind} targets.{hint}")
    if metric.needs == "probability":
        check_probabilities(scores)
    if kind == "binary":
        truth, scores = (truth == 1)[:, None], scores[:, None]
    elif kind == "multiclass":
        truth = truth[:, None] == np.arange(scores.shape[1])
    else:
        truth = truth.astype(bool)
    if metric.is_area:
        seen = truth if sample_weight is None else truth[sample_weight > 0]
        _check_classes_present(metric, seen, kind)
    prepared: _Average | OfSums = metric.function(truth, scores)
    return prepared if sample_weight is None else prepared.weighted(sample_weight)


def check_probabilities(scores: Array) -> None:
    """Raise unless scores are probabilities, which of several classes sum to one."""
    low, high = scores.min(), scores.max()
    if low < 0 or high > 1:
        found = f"{low}, below 0" if low < 0 else f"{high}, above 1"
        raise ValueError(f"y_score must be probabilities, but contains {found}.")
    if scores.ndim == 2 and not sum_to_one(scores):
        raise ValueError("y_score must be probabilities, but its rows do not sum to one.")


def _check_classes_present(metric: ScoreMetric, truth: Array, kind: str) -> None:
    n_true = truth.sum(axis=0)
    if metric.needs_classes == "positive":
        if not n_true.all():
            raise ValueError(f"No positive class found in y_true, {metric.formula} is not defined.")
    elif kind == "multiclass" and not n_true.all():
        raise ValueError(
            "Number of classes in y_true not equal to the number of columns in 'y_score'."
        )
    elif not n_true.all() or (n_true == len(truth)).any():
        raise ValueError(
            "Only one class is present in y_true. ROC AUC score is not defined in that case."
        )


def as_floats(scores: Array, needs: str) -> Array:
    """Return instance scores in a float dtype that scikit-learn keeps, or else as float64.

    Long integers that float64 would make equal are replaced by their ranks if the metric needs a
    ranking only.
    """
    if scores.dtype in (np.float16, np.float32, np.float64):
        return scores
    floats = scores.astype(float)
    if needs == "ranking" and len(np.unique(floats)) < len(np.unique(scores)):
        ranks = np.unique(scores, return_inverse=True)[1]
        return ranks.reshape(scores.shape).astype(float)
    return floats


# Areas under curves. A sparse matrix sums the weights of instances with tied instance scores, in
# one pass over the weights. The few rows of the product are ordered by score and then cumulated.


@dataclass(frozen=True)
class _AreaUnderROC:
    """The weighted fraction of correctly ordered (positive, negative) pairs; ties count half.

    Positives with the same lower-scored negatives and the same tied negatives form a group. The
    numerator is the sum over groups of the weight of the positives times the weight of the
    negatives with a lower score.
    """

    positives: Any
    negatives: Any

    @classmethod
    def of(cls, positive: Array, negative: Array, scores: Array) -> _AreaUnderROC:
        """Prepare the sums for the given indices of positive and negative instances."""
        # In order of score, places are also found much faster.
        negative, positive = (
            members[np.argsort(scores[members], kind="stable")] for members in (negative, positive)
        )
        ladder = scores[negative]
        n_below = np.searchsorted(ladder, scores[positive], side="left")
        n_not_above = np.searchsorted(ladder, scores[positive], side="right")
        # The sum identifies a group, because both counts are non-decreasing in the score.
        _, first, group = np.unique(n_below + n_not_above, return_index=True, return_inverse=True)
        n_groups = len(first)
        # A negative counts half from the first group that is not below it, and half from the first
        # group above it. The last row collects the negatives above all positives.
        rank = np.arange(len(negative))
        starts = [
            np.searchsorted(counts[first], rank, side="right") for counts in (n_below, n_not_above)
        ]
        halves = np.full(2 * len(negative), 0.5)
        where = (np.concatenate(starts), np.tile(negative, 2))
        return cls(
            _adder(group, positive, n_groups, len(scores)),
            sparse.csr_matrix((halves, where), (n_groups + 1, len(scores))),
        )

    def area(self, weights: Array) -> tuple[Array, Array]:
        """Return the numerator and denominator of the area."""
        positives, below = self.positives @ weights, self.negatives @ weights
        np.cumsum(below, axis=0, out=below)
        pairs = np.einsum("gd,gd->d", positives, below[:-1])
        return pairs, positives.sum(axis=0) * below[-1]

    def slopes(self) -> tuple[Array, Array]:
        """Return the derivatives of numerator and denominator at equal weights."""
        ones = np.ones(self.positives.shape[1])
        positives, negatives = self.positives @ ones, self.negatives @ ones
        above = np.append(np.cumsum(positives[::-1])[::-1], 0.0)  # positives from a group upwards
        pairs = self.positives.T @ np.cumsum(negatives)[:-1] + self.negatives.T @ above
        one_side = self.positives.T @ np.ones(len(positives)) * negatives.sum()
        other_side = self.negatives.T @ np.ones(len(negatives)) * positives.sum()
        return pairs, one_side + other_side

    def in_sums(self) -> InSums:
        """Return what each positive and each negative adds to the sums that the area is made of.

        With random weights of positives and negatives, the area is the mean over positives of their
        share of correctly ordered pairs, plus that over negatives, minus the area at equal weights,
        plus what both weights do together (DeLong et al. 1988 call the shares structural
        components).
        """
        correct, pairs = self.slopes()
        is_positive = np.zeros(len(pairs))
        is_positive[self.positives.indices] = 1.0
        area = correct @ is_positive / (pairs @ is_positive)
        off = correct / pairs - area

        def area_of(sums: Array) -> Sums:
            n_positive, above, n_negative, below = sums
            pairs = n_positive * n_negative
            areas = area + above / n_positive + below / n_negative
            return Sums((areas * pairs)[None], pairs[None], np.ones_like(pairs)[None])

        sides = (is_positive, 1 - is_positive)
        rows = np.stack([row for side in sides for row in (side, side * off)])
        return InSums(rows, area_of, leaves_out_pairs=True)


@dataclass(frozen=True)
class _AveragePrecision:
    """The weighted mean over positives of the precision at their instance score."""

    positives: Any
    negatives: Any

    @classmethod
    def of(cls, positive: Array, negative: Array, scores: Array) -> _AveragePrecision:
        """Prepare the sums for the given indices of positive and negative instances."""
        thresholds, group = np.unique(-scores[positive], return_inverse=True)
        place = np.searchsorted(thresholds, -scores[negative])
        found = place < len(thresholds)
        return cls(
            _adder(group, positive, len(thresholds), len(scores)),
            _adder(place[found], negative[found], len(thresholds), len(scores)),
        )

    def area(self, weights: Array) -> tuple[Array, Array]:
        """Return the numerator and denominator of the area."""
        positives, alarms = self.positives @ weights, self.negatives @ weights
        np.cumsum(alarms, axis=0, out=alarms)
        hits = np.cumsum(positives, axis=0)
        alarms += hits
        total = hits[-1].copy()
        precision = np.divide(hits, alarms, out=hits, where=alarms > 0)
        return np.einsum("gd,gd->d", positives, precision), total

    def slopes(self) -> tuple[Array, Array]:
        """Return the derivatives of numerator and denominator at equal weights."""
        ones = np.ones(self.positives.shape[1])
        positives, negatives = self.positives @ ones, self.negatives @ ones
        hits, alarms = np.cumsum(positives), np.cumsum(negatives)
        found = np.maximum(hits + alarms, np.finfo(float).tiny)
        # A positive raises, and a negative lowers, the precision at its score and below.
        raises = np.cumsum((positives * alarms / found / found)[::-1])[::-1]
        lowers = np.cumsum((positives * hits / found / found)[::-1])[::-1]
        value = self.positives.T @ (hits / found + raises) - self.negatives.T @ lowers
        return value, self.positives.T @ np.ones(len(positives))


def _adder(rows: Array, columns: Array, n_rows: int, n_columns: int) -> Any:
    """Return a sparse matrix that sums columns into rows."""
    return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), (n_rows, n_columns))


def _ratio(numerator: Array, denominator: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return numerator / denominator


# Averages over classes or labels, and means over instances.


@dataclass(frozen=True)
class _Average(Prepared):
    """An average of areas, weighted by `shares` if given, else unweighted."""

    areas: Sequence[_AreaUnderROC | _AveragePrecision]
    shares: Any = None
    is_weighted: bool = False

    def weighted(self, weight: Array) -> _Average:
        """Return the average of instances with sample weights."""
        by = sparse.diags_array(weight).tocsr()
        areas = [type(one)(one.positives @ by, one.negatives @ by) for one in self.areas]
        return _Average(areas, None if self.shares is None else self.shares @ by, is_weighted=True)

    def sums(self, weights: Array) -> Sums:
        """Return the sums of all areas."""
        numerators, denominators = zip(*(area.area(weights) for area in self.areas), strict=True)
        top, bottom = np.stack(numerators), np.stack(denominators)
        return Sums(
            top, bottom, np.ones_like(top) if self.shares is None else self.shares @ weights
        )

    def slopes(self) -> Sums:
        """Return the derivatives of the sums at equal weights."""
        tops, bottoms = zip(*(area.slopes() for area in self.areas), strict=True)
        top = np.stack(tops)
        shares = np.zeros_like(top) if self.shares is None else self.shares.toarray()
        return Sums(top, np.stack(bottoms), shares)

    def in_sums(self) -> InSums | None:
        """Return the sums of one area under a ROC curve."""
        area = self.areas[0]
        is_known = len(self.areas) == 1 and not self.is_weighted
        return area.in_sums() if is_known and isinstance(area, _AreaUnderROC) else None


@dataclass(frozen=True)
class OfSums(Prepared):
    """A ratio of two functions of weighted sums over instances.

    Attributes
    ----------
    rows : ndarray of shape (n_sums, n)
        What each instance adds to each sum.
    ratio : callable
        Maps the sums to the numerator and the denominator of the metric.
    """

    rows: Array
    ratio: Callable[..., tuple[Array, Array]]

    def weighted(self, weight: Array) -> OfSums:
        """Return the metric of instances with sample weights."""
        return replace(self, rows=self.rows * weight)

    def sums(self, weights: Array) -> Sums:
        """Return the numerator and the denominator, for weights of shape (n, n_draws)."""
        return self._of_sums(self.rows @ weights)

    def _of_sums(self, sums: Array) -> Sums:
        top, bottom = self.ratio(*sums)
        return Sums(top[None], bottom[None], np.ones_like(top[None]))

    def in_sums(self) -> InSums:
        """Return what each instance adds to each sum, and the metric of the sums."""
        return InSums(self.rows, self._of_sums)

    def slopes(self) -> Sums:
        """Return the derivatives of the sums at equal weights, by complex steps."""
        ahead = self.rows.sum(axis=1)[:, None] + 1j * STEP * np.eye(len(self.rows))
        top, bottom = (one.imag / STEP @ self.rows for one in self.ratio(*ahead))
        return Sums(top[None], bottom[None], np.zeros_like(top[None]))


def mean_of(values: Array, weight: Array) -> OfSums:
    """Return the weighted mean of one value per instance as a function of the instance weights."""
    return OfSums(np.stack([weight * values, weight]), _mean)


def _mean(total: Array, weight: Array) -> tuple[Array, Array]:
    return total, weight


Area = type[_AreaUnderROC] | type[_AveragePrecision]


# Builders of metrics. The truth is boolean, with one column per class or label, as the scores; a
# single column for binary problems.


def _one_versus_rest(area: Area, truth: Array, scores: Array, weighted: bool = False) -> Prepared:
    """Return the average over columns; for binary problems, the area itself."""
    areas = [
        area.of(np.flatnonzero(true), np.flatnonzero(~true), column)
        for true, column in zip(truth.T, scores.T, strict=True)
    ]
    by_size = weighted and len(areas) > 1
    return _Average(areas, sparse.csr_matrix(truth.T, dtype=float) if by_size else None)


def _one_versus_one(truth: Array, scores: Array, weighted: bool = False) -> Prepared:
    """Return the average over ordered pairs of classes (Hand and Till 2001, equation 7).

    scikit-learn does not support `sample_weight` here. The weights apply to the area of each pair
    and to the shares of the pairs, so that integer weights are equivalent to repeated instances.
    """
    members = [np.flatnonzero(true) for true in truth.T]
    if len(members) == 1:
        return _one_versus_rest(_AreaUnderROC, truth, scores)
    pairs = list(permutations(range(len(members)), 2))
    areas = [_AreaUnderROC.of(members[a], members[b], scores[:, a]) for a, b in pairs]
    shares = np.array([truth[:, a] | truth[:, b] for a, b in pairs])
    return _Average(areas, sparse.csr_matrix(shares, dtype=float) if weighted else None)


def _plain_mean_of(values: Array) -> OfSums:
    return mean_of(values, np.ones(len(values)))


def _neg_log_loss(truth: Array, scores: Array) -> Prepared:
    # Like scikit-learn, clip at the machine epsilon of the dtype of the probabilities.
    precision = np.finfo(scores.dtype).eps
    p = np.clip(scores, precision, 1 - precision).astype(float)
    of_truth = np.where(truth, p, 1 - p)[:, 0] if truth.shape[1] == 1 else p[truth]
    return _plain_mean_of(np.log(of_truth))


def _neg_brier_score(truth: Array, scores: Array) -> Prepared:
    return _plain_mean_of(-((scores.astype(float) - truth) ** 2).sum(axis=1))


def _net_benefit(threshold: float, truth: Array, scores: Array) -> Prepared:
    odds = threshold / (1 - threshold)
    return _plain_mean_of((scores[:, 0] >= threshold) * np.where(truth[:, 0], 1.0, -odds))


_CLASSES = ("binary", "multiclass")
_AREA = (
    "the probability that a positive instance gets a higher score than a negative one: 1 is "
    "perfect, 0.5 no better than chance"
)
_of_scores = partial(ScoreMetric, limits=SHARE)
_mean_area = partial(
    _of_scores,
    needs="probability",
    needs_classes="several",
    kinds=_CLASSES,
    words=f"{_AREA}; here, the average over the classes",
)
_neg_mean_loss = partial(
    _of_scores, limits=(-np.inf, 0.0), needs="probability", kinds=_CLASSES, is_area=False
)

SCORE_METRICS = {
    metric.name: metric
    for metric in (
        _of_scores(
            "roc_auc",
            partial(_one_versus_rest, _AreaUnderROC),
            other_names=("auc", "auroc"),
            needs="ranking",
            needs_classes="several",
            kinds=("binary", "multilabel"),
            words=_AREA,
        ),
        _mean_area("roc_auc_ovr", partial(_one_versus_rest, _AreaUnderROC)),
        _mean_area("roc_auc_ovr_weighted", partial(_one_versus_rest, _AreaUnderROC, weighted=True)),
        _mean_area("roc_auc_ovo", _one_versus_one),
        _mean_area("roc_auc_ovo_weighted", partial(_one_versus_one, weighted=True)),
        _of_scores(
            "average_precision",
            partial(_one_versus_rest, _AveragePrecision),
            other_names=("ap", "auprc", "pr_auc"),
            needs="ranking",
            needs_positive=True,
            needs_classes="positive",
            kinds=(*_CLASSES, "multilabel"),
            words="the precision at all thresholds of the score, averaged: 1 is perfect",
        ),
        _neg_mean_loss(
            "neg_log_loss",
            _neg_log_loss,
            other_names=("cross_entropy",),
            words="minus the mean logarithm of the probability of the true class, with a minus "
            "sign: 0 is perfect",
        ),
        _neg_mean_loss(
            "neg_brier_score",
            _neg_brier_score,
            other_names=("brier",),
            words="the mean squared error of probabilities with a minus sign: 0 is perfect",
            called="Brier score",
        ),
    )
}


def net_benefit(threshold: float) -> ScoreMetric:
    """Return the net benefit of treating instances whose probability reaches a threshold.

    It is TP/n - FP/n * threshold / (1 - threshold), the units of decision curve analysis [1]_: a
    net benefit of 0.1 is worth as much as 10 true positives without a false positive among 100
    instances. The threshold says how many false positives a true positive is worth: at 0.2, four.

    Parameters
    ----------
    threshold : float
        The probability from which on an instance is treated, between 0 and 1.

    Returns
    -------
    metric : ScoreMetric
        The metric, named such as "net_benefit_0.2". It requires two classes and predicted
        probabilities.

    References
    ----------
    .. [1] Vickers and Elkin, "Decision curve analysis: a novel method for evaluating prediction
       models", Medical Decision Making 26(6), 2006.

    Examples
    --------
    >>> from skbayeseval import compare_predictions, metrics
    >>> y, a, b = [1, 1, 0, 0, 0], [0.9, 0.3, 0.4, 0.1, 0.1], [0.8, 0.1, 0.1, 0.1, 0.1]
    >>> scoring = metrics.net_benefit(0.2)
    >>> result = compare_predictions(
    ...     y, None, None, y_score_a=a, y_score_b=b, scoring=scoring, random_state=0
    ... )
    >>> round(result.observed_a, 3), round(result.observed_b, 3)  # 2/5 - 1/5 * 0.2/0.8, and 1/5
    (0.35, 0.2)
    """
    check_scalar(threshold, "threshold", Real, min_val=0, max_val=1, include_boundaries="neither")
    threshold = float(threshold)
    odds = threshold / (1 - threshold)
    name = f"net_benefit_{threshold!r}"
    return _of_scores(
        name,
        partial(_net_benefit, threshold),
        formula=name,
        needs_positive=True,
        limits=(-odds, 1.0),
        needs="probability",
        kinds=("binary",),
        words=f"true positives per instance if all with a probability of at least {threshold:g} "
        f"are treated, less {odds:.3g} for each false positive",
        called=f"net benefit at {threshold:g}",
    )


def sum_to_one(scores: Array) -> bool:
    """Return whether the rows sum to one, up to rounding in their type."""
    tolerance = np.sqrt(np.finfo(scores.dtype).eps)
    return np.allclose(scores.sum(axis=1, dtype=float), 1, rtol=tolerance, atol=tolerance)
