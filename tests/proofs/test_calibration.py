"""Simulation-based calibration: a quick one of every model, a full one, and planted errors."""

import numpy as np
import pytest
from scipy import stats

from skbayeseval import compare_confusion_matrices, metrics
from tests.proofs.scripts import sbc

BY_NAME = {case.name: case for case in sbc.CASES}


def test_every_proper_model_and_every_metric_is_there():
    from skbayeseval.models import MODEL_CLASSES, RightOrWrong

    of_items = {RightOrWrong}  # in tests/models/test_items.py
    proper = {kind for kind in MODEL_CLASSES.values() if kind.has_proper_prior} - of_items
    assert {type(case.model) for case in sbc.CASES} == proper
    known = [metrics.get_metric(name) for name in metrics.known_metrics("tables")]
    bounded = [metric for metric in known if np.isfinite(metric.limits).all()]
    assert set(BY_NAME["unpaired"].metrics) == {metric.name for metric in bounded}
    assert set().union(*(case.metrics for case in sbc.CASES if case.n_classes > 2)) == {
        metric.name for metric in bounded if not metric.needs_positive
    }


@pytest.mark.parametrize("case", sbc.CASES, ids=lambda case: case.name)
def test_ranks_are_uniform(case):
    table = sbc.assess(sbc.ranks_of(case, 40, seed=3))
    assert len(table) == len(case.quantities) * (len(case.metrics) + 1) + 1
    assert sbc.holm(table["p"]).min() > 0.01


@pytest.mark.parametrize("case", sbc.CASES, ids=lambda case: case.name)
def test_instances_counted_twice_at_half_the_weight(case):
    once, twice = (
        sbc.ranks_of(case, 6, **changes) for changes in ({}, {"repeat": 2, "weight": 0.5})
    )
    for key, ranks in once.items():
        np.testing.assert_array_equal(ranks, twice[key])


@pytest.mark.slow
def test_ranks_of_many_replications_are_uniform():
    table, _ = sbc.calibrate(600, seed=1)
    assert len(table) == sbc.number_of_tests()
    assert table["p_holm"].min() > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("name", ["unpaired", "paired", "bcv"])
@pytest.mark.parametrize("error", sbc.PLANTED)
def test_planted_errors_are_caught_in_a_full_run(name, error):
    assert sbc.planted(BY_NAME[name], error, 2000, seed=2) < 0.01


@pytest.mark.parametrize("name", ["unpaired", "hierarchical, M=2"])
def test_the_draws_ranked_are_those_of_the_faces(name):
    counts = np.array([[[4, 1], [2, 5]], [[3, 2], [0, 6]]])
    case, scoring = BY_NAME[name], ["accuracy", "f1", "matthews_corrcoef"]
    (evidence,) = case.evidence(counts, 1.0)
    totals = sbc.posterior_totals(case.model, evidence, 12345, 2000)
    again = sbc.Posterior(case.model, evidence, entropy=12345, n_draws=2000)
    result = compare_confusion_matrices(
        *counts, model=case.model, scoring=scoring, n_draws=2000, random_state=0
    )
    for metric in map(metrics.get_metric, scoring):
        draws, seen = metric.of_totals(totals), result.metric(metric.name)
        np.testing.assert_allclose(draws, again.draws(metric), rtol=1e-12)
        assert stats.ks_2samp(draws[0] - draws[1], seen.draws).pvalue > 1e-4
        assert stats.ks_2samp(draws[0], seen.draws_a).pvalue > 1e-4


def test_ties_are_broken_at_random():
    rng = np.random.default_rng(0)
    ranks = sbc.rank(rng, np.zeros(20_000), np.zeros((20_000, 9)))
    assert stats.chisquare(np.bincount(ranks, minlength=10)).pvalue > 1e-3
    assert sbc.rank(rng, np.array([0.5]), np.array([[0.1, 0.4, 0.6]])) == [2]
    # Differences that sticks do not resolve are ties.
    assert set(sbc.rank(rng, np.zeros(200), np.full((200, 1), 1e-9))) == {0, 1}


def test_p_values_are_uniform_for_uniform_ranks():
    rng = np.random.default_rng(0)
    many = [sbc.p_values(rng.integers(0, 100, 400)) for _ in range(200)]
    for name in many[0]:
        assert stats.ks_1samp([p[name] for p in many], stats.uniform.cdf).pvalue > 1e-3
    pooled = [
        sbc.pooled_spread({k: rng.integers(0, 100, 400) for k in range(3)}) for _ in range(100)
    ]
    assert stats.ks_1samp(pooled, stats.uniform.cdf).pvalue > 1e-3


def test_holm():
    np.testing.assert_allclose(sbc.holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])


def test_the_band_holds_whole_curves():
    rng = np.random.default_rng(1)
    steps, low, high = sbc.band(500, 0.9)
    counts = rng.multinomial(500, np.full(100, 0.01), 4000)
    curves = counts.cumsum(axis=1)[:, :-1] / 500 - steps
    inside = ((curves >= low - 1e-12) & (curves <= high + 1e-12)).all(axis=1).mean()
    assert inside == pytest.approx(0.9, abs=0.02)
    assert (low < 0).all()
    assert (high > 0).all()


def test_the_figure_and_the_table(tmp_path, monkeypatch, capsys):
    cases = [BY_NAME["bcv without TN"]]
    monkeypatch.setattr(sbc, "CASES", cases)
    csv, figure = tmp_path / "sbc.csv", tmp_path / "sbc.png"
    command = ["sbc.py", "--replications", "40", "--csv", str(csv), "--figure", str(figure)]
    monkeypatch.setattr("sys.argv", command)
    sbc.main()
    assert f"{sbc.number_of_tests()} tests" in capsys.readouterr().out
    assert len(csv.read_text().splitlines()) == sbc.number_of_tests() + 1
    assert figure.stat().st_size > 10_000
