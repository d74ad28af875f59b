"""The second engine: the same specification sampled by PyMC."""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import singledispatch
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skbayeseval._validation import check_probability, check_whole_number
from skbayeseval.engines.arviz import diagnose
from skbayeseval.engines.base import Engine, PriorBuilder, Trace
from skbayeseval.engines.graph import build_graph, check_has_graph
from skbayeseval.engines.variables import quiet_import
from skbayeseval.models.parameters import Parameter
from skbayeseval.models.specification import AnySpecification

__all__ = ["PyMCEngine", "Trace", "check_trace", "sample_posterior", "sample_prior"]

Array = NDArray[Any]

# Draws of a prior that is not conjugate, for Bayes factors.
PRIOR_DRAWS = 50_000

# The statistics of the sampler that are kept.
STATS = ("diverging", "energy", "tree_depth", "acceptance_rate", "lp")


class PyMCEngine(Engine):
    """Sample with PyMC's NUTS, for priors that are not conjugate and as a second opinion.

    Where a model is conjugate the exact engine gives the same posterior in a fraction of the time.
    In models of more than two classes PyMC samples the class proportions and eta, with the rows of
    the table integrated out; the rows are then drawn from their conjugate posterior given those.

    Parameters
    ----------
    draws, tune : int, default=1000
        Draws a chain that are kept, and that adapt the sampler before them.
    chains : int, default=4
        How many chains.
    cores : int, default=None
        How many chains run at once; None leaves it to PyMC.
    nuts_sampler : str, default="pymc"
        Whatever `pymc.sample` takes: "pymc", "nutpie", "numpyro", "blackjax".
    target_accept : float, default=0.8
        Higher values take smaller steps, which helps against divergences.
    progressbar : bool, default=False
        Whether PyMC shows one.
    random_seed : int, default=None
        None follows from `random_state` of the comparison. An int goes before that.

    Examples
    --------
    >>> from skbayeseval import PyMCEngine
    >>> PyMCEngine(draws=2000, target_accept=0.9)
    PyMCEngine(draws=2000, target_accept=0.9)
    """

    name = "pymc"

    def __init__(
        self,
        draws: int = 1000,
        tune: int = 1000,
        chains: int = 4,
        cores: int | None = None,
        nuts_sampler: str = "pymc",
        target_accept: float = 0.8,
        progressbar: bool = False,
        random_seed: int | None = None,
    ) -> None:
        self.draws = draws
        self.tune = tune
        self.chains = chains
        self.cores = cores
        self.nuts_sampler = nuts_sampler
        self.target_accept = target_accept
        self.progressbar = progressbar
        self.random_seed = random_seed

    def check(self) -> None:
        """Raise on invalid parameters."""
        check_whole_number(self.draws, "draws", minimum=4)
        check_whole_number(self.tune, "tune", minimum=0)
        check_whole_number(self.chains, "chains")
        if self.cores is not None:
            check_whole_number(self.cores, "cores")
        if self.random_seed is not None:
            check_whole_number(self.random_seed, "random_seed", minimum=0)
        check_probability(self.target_accept, "target_accept")
        # PyMC names samplers by their packages.
        if not isinstance(self.nuts_sampler, str) or find_spec(self.nuts_sampler) is None:
            raise ValueError(
                f"nuts_sampler={self.nuts_sampler!r} is not installed. PyMC has 'pymc', and "
                "'nutpie', 'numpyro' and 'blackjax' where these packages are."
            )

    def check_specification(
        self, specification: AnySpecification, labels: tuple[Any, ...], prior: PriorBuilder | None
    ) -> None:
        """Raise where there is no graph of the specification, or the prior does not fit it."""
        check_has_graph(specification)
        if prior is not None:
            build_graph(specification, labels, prior=prior)

    def draw(
        self,
        specification: AnySpecification,
        labels: tuple[Any, ...],
        prior: PriorBuilder | None,
        seed: int,
    ) -> Trace:
        """Return draws of the parameters after the data."""
        return sample_posterior(specification, labels, self, prior, seed)

    def draw_prior(
        self,
        specification: AnySpecification,
        labels: tuple[Any, ...],
        prior: PriorBuilder | None,
        seed: int,
    ) -> dict[str, Array]:
        """Return independent draws of the parameters before the data, of shape (n_draws, ...)."""
        return sample_prior(specification, labels, self, prior, seed)


@singledispatch
def sample_posterior(
    specification: AnySpecification,
    labels: tuple[Any, ...],
    engine: PyMCEngine,
    prior: Callable[..., Any] | None,
    seed: int,
) -> Trace:
    """Return draws of the parameters after the data."""
    model = build_graph(specification, labels, prior=prior)
    return sample(model, engine, [p.name for p in specification.parameters()], seed)


def sample_prior(
    specification: AnySpecification,
    labels: tuple[Any, ...],
    engine: PyMCEngine,
    prior: Callable[..., Any] | None,
    seed: int,
    n_draws: int = PRIOR_DRAWS,
) -> dict[str, Array]:
    """Return draws of the parameters before the data, of shape (n_draws, ...)."""
    model = build_graph(specification, labels, prior=prior, likelihood=False)
    names = [parameter.name for parameter in specification.parameters()]
    if model.potentials or model.observed_RVs:
        # Forward draws would leave these out of the prior.
        return _independent(sample(model, engine, names, seed))
    pm = quiet_import()
    with _quietly(), model:
        found = pm.sample_prior_predictive(
            n_draws,
            var_names=names,
            random_seed=seed,
            return_inferencedata=False,
            compile_kwargs=_compile_kwargs(),
        )
    return {
        name: np.asarray(found[name]).reshape(n_draws, *found[name].shape[1:]) for name in names
    }


def _independent(trace: Trace) -> dict[str, Array]:
    """Return draws so far apart in their chains that they may be taken for independent."""
    least = min(
        diagnose(one).ess
        for draws in trace.parameters.values()
        for one in np.moveaxis(draws.reshape(*draws.shape[:2], -1), -1, 0)
    )
    step = max(1, math.ceil(trace.n_draws / least)) if np.isfinite(least) else 1
    return {
        name: draws[:, ::step].swapaxes(0, 1).reshape(-1, *draws.shape[2:])
        for name, draws in trace.parameters.items()
    }


def sample(model: Any, engine: PyMCEngine, names: list[str], seed: int) -> Trace:
    """Run NUTS on a graph and return the draws of the named variables."""
    pm = quiet_import()
    own = {"compile_kwargs": _compile_kwargs()} if engine.nuts_sampler == "pymc" else {}
    with _quietly(), model:
        found = pm.sample(
            draws=engine.draws,
            tune=engine.tune,
            chains=engine.chains,
            cores=engine.cores,
            nuts_sampler=engine.nuts_sampler,
            target_accept=engine.target_accept,
            progressbar=engine.progressbar,
            random_seed=seed if engine.random_seed is None else engine.random_seed,
            compute_convergence_checks=False,
            **own,
        )
    return trace_of(found, names)


def check_trace(trace: Trace, parameters: list[Parameter]) -> None:
    """Raise unless all chains are equally long, and have draws of these parameters."""
    for parameter in parameters:
        draws = trace.parameters[parameter.name]
        if draws.ndim < 2 or draws.shape[2:] != parameter.shape:
            raise ValueError(
                f"trace has {parameter.name!r} with shape {draws.shape}; it must be (chains, draws"
                f"{''.join(f', {n}' for n in parameter.shape)})."
            )
        first = trace.parameters[parameters[0].name].shape[:2]
        if draws.shape[:2] != first:
            raise ValueError(
                f"trace has {parameter.name!r} with {draws.shape[:2]} chains and draws, but "
                f"{parameters[0].name!r} with {first}."
            )
        if not np.isfinite(draws).all():
            raise ValueError(f"trace has draws of {parameter.name!r} that are not finite.")
        if not parameter.flat and not ((draws >= 0) & (draws <= 1)).all():
            raise ValueError(f"trace has draws of {parameter.name!r} that are no probabilities.")


def trace_of(found: Any, names: list[str]) -> Trace:
    """Return the named draws of what PyMC or ArviZ calls a trace, or of a dict of arrays."""
    posterior, stats = group_of(found, "posterior"), group_of(found, "sample_stats")
    missing = [name for name in names if name not in posterior]
    if missing:
        raise ValueError(
            f"trace has no variable {missing[0]!r}, which the model needs; it has "
            f"{sorted(map(str, posterior))}."
        )
    return Trace(
        {name: np.asarray(posterior[name]) for name in names},
        {name: np.asarray(stats[name], dtype=float) for name in STATS if name in stats},
    )


def group_of(trace: Any, name: str) -> Mapping[str, Any]:
    """Return a group of a trace; empty where it has none. A dict of arrays is a posterior."""
    if isinstance(trace, Mapping) and not hasattr(trace, "posterior"):
        return trace if name == "posterior" else {}
    if not hasattr(trace, "posterior"):
        raise TypeError(
            "trace must be an InferenceData or DataTree, as pymc.sample returns it, or a dict of "
            f"names to arrays of shape (chains, draws, ...), got {type(trace).__name__}."
        )
    # An attribute of a DataTree may be one of its groups or of its attrs.
    groups = getattr(trace, "children", None)
    found: Mapping[str, Any] = getattr(trace, name, {}) if groups is None else groups.get(name, {})
    return found


@contextmanager
def _quietly() -> Iterator[None]:
    """Keep PyMC from saying what the user can do nothing about.

    Its log, the once-a-day note of ArviZ 0.x, that there is no BLAS to link to (nothing here needs
    one) and deprecations between its dependencies. Convergence is judged and told by the result.
    """
    logger = logging.getLogger("pymc")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            for category in (FutureWarning, DeprecationWarning, PendingDeprecationWarning):
                warnings.simplefilter("ignore", category)
            warnings.filterwarnings("ignore", "PyTensor could not link to a BLAS", UserWarning)
            warnings.filterwarnings("ignore", ".*Potentials", UserWarning)
            yield
    finally:
        logger.setLevel(level)


def _compile_kwargs() -> dict[str, Any]:
    """Return how to compile: without a C compiler by numba, where that is installed."""
    import pytensor

    if pytensor.config.cxx or pytensor.config.mode != "Mode":
        return {}
    if find_spec("numba"):
        return {"mode": "NUMBA"}
    warnings.warn(
        "There is neither a C++ compiler nor numba, so PyMC runs in plain Python, many times "
        "slower. Install g++ (apt install g++, conda install gxx) or numba (pip install numba).",
        UserWarning,
        stacklevel=2,
    )
    return {}
