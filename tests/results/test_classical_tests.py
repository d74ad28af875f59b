import mlxtend.evaluate
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import RepeatedKFold
from sklearn.naive_bayes import GaussianNB

from skbayeseval import (
    BlockRegularizedCV,
    ComparisonResult,
    bayesian_cross_validate,
    compare_confusion_matrices,
    compare_counts,
    compare_items,
    compare_many,
    compare_many_items,
    compare_predictions,
    compare_scores,
    load_result,
    metrics,
)
from skbayeseval.evidence import ChunkCounts
from skbayeseval.judgement.frequentist import mcnemar, two_proportion_z
from skbayeseval.posterior.build import make_posterior

UNPAIRED = "two-proportion z, ignoring pairs"
MICRO = ["sign test", "McNemar, exact", "McNemar, mid-p", UNPAIRED]
MACRO = ["sign test of classes", "paired t of classes"]


def test_two_classes(votes):
    y, a, b = votes
    table = compare_predictions(y, a, b, random_state=0).frequentist()
    assert list(table.index) == MICRO
    only_a, only_b = np.sum((a == y) & (b != y)), np.sum((a != y) & (b == y))
    assert table.loc["sign test", "statistic"] == only_a
    assert table.loc["sign test", "n"] == only_a + only_b
    exact = stats.binomtest(only_a, only_a + only_b).pvalue
    mid_p = mcnemar(int(only_a), int(only_b), mid_p=True).pvalue
    z = two_proportion_z(np.sum(a == y), len(y), np.sum(b == y), len(y)).pvalue
    assert table["pvalue"].to_list() == pytest.approx([exact, exact, mid_p, z])
    assert set(table["level"]) == {"micro"}
    assert set(table["compares"]) == {"accuracy"}


def test_many_classes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 6, 500)
    a, b = (np.where(rng.random(500) < p, y, rng.integers(0, 6, 500)) for p in (0.8, 0.75))
    table = compare_predictions(y, a, b, random_state=0).frequentist()
    assert list(table.index) == [*MICRO, *MACRO]
    of_each = [f1_score(y, p, average=None) for p in (a, b)]
    expected = stats.ttest_rel(*of_each)
    assert table.loc["paired t of classes", "pvalue"] == pytest.approx(expected.pvalue)
    assert table.loc["paired t of classes", "df"] == 5
    ahead = int(np.sum(of_each[0] > of_each[1]))
    binomial = stats.binomtest(ahead, int(np.sum(of_each[0] != of_each[1]))).pvalue
    assert table.loc["sign test of classes", "pvalue"] == pytest.approx(binomial)


def test_counts_of_each_alone():
    table = compare_confusion_matrices([[50, 10], [5, 35]], [[45, 15], [10, 30]]).frequentist()
    expected = two_proportion_z(85, 100, 75, 100).pvalue
    assert table["pvalue"].to_dict() == pytest.approx({"two-proportion z": expected})
    table = compare_counts((88, 10, 12), (80, 14, 20)).frequentist()
    recall, precision = (88, 100, 80, 100), (88, 98, 80, 94)
    assert table["pvalue"].to_dict() == pytest.approx({
        "two-proportion z of recall": two_proportion_z(*recall).pvalue,
        "two-proportion z of precision": two_proportion_z(*precision).pvalue,
    })  # fmt: skip
    silent = compare_counts((0, 0, 12), (8, 4, 4)).frequentist()
    assert list(silent.index) == ["two-proportion z of recall"]


def test_chunks():
    counts = ChunkCounts([80, 8, 3, 9, 4, 6, 10])
    posterior = make_posterior(counts, "auto", "exact", 100, 0)
    table = ComparisonResult(posterior, ("A", "B"), {"f1": metrics.get_metric("f1")}).frequentist()
    assert table.loc["McNemar, exact", "pvalue"] == pytest.approx(mcnemar(8, 3).pvalue)
    assert table.loc["sign test", "compares"] == "recall"
    expected = two_proportion_z(88, 98, 83, 97).pvalue
    of_precision = "two-proportion z of precision, ignoring pairs"
    assert table.loc[of_precision, "pvalue"] == pytest.approx(expected)


def test_labels_and_groups():
    rng = np.random.default_rng(0)
    y = (rng.random((60, 4)) < 0.4).astype(int)
    a, b = ((y ^ (rng.random(y.shape) < p)).astype(int) for p in (0.1, 0.2))
    table = compare_predictions(y, a, b, scoring="f1_macro", random_state=0).frequentist()
    assert list(table.index) == MACRO
    expected = stats.ttest_rel(*(f1_score(y, p, average=None) for p in (a, b))).pvalue
    assert table.loc["paired t of classes", "pvalue"] == pytest.approx(expected)
    group = np.minimum(np.arange(60) // 3, 17)  # the last one is larger
    grouped = compare_predictions(
        y[:, 0], a[:, 0], b[:, 0], scoring="f1", groups=group, random_state=0
    ).frequentist()
    assert list(grouped) == list(table)
    means = [[np.mean(p[group == k, 0] == y[group == k, 0]) for k in range(18)] for p in (a, b)]
    check_pairs(grouped, "groups", np.array(means))
    assert set(grouped["compares"]) == {"accuracy"}


def check_pairs(table, what, means):
    """Check the paired t-test and the sign test against scipy."""
    a, b = means
    t = stats.ttest_rel(a, b)
    row = table.loc[f"paired t of {what}"]
    assert (row["statistic"], row["pvalue"]) == pytest.approx((t.statistic, t.pvalue))
    assert (row["n"], row["df"], row["level"]) == (len(a), len(a) - 1, what)
    row = table.loc[f"sign test of {what}"]
    ahead, n = np.sum(a > b), np.sum(a != b)
    assert (row["statistic"], row["n"]) == (ahead, n)
    assert row["pvalue"] == pytest.approx(stats.binomtest(ahead, n).pvalue)


@pytest.mark.parametrize("higher", [True, False])
def test_items(higher):
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.2, 1.0, (50, 3)), rng.normal(0.0, 1.0, (50, 3))
    sign = 1 if higher else -1
    table = compare_items(a, b, higher_is_better=higher, random_state=0).frequentist()
    assert list(table.index) == ["paired t of items", "sign test of items"]
    check_pairs(table, "items", sign * np.array([a.mean(axis=1), b.mean(axis=1)]))
    group = np.repeat(range(10), [2, 8] * 5)
    table = compare_items(a, b, groups=group, higher_is_better=higher, random_state=0).frequentist()
    assert list(table.index) == ["paired t of groups", "sign test of groups"]
    check_pairs(table, "groups", sign * np.array([[p[group == k].mean() for k in range(10)]
                                                  for p in (a, b)]))  # fmt: skip
    of_two = compare_items(a, b, groups=np.arange(50) // 25, random_state=0).frequentist()
    assert of_two.loc["paired t of groups", "df"] == 1


def test_items_that_are_right_or_wrong():
    rng = np.random.default_rng(0)
    a, b = (rng.random((2, 80)) < [[0.8], [0.6]]).astype(int)
    table = compare_items(a, b, random_state=0).frequentist()
    check_pairs(table, "items", np.array([a, b]))
    only_a, only_b = int(np.sum(a > b)), int(np.sum(a < b))
    for mid_p, name in ((False, "McNemar, exact"), (True, "McNemar, mid-p")):
        expected = mcnemar(only_a, only_b, mid_p=mid_p).pvalue
        assert table.loc[name, "pvalue"] == pytest.approx(expected)


@pytest.fixture(scope="module")
def data():
    return make_classification(120, random_state=0)


def compare(data, **parameters):
    learners = LogisticRegression(max_iter=1000), GaussianNB()
    return bayesian_cross_validate(*learners, *data, random_state=0, n_draws=100, **parameters)


def test_default_splitter(data, tmp_path):
    result = compare(data, scoring=["accuracy", "f1"])
    table = result.frequentist()
    # Every instance was validated three times: no exact test of instances.
    assert list(table.index) == [UNPAIRED, "corrected resampled t", "3x2 BCV t"]
    a, b = (result.cv_results[name]["test_accuracy"] for name in result.names)
    corrected = np.mean(a - b) / np.sqrt((1 / 6 + 1) * np.var(a - b, ddof=1))
    assert table.loc["corrected resampled t", "statistic"] == pytest.approx(corrected)
    blocked = np.mean(a - b) / np.std(a - b)
    assert table.loc["3x2 BCV t", "statistic"] == pytest.approx(blocked)
    of_f1 = result.frequentist(metric="f1")
    assert of_f1.loc["3x2 BCV t", "compares"] == "f1"
    assert list(result.frequentist(metric="recall").index) == [UNPAIRED]
    result.save(tmp_path / "file")
    assert load_result(tmp_path / "file").frequentist().equals(table)


@pytest.mark.parametrize(
    ("cv", "tests"),
    [
        (RepeatedKFold(n_splits=2, n_repeats=5, random_state=0), ["5x2cv t", "5x2cv F"]),
        (RepeatedKFold(n_splits=2, n_repeats=3, random_state=0), []),
        (BlockRegularizedCV(4, random_state=0), []),
    ],
)
def test_repeats_of_two_folds(data, cv, tests):
    table = compare(data, cv=cv).frequentist()
    assert list(table.index[table["level"] == "splits"]) == ["corrected resampled t", *tests]


def scored(n=200, classes=2):
    rng = np.random.default_rng(3)
    y = rng.integers(0, classes, n)
    if classes > 2:
        return y, *rng.dirichlet(np.ones(classes), (2, n))
    return y, *(y + rng.normal(scale=scale, size=n) for scale in (1.0, 1.5))


def compare_areas(y, a, b, scoring="roc_auc", **options):
    options |= {"y_score_a": a, "y_score_b": b, "scoring": scoring, "random_state": 0}
    return compare_predictions(y, None, None, **options)


def test_areas_under_roc_curves(tmp_path):
    y, a, b = scored()
    result = compare_areas(y, a, b)
    table = result.frequentist()
    assert list(table.index) == ["DeLong"]
    # The interval by weights of instances tells nearly the same.
    z = result._posterior.difference(result._metric(None))
    assert table.loc["DeLong", "statistic"] == pytest.approx(z.mean / z.sd, rel=0.05)
    result.save(tmp_path / "result.npz")
    pd.testing.assert_frame_equal(load_result(tmp_path / "result.npz").frequentist(), table)
    swapped = compare_areas(y, b, a).frequentist()
    assert swapped.loc["DeLong", "statistic"] == -table.loc["DeLong", "statistic"]
    three = compare_many(y, None, scores={"a": a, "b": b, "c": a + b}, scoring="roc_auc")
    assert three.pairs["a", "b"].frequentist()["pvalue"].item() == table["pvalue"].item()


@pytest.mark.parametrize(
    ("classes", "options"),
    [
        (2, {"scoring": "neg_brier_score"}),
        (2, {"scoring": "average_precision", "pos_label": 1}),
        (2, {"sample_weight": np.linspace(1, 2, 200)}),
        (2, {"groups": np.arange(200) // 4}),
        (3, {"scoring": "roc_auc_ovr"}),
    ],
)
def test_no_test_of_other_scores(classes, options):
    y, *scores = scored(classes=classes)
    if options.get("scoring") == "neg_brier_score":
        scores = np.clip(scores, 0, 1)
    with pytest.raises(ValueError, match="No classical test that is implemented here applies"):
        compare_areas(y, *scores, **options).frequentist()


def test_three_classifiers():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    said = {
        name: np.where(rng.random(200) < q / 10, y, 0)
        for name, q in zip("abc", (9, 8, 7), strict=True)
    }
    table = compare_many(y, said, random_state=0).frequentist()
    found = table.loc["Cochran's Q", ["statistic", "pvalue"]].tolist()
    assert found == pytest.approx(mlxtend.evaluate.cochrans_q(y, *said.values()))
    right = {name: (one == y) * 1.0 for name, one in said.items()}
    items = compare_many_items(right, random_state=0).frequentist()
    assert items.loc["Cochran's Q", "pvalue"] == table.loc["Cochran's Q", "pvalue"]
    grades = compare_many_items({name: one + rng.random(200) for name, one in right.items()})
    grouped = compare_many(y, said, groups=np.arange(200) // 4)
    for ranking in (grades, grouped):
        with pytest.raises(ValueError, match=r"of three or more .* pairs\[i, j\].frequentist"):
            ranking.frequentist()
    two = compare_many(y, {"a": said["a"], "b": said["b"]}, random_state=0)
    assert list(two.frequentist().index) == [*MICRO, *MACRO]


def test_systems_on_data_sets():
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.normal([0.7, 0.71, 0.75, 0.8], 0.05, (12, 4)), columns=[*"abcd"])
    scores.iloc[0, 2] = np.nan
    ranking = compare_scores(scores, random_state=0)
    table = ranking.frequentist()
    complete = scores.to_numpy()[1:].T
    assert table.loc["Friedman", "pvalue"] == pytest.approx(
        stats.friedmanchisquare(*complete).pvalue
    )
    assert list(table.index) == ["Friedman", *["Nemenyi"] * 6]
    assert set(table["n"]) == {11}
    of_pairs = table.loc["Nemenyi"].set_index("compares")
    ranks = stats.rankdata(-complete, axis=0).mean(axis=1)
    assert np.sign(of_pairs.loc["a and d", "statistic"]) == np.sign(ranks[3] - ranks[0])
    display = ranking.plot("nemenyi")
    assert display.ranks.to_dict() == pytest.approx(dict(zip("abcd", ranks, strict=True)))
    joined = {(low, high) for low, high in display.bars()}
    apart = abs(ranks[:, None] - ranks) >= display.critical
    assert all(abs(low - high) < display.critical for low, high in joined)
    assert apart[0, 3] == (of_pairs.loc["a and d", "pvalue"] <= 0.05)


def test_ranks_that_cannot_be_shown():
    y = np.arange(60) % 2
    ranking = compare_many(y, {"a": y, "b": 1 - y, "c": y * 0}, random_state=0)
    with pytest.raises(ValueError, match="mean ranks over data sets, but this ranking is of 60"):
        ranking.plot("nemenyi")
    holes = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [2.0, np.nan, 1.0], "c": [np.nan, 1.5, 2.0]})
    with pytest.raises(ValueError, match="that all of them were run on, got 1"):
        compare_scores(holes, random_state=0).frequentist()
