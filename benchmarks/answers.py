"""What a planned size and a Bayes factor cost, against comparisons of the same data."""

from __future__ import annotations

from itertools import count

from benchmarks.measuring import Bench, Row
from benchmarks.simulated import labels
from skbayeseval import compare_predictions


def required_sample_size(bench: Bench) -> Row:
    """Measure a planned size: decisions about many simulated test sets of several sizes."""
    n, n_replications = 500, bench.size(1000, 50)
    n_draws = 4000
    y, a, b = labels(2, n, (0.82, 0.80))
    result = compare_predictions(y, a, b, scoring="f1", random_state=0)
    result.hdi()
    seeds = count()

    def planned() -> object:
        return result.required_sample_size(
            0.02, n_replications=n_replications, random_state=next(seeds)
        )

    def one_comparison() -> object:
        again = compare_predictions(y, a, b, scoring="f1", n_draws=n_draws, random_state=0)
        return again.decision(rope=0.02)

    return bench.ratio(
        f"required_sample_size, 2 classes, {n_replications:,} simulated test sets",
        f"one comparison of {n_draws:,} draws for each simulated test set",
        planned,
        one_comparison,
        times=n_replications,
        two_threads=True,
        warm_up=bench.scale < 1,
    )


def bayes_factor(bench: Bench) -> Row:
    """Measure Bayes factors, of a new ROPE each time: its prior probability is kept."""
    n_classes, n, n_draws = bench.size(1000, 20), bench.size(50_000, 500), bench.size(2000, 200)
    y, a, b = labels(n_classes, n, (0.8, 0.795))
    options = {"scoring": "f1_macro", "n_draws": n_draws, "random_state": 0}
    result = compare_predictions(y, a, b, **options)
    result.hdi()
    ropes = (0.01 + 1e-6 * k for k in count())
    return bench.ratio(
        f"Bayes factor with a ROPE, {n_classes:,} classes, {n:,} labels, macro-F1",
        f"drawing the posterior, {n_draws:,} draws",
        lambda: result.bayes_factor(rope=next(ropes)),
        lambda: compare_predictions(y, a, b, **options).draws,
        two_threads=True,
        warm_up=False,
    )
