import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, StratifiedKFold

from skbayeseval import BlockRegularizedCV
from skbayeseval.splitting.check_splits import splits_of_another_size

N = 120
Y = np.arange(N) % 3


def resized(cv, groups=None):
    splits = list(cv.split(np.zeros((N, 1)), Y, groups))
    return splits, splits_of_another_size(cv, N, groups, Y, 0, splits)


@pytest.mark.parametrize(
    ("repeats", "n_blocks"), [(2, 4), (3, 4), (5, 8), (7, 8), (9, 12), (11, 12)]
)
def test_blocks_are_left_out_one_at_a_time(repeats, n_blocks):
    splits, further = resized(BlockRegularizedCV(repeats, random_state=0))
    assert len(further) == n_blocks
    assert sorted(np.concatenate([test for _, test in further])) == list(range(N))
    for train, test in further:
        assert len(train) == N - N // n_blocks
        assert not np.intersect1d(train, test).size
        # No split has cut the block.
        assert all(np.isin(test, of_split).all() or not np.isin(test, of_split).any()
                   for _, of_split in splits)  # fmt: skip


def test_other_training_sets_are_halved_with_even_classes():
    splits, further = resized(StratifiedKFold(5, shuffle=True, random_state=0))
    for (train, test), (half, same) in zip(splits, further, strict=True):
        np.testing.assert_array_equal(test, same)
        assert np.isin(half, train).all()
        assert len(half) == len(train) // 2
        assert np.ptp(np.bincount(Y[half])) <= 1


def test_groups_stay_whole():
    groups = np.arange(N) // 4
    splits, further = resized(GroupKFold(5), groups)
    for (train, _), (half, _) in zip(splits, further, strict=True):
        rest = np.setdiff1d(train, half)
        assert not np.intersect1d(groups[half], groups[rest]).size
        assert abs(len(half) - len(rest)) <= 8
    _, further = resized(BlockRegularizedCV(random_state=0), groups)
    for train, test in further:
        assert not np.intersect1d(groups[train], groups[test]).size


def test_a_training_set_of_one_group_cannot_be_halved():
    groups = np.repeat([0, 1], N // 2)
    with pytest.raises(ValueError, match="needs at least two instances, or groups"):
        resized(GroupKFold(2), groups)
