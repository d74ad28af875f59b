"""What is printed fits a page, and says first what matters most."""

import re

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import (
    bayesian_cross_validate,
    compare_counts,
    compare_many,
    compare_predictions,
    metrics,
)

PAGE = 80
OPTIONS = {"n_draws": 2000, "random_state": 0}
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 400)
A, B, C = (np.where(RNG.random(400) < share, Y, 1 - Y) for share in (0.9, 0.8, 0.7))

# Names of 40 characters that differ at the end, at the beginning and in the middle.
LONG = {
    "end": [f"{'classifier-' * 4}"[:39] + one for one in "ABC"],
    "beginning": [one + f"{'classifier-' * 4}"[:39] for one in "ABC"],
    "middle": [f"{'classifier-' * 2}"[:19] + one + "-and-its-settings-at"[:20] for one in "ABC"],
}


@pytest.fixture(scope="module")
def cross_validated():
    data = make_classification(1000, flip_y=0.4, random_state=1)
    pair = ("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))
    return bayesian_cross_validate(*pair, *data, scoring=["f1", "recall"], **OPTIONS)


def keywords(lines):
    return [line[:14].strip() for line in lines]


def test_a_cross_validation_is_four_lines(cross_validated):
    result = cross_validated.metric("f1")
    words = str(result)
    headline, *lines = words.splitlines()
    assert re.match(
        r"bayes is (probably )?better than tree on F1 \(probability .*[\d.]+%", headline
    )
    assert keywords(lines) == ["difference", "applies to", "next"]
    assert len(words.split()) <= 75
    low, high = result.hdi()
    observed = f"observed: bayes {result.observed_a:.4f}, tree {result.observed_b:.4f}"
    ends = f"{low:.3f} to {high:.3f}" if low > 0 else f"from {-low:.3f} behind to {high:.3f} ahead"
    ahead = f"bayes ahead by {result.draws.mean():.3f}, 95% interval {ends} ({observed})"
    assert lines[0] == f"  difference  {ahead}"
    trained = "learners trained on 500 instances, not models refitted on all 1,000: for these, use"
    assert lines[1] == f"  applies to  {trained} estimand='full'"
    decide = "decision(rope=r), with r the largest difference that does not matter to you"
    assert lines[2] == f"  next        {decide}"


def test_metrics_are_rows_of_a_table(cross_validated):
    headline, header, *rows, applies, after = str(cross_validated).splitlines()
    assert re.fullmatch(r"Of 2 metrics: (bayes \(A\) (probably )?better on \d(, )?)+\.", headline)
    titles = ["A", "B", "A minus B", "95% interval", "P(A better)"]
    assert re.split(" {2,}", header.strip()) == titles
    assert [row.split()[0] for row in rows] == ["f1", "recall"]
    assert keywords([applies, after]) == ["applies to", "next"]
    for row, name in zip(rows, cross_validated.metrics, strict=True):
        one = cross_validated.metric(name)
        cells = [f"{one.observed_a:.4f}", f"{one.observed_b:.4f}", f"{one.draws.mean():+.3f}"]
        assert row.split()[1:4] == cells
        chance = one.probability(0.0).better
        assert row.endswith(f"  {100 * chance:.1f}%" if chance < 0.999 else "  >99.9%")
    names = ["neg_mean_absolute_percentage_error", "neg_median_absolute_error", "r2"]
    numbers = [Y + 1.0 + RNG.normal(0, sd, 400) for sd in (0.1, 0.2)]
    many = compare_predictions(Y + 1.0, *numbers, scoring=names, **OPTIONS)
    assert str(many).startswith("Of 3 metrics: A better on 3.\n")
    assert max(map(len, str(many).splitlines()[1:5])) <= PAGE


def test_cautions_are_printed_where_there_are_some():
    assert "caution" not in str(compare_predictions(Y, A, B, **OPTIONS))
    rare = np.repeat([0, 1], [200, 4])
    few = compare_predictions(rare, np.roll(rare, 1), np.roll(rare, 2), scoring="f1", **OPTIONS)
    lines = str(few).splitlines()
    assert keywords(lines[1:]) == ["difference", "caution", "applies to", "ship now", "next"]
    assert lines[2] == (
        "  caution     the prior matters, because only 6 errors were seen: see prior_sensitivity()"
    )
    scores = {"y_score_a": RNG.random(400), "y_score_b": RNG.random(400)}
    both = compare_predictions(
        Y, None, None, scoring=metrics.expected_calibration_error(5), groups=np.arange(400) % 8,
        **scores, **OPTIONS,
    )  # fmt: skip
    (printed,) = (line for line in str(both).splitlines() if line.startswith("  caution "))
    cautions = [line for line in both.details().splitlines() if line.startswith("  caution ")]
    assert len(cautions) > 1
    assert printed == f"{cautions[0]} ({len(cautions) - 1} more in details())"


def mirrored(line):
    letters = {"A": "B", "B": "A"}
    return re.sub(r"\b[AB]\b", lambda found: letters[found[0]], line)


@pytest.mark.parametrize("pair", [(A, B), (A, 1 - A), (A, A)])
def test_swapping_gives_the_mirrored_sentence(pair):
    options = {"names": ("A", "B"), "scoring": "f1", "n_draws": 50_000, "random_state": 0}
    one = str(compare_predictions(Y, *pair, **options))
    other = str(compare_predictions(Y, *pair[::-1], **options))

    def shown(words):
        """Numbers are draws, and observed values are in the order that was given."""
        headline, difference, *rest = words.splitlines()
        number = r"\d+\.\d+"
        difference = difference.partition(" (observed")[0]
        numbers = [float(found) for found in re.findall(number, headline + difference)]
        return [re.sub(number, "#", line) for line in (headline, difference, *rest)], numbers

    (lines, numbers), (swapped, others) = shown(one), shown(other)
    expected = list(map(mirrored, lines[:2]))
    if (pair[0] == pair[1]).all():
        expected[0] = lines[0]  # of identical classifiers, the first is named first
    assert swapped == [*expected, *map(mirrored, lines[2:])]
    np.testing.assert_allclose(numbers[-3:], others[-3:], atol=0.003)


@pytest.mark.parametrize("names", LONG.values(), ids=LONG)
def test_long_names_of_a_ranking(names):
    ranking = compare_many(
        Y, dict(zip(names, (A, B, C), strict=True)), scoring=["f1", "accuracy"], **OPTIONS
    )
    lines = str(ranking).splitlines()
    headers = [i for i, line in enumerate(lines) if line.split()[:2] == ["observed", "estimate"]]
    assert len(headers) == 2
    for header in headers:
        table = lines[header : header + 4]
        assert max(map(len, table)) <= PAGE
        assert len({row.split()[0] for row in table[1:]}) == 3
    assert ranking.table.index[0] in lines[0]


@pytest.mark.parametrize("seed", [0, 1])
def test_identical_classifiers_have_no_leader(seed):
    options = {"n_draws": 2000, "random_state": seed}
    headline = "Of 3 metrics: identical (predictions) on 3."
    for model in ("paired", "unpaired"):
        scoring = ["accuracy", "f1", "precision"]
        result = compare_predictions(Y, A, A, scoring=scoring, model=model, **options)
        assert str(result).splitlines()[0] == headline
    pair = compare_many(Y, {"a": A, "b": A}, scoring=["accuracy", "f1"], **options).pairs[1, 0]
    assert str(pair).startswith("Of 2 metrics: identical (predictions) on 2.\n")
    learners = [(name, GaussianNB()) for name in "ab"]
    result = bayesian_cross_validate(
        *learners, np.c_[A, B], Y, scoring=["accuracy", "f1"], **options
    )
    assert str(result).startswith("Of 2 metrics: identical (")


@pytest.mark.parametrize("seed", range(4))
def test_a_coin_flip_is_nobodys_lead(seed):
    counts, options = (80, 20, 20, 80), {"model": "unpaired", "n_draws": 4000, "random_state": seed}
    result = compare_counts(counts, counts, scoring="accuracy", **options)
    assert str(result).startswith(
        "No clear difference between A and B on accuracy (neither is ahead)."
    )
    assert "hardly any; 95% interval: A 0.0" in str(result)
    assert result.explain().startswith(str(result).splitlines()[0])
    several = compare_counts(counts, counts, scoring=["accuracy", "f1", "recall"], **options)
    assert str(several).startswith("Of 3 metrics: no clear difference on 3.\n")
    # A leads on recall, and on nothing else.
    mixed = compare_counts((95, 35, 5, 65), counts, scoring=["accuracy", "recall"], **options)
    assert str(mixed).startswith("Of 2 metrics: no clear difference on 1, A better on 1.\n")
