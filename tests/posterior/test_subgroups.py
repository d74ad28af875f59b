import numpy as np
import pytest
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import (
    bayesian_cross_validate,
    compare_many,
    compare_predictions,
    metrics,
)
from skbayeseval.evidence.instances import Subgroups
from skbayeseval.evidence.validated_rows import ClassRows
from skbayeseval.posterior.inferred_weight import InferredWeights, ObservedRows
from skbayeseval.posterior.subgroups import _without_prior, compare_subgroups

ACCURACY = metrics.get_metric("accuracy")
OPTIONS = {"n_draws": 4000, "random_state": 0}
LEARNERS = GaussianNB(), DecisionTreeClassifier(max_depth=1, random_state=0)


def simulated(n=600, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    a, b = (np.where(rng.random(n) < p, y, rng.integers(n_classes, size=n)) for p in (0.8, 0.7))
    return y, a, b, rng.integers(3, size=n)


def by(result, codes, metric=ACCURACY, labels=None):
    labels = tuple(range(int(codes.max()) + 1)) if labels is None else labels
    subgroups, _ = compare_subgroups(result._posterior, metric, Subgroups(labels, codes, None))
    return subgroups


def test_names_do_not_matter():
    y, a, b, codes = simulated()
    result = compare_predictions(y, a, b, **OPTIONS)
    order = np.array([2, 0, 1])
    one, other = by(result, codes), by(result, order[codes])
    for mine, code in zip(one, order, strict=True):
        np.testing.assert_array_equal(mine.pooled.draws, other[code].pooled.draws)


def test_swapping_a_and_b_mirrors():
    y, a, b, codes = simulated()
    c, given = np.roll(a, 1), Subgroups((0, 1, 2), codes, None)
    ranking = compare_many(y, {"a": a, "b": b, "c": c}, n_draws=500, random_state=0)
    for i, j in ((0, 1), (1, 2)):
        (one, tau), (other, its_tau) = (
            compare_subgroups(ranking.pairs[pair]._posterior, ACCURACY, given)
            for pair in ((i, j), (j, i))
        )
        for mine, theirs in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine.pooled.draws, -theirs.pooled.draws)
        np.testing.assert_array_equal(tau, its_tau)
    one = by(compare_predictions(y, a, b, **OPTIONS), codes)
    other = by(compare_predictions(y, b, a, **OPTIONS), codes)
    for mine, theirs in zip(one, other, strict=True):
        assert mine.pooled.mean == pytest.approx(-theirs.pooled.mean, abs=0.003)


def test_a_few_instances_without_disagreement_say_little():
    for n_classes in (2, 3):
        y, a, b, _ = simulated(300, n_classes)
        codes = np.zeros(300, dtype=int)
        codes[np.flatnonzero((y == a) & (y == b))[:3]] = 1
        low, high = by(compare_predictions(y, a, b, **OPTIONS), codes)[1].unpooled.hdi()
        assert low < -0.25
        assert high > 0.25


def test_a_single_unit_and_an_unstable_metric():
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    a, b = (y + rng.normal(0, sd, 200) for sd in (0.3, 0.5))
    codes = np.zeros(200, dtype=int)
    codes[0], codes[1:4] = 1, 2
    y[1:4] = 1 + 1e-6 * np.arange(3)  # hardly any variance to explain
    r2 = metrics.get_metric("r2")
    found = by(compare_predictions(y, a, b, scoring="r2", **OPTIONS), codes, r2)
    reasons = [one.reason for one in found]
    assert reasons == ["", "too few instances: 1", "the metric is unstable"]
    groups = np.arange(200) // 4
    labels = (y > 0).astype(int)
    result = compare_predictions(labels, labels, (b > 0).astype(int), groups=groups, **OPTIONS)
    assert by(result, (groups == 3).astype(int))[1].reason == "a single group"


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(240, 3))
    return X, (X[:, 0] + 0.8 * rng.normal(size=240) > 0).astype(int), (X[:, 1] > 0).astype(int)


@pytest.mark.parametrize("weight", ["inferred", "published"])
def test_cross_validation(data, weight):
    X, y, codes = data
    result = bayesian_cross_validate(*LEARNERS, X, y, cv=KFold(4), weight=weight, **OPTIONS)
    found = by(result, codes)
    said = np.column_stack([cross_val_predict(one, X, y, cv=KFold(4)) for one in LEARNERS])
    for code in (0, 1):
        rows = np.flatnonzero(codes == code)
        right = (said[rows] == y[rows, None]).mean(axis=0)
        assert found[code].observed == pytest.approx(tuple(right))
        part = result._posterior.of_rows(rows, 0)
        if weight == "published":
            assert part.weight == result.weight
            continue
        split = np.repeat(np.arange(4), 60)[rows]
        own = ClassRows(rows, rows, split, y[rows], said[rows], 2, 0)
        expected = InferredWeights(ObservedRows(own), None, 2).difference(ACCURACY)
        assert part.weights.difference(ACCURACY) == pytest.approx(expected)


def test_cross_validated_scores_leave_out_splits_without_both_classes(data):
    X, y, codes = data
    codes = codes.copy()
    codes[:20][y[:20] == 1] = 2  # ten or so positives, all in the first split
    result = bayesian_cross_validate(*LEARNERS, X, y, cv=KFold(4), scoring="roc_auc", **OPTIONS)
    found = by(result, codes, metrics.get_metric("roc_auc"))
    assert [one.reason for one in found] == ["", "", "only one class"]
    assert all(np.isfinite(one.observed).all() for one in found[:2])


def test_instances_that_were_never_tested(data):
    X, y, _ = data
    splits = [(np.arange(120), np.arange(120, 200)), (np.arange(120), np.arange(160, 200))]
    result = bayesian_cross_validate(*LEARNERS, X, y, cv=splits, **OPTIONS)
    reasons = [one.reason for one in by(result, np.repeat([0, 1, 2], 80))]
    assert reasons == ["no instance was tested", "", ""]


def test_the_prior_of_the_model_is_taken_out_before_pooling():
    rng = np.random.default_rng(0)
    observed, noise, prior = np.array([[0.1], [-0.3]]), np.array([[0.02], [0.05]]), 0.06
    precision, centre = 1 / noise + 1 / prior, 0.5
    middle = (observed / noise + centre / prior) / precision
    draws = rng.normal(middle, precision**-0.5, (2, 100_000))
    found = _without_prior(draws, centre, prior)
    np.testing.assert_allclose(found.mean(axis=1), observed[:, 0], atol=0.005)
    np.testing.assert_allclose(found.var(axis=1), noise[:, 0], rtol=0.02)
    np.testing.assert_allclose(_without_prior(draws, centre, np.inf), draws)
