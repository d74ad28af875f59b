"""The region of practical equivalence (ROPE) and margins: what is accepted, and what is refused.

A percentage is one of the largest score that a metric can have: "1%" is 0.01 of an accuracy, of R2
or of a correlation, and 1 of a score from 0 to 100. Errors, log loss and scores of unknown range
have no such score: there, it is a percentage of the observed score of B, whatever its sign.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

from skbayeseval._arrays import in_short, wrong
from skbayeseval._validation import as_float, warn_caller
from skbayeseval.judgement.intervals import Interval


def check_rope(rope: Any, metric: Any = None, observed: float | None = None) -> Interval:
    """Return the ROPE of a metric as an interval, in the units of the metric.

    Parameters
    ----------
    rope : float, str, (float, float) or dict
        A number r means [-r, r], and a string such as "1%" is a percentage. A dict has the ROPE of
        each metric.
    metric : Metric, default=None
        The metric. A ROPE that covers half of its possible differences is refused, because it is
        most likely a percentage. Without a metric, only the form is checked.
    observed : float, default=None
        The score that a percentage is of, if the metric has no largest score; None if there is
        none yet.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> from skbayeseval.judgement.rope import check_rope
    >>> check_rope("1%", metrics.get_metric("accuracy"), 0.93)
    Interval(low=-0.01, high=0.01)
    >>> check_rope("1%", metrics.get_metric("neg_mean_absolute_error"), -45.0)
    Interval(low=-0.45, high=0.45)
    """
    if rope is None:
        raise TypeError(
            "rope is required: the largest difference that does not matter to you, such as "
            "rope=0.01 or rope='1%'. To choose it, ask below which gain you would leave everything "
            "as it is; choose it before you look. probability() and superiority() need none."
        )
    if isinstance(rope, Mapping):
        if metric is None:
            raise wrong("rope", "that of a single metric here", rope, TypeError)
        if metric.name not in rope:
            raise ValueError(
                f"rope has no entry for {metric.name!r}, only for {list(rope)}. Pass a dict with "
                "an entry for each metric."
            )
        rope = rope[metric.name]
    region = _interval(rope if not isinstance(rope, str) else _amount(rope, metric, observed))
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


def check_rope_around_zero(
    rope: Any, metric: Any = None, observed: float | None = None
) -> Interval:
    """Return the ROPE as an interval that contains 0; the parameters are those of `check_rope`."""
    region = check_rope(rope, metric, observed)
    if not region.low <= 0 <= region.high:
        raise ValueError(
            f"rope={in_short(rope)} must contain 0, so that a classifier exactly as good as the "
            "best one is equivalent to it."
        )
    return region


def check_margin(margin: Any, metric: Any, observed: float | None = None) -> float:
    """Return the margin, a number of at least 0 that is smaller than half of the metric's range.

    It may be a percentage, as in `check_rope`.
    """
    if isinstance(margin, str):
        margin = _amount(margin, metric, observed, "margin")
    if not isinstance(margin, Real) or isinstance(margin, bool):
        raise wrong("margin", "a number or a string such as '1%'", margin, TypeError)
    if not 0 <= as_float(margin) < math.inf:
        raise ValueError(f"margin={in_short(margin)} must be finite and at least 0.")
    bounds = metric.bounds
    if bounds is not None and float(margin) >= (bounds[1] - bounds[0]) / 2:
        raise ValueError(
            f"margin={margin!r} is at least half of the metric's range, from {bounds[0]:g} to "
            f"{bounds[1]:g}. Did you mean {float(margin) / 100:g}?"
        )
    return float(margin)


def warn_of_one_rope(rope: Any, metrics: Iterable[Any]) -> None:
    """Warn if one ROPE is applied to several metrics that are not known to be on a like scale.

    Metrics are on a like scale if all of them are bounded and no range is more than twice as wide
    as another, such as accuracy and ROC AUC (0 to 1). Losses, such as the Brier score, are not.
    """
    if rope is None or isinstance(rope, (Mapping, str)):  # a percentage goes with each scale
        return
    region, bounds = _interval(rope), {metric.name: metric.bounds for metric in metrics}
    widths = [limits[1] - limits[0] for limits in bounds.values() if limits is not None]
    alike = len(widths) == len(bounds) and max(widths) <= 2 * min(widths)
    if len(bounds) < 2 or alike or region.low == region.high:
        return
    first, *others = bounds
    entries = ", ".join([f"{first!r}: {rope!r}", *(f"{name!r}: ..." for name in others[:3])])
    warn_caller(
        f"rope={rope!r} is used for {len(bounds)} metrics whose scales differ or are unknown "
        f"({in_short(list(bounds))}): what is small for one of them can be large for another. "
        f"Pass a dict with the ROPE of each, such as rope={{{entries}}}."
    )


def describe_side(region: Interval, *, better: bool) -> str:
    """Return what "better" or "worse" than the ROPE means: " by more than 0.01", or ""."""
    limit = region.high if better else -region.low
    return "" if limit == 0 else f" by more than {limit:.4g}"


def _amount(text: str, metric: Any, observed: float | None, name: str = "rope") -> float:
    """Return a percentage in the units of the metric; its share if there is no metric."""
    percentage = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*%\s*", text)
    if percentage is None:
        others = "a number or a pair (low, high)" if name == "rope" else "a number"
        raise ValueError(
            f"{name}={in_short(text)} is not a percentage. Pass a string such as '1%', or {others}."
        )
    share = float(percentage[1]) / 100
    if metric is None:
        return share
    low, high = metric.limits
    if 0 < high < math.inf:
        return share * high
    if metric.bounds is not None:  # a loss whose worst value is known
        return share * -low
    if observed is None or not 0 < abs(observed) < math.inf:
        which = "no score was observed yet" if observed is None else f"this is {observed:g}"
        raise ValueError(
            f"{name}={in_short(text)} is a percentage of the observed score (of B, or of the best "
            f"of several), because {metric.name} has no largest score, but {which}. Pass a number."
        )
    return share * abs(observed)


def _interval(rope: Any) -> Interval:
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
        wanted = "a number, a string such as '1%' or a pair (low, high)"
        raise wrong("rope", wanted, rope, TypeError) from error
    if not low <= high:
        raise ValueError(f"rope=({low:g}, {high:g}) must have low <= high.")
    if math.isinf(low) or math.isinf(high):
        raise ValueError(
            f"rope=({low:g}, {high:g}) must be finite. For a one-sided question, use "
            "non_inferiority(margin) or superiority(margin)."
        )
    return Interval(low, high)
