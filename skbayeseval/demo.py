"""A comparison of naive Bayes with an SVM, on data that ships with scikit-learn."""

from __future__ import annotations

import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skbayeseval import ComparisonResult, bayesian_cross_validate


def naive_bayes_against_svm(model: str = "paired") -> ComparisonResult:
    """Compare naive Bayes with an SVM by 3 x 2 block-regularised cross-validation."""
    X, y = load_breast_cancer(return_X_y=True)
    return bayesian_cross_validate(
        ("naive Bayes", GaussianNB()),
        ("SVM", make_pipeline(StandardScaler(), SVC())),
        X,
        y,
        scoring=["f1", "accuracy"],
        model=model,
        random_state=0,
    )


def by_each_model(rope: float) -> pd.DataFrame:
    """Return the summary of the difference in F1, one row per model."""
    models = ("paired", "unpaired", "bcv")
    rows = [naive_bayes_against_svm(model).metric("f1").summary(rope) for model in models]
    return pd.concat(rows, keys=models, names=["model"]).droplevel("metric")
