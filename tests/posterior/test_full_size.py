from itertools import combinations

import numpy as np
import pytest
from scipy.integrate import quad

from skbayeseval.metrics import get_metric
from skbayeseval.posterior.full_size import (
    EXPONENTS,
    FullSize,
    TrainingSizes,
    extrapolate,
)
from skbayeseval.posterior.inferred_weight import KnownWeights, QuantityWeight, WeightPosterior

BLOCKS = TrainingSizes(splits=50, further=75, all=100)
HALVED = TrainingSizes(splits=80, further=40, all=100)


@pytest.mark.parametrize("sizes", [BLOCKS, HALVED])
@pytest.mark.parametrize("place", range(len(EXPONENTS)))
def test_power_laws_are_continued_exactly(sizes, place):
    def curve(size):
        return 0.9 - 0.7 * size ** -EXPONENTS[place]

    step = curve(max(sizes[:2])) - curve(min(sizes[:2]))
    reached = curve(sizes.splits) + sizes.multiples[place] * step
    assert reached == pytest.approx(curve(sizes.all))


def test_multiples_are_those_of_the_sizes():
    np.testing.assert_allclose(BLOCKS.multiples[[0, -1]], [1.651, 1.5], atol=2e-3)
    np.testing.assert_allclose(HALVED.multiples[[0, -1]], [0.287, 0.2], atol=1e-3)


def influences(rng, correlation=0.8, n=400):
    noise = rng.normal(size=(2, n)) / n
    further = correlation * noise[0] + np.sqrt(1 - correlation**2) * noise[1]
    return noise[0] - noise[0].mean(), further - further.mean()


def mean_share(step, variance):
    """Posterior mean of the share of noise in a step, by quadrature."""

    def posterior(share, power):
        # step ~ N(0, variance / share), with sqrt(share) uniform a priori
        return share**power * np.exp(-(step**2) * share / (2 * variance)) * share**0.5 * share**-0.5

    return quad(posterior, 0, 1, args=(1,))[0] / quad(posterior, 0, 1, args=(0,))[0]


@pytest.mark.parametrize("sizes", [BLOCKS, HALVED])
@pytest.mark.parametrize("step", [0.0, 0.02, -0.05, 0.2])
def test_the_shift_is_that_of_normal_theory(sizes, step):
    """D and the step are normal with known covariance; the step has a normal prior around 0."""
    here, there = influences(np.random.default_rng(0), n=20_000)
    step = step * np.sqrt(400 / 20_000)  # as large, measured by its noise
    kappa = 1.5
    found = extrapolate(here, there, step, kappa, sizes)
    sign = 1 if sizes.further > sizes.splits else -1
    of_step = sign * (there - here)
    noise, cross = of_step @ of_step, here @ of_step
    share = mean_share(step, kappa * noise)
    multiple = sizes.multiples.mean()
    expected = (multiple * (1 - share) - cross / noise * share) * sign * step
    assert found.shifts.mean() == pytest.approx(expected, rel=0.01, abs=1e-5)
    kept = 1 - share
    factors = ((sizes.multiples + cross / noise) ** 2).mean()
    variance = here @ here - cross**2 / noise + factors * kept * noise
    assert found.inflation == pytest.approx(variance / (here @ here), rel=1e-2)


def test_a_large_step_is_continued_and_a_small_one_is_not():
    here, there = influences(np.random.default_rng(1))
    large = extrapolate(here, there, 1.0, 1.5, BLOCKS).shifts.mean()
    assert large == pytest.approx(BLOCKS.multiples.mean(), rel=0.02)
    sd = np.sqrt(1.5 * ((there - here) ** 2).sum())
    small = extrapolate(here, there, 0.3 * sd, 1.5, BLOCKS).shifts.mean()
    assert abs(small) < 0.8 * 0.3 * sd * BLOCKS.multiples.mean()


@pytest.mark.parametrize("sizes", [BLOCKS, HALVED])
def test_the_mirror(sizes):
    here, there = influences(np.random.default_rng(2))
    one = extrapolate(here, there, 0.03, 1.5, sizes)
    other = extrapolate(-here, -there, -0.03, 1.5, sizes)
    np.testing.assert_allclose(one.shifts, -other.shifts)
    assert one.inflation == pytest.approx(other.inflation)


def test_scaling():
    """Percent instead of shares."""
    here, there = influences(np.random.default_rng(3))
    one = extrapolate(here, there, 0.03, 1.5, BLOCKS)
    other = extrapolate(100 * here, 100 * there, 3.0, 1.5, BLOCKS)
    np.testing.assert_allclose(100 * one.shifts, other.shifts)
    assert one.inflation == pytest.approx(other.inflation)


def test_intervals_at_all_instances_contain_the_truth():
    """D and its step drawn from the prior of the model, with normal noise."""
    rng = np.random.default_rng(4)
    here, there = influences(rng)
    root = np.linalg.cholesky(np.cov(np.stack([here, there])) * (len(here) - 1) * 1.0)
    of_step = np.array([-1.0, 1.0]) @ root
    inside = []
    for _ in range(1500):
        share = rng.random() ** 2
        exponent = rng.integers(len(EXPONENTS))
        step = rng.normal() * np.sqrt((1 / share - 1) * (of_step @ of_step))
        error = root @ rng.standard_normal(2)
        seen = step + error[1] - error[0]
        found = extrapolate(here, there, seen, 1.0, BLOCKS)
        draws = error[0] + rng.choice(found.shifts, 2000)
        draws += rng.normal(0, np.sqrt(found.inflation * (here @ here)), 2000)
        low, high = np.quantile(draws, [0.025, 0.975])
        inside.append(low < BLOCKS.multiples[exponent] * step < high)
    assert np.mean(inside) == pytest.approx(0.95, abs=0.02)


def test_equal_predictions_at_one_size_do_not_make_the_step_certain():
    """Nobody disagrees in the splits; 8 and 4 of 120 instances in the further splits."""
    further = np.zeros(120)
    further[:8], further[8:12] = 1 / 120, -1 / 120
    found = extrapolate(np.zeros(120), further, 4 / 120, 1.5, BLOCKS)
    spread = np.sqrt(1.5 * found.inflation * (1 / 120) ** 2)
    assert found.shifts.mean() < 0.8 * BLOCKS.multiples.mean() * 4 / 120
    assert np.hypot(found.shifts.std(), spread) > found.shifts.mean() / 2
    other = extrapolate(further, np.zeros(120), -4 / 120, 1.5, BLOCKS)
    assert other.inflation * 13 > 1  # in units of one disagreement


def test_nothing_tells_what_is_noise():
    found = extrapolate(np.zeros(4), np.zeros(4), 0.0, 1.5, BLOCKS)
    assert found.inflation == 1
    np.testing.assert_array_equal(found.shifts, 0.0)


def test_differences_of_all_move_as_those_of_pairs():
    rng = np.random.default_rng(5)
    steps = rng.normal(0, 0.1, 4)

    def of(step):
        full = FullSize(step, 30.0, -0.3, 1.2, 1.0, BLOCKS)
        return QuantityWeight(WeightPosterior(0.5, 1.5, 8.0), full_size=full)

    values = [of(step) for step in steps]
    pairs = [of(steps[i] - steps[j]) for i, j in combinations(range(4), 2)]
    joint = {"accuracy": values[0].weight}
    known = KnownWeights(4, "", joint, {"accuracy": values}, {"accuracy": pairs}, BLOCKS)
    expected = np.stack([one.full_size.shifts for one in values])
    np.testing.assert_allclose(known.shifts(get_metric("accuracy")), expected)
    of_pair = known.pair(3, 1).full_size(get_metric("accuracy"))
    assert of_pair.step == pytest.approx(steps[3] - steps[1])
