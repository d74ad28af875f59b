"""Predictions of a cross-validation that has run: what the cross-validating functions say of it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import (
    make_classification,
    make_multilabel_classification,
    make_regression,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from skbayeseval import (
    BayesianComparer,
    BlockRegularizedCV,
    bayesian_cross_val_score,
    bayesian_cross_validate,
    chunk_counter,
    compare_many,
    compare_predictions,
    load_result,
    metrics,
    score_posterior,
)

FEW = {"n_draws": 500, "random_state": 0}
NB, LR = GaussianNB(), LogisticRegression()
TREE = DecisionTreeClassifier(max_depth=2, random_state=0)
X, Y = make_classification(160, 8, n_informative=4, flip_y=0.2, random_state=1)
FIVE = StratifiedKFold(5)
GROUPS = np.arange(160) // 4


def folds_of(cv, n_repeats=1, data=(X, Y), groups=None):
    """Return the fold of each row in each repeat, and the splits with their repeats."""
    splits = list(cv.split(*data, groups))
    per_repeat = len(splits) // n_repeats
    folds = np.full((len(data[1]), n_repeats), -1)
    for i, (_, test) in enumerate(splits):
        folds[test, i // per_repeat] = i % per_repeat
    return folds, [(i // per_repeat, *split) for i, split in enumerate(splits)]


def out_of_fold(estimator, splits, method="predict", data=(X, Y)):
    """Return what clones of the estimator say of the test sets, by rows and repeats."""
    features, y = data
    said = None
    for repeat, train, test in splits:
        found = getattr(clone(estimator).fit(features[train], y[train]), method)(features[test])
        if said is None:
            said = np.zeros((len(y), splits[-1][0] + 1, *found.shape[1:]), found.dtype)
        said[test, repeat] = found
    return said


def assert_same(result, expected):
    assert type(result) is type(expected)
    for one, other in zip(result.metrics, expected.metrics, strict=True):
        pair, same = result.metric(one), expected.metric(other)
        if hasattr(pair, "pairs"):
            pair, same = pair.pairs[0, 1], same.pairs[0, 1]
        np.testing.assert_array_equal(pair.draws, same.draws)
        if hasattr(pair, "draws_a"):
            np.testing.assert_array_equal(pair.draws_a, same.draws_a)
    assert (result.train_size, result.n_splits) == (expected.train_size, expected.n_splits)
    assert result.weight == expected.weight
    for name, of_one in result.cv_results.items():
        for key, values in of_one.items():
            np.testing.assert_array_equal(values, expected.cv_results[name][key])
    lines, others = (
        [line for line in str(one).splitlines() if "applies to" not in line]
        for one in (result, expected)
    )
    assert lines == others


CASES = {
    "5 folds": (FIVE, 1, {"scoring": "f1"}),
    "10 folds": (KFold(10), 1, {"scoring": ["roc_auc", "f1"]}),
    "AUC": (FIVE, 1, {"scoring": "roc_auc"}),
    "3x2": (BlockRegularizedCV(3, random_state=0), 3, {"scoring": ["accuracy", "roc_auc"]}),
    "3x2 published": (BlockRegularizedCV(3, random_state=0), 3, {"weight": "published"}),
    "3x5": (RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0), 3, {}),
    "3x5 published": (
        RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0),
        3,
        {"weight": "published", "scoring": ["f1", "roc_auc"]},
    ),
    "number": (FIVE, 1, {"weight": 0.3}),
    "bcv": (FIVE, 1, {"model": "bcv", "scoring": "f1"}),
    "unpaired": (FIVE, 1, {"model": "unpaired", "scoring": "f1"}),
    "random": (ShuffleSplit(6, test_size=0.3, random_state=0), 6, {}),
    "groups": (GroupKFold(5), 1, {"groups": GROUPS}),
    "blocks": (KFold(5), 1, {"blocks": "auto", "scoring": ["f1", "roc_auc"]}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_as_by_fits(case):
    cv, n_repeats, options = CASES[case]
    folds, splits = folds_of(cv, n_repeats, groups=options.get("groups"))
    given = [out_of_fold(one, splits) for one in (NB, LR)]
    scores = {}
    if "roc_auc" in options.get("scoring", ()):
        scores["y_score_a"] = out_of_fold(NB, splits, "predict_proba")
        scores["y_score_b"] = out_of_fold(LR, splits, "decision_function")
    if n_repeats == 1:  # a column, or a vector
        folds, given = folds[:, 0], [said[:, 0] for said in given]
        scores = {name: said[:, 0] for name, said in scores.items()}
    result = compare_predictions(Y, *given, folds=folds, **scores, **options, **FEW)
    expected = bayesian_cross_validate(("A", NB), ("B", LR), X, Y, cv=cv, **options, **FEW)
    assert_same(result, expected)
    if options.get("scoring") != "roc_auc":
        pd.testing.assert_frame_equal(result.predictions, expected.predictions)
        pd.testing.assert_frame_equal(result.disagreements(), expected.disagreements())


def test_one_learner_and_many():
    folds, splits = folds_of(FIVE)
    said = {name: out_of_fold(one, splits) for name, one in (("a", NB), ("b", LR), ("c", TREE))}
    options = {"scoring": "f1", **FEW}
    single = score_posterior(Y, said["a"], folds=folds, name="a", **options)
    assert_same(single, bayesian_cross_val_score(("a", NB), X, Y, cv=FIVE, **options))
    comparer = BayesianComparer([("a", NB), ("b", LR), ("c", TREE)], cv=FIVE, **options)
    ranking = compare_many(Y, said, folds=folds, **options)
    assert_same(ranking, comparer.fit(X, Y).ranking_)
    pd.testing.assert_frame_equal(ranking.table, comparer.ranking_.table)


REPEATED = {
    "numbers": (
        make_regression(120, 6, noise=20, random_state=3),
        (Ridge(), DecisionTreeRegressor(random_state=0)),
        {"scoring": ["r2", "neg_mean_absolute_error"]},
    ),
    "classes": (
        make_classification(180, 8, n_informative=5, n_classes=3, flip_y=0.2, random_state=2),
        (NB, LR),
        {"scoring": ["f1_macro", "neg_log_loss"]},
    ),
}


@pytest.mark.parametrize("kind", REPEATED)
def test_several_repeats(kind):
    (features, target), learners, options = REPEATED[kind]
    data, scores, options = (features, target), {}, options | FEW
    if kind == "classes":
        data = features, np.array(["x", "y", "z"])[target]
    splitter = RepeatedKFold if kind == "numbers" else RepeatedStratifiedKFold
    cv = splitter(n_splits=5, n_repeats=2, random_state=0)
    folds, splits = folds_of(cv, 2, data)
    given = [out_of_fold(one, splits, data=data) for one in learners]
    if kind == "classes":
        said = [out_of_fold(one, splits, "predict_proba", data) for one in learners]
        scores = dict(zip(("y_score_a", "y_score_b"), said, strict=True))
    result = compare_predictions(data[1], *given, folds=folds, **scores, **options)
    named = zip("AB", learners, strict=True)
    assert_same(result, bayesian_cross_validate(*named, *data, cv=cv, **options))


def test_label_indicators():
    data = make_multilabel_classification(120, 8, n_classes=4, random_state=4)
    folds, splits = folds_of(KFold(5), data=data)
    learners = MultiOutputClassifier(NB), MultiOutputClassifier(TREE)
    given = [out_of_fold(one, splits, data=data)[:, 0] for one in learners]
    options = {"scoring": ["f1_macro", "f1_micro"], **FEW}
    result = compare_predictions(data[1], *given, folds=folds[:, 0], **options)
    named = [("A", learners[0]), ("B", learners[1])]
    assert_same(result, bayesian_cross_validate(*named, *data, cv=KFold(5), **options))
    with pytest.raises(ValueError, match="multi-label indicators and tags must have one"):
        compare_predictions(data[1], *given, folds=np.tile(folds, 2), **options)
    with pytest.raises(ValueError, match="of a multi-label indicator has no inferred weight"):
        compare_predictions(data[1], *given, folds=folds, model="unpaired", weight="inferred")


def test_tags():
    rng = np.random.default_rng(0)
    gold = [[str(tag) for tag in rng.choice(["B-PER", "O", "B-ORG"], 6)] for _ in range(60)]
    a, b = (
        [[tag if rng.random() > p else "O" for tag in tags] for tags in gold] for p in (0.1, 0.3)
    )
    folds = np.arange(60) % 5
    result = compare_predictions(gold, a, b, counter=chunk_counter("IOB2"), folds=folds, **FEW)
    assert result.train_size == 48
    assert result.weight < 1
    assert result.predictions["A", 0].tolist() == a
    assert (
        result.observed_a
        == compare_predictions(gold, a, b, counter=chunk_counter("IOB2"), **FEW).observed_a
    )


def test_sample_weights_are_as_instances_that_are_repeated():
    folds, splits = folds_of(FIVE)
    given = [out_of_fold(one, splits)[:, 0] for one in (NB, LR)]
    weights = np.random.default_rng(0).integers(1, 4, 160)
    options = {"folds": folds, "scoring": "f1", "n_draws": 20_000, "random_state": 0}
    weighted = compare_predictions(Y, *given, sample_weight=weights, **options)
    # The same by repeated rows that are weighted together.
    rows = np.repeat(np.arange(160), weights)
    repeated = compare_predictions(
        Y[rows], *(said[rows] for said in given), groups=rows, **options | {"folds": folds[rows]}
    )
    assert weighted.observed_a == pytest.approx(repeated.observed_a)
    np.testing.assert_allclose(weighted.hdi(), repeated.hdi(), atol=0.006)
    assert weighted.cv_results["A"]["test_score"] == pytest.approx(
        repeated.cv_results["A"]["test_score"]
    )


def test_rows_that_were_never_tested():
    """They are left out, but were trained on, whatever marks them."""
    folds, splits = folds_of(FIVE)
    given = [out_of_fold(one, splits)[:, 0] for one in (NB, LR)]
    some = folds[:, 0].astype(float)
    some[::7] = np.nan
    kept = np.isfinite(some)
    result = compare_predictions(Y, *given, folds=some, **FEW)
    objects = [int(fold) if fold == fold else None for fold in some]
    for missing in (np.where(kept, some, -1), objects, pd.Series(some).astype("Int64")):
        same = compare_predictions(Y, *given, folds=missing, **FEW)
        np.testing.assert_array_equal(result.draws, same.draws)
    alone = compare_predictions(Y[kept], *(said[kept] for said in given), folds=some[kept], **FEW)
    np.testing.assert_array_equal(result.draws, alone.draws)
    assert result.train_size == alone.train_size + (~kept).sum()
    assert result.predictions["A", 0].isna().sum() == (~kept).sum()


def test_names_of_folds_and_pandas():
    folds, splits = folds_of(FIVE)
    index = [f"row {i}" for i in range(160)]
    a, b = (pd.Series(out_of_fold(one, splits)[:, 0], index) for one in (NB, LR))
    named = pd.Series(np.array(list("vwxyz"))[folds[:, 0]], index)
    result = compare_predictions(pd.Series(Y, index), a, b, folds=named, **FEW)
    same = compare_predictions(Y, a.to_numpy(), b.to_numpy(), folds=folds, **FEW)
    np.testing.assert_array_equal(result.draws, same.draws)
    assert list(result.predictions.index) == index
    with pytest.raises(ValueError, match="paired by position, but their indexes differ"):
        compare_predictions(pd.Series(Y, index), a, b, folds=named[::-1])


def test_what_it_applies_to(tmp_path):
    folds, splits = folds_of(FIVE)
    result = compare_predictions(Y, *(out_of_fold(one, splits) for one in (NB, LR)), folds=folds)
    assert "applies to  learners trained on 128 instances" in str(result)
    assert "5 (folds as given)" in result.details()
    result.save(tmp_path / "result.npz")
    loaded = load_result(tmp_path / "result.npz")
    np.testing.assert_array_equal(loaded.draws, result.draws)
    assert str(loaded) == str(result)


A, B = np.where(np.arange(160) % 5 == 0, 1 - Y, Y), np.where(np.arange(160) % 3 == 0, 1 - Y, Y)
FOLDS = np.arange(160) % 4
ONE_CLASS = np.where(Y == 0, np.arange(160) % 4, np.arange(160) % 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": FOLDS[:-1]}, "inconsistent numbers of samples: y_true has 160, folds has 159"),
        (
            {"folds": np.zeros(160)},
            "all are in fold 0.0, so that none are left for training",
        ),
        ({"folds": np.full(160, -1)}, "two or more folds, got 0"),
        ({"folds": np.where(FOLDS == 0, 0, -1)}, "two or more folds, got 1"),
        ({"folds": np.zeros((160, 2, 2))}, r"shape \(160,\) or \(160, repeats\), got shape"),
        ({"folds": np.stack([FOLDS, FOLDS], axis=1)}, r"y_pred_a must have the shape \(160, 2\)"),
        ({"folds": FOLDS, "counts": np.ones(160, int)}, "counts= does not apply.* Omit it"),
        ({"folds": FOLDS, "prevalence": 0.1}, "prevalence= does not apply to predictions with fo"),
        ({"folds": FOLDS, "model": "scores"}, "pass these to compare_scores"),
        ({"folds": FOLDS, "weight": "best"}, r"weight must be one of \['inferred', 'published'\]"),
        ({"folds": FOLDS, "weight": -1}, "weight"),
        ({"folds": FOLDS, "scoring": metrics.over_items(lambda t, p: 0.5)}, "metrics of items"),
        (
            {"folds": ONE_CLASS, "scoring": "roc_auc", "y_score_a": A, "y_score_b": B},
            r"not defined in split 3, where all or none of the test set are of \[1\]",
        ),
        ({"weight": "published"}, "is of cross-validated predictions: pass folds="),
        ({"folds": ["a", 1] * 80}, "folds"),
    ],
)
def test_bad_folds(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        compare_predictions(Y, A, B, **options, **FEW)
