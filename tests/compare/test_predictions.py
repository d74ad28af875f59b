"""The faces: invariances, and what bad input gets."""

import numpy as np
import pandas as pd
import pytest

from skbayeseval import (
    PyMCEngine,
    compare_confusion_matrices,
    compare_counts,
    compare_many,
    compare_predictions,
    metrics,
    score_posterior,
)
from skbayeseval.models import BCV, Paired


@pytest.mark.parametrize(
    ("compare", "run", "names"),
    [
        (compare_counts, np.ones(3), "in counts_a and [13] in counts_b"),
        (compare_confusion_matrices, np.ones((2, 2)), "in cm_a and [13] in cm_b"),
    ],
)
def test_runs(compare, run, names):
    runs = np.stack([run] * 6)
    with pytest.raises(ValueError, match=r"holds 6 runs, but weight is None.*BlockRegularizedCV"):
        compare(runs, runs)
    for others in (runs[:3], run):
        with pytest.raises(
            ValueError, match=f"must contain the same number of runs, got 6 {names}"
        ):
            compare(runs, others, weight=0.4)


GOOD = ([0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 0])
IN_WORDS = {"y_true": list("nyyn"), "y_pred_a": list("nynn"), "y_pred_b": list("yyyn")}


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"y_true": [0, 1, 2, 0], "model": "bcv"}, ValueError, "model='bcv' does not fit"),
        ({"labels": [0, 2]}, ValueError, r"y_true contains labels that are not in labels=\[0, 2"),
        ({**IN_WORDS, "scoring": "f1"}, ValueError, "pos_label=1 is not a valid label"),
        ({"scoring": "max_error"}, ValueError, "is a maximum.*model='scores'"),
        ({"scoring": "rand_score"}, TypeError, "does not take sample_weight.*metrics.resampled"),
        ({"model": "hierarchy"}, ValueError, "model='hierarchy' is not a known model"),
        ({"engine": "magic"}, ValueError, "engine='magic' is not a known engine"),
        ({"engine": "auto"}, ValueError, "engine='auto' is not a known engine"),
        ({"model": Paired(mu=-1)}, ValueError, "prior 'mu' must contain finite numbers greater"),
        ({"weight": "inferred"}, ValueError, "weight='inferred' is of .* pass folds="),
        ({"weight": "best"}, TypeError, "weight must be an instance of"),
        ({"names": ("A", "A")}, ValueError, "names must differ"),
        ({"engine": PyMCEngine(prior={"mu": 1})}, TypeError, "prior must be a function that"),
        ({"y_pred_a": ["0", "1", "0", "0"]}, ValueError, "Mix of label .*y_pred_a has '0'"),
        ({"scoring": {1: "f1"}}, TypeError, "keys of scoring must be strings"),
    ],
)
def test_bad_predictions(change, error, message):
    arguments = dict(zip(("y_true", "y_pred_a", "y_pred_b"), GOOD, strict=True)) | change
    with pytest.raises(error, match=message):
        compare_predictions(**arguments)


MATRIX = [[5, 2], [1, 8]]


@pytest.mark.parametrize(
    ("cm_b", "options", "error", "message"),
    [
        ([[1, 2, 3], [4, 5, 6]], {}, ValueError, "cm_b must be a square matrix"),
        ([[1, -2], [3, 4]], {}, ValueError, "cm_b must not be negative"),
        ([[1, 0.5], [3, 4]], {}, ValueError, "cm_b must contain whole numbers, got 0.5"),
        ([[0, 0], [3, 4]], {}, ValueError, "cm_b must contain at least two classes.*class: 1"),
        (np.ones((3, 3)), {}, ValueError, "cm_a and cm_b must have the same classes"),
        (MATRIX, {"model": "paired"}, ValueError, "model='paired' requires the predictions of"),
        (MATRIX, {"labels": [1, 2, 3]}, ValueError, "labels has 3 classes"),
    ],
)
def test_bad_matrices(cm_b, options, error, message):
    with pytest.raises(error, match=message):
        compare_confusion_matrices(MATRIX, cm_b, **options)


@pytest.mark.parametrize(
    ("counts_b", "options", "error", "message"),
    [
        ((1, 2), {}, ValueError, r"counts_b must be \(tp, fp, fn\) .* got an array of shape \(2,"),
        ((1, -2, 3), {}, ValueError, "counts_b must not be negative, got -2"),
        ((0, 0, 0), {}, ValueError, "counts_b must contain a count greater than 0"),
        ((4, 2, 3), {"scoring": "accuracy"}, ValueError, "'accuracy' requires true negatives"),
        ((4, 2, 3), {"model": "unpaired"}, ValueError, "model='unpaired' requires true negatives"),
        ((4, 2, 3), {"model": BCV(0)}, ValueError, "prior 'lambda' must contain finite"),
    ],
)
def test_bad_counts(counts_b, options, error, message):
    with pytest.raises(error, match=message):
        compare_counts((5, 1, 2), counts_b, **options)


def test_true_negatives_of_one_only_are_not_used():
    result = compare_counts((5, 1, 2, 9), (4, 2, 3), random_state=0)
    assert not result.evidence[0].has_true_negatives
    with pytest.raises(ValueError, match="requires true negatives"):
        result.metric("specificity")


def test_pairing_narrows_but_does_not_move(votes):
    paired, unpaired = (
        compare_predictions(*votes, model=model, random_state=0).draws
        for model in ("paired", "unpaired")
    )
    assert paired.std() < 0.8 * unpaired.std()
    assert paired.mean() == pytest.approx(unpaired.mean(), abs=0.003)


def test_a_metric_of_ones_own(votes):
    cost = metrics.from_confusion(lambda t: -(t[..., 0, 1] + 5 * t[..., 1, 0]), "minus_cost")
    result = compare_predictions(*votes, scoring=cost, random_state=0)
    y, a, _ = votes
    wrong = np.mean((y == 0) & (a == 1)) + 5 * np.mean((y == 1) & (a == 0))
    assert result.observed_a == pytest.approx(-wrong)
    assert result.draws_a.mean() == pytest.approx(-wrong, abs=0.05)
    assert result.bayes_factor(rope=0.05).reliable


def test_a_result_keeps_its_own_prior(votes):
    model, theta = Paired(), np.ones(4)
    one = compare_predictions(*votes, model=model, scoring="recall", random_state=0)
    other = compare_predictions(*votes, model=Paired(theta=theta), scoring="recall", random_state=0)
    before = one.bayes_factor().value
    model.set_params(theta=4.0)
    theta[:] = 4.0
    assert one.bayes_factor().value == other.bayes_factor().value == before
    assert one.prior["theta"] == 1.0
    np.testing.assert_array_equal(other.prior["theta"], np.ones(4))


@pytest.mark.parametrize("options", [{}, {"groups": [1, 1, 2, 2]}])
def test_labels_that_are_written_in_another_way(options):
    y, a, b = [0, 1, 1, 0], [0, 1, 0, 0], ["no", "yes", "yes", "no"]
    with pytest.raises(ValueError, match=r"Mix of label input types"):
        compare_predictions(y, a, b, **options)
    y, a = ["0", "1", "1", "0"], ["0", "1", "0", "0"]
    message = (
        r"have no label in common: y_pred_b contains \['no', 'yes'\], y_true contains \['0', '1'"
    )
    with pytest.raises(ValueError, match=message):
        compare_predictions(y, a, b, **options)
    with pytest.raises(ValueError, match=r"predictions\['svm'\] and y_true have no label"):
        compare_many(y, {"nb": a, "svm": b, "lr": a}, **options)
    with pytest.raises(ValueError, match="y_pred and y_true have no label in common"):
        score_posterior(y, b, **options)
    # One label that is known will do, and so will classes that are declared.
    compare_predictions(y, a, ["0", "yes", "yes", "no"], n_draws=100, **options)
    compare_predictions(y, a, b, labels=["0", "1", "no", "yes"], n_draws=100, **options)


def test_columns_of_a_frame_are_classifiers():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 50)
    frame = pd.DataFrame({name: np.where(rng.random(50) < 0.8, y, 1 - y) for name in ("x", "y", 3)})
    named = {str(name): frame[name] for name in frame}
    options = {"n_draws": 200, "random_state": 0}
    ranking = compare_many(y, frame, **options)
    assert ranking.names == ("x", "y", "3")
    assert ranking.table.equals(compare_many(y, named, **options).table)
    scores = pd.DataFrame(y[:, None] + rng.normal(size=(50, 2)), columns=["x", "y"])
    ranking = compare_many(y, None, scores=scores, scoring="roc_auc", **options)
    assert ranking.names == ("x", "y")
    with pytest.raises(ValueError, match=r"columns of a DataFrame must differ .* \['x', 'x', '3'"):
        compare_many(y, frame.set_axis(["x", "x", "3"], axis=1), **options)
    with pytest.raises(TypeError, match="or a pandas DataFrame, got "):
        compare_many(y, [y, y], **options)


# Counts in pandas objects mean what their labels say.

CLASSES = ["no", "yes", "perhaps"]
TABLE = np.array([[50, 3, 1], [4, 40, 2], [0, 5, 30]])
A = pd.DataFrame(TABLE, index=CLASSES, columns=CLASSES)
B = A + np.array([[0, 9, 0], [0, 0, 0], [7, 0, 0]])
ORDER = ["yes", "perhaps", "no"]


def observed(a, b, **options):
    result = compare_confusion_matrices(a, b, scoring=["accuracy", "recall_macro"], **options)
    return [getattr(result.metric(name), f"observed_{x}") for name in result.metrics for x in "ab"]


@pytest.mark.parametrize("shuffled", [B.loc[ORDER], B.loc[ORDER, ORDER[::-1]]])
def test_rows_and_columns_are_found_by_class(shuffled):
    expected = observed(A.to_numpy(), B.to_numpy())
    assert observed(A, shuffled) == pytest.approx(expected)
    assert observed(shuffled, A) == pytest.approx([expected[i] for i in (1, 0, 3, 2)])
    assert observed(A.to_numpy(), shuffled, labels=CLASSES) == pytest.approx(expected)
    assert observed([A, A], [B, shuffled], weight=0.5) == pytest.approx(expected)
    two = pd.DataFrame([[40, 5], [3, 60]], index=[1, 0], columns=[1, 0])  # numbers are names
    assert compare_confusion_matrices(two, two, scoring="recall").observed_a == 40 / 45


@pytest.mark.parametrize(
    ("cm_b", "message"),
    [
        (A.rename(index={"no": "No"}), "cm_b has rows .'No', 'yes', 'perhaps'., but .'no', "),
        (A.rename(columns={"no": "No"}), "cm_b has columns .'No', 'yes', 'perhaps'., but .'no', "),
        (A[["no", "yes"]], "cm_b has columns .'no', 'yes'., but .'no', 'yes', 'perhaps'. are"),
    ],
)
def test_other_classes_are_refused(cm_b, message):
    with pytest.raises(ValueError, match=message):
        compare_confusion_matrices(A, cm_b)


def test_counts_are_found_by_name():
    plain = compare_counts((88, 10, 12, 90), (80, 14, 20, 86), random_state=0)
    a = pd.Series({"TN": 90, "FP": 10, "FN": 12, "TP": 88})
    b = pd.Series({"fn": 20, "tp": 80, "fp": 14, "tn": 86})
    assert compare_counts(a, b, random_state=0).hdi() == plain.hdi()
    frame = pd.DataFrame([a, a]).astype(int)
    runs = compare_counts(frame, [b, b], weight=0.5, random_state=0)
    assert (runs.observed_a, runs.observed_b) == (plain.observed_a, plain.observed_b)
    unnamed = compare_counts(pd.Series([88, 10, 12, 90]), b, random_state=0)
    assert unnamed.hdi() == plain.hdi()
    other = pd.Series({"hits": 80, "fp": 14, "fn": 20})
    with pytest.raises(ValueError, match="counts_b has .'hits', 'fp', 'fn'., but .'tp', 'fp', 'f"):
        compare_counts((88, 10, 12), other)
