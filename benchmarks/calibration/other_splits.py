"""How much other random splits change, and how often a decision says so.

Pairs of learners are compared with ten seeds of the splitter: how much widths of intervals vary,
and how often a decision that another seed in ten would not make says that it depends on the splits.
The package takes the distance by which 94% of other splits move a difference at most.

    python benchmarks/calibration/other_splits.py
"""

import warnings
from functools import partial
from unittest import mock

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import BlockRegularizedCV, bayesian_cross_validate
from skbayeseval.metrics import get_metric
from skbayeseval.posterior import posterior
from skbayeseval.posterior.inferred_weight import shift_by_other_splits

SEEDS, ROPES, PROBS = range(10), (0.005, 0.01, 0.02, 0.03), (0.8, 0.94)
LEARNERS = {
    "nb": GaussianNB(),
    "svm": make_pipeline(StandardScaler(), SVC()),
    "linear": make_pipeline(StandardScaler(), LogisticRegression()),
    "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
}
PAIRS = (
    ("nb", "svm"),
    ("linear", "svm"),
    ("neighbours", "linear"),
    ("tree", "nb"),
    ("tree", "neighbours"),
)


def data_sets():
    yield load_breast_cancer(return_X_y=True)
    for seed in range(3):
        yield make_classification(
            400, 10, n_informative=4, flip_y=0.05 * (seed + 1), class_sep=0.8, random_state=seed
        )
    X, y = load_digits(return_X_y=True)
    yield X, y % 2


def study():
    rows, widths, variances = [], [], []
    for X, y in data_sets():
        for a, b in PAIRS:
            found = [
                bayesian_cross_validate(
                    LEARNERS[a],
                    LEARNERS[b],
                    X,
                    y,
                    scoring="f1",
                    cv=BlockRegularizedCV(3, random_state=seed),
                    n_draws=5000,
                    random_state=0,
                )
                for seed in SEEDS
            ]
            lengths = np.array([np.diff(r.hdi())[0] for r in found])
            widths.append(lengths.std(ddof=1) / lengths.mean())
            known = [r._posterior.weights.quantity(get_metric("f1"), 0, 1) for r in found]
            actual = np.var([r.observed_a - r.observed_b for r in found], ddof=1)
            variances.append((np.mean([one.resplitting[0] ** 2 for one in known]), actual))
            for prob in PROBS:
                shift = partial(shift_by_other_splits, prob=prob)
                with mock.patch.object(posterior, "shift_by_other_splits", shift):
                    for rope in ROPES:
                        decisions = [r.decision(rope) for r in found]
                        codes = np.array([decision.code for decision in decisions])
                        for decision in decisions:
                            other = np.sum(codes != decision.code) / (len(codes) - 1)
                            mixed = len(set(codes)) > 1
                            rows.append((prob, decision.depends_on_splits, other, mixed))
    columns = ["prob", "said", "other", "mixed"]
    return pd.DataFrame(rows, columns=columns), np.array(widths), np.array(variances)


def main():
    warnings.simplefilter("ignore")
    rows, widths, variances = study()
    print("width, standard deviation over mean:", widths.mean().round(3), widths.max().round(3))
    estimated, actual = variances.mean(axis=0)
    print("estimated variance between seeds / actual variance:", round(estimated / actual, 2))
    for prob, group in rows.groupby("prob"):
        print(f"{prob:.0%} of other splits, {len(group)} decisions")
        print("  said that other splits could change it:", round(group["said"].mean(), 2))
        print("  another seed decides otherwise:")
        print("    where it was said:    ", round(group[group["said"]]["other"].mean(), 2))
        print("    where it was not said:", round(group[~group["said"]]["other"].mean(), 2))
        print("  said where all seeds agree:    ", round(group[~group["mixed"]]["said"].mean(), 2))
        print("  said where not all seeds agree:", round(group[group["mixed"]]["said"].mean(), 2))


if __name__ == "__main__":
    main()
