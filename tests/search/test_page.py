import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from skbayeseval import count_scorer, report_search
from tests.pages.markup import Markup
from tests.results.test_report import check_page


@pytest.fixture(scope="module")
def reports():
    X, y = load_iris(return_X_y=True)
    grid = {"n_neighbors": [1, 5, 9, 99], "weights": ["uniform", "distance"]}
    search = GridSearchCV(
        KNeighborsClassifier(), grid, scoring=count_scorer([0, 1, 2]), refit="score"
    ).fit(X, y)
    by_scores = GridSearchCV(KNeighborsClassifier(), grid).fit(X, y)
    options = {"rope": 0.05, "random_state": 0, "n_draws": 2000}
    return {
        "counts": report_search(search, **options),
        "predictions": report_search(search, X, y, top=3, **options),
        "scores": report_search(by_scores, test_fraction=0.2, **options),
    }


@pytest.fixture(params=["counts", "predictions", "scores"])
def report(reports, request):
    return reports[request.param]


def test_words_name_the_best_and_all_groups(report):
    words = report.explain()
    table = report.summary()
    row = table.iloc[0]
    name = f"n_neighbors={row['n_neighbors']}, weights={row['weights']}"
    assert words.partition(" is the best")[0].partition(" (with ")[0].endswith(name)
    numbers = [int((table["decision"] == code).sum()) for code in ("~", "<<", "?")]
    said = "within 0.05: {}. Surely worse: {}. Not settled: {}."
    assert said.format(*numbers) in words
    assert "pplies to" in words
    for paragraph in words.split("\n\n"):
        assert paragraph.endswith(".")


def test_a_page(report, tmp_path):
    report.report(tmp_path / "page.html")
    found = check_page((tmp_path / "page.html").read_text(encoding="utf-8"))
    answer = report._answer(None)
    for sentence in [answer.headline, *answer.meaning, *answer.applies, *answer.open]:
        assert found.text.count(sentence) == 1
    assert found.tags.count("img") == 1
    for title in ("Evidence", "Model and prior", "Computation", "To reproduce this"):
        assert title in found.text


def test_a_notebook_view(report):
    found = Markup(report._repr_html_())
    assert found.tags.count("img") == found.tags.count("table") == 1
    assert report._answer(None).headline in found.text


def test_parameters_stay_text(tmp_path):
    evil = "<script>alert(1)</script>"
    X, y = load_iris(return_X_y=True)

    class Named(KNeighborsClassifier):
        def __init__(self, note="", n_neighbors=5):
            super().__init__(n_neighbors=n_neighbors)
            self.note = note

    search = GridSearchCV(Named(), {"note": [evil, ""], "n_neighbors": [3]}).fit(X, y)
    report = report_search(search, rope=0.05, test_fraction=0.2, random_state=0, n_draws=500)
    report.report(tmp_path / "page.html")
    assert evil in check_page((tmp_path / "page.html").read_text(encoding="utf-8")).text
    found = Markup(report._repr_html_())
    assert evil in found.text
    assert "script" not in found.tags
