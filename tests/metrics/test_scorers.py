import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.metrics import get_scorer, get_scorer_names, make_scorer

from skbayeseval import compare_predictions, metrics
from skbayeseval.metrics.registry import metric_of_scorer


@pytest.mark.parametrize(
    ("scorer", "name"),
    [
        (make_scorer(sk.fbeta_score, beta=2), "f2"),
        (make_scorer(sk.fbeta_score, beta=0.5, average="weighted"), "f0.5_weighted"),
        (make_scorer(sk.f1_score, average="macro"), "f1_macro"),
        (make_scorer(sk.precision_score, average="binary"), "precision"),
        (make_scorer(sk.cohen_kappa_score), "cohen_kappa"),
        (make_scorer(sk.mean_absolute_error, greater_is_better=False), "neg_mean_absolute_error"),
        (make_scorer(sk.r2_score), "r2"),
    ],
    ids=str,
)
def test_known_metrics_are_recognised(scorer, name):
    assert metric_of_scorer(scorer).name == name


@pytest.mark.parametrize("name", sorted(set(metrics.known_metrics()) & set(get_scorer_names())))
def test_scorers_of_scikit_learn_are_recognised(name):
    assert metric_of_scorer(get_scorer(name)) == metrics.get_metric(name)


def f1_score(y_true, y_pred):
    return 0.5


@pytest.mark.parametrize(
    "scorer",
    [
        make_scorer(f1_score),
        make_scorer(sk.f1_score, greater_is_better=False),
        make_scorer(sk.mean_absolute_error),
        make_scorer(sk.f1_score, pos_label="spam"),
        make_scorer(sk.f1_score, labels=[0, 1], average="micro"),
        make_scorer(sk.f1_score, average=None),
        make_scorer(sk.cohen_kappa_score, weights="linear"),
        make_scorer(sk.balanced_accuracy_score, adjusted=True),
        make_scorer(sk.max_error, greater_is_better=False),
        make_scorer(sk.mean_pinball_loss, greater_is_better=False, alpha=0.9),
        lambda estimator, X, y: 0.5,
        abs,
    ],
)
def test_others_are_not(scorer):
    assert metric_of_scorer(scorer) is None


def test_the_comparison_is_that_of_the_name():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    a, b = (np.where(rng.random(60) < 0.8, y, 1 - y) for _ in range(2))
    scorer = make_scorer(sk.fbeta_score, beta=2)
    ours = compare_predictions(y, a, b, scoring=scorer, random_state=0)
    assert ours.metrics == ("f2",)
    assert ours.observed_a == pytest.approx(sk.fbeta_score(y, a, beta=2))
    named = compare_predictions(y, a, b, scoring="f2", random_state=0)
    np.testing.assert_array_equal(ours.draws, named.draws)
    keyed = compare_predictions(y, a, b, scoring={"double": scorer}, random_state=0)
    assert keyed.metrics == ("double",)


def test_refuses():
    with pytest.raises(TypeError, match="does not take sample_weight.*model='scores'"):
        compare_predictions([0, 1], [0, 1], [1, 1], scoring=make_scorer(f1_score))
