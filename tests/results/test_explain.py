import re

import numpy as np
import pytest

from skbayeseval import ComparisonResult, compare_counts, compare_predictions
from skbayeseval.judgement.decision import format_probability
from skbayeseval.results.text import join_words
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
    assert "HDI" not in words
    assert "posterior" not in words


@pytest.mark.parametrize("rope", [0.0, 0.02, (-0.05, 0.01)])
def test_settled_is_said_only_of_settled_decisions(comparison, rope):
    words = comparison.explain(rope)
    settled = [comparison.decision(rope, metric=name).settled for name in comparison.metrics]
    assert words.count("this is settled") == sum(settled)
    not_settled = words.count("This is not settled") + words.count("too few data were seen")
    assert not_settled == len(settled) - sum(settled)


@pytest.mark.parametrize("seed", range(20))
def test_numbers_are_those_of_the_result(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(5, 400, (2, 3))
    result = compare_counts(*counts, names=("one", "two"), random_state=seed)
    words = result.explain(0.03)
    worse, _, better = result.probability(0.0)
    ahead, behind = ("one", "two") if better >= worse else ("two", "one")
    chance = format_probability(max(worse, better), words=True)
    if max(worse, better) >= 0.95:
        assert f"{ahead} is better than {behind} with probability {chance}." in words
    else:
        assert f"not clear which one is better: {ahead} with probability {chance}, " in words
    low, high = result.hdi()
    mean = result.summary()["mean"].iloc[0]
    found = re.search(r"The best estimate is that (\w+) is ahead by ([\d.]*\d)", words)
    assert found[1] == ("one" if mean >= 0 else "two")
    assert float(found[2]) == pytest.approx(abs(mean), abs=6e-4)
    lead = re.search(r"its lead is between ([\d.]+) and ([\d.]*\d)", words)
    reach = re.search(r"anything from (\w+) ahead by ([\d.]+) to (\w+) ahead by ([\d.]*\d)", words)
    assert (lead is None) == (low < 0 < high)
    sign = 1 if mean >= 0 else -1
    ends = sorted((sign * low, sign * high))
    if lead is not None:
        assert [float(lead[1]), float(lead[2])] == pytest.approx(ends, abs=6e-4)
    else:
        assert [-float(reach[2]), float(reach[4])] == pytest.approx(ends, abs=6e-4)
        assert reach[3] == found[1] != reach[1]
    probabilities = result.probability(0.03)
    if not result.decision(0.03).settled:
        chance = format_probability(probabilities.better, words=True)
        assert f"one is better by more than that with probability {chance}" in words


def test_mirrored_comparisons_say_the_same():
    y, a, b = many.votes(60)
    one = compare_predictions(y, a, b, names=("a", "b"), random_state=0).explain(0.02)
    other = compare_predictions(y, b, a, names=("b", "a"), random_state=0).explain(0.02)
    ahead = re.compile(r"best estimate is that (\w) is ahead")
    assert ahead.search(one)[1] == ahead.search(other)[1]


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("settled", "it is not known which instances both got right"),
        ("settled", "new is better than old by more than that"),
        ("open_question", "More labelled instances could settle it."),
        ("equivalent", "for practical purposes e and f are equivalent"),
        ("equivalent", "It does not mean that they are exactly equal"),
        ("identical", "Their predictions are the same, so nothing here tells A and B apart"),
        ("identical", "Caution: no errors were seen"),
        ("two_metrics", "Each metric is judged on its own"),
        ("two_metrics", "A and B were tested on the same 400 instances."),
        ("in_groups", "400 instances in 10 groups"),
        ("in_groups", "Caution: there are only 10 groups"),
        ("by_chunks", "tested on the same sentences, with 120 chunks to find"),
        ("by_chunks", "predicted chunks"),
        ("by_chunks_of_splits", "plain and looks back were trained and tested on 6 splits"),
        ("by_chunks_of_splits", "true chunks"),
        ("cross_validated", "This applies to training on 75 instances like these"),
        ("cross_validated", "6 splits of the same data (150 instances)"),
        ("fitted_models", "This applies to the 6 models of each kind that were fitted here"),
        ("split_scores", "by their scores on 30 splits with a correlation of 0.1"),
        ("split_scores", "This applies to training on 90% of the data"),
        ("data_sets", "This applies to data sets like these"),
        ("named_by_a_villain", f"The positive class is {many.EVIL!r}"),
    ],
)
def test_what_is_said(case, said):
    assert said in many.COMPARISONS[case]().explain(0.01)


def test_a_probability_that_is_not_enough_is_explained():
    # The lower end of the HDI is inside the ROPE, with less than a twentieth of the posterior.
    result = many.settled()
    limit = result.hdi().low + 0.001
    assert result.probability(limit).better > 0.95
    disagree = "Not all of the 95% most credible differences agree on the first."
    assert disagree in result.explain(limit)
    assert disagree not in result.explain(limit + 0.1)


def test_warnings_of_chains_are_told():
    like = many.two_metrics()
    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.ones(4), (2, 60))
    trace = {"mu": rng.beta(2, 2, (2, 60)), "theta+": theta, "theta-": theta[:, ::-1]}
    with pytest.warns(match="effective sample size"):
        result = ComparisonResult.from_trace(trace, like)
    assert "Caution: the simulation has not been reliable." in result.explain()


def test_a_ranking_names_who_is_as_good_worse_or_open():
    ranking = many.ranking()
    words = ranking.explain(0.03)
    decision = ranking.decision(0.03)
    for names, said in (
        (decision.equivalent, "or as good as the best for practical purposes, "),
        (decision.worse, "Worse than the best by more than that, "),
        (decision.open, "Not settled: "),
    ):
        assert (said in words) == bool(names)
        if names:
            assert join_words(names) in words
    assert "is the best with probability" in words
    assert "pass rope=r" in ranking.explain()
    assert "settled" not in ranking.explain()


def test_a_score():
    result = many.score()
    words = result.explain()
    low, high = result.hdi()
    assert words.startswith("model was tested on 400 instances.")
    assert f"is between {low:.3f} and {high:.3f} with probability 95%" in words
    assert "In this test, recall (the share of positive instances that are found) was" in words
