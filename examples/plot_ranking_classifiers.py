"""
Which of many classifiers is best?
==================================

The classifier with the highest score is not always the best one, and often several cannot be told
apart. ``BayesianComparer`` ranks any number of them with one joint posterior.
"""

# %%
# Five classifiers on the breast cancer data, in the same splits.
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import BayesianComparer

X, y = load_breast_cancer(return_X_y=True)
comparer = BayesianComparer(
    {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "SVM": make_pipeline(StandardScaler(), SVC()),
        "naive Bayes": GaussianNB(),
        "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
        "tree": DecisionTreeClassifier(random_state=0),
    },
    scoring="f1",
    rope=0.01,
    random_state=0,
).fit(X, y)

# %%
# The table has one row per classifier: its posterior mean and interval, the probability that it is
# the best, and an interval of its rank.
print(comparer.ranking_)

# %%
# The decision names those that are practically equivalent to the best, and those that are surely
# worse. Of several equal classifiers some look better by chance, so differences are shrunk first,
# those of any two of them as well.
print(comparer.decision())
print(comparer.ranking_.pairs["logistic", "tree"].decision(rope=0.01))

# %%
# Every pair. Each cell is the decision about its row against its column.
comparer.plot("pairs")

# %%
# The ranking itself.
comparer.plot()
