"""What all results share: a posterior seen through one or several metrics."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, Self

from skbayeseval.evidence.collect import CrossValidation
from skbayeseval.evidence.counts import Evidence
from skbayeseval.metrics import Metric, PerClass, resolve_scoring
from skbayeseval.posterior import Posterior
from skbayeseval.storage import Parts, describe, read, write

__all__ = ["PosteriorView"]


class PosteriorView:
    """A posterior, the names of its classifiers, and the metrics that it is seen through.

    Read-only. Every method takes ``metric=``; the first metric is the default.
    """

    def __init__(
        self,
        posterior: Posterior,
        names: tuple[str, ...],
        metrics: Mapping[str, Metric],
        cross_validation: CrossValidation | None = None,
    ) -> None:
        for metric in metrics.values():
            posterior.check_metric(metric)
        self._posterior = posterior
        self._names = names
        self._metrics = dict(metrics)
        self._cross_validation = cross_validation

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics."""
        return tuple(self._metrics)

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._posterior.model.name

    @property
    def prior(self) -> dict[str, Any]:
        """The parameters of the model's prior."""
        return self._posterior.model.prior()

    @property
    def engine(self) -> str:
        """The name of the engine that made the draws."""
        return self._posterior.engine

    @property
    def weight(self) -> float:
        """What one count is worth."""
        return self._posterior.weight

    @property
    def n_draws(self) -> int:
        """The number of draws."""
        return self._posterior.n_draws

    @property
    def labels(self) -> tuple[Any, ...]:
        """The classes, in the order of the confusion tables."""
        return self._posterior.counts[0].labels

    @property
    def evidence(self) -> Evidence:
        """The counts."""
        return self._posterior.evidence

    def metric(self, name: str | Metric | PerClass) -> Self:
        """Return the same posterior seen through another metric: no refit, the same draws.

        Parameters
        ----------
        name : str, Metric or PerClass
            One of the result's metrics, or any that `scoring` takes.
        """
        if isinstance(name, PerClass):
            metrics = resolve_scoring(name, self.labels)
        else:
            metric = self._metric(name)
            metrics = {metric.name: metric}
        return type(self)(self._posterior, self._names, metrics, self._cross_validation)

    def to_dict(self) -> dict[str, Any]:
        """Return all but the draws, ready for JSON."""
        return describe(self._parts())

    def save(self, path: str | PathLike[str]) -> None:
        """Write the result to a file that `load` reads back, draws and all, without pickle."""
        write(self._parts(), path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a result that `save` wrote."""
        parts = read(path)
        if parts.kind != cls.__name__:
            raise ValueError(f"{path} holds a {parts.kind}, not a {cls.__name__}; use load_result.")
        return cls.from_parts(parts)

    @classmethod
    def from_parts(cls, parts: Parts) -> Self:
        """Put a result together again."""
        return cls(parts.posterior, parts.names, parts.metrics, parts.cross_validation)

    def _parts(self) -> Parts:
        return Parts(
            type(self).__name__,
            self._posterior,
            self._names,
            self._metrics,
            self._cross_validation,
        )

    def _metric(self, metric: str | Metric | None) -> Metric:
        if metric is None:
            return next(iter(self._metrics.values()))
        if isinstance(metric, str) and metric in self._metrics:
            return self._metrics[metric]
        if not isinstance(metric, (str, Metric)):
            raise TypeError(f"metric must be a name or a Metric, got {metric!r}.")
        found = resolve_scoring(metric, self.labels)
        return self._posterior.check_metric(next(iter(found.values())))
