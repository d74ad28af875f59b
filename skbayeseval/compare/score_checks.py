"""Warnings about instance scores that are probably not what was meant."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

import numpy as np

from skbayeseval._validation import UnlikelyDataWarning
from skbayeseval.evidence.instance_scores import ScoredInstances
from skbayeseval.metrics.confusion import Metric

__all__ = ["warn_of_unlikely_scores"]

# A ROC AUC below this is that of a useful classifier whose scores are turned around.
FAR_BELOW_CHANCE = 0.35

# With fewer instances of a class, such a ROC AUC may be due to chance.
ENOUGH = 10


def warn_of_unlikely_scores(
    scored: ScoredInstances, arguments: Sequence[str], metrics: Iterable[Metric]
) -> None:
    """Warn of class predictions in place of scores, and of scores of the other class.

    Parameters
    ----------
    scored : ScoredInstances
        The scores.
    arguments : sequence of str
        The names of the arguments in which the scores were passed.
    metrics : iterable of Metric
        The metrics that are computed.
    """
    ranked = [one for one in metrics if one.formula in ("roc_auc", "average_precision")]
    if not ranked or scored.truth.ndim != 1 or len(scored.labels) != 2:
        return
    enough = np.bincount(scored.truth, minlength=2).min() >= ENOUGH
    for k, argument in enumerate(arguments):
        scores = scored.responses[k]["ranking"]
        if enough and len(np.unique(scores)) <= 2:
            warnings.warn(
                f"{argument} has only two distinct values, as class predictions have. "
                f"{ranked[0].name} needs scores: the output of decision_function, or the column of "
                "the positive class of predict_proba.",
                UserWarning,
                stacklevel=4,
            )
        for metric in ranked:
            value = scored.observed(metric)[k]
            if enough and metric.formula == "roc_auc" and value < FAR_BELOW_CHANCE:
                warnings.warn(
                    f"The ROC AUC of {argument} is {value:.3f}, far below 0.5. These may be the "
                    "scores of the other class: pass those of the positive class, or pos_label=.",
                    UnlikelyDataWarning,
                    stacklevel=4,
                )
