"""Scorers with parameters, held against scikit-learn: the same number, or words."""

import inspect
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import make_scorer

from skbayeseval import compare_many, compare_predictions, score_posterior
from tests.fuzz.harness import TALLY, check_error, examples
from tests.fuzz.strategies import seeds

CLASSES = [
    ("bad", "good"), ("pos", "neg"), (0, 1), (1, 2), (-1, 1), (0, 2), (False, True),
    ("a", "b", "c"), (0, 1, 2), (3, 1, 2),
]  # fmt: skip
RATIOS = [sk.f1_score, sk.precision_score, sk.recall_score, sk.jaccard_score, sk.fbeta_score]
OF_LABELS = [*RATIOS, sk.balanced_accuracy_score, sk.cohen_kappa_score, sk.accuracy_score]
OF_SCORES = [sk.average_precision_score, sk.roc_auc_score, sk.brier_score_loss, sk.log_loss]
OF_SCORES += [sk.top_k_accuracy_score, sk.d2_log_loss_score, sk.hinge_loss]
LOSSES = (sk.brier_score_loss, sk.log_loss, sk.hinge_loss)


class Known(ClassifierMixin, BaseEstimator):
    """A fitted estimator that knows the answers; shares no code with the package."""

    def __init__(self, classes, shares):
        self.classes_ = np.sort(classes)
        self.shares = shares[:, np.argsort(np.asarray(classes))]

    def __sklearn_is_fitted__(self):
        return True

    def predict_proba(self, X):
        return self.shares

    def decision_function(self, X):
        logits = self.shares - 0.5
        return logits[:, 1] if len(self.classes_) == 2 else logits

    def predict(self, X):
        return self.classes_[self.shares.argmax(axis=1)]


@st.composite
def scorers(draw, classes):
    """Draw a function, its parameters, what it is given, and its own positive class."""
    two = len(classes) == 2
    function = draw(st.sampled_from(OF_LABELS if draw(st.booleans()) else OF_SCORES))
    if function in (sk.brier_score_loss, sk.average_precision_score) and not two:
        function = sk.log_loss  # scikit-learn 1.6 has their scorers for two classes only
    options, response = {}, "predict"
    if function in OF_SCORES:
        by_decision = function in (sk.hinge_loss, sk.top_k_accuracy_score)
        response = "decision_function" if by_decision else "predict_proba"
    if function is sk.average_precision_score and draw(st.booleans()):
        response = ("decision_function", "predict_proba")
    if function is sk.fbeta_score:
        options["beta"] = draw(st.sampled_from([0.5, 2]))
    if function in RATIOS:
        options["zero_division"] = draw(st.sampled_from([0, 1]))
        average = draw(st.sampled_from(["binary", "micro", "macro", "weighted"]))
        if average != "binary" or not two:
            options["average"] = "macro" if average == "binary" else average
            options["pos_label"] = None
        if average != "binary" and draw(st.booleans()):
            options["labels"] = list(draw(st.permutations(classes)))[: draw(st.integers(1, 3))]
    if function is sk.balanced_accuracy_score:
        options["adjusted"] = draw(st.booleans())
    if function is sk.cohen_kappa_score:
        options["weights"] = draw(st.sampled_from([None, "linear", "quadratic"]))
    if function is sk.top_k_accuracy_score:
        options["k"] = draw(st.integers(1, 2)) if not two else 1
    if function is sk.roc_auc_score:
        options |= (
            {"max_fpr": draw(st.sampled_from([None, 0.4]))} if two else {"multi_class": "ovr"}
        )
    if function in (sk.log_loss, sk.d2_log_loss_score, sk.hinge_loss) and draw(st.booleans()):
        options["labels"] = sorted(classes)
    takes_one = two and "pos_label" in inspect.signature(function).parameters
    if takes_one and "pos_label" not in options and draw(st.booleans()):
        options["pos_label"] = draw(st.sampled_from(classes))
    scorer = make_scorer(
        function, response_method=response, greater_is_better=function not in LOSSES, **options
    )
    return function, options, response, scorer


def by_hand(function, options, response, pos_label, truth, estimator):
    """Return scikit-learn's value; None where it refuses."""
    if function is sk.brier_score_loss and pos_label is None and len(estimator.classes_) == 2:
        pos_label = estimator.classes_[1]  # which it asks for, although the value is the same
    takes_one = "pos_label" in inspect.signature(function).parameters
    if pos_label is not None and takes_one and options.get("average", "binary") == "binary":
        options = {"pos_label": pos_label, **options}
    sign = -1 if function in LOSSES else 1
    scorer = make_scorer(function, response_method=response, **options)
    try:
        return sign * scorer(estimator, None, truth)
    except ValueError:
        try:  # scorers refuse a default of pos_label that averages do not use
            return sign * function(truth, estimator.predict(None), **options)
        except ValueError:
            return None


@pytest.mark.filterwarnings("ignore")
@examples(200)
@given(st.data())
def test_scorers_with_parameters(data):
    classes = data.draw(st.sampled_from(CLASSES))
    rng = np.random.default_rng(data.draw(seeds))
    n, two = int(rng.integers(12, 30)), len(classes) == 2
    codes = rng.permutation(np.arange(n) % len(classes))
    truth = np.array(classes)[codes]
    raw = rng.dirichlet(np.ones(len(classes)), (2, n)) + 0.4 * np.eye(len(classes))[codes]
    shares = raw / raw.sum(axis=-1, keepdims=True)
    function, options, response, scorer = data.draw(scorers(classes))
    pos_label = data.draw(st.sampled_from([None, *classes])) if two else None
    labels = data.draw(st.sampled_from([None, list(classes), list(classes)[::-1]]))

    default = inspect.signature(function).parameters.get("pos_label")
    own = options.get("pos_label", 1 if default is not None and default.default == 1 else None)
    own = max(classes) if options.get("max_fpr") else own
    meant = own if pos_label is None else pos_label
    meant = meant if meant in classes else max(classes)  # as scikit-learn takes one column
    estimators = [Known(classes, one) for one in shares]
    given = {"labels": labels, "pos_label": pos_label, "scoring": scorer}
    given |= {"n_draws": 100, "random_state": 0}
    single = two and data.draw(st.booleans())
    written = shares[..., classes.index(meant)]
    if not single:
        in_order = sorted(classes) if labels is None else labels
        written = shares[..., [classes.index(one) for one in in_order]]
    if response == "decision_function":
        written = written - 0.5
    door = data.draw(st.sampled_from(["compare_predictions", "compare_many", "score_posterior"]))

    def observed():
        said = [one.predict(None) for one in estimators]
        if door == "score_posterior":
            return [score_posterior(truth, said[0], y_score=written[0], **given).observed]
        if door == "compare_many":
            names = ("a", "b")
            both = (dict(zip(names, one, strict=True)) for one in (said, written))
            return compare_many(truth, next(both), scores=next(both), **given).observed
        scores = {"y_score_a": written[0], "y_score_b": written[1]}
        result = compare_predictions(truth, *said, **scores, **given)
        return result.observed_a, result.observed_b

    expected = [by_hand(function, options, response, pos_label, truth, one) for one in estimators]
    tally = TALLY["scorers"]
    tally[0] += 1
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = observed()
        except (ValueError, TypeError) as error:
            check_error(error)
            found = None
    tally[2 if found is None else 1] += 1
    if found is None:
        contradicts = None not in (pos_label, own) and own != pos_label
        assert contradicts or None in expected
        return
    if any("is taken for the scores of class" in str(one.message) for one in told):
        assert single
        assert pos_label is None
        assert function in OF_SCORES
        return
    assert None not in expected
    assert found == pytest.approx(expected[: len(found)], rel=1e-6, abs=1e-9)
