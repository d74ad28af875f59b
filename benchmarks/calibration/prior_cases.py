"""The models with a proper prior: samplers of their priors, and the package's evidence of counts.

The priors and the true scores are computed with numpy alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from skbayeseval.evidence import ConfusionCounts, MarginalCounts, PairedCounts
from skbayeseval.evidence.chunks import ChunkCounts
from skbayeseval.evidence.units import UnitCounts
from skbayeseval.metrics.registry import get_metric, known_metrics
from skbayeseval.models import (
    BCV,
    Hierarchical,
    IndependentLabels,
    IndependentLabelsBCV,
    Paired,
    PairedChunks,
    PairedHierarchical,
    PairedMany,
    PairedRecalls,
    Recalls,
    Unpaired,
)

DIFFERENCE, SCORE = "difference", "score of A"


# The priors. Tables are joint probabilities, of shape (..., true, predicted).


def dirichlet(rng, shapes):
    """Draw Dirichlet vectors with the given shapes, along the last axis."""
    gammas = rng.standard_gamma(shapes)
    return gammas / gammas.sum(axis=-1, keepdims=True)


def flat(rng, *shape):
    return dirichlet(rng, np.ones(shape))


def hierarchical_shapes(eta, n_classes):
    """Return the prior shapes of the rows given eta, of shape (n, true, predicted)."""
    eta = eta[:, None, None]
    return np.where(np.eye(n_classes, dtype=bool), eta, (1 - eta) / (n_classes - 1))


def unpaired_prior(rng, n, n_classes):
    return flat(rng, 2, n, 2)[..., None] * flat(rng, 2, n, 2, 2)


def hierarchical_prior(rng, n, n_classes):
    omega = [hierarchical_shapes(rng.random(n), n_classes) for _ in range(2)]
    return flat(rng, 2, n, n_classes)[..., None] * dirichlet(rng, np.stack(omega))


def recalls_prior(rng, n, n_classes):
    """Draw rows of two classifiers, without the class proportions."""
    eta, icc = rng.random((2, 2, n))
    mass = (1 / icc - 1)[..., None, None]
    shapes = mass * np.stack([eta, 1 - eta], axis=-1)[..., None, :]
    shapes = np.broadcast_to(np.maximum(shapes, 1e-12), (2, n, n_classes, 2))
    # In logarithms, as Gamma variables with tiny shapes underflow.
    logs = np.log(rng.standard_gamma(shapes + 1)) + np.log(rng.random(shapes.shape)) / shapes
    log_odds = np.clip(logs[..., 0] - logs[..., 1], -700, 700)
    recall, rest = 1 / (1 + np.exp(-log_odds)), 1 / (1 + np.exp(log_odds))
    errors = dirichlet(rng, np.full((2, n, n_classes, n_classes - 1), 1 / (n_classes - 1)))
    rows = np.zeros((2, n, n_classes, n_classes))
    for j in range(n_classes):
        others = [k for k in range(n_classes) if k != j]
        rows[..., j, others] = rest[..., j, None] * errors[..., j, :]
        rows[..., j, j] = recall[..., j]
    return rows


def separate_recalls_prior(rng, n, n_classes):
    return flat(rng, 2, n, n_classes)[..., None] * recalls_prior(rng, n, n_classes)


def joint_recalls_prior(rng, n, n_classes):
    a, b = recalls_prior(rng, n, n_classes)
    return flat(rng, n, n_classes)[..., None, None] * a[..., :, None] * b[..., None, :]


def paired_prior(rng, n, n_classes):
    return (flat(rng, n, 2)[..., None] * flat(rng, n, 2, 4)).reshape(n, 2, 2, 2)


def many_prior(rng, n, n_classes):
    theta = dirichlet(rng, np.full((n, 2, 8), 0.5))
    return (flat(rng, n, 2)[..., None] * theta).reshape(n, 2, 2, 2, 2)


def outer_product_prior(rng, n, n_classes, etas):
    a, b = (hierarchical_shapes(eta, n_classes) for eta in etas)
    omega = (a[..., :, None] * b[..., None, :]).reshape(n, n_classes, n_classes**2)
    joint = flat(rng, n, n_classes)[..., None] * dirichlet(rng, omega)
    return joint.reshape(n, n_classes, n_classes, n_classes)


def free_etas_prior(rng, n, n_classes):
    return outer_product_prior(rng, n, n_classes, rng.random((2, n)))


def fixed_etas_prior(rng, n, n_classes):
    return outer_product_prior(rng, n, n_classes, np.full((2, n), 0.6))


def bcv_prior(rng, n, n_classes):
    return flat(rng, 2, n, 4).reshape(2, n, 2, 2)


def bcv_prior_without_tn(rng, n, n_classes):
    fp, fn, tp = np.moveaxis(flat(rng, 2, n, 3), -1, 0)
    return np.stack([np.zeros_like(tp), fp, fn, tp], axis=-1).reshape(2, n, 2, 2)


def chunks_prior(rng, n, n_classes):
    cells = dirichlet(rng, np.full((n, 7), 0.5))
    nothing = np.zeros((n, 1))  # neither a chunk nor taken for one
    gold, false = cells[:, 3::-1], cells[:, :3:-1]
    return np.concatenate([nothing, false, gold], axis=1).reshape(n, 2, 2, 2)


def labels_prior(rng, n, n_labels):
    return flat(rng, 2, n, n_labels, 2)[..., None] * flat(rng, 2, n, n_labels, 2, 2)


def labels_bcv_prior(rng, n, n_labels):
    return flat(rng, 2, n, n_labels, 4).reshape(2, n, n_labels, 2, 2)


# From counts to the package's evidence, one replication at a time.


def alone(counts, weight):
    """Return separate evidence per classifier, from counts by (classifier, true, predicted)."""
    labels = tuple(range(counts.shape[-1]))
    return [MarginalCounts(tuple(ConfusionCounts(table, labels, weight) for table in counts))]


def without_true_negatives(counts, weight):
    cells = [(t[1, 1], t[0, 1], t[1, 0]) for t in counts]
    return [MarginalCounts(tuple(ConfusionCounts.from_cells(*t, weight=weight) for t in cells))]


def together(counts, weight):
    """Return evidence of classifiers on the same instances, counts by (true, prediction, ...)."""
    outcomes = np.argwhere(counts)
    labels = tuple(range(len(counts)))
    of_each = counts[tuple(outcomes.T)]
    return [PairedCounts(outcomes[:, 0], outcomes[:, 1:], of_each, labels, weight)]


def chunks(counts, weight):
    """Return evidence of two taggers, from counts by (true, A, B)."""
    return [ChunkCounts([*counts[1].ravel()[::-1], *counts[0].ravel()[:0:-1]], weight)]


def labels_of_each(counts, weight):
    """Return evidence of classifiers on separate instances, by (classifier, label, ...)."""
    evidence = []
    cells = [(0, 0), (0, 1), (1, 0), (1, 1)]
    for tables in counts:
        pairs = np.stack([np.repeat(cells, table.ravel(), axis=0) for table in tables], axis=1)
        evidence.append(
            UnitCounts.from_indicators(pairs[..., 0], {"A": pairs[..., 1]}, weight=weight)
        )
    return evidence


@dataclass(frozen=True)
class Case:
    """A model, a sampler of its prior, and a function that creates its evidence.

    Attributes
    ----------
    prior : callable
        Returns joint tables of shape (2, n, ..., M, M) for classifiers on separate instances
        (independent labels have an axis before the last two), or of shape (n, M, M, M, ...) over
        (true, prediction of A, of B, ...) if `paired`.
    evidence : callable
        Maps the counts of one replication and a weight to evidence, one per classifier if the
        classifiers have separate instances.
    """

    name: str
    model: Any
    prior: Callable[..., np.ndarray]
    evidence: Callable[..., list]
    n_classes: int = 2
    paired: bool = False
    labels: bool = False
    true_negatives: bool = True
    quantities: tuple[str, ...] = (DIFFERENCE, SCORE)

    @property
    def metrics(self) -> list[str]:
        """The names of the registered metrics that the model can compute, if they have bounds.

        Ratios without a bound may be infinite, and have no moments to compare; the rates that they
        are made of are here.
        """
        found = [get_metric(name) for name in known_metrics("tables")]
        found = [metric for metric in found if np.isfinite(metric.limits).all()]
        if self.labels:
            found = [m for m in found if not (m.one_of_many or m.needs_positive)]
        elif self.n_classes > 2:
            found = [m for m in found if not m.needs_positive]
        if not self.true_negatives:
            found = [m for m in found if not m.needs_true_negatives]
        return [m.name for m in found]


FIXED_ETA = (6e5, 4e5)

CASES = [
    Case("unpaired", Unpaired(), unpaired_prior, alone),
    Case("paired", Paired(), paired_prior, together, paired=True),
    Case("paired, K=3", PairedMany(), many_prior, together, paired=True),
    Case("bcv", BCV(), bcv_prior, alone),
    Case("bcv without TN", BCV(), bcv_prior_without_tn, without_true_negatives,
         true_negatives=False),
    Case("chunks", PairedChunks(), chunks_prior, chunks, paired=True, true_negatives=False),
    Case("hierarchical, M=2", Hierarchical(), hierarchical_prior, alone),
    Case("hierarchical, M=4", Hierarchical(), hierarchical_prior, alone, 4),
    Case("recalls, M=4", Recalls(mu=1.0), separate_recalls_prior, alone, 4),
    Case("paired recalls, M=4", PairedRecalls(mu=1.0), joint_recalls_prior, together, 4,
         paired=True, quantities=(SCORE,)),
    Case("paired, M=3", PairedHierarchical(), free_etas_prior, together, 3, paired=True,
         quantities=(SCORE,)),
    Case("paired, M=3, known eta", PairedHierarchical(eta=FIXED_ETA), fixed_etas_prior, together,
         3, paired=True),
    Case("labels", IndependentLabels(), labels_prior, labels_of_each, 3, labels=True),
    Case("labels, bcv", IndependentLabelsBCV(), labels_bcv_prior, labels_of_each, 3, labels=True),
]  # fmt: skip


# The true scores.


def one_against_rest(tables, *, labels=False):
    """Return (tp, fp, fn, tn) of each class or label, each of shape (..., M)."""
    if labels:
        tn, fp, fn, tp = (tables[..., i, j] for i in (0, 1) for j in (0, 1))
        return tp, fp, fn, tn
    tp = np.einsum("...ii->...i", tables)
    fn, fp = tables.sum(-1) - tp, tables.sum(-2) - tp
    return tp, fp, fn, tables.sum(axis=(-2, -1))[..., None] - tp - fn - fp


def true_scores(tables, names, *, labels=False):
    """Return the metrics of joint tables of shape (..., M, M) or (..., label, 2, 2), by name."""
    tp, fp, fn, tn = one_against_rest(tables, labels=labels)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = {name: _true_score(name, tp, fp, fn, tn) for name in names}
    return {name: np.nan_to_num(score) for name, score in found.items()}


def _true_score(name, tp, fp, fn, tn):
    ratios = {
        "precision": lambda tp, fp, fn: tp / (tp + fp),
        "recall": lambda tp, fp, fn: tp / (tp + fn),
        "f1": lambda tp, fp, fn: 2 * tp / (2 * tp + fp + fn),
        "jaccard": lambda tp, fp, fn: tp / (tp + fp + fn),
    }
    ratio, _, average = name.partition("_")
    if ratio in ratios:
        if average == "micro":
            return ratios[ratio](tp.sum(-1), fp.sum(-1), fn.sum(-1))
        scores = np.nan_to_num(ratios[ratio](tp, fp, fn))
        if average == "macro":
            return scores.mean(-1)
        if average == "weighted":
            return (scores * (tp + fn)).sum(-1) / (tp + fn).sum(-1)
        return scores[..., 1]
    true, predicted = tp + fn, tp + fp
    agreement, by_chance = tp.sum(-1), (true * predicted).sum(-1)
    if name == "accuracy":
        return agreement
    if name == "balanced_accuracy":
        return (tp / true).mean(-1)
    if name == "specificity":
        return tn[..., 1] / (tn[..., 1] + fp[..., 1])
    if name == "negative_predictive_value":
        return tn[..., 1] / (tn[..., 1] + fn[..., 1])
    if name in ("informedness", "markedness"):
        sizes = true if name == "informedness" else predicted
        return (tp / sizes).sum(-1) - 1
    tpr, fpr = tp[..., 1] / true[..., 1], fp[..., 1] / (tn + fp)[..., 1]
    odds = {
        "positive_likelihood_ratio": lambda: tpr / fpr,
        "neg_negative_likelihood_ratio": lambda: (tpr - 1) / (1 - fpr),
        "diagnostic_odds_ratio": lambda: tpr / (1 - tpr) / fpr * (1 - fpr),
    }
    if name in odds:
        return odds[name]()
    if name == "cohen_kappa":
        return 1 - (1 - agreement) / (1 - by_chance)
    if name == "matthews_corrcoef":
        spread = np.sqrt((1 - (true**2).sum(-1)) * (1 - (predicted**2).sum(-1)))
        return (agreement - by_chance) / spread
    raise ValueError(f"{name!r} has no formula here.")
