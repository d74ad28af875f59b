import numpy as np
import pytest
from scipy.special import expit

from skbayeseval import (
    bayesian_cross_validate,
    compare_predictions,
    metrics,
    power_analysis,
)
from skbayeseval.evidence import ConfusionCounts
from skbayeseval.judgement import Interval
from skbayeseval.models import Paired, Unpaired
from skbayeseval.planning import sample_size, simulate
from skbayeseval.planning.truths import SCALE, populations_of, truths
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.results.comparison import ComparisonResult

QUICK = {"n_replications": 50, "random_state": 0}
SETTLED = ("<<", "~", ">>")


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch, request):
    if not request.node.get_closest_marker("slow"):
        monkeypatch.setattr(simulate, "N_DRAWS", 500)


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
    mu, split = (
        drawn["mu"],
        [drawn[name][:, 1] + drawn[name][:, 2] for name in ("theta+", "theta-")],
    )
    spread = np.sqrt(mu * split[0] + (1 - mu) * split[1])
    if scoring == "f1":
        hits = [mu * (drawn["theta+"][:, 0] + drawn["theta+"][:, k]) for k in (1, 2)]
        alarms = [(1 - mu) * (drawn["theta-"][:, 0] + drawn["theta-"][:, k]) for k in (1, 2)]
        hit, said = np.mean(hits), np.mean(hits) + np.mean(alarms)
        size = said + mu.mean()  # 2 TP + FP + FN
        f1 = 2 * hit / size
        spread = np.sqrt(mu * split[0] * (2 - f1) ** 2 + (1 - mu) * split[1] * f1**2) / size
    weights = np.exp(-0.5 * (difference / spread / SCALE) ** 2)
    return weights / weights.sum()


def settled_fraction(result, rope, n_more, n_replications, seed):
    """Draw near-equal truths from the posterior, add instances, decide: by public faces alone."""
    rng = np.random.default_rng(seed)
    drawn = result._posterior.parameters()
    weights = weights_of(drawn, result.draws, result.metrics[0])
    outcomes = np.array([(1, 1), (1, 0), (0, 1), (0, 0)])
    settled = 0
    for i in rng.choice(result.n_draws, n_replications, p=weights):
        mu = drawn["mu"][i]
        positives = rng.binomial(n_more, mu)
        pieces = [
            (truth, pair, count)
            for truth, total, theta in (
                (1, positives, drawn["theta+"][i]),
                (0, n_more - positives, drawn["theta-"][i]),
            )
            for pair, count in zip(outcomes, rng.multinomial(total, theta), strict=True)
        ]
        truth, pairs, counts = (np.array(column) for column in zip(*pieces, strict=True))
        seen = result.evidence
        times = np.concatenate([seen.counts, counts]).astype(int)
        y = np.repeat(np.concatenate([seen.truth, truth]), times)
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


def test_settled_already():
    result = compare_predictions(*CLEAR, random_state=0)
    size = result.required_sample_size(0.45)
    assert (size.n_total, size.n_more, size.reached) == (300, 0, 1.0)
    assert "The decision is already clear: ≈" in str(size)


def with_power(monkeypatch, power, lucky):
    """Let decisions be clear with a known probability, and another one in looks at one size."""
    evaluated = []

    def in_chunks(jobs, n, seed, n_jobs, verbose):
        sizes = np.asarray(jobs[0]["sizes"]) + 300
        evaluated.append(sizes)
        probability = (lucky if len(sizes) == 1 else power)(sizes)
        clear = np.random.default_rng(seed).random((n, 1)) < probability
        return [np.where(clear, "~", "?")[:, :, None]]

    monkeypatch.setattr(sample_size, "in_chunks", in_chunks)
    return evaluated


@pytest.mark.slow
def test_the_interval_of_a_size_is_not_cut_off(monkeypatch):
    """As if few replications, by chance, had made a size look large enough, or too small."""
    result, inside = compare_predictions(*MODERATE, random_state=0), 0
    for seed in range(60):
        threshold = (5000, 19_000, 22_000)[seed % 3]
        evaluated = with_power(
            monkeypatch,
            power=lambda sizes: expit(np.log(4) + np.log(sizes / 12_000)),  # 0.8 at 12,000
            lucky=lambda sizes, threshold=threshold: np.where(sizes < threshold, 0.5, 0.99),
        )
        found = result.required_sample_size(0.02, n_replications=400, random_state=seed)
        inside += found.interval.low <= 12_000 <= found.interval.high
        assert evaluated[-1][0] < found.interval.low < found.interval.high < evaluated[-1][-1]
        assert found.reached == 0.8
    assert inside >= 52


def test_never_is_said_plainly():
    result = compare_predictions(*EQUAL, random_state=0)
    edge = (-0.9, float(result.draws.mean()))
    size = result.required_sample_size(edge, largest=600, **QUICK)
    assert size.never
    assert size.n_total is size.n_more is size.interval is None
    assert size.reached < 0.8
    assert "Not reached" in str(size)


@pytest.mark.slow
def test_the_seed_is_the_results_own():
    seeds = (0, 0, 1, 2)
    results = [compare_predictions(*CLEAR, scoring="f1", random_state=seed) for seed in seeds]
    one, same, *others = (
        r.required_sample_size(0.01, largest=900, n_replications=50) for r in results
    )
    assert one == same
    assert {one.reached} != {other.reached for other in others}


@pytest.mark.slow
@pytest.mark.parametrize("model", ["paired", "hierarchical"])
def test_more_classes(model, monkeypatch):
    monkeypatch.setattr(sample_size, "N_SIZES", 2)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    a, b = (np.where(rng.random(200) < p, y, (y + 1) % 3) for p in (0.9, 0.75))
    result = compare_predictions(y, a, b, model=model, random_state=0)
    size = result.required_sample_size(0.05, largest=1000, **QUICK)
    assert size.n_now == 200
    assert 0 < size.reached < 1


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


def test_cross_validation_speaks_of_instances():
    from sklearn.datasets import load_breast_cancer
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_breast_cancer(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    result = bayesian_cross_validate(GaussianNB(), tree, X, y, random_state=0)
    size = result.required_sample_size(0.02, assurance=0.5, largest=5000, **QUICK)
    assert size.n_now == 569


def test_prevalence_keeps_the_sampling_by_class():
    result = compare_predictions(*CLEAR, scoring="f1", prevalence=0.1, random_state=0)
    rng = np.random.default_rng(0)
    (population,), *_ = truths(result._exact_posterior(""), metrics.get_metric("f1"), rng, 3)
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


def test_decisions_are_those_of_results(monkeypatch):
    """On the same counts, wherever an HDI's end is clear of the edge of the ROPE."""
    monkeypatch.setattr(simulate, "N_DRAWS", 4000)
    rope = Interval(-0.02, 0.02)
    rng = np.random.default_rng(0)
    cells = rng.dirichlet(np.full(8, 0.7), 40).reshape(-1, 2, 2, 2)
    setting = simulate.Setting((0, 1), 1)
    compared = 0
    for model in (Paired(), Unpaired()):
        question = simulate.Question(model, metrics.get_metric("f1"), rope, 0.95)
        populations = [populations_of(table) for table in cells]
        data = [setting.evidence(p, [rng.multinomial(400, p[0].probability)]) for p in populations]
        codes = question.codes(data, rng)
        for code, one in zip(codes, data, strict=True):
            posterior = Posterior(model, one, entropy=0, n_draws=20_000)
            result = ComparisonResult(posterior, ("A", "B"), {"f1": question.metric})
            decision = result.decision(rope)
            distance = np.abs(np.subtract.outer(decision.hdi, rope)).min()
            if distance > 0.3 * result.draws.std():
                compared += 1
                if abs(decision.probabilities.better - decision.probabilities.worse) > 0.1:
                    assert code == decision.code
    assert compared > 40


def test_power_is_the_frequency_of_what_results_decide():
    """Simulated by NumPy, and decided by `compare_predictions` on whole vectors of labels."""
    cells = np.array([[[0.35, 0.05], [0.08, 0.07]], [[0.05, 0.04], [0.11, 0.25]]])
    rng = np.random.default_rng(0)
    outcomes = np.indices((2, 2, 2)).reshape(3, -1).T
    codes = []
    for _ in range(150):
        y, a, b = outcomes[rng.choice(8, 600, p=cells.ravel())].T
        result = compare_predictions(
            y, a, b, scoring="f1", labels=[0, 1], n_draws=4000, random_state=rng
        )
        codes.append(result.decision(0.03).code)
    for goal in (">>", ("<", ">")):
        table = power_analysis(
            cells, 600, rope=0.03, goal=goal, n_replications=1000, random_state=0
        ).table
        frequency = np.isin(codes, goal).mean()
        error = np.hypot(table["mcse"][0], np.sqrt(frequency * (1 - frequency) / 150))
        assert 0.1 < frequency < 0.9
        assert table["power"][0] == pytest.approx(frequency, abs=4 * error)


def test_weighted_counts_are_whole_and_right_on_average():
    rng = np.random.default_rng(0)
    populations = populations_of(np.array([[0.2, 0.3], [0.1, 0.4]]), np.full((2, 2), 0.25))
    setting = simulate.Setting((0, 1), 1, weight=0.3688)
    tables = []
    for _ in range(400):
        counts = setting.counts(np.array([2, 3, 1, 4]), rng)
        a, _ = setting.evidence(populations, [counts] * 2)
        assert isinstance(a, ConfusionCounts)
        tables.append(a.effective)
    np.testing.assert_allclose(np.mean(tables, axis=0), [[2, 3], [1, 4]], atol=0.05)
