"""Reports on `cv_results_`, as it is or read from a file, and on tables of trials; their names."""

import io

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.metrics import make_scorer, zero_one_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import compare_scores, count_scorer, refit_simplest, report_search
from skbayeseval.search.recorded import Recorded, name_candidates, varying

X, Y = load_breast_cancer(return_X_y=True)
GRID = [
    {"max_depth": [1, 3, None], "criterion": ["gini"]},
    {"min_samples_leaf": [50], "splitter": ["random"]},
]
FOLDS = {"rope": 0.02, "test_fraction": 0.2, "random_state": 0}
NUMBERS = ["observed", "mean", "hdi_low", "hdi_high", "p_best", "p_equivalent"]


def from_csv(results):
    """What a file has of the results."""
    return pd.read_csv(io.StringIO(pd.DataFrame(results).to_csv()))


def search_trees(scoring, refit=False, grid=None):
    tree = DecisionTreeClassifier(random_state=0)
    return GridSearchCV(tree, grid or GRID, cv=5, scoring=scoring, refit=refit).fit(X, Y)


@pytest.fixture(scope="module")
def counted():
    return search_trees(count_scorer([0, 1], also="f1"), "f1")


@pytest.fixture(scope="module")
def scored():
    return search_trees("roc_auc")


def assert_same(one, other):
    assert one.source == other.source
    pd.testing.assert_frame_equal(one.summary()[NUMBERS], other.summary()[NUMBERS])
    assert one.summary()["decision"].tolist() == other.summary()["decision"].tolist()
    assert one.candidates == other.candidates
    assert one.ranking.names == other.ranking.names


@pytest.mark.parametrize("loaded", [dict, from_csv])
@pytest.mark.parametrize("source", ["counts", "scores"])
def test_results_say_what_their_search_does(request, loaded, source):
    search = request.getfixturevalue("counted" if source == "counts" else "scored")
    metric = "f1" if source == "counts" else "roc_auc"
    report = report_search(loaded(search.cv_results_), scoring=metric, **FOLDS)
    assert (report.source, report.metric) == (source, metric)
    assert_same(report, report_search(search, **FOLDS))
    assert "splitter not specified" in report.details()
    loose = FOLDS | {"rope": 0.2}
    assert report_search(loaded(search.cv_results_), **loose).simplest("max_depth") == {
        "max_depth": 1,
        "criterion": "gini",
    }


def test_results_have_names_of_metrics_if_there_are_several_or_counts(counted, scored):
    assert report_search(counted.cv_results_, **FOLDS).metric == "f1"
    assert report_search(counted.cv_results_, scoring="score", **FOLDS).source == "counts"
    unnamed = report_search(scored.cv_results_, **FOLDS)
    assert unnamed.metric == "score"
    named = report_search(scored.cv_results_, scoring="roc_auc", **FOLDS)
    np.testing.assert_allclose(unnamed.summary()["p_best"], named.summary()["p_best"], atol=0.01)


def test_text_that_cannot_be_read_is_read_from_columns():
    """NumPy writes its numbers as np.float64(0.1); NaN is a parameter that is absent."""
    grid = [{"C": np.array([0.1, 10.0]), "gamma": ["auto"]}, {"kernel": ["linear"], "tol": [0.1]}]
    search = GridSearchCV(SVC(), grid, cv=3).fit(X[::4, :2], Y[::4])
    table = from_csv(search.cv_results_).drop(columns="mean_test_score")
    table["params"] = table["params"].str.replace("0.1,", "np.float64(0.1),")
    report = report_search(table, rope=0.02, test_fraction=1 / 3, random_state=0)
    assert report.candidates == {
        0: {"C": 0.1, "gamma": "auto"},
        1: {"C": 10.0, "gamma": "auto"},
        2: {"kernel": "linear", "tol": 0.1},
    }
    masked = {name: column for name, column in search.cv_results_.items() if name != "params"}
    again = report_search(masked, rope=0.02, test_fraction=1 / 3, random_state=0)
    assert_same(report, again)


def test_trials_need_parameters_and_scores_alone():
    rng = np.random.default_rng(0)
    scores = 0.9 + 0.01 * rng.normal(size=(4, 5)) - 0.2 * (np.arange(4) == 3)[:, None]
    columns = {f"split{i}_test_f1": scores[:, i] for i in range(5)}
    depths = [1, 2, 3, 4]
    trials = pd.DataFrame({"param_depth": depths, **columns, "iter": depths, "state": "done"})
    trials.index = list("abcd")
    report = report_search(trials, **FOLDS)
    assert (report.source, report.metric, len(report.candidates)) == ("scores", "f1", 4)
    assert report.ranking.names == ("depth=1", "depth=2", "depth=3", "depth=4")
    assert report.summary()["decision"][3] == "<<"
    np.testing.assert_allclose(report.summary()["observed"].sort_index(), scores.mean(axis=1))
    stopped = {f"split{i}_test_f1": None for i in range(5)} | {"param_depth": 9}
    report = report_search(pd.DataFrame([*trials.to_dict("records"), stopped]), **FOLDS)
    assert report.failed == (4,)
    dicts = pd.DataFrame({"params": [{"depth": depth} for depth in depths], **columns})
    assert_same(report_search(dicts, **FOLDS), report_search(trials, **FOLDS))
    ranking = compare_scores(
        {"depth=1": scores[0], "depth=2": scores[1]}, test_fraction=0.2, scoring="f1"
    )
    pair = report_search(trials[:2], **FOLDS).ranking.pairs["depth=1", "depth=2"]
    assert ranking.pairs[0, 1].probability(0.02) == pytest.approx(pair.probability(0.02))


def test_counts_alone():
    table = {
        f"split{split}_test_count_{i}_{j}": [90, 50] if i == j else [10, 50]
        for split in range(2)
        for i in range(2)
        for j in range(2)
    }
    report = report_search({"param_k": [1, 2], **table}, rope=0.05, random_state=0)
    assert (report.source, report.metric) == ("counts", "accuracy")
    np.testing.assert_allclose(report.summary()["observed"], [0.9, 0.5])


def test_positive_class_of_recorded_counts(counted):
    results = counted.cv_results_
    report = report_search(results, labels=[0, 1], pos_label=0, scoring="recall", **FOLDS)
    other = report_search(results, labels=[0, 1], pos_label=1, scoring="specificity", **FOLDS)
    np.testing.assert_allclose(report.ranking.observed, other.ranking.observed)
    with pytest.raises(ValueError, match="labels has 3 classes, but the counts have 2"):
        report_search(results, labels=[0, 1, 2], **FOLDS)


def test_unknown_splits_are_taken_as_refit_does():
    """Four splits may be two folds, repeated: wider than four folds."""
    cv = StratifiedKFold(4)
    tree = DecisionTreeClassifier(random_state=0)
    search = GridSearchCV(tree, {"max_depth": [1, 2, 5]}, cv=cv).fit(X, Y)
    cautious = report_search(search.cv_results_, rope=0.02, random_state=0)
    told = report_search(search.cv_results_, rope=0.02, test_fraction=0.25, random_state=0)
    widths = [
        (table["hdi_high"] - table["hdi_low"]).mean()
        for table in (cautious.summary(), told.summary())
    ]
    assert widths[0] > 1.2 * widths[1]
    words = (
        "  caution     splits are assumed to test 50% of the instances each, to be on the safe side"
    )
    assert words in str(cautious)
    assert words in cautious.details()
    assert "assumed to test" not in told.details()
    assert "learners trained on" not in cautious.details()
    for rope in (0.1, 0.2):
        chosen = refit_simplest("max_depth", rope=rope)(search.cv_results_)
        report = report_search(search.cv_results_, rope=rope, random_state=0)
        assert report.simplest_index("max_depth") == chosen


def table_of(**columns):
    scores = {f"split{i}_test_{name}": [0.9, 0.8] for i in (0, 1) for name in ("f1", "recall")}
    return {"param_k": [1, 2], **scores, **columns}


@pytest.mark.parametrize(
    ("results", "options", "error", "words"),
    [
        ({"a": 1}, {}, ValueError, r"columns split0_test_<name>.* got \['a'\]"),
        ("results.csv", {}, TypeError, "or a DataFrame of trials, got str"),
        (GridSearchCV(SVC(), {}), {}, NotFittedError, "not fitted yet"),
        (make_pipeline(GridSearchCV(SVC(), {})), {}, TypeError, r"must be a fitted .* Pipeline\."),
        (table_of(), {}, ValueError, r"several scores, \['f1', 'recall'\]"),
        (table_of(), {"scoring": "auc"}, ValueError, "'auc' was not recorded"),
        (table_of(), {"scoring": make_scorer(zero_one_loss)}, TypeError, "pass its scorer .* to"),
        (table_of(split2_test_f1=[1, 1]), {}, ValueError, "3 splits.*'split2_test_recall'"),
        (table_of(split1_test_f1=[1]), {"scoring": "f1"}, ValueError, "split1_test_f1 has 1"),
        (table_of(split1_test_f1=["a", "b"]), {"scoring": "f1"}, TypeError, "must contain numbers"),
        (table_of(split1_test_f1=[90.0, 80.0]), {"scoring": "f1"}, ValueError, "scores contain 90"),
        (
            {"param_k": [1], "split0_test_f1": [1], "split0_test_count_1_0": [1]},
            {},
            ValueError,
            "no column 'split0_test_count_0_0'",
        ),
        ({"split0_test_f1": [0.5]}, {}, ValueError, "must have the parameters of each candidate"),
        ({"params": ["C=1"], "split0_test_f1": [0.5]}, {}, ValueError, "or as dicts in params"),
        ({"param_k": [], "split0_test_f1": []}, {}, ValueError, "the results have no candidates"),
        (table_of(), {"X": X, "y": Y}, ValueError, "X and y require the fitted search itself"),
    ],
)
def test_what_is_wrong_is_told(results, options, error, words):
    with pytest.raises(error, match=words):
        report_search(results, rope=0.1, **options)


def test_splits_that_test_most_instances_are_no_folds():
    rng = np.random.default_rng(0)
    trials = {"params": [{"k": k} for k in range(3)]}
    trials |= {f"split{i}_test_score": rng.normal([0.80, 0.82, 0.84], 0.02) for i in range(5)}
    widths = []
    for share in (0.5, 0.8, 0.95):
        table = report_search(trials, rope=0.02, test_fraction=share, random_state=0).summary()
        widths.append(float(np.mean(table["hdi_high"] - table["hdi_low"])))
    assert 0 < widths[0] < widths[1] < widths[2]


def test_names_tell_what_varies():
    same = {"pca__n": 3}
    candidates = {4: {"svc__C": 0.1, **same}, 9: {"svc__C": 10.0, **same}}
    assert name_candidates(candidates) == ["C=0.1", "C=10"]
    assert name_candidates({0: {"k": 1}, 3: {"k": 1}}) == ["(candidate 0)", "(candidate 3)"]
    candidates = {0: {"k": [1]}, 1: {"k": [2]}, 2: {}}
    assert name_candidates(candidates) == ["k=[1]", "k=[2]", "(candidate 2)"]
    texts = ["a", "a ", "a (candidate 0)"]
    assert len(set(name_candidates({i: {"k": text} for i, text in enumerate(texts)}))) == 3
    # As many digits as tell candidates apart.
    candidates = {0: {"k": 0.10001}, 1: {"k": 0.10002}, 2: {"k": 5.0}}
    assert name_candidates(candidates) == ["k=0.10001", "k=0.10002", "k=5"]
    values = [0.3, 0.1 + 0.2, 10.0, np.nextafter(10.0, 11.0), (1.0, 2.0), (1.0, 2.00001)]
    names = name_candidates({i: {"k": value} for i, value in enumerate(values)})
    assert len(set(names)) == len(values)
    assert not any("candidate" in name for name in names)


def test_values_that_are_written_alike_vary():
    large = np.zeros(2000)
    other = large.copy()
    other[1000] = 1.0  # where the repr has dots
    fine = np.array([1.0 + 1e-12])
    assert varying([{"k": large}, {"k": other}]) == ["k"]
    assert varying([{"k": [fine]}, {"k": [np.ones(1)]}]) == ["k"]
    assert varying([{"k": large}, {"k": large.copy()}]) == []


def test_a_fit_failed_if_no_score_of_a_split_is_defined():
    nan = np.nan
    splits = {
        "split0_test_f1": [0.9, nan, nan, 0.9],
        "split1_test_f1": [0.8, 0.8, 0.8, nan],
        "split0_test_auc": [nan, 0.7, nan, 0.7],
        "split1_test_auc": [0.6, nan, 0.6, nan],
    }
    means = {"mean_test_f1": [nan] * 4, "mean_test_auc": [nan] * 4}
    results = {"params": [{"k": k} for k in range(4)]} | splits | means
    assert Recorded(results).failed().tolist() == [False, False, True, True]
