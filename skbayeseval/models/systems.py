"""Several systems on several data sets: the model, and its draws by Gibbs sampling of short chains.

Only differences between systems count, so all is computed in p = K - 1 orthonormal contrasts of
the K systems. On data set d, the contrasts are z_d ~ N(theta, Omega). What was observed are the
contrasts u_d = A_d z_d + e_d of the systems that were run on it, where e_d is noise with a known
covariance. It is scaled to be the identity.

Omega ~ IW(a + p - 1, H diag(psi) H^T), where H are the contrasts and psi has a number for each
system. The difference of two systems then has a variance of 1 / Gamma(a / 2, (psi_i + psi_j) / 2),
whoever else is compared. log(psi_k) is normal around a common value, with the standard deviation
`SPREAD`; the root of the exponential of that value has a flat prior. The prior of a is proportional
to 1 / a on `STRENGTHS`.

A sweep draws (theta, z | Omega), a common scale of all z_d - theta and Omega given what does not
depend on it, (a, psi | z) with Omega and theta integrated out, and (Omega | z, a, psi). Theta is
drawn with all z_d integrated out, so its draws are correlated through Omega only. A further data
set has the contrasts theta plus a draw of N(0, Omega).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy import linalg, special

from skbayeseval._arrays import Array
from skbayeseval.evidence.split_scores import SystemScores
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import NEXT_DATA_SET
from skbayeseval.models.base import Blocks
from skbayeseval.models.split_scores import LEAST_STEPS, ModelOfScores, step_seen, without_noise

# The values of a, from pairs of systems that each have a variance of their own to variances that
# are all but equal.
STRENGTHS = 2.0 ** np.arange(10)

# The standard deviation of log(psi) between systems: the variance of the interactions of a system
# may well be ten times that of another.
SPREAD = 2.0

# A chain makes half as many draws as there are chains, or more for the sake of memory.
MOST_NUMBERS = 2**21

# Sweeps before the first draw.
BURN_IN = 30

# Steps of the random walk of (a, psi) per sweep, and the range of its step sizes in log(psi).
WALK = 4
SMALLEST_STEP, LARGEST_STEP = 0.03, 2.0

# With more numbers than this in all A_d, a draw of Omega serves for several draws of theta. Omega
# is then known well enough for these to be all but independent.
MANY_NUMBERS = 256
MOST_REPEATS = 8

# What the average variance of runs counts beside that of a system on a data set, in degrees of
# freedom: with few runs, the latter is known badly.
SHARED_DF = 2.0

# The noise is at least this fraction of the differences between systems, for the sake of numerical
# stability. Its variance is then 1e-8 of theirs.
LEAST_NOISE = 1e-4


class HierarchicalSystems(ModelOfScores):
    """A hierarchical model of several systems on several data sets, with or without holes.

    The score of a system on a data set is the level of the data set, plus the mean score of the
    system relative to others, plus an interaction of the two, plus noise. Levels are free, so only
    differences between systems on the same data set count. The interactions are normal. Each pair
    of systems has its own variance of the difference on a data set; these variances are partially
    pooled, and how much is inferred. The noise is taken to be known from runs or splits; it is part
    of the interaction where there is one score only. Scores that are missing are integrated out, as
    if they were missing at random.

    Who is the best of three systems or more, and who is surely worse, is told from partially pooled
    means: systems vary around a common mean by as much as their differences tell. Otherwise the
    best of many equal systems would be called better.

    The metric "next data set" is the score on one further data set of average level: the mean plus
    an interaction drawn anew, whose variances are as uncertain as these data sets leave them. On
    which data set a system does well is not known, so who is better there is less sure than who is
    better on average. The noise of runs is not part of it where it is known. From five data sets,
    clear forecasts are too sure: 0.86 was said where 0.66 was true (docs/calibration.md).

    The reported values are the mean scores of systems, shifted to the average level of these data
    sets. The interval of one system does not include the uncertainty about the levels of other data
    sets: it is that of its distance from the average system.

    Examples
    --------
    >>> from skbayeseval import compare_scores
    >>> scores = {
    ...     "x": {"iris": 0.95, "wine": 0.97, "digits": 0.96, "glass": 0.71},
    ...     "y": {"iris": 0.93, "wine": 0.96, "digits": 0.92, "glass": 0.68},
    ... }
    >>> compare_scores(scores, random_state=0).model
    'hierarchical systems'
    """

    name = "hierarchical systems"
    takes = SystemScores
    derived_metrics = (NEXT_DATA_SET,)
    most_classifiers = None
    no_graph = (
        "The model of several systems on several data sets has no PyMC model. Use engine='exact'; "
        "compare_scores(scores_a, scores_b, model='hierarchical') has one for two systems."
    )

    # The mean score of each system on each data set, NaN where it is missing, and the covariance of
    # its errors on each data set, of shape (n_data_sets, n_systems, n_systems).
    means: Array
    noise: Array

    def _observe(self, evidence: SystemScores) -> None:
        noise = noise_of_means(evidence.scores, evidence.test_fraction)
        noise += _least_noise(evidence)[:, None, None] * np.eye(evidence.n_classifiers)
        self.means, self.noise = evidence.means, noise

    def stream(self, metric: Metric, rng: Generator, number: int, *, prior: bool = False) -> Blocks:
        """Yield draws of the score of each system, the mean or the next, of shape (K, number).

        The level of a data set is known up to the systems that were not run on it: the mean scores
        are those over the levels of these data sets.
        """
        means, noise = self.means, self.noise
        # In this order, the draws of a system do not depend on the order in which they are given.
        order = np.lexsort(np.nan_to_num(means, nan=np.inf).T[::-1])
        means, noise = means[order], noise[:, order][:, :, order]
        observed = observe(means, noise)
        effects, on_next = observed.basis.T @ draw_contrasts(observed, rng, number)
        scores = np.empty_like(effects)
        level = _mean_level(means, effects.mean(axis=1))
        scores[order] = level + (on_next if metric.name in self.derived_metrics else effects)
        yield scores


def noise_of_means(scores: Array, test_fraction: float | None) -> Array:
    """Return the covariance of the errors of mean scores, of shape (n_data_sets, K, K).

    Runs are independent of each other and between systems. Splits of a cross-validation are
    correlated (Nadeau and Bengio 2003), and systems with the same number of splits on a data set
    are taken to be tested on the same ones, so that what makes a split easy for both cancels out.
    With few runs the variance is known badly: the average over all data sets counts for two more.

    Parameters
    ----------
    scores : ndarray of shape (n_systems, n_data_sets, n_runs)
        The scores; NaN where there is none.
    test_fraction : float or None
        The correlation between splits; None for independent runs.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.models.systems import noise_of_means
    >>> noise_of_means(np.array([[[1.0, 3.0]], [[2.0, np.nan]]]), None)
    array([[[1., 0.],
            [0., 2.]]])
    """
    n_systems, n_sets, _ = scores.shape
    correlation = 0.0 if test_fraction is None else test_fraction
    blocks = list(_blocks(scores, same_splits=test_fraction is not None))
    squares = degrees = 0.0
    for _, _, centred in blocks:
        k, n = centred.shape
        own = centred - centred.mean(axis=0) if k > 1 else centred
        squares += float((own**2).sum())
        degrees += max(1, k - 1) * (n - 1)
    average = squares / degrees if degrees else 0.0
    covariances = np.zeros((n_sets, n_systems, n_systems))
    for d, which, centred in blocks:
        k, n = centred.shape
        variance = centred @ centred.T + SHARED_DF * average * np.eye(k)
        variance /= n - 1 + SHARED_DF
        covariances[d][np.ix_(which, which)] = variance * (1 / n + correlation / (1 - correlation))
    return covariances


def _blocks(scores: Array, *, same_splits: bool) -> Iterator[tuple[int, Array, Array]]:
    """Yield data set, systems and centred scores of each block of systems with shared splits."""
    n_runs = np.isfinite(scores).sum(axis=2)
    for d, of_all in enumerate(n_runs.T):
        for n in np.unique(of_all[of_all > 0]):
            systems = np.flatnonzero(of_all == n)
            for which in [systems] if same_splits else systems[:, None]:
                values = scores[which, d]
                values = values[np.isfinite(values)].reshape(len(which), n)
                yield d, which, values - values.mean(axis=1, keepdims=True)


def _least_noise(evidence: SystemScores) -> Array:
    """Return the variance of rounding errors of mean scores on each data set.

    Scores move in steps. The smallest difference between two scores is taken for one.
    """
    seen = evidence.scores[np.isfinite(evidence.scores)]
    step = step_seen(without_noise(seen, seen))
    rounding = (LEAST_STEPS * step) ** 2 / np.maximum(1, evidence.n_runs.max(axis=0))
    with np.errstate(invalid="ignore"):
        run = np.isfinite(evidence.means)
        centred = np.where(run, evidence.means, 0.0)
        centred = np.where(run, centred - centred.sum(axis=0) / np.maximum(1, run.sum(axis=0)), 0.0)
    typical = float((centred**2).sum()) / max(1, int(run.sum()))
    return np.maximum(rounding, LEAST_NOISE**2 * typical)


class Observed(NamedTuple):
    """What was observed, in units in which the noise is standard normal.

    Attributes
    ----------
    basis : ndarray of shape (p, n_systems)
        The contrasts: orthonormal rows, each with a sum of 0.
    designs : ndarray of shape (n_designs, p, p)
        The distinct matrices A_d. Rows beyond the contrasts of the systems that were run are 0.
    which : ndarray of shape (n_data_sets,)
        The position of each A_d in `designs`.
    values : ndarray of shape (n_data_sets, p)
        The contrasts u_d, 0 where there are none.
    """

    basis: Array
    designs: Array
    which: Array
    values: Array


def observe(means: Array, noise: Array) -> Observed:
    """Return the observed contrasts of mean scores, on data sets with two systems or more.

    Parameters
    ----------
    means : ndarray of shape (n_systems, n_data_sets)
        The mean score of each system on each data set; NaN where it is missing.
    noise : ndarray of shape (n_data_sets, n_systems, n_systems)
        The covariance of the errors of the mean scores.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.models.systems import observe
    >>> found = observe(np.array([[0.5, 0.75], [0.25, np.nan]]), np.tile(np.eye(2) / 8, (2, 1, 1)))
    >>> found.values.round(6)
    array([[0.5]])
    """
    n_systems = len(means)
    p = n_systems - 1
    basis = linalg.helmert(n_systems)
    shared = np.flatnonzero(np.isfinite(means).sum(axis=0) > 1)
    means, noise = means[:, shared], noise[shared]
    designs, values = np.zeros((len(shared), p, p)), np.zeros((len(shared), p))
    for d in range(len(shared)):
        run = np.flatnonzero(np.isfinite(means[:, d]))
        contrasts = linalg.helmert(len(run))
        root = np.linalg.cholesky(contrasts @ noise[d][np.ix_(run, run)] @ contrasts.T)
        whitened = linalg.solve_triangular(root, contrasts, lower=True)
        designs[d, : len(run) - 1] = whitened @ basis[:, run].T
        values[d, : len(run) - 1] = whitened @ means[run, d]
    distinct, which = np.unique(designs, axis=0, return_inverse=True)
    return Observed(basis, distinct, which.ravel(), values)


def _mean_level(means: Array, effects: Array) -> float:
    """Return the mean level of the data sets, given the effects of systems."""
    run = np.isfinite(means)
    sums = np.where(run, means - effects[:, None], 0.0).sum(axis=0)
    return float(np.mean(sums[run.any(axis=0)] / run.sum(axis=0)[run.any(axis=0)]))


def draw_contrasts(observed: Observed, rng: Generator, n_draws: int) -> Array:
    """Return draws of theta, and of the contrasts on a further data set: (2, p, n_draws)."""
    n_sets, p = observed.values.shape
    size = n_sets * p**2
    repeats = int(np.clip(size // MANY_NUMBERS, 1, MOST_REPEATS))
    n_states = -(-n_draws // repeats)
    n_chains = max(1, min(round((2 * n_states) ** 0.5), MOST_NUMBERS // size))
    length = -(-n_states // n_chains)
    state = _start(observed, rng, n_chains)
    draws = np.empty((length, 2, p, repeats, n_chains))
    of_next = rng.spawn(1)[0]  # of its own, so that theta does not depend on it
    for i in range(-BURN_IN, length):
        omega, *_ = state
        thetas, state = _sweep(observed, state, rng, repeats)
        if i >= 0:
            anew = np.linalg.cholesky(omega) @ of_next.standard_normal(thetas.shape)
            draws[i] = np.moveaxis(np.stack([thetas, thetas + anew]), 1, -1)
    # Consecutive draws come from different chains.
    return np.moveaxis(draws, 0, 2).reshape(2, p, -1)[..., :n_draws]


# The state of all chains, whose axis comes first: Omega; log(psi) of each system; the position of a
# in STRENGTHS.
_State = tuple[Array, Array, Array]


def _start(observed: Observed, rng: Generator, n_chains: int) -> _State:
    """Return Omega as a multiple of the identity, of about the size of the residuals."""
    basis, distinct, which, values = observed
    designs = distinct[which]
    p, n_systems = basis.shape
    effects = np.einsum("dij,di->j", designs, values)
    theta = np.linalg.lstsq(np.einsum("dij,dik->jk", designs, designs), effects, rcond=None)[0]
    scale = ((values - designs @ theta) ** 2).sum() / (designs**2).sum() * p
    psi = np.log(scale) + rng.uniform(-1, 1, n_chains)
    omega = np.exp(psi)[:, None, None] * np.eye(p)
    strength = rng.integers(0, len(STRENGTHS), n_chains)
    return omega, np.tile(psi[:, None], n_systems), strength


def _sweep(observed: Observed, state: _State, rng: Generator, repeats: int) -> tuple[Array, _State]:
    """Return draws of theta, of shape (n_chains, p, repeats), and the next state."""
    basis, distinct, which, values = observed
    designs = distinct[which]
    n_sets, p = values.shape
    omega, psi, strength = state
    n_chains = len(omega)
    normal = rng.standard_normal

    # theta given Omega, with z integrated out
    covariance = distinct @ omega[:, None] @ distinct.transpose(0, 2, 1) + np.eye(p)
    weights = np.linalg.solve(covariance, np.broadcast_to(distinct, covariance.shape))[:, which]
    flat = weights.reshape(n_chains, n_sets * p, p).transpose(0, 2, 1)
    root = np.linalg.cholesky(flat @ designs.reshape(n_sets * p, p))
    rotated = np.linalg.solve(root, (flat @ values.ravel())[..., None])
    thetas = np.linalg.solve(root.transpose(0, 2, 1), rotated + normal((n_chains, p, repeats)))
    theta = thetas[:, :, 0]

    # z given theta and Omega: drawn from their prior and corrected by what was observed
    deviations = normal((n_chains, n_sets, p)) @ np.linalg.cholesky(omega).transpose(0, 2, 1)
    predicted = np.einsum("dij,cdj->cdi", designs, theta[:, None] + deviations)
    errors = values - predicted - normal((n_chains, n_sets, p))
    deviations += np.einsum("cdij,cdi->cdj", weights, errors) @ omega

    # the common scale of deviations and Omega
    explained = np.einsum("dij,cdj->cdi", designs, deviations)
    left = values - np.einsum("dij,cj->cdi", designs, theta)
    precision = (explained**2).sum(axis=(1, 2))
    centre = (explained * left).sum(axis=(1, 2)) / precision
    factor = _positive_normal(rng, centre, precision**-0.5)
    deviations *= factor[:, None, None]
    psi = psi + 2 * np.log(factor)[:, None]

    # a and psi given z, then Omega
    deviations -= deviations.mean(axis=1, keepdims=True)
    scatter = deviations.transpose(0, 2, 1) @ deviations
    if p == 1:  # without a and psi, the prior of a single standard deviation is flat
        omega = scatter / rng.chisquare(n_sets - 2, scatter.shape)
        return thetas, (omega, psi, strength)
    df = n_sets - 1
    psi = _walk_alone(rng, basis, scatter, df, psi, STRENGTHS[strength])
    scale = (basis * np.exp(psi)[:, None]) @ basis.T
    shift, strength = _walk_together(rng, _relative_eigenvalues(scatter, scale), df, strength)
    scale = scatter + np.exp(shift)[:, None, None] * scale
    psi = psi + shift[:, None]
    omega = _inverse_wishart(rng, scale, STRENGTHS[strength] + p - 1 + df)
    return thetas, (omega, psi, strength)


def _positive_normal(rng: Generator, mean: Array, sd: Array) -> Array:
    """Return draws of normal variables, given that they are positive."""
    below = np.log(rng.uniform(size=mean.shape)) + special.log_ndtr(mean / sd)
    return np.maximum(mean - sd * special.ndtri_exp(below), 1e-8)


def _walk_alone(
    rng: Generator, basis: Array, scatter: Array, df: int, psi: Array, a: Array
) -> Array:
    """Return psi after a step of each of its elements that keeps its distribution given z and a.

    A step of one element is an update of rank 1 of both determinants in the density.
    """
    p, n_systems = basis.shape
    nu = a + p - 1
    scale = (basis * np.exp(psi)[:, None]) @ basis.T
    inverses = np.linalg.inv(np.stack([scale, scale + scatter]))
    powers = np.stack([nu, -(nu + df)]) / 2
    psi = psi.copy()
    for k in range(n_systems):
        new = psi[:, k] + _step_sizes(rng, len(psi)) * rng.standard_normal(len(psi))
        added = np.exp(new) - np.exp(psi[:, k])
        columns = inverses @ basis[:, k]
        ratios = 1 + added * (columns @ basis[:, k])
        others = np.delete(psi, k, axis=1).mean(axis=1)
        # The squared distances from the mean change by those from the mean of the others.
        distances = (new - others) ** 2 - (psi[:, k] - others) ** 2
        prior = (new - psi[:, k]) / (2 * n_systems)
        prior -= (1 - 1 / n_systems) * distances / (2 * SPREAD**2)
        gain = prior + (powers * np.log(ratios)).sum(axis=0)
        taken = np.log(rng.uniform(size=len(psi))) < gain
        psi[taken, k] = new[taken]
        change = np.where(taken, added / ratios, 0.0)
        inverses -= (change[..., None] * columns)[..., None] * columns[:, :, None]
    return psi


def _walk_together(
    rng: Generator, eigenvalues: Array, df: int, strength: Array
) -> tuple[Array, Array]:
    """Return a common shift of log(psi), and a, after steps that keep their distribution given z.

    `eigenvalues` are those of the scatter of z relative to H diag(psi) H^T.
    """
    p = eigenvalues.shape[1]
    nu = STRENGTHS + p - 1
    norms = _norms((nu + df) / 2, p) - _norms(nu / 2, p)

    def log_density(shift: Array, strength: Array) -> Array:
        n = nu[strength]
        spread = np.log(np.exp(shift)[:, None] + eigenvalues).sum(axis=1)
        prior = shift / 2 - np.log(STRENGTHS[strength])
        return prior + p * n / 2 * shift - (n + df) / 2 * spread + norms[strength]

    shift = np.zeros(len(strength))
    now = log_density(shift, strength)
    for step in range(WALK):
        if step % 2:
            move = rng.choice([-1, 1], shift.shape)
            # With a, psi changes as well half of the time, so that psi / a does not.
            new_shift = shift + move * rng.integers(0, 2, shift.shape) * np.log(2.0)
            new_strength = strength + move
        else:
            sizes = _step_sizes(rng, len(shift))
            new_shift, new_strength = shift + sizes * rng.standard_normal(len(shift)), strength
        possible = (new_strength >= 0) & (new_strength < len(STRENGTHS))
        then = log_density(new_shift, np.where(possible, new_strength, strength))
        taken = possible & (np.log(rng.uniform(size=len(shift))) < then - now)
        shift, strength = np.where(taken, new_shift, shift), np.where(taken, new_strength, strength)
        now = np.where(taken, then, now)
    return shift, strength


def _step_sizes(rng: Generator, number: int) -> Array:
    return np.exp(rng.uniform(np.log(SMALLEST_STEP), np.log(LARGEST_STEP), number))


def _relative_eigenvalues(scatter: Array, scale: Array) -> Array:
    """Return the eigenvalues of the scatter relative to the scale."""
    root = np.linalg.cholesky(scale)
    half = np.linalg.solve(root, scatter)
    both = np.linalg.solve(root, half.transpose(0, 2, 1))
    return np.maximum(np.linalg.eigvalsh(both), 0.0)


def _norms(a: Array, p: int) -> Array:
    """Return the log of the multivariate gamma function, up to a constant."""
    return special.gammaln(a[:, None] - np.arange(p) / 2).sum(axis=1)


def _inverse_wishart(rng: Generator, scale: Array, df: Array) -> Array:
    """Return draws of inverse Wishart matrices (Bartlett's decomposition)."""
    n_chains, p, _ = scale.shape
    root = np.tril(rng.standard_normal((n_chains, p, p)), -1)
    diagonal = np.arange(p)
    root[:, diagonal, diagonal] = np.sqrt(rng.chisquare(df[:, None] - diagonal))
    half = np.linalg.solve(root, np.linalg.cholesky(scale).transpose(0, 2, 1))
    return half.transpose(0, 2, 1) @ half
