from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from skbayeseval.judgement import Interval, SubgroupDecision
from skbayeseval.judgement.distribution import Distribution, decision_of
from skbayeseval.judgement.subgroup_decision import Scores, farthest_apart, largest_gap

ROPE = Interval(-0.01, 0.01)


def decision(means, sd=0.005, rope=ROPE, seed=0):
    """Return the decision about independent normal differences, by their names."""
    rng = np.random.default_rng(seed)
    draws = pd.DataFrame({name: rng.normal(mean, sd, 20_000) for name, mean in means.items()})
    found = {
        name: decision_of(Distribution(one), rope, 0.95, ("new", "old"), "f1")
        for name, one in draws.items()
    }
    farthest = farthest_apart(draws, rope.high - rope.low)
    return SubgroupDecision(found, {}, *farthest, rope, ("new", "old"), "f1", column="site")


def test_farthest_apart_by_brute_force():
    rng = np.random.default_rng(0)
    draws = rng.normal([0.0, 0.03, -0.02, 0.05], [0.01, 0.01, 0.01, 0.08], (5000, 4))
    alike, farthest, p = farthest_apart(pd.DataFrame(draws, columns=list("wxyz")), 0.02)
    columns = zip("wxyz", draws.T, strict=True)
    chances = {
        (one, other): np.mean(x - z > 0.02) for (one, x), (other, z) in permutations(columns, 2)
    }
    assert farthest == max(chances, key=chances.get) == ("x", "y")
    assert p == chances["x", "y"]
    assert alike == np.mean(draws.max(axis=1) - draws.min(axis=1) <= 0.02)


POINT, SITES = Interval(0.0, 0.0), "the difference varies between subgroups of site"
WIDTH = "0.02, the width of the ROPE,"


@pytest.mark.parametrize(
    ("means", "options", "varies", "sentence"),
    [
        ({"a": 0.08, "b": 0.0}, {}, True,
         f"T{SITES[1:]}: it is higher in a than in b by more than {WIDTH} with probability more "
         "than 99.9%."),
        ({"a": 0.05, "b": 0.0}, {"rope": POINT}, True,
         f"T{SITES[1:]}: it is higher in a than in b with probability more than 99.9%."),
        ({"a": 0.02, "b": 0.021, "c": 0.019}, {"sd": 0.001}, False,
         f"No sign that {SITES}: no two of them are farther apart than {WIDTH} with probability "
         "more than 99.9%."),
        ({"a": 0.02, "b": 0.0}, {"sd": 0.01}, None,
         f"Not settled whether {SITES}: it is higher in a than in b (the two farthest apart) by "
         f"more than {WIDTH} with probability P; 95% would settle it."),
        ({"a": 0.01, "b": 0.0}, {"rope": POINT}, None,
         f"Not settled whether {SITES}: it is higher in a than in b (the two farthest apart) with "
         "probability P; 95% would settle it."),
        ({"a": 0.05}, {}, None,
         f"Whether {SITES} cannot be told from fewer than two of them."),
    ],
)  # fmt: skip
def test_whether_the_difference_varies(means, options, varies, sentence):
    found = decision(means, **options)
    assert found.varies is varies
    assert found.on_variation() == sentence.replace("P;", f"{found.p_farthest:.1%};")
    if options == {"sd": 0.01}:
        assert 0.45 < found.p_farthest < 0.55


def test_sentences():
    found = decision({"north": 0.05, "south": 0.0, "east": -0.05, "west": 0.012})
    west = found.subgroups["west"].probabilities
    chances = f"{west.better:.1%} new better, {west.equivalent:.1%} equivalent, <0.1% old better"
    assert str(found).splitlines()[:5] == [
        "new compared with old in subgroups of site (f1, 95% intervals; differences up to 0.01 are "
        "equivalent):",
        "  new significantly better: north",
        "  practically equivalent: south",
        "  new significantly worse: east",
        f"  not settled: west ({chances})",
    ]
    assert not found.settled
    assert repr(found) == str(found)
    assert "north" in found._repr_html_()


def test_a_gap_that_was_not_observed():
    observed = np.array([0.5, np.nan])
    draws = np.random.default_rng(0).normal(0.5, 0.1, (2, 400))
    gap = largest_gap({"recall": Scores(("x", "y"), observed, draws, draws, np.full(2, 50))})
    assert " Observed: not defined; equal groups of these sizes would show 0." in str(gap)
