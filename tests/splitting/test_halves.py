import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, StratifiedKFold

from skbayeseval.splitting.check_splits import splits_of_halves

N = 60
X, Y = np.arange(N)[:, None], np.repeat([0, 1], [45, 15])


def rows_of(splits):
    return {int(i) for train, test in splits for i in (*train, *test)}


def test_halves_are_disjoint_and_complete():
    for first, second in splits_of_halves(KFold(3), X, Y, {}, 4, seed=0, classes=Y):
        assert rows_of(first) | rows_of(second) == set(range(N))
        assert not rows_of(first) & rows_of(second)
        assert len(first) == len(second) == 3
        for half in (first, second):
            assert 7 <= Y[list(rows_of(half))].sum() <= 8
            for train, test in half:
                assert not set(train) & set(test)


def test_groups_stay_whole():
    groups = np.arange(N) // 5
    for pair in splits_of_halves(GroupKFold(3), X, Y, {"groups": groups}, 3, seed=1, classes=Y):
        first, second = ({int(groups[i]) for i in rows_of(half)} for half in pair)
        assert not first & second
        assert len(first) + len(second) == 12


@pytest.mark.parametrize("cv", [PredefinedSplit(np.arange(N) % 3), StratifiedKFold(40)])
def test_splitters_that_cannot_split_a_half(cv):
    with pytest.raises(ValueError, match=r"calibrate=2 compares halves .* cannot split a half"):
        splits_of_halves(cv, X, Y, {}, 2, seed=0, classes=Y)
