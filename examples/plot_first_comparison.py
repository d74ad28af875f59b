"""
A first comparison
==================

Compare naive Bayes with a support vector machine: first by the mean scores of ``cross_validate``,
then by the posterior distribution of the difference.
"""

# %%
# The usual approach: compare two mean scores, without knowing how uncertain they are.
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
# The posterior of the difference, from the same splits. Differences of less than 0.01 in F1 do not
# matter here: this is the region of practical equivalence (ROPE).
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
# The posterior, with its highest-density interval (HDI) and the probabilities below, inside and
# above the ROPE.
comparer.plot()

# %%
# The split scores, which are all that ``cross_validate`` reports.
comparer.plot("scores")
