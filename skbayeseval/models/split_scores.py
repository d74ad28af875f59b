"""Two or more estimators, compared by the scores of splits: the correlated Bayesian t-test.

Split scores have a multivariate t posterior. With C the centred split scores and g one standard
normal variate per split, C g has the covariance of the estimators. This needs no matrix root, does
not fail if there are more estimators than splits, and gives a pair the same draws regardless of the
other estimators. For two estimators probabilities and intervals are Student's, and the PyMC graph
regresses B's score on the difference, where that prior factorises.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from skbayeseval._arrays import Array
from skbayeseval.evidence.split_scores import DataSetScores, SplitScores
from skbayeseval.metrics.metric import Metric
from skbayeseval.models.base import Blocks, Draws, Model
from skbayeseval.models.blocks import block_size, stream_blocks
from skbayeseval.models.margins import StudentMargin
from skbayeseval.models.pymc import Parameter

# A split's difference has a standard deviation of at least this many steps of the score: that of
# the error of rounding to whole steps.
LEAST_STEPS = 12**-0.5


class SplitScoreSums(NamedTuple):
    """Sums over splits of the differences d = a - b and of B's scores; an entry per metric."""

    n_splits: Array
    mean_d: Array
    mean_b: Array
    ss_d: Array
    ss_b: Array
    sp: Array

    @property
    def slope(self) -> Array:
        """The slope of b on d."""
        return self.sp / self.ss_d

    @property
    def ss_e(self) -> Array:
        """The sum of squares of b that d leaves."""
        return self.ss_b - self.sp**2 / self.ss_d


def sums_of_splits(a: Array, b: Array, added: Array) -> tuple[float, ...]:
    """Return the sums of two estimators' scores in one metric, with variance added to each."""
    d = a - b
    more_a, more_b = (len(d) - 1) * added
    centred_d, centred_b = d - d.mean(), b - b.mean()
    return (
        len(d),
        float(d.mean()),
        float(b.mean()),
        float(centred_d @ centred_d + more_a + more_b),
        float(centred_b @ centred_b + more_b),
        float(centred_d @ centred_b - more_b),
    )


class ModelOfScores(Model):
    """Base class of the models of the scores of splits and of data sets, without any counts."""

    needs_pairs = True
    needs_true_negatives = False
    has_proper_prior = False


class CorrelatedT(ModelOfScores):
    """The correlated Bayesian t-test, for any metric known by its split scores (model "scores").

    Split scores are normal around the mean score of each estimator. The correlation between splits
    is assumed to equal the share of test instances (Nadeau and Bengio 2003; Corani and Benavoli
    2015). The means have a flat prior, and the covariance of K estimators has a prior density
    proportional to det^(-K). Every difference then has the prior of the two papers, 1 / variance,
    regardless of the other estimators. The prior is improper, so there is no Bayes factor. Where
    the evidence tells the covariance of the mean scores, as in the report of a search, it is that.

    A score of n_test instances moves in steps of 1 / n_test, so all splits may give the same
    difference although the learners do not always differ by that much. The standard deviation of a
    split's difference is therefore taken to be at least that of rounding to whole steps,
    1 / (n_test sqrt(12)). Where n_test is unknown, the step is the smallest difference between two
    scores that was seen. If all scores are the same, there is none, and the posterior of the
    difference is a point.

    Examples
    --------
    >>> from skbayeseval import compare_scores
    >>> a, b = [0.81, 0.79, 0.84, 0.80, 0.82], [0.78, 0.77, 0.80, 0.79, 0.78]
    >>> result = compare_scores(a, b, test_fraction=0.2, random_state=0)
    >>> result.model
    'scores'
    """

    name = "scores"
    takes = SplitScores
    most_classifiers = None

    # Of each metric, the split scores (n_estimators, n_splits), and the variance that is added
    # because scores move in steps.
    scores: Mapping[str, Array]
    added: Mapping[str, Array]
    # The covariance of mean scores and its degrees of freedom, where the evidence tells it.
    noise: Mapping[str, tuple[Array, float]]
    # The correlation between splits.
    correlation: float

    def _observe(self, evidence: SplitScores) -> None:
        self.correlation = evidence.test_fraction
        steps = evidence.steps or {}
        self.scores, self.added, self.noise = {}, {}, {}
        for name, values in evidence.scores.items():
            scores = self.scores[name] = without_noise(values, values)
            if evidence.noise is not None:
                self.noise[name] = evidence.noise[name], evidence.df
            else:
                self.added[name] = missing_variance(scores, steps.get(name, step_seen(scores)))

    def parameters(self) -> list[Parameter]:
        """Return the parameters of two estimators: B's score is regressed on the difference A - B.

        delta and nu_B are the mean difference and B's mean score, sigma is the standard deviation
        of a split's difference, beta the slope of B's score on it and tau what is left. With the
        covariance of A and B having density proportional to det^(-2), sigma^2 has density
        1 / sigma^2, beta is flat, and tau^2 has density 1 / tau^4. One estimator, three, or two
        that are equal in every split have no parameters.
        """
        if self.noise or any(len(scores) != 2 for scores in self.scores.values()):
            return []
        s = self.sums()
        if not s.ss_d.all():
            return []
        n, inflation = s.n_splits, self.inflation
        of_log = np.sqrt(0.5 / n)
        # 1 / tau^4 for the density of tau^2 is 1 / tau^2 for that of log tau.
        return [
            Parameter(name, np.column_stack([place, spread]), False, ("metric",), flat, power)
            for name, place, spread, flat, power in (
                ("delta", s.mean_d, np.sqrt(inflation * s.ss_d / (n - 1)), "plain", 0.0),
                ("nu_B", s.mean_b, np.sqrt(inflation * s.ss_b / (n - 1)), "plain", 0.0),
                ("beta", s.slope, np.sqrt(s.ss_e / s.ss_d / n), "plain", 0.0),
                ("sigma", np.log(s.ss_d / n) / 2, of_log, "log", 0.0),
                ("tau", np.log(s.ss_e / n) / 2, of_log, "log", -2.0),
            )
        ]

    def coordinates(self, labels: tuple[Any, ...]) -> dict[str, list[str]]:
        """Return the names along each dimension of the parameters."""
        return {"metric": list(self.scores)}

    def law(
        self, metric: Metric, which: int | None = None, *, prior: bool = False
    ) -> StudentMargin:
        """Return the law of one estimator's mean split score, or of A - B."""
        scores = self.scores[metric.name]
        contrast = np.eye(len(scores))[0 if which is None else which]
        if which is None:
            contrast[1] = -1.0
        splits = contrast @ scores
        mean, df = splits.mean(), len(splits) - 1.0
        if metric.name in self.noise:
            covariance, df = self.noise[metric.name]
            scale = np.sqrt(max(contrast @ covariance @ contrast, 0.0))
        else:
            more = contrast**2 @ self.added[metric.name]
            scale = np.sqrt(self.inflation * (splits.var(ddof=1) + more))
        # Equal differences leave rounding errors behind, which are no spread.
        negligible = 1e-12 * np.abs(scores).max()
        mean, scale = (float(x) if abs(x) > negligible else 0.0 for x in (mean, scale))
        return StudentMargin(mean, scale, df)

    def sums(self) -> SplitScoreSums:
        """Return the sums over splits of two estimators' scores."""
        of_each = (sums_of_splits(a, b, self.added[k]) for k, (a, b) in self.scores.items())
        return SplitScoreSums(*map(np.array, zip(*of_each, strict=True)))

    @property
    def inflation(self) -> float:
        """The variance of the mean over splits, divided by the sample variance of the splits."""
        n_splits = next(iter(self.scores.values())).shape[1]
        return 1 / n_splits + self.correlation / (1 - self.correlation)

    def stream(self, metric: Metric, rng: Generator, number: int, *, prior: bool = False) -> Blocks:
        """Yield blocks of draws of the mean score of each estimator, of shape (n_estimators, n).

        The posterior is a multivariate t: the sample means plus sqrt(1/J + rho / (1 - rho)) S^(1/2)
        z / sqrt(chi2 / (J - 1)). With C the centred split scores, S = C C^T / (J - 1), so sqrt(J -
        1) S^(1/2) z is drawn as C g, with one standard normal variable per split in g. This avoids
        the square root of S, which is singular if there are more estimators than splits, and the
        draws of a pair do not depend on the other estimators. Variance that is added to the scores
        of an estimator is a column of its own.
        """
        scores = self.scores[metric.name]
        means = scores.mean(axis=1, keepdims=True)
        if metric.name in self.noise:
            covariance, df = self.noise[metric.name]
            # Copies do not change the draws of others, and a symmetric root is that of any machine.
            _, first, place = np.unique(scores, axis=0, return_index=True, return_inverse=True)
            values, vectors = np.linalg.eigh(covariance[np.ix_(first, first)])
            roots = (vectors * np.sqrt(df * np.maximum(values, 0.0)) @ vectors.T)[place.ravel()]
        else:
            df, added = scores.shape[1] - 1.0, self.added[metric.name]
            own = np.diag(np.sqrt(df * self.inflation * added))
            roots = np.hstack([np.sqrt(self.inflation) * (scores - means), own[:, added > 0]])
        # The draws of a pair do not depend on the number of estimators, and so blocks must not.
        block = block_size(16 * roots.shape[1], most=5000)

        def draw(rng: Generator, size: int) -> Array:
            normal = rng.standard_normal((roots.shape[1], size))
            return means + roots @ normal / np.sqrt(rng.chisquare(df, size))

        return stream_blocks(draw, rng, number, block)

    def parameters_of_pair(self, draws: Draws, i: int, j: int) -> dict[str, Array]:
        """Return the draws of the parameters; the other way round if A and B are swapped."""
        if i < j:
            return dict(draws)
        delta = draws["delta"]
        swapped = {"delta": -delta, "nu_B": draws["nu_B"] + delta, "beta": -1 - draws["beta"]}
        return {**draws, **swapped}

    def _scores_given(self, draws: Draws, metric: Metric, rng: Generator, prior: bool) -> Blocks:
        which = list(self.scores).index(metric.name)
        delta, score_b = draws["delta"][:, which], draws["nu_B"][:, which]
        yield np.stack([score_b + delta, score_b])

    def check_graph(self) -> None:
        """Raise unless there are two estimators, whose scores vary enough for PyMC."""
        for scores in self.scores.values():
            if self.noise and len(scores) == 2:
                raise ValueError(
                    "The PyMC model of split scores does not know the noise of other candidates. "
                    "Compare the two alone, by compare_scores."
                )
            if len(scores) != 2:
                raise ValueError(
                    f"The PyMC model of split scores compares two estimators, but there are "
                    f"{len(scores)}. Use engine='exact', or compare two estimators."
                )
        sums = self.sums()
        for k, (name, scores) in enumerate(self.scores.items()):
            tiny = 1e-20 * np.square(scores).sum()
            if sums.n_splits[k] < 4 or sums.ss_d[k] <= tiny or sums.ss_e[k] <= tiny:
                raise ValueError(
                    f"The {scores.shape[1]} split scores of {name!r} vary too little for PyMC, "
                    "which requires at least four splits with different scores. Use "
                    "engine='exact'."
                )
        super().check_graph()

    def _log_likelihoods(self, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yield the terms of equicorrelated normal scores: of A - B, and of B given A - B.

        Relative to the variance of one split score, the mean of n split scores has variance
        (1 + (n - 1) rho) / n, and their sum of squares is 1 - rho times an independent chi-squared.
        """
        import pytensor.tensor as pt

        rho = self.correlation
        n, mean_d, mean_b, ss_d, ss_b, sp = self.sums()
        of_mean = (1 + (n - 1) * rho) / n
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


def step_seen(scores: Array) -> float:
    """Return the smallest difference between two scores that are not equal; 0 if all are.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.models.split_scores import step_seen
    >>> step_seen(np.array([[0.75, 0.5, 0.625], [0.75, 0.75, 0.625]]))
    0.125
    """
    gaps = np.diff(np.unique(scores))
    return float(gaps.min()) if len(gaps) else 0.0


def missing_variance(scores: Array, step: float) -> Array:
    """Return what the variance of each estimator's split scores lacks.

    With it, the difference of any two estimators, or the scores of a single one, vary by
    `LEAST_STEPS` steps or more; it is 0 where they do so already.

    Parameters
    ----------
    scores : ndarray of shape (n_estimators, n_splits)
        The split scores.
    step : float
        The smallest possible difference of two scores.
    """
    least = (LEAST_STEPS * step) ** 2
    if len(scores) == 1:
        return np.maximum(0.0, least - np.var(scores, axis=1, ddof=1))
    lacks = np.zeros(len(scores))
    for i, own in enumerate(scores):
        variances = np.var(own - scores, axis=1, ddof=1)
        lacks[i] = max(0.0, least - np.delete(variances, i).min(initial=least)) / 2
    return lacks


def without_noise(values: Array, scores: Array) -> Array:
    """Round values to thirteen significant digits of the largest score, to drop rounding errors."""
    largest = float(np.abs(scores).max())
    if largest == 0:
        return values
    return np.round(values, 13 - math.ceil(math.log10(largest)))


def differences_of(evidence: DataSetScores) -> dict[str, Array]:
    """Return A - B for each metric, of shape (n_data_sets, n_splits)."""
    return {
        name: without_noise(scores[0] - scores[1], scores)
        for name, scores in evidence.scores.items()
    }
