"""Run time of a report on 200 candidates, and the cost of recording confusion counts.

The same grid of SVMs is searched twice on the digits data, once with the scorer f1_macro and once
with a count scorer that also records f1_macro.

    python benchmarks/search.py
"""

import time

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from skbayeseval import BlockRegularizedCV, count_scorer, report_search

# Instances, so that the searches take a minute together.
SIZE = 600


def seconds(run):
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def search(scoring, refit, X, y):
    grid = {"C": np.geomspace(0.1, 1000, 20), "gamma": np.geomspace(1e-5, 1e-2, 10)}
    cv = BlockRegularizedCV(3, random_state=0)
    return GridSearchCV(SVC(), grid, cv=cv, scoring=scoring, refit=refit).fit(X, y)


def main():
    X, y = load_digits(return_X_y=True)
    X, y = X[:SIZE], y[:SIZE]
    counts = count_scorer(range(10), also="f1_macro")
    search("f1_macro", True, X[:100], y[:100])  # imports and caches
    plain, _ = seconds(lambda: search("f1_macro", True, X, y))
    counting, searched = seconds(lambda: search(counts, "f1_macro", X, y))
    print(
        f"200 candidates, 6 splits: f1_macro {plain:.1f} s, counts and f1_macro {counting:.1f} s, "
        f"overhead {counting / plain - 1:+.1%} of the search"
    )
    took, report = seconds(lambda: report_search(searched, rope=0.02, random_state=0))
    told, words = seconds(lambda: (report.summary(), str(report))[1])
    print(f"report, summary and words: {took + told:.2f} s, {(took + told) / counting:.1%} of it")
    print(words)


if __name__ == "__main__":
    main()
