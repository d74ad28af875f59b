import numpy as np
import pytest

from skbayeseval.judgement.intervals import Interval
from skbayeseval.models.binary import has_chunk_shares, shares_of_chunks

PRIORS = {"published": np.full(7, 0.5), "other": np.array([2.0, 0.5, 1.0, 0.3, 0.7, 1.5, 0.4])}


def scores(cells, formula):
    """Both taggers' scores, straight from the counts of each."""
    both, only_a, only_b, neither, false_both, false_a, false_b = cells
    for tp, fp in ((both + only_a, false_both + false_a), (both + only_b, false_both + false_b)):
        fn = both + only_a + only_b + neither - tp
        yield {
            "precision": tp / (tp + fp),
            "recall": tp / (tp + fn),
            "jaccard": tp / (tp + fp + fn),
            "f1": 2 * tp / (2 * tp + fp + fn),
            "f2": 5 * tp / (5 * tp + 4 * fn + fp),
        }[formula]


@pytest.mark.slow
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("region", [(-0.05, 0.05), (-0.4, 0.1)])
@pytest.mark.parametrize("formula", ["precision", "recall", "jaccard", "f1", "f2"])
def test_shares_agree_with_counts(formula, region, prior):
    assert has_chunk_shares(formula)
    blocks = shares_of_chunks(PRIORS[prior], formula, np.random.default_rng(0), Interval(*region))
    shares = np.concatenate([next(blocks) for _ in range(4)], axis=1).ravel()
    cells = np.random.default_rng(1).dirichlet(PRIORS[prior], 200_000).T
    a, b = scores(cells, formula)
    counted = (a - b >= region[0]) & (a - b <= region[1])
    error = np.hypot(shares.std() / len(shares) ** 0.5, counted.std() / len(counted) ** 0.5)
    assert shares.mean() == pytest.approx(counted.mean(), abs=4 * error)
    assert shares.std() < counted.std()
