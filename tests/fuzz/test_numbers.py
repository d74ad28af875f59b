"""Counts, matrices, split scores, draws and metrics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skbayeseval import compare_counts, compare_scores
from tests.fuzz.harness import attempt, check_alike, check_comparison, examples
from tests.fuzz.strategies import anything, mostly, numbers, seeds

QUICK = {"n_draws": 200}
counts = st.one_of(st.integers(0, 30), st.integers(0, 10**6), st.sampled_from([10**9, 10**12]))


@examples(120)
@given(st.data())
def test_compare_counts(data):
    size = data.draw(st.integers(3, 4))
    a, b = ([data.draw(counts) for _ in range(size)] for _ in range(2))
    model = "bcv" if size == 3 else data.draw(st.sampled_from(["bcv", "unpaired"]))
    scoring = data.draw(st.sampled_from(["f1", "precision", "recall", "jaccard"]))
    options = {"scoring": scoring, "model": model, "random_state": data.draw(seeds), **QUICK}
    way = data.draw(st.sampled_from([list, tuple, np.array, np.float64, lambda x: np.array([x])]))
    result = attempt("compare_counts", lambda: compare_counts(way(a), way(b), **options))
    if result is None:
        assert any(sum(one) == 0 or size == 4 for one in (a, b))
        return
    tp, fp, fn = a[:3]
    ratios = {
        "f1": (2 * tp, 2 * tp + fp + fn),
        "precision": (tp, tp + fp),
        "recall": (tp, tp + fn),
        "jaccard": (tp, tp + fp + fn),
    }
    above, below = ratios[scoring]
    assert result.observed_a == pytest.approx(above / below if below else 0)
    check_comparison(result)
    swapped = compare_counts(b, a, **options)
    check_alike(-swapped.draws, result.draws, "swapped")
    there, back = result.probability(0.01), swapped.probability(0.01)
    if model == "bcv":  # by quadrature
        assert there.better == pytest.approx(back.worse, abs=1e-6)


@examples(280)
@given(st.data())
def test_compare_scores(data):
    size = data.draw(st.integers(2, 12))
    a, b = data.draw(numbers(size, -100, 100)), data.draw(numbers(size, -100, 100))
    fraction = data.draw(mostly(st.floats(0.01, 0.99)))
    options = {"test_fraction": fraction, "random_state": 0, **QUICK}
    if data.draw(st.integers(0, 4)) == 0:
        b = data.draw(anything)
    result = attempt("compare_scores", lambda: compare_scores(a, b, **options))
    if result is None:
        return
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    assert result.observed_a == pytest.approx(first.mean(), abs=1e-6)
    assert result.observed_b == pytest.approx(second.mean(), abs=1e-6)
    swapped = compare_scores(b, a, **options)
    probabilities_ = result.probability(0.1), swapped.probability(0.1)
    assert probabilities_[0].better == pytest.approx(probabilities_[1].worse, abs=1e-9)
    assert sum(probabilities_[0]) == pytest.approx(1)
    low, high = result.hdi()
    assert low <= first.mean() - second.mean() + 1e-6
    assert high >= first.mean() - second.mean() - 1e-6
