"""How fast labels are counted, against one np.bincount of codes that are already combined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.measuring import Bench, Row
from skbayeseval import count_table
from skbayeseval.evidence import PairedCounts

AGAINST = "np.bincount of combined codes"


def integers(bench: Bench) -> list[Row]:
    """Measure 64-bit integers, at once and in chunks."""
    n = bench.size(20_000_000, 1000)
    y, a, b = codes(n)
    combined = (y * 3 + a) * 3 + b
    of_labels = {
        "64-bit integers": lambda: PairedCounts.from_labels(y, {"a": a, "b": b}),
        "64-bit integers in chunks of a million": lambda: count_table(
            chunks(y, a, b), truth="y", a="a", b="b"
        ),
    }
    return [
        bench.ratio(
            f"counting 3 x {n:,} labels, {kind}", AGAINST, ours, lambda: np.bincount(combined)
        )
        for kind, ours in of_labels.items()
    ]


def strings(bench: Bench) -> list[Row]:
    """Measure strings of numpy and of Python."""
    n = bench.size(2_000_000, 1000)
    y, a, b = codes(n)
    combined = (y * 3 + a) * 3 + b
    animals = np.array(["bird", "cat", "dog"])
    rows = []
    for kind, names in (("numpy", animals), ("Python", animals.astype(object))):
        truth, of_a, of_b = names[y], names[a], names[b]
        rows.append(
            bench.ratio(
                f"counting 3 x {n:,} labels, strings of {kind}",
                AGAINST,
                lambda t=truth, a=of_a, b=of_b: PairedCounts.from_labels(t, {"a": a, "b": b}),
                lambda: np.bincount(combined),
            )
        )
    return rows


def codes(n: int) -> Any:
    """Return true and predicted classes."""
    return np.random.default_rng(0).integers(0, 3, (3, n))


def chunks(y: Any, a: Any, b: Any, size: int = 1_000_000) -> Iterator[dict[str, Any]]:
    """Yield parts of the labels."""
    for start in range(0, len(y), size):
        part = slice(start, start + size)
        yield {"y": y[part], "a": a[part], "b": b[part]}
