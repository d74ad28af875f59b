"""The parameters of a model by name, and from their draws to draws of a metric.

The names are those of the papers: mu, the class proportions; rho+ and rho-, the rates of positive
predictions; theta, the outcomes of a true class; eta, the concentration of the hierarchical prior;
pi, the cells (tp, fp, fn, tn). A or B after an underscore is the classifier.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from skbayeseval.engines.exact import BLOCK
from skbayeseval.engines.outcomes import GroupDraws, outcome_blocks
from skbayeseval.engines.weights import label_blocks, label_totals
from skbayeseval.evidence.chunks import CELLS as CHUNK_CELLS
from skbayeseval.metrics.confusion import Metric, Totals
from skbayeseval.models.specification import (
    AnySpecification,
    DataSetSpecification,
    LabelSpecification,
    Outcomes,
    OutcomeSpecification,
    ScoreSpecification,
    Specification,
    letter,
)

__all__ = [
    "Parameter",
    "coordinates",
    "dims_of",
    "group_names",
    "parameters_of",
    "parameters_of_pair",
    "rates_given",
    "row_names",
    "scores_given",
    "stream_parameters",
    "summaries",
]

Array = NDArray[Any]
Draws = Mapping[str, Array]

OUTCOMES = ("11", "10", "01", "00")
CELLS = ("tp", "fp", "fn", "tn")

# eta must not round to 0 or 1, where its logit is infinite.
SMALLEST = np.finfo(float).tiny
CLOSEST_TO_ONE = 1 - np.finfo(float).epsneg


class Parameter(NamedTuple):
    """A probability, or several that sum to 1, with the Dirichlet prior.

    Parameters
    ----------
    name : str
        Its name.
    prior : ndarray of shape (..., k)
        The Dirichlet prior; with `is_beta` k is 2 and the parameter is the first of the two.
    is_beta : bool
        Whether a draw is a number (for each of the leading axes) or k of them.
    dims : tuple of str
        What the axes of a draw are.
    flat : {None, "plain", "log"}
        For numbers of any size: whether the prior is flat, of them or of their logarithm; `prior`
        then holds where the data put it and how closely, for the sampler to start from.
    power : float
        Not flat, but with a density of this power of the number, for that of its logarithm.
    """

    name: str
    prior: Array
    is_beta: bool
    dims: tuple[str, ...] = ()
    flat: str | None = None
    power: float = 0.0

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one draw."""
        return self.prior.shape[:-1] if self.is_beta or self.flat else self.prior.shape


def parameters_of(specification: AnySpecification) -> list[Parameter]:
    """Return the parameters that are sampled; rows of tables with an eta are drawn given those."""
    if isinstance(specification, Specification):
        return [
            Parameter(s.name, s.prior, True)
            if len(s.prior) == 2
            else Parameter(s.name, s.prior, False, (_dimension(s.name),))
            for s in specification.simplexes
        ]
    if isinstance(specification, OutcomeSpecification):
        found = []
        for g, group in enumerate(specification.groups):
            mu, etas = group_names(group, g)
            if group.known_mu is None:
                found.append(Parameter(mu, group.mu.prior, False, ("class",)))
            found += [
                Parameter(name, eta.prior, True)
                for name, eta in zip(etas, group.etas, strict=True)
                if eta is not None
            ]
        return found
    if isinstance(specification, LabelSpecification):
        n_labels = specification.cells.shape[1]
        found = []
        for classifier in map(letter, range(len(specification.cells))):
            if specification.cell_prior is not None:
                prior = np.tile(specification.cell_prior, (n_labels, 1))
                found.append(Parameter(f"pi_{classifier}", prior, False, ("target", "cell")))
                continue
            for name, prior in (
                ("mu", specification.mu),
                ("rho+", specification.rho[0]),
                ("rho-", specification.rho[1]),
            ):
                prior = np.tile(prior, (n_labels, 1))
                found.append(Parameter(f"{name}_{classifier}", prior, True, ("target",)))
        return found
    if isinstance(specification, ScoreSpecification):
        return _parameters_of_scores(specification)
    if isinstance(specification, DataSetSpecification):
        return [
            Parameter(name, np.zeros(2), False, flat="plain") for name in ("delta0", "sigma0", "nu")
        ]
    return []


def _parameters_of_scores(specification: ScoreSpecification) -> list[Parameter]:
    """Return the parameters of two estimators: B's score is regressed on the difference A - B.

    delta and nu_B are the mean difference and B's mean score, sigma is the standard deviation of a
    split's difference, beta the slope of B's score on it and tau what is left. With the covariance
    of A and B having density proportional to det^(-2), sigma^2 has density 1 / sigma^2, beta is
    flat, and tau^2 has density 1 / tau^4.
    """
    found = [summaries(*scores) for scores in specification.scores.values()]
    n, inflation = found[0].n_splits, specification.inflation
    flats: dict[str, tuple[str, list[tuple[float, float]]]] = {
        "delta": ("plain", [(s.mean_d, np.sqrt(inflation * s.ss_d / (n - 1))) for s in found]),
        "nu_B": ("plain", [(s.mean_b, np.sqrt(inflation * s.ss_b / (n - 1))) for s in found]),
        "beta": ("plain", [(s.slope, np.sqrt(s.ss_e / s.ss_d / n)) for s in found]),
        "sigma": ("log", [(np.log(s.ss_d / n) / 2, np.sqrt(0.5 / n)) for s in found]),
        "tau": ("log", [(np.log(s.ss_e / n) / 2, np.sqrt(0.5 / n)) for s in found]),
    }
    # 1 / tau^4 for the density of tau^2 is 1 / tau^2 for that of log tau.
    return [
        Parameter(name, np.array(places), False, ("metric",), flat, -2.0 if name == "tau" else 0.0)
        for name, (flat, places) in flats.items()
    ]


class ScoreSummaries(NamedTuple):
    """Sums over splits of the differences d = a - b and of B's scores."""

    n_splits: int
    mean_d: float
    mean_b: float
    ss_d: float
    ss_b: float
    sp: float

    @property
    def slope(self) -> float:
        """The slope of b on d."""
        return self.sp / self.ss_d

    @property
    def ss_e(self) -> float:
        """The sum of squares of b that d leaves."""
        return self.ss_b - self.sp**2 / self.ss_d


def summaries(a: Array, b: Array) -> ScoreSummaries:
    """Return the sums of two estimators' scores."""
    d = a - b
    centred_d, centred_b = d - d.mean(), b - b.mean()
    return ScoreSummaries(
        len(d),
        float(d.mean()),
        float(b.mean()),
        float(centred_d @ centred_d),
        float(centred_b @ centred_b),
        float(centred_d @ centred_b),
    )


def _dimension(name: str) -> str:
    return {"theta+": "outcome", "theta-": "outcome", "pi": "chunk"}.get(name, "cell")


def group_names(group: Outcomes, position: int) -> tuple[str, list[str]]:
    """Return what mu and the etas of a group are called."""
    if len(group.etas) == 1:
        return f"mu_{letter(position)}", [f"eta_{letter(position)}"]
    return "mu", [f"eta_{letter(k)}" for k in range(len(group.etas))]


def coordinates(specification: AnySpecification, labels: tuple[Any, ...]) -> dict[str, list[str]]:
    """Return the names along each dimension."""
    names = list(map(str, labels))
    if isinstance(specification, OutcomeSpecification):
        return {"class": names, "predicted": names}
    if isinstance(specification, LabelSpecification):
        # ArviZ 1.x has a dimension "label" of its own.
        return {"target": names, "cell": list(CELLS)}
    if isinstance(specification, ScoreSpecification):
        return {"metric": list(specification.scores)}
    if isinstance(specification, Specification):
        n_cells = max((len(s.prior) for s in specification.simplexes if "pi_" in s.name), default=4)
        return {
            "outcome": list(OUTCOMES),
            "cell": list(CELLS[:n_cells]),
            "chunk": list(CHUNK_CELLS),
        }
    return {}


def dims_of(specification: AnySpecification) -> dict[str, list[str]]:
    """Return the dimensions of each parameter, those of `stream_parameters` and rows included."""
    found = {p.name: list(p.dims) for p in parameters_of(specification) if p.dims}
    if isinstance(specification, DataSetSpecification):
        found["delta"] = ["data_set"]
    if isinstance(specification, OutcomeSpecification):
        n_classifiers = sum(len(group.etas) for group in specification.groups)
        for classifier in map(letter, range(n_classifiers)):
            found[f"rho_{classifier}"] = ["class"]
            found[f"theta_{classifier}"] = ["class", "predicted"]
    return found


def parameters_of_pair(draws: Draws, i: int, j: int) -> dict[str, Array]:
    """Return the draws that classifiers `i` and `j` have, named as those of A and B."""
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
            # Outcomes (1, 0) and (0, 1) change places where the two do.
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
    specification : Specification, or another kind of it
        The model.
    draws : mapping of str to ndarray of shape (n_draws, ...)
        Draws of its parameters.
    metric : Metric
        What to compute of each draw.
    positive : int
        The index of the positive class.
    rng : numpy.random.Generator
        Draws the rows of tables given eta, unless `draws` has them as theta.
    prior : bool
        Whether rows are drawn without the data.
    """
    missing = [p.name for p in parameters_of(specification) if p.name not in draws]
    if missing:
        raise ValueError(
            f"There are no draws of {missing[0]!r}, only of {list(draws)}, so no other metric can "
            "be computed of them."
        )
    n_draws = len(next(iter(draws.values())))
    if isinstance(specification, OutcomeSpecification) and not _has_rows(specification, draws):
        given = _group_draws(specification, draws, n_draws)
        tables = metric.needs_tables
        for _, block in outcome_blocks(
            specification, rng, n_draws, prior=prior, tables=tables, given=given
        ):
            yield metric.of_totals(block, positive) if isinstance(block, Totals) else metric(block)
        return
    if isinstance(specification, DataSetSpecification):
        centre = draws["delta0"]
        if metric.name in specification.differences:
            yield centre[None]
        elif "next_delta" in draws:
            yield draws["next_delta"][None]
        else:  # a further data set, of a graph that was altered
            yield (centre + draws["sigma0"] * rng.standard_t(draws["nu"]))[None]
        return
    if isinstance(specification, ScoreSpecification):
        which = list(specification.scores).index(metric.name)
        delta, score_b = draws["delta"][:, which], draws["nu_B"][:, which]
        yield np.stack([score_b + delta, score_b])
        return
    for start in range(0, n_draws, BLOCK):
        here = {name: values[start : start + BLOCK] for name, values in draws.items()}
        size = min(BLOCK, n_draws - start)
        if isinstance(specification, Specification):
            yield metric(_tables(specification, here, size), positive).T
        elif isinstance(specification, OutcomeSpecification):
            yield metric(_tables_of_rows(specification, here, size), positive)
        elif isinstance(specification, LabelSpecification):
            yield metric.of_totals(label_totals(_of_all_classifiers(here)), positive)


def rates_given(
    specification: AnySpecification, draws: Draws, rng: np.random.Generator, *, prior: bool
) -> dict[str, Array]:
    """Return the recall of each class, where the rows of tables are drawn given the parameters."""
    if not isinstance(specification, OutcomeSpecification) or _has_rows(specification, draws):
        return {}
    n_draws = len(next(iter(draws.values())))
    given = _group_draws(specification, draws, n_draws)
    found = []
    for _, totals in outcome_blocks(
        specification, rng, n_draws, prior=prior, tables=False, given=given
    ):
        assert isinstance(totals, Totals)
        found.append(_rates(totals))
    return {name: np.concatenate([block[name] for block in found]) for name in found[0]}


def stream_parameters(
    specification: AnySpecification, rng: np.random.Generator, n_draws: int, *, prior: bool
) -> Iterator[dict[str, Array]]:
    """Yield blocks of exact draws of the parameters, those behind the draws of every metric.

    To what the specification names come the rates of a table with rows: rho, the recall of each
    class.
    """
    if isinstance(specification, Specification):
        shapes = specification.shapes(prior=prior)
        for start in range(0, n_draws, BLOCK):
            size = min(BLOCK, n_draws - start)
            drawn = {name: rng.dirichlet(shape, size) for name, shape in shapes.items()}
            yield {k: v[:, 0] if v.shape[1] == 2 else v for k, v in drawn.items()}
    elif isinstance(specification, LabelSpecification):
        for block in label_blocks(specification, rng, n_draws, prior=prior):
            yield {
                f"{name}_{letter(k)}": of_one
                for name, values in block.items()
                for k, of_one in enumerate(values)
            }
    elif isinstance(specification, OutcomeSpecification):
        for bases, totals in outcome_blocks(specification, rng, n_draws, prior=prior, tables=False):
            assert isinstance(totals, Totals)
            yield {**_named(specification, bases), **_rates(totals)}


def _named(specification: OutcomeSpecification, bases: list[GroupDraws]) -> dict[str, Array]:
    found = {}
    for g, (group, base) in enumerate(zip(specification.groups, bases, strict=True)):
        mu, etas = group_names(group, g)
        if group.known_mu is None:
            found[mu] = base.mu
        for name, one in zip(etas, base.logits, strict=True):
            if one is not None:
                found[name] = 1 / (1 + np.exp(-one))
    return found


def _rates(totals: Totals) -> dict[str, Array]:
    return {
        f"rho_{letter(k)}": hits / true
        for k, (hits, true) in enumerate(zip(totals.hits, totals.true, strict=True))
    }


def _tables(specification: Specification, draws: Draws, size: int) -> Array:
    whole = {}
    for simplex in specification.simplexes:
        values = draws[simplex.name]
        whole[simplex.name] = np.stack([values, 1 - values]) if values.ndim == 1 else values.T
    for name, known in specification.fixed.items():
        whole[name] = np.repeat(known[:, None], size, axis=1)
    return specification.tables(whole)


def row_names(specification: AnySpecification) -> list[str]:
    """Return what the rows of each classifier's table are called, where they stand alone."""
    if not isinstance(specification, OutcomeSpecification):
        return []
    alone = all(len(group.etas) == 1 for group in specification.groups)
    return [f"theta_{letter(g)}" for g in range(len(specification.groups))] if alone else []


def _has_rows(specification: OutcomeSpecification, draws: Draws) -> bool:
    names = row_names(specification)
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
        _, etas = group_names(group, g)
        logits = tuple(
            None if eta is None else logit(np.clip(draws[name], SMALLEST, CLOSEST_TO_ONE))
            for name, eta in zip(etas, group.etas, strict=True)
        )
        found.append(GroupDraws(_proportions(group, g, draws, n_draws), logits))
    return found


def _proportions(group: Outcomes, position: int, draws: Draws, size: int) -> Array:
    if group.known_mu is not None:
        return np.tile(group.known_mu, (size, 1))
    return draws[group_names(group, position)[0]]


def _of_all_classifiers(draws: Draws) -> dict[str, Array]:
    """Return the draws of a parameter with all classifiers first."""
    found: dict[str, list[Array]] = {}
    for name, values in draws.items():
        found.setdefault(name.rpartition("_")[0], []).append(values)
    return {name: np.stack(values) for name, values in found.items()}
