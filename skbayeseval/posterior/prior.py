"""Priors, and the draws of a metric that a model makes, before or after the data."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.random import Generator

from skbayeseval._arrays import Array
from skbayeseval._streams import PRIOR_ENTROPY, Stream, generator
from skbayeseval.evidence.interface import Evidence
from skbayeseval.metrics.confusion import stacked
from skbayeseval.metrics.metric import Metric
from skbayeseval.models.base import Model, check_defined
from skbayeseval.models.margins import Law

T = TypeVar("T")
Draws = Mapping[str, Array]
Blocks = Iterator[Array]

# What was computed of priors, which are equal for much evidence; so many of them, the latest.
_COMPUTED: dict[Hashable, Any] = {}
MOST_COMPUTED = 256

# More draws than there are of parameters that are known by draws.
ALL_KNOWN = sys.maxsize


def stream(
    given: Model,
    evidence: Evidence,
    metrics: Sequence[Metric],
    rng: Generator,
    n_draws: int,
    *,
    prior: bool = False,
    parameters: Draws | None = None,
) -> Blocks:
    """Yield blocks of draws of a metric, of shape (n_classifiers, n), or of several metrics.

    `given` is the model, given the evidence. It draws its parameters, too, unless these are known
    by draws. Macro averages are over the classes of each classifier. Draws of several metrics have
    the shape (n_metrics, n_classifiers, n), and may be NaN.
    """
    shape: tuple[int, ...] = (1 if evidence.is_of_difference else evidence.n_classifiers,)
    if evidence.has_class_counts:
        averaged = np.array([counts.averaged for counts in evidence.margins()])
        if not averaged.all():
            metrics = [metric.over(averaged[:, None]) for metric in metrics]
    metric = metrics[0]
    if len(metrics) > 1:
        metric, shape = stacked(metrics), (len(metrics), *shape)
    if parameters is None:
        blocks = given.stream(metric, rng, n_draws, prior=prior)
    else:
        blocks = given.scores_given(parameters, metric, rng, prior=prior)
    n_drawn = 0
    for scores in blocks:
        if scores.shape[:-1] != shape:
            raise ValueError(
                f"{type(given).__name__} must give draws of shape {shape} + (n,), one row per "
                f"classifier, got an array of shape {scores.shape}."
            )
        n_drawn += scores.shape[-1]
        yield scores if len(metrics) > 1 else check_defined(scores, metric)
    if parameters is None and n_drawn != n_draws:
        raise ValueError(f"{type(given).__name__} must give {n_draws} draws, got {n_drawn}.")


@dataclass(eq=False, repr=False)
class Prior:
    """The prior of a model.

    Parameters
    ----------
    model, evidence, prevalence
        As in `Posterior`.
    draw : callable, default=None
        Draws the parameters of a prior that is not conjugate, to which no closed form applies;
        called once.
    """

    model: Model
    evidence: Evidence
    prevalence: tuple[float, ...] | None = None
    draw: Callable[[], Draws] | None = None
    _pair: tuple[int, int] | None = None
    _computed: dict[Hashable, Any] = field(default_factory=dict)  # if parameters are known by draws

    def __post_init__(self) -> None:
        self.specification = self.model.specification(self.evidence, self.prevalence)

    def pair(self, i: int, j: int) -> Prior:
        """Return the prior of two of the classifiers, where parameters are known by draws."""
        return replace(self, _pair=(i, j))

    def law(self, metric: Metric) -> Law | None:
        """Return the law of A - B; None if not in closed form."""
        return None if self.draw else self.specification.law(metric, prior=True)

    def log_density_at_zero(self, metric: Metric) -> float | None:
        """Return the log density of the difference at 0; None if not in closed form."""
        return None if self.draw else self.specification.log_density_at_zero(metric, prior=True)

    def _rng(self) -> Generator:
        return generator(PRIOR_ENTROPY, Stream.PRIOR)

    def _known(self, n_draws: int) -> dict[str, Array] | None:
        """Return the first draws of the parameters of all classifiers, if they are given."""
        if self.draw is None:
            return None
        if "parameters" not in self._computed:
            self._computed["parameters"] = self.draw()
        return {name: values[:n_draws] for name, values in self._computed["parameters"].items()}

    def _of_pair(self, parameters: Draws) -> dict[str, Array]:
        if self._pair is None:
            return dict(parameters)
        return self.model.parameters_of_pair(parameters, *self._pair)

    def parameters(self, n_draws: int = ALL_KNOWN) -> dict[str, Array]:
        """Return (at most) `n_draws` draws of the parameters, or all that are known by draws."""
        known = self._known(n_draws)
        if known is None:
            known = self.specification.draw_parameters(self._rng(), n_draws, prior=True)
        return self._of_pair(known)

    def rates(self, n_draws: int) -> dict[str, Array]:
        """Return draws of rates that are not parameters of the model: the recall of each class."""
        known, rng = self._known(n_draws), generator(PRIOR_ENTROPY, Stream.PRIOR_RATES)
        if known is None:
            return {}
        return self._of_pair(self.specification.rates_given(known, rng, prior=True))

    def _stream(self, metric: Metric, rng: Generator, n_draws: int) -> Blocks:
        known = self._known(n_draws)
        return stream(
            self.specification, self.evidence, [metric], rng, n_draws, prior=True, parameters=known
        )

    def draws(self, metric: Metric, n_draws: int) -> Array:
        """Return draws of the metric, of shape (n_classifiers, n_draws)."""
        draws = np.concatenate(list(self._stream(metric, self._rng(), n_draws)), axis=1)
        return draws if self._pair is None else draws[list(self._pair)]

    def differences(self, metric: Metric, n_draws: int) -> Iterator[Array]:
        """Yield blocks of draws of A - B without end, `n_draws` at a time, or all that are known.

        A model of a user may give all that it is asked for in one block.
        """
        if self.draw is not None:
            a, b = self.draws(metric, ALL_KNOWN)
            yield a - b
            return
        rng = self._rng()
        while True:
            for a, b in self._stream(metric, rng, n_draws):
                yield a - b

    def has_finite_density(self, metric: Metric) -> bool | None:
        """Return whether the density of the difference is finite at 0; None if unknown."""
        if self.draw is not None:
            return None
        return self.specification.has_finite_prior_density(metric)

    def affordable(self, n_draws: int) -> int:
        """Return `n_draws`, reduced if draws are expensive because there are many classes."""
        if self.specification.draws_cost_one:
            return n_draws
        n_classes = max(1, len(self.evidence.margin(0).labels))
        return max(2**14, n_draws // (4 * n_classes))

    def remembered(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return what was computed before of an equal prior, else compute it.

        Priors are equal if they give the same draws, even if the evidence differs. One that is
        known by draws is equal to itself only. Only results are kept, and the prior's parameters as
        their key, never the evidence.
        """
        computed, of_prior = (
            (_COMPUTED, self._key()) if self.draw is None else (self._computed, self._pair)
        )
        if (of_prior, key) in computed:
            return cast(T, computed[of_prior, key])
        computed[of_prior, key] = value = compute()
        for oldest in list(computed)[:-MOST_COMPUTED]:
            computed.pop(oldest, None)
        return value

    def _key(self) -> tuple[Any, ...]:
        margins = self.evidence.margins()
        only_predicted = tuple(
            (tuple(counts.true > 0), tuple(counts.averaged))
            for counts in margins
            if not all(counts.possible)
        )
        return (
            self.model,
            (len(margins[0].labels), len(margins)),
            margins[0].positive,
            margins[0].has_true_negatives,
            self.prevalence,
            only_predicted,
        )
