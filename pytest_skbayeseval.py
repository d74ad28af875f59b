"""A pytest plugin: the fixture `bayes_compare`, for tests that a new system is not worse.

It is a module of its own, since pytest loads it at every start, and the package takes seconds to
import: that is done when a test asks for the fixture.
"""

from __future__ import annotations

import math
import statistics
import warnings
from collections.abc import Callable
from typing import Any

import pytest


class Comparison:
    """A comparison of two systems that tests can make claims about.

    Attributes
    ----------
    result : ComparisonResult
        The result of `skbayeseval.compare_items`.
    """

    def __init__(self, result: Any) -> None:
        self.result = result

    def assert_not_worse(self, margin: float | str, prob: float = 0.95, **looking: int) -> None:
        """Fail unless A is not worse than B by more than the margin, with this probability.

        The parameters, such as `planned`, are those of `ComparisonResult.non_inferiority`.
        """
        __tracebackhide__ = True
        decision = self.result.non_inferiority(margin, prob, **looking)
        _require(self.result, decision, -decision.margin)

    def assert_better(self, margin: float | str = 0.0, prob: float = 0.95, **looking: int) -> None:
        """Fail unless A is better than B by more than the margin, with this probability.

        The parameters are those of `ComparisonResult.superiority`.
        """
        __tracebackhide__ = True
        decision = self.result.superiority(margin, prob, **looking)
        _require(self.result, decision, decision.margin)


def _require(result: Any, decision: Any, limit: float) -> None:
    __tracebackhide__ = True
    if not decision:
        pytest.fail("\n".join([str(decision), *_needed(result, decision, limit)]), pytrace=False)


def _needed(result: Any, decision: Any, limit: float) -> list[str]:
    """Return sentences on what would pass: another margin, or more items of the same kind."""
    if decision.plan is not None:  # the sentence tells how many more items would do
        return []
    draws, needed = sorted(result.draws), []
    surely_above = draws[int((1 - decision.prob) * len(draws))]
    allowed = decision.question == "non-inferiority"
    if allowed or surely_above > 0:
        margin = abs(surely_above)
        step = 10.0 ** (math.floor(math.log10(margin)) - 1)
        rounded = step * (math.floor(margin / step) + allowed)
        needed.append(f"With these items, a margin of {rounded:.2g} would pass.")
    mean, spread = statistics.fmean(draws), statistics.stdev(draws)
    if mean > limit and spread > 0:
        strictness = statistics.NormalDist().inv_cdf(decision.prob)
        items = result.evidence.n_items * (strictness * spread / (mean - limit)) ** 2
        needed.append(
            f"If the difference stays at {mean:+.4f}, about {math.ceil(items):,} items would pass, "
            f"instead of {result.evidence.n_items:,}. Asking again with more items is a further "
            "look: give planned= from the beginning."
        )
    return needed


def _compare(scores_a: Any, scores_b: Any = None, **options: Any) -> Comparison:
    from skbayeseval import compare_items
    from skbayeseval._validation import UnlikelyDataWarning

    options.setdefault("random_state", 0)
    with warnings.catch_warnings():  # nobody reads warnings of tests that pass
        warnings.simplefilter("error", UnlikelyDataWarning)
        return Comparison(compare_items(scores_a, scores_b, **options))


@pytest.fixture
def bayes_compare() -> Callable[..., Comparison]:
    """Return a function that compares two systems from one score per item.

    ``bayes_compare(scores_a, scores_b, **options)`` takes what `skbayeseval.compare_items` takes.
    What it returns has `assert_not_worse(margin)`, `assert_better(margin=0)` and `result`.

    Examples
    --------
    ::

        def test_new_prompt(bayes_compare):
            columns = {"system": "model", "item": "id", "score": "correct"}
            bayes_compare("table.jsonl", **columns).assert_not_worse(0.01)
    """
    return _compare
