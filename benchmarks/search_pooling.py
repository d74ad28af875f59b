"""How often reports on searches are wrong, for candidates of known accuracy.

Whether each candidate is right on each instance is simulated with given probabilities and a given
correlation between candidates, without fitting anything. Candidates are all equal, or one of them
is better by 0.03, or each is worse than the one before by 0.002. A candidate is the simpler, the
worse it is, so that choosing the simplest one is hard.

    python benchmarks/search_pooling.py --source counts --correlation 0.7
"""

import argparse
import warnings

import numpy as np
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from skbayeseval import count_scorer, report_search

ROPE = 0.01
CV = StratifiedKFold(5)

# Fewer draws than by default for up to 100 candidates, to save time.
N_DRAWS = {"counts": 4000, "scores": 4000, "predictions": 2000}

COLUMNS = (
    "source", "correlation", "truth", "n", "candidates",
    "false ≪", "false ≪ unpooled", "best ≪", "named", "highest", "any ≈", "simplest ok",
    "ok of ≈",
)  # fmt: skip


class Column(ClassifierMixin, BaseEstimator):
    """Predicts what column k of X holds."""

    def __init__(self, k=0):
        self.k = k

    def fit(self, X, y):
        """Learn the classes."""
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        """Return column k."""
        return X[:, self.k]


def accuracies(truth, n_candidates):
    if truth == "ramp":
        return 0.95 - 0.002 * np.arange(n_candidates)
    return np.where(np.arange(n_candidates) == 0, 0.93 if truth == "one better" else 0.9, 0.9)


def searched(p, n, correlation, source, rng):
    """Return a finished search over candidates of accuracies p, and its data."""
    y = np.arange(n) % 2
    latent = np.sqrt(correlation) * rng.standard_normal((n, 1))
    latent = latent + np.sqrt(1 - correlation) * rng.standard_normal((n, len(p)))
    right = latent < norm.ppf(p)
    columns = {"score": []}
    for _, test in CV.split(y, y):
        columns["score"].append(right[test].mean(axis=0))
        for i in (0, 1) if source == "counts" else ():
            of_class = right[test][y[test] == i]
            hits = of_class.sum(axis=0).astype(float)
            columns.setdefault(f"count_{i}_{i}", []).append(hits)
            columns.setdefault(f"count_{i}_{1 - i}", []).append(len(of_class) - hits)
    results = {"params": [{"k": k} for k in range(len(p))]}
    for key, splits in columns.items():
        results[f"mean_test_{key}"] = np.mean(splits, axis=0)
        results |= {f"split{s}_test_{key}": values for s, values in enumerate(splits)}
    scoring = count_scorer([0, 1]) if source == "counts" else "accuracy"
    search = GridSearchCV(Column(), {}, cv=CV, scoring=scoring)
    search.cv_results_, search.refit = results, "score"
    return search, np.where(right, y[:, None], 1 - y[:, None]), y


def outcome(search, data, p, source, seed):
    """Return what one report says and does, as numbers from 0 to 1; NaN where it does not apply."""
    n_draws = min(N_DRAWS[source], max(2000, 400_000 // len(p)))
    report = report_search(search, *data, rope=ROPE, top=len(p), n_draws=n_draws, random_state=seed)
    table = report.summary().sort_index()
    behind = report.ranking.draws - report.ranking.draws.max(axis=0)
    unpooled = (behind < -ROPE).mean(axis=1) >= report.prob
    within = p >= p.max() - ROPE - 1e-9
    codes = table["decision"]
    means = search.cv_results_["mean_test_score"]
    highest = np.isclose(means, means.max(), rtol=0, atol=1e-9)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        chosen = report.simplest_index(lambda params: -params["k"])
    return (
        bool((codes == "<<")[within].any()),
        unpooled[within[list(report.candidates)]].any(),
        codes[0] == "<<",
        report.most_probable() == 0,
        highest[0] / highest.sum(),  # several may be the highest
        not told,
        within[chosen],
        np.nan if told else within[chosen],
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", choices=list(N_DRAWS), default="counts")
    parser.add_argument("--correlation", type=float, default=0.7)
    parser.add_argument("--candidates", type=int, nargs="+", default=[10, 50, 200])
    parser.add_argument("--reports", type=int, default=200)
    options = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |", "|" + " --- |" * len(COLUMNS), sep="\n")
    for truth in ("equal", "one better", "ramp"):
        for n in (300, 2000):
            for n_candidates in options.candidates:
                rng = np.random.default_rng([n, n_candidates, len(truth)])
                p = accuracies(truth, n_candidates)
                found = []
                for seed in range(options.reports):
                    search, *data = searched(p, n, options.correlation, options.source, rng)
                    data = data if options.source == "predictions" else ()
                    found.append(outcome(search, data, p, options.source, seed))
                found = np.array(found, dtype=float)
                settled = not np.isnan(found[:, -1]).all()
                rates = [*found[:, :-1].mean(axis=0), np.nanmean(found[:, -1]) if settled else 0]
                cells = [f"{rate:.1%}" for rate in rates]
                cells = cells if settled else [*cells[:-1], ""]
                row = (options.source, options.correlation, truth, n, n_candidates, *cells)
                print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
