"""Partial pooling of subgroups: differences drawn together, unless one of them stands out.

A subgroup that stands out among many is usually a lucky one, so differences are drawn towards their
common mean. But one subgroup may truly be unlike all others. With a normal distribution of true
differences, many alike subgroups would overrule it. A Cauchy distribution has long tails: what is
near the others is drawn in, and what is far from them is left where it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import voigt_profile

__all__ = ["PooledSubgroups", "pool_subgroups"]

Array = NDArray[Any]

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
    >>> from skbayeseval.judgement.subgroup_pooling import pool_subgroups
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
