"""The prior density of the difference at 0, for every model and metric.

Prints P(|difference| < e) / 2e for decreasing e, and the density at 0 if it is finite, as a table
per model; docs/bayes_factors.md has the densities of two classes and some of the other rows.

    python benchmarks/prior_density.py
"""

from __future__ import annotations

import warnings

import numpy as np

from skbayeseval import compare_predictions, metrics, models
from skbayeseval.models.base import Model
from skbayeseval.posterior.prior import Prior
from skbayeseval.posterior.prior_odds import prior_density_at_zero

WIDTHS = (1e-1, 1e-2, 1e-3, 1e-4)

# Of two classes; the smallest width then has an error of about 1%.
N_DRAWS = 2**25

BINARY = metrics.known_metrics("tables")
MANY = [name for name in BINARY if not metrics.get_metric(name).needs_positive]
LABELS = [name for name in MANY if name.endswith(("_micro", "_macro", "_weighted"))]


def prior_of(model: Model, n_classes: int, n_labels: int = 0) -> Prior:
    y = np.arange(4 * n_classes) % n_classes
    if n_labels:
        y = (y[:, None] + np.arange(n_labels)) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = compare_predictions(y, y, y, scoring="f1_micro", model=model, n_draws=100)
    return result._posterior.prior


def growth(prior: Prior, metric: metrics.Metric) -> list[float]:
    """Return P(|difference| < e) / 2e for each e."""
    if prior.model.has_independent_classifiers:
        a, b = np.sort(prior.draws(metric, prior.affordable(2**19)), axis=1)
        counts = [np.searchsorted(b, a + e) - np.searchsorted(b, a - e) for e in WIDTHS]
        return [float(c.mean() / len(b) / (2 * e)) for c, e in zip(counts, WIDTHS, strict=True)]
    n, inside, n_draws = 0, np.zeros(len(WIDTHS)), prior.affordable(N_DRAWS)
    for difference in prior.differences(metric, n_draws):
        inside += [np.count_nonzero(np.abs(difference) < e) for e in WIDTHS]
        n += len(difference)
        if n >= n_draws:
            return list(inside / n / (2 * np.array(WIDTHS)))
    raise AssertionError("without end")


def print_table(title: str, prior: Prior, names: list[str]) -> None:
    print(f"\n### {title}\n")
    print("| metric |", *(f"{e:g} |" for e in WIDTHS), "density at 0 |")
    print("| --- |", *["--- |"] * (len(WIDTHS) + 1))
    for name in names:
        metric = metrics.get_metric(name)
        density = prior_density_at_zero(prior, metric)
        if density is None:
            infinite = np.inf == prior.log_density_at_zero(metric)
            infinite = infinite or prior.has_finite_density(metric) is False
            told = "infinite" if infinite else "not known"
        else:
            error = np.sqrt(density.variance)
            told = f"{np.exp(density.log):.4g}" + (f" ± {100 * error:.1g}%" if error else "")
        print(f"| {name} |", *(f"{g:.3g} |" for g in growth(prior, metric)), told, "|", flush=True)


def main() -> None:
    print_table("Unpaired", prior_of(models.Unpaired(), 2), BINARY)
    print_table("Paired", prior_of(models.Paired(), 2), BINARY)
    print_table("bcv", prior_of(models.BCV(), 2), BINARY)
    print_table("Hierarchical, two classes", prior_of(models.Hierarchical(), 2), ["recall", "f1"])
    print_table("Hierarchical, three classes", prior_of(models.Hierarchical(), 3), MANY)
    print_table("Paired, three classes", prior_of(models.PairedHierarchical(), 3), MANY)
    twenty = ["accuracy", "f1_macro"]
    print_table("Hierarchical, 20 classes", prior_of(models.Hierarchical(), 20), twenty)
    print_table("Paired, 20 classes", prior_of(models.PairedHierarchical(), 20), twenty)
    for n_labels in (2, 20):
        names = LABELS if n_labels == 2 else ["f1_micro", "f1_macro"]
        prior = prior_of(models.IndependentLabels(), 2, n_labels)
        print_table(f"Independent labels, {n_labels}", prior, names)
        prior = prior_of(models.IndependentLabelsBCV(), 2, n_labels)
        print_table(f"bcv per label, {n_labels}", prior, names)


if __name__ == "__main__":
    main()
