"""Labels, any of many, and groups."""

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn import metrics as sk
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier

from skbayeseval import (
    BlockRegularizedCV,
    bayesian_cross_validate,
    compare_many,
    compare_predictions,
    load_result,
    metrics,
    score_posterior,
)

AVERAGES = [f"{name}_{average}" for name in ("precision", "recall", "f1", "jaccard")
            for average in ("micro", "macro", "weighted")]  # fmt: skip


def labelled(rng, n=300, n_labels=6, skill=(1.2, 0.9)):
    """Labels of instances that are easy or hard on all labels at once, partly for both."""
    truth = rng.random((n, n_labels)) < 0.3
    for_both = rng.normal(size=(n, 1))
    found = []
    for level in skill:
        ease = 0.4 * for_both + 0.9 * rng.normal(size=(n, 1))
        right = level + ease + 0.7 * rng.normal(size=(n, n_labels)) > 0
        found.append(np.where(right, truth, ~truth).astype(int))
    return truth.astype(int), *found


@pytest.fixture
def indicators():
    return labelled(np.random.default_rng(0))


@pytest.mark.parametrize(
    ("model", "kind"), [("auto", np.array), ("unpaired", sparse.csr_matrix), ("bcv", np.array)]
)
def test_observed_scores_are_scikit_learns(indicators, model, kind):
    y, a, b = indicators
    result = compare_predictions(
        *map(kind, indicators),
        scoring=[*AVERAGES, "f2_macro"],
        model=model,
        n_draws=4000,
        random_state=0,
    )
    for name in AVERAGES:
        score, average = name.rsplit("_", 1)
        twin = getattr(sk, f"{score}_score")
        seen = result.metric(name)
        assert seen.observed_a == pytest.approx(twin(y, a, average=average))
        assert seen.observed_b == pytest.approx(twin(y, b, average=average))
        assert abs(seen.draws_a.mean() - seen.observed_a) < 0.05
    labels = result.metric(metrics.per_class("f1").of(result.labels)[2])
    assert labels.observed_a == pytest.approx(sk.f1_score(y[:, 2], a[:, 2]))


def test_instance_weights_are_the_bayesian_bootstrap(indicators):
    y, a, b = indicators
    result = compare_predictions(*indicators, scoring="f1_micro", random_state=0)
    assert result.model == "paired"
    rng = np.random.default_rng(1)
    weights = rng.dirichlet(np.ones(len(y)), 4000)
    delta = []
    for p in (a, b):
        hits, wrong = weights @ (y * p), weights @ (y != p)
        delta.append(2 * hits.sum(1) / (2 * hits.sum(1) + wrong.sum(1)))
    by_hand = delta[0] - delta[1]
    assert result.draws.mean() == pytest.approx(by_hand.mean(), abs=4 * by_hand.std() / 60)
    assert result.draws.std() == pytest.approx(by_hand.std(), rel=0.05)


def test_many_and_one(indicators):
    y, a, b = indicators
    ranking = compare_many(y, {"a": a, "b": b, "c": 1 - y}, scoring="f1_macro", random_state=0)
    two = compare_predictions(y, a, b, scoring="f1_macro", random_state=0)
    assert ranking.table.loc["c", "p_best"] == 0
    # Who is alike depends on who is compared, so the posteriors are the same but not the draws.
    pair = ranking.pairs[0, 1].alone
    np.testing.assert_array_equal(pair.evidence.first_alike, two.evidence.first_alike)
    assert stats.ks_2samp(pair.draws, two.draws).pvalue > 1e-3
    one = score_posterior(y, a, scoring="f1_macro", random_state=0)
    assert stats.ks_2samp(one.draws, two.draws_a).pvalue > 1e-3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "scoring='accuracy' requires one label per instance"),
        ({"scoring": "f1"}, "Target is multilabel-indicator but scoring='f1'"),
        ({"scoring": "f1_micro", "model": "hierarchical"}, "requires one label per instance, but"),
        ({"scoring": "f1_micro", "pos_label": 1}, "pos_label=1 was given, but"),
        ({"scoring": "f1_micro", "prevalence": [1 / 6] * 6}, "prevalence="),
    ],
)
def test_bad_arguments(indicators, options, message):
    with pytest.raises(ValueError, match=message):
        compare_predictions(*indicators, **options)


def test_groups_by_hand(votes):
    y, a, b = votes
    rng = np.random.default_rng(3)
    groups = rng.integers(0, 50, len(y))
    result = compare_predictions(y, a, b, groups=groups, scoring=["accuracy", "f1"], random_state=0)
    assert result.model == "group weights"
    weights = rng.standard_gamma(1.0, (20_000, 50))[:, groups]
    weights /= weights.sum(axis=1, keepdims=True)
    by_hand = weights @ ((a == y).astype(float) - (b == y))
    error = 4 * np.hypot(by_hand.std(), result.draws.std()) / np.sqrt(20_000)
    assert result.draws.mean() == pytest.approx(by_hand.mean(), abs=error)
    # Fifty groups of unequal size are fewer, and their variance is that of Student's t.
    sizes = np.bincount(groups)
    k = sizes.sum() ** 2 / np.sum(sizes**2)
    wider = np.sqrt(51 / 50 * k / (k - 3))
    assert result.draws.std() == pytest.approx(wider * by_hand.std(), rel=0.03)
    assert result.observed_a == pytest.approx(np.mean(a == y))
    cost = metrics.from_confusion(lambda t: -t[..., 0, 1], "alarms")
    alarms = np.mean((y == 0) & (a == 1))
    assert result.metric(cost).observed_a == pytest.approx(-alarms)
    assert result.metric(cost).draws_a.mean() == pytest.approx(-alarms, abs=0.005)
    with pytest.raises(ValueError, match="assumes independent instances"):
        compare_predictions(y, a, b, groups=groups, model="unpaired")


@pytest.mark.parametrize("model", ["paired", "hierarchical"])
def test_prevalence(votes, model):
    # A case-control sample: half positives here, one in fifty in the field.
    result = compare_predictions(
        *votes, scoring=["accuracy", "recall"], model=model, prevalence=0.02, random_state=0
    )
    share = metrics.from_confusion(lambda t: t[..., 1, :].sum(-1), "share")
    np.testing.assert_allclose(result.metric(share).draws_a, 0.02)
    recall = result.metric("recall").draws_a
    specificity = result.metric("specificity").draws_a
    np.testing.assert_allclose(result.draws_a, 0.02 * recall + 0.98 * specificity)
    plain = compare_predictions(*votes, scoring="recall", model=model, random_state=1)
    assert stats.ks_2samp(recall, plain.draws_a).pvalue > 1e-4
    assert result.bayes_factor(rope=0.02).value > 0


def test_prevalence_of_many_classes(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    a, b = (np.where(rng.random(300) < p, y, rng.integers(0, 3, 300)) for p in (0.9, 0.7))
    share = (0.7, 0.2, 0.1)
    result = compare_predictions(y, a, b, prevalence=share, scoring="accuracy", random_state=0)
    for i in range(3):
        of_class = metrics.from_confusion(lambda t, i=i: t[..., i, :].sum(-1), "share")
        np.testing.assert_allclose(result.metric(of_class).draws_a, share[i])
    result.save(tmp_path / "file")
    again = load_result(tmp_path / "file")
    np.testing.assert_allclose(again.metric("f1_macro").draws, result.metric("f1_macro").draws)
    first = compare_predictions(y, a, b, prevalence=share, labels=[2, 1, 0], random_state=0)
    last = metrics.from_confusion(lambda t: t[..., 0, :].sum(-1), "share")
    np.testing.assert_allclose(first.metric(last).draws_a, 0.7)


@pytest.mark.parametrize(
    ("prevalence", "options", "message"),
    [
        (1.5, {}, "prevalence must be a number in"),
        ([0.5, 0.6], {}, "2 positive numbers that sum to 1"),
        (0.3, {"model": "bcv"}, "requires a model with class proportions.*model='bcv'"),
        (0.3, {"groups": np.arange(400)}, "prevalence= requires a model with class"),
    ],
)
def test_bad_prevalence(votes, prevalence, options, message):
    with pytest.raises(ValueError, match=message):
        compare_predictions(*votes, prevalence=prevalence, **options)


@pytest.mark.slow
def test_coverage_of_a_micro_f1_difference():
    # 20 labels, 400 instances of varying difficulty; the truth from 200,000 instances.
    rng = np.random.default_rng(0)
    y, a, b = labelled(rng, n=200_000, n_labels=20)
    truth = sk.f1_score(y, a, average="micro") - sk.f1_score(y, b, average="micro")
    covered = {"paired": 0, "unpaired": 0}
    for i in range(500):
        data = labelled(rng, n=400, n_labels=20)
        for model in covered:
            result = compare_predictions(
                *data, scoring="f1_micro", model=model, n_draws=500, random_state=i
            )
            low, high = result.interval(0.95)
            covered[model] += low <= truth <= high
    print({model: n / 500 for model, n in covered.items()})
    assert 0.89 <= covered["paired"] / 500 <= 0.98
    assert covered["unpaired"] < covered["paired"]  # they take the labels for independent


def test_pooled_counts_of_labels():
    # Independent labels see each row that was validated at the weight, as two classes would.
    X, y = make_multilabel_classification(200, n_classes=3, random_state=0)
    a, b = MultiOutputClassifier(LogisticRegression()), KNeighborsClassifier()
    result = bayesian_cross_validate(
        ("a", a), ("b", b), X, y, cv=BlockRegularizedCV(random_state=0), scoring="f1_macro",
        model="unpaired", random_state=0, return_indices=True,
    )  # fmt: skip
    indices = result.cv_results["a"]["indices"]
    rows = np.concatenate(indices["test"])
    predicted = np.concatenate(
        [
            KNeighborsClassifier().fit(X[train], y[train]).predict(X[test])
            for train, test in zip(indices["train"], indices["test"], strict=True)
        ]
    )
    assert result.observed_b == pytest.approx(sk.f1_score(y[rows], predicted, average="macro"))
    assert f"from {len(rows)} counts" in result.details().replace(",", "")
    tp = (y[rows] * predicted).sum(0)
    fn = (y[rows] * (1 - predicted)).sum(0)
    recall = metrics.per_class("recall").of(result.labels)[0]
    law = stats.beta(1 + result.weight * tp[0], 1 + result.weight * fn[0])
    assert stats.ks_1samp(result.metric(recall).draws_b, law.cdf).pvalue > 1e-4


def few_kinds(n=400, n_labels=3):
    """A few kinds of instances, of unequal numbers."""
    rng = np.random.default_rng(0)
    y = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]])[rng.choice(3, n, p=[0.6, 0.3, 0.1])]
    a, b = (np.where(rng.random((n, n_labels)) < p, 1 - y, y) for p in (0.1, 0.2))
    return y, a, b


@pytest.mark.parametrize("groups", [None, np.arange(400) // 2])
def test_exchanging_classifiers_changes_the_sign_only(groups):
    y, a, b = few_kinds()
    options = {"scoring": ["f1_micro", "f1_macro"], "groups": groups, "random_state": 0}
    one = compare_predictions(y, a, b, **options)
    other = compare_predictions(y, b, a, **options)
    for name in one.metrics:
        np.testing.assert_array_equal(one.metric(name).draws, -other.metric(name).draws)
        np.testing.assert_array_equal(one.metric(name).draws_a, other.metric(name).draws_b)


def test_order_of_labels_does_not_matter():
    y, a, b = few_kinds()
    for name in ("f1_micro", "f1_macro"):
        options = {"scoring": name, "random_state": 0, "n_draws": 1000}
        one = compare_predictions(y, a, b, **options)
        other = compare_predictions(*(matrix[:, [2, 0, 1]] for matrix in (y, a, b)), **options)
        np.testing.assert_allclose(one.draws, other.draws, rtol=1e-9, atol=1e-12)
