"""The region of practical equivalence (ROPE): what is accepted, and what is refused."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, Protocol

from skbayeseval._arrays import in_short
from skbayeseval._validation import as_float
from skbayeseval.judgement.intervals import Interval


class _Bounded(Protocol):
    """A metric, as far as a ROPE is concerned."""

    @property
    def name(self) -> str: ...

    @property
    def bounds(self) -> tuple[float, float] | None: ...


def check_rope(rope: Any, metric: _Bounded | None = None) -> Interval:
    """Return the ROPE of a metric as an interval.

    Parameters
    ----------
    rope : float, str, (float, float) or dict
        A number r means [-r, r], and "1%" means 0.01. A dict has the ROPE of each metric.
    metric : Metric, default=None
        The metric. A ROPE that covers half of its possible differences is refused, because it is
        most likely a percentage.
    """
    if isinstance(rope, Mapping):
        if metric is None:
            raise TypeError(f"rope must be that of a single metric here, got {in_short(rope)}.")
        if metric.name not in rope:
            raise ValueError(
                f"rope has no entry for {metric.name!r}, only for {list(rope)}. Pass a dict with "
                "an entry for each metric."
            )
        rope = rope[metric.name]
    region = _interval(rope)
    if metric is None or metric.bounds is None:
        return region
    largest = metric.bounds[1] - metric.bounds[0]
    if region.high - region.low >= largest:
        advice = "For a one-sided question, use non_inferiority(margin) or superiority(margin)."
        if isinstance(rope, Real) and float(rope) / 100 < largest / 2:
            advice = f"Did you mean {float(rope) / 100:g}?"
        raise ValueError(
            f"rope={rope!r} covers at least half of the possible differences in {metric.name}, "
            f"from {-largest:g} to {largest:g}. {advice}"
        )
    return region


def check_rope_around_zero(rope: Any, metric: _Bounded | None = None) -> Interval:
    """Return the ROPE as an interval that contains 0."""
    region = check_rope(rope, metric)
    if not region.low <= 0 <= region.high:
        raise ValueError(
            f"rope={in_short(rope)} must contain 0, so that a classifier exactly as good as the "
            "best one is equivalent to it."
        )
    return region


def warn_of_one_rope(rope: Any, metrics: Iterable[_Bounded]) -> None:
    """Warn if one ROPE is applied to several metrics that are not known to be on a like scale.

    Metrics are on a like scale if all of them are bounded and no range is more than twice as wide
    as another, such as accuracy and ROC AUC (0 to 1). Losses, such as the Brier score, are not.
    """
    if rope is None or isinstance(rope, Mapping):
        return
    region, bounds = _interval(rope), {metric.name: metric.bounds for metric in metrics}
    widths = [limits[1] - limits[0] for limits in bounds.values() if limits is not None]
    alike = len(widths) == len(bounds) and max(widths) <= 2 * min(widths)
    if len(bounds) < 2 or alike or region.low == region.high:
        return
    first, *others = bounds
    entries = ", ".join([f"{first!r}: {rope!r}", *(f"{name!r}: ..." for name in others[:3])])
    warnings.warn(
        f"rope={rope!r} is used for {len(bounds)} metrics whose scales differ or are unknown "
        f"({in_short(list(bounds))}): what is small for one of them can be large for another. "
        f"Pass a dict with the ROPE of each, such as rope={{{entries}}}.",
        UserWarning,
        stacklevel=3,
    )


def describe_side(region: Interval, *, better: bool) -> str:
    """Return what "better" or "worse" than the ROPE means: " by more than 0.01", or ""."""
    limit = region.high if better else -region.low
    return "" if limit == 0 else f" by more than {limit:.4g}"


def _interval(rope: Any) -> Interval:
    if isinstance(rope, str):
        percentage = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*%\s*", rope)
        if percentage is None:
            raise ValueError(
                f"rope={in_short(rope)} is not a percentage. Pass a string such as '1%', a number "
                "or a pair (low, high)."
            )
        rope = float(percentage[1]) / 100
    if isinstance(rope, Real) and not isinstance(rope, bool):
        if not 0 <= as_float(rope) < math.inf:
            raise ValueError(
                f"rope={in_short(rope)} must be finite and at least 0: it is the largest "
                "difference of no practical relevance. Pass (low, high) for an asymmetric region."
            )
        return Interval(-float(rope), float(rope))
    try:
        low, high = (as_float(end) for end in rope)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "rope must be a number, a string such as '1%' or a pair (low, high), got "
            f"{in_short(rope)}."
        ) from error
    if not low <= high:
        raise ValueError(f"rope=({low:g}, {high:g}) must have low <= high.")
    if math.isinf(low) or math.isinf(high):
        raise ValueError(
            f"rope=({low:g}, {high:g}) must be finite. For a one-sided question, use "
            "non_inferiority(margin) or superiority(margin)."
        )
    return Interval(low, high)
