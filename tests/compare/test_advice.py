"""Advice that names code is made for the data at hand, and accepted without a warning."""

import re
from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from skbayeseval import (
    BlockRegularizedCV,
    bayesian_cross_val_score,
    bayesian_cross_validate,
    chunk_counter,
    compare_items,
    compare_many,
    compare_predictions,
    report_search,
    score_posterior,
)
from skbayeseval.judgement.decision import MANY_REPEATS

N = 120
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
NUMBERS = X[:, 0] + RNG.normal(size=N)
CLASSES = (NUMBERS > 0).astype(int)
LABELS = np.column_stack([CLASSES, X[:, 1] > RNG.normal(size=N), X[:, 2] > 0]).astype(int)
GROUPS = np.arange(N) // 6
TAGS = [["B-PER", "I-PER", "O"] if i % 3 else ["O", "B-LOC"] for i in range(N)]
FEW = {"random_state": 0, "n_draws": 200}


class Repeats(BaseEstimator):
    """A tagger that finds what `X` holds, but for the sentences of one number."""

    def __init__(self, number=0):
        self.number = number

    def fit(self, X, y):
        return self

    def predict(self, X):
        return [["O"] * len(tags) if i % 9 == self.number else tags for i, tags in enumerate(X)]


NB, NEAR = GaussianNB(), KNeighborsClassifier(3)
PAIR = NB, NEAR, X
OF_CLASSES = *PAIR, CLASSES
OF_NUMBERS = LinearRegression(), KNeighborsRegressor(3), X, NUMBERS
OF_LABELS = KNeighborsClassifier(1), KNeighborsClassifier(5), X, LABELS
OF_TAGS = Repeats(), Repeats(3), TAGS, TAGS
AGAIN = {"n_repeats": 2, "random_state": 0}
COUNTER = chunk_counter("IOB2")
# What is compared, with which options, and the `cv` that is advised for more repeats.
HALVES = "cv=BlockRegularizedCV(7)"
NOT_BALANCED = "cv=BlockRegularizedCV(7, regularize=None)"
OF_CHUNKS = "cv=BlockRegularizedCV(7, regularize=counter.frequencies)"
FOLDS = "cv=RepeatedKFold(n_splits=10, n_repeats=7)"
STRATIFIED = "cv=RepeatedStratifiedKFold(n_splits=10, n_repeats=7)"
IN_CV = "n_repeats=7 in cv"
KINDS = {
    "classes": (OF_CLASSES, {}, HALVES),
    "three classes": ((*PAIR, np.digitize(NUMBERS, [-1, 1])), {}, HALVES),
    "a class of seven": ((*PAIR, np.r_[np.ones(7), np.zeros(N - 7)]), {}, None),
    "scores of instances": (OF_CLASSES, {"scoring": "roc_auc"}, HALVES),
    "numbers": (OF_NUMBERS, {"scoring": "r2"}, NOT_BALANCED),
    "whole numbers": ((*OF_NUMBERS[:3], np.arange(N) // 2), {"scoring": "r2"}, NOT_BALANCED),
    "labels": (OF_LABELS, {"scoring": "f1_macro"}, HALVES),
    "labels of an unpaired model": (OF_LABELS, {"scoring": "f1_macro", "model": "unpaired"}, None),
    "chunks": (OF_TAGS, {"counter": COUNTER}, OF_CHUNKS),
    "groups": (OF_CLASSES, {"groups": GROUPS}, HALVES),
    "groups of numbers": (OF_NUMBERS, {"groups": GROUPS, "scoring": "r2"}, NOT_BALANCED),
    "four groups": (OF_CLASSES, {"groups": np.arange(N) // 30}, None),
    "own halves": (OF_CLASSES, {"cv": BlockRegularizedCV(2, random_state=0)}, IN_CV),
    "own repeats": (OF_CLASSES, {"cv": RepeatedStratifiedKFold(n_splits=4, **AGAIN)}, IN_CV),
    "own repeats of numbers": (OF_NUMBERS, {"cv": RepeatedKFold(**AGAIN), "scoring": "r2"}, IN_CV),
    "own folds": (OF_CLASSES, {"cv": 5}, "cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=7)"),
    "own groups": (OF_CLASSES, {"cv": GroupKFold(5), "groups": GROUPS}, None),
    "own weight": (OF_CLASSES, {"weight": "published", "cv": BlockRegularizedCV(3)}, None),
    "rows in order": (OF_CLASSES, {"blocks": 5, "cv": KFold(5)}, None),
    "full": (OF_CLASSES, {"estimand": "full"}, STRATIFIED),
    "full, numbers": (OF_NUMBERS, {"estimand": "full", "scoring": "r2"}, FOLDS),
    "full, labels": (OF_LABELS, {"estimand": "full", "scoring": "f1_macro"}, FOLDS),
    "full, chunks": (OF_TAGS, {"estimand": "full", "counter": COUNTER}, FOLDS),
    "full, groups": (OF_CLASSES, {"estimand": "full", "groups": GROUPS}, None),
    "full, own folds": (OF_CLASSES, {"estimand": "full", "cv": StratifiedKFold(10)}, STRATIFIED),
}  # fmt: skip


def followed(code, options):
    """Return the options with the `cv` that is advised."""
    if code.endswith(" in cv"):
        cv = copy(options["cv"])
        cv.n_repeats = int(re.fullmatch(r"n_repeats=(\d+) in cv", code)[1])
    else:
        known = {"counter": options.get("counter")}
        splitters = (BlockRegularizedCV, RepeatedKFold, RepeatedStratifiedKFold)
        known |= {splitter.__name__: splitter for splitter in splitters}
        cv = eval(code.removeprefix("cv="), known)
    return options | {"cv": cv}


@pytest.mark.parametrize("kind", KINDS)
def test_more_repeats(kind):
    given, options, expected = KINDS[kind]
    result = bayesian_cross_validate(*given, **options, **FEW)
    for answer in (result.decision(0.01), result.non_inferiority(0.01)):
        said = str(replace(answer, depends_on_splits=True))
        advised = re.search(r"more repeats would help, such as (.*?)\.(?: Applies|\n|$)", said)
        assert (advised and advised[1]) == expected
    if expected is not None:
        again = bayesian_cross_validate(*given, **followed(expected, options), **FEW)
        assert again.decision(0.01).n_repeats == MANY_REPEATS
        sizes = [
            re.search(r"train(?:ed|ing) on (\d+)", one.details())[1] for one in (result, again)
        ]
        assert int(sizes[0]) == pytest.approx(int(sizes[1]), abs=2)


def test_more_repeats_with_a_checkpoint(tmp_path):
    options = {"checkpoint": tmp_path, **FEW}
    advised = bayesian_cross_validate(*OF_CLASSES, **options).decision(0.01).more_repeats
    assert advised == "cv=BlockRegularizedCV(7, random_state=0)"
    assert bayesian_cross_validate(*OF_CLASSES, **followed(advised, options))


def test_more_repeats_of_a_search():
    search = GridSearchCV(NEAR, {"n_neighbors": [1, 9]}, cv=BlockRegularizedCV(3, random_state=0))
    pair = report_search(search.fit(X, CLASSES), X, CLASSES, rope=0.01, **FEW).ranking.pairs[0, 1]
    decision = pair.decision(0.01)
    assert decision.more_repeats == IN_CV
    assert decision.trained_on.endswith(f", not models refitted on all {N}.")


# Five folds need five groups.
ALREADY_OR_TOO_FEW = {kind for kind in KINDS if "full" in kind} | {"four groups"}


def with_full(said, options):
    """Return the options that ask about models refitted on all instances, as is advised."""
    advised = re.search(
        r"use estimand='full'(?: without (.*?))?(?:\.| \(blocks.*)?$", said, re.MULTILINE
    )
    if advised is None:
        return None
    left_out = (advised[1] or "").replace("=", "").split(" and ")
    return {k: v for k, v in options.items() if k not in left_out} | {"estimand": "full"}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ALREADY_OR_TOO_FEW])
def test_models_refitted_on_all_instances(kind):
    given, options, _ = KINDS[kind]
    result = bayesian_cross_validate(*given, **options, **FEW)
    advised = with_full(str(result.decision(0.01)), options)
    assert (advised is None) == (kind == "labels of an unpaired model")
    if advised is not None:
        full = bayesian_cross_validate(*given, **advised, **FEW).decision(0.01)
        assert full.trained_on.startswith(f"Applies to models refitted on all {N} instances")
    if advised is not None and "counter" not in options:
        one, _, *data = given
        score = bayesian_cross_val_score(one, *data, **options, **FEW)
        assert with_full(str(score), options) == advised


@pytest.mark.parametrize("cv", [KFold(2), None])
def test_models_refitted_on_all_instances_of_rows_in_order(cv):
    # The default of estimand='full' would shuffle.
    options = {"blocks": 2, "cv": cv} if cv else {"blocks": 1}
    said = str(bayesian_cross_validate(*OF_CLASSES, **options, **FEW).decision(0.01))
    assert (with_full(said, options) is None) == bool(cv)


def test_where_the_prior_matters():
    said = [np.r_[1 - CLASSES[:k], CLASSES[k:]] for k in (1, 2, 3)]
    result, ranking = (
        compare_predictions(CLASSES, *said[:2], **FEW),
        compare_many(CLASSES, dict(zip("abc", said, strict=True)), **FEW),
    )
    items = compare_items(*(one == CLASSES for one in said[:2]), **FEW)
    for one in (result, items, score_posterior(CLASSES, said[0], **FEW)):
        assert "the prior matters" in one.details()
        assert re.search(r"see prior_sensitivity\(\)$", one.details(), re.MULTILINE)
        assert len(one.prior_sensitivity()) > 1
    assert re.search(r"see prior_sensitivity\(\) of a pair$", ranking.details(), re.MULTILINE)
    assert len(ranking.pairs["a", "b"].prior_sensitivity()) > 1


@pytest.mark.parametrize("number", [2, 3, 7])
def test_splits_that_keep_groups_whole(number):
    options = {"groups": np.arange(N) % number, **FEW}
    with pytest.warns(UserWarning, match="instances of one group are in both") as caught:
        bayesian_cross_validate(*OF_CLASSES, cv=3, **options)
    said = [str(caught[0].message)]
    if number < 4:
        with pytest.raises(ValueError, match=f"the number of groups is {number}") as refused:
            bayesian_cross_validate(*OF_CLASSES, **options)
        said.append(str(refused.value))
    for words in said:
        advised = re.search(r"such as GroupKFold\((\d)\)\.$", words)
        bayesian_cross_validate(*OF_CLASSES, cv=GroupKFold(int(advised[1])), **options)
