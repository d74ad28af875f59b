"""Splits: what is known of them without the data, and warnings."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    check_cv,
)
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from skbayeseval import BlockRegularizedCV, bayesian_cross_validate
from skbayeseval.splitting.splits import (
    SplitProportions,
    cautious_proportions,
    split_proportions,
    weight_at_random,
    weight_of_fraction,
)

N = 240
Y = np.arange(N) % 2
GROUPS = np.arange(N) // 4


def brute_force(cv):
    """What the splits themselves say: mean test fraction, Kish's weight, mean training share."""
    groups, rows = GROUPS if "Group" in type(cv).__name__ else None, np.arange(N)
    generated = check_cv(cv, Y, classifier=True).split(np.zeros((N, 1)), Y, groups)
    splits = [(rows[train], rows[test]) for train, test in generated]
    times = np.bincount(np.concatenate([test for _, test in splits]))
    fraction = np.mean([len(test) / (len(test) + len(train)) for train, test in splits])
    share = np.mean([len(train) / N for train, _ in splits])
    return len(splits), SplitProportions(fraction, times.sum() / (times**2).sum(), share)


@pytest.mark.parametrize(
    "cv",
    [
        None,
        3,
        StratifiedKFold(6),
        GroupKFold(3),
        LeaveOneOut(),
        RepeatedKFold(n_splits=4, n_repeats=3, random_state=0),
        RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0),
        PredefinedSplit(np.arange(N) % 3 - 1),
        list(ShuffleSplit(7, random_state=0).split(np.zeros(N))),
        [(np.arange(N) < 100, np.arange(N) >= 140), (np.arange(N) >= 100, np.arange(N) < 100)],
    ],
)
def test_geometry_is_that_of_the_splits(cv):
    n_splits, expected = brute_force(cv)
    np.testing.assert_allclose(split_proportions(cv, n_splits), expected)


@pytest.mark.parametrize(
    "cv",
    [
        ShuffleSplit(40, random_state=0),
        ShuffleSplit(40, test_size=0.25, train_size=0.5, random_state=0),
        StratifiedShuffleSplit(40, train_size=0.7, random_state=0),
        GroupShuffleSplit(60, random_state=0),
    ],
)
def test_shuffles_in_expectation(cv):
    n_splits, expected = brute_force(cv)
    np.testing.assert_allclose(split_proportions(cv, n_splits), expected, rtol=0.02)


@pytest.mark.parametrize(
    ("cv", "known"),
    [
        (LeaveOneGroupOut(), SplitProportions(weight=1.0)),
        (TimeSeriesSplit(3), SplitProportions(weight=1.0)),
        (ShuffleSplit(3, test_size=20), SplitProportions()),
        (ShuffleSplit(3, test_size=20, train_size=60), SplitProportions(test_fraction=0.25)),
        (iter([]), SplitProportions()),
        ([], SplitProportions()),
        (["no", "splits"], SplitProportions()),
        (object(), SplitProportions()),
    ],
)
def test_what_is_not_known(cv, known):
    assert split_proportions(cv, 3) == known


def sizes_of(cv, y):
    return np.array([np.bincount(y[test], minlength=2) for _, test in cv.split(y, y)])


@pytest.mark.parametrize(
    ("cv", "sizes_tell"),
    [
        (KFold(5), True),
        (RepeatedKFold(n_splits=3, n_repeats=4, random_state=0), True),
        (RepeatedStratifiedKFold(n_splits=2, n_repeats=3, random_state=0), True),
        (StratifiedKFold(4), False),
    ],
)
def test_unknown_splits_are_the_fewest_folds_that_they_may_be(cv, sizes_tell):
    y = np.repeat([0, 1], [41, 64] if sizes_tell else [40, 64])
    sizes = sizes_of(cv, y)
    true = split_proportions(cv, len(sizes))
    found = cautious_proportions(len(sizes), sizes)
    if sizes_tell:
        assert found == pytest.approx(true)
    else:  # every two test sets have the same classes, as two halves would
        assert found == SplitProportions(0.5, 0.5, 0.5)
    blind = cautious_proportions(len(sizes))
    assert blind.weight <= true.weight
    assert blind.test_fraction >= true.test_fraction


@pytest.mark.parametrize("n_repeats", [2, 10])
def test_unknown_splits_are_not_worth_more_than_blocks(n_repeats):
    cv = BlockRegularizedCV(n_repeats, random_state=0)
    sizes = sizes_of(cv, np.repeat([0, 1], [41, 64]))
    assert split_proportions(cv, len(sizes)) == (0.5, cv.weight, 0.5)
    assert cautious_proportions(len(sizes), sizes).weight <= cv.weight
    assert cautious_proportions(len(sizes)).test_fraction == 0.5
    assert cautious_proportions(1) == SplitProportions(weight=1.0)


def test_weight_from_the_fraction_alone():
    rng = np.random.default_rng(0)
    times = rng.binomial(6, 0.5, 100_000)
    assert weight_at_random(0.5, 6) == pytest.approx(times.sum() / (times**2).sum(), rel=0.01)
    assert weight_at_random(0.2, 1) == 1
    assert weight_of_fraction(None, 0.2, 5) == 1
    assert weight_of_fraction(None, 0.5, 6) == 1 / 3
    assert weight_of_fraction(None, 0.201, 10) == 0.5
    assert weight_of_fraction(None, 0.2, 6) == weight_at_random(0.2, 6)
    assert weight_of_fraction(ShuffleSplit(5), 0.2, 5) == weight_at_random(0.2, 5)
    uneven = np.array([[5, 5], [5, 5], [4, 5], [5, 5]])
    assert weight_of_fraction(None, 0.5, 4, uneven) == weight_at_random(0.5, 4)


# Splits that do not keep groups whole.

PATIENTS = np.arange(60) // 10
Z = np.arange(60) % 2
X = Z[:, None] + np.random.default_rng(0).normal(size=(60, 2))


def compared(cv):
    learners, options = (GaussianNB(), BernoulliNB()), {"n_draws": 200, "random_state": 0}
    return bayesian_cross_validate(*learners, X, Z, groups=PATIENTS, cv=cv, **options)


class OwnGroups(KFold):
    """A splitter of a user, which says nothing of groups."""

    def split(self, X, y=None, groups=None):
        return GroupKFold(2).split(X, y, groups)


ODD = [(np.arange(0, 60, 2), np.arange(1, 60, 2)), *KFold(2).split(X)]


@pytest.mark.parametrize(("cv", "which"), [(5, "5 of 5"), (ODD, "1 of 3")])
def test_groups_that_are_split(cv, which):
    message = f"In {which} splits of cv, instances of one group are in both training and test set"
    with pytest.warns(UserWarning, match=message) as caught:
        compared(cv)
    assert len(caught) == 1
    assert "Pass a cv that keeps groups whole, such as GroupKFold(" in str(caught[0].message)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("cv", [None, StratifiedGroupKFold(2), OwnGroups(), ODD[1:]], ids=str)
def test_groups_that_are_whole(cv):
    """Two folds without shuffling happen to keep these groups whole."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compared(cv)
