"""Counts up to 1e15: the posterior is normal, with the variance of the estimate."""

import numpy as np
import pytest
from scipy.stats import norm

from skbayeseval import compare_confusion_matrices, compare_counts, compare_predictions
from skbayeseval.models import PairedHierarchical, Recalls

CELLS = {"a": np.array([80, 20, 15, 85]), "b": np.array([78, 21, 17, 84])}
TABLES = np.array(
    [[[80, 12, 8], [10, 85, 5], [7, 13, 80]], [[78, 12, 10], [10, 84, 6], [8, 13, 79]]]
)
SCALES = [1e3, 1e9, 1e15]
WIDTH = 2 * norm.ppf(0.975)


def accuracy_sd(table):
    right, total = np.trace(table), np.sum(table)
    return np.sqrt(right / total * (1 - right / total) / total)


def check_normal(result, mean, sd):
    """Check the draws and all intervals against a normal distribution."""
    assert abs(result.draws.mean() - mean) < 0.05 * sd
    np.testing.assert_allclose(result.draws.std(), sd, rtol=0.04)
    for found in (result.hdi(), result.interval()):
        np.testing.assert_allclose(found.high - found.low, WIDTH * sd, rtol=0.06)
        assert abs((found.high + found.low) / 2 - mean) < 0.2 * sd


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("model", ["bcv", "unpaired", "hierarchical"])
@pytest.mark.parametrize("scoring", ["accuracy", "recall"])
def test_two_classes(scale, model, scoring):
    a, b = (cells * scale for cells in CELLS.values())
    right = {"accuracy": (0, 3), "recall": (0,)}[scoring]
    wrong = {"accuracy": (1, 2), "recall": (2,)}[scoring]
    rates = [[np.sum(c[list(part)]) for part in (right, wrong)] for c in (a, b)]
    p = [hit / (hit + miss) for hit, miss in rates]
    variance = [q * (1 - q) / sum(of_one) for q, of_one in zip(p, rates, strict=True)]
    if scoring == "accuracy" and model != "bcv":  # given the class proportions
        variance = [accuracy_sd_of_rows(c) ** 2 for c in (a, b)]
    result = compare_counts(a, b, scoring=scoring, model=model, n_draws=10_000, random_state=0)
    check_normal(result, p[0] - p[1], np.sqrt(sum(variance)))
    one = result.interval(of="a")
    np.testing.assert_allclose(one.high - one.low, WIDTH * np.sqrt(variance[0]), rtol=0.06)


def accuracy_sd_of_rows(cells):
    """Return the sd of mu rho+ + (1 - mu) rho-', by the law of total variance."""
    tp, fp, fn, tn = cells
    positive, negative = tp + fn, fp + tn
    mu, found, kept = positive / (positive + negative), tp / positive, tn / negative
    total = positive + negative
    return np.sqrt(
        mu**2 * found * (1 - found) / positive
        + (1 - mu) ** 2 * kept * (1 - kept) / negative
        + (found - kept) ** 2 * mu * (1 - mu) / total
    )


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("model", ["hierarchical", Recalls()])
def test_three_classes(scale, model):
    a, b = (table * scale for table in TABLES)
    result = compare_confusion_matrices(a, b, model=model, n_draws=10_000, random_state=0)
    mean = (np.trace(a) - np.trace(b)) / a.sum()
    check_normal(result, mean, np.hypot(accuracy_sd(a), accuracy_sd(b)))


@pytest.mark.parametrize("scale", SCALES)
def test_classes_with_the_same_recall(scale):
    # Nothing limits how alike the recalls are but the size of the data.
    table = scale * (np.full((20, 20), 1.0) + 75 * np.eye(20))
    result = compare_confusion_matrices(table, table, model=Recalls(), n_draws=5000, random_state=0)
    check_normal(result, 0.0, np.sqrt(2) * accuracy_sd(table))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(
    ("model", "n_classes"), [("paired", 2), ("paired", 3), (PairedHierarchical(), 3)]
)
def test_pairs(scale, model, n_classes):
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, 300)
    a, b = (np.where(rng.random(300) < p, y, (y + 1) % n_classes) for p in (0.8, 0.7))
    difference = (a == y).astype(float) - (b == y)
    result = compare_predictions(y, a, b, model=model, weight=scale, n_draws=10_000, random_state=0)
    check_normal(result, difference.mean(), difference.std() / np.sqrt(300 * scale))


@pytest.mark.parametrize("model", ["bcv", "unpaired"])
def test_bayes_factor_of_equal_counts_grows_with_their_root(model):
    # At equality the posterior density is that of a normal distribution at its mean.
    options = {"scoring": "recall", "model": model, "n_draws": 1000, "random_state": 0}
    results = [compare_counts(*[CELLS["a"] * scale] * 2, **options) for scale in SCALES]
    steps = np.diff([one.bayes_factor().log10 for one in results])
    np.testing.assert_allclose(steps, [3, 3], atol=2e-3)


@pytest.mark.filterwarnings("ignore:There are 3 classes, but only 0 effective instances")
@pytest.mark.filterwarnings("ignore:The published prior")
@pytest.mark.parametrize(
    ("model", "n_classes"),
    [("bcv", 2), *((model, n) for model in ("paired", "unpaired", "hierarchical") for n in (2, 3))],
)
def test_tiny_weights_leave_the_prior(model, n_classes):
    rng = np.random.default_rng(0)
    y, a, b, c, d = rng.integers(0, n_classes, (5, 200))
    tiny, other = (
        compare_predictions(p, q, r, model=model, weight=1e-9, n_draws=4000, random_state=0)
        for p, q, r in ((y, a, b), (y[::-1], c, d))
    )
    # Whatever was observed, it is the prior: as likely positive as negative, and wide.
    assert abs(tiny.draws.mean()) < 0.03
    np.testing.assert_allclose(tiny.draws_a.std(), other.draws_a.std(), rtol=0.05)
    assert tiny.draws.std() > 0.15


@pytest.mark.parametrize("more", [{"groups": np.arange(60) // 2}, {}])
def test_tiny_weights_without_a_prior_are_refused(more):
    y = np.arange(60) % 2
    indicator = y if more else np.column_stack([y, 1 - y])
    options = {"scoring": "f1" if more else "f1_macro", "weight": 1e-9} | more
    with pytest.raises(ValueError, match=r"weight == 1e-09 is too small .* must be >= 0.01"):
        compare_predictions(indicator, indicator, 1 - indicator, **options)
    with pytest.raises(ValueError, match="weight == 1e-09 is too small"):
        compare_predictions(y, None, None, y_score_a=y, y_score_b=y, scoring="roc_auc", weight=1e-9)
