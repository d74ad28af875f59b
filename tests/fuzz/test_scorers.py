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

from skbayeseval import compare_predictions
from tests.fuzz.harness import TALLY, check_error, examples
from tests.fuzz.strategies import seeds

CLASSES = [("bad", "good"), ("pos", "neg"), (0, 1), (1, 2), (-1, 1), (False, True), (3, 1, 2)]
OF_SCORES = [sk.average_precision_score, sk.roc_auc_score, sk.log_loss, sk.hinge_loss]
LOSSES = (sk.log_loss, sk.hinge_loss)


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
    """Draw a scorer of scikit-learn and what it is given, and its own positive class."""
    two, options, response = len(classes) == 2, {}, "predict"
    functions = [sk.fbeta_score, sk.balanced_accuracy_score, *OF_SCORES[not two :]]
    function = draw(st.sampled_from(functions))
    if function in OF_SCORES:
        response = "decision_function" if function is sk.hinge_loss else "predict_proba"
    if function is sk.fbeta_score:
        options = {"beta": 2, "zero_division": draw(st.sampled_from([0, 1]))}
        if not two or draw(st.booleans()):
            options |= {"average": draw(st.sampled_from(["micro", "macro"])), "pos_label": None}
            options["labels"] = list(draw(st.permutations(classes)))[: draw(st.integers(1, 2))]
    if function is sk.roc_auc_score:
        options = {"max_fpr": draw(st.sampled_from([None, 0.4]))} if two else {"multi_class": "ovr"}
    takes_one = two and "pos_label" in inspect.signature(function).parameters
    if takes_one and "pos_label" not in options and draw(st.booleans()):
        options["pos_label"] = draw(st.sampled_from(classes))
    is_loss = function in LOSSES
    scorer = make_scorer(
        function, response_method=response, greater_is_better=not is_loss, **options
    )
    own = options.get(
        "pos_label", 1 if takes_one else max(classes) if "max_fpr" in options else None
    )
    return scorer, response, own if options.get("max_fpr", 0) is not None else None


@pytest.mark.filterwarnings("ignore")
@examples(200)
@given(st.data())
def test_scorers_with_parameters(data):
    classes = data.draw(st.sampled_from(CLASSES))
    rng, two = np.random.default_rng(data.draw(seeds)), len(classes) == 2
    codes = rng.permutation(np.arange(24) % len(classes))
    truth = np.array(classes)[codes]
    raw = rng.dirichlet(np.ones(len(classes)), (2, 24)) + 0.4 * np.eye(len(classes))[codes]
    shares = raw / raw.sum(axis=-1, keepdims=True)
    scorer, response, own = data.draw(scorers(classes))
    labels = data.draw(st.sampled_from([None, list(classes), list(classes)[::-1]]))
    # The one column that is passed is that of the scorer's own class; as in scikit-learn, the last.
    single = two and data.draw(st.booleans())
    whose = own if own in classes else max(classes)
    in_order = sorted(classes) if labels is None else labels
    written = shares[..., [classes.index(one) for one in ([whose] if single else in_order)]]
    estimators = [Known(classes, one) for one in shares]
    said = [one.predict(None) for one in estimators]
    scores = written - 0.5 if response == "decision_function" else written
    options = {"labels": labels, "scoring": scorer, "n_draws": 100, "random_state": 0}
    tally = TALLY["scorers"]
    tally[0] += 1
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            result = compare_predictions(
                truth, *said, y_score_a=scores[0], y_score_b=scores[1], **options
            )
        except (ValueError, TypeError) as error:
            tally[2] += 1
            check_error(error)
            with pytest.raises(ValueError, match="pos_label"):  # so does scikit-learn
                scorer(estimators[0], None, truth)
            return
    tally[1] += 1
    if any("is taken for the scores of class" in str(one.message) for one in told):
        assert single
        return
    expected = [scorer(one, None, truth) for one in estimators]
    assert (result.observed_a, result.observed_b) == pytest.approx(expected, rel=1e-6, abs=1e-9)
