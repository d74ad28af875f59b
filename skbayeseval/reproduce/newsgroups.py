"""The four classifiers of Zhang et al. (2015, 2016) on 20 Newsgroups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.datasets import fetch_20newsgroups_vectorized
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.svm import LinearSVC

from skbayeseval._arrays import Array
from skbayeseval.reproduce.report import MissingError


@dataclass(frozen=True)
class Newsgroups:
    """The categories of training and test documents, and each classifier's test predictions."""

    names: list[str]
    train: Array
    truth: Array
    predictions: dict[str, Array]


def classifiers() -> dict[str, BaseEstimator]:
    """Return the classifiers, with the parameters that the papers chose by grid search.

    Examples
    --------
    >>> from skbayeseval.reproduce.newsgroups import classifiers
    >>> list(classifiers())
    ['NB_Bern', 'NB_Mult', 'SVM_L1', 'SVM_L2']
    """
    return {
        "NB_Bern": BernoulliNB(alpha=1e-14, force_alpha=True),
        "NB_Mult": MultinomialNB(alpha=1e-3),
        # The default number of iterations does not converge.
        "SVM_L1": LinearSVC(C=4, penalty="l1", dual=False, max_iter=20_000, random_state=0),
        "SVM_L2": LinearSVC(C=2, random_state=0),
    }


@cache
def predict(data_home: str | None = None) -> Newsgroups:
    """Fit the classifiers on the training part and predict the test part.

    The results are cached for the lifetime of the process. The features are normalised term
    frequencies of the text without headers, footers and quotes. The papers state TF-IDF, but term
    frequencies reproduce their tables.

    Parameters
    ----------
    data_home : str, default=None
        The folder of scikit-learn's data sets. None means the environment variable
        SCIKIT_LEARN_DATA, or scikit-learn's default. The data are downloaded if necessary.

    Returns
    -------
    newsgroups : Newsgroups
        The true categories and the predictions.

    Raises
    ------
    MissingError
        If the data are missing and cannot be downloaded.
    """
    try:
        train, test = _fetch(data_home, "train"), _fetch(data_home, "test")
    except OSError as error:
        raise MissingError(
            "20 Newsgroups is not in scikit-learn's cache (--data-home, SCIKIT_LEARN_DATA) and "
            f"could not be downloaded: {' '.join(str(error).split())}"
        ) from error
    predictions = {
        name: np.asarray(classifier.fit(train.data, train.target).predict(test.data))
        for name, classifier in classifiers().items()
    }
    return Newsgroups(list(test.target_names), train.target, test.target, predictions)


def _fetch(data_home: str | None, subset: str) -> Any:
    return fetch_20newsgroups_vectorized(
        subset=subset, remove=("headers", "footers", "quotes"), data_home=data_home
    )
