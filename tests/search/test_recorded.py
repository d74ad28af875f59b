import numpy as np

from skbayeseval.search.candidates import Recorded


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
