"""Counts in pandas objects mean what their labels say."""

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_confusion_matrices, compare_counts

CLASSES = ["no", "yes", "perhaps"]
TABLE = np.array([[50, 3, 1], [4, 40, 2], [0, 5, 30]])
A = pd.DataFrame(TABLE, index=CLASSES, columns=CLASSES)
B = A + np.array([[0, 9, 0], [0, 0, 0], [7, 0, 0]])
ORDER = ["yes", "perhaps", "no"]


def observed(a, b, **options):
    result = compare_confusion_matrices(a, b, scoring=["accuracy", "recall_macro"], **options)
    return [getattr(result.metric(name), f"observed_{x}") for name in result.metrics for x in "ab"]


@pytest.mark.parametrize(
    "shuffled", [B.loc[ORDER], B[ORDER], B.loc[ORDER, ORDER], B.loc[ORDER, ORDER[::-1]]]
)
def test_rows_and_columns_are_found_by_class(shuffled):
    expected = observed(A.to_numpy(), B.to_numpy())
    assert observed(A, shuffled) == pytest.approx(expected)
    assert observed(shuffled, A) == pytest.approx([expected[i] for i in (1, 0, 3, 2)])
    assert observed(A.to_numpy(), shuffled, labels=CLASSES) == pytest.approx(expected)
    assert observed([A, A], [B, shuffled], weight=0.5) == pytest.approx(expected)


def test_numbers_in_another_order_are_names():
    two = pd.DataFrame([[40, 5], [3, 60]], index=[1, 0], columns=[1, 0])
    result = compare_confusion_matrices(two, two, scoring="recall")
    assert result.observed_a == pytest.approx(40 / 45)


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


def test_counts_with_other_names_are_refused():
    with pytest.raises(
        ValueError, match="counts_b has .'hits', 'fp', 'fn'., but .'tp', 'fp', 'fn'"
    ):
        compare_counts((88, 10, 12), pd.Series({"hits": 80, "fp": 14, "fn": 20}))
