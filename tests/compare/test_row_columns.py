"""Columns that scorers are given, and sample weights, against scikit-learn."""

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import get_routing_for_object

from skbayeseval import (
    BayesianComparer,
    BlockRegularizedCV,
    bayesian_cross_val_score,
    bayesian_cross_validate,
    compare_predictions,
    count_scorer,
    load_result,
    metrics,
    report_search,
    score_posterior,
)

N = 160
X, Y = make_classification(N, flip_y=0.1, weights=[0.7], random_state=0)
RNG = np.random.default_rng(0)
AMOUNT, WEIGHTS = RNG.lognormal(3, 1, N), RNG.exponential(size=N)
KIND = np.array(["card", "cash"])[RNG.integers(0, 2, N)]
A, B = (np.where(RNG.random(N) < right, Y, 1 - Y) for right in (0.85, 0.75))
SCORE_A, SCORE_B = (Y + noise * RNG.normal(size=N) for noise in (1.0, 1.5))
LEARNERS = GaussianNB(), LogisticRegression()
CV = StratifiedKFold(3, shuffle=True, random_state=0)
FEW = {"n_draws": 100, "random_state": 0}


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


def gain(y_true, y_pred, amount):
    """As in scikit-learn's gallery: a sum of money, without sample weights."""
    amount = np.asarray(amount)
    missed, passed = (y_true == 1) & (y_pred == 0), (y_true == 0) & (y_pred == 0)
    refused, alarms = (y_true == 1) & (y_pred == 1), (y_true == 0) & (y_pred == 1)
    lost, earned = amount[missed].sum(), 0.02 * amount[passed].sum()
    return 50 * refused.sum() - 5 * alarms.sum() - lost + earned


def mean_gain(y_true, y_pred, amount):
    return gain(y_true, y_pred, amount) / len(y_true)


def weighted_gain(y_true, y_pred, amount, sample_weight=None):
    values = np.where(y_true == y_pred, 0.1, -1) * np.asarray(amount)
    return np.average(values, weights=sample_weight)


def of_cards(y_true, y_pred, kind, fee=1.0):
    return fee * np.sum((kind == "card") & (y_true == y_pred))


def asking(function, **options):
    """Return a scorer that requests the columns that its function takes."""
    names = [name for name in ("amount", "kind", "fee") if name in function.__code__.co_varnames]
    scorer = make_scorer(function, **options)
    return scorer.set_score_request(**dict.fromkeys(names, True))


@pytest.mark.parametrize(
    ("column", "model"), [(AMOUNT.tolist(), "auto"), (pd.Series(AMOUNT), "scores")]
)
def test_observed_values_are_those_of_cross_validate(routing, column, model):
    own = {"gain": gain, "weighted": weighted_gain, "kind": of_cards}
    scoring = {"f1": "f1", "s": "roc_auc", **{key: asking(own[key]) for key in own}}
    if model == "scores":
        response = {"response_method": "predict_proba"}
        scoring["s"] = asking(lambda y, p, amount: np.sum(amount * (y - p)), **response)
    params = {"amount": column, "kind": KIND, "fee": 2.0}
    options = {"scoring": scoring, "params": params, "cv": CV, "model": model, **FEW}
    result = bayesian_cross_validate(*LEARNERS, X, Y, **options)
    for name, learner in zip(result.names, LEARNERS, strict=True):
        expected = cross_validate(learner, X, Y, scoring=scoring, params=params, cv=CV)
        for key in scoring:
            found = result.cv_results[name][f"test_{key}"]
            assert_allclose(found, expected[f"test_{key}"], atol=1e-9)
    sizes = np.array([len(test) for _, test in CV.split(X, Y)])
    for key in own:
        per = sizes if model == "auto" and key != "weighted" else 1  # sums are told per instance
        means = [(of_one[f"test_{key}"] / per).mean() for of_one in result.cv_results.values()]
        of_metric = result.metric(key)
        assert_allclose([of_metric.observed_a, of_metric.observed_b], means)
    assert ("gain: a sum, told per instance" in str(result)) == (model == "auto")


@pytest.mark.parametrize("function", [mean_gain, weighted_gain])
def test_test_sets(function):
    with config_context(enable_metadata_routing=True):
        scorer = asking(function)
    make = metrics.weighted if function is weighted_gain else metrics.resampled
    options = {"params": {"amount": AMOUNT}, "n_draws": 300, "random_state": 0}
    expected = [function(Y, said, AMOUNT) for said in (A, B)]
    sds = []
    for scoring in (scorer, make(function)):
        result = compare_predictions(Y, A, B, scoring=scoring, **options)
        assert_allclose([result.observed_a, result.observed_b], expected)
        sds.append(result.draws.std())
        assert result.draws.mean() == pytest.approx(expected[0] - expected[1], abs=sds[-1] / 4)
    assert_allclose(sds[0], sds[1], rtol=0.15)
    swapped = compare_predictions(Y, B, A, scoring=scorer, **options)
    assert swapped.draws.mean() == pytest.approx(expected[1] - expected[0], abs=sds[0] / 4)
    assert score_posterior(Y, A, scoring=scorer, **options).observed == pytest.approx(expected[0])


def test_a_sum_is_told_per_instance(routing):
    """In one unit, whatever the splits are, with the standard deviation of a mean."""
    values = np.where(Y == 1, -AMOUNT, 0.02 * AMOUNT)  # of all payments, accepted
    learners = [DummyClassifier(strategy="constant", constant=constant) for constant in (0, 1)]
    options = {"scoring": asking(gain), "params": {"amount": AMOUNT}, "random_state": 0}
    for cv in (2, 10):
        result = bayesian_cross_validate(*learners, X, Y, cv=KFold(cv), n_draws=100, **options)
        expected = [values.mean(), np.where(Y == 1, 50, -5).mean()]
        assert_allclose([result.observed_a, result.observed_b], expected)
        kept = next(iter(result.cv_results.values()))
        assert_allclose(kept["test_score"].sum(), values.sum())  # as cross_validate
    for weight in (1.0, 0.25):
        result = score_posterior(Y, np.zeros(N, int), weight=weight, **options, n_draws=4000)
        sd = values.std() / np.sqrt(weight * N)
        assert result.draws.mean() == pytest.approx(values.mean(), abs=sd / 4)
        assert result.draws.std() == pytest.approx(sd, rel=0.06)


@pytest.mark.parametrize("total", [lambda y, p: np.sum(y == p), lambda y, p: -np.sum(y != p)])
def test_other_sums_are_refused(total):
    """Before anything is fitted."""
    unfit, message = LogisticRegression(C=-1), r"'total' has twice .* divide sums by len\(y_true\)"
    scoring = metrics.resampled(total, name="total")
    with pytest.raises(ValueError, match=message):
        compare_predictions(Y, A, B, scoring=scoring)
    with pytest.raises(ValueError, match=message):
        bayesian_cross_validate(unfit, GaussianNB(), X, Y, scoring=scoring)


def test_rows_and_columns_go_together(routing):
    """Whatever the order of the rows, and in each subgroup."""
    scorer, order = asking(gain), np.random.default_rng(1).permutation(N)
    options = {"scoring": scorer, **FEW}
    plain = compare_predictions(Y, A, B, params={"amount": AMOUNT}, **options)
    moved = {"params": {"amount": AMOUNT[order]}, **options}
    moved = compare_predictions(Y[order], A[order], B[order], **moved)
    assert moved.observed_a == pytest.approx(plain.observed_a)
    table = plain.by(KIND).summary()
    for kind in ("card", "cash"):
        rows = kind == KIND
        assert table.loc[kind, "observed_a"] == pytest.approx(
            mean_gain(Y[rows], A[rows], AMOUNT[rows])
        )
    options |= {"params": {"amount": AMOUNT}, "cv": CV}
    of_one = bayesian_cross_val_score(GaussianNB(), X, Y, **options)
    options = {"scoring": asking(mean_gain), "params": {"amount": AMOUNT}, "cv": CV}
    scores = cross_validate(GaussianNB(), X, Y, **options)
    assert of_one.observed == pytest.approx(scores["test_score"].mean())


def test_requests(routing):
    """Aliases, sample weights that a scorer asks for, and what nobody has said anything about."""
    cost = make_scorer(paid := weighted_gain).set_score_request(amount="cost", sample_weight=True)
    learners = [
        clone(one).set_fit_request(sample_weight=asks)
        for one, asks in zip(LEARNERS, (True, False), strict=True)
    ]
    params = {"cost": AMOUNT, "sample_weight": WEIGHTS}
    comparer = BayesianComparer(learners, scoring=cost, cv=CV, refit=True, **FEW)
    comparer.fit(X, Y, **params)
    assert comparer.get_metadata_routing().consumes("fit", list(params)) == {*params}
    for learner, observed in zip(learners, comparer.ranking_.observed, strict=True):
        expected = cross_validate(learner, X, Y, scoring=cost, params=params, cv=CV)
        assert observed == pytest.approx(expected["test_score"].mean())
    predicted = comparer.predict(X[:50])
    weights = WEIGHTS[:50]
    score = comparer.score(X[:50], Y[:50], cost=AMOUNT[:50], sample_weight=weights)
    assert score == pytest.approx(paid(Y[:50], predicted, AMOUNT[:50], weights))
    with pytest.raises(UnsetMetadataPassedError, match="bayesian_cross_validate"):
        bayesian_cross_validate(*LEARNERS, X, Y, scoring=cost, params=params, **FEW)
    with pytest.raises(TypeError, match=r"unexpected argument\(s\) \{'amount'\}"):
        bayesian_cross_validate(*LEARNERS, X, Y, params={"amount": AMOUNT}, **FEW)
    weighted = make_scorer(sk.f1_score).set_score_request(sample_weight=True)
    options = {"scoring": weighted, "params": {"sample_weight": WEIGHTS}}
    result = compare_predictions(Y, A, B, **options, **FEW)
    assert result.observed_a == pytest.approx(sk.f1_score(Y, A, sample_weight=WEIGHTS))


def weighing(learner, fit, score):
    return clone(learner).set_fit_request(sample_weight=fit).set_score_request(sample_weight=score)


@pytest.mark.parametrize("requests", [(True, True), (True, "importance"), ("importance", False)])
def test_own_scores_have_the_columns_they_request(routing, requests):
    """Each estimator its own, through pipelines as well."""
    params = {"sample_weight": WEIGHTS, "importance": WEIGHTS**2}
    learners = [
        weighing(LEARNERS[0], *requests),
        make_pipeline(StandardScaler(), weighing(LEARNERS[1], "importance", True)),
    ]
    learners[1][0].set_fit_request(sample_weight=False)
    options = {"params": params, "cv": CV, "model": "scores", **FEW}
    result = bayesian_cross_validate(*learners, X, Y, **options)
    comparer = BayesianComparer(learners, cv=CV, model="scores", refit=True, **FEW)
    comparer.fit(X, Y, **params)
    assert comparer.get_metadata_routing().consumes("fit", [*params]) == {*params}
    for i, learner in enumerate(learners):
        request = get_routing_for_object(learner)
        names = {name for method in ("fit", "score") for name in request.consumes(method, params)}
        options["params"] = own = {name: params[name] for name in names}
        try:
            expected = cross_validate(learner, X, Y, params=own, cv=CV)["test_score"]
        except UnsetMetadataPassedError:  # of pipelines, by scikit-learn 1.6
            assert i == 1
            continue
        for found in (result.cv_results, comparer.cv_results_):
            assert_allclose(found[result.names[i]]["test_score"], expected)
        of_one = bayesian_cross_val_score(learner, X, Y, **options)
        assert of_one.observed == pytest.approx(expected.mean())
    score = comparer.best_estimator_.score(X, Y, sample_weight=WEIGHTS)
    assert comparer.score(X, Y, sample_weight=WEIGHTS) == score


def test_own_scores_that_are_not_counts(routing):
    params = {"sample_weight": WEIGHTS}
    learners = [weighing(one, True, i == 1) for i, one in enumerate(LEARNERS)]
    message = r"score method of 'LogisticRegression' requests \['sample_weight'\], but without"
    with pytest.raises(ValueError, match=message):
        bayesian_cross_validate(*learners, X, Y, params=params, **FEW)
    with pytest.raises(ValueError, match=message):
        BayesianComparer(learners, **FEW).fit(X, Y, **params)
    with pytest.raises(ValueError, match=message):
        bayesian_cross_val_score(learners[1], X, Y, params=params, **FEW)
    # What the error proposes gives what the estimators' own scores are.
    weighted = make_scorer(sk.accuracy_score).set_score_request(sample_weight=True)
    expected = cross_validate(learners[1], X, Y, params=params, cv=CV)["test_score"]
    options = {"params": params, "cv": CV, **FEW}
    for proposed in ({"scoring": weighted}, {"model": "scores"}):
        found = bayesian_cross_val_score(learners[1], X, Y, **proposed, **options)
        assert_allclose(found.cv_results["LogisticRegression"]["test_score"], expected)
    ignoring = bayesian_cross_val_score(weighing(LEARNERS[1], True, False), X, Y, **options)
    expected = cross_validate(weighing(LEARNERS[1], True, False), X, Y, params=params, cv=CV)
    assert_allclose(ignoring.cv_results["LogisticRegression"]["test_score"], expected["test_score"])
    comparer = BayesianComparer([weighing(one, True, False) for one in LEARNERS], refit=True, **FEW)
    comparer.fit(X, Y, **params)
    with pytest.raises(TypeError, match="params contains 'sample_weight', which no metric of"):
        comparer.score(X, Y, sample_weight=WEIGHTS)


def test_columns_in_another_order(routing):
    """What no `fit` takes is paired by index as well, whichever of the data has one."""
    amount = pd.Series(AMOUNT).sort_values()
    scorer, message = asking(gain), r"but their indexes differ: \w+ has the same values in ano"
    frame, target = pd.DataFrame(X), pd.Series(Y)
    options = {"scoring": scorer, "params": {"amount": amount}, **FEW}
    for data in ((frame, Y), (X, target)):
        for model in ("auto", "scores"):
            with pytest.raises(ValueError, match=message):
                bayesian_cross_validate(*LEARNERS, *data, model=model, **options)
        comparer = BayesianComparer(LEARNERS, scoring=scorer, cv=CV, refit=True, **FEW)
        comparer.fit(*data, amount=amount.sort_index())
        with pytest.raises(ValueError, match=message):
            comparer.score(*data, amount=amount)
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, scoring=scorer, cv=CV)
    search.fit(frame, Y, amount=AMOUNT)
    with pytest.raises(ValueError, match=message):
        report_search(search, frame, Y, rope=1.0, params={"amount": amount}, **FEW)
    with pytest.raises(ValueError, match=message):
        compare_predictions(Y, pd.Series(A), B, **options)


@pytest.mark.parametrize("splitter", [GroupKFold(4), BlockRegularizedCV(random_state=0)])
def test_groups_by_another_name(routing, splitter):
    """They reach the splitter, and are the unit."""
    groups = np.arange(N) // 4
    named = clone(splitter, safe=False).set_split_request(groups="patient")
    plain, routed = (
        bayesian_cross_validate(*LEARNERS, X, Y, cv=cv, params={name: groups}, **FEW)
        for cv, name in ((splitter, "groups"), (named, "patient"))
    )
    assert_array_equal(plain.draws, routed.draws)
    comparer = BayesianComparer(LEARNERS, cv=named, **FEW).fit(X, Y, patient=groups)
    assert_array_equal(comparer.result_.draws, plain.draws)
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, cv=named)
    search.fit(X, Y, patient=groups)
    report = report_search(search, X, Y, rope=0.1, params={"patient": groups}, **FEW)
    assert_allclose(report.ranking.table["observed"].max(), search.best_score_)
    with config_context(enable_metadata_routing=False):  # where no name is asked for
        unrouted = bayesian_cross_validate(*LEARNERS, X, Y, cv=named, groups=groups, **FEW)
    assert_array_equal(unrouted.draws, plain.draws)


def test_searches_by_own_scores(routing):
    """Recorded scores are reported: what `score` does with its columns is not known."""
    params = {"sample_weight": WEIGHTS}
    learner, grid = weighing(GaussianNB(), True, True), {"var_smoothing": [1e-9, 1.0]}
    search = GridSearchCV(learner, grid, cv=CV).fit(X, Y, **params)
    with pytest.warns(UserWarning, match="'score' is known only by its value in each split"):
        report = report_search(search, X, Y, rope=0.1, params=params, **FEW)
    found = [report.ranking.table.loc[name, "observed"] for name in report.ranking.names]
    assert_allclose(found, search.cv_results_["mean_test_score"])
    counting = GridSearchCV(learner, grid, cv=CV, scoring=count_scorer([0, 1]), refit="score")
    report = report_search(counting.fit(X, Y, **params), X, Y, rope=0.1, params=params, **FEW)
    assert report.source == "predictions"
    found = [report.ranking.table.loc[name, "observed"] for name in report.ranking.names]
    assert_allclose(found, counting.cv_results_["mean_test_score"], atol=0.005)


def test_searches(routing):
    scorer = asking(gain)
    grid, options = {"var_smoothing": [1e-9, 1.0]}, {"scoring": {"gain": scorer}, "cv": CV}
    search = GridSearchCV(GaussianNB(), grid, refit="gain", **options).fit(X, Y, amount=AMOUNT)
    params = {"amount": AMOUNT}
    report = report_search(search, X, Y, rope=1.0, params=params, **FEW)
    found = [report.ranking.table.loc[name, "observed"] for name in report.ranking.names]
    sizes = [len(test) for _, test in CV.split(X, Y)]
    sums = [search.cv_results_[f"split{i}_test_gain"] for i in range(3)]
    assert_allclose(found, np.mean([of_one / n for of_one, n in zip(sums, sizes, strict=True)], 0))


def test_errors(routing):
    scorer = asking(gain)
    for params, message in (
        ({"amount": AMOUNT[:9]}, f"there are {N} instances, but amount has 9"),
        ({}, "scoring='gain' requires amount"),
    ):
        for compare, given in (
            (bayesian_cross_validate, (*LEARNERS, X, Y)),
            (compare_predictions, (Y, A, B)),
        ):
            with pytest.raises((ValueError, TypeError), match=message):
                compare(*given, scoring=scorer, params=params)
    unknown = "params contains 'cost', which no metric of scoring= takes"
    with pytest.raises(TypeError, match=unknown):
        compare_predictions(Y, A, B, scoring=metrics.resampled(gain), params={"cost": AMOUNT})
    with pytest.raises(TypeError, match="params must be a dict of columns"):
        compare_predictions(Y, A, B, params=[AMOUNT])
    options = {"scoring": scorer, "params": {"amount": AMOUNT}, "sample_weight": WEIGHTS}
    with pytest.raises(ValueError, match="sample_weight= does not apply to metric 'gain'"):
        compare_predictions(Y, A, B, **options)


OF_LABELS = {
    "accuracy": sk.accuracy_score,
    "f1": sk.f1_score,
    "f1_macro": lambda *data, **options: sk.f1_score(*data, average="macro", **options),
    "matthews_corrcoef": sk.matthews_corrcoef,
    "cohen_kappa": sk.cohen_kappa_score,
}


@pytest.mark.parametrize("groups", [None, np.arange(N) // 4], ids=["instances", "groups"])
def test_sample_weights_of_classes(groups, tmp_path):
    weights = np.where(np.arange(N) < 8, 0.0, WEIGHTS)
    options = {"sample_weight": weights, "groups": groups, "n_draws": 1000, "random_state": 0}
    result = compare_predictions(Y, A, B, scoring=list(OF_LABELS), **options)
    for name, function in OF_LABELS.items():
        expected = [function(Y, said, sample_weight=weights) for said in (A, B)]
        of_metric = result.metric(name)
        assert_allclose([of_metric.observed_a, of_metric.observed_b], expected)
        assert of_metric.draws.mean() == pytest.approx(expected[0] - expected[1], abs=0.03)
    effective = weights.sum() ** 2 / np.square(weights).sum()
    assert f"160 instances count like {effective:,.0f} of equal weight" in result.details()
    result.save(tmp_path / "file")
    assert load_result(tmp_path / "file").details() == result.details()
    column = Y if groups is None else groups % 2
    table, rows = result.metric("f1").by(column, metric="f1").summary(), column == 1
    expected = sk.f1_score(Y[rows], A[rows], sample_weight=weights[rows])
    assert table.loc[1, "observed_a"] == pytest.approx(expected)


def test_sample_weights_are_importance():
    """Whole weights are repeated instances in observed values; the draws have those of n."""
    times = RNG.integers(0, 4, N)
    repeated = np.repeat(np.arange(N), times)
    result = compare_predictions(Y, A, B, scoring="f1", sample_weight=times, **FEW)
    again = compare_predictions(Y[repeated], A[repeated], B[repeated], scoring="f1", **FEW)
    assert result.observed_a == pytest.approx(again.observed_a)
    for scoring in ("f1", "accuracy"):
        uniform, plain = (
            compare_predictions(Y, A, B, scoring=scoring, sample_weight=weights, **FEW)
            for weights in (np.full(N, 0.3), None)
        )
        assert_array_equal(uniform.draws, plain.draws)
    # A mean of values with weights: sum(w^2 (v - mean)^2) / sum(w)^2.
    right = (Y == A).astype(float)
    mean = np.average(right, weights=WEIGHTS)
    sd = np.sqrt(np.sum((WEIGHTS * (right - mean)) ** 2)) / WEIGHTS.sum()
    found = score_posterior(Y, A, sample_weight=WEIGHTS, n_draws=20_000, random_state=0)
    assert found.draws.std() == pytest.approx(sd, rel=0.1)


@pytest.mark.parametrize("name", ["roc_auc", "average_precision"])
def test_sample_weights_of_scores(name):
    function = getattr(sk, f"{name}_score")
    weights = np.where(np.arange(N) < 8, 0.0, WEIGHTS)
    plain = {"scoring": name, "y_score_a": SCORE_A, "y_score_b": SCORE_B, **FEW}
    options = plain | {"sample_weight": weights, "n_draws": 1000}
    result = compare_predictions(Y, None, None, **options)
    expected = [function(Y, one, sample_weight=weights) for one in (SCORE_A, SCORE_B)]
    assert_allclose([result.observed_a, result.observed_b], expected)
    assert result.draws.mean() == pytest.approx(expected[0] - expected[1], abs=0.03)
    # The influence of a row, against scikit-learn's metric with a slightly larger weight.
    metric = next(iter(result._metrics.values()))
    influence = result._posterior.influence(metric)[0]
    for row in (3, 50, 100):
        more = weights.copy()
        more[row] *= 1 + 1e-6
        change = (function(Y, SCORE_A, sample_weight=more) - expected[0]) / 1e-6
        assert influence[row] == pytest.approx(change, abs=1e-7)
    uniform = compare_predictions(Y, None, None, sample_weight=np.full(N, 2.0), **plain)
    assert_array_equal(uniform.draws, compare_predictions(Y, None, None, **plain).draws)


def test_sample_weights_of_labels_probabilities_and_functions():
    several, said = RNG.integers(0, 2, (2, N, 3))
    options = {"sample_weight": WEIGHTS, **FEW}
    found = score_posterior(several, said, scoring="f1_micro", **options).observed
    weights = {"sample_weight": WEIGHTS}
    assert found == pytest.approx(sk.f1_score(several, said, average="micro", **weights))
    p = 1 / (1 + np.exp(-SCORE_A))
    brier = metrics.weighted(sk.brier_score_loss, response="predict_proba", greater_is_better=False)
    for scoring, loss in (("neg_log_loss", sk.log_loss), (brier, sk.brier_score_loss)):
        found = score_posterior(Y, None, y_score=p, scoring=scoring, **options).observed
        assert found == pytest.approx(-loss(Y, p, **weights))
    loss = metrics.weighted(sk.hamming_loss, greater_is_better=False)
    found = score_posterior(Y, A, scoring=loss, **options).observed
    assert found == pytest.approx(-sk.hamming_loss(Y, A, **weights))


@pytest.mark.parametrize("scoring", ["f1", "r2"])
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (WEIGHTS * np.nan, r"Input sample_weight contains NaN\."),
        (WEIGHTS[:9], "inconsistent numbers of samples: y_true has 160, sample_weight has 9"),
        (np.zeros(N), r"Sample weights must contain at least one non-zero number\."),
        (np.ones((N, 1)), r"Sample weights must be 1D array, got 2D array\."),
    ],
)
def test_bad_sample_weights(weights, message, scoring):
    with pytest.raises(ValueError, match=message):
        compare_predictions(Y, A, B, scoring=scoring, sample_weight=weights)


def test_models_of_counts_refuse_sample_weights():
    with pytest.raises(ValueError, match=r"'unpaired' takes plain counts, but sample_weight= was"):
        compare_predictions(Y, A, B, sample_weight=WEIGHTS, model="unpaired")
    with pytest.raises(ValueError, match="prevalence"):
        compare_predictions(Y, A, B, sample_weight=WEIGHTS, prevalence=0.3)


@pytest.mark.parametrize("model", ["auto", "scores"])
@pytest.mark.parametrize("scoring", [None, "accuracy", ["f1", "roc_auc"], {"a": "f1"}])
def test_requests_that_are_not_set(routing, scoring, model):
    """As `cross_validate`, also where names are scikit-learn's scorers."""
    learners = [clone(one).set_fit_request(sample_weight=True) for one in LEARNERS]
    options = {"scoring": scoring, "params": {"sample_weight": WEIGHTS}}
    raised = []
    for call in (
        lambda: cross_validate(learners[0], X, Y, **options),
        lambda: bayesian_cross_validate(*learners, X, Y, model=model, **options, **FEW),
    ):
        try:
            call()
        except UnsetMetadataPassedError:
            raised.append(call)
    # scikit-learn 1.6 computes scorers that it is given by name without weights.
    assert len(raised) == 2 or (scoring is not None and not raised)
