"""
What a grid search found
========================

A search ends with the candidate of the highest mean. Was it better, or lucky? Would a simpler one
do as well?
"""

# %%
# Trees of any size on the breast cancer data. ``count_scorer`` puts the confusion counts of every
# split into ``cv_results_``, beside the score that the search goes by.
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from skbayeseval import (
    BlockRegularizedCV,
    bayesian_cross_validate,
    count_scorer,
    refit_simplest,
    report_search,
)

X, y = load_breast_cancer(return_X_y=True)
cv = BlockRegularizedCV(random_state=0)
grid = {"n_estimators": [5, 20, 60], "max_depth": [1, 3, None]}
search = GridSearchCV(
    RandomForestClassifier(random_state=0),
    grid,
    cv=cv,
    scoring=count_scorer([0, 1], also="f1"),
    refit="f1",
).fit(X, y)
print(search.best_params_)

# %%
# From the counts alone, in milliseconds: candidates are taken for independent, so much stays open.
report = report_search(search, rope=0.02, random_state=0)
print(report)

# %%
# With the data the candidates are run again over the same splits and compared instance by instance.
# Forests agree on most instances, so now more is settled.
paired = report_search(search, X, y, rope=0.02, top=9, random_state=0)
print(paired)
print("simplest:", paired.simplest(["n_estimators", "max_depth"]))
paired.plot("heatmap", x="n_estimators", y="max_depth")

# %%
# The choice can be made inside the search, and the search be one of the estimators compared.
simple = GridSearchCV(
    RandomForestClassifier(random_state=0),
    grid,
    cv=3,
    refit=refit_simplest("n_estimators", rope=0.02, cv=3),
)
result = bayesian_cross_validate(("forest", simple), GaussianNB(), X, y, cv=cv, random_state=0)
print(result)
