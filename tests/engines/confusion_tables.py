"""Small confusion tables, and the prior of their rows."""

import numpy as np

TABLES = {
    "ordinary": [[20, 3, 1], [2, 15, 4], [0, 5, 12]],
    "tiny rows": [[1, 0, 0], [0, 3, 2], [1, 0, 0]],
    "empty class": [[9, 1, 0], [0, 0, 0], [2, 0, 7]],
    "perfect": [[30, 0, 0], [0, 25, 0], [0, 0, 41]],
    "never predicted": [[9, 1, 0], [4, 3, 0], [2, 5, 0]],
}


def concentrations(eta, n_classes):
    """Row-wise prior of one classifier: omega[j, k]."""
    omega = np.full((n_classes, n_classes), (1 - eta) / (n_classes - 1))
    np.fill_diagonal(omega, eta)
    return omega
