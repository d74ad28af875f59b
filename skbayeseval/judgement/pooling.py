"""Partial pooling: the scores of several classifiers or subgroups, drawn towards each other.

The best of many equal classifiers looks better than the others by chance. This is so in each
posterior draw, too, if the prior takes all of them for unrelated. Here, true scores have a Cauchy
distribution with an unknown centre and scale, so that those which noise may explain are drawn
together, and those which it cannot explain stay where they are. Too much assumed noise is not
cautious: it hides real differences. benchmarks/constants.md has the alternatives.
"""

from __future__ import annotations

import numpy as np
from scipy.special import voigt_profile

from skbayeseval._arrays import Array
from skbayeseval.judgement.ranking_decision import first_alike

# Whoever is so many standard deviations of a difference behind the best is pooled without it.
FAR = 10.0

# The numbers of scales tau, of centres mu, and of variances of one score that are considered.
N_TAU, N_MU, N_VARIANCES = 40, 60, 40

# How often the range of centres is narrowed, and what is narrowed away: centres so much less
# probable than the best one.
N_PASSES, NEGLIGIBLE = 4, 1e-5


def pool_scores(draws: Array, rng: np.random.Generator) -> Array:
    """Draw classifiers together, as far as noise may explain how they differ.

    Who is the best depends on the noise of differences alone. It is taken to be independent: draw
    k has the noise g + e_k, where the variance of g is the average covariance of two classifiers,
    and that of e_k is K / (K - 1) times the variance of the difference to the mean of all K. True
    scores are Cauchy; the square root of the share of noise, s^2 / (s^2 + tau^2) with s^2 the
    average variance of e_k, has a uniform prior. g moves all of them, and is not pooled.

    Whoever is far behind the best does not tell how much the others differ: the best, and those
    not far behind it, are pooled by themselves, and then the rest likewise.

    Parameters
    ----------
    draws : ndarray of shape (n_classifiers, n_draws)
        Draws of the scores; high scores are good.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    pooled : ndarray of shape (n_classifiers, n_draws)
        The pooled draws. Copies of a classifier have the same, and no influence on others.

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
    first = first_alike(draws)
    distinct = np.unique(first)
    order = distinct[draws[distinct].mean(axis=1).argsort(kind="stable")]
    pooled = np.empty_like(draws)
    pooled[order] = _pool_distinct(draws[order], rng)
    pooled = pooled[first]
    # A Cauchy distribution knows no bounds, but many metrics do.
    return np.clip(pooled, draws.min(), draws.max())


def _pool_distinct(draws: Array, rng: np.random.Generator) -> Array:
    """Pool classifiers of which no two are copies."""
    k, n_draws = draws.shape
    means, level = draws.mean(axis=1), draws.mean(axis=0)
    noise = (draws - level).var(axis=1) * k / max(k - 1, 1)
    if not noise.max() > 0:
        return draws
    near = means >= means.max() - FAR * np.sqrt(2 * np.median(noise))
    if not near.all():
        pooled = np.empty_like(draws)
        pooled[near], pooled[~near] = (_pool_distinct(draws[some], rng) for some in (near, ~near))
        return pooled
    # What all have in common, given the mean of all.
    share = max(1 - noise.mean() / k / level.var(), 0.0) if level.var() > 0 else 0.0
    common = share * (level - level.mean())
    common += np.sqrt(share * (1 - share) * level.var()) * rng.standard_normal(n_draws)
    root = (np.arange(N_TAU) + 0.5) / N_TAU
    return common + _drawn_together(draws - common, noise, noise, root**2, np.ones(N_TAU), rng)[0]


def pool_subgroups(draws: Array, sizes: Array, rng: np.random.Generator) -> tuple[Array, Array]:
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
    pooled : ndarray of shape (n_subgroups, n_draws)
        The pooled draws. Draws without noise are returned as they are.
    tau : ndarray of shape (n_draws,)
        Draws of the scale: half of all true differences are within it of the centre.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.judgement.pooling import pool_subgroups
    >>> rng = np.random.default_rng(0)
    >>> observed = np.append(rng.normal(0.0, 0.05, 19), -0.4)  # equal but for the last
    >>> draws = rng.normal(observed[:, None], 0.05, (20, 4000))
    >>> pooled = pool_subgroups(draws, np.full(20, 100), rng)[0].mean(axis=1)
    >>> bool(np.ptp(pooled[:19]) < 0.5 * np.ptp(observed[:19]))
    True
    >>> bool(pooled[19] < -0.35)
    True
    """
    own = draws.var(axis=1)
    noise = np.mean(own * sizes) / sizes
    if len(draws) == 1 or not noise.min() > 0:
        return draws, np.full(draws.shape[1], np.nan)
    share = (np.arange(N_TAU) + 0.5) / N_TAU
    pooled, tau = _drawn_together(draws, noise, own, share, 1 - share, rng)
    # The prior knows no bounds, but many metrics do.
    return np.clip(pooled, draws.min(), draws.max()), tau


def _drawn_together(
    draws: Array, noise: Array, own: Array, share: Array, prior: Array, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return draws given that true values are Cauchy, and draws of their scale.

    `noise` are the variances by which it is judged how much each draw moves to the centre, `own`
    those of the draws, and `prior` the probabilities of shares of noise.
    """
    means, scales = draws.mean(axis=1), np.sqrt(noise.mean() * (1 - share) / share)
    centres, log_posterior = _posterior_on_grid(means, noise, scales, np.log(prior))
    reached = np.cumsum(np.exp(log_posterior - log_posterior.max()))
    n_draws = draws.shape[1]
    spaced = (np.arange(n_draws) + rng.random()) / n_draws * reached[-1]
    cells, cell = np.unique(np.searchsorted(reached, spaced), return_inverse=True)
    shuffled = rng.permutation(n_draws)
    of_tau, of_mu = divmod(cells, N_MU)
    tau, centre = scales[of_tau], centres[of_mu]
    mu = centre[cell[shuffled]] + (centres[1] - centres[0]) * (rng.random(n_draws) - 0.5)
    # A Cauchy variable is a normal one with standard deviation tau / |z|, z being standard normal.
    z = np.geomspace(0.003, 4.0, N_VARIANCES)
    variances = (tau[:, None] / z) ** 2
    pooled = np.empty_like(draws)
    for k in range(len(draws)):
        total = variances + noise[k]
        logs = np.log(z / np.sqrt(total)) - (z**2 + (means[k] - centre[:, None]) ** 2 / total) / 2
        reached = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
        reached = reached / reached[:, -1:] + np.arange(len(cells))[:, None]
        chosen = np.searchsorted(reached.ravel(), cell + rng.random(n_draws))
        variance = variances.ravel()[chosen[shuffled]]
        prior_draws = mu + np.sqrt(variance) * rng.standard_normal(n_draws)
        pooled[k] = prior_draws + variance / (variance + own[k]) * (draws[k] - prior_draws)
    return pooled, tau[cell[shuffled]]


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
