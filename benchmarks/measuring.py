"""How run times are measured: as ratios within the same run, and as exponents of growth."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from types import ModuleType
from typing import Any

import joblib
import numpy as np

__all__ = ["Bench", "Row", "installed", "not_installed", "seconds"]

# Rounds go on for so long, in seconds, unless they are this many.
LONG_ENOUGH = 5.0
MOST_ROUNDS = 25


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Attributes
    ----------
    job, against : str
        What was measured, and what it was compared with.
    value : float or None
        The ratio of the run times, the exponent of the growth or the memory in MB. None if the
        other package is not installed.
    two_threads : float or None
        The ratio when draws are made by two threads, None where it was not measured.
    unit : {"ratio", "exponent", "MB"}
        What `value` is.
    rounds : int
        The number of repetitions, of which `value` is the median.
    low, high : float or None
        The smallest and the largest of them.
    seconds : float or None
        The median of our time, on one thread. It is written to JSON, but not compared.
    """

    job: str
    against: str
    value: float | None = None
    two_threads: float | None = None
    unit: str = "ratio"
    rounds: int = 0
    low: float | None = None
    high: float | None = None
    seconds: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes, with four significant digits of numbers."""
        return {
            key: float(f"{value:.4g}") if isinstance(value, float) else value
            for key, value in asdict(self).items()
        }


def seconds(call: Callable[[], object]) -> float:
    """Return how long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def installed(name: str) -> ModuleType | None:
    """Return a module, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def not_installed(job: str, against: str) -> Row:
    """Return the row of a package that is not there."""
    return Row(job, against)


def with_two_threads(call: Callable[[], object]) -> Callable[[], object]:
    """Return the call as made by a user who asks joblib for two threads."""

    def parallel() -> object:
        with joblib.parallel_config(n_jobs=2):
            return call()

    return parallel


@dataclass(frozen=True)
class Bench:
    """Measures, with sizes of jobs multiplied by `scale`."""

    scale: float = 1.0

    def size(self, full: int, least: int = 2) -> int:
        """Return a size of a job: the full one, or as much of it as the scale says."""
        return max(least, round(full * self.scale))

    def times(
        self,
        calls: Mapping[str, Callable[[], object]],
        *,
        rounds: int = 3,
        warm_up: bool = True,
    ) -> dict[str, Any]:
        """Return the seconds of all calls in all rounds; a round has every call once.

        There are at least `rounds`, and more while there is time. The first calls, which import and
        fill caches, do not count, unless `warm_up` is False.
        """
        if warm_up:
            for call in calls.values():
                call()
        end = time.perf_counter() + LONG_ENOUGH * min(self.scale, 1.0)
        found: list[list[float]] = []
        while len(found) < rounds or (time.perf_counter() < end and len(found) < MOST_ROUNDS):
            found.append([seconds(call) for call in calls.values()])
        return dict(zip(calls, np.transpose(found), strict=True))

    def ratio(
        self,
        job: str,
        against: str,
        ours: Callable[[], object],
        reference: Callable[[], object],
        *,
        times: float = 1.0,
        two_threads: bool = False,
        rounds: int = 3,
        warm_up: bool = True,
    ) -> Row:
        """Return the median ratio of our time to that of the reference, taken `times` times."""
        calls = {"reference": reference, "ours": ours}
        if two_threads:
            calls["two threads"] = with_two_threads(ours)
        took = self.times(calls, rounds=rounds, warm_up=warm_up)
        ratios = took["ours"] / took["reference"] / times
        parallel = None
        if two_threads:
            parallel = float(np.median(took["two threads"] / took["reference"] / times))
        return Row(
            job,
            against,
            value=float(np.median(ratios)),
            two_threads=parallel,
            rounds=len(ratios),
            low=float(ratios.min()),
            high=float(ratios.max()),
            seconds=float(np.median(took["ours"])),
        )

    def growth(
        self,
        job: str,
        call_of: Callable[[int], Callable[[], object]],
        smallest: int,
        least: int = 2,
    ) -> Row:
        """Return the exponent with which time grows, as a size is doubled three times."""
        start = self.size(smallest, least)
        sizes = [start * 2**k for k in range(4)]
        took = self.times({str(n): call_of(n) for n in sizes})
        slopes = np.polyfit(np.log(sizes), np.log(np.array(list(took.values()))), 1)[0]
        return Row(
            job,
            f"{sizes[0]:,} to {sizes[-1]:,}",
            value=float(np.median(slopes)),
            unit="exponent",
            rounds=len(slopes),
            low=float(slopes.min()),
            high=float(slopes.max()),
        )
