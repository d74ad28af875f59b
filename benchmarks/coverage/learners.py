"""Learners for the coverage laboratory: closed forms in NumPy, and others of scikit-learn.

Those in NumPy have what a comparison needs and no validation, so that thousands of data sets take
minutes.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

__all__ = ["LEARNERS"]

Array = NDArray[Any]


class Discriminant(ClassifierMixin, BaseEstimator):
    """Base class: the class with the highest discriminant."""

    def fit(self, X: Array, y: Array) -> Self:
        """Fit the discriminants."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._fit(X, codes, len(self.classes_))
        return self

    def _fit(self, X: Array, codes: Array, n_classes: int) -> None:
        raise NotImplementedError

    def _discriminants(self, X: Array) -> Array:
        """Return the discriminants, of shape (n, n_classes)."""
        raise NotImplementedError

    def decision_function(self, X: Array) -> Array:
        """Return the discriminant; of two classes, that of the second minus that of the first."""
        found = self._discriminants(X)
        return found[:, 1] - found[:, 0] if found.shape[1] == 2 else found

    def predict(self, X: Array) -> Array:
        """Predict classes."""
        return self.classes_[self._discriminants(X).argmax(axis=1)]


def moments(X: Array, codes: Array, n_classes: int) -> tuple[Array, Array]:
    """Return the share and the mean of each class."""
    members = np.eye(n_classes)[codes]
    sizes = members.sum(axis=0)
    return sizes / len(X), members.T @ X / sizes[:, None]


class NaiveBayes(Discriminant):
    """Gaussian naive Bayes."""

    def _fit(self, X: Array, codes: Array, n_classes: int) -> None:
        self.shares_, self.means_ = moments(X, codes, n_classes)
        _, squares = moments(X**2, codes, n_classes)
        self.variances_ = squares - self.means_**2 + 1e-9 * X.var(axis=0).max()

    def _discriminants(self, X: Array) -> Array:
        return np.column_stack(
            [
                np.log(share) - 0.5 * (((X - mean) ** 2 / var) + np.log(var)).sum(axis=1)
                for share, mean, var in zip(self.shares_, self.means_, self.variances_, strict=True)
            ]
        )


class LinearDiscriminant(Discriminant):
    """Linear discriminant analysis."""

    def _fit(self, X: Array, codes: Array, n_classes: int) -> None:
        shares, means = moments(X, codes, n_classes)
        centred = X - means[codes]
        covariance = centred.T @ centred / len(X) + 1e-6 * np.eye(X.shape[1])
        self.slopes_ = np.linalg.solve(covariance, means.T)
        self.offsets_ = np.log(shares) - 0.5 * (means.T * self.slopes_).sum(axis=0)

    def _discriminants(self, X: Array) -> Array:
        return X @ self.slopes_ + self.offsets_


class QuadraticDiscriminant(Discriminant):
    """Quadratic discriminant analysis with a little shrinkage."""

    def _fit(self, X: Array, codes: Array, n_classes: int) -> None:
        self.shares_, self.means_ = moments(X, codes, n_classes)
        self.parts_ = []
        for k in range(n_classes):
            centred = X[codes == k] - self.means_[k]
            covariance = 0.95 * centred.T @ centred / len(centred) + 0.05 * np.eye(X.shape[1])
            self.parts_.append((np.linalg.inv(covariance), np.linalg.slogdet(covariance)[1]))

    def _discriminants(self, X: Array) -> Array:
        return np.column_stack(
            [
                np.log(share) - 0.5 * (((X - mean) @ inverse * (X - mean)).sum(axis=1) + logdet)
                for share, mean, (inverse, logdet) in zip(
                    self.shares_, self.means_, self.parts_, strict=True
                )
            ]
        )


class Logistic(Discriminant):
    """Logistic regression of two classes with a ridge of 1, by Newton's method."""

    def _fit(self, X: Array, codes: Array, n_classes: int) -> None:
        A = np.column_stack([X, np.ones(len(X))])
        ridge = np.diag(np.append(np.ones(X.shape[1]), 1e-6))
        w = np.zeros(A.shape[1])
        for _ in range(8):
            p = 1 / (1 + np.exp(-np.clip(A @ w, -30, 30)))
            hessian = (A * (p * (1 - p))[:, None]).T @ A + ridge
            w = w - np.linalg.solve(hessian, A.T @ (p - codes) + ridge @ w)
        self.coefficients_ = w

    def _discriminants(self, X: Array) -> Array:
        value = X @ self.coefficients_[:-1] + self.coefficients_[-1]
        return np.column_stack([np.zeros(len(X)), value])


class Neighbours(Discriminant):
    """The classes of the nearest neighbours; ties go to the nearest."""

    def __init__(self, k: int = 5) -> None:
        self.k = k

    def _fit(self, X: Array, codes: Array, n_classes: int) -> None:
        self.X_, self.members_ = X, np.eye(n_classes)[codes]

    def _discriminants(self, X: Array) -> Array:
        distances = (self.X_**2).sum(axis=1) - 2 * X @ self.X_.T
        k = min(self.k, len(self.X_) - 1)
        near = np.argpartition(distances, k, axis=1)[:, :k]
        return self.members_[near].mean(axis=1)


class RandomSubspace(LinearDiscriminant):
    """Linear discriminant analysis on a random third of the features."""

    def _fit(self, X: Array, codes: Array, n_classes: int) -> None:
        chosen = np.random.permutation(X.shape[1])  # noqa: NPY002, one seed for all learners
        self.features_ = chosen[: max(2, X.shape[1] // 3)]
        super()._fit(X[:, self.features_], codes, n_classes)

    def _discriminants(self, X: Array) -> Array:
        return super()._discriminants(X[:, self.features_])


class TunedThreshold(LinearDiscriminant):
    """Linear discriminant analysis with the threshold of the highest F1 on the training set."""

    def _fit(self, X: Array, codes: Array, n_classes: int) -> None:
        super()._fit(X, codes, n_classes)
        found = super()._discriminants(X)
        scores = found[:, 1] - found[:, 0]
        order = np.argsort(-scores)
        hits = np.cumsum(codes[order])
        best = np.argmax(2 * hits / (np.arange(1, len(X) + 1) + hits[-1]))
        self.offsets_ = self.offsets_ - np.array([0.0, scores[order][best]])


LEARNERS: dict[str, Any] = {
    "bayes": NaiveBayes(),
    "lda": LinearDiscriminant(),
    "qda": QuadraticDiscriminant(),
    "logistic": Logistic(),
    "logreg": LogisticRegression(max_iter=200),
    "logreg.01": LogisticRegression(C=0.01),
    "svm": SVC(),
    "knn1": Neighbours(1),
    "knn5": Neighbours(5),
    "knn15": Neighbours(15),
    "tree": DecisionTreeClassifier(random_state=0),
    "tree3": DecisionTreeClassifier(max_depth=3, min_samples_leaf=3, random_state=0),
    "tree5": DecisionTreeClassifier(max_depth=5, min_samples_leaf=3, random_state=0),
    "extra-tree": ExtraTreeClassifier(max_depth=6, min_samples_leaf=3),
    "forest": RandomForestClassifier(10, min_samples_leaf=2),
    "subspace": RandomSubspace(),
    "threshold": TunedThreshold(),
}
