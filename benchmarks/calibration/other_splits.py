"""How often other random splits change a decision, and how often the decision says so.

Pairs of learners are compared with eight seeds of the splitter, and each decision is compared with
those of the other seeds. Also compares the variance between seeds with its estimate from the
repeats of one cross-validation.

    python benchmarks/calibration/other_splits.py
"""

import warnings

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

SEEDS, ROPES = range(8), (0.005, 0.01, 0.02, 0.03)
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


def study(n_repeats):
    rows, variances = [], []
    for X, y in data_sets():
        for a, b in PAIRS:
            found = [
                bayesian_cross_validate(
                    LEARNERS[a],
                    LEARNERS[b],
                    X,
                    y,
                    scoring="f1",
                    cv=BlockRegularizedCV(n_repeats, random_state=seed),
                    n_draws=10_000,
                    random_state=0,
                )
                for seed in SEEDS
            ]
            known = [r._posterior.weights.quantity(get_metric("f1"), 0, 1) for r in found]
            estimates = [one.resplitting[0] ** 2 for one in known]
            actual = np.var([r.observed_a - r.observed_b for r in found], ddof=1)
            variances.append((np.mean(estimates), actual))
            for rope in ROPES:
                decisions = [r.decision(rope) for r in found]
                codes = [decision.code for decision in decisions]
                for decision in decisions:
                    other = (np.array(codes) != decision.code).sum() / (len(SEEDS) - 1)
                    rows.append((decision.depends_on_splits, other, len(set(codes)) > 1))
    return pd.DataFrame(rows, columns=["said", "other", "mixed"]), np.array(variances)


def main():
    warnings.simplefilter("ignore")
    for n_repeats in (3, 7):
        rows, variances = study(n_repeats)
        print(f"{n_repeats} repeats, {len(rows)} decisions")
        print("  said that other splits could change it:", round(rows["said"].mean(), 2))
        print("  another seed decides otherwise:")
        print("    where it was said:    ", round(rows[rows["said"]]["other"].mean(), 2))
        print("    where it was not said:", round(rows[~rows["said"]]["other"].mean(), 2))
        print("  said where all seeds agree:    ", round(rows[~rows["mixed"]]["said"].mean(), 2))
        print("  said where not all seeds agree:", round(rows[rows["mixed"]]["said"].mean(), 2))
        estimated, actual = variances.mean(axis=0)
        print("  estimated variance / actual variance:", round(estimated / actual, 2))


if __name__ == "__main__":
    main()
