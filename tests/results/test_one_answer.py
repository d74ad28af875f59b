"""Every method, sentence, table and figure gives the same answer to the same question."""

import numpy as np
import pytest

from skbayeseval import compare_counts, compare_many, compare_predictions, compare_scores
from skbayeseval.judgement.decision import format_probability

RNG = np.random.default_rng(3)
Y = (RNG.random(200) < 0.4).astype(int)
A, B, C = (np.where(RNG.random(200) < p, Y, 1 - Y) for p in (0.85, 0.75, 0.8))
SPLITS = RNG.normal(0.8, 0.05, (3, 10)) + np.array([[0.02], [0.0], [0.01]])
SETS = RNG.normal(0.8, 0.03, (2, 9)) + np.array([[0.015], [0.0]])
FEW = {"n_draws": 2000, "random_state": 0}
RESULTS = {
    "paired": compare_predictions(Y, A, B, scoring="f1", **FEW),
    "bcv": compare_counts((88, 10, 12), (80, 14, 20), **FEW),
    "unpaired": compare_predictions(Y, A, B, scoring="recall", model="unpaired", **FEW),
    "scores": compare_scores(*SPLITS[:2], test_fraction=0.1, **FEW),
    "signed-rank": compare_scores(*SETS, test_fraction=None, model="signed-rank", **FEW),
}


@pytest.mark.parametrize("name", RESULTS)
def test_figure_table_and_methods(name):
    result = RESULTS[name]
    rope = 0.01
    probabilities, row = result.probability(rope), result.summary(rope).iloc[0]
    assert tuple(row[["p_worse", "p_rope", "p_better"]]) == probabilities
    assert tuple(row[["hdi_low", "hdi_high"]]) == result.hdi()
    decision = result.decision(rope)
    assert (decision.hdi, decision.probabilities) == (result.hdi(), probabilities)
    shown = " ".join(text.get_text() for text in result.plot(rope=rope).ax_.texts)
    for probability in probabilities:
        assert format_probability(probability) in shown
    if name != "signed-rank":
        joint = " ".join(text.get_text() for text in result.plot("joint", rope=rope).ax_.texts)
        for probability in probabilities:
            assert format_probability(probability) in joint


@pytest.mark.parametrize("name", ["bcv", "scores", "unpaired"])
def test_probabilities_and_the_bayes_test(name):
    result = RESULTS[name]
    assert result.bayes_test().p_h1 == pytest.approx(result.probability().worse, abs=1e-9)


def test_rows_of_a_ranking():
    """Of two they are those of the pair; of three they allow for the choice of the best."""
    predictions, scores = {"a": A, "b": B, "c": C}, dict(zip("abc", SPLITS, strict=True))
    for n in (2, 3):
        some = list(predictions)[:n]
        for ranking in (
            compare_scores({name: scores[name] for name in some}, test_fraction=0.1, **FEW),
            compare_many(Y, {name: predictions[name] for name in some}, scoring="f1", **FEW),
        ):
            table, pair = ranking.table, ranking.pairs[0, 1]
            for name, of in (("a", "a"), ("b", "b")):
                row = table.loc[name]
                interval = row["hdi_low"], row["hdi_high"]
                assert (interval == pytest.approx(pair.hdi(of=of))) == (n == 2)
            pooled = ranking._pooled(ranking._metric(None)).mean(axis=1)
            np.testing.assert_allclose(table["mean"][list(ranking.names)], pooled, atol=2e-3)
            assert str(ranking).split(" is the best")[0].endswith(table.index[0])
