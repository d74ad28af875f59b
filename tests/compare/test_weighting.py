import math
from typing import ClassVar

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from skbayeseval import (
    BayesianComparer,
    BlockRegularizedCV,
    bayesian_cross_val_score,
    bayesian_cross_validate,
    load_result,
)
from skbayeseval.posterior.inferred_weight import KAPPA_UNKNOWN, STABLE

X, Y = make_classification(240, n_informative=4, flip_y=0.2, random_state=0)
GROUPS = np.arange(240) // 6
A, B = GaussianNB(), LinearDiscriminantAnalysis()
FEW = {"n_draws": 2000, "random_state": 0}


def width(result, **options):
    low, high = result.hdi(**options)
    return high - low


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
def test_few_draws_are_as_wide_as_many(scoring):
    """The standard deviation of 200 draws is known to 5%, that of 1,300 to 2%."""
    few, more, many = (
        bayesian_cross_validate(
            A, B, X, Y, cv=5, scoring=scoring, n_draws=n, random_state=0
        ).draws.std()
        for n in (200, 1300, 10_000)
    )
    assert few == pytest.approx(many, rel=0.1)
    assert more == pytest.approx(many, rel=0.04)


def test_variances_are_those_between_instances_times_what_training_sets_add():
    """Each row is tested once, so that its weight alone would be 1; without halves, kappa is 1.6.

    Its ten degrees of freedom make variances 10 / 8 times as large.
    """
    result = bayesian_cross_validate(A, B, X, Y, cv=StratifiedKFold(5), random_state=0)
    right = []
    for train, test in StratifiedKFold(5).split(X, Y):
        both = [m.fit(X[train], Y[train]).predict(X[test]) == Y[test] for m in (A, B)]
        right.append(both[0].astype(float) - both[1])
    difference = np.concatenate(right)
    expected = np.sqrt(KAPPA_UNKNOWN * 10 / 8) * difference.std() / np.sqrt(240)
    assert result.draws.std() == pytest.approx(expected, rel=0.06)


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
def test_testing_again_does_not_make_equal_classifiers_more_equal(scoring):
    """Instances that tell nothing of a difference count once, however often they are tested.

    Halves tell that training sets do not matter either; the others do not tell.
    """
    options = {"scoring": scoring, "n_draws": 3000, "random_state": 0}
    once, *repeated = (
        bayesian_cross_validate(A, GaussianNB(), X, Y, cv=cv, **options).draws.std()
        for cv in (
            KFold(4),
            BlockRegularizedCV(3, random_state=0),
            RepeatedKFold(n_splits=4, n_repeats=10, random_state=0),
            ShuffleSplit(20, test_size=0.5, random_state=0),
        )
    )
    repeated[0] /= math.sqrt(STABLE[3] / KAPPA_UNKNOWN)
    assert 0.9 * once < min(repeated) <= max(repeated) < 1.15 * once


@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro", "roc_auc", "neg_log_loss"])
@pytest.mark.parametrize("cv", [None, 10], ids=str)
def test_the_middle_is_what_was_observed(cv, scoring):
    result = bayesian_cross_validate(A, B, X, Y, cv=cv, scoring=scoring, **FEW)
    observed = [result.observed_a - result.observed_b, result.observed_a, result.observed_b]
    for draws, one in zip((result.draws, result.draws_a, result.draws_b), observed, strict=True):
        assert abs(draws.mean() - one) < 0.25 * draws.std()


@pytest.mark.parametrize(("groups", "options"), [(None, {"cv": 5}), (GROUPS, {"estimand": "full"})])
@pytest.mark.parametrize("scoring", ["f1", "roc_auc"])
def test_swapping_mirrors_and_saving_keeps(scoring, groups, options, tmp_path):
    options = {"scoring": scoring, **options, **FEW}
    comparer = BayesianComparer([A, B, KNeighborsClassifier()], **options)
    ranking = comparer.fit(X, Y, groups=groups).ranking_
    pairs = ranking.pairs
    alone = bayesian_cross_validate(A, B, X, Y, groups=groups, **options)
    np.testing.assert_allclose(pairs[0, 1].alone.draws, alone.draws)
    np.testing.assert_allclose(pairs[0, 2].alone.draws, -pairs[2, 0].alone.draws, atol=1e-12)
    np.testing.assert_array_equal(pairs[0, 2].alone.draws_a, pairs[2, 0].alone.draws_b)
    other = bayesian_cross_validate(B, A, X, Y, groups=groups, **options)
    assert other.draws.mean() == pytest.approx(-pairs[0, 1].alone.draws.mean(), abs=0.01)
    assert width(other) == pytest.approx(width(pairs[0, 1].alone), rel=0.15)
    for result in (pairs[2, 1].alone, ranking):
        result.save(tmp_path / "file")
        again = load_result(tmp_path / "file")
        np.testing.assert_array_equal(again.draws, result.draws)
        assert str(again) == str(result)
        assert (again.weight, again.details()) == (result.weight, result.details())
    if groups is not None:
        for i, j in ((0, 1), (2, 0)):
            both = [one.pairs[i, j] for one in (again, ranking)]
            np.testing.assert_array_equal(*(one.draws for one in both))
            assert len({str(one.decision(0.01)) for one in both}) == 1
            shown = [one.plot("learning_curve").means for one in (*both, pairs[j, i])]
            np.testing.assert_array_equal(shown[0], shown[1])
            np.testing.assert_allclose(shown[2], -shown[0], atol=1e-12)


@pytest.mark.parametrize("model", ["bcv", "unpaired"])
def test_models_of_the_papers_keep_their_weight(model):
    default, published = (
        bayesian_cross_validate(A, B, X, Y, model=model, random_state=0, **options)
        for options in ({}, {"weight": "published"})
    )
    assert default.weight == BlockRegularizedCV(3).weight
    np.testing.assert_array_equal(default.draws, published.draws)
    inferred = bayesian_cross_validate(A, B, X, Y, model=model, weight="inferred", random_state=0)
    assert inferred.weight != default.weight


@pytest.mark.parametrize(("cv", "scoring"), [(None, "f1"), (GroupKFold(5), "roc_auc")])
def test_groups_are_weighted(cv, scoring):
    """Every row six times, in one group, is worth as much as every row once."""
    rng = np.random.default_rng(0)
    rows = np.repeat(np.arange(60), 6)
    X_many, y_many = X[:60][rows] + 1e-6 * rng.normal(size=(360, X.shape[1])), Y[:60][rows]
    options = {"scoring": scoring, **FEW}
    naive = bayesian_cross_validate(A, B, X_many, y_many, **options)
    grouped = bayesian_cross_validate(A, B, X_many, y_many, groups=rows, cv=cv, **options)
    assert grouped.evidence.n_groups == 60
    assert " in 60 groups" in grouped.details()
    assert width(grouped) > 1.7 * width(naive)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight": "guessed"}, r"weight must be one of \['inferred', 'published'\] or a number"),
        ({"estimand": "full", "weight": 0.3}, "estimand='full' infers the weight, but weight=0.3"),
        ({"estimand": "fitted"}, r"estimand must be one of \['full', 'learner'\]"),
        ({"model": "scores", "weight": 0.3}, "weight= and estimand= do not apply"),
        ({"model": "scores", "estimand": "full"}, "weight= and estimand= do not apply"),
        ({"estimand": "full", "cv": 3}, r"160 of 240, less than 80%\. If .* matter, leave cv= out"),
        (
            {"estimand": "full", "cv": BlockRegularizedCV()},
            "the training sets of cv have 120 of 240",
        ),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        bayesian_cross_validate(A, B, X, Y, **options)


class FailsOnFew(GaussianNB):
    """Fails to fit on few instances, as halves have."""

    def fit(self, X, y):
        if len(X) < 100:
            raise RuntimeError("too few")
        return super().fit(X, y)


def test_failures_on_halves():
    given, options = (FailsOnFew(), B, X[:190], Y[:190]), {"cv": 5, "estimand": "full", **FEW}
    with pytest.raises(RuntimeError, match=r"failed in a half of the data"):
        bayesian_cross_validate(*given, **options)
    with pytest.warns(FitFailedWarning, match="Fits on halves of the data failed"):
        result = bayesian_cross_validate(*given, error_score=np.nan, **options)
    assert "that of most learners" in result.details()


class Seen(GaussianNB):
    """Notes how many of its training instances are of class 1."""

    counts: ClassVar[list] = []

    def fit(self, X, y):
        self.counts.append((len(y), int(np.sum(y))))
        return super().fit(X, y)


@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.parametrize(("n_rare", "fewest"), [(120, 40), (14, 4)])
def test_halves_are_drawn_at_random_but_for_scarce_classes(groups, n_rare, fewest):
    Seen.counts.clear()
    y = (np.random.default_rng(0).permutation(240) < n_rare).astype(int)
    bayesian_cross_validate(Seen(), A, X, y, groups=groups, estimand="full", **FEW)
    in_halves = {rare for size, rare in Seen.counts if size < 150}
    assert min(in_halves) >= fewest
    assert (len(in_halves) > 3) == (n_rare == 120)


class Wrong(ClassifierMixin, BaseEstimator):
    """Is wrong on a share of the instances of `known`, which depends on its training set."""

    def __init__(self, share):
        self.share = share

    def fit(self, X, y):
        self.classes_, self.share_ = np.unique(y), self.share(X, y)
        return self

    def predict(self, X):
        return np.where(X[:, 1] < self.share_, 1 - X[:, 0], X[:, 0]).astype(int)


class Steady(Wrong):
    """Has the same scores whatever it is trained on, of any data."""

    def __init__(self):
        super().__init__(lambda X, y: 0)

    def predict(self, X):
        return (X[:, 1] > 0).astype(int)


UNSTABLE = Wrong(lambda X, y: 0.1 if X[0, 1] < 0.5 else 0.4)


def falling(gain):
    """Return a learner whose errors fall with the size of the training set."""
    return Wrong(lambda X, y: gain / len(y))


def known(n):
    """Return data of which the first column is the truth, and the second uniform."""
    y = np.arange(n) % 2
    return np.column_stack([y, np.random.default_rng(0).permutation(np.arange(n) / n)]), y


@pytest.mark.parametrize("estimator", [A, UNSTABLE], ids=["stable", "unstable"])
def test_halves_tell_how_much_training_sets_matter(estimator):
    """Ten folds hardly see it."""
    data, y = known(400) if estimator is UNSTABLE else (X, Y)
    few = FEW | {"cv": StratifiedKFold(10, shuffle=True, random_state=1)}
    plain, told = (
        bayesian_cross_validate(estimator, Steady(), data, y, estimand=estimand, **few)
        for estimand in ("learner", "full")
    )
    assert plain.observed_a == told.observed_a
    assert plain.draws.mean() == pytest.approx(told.draws.mean(), abs=0.2 * plain.draws.std())
    ratio = told.draws_a.std() / plain.draws_a.std()
    assert ratio > 1.5 if estimator is UNSTABLE else ratio < 1
    assert "that of most learners" in plain.details()
    assert "from how much 6 halves of the data differ" in told.details()


def test_decisions_tell_if_other_splits_could_change_them(tmp_path):
    """The repeats of a cross-validation differ as much as other splits would."""
    result = bayesian_cross_validate(A, B, X, Y, **FEW)
    scores = result.cv_results
    repeats = np.subtract(*(scores[name]["test_score"] for name in result.names))
    sd = repeats.reshape(-1, 2).mean(axis=1).std(ddof=1) / math.sqrt(len(repeats) / 2)
    shift, n_repeats = result._posterior.resplitting(result._metric(None))
    assert n_repeats == len(repeats) / 2
    assert shift == pytest.approx(stats.t.ppf(0.97, len(repeats) // 2 - 1) * sd, rel=0.02)
    end = result.hdi().high
    near, far = end + 0.5 * shift, end + 2 * shift
    assert result.decision((near, near + 0.9)).depends_on_splits
    assert not result.decision((far, far + 0.9)).depends_on_splits
    # The margin that 95% are above: what is a yes just there is none after a small move.
    margin = -float(np.quantile(result.draws, 0.05)) + 1e-6
    assert result.non_inferiority(margin).answer == "yes"
    assert result.non_inferiority(margin).depends_on_splits
    assert result.non_inferiority(margin).n_repeats == n_repeats
    assert not result.non_inferiority(0.4).depends_on_splits
    result.save(tmp_path / "file")
    again = load_result(tmp_path / "file")
    assert again.decision((near, near + 0.9)).depends_on_splits
    fold = bayesian_cross_validate(A, B, X, Y, **(FEW | {"cv": 2}))
    low = fold.hdi().high + 1e-9
    assert not fold.decision((low, low + 0.9)).depends_on_splits


def test_ten_folds_and_halves_for_all_instances():
    """Accuracies of 1 - 60 / s and 1 - 30 / s at the training size s."""
    pair = falling(60), falling(30)
    result = bayesian_cross_validate(*pair, *known(2000), estimand="full", **FEW)
    assert result.n_splits == 10
    assert result.train_size == 1800
    assert result.draws.mean() == pytest.approx(-30 / 1800, abs=2e-3)
    assert result.draws_a.mean() == pytest.approx(1 - 60 / 1800, abs=2e-3)
    said = "models refitted on all 2,000 instances (measured by training on 1,800)"
    assert said in str(result)
    assert said in result.explain()
    assert "from how much 6 halves of the data differ" in result.details()
    assert result.cv_results[result.names[0]]["test_score"].shape == (10,)


def noisy(*sizes):
    """Return two columns and the classes, with as many instances of each as is given."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    return np.random.default_rng(0).normal(size=(len(y), 2)) + y[:, None], y


PATIENTS = np.r_[:8, :4]


@pytest.mark.parametrize(
    ("sizes", "n_folds", "options"),
    [
        ((6, 6), 6, {}),
        ((30, 7), 7, {"scoring": "roc_auc"}),
        ((5, 7), 5, {"scoring": "roc_auc"}),
        ((7, 5), 5, {"groups": PATIENTS, "scoring": "roc_auc"}),
        ((40, 40), 8, {"groups": np.arange(80) % 8, "scoring": "roc_auc"}),
        ((357, 212), 5, {"cv": 5}),
        ((357, 212), 5, {"cv": ShuffleSplit(5, test_size=0.2, random_state=0)}),
    ],
)
def test_as_many_folds_as_small_data_allow(sizes, n_folds, options):
    X, y = noisy(*sizes)
    options = {"estimand": "full", "return_indices": True, **options, **FEW}
    result = bayesian_cross_validate(A, B, X, y, **options)
    assert result.n_splits == n_folds
    for test in result.cv_results[result.names[0]]["indices"]["test"]:
        assert len(set(y[test])) == 2


@pytest.mark.parametrize(
    ("sizes", "groups", "words"),
    [
        ((2, 2), None, r"at least 5 instances, .*, got 4 \(n_samples=4\)"),
        ((4, 4), None, r"at least 5 instances of a class, .*, got 4 \(n_samples=8\)"),
        ((40, 40), np.arange(80) % 4, r"at least 5 groups, .*, got 4 \(n_samples=80\)"),
        ((40, 40), np.arange(7), "y has 80, groups has 7"),
    ],
)
def test_too_few_for_all_instances(sizes, groups, words):
    with pytest.raises(ValueError, match=words):
        bayesian_cross_validate(A, B, *noisy(*sizes), groups=groups, estimand="full", **FEW)


def test_a_sign_that_turns_is_the_first_line_of_the_decision():
    """1 - 100 / s against 0.93: behind at 1000, ahead at 1800."""
    data = known(2000)
    pair = ("grows", falling(100)), ("stays", Wrong(lambda X, y: 0.07))
    result = bayesian_cross_validate(*pair, *data, estimand="full", **FEW)
    first = str(result.decision(0.0)).splitlines()[0]
    assert first.startswith("More training data changes the estimate: trained on 1,000 instances, ")
    assert "stays is ahead by 0.030; on 1,800, grows is ahead by 0.01" in first
    learner = bayesian_cross_validate(*pair, *data, **FEW)
    assert "More training data" not in str(learner.decision(0.0))
    display = result.plot("learning_curve", rope=0.01)
    np.testing.assert_array_equal(display.sizes, [1000, 1800])
    np.testing.assert_allclose(display.means, [-0.03, result.draws.mean()])
    mirror = bayesian_cross_validate(*pair[::-1], *data, estimand="full", **FEW)
    np.testing.assert_allclose(mirror.plot("learning_curve").means, -display.means, atol=1e-3)
    with pytest.raises(ValueError, match="Cross-validate with estimand='full'"):
        learner.plot("learning_curve")


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_absolute_error"])
def test_draws_at_all_instances_stay_possible(scoring):
    y, options = X[:, 0] + 1e-3 * X[:, 1], {"scoring": scoring, "estimand": "full", **FEW}
    result = bayesian_cross_validate(LinearRegression(), Ridge(1.0), X, y, **options)
    assert result.draws_a.max() <= (1.0 if scoring == "r2" else 0.0)


def cautions_of(result):
    return [line for line in str(result).splitlines() if line.startswith("  caution")]


def test_cautions(tmp_path):
    """Learners that predict all or nothing, or depend on the training set, are named."""
    data, y = known(400)
    few = FEW | {"scoring": ["accuracy", "f1"]}
    rare = (np.arange(400) % 10 == 0).astype(int)
    coin, nothing = DummyClassifier(strategy="uniform", random_state=0), DummyClassifier()
    result = bayesian_cross_validate(("coin", coin), ("nothing", nothing), data, rare, **few)
    (caution,) = cautions_of(result)
    assert "nothing: predicts one class for nearly all instances in some splits; int" in caution
    assert cautions_of(bayesian_cross_validate(GaussianNB(), nothing, data, rare, **FEW)) == []
    unstable = bayesian_cross_validate(("moody", UNSTABLE), Steady(), data, y, **FEW)
    (caution,) = cautions_of(unstable)
    assert "moody: depends strongly on its training set" in caution
    assert "Caution: moody" in unstable.explain()
    unstable.save(tmp_path / "file")
    assert cautions_of(load_result(tmp_path / "file")) == [caution]
    assert cautions_of(bayesian_cross_validate(A, B, X, Y, **few)) == []
    # Many classes with few instances.
    y = np.arange(240) % 10
    data = np.random.default_rng(0).normal(size=(240, 3)) + y[:, None]
    (caution,) = cautions_of(bayesian_cross_validate(A, B, data, y, **FEW))
    assert "24 instances per class" in caution
    assert cautions_of(bayesian_cross_validate(A, B, data, y % 5, **FEW)) == []


def test_folds_of_few_numbers():
    X, y = noisy(6, 6)
    result = bayesian_cross_val_score(LinearRegression(), X, y + X[:, 0], estimand="full", **FEW)
    assert result.n_splits == 6  # of two numbers each, so that there is an R2
