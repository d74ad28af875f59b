"""Rows and columns of pandas objects are never paired against their labels."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score
from sklearn.naive_bayes import GaussianNB

from skbayeseval import (
    BayesianComparer,
    bayesian_cross_validate,
    compare_items,
    compare_many,
    compare_predictions,
    compare_scores,
    score_posterior,
)

RNG = np.random.default_rng(0)
N = 80
CLASSES = np.array(["ant", "bee", "cat"])
CODES = np.r_[0, 1, 2, RNG.integers(0, 3, N - 3)]
Y = CLASSES[CODES]
P = RNG.dirichlet(np.ones(3), N) / 2 + np.eye(3)[CODES] / 2
TAGS = RNG.integers(0, 2, (N, 3))
ROWS = pd.Index([f"row {i}" for i in RNG.permutation(N)])
SHUFFLED = RNG.permutation(N)


def series(values, index=ROWS):
    return pd.Series(np.asarray(values), index=index)


# Columns


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [2, 1, 0]])
def test_score_columns_are_found_by_class(order):
    frame = pd.DataFrame(P[:, order], columns=CLASSES[order])
    result = score_posterior(Y, None, y_score=frame, scoring="roc_auc_ovr")
    assert result.observed == pytest.approx(roc_auc_score(Y, P, multi_class="ovr"))


def test_score_columns_of_two_classes():
    truth = np.where(CODES == 1, "yes", "no")
    frame = pd.DataFrame({"yes": P[:, 1], "no": 1 - P[:, 1]})

    def observed(scores, scoring="roc_auc"):
        options = {"y_score": scores, "scoring": scoring, "pos_label": "yes"}
        return score_posterior(truth, None, **options).observed

    for scoring in ("roc_auc", "neg_brier_score"):
        assert observed(frame, scoring) == pytest.approx(observed(P[:, 1], scoring))
    assert observed(frame[["yes"]]) == pytest.approx(roc_auc_score(truth, P[:, 1]))
    with pytest.raises(ValueError, match="y_score has the column 'no', but the scores of the pos"):
        observed(frame[["no"]])


def test_unknown_columns_are_refused():
    frame = pd.DataFrame(P, columns=["p1", "p2", "p3"])
    with pytest.raises(ValueError, match="y_score_b has columns .'p1', 'p2', 'p3'., but .'ant'"):
        compare_predictions(Y, None, None, y_score_a=P, y_score_b=frame, scoring="roc_auc_ovr")


@pytest.mark.parametrize("named_truth", [True, False])
def test_label_columns(named_truth):
    """Also where only predictions have names."""
    said = np.where(RNG.random(TAGS.shape) < 0.8, TAGS, 1 - TAGS)
    other = np.where(RNG.random(TAGS.shape) < 0.6, TAGS, 1 - TAGS)
    truth = pd.DataFrame(TAGS, columns=list("uvw")) if named_truth else TAGS
    a = pd.DataFrame(said, columns=list("uvw"))
    b = pd.DataFrame(other, columns=list("uvw"))[["w", "u", "v"]]
    result = compare_predictions(truth, a, b, scoring="f1_macro")
    assert result.observed_a == pytest.approx(f1_score(TAGS, said, average="macro"))
    assert result.observed_b == pytest.approx(f1_score(TAGS, other, average="macro"))
    scores = pd.DataFrame(TAGS + RNG.normal(size=TAGS.shape), columns=list("uvw"))
    result = compare_predictions(
        truth, a, b, y_score_a=scores, y_score_b=scores[["v", "w", "u"]], scoring="roc_auc"
    )
    expected = roc_auc_score(TAGS, scores.to_numpy())
    assert (result.observed_a, result.observed_b) == pytest.approx((expected, expected))


def test_label_columns_that_differ():
    truth = pd.DataFrame(TAGS, columns=list("uvw"))
    with pytest.raises(ValueError, match="y_pred_b has columns .'u', 'v', 'x'., but .'u', 'v', 'w"):
        compare_predictions(truth, truth, truth.rename(columns={"w": "x"}))
    with pytest.raises(ValueError, match="differ from the columns of y_true"):
        score_posterior(truth, None, y_score=TAGS + 0.5, labels=["w", "v", "u"], scoring="roc_auc")
    with pytest.raises(ValueError, match="differ from the columns of y, "):
        bayesian_cross_validate(
            GaussianNB(), GaussianNB(), TAGS, truth, labels=["w", "v", "u"], scoring="f1_macro"
        )


def test_prevalence_by_class():
    """`value_counts` has the most frequent class first."""
    shares = pd.Series({"cat": 0.5, "ant": 0.3, "bee": 0.2})
    said = np.roll(Y, 1)
    results = [
        score_posterior(Y, said, prevalence=given, random_state=0).draws
        for given in (shares, [0.3, 0.2, 0.5])
    ]
    np.testing.assert_array_equal(*results)
    with pytest.raises(ValueError, match="prevalence has the index .'cat', 'ant', 'x'., but"):
        score_posterior(Y, said, prevalence=shares.rename({"bee": "x"}))


# Rows

BY_NAME = {
    "y_pred_a": lambda y, other: compare_predictions(y, other, y),
    "y_pred_b": lambda y, other: compare_predictions(y, y, other),
    "y_score_a": lambda y, other: compare_predictions(
        y, None, None, y_score_a=other.map(len), y_score_b=np.ones(N), scoring="roc_auc_ovr"
    ),
    "groups": lambda y, other: compare_predictions(y, y, y, groups=other),
    r"predictions\['b'\]": lambda y, other: compare_many(y, {"a": y, "b": other}),
    r"scores\['b'\]": lambda y, other: compare_many(
        y, None, scores={"a": np.ones(N), "b": other}, scoring="roc_auc_ovr"
    ),
    "y_pred": lambda y, other: score_posterior(y, other),
    "y_score": lambda y, other: score_posterior(y, None, y_score=other, scoring="roc_auc_ovr"),
}


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("numbered", [True, False])
def test_rows_in_another_order_are_refused(name, numbered):
    y = series(Y, None if numbered else ROWS)
    with pytest.raises(ValueError, match="has the same values in another order.*to_numpy"):
        BY_NAME[name](y, y.iloc[SHUFFLED])
    with pytest.raises(ValueError, match=f"{name} has other values"):
        BY_NAME[name](series(Y), series(Y, ROWS + "!"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ROWS, ROWS),
        (ROWS, None),
        (pd.date_range("2020", periods=N), None),
        (pd.MultiIndex.from_product([range(N // 2), ["a", "b"]]), None),
        (pd.Index(["same"] * N), pd.Index(["same"] * N)),
    ],
)
def test_rows_that_fit(one, other):
    said = np.where(RNG.random(N) < 0.7, Y, np.roll(Y, 1))
    result = compare_predictions(series(Y, one), series(said, other), list(Y))
    assert result.observed_a == pytest.approx(accuracy_score(Y, said))


def test_scores_of_splits():
    a = pd.Series([0.8, 0.7, 0.9], index=["x", "y", "z"])
    with pytest.raises(ValueError, match="scores_a and scores_b are paired by position"):
        compare_scores(a, a.sort_values(), test_fraction=0.3)
    frame = pd.DataFrame(np.eye(3), columns=list("abc"))
    with pytest.raises(ValueError, match="their columns differ: scores_b has the same values"):
        compare_scores(frame, frame[["b", "a", "c"]], test_fraction=0.3, model="signed-rank")


@pytest.mark.parametrize("what", ["X", "groups", "sample_weight"])
def test_cross_validation(what):
    X, y = pd.DataFrame(P, index=ROWS), series(Y)
    groups, weight = series(np.arange(N) // 4), series(np.ones(N))
    given = {"X": X, "groups": groups, "sample_weight": weight}
    given[what] = given[what].iloc[SHUFFLED]
    a, b = GaussianNB(), LogisticRegression()
    params = {"sample_weight": given["sample_weight"]}
    with pytest.raises(ValueError, match="are paired by position, but their indexes differ"):
        bayesian_cross_validate(a, b, given["X"], y, groups=given["groups"], params=params)
    with pytest.raises(ValueError, match=f"\\b{what}\\b"):
        BayesianComparer([a, b]).fit(given["X"], y, groups=given["groups"], **params)


def test_names_of_series():
    frame = pd.DataFrame({"nb": [0, 1, 1, 0] * 5, "svm": [0, 1, 0, 0] * 5, 3: [1, 1, 0, 0] * 5})
    y, options = [0, 1] * 10, {"n_draws": 200, "random_state": 0}
    calls = [
        lambda a, b, **names: compare_predictions(y, a, b, **options, **names),
        lambda a, b, **names: compare_predictions(
            y, None, None, y_score_a=a, y_score_b=b, scoring="neg_brier_score", **options, **names
        ),
        lambda a, b, **names: compare_items(a, b, **options, **names),
        lambda a, b, **names: compare_scores(a, b, test_fraction=0.1, **options, **names),
    ]
    for call in calls:
        assert call(frame["nb"], frame["svm"]).names == ("nb", "svm")
        assert call(frame["nb"], frame["svm"], names=("x", "y")).names == ("x", "y")
        for b in (frame["nb"], frame["svm"].to_numpy(), frame[3]):
            assert call(frame["nb"], b).names == ("A", "B")
