import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from skbayeseval import (
    BayesianComparer,
    BlockRegularizedCV,
    bayesian_cross_validate,
    compare_counts,
    compare_items,
    compare_many,
    compare_predictions,
    compare_scores,
    load_result,
    metrics,
    power_analysis,
    score_posterior,
)


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    "odd",
    [Unprintable(), [Unprintable()], np.array([1, 2]), ["x"] * 5000, [[1], [2, 3]]],
)
@pytest.mark.parametrize(
    ("argument", "error"),
    [("model", TypeError), ("engine", TypeError), ("names", (TypeError, ValueError))],
)
def test_odd_values_are_named_in_short(argument, error, odd):
    with pytest.raises(error, match=argument) as caught:
        compare_scores([0.8, 0.7], [0.7, 0.9], test_fraction=0.3, **{argument: odd})
    assert len(str(caught.value)) < 400


def test_odd_values_of_methods():
    result = compare_counts((88, 10, 12), (80, 14, 20), n_draws=100, random_state=0)
    odd = np.array(["a", "b"])
    with pytest.raises(ValueError, match=r"of=array\(\['a', 'b'\]"):
        result.hdi(of=odd)
    with pytest.raises(ValueError, match=r"kind=array\(.* is not a known kind"):
        result.plot(odd)
    with pytest.raises(ValueError, match=r"goal=array\(.* is not a decision code"):
        power_analysis(result, [20], rope=0.1, goal=[odd])
    with pytest.raises(TypeError, match=r"path must be the path of a file, got 1\."):
        result.save(1)
    with pytest.raises(TypeError, match=r"path must be the path of a file, got array\(3\)"):
        load_result(np.array(3))


def test_whole_numbers_that_no_float_holds():
    with pytest.raises(ValueError, match="scores_a contains a whole number too large"):
        compare_scores([10**400, 1], [1, 1], test_fraction=0.3)
    with pytest.raises(ValueError, match="weight == 1000.* must be a finite number"):
        compare_counts((88, 10, 12), (80, 14, 20), weight=10**400)
    with pytest.raises(ValueError, match="n_test == 1000.*must be at least 1"):
        compare_scores(
            [0.8, 0.7], [0.7, 0.9], n_test=10**400, test_fraction=0.3, scoring="accuracy"
        )


HUGE = 10**400


def test_huge_numbers_and_empty_lists_are_named():
    result = compare_counts((88, 10, 12), (80, 14, 20), n_draws=100, random_state=0)
    for rope in (HUGE, (-HUGE, HUGE)):
        with pytest.raises(ValueError, match="rope=.* must be finite"):
            result.decision(rope)
    with pytest.raises(ValueError, match="margin=1000.* must be finite"):
        result.non_inferiority(HUGE)
    with pytest.raises(ValueError, match="cost must be positive and finite"):
        result.expected_loss(cost=HUGE)
    one = score_posterior([0, 1, 1], [0, 1, 0], n_draws=100, random_state=0)
    with pytest.raises(ValueError, match="above == -1000.*, must be a finite number"):
        one.probability(above=-HUGE)
    for argument, odd in (
        ("sizes", 2**63),
        ("goal", np.array(2)),
        ("disagreement", HUGE),
        ("model", []),
        ("n_jobs", HUGE),
        ("n_jobs", 1.5),
        ("verbose", [1]),
    ):
        with pytest.raises((TypeError, ValueError), match=f"^{argument}") as caught:
            power_analysis(
                (0.9, 0.8), **({"sizes": [20], "rope": 0.01, "n_replications": 5} | {argument: odd})
            )
        assert len(str(caught.value)) < 250
    with pytest.raises(ValueError, match="Accuracies must be between 0 and 1"):
        power_analysis((HUGE, 0.9), rope=0.1)


@pytest.mark.parametrize(
    ("style", "match"),
    [
        ({"colors": 3}, "colors must be a color"),
        ({"colors": ["red", "no color"]}, "colors must be a color"),
        ({"line_kw": [1]}, r"line_kw must be a dict .* got \[1\]"),
        ({"labels": {"f1": [1]}}, "labels must be a dict"),
    ],
)
def test_odd_styles(style, match):
    result = compare_counts((88, 10, 12), (80, 14, 20), n_draws=100, random_state=0)
    with pytest.raises((TypeError, ValueError), match=match):
        result.plot(**style)


def test_odd_choices():
    result = compare_counts((88, 10, 12), (80, 14, 20), n_draws=100, random_state=0)
    with pytest.raises(ValueError, match=r"method=array\(.* is not a known method"):
        result.bayes_factor(method=np.array([1, 2]))
    with pytest.raises(TypeError, match="mcse must be True or False"):
        result.to_latex(mcse=np.array([1, 2]))
    with pytest.raises(ValueError, match="average must be None or one of"):
        metrics.fbeta(2, average=np.array([1, 2]))
    assert metrics.fbeta(HUGE).name == metrics.fbeta(np.inf).name
    with pytest.raises(TypeError, match="y_score_a must be array-like"):
        compare_predictions([0, 1], None, None, y_score_a={}, y_score_b=[0, 1], scoring="roc_auc")
    for options, match in (
        ({"params": 3}, "params must be a dict"),
        ({"estimand": np.array([1, 2])}, "estimand must be one of"),
    ):
        with pytest.raises((TypeError, ValueError), match=match):
            bayesian_cross_validate(
                DummyClassifier(), DummyClassifier(), np.ones((8, 1)), [0, 1] * 4, **options
            )
    with pytest.raises(TypeError, match="X must be a sequence or an array"):
        next(BlockRegularizedCV().split(None))


@pytest.mark.parametrize("character", ["\ud800", "\x00", "\x07", "\x1b", "\ufffe"])
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
        lambda: compare_items(y, said, names=(name, "b")),
        lambda: compare_predictions(y, y, said, random_state=0).by([name, "b"] * 20),
        lambda: bayesian_cross_validate((name, learner), ("b", learner), y[:, None], y),
        lambda: BayesianComparer([(name, learner), ("b", learner)]).fit(y[:, None], y),
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
