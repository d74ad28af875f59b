"""Partial pooling: the scores of several classifiers, drawn towards each other.

The best of many equal classifiers looks better than the others by chance. This is so in each
posterior draw, too, if the prior takes all of them for unrelated. Here, differences shrink by as
much as noise may explain them.

"The best" of several is the draw-wise maximum, of pooled draws. The one with the highest mean was
picked for its luck, and so is the maximum of each draw if all are taken for unrelated. So rankings
of three or more and searches pool (`judgement/pooling.py`): true scores vary as their noise does,
and how much is learned for each from those ahead of it. One share of noise for all lets a few bad
candidates tell that the good ones differ; the inverse of the noise's covariance is hardly known for
many classifiers; a share that does not fall down the list hides a single better candidate
(docs/models.md, docs/calibration_details.md). Pooling takes what noise explains off the
differences, so too much assumed noise is not cautious: it hides real differences. Reports on counts
therefore estimate from the splits how much of the noise is common to all candidates. Pairs stay
unpooled, since a pair that was chosen beforehand has no luck to take off; a ranking calls nothing
settled that the pair does not. The number of draws falls with the number of candidates, so that 200
of them take seconds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaincinv, voigt_profile

Array = NDArray[Any]


# The number of values of each share of noise, all of them equally probable.
N_SHARES = 200


# Classifiers whose difference has a smaller share of their variance are copies of each other.
COPIES = 1e-9


def pool_scores(draws: Array, rng: np.random.Generator, covariance: Array | None = None) -> Array:
    """Shrink differences between classifiers, as far as they may be noise.

    True scores are taken to vary as the noise does, theta ~ N(mu, c S) with S the covariance of
    the noise, so that classifiers which hardly disagree hardly differ. Every difference then
    shrinks by the share of noise, 1 / (1 + c), and its variance likewise. The square root of the
    share, the standard deviation of the noise over that of the observed scores, has a uniform
    prior.

    The share is learned from the scores, for each classifier from its own and those ahead of it:
    a few bad classifiers at the end of the list do not tell whether those at its top differ. A sum
    of squared deviations with the covariance S is about g times a chi-squared variable with d
    degrees of freedom, g = tr(S^2) / tr(S) and d = tr(S)^2 / tr(S^2) (Satterthwaite 1946). So
    classifiers that nearly are copies of each other do not count as several.

    Parameters
    ----------
    draws : ndarray of shape (n_classifiers, n_draws)
        Draws of the scores; high scores are good.
    rng : numpy.random.Generator
        The source of randomness.
    covariance : ndarray of shape (n_classifiers, n_classifiers), default=None
        The covariance of the noise in the observed scores. By default, that of the draws.

    Returns
    -------
    pooled : ndarray of shape (n_classifiers, n_draws)
        The pooled draws. In each draw, the average over classifiers is the same as before,
        weighted by their shares of noise. Copies of a classifier have the same draws and no
        influence on others.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.judgement.pooling import pool_scores
    >>> rng = np.random.default_rng(0)
    >>> observed = rng.normal(0.9, 0.01, (50, 1))  # equal classifiers, observed with noise
    >>> draws = rng.normal(observed, 0.01, (50, 4000))
    >>> pooled = pool_scores(draws, rng)
    >>> bool(np.ptp(pooled.mean(axis=1)) < 0.3 * np.ptp(observed))
    True
    """
    means = draws.mean(axis=1)
    noise = np.atleast_2d(np.cov(draws) if covariance is None else covariance)
    first = _first_copies(means, noise)
    distinct = np.unique(first)
    order = distinct[np.argsort(-means[distinct], kind="stable")]
    if len(order) == 1:
        return draws
    sorted_draws = draws[order]
    shares = _shares(means[order], noise[np.ix_(order, order)])
    # Every share as often as its probability says, in random order.
    strata = rng.permutation(np.arange(draws.shape[1]) % N_SHARES)
    kept = 1 - shares[:, strata]
    # The distance of each classifier from the mean of those ahead of it (a Helmert contrast).
    n_ahead = np.arange(1, len(order))[:, None]
    behind = sorted_draws[1:] - np.cumsum(sorted_draws, axis=0)[:-1] / n_ahead
    centre = behind.mean(axis=1, keepdims=True)
    # A mean that is Monte Carlo error is 0, so that draws in which several are equal stay so.
    error = behind.std(axis=1, keepdims=True) / np.sqrt(draws.shape[1])
    centre[np.abs(centre) < 5 * error] = 0.0
    behind = kept * centre + np.sqrt(kept) * (behind - centre)
    ahead = np.cumsum(behind / (n_ahead + 1), axis=0) - behind / (n_ahead + 1)
    pooled = np.vstack([np.zeros_like(behind[:1]), ahead + behind])
    # The level is that of the classifiers which noise may make differ: not of a few bad ones.
    weights = shares.mean(axis=1) + np.finfo(float).tiny
    weights = np.concatenate([weights[:1], weights]) / (weights[0] + weights.sum())
    pooled += weights @ (sorted_draws - pooled)
    # A normal prior knows no bounds, but many metrics do.
    np.clip(pooled, draws.min(), draws.max(), out=pooled)
    positions = np.empty(len(draws), dtype=int)
    positions[order] = np.arange(len(order))
    return pooled[positions[first]]


def _first_copies(means: Array, covariance: Array) -> Array:
    """Return for each classifier the first one that it is a copy of, which may be itself."""
    variances = np.diag(covariance)
    total = variances[:, None] + variances
    near = np.abs(means[:, None] - means) <= COPIES * (1 + np.abs(means))
    return np.asarray((near & (total - 2 * covariance <= COPIES * total)).argmax(axis=1))


def _shares(means: Array, covariance: Array) -> Array:
    """Return quantiles of the share of noise among the first 2, 3, ... of sorted classifiers."""
    # In units in which squares of variances are floats; powers of two change no digit.
    unit = np.ldexp(1.0, int(np.frexp(np.sqrt(covariance.max()))[1]))
    means, covariance = means / unit, covariance / unit**2
    number = np.arange(2, len(means) + 1)
    rows = np.cumsum(covariance, axis=1)

    def of_first(sums: Array) -> Array:
        return np.asarray(np.diag(np.cumsum(sums, axis=0))[1:])

    # The traces of C S C and of its square, C centring the first ones.
    total = of_first(rows)
    trace = np.cumsum(np.diag(covariance))[1:] - total / number
    squares = of_first(np.cumsum(covariance**2, axis=1)) - 2 * of_first(rows**2) / number
    squares = squares + total**2 / number**2
    centred = means - means.mean()
    deviations = np.cumsum(centred**2)[1:] - np.cumsum(centred)[1:] ** 2 / number
    noisy = (trace > 0) & (squares > 0)
    scale, df = np.ones_like(trace), np.ones_like(trace)
    np.divide(squares, trace, out=scale, where=noisy)
    np.divide(trace**2, squares, out=df, where=noisy)
    # The share has a Gamma distribution with this shape and rate, cut at 1.
    shape, rate = df / 2 + 0.5, np.maximum(deviations / scale / 2, 1e-9)
    ranks = (np.arange(N_SHARES) + 0.5) / N_SHARES
    below_one = gammainc(shape, rate)[:, None]
    shape, rate = shape[:, None], rate[:, None]
    shares = np.where(
        below_one > 1e-250,
        gammaincinv(shape, ranks * below_one) / rate,
        ranks ** (1 / np.maximum(shape - rate, 0.5)),  # where the rate hardly matters
    )
    return np.asarray(np.where(noisy[:, None], np.minimum(shares, 1.0), 0.0))


# The numbers of scales tau, of centres mu, and of variances of a subgroup that are considered.
N_TAU, N_MU, N_VARIANCES = 40, 60, 40


# How often the range of centres is narrowed, and what is narrowed away: centres so much less
# probable than the best one.
N_PASSES, NEGLIGIBLE = 4, 1e-5


class PooledSubgroups(NamedTuple):
    """Draws after pooling.

    Attributes
    ----------
    draws : ndarray of shape (n_subgroups, n_draws)
        The pooled draws.
    tau : ndarray of shape (n_draws,)
        Draws of the scale: half of all true differences are within it of the centre.
    """

    draws: Array
    tau: Array


def pool_subgroups(draws: Array, sizes: Array, rng: np.random.Generator) -> PooledSubgroups:
    """Draw differences of subgroups together, as far as they may be noise.

    The true differences have a Cauchy distribution with centre mu and scale tau. mu has a flat
    prior, and the share of noise w = s^2 / (s^2 + tau^2) the density 2 (1 - w), where s^2 is the
    average noise of a subgroup. The posterior of mu and tau is computed on a grid, where each
    subgroup contributes a Voigt density: that of a Cauchy variable plus normal noise. Given mu and
    tau, a Cauchy variable is normal with a variance of its own, which is drawn for each subgroup
    and says how far the given draw moves towards mu.

    A subgroup that is unlike the others in its difference usually is in its variance, too, and
    would be hidden by it. So whether a subgroup stands out is judged by the noise that its size and
    the average subgroup lead one to expect; its own draws keep their variance.

    Parameters
    ----------
    draws : ndarray of shape (n_subgroups, n_draws)
        Draws from the posterior given each subgroup alone, with a flat prior of the difference.
    sizes : ndarray of shape (n_subgroups,)
        The numbers of instances.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    pooled : PooledSubgroups
        The pooled draws and the scale. Draws without noise are returned as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.judgement.pooling import pool_subgroups
    >>> rng = np.random.default_rng(0)
    >>> observed = np.append(rng.normal(0.0, 0.05, 19), -0.4)  # equal but for the last
    >>> draws = rng.normal(observed[:, None], 0.05, (20, 4000))
    >>> pooled = pool_subgroups(draws, np.full(20, 100), rng).draws.mean(axis=1)
    >>> bool(np.ptp(pooled[:19]) < 0.5 * np.ptp(observed[:19]))
    True
    >>> bool(pooled[19] < -0.35)
    True
    """
    n_subgroups, n_draws = draws.shape
    means, own = draws.mean(axis=1), draws.var(axis=1)
    noise = np.mean(own * sizes) / sizes
    if n_subgroups == 1 or not noise.min() > 0:
        return PooledSubgroups(draws, np.full(n_draws, np.nan))
    share = (np.arange(N_TAU) + 0.5) / N_TAU
    scales = np.sqrt(noise.mean() * (1 - share) / share)
    centres, log_posterior = _posterior_on_grid(means, noise, scales, np.log(1 - share))
    weights = np.exp(log_posterior - log_posterior.max()).ravel()
    # Every pair of tau and mu as often as its probability says, in random order.
    spaced = (np.arange(n_draws) + rng.random()) / n_draws
    chosen = np.searchsorted(np.cumsum(weights) / weights.sum(), spaced)
    of_tau, of_mu = divmod(rng.permutation(np.minimum(chosen, len(weights) - 1)), N_MU)
    tau, mu = (
        scales[of_tau],
        centres[of_mu] + (centres[1] - centres[0]) * (rng.random(n_draws) - 0.5),
    )
    pooled = np.empty_like(draws)
    for g in range(n_subgroups):
        variance = _variances(means[g] - mu, noise[g], tau, rng)
        prior = mu + np.sqrt(variance) * rng.standard_normal(n_draws)
        pooled[g] = prior + variance / (variance + own[g]) * (draws[g] - prior)
    # The prior knows no bounds, but many metrics do.
    return PooledSubgroups(np.clip(pooled, draws.min(), draws.max()), tau)


def _posterior_on_grid(
    means: Array, noise: Array, scales: Array, log_prior: Array
) -> tuple[Array, Array]:
    """Return equally spaced centres, and the log posterior of each scale and each centre."""
    margin = np.sqrt(noise.mean())
    low, high = means.min() - margin, means.max() + margin
    for _ in range(N_PASSES):
        centres = np.linspace(low, high, N_MU)
        log_posterior = np.repeat(log_prior[:, None], N_MU, axis=1)
        for mean, sd in zip(means, np.sqrt(noise), strict=True):
            log_posterior += np.log(voigt_profile(mean - centres, sd, scales[:, None]))
        of_centre = log_posterior.max(axis=0)
        likely = np.flatnonzero(of_centre > of_centre.max() + np.log(NEGLIGIBLE))
        first, last = max(likely[0] - 1, 0), min(likely[-1] + 1, N_MU - 1)
        if last - first > N_MU / 2:
            break
        low, high = centres[first], centres[last]
    return centres, log_posterior


def _variances(off: Array, noise: float, tau: Array, rng: np.random.Generator) -> Array:
    """Draw the variance of a subgroup's prior, given how far it is off the centre, for each tau.

    A Cauchy variable is a normal one with standard deviation tau / |z|, where z is standard normal.
    """
    z = np.geomspace(0.003, 4.0, N_VARIANCES)[:, None]
    variances = (tau / z) ** 2
    total = variances + noise
    weights = np.exp(-(z**2 + off**2 / total) / 2) * z / np.sqrt(total)
    reached = np.cumsum(weights, axis=0)
    chosen = (reached < rng.random(len(tau)) * reached[-1]).sum(axis=0)
    return np.asarray(np.take_along_axis(variances, chosen[None], axis=0)[0])
