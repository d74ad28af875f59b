"""Predictions and instance scores of any kind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from skbayeseval import compare_many, compare_predictions
from tests.fuzz.harness import attempt, check_alike, check_comparison, examples
from tests.fuzz.strategies import (
    WORDS,
    codes_of,
    probabilities,
    seeds,
    spelled,
)

SCORERS = {
    "accuracy": reference.accuracy_score,
    "balanced_accuracy": reference.balanced_accuracy_score,
    "matthews_corrcoef": reference.matthews_corrcoef,
    "cohen_kappa": reference.cohen_kappa_score,
}
for average in ("micro", "macro", "weighted"):
    for name in ("precision", "recall", "f1", "jaccard"):
        SCORERS[f"{name}_{average}"] = lambda y, p, name=name, average=average: getattr(
            reference, f"{name}_score"
        )(y, p, average=average, zero_division=0)
scorers = st.sampled_from(sorted(SCORERS))
QUICK = {"n_draws": 200}


@examples(160)
@given(st.data())
def test_compare_predictions(data):
    _, vectors = data.draw(codes_of(3))
    y, a, b = vectors
    scoring, seed = data.draw(scorers), data.draw(seeds)
    options = {"scoring": scoring, "random_state": seed, **QUICK}
    if data.draw(st.booleans()):
        options["groups"] = data.draw(st.sampled_from([np.arange(len(y)) // 2, WORDS[y]]))
    result = attempt(
        "compare_predictions", lambda: compare_predictions(*data.draw(spelled(vectors)), **options)
    )
    assert result is not None
    score = SCORERS[scoring]
    assert result.observed_a == pytest.approx(score(y, a))
    assert result.observed_b == pytest.approx(score(y, b))
    check_comparison(result, prob=data.draw(probabilities))
    swapped = compare_predictions(y, b, a, **options)
    assert swapped.observed_a == result.observed_b
    check_alike(-swapped.draws, result.draws, "swapped")
    check_alike(swapped.draws_a, result.draws_b, "B, swapped")
    order = np.random.default_rng(seed).permutation(len(y))
    if "groups" in options:
        options["groups"] = np.asarray(options["groups"])[order]
    moved = compare_predictions(WORDS[y][order], WORDS[a][order], WORDS[b][order], **options)
    assert moved.observed_a == pytest.approx(result.observed_a)
    check_alike(moved.draws, result.draws, "permuted and renamed")


@examples(80)
@given(st.data())
def test_compare_many(data):
    n_vectors = data.draw(st.integers(3, 5))
    _, vectors = data.draw(codes_of(n_vectors))
    y, *said = vectors
    scoring = data.draw(scorers)
    written = list(data.draw(spelled(vectors)))
    predictions = {f"c{i}": one for i, one in enumerate(written[1:])}
    ranking = attempt(
        "compare_many",
        lambda: compare_many(written[0], predictions, scoring=scoring, random_state=0, **QUICK),
    )
    assert ranking.observed == pytest.approx([SCORERS[scoring](y, one) for one in said])
    table = ranking.table
    assert np.isfinite(table.to_numpy(dtype=float)).all()
    assert table.drop_duplicates()["p_best"].sum() == pytest.approx(1)  # copies share one
    assert table["expected_rank"].between(1, len(said)).all()
    there, back = ranking.pairs[0, 1], ranking.pairs[1, 0]
    np.testing.assert_array_equal(there.draws, -back.draws)
    check_comparison(there)
