"""
Comparing regressors
====================

R2, the mean absolute error and other metrics of regressors are compared as those of classifiers: by
the posterior of the difference, from what both predicted for the same instances.
"""

# %%
# The progression of diabetes, predicted by ridge regression and by a tree.
import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

from skbayeseval import bayesian_cross_validate

X, y = load_diabetes(return_X_y=True)
result = bayesian_cross_validate(
    ("ridge", Ridge(alpha=0.1)),
    ("tree", DecisionTreeRegressor(max_depth=3, random_state=0)),
    X,
    y,
    scoring=["r2", "neg_mean_absolute_error"],
    random_state=0,
)
print(result)

# %%
# What difference matters is said in the unit of the metric: a share of the variance for R2, points
# of the disease's score, which runs from 25 to 346, for the absolute error.
rope = {"r2": 0.03, "neg_mean_absolute_error": 2}
print(result.summary(rope=rope)[["mean", "hdi_low", "hdi_high", "decision"]])

# %%
# One posterior for each metric.
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for metric, ax in zip(result.metrics, axes, strict=True):
    result.plot(metric=metric, rope=rope[metric], ax=ax)
