"""A cross-validated comparison, against calls of `cross_validate` on the same splits."""

from __future__ import annotations

from typing import Any

from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_validate

from benchmarks.measuring import Bench, Row
from skbayeseval import BlockRegularizedCV, bayesian_cross_validate


def cross_validation(bench: Bench) -> Row:
    """Measure random forests, which take most of a second to fit."""
    return _measured(bench, "learner", {"the same splits": BlockRegularizedCV(random_state=0)})


def full_size(bench: Bench) -> Row:
    """Measure the same with ten folds, and halves that tell how much training sets matter."""
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    halves = BlockRegularizedCV(random_state=0)
    return _measured(bench, "full", {"ten folds": folds, "three times two halves": halves})


def _measured(bench: Bench, estimand: str, splitters: dict[str, Any]) -> Row:
    n, n_trees = bench.size(4000, 100), bench.size(75)
    X, y = make_classification(n, n_features=40, n_informative=10, random_state=0)
    a = RandomForestClassifier(n_trees, random_state=0)
    b = RandomForestClassifier(n_trees, max_features=8, random_state=0)

    def ours() -> object:
        options = {"scoring": "f1", "estimand": estimand, "random_state": 0}
        return bayesian_cross_validate(a, b, X, y, **options).hdi()

    def theirs() -> object:
        each = [(e, cv) for e in (a, b) for cv in splitters.values()]
        return [cross_validate(e, X, y, cv=cv, scoring="f1") for e, cv in each]

    return bench.ratio(
        f"bayesian_cross_validate, {estimand=!s}, forests of {n_trees} trees, {n:,} instances: HDI",
        f"two calls of cross_validate on {' and two on '.join(splitters)}",
        ours,
        theirs,
        warm_up=False,
    )
