"""What a report says of its candidates: tables, words, figures and pages."""

import numpy as np
import pytest

from skbayeseval import SearchReport
from skbayeseval.evidence.split_scores import SplitScores
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.registry import split_metric
from skbayeseval.posterior.build import make_posterior
from skbayeseval.results.ranking import Ranking
from skbayeseval.results.words import Fact
from skbayeseval.search.recorded import name_candidates

GRID = [{"C": c, "svc__kernel": kernel} for c in (0.1, 1.0, 1000.0) for kernel in ("rbf", None)]


def report_of(means, params=GRID, *, sd=0.001, rope=0.02, seed=0, metric="f1", **options):
    """A report on candidates with given means and independent noise."""
    names = name_candidates(dict(enumerate(params)))
    scores = np.repeat(np.array(means)[:, None], 2, axis=1)
    noise = {metric: sd**2 * np.eye(len(means))}
    evidence = SplitScores({metric: scores}, 0.5, noise=noise, df=1e6)
    posterior = make_posterior(evidence, "auto", "exact", 2000, seed)
    ranking = Ranking(posterior, tuple(names), {metric: split_metric(metric)})
    region = Interval(-rope, rope)
    return SearchReport(ranking, dict(enumerate(params)), rope=region, source="scores", **options)


@pytest.fixture
def report():
    return report_of(
        [0.9, 0.91, 0.7, 0.905, 0.8, 0.889], _facts=[Fact("based on", "thin air")], failed=(7,)
    )


def test_summary(report):
    table = report.summary()
    assert list(table.index) == [1, 3, 0, 5, 4, 2]
    assert table.index.name == "candidate"
    assert list(table.columns) == [
        "C", "svc__kernel", "observed", "mean", "hdi_low", "hdi_high", "p_best", "p_equivalent",
        "decision",
    ]  # fmt: skip
    assert table["decision"].tolist() == ["~", "~", "~", "?", "<<", "<<"]
    assert table["svc__kernel"][1] is None
    assert table["C"].dtype == float
    assert (table["hdi_low"] < table["mean"]).all()
    assert (table["mean"] < table["hdi_high"]).all()
    table.loc[:, "mean"] = 0
    assert report.summary()["mean"].iloc[0] == pytest.approx(0.91, abs=0.001)
    assert list(report.equivalent().index) == [1, 3, 0]


def test_simplest(report):
    assert report.simplest_index("C") == 1  # of 0 and 1, the higher mean
    assert report.simplest("C") == {"C": 0.1, "svc__kernel": None}
    assert report.simplest_index("svc__kernel") == 0  # None sorts last
    assert report.simplest_index(["C", "svc__kernel"]) == 0
    assert report.simplest_index(lambda params: -params["C"]) == 3
    unsettled = report_of([0.95, 0.9], [{"k": 2}, {"k": 1}], sd=0.1)
    with pytest.warns(UserWarning, match=r"candidate 0, is within 0.02 .* less than 95%\."):
        assert unsettled.simplest("k") == {"k": 2}
    mixed = report_of([0.9, 0.9], [{"k": "a"}, {"k": 1}])
    with pytest.raises(TypeError, match="cannot be sorted"):
        mixed.simplest("k")
    with pytest.raises(ValueError, match="key='gamma' is not a parameter"):
        report.simplest("gamma")
    missing = report_of([0.9, 0.9], [{"a": 1}, {"b": 1}])
    assert missing.simplest("b") == {"b": 1}


def test_names_of_parameters_may_be_their_ends():
    params = [{"svc__C": C, "pca__C": 1, "svc__gamma": -C} for C in (1, 2)]
    report = report_of([0.9, 0.9], params)
    assert report.simplest("gamma") == params[1]
    assert report.simplest(["gamma", "svc__C"]) == params[1]
    with pytest.raises(ValueError, match=r"key='C' may be any of \['svc__C', 'pca__C'\]"):
        report.simplest("C")
    assert report.plot("heatmap", x="gamma", y="svc__C").ax_.get_xlabel() == "gamma"


def test_the_cheapest_that_is_good_enough():
    """Worse and slower candidates are faded, and of equivalent ones the fastest is chosen."""
    times = {"mean_fit_time": {0: 4.0, 1: 1.0, 2: 2.0, 3: 0.1, 4: 8.0}}
    report = report_of(
        [0.95, 0.949, 0.8, 0.7, 0.94], [{"k": k} for k in range(5)], sd=0.002, _times=times
    )
    assert report.simplest("mean_fit_time") == {"k": 1}
    assert report.simplest("k") == {"k": 0}
    display = report.plot("mean_fit_time")
    table = display.table.loc[[f"k={k}" for k in range(5)]]
    dominated = table["dominated_by"].tolist()
    assert dominated[:4] == ["", "", "k=1", ""]
    assert dominated[4] in ("k=0", "k=1")
    np.testing.assert_allclose(table["time"], [*times["mean_fit_time"].values()])
    assert display.ax_.get_xlabel() == "fit time (seconds)\n1: k=1\n2: k=0"
    assert "k=1\nis the cheapest that is good enough" in display.ax_.get_title()
    with pytest.raises(ValueError, match="'mean_score_time' is not a parameter"):
        report.plot("mean_score_time")
    with pytest.raises(ValueError, match="'mean_score_time' is not a parameter"):
        report.simplest("mean_score_time")


def test_copies_share_their_probability():
    table = report_of([0.9, 0.9, 0.5, 0.9], GRID[:4], sd=0.0).summary()
    assert table["p_best"].tolist() == [1, 1, 1, 0]
    assert table["p_equivalent"].tolist() == [1, 1, 1, 0]
    assert list(table.index) == [0, 1, 3, 2]


def test_a_report_is_its_ranking():
    """Row one, the headline, the figure, the choice and each number are those of the ranking."""
    rng = np.random.default_rng(0)
    report = report_of(rng.normal(0.9, 0.01, 20), [{"k": k} for k in range(20)], sd=0.01)
    table, ranked = report.summary(), report.ranking.table
    numbers = ["observed", "mean", "hdi_low", "hdi_high", "p_best"]
    np.testing.assert_array_equal(table[numbers], ranked[numbers])
    assert [f"k={k}" for k in table.index] == list(ranked.index)
    is_best = report.draws == report.draws.max(axis=0)
    np.testing.assert_allclose(table["p_best"].sort_index(), is_best.mean(axis=1))
    decision = report.ranking.decision(0.02)
    np.testing.assert_array_equal(
        table["p_equivalent"], [decision.p_equivalent[name] for name in ranked.index]
    )
    states = {"equivalent": "~", "open": "?", "worse": "<<"}
    assert {f"k={k}": code for k, code in table["decision"].items()} == {
        name: states[state] for name, state in decision.states().items()
    }
    best = f"k={table.index[0]}"
    assert f"({best} the best with probability" in str(report).splitlines()[0]
    assert best in report.plot().ax_.get_title()
    assert report.simplest(lambda params: 0) == {"k": table.index[0]}
    best = table.iloc[0]
    assert best["mean"] < best["observed"]
    words = f"{best['mean']:.4f} for k={table.index[0]} ({best['observed']:.4f} observed)"
    line = f"  estimate    {words}: the best score of 20 is usually partly luck\n"
    assert line in str(report.ranking)
    assert line in report.ranking.details()


def test_words(report):
    words = str(report)
    assert words.startswith("C=0.1, kernel=None is the best of 6 on F1 (probability more than 99")
    assert (
        "3 practically equivalent to the best, within 0.02 (≈); 2 surely worse (≪); 1 not settled"
        in words
    )
    assert "thin air" not in words
    assert report.details().splitlines() == [*words.splitlines()[:2], "  based on    thin air"]
    assert "Based on thin air." in report.explain()
    assert "SearchReport(source='scores', metric='f1', 6 candidates" in repr(report)
    many = report_of(np.linspace(0.8, 0.9, 30), [{"k": k} for k in range(30)])
    assert "... and 22 more" in str(many)
    assert "0 surely worse (≪); 0 not settled (?)." in str(report_of([0.9, 0.9], GRID[:2]))
    apart = str(report_of([0.9, 0.6, 0.5], GRID[:3]))
    assert "within 0.02 (≈); 2 surely worse (≪); 0 not settled (?)." in apart
    assert "simplest(key)" in str(report)
    assert "simplest(key)" not in apart


def test_heatmap(report):
    display = report.plot("heatmap")
    assert display.ax_.get_xlabel() == "C"
    assert display.ax_.get_ylabel() == "kernel"
    assert list(display.means.columns) == ["0.1", "1", "1000"]
    assert list(display.means.index) == ["rbf", "None"]
    np.testing.assert_allclose(display.means, [[0.9, 0.7, 0.8], [0.91, 0.905, 0.889]], atol=1e-3)
    assert display.decisions.to_numpy().tolist() == [["~", "<<", "<<"], ["~", "~", "?"]]
    marks = [text.get_text() for text in display.ax_.texts]
    assert sum("≈" in mark for mark in marks) == 3
    alpha = display.ax_.images[0].get_alpha()
    assert (alpha == [[1, alpha[0, 1], alpha[0, 1]], [1, 1, 1]]).all()
    assert alpha[0, 1] < 0.5
    with pytest.raises(ValueError, match="y='gamma' is not a parameter"):
        report.plot("heatmap", x="C", y="gamma")
    with pytest.raises(ValueError, match="needs the names of different parameters"):
        report.plot("heatmap", x="C", y="C")
    with pytest.raises(ValueError, match="kind='pie'"):
        report.plot("pie")


def test_randomised_searches_are_drawn_over_each_parameter():
    """A point for each candidate, hopeless ones at the edge with their means."""
    rng = np.random.default_rng(0)
    params = [
        {"svc__C": c, "svc__tol": t, "kernel": "rbf" if i % 2 else None}
        for i, (c, t) in enumerate(zip(10 ** rng.uniform(-3, 3, 12), rng.random(12), strict=True))
    ]
    params[0].pop("svc__tol")
    report = report_of([*np.linspace(0.9, 0.89, 10), 0.3, 0.2], params)
    display = report.plot("heatmap", title="")
    panels = display.ax_.child_axes
    assert [panel.get_xlabel() for panel in panels] == ["C", "kernel", "tol"]
    assert [panel.get_xscale() for panel in panels] == ["log", "linear", "linear"]
    drawn = [np.concatenate([line.get_xdata() for line in panel.lines]) for panel in panels]
    assert sorted(drawn[0]) == pytest.approx(sorted(one["svc__C"] for one in params))
    assert len(drawn[2]) == 11
    assert [label.get_text() for label in panels[1].get_xticklabels()] == ["None", "rbf"]
    assert [text.get_text().strip() for text in panels[0].texts] in (["0.3", "0.2"], ["0.2", "0.3"])
    for panel in panels[::2]:
        low, high = panel.get_xlim()
        assert sum(low <= tick <= high for tick in panel.get_xticks()) >= 3
    (panel,) = report.plot("heatmap", x="C").ax_.child_axes
    assert panel.get_xlabel() == "C"


def test_heatmap_is_the_best_over_other_parameters():
    params = [{"a": a, "b": b, "c": c} for a in (1, 2) for b in (1, 2) for c in (1, 2)]
    report = report_of([0.5, 0.9, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3], params)
    display = report.plot("heatmap", x="a", y="b")
    np.testing.assert_allclose(display.means, [[0.9, 0.6], [0.8, 0.4]], atol=1e-3)
    assert "best over c" in display.ax_.get_title()
