"""
A first comparison
==================

Naive Bayes against a support vector machine, next to ``cross_validate``: what the two means hide,
and what the posterior says.
"""

# %%
# What people do today: two means, and a guess.
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skbayeseval import BayesianComparer, BlockRegularizedCV

X, y = load_breast_cancer(return_X_y=True)
svm = make_pipeline(StandardScaler(), SVC())
cv = BlockRegularizedCV(random_state=0)
for estimator in (GaussianNB(), svm):
    print(cross_validate(estimator, X, y, cv=cv, scoring="f1")["test_score"].mean())

# %%
# The same splits, and the posterior of the difference. A difference of less than 0.01 in F1 would
# not matter here: that is the region of practical equivalence (ROPE).
comparer = BayesianComparer(
    [("naive Bayes", GaussianNB()), ("SVM", svm)],
    cv=cv,
    scoring=["f1", "recall"],
    rope=0.01,
    random_state=0,
).fit(X, y)
print(comparer.decision())
print(comparer.summary().T)

# %%
# The posterior, with its highest-density interval and the probabilities around the ROPE.
comparer.plot()

# %%
# The scores of the six splits: what ``cross_validate`` sees.
comparer.plot("scores")
