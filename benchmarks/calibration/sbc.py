"""Simulation-based calibration of every model with a proper prior (Talts et al. 2018).

Parameters are drawn from the prior of a model, data are drawn given the parameters, and the
posterior is computed from the data. If the posterior is correct, the rank of the true metric value
among the posterior draws is uniform, for every metric and every size of the data.

The prior, the data and the true metric values are computed with numpy alone (`prior_cases`). Only
the posterior and the metrics of its draws come from the package: a `Posterior` passes its draws
through a metric that stores them, and the registered metrics are then computed for all replications
at once. Metric values are rounded to seven decimals before ranking, and ties are broken at random,
because the sparse models leave out 1e-6 of a row, and because a recall of 1 - 1e-30 cannot be
distinguished from 1.

What it cannot show:

- Errors in the step from predictions to counts: it starts from counts.
- Whether a weight is appropriate for correlated counts: the weighted posterior does not belong to
  any likelihood. It does show that instances counted twice with weight 1/2 (`repeat`) give the
  same ranks as instances counted once.
- Whether differences in the paired model with many classes are calibrated. Each classifier's eta
  is inferred from that classifier's own confusion counts (a cut posterior), which is not the full
  posterior of any prior. The marginal of each classifier is the hierarchical model, so the metrics
  of A are calibrated. Given the etas, the posterior is a full posterior: with a prior that fixes
  eta (Beta(6e5, 4e5)) the difference must be calibrated as well, and this is tested.
- Independent labels on shared instances: the model gives each classifier separate label
  frequencies, which predictions for the same instances do not follow. A and B therefore get
  separate instances here.

In addition to the metrics, the log-likelihood of the data is ranked: that of A for metrics of A,
and that of both for the difference. It depends on all parameters at once, so it reveals a wrong
width with far fewer replications than any single metric (Modrak et al. 2023). Each quantity has
three tests of uniformity: chi-square of the binned ranks, and the mean and the mean square of the
normal scores of the ranks, which are more sensitive to a bias or a wrong width. One more test per
model pools the mean squares of all its metrics. Holm's method corrects all tests together.
`--planted` shows which errors such a run would detect.

    python benchmarks/calibration/sbc.py --replications 4000 --csv sbc.csv --figure sbc.png
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd
from prior_cases import CASES, DIFFERENCE, one_against_rest, true_scores
from scipy import stats

from skbayeseval.metrics.metric import TableMetric, Totals
from skbayeseval.metrics.registry import get_metric
from skbayeseval.models.vectors import Vectors
from skbayeseval.posterior.posterior import Posterior

N_DRAWS = 99
N_BINS = 20
CHUNK = 500
DECIMALS = 7
LIKELIHOOD = "log-likelihood"

# Numbers of instances, by turns: few show errors of the prior, many those of the likelihood.
SIZES = (25, 100)


def draw_counts(rng, joint, sizes, n_axes):
    """Draw counts, with joint probabilities along the last `n_axes` axes."""
    return rng.multinomial(sizes, joint.reshape(*joint.shape[:-n_axes], -1)).reshape(joint.shape)


# The posterior, the package's.


def posterior_totals(model, evidence, entropy, n_draws=N_DRAWS):
    """Return the draws of a posterior as totals of shape (classifier, draw, class)."""
    blocks = []

    def keep(totals, positive, zero_division):
        blocks.append(totals)
        return np.zeros(totals.true.shape[:-1])

    posterior = Posterior(model, evidence, entropy=entropy, n_draws=n_draws)
    posterior.draws(TableMetric("kept", keep))
    # Dirichlet vectors of classes come with the draw first, all others with the classifier first.
    given = posterior.specification
    axis = 0 if isinstance(given, Vectors) and not given.of_labels else 1
    totals = (np.concatenate(total, axis=axis) for total in zip(*blocks, strict=True))
    return Totals(*(np.swapaxes(total, 0, 1) if axis == 0 else total for total in totals))


def log_likelihood(counts, cells, true_negatives):
    """Return the log-likelihood of each class against the rest, summed over classes.

    As a function of both parameters and data it is sensitive to a wrong width in all directions
    (Modrak et al. 2023).
    """
    if not true_negatives:  # the negative class is not known, and neither are its cells
        counts, cells = ([x[..., 1:] for x in both[:3]] for both in (counts, cells))
    terms = (n * np.log(np.maximum(p, 1e-12)) for n, p in zip(counts, cells, strict=True))
    return sum(terms).sum(axis=-1)


def planted_swap(counts, case):
    """Swap A and B in one cell: one discordant pair, the true positives, or a whole label."""
    counts = counts.copy()
    if case.paired:
        counts[:, 1, [0, 1], [1, 0]] = counts[:, 1, [1, 0], [0, 1]]
    elif case.labels:
        counts[:, :, 1] = counts[::-1, :, 1]
    else:
        counts[:, :, 1, 1] = counts[::-1, :, 1, 1]
    return counts


def margins(joint):
    """Return the tables of A and B from those over (true, prediction of A, of B, ...)."""
    rest = tuple(range(4, joint.ndim))
    return np.stack([joint.sum(axis=(3, *rest)), joint.sum(axis=(2, *rest))])


def rescale(draws, scale):
    """Stretch draws about their mean, along the last axis."""
    mean = draws.mean(axis=-1, keepdims=True)
    return mean + scale * (draws - mean)


def simulate(case, rng, n, *, repeat=1, weight=1.0, scale=1.0, swap=False, n_draws=N_DRAWS):
    """Return true values (2, n) and draws (2, n, n_draws) for A and B, by metric."""
    joint = case.prior(rng, n, case.n_classes)
    sizes = np.resize(SIZES, n)
    if case.paired:
        counts = draw_counts(rng, joint, sizes, joint.ndim - 1)
    else:
        counts = draw_counts(rng, joint, sizes[:, None] if case.labels else sizes, 2)
    if swap:
        counts = planted_swap(counts, case)
    kept = []
    for i in range(n):
        evidence = case.evidence(repeat * (counts[i] if case.paired else counts[:, i]), weight)
        parts = [
            posterior_totals(case.model, one, int(rng.integers(2**63)), n_draws) for one in evidence
        ]
        kept.append([np.concatenate(total)[:2] for total in zip(*parts, strict=True)])
    totals = Totals(*(np.stack(total, axis=1) for total in zip(*kept, strict=True)))
    tables, counted = (margins(x) if case.paired else x for x in (joint, counts))
    truth = true_scores(tables, case.metrics, labels=case.labels)
    found = {}
    for name in case.metrics:
        draws = get_metric(name).of_totals(totals, 1)
        found[name] = truth[name], draws if scale == 1 else rescale(draws, scale)

    data, true_cells = (one_against_rest(x, labels=case.labels) for x in (counted, tables))
    tp, fp, fn = totals.hits, totals.predicted - totals.hits, totals.true - totals.hits
    cells = [tp, fp, fn, 1 - tp - fp - fn]
    if scale != 1:
        cells = [np.swapaxes(rescale(np.swapaxes(x, 2, 3), scale), 2, 3) for x in cells]
    of_draws = log_likelihood([x[:, :, None] for x in data], cells, case.true_negatives)
    found[LIKELIHOOD] = log_likelihood(data, true_cells, case.true_negatives), of_draws
    return found


def rank(rng, truth, draws):
    """Return how many draws are below the true value, with ties broken at random."""
    truth, draws = np.round(truth, DECIMALS)[:, None], np.round(draws, DECIMALS)
    return (draws < truth).sum(axis=1) + rng.integers((draws == truth).sum(axis=1) + 1)


def ranks_of(
    case, replications, seed=0, *, n_draws=N_DRAWS, **changes
) -> dict[tuple[str, str], np.ndarray]:
    """Return ranks by (quantity, metric).

    `changes` introduce errors: a wrong `weight`, a `scale` that stretches the draws about their
    mean, or `swap`, which swaps A and B in one cell. `repeat` is how often each instance is
    counted.
    """
    rng = np.random.default_rng([seed, CASES.index(case)])
    found: dict[tuple[str, str], list] = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Labels .* no positive instance")
        for start in range(0, replications, CHUNK):
            size = min(CHUNK, replications - start)
            scores = simulate(case, rng, size, n_draws=n_draws, **changes)
            for name, (truth, draws) in scores.items():
                for quantity in case.quantities:
                    sign = 1 if name == LIKELIHOOD else -1  # of both together
                    t, d = (
                        x[0] + sign * x[1] if quantity == DIFFERENCE else x[0]
                        for x in (truth, draws)
                    )
                    found.setdefault((quantity, name), []).append(rank(rng, t, d))
    return {key: np.concatenate(parts) for key, parts in found.items()}


# Tests of uniformity.


def normal_scores(ranks, n_draws=N_DRAWS):
    """Return the normal scores of ranks, and the expected mean square for uniform ranks."""
    scores = stats.norm.ppf((np.arange(n_draws + 1) + 0.5) / (n_draws + 1))
    return scores[ranks], (scores**2).mean(), (scores**2).std()


def p_values(ranks, n_draws=N_DRAWS):
    """Return p-values of the chi-square test, of the mean and of the mean square."""
    n = len(ranks)
    observed = np.bincount(ranks * N_BINS // (n_draws + 1), minlength=N_BINS)
    scores, square, sd_of_square = normal_scores(ranks, n_draws)
    location = scores.mean() / np.sqrt(square / n)
    spread = ((scores**2).mean() - square) / (sd_of_square / np.sqrt(n))
    return {
        "p_chi2": float(stats.chisquare(observed).pvalue),
        "p_location": float(2 * stats.norm.sf(abs(location))),
        "p_spread": float(2 * stats.norm.sf(abs(spread))),
    }


def pooled_spread(ranks, n_draws=N_DRAWS):
    """Return the p-value of the mean square of the normal scores of all metrics together."""
    scores, square, _ = normal_scores(np.stack(list(ranks.values())), n_draws)
    return float(stats.ttest_1samp((scores**2).mean(axis=0), square).pvalue)


def assess(ranks, n_draws=N_DRAWS):
    """Return one row per quantity and metric, and one for all of them together.

    `p` is the smallest of a row's p-values, times their number.
    """
    rows = []
    for (quantity, metric), of_one in ranks.items():
        tests = p_values(of_one, n_draws)
        p = min(1.0, len(tests) * min(tests.values()))
        rows.append({"quantity": quantity, "metric": metric, **tests, "p": p})
    pooled = pooled_spread(ranks, n_draws)
    rows.append({"quantity": "all", "metric": "all", "p_spread": pooled, "p": pooled})
    return pd.DataFrame(rows)


def holm(p):
    """Return p-values adjusted by Holm's method."""
    p = np.asarray(p)
    order = np.argsort(p)
    adjusted = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    result = np.empty_like(adjusted)
    result[order] = np.minimum(adjusted, 1.0)
    return result


def number_of_tests():
    """Return the number of rows of a run over all cases."""
    return sum(len(case.quantities) * (len(case.metrics) + 1) + 1 for case in CASES)


def calibrate(replications, seed=0):
    """Return the table of all cases, and the ranks of each case."""
    ranks, tables = {}, []
    for case in CASES:
        start = time.perf_counter()
        ranks[case.name] = ranks_of(case, replications, seed)
        table = assess(ranks[case.name])
        table.insert(0, "model", case.name)
        tables.append(table)
        print(f"{case.name:24} {time.perf_counter() - start:5.0f} s", flush=True)
    table = pd.concat(tables, ignore_index=True)
    table["p_holm"] = holm(table["p"])
    return table, ranks


PLANTED = {
    "weight 1.1": {"weight": 1.1},
    "sd 5% too small": {"scale": 0.95},
    "sd 5% too large": {"scale": 1.05},
    "A and B swapped in one cell": {"swap": True},
}


def planted(case, error, replications, seed=0):
    """Return the smallest p-value of a case with a planted error.

    It is adjusted as if all other tests of a full run had passed, which is the first step of Holm's
    method.
    """
    table = assess(ranks_of(case, replications, seed, **PLANTED[error]))
    return min(1.0, float(table["p"].min()) * number_of_tests())


# The figure.


def band(replications, prob, n_curves=1, n_draws=N_DRAWS, n_simulations=4000, seed=0):
    """Return a band that contains whole ECDFs of uniform ranks with probability `prob`.

    The band consists of pointwise binomial quantiles. Their level is found by simulation
    (Sailynoja et al. 2022) and divided by the number of curves.
    """
    rng = np.random.default_rng(seed)
    steps = np.arange(1, n_draws + 1) / (n_draws + 1)
    counts = rng.multinomial(replications, np.full(n_draws + 1, 1 / (n_draws + 1)), n_simulations)
    below = counts.cumsum(axis=1)[:, :-1]
    # The law of each step at all counts, looked up rather than computed for every simulation.
    laws = stats.binom(replications, steps[:, None])
    values = np.arange(-1, replications + 1)
    cdf = laws.cdf(values)
    step = np.arange(n_draws)
    tails = np.minimum(cdf[step, below + 1], 1 - cdf[step, below])
    level = np.quantile(tails.min(axis=1), 1 - prob) / n_curves
    low, high = (stats.binom.ppf(q, replications, steps) for q in (level, 1 - level))
    return steps, low / replications - steps, high / replications - steps


def draw_figure(ranks, path):
    """Draw the ECDFs of the ranks minus the uniform one, one panel per model and quantity."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    panels = [(case, quantity) for case in CASES for quantity in case.quantities]
    n_curves = sum(len(of_case) for of_case in ranks.values())
    replications = len(next(iter(next(iter(ranks.values())).values())))
    steps, low, high = band(replications, 0.95)
    _, low_all, high_all = band(replications, 0.95, n_curves)
    n_rows, columns = -(-len(panels) // 6), 6
    figure, axes = plt.subplots(
        n_rows, columns, figsize=(12, 1.9 * n_rows), sharey=True, layout="constrained"
    )
    limit = 1.1 * max(high_all.max(), -low_all.min())
    for ax, (case, quantity) in zip(axes.flat, panels, strict=False):
        ax.fill_between(steps, low_all, high_all, color="0.93", lw=0)
        ax.fill_between(steps, low, high, color="0.83", lw=0)
        for (of_quantity, metric), of_one in ranks[case.name].items():
            if of_quantity == quantity:
                counts = np.bincount(of_one, minlength=N_DRAWS + 1)
                ecdf = counts.cumsum()[:-1] / replications
                color = "C1" if metric == LIKELIHOOD else "C0"
                ax.plot(steps, ecdf - steps, lw=0.7, alpha=0.7, color=color)
        ax.set_title(f"{case.name}\n{quantity}", fontsize=8)
        ax.set(xlim=(0, 1), ylim=(-limit, limit), xticks=[0, 0.5, 1])
        ax.tick_params(labelsize=7)
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()
    figure.legend(
        handles=[
            Line2D([], [], color="C0", label="each metric"),
            Line2D([], [], color="C1", label="log-likelihood, of both for the difference"),
            Patch(color="0.83", label="95% band of one curve"),
            Patch(color="0.93", label=f"95% band of all {n_curves} curves"),
        ],
        loc="outside upper center",
        ncols=4,
        fontsize=8,
        frameon=False,
    )
    figure.supxlabel("rank of the truth among posterior draws, as a proportion", fontsize=9)
    figure.supylabel("ECDF minus uniform", fontsize=9)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description="Simulation-based calibration of all models.")
    parser.add_argument("--replications", type=int, default=4000, help="data sets for each model")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--csv", help="write all p-values here")
    parser.add_argument("--figure", help="write the figure here")
    parser.add_argument("--planted", action="store_true", help="plant errors: are they caught?")
    options = parser.parse_args()
    if options.planted:
        for error in PLANTED:
            for case in CASES:
                p = planted(case, error, options.replications, options.seed)
                print(f"{error:28} {case.name:24} adjusted p = {p:.1e}", flush=True)
        return
    table, ranks = calibrate(options.replications, options.seed)
    if options.csv:
        table.to_csv(options.csv, index=False, float_format="%.6g")
    if options.figure:
        draw_figure(ranks, options.figure)
    print(f"{len(table)} tests, smallest p-value after Holm: {table['p_holm'].min():.3f}")


if __name__ == "__main__":
    main()
