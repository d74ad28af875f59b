"""A cross-validated comparison, against two calls of `cross_validate` on the same splits."""

from __future__ import annotations

from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_validate

from benchmarks.measuring import Bench, Row
from skbayeseval import BlockRegularizedCV, bayesian_cross_validate


def cross_validation(bench: Bench, estimand: str = "learner") -> Row:
    """Measure random forests, which take most of a second to fit."""
    n, n_trees = bench.size(4000, 100), bench.size(75)
    X, y = make_classification(n, n_features=40, n_informative=10, random_state=0)
    a = RandomForestClassifier(n_trees, random_state=0)
    b = RandomForestClassifier(n_trees, max_features=8, random_state=0)
    cv = BlockRegularizedCV(random_state=0)

    def ours() -> object:
        options = {"scoring": "f1", "estimand": estimand, "random_state": 0}
        return bayesian_cross_validate(a, b, X, y, cv=cv, **options).hdi()

    def theirs() -> object:
        return [cross_validate(e, X, y, cv=cv, scoring="f1") for e in (a, b)]

    return bench.ratio(
        f"bayesian_cross_validate, {estimand=!s}, forests of {n_trees} trees, {n:,} instances: HDI",
        "two calls of cross_validate on the same splits",
        ours,
        theirs,
        warm_up=False,
    )


def full_size(bench: Bench) -> Row:
    """Measure the same with models of three quarters of the instances, extrapolated to all."""
    return cross_validation(bench, "full")
