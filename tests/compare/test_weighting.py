import math

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification, make_multilabel_classification
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
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from skbayeseval import (
    BayesianComparer,
    BlockRegularizedCV,
    bayesian_cross_validate,
    compare_predictions,
    load_result,
)
from skbayeseval.posterior.inferred_weight import STABLE, UNSEEN

X, Y = make_classification(240, n_informative=4, flip_y=0.2, random_state=0)
GROUPS = np.arange(240) // 6
A, B = GaussianNB(), LinearDiscriminantAnalysis()
FEW = {"n_draws": 2000, "random_state": 0}


def width(result, **options):
    low, high = result.hdi(**options)
    return high - low


@pytest.mark.parametrize(("cv", "scoring"), [(None, "accuracy"), (5, "f1"), (5, "roc_auc")])
def test_inferred_weights_are_more_cautious_than_test_noise_alone(cv, scoring):
    inferred = bayesian_cross_validate(A, B, X, Y, cv=cv, scoring=scoring, **FEW)
    fitted = bayesian_cross_validate(A, B, X, Y, cv=cv, scoring=scoring, estimand="fitted", **FEW)
    assert width(inferred) > 1.1 * width(fitted)
    assert inferred.weight < fitted.weight
    assert inferred.observed_a == fitted.observed_a


def test_the_fitted_models_have_the_variance_between_instances():
    result = bayesian_cross_validate(
        A, B, X, Y, cv=StratifiedKFold(5), estimand="fitted", return_indices=True, random_state=0
    )
    right = []
    for train, test in StratifiedKFold(5).split(X, Y):
        both = [m.fit(X[train], Y[train]).predict(X[test]) == Y[test] for m in (A, B)]
        right.append(both[0].astype(float) - both[1])
    difference = np.concatenate(right)
    assert result.draws.std() == pytest.approx(difference.std() / np.sqrt(240), rel=0.06)
    assert "the 5 models of each kind fitted here on 192 instances" in str(result)


@pytest.mark.parametrize(
    ("estimand", "scoring"),
    [("learner", "accuracy"), ("fitted", "accuracy"), ("learner", "roc_auc")],
)
def test_testing_again_does_not_make_equal_classifiers_more_equal(estimand, scoring):
    """Instances that tell nothing of a difference count once, however often they are tested.

    Halves tell that training sets do not matter either; the others do not tell.
    """
    options = {"estimand": estimand, "scoring": scoring, "n_draws": 3000, "random_state": 0}
    once, *repeated = (
        bayesian_cross_validate(A, GaussianNB(), X, Y, cv=cv, **options).draws.std()
        for cv in (
            KFold(4),
            BlockRegularizedCV(3, random_state=0),
            RepeatedKFold(n_splits=4, n_repeats=10, random_state=0),
            ShuffleSplit(20, test_size=0.5, random_state=0),
        )
    )
    told = math.sqrt(STABLE[3] / UNSEEN) if estimand == "learner" else 1.0
    repeated[0] /= told
    assert 0.9 * once < min(repeated) <= max(repeated) < 1.15 * once


def test_a_number_is_the_weight():
    number = bayesian_cross_validate(A, B, X, Y, cv=5, weight=0.4, random_state=0)
    said = [cross_val_predict(model, X, Y, cv=5) for model in (A, B)]
    by_hand = compare_predictions(Y, *said, weight=0.4, random_state=0)
    assert number.weight == by_hand.weight == 0.4
    np.testing.assert_array_equal(number.draws, by_hand.draws)


@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro", "roc_auc", "neg_log_loss"])
@pytest.mark.parametrize("cv", [None, 10], ids=str)
def test_the_middle_is_what_was_observed(cv, scoring):
    result = bayesian_cross_validate(A, B, X, Y, cv=cv, scoring=scoring, **FEW)
    observed = [result.observed_a - result.observed_b, result.observed_a, result.observed_b]
    for draws, one in zip((result.draws, result.draws_a, result.draws_b), observed, strict=True):
        assert abs(draws.mean() - one) < 0.25 * draws.std()


@pytest.mark.parametrize("options", [{"calibrate": True, "cv": 5}, {"estimand": "full"}], ids=str)
@pytest.mark.parametrize("scoring", ["accuracy", "f1", "roc_auc"])
def test_swapping_mirrors_and_saving_keeps(scoring, options, tmp_path):
    options = {"scoring": scoring, **options, **FEW}
    ranking = BayesianComparer([A, B, KNeighborsClassifier()], **options).fit(X, Y).ranking_
    pairs = ranking.pairs
    np.testing.assert_allclose(pairs[0, 2].draws, -pairs[2, 0].draws, atol=1e-12)
    np.testing.assert_array_equal(pairs[0, 2].draws_a, pairs[2, 0].draws_b)
    other = bayesian_cross_validate(B, A, X, Y, **options)
    assert other.draws.mean() == pytest.approx(-pairs[0, 1].draws.mean(), abs=0.01)
    assert width(other) == pytest.approx(width(pairs[0, 1]), rel=0.15)
    for result in (pairs[2, 1], ranking):
        result.save(tmp_path / "file")
        again = load_result(tmp_path / "file")
        np.testing.assert_array_equal(again.draws, result.draws)
        assert str(again) == str(result)
        assert (again.weight, again.details()) == (result.weight, result.details())


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
    grouped, naive = (
        bayesian_cross_validate(
            A, B, X_many, y_many, groups=groups, cv=cv if groups is not None else None,
            scoring=scoring, estimand="fitted", **FEW,
        )
        for groups in (rows, None)
    )  # fmt: skip
    assert grouped.evidence.n_groups == 60
    assert " in 60 groups" in grouped.details()
    assert width(grouped) > 1.7 * width(naive)


def test_groups_of_labels_and_models_that_cannot():
    X_labels, y_labels = make_multilabel_classification(120, n_classes=3, random_state=0)
    knn = [("one", KNeighborsClassifier(1)), ("nine", KNeighborsClassifier(9))]
    groups = np.arange(120) // 4
    result = bayesian_cross_validate(
        *knn, X_labels, y_labels, groups=groups, scoring="f1_micro", **FEW
    )
    assert result.evidence.n_groups == 30
    assert result.model == "group weights"
    with pytest.raises(ValueError, match="independent instances, but groups= or blocks= was given"):
        bayesian_cross_validate(A, B, X, Y, groups=GROUPS, model="bcv", **FEW)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        bayesian_cross_validate(A, B, X, Y, groups=GROUPS[:-1], **FEW)
    with pytest.raises(ValueError, match="The 'groups' parameter should not be None"):
        bayesian_cross_validate(A, B, X, Y, cv=GroupKFold(3), **FEW)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight": "guessed"}, r"weight must be one of \['inferred', 'published'\] or a number"),
        ({"calibrate": True, "weight": 0.3}, "calibrate=True infers the weight, but weight=0.3"),
        ({"calibrate": True, "estimand": "fitted"}, "but estimand='fitted' was given"),
        ({"estimand": "fitted", "weight": "published"}, "estimand='fitted' infers the weight"),
        ({"model": "scores", "weight": 0.3}, "weight=, calibrate= and estimand= do not apply"),
        (
            {"estimand": "full", "cv": 3},
            "67% of them. If the order of instances does not matter, leave cv= out, or pass cv=10",
        ),
        ({"estimand": "full", "cv": BlockRegularizedCV()}, "the training sets of cv have 50%"),
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
    with pytest.raises(RuntimeError, match=r"failed in a half of the data"):
        bayesian_cross_validate(FailsOnFew(), B, X[:190], Y[:190], cv=5, calibrate=True, **FEW)
    with pytest.warns(FitFailedWarning, match="Fits on halves of the data failed"):
        result = bayesian_cross_validate(
            FailsOnFew(), B, X[:190], Y[:190], cv=5, calibrate=True, error_score=np.nan, **FEW
        )
    assert "that of most learners" in result.details()


class Unstable(ClassifierMixin, BaseEstimator):
    """Is right in nearly all, or in few instances, as the training set has it."""

    def fit(self, X, y):
        self.classes_, self.right_ = np.unique(y), X[0, 1] < 0.5
        return self

    def predict(self, X):
        wrong = X[:, 1] > (0.9 if self.right_ else 0.6)
        return np.where(wrong, 1 - X[:, 0], X[:, 0]).astype(int)


@pytest.mark.parametrize("estimator", [A, Unstable()], ids=["stable", "unstable"])
def test_halves_tell_how_much_training_sets_matter(estimator):
    """Ten folds hardly see it."""
    data, y = growing(400) if isinstance(estimator, Unstable) else (X, Y)
    other = Steady(1)
    few = FEW | {"cv": StratifiedKFold(10, shuffle=True, random_state=1)}
    plain, told = (
        bayesian_cross_validate(estimator, other, data, y, calibrate=calibrate, **few)
        for calibrate in (False, True)
    )
    assert plain.observed_a == told.observed_a
    assert plain.draws.mean() == pytest.approx(told.draws.mean(), abs=0.2 * plain.draws.std())
    ratio = told.draws_a.std() / plain.draws_a.std()
    assert ratio > 1.5 if isinstance(estimator, Unstable) else ratio < 1
    assert "that of most learners" in plain.details()
    assert "from how much 6 halves of the data differ" in told.details()


@pytest.mark.slow
def test_sensitivity_keeps_the_inferred_weight():
    result = bayesian_cross_validate(A, B, X, Y, **FEW)
    table = result.prior_sensitivity(0.01)
    low, high = result.hdi()
    paired = table.loc["paired"]
    own = paired.iloc[(paired["hdi_low"] - low).abs().argmin()]
    assert (own["hdi_low"], own["hdi_high"]) == pytest.approx((low, high))
    # Models that do not know the pairs have the same variance, by another weight.
    assert table["sd"].between(0.8 * own["sd"], 1.25 * own["sd"]).all()


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


class Growing(ClassifierMixin, BaseEstimator):
    """Is wrong on a share of the instances that falls with the size of the training set."""

    def __init__(self, gain=60.0):
        self.gain = gain

    def fit(self, X, y):
        self.classes_, self.wrong_ = np.unique(y), self.gain / len(y)
        return self

    def predict(self, X):
        # The second column is uniform, and the first the truth.
        return np.where(X[:, 1] < self.wrong_, 1 - X[:, 0], X[:, 0]).astype(int)


def growing(n, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return np.column_stack([y, rng.permutation(np.arange(n) / n)]), y


def test_ten_folds_and_halves_for_all_instances():
    """Accuracies of 1 - 60 / s and 1 - 30 / s at the training size s."""
    X, y = growing(2000)
    result = bayesian_cross_validate(Growing(60.0), Growing(30.0), X, y, estimand="full", **FEW)
    assert result.n_splits == 10
    assert result.train_size == 1800
    assert result.draws.mean() == pytest.approx(-30 / 1800, abs=2e-3)
    assert result.draws_a.mean() == pytest.approx(1 - 60 / 1800, abs=2e-3)
    said = "models refitted on all 2,000 instances (measured by training on 1,800)"
    assert said in str(result)
    assert said in result.explain()
    assert "from how much 6 halves of the data differ" in result.details()
    assert result.cv_results[result.names[0]]["test_score"].shape == (10,)


@pytest.mark.parametrize("grouped", [False, True])
def test_the_folds_for_all_instances(grouped):
    groups = GROUPS if grouped else None
    options = {"groups": groups, "estimand": "full", "return_indices": True, **FEW}
    result = bayesian_cross_validate(A, B, X, Y, **options)
    tests = result.cv_results["GaussianNB"]["indices"]["test"]
    assert sorted(np.concatenate(tests)) == list(range(240))
    if grouped:  # how well these are balanced depends on the version of scikit-learn
        assert all(len(set(GROUPS[test])) * 6 == len(test) for test in tests)
    else:
        assert np.ptp([Y[test].mean() for test in tests]) < 0.05
    again = bayesian_cross_validate(A, B, X, Y, **options)
    np.testing.assert_array_equal(result.draws, again.draws)
    numbers = bayesian_cross_validate(
        LinearRegression(), Ridge(), X, X[:, 0] + Y, groups=groups, estimand="full", **FEW
    )
    splitter = "GroupKFold" if grouped else "KFold"
    assert numbers.details().endswith(f"\n  splits      10 ({splitter})")


def test_a_sign_that_turns_is_the_first_line_of_the_decision():
    """1 - 100 / s against 0.93: behind at 1000, ahead at 1800."""

    class Constant(Growing):
        def fit(self, X, y):
            self.classes_, self.wrong_ = np.unique(y), 0.07
            return self

    X, y = growing(2000)
    pair = ("grows", Growing(100.0)), ("stays", Constant())
    result = bayesian_cross_validate(*pair, X, y, estimand="full", **FEW)
    first = str(result.decision(0.0)).splitlines()[0]
    assert first.startswith("More training data changes the estimate: trained on 1,000 instances, ")
    assert "stays is ahead by 0.030; on 1,800, grows is ahead by 0.01" in first
    learner = bayesian_cross_validate(*pair, X, y, **FEW)
    assert "More training data" not in str(learner.decision(0.0))
    display = result.plot("learning_curve", rope=0.01)
    np.testing.assert_array_equal(display.sizes, [1000, 1800])
    np.testing.assert_allclose(display.means, [-0.03, result.draws.mean()])
    mirror = bayesian_cross_validate(*pair[::-1], X, y, estimand="full", **FEW)
    np.testing.assert_allclose(mirror.plot("learning_curve").means, -display.means, atol=1e-3)
    with pytest.raises(ValueError, match="Cross-validate with estimand='full'"):
        learner.plot("learning_curve")


def test_all_instances_with_three_learners_groups_and_files(tmp_path):
    estimators = {"A": A, "B": B, "C": KNeighborsClassifier()}
    ranking = BayesianComparer(estimators, estimand="full", **FEW).fit(X, Y, groups=GROUPS).ranking_
    alone = bayesian_cross_validate(A, B, X, Y, groups=GROUPS, estimand="full", **FEW)
    np.testing.assert_allclose(ranking.pairs[0, 1].draws, alone.draws)
    ranking.save(tmp_path / "ranking")
    again = load_result(tmp_path / "ranking")
    for pair in ((0, 1), (2, 0)):
        np.testing.assert_array_equal(again.pairs[pair].draws, ranking.pairs[pair].draws)
        assert str(again.pairs[pair].decision(0.01)) == str(ranking.pairs[pair].decision(0.01))
    for pair in ((0, 1), (2, 0)):
        shown = [one.pairs[pair].plot("learning_curve").means for one in (again, ranking)]
        np.testing.assert_array_equal(*shown)
        mirror = ranking.pairs[pair[::-1]].plot("learning_curve").means
        np.testing.assert_allclose(mirror, -shown[0], atol=1e-12)


class Steady(ClassifierMixin, BaseEstimator):
    """Has the same scores whatever it is trained on."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, self.column]

    def predict(self, X):
        return (X[:, self.column] > 0).astype(int)


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_absolute_error"])
def test_draws_at_all_instances_stay_possible(scoring):
    y = X[:, 0] + 1e-3 * X[:, 1]
    result = bayesian_cross_validate(
        LinearRegression(), Ridge(1.0), X, y, scoring=scoring, estimand="full", **FEW
    )
    assert result.draws_a.max() <= (1.0 if scoring == "r2" else 0.0)


def cautions_of(result):
    return [line for line in str(result).splitlines() if line.startswith("  caution")]


def test_cautions(tmp_path):
    """Learners that predict all or nothing, or depend on the training set, are named."""
    data, y = growing(400)
    few = FEW | {"scoring": ["accuracy", "f1"]}
    rare = (np.arange(400) % 10 == 0).astype(int)
    nothing = bayesian_cross_validate(
        ("prior", DummyClassifier(strategy="uniform", random_state=0)),
        ("nothing", DummyClassifier()), data, rare, **few,
    )  # fmt: skip
    (caution,) = cautions_of(nothing)
    assert (
        "nothing: predicts one class for nearly all instances in some splits; intervals" in caution
    )
    by_accuracy = bayesian_cross_validate(GaussianNB(), DummyClassifier(), data, rare, **FEW)
    assert cautions_of(by_accuracy) == []
    unstable = bayesian_cross_validate(("moody", Unstable()), Steady(1), data, y, **FEW)
    (caution,) = cautions_of(unstable)
    assert "moody: depends strongly on its training set" in caution
    assert "Caution: moody" in unstable.explain()
    unstable.save(tmp_path / "file")
    assert cautions_of(load_result(tmp_path / "file")) == [caution]
    assert cautions_of(bayesian_cross_validate(A, B, X, Y, **few)) == []
    fitted = bayesian_cross_validate(Unstable(), Steady(1), data, y, estimand="fitted", **FEW)
    assert cautions_of(fitted) == []


def test_many_classes_with_few_instances():
    y = np.arange(240) % 10
    data = np.random.default_rng(0).normal(size=(240, 3)) + y[:, None]
    (caution,) = cautions_of(bayesian_cross_validate(A, B, data, y, **FEW))
    assert "24 instances per class" in caution
    assert cautions_of(bayesian_cross_validate(A, B, data, y % 5, **FEW)) == []
