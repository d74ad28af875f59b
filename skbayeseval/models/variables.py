"""The variables of a PyMC graph, with the priors of the model or priors built by a callable.

The counts of weighted evidence are not whole numbers, and PyMC's likelihoods of counts would
silently truncate them. So likelihoods are added as potentials of real-valued counts.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from skbayeseval._arrays import Array


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
