"""Splits that do not keep groups whole."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
)
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from skbayeseval import bayesian_cross_validate

rng = np.random.default_rng(0)
GROUPS = np.arange(60) // 10
Y = np.arange(60) % 2
X = Y[:, None] + rng.normal(size=(60, 2))
OPTIONS = {"n_draws": 200, "random_state": 0}


def compared(cv, **options):
    return bayesian_cross_validate(
        GaussianNB(), BernoulliNB(), X, Y, groups=GROUPS, cv=cv, **OPTIONS, **options
    )


class OwnGroups(KFold):
    """A splitter of a user, which says nothing of groups."""

    def split(self, X, y=None, groups=None):
        return GroupKFold(2).split(X, y, groups)


HALVES = [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]
ODD = [(np.arange(0, 60, 2), np.arange(1, 60, 2)), *HALVES]


@pytest.mark.parametrize(
    ("cv", "which"),
    [
        (5, "5 of 5"),
        (KFold(4), "4 of 4"),
        (RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0), "4 of 4"),
        (ODD, "1 of 3"),
    ],
)
def test_groups_that_are_split(cv, which):
    message = f"In {which} splits of cv, instances of one group are in both training and test set"
    with pytest.warns(UserWarning, match=message) as caught:
        compared(cv)
    assert len(caught) == 1
    assert "StratifiedGroupKFold" in str(caught[0].message)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "cv",
    [
        None,
        GroupKFold(2),
        StratifiedGroupKFold(2),
        LeaveOneGroupOut(),
        OwnGroups(),
        HALVES,
        KFold(2),
    ],
    ids=str,
)
def test_groups_that_are_whole(cv):
    """Two folds without shuffling happen to keep these groups whole."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compared(cv)
