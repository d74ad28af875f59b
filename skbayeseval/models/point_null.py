"""Closed forms of the density at 0 of the difference of two paired binary classifiers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, gammaln, roots_jacobi, roots_legendre

from skbayeseval.models.margins import BetaMargin

Array = NDArray[Any]


def log_density_of_equality(pairs: Array) -> float:
    """Log density at 0 of theta(1,0) - theta(0,1) when theta ~ Dirichlet(pairs)."""
    differ = pairs[1] + pairs[2]
    if differ <= 1:
        return np.inf
    # theta(1,0) and theta(0,1) are a Beta variable and its complement, times their sum. The density
    # of the former at 1/2, and the mean of the inverse of the latter:
    share = BetaMargin(pairs[1], pairs[2])
    at_half = share.log_density_by_mode(np.zeros(1))[0] - share.log_integral_by_mode()
    return float(at_half + np.log(2 * (pairs.sum() - 1) / (differ - 1)))


def log_density_of_equal_accuracy(shapes: Mapping[str, Array], balanced: bool) -> float | None:
    """Log density at 0 of the difference in accuracy under a smooth, weak (prior) Dirichlet.

    With X = theta+(1,0) - theta+(0,1) and Y likewise of theta-, the difference is
    mu X - (1 - mu) Y, or (X - Y) / 2 for the balanced accuracy. Returns None for large shapes, as
    in posteriors, because they would need more quadrature nodes.
    """
    x_shapes, y_shapes = shapes["theta+"], shapes["theta-"]
    if min(x_shapes.min(), y_shapes.min()) < 1 or max(x_shapes.sum(), y_shapes.sum()) > 50:
        return None
    if not balanced and "mu" not in shapes:  # the class proportions are fixed
        return None
    nodes, weights = roots_legendre(200)
    unit, unit_weights = (nodes + 1) / 2, weights / 2
    x = np.concatenate([-unit, unit])
    x_weights = np.concatenate([unit_weights, unit_weights])
    if balanced:
        density = _difference_density(x, x_shapes) * _difference_density(x, y_shapes)
        return float(np.log(2 * np.sum(x_weights * density)))

    a, b = shapes["mu"]
    if a + b > 50:
        return None
    total = 0.0
    for (small, large), (p, q) in (
        ((x_shapes, y_shapes), (a, b)),
        ((y_shapes, x_shapes), (b, a)),
    ):
        # Integrate over the smaller of mu and 1 - mu, so that the partner stays in [-1, 1]. The
        # factor mu^(p - 1) is part of the weights because it is singular at 0 for p < 1.
        nodes, weights = roots_jacobi(100, 0.0, p - 1)
        mu, mu_weights = (nodes + 1) / 4, weights / 4**p
        partner = mu[:, None] * x / (1 - mu[:, None])
        inner = _difference_density(x, small) * _difference_density(partner, large)
        given_mu = np.sum(x_weights * inner, axis=1) / (1 - mu)
        rest = np.exp((q - 1) * np.log1p(-mu) - betaln(p, q))
        total += float(np.sum(mu_weights * rest * given_mu))
    return float(np.log(total))


def _difference_density(x: Array, pairs: Array) -> Array:
    """Density of theta(1,0) - theta(0,1) at `x` when theta ~ Dirichlet(pairs)."""
    result = np.empty_like(x)
    same = pairs[0] + pairs[3]
    for sign, (first, second) in ((1, (pairs[1], pairs[2])), (-1, (pairs[2], pairs[1]))):
        here = x >= 0 if sign > 0 else x < 0
        size = np.abs(x[here])
        nodes, weights = roots_jacobi(40, same - 1, second - 1)
        u = (nodes + 1) / 2
        weights = weights / 2 ** (same + second - 1)
        larger = size[:, None] + (1 - size[:, None]) * u / 2
        integral = np.sum(weights * larger ** (first - 1), axis=1)
        scale = (1 - size) ** (second + same - 1) / 2**second
        result[here] = scale * integral
    log_constant = gammaln(pairs.sum()) - gammaln([pairs[1], pairs[2], same]).sum()
    return result * np.exp(log_constant)
