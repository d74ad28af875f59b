"""
Naive Bayes against an SVM on text
==================================

The comparison of Zhang et al. (2015): four classifiers, twenty categories of documents. Where
scikit-learn has 20 Newsgroups in its cache that is what is compared here; elsewhere, handwritten
digits, which ship with scikit-learn, stand in for the documents.
"""

# %%
# The data: counts of words, or of ink.
from sklearn.datasets import fetch_20newsgroups_vectorized, load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from skbayeseval import compare_many, compare_predictions

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
    print("handwritten digits, since 20 Newsgroups is not here")

# %%
# Three of the classifiers, with parameters near those that the paper found.
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
# All at once: one joint posterior over which instances each got right.
ranking = compare_many(y_test, predictions, scoring="f1_macro", n_draws=5000, random_state=0)
print(ranking)
ranking.plot()

# %%
# Two of them. The paper's hierarchical model takes the two for independent. The paired model knows
# that a hard document is hard for both, so the same difference comes with a narrower HDI.
for model in ("hierarchical", "paired"):
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
    print(model, result.decision(rope=0.005))
result.plot(rope=0.005)

# %%
# One category against the rest, as in Zhang et al. (2016): a matter of two classes.
one = compare_predictions(
    y_test == 8,
    predictions["NB_Mult"] == 8,
    predictions["SVM_L2"] == 8,
    scoring="f1",
    names=("NB_Mult", "SVM_L2"),
    random_state=0,
)
print(one.decision(rope=0.05))
