"""The instances and items on which two classifiers differ."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import RepeatedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from skbayeseval import (
    bayesian_cross_validate,
    chunk_counter,
    compare_counts,
    compare_items,
    compare_predictions,
    compare_scores,
    load_result,
)

OPTIONS = {"n_draws": 200, "random_state": 0}
Y, A, B = list("xyxyzz"), list("xxxyzx"), list("xyyxzy")
TEXTS = ["one", "two", "three", "four", "five", "six"]


@pytest.fixture(scope="module")
def result():
    return compare_predictions(Y, A, B, names=("new", "old"), **OPTIONS)


def learned(n=90):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    index = pd.Index([f"p{i}" for i in range(n)], name="patient")
    return pd.DataFrame(rng.normal(size=(n, 2)) + y[:, None], index, ["u", "v"]), y


def test_classes(result):
    found = result.disagreements({"text": TEXTS})
    expected = pd.DataFrame(
        {
            "truth": list("yxyz"),
            "new": list("xxyx"),
            "old": list("yyxy"),
            "difference": [-1.0, 1.0, 1.0, 0.0],
            "better": ["old", "new", "new", "neither"],
            "text": ["two", "three", "four", "six"],
        },
        index=[1, 2, 3, 5],
    )
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


def test_columns_of_any_kind(result):
    texts = [TEXTS[i] for i in (1, 2, 3, 5)]
    for columns in (pd.Series(TEXTS, name="text"), pd.DataFrame({"text": TEXTS})):
        assert result.disagreements(columns)["text"].to_list() == texts
    assert result.disagreements(TEXTS)["instance"].to_list() == texts


def test_columns_go_by_the_labels_of_instances():
    ids = list("fedcba")
    y = pd.Series(Y, index=ids)
    texts = pd.DataFrame({"text": TEXTS}, index=ids)
    found = compare_predictions(y, A, B, **OPTIONS).disagreements(texts.iloc[::-1])
    assert found["text"].to_dict() == {"e": "two", "d": "three", "c": "four", "a": "six"}


def test_exchanging_a_and_b_mirrors_the_table(result):
    mirrored = compare_predictions(Y, B, A, names=("old", "new"), **OPTIONS).disagreements()
    found = result.disagreements()
    assert (mirrored["difference"] == -found["difference"]).all()
    pd.testing.assert_frame_equal(mirrored[["truth", "new", "old", "better"]],
                                  found[["truth", "new", "old", "better"]])  # fmt: skip
    assert compare_predictions(Y, A, A, **OPTIONS).disagreements().empty


def test_labels_of_an_indicator():
    y = pd.DataFrame([[1, 0], [1, 1], [0, 1], [0, 0]], columns=["law", "art"])
    a, b = y.copy(), y.copy()
    b.iloc[0], b.iloc[1, 1] = [0, 1], 0
    result = compare_predictions(y, a, b, scoring="f1_micro", **OPTIONS)
    found = result.disagreements()
    assert found["truth"].to_list() == [("law",), ("law", "art")]
    assert found["B"].to_list() == [("art",), ("law",)]
    assert found["difference"].to_list() == [1.0, 0.5]
    assert result.predictions["B", 0].to_numpy().tolist() == b.to_numpy().tolist()


def test_items_have_their_ids_and_lower_may_be_better():
    a = pd.Series([0.0, 1.0, 0.2], index=["q1", "q2", "q3"])
    b = pd.Series([0.2, 1.0, 1.0], index=["q3", "q2", "q1"])
    found = compare_items(a, b, **OPTIONS).disagreements()
    assert found.index.to_list() == ["q1"]
    assert found.loc["q1"].to_list() == [0.0, 1.0, -1.0, "B"]
    errors = compare_items(a, b, higher_is_better=False, **OPTIONS).disagreements()
    assert errors.loc["q1"].to_list() == [0.0, 1.0, 1.0, "A"]
    runs = compare_items([[1, 0], [1, 1]], [[0, 0], [1, 1]], **OPTIONS).disagreements()
    assert runs.loc[0].to_list() == [0.5, 0.0, 0.5, "A"]


def test_several_passes_tell_how_often_each_was_right():
    X, y = learned()
    cv = RepeatedKFold(n_splits=3, n_repeats=4, random_state=0)
    models = GaussianNB(), KNeighborsClassifier()
    result = bayesian_cross_validate(*models, X, y, cv=cv, **OPTIONS)
    found, said = result.disagreements(X.iloc[::-1]), result.predictions
    assert (found["u"] == X["u"][found.index]).all()
    right = [said[name].eq(y, axis=0).mean(axis=1) for name in result.names]
    differs = (said["GaussianNB"] != said["KNeighborsClassifier"]).any(axis=1)
    assert sorted(found.index) == sorted(X.index[differs])
    assert (found["passes"] == 4).all()
    np.testing.assert_allclose(found["GaussianNB right"], right[0][found.index])
    np.testing.assert_allclose(found["difference"], (right[0] - right[1])[found.index])
    assert found["difference"].abs().is_monotonic_decreasing


def test_numbers_of_several_passes():
    X, y = learned()
    z = X["u"] + y
    cv = RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)
    result = bayesian_cross_validate(LinearRegression(), Ridge(50), X[["v"]], z, cv=cv, **OPTIONS)
    found, said = result.disagreements(), result.predictions
    errors = [said[name].sub(z, axis=0).abs().mean(axis=1) for name in result.names]
    assert len(found) == len(z)
    np.testing.assert_allclose(found["Ridge error"], errors[1][found.index])
    np.testing.assert_allclose(found["difference"], (errors[1] - errors[0])[found.index])


def test_instances_that_are_not_known(result, tmp_path):
    result.save(tmp_path / "result")
    tags = [["B-x", "O"], ["O", "B-x"]]
    for unknown in (
        compare_counts((88, 10, 12), (80, 14, 20), **OPTIONS),
        load_result(tmp_path / "result"),
        compare_predictions(Y, A, B, groups=[0, 0, 1, 1, 2, 2], **OPTIONS),
        compare_predictions(tags, tags, tags, counter=chunk_counter("IOB2"), **OPTIONS),
        compare_scores([0.8, 0.7, 0.9], [0.7, 0.7, 0.8], test_fraction=0.2, **OPTIONS),
    ):
        with pytest.raises(ValueError, match="This result has no predictions"):
            unknown.disagreements()


def test_bad_columns(result):
    with pytest.raises(TypeError, match="pass the columns themselves, such as"):
        result.disagreements("text")
    with pytest.raises(ValueError, match="one row per instance, got 2 values of 'text' for 6"):
        result.disagreements({"text": ["a", "b"]})
    with pytest.raises(ValueError, match="must have other names than .*, got 'truth'"):
        result.disagreements({"truth": TEXTS})
    named = compare_predictions(pd.Series(Y, index=list("abcdef")), A, B, **OPTIONS)
    with pytest.raises(ValueError, match="columns has another index than the data"):
        named.disagreements(pd.Series(TEXTS, index=list("uvwxyz")))
