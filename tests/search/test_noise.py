"""What is noise of recorded candidates, and how often reports on many of them are right."""

import warnings

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
)
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import BlockRegularizedCV, count_scorer, report_search
from skbayeseval.metrics import get_metric
from skbayeseval.search.noise import (
    RecordedSplits,
    TableWeights,
    moderated,
    shared_covariance,
)

ACCURACY = get_metric("accuracy")
FOLDS = RecordedSplits(5, 1, 1.0, 0.2, False)


def scores_of(k, rng, *, n_splits=5, mean=0.9, sd=0.02, correlation=0.7):
    common = np.sqrt(correlation) * rng.standard_normal(n_splits)
    own = np.sqrt(1 - correlation) * rng.standard_normal((k, n_splits))
    return mean + sd * (common + own)


def correlations_of(scores):
    means, variances = scores.mean(axis=1), np.full(len(scores), 0.02**2)
    return shared_covariance(means, variances, scores - means[:, None], 4.0) / 0.02**2


def test_variances_are_steadier_than_those_of_a_few_splits():
    rng = np.random.default_rng(0)
    found, samples = [], []
    for _ in range(60):
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


@pytest.mark.parametrize("correlation", [0.4, 0.95])
def test_how_candidates_vary_together_is_found(correlation):
    """Five splits do not tell a correlation, but twenty candidates how much they differ."""
    rng, found = np.random.default_rng(2), []
    for _ in range(30):
        correlations = correlations_of(scores_of(20, rng, correlation=correlation))
        np.testing.assert_allclose(np.diag(correlations), 1)
        assert np.linalg.eigvalsh(correlations).min() > -1e-9
        found.append(correlations[~np.eye(20, dtype=bool)].mean())
    assert np.mean(found) == pytest.approx(correlation, abs=0.1)
    assert np.std(found) < 0.1  # of sample correlations it would be 0.2 to 0.4


def test_hopeless_ones_do_not_set_good_ones_apart():
    rng = np.random.default_rng(5)
    good, bad = scores_of(8, rng, correlation=0.9), scores_of(12, rng, mean=0.5, correlation=0.0)
    among = correlations_of(np.vstack([good, bad]))[:8, :8]
    np.testing.assert_allclose(among, correlations_of(good), atol=0.05)


def test_copies_tell_nothing_more():
    scores = scores_of(4, np.random.default_rng(3))
    order = [0, 1, 2, 3, 1, 1, 2]
    alone, copied = (FOLDS.noise_of_scores(rows, 0.0)[0] for rows in (scores, scores[order]))
    np.testing.assert_allclose(copied, alone[np.ix_(order, order)])


def test_counts_of_halves_tell_what_predictions_tell():
    """How much training sets matter to each candidate does not depend on what was recorded."""
    X, y = load_breast_cancer(return_X_y=True)
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 9]},
        cv=BlockRegularizedCV(3, random_state=0),
        scoring=count_scorer([0, 1], also="f1"),
        refit=False,
    ).fit(X, y)
    metric, options = get_metric("f1"), {"rope": 0.02, "scoring": "f1", "random_state": 0}
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


def simulated(p, n, source, rng):
    """The results of a search in five folds, of candidates with accuracies p and common errors."""
    y = np.arange(n) % 2
    latent = np.sqrt(0.7) * rng.standard_normal((n, 1))
    right = latent + np.sqrt(0.3) * rng.standard_normal((n, len(p))) < norm.ppf(p)
    results = {"params": [{"k": k} for k in range(len(p))]}
    for s, (_, test) in enumerate(StratifiedKFold(5).split(y, y)):
        results[f"split{s}_test_accuracy"] = right[test].mean(axis=0)
        for i in (0, 1) if source == "counts" else ():
            of_class = right[test][y[test] == i]
            hits = of_class.sum(axis=0).astype(float)
            results[f"split{s}_test_count_{i}_{i}"] = hits
            results[f"split{s}_test_count_{i}_{1 - i}"] = len(of_class) - hits
    return results


ACCURACIES = {
    "equal": np.full(50, 0.9),
    "one better": np.append(0.93, np.full(49, 0.9)),
    "ramp": 0.95 - 0.002 * np.arange(50),
}


@pytest.mark.slow
@pytest.mark.parametrize("source", ["counts", "scores"])
@pytest.mark.parametrize("truth", ACCURACIES)
def test_reports_are_rarely_wrong(source, truth):
    """Fifty candidates, thirty reports; the worse a candidate is, the simpler."""
    p, rng, found = ACCURACIES[truth], np.random.default_rng(0), []
    within = p >= p.max() - 0.01 - 1e-9
    for seed in range(30):
        results = simulated(p, 2000, source, rng)
        options = {"rope": 0.01, "test_fraction": 0.2, "n_draws": 4000, "random_state": seed}
        report = report_search(results, scoring="accuracy", **options)
        codes = report.summary()["decision"].sort_index()
        scores = np.mean([results[f"split{s}_test_accuracy"] for s in range(5)], axis=0)
        highest = np.isclose(scores, scores.max(), rtol=0, atol=1e-9)
        draws = report.ranking.draws
        unpooled = ((draws - draws.max(axis=0) < -0.01).mean(axis=1) >= 0.95)[within].any()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            chosen = report.simplest_index(lambda params: -params["k"])
        first = report.summary().index[0] == 0
        found.append(
            [(codes == "<<")[within].any(), unpooled, codes[0] == "<<", first,
             highest[0] / highest.sum(), not told, within[chosen]]
        )  # fmt: skip
    false, unpooled, best, named, first, settled, simple = np.array(found, dtype=float).mean(axis=0)
    assert false < 0.05
    assert best == 0
    assert named > first - 0.1
    assert simple > 0.8
    if truth == "equal":
        assert unpooled > 0.9
    elif truth == "one better" and source == "counts":
        assert settled > 0.8


@pytest.mark.parametrize("source", ["predictions", "counts"])
def test_copies_of_candidates_change_no_verdict(source):
    X, y = load_wine(return_X_y=True)
    grid = [{"max_depth": [1, 2, 3, 5]}]
    copies = [{"max_depth": [1, 3], "min_samples_leaf": [1]}] * 2
    tables = []
    for candidates in (grid, grid + copies):
        search = GridSearchCV(
            DecisionTreeClassifier(random_state=0),
            candidates,
            scoring=count_scorer([0, 1, 2]) if source == "counts" else "accuracy",
            refit=False,
        ).fit(X, y)
        search.refit = True if source != "counts" else "score"
        data = (X, y) if source == "predictions" else ()
        report = report_search(search, *data, rope=0.05, n_draws=4000, random_state=0)
        tables.append(report.summary().sort_index())
    alone, copied = tables
    assert alone["decision"].tolist() == copied["decision"].tolist()[:4]
    assert copied["decision"][4] == copied["decision"][6] == alone["decision"][0]
    # The weight of predictions is inferred from all pairs; draws of counts are others.
    tolerance = {"predictions": 0.01, "counts": 0.002}[source]
    np.testing.assert_allclose(copied["mean"][:4], alone["mean"], atol=tolerance)
    numbers = ["mean", "hdi_low", "hdi_high", "p_best", "p_equivalent"]
    for group in ([0, 4, 6], [2, 5, 7]):
        assert len(copied.loc[group, numbers].drop_duplicates()) == 1
    assert copied[numbers].drop_duplicates()["p_best"].sum() == pytest.approx(1)
    assert "of 8 have exactly the same" in report.details()
    assert ("exact cop" in str(report)) == (copied["p_best"].idxmax() in (0, 2))
