"""Naive Bayes against a support vector machine, on data that ships with scikit-learn."""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skbayeseval import ComparisonResult, compare_predictions

__all__ = ["naive_bayes_against_svm"]


def naive_bayes_against_svm() -> ComparisonResult:
    """Fit both on half of the breast cancer data and compare them on the other half."""
    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, stratify=y, random_state=0
    )
    svm = make_pipeline(StandardScaler(), SVC()).fit(X_train, y_train)
    naive_bayes = GaussianNB().fit(X_train, y_train)
    return compare_predictions(
        y_test,
        svm.predict(X_test),
        naive_bayes.predict(X_test),
        scoring=["f1", "accuracy", "matthews_corrcoef"],
        names=("SVM", "naive Bayes"),
        random_state=0,
    )
