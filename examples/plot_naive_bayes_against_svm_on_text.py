"""
Naive Bayes against an SVM on text
==================================

Zhang et al. (2015) compare four classifiers on twenty categories of documents. This example
compares three of them on 20 Newsgroups if that is in scikit-learn's cache, and otherwise on the
handwritten digits that ship with scikit-learn.
"""

# %%
# The features are frequencies of words, or intensities of pixels.
from sklearn.datasets import fetch_20newsgroups_vectorized, load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from skbayeseval import compare_many, compare_predictions
from skbayeseval.models import Recalls

try:
    train, test = (
        fetch_20newsgroups_vectorized(
            subset=subset, remove=("headers", "footers", "quotes"), download_if_missing=False
        )
        for subset in ("train", "test")
    )
    X_train, y_train, X_test, y_test = train.data, train.target, test.data, test.target
    print("20 Newsgroups")
except OSError:
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(
        normalize(X), y, test_size=0.5, stratify=y, random_state=0
    )
    print("handwritten digits, because 20 Newsgroups is not in the cache")

# %%
# Three of the classifiers, with parameters close to those of the paper.
classifiers = {
    "NB_Bern": BernoulliNB(alpha=1e-2),
    "NB_Mult": MultinomialNB(alpha=1e-3),
    "SVM_L2": LinearSVC(C=2, random_state=0),
}
predictions = {
    name: classifier.fit(X_train, y_train).predict(X_test)
    for name, classifier in classifiers.items()
}

# %%
# Compare all of them, with one joint posterior of the predictions of all classifiers.
ranking = compare_many(y_test, predictions, scoring="f1_macro", n_draws=5000, random_state=0)
print(ranking)
ranking.plot()

# %%
# Compare two of them. As in the paper, `Recalls` assumes that the two are independent. The paired
# model uses that hard documents are hard for both, so the HDI of the difference is narrower.
for model in (Recalls(), "paired"):
    result = compare_predictions(
        y_test,
        predictions["NB_Mult"],
        predictions["SVM_L2"],
        scoring="f1_macro",
        model=model,
        names=("NB_Mult", "SVM_L2"),
        n_draws=5000,
        random_state=0,
    )
    print(result.model, result.decision(rope=0.005))
result.plot(rope=0.005)

# %%
# Compare them on one category against the rest, a two-class problem, as in Zhang et al. (2016).
one = compare_predictions(
    y_test == 8,
    predictions["NB_Mult"] == 8,
    predictions["SVM_L2"] == 8,
    scoring="f1",
    names=("NB_Mult", "SVM_L2"),
    random_state=0,
)
print(one.decision(rope=0.05))
one.plot(rope=0.05)
