import numpy as np
import pytest
from scipy import stats

from skbayeseval import ComparisonResult, metrics
from skbayeseval.evidence import ChunkCounts
from skbayeseval.models import BCV, Paired, PairedChunks
from skbayeseval.posterior.build import make_posterior
from skbayeseval.posterior.posterior import Posterior

COUNTS = ChunkCounts([120, 14, 22, 18, 9, 11, 16], weight=0.37)
JOINT = PairedChunks(lambda_=0.5)
FORMULAS = ("precision", "recall", "f1", "jaccard")


def compare(counts=COUNTS, scoring="f1", model=JOINT, n_draws=20_000):
    posterior = make_posterior(counts, model, "exact", n_draws, 0)
    names = [scoring] if isinstance(scoring, str) else scoring
    return ComparisonResult(
        posterior, ("A", "B"), {name: metrics.get_metric(name) for name in names}
    )


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("classifier", [0, 1])
def test_each_alone_is_exactly_bcv(classifier, formula):
    paired, alone = (
        Posterior(kind(0.7), COUNTS, entropy=0, n_draws=50_000) for kind in (PairedChunks, BCV)
    )
    metric = metrics.get_metric(formula)
    margin, expected = paired.law(metric, classifier), alone.law(metric, classifier)
    assert type(margin) is type(expected)
    assert (margin.a, margin.b) == pytest.approx((expected.a, expected.b), rel=1e-12)
    draws = paired.draws(metric)[classifier]
    assert stats.kstest(draws, lambda score: expected.mass(0, score)).pvalue > 1e-3


def test_nothing_predicted():
    silent = ChunkCounts([0, 0, 30, 10, 0, 0, 4])
    assert compare(silent, "precision").observed_a == 0
    undefined = metrics.get_metric("precision", zero_division=np.nan)
    result = compare(silent).metric(undefined)
    assert np.isnan(result.observed_a)
    assert np.isfinite(result.draws).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": "unpaired"}, r"'unpaired' requires true negatives.*Use one of \['bcv'\]"),
        ({"model": "hierarchical"}, "'hierarchical' requires true negatives"),
        ({"model": Paired()}, r"Paired\(\) requires true negatives"),
        ({"model": PairedChunks(0.01)}, "prior 'lambda / 2' must contain finite numbers .* least"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        compare(**arguments)
