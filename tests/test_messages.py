"""What bad input gets: an error that names the argument, before anything is fitted."""

import re
import runpy
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV, KFold
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
    compare_table,
    count_scorer,
    hdi,
    metrics,
    power_analysis,
    report_search,
    score_posterior,
)
from tests.conftest import ROOT

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


def fit(X=X, y=Y, **params):
    return BayesianComparer([("a", Unfitted()), ("b", Unfitted())], **QUICK).fit(X, y, **params)


RAGGED = [[0, 1], [1]] * (N // 2)
MASKED = np.ma.masked_array(Y, mask=Y == 1)
DATES = np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]")[Y]
RECORDS = np.array([(i, 1.0) for i in Y], dtype=[("a", int), ("b", float)])
MIXED = ["a", 1] * (N // 2)

# What is wrong with a vector of labels, whatever it is called; the message begins with its name.
LABELS = {
    "None": (None, TypeError, "{} must be array-like, .* got None"),
    "string": ("yes", TypeError, "{} must be array-like, .* got 'yes'"),
    "dict": (dict(enumerate(Y)), TypeError, "{} must be array-like, .* got {{0: "),
    "set": ({0, 1}, TypeError, "{} must be array-like, .* got {{0, 1}}"),
    "ragged": (RAGGED, ValueError, "{} must be an array, got rows of different lengths"),
    "masked": (MASKED, ValueError, "Input {} contains masked values"),
    "complex": (Y + 0j, ValueError, "Complex data not supported: {} must contain class labels"),
    "structured": (RECORDS, TypeError, "{} must not be a structured array, got dtype"),
    "0-d": (np.array(1), ValueError, r"{} must be a 1-D array of class labels, .* shape \(\)"),
    "3-d": (np.zeros((N, 1, 2)), ValueError, r"{} must be a 1-D array .* shape \(24, 1, 2\)"),
    "empty": ([], ValueError, r"Found array with 0 sample\(s\): {} is empty"),
    "NaN": (np.where(Y, np.nan, 0), ValueError, "Input {} contains NaN: every instance must"),
    "infinity": (np.where(Y, np.inf, 0), ValueError, "Input {} contains infinity: labels must"),
    "None within": ([0, None] * (N // 2), ValueError, "Input {} contains NaN"),
    "NA": (pd.array([0, pd.NA] * (N // 2), dtype="Int64"), ValueError, "Input {} contains NaN"),
    "NA strings": (
        pd.Series(["a", None] * (N // 2), dtype="string"),
        ValueError,
        "{} contains NaN",
    ),
    "string and number": (MIXED, ValueError, "Mix of label .* {} contains 1 beside strings"),
    "string and NaN": (["a", np.nan] * (N // 2), ValueError, "{} contains nan beside strings"),
    "objects": (
        np.array(MIXED, dtype=object),
        ValueError,
        "{} must contain only strings, only num",
    ),
    "bytes": (np.where(Y, b"a", b"b"), ValueError, "{} must contain only strings, only numbers or"),
    "continuous": (SCORES, ValueError, "{} must contain class labels, got continuous values"),
}


@pytest.mark.parametrize("wrong", LABELS)
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("y_true", lambda y: compare_predictions(y, A, B, **QUICK)),
        ("y_pred_b", lambda y: compare_predictions(Y, A, y, **QUICK) if y is not None else None),
        (r"predictions\['b'\]", lambda y: compare_many(Y, {"a": A, "b": y}, **QUICK)),
        ("y_true", lambda y: score_posterior(y, A, **QUICK)),
        ("y", lambda y: cross_validate(y=y)),
        ("y", lambda y: fit(y=y)),
    ],
)
def test_labels(name, call, wrong):
    given, kind, message = LABELS[wrong]
    if given is None and name == "y_pred_b":
        pytest.skip("None means that there are no predictions")
    with pytest.raises((kind, TypeError, ValueError)) as caught:
        call(given)
    if name == "y" and wrong in ("None", "string", "dict", "set", "0-d", "empty"):
        # The lengths of X and y are compared first.
        assert re.search(r"\by\b", str(caught.value))
    else:
        assert isinstance(caught.value, kind)
        assert re.search(message.format(name), str(caught.value))


def test_generators():
    with pytest.raises(TypeError, match="y_true must be array-like, .* got <generator"):
        compare_predictions((i for i in Y), A, B)
    with pytest.raises(TypeError, match="scores_b must be array-like, .* got <map"):
        compare_scores(SCORES, map(float, SCORES), test_fraction=0.5)
    with pytest.raises(TypeError, match="X must be a sequence or an array .* got <generator"):
        cross_validate(X=(row for row in X))
    with pytest.raises(TypeError, match="y must be a sequence or an array .* got <map"):
        cross_validate(y=map(int, Y))


NUMBERS = {
    "None": (None, TypeError, "{} must be array-like, .* got None"),
    "strings": (["0.1"] * N, TypeError, r"{} must contain numbers, got \['0.1'"),
    "string objects": (np.array(["1"] * N, dtype=object), TypeError, "{} must contain numbers"),
    "dates": (DATES, TypeError, "{} must contain numbers, got array"),
    "ragged": (RAGGED, ValueError, "{} must be an array, got rows of different lengths"),
    "masked": (MASKED, ValueError, "Input {} contains masked values"),
    "complex": (Y + 0j, ValueError, "Complex data not supported: {} must contain real numbers"),
    "structured": (RECORDS, TypeError, "{} must not be a structured array"),
    "NaN": (np.where(Y, np.nan, 0), ValueError, "Input {} contains NaN"),
    "infinity": (np.where(Y, np.inf, 0), ValueError, "Input {} contains NaN or infinity"),
    "NA": (pd.array([0, pd.NA] * (N // 2), dtype="Int64"), ValueError, "Input {} contains NaN"),
}


@pytest.mark.parametrize("wrong", NUMBERS)
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("counts_a", lambda x: compare_counts(x, (3, 4, 5), **QUICK)),
        ("cm_b", lambda x: compare_confusion_matrices([[3, 4], [5, 6]], x, **QUICK)),
        ("scores_a", lambda x: compare_scores(x, SCORES, test_fraction=0.2, **QUICK)),
        ("y_score", lambda x: score_posterior(Y, A, y_score=x, scoring="roc_auc", **QUICK)),
        ("draws", hdi),
    ],
)
def test_numbers(name, call, wrong):
    given, kind, message = NUMBERS[wrong]
    if (name, wrong) in (("y_score", "None"), ("draws", "infinity")):
        pytest.skip("accepted there")
    if (name, wrong) == ("scores_a", "ragged"):
        kind, message = ValueError, "scores_a has rows"
    with pytest.raises(kind, match=message.format(name)):
        call(given)


def splits(*pairs):
    return lambda: cross_validate(cv=list(pairs))


FIRST, REST = np.arange(12), np.arange(12, N)

CV = [
    (
        splits((FIRST, [*REST, N])),
        ValueError,
        "0 to 23, or .* the test set of split 0 contains 24",
    ),
    (
        splits((FIRST, REST), (REST, [-N - 1])),
        ValueError,
        r"the test set of split 1 contains -25",
    ),
    (splits((FIRST, REST / 1)), ValueError, "cv must yield 1-D arrays of integer indices"),
    (splits((["a"], REST)), ValueError, r"the training set of split 0 is \['a'\]"),
    (splits((FIRST[:, None], REST)), ValueError, "cv must yield 1-D arrays of integer indices"),
    (splits((None, REST)), ValueError, "the training set of split 0 is None"),
    (
        splits((np.arange(9) < 5, REST)),
        ValueError,
        "masks of the 24 samples, but .* is a mask of 9",
    ),
    (splits((FIRST, [])), ValueError, "the test set of split 0 is empty"),
    (splits((FIRST, REST), ([], FIRST)), ValueError, "the training set of split 1 is empty"),
    (splits((np.zeros(N, bool), REST)), ValueError, "the training set of split 0 is empty"),
    (splits((FIRST, [20, 21, 20])), ValueError, "split 0 contains index 20 2 times"),
    (splits((FIRST, REST, REST)), ValueError, "iterable of pairs .* as split 0"),
    (splits(FIRST), ValueError, "cv must be an int, a splitter or an iterable of pairs"),
    (lambda: cross_validate(cv=Y), ValueError, "an iterable of pairs .* got .*0.* as split 0"),
    (lambda: cross_validate(cv=[]), ValueError, "cv yields no splits"),
    (lambda: cross_validate(cv=KFold), TypeError, r"cv must be an instance, .* Pass KFold\(...\)"),
    (lambda: cross_validate(cv=2.5), ValueError, "Expected `?cv`? as an integer"),
    (lambda: cross_validate(cv=1), ValueError, "n_splits=1"),
]

DATA = [
    (lambda: cross_validate(X=None), ValueError, "X must be the data, .* got None"),
    (lambda: fit(X=None), ValueError, "X must be the data, .* got None"),
    (lambda: cross_validate(X="text"), TypeError, "X must be a sequence or an array .* 'text'"),
    (lambda: cross_validate(X=3), TypeError, "X must be a sequence or an array .* got 3"),
    (lambda: cross_validate(X=X[:9]), ValueError, "numbers of samples: X has 9, y has 24"),
    (lambda: cross_validate(X=Y, y=X), ValueError, "y must contain only 0 and 1.*wrong order"),
    (lambda: cross_validate(y=np.zeros(N)), ValueError, "y must contain at least two classes"),
    (lambda: compare_predictions(Y * 0, A, B), ValueError, "y_true must contain at least two"),
    (lambda: compare_predictions(Y, A[:9], B), ValueError, "y_true has 24, y_pred_a has 9"),
    (lambda: cross_validate(groups=MIXED), ValueError, "groups contains 1 beside strings"),
    (lambda: cross_validate(groups=Y[:9]), ValueError, "X has 24, y has 24, groups has 9"),
    (lambda: cross_validate(groups=[1, np.nan] * 12), ValueError, "Input groups contains NaN"),
    (lambda: cross_validate(groups=X), ValueError, r"groups must be a 1-D array of labels, .*24,"),
    (lambda: cross_validate(groups="abc"), TypeError, "groups must be a sequence or an array"),
    (lambda: compare_predictions(Y, A, B, groups=MIXED), ValueError, "groups contains 1 beside"),
    (lambda: compare_predictions(Y, A, B, groups=MASKED), ValueError, "Input groups contains mask"),
    (
        lambda: compare_predictions(Y, A, B, groups=np.array(MIXED, object)),
        ValueError,
        "groups must contain only strings",
    ),
    (lambda: compare_predictions(Y, A, B, groups=Y[:9]), ValueError, "groups has 9, y_true has 24"),
    (lambda: compare_predictions(Y, A, B, labels=MIXED), ValueError, "labels contains 1 beside"),
    (lambda: compare_predictions(Y, A, B, labels=[0]), ValueError, "labels must be at least two"),
    (lambda: compare_predictions(Y, A, B, labels="01"), TypeError, "labels must be array-like"),
    (lambda: compare_predictions(Y, A, B, pos_label=[1]), ValueError, r"pos_label=\[1\] is not a"),
    (
        lambda: compare_predictions(Y, A, B, prevalence="half"),
        TypeError,
        "prevalence must be array-",
    ),
    (lambda: compare_predictions(X, X, X), ValueError, "y_true must contain only 0 and 1.* got"),
    (lambda: compare_predictions(sparse.eye(3) * 2, Y, Y), ValueError, "y_true must contain only"),
    (
        lambda: compare_predictions(Y, A, B).decision(list(range(50))),
        TypeError,
        r"rope must be a number, .* or a pair \(low, high\), got \[0, 1",
    ),
    (lambda: list(BlockRegularizedCV().split(X, Y[:9])), ValueError, "X has 24, y has 9"),
    (
        lambda: list(BlockRegularizedCV().split(X, np.where(Y, np.nan, 0))),
        ValueError,
        "Input y contains NaN",
    ),
    (lambda: list(BlockRegularizedCV().split(X, MASKED)), ValueError, "Input y contains masked"),
    (lambda: list(BlockRegularizedCV().split(X, Y, MIXED)), ValueError, "groups contains 1 beside"),
    (
        lambda: list(BlockRegularizedCV(regularize=["a"] * N).split(X, Y)),
        TypeError,
        "regularize must contain numbers",
    ),
    (lambda: metrics.get_metric("f1")([1, 2]), ValueError, "tables must be a square confusion"),
    (lambda: metrics.get_metric("f1")("ab"), TypeError, "tables must be array-like"),
    (lambda: count_scorer(["a", 1]), ValueError, "labels contains 1 beside strings"),
    (
        lambda: chunk_counter("IOB2")([["O"]], [["O"]], [[1]]),
        ValueError,
        r"y_pred_b\[0\] contains 1, which is not a tag",
    ),
    (
        lambda: power_analysis([[0.5]], [10], rope=0.1, goal="~"),
        ValueError,
        "cells_or_result must be",
    ),
    (
        lambda: power_analysis((0.9, 0.8), "10", rope=0.1, goal="~"),
        TypeError,
        "sizes must be array-like",
    ),
    (lambda: report_search(GridSearchCV, rope=0.1), TypeError, "search must be a fitted"),
]

INDICATOR = np.column_stack([Y, A])
ROC = {"y_score_a": SCORES, "y_score_b": SCORES**2, "scoring": "roc_auc", **QUICK}
KINDS = [
    (lambda: compare_many(Y, {"a": A}), ValueError, "those of two or more classifiers"),
    (lambda: compare_many(Y, {"a": A, "b": B}, **QUICK).plot("pie"), ValueError, "kind='pie' is"),
    (lambda: cross_validate(y=INDICATOR, pos_label=1), ValueError, "pos_label=1 was given, but y"),
    (lambda: score_posterior(INDICATOR, B), ValueError, "y_pred must be a 2-D label indicator"),
    (lambda: score_posterior(INDICATOR, INDICATOR[:9]), ValueError, r"but y_pred has shape \(9"),
    (lambda: score_posterior(INDICATOR, INDICATOR, labels="abc"), TypeError, "labels must be arr"),
    (lambda: score_posterior(INDICATOR[:0], INDICATOR[:0]), ValueError, "y_true is empty"),
    (lambda: compare_predictions(Y, None, None, engine="pymc", **ROC), ValueError, "no PyMC model"),
    (lambda: compare_predictions(Y, A, B, **QUICK).metric("r2"), ValueError, "predictions of num"),
    (lambda: compare_scores([1], [1], test_fraction=0.1), ValueError, "at least two splits, got 1"),
    (
        lambda: compare_predictions(Y, A, B, **QUICK).hdi(np.nan),
        ValueError,
        "prob == nan, must lie",
    ),
    (
        lambda: compare_predictions(SCORES, A, B, scoring="r2", sample_weight=-SCORES),
        ValueError,
        "Negative values in data passed to `sample_weight`",
    ),
]

ESTIMATORS = [
    (
        lambda: bayesian_cross_validate(GaussianNB, Unfitted(), X, Y),
        TypeError,
        r"Pass GaussianNB\(...\)",
    ),
    (
        lambda: bayesian_cross_validate(None, Unfitted(), X, Y),
        TypeError,
        "None is not an estimator",
    ),
    (
        lambda: bayesian_cross_validate(("a", Unfitted()), ("a", Unfitted()), X, Y),
        ValueError,
        r"Names provided are not unique: \['a', 'a'\]",
    ),
    (
        lambda: bayesian_cross_validate((1, Unfitted()), Unfitted(), X, Y),
        TypeError,
        "name of an estimator must be a string, got 1",
    ),
    (
        lambda: BayesianComparer([GaussianNB, Unfitted()]).fit(X, Y),
        TypeError,
        r"Pass GaussianNB\(...\)",
    ),
]


@pytest.mark.parametrize(("call", "kind", "message"), [*CV, *DATA, *KINDS, *ESTIMATORS])
def test_message(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_overlapping_training_and_test_sets():
    cv = [(np.arange(16), np.arange(8, N)), (np.arange(8, N), np.arange(8))]
    nb = GaussianNB()
    with pytest.warns(UserWarning, match=r"In 1 of 2 splits of cv, .* \(split 0: 8 instances"):
        bayesian_cross_validate(nb, GaussianNB(var_smoothing=1.0), X, Y, cv=cv, **QUICK)


def test_masks_and_negative_indices_are_accepted():
    first = np.arange(N) < 12
    results = [
        bayesian_cross_validate(
            GaussianNB(), GaussianNB(var_smoothing=1.0), X, Y, cv=cv, return_indices=True, **QUICK
        )
        for cv in ([(FIRST, REST)], [(first, ~first)], iter([(FIRST - N, REST - N)]))
    ]
    for result in results:
        indices = result.cv_results["GaussianNB-1"]["indices"]
        np.testing.assert_array_equal(indices["test"][0], REST)


def test_arrays_without_masked_values_are_accepted():
    masked = np.ma.masked_array(Y, mask=np.zeros(N, dtype=bool))
    plain = compare_predictions(Y, A, B, **QUICK)
    np.testing.assert_array_equal(compare_predictions(masked, A, B, **QUICK).draws, plain.draws)


@pytest.mark.slow
def test_page_of_all_messages():
    messages = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "messages.py")))
    source = """
def f(x):
    if x:
        raise ValueError(f"x={x!r} is wrong, " + "pass 1.")
    warnings.warn("old", FutureWarning, stacklevel=2)
    raise
"""
    assert sorted(messages.messages_of(source)) == [
        (4, "ValueError", "x={x} is wrong, pass 1."),
        (5, "FutureWarning", "old"),
    ]
    page = messages.page()
    assert "## skbayeseval/_arrays.py" in page
    assert "TypeError: {name} must contain numbers, got {in_short(values)}." in page


def test_dates_are_labels_whatever_their_unit():
    nanoseconds = pd.Series(DATES.astype("M8[ns]"))
    result = compare_predictions(nanoseconds, DATES[::-1], DATES.astype("M8[s]"), **QUICK)
    assert result.labels == ("2020-01-01", "2020-01-02")
    assert (result.observed_a, result.observed_b) == (0.0, 1.0)
    nb = bayesian_cross_validate(
        GaussianNB(), GaussianNB(var_smoothing=1.0), X, DATES, scoring="roc_auc", **QUICK
    )
    numbers = bayesian_cross_validate(
        GaussianNB(), GaussianNB(var_smoothing=1.0), X, Y, scoring="roc_auc", **QUICK
    )
    np.testing.assert_allclose(nb.draws, numbers.draws)
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
        pd.Series([("art",), ("art", "law")] * (N // 2)),
    ],
    ids=["lists", "as many each", "sets", "Series"],
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


def test_averages_over_instances():
    with pytest.raises(ValueError, match="'f1_samples' requires a multi-label indicator, but inst"):
        compare_predictions(Y, A, B, scoring="f1_samples", **QUICK)


def test_columns_are_named():
    table = {"y": Y, "a": A, "b": B}
    columns = {"truth": "y", "a": "a", "b": "b"}
    for name in ("truth", "a", "b", "groups"):
        with pytest.raises(TypeError, match=f"^{name} must be the name of a column.{{,110}}$"):
            compare_table(table, **{**columns, name: pd.Series(range(N))}, **QUICK)


RESULT = compare_predictions(Y, A, B, **QUICK)
MANY = {f"system {k}": A for k in range(20)}
WIDE = pd.DataFrame({f"column {k}": Y for k in range(20)})


@pytest.mark.parametrize(
    ("ask", "closest"),
    [
        (lambda: compare_predictions(Y, A, B, scoring="f1_makro"), "'f1_macro', 'f1_micro'"),
        (lambda: compare_predictions(Y, A, B, scoring="AUC"), "'roc_auc', 'roc_auc_ovo'"),
        (lambda: metrics.get_metric("max_error"), "'neg_mean_squared_error'"),
        (lambda: metrics.get_metric("mutual_info_score"), "'neg_brier_score'"),
        (lambda: RESULT.plot("postrior"), "'posterior'"),
        (lambda: compare_many(Y, MANY, **QUICK).pairs["system 21", "system 3"], "'system 1'"),
        (lambda: compare_table(WIDE, truth="column 3", a="column 4", b="col 5"), "'column 5'"),
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
