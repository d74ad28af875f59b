import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from skbayeseval import Ranking, compare_many, compare_predictions
from skbayeseval.evidence import ConfusionCounts
from skbayeseval.models import Hierarchical, Unpaired
from skbayeseval.posterior import prior_odds
from skbayeseval.posterior.recipe import Memory, Prior

Y = [1] * 30 + [0] * 50
A = [1] * 26 + [0] * 4 + [1] * 6 + [0] * 44
B = [1] * 20 + [0] * 10 + [1] * 9 + [0] * 41
FEW = {"scoring": "f1", "n_draws": 400, "random_state": 0}


def test_memory_keeps_the_most_recent():
    memory, computed = Memory(size=2), []

    def ask(key):
        return memory.get(key, lambda: computed.append(key) or key)

    for key in "abab":
        assert ask(key) == key
    assert computed == ["a", "b"]
    ask("c")  # forgets "a", which was used least recently
    ask("b")
    ask("a")
    assert computed == ["a", "b", "c", "a"]


def test_memory_serves_threads():
    memory = Memory(size=3)
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda i: memory.get(i % 7, lambda: i % 7), range(4000))
        assert list(found) == [i % 7 for i in range(4000)]


def test_what_is_remembered_of_a_prior_holds_no_evidence():
    result = compare_predictions(Y, A, B, **FEW)
    result.bayes_factor(0.05)
    result.bayes_factor(method="kde")
    gone = weakref.ref(result.evidence)
    del result
    gc.collect()
    assert gone() is None


def test_equal_priors_are_simulated_once(monkeypatch):
    calls = []

    def count(*args):
        calls.append(args)
        return prior_odds.odds_of_draws(10.0, 90.0, 1.0)

    monkeypatch.setattr(prior_odds, "odds_of_shares", count)
    for y in (Y, Y[::-1]):  # other evidence, the same prior
        compare_predictions(y, A, B, prior={"theta": 1.5}, **FEW).bayes_factor(0.0507)
    assert len(calls) == 1
    compare_predictions(Y, A, B, prior={"theta": 1.25}, **FEW).bayes_factor(0.0507)
    assert len(calls) == 2


def test_a_pair_of_many_remembers_its_user_supplied_prior(monkeypatch):
    from skbayeseval.engines.arviz import to_inference_data

    rng = np.random.default_rng(0)
    exact = compare_many(Y, {"a": A, "b": B, "c": A[::-1]}, **FEW)
    draws = {
        "posterior": {"mu": rng.dirichlet([51, 31], (2, 300))},
        "prior": {"mu": rng.dirichlet([1, 1], (1, 500))},
    }
    ranking = Ranking.from_trace(to_inference_data(draws, coords={}, dims={}, attrs={}), exact)
    calls = []
    shares = prior_odds.odds_of_shares
    monkeypatch.setattr(prior_odds, "odds_of_shares", lambda s: calls.append(1) or shares(s))
    factors = [ranking.pairs["c", "a"].bayes_factor(0.1) for _ in range(2)]
    assert factors[0] == factors[1]
    assert len(calls) == 1
    ranking.pairs["a", "c"].bayes_factor(0.1)
    assert len(calls) == 2


@pytest.mark.parametrize("model", ["paired", "unpaired", "bcv", "hierarchical"])
def test_a_posterior_is_built_twice_at_most(model, monkeypatch):
    from sklearn.datasets import make_classification
    from sklearn.naive_bayes import BernoulliNB, GaussianNB

    from skbayeseval import bayesian_cross_validate, models

    built = []
    kind = {"paired": models.Paired, "unpaired": models.Unpaired, "bcv": models.BCV,
            "hierarchical": models.Hierarchical}[model]  # fmt: skip
    specification = kind.specification
    monkeypatch.setattr(
        kind, "specification", lambda self, e: built.append(1) or specification(self, e)
    )
    X, y = make_classification(80, random_state=0)
    bayesian_cross_validate(GaussianNB(), BernoulliNB(), X, y, model=model, random_state=0)
    assert len(built) == 2  # one to check the arguments before anything is fitted


def test_many_classes_are_simulated_less():
    def affordable(model, n_classes):
        counts = ConfusionCounts.from_matrix(np.ones((n_classes, n_classes)))
        return Prior(model, (counts, counts)).affordable(2**20)

    assert affordable(Unpaired(), 2) == 2**20
    assert 2**20 > affordable(Hierarchical(), 3) > affordable(Hierarchical(), 9) >= 2**14
