"""What bad input gets: an error that names the argument, before anything is fitted."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

from skbayeseval import (
    BayesianComparer,
    BlockRegularizedCV,
    bayesian_cross_validate,
    chunk_counter,
    compare_confusion_matrices,
    compare_counts,
    compare_items,
    compare_many,
    compare_predictions,
    compare_scores,
    hdi,
    metrics,
    power_analysis,
    score_posterior,
)

N = 24
Y = np.arange(N) % 2
X = np.column_stack([Y + np.arange(N) / N, np.arange(N)])
A, B = np.roll(Y, 1), np.where(np.arange(N) < 4, 1 - Y, Y)
SCORES = np.linspace(0, 1, N)
QUICK = {"n_draws": 100, "random_state": 0}


class Unfitted(GaussianNB):
    """A classifier that must not be fitted."""

    def fit(self, X, y, sample_weight=None):
        raise AssertionError("fitted before the arguments were checked")


def cross_validate(X=X, y=Y, **options):
    return bayesian_cross_validate(("a", Unfitted()), ("b", Unfitted()), X, y, **QUICK, **options)


RAGGED = [[0, 1], [1]] * (N // 2)
MASKED = np.ma.masked_array(Y, mask=Y == 1)
DATES = np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]")[Y]
RECORDS = np.array([(i, 1.0) for i in Y], dtype=[("a", int), ("b", float)])
MIXED = ["a", 1] * (N // 2)

# What is wrong with a vector of labels, whatever it is called; the message has its name.
LABELS = {
    "dict": (dict(enumerate(Y)), TypeError, "{} must be array-like, .* got {{0: "),
    "ragged": (RAGGED, ValueError, "{} must be an array, got rows of different lengths"),
    "masked": (MASKED, ValueError, "Input {} contains masked values"),
    "complex": (Y + 0j, ValueError, "Complex data not supported: {} must contain class labels"),
    "structured": (RECORDS, TypeError, "{} must not be a structured array, got dtype"),
    "3-d": (np.zeros((N, 1, 2)), ValueError, r"{} must be a 1-D array .* shape \(24, 1, 2\)"),
    "NaN": (np.where(Y, np.nan, 0), ValueError, "Input {} contains NaN: every instance must"),
    "infinity": (np.where(Y, np.inf, 0), ValueError, "Input {} contains infinity: labels must"),
    "None within": ([0, None] * (N // 2), ValueError, "Input {} contains NaN"),
    "NA": (pd.array([0, pd.NA] * (N // 2), dtype="Int64"), ValueError, "Input {} contains NaN"),
    "text and numbers": (MIXED, ValueError, "Mix of label .* {} contains 1 beside strings"),
    "objects": (np.array(MIXED, dtype=object), ValueError, "{} must contain only strings, only"),
    "bytes": (np.where(Y, b"a", b"b"), ValueError, "{} must contain only strings, only numbers or"),
    "continuous": (SCORES, ValueError, "{} must contain class labels, got continuous values"),
}


@pytest.mark.parametrize("wrong", LABELS)
def test_labels(wrong):
    given, kind, message = LABELS[wrong]
    for name, call in (
        ("y_true", lambda: compare_predictions(given, A, B, **QUICK)),
        (r"predictions\['b'\]", lambda: compare_many(Y, {"a": A, "b": given}, **QUICK)),
        ("y", lambda: cross_validate(y=given)),
    ):
        # The lengths of X and y are compared first.
        words = r"\by\b" if (name, wrong) == ("y", "dict") else message.format(name)
        with pytest.raises(kind, match=words):
            call()


NUMBERS = {
    "None": (None, TypeError, "{} must be array-like, .* got None"),
    "strings": (["0.1"] * N, TypeError, r"{} must contain numbers, got \['0.1'"),
    "dates": (DATES, TypeError, "{} must contain numbers, got array"),
    "masked": (MASKED, ValueError, "Input {} contains masked values"),
    "complex": (Y + 0j, ValueError, "Complex data not supported: {} must contain real numbers"),
    "NaN": (np.where(Y, np.nan, 0), ValueError, "Input {} contains NaN"),
    "NA": (pd.array([0, pd.NA] * (N // 2), dtype="Int64"), ValueError, "Input {} contains NaN"),
}


@pytest.mark.parametrize("wrong", NUMBERS)
def test_numbers(wrong):
    given, kind, message = NUMBERS[wrong]
    for name, call in (
        ("counts_a", lambda: compare_counts(given, (3, 4, 5), **QUICK)),
        ("cm_b", lambda: compare_confusion_matrices([[3, 4], [5, 6]], given, **QUICK)),
        ("scores_a", lambda: compare_scores(given, SCORES, test_fraction=0.2, **QUICK)),
        ("draws", lambda: hdi(given)),
    ):
        with pytest.raises(kind, match=message.format(name)):
            call()


FIRST, REST = np.arange(12), np.arange(12, N)

CV = [
    ([(FIRST, [*REST, N])], "0 to 23, or .* the test set of split 0 contains 24"),
    ([(FIRST, REST), (REST, [-N - 1])], "the test set of split 1 contains -25"),
    ([(FIRST, REST / 1)], "cv must yield 1-D arrays of integer indices"),
    ([(None, REST)], "the training set of split 0 is None"),
    ([(np.arange(9) < 5, REST)], "masks of the 24 samples, but .* is a mask of 9"),
    ([(np.zeros(N, bool), REST)], "the training set of split 0 is empty"),
    ([(FIRST, [20, 21, 20])], "split 0 contains index 20 2 times"),
    ([(FIRST, REST, REST)], "iterable of pairs .* as split 0"),
    ([FIRST], "cv must be an int, a splitter or an iterable of pairs"),
    ([], "cv yields no splits"),
    (KFold, r"cv must be an instance, .* Pass KFold\(...\)"),
    (2.5, "Expected `?cv`? as an integer"),
]


@pytest.mark.parametrize(("cv", "message"), CV)
def test_splits(cv, message):
    with pytest.raises((TypeError, ValueError), match=message):
        cross_validate(cv=cv)


def predictions(y=Y, a=A, b=B, **options):
    return compare_predictions(y, a, b, **QUICK, **options)


def split(X, y, groups=None, **options):
    return list(BlockRegularizedCV(**options).split(X, y, groups))


INDICATOR = np.column_stack([Y, A])
DATA = [
    (lambda: predictions(i for i in Y), "y_true must be array-like, .* got <generator"),
    (lambda: cross_validate(X=(x for x in X)), "X must be a sequence or an array .* <generator"),
    (lambda: cross_validate(X=X[:9]), "numbers of samples: X has 9, y has 24"),
    (lambda: cross_validate(X=Y, y=X), "y must contain only 0 and 1.*wrong order"),
    (lambda: predictions(Y * 0), "y_true must contain at least two"),
    (lambda: predictions(a=A[:9]), "y_true has 24, y_pred_a has 9"),
    (lambda: cross_validate(groups=Y[:9]), "X has 24, y has 24, groups has 9"),
    (lambda: cross_validate(groups=X), r"groups must be a 1-D array of labels, .*24,"),
    (lambda: predictions(groups=MIXED), "groups contains 1 beside"),
    (lambda: predictions(groups=Y[:9]), "groups has 9, y_true has 24"),
    (lambda: predictions(labels=MIXED), "labels contains 1 beside"),
    (lambda: predictions(labels=[0]), "labels must be at least two"),
    (lambda: predictions(labels="01"), "labels must be array-like"),
    (lambda: predictions(pos_label=[1]), r"pos_label=\[1\] is not a"),
    (lambda: predictions(prevalence="half"), "prevalence must be array-"),
    (lambda: predictions(X, X, X), "y_true must contain only 0 and 1.* got"),
    (lambda: predictions().decision([0] * 50), r"a number, .* or a pair \(low, high\), got \[0, 0"),
    (lambda: predictions().metric("r2"), "predictions of num"),
    (lambda: predictions(SCORES, scoring="r2", sample_weight=-SCORES), "Negative values in data"),
    (lambda: split(X, Y, regularize=["a"] * N), "regularize must contain numbers"),
    (lambda: metrics.get_metric("f1")([1, 2]), "tables must be a square confusion"),
    (lambda: chunk_counter("IOB2")([["O"]], [["O"]], [[1]]), r"y_pred_b\[0\] contains 1, which is"),
    (lambda: power_analysis([[0.5]], [10], rope=0.1, goal="~"), "cells_or_result must be"),
    (lambda: power_analysis((0.9, 0.8), "10", rope=0.1, goal="~"), "sizes must be array-like"),
    (lambda: compare_many(Y, {"a": A}), "those of two or more classifiers"),
    (lambda: score_posterior(INDICATOR, B), "y_pred must be a 2-D label indicator"),
    (lambda: score_posterior(INDICATOR, INDICATOR[:9]), r"but y_pred has shape \(9"),
    (lambda: learners(None), "None is not an estimator"),
    (lambda: learners(("b", Unfitted())), r"Names provided are not unique: \['b', 'b'\]"),
    (lambda: learners((1, Unfitted())), "name of an estimator must be a string, got 1"),
    (lambda: BayesianComparer([GaussianNB, Unfitted()]).fit(X, Y), r"Pass GaussianNB\(...\)"),
]


def learners(estimator):
    return bayesian_cross_validate(estimator, ("b", Unfitted()), X, Y)


@pytest.mark.parametrize(("call", "message"), DATA)
def test_message(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def with_smoothing(X, y, **options):
    nb = GaussianNB(), GaussianNB(var_smoothing=1.0)
    return bayesian_cross_validate(*nb, X, y, **QUICK, **options)


def test_overlapping_training_and_test_sets():
    cv = [(np.arange(16), np.arange(8, N)), (np.arange(8, N), np.arange(8))]
    with pytest.warns(UserWarning, match=r"In 1 of 2 splits of cv, .* \(split 0: 8 instances"):
        with_smoothing(X, Y, cv=cv)


def test_masks_and_negative_indices_are_accepted():
    first = np.arange(N) < 12
    for cv in ([(FIRST, REST)], [(first, ~first)], iter([(FIRST - N, REST - N)])):
        result = with_smoothing(X, Y, cv=cv, return_indices=True)
        indices = result.cv_results["GaussianNB-1"]["indices"]
        np.testing.assert_array_equal(indices["test"][0], REST)


def test_dates_are_labels_whatever_their_unit():
    nanoseconds = pd.Series(DATES.astype("M8[ns]"))
    result = compare_predictions(nanoseconds, DATES[::-1], DATES.astype("M8[s]"), **QUICK)
    assert result.labels == ("2020-01-01", "2020-01-02")
    assert (result.observed_a, result.observed_b) == (0.0, 1.0)
    found, expected = (with_smoothing(X, y, scoring="roc_auc").draws for y in (DATES, Y))
    np.testing.assert_allclose(found, expected)
    with pytest.raises(ValueError, match="y_true contains dates .* less than a microsecond"):
        compare_predictions(np.array([1, 2], dtype="M8[ns]"), DATES[:2], DATES[:2])
    with pytest.raises(ValueError, match="Mix of label input types"):
        compare_predictions(DATES, A, B)


@pytest.mark.parametrize(
    "tags",
    [
        [["art"], ["art", "law"]] * (N // 2),
        [["art", "sea"], ["art", "law"]] * (N // 2),
        [{"art"}, {"art", "law"}] * (N // 2),
    ],
    ids=["lists", "as many each", "sets"],
)
def test_lists_of_labels(tags):
    hint = "indicator matrix with MultiLabelBinarizer"
    with pytest.raises(ValueError, match=f"y_true must .* {hint}"):
        compare_predictions(tags, tags, tags, **QUICK)
    with pytest.raises(ValueError, match=f"y must .* {hint}"):
        cross_validate(y=tags)


@pytest.mark.parametrize("missing", [np.nan, None])
def test_missing_groups_are_no_missing_labels(missing):
    groups = [missing, *map(float, range(N - 1))]
    message = "contains NaN: every instance must have a value"
    for call in (
        lambda: compare_predictions(Y, A, B, groups=groups, **QUICK),
        lambda: compare_items(A, B, groups=groups, **QUICK),
        lambda: cross_validate(groups=groups),
    ):
        with pytest.raises(ValueError, match=f"Input groups {message}"):
            call()
    with pytest.raises(ValueError, match=f"Input column {message}"):
        compare_items(A, B, **QUICK).by(groups)


RESULT = compare_predictions(Y, A, B, **QUICK)
MANY = {f"system {k}": A for k in range(20)}


@pytest.mark.parametrize(
    ("ask", "closest"),
    [
        (lambda: compare_predictions(Y, A, B, scoring="f1_makro"), "'f1_macro', 'f1_micro'"),
        (lambda: metrics.get_metric("max_error"), "'neg_mean_squared_error'"),
        (lambda: RESULT.plot("postrior"), "'posterior'"),
        (lambda: compare_many(Y, MANY, **QUICK).pairs["system 21", "system 3"], "'system 1'"),
        (lambda: compare_predictions(np.arange(N), A, B, pos_label=24), "2"),
    ],
)  # fmt: skip
def test_of_many_names_the_closest_are_told(ask, closest):
    with pytest.raises((KeyError, ValueError)) as error:
        ask()
    names, others = re.search(r"\[([^]]*)\] and (\d+) others", str(error.value)).groups()
    assert len(names.split(", ")) == 5
    assert int(others) > 3
    assert names.startswith(closest)
