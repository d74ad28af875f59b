import runpy

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import count_scorer, report_search
from tests.conftest import ROOT


@pytest.mark.slow
@pytest.mark.parametrize("source", ["counts", "scores"])
@pytest.mark.parametrize("truth", ["equal", "one better", "ramp"])
def test_reports_are_rarely_wrong(source, truth):
    """A part of benchmarks/search_pooling.py: fifty candidates, thirty reports."""
    benchmark = runpy.run_path(str(ROOT / "benchmarks" / "search_pooling.py"))
    p, rng = benchmark["accuracies"](truth, 50), np.random.default_rng(0)
    found = []
    for seed in range(30):
        search, *_ = benchmark["searched"](p, 2000, 0.7, source, rng)
        found.append(benchmark["outcome"](search, (), p, source, seed))
    false, unpooled, best, named, highest, settled, simple, _ = np.array(found, dtype=float).T
    assert false.mean() < 0.05  # none of 200 in docs/calibration.md
    assert best.mean() == 0
    assert named.mean() > highest.mean() - 0.1
    assert simple.mean() > 0.8
    if truth == "equal":
        assert unpooled.mean() > 0.9
    elif truth == "one better" and source == "counts":
        assert settled.mean() > 0.8  # 95% there; that equal ones are equivalent is seldom shown


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
    assert "of 8 have exactly the same" in str(report)
    assert ("exact cop" in str(report)) == (copied["p_best"].idxmax() in (0, 2))
