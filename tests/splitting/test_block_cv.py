from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.integrate import dblquad
from sklearn import config_context
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.utils.metadata_routing import get_routing_for_object

from skbayeseval import BlockRegularizedCV
from skbayeseval.splitting.block_cv import balanced_partition, calibrated_weight, orthogonal_array


def largest_imbalance(columns, blocks, n_blocks):
    """Return the largest deviation of a block's sum from its share, relative to that share."""
    share = columns.sum(axis=0) / n_blocks
    sums = np.zeros((n_blocks, columns.shape[1]))
    np.add.at(sums, blocks, columns)
    used = share > 0
    return float(np.max(np.abs(sums - share)[:, used] / share[used], initial=0.0))


def blocks_of(cv, X, y=None, groups=None):
    """Recover the blocks from the splits: instances that are always on the same side."""
    sides = [
        np.isin(np.arange(len(X)), train) for train, _ in list(cv.split(X, y, groups=groups))[::2]
    ]
    _, blocks = np.unique(np.array(sides).T, axis=0, return_inverse=True)
    return np.ravel(blocks)


@pytest.mark.parametrize("m", [2, 3, 11])
def test_weight_is_the_average_of_the_paper(m):
    # Wang and Li 2019, eq. 22, by numerical integration.
    integral, _ = dblquad(
        lambda rho_2, rho_1: 1 / (1 + rho_1 + 2 * (m - 1) * rho_2), 0, 0.5, 0.25, 0.5
    )
    assert calibrated_weight(m) == pytest.approx(8 * integral, abs=1e-10)
    assert BlockRegularizedCV(m).weight == calibrated_weight(m)
    assert BlockRegularizedCV(3).weight == pytest.approx(0.368802, abs=5e-7)
    # A single two-fold cross-validation: the average of 1 / (1 + rho_1).
    assert calibrated_weight(1) == pytest.approx(2 * np.log(1.5))


@pytest.mark.parametrize("m", range(2, 12))
def test_orthogonal_array(m):
    # With three repeats, these are all ways to cut four blocks in two: Wang and Li 2019, Table 1.
    array = orthogonal_array(m)
    n_blocks = len(array)
    assert n_blocks == (4 if m <= 3 else 8 if m <= 7 else 12)
    assert array.shape == (n_blocks, m)
    assert (array.sum(axis=0) == n_blocks // 2).all()
    for i, j in combinations(range(m), 2):
        for first, second in product((True, False), repeat=2):
            both = (array[:, i] == first) & (array[:, j] == second)
            assert both.sum() == n_blocks // 4


@pytest.mark.parametrize(("m", "n"), [(2, 101), (3, 48), (6, 101), (11, 48)])
def test_splits(m, n):
    y = np.random.default_rng(n).integers(0, 3, n)
    cv = BlockRegularizedCV(m, random_state=0)
    splits = list(cv.split(np.zeros((n, 2)), y))
    assert len(splits) == cv.get_n_splits() == 2 * m
    n_blocks = len(orthogonal_array(m))
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(n))
        assert abs(len(train) - n / 2) <= n_blocks / 2
    for (first, second), (third, fourth) in zip(splits[::2], splits[1::2], strict=True):
        np.testing.assert_array_equal(first, fourth)
        np.testing.assert_array_equal(second, third)
    for one, other in combinations(splits[::2], 2):
        for side in other:
            assert abs(len(np.intersect1d(one[0], side)) - n / 4) <= n_blocks / 4
    validated = np.bincount(np.concatenate([test for _, test in splits]), minlength=n)
    assert (validated == m).all()


@pytest.mark.parametrize(("m", "kind"), [(2, np.array), (5, pd.Series), (11, list)])
def test_blocks_agree_in_size_and_classes(m, kind):
    y = np.repeat(["a", "b", "c"], [51, 30, 20])
    blocks = blocks_of(BlockRegularizedCV(m, random_state=1), np.zeros(101), kind(y))
    n_blocks = len(orthogonal_array(m)) if m > 2 else 4
    table = pd.crosstab(blocks, y)
    assert len(table) == n_blocks
    assert (table.max() - table.min()).max() <= 1
    assert np.ptp(table.sum(axis=1)) <= 1


def random_median(columns, n_blocks):
    rng, sides = np.random.default_rng(0), np.arange(len(columns)) % n_blocks
    at_random = (largest_imbalance(columns, rng.permutation(sides), n_blocks) for _ in range(100))
    return np.median(list(at_random))


@pytest.mark.parametrize(("m", "as_sparse"), [(3, False), (11, True)])
def test_every_label_of_an_indicator_is_balanced(m, as_sparse):
    X, Y = make_multilabel_classification(400, n_classes=12, random_state=0)
    n_blocks = len(orthogonal_array(m))
    cv = BlockRegularizedCV(m, random_state=0)
    blocks = blocks_of(cv, X, sparse.csr_matrix(Y) if as_sparse else Y)
    assert largest_imbalance(Y, blocks, n_blocks) < 0.5 * random_median(Y, n_blocks)
    assert np.ptp(np.bincount(blocks)) <= 1


def entities(X, y):
    """Numbers of entities of four types in each 'sentence'."""
    return np.random.default_rng(0).poisson([0.6, 0.5, 0.4, 0.1], (len(X), 4))


@pytest.mark.parametrize("m", [3, 11])
def test_frequencies_from_a_callable_or_an_array(m):
    X = [f"sentence {i}" for i in range(600)]
    columns = entities(X, None).astype(float)
    n_blocks = len(orthogonal_array(m))
    most = 0.35 * random_median(columns, n_blocks)
    with_zeros = sparse.csr_matrix(columns)
    with_zeros.data[0] = columns[0, with_zeros.indices[0]] = 0.0
    for regularize in (entities, columns, sparse.csr_matrix(columns), with_zeros):
        cv = BlockRegularizedCV(m, regularize=regularize, random_state=0)
        blocks = blocks_of(cv, X)
        assert largest_imbalance(columns, blocks, n_blocks) < most
        assert np.ptp(np.bincount(blocks)) <= 1


@pytest.mark.parametrize(
    ("options", "y", "words"),
    [
        ({}, [0, np.nan] * 4, "Input y contains NaN"),
        ({"regularize": np.ones((50, 2))}, None, r"shape \(50, 2\), but there are 8 sa.*callable"),
        ({"regularize": -np.ones(8)}, None, "negative, NaN or infinite"),
        ({"regularize": "classes"}, None, "regularize must be 'auto'"),
        ({"n_repeats": 11}, None, "blocks=12 greater than the number of samples: n_samples=8"),
        ({"n_repeats": 4}, [0, 1] * 4, "n_blocks=8 cannot be .*classes, pass regularize=None"),
    ],
)
def test_bad_data(options, y, words):
    with pytest.raises(ValueError, match=words):
        next(BlockRegularizedCV(**options).split(np.zeros(8), y))


@pytest.mark.parametrize(("m", "regularize"), [(3, "auto"), (8, None), (3, entities)])
def test_groups_stay_whole(m, regularize):
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 80, 500)
    y = rng.integers(0, 2, 500)
    cv = BlockRegularizedCV(m, regularize=regularize, random_state=0)
    for train, test in cv.split(np.zeros(500), y, groups):
        assert not set(groups[train]) & set(groups[test])
        assert len(test) == pytest.approx(250, abs=20)
        assert y[test].mean() == pytest.approx(y.mean(), abs=0.05)


@pytest.mark.parametrize("regularize", ["auto", None])
def test_groups_of_other_sizes_make_equal_halves(regularize):
    groups = np.repeat(np.arange(60), 1 + np.random.default_rng(0).geometric(0.1, 60))
    cv = BlockRegularizedCV(3, regularize=regularize, random_state=0)
    for train, test in cv.split(groups, None, groups):
        assert abs(len(train) - len(test)) < 10


def test_as_many_groups_as_blocks():
    groups = np.repeat(np.arange(4) + 0.5, 10)  # any labels, also those that are no classes
    for train, test in BlockRegularizedCV(3, random_state=0).split(np.zeros(40), None, groups):
        assert len(set(groups[train])) == len(set(groups[test])) == 2
    with pytest.raises(ValueError, match="4 blocks of whole groups, but the number of groups is 3"):
        next(BlockRegularizedCV(3).split(np.zeros(30), None, groups[:30]))


def test_groups_are_routed():
    assert get_routing_for_object(BlockRegularizedCV()).split.requests == {"groups": True}
    X, y = make_classification(60, random_state=0)
    groups = np.arange(60) // 3
    with config_context(enable_metadata_routing=True):
        found = cross_validate(
            LogisticRegression(), X, y, cv=BlockRegularizedCV(random_state=0),
            params={"groups": groups}, return_indices=True,
        )  # fmt: skip
    for train, test in zip(found["indices"]["train"], found["indices"]["test"], strict=True):
        assert not set(groups[train]) & set(groups[test])


def test_small_classes():
    y = np.array([0] * 30 + [1] * 3)
    with pytest.warns(UserWarning, match="least populated class in y has only 3 members"):
        list(BlockRegularizedCV().split(np.zeros(33), y))
    assert len(list(BlockRegularizedCV().split(np.zeros(4)))) == 6


@pytest.mark.parametrize(("m", "error"), [(1, ValueError), (12, ValueError), (3.0, TypeError)])
def test_bad_number_of_repeats(m, error):
    cv = BlockRegularizedCV(m)  # the constructor only stores
    for call in (cv.get_n_splits, lambda: next(cv.split(np.zeros(50)))):
        with pytest.raises(error, match="n_repeats"):
            call()


@pytest.mark.slow
def test_blocks_are_random_however_they_are_balanced():
    rng = np.random.default_rng(0)
    sizes = np.arange(3, 23)
    groups = np.repeat(np.arange(20), sizes)
    n = len(groups)
    y = rng.integers(0, 2, n)
    labels = (rng.random((n, 6)) < 0.3).astype(int)
    frequencies = rng.gamma(0.5, size=(n, 3))
    for cv, target, grouping in (
        (BlockRegularizedCV(), y, groups),
        (BlockRegularizedCV(), labels, None),
        (BlockRegularizedCV(regularize=frequencies), y, None),
    ):
        first = [frozenset(next(cv.split(np.zeros(n), target, grouping))[0]) for _ in range(60)]
        # The two halves of a split have no order: count an instance's company, not its side.
        assert len(set(first)) > 50
        heavy = int(np.argmax(labels.sum(axis=1))) if target is labels else n - 1
        side = np.mean([heavy in one for one in first])
        assert 0.25 < side < 0.75


def test_whole_numbers_are_no_classes():
    y = np.random.default_rng(0).integers(20, 300, 442).astype(float)
    blocks = blocks_of(BlockRegularizedCV(5, random_state=0), np.zeros(442), y)
    assert np.ptp(np.bincount(blocks)) <= 1


def test_nearly_perfect_partition_is_found():
    # Twelve units of each of ten kinds would go evenly into four blocks.
    kinds = np.random.default_rng(0).random((10, 6))
    columns = np.repeat(kinds, 12, axis=0)
    blocks = balanced_partition(columns, 4, np.random.RandomState(0), equal_sizes=True)
    assert (np.bincount(blocks) == 30).all()
    assert largest_imbalance(columns, blocks, 4) < 0.05
    empty = balanced_partition(np.zeros((10, 3)), 4, np.random.RandomState(0), equal_sizes=True)
    assert np.ptp(np.bincount(empty)) <= 1


@pytest.mark.parametrize("equal_sizes", [True, False])
def test_rounding_does_not_decide_between_ties(equal_sizes):
    # A factor common to all columns changes nothing but the last bits of the shares.
    columns = np.random.default_rng(0).integers(0, 3, (90, 4)).astype(float)
    plain, *others = (
        balanced_partition(columns * factor, 4, np.random.RandomState(1), equal_sizes=equal_sizes)
        for factor in (1.0, 3.0, 7.0, 0.1, 1 / 3)
    )
    for blocks in others:
        np.testing.assert_array_equal(blocks, plain)
