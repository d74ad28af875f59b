"""What metrics declare of themselves, against what their functions do."""

import numpy as np
import pytest

from skbayeseval import compare_predictions, metrics, score_posterior
from skbayeseval.metrics.registry import in_plain_words

TABLES = sorted({*metrics.known_metrics("tables"), "f2", "f0.5", "f0_macro", "finf"})
RATIOS = [name for name in TABLES if metrics.get_metric(name).ratio is not None]
SEVERAL = [name for name in TABLES if not metrics.get_metric(name).needs_positive]
TINY = 1e-9


def random_tables(n_classes, n=40):
    """Return tables of counts, some of them with empty rows and columns."""
    rng = np.random.default_rng(n_classes)
    tables = rng.integers(0, 9, (n, n_classes, n_classes)).astype(float)
    tables[: n // 4, 0] = 0
    tables[n // 8 : n // 3, :, -1] = 0
    return tables


def test_every_ratio_of_cells_is_declared():
    # Their closed forms and priors come from the cells. Others are no ratios of sums of cells.
    others = {"balanced_accuracy", "matthews_corrcoef", "cohen_kappa"}
    others |= {"informedness", "markedness", "diagnostic_odds_ratio"}
    others |= {"positive_likelihood_ratio", "neg_negative_likelihood_ratio"}
    averages = {name for name in TABLES if name.endswith(("_micro", "_macro", "_weighted"))}
    assert set(TABLES) - set(RATIOS) == others | averages


@pytest.mark.parametrize("zero_division", [0.0, 1.0])
@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("name", RATIOS)
def test_the_ratio_is_the_function(name, positive, zero_division):
    metric = metrics.get_metric(name, zero_division=zero_division)
    tables = random_tables(2)
    turned = tables if positive else tables[:, ::-1, ::-1]
    cells = turned[:, [1, 0, 1, 0], [1, 1, 0, 0]]  # tp, fp, fn, tn
    top, bottom = (cells @ np.array(weights, dtype=float) for weights in metric.ratio)
    expected = np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1), zero_division)
    np.testing.assert_allclose(metric(tables, positive), expected, rtol=1e-12)
    of_cells = metric.ratio.of_cells(tuple(cells.T), zero_division)
    np.testing.assert_allclose(of_cells, expected, rtol=1e-12)


def is_defined(metric, sizes, positive=1):
    """Return whether the metric says what it should without the classes whose size is 0.

    Perfect predictions have its highest value, and a class of which there is next to nothing
    does not matter, right or wrong.
    """
    right = np.diag(np.asarray(sizes, dtype=float))
    if not np.isclose(float(metric(right, positive)), metric.limits[1]):
        return False
    for absent in np.flatnonzero(np.equal(sizes, 0)):
        added = np.zeros((2, *right.shape))
        added[0, absent, absent] = added[1, absent, absent - 1] = TINY
        if np.ptp(metric(right + added, positive)) > 0.01:
            return False
    return True


@pytest.mark.parametrize("name", TABLES)
def test_the_classes_that_it_needs(name):
    metric = metrics.get_metric(name)
    defined = tuple(is_defined(metric, sizes) for sizes in ((0, 10), (10, 0)))
    expected = {(True, True): "any", (True, False): "positive", (False, True): "negative"}
    assert metric.needs_classes == expected.get(defined, "several")
    assert is_defined(metric, (10, 10))
    positive_is_0 = tuple(is_defined(metric, sizes, positive=0) for sizes in ((10, 0), (0, 10)))
    assert positive_is_0 == defined
    assert metric.class_needed(0) == {"positive": 0, "negative": 1}.get(metric.needs_classes)


@pytest.mark.parametrize("name", SEVERAL)
def test_what_counts_alike(name):
    metric = metrics.get_metric(name)
    # Classes: it matters even of one with next to no instances whether these are right.
    added = np.zeros((2, 3, 3))
    added[0, 2, 2] = added[1, 2, 1] = TINY
    table = np.array([[5, 1, 0], [2, 7, 0], [0, 0, 0]])
    assert (np.ptp(metric(table + added)) > 0.1) == (metric.counts_alike == "classes")
    # Instances: if as many are right, it does not matter of which classes these are.
    tables = random_tables(3) + 1
    moved = tables + np.array([[1, -1, 0], [0, -1, 0], [1, 0, 0]])
    alike = np.allclose(metric(tables), metric(moved))
    # Recall weighted by the classes' size is accuracy, but its weight is inferred by classes.
    assert alike == (metric.counts_alike == "instances" or name == "recall_weighted")


@pytest.mark.parametrize("zero_division", [0.0, 1.0])
@pytest.mark.parametrize("name", TABLES)
def test_limits_hold_and_are_reached(name, zero_division):
    metric = metrics.get_metric(name, zero_division=zero_division)
    low, high = metric.limits
    for n_classes in (2,) if metric.needs_positive else (2, 3):
        values = metric(random_tables(n_classes))
        values = values[np.isfinite(values)]
        assert values.min() >= low - 1e-12
        assert values.max() <= high + 1e-12
    wrong = np.array([[0.0, 5.0], [5.0, 0.0]])
    assert float(metric(wrong)) == pytest.approx(low)
    assert float(metric(wrong[:, ::-1])) == pytest.approx(high)


@pytest.mark.parametrize("name", [*metrics.known_metrics(), "f2", "f0.5_macro"])
def test_every_known_metric_has_words(name):
    words = in_plain_words(metrics.get_metric(name))
    assert words
    assert "{" not in words


@pytest.mark.parametrize("name", metrics.known_metrics("instances"))
def test_rankings_depend_on_the_order_alone(name):
    metric = metrics.get_metric(name)
    y, scores = np.arange(60) % 2, np.random.default_rng(0).random(60)
    value, again = (
        score_posterior(y, None, y_score=one, scoring=name).observed for one in (scores, scores**3)
    )
    by_order = value == pytest.approx(again, rel=1e-12)
    # Averages over classes take probabilities, which order the instances only if there are two.
    assert metric.ranks == (by_order and metric.needs == "ranking")
    assert by_order == name.startswith(("roc_auc", "average_precision"))


# Subgroups without a class.


def predictive_value(tables):
    return tables[..., 0, 0] / tables[..., 0].sum(-1)


def mean_recall(tables):
    return (tables.diagonal(0, -2, -1) / np.maximum(tables.sum(-1), 1e-300)).mean(-1)


def negative_precision(y, p, sample_weight):
    predicted = sample_weight * (p == 0)
    return predicted @ (y == 0) / predicted.sum() if predicted.any() else 0.0


OWN = {
    "NaN": (metrics.from_confusion(predictive_value, "own"), True),
    "0": (metrics.from_confusion(lambda t: np.nan_to_num(predictive_value(t)), "own"), True),
    "average": (metrics.from_confusion(mean_recall, "own"), True),
    "weighted": (metrics.weighted(negative_precision, name="own"), True),
    "cost": (metrics.from_confusion(lambda t: -(t[..., 0, 1] + 5 * t[..., 1, 0]), "own"), False),
    "instances": (metrics.from_instances(lambda y, p: 1.0 * (y == p), "own"), False),
}


@pytest.fixture(scope="module")
def sites():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    a, b = (np.where(rng.random(300) < q, y, 1 - y) for q in (0.8, 0.7))
    return y, a, b, np.where(y * (np.arange(300) < 40), "positives", "rest")


@pytest.mark.parametrize("own", OWN)
def test_a_subgroup_without_a_class_that_a_function_needs(sites, own):
    *data, column = sites
    metric, needs = OWN[own]
    result = compare_predictions(*data, scoring=metric, n_draws=100, random_state=0)
    reasons = result.by(column).reasons
    assert reasons == ({"positives": "no instances of 0, which the metric needs"} if needs else {})
    if own == "NaN":  # also where nothing is predicted to be negative
        assert metric.needs_absent_classes(np.diag([0.0, 10.0]))
