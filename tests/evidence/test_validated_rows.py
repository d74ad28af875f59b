from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
)

from skbayeseval import BlockRegularizedCV, chunk_counter
from skbayeseval.evidence.instance_scores import ScoredInstances
from skbayeseval.evidence.validated_rows import ChunkRows, ClassRows, LabelRows, ScoreRows
from skbayeseval.metrics import get_metric

ACCURACY, F1 = get_metric("accuracy"), get_metric("f1")
DIFFERENCE = np.array([1.0, -1.0])


def rows_of(cv, n=120, seed=0):
    """Rows of two classifiers that err at random, in the splits of cv."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    tests = [test for _, test in cv.split(np.zeros((n, 1)), y)]
    rows = np.concatenate(tests)
    split = np.repeat(np.arange(len(tests)), [len(test) for test in tests])
    truth = y[rows]
    said = np.where(rng.random((len(rows), 2)) < 0.2, 1 - truth[:, None], truth[:, None])
    return ClassRows(rows, rows, split, truth, said, 2, 1)


@pytest.mark.parametrize(
    ("cv", "passes"),
    [
        (KFold(5), [0] * 5),
        (RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), [0, 0, 0, 1, 1, 1]),
        (BlockRegularizedCV(3, random_state=0), [0, 0, 1, 1, 2, 2]),
        (ShuffleSplit(2, test_size=0.5, random_state=0), [0, 0]),
    ],
)
def test_passes_over_the_data(cv, passes):
    rows = rows_of(cv)
    assert rows.passes.tolist() == passes
    assert rows.are_of_halves == isinstance(cv, BlockRegularizedCV)


def test_test_noise_of_accuracy_is_the_variance_between_instances():
    rows = rows_of(BlockRegularizedCV(3, random_state=0))
    right = (rows.said == rows.truth[:, None]).astype(float)
    of_instance = np.array([right[rows.instance == i].mean(axis=0) for i in range(120)])
    spread = rows.spread(ACCURACY, DIFFERENCE)
    difference = of_instance @ DIFFERENCE
    assert spread.test_noise == pytest.approx(difference.var(ddof=1) / 120, rel=1e-6)
    counts = (right @ DIFFERENCE).var() / 360
    assert spread.counts_noise == pytest.approx(counts, rel=1e-6)
    apart = right.var(axis=0).sum() / 360
    unpaired = rows.spread(ACCURACY, DIFFERENCE, paired=False)
    assert unpaired.counts_noise == pytest.approx(apart, rel=1e-6)


def test_spread_between_splits_and_passes():
    rows = rows_of(BlockRegularizedCV(3, random_state=0))
    right = (rows.said == rows.truth[:, None]) @ DIFFERENCE
    of_split = np.array([right[rows.split == s].mean() for s in range(6)])
    noise = np.array([right[rows.split == s].var(ddof=1) / 60 for s in range(6)])
    spread = rows.spread(ACCURACY, DIFFERENCE)
    pairs = of_split.reshape(3, 2)
    ratios = pairs.var(axis=1, ddof=1) / noise.reshape(3, 2).mean(axis=1)
    assert spread.between_splits == pytest.approx(ratios.mean(), rel=1e-6)
    assert spread.between_passes == pytest.approx(pairs.mean(axis=1).var(ddof=1) / 3, rel=1e-6)
    assert spread.n_passes == 3


def test_predictions_that_depend_on_no_training_set_leave_test_noise_between_halves():
    found = []
    for seed in range(200):
        rows = rows_of(BlockRegularizedCV(3, random_state=seed), seed=seed)
        said = rows_of(KFold(2), seed=seed).said[rows.instance]
        found.append(replace(rows, said=said).spread(ACCURACY, DIFFERENCE).between_splits)
    assert np.mean(found) == pytest.approx(1, abs=4 * np.std(found) / np.sqrt(200))


def test_single_instances_single_splits_and_equal_classifiers_tell_of_no_variation():
    for cv in (LeaveOneOut(), ShuffleSplit(1, test_size=0.5, random_state=0)):
        spread = rows_of(cv, n=30).spread(ACCURACY, DIFFERENCE)
        assert spread.between_splits == 1
        assert spread.test_noise > 0
    rows = rows_of(KFold(3))
    spread = replace(rows, said=rows.said[:, [0, 0]]).spread(ACCURACY, DIFFERENCE)
    assert (spread.between_splits, spread.test_noise) == (1, 0)


def test_groups_are_units():
    rows = rows_of(KFold(4), n=80)
    groups = rows.instance // 8
    grouped = replace(rows, unit=groups, weighs_units=True)
    right = (rows.said == rows.truth[:, None]) @ DIFFERENCE
    sums = np.bincount(groups, weights=right - right.mean())
    expected = (sums**2).sum() / 80**2 * 10 / 9
    spread = grouped.spread(ACCURACY, DIFFERENCE)
    assert spread.test_noise == pytest.approx(expected, rel=1e-6)
    assert spread.counts_noise == pytest.approx(expected * 9 / 10, rel=1e-6)


def test_labels_of_one_class_each_are_classes():
    rows = rows_of(BlockRegularizedCV(2, random_state=0))
    truth = sparse.csr_matrix(np.eye(2)[rows.truth])
    said = tuple(sparse.csr_matrix(np.eye(2)[one]) for one in rows.said.T)
    labels = LabelRows(rows.instance, rows.unit, rows.split, truth, said)
    for name in ("f1_macro", "f1_micro"):
        metric = get_metric(name)
        np.testing.assert_allclose(labels.influence(metric), rows.influence(metric), atol=1e-8)


def test_scores_that_are_right_or_wrong_are_classes():
    rows = rows_of(StratifiedKFold(2))
    scores = {f"{k}": rows.said[:, k].astype(float) for k in (0, 1)}
    scored = ScoredInstances.from_scores(
        rows.truth, scores, instances=rows.instance, run=rows.split
    )
    of_scores = ScoreRows(rows.instance, rows.unit, rows.split, scored)
    brier = of_scores.spread(get_metric("neg_brier_score"), DIFFERENCE)
    accuracy = rows.spread(ACCURACY, DIFFERENCE)
    for name in ("test_noise", "between_splits"):
        assert getattr(brier, name) == pytest.approx(getattr(accuracy, name), rel=1e-5)


def test_sentences_are_rows_of_chunks():
    counter = chunk_counter("IOB2")
    y = [["B-X", "O", "B-X"], ["O", "B-X", "O"], ["B-X", "B-X", "O"], ["O", "O", "B-X"]]
    a = [["B-X", "O", "O"], ["O", "B-X", "O"], ["B-X", "O", "O"], ["B-X", "O", "B-X"]]
    cells, _ = counter.cells_and_types(y, a, y)
    np.testing.assert_array_equal(cells.sum(axis=0), counter(y, a, y).cells)
    rows = ChunkRows(*[np.arange(4)] * 2, np.array([0, 0, 1, 1]), cells)
    tp, fp, fn = 4, 1, 2
    f1 = 2 * tp / (2 * tp + fp + fn)
    hits, wrong = np.array([1, 1, 1, 1]), np.array([1, 0, 1, 1])
    expected = (2 * hits - f1 * (2 * hits + wrong)) / (2 * tp + fp + fn)
    np.testing.assert_allclose(rows.influence(F1)[0], expected, atol=1e-7)
    np.testing.assert_allclose(rows.influence(F1)[1], 0, atol=1e-7)
    one, other = rows.spread(F1, DIFFERENCE), rows.spread(F1, DIFFERENCE, paired=False)
    assert one.counts_noise == pytest.approx(other.counts_noise)  # B makes no errors
