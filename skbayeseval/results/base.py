"""What all results share: a posterior seen through one or several metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Self
from warnings import warn

from sklearn.exceptions import ConvergenceWarning

from skbayeseval._validation import check_names
from skbayeseval.engines.graph import build_graph
from skbayeseval.evidence.counts import Evidence
from skbayeseval.metrics.confusion import Metric
from skbayeseval.metrics.registry import split_metric
from skbayeseval.metrics.scoring import PerClass, resolve_scoring
from skbayeseval.posterior.chains import SampledPosterior
from skbayeseval.posterior.diagnostics import convergence_warnings
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.results.arviz import as_arviz
from skbayeseval.results.storage import Parts, describe, read, write
from skbayeseval.splitting.collect import CrossValidation

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
        if not posterior.has_warned:
            posterior.has_warned = True
            if self.warnings:
                warn(" ".join(self.warnings), ConvergenceWarning, stacklevel=4)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the Markov chains, and what to do; empty for exact draws."""
        found = (
            convergence_warnings(self._posterior, m, name) for name, m in self._metrics.items()
        )
        return tuple(dict.fromkeys(warning for of_one in found for warning in of_one))

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
        """The parameters of the model's prior, or the name of a callable."""
        return self._posterior.prior_description

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

    def pymc_model(
        self, *, prior: Callable[..., Any] | None = None, form: str = "collapsed"
    ) -> Any:
        """Return the model as a PyMC graph over the evidence at hand, to sample, alter or draw.

        Parameters
        ----------
        prior : callable, default=None
            Builds the variables that take the place of published priors, as ``prior=`` of the
            faces does; by default the result's own.
        form : {"collapsed", "rows", "joint"}, default="collapsed"
            For more than two classes: the graph that the engine samples, with the rows of the
            confusion table integrated out; every row as a variable of its own (theta_A, theta_B;
            slow, and it diverges on cells without counts); or, where classifiers are paired, the
            etas inferred from the outcomes of all, not each from its own margin. Data added to a
            collapsed graph do not reach the rows: take "rows" for that.

        Returns
        -------
        model : pymc.Model
            `ComparisonResult.from_trace` turns a trace of it into a result.
        """
        build = self._prior_builder() if prior is None else prior
        return build_graph(self._posterior.specification, self.labels, prior=build, form=form)

    def _prior_builder(self) -> Callable[..., Any] | None:
        """Return what built the variables of the prior; None where it is the published one."""
        name = self.prior.get("callable")
        build: Callable[..., Any] | None = getattr(self._posterior, "build_prior", None)
        if name is not None and build is None:
            raise ValueError(
                f"The prior of this result, {name!r}, is a function that is not at hand. Give it "
                "as prior=, or take the graph of the result that was altered."
            )
        return build

    @classmethod
    def from_trace(
        cls,
        trace: Any,
        like: Self,
        *,
        names: Sequence[str] | None = None,
        scoring: Any = None,
    ) -> Self:
        """Return a result from a trace of an altered graph.

        Parameters
        ----------
        trace : InferenceData, DataTree or dict of str to ndarray of shape (chains, draws, ...)
            Draws of the parameters, named as in the graph that `pymc_model` returned. Where there
            is a group "prior" with the same variables, Bayes factors stand on it.
        like : ComparisonResult
            The result whose graph it was: it has the evidence and the model.
        names : sequence of str, default=None
            What to call the classifiers; as in `like` by default.
        scoring : str, Metric, list or dict, default=None
            The metrics; those of `like` by default.

        Returns
        -------
        result : ComparisonResult
        """
        if not isinstance(like, cls):
            raise TypeError(
                f"like must be the {cls.__name__} whose pymc_model() was sampled, got "
                f"{type(like).__name__}."
            )
        metrics = like._metrics if scoring is None else resolve_scoring(scoring, like.labels)
        chosen = like._names if names is None else check_names(names, len(like._names))
        posterior = SampledPosterior.from_trace(trace, like._posterior)
        record = like._cross_validation
        return cls(
            posterior,
            chosen,
            metrics,
            None if record is None else record.renamed(like._names, chosen),
        )

    def to_arviz(self) -> Any:
        """Return the result as ArviZ has it: InferenceData (0.x) or DataTree (1.x).

        Returns
        -------
        data : InferenceData or DataTree
            Groups: posterior (the model's parameters, the rates, every metric of each classifier
            and its difference), prior (the same before the data), observed_data (counts), and
            sample_stats of Markov chains.
        """
        return as_arviz(self._posterior, self._names, self._metrics)

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
        if any(metric is known for known in self._metrics.values()):
            return metric  # type: ignore[return-value]
        if not isinstance(metric, (str, Metric)):
            raise TypeError(f"metric must be a name or a Metric, got {metric!r}.")
        if self.evidence.is_of_splits and isinstance(metric, str):
            return self._posterior.check_metric(split_metric(metric))
        found = resolve_scoring(metric, self.labels)
        return self._posterior.check_metric(next(iter(found.values())))
