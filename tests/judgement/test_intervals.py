import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skbayeseval.judgement import Distribution, Interval, hdi


def narrowest_by_trying_all(values, prob):
    values = sorted(values)
    need = next(k for k in range(1, len(values) + 1) if k >= prob * len(values) - 1e-9)
    return min(values[i + need - 1] - values[i] for i in range(len(values) - need + 1)), need


@given(
    st.lists(st.integers(-20, 20) | st.floats(-1, 1), min_size=1, max_size=60),
    st.floats(0.01, 0.99),
)
def test_is_the_narrowest_with_enough_mass(values, prob):
    width, need = narrowest_by_trying_all(values, prob)
    low, high = hdi(values, prob)
    assert high - low == pytest.approx(width)
    assert sum(low <= value <= high for value in values) >= need


@pytest.mark.parametrize("dtype", [np.uint8, bool, np.float32])
def test_dtypes(dtype):
    draws = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1, 1], dtype=dtype)
    assert hdi(draws, 0.6) == Interval(1.0, 1.0)
    assert hdi(draws, 0.9) == Interval(0.0, 1.0)


@pytest.mark.parametrize(("prob", "low"), [(0.9, 5), (0.8, 10), (0.5, 25)])
def test_the_middle_of_equally_narrow_intervals(prob, low):
    # Of 100 whole numbers, 100 (1 - prob) + 1 intervals are equally narrow.
    draws = np.random.default_rng(0).permutation(100)
    assert hdi(draws, prob) == Interval(low, low + 100 * prob - 1)


WAYS = {
    "hdi of draws": hdi,
    "hdi": lambda draws, prob=0.95: Distribution(draws).hdi(prob),
    "interval": lambda draws, prob=0.95: Distribution(draws).interval(prob),
    "hdi_mcse": lambda draws, prob=0.95: Distribution(draws).hdi_mcse(prob),
}


@pytest.mark.parametrize("way", WAYS)
def test_bad_draws(way):
    for draws, prob, message in (
        ([0.1, np.nan], 0.5, "Input draws contains NaN"),
        ([], 0.5, "non-empty 1-D array"),
        (np.ones((2, 2)), 0.5, "1-D array"),
        ([0.1, 0.2], 95, "prob == 95"),
    ):
        with pytest.raises(ValueError, match=message):
            WAYS[way](draws, prob)


@given(st.lists(st.integers(-9, 9), min_size=1), st.integers(-10, 10), st.integers(0, 5))
def test_probabilities_are_shares_of_draws(draws, low, width):
    around = Distribution(draws).around(Interval(low, low + width))
    sides = np.mean([np.less(draws, low), np.greater(draws, low + width)], axis=1)
    assert around == pytest.approx((sides[0], 1 - sides.sum(), sides[1]))
    assert Distribution(draws).mass(low, low + width) == around.equivalent


@pytest.mark.parametrize("law", [stats.norm(), stats.expon()])
def test_mcse_by_repetition(law):
    rng = np.random.default_rng(0)
    samples = [law.rvs(5013, random_state=rng) for _ in range(200)]
    spread = np.std([hdi(sample) for sample in samples], axis=0).max()
    told = np.mean([Distribution(sample).hdi_mcse() for sample in samples[:50]])
    assert 0.7 * spread < told < 1.8 * spread


def test_mcse_needs_draws():
    assert np.isnan(Distribution(np.arange(100.0)).hdi_mcse())
