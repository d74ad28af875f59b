"""
What a grid search found
========================

A grid search selects the candidate with the highest mean score. Is it really better than the
others? Would a simpler candidate be practically equivalent?
"""

# %%
# Search over random forests on the breast cancer data. ``count_scorer`` records the confusion
# counts of every split in ``cv_results_``, in addition to the score that selects the best
# candidate.
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
# A report from the counts alone takes milliseconds. The best of many candidates looks better than
# it is, because it was chosen for its score: means and intervals allow for that.
report = report_search(search, rope=0.02, random_state=0)
print(report)

# %%
# With the data, the candidates are cross-validated again on the same splits and compared instance
# by instance, which tells more precisely what chance explains.
paired = report_search(search, X, y, rope=0.02, top=9, random_state=0)
print(paired)
print("simplest:", paired.simplest(["n_estimators", "max_depth"]))
paired.plot("heatmap", x="n_estimators", y="max_depth")

# %%
# The simplest candidate can also be chosen inside the search, and the search itself can be one of
# the compared estimators.
simple = GridSearchCV(
    RandomForestClassifier(random_state=0),
    grid,
    cv=5,
    refit=refit_simplest("n_estimators", rope=0.05, cv=5),
)
result = bayesian_cross_validate(("forest", simple), GaussianNB(), X, y, cv=cv, random_state=0)
print(result)
result.plot(rope=0.02)
