"""Partial pooling: the scores of several classifiers, drawn towards each other.

The best of many equal classifiers looks better than the others by chance. This is so in each
posterior draw, too, if the prior takes all of them for unrelated. Here, differences shrink by as
much as noise may explain them: of classifiers, those at the top of a ranking; of subgroups, all.
Too much assumed noise is not cautious: it hides real differences. Pairs stay unpooled, since a pair
that was chosen beforehand has no luck to take off. benchmarks/constants.md has the
alternatives.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import voigt_profile

from skbayeseval._arrays import Array

# The number of values of the share of noise that are considered.
N_SHARES = 60

# The prior odds of being behind the pack, and of leading it, and the median distance of those that
# are not in it, in standard deviations of the noise.
BEHIND, LEADING, FAR_DISTANCE = 0.15 / 0.85, 0.05 / 0.85, 10.0

# Classifiers whose difference has a smaller share of their variance are copies of each other.
COPIES = 1e-9


def pool_scores(draws: Array, rng: np.random.Generator) -> Array:
    """Shrink differences between the classifiers at the top, as far as they may be noise.

    The best few are a pack, and whoever is behind it, or leads it alone, is not. True scores of the
    pack vary as the noise does, theta ~ N(mu, c S) with S the covariance of the draws, so that
    classifiers which hardly disagree hardly differ. Their differences shrink by the share of noise,
    1 / (1 + c), whose square root has a uniform prior, and the variances of these likewise. Those
    outside the pack are at half-Cauchy distances from its mean, and stay where they are. How many
    the pack has, two or more, whether one leads it, and the share are averaged over.

    A sum of squared deviations with the covariance S is about g times a chi-squared variable with d
    degrees of freedom, g = tr(S^2) / tr(S) and d = tr(S)^2 / tr(S^2) (Satterthwaite 1946). So
    classifiers that nearly are copies of each other do not count as several.

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
    means = draws.mean(axis=1)
    noise = np.atleast_2d(np.cov(draws))
    # For each classifier the first one that it is a copy of, which may be itself.
    variances = np.diag(noise)
    total = variances[:, None] + variances
    near = np.abs(means[:, None] - means) <= COPIES * (1 + np.abs(means))
    first = (near & (total - 2 * noise <= COPIES * total)).argmax(axis=1)
    distinct = np.unique(first)
    order = distinct[np.argsort(-means[distinct], kind="stable")]
    if len(order) == 1:
        return draws
    ranked, means, n_draws = draws[order], means[order], draws.shape[1]
    # Those that are equal in most draws have one mean, but for Monte Carlo error.
    for k in np.flatnonzero((ranked[1:] == ranked[:-1]).mean(axis=1) > 0.5):
        means[k + 1] = means[k]
    leads, last, shares, log_posterior = map(
        np.concatenate, zip(*_packs(means, noise[np.ix_(order, order)]), strict=True)
    )
    chosen = _drawn(log_posterior, n_draws, rng)
    first_in, last_in, kept = leads[chosen], last[chosen], 1 - shares[chosen]
    place = np.arange(len(order))[:, None]
    inside = (first_in <= place) & (place <= last_in)
    level, middle = (
        np.where(inside, of_all, 0.0).sum(axis=0) / (last_in - first_in + 1)
        for of_all in (ranked, means[:, None])
    )
    centre = means[:, None] - middle
    pooled = level + kept * centre + np.sqrt(kept) * (ranked - level - centre)
    # A normal prior knows no bounds, but many metrics do.
    pooled = np.clip(np.where(inside, pooled, ranked), draws.min(), draws.max())
    positions = np.empty(len(draws), dtype=int)
    positions[order] = np.arange(len(order))
    return pooled[positions[first]]


def _drawn(log_posterior: Array, n_draws: int, rng: np.random.Generator) -> Array:
    """Return places, each as often as its probability says, in random order."""
    reached = np.cumsum(np.exp(log_posterior - log_posterior.max()))
    spaced = (np.arange(n_draws) + rng.random()) / n_draws
    chosen = np.searchsorted(reached, spaced * reached[-1])
    return rng.permutation(np.minimum(chosen, len(reached) - 1))


def _packs(means: Array, covariance: Array) -> Iterator[tuple[Array, Array, Array, Array]]:
    """Yield places of the first and of the last in a pack, shares of noise, and log probabilities.

    Classifiers are sorted. The first one is in the pack, or ahead of it if there are others.
    """
    # In units in which squares of variances are floats; powers of two change no digit.
    unit = np.ldexp(1.0, int(np.frexp(np.sqrt(covariance.max()))[1]))
    means, covariance = means / unit, covariance / unit**2
    share = ((np.arange(N_SHARES) + 0.5) / N_SHARES) ** 2
    place = np.arange(len(means))[:, None]
    for leads in (0, 1) if len(means) > 2 else (0,):
        rows = np.cumsum(covariance[:, leads:], axis=1)
        number = np.arange(1, rows.shape[1] + 1)

        def of_first(sums: Array, leads: int = leads) -> Array:
            return np.asarray(np.diag(np.cumsum(sums[leads:], axis=0)))

        # The traces of C S C and of its square, C centring those of the pack.
        total = of_first(rows)
        trace = np.cumsum(np.diag(covariance)[leads:]) - total / number
        squares = of_first(np.cumsum(covariance[:, leads:] ** 2, axis=1))
        squares = squares - 2 * of_first(rows**2) / number + total**2 / number**2
        centred = means[leads:] - means.mean()
        deviations = np.cumsum(centred**2) - np.cumsum(centred) ** 2 / number
        noisy = (trace > 0) & (squares > 0) & (number > 1)
        scale, df = np.ones_like(trace), np.ones_like(trace)
        np.divide(squares, trace, out=scale, where=noisy)
        np.divide(trace**2, squares, out=df, where=noisy)
        # All in units of the noise, of which a pack has as many dimensions as degrees of freedom.
        ratio = np.where(noisy, deviations / scale, 0.0)[:, None]
        of_pack = (df[:, None] * np.log(share / (2 * np.pi)) - share * ratio) / 2
        # The distance of each from the mean of each pack, and how much noise it has.
        distance = np.cumsum(means[leads:]) / number - means[:, None]
        variance = np.diag(covariance)[:, None] - 2 * rows / number + total / number**2
        variance = FAR_DISTANCE**2 * np.maximum(
            variance, COPIES * max(float(variance.max()), COPIES)
        )
        outside = np.log(2 / (np.pi * FAR_DISTANCE)) - np.log1p(distance**2 / variance)
        prior = np.select([place < leads, place >= leads + number], [LEADING, BEHIND], 1.0)
        odds = np.where(prior < 1, np.log(prior) + outside, 0.0)
        posterior = (of_pack + odds.sum(axis=0)[:, None])[1:]  # a pack has two or more
        # What is far more than the least share of noise explains is no noise at all.
        shares = np.where(noisy[:, None] & (share[0] * ratio < 20), share, 0.0)[1:]
        last = np.repeat(leads + number[1:] - 1, N_SHARES)
        yield np.full_like(last, leads), last, shares.ravel(), posterior.ravel()


# The numbers of scales tau, of centres mu, and of variances of a subgroup that are considered.
N_TAU, N_MU, N_VARIANCES = 40, 60, 40


# How often the range of centres is narrowed, and what is narrowed away: centres so much less
# probable than the best one.
N_PASSES, NEGLIGIBLE = 4, 1e-5


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
    n_subgroups, n_draws = draws.shape
    means, own = draws.mean(axis=1), draws.var(axis=1)
    noise = np.mean(own * sizes) / sizes
    if n_subgroups == 1 or not noise.min() > 0:
        return draws, np.full(n_draws, np.nan)
    share = (np.arange(N_TAU) + 0.5) / N_TAU
    scales = np.sqrt(noise.mean() * (1 - share) / share)
    centres, log_posterior = _posterior_on_grid(means, noise, scales, np.log(1 - share))
    of_tau, of_mu = divmod(_drawn(log_posterior, n_draws, rng), N_MU)
    tau = scales[of_tau]
    mu = centres[of_mu] + (centres[1] - centres[0]) * (rng.random(n_draws) - 0.5)
    # A Cauchy variable is a normal one with standard deviation tau / |z|, z being standard normal.
    z = np.geomspace(0.003, 4.0, N_VARIANCES)[:, None]
    variances = (tau / z) ** 2
    pooled = np.empty_like(draws)
    for g in range(n_subgroups):
        total = variances + noise[g]
        weights = np.exp(-(z**2 + (means[g] - mu) ** 2 / total) / 2) * z / np.sqrt(total)
        reached = np.cumsum(weights, axis=0)
        chosen = (reached < rng.random(n_draws) * reached[-1]).sum(axis=0)
        variance = np.take_along_axis(variances, chosen[None], axis=0)[0]
        prior = mu + np.sqrt(variance) * rng.standard_normal(n_draws)
        pooled[g] = prior + variance / (variance + own[g]) * (draws[g] - prior)
    # The prior knows no bounds, but many metrics do.
    return np.clip(pooled, draws.min(), draws.max()), tau


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
