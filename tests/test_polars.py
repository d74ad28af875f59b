"""Frames and columns of polars: what they give is right, or they are refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import (
    BayesianComparer,
    bayesian_cross_validate,
    compare_confusion_matrices,
    compare_counts,
    compare_items,
    compare_many,
    compare_many_items,
    compare_predictions,
    compare_scores,
    metrics,
)

pl = pytest.importorskip("polars")

N = 60
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, N)
A, B = (np.where(RNG.random(N) < right, Y, 1 - Y) for right in (0.9, 0.7))
P = RNG.random(N)
WORDS = np.array(["no", "yes"])
QUICK = {"n_draws": 200, "random_state": 0}


def column(values, dtype=None):
    return pl.Series("column", values, dtype=dtype)


@pytest.mark.parametrize(
    "made",
    [
        column,
        lambda codes: column(WORDS[codes].tolist()),
        lambda codes: column(WORDS[codes].tolist(), pl.Categorical),
        lambda codes: column(codes == 1),
        lambda codes: column(codes + 2**60, pl.UInt64 if codes is A else pl.Int64),
        lambda codes: pl.DataFrame({"column": codes}),
    ],
)
def test_labels(made):
    result = compare_predictions(made(Y), made(A), made(B), groups=made(np.arange(N) % 2), **QUICK)
    assert result.observed_a == pytest.approx(accuracy_score(Y, A))
    assert result.observed_b == pytest.approx(accuracy_score(Y, B))
    observed = compare_many(made(Y), {"a": made(A), "b": made(B)}, **QUICK).table["observed"]
    assert observed["a"] == pytest.approx(accuracy_score(Y, A))


def test_items():
    order, ids = RNG.permutation(N), np.arange(N) + 2**60
    for own, others in (
        (column(ids), column(ids[order].astype("uint64"))),
        (column([*map(str, ids)]), column([*map(str, ids[order])], pl.Categorical)),
    ):
        scores = column(P), column((P**2)[order])
        result = compare_items(*scores, item=(own, others), groups=column(ids // 3), **QUICK)
        np.testing.assert_array_equal(result.evidence.scores[..., 0], [P, P**2])
        assert result.evidence.n_groups == 21


def test_missing_labels():
    for values in ([None, *Y[1:].tolist()], [None, *WORDS[Y][1:].tolist()]):
        with pytest.raises(ValueError, match="y_true contains NaN"):
            compare_predictions(column(values), column(values), column(values))


FRAME = pl.DataFrame({"x": [5, 2], "y": [1, 7]})
TWO = pl.DataFrame({"1": P, "0": 1 - P})
OF_SCORES = {"y_score_a": TWO, "y_score_b": P, "scoring": "neg_log_loss"}
OF_ITEMS = {"scoring": metrics.over_items(lambda y, x: 1.0)}


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: compare_confusion_matrices(FRAME, FRAME), "cm_a"),
        (lambda: compare_counts(FRAME, FRAME, weight=1), "counts_a"),
        (lambda: compare_items(FRAME, FRAME), "scores_a"),
        (lambda: compare_predictions(FRAME, FRAME, FRAME), "y_true"),
        (lambda: compare_predictions(Y, None, None, **OF_SCORES), "y_score_a"),
        (lambda: compare_predictions(FRAME, FRAME, FRAME, **OF_ITEMS), "y_true"),
    ],
)
def test_columns_are_not_taken_as_they_come(call, name):
    message = f"{name} is a frame of polars, and only columns of pandas .* {name}.to_pandas()"
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: compare_many(Y, FRAME),
        lambda: compare_many_items(FRAME),
        lambda: compare_scores(FRAME),
        lambda: compare_items(FRAME, system="x", item="y", score="z"),
        lambda: compare_items(FRAME.lazy(), P),
    ],
)
def test_frames_that_are_refused(call):
    with pytest.raises(TypeError, match="must be|must contain|requires"):
        call()


def test_cross_validation(tmp_path):
    X = np.column_stack([P + Y, RNG.normal(size=N)])
    estimators = GaussianNB(), DecisionTreeClassifier(max_depth=1, random_state=0)
    frame, group = pl.DataFrame(X, schema=["u", "v"]), np.arange(N) // 2
    plain = bayesian_cross_validate(*estimators, pd.DataFrame(X), Y, groups=group, **QUICK)
    for y in (column(Y), column(WORDS[Y].tolist(), pl.Categorical)):
        found = bayesian_cross_validate(*estimators, frame, y, groups=column(group), **QUICK)
        np.testing.assert_array_equal(found.draws, plain.draws)
    fitted = BayesianComparer([*estimators], checkpoint=tmp_path / "fits", **QUICK)
    assert fitted.fit(frame, column(Y)).feature_names_in_.tolist() == ["u", "v"]
    n_fits = len([*(tmp_path / "fits").iterdir()])
    fitted.fit(frame, column(Y))
    assert len([*(tmp_path / "fits").iterdir()]) == n_fits
    fitted.fit(frame.with_columns(-pl.col("u")), column(Y))
    assert len([*(tmp_path / "fits").iterdir()]) > n_fits
