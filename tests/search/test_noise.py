import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneGroupOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import BlockRegularizedCV, count_scorer, report_search
from skbayeseval.metrics import get_metric
from skbayeseval.search.report_recorded import (
    RecordedSplits,
    TableWeights,
    moderated,
    shared_covariance,
)
from skbayeseval.splitting.splits import split_proportions

ACCURACY = get_metric("accuracy")
FOLDS = RecordedSplits(5, 1, 1.0, 0.2, False)


def scores_of(k, rng, *, n_splits=5, mean=0.9, sd=0.02, correlation=0.7):
    common = np.sqrt(correlation) * rng.standard_normal(n_splits)
    own = np.sqrt(1 - correlation) * rng.standard_normal((k, n_splits))
    return mean + sd * (common + own)


def test_variances_are_steadier_than_those_of_a_few_splits():
    rng = np.random.default_rng(0)
    found, samples = [], []
    for _ in range(200):
        scores = scores_of(12, rng, correlation=0.0)
        samples.append(scores.var(axis=1, ddof=1))
        found.append(moderated(scores.mean(axis=1), samples[-1], 4.0))
    assert np.mean(found) == pytest.approx(0.02**2, rel=0.1)
    assert np.std(np.log(found)) < 0.5 * np.std(np.log(samples))


def test_hopeless_ones_do_not_make_good_ones_vague():
    """Neither if they vary much more, nor if they do not vary at all."""
    rng = np.random.default_rng(1)
    good = scores_of(8, rng)
    bad = [
        scores_of(12, rng, mean=0.5, sd=0.2),
        np.full((12, 5), 0.1) + np.arange(12)[:, None] / 99,
    ]
    alone, among = (FOLDS.noise_of_scores(x, 1e-6)[0] for x in (good, np.vstack([good, *bad])))
    np.testing.assert_allclose(np.diag(among)[:8], np.diag(alone), rtol=0.05)
    # Twice the variance of five test sets, for what training sets add.
    assert np.sqrt(np.diag(among)[8:20].mean() * 5 / 2) == pytest.approx(0.2, rel=0.3)
    assert np.linalg.eigvalsh(among).min() > -1e-12


@pytest.mark.parametrize("correlation", [0.4, 0.7, 0.95])
def test_how_candidates_vary_together_is_found(correlation):
    """Five splits do not tell a correlation, but twenty candidates how much they differ."""
    rng, found = np.random.default_rng(2), []
    for _ in range(60):
        scores = scores_of(20, rng, correlation=correlation)
        off = scores - scores.mean(axis=1, keepdims=True)
        covariance = shared_covariance(scores.mean(axis=1), np.full(20, 0.02**2), off, 4.0)
        np.testing.assert_allclose(np.diag(covariance), 0.02**2)
        assert np.linalg.eigvalsh(covariance).min() > -1e-12
        found.append(covariance[~np.eye(20, dtype=bool)].mean() / 0.02**2)
    assert np.mean(found) == pytest.approx(correlation, abs=0.1)
    assert np.std(found) < 0.1  # of sample correlations it would be 0.2 to 0.4


def test_hopeless_ones_do_not_set_good_ones_apart():
    rng = np.random.default_rng(5)
    good, bad = scores_of(8, rng, correlation=0.9), scores_of(12, rng, mean=0.5, correlation=0.0)
    of_all = np.vstack([good, bad])
    found = []
    for scores in (good, of_all):
        off = scores - scores.mean(axis=1, keepdims=True)
        variances = np.full(len(scores), 0.02**2)
        found.append(shared_covariance(scores.mean(axis=1), variances, off, 4.0)[:8, :8])
    np.testing.assert_allclose(found[1] / 0.02**2, found[0] / 0.02**2, atol=0.05)


def test_copies_tell_nothing_more():
    scores = scores_of(4, np.random.default_rng(3))
    order = [0, 1, 2, 3, 1, 1, 2]
    alone, copied = (FOLDS.noise_of_scores(rows, 0.0)[0] for rows in (scores, scores[order]))
    np.testing.assert_allclose(copied, alone[np.ix_(order, order)])


@pytest.mark.parametrize(
    ("cv", "n_splits", "n_passes", "weight", "inflation"),
    [
        (BlockRegularizedCV(3), 6, 3, 1 / 3, 1 / 2),
        (StratifiedKFold(5), 5, 1, 1.0, 1 / 5),
        (RepeatedStratifiedKFold(n_splits=5, n_repeats=4), 20, 4, 1 / 4, 1 / 5),
        (ShuffleSplit(10, test_size=0.1), 10, 1, 1 / 1.9, 1 / 10 + 1 / 9),
        (LeaveOneGroupOut(), 7, 1, 1.0, 1 / 7),
    ],
    ids=lambda one: type(one).__name__,
)
def test_passes_over_the_data(cv, n_splits, n_passes, weight, inflation):
    splits = RecordedSplits.of(split_proportions(cv, n_splits), n_splits)
    assert splits[:2] == (n_splits, n_passes)
    assert splits[2:4] == pytest.approx((weight, inflation))
    assert splits.are_halves == isinstance(cv, BlockRegularizedCV)


@pytest.mark.parametrize("scoring", ["accuracy", "f1"])
def test_counts_of_halves_tell_what_predictions_tell(scoring):
    """How much training sets matter to each candidate does not depend on what was recorded."""
    X, y = load_breast_cancer(return_X_y=True)
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 9]},
        cv=BlockRegularizedCV(3, random_state=0),
        scoring=count_scorer([0, 1], also=scoring),
        refit=False,
    ).fit(X, y)
    metric, options = get_metric(scoring), {"rope": 0.02, "scoring": scoring, "random_state": 0}
    by_counts, by_predictions = (
        report_search(search, *data, **options).ranking._posterior.weights.each(metric)
        for data in ((), (X, y))
    )
    found = [[one.scale for one in each] for each in (by_counts, by_predictions)]
    np.testing.assert_allclose(*found, rtol=1e-6)
    # What counts do not tell is that the same instances are wrong again.
    assert all(a.test_only <= b.test_only for a, b in zip(by_counts, by_predictions, strict=True))


def test_draws_vary_together_as_the_splits_do():
    rng = np.random.default_rng(4)
    latent = np.sqrt(0.7) * rng.standard_normal((1, 10, 100))
    latent = latent + np.sqrt(0.3) * rng.standard_normal((10, 10, 100))
    is_right = latent < 1
    expected = np.corrcoef(is_right.reshape(10, -1))[~np.eye(10, dtype=bool)].mean()
    right = is_right.sum(axis=2)
    right[4] = right[3]
    tables = np.zeros((10, 10, 2, 2))
    tables[..., 0, 0], tables[..., 0, 1], tables[..., 1, 0] = right - 40, 100 - right, 40
    tables[..., 1, 1], tables[..., 1, 0] = 40, 0
    weights = TableWeights(tables, 1, RecordedSplits(10, 1, 1.0, 0.1, False))
    draws = rng.beta(90, 10, (10, 4000))
    found = weights.together(ACCURACY, draws, rng)
    kept = [0, 1, 2, 3, 5, 6, 7, 8, 9]
    np.testing.assert_array_equal(np.sort(found, axis=1)[kept], np.sort(draws, axis=1)[kept])
    np.testing.assert_array_equal(found[4], found[3])
    correlations = np.corrcoef(found[kept])
    assert correlations[~np.eye(9, dtype=bool)].mean() == pytest.approx(expected, abs=0.1)
