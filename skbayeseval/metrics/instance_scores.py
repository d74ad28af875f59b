"""Metrics of classifiers' scores under instance weights, for many draws of weights at once.

Each name gives what scikit-learn's scorer of that name gives with `sample_weight`. `prepare` does
all that does not depend on the weights; what it returns maps weights of shape (n, n_draws) to
values of shape (n_draws,).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

__all__ = ["SCORE_METRICS", "ScoreMetric", "prepare"]

Array = NDArray[Any]


class Sums(NamedTuple):
    """What a metric adds up of the weights of instances, each of shape (n_columns, n_draws).

    Sums of several test sets add up, each relative to what it is without weights: their metric is
    that within each, averaged by how much the weights of a draw favour it. A plain average over
    small test sets would hide how much they differ.

    Attributes
    ----------
    numerators, denominators : ndarray
        For each column, a class against the rest or a pair of classes: pairs in the right order
        over all pairs, and the like.
    shares : ndarray
        What a column weighs in the average of columns.
    """

    numerators: Array
    denominators: Array
    shares: Array

    def relative_to(self, plain: Sums) -> Sums:
        """Return the sums of a test set over those of its instances without weights."""
        return Sums(
            self.numerators / plain.denominators,
            self.denominators / plain.denominators,
            self.shares / plain.shares.sum(axis=0),
        )

    def plus(self, other: Sums) -> Sums:
        """Return the sums of two test sets."""
        return Sums(*(one + more for one, more in zip(self, other, strict=True)))

    def average(self) -> Array:
        """Return the metric, of shape (n_draws,)."""
        areas = _ratio(self.numerators, self.denominators)
        return _ratio((areas * self.shares).sum(axis=0), self.shares.sum(axis=0))


class Prepared:
    """A metric of one test set as a function of the weights of its instances."""

    def sums(self, weights: Array) -> Sums:
        """Return what the metric adds up, for weights of shape (n, n_draws)."""
        raise NotImplementedError

    def __call__(self, weights: Array) -> Array:
        """Return the metric, of shape (n_draws,)."""
        return self.sums(weights).average()


class Task(NamedTuple):
    """What a metric is about, after the checks.

    Attributes
    ----------
    truth : ndarray of shape (n, n_columns), of bool
        Whether an instance is of the class or has the label: one column where classes are two.
    scores : ndarray of shape (n, n_columns)
        The scores of these.
    kind : {"binary", "multiclass", "multilabel"}
        Of what kind the truth is.
    """

    truth: Array
    scores: Array
    kind: str


@dataclass(frozen=True)
class ScoreMetric:
    """A named function of scores.

    Attributes
    ----------
    needs : {"ranking", "probability"}
        Whether any scores will do that rank the instances, or only probabilities.
    kinds : tuple of str
        The kinds of truth for which it is defined.
    """

    needs: str
    kinds: tuple[str, ...]
    build: Callable[[Task], Prepared]

    @property
    def of_means(self) -> bool:
        """Whether it is a mean over instances, defined whatever classes there are."""
        return self.build in (_neg_log_loss, _neg_brier_score)


def prepare(name: str, truth: ArrayLike, scores: ArrayLike) -> Prepared:
    """Return the metric of one test set as a function of the weights of its instances.

    Parameters
    ----------
    name : str
        One of `SCORE_METRICS`.
    truth : array-like of shape (n,) or (n, n_labels)
        The index of the true class; or an indicator of labels, 0 or 1.
    scores : array-like of shape (n,), (n, n_classes) or (n, n_labels)
        The scores of class 1 of two; of each class; or of each label.

    Returns
    -------
    metric : Prepared
        Maps weights of shape (n, n_draws), which need not sum to 1, to values of shape (n_draws,).
        A draw that leaves a class without any weight has the value NaN where the metric needs it.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.metrics.instance_scores import prepare
    >>> roc_auc = prepare("roc_auc", [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> roc_auc(np.ones((4, 1)))
    array([0.75])
    """
    if name not in SCORE_METRICS:
        raise ValueError(
            f"{name!r} is not a known metric of scores. Known are: {sorted(SCORE_METRICS)}."
        )
    metric = SCORE_METRICS[name]
    task = _check_task(name, metric, np.asarray(truth), np.asarray(scores))
    return metric.build(task)


# Areas under curves. A sparse matrix adds up the weights of instances with like scores, in the
# order of scores, in one pass over the weights; its rows are then few, and cumulated.


@dataclass(frozen=True)
class _AreaUnderROC:
    """The weighted share of pairs, a positive and a negative, in the right order; ties are half.

    With the positives in groups that have the same negatives below them and tied with them, the
    area is the sum over groups of their weight times that of the negatives below.
    """

    positives: Any
    negatives: Any

    @classmethod
    def of(cls, positive: Array, negative: Array, scores: Array) -> _AreaUnderROC:
        """Prepare for the instances whose indices are given."""
        order = np.argsort(scores[negative], kind="stable")
        negative = negative[order]
        ladder = scores[negative]
        n_below = np.searchsorted(ladder, scores[positive], side="left")
        n_not_above = np.searchsorted(ladder, scores[positive], side="right")
        # The sum tells groups apart: neither number can fall where the score rises.
        _, first, group = np.unique(n_below + n_not_above, return_index=True, return_inverse=True)
        n_groups = len(first)
        # A negative counts half from the first group not below it on, and half from the first
        # group above it. The last row adds what is above all positives.
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
        """Return numerator and denominator of the area."""
        positives, below = self.positives @ weights, self.negatives @ weights
        np.cumsum(below, axis=0, out=below)
        pairs = np.einsum("gd,gd->d", positives, below[:-1])
        return pairs, positives.sum(axis=0) * below[-1]


@dataclass(frozen=True)
class _AveragePrecision:
    """The weighted mean over positives of the precision at their scores."""

    positives: Any
    negatives: Any

    @classmethod
    def of(cls, positive: Array, negative: Array, scores: Array) -> _AveragePrecision:
        """Prepare for the instances whose indices are given."""
        thresholds, group = np.unique(-scores[positive], return_inverse=True)
        place = np.searchsorted(thresholds, -scores[negative])
        found = place < len(thresholds)
        return cls(
            _adder(group, positive, len(thresholds), len(scores)),
            _adder(place[found], negative[found], len(thresholds), len(scores)),
        )

    def area(self, weights: Array) -> tuple[Array, Array]:
        """Return numerator and denominator of the area."""
        positives, alarms = self.positives @ weights, self.negatives @ weights
        np.cumsum(alarms, axis=0, out=alarms)
        hits = np.cumsum(positives, axis=0)
        alarms += hits
        total = hits[-1].copy()
        precision = np.divide(hits, alarms, out=hits, where=alarms > 0)
        return np.einsum("gd,gd->d", positives, precision), total


def _adder(rows: Array, columns: Array, n_rows: int, n_columns: int) -> Any:
    """Return a sparse matrix that adds up columns into rows."""
    return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), (n_rows, n_columns))


def _ratio(numerator: Array, denominator: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return numerator / denominator


# Averages over classes or labels, and means over instances.


@dataclass(frozen=True)
class _Average(Prepared):
    """An average of areas; by the weights of `shares`, where given, all alike otherwise."""

    areas: Sequence[_AreaUnderROC | _AveragePrecision]
    shares: Any = None

    def sums(self, weights: Array) -> Sums:
        """Return what the areas add up."""
        numerators, denominators = zip(*(area.area(weights) for area in self.areas), strict=True)
        top, bottom = np.stack(numerators), np.stack(denominators)
        return Sums(
            top, bottom, np.ones_like(top) if self.shares is None else self.shares @ weights
        )


@dataclass(frozen=True)
class _Mean(Prepared):
    """The weighted mean of a value of each instance."""

    values: Array

    def sums(self, weights: Array) -> Sums:
        """Return what the values add up."""
        top = (self.values @ weights)[None]
        return Sums(top, weights.sum(axis=0)[None], np.ones_like(top))


Area = type[_AreaUnderROC] | type[_AveragePrecision]


@dataclass(frozen=True)
class _OneVersusRest:
    """Build the average over columns, each against the rest; of two classes the area itself."""

    area: Area
    weighted: bool = False

    def __call__(self, task: Task) -> Prepared:
        areas = [
            self.area.of(np.flatnonzero(true), np.flatnonzero(~true), scores)
            for true, scores in zip(task.truth.T, task.scores.T, strict=True)
        ]
        weighted = self.weighted and len(areas) > 1
        return _Average(areas, sparse.csr_matrix(task.truth.T, dtype=float) if weighted else None)


@dataclass(frozen=True)
class _OneVersusOne:
    """Build the average over ordered pairs of classes (Hand and Till 2001, equation 7).

    scikit-learn takes no weights here. With weights each pair's areas are weighted, and so are
    the shares of pairs; whole weights are then what repeated instances are.
    """

    weighted: bool = False

    def __call__(self, task: Task) -> Prepared:
        members = [np.flatnonzero(true) for true in task.truth.T]
        if len(members) == 1:
            return _OneVersusRest(_AreaUnderROC)(task)
        pairs = list(permutations(range(len(members)), 2))
        areas = [_AreaUnderROC.of(members[a], members[b], task.scores[:, a]) for a, b in pairs]
        shares = np.array([task.truth[:, a] | task.truth[:, b] for a, b in pairs])
        return _Average(areas, sparse.csr_matrix(shares, dtype=float) if self.weighted else None)


def _neg_log_loss(task: Task) -> Prepared:
    # Clipped at the precision with which the probabilities came, as scikit-learn does.
    precision = np.finfo(task.scores.dtype).eps
    p = np.clip(task.scores, precision, 1 - precision).astype(float)
    if task.kind == "binary":
        return _Mean(np.log(np.where(task.truth, p, 1 - p))[:, 0])
    return _Mean(np.log(p[task.truth]))


def _neg_brier_score(task: Task) -> Prepared:
    return _Mean(-((task.scores.astype(float) - task.truth) ** 2).sum(axis=1))


_CLASSES = ("binary", "multiclass")

SCORE_METRICS = {
    "roc_auc": ScoreMetric("ranking", ("binary", "multilabel"), _OneVersusRest(_AreaUnderROC)),
    "roc_auc_ovr": ScoreMetric("probability", _CLASSES, _OneVersusRest(_AreaUnderROC)),
    "roc_auc_ovr_weighted": ScoreMetric(
        "probability", _CLASSES, _OneVersusRest(_AreaUnderROC, weighted=True)
    ),
    "roc_auc_ovo": ScoreMetric("probability", _CLASSES, _OneVersusOne()),
    "roc_auc_ovo_weighted": ScoreMetric("probability", _CLASSES, _OneVersusOne(weighted=True)),
    "average_precision": ScoreMetric(
        "ranking", (*_CLASSES, "multilabel"), _OneVersusRest(_AveragePrecision)
    ),
    "neg_log_loss": ScoreMetric("probability", _CLASSES, _neg_log_loss),
    "neg_brier_score": ScoreMetric("probability", _CLASSES, _neg_brier_score),
}


def _check_task(name: str, metric: ScoreMetric, truth: Array, scores: Array) -> Task:
    scores = _check_scores(scores)
    if len(truth) != len(scores):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[len(truth), len(scores)]}."
        )
    if not len(truth):
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    kind = _kind(truth, scores)
    if kind not in metric.kinds:
        hint = " Use roc_auc_ovr or roc_auc_ovo." if name == "roc_auc" else ""
        raise ValueError(f"{name} is not defined for {kind} targets.{hint}")
    if metric.needs == "probability":
        _check_probabilities(scores)
    task = Task(*_columns(truth, scores, kind, metric), kind)
    if not metric.of_means:
        _check_classes_present(name, task)
    return task


def _check_scores(scores: Array) -> Array:
    if scores.ndim not in (1, 2):
        raise ValueError(f"y_score must be of one or two dimensions, got shape {scores.shape}.")
    if scores.dtype.kind != "f":
        scores = scores.astype(float)
    if np.isnan(scores).any():
        raise ValueError("Input y_score contains NaN.")
    if np.isinf(scores).any():
        raise ValueError(
            f"Input y_score contains infinity or a value too large for {scores.dtype!r}."
        )
    return scores


def _kind(truth: Array, scores: Array) -> str:
    if truth.ndim == 2:
        if scores.shape != truth.shape:
            raise ValueError(
                f"`y_score` needs to be of the shape of the label indicator, {truth.shape}. Got "
                f"`y_score.shape={scores.shape}`."
            )
        if not np.isin(truth, (0, 1)).all():
            raise ValueError("A label indicator must be 0 or 1.")
        return "multilabel"
    n_classes = 2 if scores.ndim == 1 else scores.shape[1]
    if n_classes < 2:
        raise ValueError(f"Scores need two columns or more. Got `y_score.shape={scores.shape}`.")
    if not np.isin(truth, np.arange(n_classes)).all():
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
            f"multiple classes. Got `y_score.shape={scores.shape}`, and classes "
            f"{np.unique(truth).tolist()}."
        )
    return "binary" if n_classes == 2 else "multiclass"


def _columns(truth: Array, scores: Array, kind: str, metric: ScoreMetric) -> tuple[Array, Array]:
    """Return truth and scores, a column for each class or label; of two classes only the last."""
    if kind == "multilabel":
        return truth.astype(bool), scores
    if kind == "multiclass":
        return truth[:, None] == np.arange(scores.shape[1]), scores
    if scores.ndim == 2 and metric.needs == "ranking":
        raise ValueError(
            f"y should be a 1d array, got an array of shape {scores.shape} instead: give the "
            "scores of the positive class."
        )
    return (truth == 1)[:, None], scores.reshape(len(scores), -1)[:, -1:]


def _check_probabilities(scores: Array) -> None:
    if scores.max() > 1:
        raise ValueError(f"y_score must be probabilities, but contains {scores.max()}, above 1.")
    if scores.min() < 0:
        raise ValueError(f"y_score must be probabilities, but contains {scores.min()}, below 0.")
    tolerance = np.sqrt(np.finfo(scores.dtype).eps)
    if scores.ndim == 2 and not np.allclose(scores.sum(axis=1), 1, rtol=tolerance, atol=tolerance):
        raise ValueError("y_score must be probabilities, but its rows do not sum to one.")


def _check_classes_present(name: str, task: Task) -> None:
    n_true = task.truth.sum(axis=0)
    if name == "average_precision":
        if not n_true.all():
            raise ValueError("No positive class found in y_true, average_precision is not defined.")
    elif task.kind == "multiclass" and not n_true.all():
        raise ValueError(
            "Number of classes in y_true not equal to the number of columns in 'y_score'."
        )
    elif not n_true.all() or (n_true == len(task.truth)).any():
        raise ValueError(
            "Only one class is present in y_true. ROC AUC score is not defined in that case."
        )
