"""How fast labels are counted: ratios to one np.bincount over codes that are already combined.

Run ``python benchmarks/counting.py``; it takes half a minute and 1.5 GB. Times are medians of
interleaved repetitions. The ratio of strings is per row as well.
"""

from __future__ import annotations

import time

import numpy as np

from skbayeseval.evidence import PairedCounts

N_ROWS = 20_000_000
N_STRINGS = 2_000_000
REPEATS = 7


def seconds(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def chunks(y, a, b, size=1_000_000):
    for start in range(0, len(y), size):
        part = slice(start, start + size)
        yield y[part], {"a": a[part], "b": b[part]}


def main() -> None:
    codes = np.random.default_rng(0).integers(0, 3, (3, N_ROWS))
    y, a, b = codes
    combined = (y * 3 + a) * 3 + b
    animals = np.array(["bird", "cat", "dog"])
    strings = animals[codes[:, :N_STRINGS]]
    objects = animals.astype(object)[codes[:, :N_STRINGS]]
    small = codes.astype(np.int8)
    jobs = {
        "np.bincount of combined codes": (lambda: np.bincount(combined), N_ROWS),
        "64-bit integers": (lambda: PairedCounts.from_labels(y, {"a": a, "b": b}), N_ROWS),
        "the same in chunks": (lambda: PairedCounts.from_chunks(chunks(y, a, b)), N_ROWS),
        "8-bit integers": (
            lambda: PairedCounts.from_labels(small[0], {"a": small[1], "b": small[2]}),
            N_ROWS,
        ),
        "numpy strings": (
            lambda: PairedCounts.from_labels(strings[0], {"a": strings[1], "b": strings[2]}),
            N_STRINGS,
        ),
        "Python strings": (
            lambda: PairedCounts.from_labels(objects[0], {"a": objects[1], "b": objects[2]}),
            N_STRINGS,
        ),
    }
    times = np.array([[seconds(call) / n for call, n in jobs.values()] for _ in range(REPEATS)])
    medians = np.median(times, axis=0)
    for name, median in zip(jobs, medians, strict=True):
        print(f"{name:32} {median * 1e9:8.1f} ns a row {median / medians[0]:8.1f} x")


if __name__ == "__main__":
    main()
