from skbayeseval.search.candidates import name_candidates


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
