"""
How far can a cross-validation be trusted?
==========================================

In a cross-validation every instance is used for training and for validation several times, so its
counts are worth less than as many new ones. How much less is estimated by a formula that was fitted
to real and simulated problems, from your data and the spread of the splits. ``calibrate=`` adds
what more your data can tell: the same comparison on disjoint halves, which are independent, shows
how much the difference really varies.
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
# The published weight is the same whatever the data. The inferred one, the default, learns from the
# splits how far the counts can be trusted. With ``calibrate=15``, it also learns from fifteen
# comparisons of halves, and the interval is mostly narrower.
results = {
    "published weight": bayesian_cross_validate(
        *learners, X, y, weight="published", random_state=0
    ),
    "inferred weight (default)": bayesian_cross_validate(*learners, X, y, random_state=0),
    "calibrated on halves": bayesian_cross_validate(*learners, X, y, calibrate=15, random_state=0),
}
for name, result in results.items():
    print(f"{name}: HDI {result.hdi().low:+.3f} to {result.hdi().high:+.3f}")
print(results["calibrated on halves"])

# %%
# The posterior of the same difference, three times.
figure, axes = plt.subplots(3, 1, figsize=(6.5, 8), sharex=True, layout="constrained")
for (name, result), ax in zip(results.items(), axes, strict=True):
    result.plot(rope=0.01, ax=ax, title=name)
