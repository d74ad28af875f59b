"""Counts that the model predicts for a test set as large as the observed one.

A count of weight w is worth w independent instances. So the counts of N instances are predicted as
those of w N independent ones, each counted 1 / w times: as wide as the model takes them to be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from skbayeseval.engines.given_parameters import rows_given, simplexes_given
from skbayeseval.models.parameters import letter
from skbayeseval.models.specification import (
    AnySpecification,
    LabelSpecification,
    OutcomeSpecification,
    Specification,
)

__all__ = [
    "LogDensities",
    "Replicated",
    "log_densities",
    "replicate_counts",
]


Array = NDArray[Any]


SMALLEST = np.finfo(float).tiny


class LogDensities(NamedTuple):
    """The terms of the log likelihood and of the log prior, of shape (n_draws,), by name."""

    likelihood: dict[str, Array]
    prior: dict[str, Array]


def log_densities(
    specification: AnySpecification, draws: Mapping[str, Array]
) -> LogDensities | None:
    """Return the log densities of draws of the parameters; None if these are not all there is.

    That is so where rows of tables or weights of units are drawn besides the parameters, and where
    the draws lack a parameter.
    """
    vectors = list(_vectors(specification))
    if not vectors or any(name not in draws for name, _, _ in vectors):
        return None
    likelihood, prior = {}, {}
    for name, shapes, counts in vectors:
        values = draws[name]
        if values.ndim == shapes.ndim:  # the first of two that sum to 1
            values = np.stack([values, 1 - values], axis=-1)
        values = np.maximum(values, SMALLEST)
        norm = gammaln(shapes.sum(axis=-1)) - gammaln(shapes).sum(axis=-1)
        each_prior = xlogy(shapes - 1, values).sum(axis=-1) + norm
        each_likelihood = xlogy(counts, values).sum(axis=-1)
        likelihood[f"counts of {name}"] = _over_targets(each_likelihood)
        prior[f"prior of {name}"] = _over_targets(each_prior)
    return LogDensities(likelihood, prior)


def _over_targets(values: Array) -> Array:
    return values.reshape(len(values), -1).sum(axis=1)


@singledispatch
def _vectors(specification: AnySpecification) -> Iterator[tuple[str, Array, Array]]:
    """Yield each probability vector: its name, Dirichlet prior and effective counts."""
    yield from ()


@_vectors.register
def _(specification: Specification) -> Iterator[tuple[str, Array, Array]]:
    for simplex in specification.simplexes:
        yield simplex.name, simplex.prior, simplex.counts


@_vectors.register
def _(specification: LabelSpecification) -> Iterator[tuple[str, Array, Array]]:
    priors = {parameter.name: parameter.prior for parameter in specification.parameters()}
    for k, cells in enumerate(specification.cells):
        tp, fp, fn, tn = cells.T
        of_each: dict[str, tuple[Array, ...]] = {"pi": (tp, fp, fn, tn)}
        if specification.cell_prior is None:
            of_each = {"mu": (tp + fn, fp + tn), "rho+": (tp, fn), "rho-": (fp, tn)}
        for stem, counts in of_each.items():
            name = f"{stem}_{letter(k)}"
            yield name, priors[name], np.stack(counts, axis=-1)


class Replicated(NamedTuple):
    """Draws of the parameters, and the test set that is to be replicated.

    Parameters
    ----------
    draws : mapping of str to ndarray of shape (n_draws, ...)
        Draws of the parameters.
    true : list of ndarray of shape (n_classes,)
        For each classifier, the observed number of instances of each class.
    weights : list of float
        For each classifier, the weight of one count.
    positive : int
        The index of the positive class.
    fixed_classes : bool
        Whether the test set was sampled by class, so that `true` is not random.
    prior : bool
        Whether the draws are those of the prior.
    rng : numpy.random.Generator
        The source of randomness.
    """

    draws: Mapping[str, Array]
    true: list[Array]
    weights: list[float]
    positive: int
    fixed_classes: bool
    prior: bool
    rng: np.random.Generator

    @property
    def n_draws(self) -> int:
        """The number of draws."""
        return len(next(iter(self.draws.values())))


def replicate_counts(specification: AnySpecification, of: Replicated) -> dict[str, Array]:
    """Return predicted counts of shape (n_draws, ...), named as the observed data in ArviZ.

    Empty if the model does not predict counts, or if the draws lack a parameter.
    """
    names = [parameter.name for parameter in specification.parameters()]
    if not of.draws or any(name not in of.draws for name in names):
        return {}
    return _replicate(specification, of)


@singledispatch
def _replicate(specification: AnySpecification, of: Replicated) -> dict[str, Array]:
    return {}


@_replicate.register
def _(specification: Specification, of: Replicated) -> dict[str, Array]:
    whole = simplexes_given(specification, of.draws, of.n_draws)
    if all(name.startswith("pi") for name in whole):
        # Tables are sums of cells, so those of counts are counts.
        counts = {}
        for simplex, weight in zip(specification.simplexes, of.weights, strict=False):
            cells = _multinomial(
                simplex.counts.sum() / weight, weight, whole[simplex.name].T, of.rng
            )
            counts[simplex.name] = cells.T
        return _confusion(np.moveaxis(specification.tables(counts), 1, 0))
    if specification.joint is not None:
        cube = _instances(specification.joint(whole), of, 0)
        # The outcomes (1, 1), (1, 0), (0, 1), (0, 0), as in the observed data.
        positive_first = cube if of.positive == 0 else cube[:, :, ::-1, ::-1]
        outcomes = positive_first.reshape(of.n_draws, 2, 4)
        return {"outcomes": outcomes, **_confusion([cube.sum(axis=3), cube.sum(axis=2)])}
    tables = np.moveaxis(specification.tables(whole), 1, 0)
    return _confusion([_instances(table, of, k) for k, table in enumerate(tables)])


@_replicate.register
def _(specification: OutcomeSpecification, of: Replicated) -> dict[str, Array]:
    tables = rows_given(specification, of.draws, of.rng, prior=of.prior)
    found: list[Array] = []
    for group in specification.groups:
        true = None
        for _ in group.etas:
            k = len(found)
            # Classifiers of a group see the same instances.
            true = _classes(tables[k].sum(axis=-1), of, k) if true is None else true
            found.append(_rows(tables[k], true, of.rng) / _scale(of, k))
    return _confusion(found)


@_replicate.register
def _(specification: LabelSpecification, of: Replicated) -> dict[str, Array]:
    found = {}
    for k, (cells, weight) in enumerate(zip(specification.cells, of.weights, strict=True)):
        name = letter(k)
        if specification.cell_prior is not None:
            shares = of.draws[f"pi_{name}"]
        else:
            mu, hit, alarm = (of.draws[f"{stem}_{name}"] for stem in ("mu", "rho+", "rho-"))
            tp, fn, fp = mu * hit, mu * (1 - hit), (1 - mu) * alarm
            shares = np.stack([tp, fp, fn, (1 - mu) * (1 - alarm)], axis=-1)
        tp, fp, fn, _ = np.moveaxis(
            _multinomial(cells.sum(axis=1) / weight, weight, shares, of.rng), -1, 0
        )
        found[f"counts_{name}"] = np.stack([tp, tp + fn, tp + fp], axis=-1)
    return found


def _confusion(tables: Any) -> dict[str, Array]:
    return {f"confusion_{letter(k)}": table for k, table in enumerate(tables)}


def _instances(shares: Array, of: Replicated, k: int) -> Array:
    """Return counts, given probabilities of shape (n_draws, n_classes, ...)."""
    flat = shares.reshape(len(shares), shares.shape[1], -1)
    true = _classes(flat.sum(axis=-1), of, k)
    return (_rows(flat, true, of.rng) / _scale(of, k)).reshape(shares.shape)


def _classes(shares: Array, of: Replicated, k: int) -> Array:
    """Return the number of independent instances of each class, of shape (n_draws, n_classes)."""
    if of.fixed_classes:
        return np.tile(np.round(of.true[k] * of.weights[k]).astype(int), (len(shares), 1))
    total = round(of.true[k].sum() * of.weights[k])
    return of.rng.multinomial(total, _normalised(shares))


def _scale(of: Replicated, k: int) -> float:
    """Return the number of independent instances per count."""
    effective = of.true[k] * of.weights[k]
    rounded = np.round(effective if of.fixed_classes else effective.sum()).sum()
    return float(rounded / of.true[k].sum())


def _rows(shares: Array, true: Array, rng: np.random.Generator) -> Array:
    return rng.multinomial(true, _normalised(shares))


def _multinomial(total: Any, weight: float, shares: Array, rng: np.random.Generator) -> Array:
    """Return counts that sum to `total`, of round(weight * total) independent instances."""
    n = np.round(np.asarray(total) * weight).astype(int)
    counts = rng.multinomial(n, _normalised(shares))
    return counts * (np.asarray(total) / np.maximum(n, 1))[..., None]


def _normalised(shares: Array) -> Array:
    """Return probabilities that sum to 1; uniform ones for a class that cannot occur."""
    total = shares.sum(axis=-1, keepdims=True)
    return np.where(total > 0, shares / np.where(total > 0, total, 1), 1 / shares.shape[-1])
