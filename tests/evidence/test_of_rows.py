"""The evidence of some of the rows is that of data with only these rows."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import f1_score, r2_score, roc_auc_score

from skbayeseval import metrics
from skbayeseval.evidence import (
    ChunkCounts,
    ItemScores,
    MarginalCounts,
    PairedCounts,
    PredictedNumbers,
    ScoredInstances,
    UnitCounts,
)
from skbayeseval.evidence.validated_rows import ChunkRows, ClassRows, ScoreRows

RNG = np.random.default_rng(0)
N = 60
Y = RNG.integers(0, 3, N)
A, B = (np.where(RNG.random(N) < p, Y, RNG.integers(0, 3, N)) for p in (0.8, 0.6))
ROWS = np.sort(RNG.choice(N, 25, replace=False))
GROUPS = np.arange(N) // 5
WHOLE_GROUPS = np.flatnonzero(np.isin(GROUPS, [1, 4, 5, 9]))
F1 = metrics.get_metric("f1_macro")


def paired(rows):
    return PairedCounts.from_labels(Y[rows], {"a": A[rows], "b": B[rows]}, weight=0.5)


def test_paired_counts():
    everything = paired(np.arange(N))
    assert everything.n_rows == N
    assert everything.of_rows(ROWS) == paired(ROWS)
    assert everything.of_rows(ROWS).of_rows(np.arange(3)) == paired(ROWS[:3])
    assert everything.pair(1, 0).of_rows(ROWS) == paired(ROWS).pair(1, 0)
    assert everything.with_weight(0.1).of_rows(ROWS) == paired(ROWS).with_weight(0.1)


def test_a_row_of_two_classes_takes_a_byte():
    y = RNG.integers(0, 2, 1000)
    assert PairedCounts.from_labels(y, {"a": y, "b": 1 - y}).outcome.nbytes == 1000


def test_classes_that_are_missing_from_a_part():
    rows = np.flatnonzero((Y != 2) & (A != 2) & (B != 2))
    part = paired(np.arange(N)).of_rows(rows)
    expected = f1_score(Y[rows], A[rows], average="macro")
    assert part.observed(F1)[0] == pytest.approx(expected)
    # A class that occurs nowhere was declared on purpose, and stays one.
    declared = PairedCounts.from_labels(Y, {"a": A, "b": B}, labels=[0, 1, 2, 3])
    assert declared.of_rows(rows).declared
    assert (
        not PairedCounts.from_labels(Y, {"a": A, "b": B}, labels=[0, 1, 2]).of_rows(rows).declared
    )


@pytest.mark.parametrize("grouped", [True, False])
def test_unit_counts(grouped):
    truth, said = ((RNG.random((N, 4)) < 0.4).astype(int) for _ in range(2))

    def units(rows):
        groups = GROUPS[rows] if grouped else None
        return UnitCounts.from_indicators(truth[rows], {"a": said[rows]}, groups=groups)

    part, alone = units(np.arange(N)).of_rows(WHOLE_GROUPS), units(WHOLE_GROUPS)
    assert part.observed(F1) == pytest.approx(alone.observed(F1))
    np.testing.assert_allclose(part.shape, alone.shape)
    np.testing.assert_allclose(part.true.toarray(), alone.true.toarray())
    assert part.n_rows == len(WHOLE_GROUPS)
    assert (part.group_of_rows is not None) == grouped


def test_unit_counts_of_rows_that_were_tested_twice():
    instances, truth = np.tile(np.arange(N), 2), np.tile(Y, 2)
    said = np.column_stack([np.tile(A, 2), np.concatenate([B, A])])

    def units(rows):
        return UnitCounts.from_codes(
            truth[rows],
            said[rows],
            (0, 1, 2),
            GROUPS[instances[rows]],
            weight=0.5,
            instances=instances[rows],
        )

    rows = np.concatenate([WHOLE_GROUPS, N + WHOLE_GROUPS])
    part, alone = units(np.arange(2 * N)).of_rows(rows), units(rows)
    assert part.observed(F1) == pytest.approx(alone.observed(F1))
    np.testing.assert_allclose(part.shape, alone.shape)


def test_chunks():
    cells = RNG.integers(0, 4, (N, 7))
    counts = ChunkCounts.of_sentences(cells, 0.5)
    assert counts == ChunkCounts(cells.sum(axis=0), 0.5)
    assert counts.of_rows(ROWS) == ChunkCounts(cells[ROWS].sum(axis=0), 0.5)
    swapped = counts.pair(1, 0).of_rows(ROWS)
    assert swapped == ChunkCounts(cells[ROWS].sum(axis=0), 0.5).pair(1, 0)


def test_instance_scores():
    y, scores = RNG.integers(0, 2, N), RNG.random(N)
    part = ScoredInstances.from_scores(y, {"a": scores}).of_rows(ROWS)
    found = part.observed(metrics.get_metric("roc_auc"))[0]
    assert found == pytest.approx(roc_auc_score(y[ROWS], scores[ROWS]))


def test_runs_in_which_a_metric_is_not_defined_are_left_out():
    y, run = np.array([0, 1, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 1])
    scored = ScoredInstances.from_scores(y, {"a": np.arange(6.0)}, run=run)
    auc = metrics.get_metric("roc_auc")
    assert scored.rows_where_defined(auc, np.arange(6)).tolist() == [0, 1, 2]
    assert scored.rows_where_defined(auc, np.array([0, 2, 3])).tolist() == []


def test_predicted_numbers():
    y, said = RNG.normal(size=N), RNG.normal(size=N)
    weight = RNG.random(N)
    numbers = PredictedNumbers.from_predictions(y, {"a": said}, sample_weight=weight)
    found = numbers.of_rows(ROWS).observed(metrics.get_metric("r2"))[0]
    assert found == pytest.approx(r2_score(y[ROWS], said[ROWS], sample_weight=weight[ROWS]))


def test_items():
    scores = RNG.random((2, N, 2))
    scores[:, ROWS, 1] = np.nan
    items = ItemScores(scores, GROUPS)
    part = items.of_rows(ROWS)
    assert (part.n_items, part.n_runs) == (len(ROWS), 1)
    np.testing.assert_allclose(part.means, items.means[:, ROWS])
    assert part.n_groups == len(np.unique(GROUPS[ROWS]))
    # What is possible does not depend on the part.
    assert part.range_seen == items.range_seen


def test_counts_that_were_given_have_no_rows():
    counts = PairedCounts([0, 1], [[0, 0], [1, 1]], [5, 5], (0, 1))
    for evidence in (counts, MarginalCounts(counts.margins()), ChunkCounts(np.ones(7))):
        assert evidence.n_rows is None
        with pytest.raises(ValueError, match="Rows are not kept"):
            evidence.of_rows(np.array([0]))


def class_rows(rows):
    said = np.column_stack([np.tile(A, 2), np.tile(B, 2)])
    instance = np.tile(np.arange(N), 2)
    split = np.repeat([0, 1, 2, 3], N // 2)
    return ClassRows(
        instance[rows],
        instance[rows],
        np.unique(split[rows], return_inverse=True)[1],
        np.tile(Y, 2)[rows],
        said[rows],
        3,
        0,
    )


def test_validated_rows():
    rows = np.flatnonzero(np.tile(np.isin(np.arange(N), ROWS[ROWS < N // 2]), 2))
    contrast = np.array([1.0, -1.0])
    found = class_rows(np.arange(2 * N)).of_rows(rows).spread(F1, contrast)
    np.testing.assert_allclose(found, class_rows(rows).spread(F1, contrast))
    assert found.n_passes == 2


def test_other_kinds_of_validated_rows():
    contrast = np.array([1.0, -1.0])
    everything, whole = class_rows(np.arange(2 * N)), np.concatenate([ROWS, N + ROWS])
    units = everything.instance // 5
    grouped = replace(everything, unit=units, weighs_units=True).of_rows(whole)
    assert len(grouped.influence(F1)[0]) == len(whole)
    cells = RNG.integers(0, 4, (2 * N, 7))
    chunks = ChunkRows(everything.instance, everything.instance, everything.split, cells)
    np.testing.assert_array_equal(chunks.of_rows(whole).cells, cells[whole])
    numbers = PredictedNumbers.from_predictions(
        RNG.normal(size=2 * N),
        {"a": RNG.normal(size=2 * N), "b": RNG.normal(size=2 * N)},
        instances=everything.instance,
        run=everything.split,
    )
    rows = ScoreRows(everything.instance, everything.instance, everything.split, numbers)
    r2 = metrics.get_metric("r2")
    np.testing.assert_allclose(
        rows.of_rows(whole).influence(r2), numbers.of_rows(whole).influence(r2)
    )
    assert rows.of_rows(whole).spread(r2, contrast).test_noise > 0
