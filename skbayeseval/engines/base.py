"""The interface of all engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from skbayeseval._arrays import Array
from skbayeseval._validation import ParameterObject

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


class Engine(ParameterObject):
    """Base class of all engines, which draw from the posterior of a specification of a model.

    An engine with independent draws yields draws of metrics directly. All other engines draw the
    parameters with Markov chains (`draw`), and metrics are computed from these draws.
    """

    name: ClassVar[str]
    has_independent_draws: ClassVar[bool] = False
    takes_callable_priors: ClassVar[bool] = True
    random_seed: int | None = None

    def check(self) -> None:
        """Raise if a parameter of the engine is invalid."""

    # With Markov chains: raise if a model cannot be sampled, and return draws of its parameters,
    # from its posterior and from its prior. All take a model given evidence, the labels and the
    # prior of the user or None; those that draw take a seed as well.
    check_specification: Callable[..., None]
    draw: Callable[..., Trace]
    draw_prior: Callable[..., dict[str, Array]]


class ExactEngine(Engine):
    """Draw independently from the conjugate posterior, as every specification does by itself."""

    name = "exact"
    has_independent_draws = True
    takes_callable_priors = False
