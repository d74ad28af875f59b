"""Suggestions for names that are not known."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

__all__ = ["did_you_mean"]

# What metrics are called elsewhere.
OTHER_NAMES = {
    "auc": "roc_auc",
    "auroc": "roc_auc",
    "ap": "average_precision",
    "auprc": "average_precision",
    "pr_auc": "average_precision",
    "acc": "accuracy",
    "error": "accuracy",
    "sensitivity": "recall",
    "tpr": "recall",
    "tnr": "specificity",
    "ppv": "precision",
    "mcc": "matthews_corrcoef",
    "kappa": "cohen_kappa",
    "log_loss": "neg_log_loss",
    "cross_entropy": "neg_log_loss",
    "brier": "neg_brier_score",
    "brier_score": "neg_brier_score",
    "macro_f1": "f1_macro",
    "micro_f1": "f1_micro",
    "weighted_f1": "f1_weighted",
    "mae": "neg_mean_absolute_error",
    "mean_absolute_error": "neg_mean_absolute_error",
    "mape": "neg_mean_absolute_percentage_error",
    "mse": "neg_mean_squared_error",
    "mean_squared_error": "neg_mean_squared_error",
    "rmse": "neg_root_mean_squared_error",
    "root_mean_squared_error": "neg_root_mean_squared_error",
    "median_absolute_error": "neg_median_absolute_error",
}


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return a question that suggests a similar name, with a space before it, or ""."""
    plain = name.lower().replace("-", "_").replace(" ", "_").removesuffix("_score")
    guess = OTHER_NAMES.get(plain)
    if guess is None:
        guess = next(iter(get_close_matches(plain, known, n=1, cutoff=0.75)), None)
    return "" if guess is None else f" Did you mean {guess!r}?"
