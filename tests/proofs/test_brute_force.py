"""Every model against brute force that shares no code with it.

Three ways, from slow and general to sharp and special: draws from the prior, weighted by the
likelihood; moments in closed form, the etas integrated out numerically; known laws.
"""

import itertools

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import gammaln
from sklearn import metrics as sk

from skbayeseval import compare_counts, compare_many, compare_predictions, metrics
from skbayeseval.evidence import PairedCounts
from skbayeseval.metrics.metric import TableMetric
from skbayeseval.models import BCV, Hierarchical, Paired, PairedHierarchical
from skbayeseval.posterior.posterior import Posterior
from tests.proofs.scripts import sbc

WEIGHTS = [1.0, 0.3688]

pytestmark = pytest.mark.filterwarnings("ignore:The published prior of model='hierarchical'")


# Draws from the prior, weighted by prior x likelihood.

COUNTS = {
    "chunks": [[[0, 1], [2, 1]], [[1, 2], [0, 4]]],
    "unpaired": [[[4, 1], [2, 5]], [[3, 2], [0, 6]]],
    "paired": [[[3, 1], [1, 0]], [[0, 1], [2, 4]]],
    "paired, K=3": [[[[1, 0], [1, 0]], [[0, 0], [0, 0]]], [[[0, 0], [0, 0]], [[1, 0], [0, 2]]]],
    "bcv": [[[4, 1], [2, 5]], [[3, 2], [0, 6]]],
    "bcv without TN": [[[0, 1], [2, 5]], [[0, 2], [0, 6]]],
    "hierarchical, M=2": [[[4, 1], [2, 5]], [[3, 2], [0, 6]]],
    "hierarchical, M=4": [
        [[2, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 2]],
        [[1, 0, 0, 1], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 3]],
    ],
    "paired, M=3": [
        [[3, 1, 0], [0, 0, 0], [0, 0, 0]],
        [[0, 1, 0], [0, 2, 1], [0, 0, 0]],
        [[0, 0, 0], [0, 1, 0], [0, 0, 1]],
    ],
    "labels": [[[[4, 1], [1, 2]], [[3, 0], [2, 3]], [[5, 2], [1, 0]]]] * 2,
}
COUNTS["paired, M=3, known eta"] = [
    [[2, 1, 0], [0, 0, 0], [0, 0, 0]],
    [[0, 0, 0], [0, 1, 0], [0, 0, 0]],
    [[0, 0, 0], [0, 0, 0], [0, 0, 1]],
]
COUNTS["labels, bcv"] = COUNTS["labels"]
COUNTS["recalls, M=4"] = COUNTS["hierarchical, M=4"]
PAIRS_OF_FOUR = np.zeros((4, 4, 4), dtype=int)
for outcome in ((0, 0, 0), (0, 0, 0), (0, 1, 0), (1, 1, 2), (2, 2, 2), (3, 3, 3), (3, 3, 3)):
    PAIRS_OF_FOUR[outcome] += 1
COUNTS["paired recalls, M=4"] = PAIRS_OF_FOUR.tolist()


def log_likelihood(joint, counts):
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log(joint), 0.0)
    return terms.sum(axis=tuple(range(1, joint.ndim)))


def normalised(log_likelihood):
    """Return the draws that carry all but a millionth of the weight, and their weights."""
    weights = np.exp(log_likelihood - log_likelihood.max())
    order = np.argsort(weights)
    kept = order[weights[order].cumsum() > 1e-6 * weights.sum()]
    weights = weights[kept] / weights[kept].sum()
    assert 1 / (weights**2).sum() > len(log_likelihood) / 500, "too few draws carry the weight"
    return kept, weights


def weighted_moments(draws, weights):
    """Mean and variance, and the standard error of each."""
    mean = weights @ draws
    squares = (draws - mean) ** 2
    variance = weights @ squares
    pairs = ((draws, mean), (squares, variance))
    return mean, variance, *(np.sqrt(weights**2 @ (x - m) ** 2) for x, m in pairs)


def prior_weighted(case, counts, weight, n, seed=5):
    """Yield (metric, quantity, draws from the prior, their weights by the likelihood)."""
    joint = case.prior(np.random.default_rng(seed), n, case.n_classes)
    counts = np.array(counts) * weight
    if case.paired and sbc.DIFFERENCE in case.quantities:
        kept, weights = normalised(log_likelihood(joint, counts))
        scores = sbc.true_scores(sbc.margins(joint[kept]), case.metrics)
        for name, (a, b) in scores.items():
            yield name, "score of A", a, weights
            yield name, "difference", a - b, weights
        return
    if case.paired:
        # Cut etas: what B said of the instances must not move A, so each by its margin alone.
        joint, counts = sbc.margins(joint), sbc.margins(counts[None])[:, 0]
    for quantity, tables, own in zip(("score of A", "score of B"), joint, counts, strict=True):
        kept, weights = normalised(log_likelihood(tables, own))
        scores = sbc.true_scores(tables[kept], case.metrics, labels=case.labels)
        for name, draws in scores.items():
            yield name, quantity, draws, weights


def engine_draws(case, counts, weight, n):
    """Return draws of A and B by metric, of the package."""
    evidence = case.evidence(np.array(counts), weight)
    parts = [sbc.posterior_totals(case.model, one, seed, n) for seed, one in enumerate(evidence)]
    totals = metrics.Totals(*(np.concatenate(total)[:2] for total in zip(*parts, strict=True)))
    return {name: metrics.get_metric(name).of_totals(totals) for name in case.metrics}


@pytest.mark.parametrize(
    ("n", "n_draws"),
    [(25_000, 4000), pytest.param(400_000, 40_000, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("case", sbc.CASES, ids=lambda case: case.name)
def test_prior_times_likelihood(case, n, n_draws):
    # Ranks of simulations (test_calibration.py) are of counts without a weight.
    weight, counts = 0.3688, COUNTS[case.name]
    found = engine_draws(case, counts, weight, n_draws)
    for name, quantity, expected, weights in prior_weighted(case, counts, weight, n):
        a, b = found[name]
        draws = {"score of A": a, "score of B": b, "difference": a - b}[quantity]
        mean, variance, error_of_mean, error_of_variance = weighted_moments(expected, weights)
        squares = (draws - mean) ** 2
        error = np.hypot(error_of_mean, draws.std() / np.sqrt(n_draws))
        assert abs(draws.mean() - mean) < 4.5 * error, (name, quantity)
        error = np.hypot(error_of_variance, squares.std() / np.sqrt(n_draws))
        assert abs(squares.mean() - variance) < 4.5 * error, (name, quantity)


# Moments in closed form.


def dirichlet_moments(shapes):
    """Mean and second moments E(p p') of a Dirichlet vector."""
    total = shapes.sum()
    return shapes / total, (np.outer(shapes, shapes) + np.diag(shapes)) / (total * (total + 1))


def accuracy_moments(mu_shapes, row_shapes, gains):
    """Mean and second moment of sum_j mu_j (gains_j . theta_j), mu and all theta_j Dirichlet.

    `gains` are what an outcome adds: to the accuracy, 1 where it is right; to a difference, 1
    where only A is right and -1 where only B is.
    """
    mu, mu_squared = dirichlet_moments(mu_shapes)
    rows = [dirichlet_moments(shapes) for shapes in row_shapes]
    means = np.array([g @ m for g, (m, _) in zip(gains, rows, strict=True)])
    seconds = np.outer(means, means)
    for j, (g, (_, second)) in enumerate(zip(gains, rows, strict=True)):
        seconds[j, j] = g @ second @ g
    return mu @ means, (mu_squared * seconds).sum()


def gains_of(n_classes, n_classifiers, a, b=None):
    """Return, for each true class and outcome, whether a is right, less whether b is."""
    outcomes = np.array(list(itertools.product(range(n_classes), repeat=n_classifiers)))
    gains = [(outcomes[:, a] == j).astype(float) for j in range(n_classes)]
    if b is not None:
        gains = [g - (outcomes[:, b] == j) for j, g in enumerate(gains)]
    return gains


def assert_moments(draws, mean, second):
    variance = second - mean**2
    squares = (draws - mean) ** 2
    assert abs(draws.mean() - mean) < 4.5 * draws.std() / np.sqrt(len(draws))
    assert abs(squares.mean() - variance) < 4.5 * squares.std() / np.sqrt(len(draws))


def hierarchical_prior(eta, n_classes):
    omega = np.full((n_classes, n_classes), (1 - eta) / (n_classes - 1))
    omega[np.diag_indices(n_classes)] = eta
    return omega


def eta_density(table, prior=(1.0, 1.0)):
    """Return p(eta | table) up to a constant, rows integrated out by the textbook formula."""

    def density(eta):
        omega = hierarchical_prior(eta, len(table))
        log_density = (gammaln(omega + table) - gammaln(omega)).sum()
        log_density += (prior[0] - 1) * np.log(eta) + (prior[1] - 1) * np.log1p(-eta)
        return np.exp(log_density - shift)

    shift = 0.0
    shift = np.log(max(density(eta) for eta in np.linspace(0.001, 0.999, 99)))
    return density


def eta_nodes(table, prior=(1.0, 1.0), n_nodes=60):
    """Return nodes and weights for expectations over p(eta | table)."""
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    # Powers of the unit interval crowd the nodes at both ends, where the density may rise.
    u = (nodes + 1) / 2
    eta = u**3 / (u**3 + (1 - u) ** 3)
    slope = 3 * u**2 * (1 - u) ** 2 / (u**3 + (1 - u) ** 3) ** 2
    density = eta_density(table, prior)
    weights = weights * slope * [density(x) for x in eta]
    return eta, weights / weights.sum()


TABLES = {
    2: ([[12, 3], [4, 20]], [[14, 1], [6, 18]]),
    3: ([[9, 2, 1], [0, 6, 3], [1, 0, 8]], [[12, 0, 0], [2, 5, 2], [0, 3, 6]]),
    4: (np.diag([5, 9, 3, 2]) + np.eye(4, k=1, dtype=int), np.diag([6, 10, 4, 2])),
}


def test_eta_nodes_integrate():
    for table in (TABLES[2][0], TABLES[3][1], TABLES[4][1]):
        density = eta_density(np.array(table))
        norm = integrate.quad(density, 0, 1)[0]
        mean = integrate.quad(lambda eta, density: eta * density(eta), 0, 1, (density,))[0]
        nodes, weights = eta_nodes(np.array(table))
        assert nodes @ weights == pytest.approx(mean / norm, rel=1e-4)


def cell(i, j):
    return metrics.from_confusion(lambda tables: tables[..., i, j], f"cell {i}{j}")


PREDICTED = TableMetric("predicted", lambda totals, positive, zero: totals.predicted[..., 0])


@pytest.mark.parametrize(
    ("mu", "eta_prior", "weight"),
    [(1.0, (1.0, 1.0), 0.3688), (2.5, (3.0, 0.5), 1.0), ("known", (1.0, 1.0), 1.0)],
)
@pytest.mark.parametrize("n_classes", TABLES)
def test_hierarchical_tables_with_eta_integrated_out(n_classes, mu, eta_prior, weight):
    # With few empty cells, a Gamma variable for each; otherwise sticks.
    first, nothing = np.eye(n_classes)[0], np.zeros(n_classes)
    gains = {
        "accuracy": gains_of(n_classes, 1, 0),
        "predicted": [first] * n_classes,
        "cell 10": [nothing, first, *[nothing] * (n_classes - 2)],
    }
    known = np.arange(1.0, n_classes + 1) / (n_classes * (n_classes + 1) / 2)
    model = Hierarchical(1.0 if mu == "known" else mu, eta_prior)
    y, a, b = (
        np.repeat(np.indices((n_classes, n_classes))[axis].ravel(), np.ravel(TABLES[n_classes][k]))
        for axis, k in ((0, 0), (1, 0), (1, 1))
    )
    results = compare_predictions(
        y, a, b, model=model, weight=weight, random_state=2, n_draws=10_000,
        scoring=["accuracy", PREDICTED, cell(1, 0)], prevalence=known if mu == "known" else None,
    )  # fmt: skip
    for name, of_rows in gains.items():
        result, moments = results.metric(name), []
        for table, draws in zip(TABLES[n_classes], (result.draws_a, result.draws_b), strict=True):
            table = np.array(table) * weight
            nodes, weights = eta_nodes(table, eta_prior)
            rows = [hierarchical_prior(eta, n_classes) + table for eta in nodes]
            of_mu = 1e12 * known if mu == "known" else mu + table.sum(axis=1)
            given_eta = [accuracy_moments(of_mu, row, of_rows) for row in rows]
            mean, second = weights @ np.array(given_eta)
            assert_moments(draws, mean, second)
            moments.append((mean, second - mean**2))
        (mean_a, variance_a), (mean_b, variance_b) = moments
        difference = mean_a - mean_b
        assert_moments(result.draws, difference, variance_a + variance_b + difference**2)


def random_votes(n, n_classes, n_classifiers, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    wrong = (y + rng.integers(1, n_classes, (n_classifiers, n))) % n_classes
    skill = np.linspace(0.9, 0.5, n_classifiers)[:, None]
    return y, np.where(rng.random(n) * 0.5 + rng.random((n_classifiers, n)) * 0.5 < skill, y, wrong)


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_paired_hierarchical_accuracy_with_cut_etas(n_classes, weight):
    # The etas each from its own margin, then all M^2 cells of each row.
    y, predictions = random_votes(30, n_classes, 2)
    evidence = PairedCounts.from_labels(y, dict(zip("ab", predictions, strict=True)), weight=weight)
    posterior = Posterior(PairedHierarchical(), evidence, entropy=3, n_draws=10_000)
    a, b = posterior.draws(metrics.get_metric("accuracy"))

    counts = np.zeros((n_classes, n_classes, n_classes))
    np.add.at(counts, (y, *predictions), weight)
    mean = second = 0.0
    nodes_a, weights_a = eta_nodes(counts.sum(axis=2), n_nodes=30)
    nodes_b, weights_b = eta_nodes(counts.sum(axis=1), n_nodes=30)
    for eta_a, weight_a in zip(nodes_a, weights_a, strict=True):
        for eta_b, weight_b in zip(nodes_b, weights_b, strict=True):
            omega = np.einsum(
                "ja,jb->jab",
                hierarchical_prior(eta_a, n_classes),
                hierarchical_prior(eta_b, n_classes),
            )
            given = accuracy_moments(
                1 + counts.sum(axis=(1, 2)),
                (omega + counts).reshape(n_classes, -1),
                gains_of(n_classes, 2, 0, 1),
            )
            mean += weight_a * weight_b * given[0]
            second += weight_a * weight_b * given[1]
    assert_moments(a - b, mean, second)


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("n_classifiers", [2, 4])
def test_many_binary_classifiers_with_all_cells(n_classifiers, weight):
    y, predictions = random_votes(25, 2, n_classifiers, seed=1)
    names = "abcde"[:n_classifiers]
    ranking = compare_many(
        y, dict(zip(names, predictions, strict=True)), weight=weight, n_draws=10_000, random_state=4
    )
    counts = np.zeros((2,) * (n_classifiers + 1))
    np.add.at(counts, (y, *predictions), weight)
    rows = counts.reshape(2, -1) + 1 / 2**n_classifiers
    for i, j in itertools.combinations(range(n_classifiers), 2):
        expected = accuracy_moments(
            1 + counts.reshape(2, -1).sum(axis=1), rows, gains_of(2, n_classifiers, i, j)
        )
        assert_moments(ranking.pairs[i, j].alone.draws, *expected)


# Known laws.


@pytest.mark.parametrize("lambda_", [1.0, 0.5])
@pytest.mark.parametrize("cells", [(3, 0, 7), (40, 12, 1, 25)])
def test_bcv_laws_of_wang_and_li(cells, lambda_):
    weight = 0.3688
    tp, fp, fn = (weight * n for n in cells[:3])
    result = compare_counts(
        cells, cells, model=BCV(lambda_), weight=weight, random_state=3,
        scoring=["precision", "recall", "f1"], n_draws=2000,
    )  # fmt: skip
    odds = stats.betaprime(fp + fn + 2 * lambda_, tp + lambda_)
    laws = {
        "precision": stats.beta(tp + lambda_, fp + lambda_).cdf,
        "recall": stats.beta(tp + lambda_, fn + lambda_).cdf,
        "f1": lambda f1: odds.sf(2 / f1 - 2),
    }
    for name, cdf in laws.items():
        seen = result.metric(name)
        assert stats.ks_1samp(seen.draws_a, cdf).pvalue > 1e-4
        for of in "ab":
            np.testing.assert_allclose(cdf(np.array(seen.interval(0.9, of=of))), [0.05, 0.95])
    # The density of F1 is what its intervals integrate to.
    low, high = result.metric("f1").interval(0.8, of="a")
    mass = integrate.quad(lambda f1: odds.pdf(2 / f1 - 2) * 2 / f1**2, low, high)[0]
    assert mass == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize("weight", WEIGHTS)
def test_rates_are_betas(weight):
    y, (a, b) = random_votes(60, 2, 2, seed=3)
    (tn, fp), (fn, tp) = sk.confusion_matrix(y, a) * weight
    for model, prior in (("paired", 0.5), (Paired(), 2), ("unpaired", 1)):
        result = compare_predictions(
            y, a, b, model=model, weight=weight, scoring=["recall", "specificity"], random_state=8
        )
        for name, law in (
            ("recall", stats.beta(prior + tp, prior + fn)),
            ("specificity", stats.beta(prior + tn, prior + fp)),
        ):
            seen = result.metric(name)
            assert stats.ks_1samp(seen.draws_a, law.cdf).pvalue > 1e-4
            np.testing.assert_allclose(seen.interval(of="a"), law.ppf([0.025, 0.975]))


LIKELIHOOD_RATIOS = {
    "positive_likelihood_ratio": lambda positive, negative: positive,
    "neg_negative_likelihood_ratio": lambda positive, negative: -negative,
    "diagnostic_odds_ratio": lambda positive, negative: positive / negative,
}


def scikit_learn_score(name, y, predicted, sample_weight=None):
    if name == "specificity":
        return sk.recall_score(y, predicted, pos_label=0, sample_weight=sample_weight)
    if name == "negative_predictive_value":
        return sk.precision_score(y, predicted, pos_label=0, sample_weight=sample_weight)
    if name == "informedness":
        return sk.balanced_accuracy_score(y, predicted, sample_weight=sample_weight, adjusted=True)
    if name == "markedness":  # of predictions as if they were the truth
        return sk.balanced_accuracy_score(predicted, y, sample_weight=sample_weight, adjusted=True)
    if name in LIKELIHOOD_RATIOS:
        return LIKELIHOOD_RATIOS[name](
            *sk.class_likelihood_ratios(y, predicted, sample_weight=sample_weight)
        )
    score, _, average = name.partition("_")
    if score in ("precision", "recall", "f1", "jaccard"):
        twin = getattr(sk, f"{score}_score")
        return twin(y, predicted, average=average or "binary", sample_weight=sample_weight)
    twin = getattr(sk, name if name == "matthews_corrcoef" else f"{name}_score")
    return twin(y, predicted, sample_weight=sample_weight)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_scripts_true_scores_are_scikit_learns(n_classes):
    rng = np.random.default_rng(0)
    tables = rng.dirichlet(np.ones(n_classes**2), 5).reshape(5, n_classes, n_classes)
    y, predicted = np.divmod(np.arange(n_classes**2), n_classes)
    known = [metrics.get_metric(name) for name in metrics.known_metrics("tables")]
    names = [m.name for m in known if n_classes == 2 or not m.needs_positive]
    found = sbc.true_scores(tables, names)
    for name in names:
        expected = [scikit_learn_score(name, y, predicted, t.ravel()) for t in tables]
        np.testing.assert_allclose(found[name], expected, err_msg=name)
