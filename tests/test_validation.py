import warnings

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from skbayeseval import (
    bayesian_cross_validate,
    compare_counts,
    compare_items,
    compare_many,
    compare_predictions,
    compare_scores,
    power_analysis,
    score_posterior,
)

HUGE = 10**400
PAIR = np.array(["a", "b"])
RESULT = compare_counts((88, 10, 12), (80, 14, 20), n_draws=100, random_state=0)


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize("odd", [[Unprintable()], np.array([1, 2]), ["x"] * 5000])
@pytest.mark.parametrize("argument", ["model", "engine", "names"])
def test_odd_values_are_named_in_short(argument, odd):
    with pytest.raises((TypeError, ValueError), match=argument) as caught:
        compare_scores([0.8, 0.7], [0.7, 0.9], test_fraction=0.3, **{argument: odd})
    assert len(str(caught.value)) < 400


def scores(*a, **options):
    return compare_scores(a, [0.7, 0.9], test_fraction=0.3, **options)


def plan(**odd):
    options = {"sizes": [20], "rope": 0.01, "n_replications": 5} | odd
    return power_analysis((0.9, 0.8), **options)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: RESULT.hdi(of=PAIR), r"of=array\(\['a', 'b'\]"),
        (lambda: RESULT.plot(PAIR), r"kind=array\(.* is not a known kind"),
        (lambda: RESULT.plot(colors=["red", "no color"]), "colors must be a color"),
        (lambda: RESULT.plot(line_kw=[1]), r"line_kw must be a dict .* got \[1\]"),
        (lambda: RESULT.plot(labels={"f1": [1]}), "labels must be a dict"),
        (lambda: RESULT.bayes_factor(method=PAIR), r"method=array\(.* is not a known method"),
        (lambda: RESULT.to_latex(mcse=PAIR), "mcse must be True or False"),
        (lambda: RESULT.save(1), r"path must be the path of a file, got 1\."),
        (lambda: RESULT.decision((-HUGE, HUGE)), "rope=.* must be finite"),
        (lambda: RESULT.non_inferiority(HUGE), "margin=1000.* must be finite"),
        (lambda: RESULT.expected_loss(cost=HUGE), "cost must be positive and finite"),
        (lambda: scores(HUGE, 1), "whole number too large"),
        (
            lambda: scores(0.8, 0.7, n_test=HUGE, scoring="accuracy"),
            "n_test must be .*at least 1, got 1000",
        ),
        (lambda: compare_counts((8, 1, 1), (8, 1, 2), weight=HUGE), "weight == 1000.* finite"),
        (lambda: score_posterior([0, 1, 1], [0, 1, 0]).probability(above=-HUGE), "above == -1000"),
        (lambda: power_analysis((HUGE, 0.9), rope=0.1), "Accuracies must be between 0 and 1"),
        (lambda: plan(sizes=2**63), "^sizes"),
        (lambda: plan(goal=np.array(2)), "^goal"),
        (lambda: plan(disagreement=HUGE), "^disagreement"),
        (lambda: plan(model=[]), "^model"),
        (lambda: plan(n_jobs=1.5), "^n_jobs"),
        (lambda: plan(verbose=[1]), "^verbose"),
    ],
)
def test_odd_and_huge_values_are_named(call, match):
    with pytest.raises((TypeError, ValueError), match=match) as caught:
        call()
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("character", ["\ud800", "\x07"])
def test_names_that_no_page_can_show(character, tmp_path):
    y = np.arange(40) % 2
    said = np.where(np.arange(40) % 5, y, 1 - y)
    name = f"a{character}b"
    words = "must not contain control characters"
    learner = MustNotFit()
    for call in (
        lambda: compare_predictions(y, y, said, names=(name, "b")),
        lambda: compare_predictions(y, y, said, scoring={name: "f1"}),
        lambda: compare_many(y, {name: y, "b": said}),
        lambda: compare_predictions(y, y, said, random_state=0).by([name, "b"] * 20),
        lambda: bayesian_cross_validate((name, learner), ("b", learner), y[:, None], y),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    # Classes are shown with escapes.
    classes = np.array([name, "b"], dtype=object)
    result = compare_predictions(classes[y], classes[y], classes[said], random_state=0)
    result.report(tmp_path / "page.html")
    assert ascii(character)[1:-1] in (tmp_path / "page.html").read_text(encoding="utf-8")


class MustNotFit(DummyClassifier):
    def fit(self, X, y):
        raise AssertionError("fitted")


def said_at(call):
    """Return the files that the warnings of a call point to."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return {warning.filename for warning in caught}


def test_warnings_point_to_the_caller():
    y = np.array(["yes", "no"] * 30)
    odd = np.where(np.arange(60) < 20, np.char.capitalize(y), y)
    percent, share = np.linspace(60, 90, 8), np.linspace(0.6, 0.9, 8)
    for call in (
        lambda: compare_predictions(y, y, odd, random_state=0),
        lambda: compare_many(y, {"a": y, "b": odd}, random_state=0),
        lambda: compare_scores(percent, share, test_fraction=0.5, random_state=0),
        lambda: compare_items(percent, share, random_state=0),
    ):
        assert said_at(call) == {__file__}
