"""The second engine: Markov chains of PyMC; the first are the independent draws of models.

The graph is built from the same specification, so a prior is written once. Likelihoods are
potentials over real counts: weighted evidence has fractions, which PyMC's own distributions of
counts cut down to whole numbers. The outcomes of pairs and the cells of tables are sampled as
sticks, which given counts are independent; with PyMC's own transform very imbalanced pairs diverged
now and then. For hierarchical models it samples the class proportions and eta with the rows
integrated out (the direct graph takes minutes and diverges on cells without counts), and rows are
drawn given those by the exact engine's kernel. Closed forms are switched off for its results: what
they say comes from the chains. Bayes factors under a published prior stand on the exact prior,
under a user-supplied prior on forward draws of its graph, or on chains where it has potentials.

Without a C compiler PyTensor before 3 would fall back to plain Python, with a warning; numba is
chosen where it is installed.
"""

from __future__ import annotations

import inspect
import logging
import math
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from skbayeseval._arrays import Array, wrong
from skbayeseval._running import has_bar, progress_if_long
from skbayeseval._validation import (
    ParameterObject,
    check_probability,
    check_size,
    check_whole_number,
)

# A function that builds PyMC variables to replace published priors.
PriorBuilder = Callable[..., Any]


@dataclass(frozen=True)
class Trace:
    """Draws of parameters from Markov chains.

    Parameters
    ----------
    parameters : mapping of str to ndarray of shape (n_chains, n_draws, ...)
        The draws of each parameter.
    stats : mapping of str to ndarray of shape (n_chains, n_draws)
        The statistics of the sampler.
    """

    parameters: Mapping[str, Array]
    stats: Mapping[str, Array] = field(default_factory=dict)

    @property
    def n_chains(self) -> int:
        """The number of chains."""
        return len(next(iter(self.parameters.values())))

    @property
    def n_draws(self) -> int:
        """The number of draws in all chains together."""
        return int(np.prod(next(iter(self.parameters.values())).shape[:2]))

    def flat(self) -> dict[str, Array]:
        """Return the draws of all chains, concatenated."""
        return {name: v.reshape(-1, *v.shape[2:]) for name, v in self.parameters.items()}


class Diagnostics(NamedTuple):
    """Convergence diagnostics of Markov chains.

    Attributes
    ----------
    ess : float
        Bulk effective sample size.
    r_hat : float
        Rank-normalised split R-hat; NaN for a single chain.
    mcse : float
        Monte Carlo standard error of the mean.
    """

    ess: float
    r_hat: float
    mcse: float


def diagnose(chains: Array) -> Diagnostics:
    """Return the diagnostics of draws of shape (n_chains, n_draws)."""
    import arviz as az

    if np.ptp(chains) == 0:
        return Diagnostics(float(chains.size), 1.0, 0.0)
    r_hat = float(np.squeeze(az.rhat(chains))) if len(chains) > 1 else np.nan
    ess, mcse = (float(np.squeeze(of(chains))) for of in (az.ess, az.mcse))
    return Diagnostics(ess, r_hat, mcse)


def to_inference_data(
    groups: Mapping[str, Mapping[str, Array]],
    *,
    coords: Mapping[str, list[Any]],
    dims: Mapping[str, list[str]],
    attrs: Mapping[str, Any],
) -> Any:
    """Return the groups in the data structure of the installed version of ArviZ."""
    import arviz as az

    filled = {name: dict(group) for name, group in groups.items() if group}
    if az.__version__.startswith("0."):
        log_prior = filled.pop("log_prior", None)  # which its from_dict does not know
        of_groups = {f"{name}_attrs": dict(attrs) for name in filled}
        data = az.from_dict(
            **filled, coords=dict(coords), dims=dict(dims), attrs=dict(attrs), **of_groups
        )
        if log_prior is not None:
            data.add_groups({"log_prior": log_prior})
        return data
    of_groups = {"/": dict(attrs)} | {name: dict(attrs) for name in filled}
    return az.from_dict(filled, coords=dict(coords), dims=dict(dims), attrs=of_groups)


# The number of draws from a prior that is not conjugate, for Bayes factors.
PRIOR_DRAWS = 50_000

# What a draw takes of each parameter, of which there are two at least.
BYTES = 16

# The sampler statistics to keep.
STATS = ("diverging", "energy", "tree_depth", "acceptance_rate", "lp")

# The loggers that tell of sampling.
LOGGERS = (
    "pymc",
    "pymc.sampling.mcmc",
    "pymc.sampling.forward",
    "pymc.sampling.jax",
    "pymc.stats.convergence",
)


class PyMCEngine(ParameterObject):
    """Sample with PyMC's NUTS, for priors that are not conjugate and to check the exact engine.

    For conjugate priors, the exact engine gives the same posterior in a fraction of the time. In
    models with more than two classes, PyMC samples the class proportions and eta, with the rows of
    the table integrated out. The rows are then drawn from their conjugate posterior given these.

    Parameters
    ----------
    draws, tune : int, default=1000
        The number of draws and of tuning steps per chain. Tuning steps are discarded.
    chains : int, default=4
        The number of chains.
    cores : int, default=None
        The number of chains to run in parallel. None means the default of PyMC.
    nuts_sampler : str, default="pymc"
        The sampler, as in `pymc.sample`: "pymc", "nutpie", "numpyro" or "blackjax".
    target_accept : float, default=0.9
        The target acceptance rate. Higher values mean smaller steps and fewer divergences.
    progressbar : bool, default=False
        Whether to show PyMC's progress bar; lines on standard error where there is no terminal.
    random_seed : int, default=None
        The seed of the sampler. By default, it is derived from `random_state` of the comparison.
    prior : callable, default=None
        A prior of your own, which need not be conjugate: a function that builds PyMC variables
        under the names of parameters of the model, or returns them in a dict. If it takes an
        argument, that is a mapping of names to the model's own variables. Parameters that it does
        not build keep the model's prior.

    Examples
    --------
    >>> from skbayeseval import PyMCEngine
    >>> PyMCEngine(draws=2000, target_accept=0.95)
    PyMCEngine(draws=2000, target_accept=0.95)
    """

    def __init__(
        self,
        draws: int = 1000,
        tune: int = 1000,
        chains: int = 4,
        cores: int | None = None,
        nuts_sampler: str = "pymc",
        target_accept: float = 0.9,
        progressbar: bool = False,
        random_seed: int | None = None,
        prior: PriorBuilder | None = None,
    ) -> None:
        self.draws = draws
        self.tune = tune
        self.chains = chains
        self.cores = cores
        self.nuts_sampler = nuts_sampler
        self.target_accept = target_accept
        self.progressbar = progressbar
        self.random_seed = random_seed
        self.prior = prior

    def check(self) -> None:
        """Raise if a parameter of the engine is invalid."""
        chains = check_size(self.chains, "chains", BYTES)
        check_size(self.draws, "draws", BYTES * chains, minimum=4)
        check_size(self.tune, "tune", BYTES * chains, minimum=0)
        if self.cores is not None:
            check_whole_number(self.cores, "cores")
        if self.random_seed is not None:
            check_whole_number(self.random_seed, "random_seed", minimum=0)
        check_probability(self.target_accept, "target_accept")
        if self.prior is not None and not callable(self.prior):
            wanted = "a function that builds PyMC variables; parameters are those of the model"
            raise wrong("prior", wanted, self.prior, TypeError)
        # The names of samplers are those of their packages.
        if not isinstance(self.nuts_sampler, str) or find_spec(self.nuts_sampler) is None:
            raise ValueError(
                f"nuts_sampler={self.nuts_sampler!r} is not installed. Use 'pymc', or install "
                "'nutpie', 'numpyro' or 'blackjax'."
            )

    def check_specification(self, specification: Any, labels: tuple[Any, ...]) -> None:
        """Raise if the specification has no PyMC graph, or if the prior does not fit it."""
        specification.check_graph()
        if self.prior is not None:
            specification.build_graph(labels, prior=self.prior)

    def draw(self, specification: Any, labels: tuple[Any, ...], seed: int) -> Trace:
        """Return posterior draws of the parameters."""
        trace: Trace = specification.sample(labels, self, seed)
        return trace

    def draw_prior(
        self, specification: Any, labels: tuple[Any, ...], seed: int
    ) -> dict[str, Array]:
        """Return independent prior draws of the parameters, of shape (n_draws, ...)."""
        model = specification.build_graph(labels, prior=self.prior, likelihood=False)
        names = [parameter.name for parameter in specification.parameters()]
        if model.potentials or model.observed_RVs:
            # Forward sampling would ignore these.
            return _independent(sample(model, self, names, seed))
        import pymc as pm

        with _quietly(), model:
            found = pm.sample_prior_predictive(
                PRIOR_DRAWS,
                var_names=names,
                random_seed=seed,
                return_inferencedata=False,
                compile_kwargs=_compile_kwargs(),
            )
        return {
            name: np.asarray(found[name]).reshape(PRIOR_DRAWS, *found[name].shape[1:])
            for name in names
        }


def _independent(trace: Trace) -> dict[str, Array]:
    """Return the draws, thinned so that they are approximately independent."""
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
    """Sample a graph with NUTS and return the draws of the named variables."""
    import pymc as pm

    own = {"compile_kwargs": _compile_kwargs()} if engine.nuts_sampler == "pymc" else {}
    lines = engine.progressbar and engine.nuts_sampler == "pymc" and not has_bar()
    n_steps, numbers = engine.chains * (engine.tune + engine.draws), count(1)
    with _quietly(), model, progress_if_long("sampling", n_steps, show=lines) as advance:
        found = pm.sample(
            draws=engine.draws,
            tune=engine.tune,
            chains=engine.chains,
            cores=engine.cores,
            nuts_sampler=engine.nuts_sampler,
            target_accept=engine.target_accept,
            progressbar=engine.progressbar and not lines,
            callback=(lambda **_: advance(next(numbers))) if lines else None,
            random_seed=seed if engine.random_seed is None else engine.random_seed,
            compute_convergence_checks=False,
            **own,
        )
    return trace_of(found, names)


def check_trace(trace: Trace, parameters: list[Parameter]) -> None:
    """Raise unless the trace has valid draws of all parameters, in chains of equal length."""
    for parameter in parameters:
        draws = trace.parameters[parameter.name]
        if draws.ndim < 2 or draws.shape[2:] != parameter.shape:
            raise ValueError(
                f"{parameter.name!r} in trace has shape {draws.shape}, must be (chains, draws"
                f"{''.join(f', {n}' for n in parameter.shape)})."
            )
        first = trace.parameters[parameters[0].name].shape[:2]
        if draws.shape[:2] != first:
            raise ValueError(
                f"{parameter.name!r} in trace has {draws.shape[:2]} chains and draws, but "
                f"{parameters[0].name!r} has {first}."
            )
        if not np.isfinite(draws).all():
            raise ValueError(f"{parameter.name!r} in trace contains NaN or infinity.")
        if not parameter.flat and not ((draws >= 0) & (draws <= 1)).all():
            raise ValueError(
                f"{parameter.name!r} in trace must be a probability, got values outside [0, 1]."
            )


def trace_of(found: Any, names: list[str]) -> Trace:
    """Return the draws of the named variables in an ArviZ trace or a dict of arrays."""
    posterior, stats = group_of(found, "posterior"), group_of(found, "sample_stats")
    missing = [name for name in names if name not in posterior]
    if missing:
        raise ValueError(
            f"trace has no variable {missing[0]!r}, which the model requires, only "
            f"{sorted(map(str, posterior))}."
        )
    return Trace(
        {name: np.asarray(posterior[name]) for name in names},
        {name: np.asarray(stats[name], dtype=float) for name in STATS if name in stats},
    )


def group_of(trace: Any, name: str) -> Mapping[str, Any]:
    """Return a group of a trace, or an empty dict. A dict of arrays is a posterior group."""
    if isinstance(trace, Mapping) and not hasattr(trace, "posterior"):
        return trace if name == "posterior" else {}
    if not hasattr(trace, "posterior"):
        raise TypeError(
            "trace must be an InferenceData or DataTree, as returned by pymc.sample, or a dict of "
            f"arrays of shape (chains, draws, ...), got {type(trace).__name__}."
        )
    # The attributes of a DataTree include its attrs, so look up groups in its children.
    groups = getattr(trace, "children", None)
    found: Mapping[str, Any] = getattr(trace, name, {}) if groups is None else groups.get(name, {})
    return found


@contextmanager
def _quietly() -> Iterator[None]:
    """Silence PyMC's log in this thread, except for errors. Results check convergence."""
    thread = threading.get_ident()

    def mute(record: logging.LogRecord) -> bool:
        return record.thread != thread or record.levelno >= logging.ERROR

    for name in LOGGERS:
        logging.getLogger(name).addFilter(mute)
    try:
        yield
    finally:
        for name in LOGGERS:
            logging.getLogger(name).removeFilter(mute)


def _compile_kwargs() -> dict[str, Any]:
    """Return the compilation mode: numba if there is no C++ compiler and numba is installed."""
    import pytensor

    if pytensor.config.cxx or pytensor.config.mode != "Mode":
        return {}
    return {"mode": "NUMBA"} if find_spec("numba") else {}


# The variables of a graph, with the priors of the model or priors built by a callable.


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


@cache
def stick_transform() -> Any:
    """Return the transform. It is defined in a function so that PyMC is imported lazily."""
    import pytensor.tensor as pt
    from pymc.distributions.transforms import Transform

    def log_parts(value: Any) -> tuple[Any, Any, Any]:
        """Return the logs of the fractions that each stick takes and leaves, and of its start."""
        takes, leaves = -pt.softplus(-value), -pt.softplus(value)
        return takes, leaves, pt.cumsum(leaves, axis=-1) - leaves

    class Sticks(Transform):
        name = "sticks"
        ndim_supp = 1

        def forward(self, value: Any, *inputs: Any) -> Any:
            rest = pt.cumsum(value[..., ::-1], axis=-1)[..., ::-1]
            return pt.log(value[..., :-1]) - pt.log(rest[..., 1:])

        def backward(self, value: Any, *inputs: Any) -> Any:
            takes, leaves, found = log_parts(value)
            last = pt.sum(leaves, axis=-1, keepdims=True)
            return pt.exp(pt.concatenate([found + takes, last], axis=-1))

        def log_jac_det(self, value: Any, *inputs: Any) -> Any:
            takes, leaves, found = log_parts(value)
            return pt.sum(found + takes + leaves, axis=-1)

    return Sticks()


class Parameters(Mapping[str, Any]):
    """The parameters of a graph by name; each is built with the model's prior on first access.

    This mapping is passed to a callable prior, which may use some of the parameters and replace
    others.

    Parameters
    ----------
    parameters : list of Parameter
        The parameters of the model.
    build : callable
        Builds the variable of a parameter with the model's prior.
    """

    def __init__(self, parameters: list[Parameter], build: Callable[[Parameter], Any]) -> None:
        self._parameters = {parameter.name: parameter for parameter in parameters}
        self._build = build
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._parameters:
            raise KeyError(
                f"{name!r} is not a parameter of this model. Valid parameters are {list(self)}."
            )
        if name not in self._built:
            self._built[name] = self._build(self._parameters[name])
        return self._built[name]

    def __contains__(self, name: object) -> bool:
        return name in self._parameters

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    @property
    def built(self) -> set[str]:
        """The names of the parameters that were accessed or replaced."""
        return set(self._built)

    def replace(self, name: str, variable: Any) -> None:
        """Use `variable` for the parameter."""
        wanted = self._parameters[name].shape
        shape = tuple(variable.type.shape)
        if None in shape and len(shape) == len(wanted):
            shape = tuple(int(n) for n in variable.shape.eval())
        if shape != wanted:
            raise ValueError(
                f"prior gives {name!r} the shape {shape}, but its shape must be {wanted}: "
                f"{self._parameters[name].dims or 'a scalar'}."
            )
        self._built[name] = variable


def publish(parameter: Parameter) -> Any:
    """Build the variable of a parameter with the model's prior."""
    import pymc as pm

    dims = parameter.dims or None
    if parameter.flat:
        place, spread = np.moveaxis(parameter.prior, -1, 0)
        free = place + spread * pm.Flat(f"{parameter.name} scaled", dims=dims)
        if parameter.power:
            pm.Potential(f"prior of {parameter.name}", parameter.power * pm.math.sum(free))
        value = pm.math.exp(free) if parameter.flat == "log" else free
        return pm.Deterministic(parameter.name, value, dims=dims)
    if parameter.is_beta:
        a, b = np.moveaxis(parameter.prior, -1, 0)
        return pm.Beta(parameter.name, a, b, dims=dims)
    # Rare outcomes and cells cause divergences, class proportions do not.
    own = {} if "class" in parameter.dims else {"default_transform": stick_transform()}
    return pm.Dirichlet(parameter.name, parameter.prior, dims=dims, **own)


def call_prior(prior: Callable[..., Any], parameters: Parameters, model: Any) -> None:
    """Call `prior`, and use the variables that it builds or returns as parameters."""
    import pymc as pm
    from pytensor.graph.basic import Variable

    takes_parameters = any(
        one.default is one.empty for one in inspect.signature(prior).parameters.values()
    )
    returned = prior(parameters) if takes_parameters else prior()
    if isinstance(returned, Variable):  # from a lambda; found by its name below
        returned = None
    if returned is not None and not isinstance(returned, Mapping):
        raise TypeError(
            "prior must return None or a dict of parameter names to PyMC variables, got "
            f"{returned!r}."
        )
    given = {name: _as_variable(name, value) for name, value in dict(returned or {}).items()}
    unknown = [name for name in given if name not in parameters]
    if unknown:
        raise ValueError(
            f"prior returned {unknown[0]!r}, which is not a parameter of this model. Valid "
            f"parameters are {list(parameters)}."
        )
    for name in parameters:
        variable = given.get(name, model.named_vars.get(name))
        if variable is None:
            continue
        if name not in model.named_vars:
            variable = pm.Deterministic(name, variable)
        elif model[name] is not variable:
            raise ValueError(f"prior built {name!r}, but returned another variable for it.")
        parameters.replace(name, variable)
    if not parameters.built and not model.potentials:
        raise ValueError(
            f"prior built none of the parameters {list(parameters)}, only "
            f"{sorted(model.named_vars)}. Name a variable like a parameter, or return a dict."
        )


def _as_variable(name: str, value: Any) -> Any:
    import pytensor.tensor as pt

    try:
        return pt.as_tensor_variable(value)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise TypeError(
            f"prior must return PyMC variables or numbers, got {value!r} for {name!r}."
        ) from error


def log_multinomial(p: Any, counts: Array) -> Any:
    """Return the sum of counts * log(p), without empty cells, where log(p) may be -inf."""
    import pytensor.tensor as pt

    seen = np.nonzero(counts)
    return pt.sum(counts[seen] * pt.log(p[seen]))


def log_binomial(p: Any, yes: Any, no: Any) -> Any:
    """Return the sum of yes * log(p) + no * log(1 - p), without empty cells."""
    import pytensor.tensor as pt

    p, yes, no = pt.atleast_1d(p), np.atleast_1d(yes), np.atleast_1d(no)
    some, others = np.nonzero(yes), np.nonzero(no)
    return pt.sum(yes[some] * pt.log(p[some])) + pt.sum(no[others] * pt.log1p(-p[others]))
