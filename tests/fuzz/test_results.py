"""What can be asked of results, with any arguments."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skbayeseval import compare_counts, compare_many, compare_predictions
from skbayeseval import score_posterior as score
from skbayeseval.judgement.decision import WORDS
from tests.fuzz.harness import attempt, examples
from tests.fuzz.strategies import anything, mostly, ropes

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
RANKING = compare_many(Y, {"a": A, "b": B, "c": Y}, **QUICK)
SINGLE = score(Y, A, **QUICK)

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


@examples(60)
@given(mostly(st.booleans()), mostly(st.just({"f1": "F1"})), mostly(st.just("red")), anything)
def test_tables_and_styles(mcse, labels, colors, options):
    for result in (RESULTS["counts"], RANKING, SINGLE):
        name = type(result).__name__
        attempt(f"{name}.to_markdown", lambda r=result: r.to_markdown(mcse=mcse, labels=labels))
        style = {"labels": labels, "colors": colors}
        if not isinstance(options, dict):  # of a dict, matplotlib refuses what it does not know
            style["text_kw"] = options
        attempt(f"{name}.plot", lambda r=result, style=style: r.plot(**style))
    plt.close("all")
