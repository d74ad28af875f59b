"""Coverage of the correlated t-test where split scores move in coarse steps.

Linear discriminant analysis against logistic regression on 100 instances of two normal classes.
Often, they differ by the same amount in all splits. The truth is the expected difference of their
accuracies when trained on as many instances as the splits have, which is known in closed form given
the fitted models.

    python benchmarks/equal_split_differences.py --data-sets 500
"""

import argparse

import numpy as np
from scipy.stats import norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from skbayeseval import BlockRegularizedCV, compare_scores

SIZE = 100


def sample(rng, n, n_features, distance):
    """Draw two normal classes of equal size."""
    y = np.tile([0, 1], n // 2)
    X = rng.normal(size=(n, n_features))
    X[:, 0] += distance * y
    return X, y


def accuracy(model, distance):
    """Return the accuracy of a linear classifier in the population."""
    slope, start = model.coef_[0], model.intercept_[0]
    length = np.linalg.norm(slope)
    right = norm.cdf(-start / length), norm.cdf((distance * slope[0] + start) / length)
    return np.mean(right)


def main():
    """Print the coverage of every case."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-sets", type=int, default=500)
    n_sets = parser.parse_args().data_sets
    models = LinearDiscriminantAnalysis(), LogisticRegression()
    splitters = {
        "3 x 2": lambda seed: BlockRegularizedCV(random_state=seed),
        "5-fold": lambda seed: StratifiedKFold(5, shuffle=True, random_state=seed),
    }
    print("| features | distance | splits | equal differences | coverage | without a floor |")
    for n_features, distance in ((2, 2.0), (5, 2.0), (3, 3.5)):
        for name, splitter in splitters.items():
            test_fraction = 0.5 if name == "3 x 2" else 0.2
            n_test = round(test_fraction * SIZE)
            rng, found = np.random.default_rng(0), []
            for _ in range(n_sets):
                X, y = sample(rng, SIZE - n_test, n_features, distance)
                a, b = (accuracy(model.fit(X, y), distance) for model in models)
                found.append(a - b)
            truth = np.mean(found)
            equal, covered, before = 0, 0, 0
            for seed in range(n_sets):
                X, y = sample(rng, SIZE, n_features, distance)
                splits = list(splitter(seed).split(X, y))
                scores = [
                    [model.fit(X[i], y[i]).score(X[j], y[j]) for i, j in splits] for model in models
                ]
                result = compare_scores(*scores, test_fraction=test_fraction, n_test=n_test)
                low, high = result.hdi()
                covered += low <= truth <= high
                flat = np.ptp(np.subtract(*scores)) < 1e-12
                equal += flat
                before += low <= truth <= high and not flat
            shares = " | ".join(f"{count / n_sets:.2f}" for count in (equal, covered, before))
            print(f"| {n_features} | {distance} | {name} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
