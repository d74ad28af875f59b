"""
AUC, regressors and several data sets
=====================================

Not every metric is a function of a confusion matrix.
"""

# %%
# Metrics computed from instance scores, such as ROC AUC, are compared by the Bayesian bootstrap:
# random instance weights, shared by both classifiers, within each split.
import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import RepeatedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from skbayeseval import bayesian_cross_validate, compare_scores

X, y = load_breast_cancer(return_X_y=True)
logistic = make_pipeline(StandardScaler(), LogisticRegression())
result = bayesian_cross_validate(
    logistic, GaussianNB(), X, y, scoring=["f1", "roc_auc", "neg_log_loss"], random_state=0
)
print(result)
result.plot(metric="roc_auc", rope=0.01)

# %%
# A scorer of your own may give no more than one score for each split. ``model="scores"`` compares
# these by the correlated Bayesian t-test. It accepts any scorer, here one of regressors. Leave it
# out where predictions can be compared one by one, which tell more than a few scores.
X, y = load_diabetes(return_X_y=True)
regressors = bayesian_cross_validate(
    Ridge(alpha=0.1),
    DecisionTreeRegressor(max_depth=3, random_state=0),
    X,
    y,
    model="scores",
    scoring="neg_mean_absolute_error",
    cv=RepeatedKFold(n_splits=5, n_repeats=4, random_state=0),
    random_state=0,
)
print(regressors)
print(regressors.decision(rope=2))
regressors.plot("scores")

# %%
# ``compare_scores`` compares split scores that were computed elsewhere. It needs the share of
# instances in the test set of a split. For several data sets, one per row, the Bayesian signed-rank
# test estimates whether A tends to be better.
rng = np.random.default_rng(0)
b = rng.normal(0.8, 0.05, (15, 1)) + rng.normal(0, 0.02, (15, 10))
a = b + rng.normal(0.01, 0.01, (15, 1)) + rng.normal(0, 0.01, (15, 10))
print(compare_scores(a[0], b[0], test_fraction=0.1, scoring="accuracy", random_state=0))
several = compare_scores(
    a, b, test_fraction=0.1, scoring="accuracy", model="signed-rank", random_state=0
)
print(several)
several.plot()
