import warnings

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import count_scorer, report_search


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


@pytest.mark.parametrize("source", ["predictions", "counts", "scores"])
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
    tolerance = {"predictions": 0.01, "counts": 0.002, "scores": 1e-9}[source]
    np.testing.assert_allclose(copied["mean"][:4], alone["mean"], atol=tolerance)
    numbers = ["mean", "hdi_low", "hdi_high", "p_best", "p_equivalent"]
    for group in ([0, 4, 6], [2, 5, 7]):
        assert len(copied.loc[group, numbers].drop_duplicates()) == 1
    assert copied[numbers].drop_duplicates()["p_best"].sum() == pytest.approx(1)
    assert "of 8 have exactly the same" in report.details()
    assert ("exact cop" in str(report)) == (copied["p_best"].idxmax() in (0, 2))
