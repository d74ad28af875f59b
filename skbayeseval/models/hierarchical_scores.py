"""The hierarchical model of cross-validated differences on several data sets (Corani et al. 2017).

The differences x_i on data set i are normal with mean delta_i, variance sigma_i^2 and, because
training sets overlap, correlation rho. The delta_i are draws from a Student t distribution with
location delta0, scale sigma0 and nu degrees of freedom. This t is a scale mixture: a normal with
variance sigma0^2 / lambda_i, where lambda_i is Gamma. Given lambda_i, the mean of x_i is normal
around delta0, with the sum of both variances. So delta_i is integrated out in closed form and
lambda_i numerically, and both are drawn afterwards. NUTS samples the remaining parameters well,
however small sigma0 is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy import special

from skbayeseval._arrays import Array
from skbayeseval._streams import Stream, generator
from skbayeseval.evidence.split_scores import DataSetScores
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import NEXT_DATA_SET
from skbayeseval.models.base import Blocks, Draws
from skbayeseval.models.pymc import (
    Parameter,
    Parameters,
    PriorBuilder,
    PyMCEngine,
    Trace,
    call_prior,
    sample,
)
from skbayeseval.models.split_scores import ModelOfScores, differences_of

# The standard deviation within a data set is at least this fraction of their mean. Otherwise
# constant differences would be treated as known without error.
LEAST_SD = 0.01

# The scale of the t is uniform up to this many standard deviations of the means. nu - 1 is Gamma
# with uniform hyperparameters, as in baycomp, the package of the paper's authors.
UPPER_SIGMA = 1000.0
ALPHA = (1.0, 2.0)
BETA = (0.01, 0.1)

# Nodes of log(lambda_i), in units of sqrt(2 / nu), its standard deviation for large nu. With this
# step the relative error of the trapezoidal rule is below 1e-6.
NODES = np.arange(-24.0, 8.01, 0.4)

_SHARED = ("delta0", "sigma0", "nu")

# The parameters that NUTS samples and that have priors of their own.
PARAMETERS = [Parameter(name, np.zeros(2), False, flat="plain") for name in _SHARED]


class HierarchicalScores(ModelOfScores):
    """The hierarchical correlated t-test over data sets (Corani et al. 2017), sampled by PyMC.

    The mean differences on the data sets come from a Student t distribution, and the splits of each
    data set are correlated as in `CorrelatedT`. Noisy data sets are shrunk towards the others. The
    reported difference is the centre of the t distribution, the average over data sets. The metric
    "next data set" is the difference on a new data set.

    Examples
    --------
    >>> from skbayeseval.models import HierarchicalScores
    >>> HierarchicalScores()
    HierarchicalScores()
    """

    name = "hierarchical scores"
    takes = DataSetScores
    derived_metrics = (NEXT_DATA_SET,)

    # The differences of the split scores in each metric, of shape (n_data_sets, n_splits), and the
    # correlation between splits.
    differences: Mapping[str, Array]
    correlation: float

    def _observe(self, evidence: DataSetScores) -> None:
        self.differences = differences_of(evidence)
        n_splits = next(iter(self.differences.values())).shape[1]
        if n_splits < 3 or evidence.test_fraction is None:
            raise ValueError(
                "model='hierarchical' needs the scores of at least three splits of each data set, "
                "and test_fraction=. Use model='signed-rank' for one score per data set."
            )
        if len(self.differences) > 1:
            raise ValueError("model='hierarchical' accepts only one metric.")
        self.correlation = evidence.test_fraction

    def parameters(self) -> list[Parameter]:
        """Return the parameters that are sampled."""
        return list(PARAMETERS)

    def dims(self) -> dict[str, list[str]]:
        """Return the dimensions of each parameter, and of the difference on each data set."""
        return super().dims() | {"delta": ["data_set"]}

    def _scores_given(self, draws: Draws, metric: Metric, rng: Generator, prior: bool) -> Blocks:
        if metric.name in self.differences:
            yield draws["delta0"][None]
        elif "next_delta" in draws:
            yield draws["next_delta"][None]
        else:  # a new data set, in the trace of a modified graph
            yield (draws["delta0"] + draws["sigma0"] * rng.standard_t(draws["nu"]))[None]

    def build_graph(
        self,
        labels: tuple[Any, ...],
        *,
        prior: PriorBuilder | None = None,
        **_: Any,
    ) -> Any:
        """Return a `pymc.Model` with delta0, sigma0, nu and delta, in the units of the scores."""
        self.check_graph()
        (differences,) = self.differences.values()
        summaries = summarise(differences)
        mean = summaries.mean
        import pymc as pm
        import pytensor.tensor as pt

        with pm.Model(coords={"data_set": np.arange(len(mean))}, model=None) as model:
            delta0, sigma0, nu = _shared(pm, model, summaries, prior)
            # The posterior given a uniform prior of sigma_i and the sum of squares around the mean,
            # which is sigma_i^2 (1 - rho) times a chi-squared with J - 1 degrees of freedom. The
            # upper limit of sigma_i, 1000 times their mean in the paper, is omitted: with four
            # scores or more, the probability beyond it is below 1e-6.
            precision = pm.ChiSquared("precision", summaries.n_scores - 2, dims="data_set")
            error_variance = _error_variance(summaries, self.correlation, precision)
            terms = _log_terms(pt, mean[:, None] - delta0, error_variance[:, None], sigma0, nu)
            pm.Potential("means", pt.logsumexp(terms, axis=1).sum())
        return model

    def sample(self, labels: tuple[Any, ...], engine: PyMCEngine, seed: int) -> Trace:
        """Return posterior draws of the parameters, of delta and of next_delta.

        next_delta is the difference on a new data set, drawn from the t distribution of each draw.
        """
        model = self.build_graph(labels, prior=engine.prior)
        trace = sample(model, engine, [*_SHARED, "precision"], seed)
        shared = {name: trace.parameters[name] for name in _SHARED}
        delta0, sigma0, nu = shared.values()
        rng = generator(seed, Stream.NEXT_DATA_SET)
        (differences,) = self.differences.values()
        summaries = summarise(differences)
        error_variance = _error_variance(summaries, self.correlation, trace.parameters["precision"])
        delta = np.empty_like(error_variance)
        for i, mean in enumerate(summaries.mean):
            delta[..., i] = _draw_delta(rng, mean, error_variance[..., i], delta0, sigma0, nu)
        next_delta = delta0 + sigma0 * rng.standard_t(nu)
        return Trace({**shared, "delta": delta, "next_delta": next_delta}, trace.stats)


class Summaries(NamedTuple):
    """Sufficient statistics of the differences.

    Attributes
    ----------
    mean : ndarray of shape (n_data_sets,)
        The mean difference on each data set.
    sd : ndarray of shape (n_data_sets,)
        The standard deviation within each data set, at least `LEAST_SD` of their mean.
    n_scores : int
        The number of differences per data set.
    bound : float
        The largest difference that the prior of delta0 allows.
    """

    mean: Array
    sd: Array
    n_scores: int
    bound: float


def summarise(x: Array) -> Summaries:
    """Return the sufficient statistics of differences of shape (n_data_sets, J)."""
    sd = np.where(np.ptp(x, axis=1) == 0, 0.0, x.std(axis=1))
    if not sd.any():
        raise ValueError(
            "The differences of scores must vary within at least one data set. Use "
            "model='signed-rank', which only uses their means."
        )
    # [-1, 1] for differences of accuracies, wider for metrics with a wider range.
    bound = max(1.0, float(np.abs(x).max()))
    return Summaries(x.mean(axis=1), np.maximum(sd, LEAST_SD * sd.mean()), x.shape[1], bound)


def _log_terms(library: Any, error: Any, error_variance: Any, sigma0: Any, nu: Any) -> Any:
    """Return the log of each node's term in the density of a mean; nodes are on the last axis.

    Parameters
    ----------
    library : module
        numpy or pytensor.tensor.
    error : array of shape (..., 1)
        The mean minus delta0.
    error_variance : array of shape (..., 1)
        The variance of the mean around delta_i.
    sigma0, nu : array of shape () or (..., 1)
        The parameters of the t.
    """
    log = library.log
    log_lambda = NODES * library.sqrt(2 / nu)
    half = nu / 2
    gammaln = library.gammaln if hasattr(library, "gammaln") else special.gammaln
    log_gamma = half * (log(half) + log_lambda - library.exp(log_lambda)) - gammaln(half)
    log_step = np.log(NODES[1] - NODES[0]) - log(half) / 2
    variance = error_variance + sigma0**2 * library.exp(-log_lambda)
    return log_gamma + log_step - (log(2 * np.pi * variance) + error**2 / variance) / 2


def _draw_delta(
    rng: Generator, mean: float, error_variance: Array, delta0: Array, sigma0: Array, nu: Array
) -> Array:
    """Return draws of one delta_i: draw the node of lambda_i, then delta_i from a normal."""
    parts = (part[..., None] for part in (mean - delta0, error_variance, sigma0, nu))
    terms = _log_terms(np, *parts)
    cumulated = np.cumsum(np.exp(terms - terms.max(axis=-1, keepdims=True)), axis=-1)
    wanted = rng.random(nu.shape)[..., None] * cumulated[..., -1:]
    node = NODES[(cumulated < wanted).sum(axis=-1)]
    others = sigma0**2 * np.exp(-node * np.sqrt(2 / nu))
    weight = others / (error_variance + others)
    return rng.normal(delta0 + weight * (mean - delta0), np.sqrt(weight * error_variance))


def _error_variance(summaries: Summaries, rho: float, precision: Any) -> Any:
    """Return the variance of each mean around delta_i: sigma_i^2 (1 + (J - 1) rho) / J."""
    squares = summaries.n_scores * summaries.sd**2
    return squares * (1 / summaries.n_scores + rho / (1 - rho)) / precision


def _shared(
    pm: Any, model: Any, summaries: Summaries, prior: Callable[..., Any] | None
) -> list[Any]:
    """Return delta0, sigma0 and nu; those that `prior` does not build have published priors."""
    bound = summaries.bound
    spread = summaries.mean.std() or summaries.sd.mean()

    def build(parameter: Parameter) -> Any:
        if parameter.name == "delta0":
            return pm.Uniform("delta0", -bound, bound, initval=summaries.mean.mean())
        if parameter.name == "sigma0":
            return pm.Uniform("sigma0", 0.0, UPPER_SIGMA * spread, initval=spread)
        shape = pm.Gamma("nu_minus_one", pm.Uniform("alpha", *ALPHA), pm.Uniform("beta", *BETA))
        return pm.Deterministic("nu", 1 + shape)

    parameters = Parameters(PARAMETERS, build)
    if prior is not None:
        call_prior(prior, parameters, model)
    return [parameters[name] for name in _SHARED]
