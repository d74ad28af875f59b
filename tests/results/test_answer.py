"""What a page says first: the headline follows from the decisions, and from nothing else."""

import numpy as np
import pytest

from skbayeseval import (
    compare_counts,
    compare_many,
    compare_predictions,
    metrics,
    score_posterior,
)
from skbayeseval.judgement import Interval
from skbayeseval.metrics.registry import in_headings
from tests.results import many

pytestmark = pytest.mark.filterwarnings("ignore:rope=.* is used for")


def headline(result, rope=None):
    return result._answer(result._ropes(rope)).headline


def test_settled_beyond_the_rope():
    words = headline(many.settled(), 0.01)
    result = many.settled()
    assert words == (
        f"Choose new: better than old by {result.draws.mean():.3f} in F1, almost surely by more "
        "than 0.01."
    )
    mirror = compare_counts((700, 150, 260), (900, 50, 60), names=("old", "new"), random_state=0)
    assert headline(mirror, 0.01).partition(" by ")[0] == words.partition(" by ")[0]


def test_better_but_perhaps_by_less_than_what_matters():
    result = many.settled()
    inside = result.draws.mean()
    words = headline(result, inside)
    assert words.startswith("Prefer new: better than old by ")
    assert words.endswith(f"almost surely, but whether by more than {inside:.4g} is not settled.")
    assert headline(result).endswith(" in F1, almost surely.")


@pytest.mark.parametrize("rope", [None, 0.0, 0.01, (-0.02, 0.01), (0.01, 0.03), (-0.05, 0.0)])
def test_nothing_is_advised_that_is_not_settled(rope):
    result = many.open_question()
    words = headline(result, rope)
    assert "not settled" in words.lower()
    assert not {"Choose", "Prefer", "Either"} & set(words.replace(":", "").split())


def test_an_open_question_tells_its_probability():
    assert headline(many.open_question(), 0.01) == (
        "Not settled whether new is better than old by more than 0.01 in F1 (the probability is "
        f"{100 * many.open_question().probability(0.01).better:.1f}%)."
    )


def test_equivalent():
    assert headline(many.equivalent(), 0.01) == (
        "Either will do: in accuracy, e and f are equivalent: differences of up to 0.01 do not "
        "matter."
    )


def test_identical_predictions_of_a_few_instances_settle_nothing():
    words = headline(many.identical(), 0.01)
    assert words == "In accuracy, A and B are identical: their predictions are the same."
    assert (
        "More labelled instances"
        in many.identical()._answer({"accuracy": Interval(-0.01, 0.01)})[4][0]
    )


def test_metrics_that_disagree_give_no_advice():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    eager, shy = (np.where(rng.random(2000) < 0.3, k, y) for k in (1, 0))
    result = compare_predictions(
        y, eager, shy, names=("eager", "shy"), scoring=["recall", "precision"], random_state=0
    )
    words = headline(result, 0.01)
    assert words.startswith("In recall, eager is better than shy by ")
    assert "; in precision, shy is better than eager by " in words
    one = headline(result.metric("recall"), 0.01)
    assert one.startswith("Choose eager: ")


def test_each_metric_has_its_own_rope():
    result = many.two_metrics()
    answer = result._answer(result._ropes({"accuracy": 0.02, "f1": 0.2}))
    assert "more than 0.02" in answer.headline
    assert (
        "in F1, A and B are equivalent: differences of up to 0.2 do not matter" in answer.headline
    )
    ((_, table),) = answer.tables
    assert list(table.index) == ["accuracy", "F1"]
    assert table["verdict"].iloc[1] == "equivalent, within 0.2"
    assert not answer.open
    open_ = result._answer(result._ropes({"accuracy": 0.02, "f1": 0.07})).open
    call = "result.required_sample_size(rope=0.07, metric='f1')"
    assert open_[0] == f"More labelled instances: {call} estimates how many."


def test_another_rope_would_settle_it():
    result = many.settled()
    low, high = result.hdi()
    open_ = result._answer(result._ropes((low + high) / 2)).open
    limits = np.floor(1000 * low) / 1000, np.ceil(1000 * high) / 1000
    assert open_[1] == (
        "Another ROPE: it would be settled in F1 that new is better with one of up to "
        f"{limits[0]:g}, and that both are equivalent with one of {limits[1]:g} or more."
    )
    assert result.decision(limits[0]).code == ">>"
    assert result.decision(limits[1]).code == "~"


def test_losses_lose_their_sign():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    a, b = (np.clip(y * s + rng.normal(0.5 - s / 2, 0.2, 300), 0.01, 0.99) for s in (0.6, 0.2))
    result = compare_predictions(
        y, None, None, y_score_a=a, y_score_b=b, scoring="neg_log_loss", random_state=0
    )
    ((_, table),) = result._answer(None).tables
    assert table.index[0] == "log loss (smaller is better)"
    assert float(table["A"].iloc[0]) == pytest.approx(-result.observed_a, abs=1e-3)
    assert headline(result).startswith("Prefer A: better than B by ")
    assert str(table["95% interval"].iloc[0]).startswith("+")


def test_rankings():
    ranking = many.ranking()
    assert ranking.decision(0.02).best_alone == "first"
    assert headline(ranking, 0.02) == (
        "Choose first: better than the other 2 in accuracy by more than 0.02."
    )
    y, a, b = many.votes()
    near = compare_many(y, {"a": a, "b": b, "c": a}, random_state=0)
    assert headline(near, 0.2) == "Choose a, c or b: the best of 3 in accuracy or within 0.2 of it."
    x, y = np.arange(60), np.arange(60) % 2
    wrong = {"a": x < 4, "b": x > 54, "c": x >= 0}
    few = compare_many(y, {k: np.where(bad, 1 - y, y) for k, bad in wrong.items()}, random_state=0)
    assert set(few.decision(0.01).open) == {"a", "b"}
    p_best = few.table["p_best"]
    assert headline(few, 0.01) == (
        f"Not settled which of 2 is the best in accuracy ({p_best.index[0]} with probability "
        f"{100 * p_best.iloc[0]:.1f}%); 1 of 3 is worse by more than 0.01."
    )


def test_scores():
    y, a, _ = many.votes()
    result = score_posterior(y, a, name="model", random_state=0)
    low, high = result.hdi()
    assert result._answer(None).headline == (
        f"model has accuracy between {low:.3f} and {high:.3f}, with probability 95%."
    )


def test_no_two_metrics_have_the_same_heading():
    known = metrics.known_metrics()
    called = {in_headings(metrics.get_metric(name)) for name in known}
    assert len(called) == len(known)
    assert not [word for word in called if "_" in word]
    own = metrics.from_confusion(lambda t: t[..., 0, 0], "neg_my_own")
    assert in_headings(own) == "neg_my_own"
    assert in_headings(metrics.per_class("f1").of(["a_b", "c"])[0]) == "F1 of a_b"
