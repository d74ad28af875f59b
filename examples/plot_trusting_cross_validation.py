"""
How far can a cross-validation be trusted?
==========================================

In a cross-validation every instance is used for training and for validation, often several times,
so its counts are worth less than as many new ones. How much less depends on how much training sets
matter. Halves of the data tell: each is tested by what was trained on the other. Five folds,
whose training sets are much alike, do not; ``estimand="full"`` adds the halves.
"""

# %%
# Two learners on 1,200 instances.
import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import bayesian_cross_validate

X, y = make_classification(
    n_samples=1200, n_features=10, n_informative=4, flip_y=0.05, random_state=1
)
learners = (
    ("tree", DecisionTreeClassifier(max_depth=4, random_state=0)),
    ("logistic", LogisticRegression()),
)

# %%
# The published weight is the same whatever the data. Without halves, a weight that suits most
# learners is taken; with them, it is that of these two.
results = {
    "published weight": bayesian_cross_validate(
        *learners, X, y, cv=5, weight="published", random_state=0
    ),
    "weight of most learners": bayesian_cross_validate(*learners, X, y, cv=5, random_state=0),
    "weight told by halves": bayesian_cross_validate(
        *learners, X, y, cv=5, estimand="full", random_state=0
    ),
}
for name, result in results.items():
    print(f"{name}: HDI {result.hdi().low:+.3f} to {result.hdi().high:+.3f}")
print(results["weight told by halves"])

# %%
# The posterior of the same difference, three times.
figure, axes = plt.subplots(3, 1, figsize=(6.5, 8), sharex=True, layout="constrained")
for (name, result), ax in zip(results.items(), axes, strict=True):
    result.plot(rope=0.01, ax=ax, title=name)
