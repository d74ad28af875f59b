"""Tables 2 to 5 of Wang and Li (2019), from the counts behind them."""

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression

from skbayeseval import BlockRegularizedCV, compare_counts
from skbayeseval.metrics.registry import get_metric
from skbayeseval.reproduce.report import load_published
from skbayeseval.splitting.block_cv import calibrated_weight

COUNTS = load_published("acl2019_counts")
TABLES = load_published("acl2019_tables")
METRICS = {"P": "precision", "R": "recall", "F1": "f1"}


def compare(task):
    """Make (tp, fp, fn) of each run from (gold, predicted, correct chunks)."""
    models = []
    for tags in TABLES["table2_ci_percent"][task]["tags"]:
        gold, predicted, correct = np.array(COUNTS[task][tags]).T
        models.append(np.column_stack([correct, predicted - correct, gold - correct]))
    return compare_counts(
        *models, scoring=list(METRICS.values()), model="bcv", weight=calibrated_weight(3)
    )


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("task", ["CWS", "NER", "ORG"])
def test_tables_2_to_5(task, metric):
    result = compare(task)
    for of, printed in zip("ab", TABLES["table2_ci_percent"][task][metric], strict=True):
        interval = result.interval(0.95, of=of, metric=METRICS[metric])
        np.testing.assert_allclose(100 * np.array(interval), printed, atol=0.01)
    test = result.bayes_test(metric=METRICS[metric])
    p_h0, p_h1 = TABLES["tables3_4_5"][task][metric]
    assert test.p_h0 == pytest.approx(p_h0, abs=0.002)
    assert test.p_h1 == pytest.approx(p_h1, abs=0.002)
    assert test.favoured == ("H0" if p_h0 >= p_h1 else "H1")


def expected_table(rng, n_sets=3000):
    """The expected confusion table of logistic regression trained on 150 of each class.

    Closed form given the fitted line: under N(mean, I) the score is normal.
    """
    tables = np.zeros((2, 2))
    for _ in range(n_sets):
        X, y = gaussians(rng, 150, 150)
        fitted = LogisticRegression().fit(X, y)
        w, b = fitted.coef_[0], fitted.intercept_[0]
        for label, mean in enumerate(TABLES["simulation"]["means"]):
            positive = stats.norm.cdf((w @ np.array(mean) + b) / np.linalg.norm(w))
            tables[label] += 0.5 * np.array([1 - positive, positive])
    return tables / n_sets


def gaussians(rng, n_negative, n_positive):
    y = np.repeat([0, 1], [n_negative, n_positive])
    means = np.array(TABLES["simulation"]["means"])
    return means[y] + rng.normal(size=(len(y), 2)), y


@pytest.mark.slow
@pytest.mark.parametrize("fixed", [True, False])
def test_simulation_of_section_2_4(fixed):
    # Class counts fixed at 300/300: the calibrated interval is as long as printed (0.0854) and
    # covers a little more than 95%. With labels drawn iid it covers about 0.81 only: the number
    # of positives varies, which the weight does not know.
    rng = np.random.default_rng(0)
    truth = float(get_metric("f1")(expected_table(rng)))
    lengths, covered, runs = [], 0, 1000
    for i in range(runs):
        n_positive = 300 if fixed else rng.binomial(600, 0.5)
        X, y = gaussians(rng, 600 - n_positive, n_positive)
        counts = np.zeros(3)
        for train, test in BlockRegularizedCV(random_state=i).split(X, y):
            predicted = LogisticRegression().fit(X[train], y[train]).predict(X[test])
            hit, said, true = (predicted * y[test]).sum(), predicted.sum(), y[test].sum()
            counts += [hit, said - hit, true - hit]
        result = compare_counts(counts, counts, weight=BlockRegularizedCV(3).weight)
        low, high = result.interval(of="a")
        lengths.append(high - low)
        covered += low <= truth <= high
    coverage, length = covered / runs, np.mean(lengths)
    print(
        f"class counts {'fixed' if fixed else 'iid'}: coverage {coverage:.3f}, length {length:.4f}"
    )
    assert length == pytest.approx(TABLES["simulation"]["calibrated"]["length"], abs=0.001)
    if fixed:
        assert 0.94 <= coverage <= 0.985
    else:
        assert coverage == pytest.approx(0.81, abs=0.05)
