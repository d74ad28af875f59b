"""Labels, scores, numbers and tags that were predicted elsewhere."""

import warnings
from inspect import signature

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics as sk
from sklearn.metrics import accuracy_score, f1_score, make_scorer, precision_score, recall_score

from skbayeseval import (
    chunk_counter,
    compare_many,
    compare_predictions,
    metrics,
    score_posterior,
)
from skbayeseval._validation import UnlikelyDataWarning
from skbayeseval.compare.ordered_rows import longest_block
from skbayeseval.models import PairedChunks

rng = np.random.default_rng(0)
Y = np.arange(60) % 2
A = np.where(rng.random(60) < 0.9, Y, 1 - Y)
B = np.where(rng.random(60) < 0.8, Y, 1 - Y)
WORDS, OTHER_WORDS = np.array(["ham", "spam"]), np.array(["ham", "Spam "])
P = np.clip(0.3 + 0.4 * Y + rng.normal(0, 0.2, 60), 0, 1)
FEW = {"n_draws": 100, "random_state": 0}


@pytest.mark.parametrize("groups", [None, np.arange(60) // 3])
@pytest.mark.parametrize(
    ("truth", "said", "message"),
    [
        (Y, 2 * B - 1, r"y_pred_b contains \[-1, 1\], y_true contains \[0, 1\]. 0 is never"),
        (WORDS[Y], OTHER_WORDS[B], "'Spam ' and 'spam' are different classes"),
        (20 * ["cat", "dog", "eel"], 20 * ["cat", "DOG", "eel"], "each 'DOG' counts as wrong"),
    ],
)
def test_labels_in_two_spellings(truth, said, message, groups):
    with pytest.warns(UserWarning, match=message) as caught:
        compare_predictions(truth, truth, said, groups=groups, **FEW)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_labels_that_may_be_right_pass():
    three = np.arange(60) % 3
    letters = np.array(["a", "A", "b"])[three]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Case tells the true classes apart.
        compare_predictions(letters, letters, np.append("B", letters[1:]), **FEW)
        # Abstaining, and a class that only the test set lacks.
        compare_predictions(Y, A, np.append(-1, B[1:]), **FEW)
        compare_predictions(three, three, np.append(7, three[1:]), **FEW)
        # Declared labels are as they should be.
        compare_predictions(Y, A, 2 * B - 1, labels=[-1, 0, 1], **FEW)
        # One class is never predicted.
        compare_predictions(Y, A, np.ones(60, dtype=int), **FEW)


@pytest.mark.parametrize("scoring", [None, ["accuracy", "roc_auc"]])
def test_scores_are_no_predictions(scoring):
    both = "Pass probabilities and other scores as y_score_a= and y_score_b="
    with pytest.raises(ValueError, match=rf"y_pred_b must contain class labels, .*\). {both}"):
        compare_predictions(Y, A, P, scoring=scoring, **FEW)
    with pytest.raises(ValueError, match=rf"in an array of shape \(60, 2\). {both}"):
        compare_predictions(Y, np.column_stack([1 - P, P]), B, scoring=scoring, **FEW)
    with pytest.raises(ValueError, match=r"predictions\['p'\] must .* scores as scores=,"):
        compare_many(Y, {"a": A, "p": pd.Series(P)}, scoring=scoring, **FEW)
    with pytest.raises(ValueError, match="y_pred must .* scores as y_score=,"):
        score_posterior(Y, P, scoring=scoring, **FEW)


GOOD = Y + rng.normal(0, 1, 60)
AUC = {"scoring": "roc_auc", **FEW}


def test_scores_of_other_kinds():
    with pytest.warns(UserWarning, match="y_score_b has only two distinct values"):
        compare_predictions(Y, None, None, y_score_a=GOOD, y_score_b=(GOOD > 0.5) * 1, **AUC)
    with pytest.warns(UserWarning, match=r"The ROC AUC of y_score is 0\.\d+, far below") as caught:
        score_posterior(Y, None, y_score=-GOOD, **AUC)
    assert caught[0].filename == __file__


def test_good_scores_few_instances_and_other_metrics_pass():
    few = np.array([0, 1, 0, 1, 0, 1])
    probabilities = np.where(Y == 1, 0.8, 0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_predictions(Y, None, None, y_score_a=GOOD, y_score_b=GOOD**3, **AUC)
        score_posterior(few, None, y_score=1.0 - few + np.arange(6) / 10, **AUC)
        score_posterior(Y, None, y_score=probabilities, **(AUC | {"scoring": "neg_brier_score"}))
        options = {"y_score": -GOOD, "labels": [2, 1], **AUC}
        score_posterior(Y + 1, Y + 1, **(options | {"scoring": "accuracy"}))  # of predictions


OF_SCORES = {
    "roc_auc": "roc_auc",
    "neg_log_loss": "neg_log_loss",
    "own roc_auc": make_scorer(sk.roc_auc_score, response_method="predict_proba"),
    "calibration": metrics.expected_calibration_error(),
}
SHARES = np.clip(0.4 * Y + 0.3 + rng.normal(0, 0.1, 60), 0.01, 0.99)


@pytest.mark.parametrize("name", OF_SCORES)
def test_scores_of_the_other_class_whatever_the_metric(name):
    with pytest.warns(UnlikelyDataWarning, match=r"The ROC AUC of y_score is 0\.\d+, far below"):
        score_posterior(Y, None, y_score=1 - SHARES, scoring=OF_SCORES[name], **FEW)


@pytest.mark.parametrize("name", OF_SCORES)
@pytest.mark.parametrize("labels", [("pos", "neg"), (2, 1)])
def test_scores_of_a_class_that_scikit_learn_would_not_take(name, labels):
    """Of one column, the order of labels= decides whose scores they are."""
    truth = np.where(Y == 1, *labels)
    options = {"y_score": 0.5 + (SHARES - 0.5) / 10, "scoring": OF_SCORES[name], **FEW}
    of_second = {**options, "y_score": 1 - options["y_score"], "labels": labels}
    message = f"is taken for the scores of class {labels[1]!r}"
    with pytest.warns(UnlikelyDataWarning, match=message) as caught:
        by_order = score_posterior(truth, None, **of_second)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    for pos_label, scores in ((labels[0], options), (labels[1], of_second)):
        told = score_posterior(truth, None, **scores, pos_label=pos_label)  # without a warning
        assert told.observed == pytest.approx(by_order.observed)


# Labels that are predicted but never true.

RNG = np.random.default_rng(0)
Y3 = RNG.integers(0, 3, 300)
A3 = np.where(RNG.random(300) < 0.8, Y3, RNG.integers(0, 3, 300))
B3 = np.where(RNG.random(300) < 0.75, Y3, RNG.integers(0, 3, 300))
ODD = np.where(np.arange(300) < 4, 7, B3)
GROUPS = np.arange(300) // 5

TWINS = {
    "f1_macro": lambda y, p: f1_score(y, p, average="macro"),
    "recall_macro": lambda y, p: recall_score(y, p, average="macro", zero_division=0),
    "precision_macro": lambda y, p: precision_score(y, p, average="macro"),
}


@pytest.mark.parametrize("options", [{}, {"groups": GROUPS}], ids=["", "groups"])
@pytest.mark.parametrize("scoring", TWINS)
def test_each_observed_score_is_that_of_scikit_learn(scoring, options):
    result = compare_predictions(Y3, A3, ODD, scoring=scoring, random_state=0, **options)
    assert result.observed_a == pytest.approx(TWINS[scoring](Y3, A3))
    assert result.observed_b == pytest.approx(TWINS[scoring](Y3, ODD))
    assert result.draws_a.mean() == pytest.approx(result.observed_a, abs=0.01)
    assert result.draws_b.mean() == pytest.approx(result.observed_b, abs=0.01)


@pytest.mark.parametrize("model", ["paired", "hierarchical"], ids=str)
def test_an_odd_prediction_of_b_leaves_a_alone(model):
    options = {"scoring": "f1_macro", "model": model, "random_state": 0}
    without = compare_predictions(Y3, A3, B3, **options)
    result = compare_predictions(Y3, A3, ODD, **options)
    assert result.observed_a == without.observed_a
    sd = without.draws_a.std()
    assert abs(result.draws_a.mean() - without.draws_a.mean()) < 0.1 * sd
    assert result.draws_a.std() == pytest.approx(sd, rel=0.03)


def test_a_label_that_is_never_true_has_proportion_0():
    result = compare_predictions(Y3, A3, ODD, scoring=["recall_macro", "balanced_accuracy"], **FEW)
    # Three classes with their recall, and 0 for the label that is never right.
    three = result.metric("balanced_accuracy").draws_b
    np.testing.assert_allclose(result.draws_b, 0.75 * three)
    assert "that the classifier predicts: A 3, B 4" in result.details()
    without = compare_predictions(Y3, A3, B3, scoring="recall_macro", **FEW)
    assert "averages" not in without.details()


def test_scores_beside_a_label_that_is_never_true():
    rng = np.random.default_rng(0)
    y = rng.integers(1, 3, 200)
    said, scores = np.where(rng.random(200) < 0.8, y, 0), y + rng.normal(size=200)
    options = {"y_score": scores, "pos_label": 2, "n_draws": 100}
    result = score_posterior(y, said, scoring=["roc_auc", "accuracy"], **options)
    assert result.observed == pytest.approx(sk.roc_auc_score(y, scores))
    assert result.metric("accuracy").observed == accuracy_score(y, said)


def test_declared_labels_enter_all_averages_and_all_are_ranked():
    labels = [0, 1, 2, 7]
    result = compare_predictions(Y3, A3, ODD, scoring="f1_macro", labels=labels, **FEW)
    expected = f1_score(Y3, A3, average="macro", labels=labels, zero_division=0)
    assert result.observed_a == pytest.approx(expected)
    said = {"a": A3, "b": B3, "odd": ODD}
    ranking = compare_many(Y3, said, scoring="f1_macro", random_state=0)
    np.testing.assert_allclose(ranking.table["mean"].to_numpy(), [0.855, 0.81, 0.6], atol=0.02)


def test_own_averages_over_classes():
    """A function of tables cannot tell who predicts a class; the metric of the same name can."""

    def macro(y_true, y_pred, sample_weight=None):
        weights = {"sample_weight": sample_weight, "zero_division": 0}
        return f1_score(y_true, y_pred, average="macro", **weights)

    with pytest.raises(ValueError, match=r"depends on which classes .* \[7\] are never true"):
        compare_predictions(Y3, A3, ODD, scoring=metrics.weighted(macro), **FEW)
    same = compare_predictions(Y3, ODD, ODD, scoring=metrics.weighted(macro), **FEW)
    assert same.observed_a == pytest.approx(macro(Y3, ODD))
    accuracy = metrics.weighted(accuracy_score)
    result = compare_predictions(Y3, A3, ODD, scoring=accuracy, **FEW)
    assert result.observed_b == pytest.approx((Y3 == ODD).mean())


# Numbers and tags.

MAE, R2 = "neg_mean_absolute_error", "r2"


def numbers(n=50, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.normal(3, 2, n)
    return y, *(y + s * rng.normal(size=n) for s in (0.5, 0.8))


GIVEN = numbers()


def test_a_mean_has_the_spread_of_student_t():
    """With few instances, the interval of a mean difference is that of the paired t-test."""
    y, a, b = numbers(12)
    result = compare_predictions(y, a, b, scoring=MAE, n_draws=100_000, random_state=0)
    gain = np.abs(b - y) - np.abs(a - y)
    se = gain.std(ddof=1) / np.sqrt(12)
    low, high = result.interval()
    assert result.draws.mean() == pytest.approx(gain.mean(), abs=0.02 * se)
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, 11) * se, rel=0.1)


def test_shift_and_scale():
    one = compare_predictions(*GIVEN, scoring=[R2, MAE], random_state=0)
    other = compare_predictions(*(5 - 2 * v for v in GIVEN), scoring=[R2, MAE], random_state=0)
    np.testing.assert_allclose(other.metric(R2).draws, one.metric(R2).draws, atol=1e-10)
    np.testing.assert_allclose(other.metric(MAE).draws, 2 * one.metric(MAE).draws, atol=1e-10)


COUNTER = chunk_counter("IOB2")
GOLD = [RNG.choice(["O", "B-PER", "I-PER", "B-ORG"], n % 7 + 1).tolist() for n in range(30)]
SAID = [[[t if RNG.random() < p else "O" for t in one] for one in GOLD] for p in (0.9, 0.7)]
TAGS = GOLD, *SAID


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (GIVEN, {"scoring": "f1"}, "class labels, got continuous values.*scoring='r2'"),
        (GIVEN, {"scoring": "mae"}, "Did you mean 'neg_mean_absolute_error'"),
        (GIVEN, {"scoring": [R2, "f1"]}, "'f1' requires class labels"),
        (GIVEN, {"scoring": R2, "labels": [1, 2]}, "labels= does not apply to predictions of"),
        (GIVEN, {"scoring": R2, "y_score_a": Y, "y_score_b": Y}, "y_score_a= does not apply"),
        (GIVEN, {"scoring": R2, "model": "bcv"}, "the predictions are numbers"),
        ((GIVEN[0], None, None), {"scoring": R2}, "require predictions"),
        ((0 * GIVEN[0], *GIVEN[1:]), {"scoring": R2}, "'r2' cannot be computed: y_true is con"),
        ([one[:1] for one in GIVEN], {"scoring": MAE}, "a single instance"),
        (GIVEN, {"scoring": MAE, "groups": [0] * 50}, "a single group"),
        (TAGS, {"counter": 3}, "counter must be made by chunk_counter, got 3"),
        (TAGS, {"counter": COUNTER, "labels": ["O"]}, "labels= does not apply to tags"),
        (TAGS, {"counter": chunk_counter("IOB2", types="LOC")}, "finds none in it"),
        (TAGS, {"counter": COUNTER, "model": "hierarchical"}, "requires true negatives"),
    ],
)
def test_refuses(arguments, options, message):
    error = TypeError if options.get("counter") == 3 else ValueError
    with pytest.raises(error, match=message):
        compare_predictions(*arguments, **options)


@pytest.mark.parametrize("model", ["bcv", PairedChunks(lambda_=0.5)])
def test_tags_are_counted(model):
    options = {"counter": COUNTER, "model": model, "n_draws": 100}
    result = compare_predictions(*TAGS, scoring=["f1", "recall"], **options)
    assert result.evidence == COUNTER(*TAGS)
    weighted = compare_predictions(*TAGS, weight=0.5, **options)
    assert weighted.metrics == ("f1",)
    assert weighted.evidence == COUNTER(*TAGS, weight=0.5)


def test_the_sentence_is_the_unit():
    """A hard sentence is hard in all of its chunks; the reference is a bootstrap of sentences."""
    rng = np.random.default_rng(1)
    gold, a, b = [], [], []
    for hard in rng.normal(size=(120, 2)):
        gold.append(["B-X"] * int(rng.integers(1, 9)))
        for said, of_one in zip((a, b), hard, strict=True):
            missed = rng.random(len(gold[-1])) < 1 / (1 + np.exp(1 - 2 * of_one))
            said.append(np.where(missed, "O", "B-X").tolist())
    found = np.array([[said.count("B-X") for said in of_one] for of_one in (a, b)])
    sizes = np.array([len(tags) for tags in gold])
    times = rng.multinomial(120, np.full(120, 1 / 120), size=4000).T
    f1 = 2 * found @ times / ((found + sizes) @ times)
    for options in ({}, {"model": "paired"}, {"groups": range(120)}):
        result = compare_predictions(gold, a, b, counter=COUNTER, random_state=0, **options)
        assert result.draws.std() == pytest.approx((f1[0] - f1[1]).std(), rel=0.06)
    one_by_one = compare_predictions(gold, a, b, counter=COUNTER, model="bcv", random_state=0)
    assert one_by_one.draws.std() < 0.75 * result.draws.std()
    default = compare_predictions(gold, a, b, counter=COUNTER, random_state=0)
    np.testing.assert_array_equal(default.draws, result.draws)
    assert default.model == "paired"
    assert f" chunks in {120} sentences" in default.details()
    swapped = compare_predictions(gold, b, a, counter=COUNTER, random_state=0)
    np.testing.assert_allclose(swapped.draws, -default.draws, atol=1e-12)


def test_subgroups_and_blocks_of_sentences():
    options = {"counter": COUNTER, "random_state": 0}
    result = compare_predictions(*TAGS, **options)
    column = np.arange(30) % 2
    alone = compare_predictions(
        *([tags for tags, one in zip(of, column, strict=True) if one] for of in TAGS), **options
    )
    row = result.by(column).summary().loc[1]
    observed = row["observed_a"], row["observed_b"]
    assert observed == pytest.approx((alone.observed_a, alone.observed_b))
    blocks = compare_predictions(*TAGS, blocks="auto", **options)
    wrong = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 1], [1, 0], [0, 1]]  # A and B, in each cell
    length = longest_block((COUNTER.cells_and_types(*TAGS)[0] @ wrong).T)
    grouped = compare_predictions(*TAGS, groups=np.arange(30) // length, **options)
    np.testing.assert_array_equal(blocks.draws, grouped.draws)


def cost(y_true, y_pred, amount):
    return np.sum(amount * (y_true != y_pred))


class TestCounts:
    """Rows that stand for several instances, against the repeated rows."""

    TIMES = np.random.default_rng(3).integers(0, 9, 60)  # some rows stand for none

    @pytest.mark.parametrize(
        "options",
        [
            {"scoring": ["f1", "accuracy"]},
            {"scoring": "f1", "model": "unpaired", "weight": 0.5, "pos_label": 0, "labels": [1, 0]},
            {"scoring": "precision", "prevalence": 0.1},
        ],
    )
    def test_the_same_as_repeated_rows(self, options):
        rows = Y, 1 - Y, B
        repeated = [np.repeat(row, self.TIMES) for row in rows]
        result = compare_predictions(*rows, counts=self.TIMES, **options, **FEW)
        expected = compare_predictions(*repeated, **options, **FEW)
        np.testing.assert_array_equal(result.draws, expected.draws)
        assert result.to_dict()["evidence"] == expected.to_dict()["evidence"]
        assert str(result) == str(expected)

    @pytest.mark.parametrize("kind", [list, pd.Series, lambda times: times.astype(float)])
    def test_other_doors_and_containers(self, kind):
        words, counts = WORDS[Y], kind(self.TIMES)
        of = {"a": WORDS[B], "b": WORDS[1 - Y]}
        repeated = {name: np.repeat(said, self.TIMES) for name, said in of.items()}
        truth = np.repeat(words, self.TIMES)
        ranking = compare_many(words, of, counts=counts, **FEW)
        pd.testing.assert_frame_equal(ranking.table, compare_many(truth, repeated, **FEW).table)
        score = score_posterior(words, of["a"], counts=counts, **FEW)
        np.testing.assert_array_equal(
            score.draws, score_posterior(truth, repeated["a"], **FEW).draws
        )

    def test_classes_of_rows_that_stand_for_none_do_not_occur(self):
        result = compare_predictions([0, 1, 2], [0, 1, 2], [0, 0, 2], counts=[5, 5, 0], **FEW)
        assert result.labels == (0, 1)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"counts": [-1] + 59 * [1]}, "counts must not be negative, got -1"),
            ({"counts": [1.5] + 59 * [1]}, r"counts must contain whole numbers, got 1\.5"),
            ({"counts": [np.nan] + 59 * [1]}, "counts contains NaN"),
            ({"counts": 60 * [0]}, "counts must contain a count greater than 0"),
            ({"counts": 59 * [1]}, "y_true has 60, counts has 59"),
            ({"counts": np.ones((60, 1))}, "counts must be 1D array, got 2D array"),
            (
                {"groups": Y},
                "groups= does not apply to rows that stand for several instances, as with counts=",
            ),
            ({"blocks": 5}, "blocks= does not apply to rows"),
            ({"sample_weight": TIMES}, "sample_weight= does not apply to rows"),
            (
                {"params": {"amount": P}, "scoring": metrics.weighted(cost)},
                "is computed from instances, but counts= was given",
            ),
            ({"y_score_a": P, "y_score_b": P}, "y_score_a= does not apply to rows"),
            ({"scoring": "roc_auc"}, "scoring='roc_auc' is computed from instances, but counts="),
            ({"scoring": "r2"}, "counts= does not apply to predictions of numbers"),
        ],
    )
    def test_refusals(self, options, message):
        with pytest.raises(ValueError, match=message):
            compare_predictions(Y, B, B, **{"counts": self.TIMES, **options})

    def test_what_has_no_single_label(self):
        with pytest.raises(ValueError, match="counts= requires one label per instance"):
            compare_predictions(*3 * [np.eye(2, dtype=int)], counts=[1, 2])
        tags = [["B-X", "O"], ["O"]]
        with pytest.raises(ValueError, match="counts= does not apply to tags with counter="):
            compare_predictions(*3 * [tags], counter=chunk_counter("IOB2"), counts=[1, 2])

    def test_instances_are_not_kept(self):
        result = compare_predictions(Y, B, B, counts=self.TIMES, **FEW)
        with pytest.raises(ValueError, match="Subgroups require the instances"):
            result.by(Y)


WRONG = {
    "scoring": "nonsense", "model": "nonsense", "weight": -1, "labels": [0], "pos_label": 7,
    "groups": [1], "blocks": 0, "folds": [1], "counts": [1], "params": 3,
    "prevalence": 2, "sample_weight": [1],
    "engine": "nonsense", "n_draws": 1, "random_state": "x",
}  # fmt: skip
DOORS = {
    compare_predictions: (
        (Y, A, B),
        {"y_score_a": [1], "y_score_b": [1], "names": 3, "counter": 3},
    ),
    compare_many: ((Y, {"a": A, "b": B}), {"scores": [1]}),
    score_posterior: ((Y, A), {"y_score": [1], "name": 3}),
}


@pytest.mark.parametrize("door", DOORS)
def test_every_door_takes_each_of_its_options(door):
    """An option that is renamed in one place, and so not passed on, would be ignored."""
    given, own = DOORS[door]
    names = [*signature(door).parameters][len(given) :]
    assert set(names) == {*WRONG, *own}
    for name in names:
        with pytest.raises((ValueError, TypeError)):
            door(*given, **{name: (WRONG | own)[name]})
