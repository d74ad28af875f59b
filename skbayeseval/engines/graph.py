"""A model's specification as a PyMC graph, with the same prior and the same effective counts.

The counts of weighted evidence are not whole numbers, and PyMC's likelihoods of counts would
silently truncate them. So likelihoods are added as potentials of real-valued counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval.engines.variables import Parameters, call_prior, publish
from skbayeseval.models.data_sets import SystemSpecification
from skbayeseval.models.items import (
    ClusteredSpecification,
    ItemWeightSpecification,
    RightOrWrongSpecification,
)
from skbayeseval.models.parameters import letter
from skbayeseval.models.specification import (
    AnySpecification,
    DataSetSpecification,
    Eta,
    LabelSpecification,
    Outcomes,
    OutcomeSpecification,
    RankSpecification,
    Recall,
    ScoreSpecification,
    Specification,
    WeightSpecification,
    icc_name,
)

__all__ = ["FORMS", "build_graph", "check_form", "check_has_graph"]

Array = NDArray[Any]

FORMS = ("collapsed", "rows", "joint")


def check_has_graph(specification: AnySpecification) -> None:
    """Raise if the specification has no PyMC graph, or no parameters to sample."""
    _check_graph(specification)
    if not specification.parameters():
        raise ValueError(
            "With prevalence=, this model has no parameters for PyMC to sample: the others are "
            "drawn from their conjugate posterior. Use engine='exact'."
        )


@singledispatch
def _check_graph(specification: AnySpecification) -> None:
    """Raise if this kind of specification has no PyMC graph."""


@_check_graph.register(WeightSpecification)
@_check_graph.register(RankSpecification)
def _(specification: AnySpecification) -> None:
    raise ValueError(
        "Models that weight instances or groups (the Bayesian bootstrap) have no PyMC model. Use "
        "engine='exact'. For a multi-label indicator without groups=, model='unpaired' and "
        "model='bcv' have a PyMC model."
    )


@_check_graph.register(ClusteredSpecification)
@_check_graph.register(ItemWeightSpecification)
@_check_graph.register(RightOrWrongSpecification)
def _(specification: AnySpecification) -> None:
    raise ValueError("Models of one score per item have no PyMC model.")


@_check_graph.register
def _(specification: SystemSpecification) -> None:
    raise ValueError(
        "The model of several systems on several data sets has no PyMC model. Use engine='exact'; "
        "compare_scores(scores_a, scores_b, model='hierarchical') has one for two systems."
    )


@_check_graph.register
def _(specification: OutcomeSpecification) -> None:
    if any(group.samples_mu and (group.mu.prior == 0).any() for group in specification.groups):
        raise ValueError(
            "Some labels are predicted but never the true class, and PyMC cannot sample a "
            "proportion that is 0. Pass labels= with all classes if these can occur, or use "
            "engine='exact'."
        )


@_check_graph.register
def _(specification: ScoreSpecification) -> None:
    for scores in specification.scores.values():
        if len(scores) != 2:
            raise ValueError(
                f"The PyMC model of split scores compares two estimators, but there are "
                f"{len(scores)}. Use engine='exact', or compare two estimators."
            )
    for (name, scores), sums in zip(
        specification.scores.items(), specification.sums(), strict=True
    ):
        tiny = 1e-20 * np.square(scores).sum()
        if sums.n_splits < 4 or sums.ss_d <= tiny or sums.ss_e <= tiny:
            raise ValueError(
                f"The {sums.n_splits} split scores of {name!r} vary too little for PyMC, which "
                "requires at least four splits with different scores. Use engine='exact'."
            )


@_check_graph.register
def _(specification: DataSetSpecification) -> None:
    if specification.correlation is None:
        raise ValueError(
            "The signed-rank test has no PyMC model. Use engine='exact' or model='hierarchical'."
        )


@singledispatch
def build_graph(
    specification: AnySpecification,
    labels: tuple[Any, ...],
    *,
    prior: Callable[..., Any] | None = None,
    form: str = "collapsed",
    likelihood: bool = True,
    name: str = "",
) -> Any:
    """Return the specification as a `pymc.Model`.

    Parameters
    ----------
    specification : Specification, or another kind of specification
        The model.
    labels : tuple
        The classes, or the labels of an indicator.
    prior : callable, default=None
        A function that is called in the context of the model. Variables that it builds or returns
        with the name of a parameter replace the published prior.
    form : {"collapsed", "rows", "joint"}, default="collapsed"
        The form of a hierarchical model. "collapsed" integrates out the rows of the table. "rows"
        has the rows as variables (theta_A, theta_B), for graphs that are to be extended. "joint",
        for paired classifiers, infers the etas from the joint outcomes of all classifiers, instead
        of each eta from the counts of its own classifier.
    likelihood : bool, default=True
        Whether to include the likelihood of the data.
    name : str, default=""
        A prefix of the names of all variables, to combine several graphs in one model.
    """
    check_has_graph(specification)
    check_form(form, specification)
    import pymc as pm

    # Do not nest the graph in another model whose context is active.
    parent = {} if name else {"model": None}
    with pm.Model(name, coords=specification.coordinates(labels), **parent) as model:
        parameters = Parameters(specification.parameters(), publish)
        if prior is not None:
            call_prior(prior, parameters, model)
        values = {name: parameters[name] for name in parameters}
        if form == "rows":
            values |= _rows(pm, specification, values)
        if likelihood:
            for name, term in _log_likelihoods(specification, values, form):
                pm.Potential(name, term)
    return model


def check_form(form: str, specification: AnySpecification) -> None:
    """Raise if the specification has no graph of this form."""
    if form not in FORMS:
        raise ValueError(f"form={form!r} is not a known form. Valid forms are {list(FORMS)}.")
    groups: tuple[Any, ...] = getattr(specification, "groups", ())
    published = bool(groups) and isinstance(groups[0].etas[0], Eta)
    if form == "rows" and not (published and all(len(group.etas) == 1 for group in groups)):
        raise ValueError("form='rows' requires model='hierarchical' and more than two classes.")
    if form == "joint" and not (published and len(groups[0].etas) > 1):
        raise ValueError("form='joint' requires model=PairedHierarchical().")


def _rows(pm: Any, specification: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Return theta, the rows of the table of each classifier."""
    found = {}
    for g, group in enumerate(specification.groups):
        eta = values[group.names(g)[1][0]]
        diagonal = np.eye(len(group.mu.prior))
        omega = diagonal * eta + (1 - diagonal) * (1 - eta) / (len(diagonal) - 1)
        name = f"theta_{letter(g)}"
        found[name] = pm.Dirichlet(name, omega, dims=("class", "predicted"))
    return found


@singledispatch
def _log_likelihoods(
    specification: AnySpecification, values: Mapping[str, Any], form: str
) -> Iterator[tuple[str, Any]]:
    """Yield the name and the value of each term of the log likelihood."""
    raise TypeError(f"{type(specification).__name__} has no likelihood.")


@_log_likelihoods.register
def _(
    specification: Specification, values: Mapping[str, Any], form: str
) -> Iterator[tuple[str, Any]]:
    for simplex in specification.simplexes:
        value = values[simplex.name]
        if len(simplex.counts) == 2:
            term = _log_binomial(value, *simplex.counts)
        else:
            term = _log_multinomial(value, simplex.counts)
        yield f"counts of {simplex.name}", term


@_log_likelihoods.register
def _(
    specification: OutcomeSpecification, values: Mapping[str, Any], form: str
) -> Iterator[tuple[str, Any]]:
    for g, group in enumerate(specification.groups):
        yield from _of_group(group, g, values, form)


@_log_likelihoods.register
def _(
    specification: LabelSpecification, values: Mapping[str, Any], form: str
) -> Iterator[tuple[str, Any]]:
    for k, cells in enumerate(specification.cells):
        name = letter(k)
        if specification.cell_prior is not None:
            yield f"counts of pi_{name}", _log_multinomial(values[f"pi_{name}"], cells)
            continue
        tp, fp, fn, tn = cells.T
        for parameter, yes, no in (
            ("mu", tp + fn, fp + tn),
            ("rho+", tp, fn),
            ("rho-", fp, tn),
        ):
            term = _log_binomial(values[f"{parameter}_{name}"], yes, no)
            yield f"counts of {parameter}_{name}", term


@_log_likelihoods.register
def _(
    specification: ScoreSpecification, values: Mapping[str, Any], form: str
) -> Iterator[tuple[str, Any]]:
    """Yield the terms of equicorrelated normal scores: of A - B, and of B given A - B.

    Relative to the variance of one split score, the mean of n split scores has variance
    (1 + (n - 1) rho) / n, and their sum of squares is 1 - rho times an independent chi-squared.
    """
    import pytensor.tensor as pt

    rho = specification.correlation
    found = specification.sums()
    n = found[0].n_splits
    of_mean = (1 + (n - 1) * rho) / n
    mean_d, mean_b, ss_d, ss_b, sp = (
        np.array([getattr(s, name) for s in found])
        for name in ("mean_d", "mean_b", "ss_d", "ss_b", "sp")
    )
    delta, nu_b, beta, sigma, tau = (
        values[name] for name in ("delta", "nu_B", "beta", "sigma", "tau")
    )

    def log_density(off: Any, sum_of_squares: Any, sd: Any) -> Any:
        spread = off**2 / of_mean + sum_of_squares / (1 - rho)
        return pt.sum(-n * pt.log(sd) - spread / (2 * sd**2))

    yield "scores of the difference", log_density(mean_d - delta, ss_d, sigma)
    off = mean_b - nu_b - beta * (mean_d - delta)
    rest = ss_b - 2 * beta * sp + beta**2 * ss_d
    yield "scores of B", log_density(off, rest, tau)


def _of_group(
    group: Outcomes, position: int, values: Mapping[str, Any], form: str
) -> Iterator[tuple[str, Any]]:
    mu, etas = group.names(position)
    if group.samples_mu:
        yield f"counts of {mu}", _log_multinomial(values[mu], group.mu.counts)
    if form == "rows":
        name = f"theta_{letter(position)}"
        cells = (group.truth, group.predictions[:, 0])
        import pytensor.tensor as pt

        yield f"counts of {name}", pt.sum(group.counts * pt.log(values[name][cells]))
    elif form == "joint":
        yield "counts of outcomes", _log_joint_outcomes(group, [values[name] for name in etas])
    else:
        for name, eta in zip(etas, group.etas, strict=True):
            if isinstance(eta, Recall):
                term = _log_beta_binomials(values[name], values[icc_name(name)], eta)
                yield f"counts given {name}", term
            elif eta is not None:
                yield f"counts given {name}", _log_dirichlet_multinomial(values[name], eta)


def _log_multinomial(p: Any, counts: Array) -> Any:
    """Return the sum of counts * log(p), without empty cells, where log(p) may be -inf."""
    import pytensor.tensor as pt

    seen = np.nonzero(counts)
    return pt.sum(counts[seen] * pt.log(p[seen]))


def _log_binomial(p: Any, yes: Any, no: Any) -> Any:
    import pytensor.tensor as pt

    p, yes, no = pt.atleast_1d(p), np.atleast_1d(yes), np.atleast_1d(no)
    some, others = np.nonzero(yes), np.nonzero(no)
    return pt.sum(yes[some] * pt.log(p[some])) + pt.sum(no[others] * pt.log1p(-p[others]))


def _log_dirichlet_multinomial(value: Any, eta: Eta) -> Any:
    """Return the log likelihood of eta, with all rows integrated out."""
    import pytensor.tensor as pt

    total = pt.as_tensor_variable(0.0)
    shapes = (value, (1 - value) / (eta.n_classes - 1))
    for shape, (counts, times) in zip(shapes, (eta.right, eta.wrong), strict=True):
        if len(counts):
            total += pt.sum(times * (pt.gammaln(shape + counts) - pt.gammaln(shape)))
    return total


def _log_beta_binomials(eta: Any, icc: Any, recall: Recall) -> Any:
    """Return the log likelihood of eta and the intraclass correlation, recalls integrated out."""
    import pytensor.tensor as pt

    mass = 1 / icc - 1
    total = pt.as_tensor_variable(0.0)
    for shape, counts, sign in (
        (mass * eta, recall.right, 1),
        (mass * (1 - eta), recall.wrong, 1),
        (mass, recall.right + recall.wrong, -1),
    ):
        distinct, times = np.unique(counts[counts > 0], return_counts=True)
        if len(distinct):
            gain = pt.gammaln(shape + distinct) - pt.gammaln(shape)
            total += sign * pt.sum(times * gain)
    return total


def _log_joint_outcomes(group: Outcomes, etas: list[Any]) -> Any:
    """Return the log likelihood of the joint outcomes of all classifiers given their etas."""
    import pytensor.tensor as pt

    n_classes = len(group.mu.prior)
    shape = pt.as_tensor_variable(np.ones(len(group.counts)))
    for k, eta in enumerate(etas):
        right = group.predictions[:, k] == group.truth
        shape *= pt.switch(right, eta, (1 - eta) / (n_classes - 1))
    return pt.sum(pt.gammaln(shape + group.counts) - pt.gammaln(shape))
