import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import recall_score

from skbayeseval import score_posterior
from skbayeseval.models import Unpaired


@pytest.fixture
def result(votes):
    y, a, _ = votes
    return score_posterior(y, a, scoring=["recall", "f1"], name="new", random_state=0)


def test_score(result, votes):
    y, a, _ = votes
    assert result.name == "new"
    assert result.metrics == ("recall", "f1")
    assert result.model == "unpaired"
    assert result.observed == pytest.approx(recall_score(y, a))
    tp, fn = np.sum((y == 1) & (a == 1)), np.sum((y == 1) & (a == 0))
    law = stats.beta(tp + 1, fn + 1)
    np.testing.assert_allclose(result.interval(), law.ppf([0.025, 0.975]))
    assert stats.ks_1samp(result.draws, law.cdf).pvalue > 1e-4
    assert result.probability(above=0.9) == pytest.approx(law.sf(0.9), abs=0.015)
    low, high = result.hdi(0.9, metric="f1")
    inside = (result.metric("f1").draws >= low) & (result.metric("f1").draws <= high)
    assert inside.mean() == pytest.approx(0.9)
    assert result.interval(metric="f1").low < result.interval(metric="f1").high


def test_bad_arguments(result, votes):
    with pytest.raises(ValueError, match="above == nan, must be a finite number"):
        result.probability(above=np.nan)
    y, a, _ = votes
    with pytest.raises(ValueError, match="only separate counts"):
        score_posterior(y, a, model="paired")
    with pytest.raises(TypeError, match="name must be a string, got 3"):
        score_posterior(y, a, name=3)
    with pytest.raises(TypeError, match="above must be an instance of"):
        result.probability(above="x")


def test_prior_sensitivity_of_a_perfect_score():
    """With n of n right in each class, recall is Beta(n + a, a), a being the prior count."""
    y = [0, 1] * 15
    result = score_posterior(y, y, scoring="recall", random_state=0)
    table = result.prior_sensitivity()
    assert list(table.columns) == list(result.summary().columns)
    means = table["mean"].loc["unpaired"]
    for rho in (0.5, 1.0, 2.0):
        (found,) = means[[name.endswith(f"rho={rho}") for name in means.index]]
        assert found == pytest.approx((15 + rho) / (15 + 2 * rho), abs=0.003)
    own = score_posterior(y, y, scoring="recall", model=Unpaired(rho=3.0), random_state=0)
    assert own.prior_sensitivity().index[0] == ("unpaired", "mu=1.0, rho=3.0")
