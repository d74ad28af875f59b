"""What every engine answers: whether its draws are independent, what it can sample, and draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skbayeseval._parameters import ParameterObject
from skbayeseval.models.specification import AnySpecification

__all__ = ["Engine", "ExactEngine", "Trace"]

Array = NDArray[Any]

# A function that builds PyMC variables in place of published priors.
PriorBuilder = Callable[..., Any]


@dataclass(frozen=True)
class Trace:
    """Draws of parameters by Markov chains.

    Parameters
    ----------
    parameters : mapping of str to ndarray of shape (n_chains, n_draws, ...)
        The draws.
    stats : mapping of str to ndarray of shape (n_chains, n_draws)
        Statistics of the sampler.
    """

    parameters: Mapping[str, Array]
    stats: Mapping[str, Array] = field(default_factory=dict)

    @property
    def n_chains(self) -> int:
        """The number of chains."""
        return len(next(iter(self.parameters.values())))

    @property
    def n_draws(self) -> int:
        """The number of draws of all chains."""
        return int(np.prod(next(iter(self.parameters.values())).shape[:2]))

    def flat(self) -> dict[str, Array]:
        """Return the draws of all chains one after the other."""
        return {name: v.reshape(-1, *v.shape[2:]) for name, v in self.parameters.items()}


class Engine(ParameterObject):
    """A way from a specification to draws.

    An engine whose draws are independent streams metrics itself. Any other engine draws the
    parameters by Markov chains (`draw`), and metrics are computed from these.
    """

    name: ClassVar[str]
    has_independent_draws: ClassVar[bool] = False
    takes_callable_priors: ClassVar[bool] = True
    random_seed: int | None = None

    def check(self) -> None:
        """Raise on invalid parameters of the engine."""

    def check_specification(
        self, specification: AnySpecification, labels: tuple[Any, ...], prior: PriorBuilder | None
    ) -> None:
        """Raise where the engine cannot sample the specification, before anything is sampled."""

    def draw(
        self,
        specification: AnySpecification,
        labels: tuple[Any, ...],
        prior: PriorBuilder | None,
        seed: int,
    ) -> Trace:
        """Return draws of the parameters after the data."""
        raise NotImplementedError

    def draw_prior(
        self,
        specification: AnySpecification,
        labels: tuple[Any, ...],
        prior: PriorBuilder | None,
        seed: int,
    ) -> dict[str, Array]:
        """Return independent draws of the parameters before the data, of shape (n_draws, ...)."""
        raise NotImplementedError


class ExactEngine(Engine):
    """Independent draws from conjugate posteriors; `engines/exact.py` has its kernels."""

    name = "exact"
    has_independent_draws = True
    takes_callable_priors = False
