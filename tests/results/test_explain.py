import re

import numpy as np
import pytest

from skbayeseval import ComparisonResult, compare_counts, compare_items
from skbayeseval.judgement.decision import format_probability
from tests.results import many

# A metric of one's own is on a scale of its own; test_rope.py is about this warning.
pytestmark = pytest.mark.filterwarnings("ignore:rope=.* is used for")


@pytest.fixture(scope="module", params=list(many.COMPARISONS))
def comparison(request):
    return many.COMPARISONS[request.param]()


@pytest.mark.parametrize("rope", [None, 0.0, 0.02, (-0.05, 0.01)])
def test_words_are_sentences(comparison, rope):
    words = comparison.explain(rope)
    for paragraph in words.split("\n\n"):
        assert re.fullmatch(r"\S.*\.", paragraph), paragraph
        assert "  " not in paragraph
        assert not re.search(r"\bnan\b|None|\{|\+-|--", paragraph), paragraph
    assert all(name in words for name in comparison.names)
    assert "This applies to" in words


@pytest.mark.parametrize("rope", [0.0, 0.02, (-0.05, 0.01)])
def test_decisions_are_told_as_they_are(comparison, rope):
    words = comparison.explain(rope)
    assert "HDI" not in words
    assert "posterior" not in words
    headline, *_, last = words.split("\n\n")
    for name in comparison.metrics[:3]:
        decision = comparison.decision(rope, metric=name)
        a, b = decision.names
        if comparison.draws.any() and decision.code in (">>", "<<"):
            first, second = (a, b) if decision.code == ">>" else (b, a)
            assert f"{first}: better than {second} by " in headline
        elif not decision.settled:
            assert last.startswith("More ")


@pytest.mark.parametrize("seed", range(20))
def test_numbers_are_those_of_the_result(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(5, 400, (2, 3))
    result = compare_counts(*counts, names=("one", "two"), random_state=seed)
    words = result.explain(0.03)
    worse, _, better = result.probability(0.0)
    ahead, behind = ("one", "two") if better >= worse else ("two", "one")
    chance = format_probability(max(worse, better), words=True)
    assert f"{ahead} is better than {behind} on f1 with probability {chance}." in str(result)
    mean = result.summary()["mean"].iloc[0]
    name, (low, high) = "one", result.hdi()
    if mean < 0:
        name, (low, high) = "two", (-high, -low)
    ends = f"{low:.3f} to {high:.3f}" if low >= 0 else f"from {-low:.3f} behind to {high:.3f} ahead"
    assert f"Difference: {name} ahead by {abs(mean):.3f}, 95% interval {ends}." in words
    assert f"{name} ahead by {abs(mean):.3f}, 95% interval {ends} (observed: one " in str(result)


@pytest.mark.parametrize("swapped", [False, True])
def test_the_lead_is_that_of_the_headline(swapped):
    """The mean of a skewed difference may have the other sign than what is more probable."""
    small = np.r_[np.full(40, 0.1), -np.full(4, 1.02)]
    scores = (small, np.zeros(44))[:: -1 if swapped else 1]
    result = compare_items(*scores, random_state=0)
    worse, _, better = result.probability()
    assert (better > worse) != (result.summary()["mean"].iloc[0] > 0)
    headline, difference, *_ = str(result).splitlines()
    ahead = headline.partition(" is better")[0]
    assert f"hardly any; 95% interval: {ahead} " in difference


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("settled", "Choose new: better than old by 0.169 in F1, almost surely by more than 0.01."),
        ("open_question", "Not settled whether new is better than old by more than 0.01 in F1"),
        (
            "open_question",
            "More labelled instances: result.required_sample_size(rope=0.01, metric=",
        ),
        ("equivalent", "e and f are equivalent: differences of up to 0.01 do not matter."),
        ("identical", "In accuracy, A and B are identical: their predictions are the same."),
        ("identical", "Caution: the prior matters, because no errors were seen"),
        ("two_metrics", "Metrics: each is judged on its own."),
        ("two_metrics", "Accuracy is the share of instances that are classified correctly; F1 is"),
        ("in_groups", "400 counts in 10 groups"),
        ("in_groups", "Caution: only 10 groups: intervals are widened for this"),
        ("by_chunks", "predicted chunks"),
        ("by_chunks_of_splits", "true chunks"),
        ("cross_validated", "This applies to learners trained on 75 instances"),
        ("fitted_models", "This applies to the 6 models of each kind fitted here"),
        ("split_scores", "30 splits with a correlation of 0.1"),
        ("split_scores", "This applies to learners trained on 0.9 of the data"),
        ("data_sets", "This applies to data sets like these"),
        ("named_by_a_villain", f" of class {many.EVIL!r}: "),
    ],
)
def test_what_is_said(case, said):
    assert said in many.COMPARISONS[case]().explain(0.01)


def test_warnings_of_chains_are_told():
    like = many.two_metrics()
    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.ones(4), (2, 60))
    trace = {"mu": rng.beta(2, 2, (2, 60)), "theta+": theta, "theta-": theta[:, ::-1]}
    with pytest.warns(match="effective sample size"):
        result = ComparisonResult.from_trace(trace, like)
    assert "Caution: " in result.explain()


def test_a_ranking_names_who_is_as_good_worse_or_open():
    ranking = many.ranking()
    words, decision = ranking.explain(0.03), ranking.decision(0.03)
    assert decision.equivalent == ("first",)
    assert decision.open == ("second",)
    assert words.startswith(
        "Choose first: the best of 3 in accuracy or within 0.03 of it, but not settled whether "
        "second may be as good.\n\nObserved: first 0.8850, second 0.8325, third 0.5950."
    )
    assert "Being behind the best by up to 0.03 in accuracy was declared too small" in words
    assert "better than the other 2" in ranking.explain(0)
    assert "pass rope=r" in ranking.explain()


def test_a_score():
    result = many.score()
    words = result.explain()
    low, high = result.hdi()
    assert f"model has accuracy between {low:.3f} and {high:.3f} and recall between " in words
    assert "recall is the share of positive instances that are found." in words
