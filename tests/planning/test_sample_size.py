from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.isotonic import isotonic_regression

from skbayeseval.judgement import Interval, hdi
from skbayeseval.judgement.decision import Probabilities, codes_given_hdi, decide
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.intervals import hdi_of_rows
from skbayeseval.planning.sample_size import SampleSize, smallest_size, smoothed


def test_rows_are_decided_as_single_posteriors_are():
    rng = np.random.default_rng(0)
    draws = rng.normal(rng.uniform(-0.1, 0.1, 300)[:, None], 0.02, (300, 400))
    draws[:20] = np.round(draws[:20], 2)  # ties: several narrowest intervals
    draws[20] = 0.0
    rope = Interval(-0.05, 0.03)
    alone = [
        decide(
            hdi(row, 0.9), rope, Distribution(row).around(rope), float(row.mean()), prob=0.9
        ).code
        for row in draws
    ]
    codes = codes_given_hdi(draws, *hdi_of_rows(draws, 0.9), rope)
    assert codes.tolist() == alone
    assert set(alone) == {"<<", "<", "~", ">", ">>"}


def test_smallest_size_is_where_the_fraction_passes():
    rng = np.random.default_rng(0)
    sizes = np.geomspace(100, 10_000, 8)
    needed = np.exp(rng.normal(np.log(1000), 1, 4000))  # settled from this size on
    settled = needed[:, None] <= sizes
    size, interval, _ = smallest_size(settled, sizes, 0.8, rng)
    truth = np.quantile(needed, 0.8)
    assert size == pytest.approx(truth, rel=0.1)
    assert interval.low < size < interval.high
    assert interval.high / interval.low < 1.3


@pytest.mark.parametrize("beside", [1.0, 1.1, 1.3])
def test_interval_of_the_size_covers_it(beside):
    # As where two classifiers are equivalent: clear once the interval is inside on both sides.
    rng = np.random.default_rng(0)
    needed = 1000.0
    sizes = beside * needed * 1.6 ** (np.arange(6) - 3.0)
    z = norm.ppf(0.9)
    power = 2 * norm.cdf(-1.96 + (z + 1.96) * np.sqrt(sizes / needed)) - 1  # 0.8 at `needed`
    inside, found = 0, []
    for _ in range(100):
        settled = rng.random((1000, 1)) < power
        size, interval, _ = smallest_size(settled, sizes, 0.8, rng, n_resamples=100)
        inside += interval.low <= needed <= interval.high
        found.append(size)
    assert inside >= 87
    assert np.median(found) == pytest.approx(needed, rel=0.015)


def test_fractions_are_smoothed_as_scikit_learn_does():
    rng = np.random.default_rng(0)
    for n_sizes in (1, 2, 6, 40):
        fractions = rng.random((20, n_sizes))
        expected = [isotonic_regression(row) for row in fractions]
        np.testing.assert_allclose(smoothed(fractions), expected, atol=1e-12)
        np.testing.assert_allclose(smoothed(fractions[0]), expected[0], atol=1e-12)


def test_a_dip_does_not_mislead():
    settled = np.zeros((100, 4), dtype=bool)
    for column, n in enumerate([50, 79, 77, 95]):
        settled[:n, column] = True
    size, *_ = smallest_size(settled, np.array([1.0, 2, 3, 4]), 0.8, np.random.default_rng(0))
    assert 3 < size < 4


@pytest.mark.parametrize(
    ("n_total", "words"),
    [
        (1912, ["About 1,900 labelled", "1,400 more than now", "1,700 to 2,100"]),
        (500, ["already clear"]),
    ],
)
def test_sentence(n_total, words):
    draws = np.linspace(-0.01, 0.02, 200)
    rope = Interval(-0.01, 0.01)
    decision = decide(hdi(draws), rope, Distribution(draws).around(rope), 0.005)
    size = SampleSize(
        n_total, n_total - 500, 500, 0.8, 0.8, 0.01, Interval(1734.0, 2120.0), 500_000, decision
    )
    assert not size.never
    for word in words:
        assert word in str(size)
    assert "would settle it" not in str(size)  # one size is enough
    assert "required_sample_size" not in str(size)


@pytest.mark.parametrize(
    ("n_total", "largest", "words"),
    [
        (None, 500_000, "More than 10 times the present 500 labelled instances would be"),
        (5_001, 500_000, "More than 10 times the present 500 labelled instances would be"),
        (5_000, 500_000, "About 5,000 labelled instances in total, 4,500 more than now"),
        (None, 5_000, "Not reached: even 5,000 labelled instances in total would give a clear "
         "decision only with probability 79.96%, not 80%."),
    ],
)  # fmt: skip
def test_sizes_out_of_reach_have_no_number(n_total, largest, words):
    decision = decide(Interval(-0.01, 0.02), Interval(-0.01, 0.01), Probabilities(0, 0.6, 0.4), 0)
    more = None if n_total is None else n_total - 500
    interval = None if n_total is None else Interval(4_000.0, 6_000.0)
    size = SampleSize(n_total, more, 500, 0.8, 0.7996, 0.01, interval, largest, decision)
    assert size.never is (n_total is None)
    assert str(size).startswith(words)
    scarce = replace(size, decision=replace(decision, units="labelled instances of class x"))
    assert ", with as few of class x among them as now, would " in str(scarce)
    numbers = {n for n in ("5,001", "500,000", "6,000") if n in str(size)}
    assert numbers == ({"6,000"} if n_total == 5_000 else set())
