import numpy as np

from skbayeseval.search.candidates import (
    counted_classes,
    last_candidates,
    name_candidates,
    number_of_splits,
    recorded_keys,
    scores_of,
    short_names,
    tables_of,
    varying,
)


def test_names_tell_what_varies():
    same = {"pca__n": 3}
    assert name_candidates({4: {"svc__C": 0.1, **same}, 9: {"svc__C": 10.0, **same}}) == [
        "C=0.1",
        "C=10",
    ]
    assert name_candidates({0: {"k": 1}, 3: {"k": 1}}) == ["(candidate 0)", "(candidate 3)"]
    assert name_candidates({0: {"k": [1]}, 1: {"k": [2]}, 2: {}}) == [
        "k=[1]",
        "k=[2]",
        "(candidate 2)",
    ]
    assert name_candidates({0: {"k": 0.10001}, 1: {"k": 0.10002}}) == [
        "k=0.1 (candidate 0)",
        "k=0.1 (candidate 1)",
    ]


def test_what_varies():
    assert varying([{"a": 1, "b": None}, {"a": 1, "b": 2}]) == ["b"]
    assert varying([{"a": 1}, {"a": True}]) == ["a"]
    assert varying([{"a": np.arange(2)}, {"a": np.arange(2)}]) == []


def test_short_names_stay_apart():
    assert short_names(["a__C", "b__gamma"]) == {"a__C": "C", "b__gamma": "gamma"}
    assert short_names(["a__C", "b__C"]) == {"a__C": "a__C", "b__C": "b__C"}


def test_reading_results():
    results = {"params": [{}, {}, {}], "iter": [0, 1, 1], "mean_test_score": [0.1, 0.2, 0.3]}
    for split in range(12):
        results[f"split{split}_test_score"] = [0.1, 0.2, 0.3]
        for i, j in np.ndindex(2, 2):
            results[f"split{split}_test_count_{i}_{j}"] = [1, 2 * i + j, np.nan]
            results[f"mean_test_count_{i}_{j}"] = [1, 2, 3]
    last = last_candidates(results)
    assert last.tolist() == [1, 2]
    assert number_of_splits(results) == 12
    assert recorded_keys(results) == ["score"]
    assert counted_classes(results) == 2
    assert scores_of(results, "score", last, 12).shape == (2, 12)
    np.testing.assert_array_equal(tables_of(results, last, 12)[0], [[[0, 1], [2, 3]]] * 12)
    assert np.isnan(tables_of(results, last, 12)[1]).all()
    del results["iter"]
    assert last_candidates(results).tolist() == [0, 1, 2]
