"""What a metric measures, for readers who do not know its name."""

from __future__ import annotations

import re

from skbayeseval.metrics.confusion import FBETA, Metric
from skbayeseval.metrics.instance_scores import threshold_of

__all__ = ["in_plain_words"]

# What the averages over classes and labels do.
AVERAGES = {
    None: "",
    "micro": ", counted over all classes together",
    "macro": ", averaged over the classes",
    "weighted": ", averaged over the classes by their size",
}

RATIOS = {
    "precision": "the share of {predicted} that are right",
    "recall": "the share of {true} that are found",
    "f1": "the harmonic mean of precision, the share of {predicted} that are right, and recall, "
    "the share of {true} that are found",
    "jaccard": "the overlap of {true} and {predicted}, as a share of both together",
}

NOUNS = {
    "chunk": {"predicted": "predicted chunks", "true": "true chunks"},
    "class": {"predicted": "predictions of a class", "true": "instances of a class"},
    "positive": {"predicted": "positive predictions", "true": "positive instances"},
}

OTHERS = {
    "accuracy": "the share of instances that are classified correctly",
    "balanced_accuracy": "the share of each class that is classified correctly, averaged over the "
    "classes",
    "specificity": "the share of negative instances that are recognised as negative",
    "matthews_corrcoef": "the correlation between predictions and truth: 1 is perfect, 0 no better "
    "than chance",
    "cohen_kappa": "the agreement with the truth beyond chance: 1 is perfect, 0 no better than "
    "chance",
    "roc_auc": "the probability that a positive instance gets a higher score than a negative one: "
    "1 is perfect, 0.5 no better than chance",
    "average_precision": "the precision at all thresholds of the score, averaged: 1 is perfect",
    "r2": "the share of the variance of the true values that is explained: 1 is perfect, 0 no "
    "better than their mean",
    "explained_variance": "the share of the variance of the true values that is explained, apart "
    "from a constant error: 1 is perfect",
    "neg_mean_absolute_error": "the mean absolute error with a minus sign: 0 is perfect",
    "neg_mean_absolute_percentage_error": "the mean absolute error as a share of the true value, "
    "with a minus sign: 0 is perfect",
    "neg_median_absolute_error": "the median absolute error with a minus sign: 0 is perfect",
    "neg_mean_squared_error": "the mean squared error with a minus sign: 0 is perfect",
    "neg_root_mean_squared_error": "the root of the mean squared error with a minus sign: 0 is "
    "perfect",
    "neg_mean_squared_log_error": "the mean squared error of logarithms with a minus sign: 0 is "
    "perfect",
    "neg_root_mean_squared_log_error": "the root of the mean squared error of logarithms with a "
    "minus sign: 0 is perfect",
    "neg_mean_poisson_deviance": "the mean deviance under a Poisson distribution with a minus "
    "sign: 0 is perfect",
    "neg_mean_gamma_deviance": "the mean deviance under a gamma distribution with a minus sign: 0 "
    "is perfect",
    "neg_log_loss": "the log loss of the predicted probabilities with a minus sign: 0 is perfect",
    "neg_brier_score": "the mean squared error of the predicted probabilities with a minus sign: 0 "
    "is perfect",
}


def in_plain_words(metric: Metric, *, chunks: bool = False) -> str:
    """Return what a metric measures; an empty string if that is not known.

    Parameters
    ----------
    metric : Metric
        The metric.
    chunks : bool, default=False
        Whether chunks are counted, such as names in a text, not instances.

    Examples
    --------
    >>> from skbayeseval.metrics import get_metric
    >>> from skbayeseval.metrics.words import in_plain_words
    >>> in_plain_words(get_metric("recall"))
    'the share of positive instances that are found'
    """
    if metric.formula is None:
        return ""
    formula = re.sub(r"^splits\((.*)\)$", r"\1", metric.formula)
    if formula in OTHERS:
        return OTHERS[formula]
    if (threshold := threshold_of(formula)) is not None:
        return (
            f"true positives per instance if all with a probability of at least {threshold:g} are "
            f"treated, less {threshold / (1 - threshold):.3g} for each false positive"
        )
    if formula.startswith("roc_auc_"):
        return f"{OTHERS['roc_auc']}; here, the average over the classes"
    name, of_class = re.fullmatch(r"(.+?)(\[\d+\])?", formula).groups()  # type: ignore[union-attr]
    name, _, average = name.partition("_")
    nouns = NOUNS["chunk" if chunks else "class" if average or of_class else "positive"]
    if average not in ("", "micro", "macro", "weighted"):
        return ""
    suffix = AVERAGES[average or None]
    if name in RATIOS:
        return RATIOS[name].format(**nouns) + suffix
    if re.fullmatch(FBETA, name):
        beta = float(name[1:])
        heavier = "recall" if beta > 1 else "precision"
        return f"an average of precision and recall in which {heavier} counts more{suffix}"
    return ""
