import numpy as np
import pytest
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

from skbayeseval.metrics import get_metric
from skbayeseval.search.candidates import Recorded
from skbayeseval.search.recorded import _inferred_weight
from skbayeseval.splitting.block_cv import split_proportions


def test_a_fit_failed_if_no_score_of_a_split_is_defined():
    nan = np.nan
    splits = {
        "split0_test_f1": [0.9, nan, nan, 0.9],
        "split1_test_f1": [0.8, 0.8, 0.8, nan],
        "split0_test_auc": [nan, 0.7, nan, 0.7],
        "split1_test_auc": [0.6, nan, 0.6, nan],
    }
    means = {"mean_test_f1": [nan] * 4, "mean_test_auc": [nan] * 4}
    results = {"params": [{"k": k} for k in range(4)]} | splits | means
    assert Recorded(results).failed().tolist() == [False, False, True, True]


def test_bad_candidates_do_not_lower_the_weight():
    """The weight is that of the best; those that vary most are usually the worst."""
    rng = np.random.default_rng(0)
    cv = StratifiedKFold(5)

    def tables(p):
        right = rng.binomial(100, p)
        return [[right // 2, 50 - right // 2], [50 - (right - right // 2), right - right // 2]]

    good = [[tables(0.9) for _ in range(5)] for _ in range(10)]
    bad = [[tables(p) for p in rng.uniform(0.1, 0.6, 5)] for _ in range(10)]
    weights = [
        _inferred_weight(
            get_metric("accuracy"), np.array(candidates, dtype=float), 1, split_proportions(cv, 5)
        )
        for candidates in (good, good + bad)
    ]
    assert weights[0] == pytest.approx(weights[1])
    assert 0.3 < weights[0].median <= 1


@pytest.mark.parametrize(
    ("cv", "times"),
    [(RepeatedStratifiedKFold(n_splits=2, n_repeats=3), 3), (StratifiedKFold(6), 1)],
)
def test_the_noise_of_instances_is_how_folds_of_a_repeat_differ(cv, times):
    """Repeats test the same instances, so that differences between them are not their noise."""

    def weight(right):
        tables = [[[[n, 100 - n], [100 - n, n]] for n in of_one] for of_one in (right, [80] * 6)]
        metric, proportions = get_metric("accuracy"), split_proportions(cv, 6)
        return _inferred_weight(metric, np.array(tables, dtype=float), 1, proportions).test_only

    in_all_repeats, in_one = weight([90, 80, 90, 80, 90, 80]), weight([90, 90, 90, 80, 80, 80])
    assert in_one == pytest.approx(times * in_all_repeats)
