"""How often intervals of subgroups cover the truth, pooled and alone.

Eight subgroups of 20 to 400 instances, or a multiple of that. B is right on 80% of the instances,
and A and B disagree on 20% of them. The true difference of accuracy in a subgroup is drawn from
N(mu, tau^2). Subgroups are compared by predictions of two classes (`compare_predictions`), of four
classes, or by right and wrong items (`compare_items`).

    python benchmarks/subgroups.py --kinds "2 classes" items
    python benchmarks/subgroups.py --kinds "2 classes" --times 30 --reports 100

With --odd, subgroups are of equal size, and one of them is unlike the others: A and B disagree on
10% of the instances elsewhere, and A is better by 0.03; in the last subgroup, A is worse by 0.2 or
0.3, and they disagree on a tenth more than that. The first rows have no such subgroup, but equal
ones or normally varying ones.

    python benchmarks/subgroups.py --odd --reports 200

With --priors, observed differences are normal, and the coverage under several priors of tau is
computed on a grid.

    python benchmarks/subgroups.py --priors
"""

import argparse

import numpy as np
from scipy.stats import norm

from skbayeseval import compare_items, compare_predictions

SIZES = (20, 30, 45, 70, 110, 170, 260, 400)
RIGHT, DISAGREE = 0.8, 0.2
ROPE = 0.02
N_DRAWS = 4000

# The mean and the standard deviation of the true differences.
TRUTHS = ((0.0, 0.0), (0.03, 0.0), (0.03, 0.02), (0.03, 0.05))

# How many subgroups of which size, the difference of the odd one, and tau where there is none.
DESIGNS = ((20, 50), (5, 100), (10, 300))
ODD = ((None, 0.0), (None, 0.05), (-0.2, 0.0), (-0.3, 0.0))

COLUMNS = (
    "compared", "mu", "tau", "coverage", "alone", "worst", "width", "error",
    "false sign", "false sign alone", "varies", "no sign",
)  # fmt: skip


def compared(kind, differences, rng, seed, sizes=SIZES, disagree=DISAGREE):
    """Return the comparison by subgroup, for classifiers with these true differences."""
    subgroup = np.repeat(np.arange(len(sizes)), sizes)
    disagree = np.broadcast_to(disagree, len(sizes))[subgroup]
    only_a = (disagree + differences[subgroup]) / 2
    u = rng.random(len(subgroup))
    a, only_b = u < only_a, (only_a <= u) & (u < disagree)
    # Where they agree, both are right as often as makes B right on 80% in all.
    agree = ~a & ~only_b
    both = agree & (rng.random(len(u)) < (RIGHT - (disagree - only_a)) / (1 - disagree))
    right_a, right_b = a | both, only_b | both
    options = {"n_draws": N_DRAWS, "random_state": seed}
    if kind == "items":
        return compare_items(right_a.astype(int), right_b.astype(int), **options).by(subgroup)
    n_classes = int(kind.split()[0])
    y = rng.integers(n_classes, size=len(u))
    said = (np.where(right, y, (y + 1) % n_classes) for right in (right_a, right_b))
    return compare_predictions(y, *said, **options).by(subgroup)


def report(subgroups, differences):
    """Return what one report gets right, per subgroup and in all."""
    table, decision = subgroups.table, subgroups.decision(ROPE)
    inside, width = {}, {}
    for name, low, high in (
        ("pooled", "hdi_low", "hdi_high"),
        ("alone", "alone_low", "alone_high"),
    ):
        inside[name] = (table[low] <= differences) & (differences <= table[high])
        width[name] = table[high] - table[low]
    centres = (table["alone_low"] + table["alone_high"]) / 2
    error = [((one - differences) ** 2).mean() for one in (table["mean"], centres)]
    # Surely worse or better than it is: the HDI is on the wrong side of 0, or beside it.
    wrong = [
        bool((((low > 0) & (differences <= 0)) | ((high < 0) & (differences >= 0))).any())
        for low, high in (
            (table["hdi_low"], table["hdi_high"]),
            (table["alone_low"], table["alone_high"]),
        )
    ]
    return (
        inside["pooled"].to_numpy(),
        inside["alone"].to_numpy(),
        (width["pooled"] / width["alone"]).mean(),
        *error,
        *wrong,
        decision.varies is True,
        decision.varies is False,
    )


def simulate(kind, mu, tau, n_reports, times=1):
    """Return one row of the table."""
    rng, found, sizes = np.random.default_rng(0), [], times * np.array(SIZES)
    for seed in range(n_reports):
        differences = np.clip(rng.normal(mu, tau, len(SIZES)), -DISAGREE, DISAGREE)
        found.append(report(compared(kind, differences, rng, seed, sizes), differences))
    pooled, alone, width, mse, mse_alone, *rest = (
        np.array(one, dtype=float) for one in zip(*found, strict=True)
    )
    return [
        kind, mu, tau, f"{pooled.mean():.3f}", f"{alone.mean():.3f}",
        f"{pooled.mean(axis=0).min():.3f}", f"{width.mean():.2f}",
        f"{np.sqrt(mse.mean() / mse_alone.mean()):.2f}", *(f"{one.mean():.1%}" for one in rest),
    ]  # fmt: skip


def simulate_odd(n_subgroups, size, odd, tau, n_reports):
    """Return one row of the table of subgroups of which one is unlike the others."""
    rng, found = np.random.default_rng(0), []
    for seed in range(n_reports):
        disagree = np.full(n_subgroups, 0.1 if tau == 0 else DISAGREE)
        if odd is None:
            differences = np.clip(rng.normal(0, tau, n_subgroups), -DISAGREE, DISAGREE)
        else:
            differences = np.full(n_subgroups, 0.03)
            differences[-1], disagree[-1] = odd, 0.1 - odd
        sizes = np.full(n_subgroups, size)
        by_subgroup = compared("2 classes", differences, rng, seed, sizes, disagree)
        pooled, alone, *_, wrong, _, _, _ = report(by_subgroup, differences)
        flagged = by_subgroup.table["hdi_high"].iloc[-1] < 0
        found.append((pooled.mean(), pooled[-1], alone[-1], flagged, wrong))
    every, of_odd, of_odd_alone, flagged, wrong = np.mean(found, axis=0)
    of_last = [f"{of_odd:.2f}", f"{of_odd_alone:.2f}", f"{flagged:.0%}"]
    return [
        f"{n_subgroups} of {size}", "none" if odd is None else odd, tau, f"{every:.3f}",
        *(["", "", ""] if odd is None else of_last), f"{wrong:.1%}",
    ]  # fmt: skip


def coverage_of_priors(n_reports=3000, n_grid=200):
    """Print the coverage of pooled intervals of normal data, for several priors of tau."""
    rng = np.random.default_rng(0)
    noise = np.sqrt(DISAGREE / np.array(SIZES))
    average = np.sqrt(len(noise) / np.sum(noise**-2))  # that of a subgroup of average size
    q = (np.arange(n_grid) + 0.5) / n_grid
    # Values of tau with equal prior probabilities.
    priors = {
        "uniform shrinkage": np.sqrt((noise**2).mean() * (1 - q) / q),
        "half-Cauchy": average * np.tan(np.pi / 2 * q),
        "half-normal": average * norm.ppf((1 + q) / 2),
    }
    print("| tau / noise |", " | ".join(priors), "|")
    print("| --- |", " | ".join("---" for _ in priors), "|")
    for times in (0, 0.5, 1, 2, 5):
        truth = times * average * rng.standard_normal((n_reports, len(noise)))
        observed = truth + noise * rng.standard_normal(truth.shape)
        inside = [_inside(truth, observed, noise, tau).mean() for tau in priors.values()]
        print(f"| {times} |", " | ".join(f"{one:.3f}" for one in inside), "|", flush=True)


def _inside(truth, observed, noise, tau):
    """Return which true values are in their 95% intervals, for equally probable values of tau."""
    precision = 1 / (noise**2 + tau[:, None] ** 2)
    of_mu = precision.sum(axis=1)
    mu = observed @ precision.T / of_mu
    off = observed[:, None] - mu[..., None]
    fit = np.log(precision).sum(axis=1) - np.log(of_mu) - (precision * off**2).sum(axis=2)
    weights = np.exp((fit - fit.max(axis=1, keepdims=True)) / 2)
    weights /= weights.sum(axis=1, keepdims=True)
    own = tau[:, None] ** 2 * precision
    sd = np.sqrt(own * noise**2 + (1 - own) ** 2 / of_mu[:, None])
    below = norm.cdf((truth[:, None] - mu[..., None] - own * off) / sd)
    rank = (weights[..., None] * below).sum(axis=1)
    return (rank > 0.025) & (rank < 0.975)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reports", type=int, default=300)
    parser.add_argument("--kinds", nargs="+", default=["2 classes", "4 classes", "items"])
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--priors", action="store_true")
    parser.add_argument("--odd", action="store_true")
    arguments = parser.parse_args()
    if arguments.priors:
        coverage_of_priors()
        return
    if arguments.odd:
        columns = ("subgroups", "odd one", "tau", "coverage", "of the odd one", "alone", "flagged",
                   "false sign")  # fmt: skip
        rows = (simulate_odd(*design, *odd, arguments.reports) for odd in ODD for design in DESIGNS)
    else:
        columns = COLUMNS
        rows = (
            simulate(kind, mu, tau, arguments.reports, arguments.times)
            for kind in arguments.kinds
            for mu, tau in TRUTHS
        )
    print("|", " | ".join(columns), "|")
    print("|", " | ".join("---" for _ in columns), "|")
    for row in rows:
        print("|", " | ".join(map(str, row)), "|", flush=True)


if __name__ == "__main__":
    main()
