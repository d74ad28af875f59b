"""Wall time of a comparison, relative to two `cross_validate` calls on the same splits.

Run with ``make benchmark``. Prints the ratio for fits of about a second; it should stay below 1.05.
"""

import time

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_validate

from skbayeseval import BlockRegularizedCV, bayesian_cross_validate


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main(rounds=3):
    X, y = make_classification(4000, n_features=40, n_informative=10, random_state=0)
    a = RandomForestClassifier(150, random_state=0)
    b = RandomForestClassifier(150, max_features=8, random_state=0)
    cv = BlockRegularizedCV(random_state=0)

    def ours():
        bayesian_cross_validate(a, b, X, y, cv=cv, scoring="f1", random_state=0).hdi()

    def theirs():
        for estimator in (a, b):
            cross_validate(estimator, X, y, cv=cv, scoring="f1")

    ratios = []
    for _ in range(rounds):
        mine, other = seconds(ours), seconds(theirs)
        ratios.append(mine / other)
        print(f"comparison {mine:6.2f} s   two cross_validate {other:6.2f} s   {mine / other:.3f}")
    print(f"median ratio {np.median(ratios):.3f}")


if __name__ == "__main__":
    main()
