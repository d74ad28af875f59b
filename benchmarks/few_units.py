"""Coverage of 95% HDIs where few groups, positives or instances were seen.

Two equally good classifiers, of which the true metric is known: how often the HDI of A contains it,
and how often the HDI of the difference contains 0.

    python benchmarks/few_units.py --data-sets 1000
    python benchmarks/few_units.py --data-sets 1000 --at-margin --units 10 20 50

With ``--at-margin``, ROC AUCs are 0.93 and 0.95, with 200 negatives: how often A is called safe to
ship at a margin of exactly 0.02, how often HDIs contain the truth, and how wide they are compared
with 3.92 standard deviations of the observed difference.
"""

import argparse
import warnings

import numpy as np
from scipy.special import expit
from scipy.stats import norm
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from skbayeseval import compare_predictions
from skbayeseval.posterior import modes, posterior

N_LABELS = 5


def grouped(rng, k, size=10, ease=1.2, unequal=False):
    """Classes in groups, of which some are harder than others, partly for both classifiers."""
    sizes = 1 + rng.geometric(1 / size, k) if unequal else np.full(k, size)
    group = np.repeat(np.arange(k), sizes)
    y = (rng.random(len(group)) < 0.4).astype(int)
    for_both = rng.normal(0, 0.7, k)
    found = []
    for _ in range(2):
        right = rng.random(len(group)) < expit(ease + for_both + rng.normal(0, 0.5, k))[group]
        found.append(np.where(right, y, 1 - y))
    return y, *found, group


def ranked(rng, n_positive, n_negative, distance):
    """Scores of positives and negatives, normal with a given distance."""
    y = np.repeat([1, 0], [n_positive, n_negative])
    shared = distance * y + np.sqrt(0.5) * rng.normal(size=len(y))
    return y, *(shared + np.sqrt(0.5) * rng.normal(size=len(y)) for _ in range(2))


def ranked_in_groups(rng, k, size=10):
    """Scores in groups, which are shifted as a whole, partly for both classifiers."""
    group = np.repeat(np.arange(k), size)
    y = (rng.random(len(group)) < 0.4).astype(int)
    for_both = rng.normal(0, 0.5, k)
    found = []
    for _ in range(2):
        shift = for_both + rng.normal(0, 0.5, k)
        found.append(1.5 * y + shift[group] + rng.normal(size=len(group)))
    return y, *found, group


def labelled(rng, n):
    """Labels of instances that are easy or hard on all labels at once, partly for both."""
    truth = rng.random((n, N_LABELS)) < 0.3
    for_both = 0.6 * rng.normal(size=(n, 1))
    found = []
    for _ in range(2):
        ease = for_both + 0.6 * rng.normal(size=(n, 1)) + 0.6 * rng.normal(size=(n, N_LABELS))
        found.append(np.where(1.2 + ease > 0, truth, ~truth).astype(int))
    return truth.astype(int), *found


def cases():
    """Yield a name, the true metric, and a function that compares on k units."""
    rng = np.random.default_rng(1)
    for name, scoring, options in (
        ("accuracy by group", "accuracy", {}),
        ("accuracy by group, nearly all right", "accuracy", {"ease": 3.0}),
        ("accuracy by group, unequal groups", "accuracy", {"unequal": True}),
        ("F1 by group", "f1", {}),
    ):
        y, a, _, _ = grouped(rng, 200_000, **options)
        truth = np.mean(a == y) if scoring == "accuracy" else f1_score(y, a)

        def by_group(rng, k, scoring=scoring, options=options, **more):
            y, a, b, groups = grouped(rng, k, **options)
            return compare_predictions(y, a, b, groups=groups, scoring=scoring, **more)

        yield name, truth, by_group
    for distance, n_negative in ((1.0, 10), (1.0, 1), (2.5, 10)):

        def by_score(rng, k, distance=distance, n_negative=n_negative, **more):
            y, a, b = ranked(rng, k, k * n_negative, distance)
            return compare_predictions(
                y, None, None, y_score_a=a, y_score_b=b, scoring="roc_auc", **more
            )

        truth = norm.cdf(distance / np.sqrt(2))
        yield f"ROC AUC of {truth:.2f}, {n_negative} negatives per positive", truth, by_score
    y, a, _ = ranked(rng, 20_000, 200_000, 1.0)

    def by_precision(rng, k, **more):
        y, a, b = ranked(rng, k, 10 * k, 1.0)
        scores = {"y_score_a": a, "y_score_b": b, "scoring": "average_precision"}
        return compare_predictions(y, None, None, **scores, **more)

    truth = average_precision_score(y, a)
    yield f"average precision of {truth:.2f}, 10 negatives per positive", truth, by_precision
    y, a, _, _ = ranked_in_groups(rng, 20_000)

    def by_score_in_groups(rng, k, **more):
        y, a, b, groups = ranked_in_groups(rng, k)
        scores = {"y_score_a": a, "y_score_b": b, "scoring": "roc_auc"}
        return compare_predictions(y, None, None, **scores, groups=groups, **more)

    truth = roc_auc_score(y, a)
    yield f"ROC AUC of {truth:.2f} by group", truth, by_score_in_groups
    y, a, _ = labelled(rng, 400_000)

    def by_label(rng, k, **more):
        return compare_predictions(*labelled(rng, k), scoring="f1_micro", **more)

    yield "micro-F1 of labels", f1_score(y, a, average="micro"), by_label


def at_margin(k, n_sets):
    """Return a row of the table of areas at the margin."""
    rng, found, widths, observed = np.random.default_rng(7), np.zeros(3), [], []
    y = np.repeat([1, 0], [k, 200])
    for seed in range(n_sets):
        shared = np.sqrt(0.5) * rng.normal(size=len(y))
        a, b = (
            np.sqrt(2) * norm.ppf(auc) * y + shared + np.sqrt(0.5) * rng.normal(size=len(y))
            for auc in (0.93, 0.95)
        )
        scores = {"y_score_a": a, "y_score_b": b, "scoring": "roc_auc"}
        result = compare_predictions(y, None, None, **scores, n_draws=1000, random_state=seed)
        (low, high), (low_a, high_a) = result.hdi(), result.hdi(of="a")
        is_safe = result.non_inferiority(0.02).answer == "yes"
        found += is_safe, low <= -0.02 <= high, low_a <= 0.93 <= high_a
        widths.append(high - low)
        observed.append(result.observed_a - result.observed_b)
    cells = [*found / n_sets, np.mean(widths) / (3.92 * np.std(observed))]
    return f"| {k} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |"


def main():
    """Print the coverage of every case."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-sets", type=int, default=1000)
    parser.add_argument("--units", type=int, nargs="+", default=[3, 5, 10, 20, 50])
    parser.add_argument("--only", default="", help="run the cases whose name contains this")
    parser.add_argument("--plain", action="store_true", help="do not allow for few units")
    parser.add_argument("--at-margin", action="store_true", help="areas at the margin instead")
    args = parser.parse_args()
    if args.plain:
        modes.allow_for_few_units = lambda draws, *_: draws
        posterior.allow_for_few_carriers = lambda draws, *_, **__: draws
    if args.at_margin:
        print("| positives | safe to ship | covers the difference | covers A | width |", flush=True)
        for k in args.units:
            print(at_margin(k, args.data_sets), flush=True)
        return
    warnings.simplefilter("ignore")  # of labels without a positive instance
    print("| units | " + " | ".join(map(str, args.units)) + " |", flush=True)
    for name, truth, compare in cases():
        if args.only not in name:
            continue
        row = []
        for k in args.units:
            rng, covered, done = np.random.default_rng(k), np.zeros(2), 0
            while done < args.data_sets:
                try:
                    result = compare(rng, k, n_draws=1000, random_state=done)
                except ValueError as error:  # a data set without two classes
                    if "at least two classes" not in str(error):
                        raise
                    continue
                done += 1
                for i, (of, value) in enumerate((("a", truth), (None, 0.0))):
                    low, high = result.hdi() if of is None else result.hdi(of=of)
                    covered[i] += low <= value <= high
            row.append("{:.2f}, {:.2f}".format(*covered[::-1] / done))
        print(f"| {name} | " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
