"""Rows in order of time: blocks of consecutive rows, and a warning where there are none."""

import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB

from skbayeseval import (
    BayesianComparer,
    bayesian_cross_val_score,
    bayesian_cross_validate,
    compare_items,
    compare_many,
    compare_many_items,
    compare_predictions,
    load_result,
    metrics,
    score_posterior,
)
from skbayeseval.compare.ordered_rows import _best_length, _warn_of_order, longest_block

N = 120
FEW = {"n_draws": 1000, "random_state": 0}
TIMES = pd.date_range("2024-01-01", periods=N)


def in_runs(length=10):
    """Return the truth and two predictions, each of which is wrong in whole runs of rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N)
    wrong = np.repeat(rng.random((2, N // length)) < [[0.2], [0.35]], length, axis=1)
    return y, *(np.where(one, 1 - y, y) for one in wrong)


Y, A, B = in_runs()
NUMBERS = np.random.default_rng(1).normal(size=(3, N)).cumsum(axis=1)
LEARNERS = GaussianNB(), LogisticRegression()
X = np.column_stack([Y + np.random.default_rng(2).normal(size=N), np.arange(N) % 7])


LABELS = [np.column_stack([one, Y]) for one in (Y, A, B)]
SCORES = {"y_score_a": NUMBERS[0] + Y, "y_score_b": NUMBERS[1] + Y, "scoring": "roc_auc"}
by_classes = partial(compare_predictions, Y, A, B, **FEW)
by_numbers = partial(compare_predictions, *NUMBERS, scoring="neg_mean_absolute_error", **FEW)
by_scores = partial(compare_predictions, Y, None, None, **SCORES, **FEW)
by_labels = partial(compare_predictions, *LABELS, scoring="f1_micro", **FEW)
by_items = partial(compare_items, *NUMBERS[:2], **FEW)
of_one = partial(score_posterior, Y, A, **FEW)
of_many = partial(compare_many, Y, {"a": A, "b": B, "c": Y[::-1]}, **FEW)
of_many_items = partial(compare_many_items, dict(zip("abc", NUMBERS, strict=True)), **FEW)
PAIRS = [by_classes, by_numbers, by_scores, by_labels, by_items]
ALL = [*PAIRS, of_one, of_many, of_many_items]


@pytest.mark.parametrize("compare", ALL)
def test_blocks_that_are_refused(compare):
    with pytest.raises(ValueError, match=r"^blocks == 61, must be <= 60"):
        compare(blocks=N // 2 + 1)
    with pytest.raises(ValueError, match="blocks=.* and groups= were both given"):
        compare(blocks=1, groups=np.arange(N) // 3)


@pytest.mark.parametrize("compare", PAIRS)
def test_blocks_are_groups_of_consecutive_rows(compare):
    plain, of_one_row = compare(), compare(blocks=1)
    assert np.array_equal(of_one_row.draws, plain.draws)
    assert of_one_row.evidence.block_length is None
    assert "consecutive" not in of_one_row.details()
    result = compare(blocks=10)
    assert np.array_equal(result.draws, compare(groups=np.arange(N) // 10).draws)
    assert result.evidence.block_length == 10
    assert "in 12 blocks of 10 consecutive rows" in result.details()
    assert "(blocks of 10 consecutive rows)" in str(result)
    assert re.search("only 1[12] blocks[a-z ]*: intervals are widened .* may still be", str(result))
    assert (result.observed_a, result.observed_b) == (plain.observed_a, plain.observed_b)
    if compare is by_classes:  # the last block is shorter
        assert compare(blocks=50).evidence.sizes.tolist() == [50, 50, 20]


@pytest.mark.parametrize("compare", ALL)
def test_a_length_that_is_chosen_is_saved(compare, tmp_path):
    result = compare(blocks="auto")
    assert 5 <= result.evidence.block_length <= N // 5
    result.save(tmp_path / "result.npz")
    loaded = load_result(tmp_path / "result.npz")
    assert loaded.evidence.block_length == result.evidence.block_length
    assert np.array_equal(loaded.draws, result.draws)
    assert str(loaded) == str(result)
    if compare in PAIRS and compare is not by_labels:
        pd.testing.assert_frame_equal(loaded.frequentist(), result.frequentist())


def test_what_blocks_do_not_go_with():
    with pytest.raises(ValueError, match="but groups= or blocks= was given"):
        by_classes(blocks=10, model="hierarchical")
    with pytest.raises(ValueError, match="blocks= does not apply"):
        bayesian_cross_validate(*LEARNERS, X, Y, model="scores", blocks=5, **FEW)
    with pytest.raises(ValueError, match="but 12 of the blocks have several"):
        by_classes(blocks=10).by(np.arange(N) % 2)
    halves = by_classes(blocks=10).by(np.arange(N) // 60)
    assert halves.summary()["n_groups"].tolist() == [6, 6]


def test_several_share_the_length_that_is_longest():
    ranking = of_many(blocks="auto")
    length = ranking.evidence.block_length
    assert all(ranking.pairs[i, j].evidence.block_length == length for i in (0, 1) for j in (2,))
    losses = np.stack([A != Y, B != Y, Y[::-1] != Y]).astype(float)
    assert length == longest_block(losses) >= longest_block(losses[:2])
    table = ranking.pairs["a", "b"].frequentist()
    expected = by_classes(blocks=length).frequentist()
    name = "Diebold and Mariano"
    assert table.loc[name, "statistic"] == pytest.approx(expected.loc[name, "statistic"])


def test_items_of_any_kind_need_a_length():
    metric = metrics.over_items(lambda truth, said: float(len(truth) == len(said)), name="lengths")
    texts = [["yes" if one else "maybe" for one in column] for column in (Y, A, B)]
    with pytest.raises(ValueError, match="blocks='auto' requires the loss of each row"):
        compare_predictions(*texts, scoring=metric, blocks="auto", **FEW)
    result = compare_predictions(*texts, scoring=metric, blocks=10, **FEW)
    assert result.evidence.n_groups == 12


def test_length_is_that_of_arch():
    # test_block_length of arch, tests/bootstrap, for the circular bootstrap. K_N is the same.
    y = np.random.RandomState(0).standard_normal(10_100)
    y = lfilter([1], [1, -0.3], y)[100:]
    assert _best_length(y) == pytest.approx(15.60894, rel=1e-4)


def test_few_rows_and_huge_losses():
    losses = np.random.default_rng(0).random((2, 300))
    assert longest_block(1e150 * losses) == longest_block(losses) == 7
    assert [longest_block(np.eye(n)[:2]) for n in range(2, 8)] == [1] * 6
    with pytest.raises(ValueError, match="blocks='auto' requires 10 or more rows, got 9"):
        compare_items(np.arange(9.0), np.ones(9), blocks="auto")


@pytest.mark.slow
def test_coverage():
    covered = {None: 0, "auto": 0}
    for seed in range(100):
        rng = np.random.default_rng(seed)
        a, b = lfilter([1], [1, -0.9], rng.normal(size=(2, 500)))[:, 200:]
        for blocks in covered:
            options = {"scoring": "neg_mean_absolute_error", "blocks": blocks, **FEW}
            low, high = compare_predictions(np.zeros(300), a, b, **options).hdi()
            covered[blocks] += low <= 0 <= high
    assert covered[None] < 70
    assert covered["auto"] >= 88


# Rows in order without blocks.


@pytest.mark.parametrize("index", [TIMES, TIMES[::-1], TIMES.to_period("D"), TIMES - TIMES[0]])
def test_rows_in_order_give_a_warning(index):
    with pytest.warns(UserWarning, match=r"lag-1 correlation 0\.\d\d.*blocks='auto'") as caught:
        compare_predictions(pd.Series(Y, index), A, B, **FEW)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="the differences of the losses of neighbours"):
        compare_items(pd.Series(A == Y, index), pd.Series(B == Y, index), **FEW)
    with pytest.warns(UserWarning, match="and the losses of neighbours are correlated"):
        score_posterior(pd.Series(Y, index), A, **FEW)
    with pytest.warns(UserWarning, match="blocks='auto'") as caught:
        compare_many(pd.Series(Y, index), {"a": A, "b": B, "c": Y}, **FEW)
    assert caught[0].filename == __file__


def test_no_warning_otherwise():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shuffled = TIMES[np.random.default_rng(0).permutation(N)]
        for y in (Y, pd.Series(Y), pd.Series(Y, shuffled)):
            compare_predictions(y, A, B, **FEW)
        dated = pd.Series(Y, TIMES)
        compare_predictions(dated, A, B, groups=np.arange(N) // 10, **FEW)
        for blocks in (1, 10, "auto"):
            compare_predictions(dated, A, B, blocks=blocks, **FEW)
        y, a, b = in_runs(length=1)
        compare_predictions(pd.Series(y, TIMES), a, b, **FEW)
        compare_predictions(pd.Series(y, TIMES), a, a, **FEW)
        compare_many(pd.Series(y, TIMES), {"a": a, "b": b, "c": y}, **FEW)


@pytest.mark.parametrize("blocks", ["auto", 5])
def test_times_that_are_not_sorted_have_no_blocks(blocks):
    shuffled = pd.Series(Y, TIMES[np.random.default_rng(0).permutation(N)])
    both = shuffled, pd.Series(B, shuffled.index)
    for compare, given in (
        (compare_predictions, (shuffled, A, B)),
        (compare_items, both),
        (bayesian_cross_validate, (*LEARNERS, X, shuffled)),
    ):
        with pytest.raises(ValueError, match="the times in an index are not sorted"):
            compare(*given, blocks=blocks, **FEW)
    compare_predictions(shuffled, A, B, blocks=1, **FEW)


@pytest.mark.parametrize(("n", "share"), [(40, 0.3), (2000, 0.004)])
def test_independent_rows_are_seldom_warned_of(n, share):
    rng = np.random.default_rng(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(1000):
            _warn_of_order((rng.random((2, n)) < share).astype(float))
    assert len(caught) <= 15


def test_cross_validation_over_time():
    in_time = {"cv": TimeSeriesSplit(5), "scoring": ["f1", "roc_auc"], **FEW}
    results = {
        blocks: bayesian_cross_validate(*LEARNERS, X, Y, blocks=blocks, **in_time)
        for blocks in (None, 1, 5, "auto")
    }
    assert np.array_equal(results[1].draws, results[None].draws)
    result = results[5]
    assert result.evidence.n_groups == 20  # 100 of 120 rows are tested, from row 20 on
    assert result.evidence.block_length == 5
    assert "(blocks of 5 consecutive rows)" in str(result)
    assert results["auto"].evidence.block_length == 5
    assert np.array_equal(results["auto"].draws, result.draws)
    assert result.observed_a == results[None].observed_a
    assert "Diebold and Mariano" in result.frequentist().index


@pytest.mark.parametrize("blocks", ["auto", 5, 2])
@pytest.mark.parametrize("compare", [bayesian_cross_validate, bayesian_cross_val_score])
def test_blocks_and_splits_that_train_on_neighbours(compare, blocks):
    learners = LEARNERS[: 2 - (compare is bayesian_cross_val_score)]
    cross_validated = partial(compare, *learners, X, Y, blocks=blocks, **FEW)
    for cv in (KFold(5, shuffle=True, random_state=0), None):
        with pytest.warns(UserWarning, match=r"test sets of cv lie between rows of") as caught:
            cross_validated(cv=cv)
        assert caught[0].filename == __file__
    for cv in (KFold(5), TimeSeriesSplit(20), TimeSeriesSplit(5, gap=3)):
        cross_validated(cv=cv)  # without a warning


@pytest.mark.parametrize("order", [np.random.default_rng(0).permutation(N), np.arange(N)[::-1]])
def test_times_that_are_not_sorted_and_splits_in_order_of_time(order):
    x = pd.DataFrame(X, TIMES[order])
    with pytest.warns(UserWarning, match="cv=TimeSeriesSplit trains on .* not sorted") as caught:
        bayesian_cross_validate(*LEARNERS, x, Y, cv=TimeSeriesSplit(5), **FEW)
    assert caught[0].filename == __file__
    comparer = BayesianComparer(LEARNERS, cv=TimeSeriesSplit(5), **FEW)
    with pytest.warns(UserWarning, match="cv=TimeSeriesSplit") as caught:
        comparer.fit(x, Y)
    assert caught[0].filename == __file__
    comparer.fit(pd.DataFrame(X, TIMES), Y)  # without a warning


def test_a_length_that_is_chosen_counts_rows_between_those_that_are_tested():
    rows = np.arange(21, N, 3)
    y, x = NUMBERS[0], NUMBERS[1:2].T
    pair = DummyRegressor(), LinearRegression()
    options = {"scoring": "neg_mean_absolute_error", "blocks": "auto", **FEW}
    result = bayesian_cross_validate(*pair, x, y, cv=[(np.arange(20), rows)], **options)
    said = [one.fit(x[:20], y[:20]).predict(x[rows]) for one in pair]
    alone = compare_predictions(y[rows], *said, **options)
    assert result.evidence.n_groups - alone.evidence.n_groups in (0, 1)
    assert result.evidence.block_length == pytest.approx(3 * alone.evidence.block_length, abs=3)


def test_repeated_tests_of_a_row_are_in_its_block():
    for blocks in (12, "auto"):
        with pytest.warns(UserWarning, match="Pass a cv that does not shuffle the rows"):
            result = bayesian_cross_validate(*LEARNERS, X, Y, blocks=blocks, **FEW)
        length = result.evidence.block_length
        assert result.evidence.n_groups == -(-N // length)
        assert np.allclose(result.evidence.sizes[:-1], length)
        assert "Diebold and Mariano" not in result.frequentist().index


def test_diebold_and_mariano():
    values = -np.abs(NUMBERS[1:] - NUMBERS[0])
    difference = values[0] - values[1]
    rest, h = difference - difference.mean(), 8
    variance = np.mean(rest**2)
    for k in range(1, h):
        variance += 2 * (1 - k / h) * np.sum(rest[k:] * rest[:-k]) / N
    expected = difference.mean() / np.sqrt(variance / N)
    expected *= np.sqrt((N + 1 - 2 * h + h * (h - 1) / N) / N)
    row = by_numbers(blocks=h).frequentist().loc["Diebold and Mariano"]
    assert row["statistic"] == pytest.approx(expected)
    assert row["df"] == N - 1
    assert row["level"] == "rows"
    items = compare_items(*values, blocks=h, **FEW).frequentist()
    assert items.loc["Diebold and Mariano", "pvalue"] == pytest.approx(row["pvalue"])
    assert list(items["level"]) == ["rows", "blocks", "blocks"]
    assert "Diebold and Mariano" not in compare_items(*values, **FEW).frequentist().index
