"""How often 95% intervals of expected calibration errors hold the truth, near 0 and far from it.

A and B see different features of the same instances. Their probabilities are known to be right, and
are made too sure until their error, in 15 bins, is the one that is wanted: 0, 0.02 or 0.1 for A,
and 0.02 for B. "plain" are draws of the error under random weights, "pivotal" twice the observed
error minus them, but at least 0, and "package" what the package draws. Each column has the share
of intervals that hold the truth, and their mean width. With 400 data sets each, they were:

    error of A    n | A: plain    pivotal    package | A - B: plain    pivotal    package
         0      200 | .000 .084  .405 .077  .945 .084 |   .988 .121  .863 .116  .892 .156
         0.02   200 | .000 .086  .603 .080  .907 .089 |   .998 .124  .920 .119  .983 .161
         0.1    200 | .367 .098  .902 .098  .930 .127 |   .782 .136  .843 .134  .958 .178
         0    1,000 | .000 .039  .472 .035  .963 .036 |   .910 .056  .805 .054  .887 .073
         0.02 1,000 | .000 .040  .815 .038  .890 .044 |   .995 .058  .922 .057  .978 .078
         0.1  1,000 | .823 .047  .912 .047  .920 .051 |   .695 .065  .873 .064  .938 .077
         0    5,000 | .000 .017  .472 .016  .963 .016 |   .410 .026  .670 .025  .885 .033
         0.02 5,000 | .270 .019  .902 .019  .900 .025 |   .993 .028  .905 .028  .927 .038
         0.1  5,000 | .932 .022  .950 .022  .955 .023 |   .880 .031  .938 .031  .930 .036

    python benchmarks/calibration_error.py --data-sets 400
"""

import argparse
from dataclasses import replace

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import brentq
from scipy.stats import norm

from skbayeseval import metrics
from skbayeseval.judgement import Distribution
from skbayeseval.models.bootstrap import stream_bootstrap

ECE = metrics.expected_calibration_error()
SD, N_BINS = np.sqrt(1.5), 15
# Normal scores of one feature, whose probability is exactly norm.cdf.
LARGE = norm.ppf((np.arange(200_000) + 0.5) / 200_000) / SD


def true_error(factor):
    """Return the error of probabilities whose normal scores are multiplied by the factor."""
    p = norm.cdf(factor * LARGE)
    in_bin = np.searchsorted(np.arange(1, N_BINS) / N_BINS, p)
    return np.abs(np.bincount(in_bin, p - norm.cdf(LARGE))).sum() / len(p)


def draws(y, scores, kind, seed):
    """Return draws for A and B, as the package makes them before it allows for few instances."""
    prepare = kind.of((0, 1)).function
    each = [prepare(np.array([0, 1]), 1, y, one) for one in scores]
    rng, n = np.random.default_rng(seed), len(y)
    blocks = stream_bootstrap([(np.arange(n), each)], np.ones(n), 2, rng, 1000)
    return np.concatenate(list(blocks), axis=1)


def covered(n, factors, seed):
    """Return what holds the truth: of A and of the difference, by each kind of draws."""
    rng = np.random.default_rng([seed, n])
    features = rng.normal(size=(2, n))
    y = (features.sum(axis=0) + np.sqrt(0.5) * rng.normal(size=n) > 0).astype(int)
    a, b = norm.cdf(np.array(factors)[:, None] * features / SD)
    truth = -np.array([true_error(factor) for factor in factors])
    drawn, alone = (draws(y, (a, b), kind, seed) for kind in (ECE, replace(ECE, of_draws=None)))
    observed = np.array([-ECE.function(y, scores) for scores in (a, b)])[:, None]
    found = []
    for one in (alone, np.minimum(2 * observed - alone, 0.0), drawn):
        for values, value in ((one[0], truth[0]), (one[0] - one[1], truth[0] - truth[1])):
            interval = Distribution(values).hdi()
            found += [interval.low <= value <= interval.high, interval.high - interval.low]
    return found


def main():
    """Print a row per error of A and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=400)
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="+", default=[200, 1000, 5000])
    args = parser.parse_args()
    kinds = [f"{of}, {kind}" for kind in ("plain", "pivotal", "package") for of in ("A", "A - B")]
    print(f"| error of A | n | {' | '.join(kinds)} |\n|{' --- |' * (2 + len(kinds))}")
    factor_of = {0.0: 1.0}
    for error in (0.02, 0.1):
        factor_of[error] = brentq(lambda f, e=error: true_error(f) - e, 1.0, 9.0)
    for n in args.sizes:
        for error, factor in factor_of.items():
            factors = factor, factor_of[0.02]
            tasks = (delayed(covered)(n, factors, seed) for seed in range(args.data_sets))
            shares = np.mean(Parallel(n_jobs=args.n_jobs)(tasks), axis=0).reshape(-1, 2)
            cells = [f"{share:.3f} ({width:.3f})" for share, width in shares]
            print(f"| {error} | {n} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
