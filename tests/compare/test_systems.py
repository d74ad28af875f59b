"""compare_scores of systems on several data sets, with holes."""

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skbayeseval import PyMCEngine, Ranking, compare_scores, load_result
from skbayeseval.metrics.registry import NEXT_DATA_SET

NAMES = ["iris", "wine", "glass", "sonar", "yeast", "ecoli"]


def table(n_systems=4, n_sets=6, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.uniform(0.6, 0.9, n_sets)[:, None] + 0.02 * np.arange(n_systems)
    values = values + rng.normal(0, 0.01, (n_sets, n_systems))
    columns = [f"s{k}" for k in range(n_systems)]
    frame = pd.DataFrame(values, index=NAMES[:n_sets], columns=columns)
    frame.loc["wine", "s0"] = np.nan
    frame.loc["glass", "s1"] = np.nan
    return frame


def as_dict(frame):
    return {name: column.dropna().to_dict() for name, column in frame.items()}


@pytest.fixture(scope="module")
def ranking():
    return compare_scores(table(), scoring="accuracy", n_draws=2000, random_state=0)


def test_a_table_and_dicts_are_the_same(ranking):
    frame = table()
    with_none = {
        name: {data_set: None if np.isnan(x) else x for data_set, x in column.items()}
        for name, column in frame.items()
    }
    again = compare_scores(with_none, scoring="accuracy", n_draws=2000, random_state=0)
    assert isinstance(again, Ranking)
    assert_array_equal(again.draws, ranking.draws)
    # Without the holes, data sets are in the order in which they first occur.
    plain = compare_scores(as_dict(frame), scoring="accuracy", n_draws=2000, random_state=0)
    assert sorted(plain.evidence.data_sets) == sorted(NAMES)
    assert_allclose(plain.draws.mean(axis=1), ranking.draws.mean(axis=1), atol=0.003)


def test_the_next_data_set_is_told_from_the_average(ranking, tmp_path):
    of_next = ranking.metric(NEXT_DATA_SET)
    average = "data sets like these on average, and training as it was done on them"
    assert f"{average} (metric='next data set': a single one)" in str(ranking)
    assert str(of_next).startswith("No clear winner of 4 on the next data set (s3 the best with ")
    assert "applies to  one further data set like these, not their average" in str(of_next)
    pair = ranking.pairs["s2", "s3"].metric(NEXT_DATA_SET)
    assert re.search("s3 .*on the next data set .*probability ", str(pair).splitlines()[0])
    # However many data sets are known, a further one deviates.
    for words in (str(pair.decision(0.025)), pair.explain(0.025), of_next.explain(0.025)):
        assert "settled" in words
        assert "More evidence" not in words
    assert "More evidence" in ranking.pairs["s2", "s3"].explain(0.025)
    assert list(pair.frequentist().index) == ["sign test of data sets"]
    assert len(of_next.summary(0.01)) == 6
    of_next.save(tmp_path / "next")
    assert str(load_result(tmp_path / "next")) == str(of_next)


def test_what_is_refused_of_a_ranking(ranking):
    with pytest.raises(ValueError, match="several systems on several data sets has no PyMC model"):
        ranking.pymc_model()
    with pytest.raises(ValueError, match=r"no scores of 'f1', only of \['accuracy'\]"):
        ranking.metric("f1")
    with pytest.raises(ValueError, match="is the name of what is said of a further data set"):
        compare_scores(as_dict(table()), scoring=NEXT_DATA_SET)
    pair = ranking.pairs[0, 1]
    with pytest.raises(ValueError, match="The Bayes factor is not defined"):
        pair.bayes_factor()
    with pytest.raises(ValueError, match="required_sample_size simulates independent instances"):
        pair.required_sample_size(0.01)
    with pytest.raises(ValueError, match="kind='scores' requires the split scores"):
        pair.plot("scores")


def test_systems_that_only_others_link():
    frame = table()
    frame.loc[NAMES[:3], "s0"] = frame.loc[NAMES[3:], "s1"] = np.nan
    pair = compare_scores(frame, n_draws=500, random_state=0).pairs["s0", "s1"]
    with pytest.raises(ValueError, match="No classical test .* applies to"):
        pair.frequentist()
    assert -0.06 < pair.draws.mean() < 0.02  # the truth is -0.02


def broken(**changes):
    scores = as_dict(table(2, 4))
    for system, of_one in changes.items():
        scores[system] = scores.get(system, {}) | of_one
    return scores


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        ({}, ValueError, r"scores must have two or more systems, got \[\]"),
        ({"a": [1, 2], "b": [1, 2]}, TypeError, "scores of 'a' must be a dict of data set to"),
        (broken(s0={"iris": "0.9"}), TypeError, r"scores\['s0'\]\['iris'\] must be a number, or"),
        (broken(s0={"iris": np.inf}), ValueError, r"\['iris'\] contains NaN or infinity"),
        (broken(s0={"iris": [[0.9]]}), ValueError, r"got shape \(1, 1\)"),
        (broken(s2={"iris": None}), ValueError, "scores has no score of 's2'. Remove this system"),
        (broken(s0={"sonar": None}), ValueError, "scores has 1 data sets with scores of both"),
        (broken(s2={"yeast": 0.5}), ValueError, "scores has 2 data sets with scores of two or"),
        (broken(s0={5: 0.5}, s1={"5": 0.4}), ValueError, "names of data sets must differ as str"),
        ({"a": dict.fromkeys("xyz", 0.5), "b": dict.fromkeys("xyz", 0.5)}, ValueError, "same"),
        (pd.DataFrame(np.eye(3), columns=["a", "a", "b"]), ValueError, "'a' occurs twice"),
        ([0.5, 0.6], TypeError, "requires scores_a and scores_b, or a dict of systems in place"),
    ],
)
def test_bad_scores(scores, error, message):
    with pytest.raises(error, match=message):
        compare_scores(scores)


def test_too_few_scores():
    frame = pd.DataFrame(np.random.default_rng(0).random((8, 4)), columns=list("abcd"))
    frame.loc[:3, ["c", "d"]] = np.nan
    frame.loc[4:, ["a", "b"]] = np.nan
    with pytest.raises(ValueError, match=r"score of one of \['c', 'd'\] as well as of one of \['a"):
        compare_scores(frame)
    scores = {"a": {"x": 1.0, "z": 2.0}, "b": {"x": 1.5, "y": 2.5}, "c": {"y": 3.0, "z": 1.0}}
    with pytest.raises(ValueError, match="only 1 more than are needed to compare them at all"):
        compare_scores(scores)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"scores_b": [0.5]}, TypeError, "scores_b must be left out if scores_a is a dict"),
        ({"n_test": 100}, ValueError, "n_test=100 does not apply to scores on data sets"),
        ({"names": ("x", "y")}, ValueError, "does not apply to a dict of systems: its keys"),
        ({"test_fraction": 1.5}, ValueError, "test_fraction == 1.5, must be < 1"),
        ({"model": "paired"}, ValueError, "does not fit scores of systems on several data sets"),
        ({"engine": "pymc"}, ValueError, "has no PyMC model. Use engine='exact'"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        compare_scores(as_dict(table()), **options)


@pytest.mark.slow
def test_two_systems_agree_with_the_hierarchical_model_of_two():
    """Both have a flat prior of the spread over data sets and the same noise.

    The model of two arrays has Student t interactions with inferred degrees of freedom, which
    weights data sets differently, and samples the noise. On normal data that moves the mean by a
    fraction of the posterior standard deviation, and the width of the interval by some percent. The
    tolerances are 0.15 standard deviations and 15%; Monte Carlo errors are below 0.04 and 5%.
    """
    rng = np.random.default_rng(0)
    levels = rng.uniform(0.6, 0.9, 25)[:, None]
    split = rng.normal(0, 0.02, (25, 10))
    a = levels + rng.normal(0.01, 0.01, (25, 1)) + split + rng.normal(0, 0.01, (25, 10))
    b = levels + rng.normal(0.0, 0.01, (25, 1)) + split + rng.normal(0, 0.01, (25, 10))
    engine = PyMCEngine(draws=1000, tune=700, chains=2, target_accept=0.9, random_seed=0)
    two = compare_scores(a, b, test_fraction=0.1, model="hierarchical", engine=engine)
    systems = {"a": dict(enumerate(a)), "b": dict(enumerate(b))}
    many = compare_scores(systems, test_fraction=0.1, random_state=0)
    pair = many.pairs["a", "b"]
    sd = two.draws.std()
    assert abs(pair.draws.mean() - two.draws.mean()) < 0.15 * sd
    for metric in (None, NEXT_DATA_SET):
        widths = [np.subtract(*one.interval(metric=metric)) for one in (pair, two)]
        assert widths[0] == pytest.approx(widths[1], rel=0.15)
        chances = [one.probability(metric=metric).better for one in (pair, two)]
        assert chances[0] == pytest.approx(chances[1], abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_coverage(holes):
    rng = np.random.default_rng(0)
    hits = []
    for _ in range(100):
        means = rng.normal(size=3)
        scores = means[:, None] + rng.normal(size=(3, 12)) + 5 * rng.normal(size=12)
        scores[rng.random((3, 12)) < holes] = np.nan
        frame = pd.DataFrame(scores.T, columns=list("abc"))
        draws = compare_scores(frame, n_draws=1000, random_state=0).draws
        low, high = np.quantile(draws - draws[[1, 2, 0]], [0.025, 0.975], axis=1)
        hits.append((low < means - means[[1, 2, 0]]) & (means - means[[1, 2, 0]] < high))
    # three standard errors of 200 independent intervals: of three pairs, two are independent
    assert abs(np.mean(hits) - 0.95) < 3 * np.sqrt(0.95 * 0.05 / 200)
