import math

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
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
    score_posterior,
)

X, Y = make_classification(240, n_informative=4, flip_y=0.2, random_state=0)
GROUPS = np.arange(240) // 6
A, B = GaussianNB(), LinearDiscriminantAnalysis()
FEW = {"n_draws": 2000, "random_state": 0}


def width(result, **options):
    low, high = result.hdi(**options)
    return high - low


@pytest.mark.parametrize("scoring", ["accuracy", "f1", "roc_auc"])
@pytest.mark.parametrize("cv", [None, 5, KFold(4, shuffle=True, random_state=0)], ids=str)
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


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
@pytest.mark.parametrize("estimand", ["learner", "fitted"])
def test_testing_again_does_not_make_equal_classifiers_more_equal(estimand, scoring):
    """Instances that tell nothing of a difference count once, however often they are tested."""
    options = {"estimand": estimand, "scoring": scoring, "n_draws": 20_000, "random_state": 0}
    once, *repeated = (
        bayesian_cross_validate(A, GaussianNB(), X, Y, cv=cv, **options).draws.std()
        for cv in (
            KFold(4),
            BlockRegularizedCV(3, random_state=0),
            RepeatedKFold(n_splits=4, n_repeats=10, random_state=0),
            ShuffleSplit(20, test_size=0.5, random_state=0),
        )
    )
    assert 0.9 * once < min(repeated) <= max(repeated) < 1.15 * once


def test_a_number_is_the_weight():
    number = bayesian_cross_validate(A, B, X, Y, cv=5, weight=0.4, random_state=0)
    assert number.weight == 0.4
    predictions = [np.empty(240, dtype=int) for _ in range(2)]
    for train, test in StratifiedKFold(5).split(X, Y):
        for model, found in zip((A, B), predictions, strict=True):
            found[test] = model.fit(X[train], Y[train]).predict(X[test])
    by_hand = compare_predictions(Y, *predictions, weight=0.4, random_state=0)
    np.testing.assert_array_equal(number.draws, by_hand.draws)


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


def test_swapping_mirrors_and_saving_keeps(tmp_path):
    few = FEW | {"scoring": ["accuracy", "f1"], "calibrate": 2}
    comparer = BayesianComparer([A, B, KNeighborsClassifier()], **few).fit(X, Y)
    pairs = comparer.ranking_.pairs
    np.testing.assert_array_equal(pairs[0, 2].draws, -pairs[2, 0].draws)
    np.testing.assert_array_equal(pairs[0, 2].draws_a, pairs[2, 0].draws_b)
    assert pairs[0, 1].hdi(of="a") == pairs[0, 2].hdi(of="a")
    table = comparer.ranking_.table
    assert table.loc["GaussianNB", "hdi_low"] == pairs[0, 1].hdi(of="a").low
    for result in (pairs[2, 1], comparer.ranking_):
        result.save(tmp_path / "file")
        again = load_result(tmp_path / "file")
        np.testing.assert_array_equal(again.draws, result.draws)
        assert str(again) == str(result)
        assert again.weight == result.weight
    assert again.pairs[1, 2].weight == pairs[1, 2].weight


@pytest.mark.parametrize("scoring", ["accuracy", "f1", "roc_auc"])
@pytest.mark.parametrize("cv", [None, GroupKFold(5)], ids=["default", "GroupKFold"])
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
    assert " in 60 groups" in str(grouped)
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
    with pytest.raises(ValueError, match="assumes independent instances, but groups= was given"):
        bayesian_cross_validate(A, B, X, Y, groups=GROUPS, model="bcv", **FEW)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        bayesian_cross_validate(A, B, X, Y, groups=GROUPS[:-1], **FEW)
    with pytest.raises(ValueError, match="The 'groups' parameter should not be None"):
        bayesian_cross_validate(A, B, X, Y, cv=GroupKFold(3), **FEW)


def test_halves_of_scores():
    X_numbers, y_numbers = np.random.default_rng(0).normal(size=(2, 120, 3))
    y_numbers = y_numbers[:, 0] + X_numbers[:, 0]
    few = FEW | {"model": "scores", "scoring": "r2"}
    plain, calibrated = (
        bayesian_cross_validate(
            LinearRegression(), Ridge(50.0), X_numbers, y_numbers, calibrate=m, **few
        )
        for m in (0, 4)
    )
    assert plain._posterior.law(plain._metric(None)).df == 5
    law = calibrated._posterior.law(calibrated._metric(None))
    assert law.df == pytest.approx(4.0)
    assert calibrated.draws.std() == pytest.approx(law.sd, rel=0.2)
    assert "and 4 comparisons of halves" in str(calibrated)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight": "guessed"}, r"weight must be one of \['inferred', 'published'\] or a number"),
        ({"weight": 0.0}, "weight == 0.0, must be > 0"),
        ({"estimand": "model"}, r"estimand must be one of \['full', 'learner', 'fitted'\]"),
        ({"calibrate": -1}, "calibrate == -1, must be >= 0"),
        ({"calibrate": 4, "weight": 0.3}, "calibrate=4 infers the weight, but weight=0.3"),
        ({"calibrate": 4, "estimand": "fitted"}, "but estimand='fitted' was given"),
        ({"estimand": "fitted", "weight": "published"}, "estimand='fitted' infers the weight"),
        ({"model": "scores", "weight": 0.3}, "weight= and estimand= do not apply"),
        ({"calibrate": 2, "cv": list(KFold(3).split(X))}, "splits as given cannot split a half"),
        ({"calibrate": 2, "cv": list(KFold(3).split(X[:60]))}, "splits as given cannot split"),
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
    with pytest.raises(RuntimeError, match=r"failed in a split on halves of the data"):
        bayesian_cross_validate(FailsOnFew(), B, X, Y, calibrate=1, **FEW)
    with pytest.warns(FitFailedWarning, match="failed in 2 of 2 comparisons of halves"):
        result = bayesian_cross_validate(
            FailsOnFew(), B, X, Y, calibrate=2, error_score=np.nan, **FEW
        )
    assert "halves" not in str(result)


def test_the_cost_of_halves_is_told(capsys):
    bayesian_cross_validate(A, B, X, Y, calibrate=2, verbose=1, **FEW)
    told = capsys.readouterr().err
    assert "60 fits: 12 on the splits, 48 on halves of the data" in told


def test_one_score_of_out_of_fold_predictions(tmp_path):
    said = cross_val_predict(A, X, Y)
    for scoring in ("accuracy", "f1", "recall"):
        plain, learner = (
            score_posterior(Y, said, scoring=scoring, weight=w, **FEW) for w in (1.0, "inferred")
        )
        assert 1.3 < width(learner) / width(plain) < 2.5
        assert learner.draws.mean() == pytest.approx(plain.draws.mean(), abs=0.02)
        assert learner.weight < 1
    learner.save(tmp_path / "file")
    assert load_result(tmp_path / "file").hdi() == learner.hdi()
    with pytest.raises(ValueError, match="weight must be a number or 'inferred'"):
        score_posterior(Y, said, weight="published")
    with pytest.raises(ValueError, match="weight='inferred' requires one label per instance"):
        score_posterior(Y, said, weight="inferred", groups=GROUPS)


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
    assert shift == pytest.approx(stats.t.ppf(0.9, len(repeats) // 2 - 1) * sd, rel=0.02)
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


@pytest.mark.parametrize("cv", [None, 5], ids=str)
def test_a_learning_curve_is_continued_to_all_instances(cv):
    """Accuracies of 1 - 60 / s and 1 - 30 / s at the training size s."""
    X, y = growing(2000)
    result = bayesian_cross_validate(
        Growing(60.0), Growing(30.0), X, y, cv=cv, estimand="full", **FEW
    )
    learner = bayesian_cross_validate(Growing(60.0), Growing(30.0), X, y, cv=cv, **FEW)
    assert result.observed_a == learner.observed_a
    assert learner.draws.mean() == pytest.approx(-30 / (1000 if cv is None else 1600), abs=2e-3)
    assert result.draws.mean() == pytest.approx(-30 / 2000, abs=4e-3)
    assert result.draws_a.mean() == pytest.approx(1 - 60 / 2000, abs=0.015)
    sizes = "1,000 and 1,500" if cv is None else "800 and 1,600"
    assert f"trained on all 2,000 instances, extrapolated from {sizes}" in str(result)
    assert f"trained on all 2,000 instances, extrapolated from {sizes}" in result.explain()


def test_a_sign_that_turns_is_the_first_line_of_the_decision():
    """1 - 100 / s against 0.93: behind at 1000, ahead at 2000."""

    class Constant(Growing):
        def fit(self, X, y):
            self.classes_, self.wrong_ = np.unique(y), 0.07
            return self

    X, y = growing(2000)
    result = bayesian_cross_validate(
        ("grows", Growing(100.0)), ("stays", Constant()), X, y, estimand="full", **FEW
    )
    first = str(result.decision(0.0)).splitlines()[0]
    assert first.startswith("More training data changes the estimate: trained on 1,000 instances, ")
    assert "stays is ahead by 0.030; on all 2,000, grows is ahead by" in first
    learner = bayesian_cross_validate(Growing(100.0), Constant(), X, y, **FEW)
    assert "More training data" not in str(learner.decision(0.0))
    display = result.plot("learning_curve", rope=0.01)
    assert display.means[0] == pytest.approx(-0.03)
    assert display.means[2] == pytest.approx(result.draws.mean())
    with pytest.raises(ValueError, match="Cross-validate with estimand='full'"):
        learner.plot("learning_curve")


@pytest.mark.parametrize("cv", [None, 5], ids=str)
@pytest.mark.parametrize("scoring", ["accuracy", "f1", "roc_auc"])
def test_all_instances_swapped(cv, scoring):
    options = {"cv": cv, "scoring": scoring, "estimand": "full", **FEW}
    ranking = BayesianComparer({"A": A, "B": B}, **options).fit(X, Y).ranking_
    one, mirror = ranking.pairs[0, 1], ranking.pairs[1, 0]
    np.testing.assert_allclose(one.draws, -mirror.draws, atol=1e-12)
    np.testing.assert_array_equal(one.draws_a, mirror.draws_b)
    other = bayesian_cross_validate(B, A, X, Y, **options)
    assert other.draws.mean() == pytest.approx(-one.draws.mean(), abs=0.01)
    assert width(other) == pytest.approx(width(one), rel=0.15)


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
    with pytest.raises(ValueError, match="'f1' was not computed before the result was saved"):
        again.pairs[0, 1].metric("f1").hdi()


def test_failed_fits_of_another_size_leave_the_learner():
    class Picky(GaussianNB):
        def fit(self, X, y):
            if len(y) > 150:
                raise ValueError("too many")
            return super().fit(X, y)

    with pytest.warns(FitFailedWarning, match="Fits failed on training sets of another size"):
        result = bayesian_cross_validate(
            Picky(), B, X, Y, estimand="full", error_score=np.nan, **FEW
        )
    assert "learners trained on 120 instances" in str(result)
    np.testing.assert_allclose(result.draws, bayesian_cross_validate(A, B, X, Y, **FEW).draws)


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


@pytest.mark.parametrize("repeats", [2, 3])
def test_smaller_test_sets_are_no_learning(repeats):
    """Average precision is higher in small test sets with few positives."""
    steps = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = (np.arange(120) < 16).astype(int)
        data = rng.normal(size=(120, 2)) + y[:, None]
        result = bayesian_cross_validate(
            Steady(), Steady(1), data, y, scoring="average_precision", estimand="full",
            cv=BlockRegularizedCV(repeats, random_state=seed), n_draws=200, random_state=seed,
        )  # fmt: skip
        steps.append(result.plot("learning_curve").means[:2])
    np.testing.assert_allclose(*np.transpose(steps), atol=1e-12)


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_absolute_error"])
def test_draws_at_all_instances_stay_possible(scoring):
    y = X[:, 0] + 1e-3 * X[:, 1]
    result = bayesian_cross_validate(
        LinearRegression(), Ridge(1.0), X, y, scoring=scoring, estimand="full", **FEW
    )
    assert result.draws_a.max() <= (1.0 if scoring == "r2" else 0.0)


def test_further_splits_that_cannot_be_scored():
    few = (np.arange(240) < 3).astype(int)
    with (
        pytest.warns(UserWarning, match="least populated class"),
        pytest.raises(ValueError, match="estimand='full' also tests in further splits"),
    ):
        bayesian_cross_validate(A, B, X, few, scoring="roc_auc", estimand="full", **FEW)


def test_extrapolation_widens_what_the_splits_tell():
    """The variance of draws is that of the splits, inflated, and that of the shifts."""
    full = bayesian_cross_validate(A, B, X, Y, estimand="full", random_state=0)
    learner = bayesian_cross_validate(A, B, X, Y, random_state=0)
    step = full._posterior.full_size(full._metric(None))
    expected = learner.draws.var() * step.inflation + step.shifts.var()
    assert step.inflation != pytest.approx(1, abs=0.1)
    assert full.draws.std() == pytest.approx(np.sqrt(expected), rel=0.05)


def test_all_instances_in_subgroups():
    result = bayesian_cross_validate(A, B, X, Y, estimand="full", **FEW)
    assert result.by(np.arange(240) % 2).table["mean"].notna().all()
