"""
ROC AUC, and curves with bands
==============================

Some metrics are computed from scores or probabilities, not from predicted classes. Their posterior
comes from random weights of the instances, the Bayesian bootstrap, shared by both classifiers.
"""

# %%
# Probabilities of two classifiers for a test set.
import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from skbayeseval import compare_predictions

X, y = make_classification(
    n_samples=1600, n_features=12, n_informative=5, n_redundant=4, flip_y=0.1, random_state=3
)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
logistic = LogisticRegression(max_iter=1000).fit(X_train, y_train)
bayes = GaussianNB().fit(X_train, y_train)

result = compare_predictions(
    y_test,
    logistic.predict(X_test),
    bayes.predict(X_test),
    y_score_a=logistic.predict_proba(X_test)[:, 1],
    y_score_b=bayes.predict_proba(X_test)[:, 1],
    scoring=["roc_auc", "average_precision", "neg_log_loss", "f1"],
    names=("logistic", "naive Bayes"),
    random_state=0,
)
print(result)

# %%
# Ranking instances well and giving honest probabilities are two things: log loss judges both.
print(result.decision(rope=0.01, metric="roc_auc"))
print(result.decision(rope=0.05, metric="neg_log_loss"))

# %%
# The curves, with pointwise bands of 95%. The calibration curve shows where the log loss comes
# from: the probabilities of naive Bayes are too extreme.
figure, axes = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
result.plot("roc", ax=axes[0])
result.plot("calibration", ax=axes[1])
