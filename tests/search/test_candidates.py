import numpy as np

from skbayeseval.search.candidates import Recorded, name_candidates, varying


def test_names_tell_what_varies():
    same = {"pca__n": 3}
    candidates = {4: {"svc__C": 0.1, **same}, 9: {"svc__C": 10.0, **same}}
    assert name_candidates(candidates) == ["C=0.1", "C=10"]
    assert name_candidates({0: {"k": 1}, 3: {"k": 1}}) == ["(candidate 0)", "(candidate 3)"]
    candidates = {0: {"k": [1]}, 1: {"k": [2]}, 2: {}}
    assert name_candidates(candidates) == ["k=[1]", "k=[2]", "(candidate 2)"]


def test_as_many_digits_as_tell_candidates_apart():
    candidates = {0: {"k": 0.10001}, 1: {"k": 0.10002}, 2: {"k": 5.0}}
    assert name_candidates(candidates) == ["k=0.10001", "k=0.10002", "k=5"]
    values = [0.3, 0.1 + 0.2, 10.0, np.nextafter(10.0, 11.0), (1.0, 2.0), (1.0, 2.00001)]
    names = name_candidates({i: {"k": value} for i, value in enumerate(values)})
    assert len(set(names)) == len(values)
    assert not any("candidate" in name for name in names)


def test_names_of_candidates_differ():
    texts = ["a", "a ", "a (candidate 0)"]
    assert len(set(name_candidates({i: {"k": text} for i, text in enumerate(texts)}))) == 3


def test_values_that_are_written_alike_vary():
    large = np.zeros(2000)
    other = large.copy()
    other[1000] = 1.0  # where the repr has dots
    fine = np.array([1.0 + 1e-12])
    assert varying([{"k": large}, {"k": other}]) == ["k"]
    assert varying([{"k": [fine]}, {"k": [np.ones(1)]}]) == ["k"]
    assert varying([{"k": large}, {"k": large.copy()}]) == []


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
