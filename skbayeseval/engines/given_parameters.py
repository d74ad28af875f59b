"""Draws of metrics given draws of a model's parameters, and exact draws of the parameters.

Each function has one implementation per kind of specification.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from skbayeseval.engines.blocks import in_order, stream_blocks
from skbayeseval.engines.exact import BLOCK, draw_simplexes, metric_of_block
from skbayeseval.engines.outcomes import BLOCK_BYTES, outcome_blocks
from skbayeseval.engines.rows import GroupDraws
from skbayeseval.engines.weights import label_blocks, label_totals
from skbayeseval.metrics.confusion import Metric, Totals
from skbayeseval.models.parameters import letter
from skbayeseval.models.specification import (
    AnySpecification,
    DataSetSpecification,
    LabelSpecification,
    Outcomes,
    OutcomeSpecification,
    Recall,
    ScoreSpecification,
    Specification,
    icc_name,
)

__all__ = [
    "draw_parameters",
    "parameters_of_pair",
    "rates_given",
    "rows_given",
    "scores_given",
    "simplexes_given",
    "stream_parameters",
]

Array = NDArray[Any]
Draws = Mapping[str, Array]

# eta must not round to 0 or 1, where its logit is infinite.
SMALLEST = np.finfo(float).tiny
CLOSEST_TO_ONE = 1 - np.finfo(float).epsneg


def parameters_of_pair(draws: Draws, i: int, j: int) -> dict[str, Array]:
    """Return the draws of the parameters of classifiers `i` and `j`, renamed to A and B."""
    if "delta" in draws:
        if i < j:
            return dict(draws)
        delta = draws["delta"]
        return {
            **draws,
            "delta": -delta,
            "nu_B": draws["nu_B"] + delta,
            "beta": -1 - draws["beta"],
        }
    found = {}
    for name, values in draws.items():
        stem, _, owner = name.rpartition("_")
        if not stem:
            # If A and B are swapped, so are the outcomes (1, 0) and (0, 1).
            order = {"theta+": [0, 2, 1, 3], "theta-": [0, 2, 1, 3], "pi": [0, 2, 1, 3, 4, 6, 5]}
            found[name] = values[..., order[name]] if name in order and i > j else values
        elif owner in (letter(i), letter(j)):
            found[f"{stem}_{'A' if owner == letter(i) else 'B'}"] = values
    return found


def scores_given(
    specification: AnySpecification,
    draws: Draws,
    metric: Metric,
    positive: int,
    rng: np.random.Generator,
    *,
    prior: bool,
) -> Iterator[Array]:
    """Yield blocks of draws of a metric, of shape (n_classifiers, n), given draws of parameters.

    Parameters
    ----------
    specification : Specification, or another kind of specification
        The model.
    draws : mapping of str to ndarray of shape (n_draws, ...)
        Draws of its parameters.
    metric : Metric
        The metric to compute from each draw.
    positive : int
        The index of the positive class.
    rng : numpy.random.Generator
        Used to draw the rows of tables given eta, unless `draws` contains them as theta.
    prior : bool
        Whether rows are drawn from the prior instead of the posterior.
    """
    missing = [p.name for p in specification.parameters() if p.name not in draws]
    if missing:
        raise ValueError(
            f"There are no draws of {missing[0]!r}, only of {list(draws)}. Other metrics cannot be "
            "computed from them."
        )
    return _scores(specification, Given(draws, metric, positive, rng, prior))


class Given(NamedTuple):
    """Draws of parameters and what is asked of them; see `scores_given`."""

    draws: Draws
    metric: Metric
    positive: int
    rng: np.random.Generator
    prior: bool


@singledispatch
def _scores(specification: AnySpecification, given: Given) -> Iterator[Array]:
    raise TypeError(f"{type(specification).__name__} has no parameters to compute metrics from.")


@_scores.register
def _(specification: Specification, given: Given) -> Iterator[Array]:
    def score(here: Draws, size: int) -> Array:
        tables = specification.tables(simplexes_given(specification, here, size))
        return given.metric(tables, given.positive).T

    return in_order(score, _blocks(given.draws))


@_scores.register
def _(specification: LabelSpecification, given: Given) -> Iterator[Array]:
    def score(here: Draws, _: int) -> Array:
        return given.metric.of_totals(label_totals(_of_all_classifiers(here)), given.positive)

    return in_order(score, _blocks(given.draws))


@_scores.register
def _(specification: OutcomeSpecification, given: Given) -> Iterator[Array]:
    draws, metric, positive, rng, prior = given
    if _has_rows(specification, draws):
        n_cells = sum(len(group.mu.prior) ** 2 for group in specification.groups)
        return in_order(
            lambda here, size: metric(_tables_of_rows(specification, here, size), positive),
            _blocks(draws, BLOCK_BYTES // (16 * n_cells)),
        )
    n_draws = len(next(iter(draws.values())))
    return outcome_blocks(
        specification,
        lambda _, block: metric_of_block(metric, positive, block),
        rng,
        n_draws,
        prior=prior,
        tables=metric.needs_tables,
        given=_group_draws(specification, draws, n_draws),
    )


@_scores.register
def _(specification: ScoreSpecification, given: Given) -> Iterator[Array]:
    which = list(specification.scores).index(given.metric.name)
    delta, score_b = given.draws["delta"][:, which], given.draws["nu_B"][:, which]
    yield np.stack([score_b + delta, score_b])


@_scores.register
def _(specification: DataSetSpecification, given: Given) -> Iterator[Array]:
    draws = given.draws
    centre = draws["delta0"]
    if given.metric.name in specification.differences:
        yield centre[None]
    elif "next_delta" in draws:
        yield draws["next_delta"][None]
    else:  # a new data set, in the trace of a modified graph
        yield (centre + draws["sigma0"] * given.rng.standard_t(draws["nu"]))[None]


def _blocks(draws: Draws, most: int = BLOCK) -> Iterator[tuple[dict[str, Array], int]]:
    n_draws = len(next(iter(draws.values())))
    size = max(1, min(BLOCK, most))
    for start in range(0, n_draws, size):
        here = {name: values[start : start + size] for name, values in draws.items()}
        yield here, min(size, n_draws - start)


def rates_given(
    specification: AnySpecification, draws: Draws, rng: np.random.Generator, *, prior: bool
) -> dict[str, Array]:
    """Return the recall of each class; empty unless rows are drawn given the parameters."""
    if not isinstance(specification, OutcomeSpecification) or _has_rows(specification, draws):
        return {}
    n_draws = len(next(iter(draws.values())))
    given = _group_draws(specification, draws, n_draws)
    found = list(
        outcome_blocks(
            specification,
            lambda _, totals: _rates(totals),
            rng,
            n_draws,
            prior=prior,
            tables=False,
            given=given,
        )
    )
    return {name: np.concatenate([block[name] for block in found]) for name in found[0]}


def draw_parameters(
    specification: AnySpecification, rng: np.random.Generator, n_draws: int, *, prior: bool
) -> dict[str, Array]:
    """Return the draws of `stream_parameters`, of shape (n_draws, ...)."""
    found = list(stream_parameters(specification, rng, n_draws, prior=prior))
    names = found[0] if found else ()
    return {name: np.concatenate([block[name] for block in found]) for name in names}


@singledispatch
def stream_parameters(
    specification: AnySpecification, rng: np.random.Generator, n_draws: int, *, prior: bool
) -> Iterator[dict[str, Array]]:
    """Yield blocks of exact draws of the parameters, from which all metrics are computed.

    For tables drawn by rows, this includes rho, the recall of each class, besides the parameters of
    the specification.
    """
    yield from ()


@stream_parameters.register
def _(
    specification: Specification, rng: np.random.Generator, n_draws: int, *, prior: bool
) -> Iterator[dict[str, Array]]:
    shapes = specification.shapes(prior=prior)

    def draw(rng: np.random.Generator, size: int) -> dict[str, Array]:
        drawn = draw_simplexes(specification, rng, size, prior=prior)
        return {k: drawn[k][0] if len(drawn[k]) == 2 else drawn[k].T for k in shapes}

    return stream_blocks(draw, rng, n_draws, BLOCK)


@stream_parameters.register
def _(
    specification: LabelSpecification, rng: np.random.Generator, n_draws: int, *, prior: bool
) -> Iterator[dict[str, Array]]:
    def named(block: dict[str, Array]) -> dict[str, Array]:
        return {
            f"{name}_{letter(k)}": of_one
            for name, values in block.items()
            for k, of_one in enumerate(values)
        }

    return label_blocks(specification, rng, n_draws, prior=prior, of_block=named)


@stream_parameters.register
def _(
    specification: OutcomeSpecification, rng: np.random.Generator, n_draws: int, *, prior: bool
) -> Iterator[dict[str, Array]]:
    return outcome_blocks(
        specification,
        lambda bases, totals: {**_named(specification, bases, totals), **_rates(totals)},
        rng,
        n_draws,
        prior=prior,
        tables=False,
    )


def _named(
    specification: OutcomeSpecification, bases: list[GroupDraws], totals: Totals | Iterable[Array]
) -> dict[str, Array]:
    assert isinstance(totals, Totals)
    found = {}
    first = 0  # the first classifier of the group
    for g, (group, base) in enumerate(zip(specification.groups, bases, strict=True)):
        mu, etas = group.names(g)
        if group.known_mu is None:
            found[mu] = totals.true[first].copy()
        first += len(group.etas)
        for name, one in zip(etas, base.logits, strict=True):
            if one is not None:
                found[name] = 1 / (1 + np.exp(-np.maximum(one, logit(SMALLEST))))
        for name, mass in zip(etas, base.masses, strict=False):
            found[icc_name(name)] = 1 / (1 + mass)
    return found


def _rates(totals: Totals | Iterable[Array]) -> dict[str, Array]:
    assert isinstance(totals, Totals)
    return {
        f"rho_{letter(k)}": hits / true
        for k, (hits, true) in enumerate(zip(totals.hits, totals.true, strict=True))
    }


def simplexes_given(specification: Specification, draws: Draws, size: int) -> dict[str, Array]:
    """Return all entries of each probability vector, of shape (k, n_draws)."""
    whole = {}
    for simplex in specification.simplexes:
        values = draws[simplex.name]
        whole[simplex.name] = np.stack([values, 1 - values]) if values.ndim == 1 else values.T
    for name, known in specification.fixed.items():
        whole[name] = np.repeat(known[:, None], size, axis=1)
    return whole


def rows_given(
    specification: OutcomeSpecification, draws: Draws, rng: np.random.Generator, *, prior: bool
) -> Array:
    """Return tables of shape (n_classifiers, n_draws, M, M), given draws of the parameters."""
    n_draws = len(next(iter(draws.values())))
    if _has_rows(specification, draws):
        return _tables_of_rows(specification, draws, n_draws)
    given = _group_draws(specification, draws, n_draws)
    blocks = outcome_blocks(
        specification,
        lambda _, tables: np.stack(list(tables)),
        rng,
        n_draws,
        prior=prior,
        tables=True,
        given=given,
    )
    return np.concatenate(list(blocks), axis=1)


def _has_rows(specification: OutcomeSpecification, draws: Draws) -> bool:
    names = specification.row_names
    return bool(names) and all(name in draws for name in names)


def _tables_of_rows(specification: OutcomeSpecification, draws: Draws, size: int) -> Array:
    """Return tables of shape (n_classifiers, n, M, M)."""
    found = []
    for g, group in enumerate(specification.groups):
        mu = _proportions(group, g, draws, size)
        found.append(mu[:, :, None] * draws[f"theta_{letter(g)}"])
    return np.stack(found)


def _group_draws(
    specification: OutcomeSpecification, draws: Draws, n_draws: int
) -> list[GroupDraws]:
    found = []
    for g, group in enumerate(specification.groups):
        _, etas = group.names(g)
        logits = tuple(
            None if eta is None else logit(np.clip(draws[name], SMALLEST, CLOSEST_TO_ONE))
            for name, eta in zip(etas, group.etas, strict=True)
        )
        masses = tuple(
            1 / np.clip(draws[icc_name(name)], SMALLEST, CLOSEST_TO_ONE) - 1
            for name, eta in zip(etas, group.etas, strict=True)
            if isinstance(eta, Recall)
        )
        found.append(GroupDraws(_proportions(group, g, draws, n_draws), logits, masses))
    return found


def _proportions(group: Outcomes, position: int, draws: Draws, size: int) -> Any:
    """Return the class proportions, None if they are still to be drawn."""
    if group.known_mu is not None:
        return np.tile(group.known_mu, (size, 1))
    return (
        draws.get(group.names(position)[0])
        if group.estimates_mu
        else draws[group.names(position)[0]]
    )


def _of_all_classifiers(draws: Draws) -> dict[str, Array]:
    """Return the draws of each parameter, with classifiers on the first axis."""
    found: dict[str, list[Array]] = {}
    for name, values in draws.items():
        found.setdefault(name.rpartition("_")[0], []).append(values)
    return {name: np.stack(values) for name, values in found.items()}
