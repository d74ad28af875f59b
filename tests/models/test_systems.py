"""The model of several systems on several data sets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skbayeseval import compare_scores
from skbayeseval.evidence.split_scores import SystemScores
from skbayeseval.models import CorrelatedT, HierarchicalSystems
from skbayeseval.models.systems import noise_of_means


def test_noise_of_independent_runs():
    scores = np.random.default_rng(0).normal(size=(3, 4, 2000))
    noise = noise_of_means(scores, None)
    # With many runs, the average over data sets counts for next to nothing.
    assert_allclose(noise[:, 1, 1], scores[1].var(axis=1, ddof=1) / 2000, rtol=0.01)
    assert noise[0, 0, 1] == 0


def test_noise_of_splits_is_that_of_the_correlated_t_test():
    rng = np.random.default_rng(0)
    shared = rng.normal(size=1000)  # what makes a split easy for both
    scores = shared + 0.1 * rng.normal(size=(2, 3, 1000))
    noise = noise_of_means(scores, 0.1)
    differences = scores[0] - scores[1]
    expected = (1 / 1000 + 0.1 / 0.9) * differences.var(axis=1, ddof=1)
    found = noise[:, 0, 0] + noise[:, 1, 1] - 2 * noise[:, 0, 1]
    assert_allclose(found, expected, rtol=0.01)


def test_systems_with_other_numbers_of_splits_do_not_share_them():
    scores = np.random.default_rng(0).normal(size=(3, 1, 5))
    scores[2, 0, 3:] = np.nan
    noise = noise_of_means(scores, 0.2)[0]
    assert noise[0, 1] != 0
    assert noise[0, 2] == noise[1, 2] == 0
    assert noise[2, 2] > 0


def test_a_single_score_has_the_noise_of_the_others():
    scores = np.array([[[1.0, 3.0, np.nan]], [[2.0, np.nan, np.nan]]])
    noise = noise_of_means(scores, None)[0]
    assert noise[1, 1] == pytest.approx(2.0)  # the variance of the run of 1 and 3
    assert noise[0, 0] == pytest.approx(1.0)


def test_single_scores_have_no_known_noise():
    assert not noise_of_means(np.ones((3, 4, 1)), None).any()


def test_scores_in_steps_have_rounding_errors():
    scores = np.array([[[0.5], [0.25], [0.75]], [[0.25], [0.25], [0.5]]])
    evidence = SystemScores(scores, "score", ("x", "y", "z"), None)
    noise = HierarchicalSystems().specification(evidence).noise
    assert_allclose(noise[:, 0, 0], 0.25**2 / 12)


def test_other_evidence_is_refused():
    with pytest.raises(
        ValueError, match="HierarchicalSystems requires evidence of type SystemScores"
    ):
        HierarchicalSystems().specification(None)
    evidence = SystemScores(np.ones((2, 3, 1)), "score", ("x", "y", "z"), None)
    with pytest.raises(ValueError, match="CorrelatedT requires evidence of type SplitScores"):
        CorrelatedT().specification(evidence)


def test_without_a_proper_prior_there_is_no_bayes_factor():
    scores = {name: dict(enumerate([0.1 * k, 0.3, 0.2 + k])) for k, name in enumerate("xy")}
    ranking = compare_scores(scores, n_draws=100, random_state=0)
    with pytest.raises(ValueError, match="no proper prior"):
        ranking.pairs[0, 1].bayes_factor(0.01)
