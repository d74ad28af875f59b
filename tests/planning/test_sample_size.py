"""The number of instances or items that would settle a comparison."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from skbayeseval import compare_items, compare_predictions, metrics
from skbayeseval.judgement import Interval
from skbayeseval.judgement.distribution import Distribution, decision_of
from skbayeseval.planning import sample_size, simulate
from skbayeseval.planning.sample_size import SampleSize, simulated_settled, smallest_size
from skbayeseval.planning.simulate import SCALE, truths

QUICK = {"n_replications": 50, "random_state": 0}
SETTLED = ("<<", "~", ">>")


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch, request):
    if not request.node.get_closest_marker("slow"):
        monkeypatch.setattr(simulate, "LAST_NUMBER", 500)


def two_by_two(both, only_a, only_b, neither, positives=0.4, size=300):
    """Labels with exactly these shares of instances that both, one or none get right."""
    y = (np.arange(size) < positives * size).astype(int)
    right = np.repeat([(1, 1), (1, 0), (0, 1), (0, 0)], [both, only_a, only_b, neither], axis=0)
    right = np.random.default_rng(0).permutation(right)
    return y, np.where(right[:, 0], y, 1 - y), np.where(right[:, 1], y, 1 - y)


CLEAR = two_by_two(230, 32, 16, 22)
EQUAL = two_by_two(240, 12, 12, 36)
MODERATE = two_by_two(220, 35, 25, 20)


def weights_of(drawn, difference, scoring):
    """Weights of near-equal truths, from closed forms for the accuracy and for F1."""
    mu, plus, minus = (drawn[name].T for name in ("mu", "theta+", "theta-"))
    split = mu * (plus[1] + plus[2]), (1 - mu) * (minus[1] + minus[2])
    spread = np.sqrt(sum(split))
    if scoring == "f1":
        hit = np.mean(mu * (plus[0] + (plus[1] + plus[2]) / 2))
        alarm = np.mean((1 - mu) * (minus[0] + (minus[1] + minus[2]) / 2))
        size = hit + alarm + mu.mean()  # 2 TP + FP + FN
        f1 = 2 * hit / size
        spread = np.sqrt(split[0] * (2 - f1) ** 2 + split[1] * f1**2) / size
    weights = 1 / (1 + (difference / spread / SCALE) ** 2)
    return weights / weights.sum()


def settled_fraction(result, rope, n_more, n_replications, seed):
    """Draw near-equal truths from the posterior, add instances, decide: by public faces alone."""
    rng = np.random.default_rng(seed)
    drawn, seen = result._posterior.parameters(), result.evidence
    weights = weights_of(drawn, result.draws, result.metrics[0])
    pairs = np.tile([(1, 1), (1, 0), (0, 1), (0, 0)], (2, 1))
    settled = 0
    for i in rng.choice(result.n_draws, n_replications, p=weights):
        mu = drawn["mu"][i]
        joint = np.concatenate([mu * drawn["theta+"][i], (1 - mu) * drawn["theta-"][i]])
        times = np.concatenate([seen.counts, rng.multinomial(n_more, joint)]).astype(int)
        y = np.repeat(np.concatenate([seen.truth, [1] * 4 + [0] * 4]), times)
        a, b = np.repeat(np.concatenate([seen.predictions, pairs]), times, axis=0).T
        again = compare_predictions(y, a, b, scoring=result.metrics[0], random_state=rng)
        settled += again.decision(rope).code in SETTLED
    return settled / n_replications


@pytest.mark.slow
@pytest.mark.parametrize(
    ("votes", "rope", "scoring"),
    [(CLEAR, 0.01, "f1"), (EQUAL, 0.03, "f1"), (MODERATE, 0.02, "accuracy")],
    ids=["clear", "equivalent", "moderate"],
)
def test_the_size_named_settles_it_as_often_as_promised(votes, rope, scoring):
    result = compare_predictions(*votes, scoring=scoring, random_state=1)
    assert result.decision(rope).code not in SETTLED
    size = result.required_sample_size(rope, assurance=0.8)
    fraction = settled_fraction(result, rope, size.n_more, 600, seed=2)
    assert fraction == pytest.approx(0.8, abs=0.07)
    assert size.interval.low <= size.n_total <= size.interval.high


def test_one_more_instance_may_be_enough(monkeypatch):
    def in_chunks(jobs, n, *_):
        return [np.full((n, len(jobs[0]["sizes"]), 1), "~")]

    monkeypatch.setattr(sample_size, "in_chunks", in_chunks)
    size = compare_predictions(*MODERATE, random_state=0).required_sample_size(0.02, **QUICK)
    assert (size.n_total, size.n_more) == (301, 1)
    assert size.chances == {600: 1.0, 1500: 1.0, 3000: 1.0}


def test_never_is_said_plainly():
    result = compare_predictions(*EQUAL, random_state=0)
    edge = (-0.9, float(result.draws.mean()))
    size = result.required_sample_size(edge, largest=600, **QUICK)
    assert size.n_total is size.n_more is size.interval is None
    assert size.reached < 0.8
    assert list(size.chances) == [600]
    assert str(size).count(" with 600") == 2
    assert "600, the most that was tried" in str(size)


@pytest.mark.slow
def test_what_is_said_of_pilots_holds():
    """Pilots of 300 items, whose true differences are as Cauchy around 0 as those of the planner.

    Those with a true difference of 0.04 are settled in 0.45, 0.92 and 1.00 of all cases at 2, 5
    and 10 times the size, which a pilot cannot know: it may as well have a smaller one.
    """
    rng, n, sd = np.random.default_rng(0), 300, 0.33
    said, found = [], []
    while len(said) < 250:
        true = np.clip(SCALE * sd * rng.standard_cauchy(), -0.1, 0.1)
        items = rng.normal(true, sd, 10 * n)
        pilot, *later = (compare_items(items[:k], 0 * items[:k], n_draws=400, random_state=0)
                         for k in (n, 2 * n, 5 * n, 10 * n))  # fmt: skip
        if pilot.decision(0.01).settled:
            continue
        size = pilot.required_sample_size(0.01, n_replications=100)
        said.append(list(size.chances.values()))
        found.append([one.decision(0.01).settled for one in later])
    np.testing.assert_allclose(np.mean(said, axis=0), np.mean(found, axis=0), atol=0.06)


@pytest.mark.slow
def test_a_weight_is_no_new_information():
    """Three copies of each instance, worth a third each, are the instances themselves."""
    once = compare_predictions(*CLEAR, scoring="f1", random_state=0)
    thrice = compare_predictions(
        *(np.tile(v, 3) for v in CLEAR), scoring="f1", weight=1 / 3, random_state=0
    )
    options = {"assurance": 0.5, "n_replications": 100, "random_state": 0}
    one, three = (r.required_sample_size(0.01, **options) for r in (once, thrice))
    assert three.n_now == 3 * one.n_now
    assert 0.5 < three.n_total / 3 / one.n_total < 2


def test_prevalence_keeps_the_sampling_by_class():
    result = compare_predictions(*CLEAR, scoring="f1", prevalence=0.1, random_state=0)
    rng = np.random.default_rng(0)
    (population,), *_ = truths(result._posterior.exact(""), metrics.get_metric("f1"), rng, 3)
    of_class = np.bincount(population.truth, population.probability)
    np.testing.assert_allclose(of_class, [0.6, 0.4])
    assert result.required_sample_size(0.01, largest=1000, **QUICK).n_now == 300


def test_evidence_that_cannot_be_simulated():
    y = np.eye(3, dtype=int)
    labels = compare_predictions(y, y, y[::-1], scoring="f1_micro", random_state=0)
    groups = compare_predictions(*CLEAR, groups=np.arange(300) // 3, random_state=0)
    for result in (labels, groups):
        with pytest.raises(ValueError, match="indicators, groups, chunks or scores"):
            result.required_sample_size(0.01)


@pytest.mark.slow
def test_it_agrees_with_the_planner_of_predictions():
    n = 200
    y = np.arange(n) % 2
    right = np.random.default_rng(0).random((2, n)) < np.array([[0.85], [0.75]])
    # With 400 replications, the standard deviation of the logarithm is 0.27.
    plan = {"rope": 0.01, "n_replications": 4000}
    of_items = compare_items(*right, random_state=0).required_sample_size(**plan)
    a, b = (np.where(one, y, 1 - y) for one in right)
    expected = compare_predictions(y, a, b, random_state=0).required_sample_size(**plan)
    assert np.log(of_items.n_total / expected.n_total) == pytest.approx(0, abs=0.4)


def test_wider_scores_need_more_items():
    a, b = np.random.default_rng(0).normal(size=(2, 60))
    plain = compare_items(a, b, random_state=0).required_sample_size(0.2, random_state=1)
    assert " items " in str(plain)
    assert "instances" not in str(plain)
    wide = compare_items(10 * a, 10 * b, random_state=0).required_sample_size(2.0, random_state=1)
    assert wide.n_total == plain.n_total  # the ROPE is ten times as wide, too
    alike = compare_items(a, a + 0.1 * (b - b.mean()), random_state=0)
    by_rope = [alike.required_sample_size(rope, random_state=1).n_total for rope in (0.01, 0.02)]
    assert by_rope[0] > by_rope[1]  # equivalence within less takes more items


def test_the_simulation_without_noise():
    """A difference of 0.5 with an sd of 1 per item is settled once 1.96 / sqrt(n) < 0.5 - 0.1."""
    decision = compare_items(
        *np.random.default_rng(0).normal(size=(2, 60)), random_state=0
    ).decision(0.1)
    sizes = np.array([20.0, 24.0, 25.0, 100.0])

    class Quiet:
        def standard_normal(self, shape):
            return np.zeros(shape)

    settled = simulated_settled(np.array([0.5]), 0.5, 1 / np.sqrt(10), 10, sizes, decision, Quiet())
    assert settled.tolist() == [[False, False, True, True]]


@pytest.mark.parametrize("beside", [1.0, 1.3])
def test_interval_of_the_size_covers_it(beside, monkeypatch):
    # As where two classifiers are equivalent: clear once the interval is inside on both sides.
    rng = np.random.default_rng(0)
    needed = 1000.0
    sizes = beside * needed * 1.6 ** (np.arange(6) - 3.0)
    z = norm.ppf(0.9)
    power = 2 * norm.cdf(-1.96 + (z + 1.96) * np.sqrt(sizes / needed)) - 1  # 0.8 at `needed`
    monkeypatch.setattr(sample_size, "N_RESAMPLES", 100)
    inside, found = 0, []
    for _ in range(60):
        settled = rng.random((1000, 1)) < power
        size, interval, _ = smallest_size(settled, sizes, 0.8, rng)
        inside += interval.low <= needed <= interval.high
        found.append(size)
    assert inside >= 52
    assert np.median(found) == pytest.approx(needed, rel=0.015)


@pytest.mark.parametrize(
    ("n_total", "largest", "words"),
    [
        (None, 500_000, "50% with about 3,700, 79.96% with 500,000, the most that was tried. "),
        (5_001, 500_000, "50% with about 3,700, 80% with about 5,000 (95% Monte Carlo interval: "
         "4,000 to 6,000). The decision now: not settled"),
        (500, 500_000, "The decision is already clear: "),
    ],
)  # fmt: skip
def test_sentences(n_total, largest, words):
    draws, rope = Distribution(np.linspace(-0.01, 0.02, 999)), Interval(-0.01, 0.01)
    decision = decision_of(draws, rope, 0.95, ("A", "B"), "score")
    more = None if n_total is None else n_total - 500
    interval = None if n_total is None else Interval(4_000.0, 6_000.0)
    chances = {1000: 0.21, 2500: 0.4, 5000: 0.7996}
    size = SampleSize(
        n_total, more, 500, 0.8, 0.7996, 0.01, interval, largest, decision, chances, 3_651
    )
    assert words in str(size)
    assert "required_sample_size" not in str(size)
    if more != 0:
        assert "21.0% with 1,000, 40.0% with 2,500, 79.96% with 5,000, " in str(size)
        scarce = replace(size, decision=replace(decision, units="labelled instances of class x"))
        assert ", with as few of class x among them as now, give " in str(scarce)
    for never_said in ("would be needed", "wider", "narrower"):
        assert never_said not in str(size)
