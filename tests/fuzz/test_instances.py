"""Predictions and instance scores of any kind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import metrics as reference

from skbayeseval import compare_many, compare_predictions, score_posterior
from tests.fuzz.harness import attempt, check_alike, check_comparison, check_distribution, examples
from tests.fuzz.strategies import (
    SPELLINGS,
    SPOILED,
    STRINGS,
    WORDS,
    anything,
    codes_of,
    numbers,
    probabilities,
    seeds,
    spelled,
    spoiled,
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


@examples(400)
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


@examples(500)
@given(st.data())
def test_compare_predictions_refuses(data):
    _, vectors = data.draw(codes_of(3))
    given_vectors = list(data.draw(spelled(vectors)))
    place, how = data.draw(st.integers(0, 2)), data.draw(st.sampled_from(SPOILED))
    given_vectors[place] = spoiled(vectors[place])[how]
    result = attempt("compare_predictions", lambda: compare_predictions(*given_vectors, **QUICK))
    assert result is None, how


@examples(500)
@given(st.data())
def test_options_of_compare_predictions(data):
    _, vectors = data.draw(codes_of(3, max_classes=3))
    name = data.draw(
        st.sampled_from(
            ["scoring", "model", "weight", "names", "labels", "pos_label", "groups", "prevalence",
             "engine", "prior", "n_draws", "random_state", "y_score_a"]
        )
    )  # fmt: skip
    value = data.draw(
        st.one_of(anything, st.sampled_from(["f1", "paired", "bcv", "unpaired", "hierarchical"]))
    )
    if name == "engine" and value == "pymc":
        return
    options = {**QUICK, "random_state": 0, name: value}
    result = attempt("compare_predictions", lambda: compare_predictions(*vectors, **options))
    if result is not None:
        check_comparison(result)


@examples(300)
@given(st.data())
def test_binary_with_pos_label(data):
    _, (y, a, b) = data.draw(codes_of(3, max_classes=2))
    scoring = data.draw(st.sampled_from(["f1", "precision", "recall", "jaccard"]))
    model = data.draw(st.sampled_from(["paired", "unpaired", "bcv"]))
    positive, weight = data.draw(st.integers(0, 1)), data.draw(st.sampled_from([0.01, 0.37, 1, 5]))
    vectors = data.draw(spelled([y, a, b], tables=(SPELLINGS, STRINGS)))
    label = positive
    if isinstance(np.asarray(vectors[0]).flat[0], str):
        label = str(WORDS[positive])
    result = attempt(
        "compare_predictions",
        lambda: compare_predictions(
            *vectors, scoring=scoring, model=model, pos_label=label, weight=weight, **QUICK
        ),
    )
    assert result is not None
    score = getattr(reference, f"{scoring}_score")
    assert result.observed_a == pytest.approx(score(y, a, pos_label=positive, zero_division=0))
    assert result.observed_b == pytest.approx(score(y, b, pos_label=positive, zero_division=0))
    check_comparison(result)


@examples(200)
@given(st.data())
def test_indicators(data):
    n, m = data.draw(st.integers(3, 12)), data.draw(st.integers(2, 3))
    rng = np.random.default_rng(data.draw(seeds))
    y = (rng.random((n, m)) < 0.5).astype(int)
    a, b = (np.where(rng.random((n, m)) < 0.8, y, 1 - y) for _ in range(2))
    way = data.draw(
        st.sampled_from(
            [np.asarray, sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix,
             lambda z: z.tolist(), lambda z: z.astype(bool), lambda z: z.astype(np.uint8),
             lambda z: sparse.csr_array(z)]
        )
    )  # fmt: skip
    average = data.draw(st.sampled_from(["micro", "macro", "weighted"]))
    result = attempt(
        "compare_predictions",
        lambda: compare_predictions(way(y), way(a), way(b), scoring=f"f1_{average}", **QUICK),
    )
    assert result is not None
    found = reference.f1_score(y, a, average=average, zero_division=0)
    assert result.observed_a == pytest.approx(found)
    check_comparison(result)


@examples(250)
@given(st.data())
def test_instance_scores(data):
    _, (y, _) = data.draw(codes_of(2, max_classes=2))
    scoring = data.draw(
        st.sampled_from(["roc_auc", "average_precision", "neg_log_loss", "neg_brier_score"])
    )
    a, b = data.draw(numbers(len(y), 0.0, 1.0)), data.draw(numbers(len(y), 0.0, 1.0))
    result = attempt(
        "compare_predictions",
        lambda: compare_predictions(
            y, None, None, y_score_a=a, y_score_b=b, scoring=scoring, random_state=0, **QUICK
        ),
    )
    if result is None:  # too few positives
        assert min(y.sum(), len(y) - y.sum()) < 2 or len(y) < 3
        return
    scorer = {
        "roc_auc": reference.roc_auc_score,
        "average_precision": reference.average_precision_score,
        "neg_log_loss": lambda y, p: -reference.log_loss(y, p),
        "neg_brier_score": lambda y, p: -reference.brier_score_loss(y, p),
    }[scoring]
    assert result.observed_a == pytest.approx(scorer(y, np.asarray(a)), rel=1e-6)
    check_comparison(result)


@examples(200)
@given(st.data())
def test_compare_many(data):
    n_vectors = data.draw(st.integers(3, 5))
    _, vectors = data.draw(codes_of(n_vectors))
    y, *said = vectors
    scoring = data.draw(scorers)
    spoil = data.draw(st.booleans())
    written = list(data.draw(spelled(vectors)))
    if spoil:
        how = data.draw(st.sampled_from(SPOILED))
        written[-1] = spoiled(vectors[-1])[how]
    predictions = {f"c{i}": one for i, one in enumerate(written[1:])}
    ranking = attempt(
        "compare_many",
        lambda: compare_many(written[0], predictions, scoring=scoring, random_state=0, **QUICK),
    )
    assert (ranking is None) == spoil
    if ranking is None:
        return
    assert ranking.observed == pytest.approx([SCORERS[scoring](y, one) for one in said])
    table = ranking.table
    assert np.isfinite(table.to_numpy(dtype=float)).all()
    assert table.drop_duplicates()["p_best"].sum() == pytest.approx(1)  # copies share one
    assert table["expected_rank"].between(1, len(said)).all()
    there, back = ranking.pairs[0, 1], ranking.pairs[1, 0]
    np.testing.assert_array_equal(there.draws, -back.draws)
    check_comparison(there)


@examples(350)
@given(st.data())
def test_score_posterior(data):
    _, vectors = data.draw(codes_of(2))
    scoring, prob = data.draw(scorers), data.draw(probabilities)
    written = list(data.draw(spelled(vectors)))
    spoil = data.draw(st.integers(0, 3)) == 0
    if spoil:
        place = data.draw(st.integers(0, 1))
        written[place] = spoiled(vectors[place])[data.draw(st.sampled_from(SPOILED))]
    result = attempt(
        "score_posterior",
        lambda: score_posterior(*written, scoring=scoring, random_state=0, **QUICK),
    )
    assert (result is None) == spoil
    if result is None:
        return
    assert result.observed == pytest.approx(SCORERS[scoring](*vectors))
    bounds = result._metrics[scoring].bounds
    check_distribution(result.draws, result.hdi(prob), result.interval(prob), bounds)
    above = data.draw(st.floats(-1, 1))
    assert 0 <= result.probability(above=above) <= 1
    assert str(result)
    assert np.isfinite(result.summary()[["mean", "sd"]].to_numpy(dtype=float)).all()
