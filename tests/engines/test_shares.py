"""Prior probabilities of regions of differences, against quadrature and plain counting."""

from itertools import islice

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator

from skbayeseval import compare_predictions, metrics, models
from skbayeseval.evidence import ChunkCounts
from skbayeseval.judgement.bayes_factor import odds_of_shares
from skbayeseval.judgement.intervals import Interval, count_inside
from skbayeseval.metrics.registry import metric_of_formula
from skbayeseval.models.margins import BetaDifference, BetaMargin
from skbayeseval.posterior.build import make_posterior

BINARY = metrics.known_metrics("tables")
AVERAGES = [name for name in BINARY if name.endswith(("_micro", "_macro", "_weighted"))]
MANY = [name for name in BINARY if not metrics.get_metric(name).needs_positive]


def prior_of(model, n_classes=2, n_labels=0, **kwargs):
    y = np.arange(10 * n_classes) % n_classes
    if n_labels:
        y = (y[:, None] + np.arange(n_labels)) % 2
    result = compare_predictions(y, y, y, scoring="f1_micro", model=model, n_draws=100, **kwargs)
    return result._posterior.prior


def share(prior, name, region, precision=0.002):
    """The probability of the region, and its standard error."""
    metric = metrics.get_metric(name) if isinstance(name, str) else name
    estimate = odds_of_shares(prior.shares(metric, region), precision)
    probability = 1 / (1 + np.exp(-estimate.log))
    return probability, np.sqrt(estimate.variance) * probability * (1 - probability)


def counted(prior, name, regions, n_draws):
    """Plain counts of the draws in each region, and their standard errors."""
    metric = metrics.get_metric(name) if isinstance(name, str) else name
    inside, n = np.zeros(len(regions)), 0
    for a, b in prior.stream(metric, np.random.default_rng(7), n_draws):
        inside += [count_inside(a - b, region) for region in regions]
        n += len(a)
    found = inside / n
    return found, np.sqrt(found * (1 - found) / n)


@pytest.mark.parametrize("region", [Interval(-0.005, 0.005), Interval(-0.05, 0.02)])
@pytest.mark.parametrize("name", ["recall", "specificity"])
def test_unpaired_by_quadrature(name, region):
    exact = BetaDifference(BetaMargin(1, 1), BetaMargin(1, 1)).mass(*region)
    found, error = share(prior_of(models.Unpaired()), name, region)
    assert error / found < 0.0021
    assert found == pytest.approx(exact, abs=4 * error)


@pytest.mark.parametrize(("mu", "theta"), [(1.0, 1.0), ((2.0, 1.0), (0.5, 2.0, 1.0, 3.0))])
@pytest.mark.parametrize("region", [Interval(-0.005, 0.005), Interval(-0.05, 0.02)])
def test_paired_recall_by_quadrature(region, mu, theta):
    # theta(1,0) - theta(0,1) given their sum t is t (2 s - 1), s a Beta variable.
    both, only_a, only_b, neither = np.broadcast_to(theta, 4)
    discordant = stats.beta(only_a + only_b, both + neither)
    t = discordant.ppf((np.arange(20_000) + 0.5) / 20_000)
    ends = [stats.beta.cdf((end / t + 1) / 2, only_a, only_b) for end in region]
    exact = np.mean(ends[1] - ends[0])
    prior = prior_of(models.Paired(mu=mu, theta=theta), pos_label=1)
    found, error = share(prior, "recall", region)
    assert error / found < 0.0021
    assert found == pytest.approx(exact, abs=4 * error + 1e-4 * exact)


REGIONS = [Interval(-0.05, 0.05), Interval(-0.01, 0.02)]
OWN_RECALL = metrics.from_confusion(lambda t: t[..., 1, 1] / t[..., 1, :].sum(-1), "own recall")


def streamed(specification, metric, region, n_blocks=None):
    """The first blocks of shares, or all of them."""
    metric = metrics.get_metric(metric) if isinstance(metric, str) else metric
    blocks = specification.shares(metric, np.random.default_rng(0), region)
    return np.concatenate(list(islice(blocks, n_blocks)), axis=1)


def test_shares_of_chunks():
    # The recalls differ by (only A - only B) / gold, and two of the four cells of gold chunks are
    # Beta(1/2, 1/2) of their sum, itself a uniform share of the four.
    specification = models.PairedChunks().specification(ChunkCounts((3, 1, 2, 4, 1, 1, 1)))
    region = Interval(-0.1, 0.2)
    mass = (np.arange(100_000) + 0.5) / 100_000
    of_a = [stats.beta.cdf((end / mass + 1) / 2, 0.5, 0.5) for end in region]
    exact = np.mean(of_a[1] - of_a[0])
    found = streamed(specification, "recall", region, 1)
    error = np.sqrt(np.sum((found[0] - found[1]) ** 2)) / found.size
    assert found.mean() == pytest.approx(exact, abs=4 * error)
    assert error < 0.8 * np.sqrt(exact * (1 - exact) / found.size)


CASES = {
    "paired": (prior_of(models.Paired()), ["f1", "f1[0]"]),
    "paired, uneven": (
        prior_of(models.Paired(mu=(1, 3), theta=[[0.5, 1, 2, 1], [3, 1, 0.7, 1]]), pos_label=0),
        ["matthews_corrcoef"],
    ),
    "paired, one class only": (prior_of(models.Paired(mu=0.02)), ["f1"]),
    "paired, known proportions": (prior_of(models.Paired(), prevalence=0.1), ["f1"]),
    "unpaired": (prior_of(models.Unpaired()), ["precision"]),
    "bcv": (prior_of(models.BCV()), ["matthews_corrcoef"]),
    "hierarchical": (prior_of(models.Hierarchical(), 3), ["f1_macro"]),
    "paired, three classes": (prior_of(models.PairedHierarchical(), 3), ["f1[2]"]),
    "recalls": (prior_of(models.PairedRecalls(), 3), ["precision[2]"]),
    "recalls, uneven": (prior_of(models.PairedRecalls(mu=(1, 2, 6)), 3), ["f1_macro"]),
    "recalls, known proportions": (
        prior_of(models.PairedRecalls(), 3, prevalence=(0.1, 0.2, 0.7)),
        ["precision[0]"],
    ),
    "recalls apart": (prior_of(models.Recalls(), 3), ["f1[1]"]),
    "chunks": (
        make_posterior(ChunkCounts([3, 1, 2, 4, 1, 1, 1]), "auto", "exact", None, 100, 0).prior,
        ["precision", "jaccard", "f1", "f2"],
    ),
    "labels": (prior_of(models.IndependentLabels(), n_labels=3), ["f1_micro"]),
    "labels, bcv": (prior_of(models.IndependentLabelsBCV(), n_labels=3), ["precision_macro"]),
}


@pytest.mark.parametrize("name", CASES)
def test_shares_agree_with_counts(name):
    prior, names = CASES[name]
    for metric in names:
        metric = metric_of_formula(metric, 0.0)
        plain, plain_error = counted(prior, metric, REGIONS, 20_000)
        for region, expected, its_error in zip(REGIONS, plain, plain_error, strict=True):
            found, error = share(prior, metric, region, precision=0.01)
            assert found == pytest.approx(expected, abs=4 * np.hypot(error, its_error))


def test_own_functions_are_counted_or_paired():
    cost = metrics.from_confusion(lambda t: -t[..., 0, 1] - 5 * t[..., 1, 0], "cost")
    for prior in (prior_of(models.Paired()), prior_of(models.PairedHierarchical(), 3)):
        plain, plain_error = counted(prior, cost, REGIONS, 30_000)
        found, error = share(prior, cost, REGIONS[0], precision=0.02)
        assert found == pytest.approx(plain[0], abs=4 * np.hypot(error, plain_error[0]))


def test_own_functions_are_counted_until_the_error_is_small():
    # The difference of two cells of Dir(1, 1, 1, 1) has the density 3/2 (1 - |x|)^2.
    found, error = share(prior_of(models.Paired()), OWN_RECALL, Interval(-0.2, 0.2), precision=0.02)
    assert error < 0.02 * found
    assert found == pytest.approx(1 - 0.8**3, abs=4 * error)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["paired", "unpaired", "paired, three classes"])
def test_error_by_repetition(name):
    prior, names = CASES[name]
    (metric,) = metrics.resolve_scoring(names[0], (0, 1, 2)).values()
    found = []
    for seed in range(60):
        blocks = prior.specification.shares(
            metric, np.random.default_rng(seed), Interval(-0.01, 0.01)
        )
        found.append(odds_of_shares(blocks, precision=0.1))
    logs = np.array([estimate.log for estimate in found])
    told = np.sqrt(np.mean([estimate.variance for estimate in found]))
    assert 0.7 < logs.std() / told < 1.4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "n_classes", "n_labels", "names"),
    [
        (models.Unpaired(), 2, 0, BINARY),
        (models.Paired(), 2, 0, BINARY),
        (models.BCV(), 2, 0, BINARY),
        (models.Hierarchical(), 3, 0, MANY),
        (models.PairedHierarchical(), 3, 0, MANY),
        (models.IndependentLabels(), 2, 3, AVERAGES),
        (models.IndependentLabelsBCV(), 2, 3, AVERAGES),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseEstimator) else "",
)
def test_every_model_and_metric_against_counts(model, n_classes, n_labels, names):
    prior = prior_of(model, n_classes, n_labels)
    regions = [Interval(-r, r) for r in (0.005, 0.01, 0.05)]
    n_draws = 2**16 if n_classes > 2 else 2**18 if n_labels else 2**20
    for name in names:
        plain, plain_error = counted(prior, name, regions, n_draws)
        for region, expected, its_error in zip(regions, plain, plain_error, strict=True):
            found, error = share(prior, name, region, precision=0.005)
            assert error / found < 0.006, name
            assert found == pytest.approx(expected, abs=4.5 * np.hypot(error, its_error)), name
