"""Tables 2 to 5 of Wang and Li (2019), from the counts behind them."""

import numpy as np
import pytest

from skbayeseval import compare_counts
from skbayeseval.evidence import calibrated_weight
from tests.conftest import load_published

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


def test_draws_agree_with_quadrature():
    result = compare("ORG")
    for metric in METRICS.values():
        by_draws = np.mean(result.metric(metric).draws >= 0)
        p_h0 = result.bayes_test(metric=metric).p_h0
        assert by_draws == pytest.approx(p_h0, abs=4 * np.sqrt(0.25 / result.n_draws))
