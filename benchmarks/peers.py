"""The same questions asked of other packages, where these are installed."""

from __future__ import annotations

import numpy as np

from benchmarks.measuring import Bench, Row, installed, not_installed
from benchmarks.simulated import labels, tables
from skbayeseval import compare_confusion_matrices, compare_scores, score_posterior

PEERS = ("prob_conf_mat", "baycomp", "confidenceinterval")


def with_prob_conf_mat(bench: Bench) -> Row:
    """Measure interval and decision about the difference in macro-F1 of two confusion matrices."""
    n, n_draws = bench.size(10_000, 100), bench.size(10_000, 100)
    y, a, b = labels(10, n)
    cells = tables(y, [a, b], 10)
    job = (
        f"two confusion matrices, 10 classes, {n:,} labels, macro-F1, {n_draws:,} draws: HDI and "
        "decision"
    )
    against = "prob_conf_mat, its report of the comparison"
    peer = installed("prob_conf_mat")
    if peer is None:
        return not_installed(job, against)

    def ours() -> object:
        options = {"scoring": "f1_macro", "n_draws": n_draws, "random_state": 0}
        result = compare_confusion_matrices(*cells, **options)
        return result.hdi(), result.decision(rope=0.01)

    def theirs() -> object:
        study = peer.Study(seed=0, num_samples=n_draws, ci_probability=0.95)
        for name, table in zip("ab", cells, strict=True):
            study.add_experiment(name, table.tolist(), prevalence_prior=1, confusion_prior=1)
        study.add_metric("f1@macro")
        return study.report_pairwise_comparison(
            "f1@macro", experiment_a="a/a", experiment_b="b/b", min_sig_diff=0.01
        )

    return bench.ratio(job, against, ours, theirs, two_threads=True)


def with_baycomp(bench: Bench) -> Row:
    """Measure the signed-rank test of two systems on several data sets."""
    n, n_draws = 30, bench.size(50_000, 100)
    rng = np.random.default_rng(0)
    a, b = rng.normal([[0.80], [0.79]], 0.05, (2, n))
    job = f"signed-rank test, {n} data sets, {n_draws:,} draws"
    against = "baycomp"
    peer = installed("baycomp")
    if peer is None:
        return not_installed(job, against)

    def ours() -> object:
        result = compare_scores(a, b, model="signed-rank", n_draws=n_draws, random_state=0)
        return result.probability(rope=0.01)

    return bench.ratio(
        job,
        against,
        ours,
        lambda: peer.SignedRankTest.probs(a, b, 0.01, nsamples=n_draws, random_state=0),
    )


def correlated_t(bench: Bench) -> Row:
    """Measure the correlated t-test of two learners' split scores."""
    rng = np.random.default_rng(0)
    a, b = rng.normal([[0.80], [0.79]], 0.05, (2, 20))
    job, against = "correlated t-test, 20 splits", "baycomp"
    peer = installed("baycomp")
    if peer is None:
        return not_installed(job, against)

    def ours() -> object:
        return compare_scores(a, b, test_fraction=0.1, random_state=0).probability(rope=0.01)

    return bench.ratio(job, against, ours, lambda: peer.CorrelatedTTest.probs(a, b, 0.01, runs=2))


def with_confidenceinterval(bench: Bench) -> Row:
    """Measure an interval of one classifier's macro-F1."""
    n, n_draws = bench.size(10_000, 100), bench.size(200, 100)
    y, predicted = labels(10, n, (0.8,))
    job = f"interval of macro-F1, 10 classes, {n:,} labels, {n_draws:,} draws"
    against = "confidenceinterval, bootstrap with as many resamples"
    peer = installed("confidenceinterval")
    if peer is None:
        return not_installed(job, against)

    def ours() -> object:
        options = {"scoring": "f1_macro", "n_draws": n_draws, "random_state": 0}
        return score_posterior(y, predicted, **options).interval()

    def theirs() -> object:
        method = {"method": "bootstrap_percentile", "n_resamples": n_draws}
        return peer.f1_score(y, predicted, average="macro", **method)

    return bench.ratio(job, against, ours, theirs)
