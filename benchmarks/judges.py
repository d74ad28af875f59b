"""Coverage and width of 95% HDIs where a judge graded all items, and people a part of them.

The judge errs in favour of B. Compared are the judge's grades alone, people's grades alone, and the
judge's corrected by people's, of 500 items; people graded the same items of both systems, or
different ones.

    python benchmarks/judges.py --data-sets 500
"""

import argparse

import numpy as np
from scipy.special import expit

from skbayeseval import compare_items

ITEMS = 500
DRAWS = 1000
MANY = 1_000_000


def _ease(rng, n):
    return rng.normal(0, 1.5, n) + 0.7 * rng.normal(size=(2, n)) + np.array([[0.5], [0.3]])


def right_or_wrong(rng, n, noise=0.2):
    """Right or wrong; the judge guesses a fifth, and calls a tenth of B's answers right."""
    human = (rng.random((2, n)) < expit(_ease(rng, n))).astype(float)
    judge = np.where(rng.random((2, n)) < noise, rng.random((2, n)) < 0.5, human)
    judge[1] = np.maximum(judge[1], rng.random(n) < 0.1)
    return judge, human


def useless(rng, n):
    """Right or wrong; the judge always guesses."""
    human = (rng.random((2, n)) < expit(_ease(rng, n))).astype(float)
    return (rng.random((2, n)) < [[0.6], [0.65]]).astype(float), human


def nearly_all_right(rng, n):
    """Few errors, of which a judge sees most."""
    human = (rng.random((2, n)) < expit(2.5 + _ease(rng, n))).astype(float)
    judge = np.where(rng.random((2, n)) < [[0.2], [0.4]], 1.0, human)
    return judge, human


def hardly_errs(rng, n):
    """Right or wrong; the judge is right, but calls a tenth of B's wrong answers right."""
    human = (rng.random((2, n)) < expit(_ease(rng, n))).astype(float)
    judge = human.copy()
    judge[1] = np.maximum(judge[1], rng.random(n) < 0.1)
    return judge, human


def graded(rng, n, noise=0.6):
    """Grades from 1 to 5, those of B too kind by 0.4."""
    human = np.clip(np.round(3 + 0.7 * _ease(rng, n) + 0.3 * rng.normal(size=(2, n))), 1, 5)
    errors = noise * rng.normal(size=(2, n)) + np.array([[0.0], [0.4]])
    return np.clip(np.round(human + errors), 1, 5), human


def alike(rng, n):
    """Grades of people that differ little between systems, and a judge with much noise."""
    item = rng.normal(0, 1.5, n) + np.array([[0.2], [0.0]])
    human = np.clip(np.round(3 + item + 0.3 * rng.normal(size=(2, n))), 1, 5)
    errors = 1.2 * rng.normal(size=(2, n)) + np.array([[0.0], [0.4]])
    return np.clip(np.round(human + errors), 1, 5), human


def main():
    """Print coverage and mean width of every scenario."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data-sets", type=int, default=500)
    parser.add_argument("--graded", type=int, nargs="+", default=[10, 20, 50, 100, 200])
    args = parser.parse_args()
    print("| judge | graded by people | judge alone | people alone | both | both, A |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    for draw in (right_or_wrong, graded, alike, useless, nearly_all_right, hardly_errs):
        truth = draw(np.random.default_rng(1), MANY)[1].mean(axis=1)
        for same in (True, False):
            for n in args.graded:
                cells = report(draw, n, same, truth, args.data_sets)
                which = f"{n} {'of both' if same else 'each'}"
                print(f"| {draw.__name__} | {which} | {' | '.join(cells)} |", flush=True)


def report(draw, n, same, truth, data_sets):
    """Return coverage and mean width of each way."""
    rng, seen = np.random.default_rng(n), {}
    for i in range(data_sets):
        judge, human = draw(rng, ITEMS)
        order = rng.permutation(ITEMS)
        graded_of = order[:n], order[:n] if same else order[n : 2 * n]
        given = np.full((2, ITEMS), np.nan)
        for k, items in enumerate(graded_of):
            given[k, items] = human[k, items]
        options = {"n_draws": DRAWS, "random_state": i}
        both = compare_items(*judge, human_a=given[0], human_b=given[1], **options)
        found = {
            "judge": compare_items(*judge, **options).hdi(),
            "people": people_alone(human, graded_of, same, options),
            "both": both.hdi(),
            "both, A": both.hdi(of="a"),
        }
        for way, (low, high) in found.items():
            true = truth[0] if way == "both, A" else truth[0] - truth[1]
            seen.setdefault(way, []).append((low <= true <= high, high - low))
    return [f"{c:.3f}, {w:.3f}" for c, w in (np.mean(one, axis=0) for one in seen.values())]


def people_alone(human, graded_of, same, options):
    """Return the HDI of the difference from people's grades alone."""
    a, b = (of_one[items] for of_one, items in zip(human, graded_of, strict=True))
    if same:
        return compare_items(a, b, limits=(1, 5) if a.max() > 1 else None, **options).hdi()
    half = 1.96 * np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
    return a.mean() - b.mean() - half, a.mean() - b.mean() + half


if __name__ == "__main__":
    main()
