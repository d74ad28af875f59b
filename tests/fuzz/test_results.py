"""What can be asked of results, with any arguments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skbayeseval import compare_counts, compare_predictions
from skbayeseval.judgement.decision import WORDS
from tests.fuzz.harness import attempt, examples
from tests.fuzz.strategies import mostly, ropes

RNG = np.random.default_rng(0)
Y = np.arange(60) % 3
A, B = (np.where(RNG.random(60) < share, Y, RNG.integers(0, 3, 60)) for share in (0.8, 0.6))
QUICK = {"n_draws": 400, "random_state": 0}
RESULTS = {
    "two classes": compare_predictions(Y > 0, A > 0, B > 0, scoring=["f1", "accuracy"], **QUICK),
    "three classes": compare_predictions(Y, A, B, scoring="f1_macro", **QUICK),
    "counts": compare_counts((40, 5, 6), (36, 8, 9), scoring=["f1", "recall"], **QUICK),
    "groups": compare_predictions(Y, A, B, groups=np.arange(60) // 3, **QUICK),
}
results = st.sampled_from(sorted(RESULTS))
probs = mostly(st.floats(0.05, 0.99))
metrics = mostly(st.sampled_from([None, None, "f1", "recall", "accuracy", "r2"]))


@examples(600)
@given(results, probs, ropes, metrics, st.sampled_from(["difference", "a", "b", "c", None, 1]))
def test_intervals_and_decisions(name, prob, rope, metric, of):
    result = RESULTS[name]
    for method in (result.hdi, result.interval):
        interval = attempt(
            f"ComparisonResult.{method.__name__}",
            lambda method=method: method(prob, of=of, metric=metric),
        )
        if interval is not None:
            assert -1 <= interval.low <= interval.high <= 1
    found = attempt("ComparisonResult.probability", lambda: result.probability(rope, metric=metric))
    if found is not None:
        assert sum(found) == pytest.approx(1)
        assert min(found) >= 0
    decision = attempt(
        "ComparisonResult.decision", lambda: result.decision(rope, prob, metric=metric)
    )
    if decision is not None:
        assert decision.code in WORDS
        assert decision.hdi.low <= decision.hdi.high
