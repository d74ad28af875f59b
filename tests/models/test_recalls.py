"""Draws of recalls against numerical integration, dense draws and closed forms."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln, expit

from skbayeseval import compare_predictions, score_posterior
from skbayeseval.evidence import PairedCounts
from skbayeseval.metrics import from_confusion
from skbayeseval.models import PairedRecalls, Recalls, recalls
from skbayeseval.models.multiclass import row_sampler
from skbayeseval.models.recalls import ProportionSampler, RecallGrid
from skbayeseval.models.rows import GroupDraws, Recall
from tests.models import cases
from tests.models.cases import alone, stream_outcomes

TABLES = {**cases.TABLES, "never right": [[0, 1, 0], [4, 0, 0], [2, 5, 0]]}


def paired_votes(n=400, n_classes=4, n_classifiers=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(n_classes, n)
    hard = rng.random(n)
    right = hard + 0.3 * rng.random((n_classifiers, n)) < 0.9
    wrong = (y + rng.integers(1, n_classes, (n_classifiers, n))) % n_classes
    predictions = {f"c{k}": one for k, one in enumerate(np.where(right, y, wrong))}
    return PairedCounts.from_labels(y, predictions, labels=np.arange(n_classes))


@pytest.mark.parametrize("weight", [1.0, 0.3688])
@pytest.mark.parametrize("name", ["ordinary", "empty class", "never right"])
def test_grid_by_numerical_integration(name, weight):
    evidence = alone(TABLES[name], weight=weight)
    (group,) = Recalls(mu=1.0, eta=(2.0, 1.5), icc=(1.5, 3.0)).specification(evidence).groups
    (recall,) = group.etas
    logit, mass = RecallGrid(recall, prior=False).draw(np.random.default_rng(0).random((3, 40_000)))

    # The midpoint rule in variables that are dense at both ends.
    even = (np.arange(400) + 0.5) / 400
    nodes, slope = even**2 * (3 - 2 * even), 6 * even * (1 - even)
    eta, icc = nodes[:, None], nodes
    a, b = (1 / icc - 1) * eta, (1 / icc - 1) * (1 - eta)
    log_density = stats.beta.logpdf(eta, 2.0, 1.5) + stats.beta.logpdf(icc, 1.5, 3.0)
    for right, wrong in zip(recall.right, recall.wrong, strict=True):
        log_density = log_density + betaln(a + right, b + wrong) - betaln(a, b)
    density = np.exp(log_density - log_density.max()) * slope[:, None] * slope
    for of, drawn in ((eta + 0 * icc, expit(logit)), (icc + 0 * eta, 1 / (1 + mass))):
        for power in (1, 2):
            expected = (of**power * density).sum() / density.sum()
            error = 4.5 * (drawn**power).std() / np.sqrt(len(drawn))
            assert (drawn**power).mean() == pytest.approx(expected, abs=error)
    expected = (eta * icc * density).sum() / density.sum()
    assert np.mean(expit(logit) / (1 + mass)) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("name", ["tiny rows", "never predicted"])
def test_wrong_predictions_are_divided_by_a_dirichlet_vector_of_mass_one(name):
    table = np.array(TABLES[name])
    y, said = (np.repeat(codes.ravel(), table.ravel()) for codes in np.indices((3, 3)))
    for j, (k, other) in enumerate(((1, 2), (0, 2), (0, 1))):

        def share(tables, j=j, k=k, other=other):
            wrong = tables[..., j, k] + tables[..., j, other]
            return np.divide(tables[..., j, k], wrong, out=np.zeros_like(wrong), where=wrong > 0)

        options = {"scoring": from_confusion(share, "share"), "labels": range(3), "random_state": 0}
        draws = score_posterior(y, said, model=Recalls(mu=1.0), **options).draws
        shapes = table[j, k] + 0.5, table[j, other] + 0.5
        assert stats.kstest(draws[draws > 0], "beta", args=shapes).pvalue > 1e-3


def test_populations_have_the_accuracies_of_the_draws():
    model = PairedRecalls().specification(paired_votes(n=60, n_classes=6))
    populations = model.draw_populations(np.random.default_rng(0), 400)
    accuracies = []
    for (population,) in populations:
        assert population.probability.sum() == pytest.approx(1)
        assert set(np.unique(population.predictions)) <= set(range(6))
        is_right = population.predictions == population.truth[:, None]
        accuracies.append(population.probability @ is_right)
    (totals,) = stream_outcomes(model, np.random.default_rng(1), 2000, prior=False)
    expected = totals.hits.sum(axis=2)
    np.testing.assert_allclose(np.mean(accuracies, axis=0), expected.mean(axis=1), atol=0.03)
    np.testing.assert_allclose(np.std(accuracies, axis=0), expected.std(axis=1), rtol=0.2)
    # Classifiers that are right together differ by less.
    differences = np.std(np.subtract(*np.transpose(accuracies)))
    assert differences == pytest.approx(np.subtract(*expected).std(), rel=0.2)


def test_wrong_predictions_of_populations_are_off_as_the_observed_ones_are():
    y = np.arange(30) % 5  # right in one of six, otherwise the class after the true one
    said = (y + (np.arange(30) % 6 > 0)) % 5
    model = PairedRecalls().specification(PairedCounts.from_labels(y, {"a": said, "b": said}))
    for (population,) in model.draw_populations(np.random.default_rng(0), 10):
        off = (population.predictions - population.truth[:, None]) % 5
        assert set(off.ravel()) == {0, 1}


@pytest.mark.parametrize("weight", [1.0, 1e-3])
def test_correlation_of_being_right_is_that_within_classes(weight):
    evidence = paired_votes(n=60, n_classes=5, n_classifiers=3)
    is_right = evidence.predictions == evidence.truth[:, None]
    times = evidence.counts.astype(int)
    rows, truth = (np.repeat(values, times, axis=0) for values in (is_right, evidence.truth))
    centred = np.concatenate([rows[truth == j] - rows[truth == j].mean(axis=0) for j in range(5)])
    scaled = PairedCounts(
        evidence.truth, evidence.predictions, evidence.counts, evidence.labels, weight
    )
    (group,) = PairedRecalls().specification(scaled).groups
    mixing = row_sampler(group, False).mixing
    np.testing.assert_allclose(mixing @ mixing.T, np.corrcoef(centred.T), atol=1e-9)


def test_etas_are_as_correlated_as_being_right():
    evidence = paired_votes(n=4000, n_classes=20, n_classifiers=3)
    (group,) = PairedRecalls().specification(evidence).groups
    sampler = row_sampler(group, False)
    wanted = sampler.mixing @ sampler.mixing.T
    rng = np.random.default_rng(0)
    base = sampler.draw_base(rng, 4000)
    np.testing.assert_allclose(np.corrcoef(base.logits), wanted, atol=0.1)
    assert (np.corrcoef(np.log(base.masses))[np.triu_indices(3, 1)] > 0.8).all()
    # The same for draws that are independent, as those of Markov chains are.
    alone = [grid.draw(rng.random((3, 4000))) for grid in sampler.grids]
    logits, masses = zip(*alone, strict=True)
    base = sampler.arranged(rng, GroupDraws(None, logits, masses))
    np.testing.assert_allclose(np.corrcoef(base.logits), wanted, atol=0.15)
    assert (np.corrcoef(np.log(base.masses))[np.triu_indices(3, 1)] > 0.8).all()
    assert base.mu.shape == (4000, 20)
    for before, after in zip(logits, base.logits, strict=True):
        np.testing.assert_array_equal(np.sort(before), np.sort(after))


EDGES = np.array([0.0, 1e-300, 1e-12, 0.5, 1 - 1e-12, 1 - 2**-53])


@pytest.mark.parametrize("icc", [1.0, 3e5, 1e6])
def test_draws_exist_where_densities_underflow(icc):
    counts = Recall(np.ones(2), np.full(2, icc), right=np.full(3, 500.0), wrong=np.full(3, 500.0))
    uniform = np.stack(np.meshgrid(EDGES, EDGES, EDGES)).reshape(3, -1)
    grid = RecallGrid(counts, prior=False)
    logit, mass = grid.draw(uniform)
    assert np.isfinite(logit).all()
    assert np.isfinite(mass).all()
    last = grid.first + (len(grid.of_logit) // len(grid.log_mass) - 1) * grid.step
    assert grid.first.min() - 1e-9 <= logit.min() <= logit.max() <= last.max() + 1e-9
    logit, mass = grid.draw(np.random.default_rng(0).random((3, 20_000)))
    assert expit(logit).mean() == pytest.approx(0.5, abs=0.01)
    if icc > 1:  # the prior says that 1 / (1 + s) is about 1/2, and the data do not object
        assert np.log(mass).mean() == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize(("n_classes", "n"), [(3, 100_000), (5, 1_000_000)])
def test_equal_recalls_of_large_classes(n_classes, n):
    """The mean of many independent differences is known: no prior, and no grid, may change it."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    a, b = (
        np.where(rng.random(n) < share, y, rng.integers(0, n_classes, n)) for share in (0.85, 0.8)
    )
    b = np.where(rng.random(n) < 0.7, a, b)
    differences = 1.0 * (a == y) - (b == y)
    error = differences.std() / np.sqrt(n)
    result = compare_predictions(y, a, b, n_draws=10_000, random_state=0)
    assert result.draws.mean() == pytest.approx(differences.mean(), abs=0.15 * error)
    assert result.draws.std() == pytest.approx(error, rel=0.06)


def test_five_sticks_are_enough_for_many_classes(monkeypatch):
    """Means are exact, and variances nearly so; here of classes with few instances."""
    evidence = paired_votes(200, 40)
    truth, said = np.repeat(evidence.truth, evidence.counts.astype(int)), []
    for k in range(2):
        said.append(np.repeat(evidence.predictions[:, k], evidence.counts.astype(int)))
    options = {"scoring": ["f1_macro", "precision_macro", "f1[3]"], "labels": range(40)}
    draws = []
    for most in (1000, 10):
        monkeypatch.setattr(recalls, "MANY_CLASSES", most)
        result = compare_predictions(truth, *said, random_state=most, n_draws=4000, **options)
        draws.append([result.metric(name).draws for name in result.metrics])
    for many, five in zip(*draws, strict=True):
        error = 5 * many.std() * np.sqrt(2 / 4000)
        assert abs(many.mean() - five.mean()) < error
        assert five.std() == pytest.approx(many.std(), rel=5 / np.sqrt(4000))


# Proportions of classes.


def proportions(counts, n=4000):
    return ProportionSampler(np.asarray(counts, dtype=float)).draw(np.random.default_rng(0), n)


@pytest.mark.parametrize("counts", [[200, 10], [5000, 300, 20, 3]])
def test_a_class_does_not_learn_from_itself(counts):
    share = np.array(counts) / sum(counts)
    found = proportions(counts, 20_000)
    assert (found.std(axis=0) > 0.95 * np.sqrt(share * (1 - share) / sum(counts))).all()


def test_many_like_classes_share_what_they_know():
    rng = np.random.default_rng(2)
    counts = rng.multinomial(2000, np.full(200, 1 / 200))
    found = proportions(counts, 1000)
    # The root mean squared error of the observed proportions is 1 / sqrt(10) of 1 / 200.
    off = np.sqrt(np.mean((found.mean(axis=0) - 1 / 200) ** 2)) * 200
    assert off < 0.5 / np.sqrt(10)
    inside = np.abs(found.mean(axis=0) - 1 / 200) < 2 * found.std(axis=0)
    assert inside.mean() > 0.9


def test_intervals_of_uneven_classes_contain_the_truth():
    rng = np.random.default_rng(3)
    truth = 1 / np.arange(1, 301)
    truth /= truth.sum()
    inside = []
    for _ in range(5):
        low, high = np.quantile(proportions(rng.multinomial(1500, truth), 500), [0.025, 0.975], 0)
        inside.append((low <= truth) & (truth <= high))
    assert 0.9 < np.mean(inside) <= 1
