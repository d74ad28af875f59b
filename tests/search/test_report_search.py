import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import (
    load_breast_cancer,
    make_classification,
    make_regression,
)
from sklearn.linear_model import Ridge
from sklearn.metrics import f1_score, fbeta_score, make_scorer, mean_pinball_loss, r2_score
from sklearn.model_selection import (
    GridSearchCV,
    LeavePOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from skbayeseval import (
    BayesianComparer,
    BlockRegularizedCV,
    compare_confusion_matrices,
    compare_scores,
    count_scorer,
    load_result,
    metrics,
    refit_simplest,
    report_search,
)
from skbayeseval.models import Recalls
from skbayeseval.posterior.inferred_weight import infer_weight

DEPTHS = (1, 2, 3, 5, None)


def planted(tables, *, cv=None, n_splits=2, scoring=None, **attributes):
    """A finished search made by hand; a table a candidate, the same in every split."""
    tables = np.asarray(tables, dtype=float)
    size = tables.shape[1]
    results = {"params": [{"k": k} for k in range(len(tables))]}
    accuracy = np.trace(tables, axis1=1, axis2=2) / tables.sum(axis=(1, 2))
    columns = {f"count_{i}_{j}": tables[:, i, j] for i, j in np.ndindex(size, size)}
    for key, column in (columns | {"score": accuracy}).items():
        results |= {f"split{s}_test_{key}": column for s in range(n_splits)}
        results[f"mean_test_{key}"] = column
    search = GridSearchCV(
        GaussianNB(), {}, cv=cv or n_splits, scoring=scoring or count_scorer(range(size))
    )
    search.cv_results_ = results
    search.refit = "score"
    for name, value in attributes.items():
        setattr(search, name, value)
    return search


def right_of(n_right, n=1000):
    """Counts of two classes of n instances each, `n_right` of each right."""
    return [[n_right, n - n_right], [n - n_right, n_right]]


def sorted_scores(report):
    """The scores of the candidates in every split, the highest last."""
    scores = [of_one["test_score"] for of_one in report.ranking.cv_results.values()]
    return np.sort(np.transpose(scores))


def searched(X, y, depths=(1, 3), fit_params=None, **options):
    """A fitted search among trees of some depths."""
    tree = DecisionTreeClassifier(random_state=0)
    return GridSearchCV(tree, {"max_depth": list(depths)}, **options).fit(X, y, **fit_params or {})


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def trees(cancer):
    cv = BlockRegularizedCV(3, random_state=0)
    return searched(*cancer, DEPTHS, cv=cv, scoring=count_scorer([0, 1], also="f1"), refit="score")


@pytest.fixture
def ridge():
    X, y = make_regression(120, n_features=5, noise=20, random_state=0)
    return GridSearchCV(Ridge(), {"alpha": [0.1, 100.0]}, cv=4).fit(X, y), X, y


def test_planted_search_is_reported_rightly():
    rights, order = np.array([950, 700, 949, 951, 500, 930]), [3, 1, 5, 0, 2, 4]
    report, permuted = (
        report_search(planted([right_of(n) for n in of_each]), rope=0.02, random_state=0)
        for of_each in (rights, rights[order])
    )
    table = report.summary()
    columns = ["mean", "hdi_low", "hdi_high", "p_best", "p_equivalent"]
    found = permuted.summary().sort_index()[columns]
    np.testing.assert_allclose(found, table.loc[order, columns], atol=0.02)
    assert report.source == "counts"
    assert set(report.equivalent().index) == {0, 2, 3}
    assert set(table.index[table["decision"] == "<<"]) == {1, 4}
    assert table["decision"][5] == "?"
    assert table["p_best"].idxmax() == 3
    assert table["p_best"].sum() == pytest.approx(1)
    assert report.simplest(lambda p: -p["k"]) == {"k": 3}
    assert report.simplest("k") == {"k": 0}
    np.testing.assert_allclose(table["mean"][[0, 1, 4]], [0.95, 0.7, 0.5], atol=0.002)


def test_two_candidates_are_the_unpaired_comparison():
    """With what training sets add: splits that are all alike do not tell more than test noise."""
    a, b = [[90, 20, 5], [10, 80, 3], [2, 9, 60]], [[80, 30, 5], [10, 70, 13], [2, 19, 50]]
    search = planted([a, b], n_splits=6, cv=RepeatedStratifiedKFold(n_splits=2, n_repeats=3))
    report = report_search(search, rope=0.02, scoring="f1_macro", random_state=0)
    expected = compare_confusion_matrices(
        np.array([a] * 6), np.array([b] * 6), model=Recalls(), weight=1 / 3, scoring="f1_macro",
        random_state=1,
    )  # fmt: skip
    pair = report.ranking.pairs[0, 1]
    weight = infer_weight(1 / 3, instability=[1.0], by_class=True)
    assert report.ranking.weight == pytest.approx(weight.median)
    assert pair.model == expected.model == "recalls"
    assert pair.draws.mean() == pytest.approx(expected.draws.mean(), abs=0.001)
    wider = (weight.of_tests / weight.matching_variance) ** 0.5
    for draws, alone in zip(
        report.ranking.draws, (expected.draws_a, expected.draws_b), strict=True
    ):
        assert draws.std() == pytest.approx(wider * alone.std(), rel=0.03)
    # They differ by as much in all splits, so that they are not independent.
    assert 0.1 < pair.draws.std() / (wider * expected.draws.std()) < 0.9
    other = report.ranking.metric("accuracy").draws
    assert np.corrcoef(other[0], report.ranking.draws[0])[0, 1] > 0.8  # the same tables


def test_predictions_are_the_comparer(cancer, trees):
    report = report_search(trees, *cancer, rope=0.02, top=3, random_state=0)
    assert report.source == "predictions"
    assert len(report.candidates) == 3
    means = trees.cv_results_["mean_test_f1"]
    assert set(report.candidates) == set(np.argsort(-means)[:3])
    comparer = BayesianComparer(
        [
            (name, DecisionTreeClassifier(random_state=0, **of_one))
            for name, of_one in zip(report.ranking.names, report.candidates.values(), strict=True)
        ],
        cv=BlockRegularizedCV(3, random_state=0),
        scoring="f1",
        random_state=0,
    ).fit(*cancer)
    np.testing.assert_array_equal(comparer.ranking_.draws, report.ranking.draws)
    assert report.ranking.decision(0.02).states() == comparer.decision(0.02).states()
    columns = ["observed", "mean", "hdi_low", "hdi_high", "p_best"]
    summary, table = report.summary()[columns], comparer.ranking_.table[columns]
    np.testing.assert_array_equal(summary, table)
    assert "  note        these are the 3 most promising of 5 candidates" in str(report)
    left_out = "simplest() chooses among these, top=5 compares all"
    assert left_out in str(report)
    assert left_out in report.explain()
    assert "trained on 284 instances" in str(report)
    for i, name in zip(report.candidates, report.ranking.names, strict=True):
        again = comparer.cv_results_[name]["test_score"]
        np.testing.assert_allclose(again.mean(), means[i])


def test_failures_are_left_out(cancer):
    with pytest.warns((sklearn.exceptions.FitFailedWarning, UserWarning)):
        search = searched(*cancer, (1, 3, -1), scoring=count_scorer([0, 1]), refit="score")
    for data in ((), cancer):
        report = report_search(search, *data, rope=0.1, random_state=0)
        assert report.failed == (2,)
        assert sorted(report.candidates) == [0, 1]
        words = "  note        left out because a fit or a score failed: candidates 2"
        assert words in str(report).splitlines()
        assert words in report.details().splitlines()
        assert "most promising" not in report.details()
    search.cv_results_["split0_test_count_0_1"] = np.full(3, np.nan)
    with pytest.raises(ValueError, match="all 3 candidates failed"):
        report_search(search, rope=0.1)


@pytest.mark.parametrize(
    ("cv", "n", "told"),
    [
        (ShuffleSplit(3), 30, r"cv=ShuffleSplit.* splits at every call.*an int random"),
        (LeavePOut(1), 40, "data of the search"),
    ],
    ids=["other splits", "other data"],
)
def test_splits_that_cannot_be_repeated_are_refused(cancer, cv, n, told):
    X, y = cancer
    search = searched(X[:30], y[:30], cv=cv)
    with pytest.raises(ValueError, match=told):
        report_search(search, X[:n], y[:n], rope=0.02)


def test_a_page_of_recorded_counts_has_other_models(cancer, tmp_path):
    search = searched(*cancer, scoring=count_scorer([0, 1]), refit="score")
    ranking = report_search(search, rope=0.02, n_draws=200, random_state=0).ranking
    ranking.report(tmp_path / "page.html", rope=0.02)
    first, last = ranking.pairs[0, 1], ranking.pairs[1, 0]
    tables = [pair.prior_sensitivity(0.02) for pair in (first, last)]
    np.testing.assert_allclose(tables[0]["mean"], -tables[1]["mean"], atol=0.01)


def test_an_iterator_of_splits_serves_once(cancer):
    X, y = cancer
    splits = StratifiedKFold(3).split(X, y)
    search = searched(X, y, cv=splits, scoring=count_scorer([0, 1]), refit="score")
    with pytest.raises(ValueError, match="exhausted"):
        report_search(search, X, y, rope=0.02)
    with pytest.raises(ValueError, match=r"does not determine the weight.*test_fraction="):
        report_search(search, rope=0.02)
    folds, at_random = (
        report_search(search, rope=0.02, test_fraction=share).ranking.weight
        for share in (1 / 3, 2 / 3)
    )
    assert 0.5 < folds <= 1
    # An instance in a share f of J test sets is tested 1 - f + J f times where it is tested at all.
    assert at_random == pytest.approx(folds * 3 / 7)


def test_scores_are_handed_on(cancer):
    search = searched(*cancer, cv=4, scoring="roc_auc")
    report = report_search(search, rope=0.01, random_state=0)
    assert (report.source, report.metric) == ("scores", "roc_auc")
    a, b = ([search.cv_results_[f"split{s}_test_score"][i] for s in range(4)] for i in range(2))
    for given, fraction in (({}, 0.25), ({"test_fraction": 0.1}, 0.1)):
        pair = report_search(search, rope=0.01, random_state=0, **given).ranking.pairs[0, 1]
        expected = compare_scores(a, b, test_fraction=fraction)
        assert pair.probability(0.01) == pytest.approx(expected.probability(0.01))
    search.cv = LeavePOut(2)
    with pytest.raises(ValueError, match="correlation between its splits"):
        report_search(search, rope=0.01)
    chosen = refit_simplest("max_depth", rope=0.01, test_fraction=0.25)(search.cv_results_)
    assert chosen == report.simplest_index("max_depth")


def test_one_candidate_is_the_best_of_one(cancer):
    search = searched(*cancer, [2], cv=4)
    for report in (
        report_search(search, rope=0.01, random_state=0),
        report_search(search, *cancer, rope=0.01, random_state=0),
        report_search(planted([right_of(900)]), rope=0.1, random_state=0),
    ):
        assert report.summary()["p_best"].tolist() == [1]
        assert list(report.equivalent().index) == [0]
        assert report.simplest(lambda p: 0) == report.candidates[0]
        assert "There is only one candidate, " in str(report)
        assert "no other candidate" in report.explain()
        assert "=" in report.ranking.names[0]


def test_scores_of_regressors_are_computed_again(ridge):
    search, X, y = ridge
    scorer = make_scorer(mean_pinball_loss, alpha=0.3, greater_is_better=False)
    report = report_search(search, X, y, rope=1.0, scoring=metrics.pinball(0.3), n_draws=200)
    expected = [
        cross_val_score(Ridge(alpha), X, y, cv=4, scoring=scorer).mean() for alpha in (0.1, 100.0)
    ]
    np.testing.assert_allclose(report.ranking.observed, expected)
    for scoring in (None, "r2", make_scorer(r2_score)):
        report = report_search(search, X, y, rope=0.01, scoring=scoring, n_draws=200)
        assert (report.source, report.metric) == ("predictions", "r2")
        np.testing.assert_allclose(report.ranking.observed, search.cv_results_["mean_test_score"])
    several = np.column_stack([y, -y])  # several numbers per instance have their scores alone
    search = clone(search).fit(X, several)
    with pytest.warns(UserWarning, match="known only by its value in each split"):
        assert report_search(search, X, several, rope=0.01).source == "scores"


def test_scorers_that_may_be_anything_are_known_by_their_values(cancer):
    X, y = cancer
    own = make_scorer(f1_score, pos_label=0)

    def cost(estimator, X, y, sample_weight=None):
        return float(np.average((estimator.predict(X) == y) * X[:, 0], weights=sample_weight))

    for scoring, key in ((lambda *given: {"f1": own(*given)}, "f1"), (cost, "score")):
        refit = key if key == "f1" else True
        search = searched(X, y, cv=4, refit=refit, scoring=scoring)
        for given in ({}, {"scoring": key}):
            with pytest.warns(UserWarning, match=f"'{key}' is known only by its value in each"):
                report = report_search(search, X, y, rope=0.01, random_state=0, **given)
            assert report.source == "scores"
            means = search.cv_results_[f"mean_test_{key}"]
            np.testing.assert_allclose(report.ranking.observed, means)


@pytest.mark.parametrize(("several", "asked"), [(True, "name"), (False, "scorer")])
def test_scorers_of_the_search_are_computed_again(cancer, several, asked):
    X, y = (column[::24] for column in cancer)  # scikit-learn is called for every draw
    names = np.array(["malignant", "benign"])[y]
    own = make_scorer(f1_score, pos_label="malignant")
    scoring, refit = ({"f1": own, "acc": "accuracy"}, "f1") if several else (own, True)
    search = searched(X, names, cv=2, refit=refit, scoring=scoring)
    key = "f1" if several else "score"
    expected = [search.cv_results_[f"split{s}_test_{key}"] for s in range(2)]
    given = {"name": key, "scorer": own}[asked]
    report = report_search(search, X, names, rope=0.01, n_draws=100, scoring=given)
    assert report.source == "predictions"
    np.testing.assert_allclose(sorted_scores(report), np.sort(expected))
    assert report.metric == ("f1" if several else "f1_score")


def test_scorers_that_the_search_does_not_know(cancer):
    X, y = (column[::24] for column in cancer)
    search, scorer = searched(X, y, cv=2), make_scorer(fbeta_score, beta=3, pos_label=0)
    report = report_search(search, X, y, rope=0.01, scoring=scorer, n_draws=100)
    expected = [
        cross_val_score(clone(search.estimator).set_params(**one), X, y, cv=2, scoring=scorer)
        for one in search.cv_results_["params"]
    ]
    np.testing.assert_allclose(sorted_scores(report), np.sort(np.transpose(expected)))
    with pytest.raises(ValueError, match=r"scoring=make_scorer\(fbeta_score.* requires X and y"):
        report_search(search, rope=0.01, scoring=scorer)


@pytest.mark.parametrize(("labels", "pos_label"), [([1, 0], None), ([0, 1], 0)])
def test_refit_finds_the_positive_class(cancer, labels, pos_label):
    X, y = cancer
    refit = refit_simplest("max_depth", rope=0.05, cv=3)
    scorer = count_scorer(labels, also="f1", pos_label=pos_label)
    search = searched(X[:, :6], y, (1, 3), cv=3, refit=refit, scoring=scorer)
    report = report_search(search, rope=0.05, random_state=0)
    assert search.best_index_ == report.simplest_index("max_depth")
    observed, means = report.ranking.observed, search.cv_results_["mean_test_f1"]
    np.testing.assert_allclose(observed, means, atol=0.01)


@pytest.mark.parametrize("error_score", [np.nan, 0])
def test_splits_that_failed_are_not_counted(error_score):
    search = planted([right_of(900), right_of(910), right_of(905), right_of(900)], n_splits=4)
    for key, column in search.cv_results_.items():
        if key.startswith("split1_"):
            search.cv_results_[key] = np.where(np.arange(4) == 2, error_score, column)
    report = report_search(search, rope=0.01, random_state=0)
    assert report.failed == (2,)


def test_candidates_are_picked_by_what_is_asked_for():
    X, y = make_classification(
        600, 6, n_informative=4, weights=[0.9], class_sep=0.5, random_state=0
    )
    grid = [{"max_depth": [1, 2, 3]}, {"class_weight": ["balanced"], "max_depth": [1, 2]}]
    inner, tree = count_scorer([0, 1]), DecisionTreeClassifier(random_state=0)
    asked = {"rope": 0.02, "scoring": "recall", "top": 2, "random_state": 0}
    for scoring in (inner, lambda *given: inner(*given), None):
        refit = True if scoring is None else "score"
        search = GridSearchCV(tree, grid, cv=StratifiedKFold(3), scoring=scoring, refit=refit)
        report = report_search(search.fit(X, y), X, y, **asked)
        assert (sorted(report.candidates) == [3, 4]) == (scoring is not None)
        by_others = "  candidates  were selected by their recorded score\n" in report.details()
        assert by_others == (scoring is None)
    everyone = report_search(search, X, y, **asked | {"top": 5})
    assert "selected by" not in everyone.details()


def test_one_split_has_counts_but_no_spread():
    search = planted([right_of(900), right_of(910)], n_splits=1, cv=ShuffleSplit(1, test_size=0.2))
    assert report_search(search, rope=0.01, random_state=0).source == "counts"
    search.cv_results_ = {k: v for k, v in search.cv_results_.items() if "count" not in k}
    search.scoring = "accuracy"
    with pytest.raises(ValueError, match="single split"):
        report_search(search, rope=0.01)


def test_a_saved_ranking_of_counts_has_the_same_pairs(tmp_path):
    a, b = right_of(950), right_of(900)
    ranking = report_search(planted([a, b, a]), rope=0.02, random_state=0).ranking
    ranking.save(tmp_path / "file")
    again = load_result(tmp_path / "file")
    for i, j in ((0, 1), (2, 1)):
        np.testing.assert_array_equal(again.pairs[i, j].draws, ranking.pairs[i, j].draws)
    assert again.table.equals(ranking.table)


@pytest.mark.slow
def test_equal_candidates_are_not_called_worse():
    """Thirty candidates with the same accuracy, wrong on independent instances."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    X = np.where(rng.random((300, 30)) < 0.9, y[:, None], 1 - y[:, None])
    columns = ColumnTransformer([("k", "passthrough", [0])])
    pipeline = make_pipeline(columns, DecisionTreeClassifier(max_depth=1))
    grid = {"columntransformer__transformers": [[("k", "passthrough", [k])] for k in range(30)]}
    search = GridSearchCV(pipeline, grid).fit(X, y)
    report = report_search(search, X, y, rope=0.01, top=30, n_draws=4000, random_state=0)
    table = report.summary()
    assert (report.source, "<<" in table["decision"].tolist()) == ("predictions", False)
    assert np.ptp(table["mean"]) < 0.6 * np.ptp(search.cv_results_["mean_test_score"])
    before = report.ranking.draws
    assert ((before - before.max(axis=0) < -0.01).mean(axis=1) > 0.95).any()


def test_a_percentage_is_of_the_error_of_the_best(ridge):
    _, X, y = ridge
    options = {"cv": 4, "scoring": "neg_mean_absolute_error"}
    search = GridSearchCV(Ridge(), {"alpha": [1.0, 1e6, 1e9]}, **options).fit(X, y)
    best = 0.05 * -search.best_score_
    for data, error in (((), 1e-6), ((X, y), 0.05)):
        report = report_search(search, *data, rope="5%", random_state=0)
        assert report.rope == pytest.approx((-best, best), rel=error)
    search.set_params(refit=refit_simplest("alpha", rope="20%", **options)).fit(X, y)
    assert search.best_params_ == {"alpha": 1.0}
