"""Every metric against its scikit-learn twin."""

import re
import warnings
from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

from skbayeseval import compare_predictions, load_result, metrics
from skbayeseval.metrics.registry import metric_of_formula

RATIOS = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
    "jaccard": sk.jaccard_score,
    "f2": partial(sk.fbeta_score, beta=2),
    "f0.5": partial(sk.fbeta_score, beta=0.5),
    "f0": partial(sk.fbeta_score, beta=0),
}
AVERAGES = ("micro", "macro", "weighted")
# Functions of the truth, predictions, zero_division and the number of classes.
TWINS = {
    "accuracy": lambda y, p, *_: sk.accuracy_score(y, p),
    "balanced_accuracy": lambda y, p, *_: sk.balanced_accuracy_score(y, p),
    "specificity": lambda y, p, zd: sk.recall_score(y, p, pos_label=0, zero_division=zd),
    "negative_predictive_value": lambda y, p, zd: sk.precision_score(
        y, p, pos_label=0, zero_division=zd
    ),
    "matthews_corrcoef": lambda y, p, *_: sk.matthews_corrcoef(y, p),
    "cohen_kappa": lambda y, p, _, m=2: sk.cohen_kappa_score(y, p, labels=range(m)),
}
for _name, _score in RATIOS.items():
    TWINS[_name] = lambda y, p, zd, s=_score: s(y, p, zero_division=zd)
for (_name, _score), _average in product(list(RATIOS.items())[:4], AVERAGES):
    TWINS[f"{_name}_{_average}"] = lambda y, p, zd, m=2, s=_score, a=_average: s(
        y, p, labels=range(m), average=a, zero_division=zd
    )


def _or_infinite(value, top, bottom, of_positives, of_negatives):
    """scikit-learn's likelihood ratios are NaN where they are infinite, too."""
    return np.inf if top and not bottom and of_positives and of_negatives else value


def _likelihood_ratios(y, p):
    positive, negative = sk.class_likelihood_ratios(y, p, labels=[0, 1])
    (tn, fp), (fn, tp) = sk.confusion_matrix(y, p, labels=[0, 1])
    sizes = (tp + fn, tn + fp)
    return _or_infinite(positive, tp, fp, *sizes), _or_infinite(negative, fn, tn, *sizes)


def _of_both(score, y, p, zd):
    return sum(score(y, p, pos_label=label, zero_division=zd) for label in (0, 1)) - 1


TWINS |= {
    "informedness": partial(_of_both, sk.recall_score),
    "markedness": partial(_of_both, sk.precision_score),
    "positive_likelihood_ratio": lambda y, p, *_: _likelihood_ratios(y, p)[0],
    "neg_negative_likelihood_ratio": lambda y, p, *_: -_likelihood_ratios(y, p)[1],
    "diagnostic_odds_ratio": lambda y, p, *_: (
        stats.contingency.odds_ratio(
            sk.confusion_matrix(y, p, labels=[0, 1]), kind="sample"
        ).statistic
    ),
}
BINARY = [name for name in TWINS if metrics.get_metric(name).needs_positive]
OF_SEVERAL = [name for name in TWINS if name not in BINARY]
UNDEFINED = ["precision", "recall", "f1", "f1_macro", "recall_weighted"]


@pytest.mark.parametrize(
    ("name", "zero_division", "n_classes"),
    [
        *product(TWINS, (0.0, 1.0), [2]),
        *product(UNDEFINED, [np.nan], [2]),
        *product(OF_SEVERAL, (0.0, 1.0), [4]),
    ],
)
def test_equals_scikit_learn(name, zero_division, n_classes):
    """Labels may be absent from truth, predictions or both."""
    tables = np.random.default_rng(n_classes).poisson(0.6, (16, n_classes, n_classes))
    tables = tables[tables.any(axis=(1, 2))]
    of_several = () if name in BINARY else (n_classes,)
    places = np.indices(tables.shape[1:]).reshape(2, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [
            TWINS[name](*places.repeat(table.ravel(), axis=1), zero_division, *of_several)
            for table in tables
        ]
    ours = metrics.get_metric(name, zero_division=zero_division)(tables)
    np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", TWINS)
def test_the_registry_is_tested_and_vectorised(name):
    tables = np.random.default_rng(0).integers(1, 50, (3, 5, 2, 2))
    values = metrics.get_metric(name)(tables)
    assert values.shape == (3, 5)
    assert values[2, 4] == pytest.approx(float(metrics.get_metric(name)(tables[2, 4])))
    # A metric is a property of the table, not of its size, and of the class, not of its place.
    np.testing.assert_allclose(metrics.get_metric(name)(tables / 7), values)
    turned = metrics.get_metric(name)(tables[..., ::-1, ::-1], positive=0)
    np.testing.assert_allclose(turned, values)


def test_metrics_without_true_negatives_do_not_look_at_them():
    assert set(metrics.known_metrics("tables")) <= set(TWINS)
    table = np.array([[np.nan, 3.0], [2.0, 8.0]])
    for name in TWINS:
        metric = metrics.get_metric(name)
        assert np.isnan(metric(table)) == metric.needs_true_negatives, name


def test_from_confusion_takes_proportions_and_must_be_vectorised():
    metric = metrics.from_confusion(lambda t: t[..., 0, 1], "false_alarms")
    assert metric([[5, 2], [1, 2]]) == pytest.approx(0.2)
    with pytest.raises(ValueError, match="The function of metric 'mine' raised IndexError"):
        metrics.from_confusion(lambda t: t[..., 2, 2], "mine")([[5, 2], [1, 2]])

    def one_table(table):
        return float(table[0, 0].sum())

    with pytest.raises(ValueError, match=r"values of shape \(4,\), got \(\)\. If"):
        metrics.from_confusion(one_table, "wrong")(np.ones((4, 2, 2)))
    wrapped = np.vectorize(one_table, signature="(m,m)->()")
    assert metrics.from_confusion(wrapped, "right")(np.ones((4, 2, 2))).shape == (4,)


@pytest.mark.parametrize(
    ("make", "scoring", "message"),
    [
        (metrics.resolve_scoring, "f3score", "'f3score' is not a known metric. Valid values are"),
        (metrics.resolve_scoring, "auc", "Did you mean 'roc_auc'"),
        (metrics.resolve_scoring, "F1-macro", "Did you mean 'f1_macro'"),
        (metrics.resolve_scoring, 3, "scoring=3 is not supported"),
        (metrics.resolve_scoring, [], "scoring is empty"),
        (metrics.resolve_scoring, ["f1", "f1"], "contains duplicate metrics"),
        (metrics.get_metric, "f1_samples", "pass the score of each instance to compare_items"),
        (metrics.per_class, "f1_macro", "'f1_macro' is not defined per class"),
        (metrics.fbeta, -1, "beta == -1"),
        (lambda average: metrics.fbeta(1, average), "samples", "average must be None or one of"),
        (lambda zero: metrics.get_metric("f1", zero_division=zero), 0.5, "zero_division must be"),
        (lambda f: metrics.from_confusion(f, "f1"), "f1", "function must be callable"),
        (lambda name: metrics.from_confusion(len, name), 3, "name must be a string"),
        (metrics.get_metric("specificity"), np.ones((3, 3)), "requires exactly two classes, got 3"),
    ],
)
def test_bad_scoring(make, scoring, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make(scoring)


def test_equality_is_by_formula():
    assert metrics.fbeta(2) == metrics.get_metric("f2") != metrics.fbeta(2, zero_division=1.0)
    assert hash(metrics.fbeta(2)) == hash(metrics.get_metric("f2"))
    undefined = {metrics.get_metric("f1", zero_division=np.nan) for _ in range(2)}
    assert len(undefined) == 1
    one = metrics.from_confusion(lambda t: t[..., 0, 0], "own")
    assert one != metrics.from_confusion(lambda t: t[..., 1, 1], "own")


@pytest.mark.parametrize("beta", [1 / 3, 1e6, 1e-7, 1.0000001, 0.5, np.inf])
def test_the_formula_keeps_beta(beta):
    metric = metrics.fbeta(beta, average="macro")
    table = np.array([[50, 3], [7, 20]])
    assert metrics.get_metric(metric.formula)(table) == metric(table)
    assert (metric.formula == "f1_macro") == (beta == 1)


@pytest.mark.parametrize("average", AVERAGES)
def test_classes_that_are_absent_where_nothing_is_defined(average):
    # The third of four classes is never predicted, the fourth is neither predicted nor true.
    y, p = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 1, 0])
    table = sk.confusion_matrix(y, p, labels=range(4))
    for score in ("precision", "recall", "f1"):
        name = f"{score}_{average}"
        ours = metrics.get_metric(name, zero_division=np.nan)(table)
        assert float(ours) == pytest.approx(TWINS[name](y, p, np.nan, 4), rel=1e-12)


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "jaccard", "f2"])
def test_per_class(name):
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 4, (2, 60))
    table = sk.confusion_matrix(y, p)
    found = metrics.resolve_scoring(metrics.per_class(name), labels=["a", "b", "c", "d"])
    assert list(found) == [f"{name}[{label}]" for label in "abcd"]
    ours = [float(metric(table)) for metric in found.values()]
    np.testing.assert_allclose(ours, RATIOS[name](y, p, average=None))
    for index, metric in enumerate(found.values()):
        assert metric.class_index == metric.class_needed(1) == index
        assert metric.class_ratio == metrics.get_metric(name).class_ratio == name
        again = metric_of_formula(metric.formula, zero_division=0.0)
        assert again(table) == metric(table)


@pytest.mark.parametrize("scoring", [*BINARY, {"mine": "f0.5"}])
def test_metrics_that_are_recommended_for_several_classes_exist(scoring):
    data = (np.arange(30) % 3, np.arange(30) // 2 % 3, np.arange(30) % 3)
    with pytest.raises(ValueError, match="Target is multiclass but .* is a binary metric") as error:
        compare_predictions(*data, scoring=scoring)
    *names, per_class = re.findall(r"'(\w[\w.]*)'", str(error.value).split("Please choose")[1])
    assert len(names) == 3
    for name in (*names, metrics.per_class(per_class)):
        compare_predictions(*data, scoring=name, n_draws=100)


def test_names_of_one_class_are_labels():
    y = [1, 2, 3] * 20
    a = [1, 2, 3, 2, 2, 3] * 10
    result = compare_predictions(y, a, y, random_state=0)
    assert result.metric("recall[1]").observed_a == pytest.approx(0.5)
    assert result.metric("recall[2]").observed_a == pytest.approx(1.0)
    with pytest.raises(ValueError, match=r"'recall\[9\]' does not .* the classes \[1, 2, 3\]"):
        result.metric("recall[9]")
    both = result.metric(metrics.per_class("f1"))
    assert both.metrics == ("f1[1]", "f1[2]", "f1[3]")
    named = compare_predictions(y, a, y, scoring={"mine": metrics.per_class("f1")}, random_state=0)
    assert named.metrics == ("mine[1]", "mine[2]", "mine[3]")


def test_matthews_of_rare_classes():
    # (tp tn - fp fn) / sqrt((tp + fp) (tp + fn) (tn + fp) (tn + fn)) with tp = fp = fn = e, tn = 1.
    for rare in (1e-5, 1e-17, 1e-30):
        expected = (1 - rare) / (2 * (1 + rare))
        for table in ([[1, rare], [rare, rare]], [[rare, rare], [rare, 1]]):
            assert metrics.get_metric("matthews_corrcoef")(table) == pytest.approx(expected)


@pytest.fixture(scope="module")
def careful():
    """A truth, predictions without a false positive, and others with some."""
    y = np.repeat([1, 0], [80, 120])
    rows = np.arange(200)
    return y, np.where(y == 1, rows % 4 > 0, 0), np.where(y == 1, rows % 8 > 0, rows % 6 == 0)


def test_an_infinite_ratio_is_told_and_kept(careful, tmp_path):
    scoring = ["positive_likelihood_ratio", "diagnostic_odds_ratio"]
    result = compare_predictions(*careful, scoring=scoring, random_state=0)
    assert np.isinf(result.observed_a)
    assert np.isfinite(result.draws_a).all()
    assert "caution     positive_likelihood_ratio: an observed value is infinite" in str(result)
    result.save(tmp_path / "result.npz")
    assert load_result(tmp_path / "result.npz").observed_a == np.inf
    other_priors = result.prior_sensitivity(rope=1.0)["mean"]
    assert other_priors["hierarchical"].isna().all()
    assert np.isfinite(other_priors["paired"]).all()
    weighted = compare_predictions(*careful, scoring=scoring[0], groups=np.arange(200) // 4)
    with pytest.raises(ValueError, match="infinite or NaN in 0.5 of the draws"):
        weighted.hdi()
