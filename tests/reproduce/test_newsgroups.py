"""The papers of Zhang et al.: quick on documents made up, slow on 20 Newsgroups."""

import numpy as np
import pytest
from sklearn.utils import Bunch

from skbayeseval import ComparisonResult, compare_predictions
from skbayeseval.cli import main
from skbayeseval.judgement.frequentist import mcnemar, two_proportion_z
from skbayeseval.reproduce import acl2019, reproduce
from skbayeseval.reproduce import newsgroups as papers
from skbayeseval.reproduce.tables import Report, Table, load_published

# The paper's model is what is wanted, whatever its prior does.
pytestmark = pytest.mark.filterwarnings("ignore:The published prior of model='hierarchical'")


@pytest.fixture(autouse=True)
def _fit_anew():
    papers.predict.cache_clear()
    yield
    papers.predict.cache_clear()


@pytest.fixture
def offline(monkeypatch):
    def fail(**options):
        raise OSError("<urlopen error\nno network>")

    monkeypatch.setattr(papers, "fetch_20newsgroups_vectorized", fail)


@pytest.fixture
def made_up(monkeypatch):
    """Stand in for the data: 20 categories, a word that tells each, and noise."""
    rng = np.random.default_rng(0)

    def fetch(*, subset, remove, data_home):
        assert remove == ("headers", "footers", "quotes")
        target = np.repeat(np.arange(20), 6)
        words = rng.random((len(target), 30))
        words[np.arange(len(target)), target] += 0.8
        return Bunch(data=words, target=target, target_names=[f"group {i}" for i in range(20)])

    monkeypatch.setattr(papers, "fetch_20newsgroups_vectorized", fetch)


def test_missing_data_is_one_line_and_exit_code_2(offline, tmp_path, capsys):
    assert main(["reproduce", "icdm2015", "--output", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    lines = [line for line in out.splitlines() if "20 Newsgroups is not in" in line]
    assert len(lines) == 2  # where it happened, and at the end
    assert "skipped" in lines[0]
    assert not err


def test_the_rest_still_runs(offline, tmp_path, monkeypatch):
    ran = []
    monkeypatch.setattr(
        papers, "power", lambda report: ran.append("Table 3") or Table("Table 3", [])
    )
    monkeypatch.setattr(acl2019, "run", lambda report, conll: ran.append("ACL"))
    report = reproduce(["sigir2016", "acl2019"], tmp_path, write=lambda text: None)
    assert ran == ["Table 3", "ACL"]
    assert len(report.missing) == 1


def test_every_printed_number_has_a_line(made_up, monkeypatch):
    monkeypatch.setattr(ComparisonResult, "bayes_factor", lambda *_, **options: Bunch(value=1.0))
    found = papers.predict()
    tables = [
        (papers.documents(found), 40),
        (papers.f1_of_each(found), 88),
        (papers.frequentist_tests(found), 12),
        (papers.averages(found, n_draws=100), 60),
        (papers.confusion(found), 4),
        *((table, 220) for table in papers.categories(found, n_draws=100)),
    ]
    for table, size in tables:
        assert len(table.lines) == size
        assert len({(line.row, line.column) for line in table.lines}) == size
    assert len(papers.draw_confusion(found).axes) == 4


def test_unknown_paper(tmp_path, capsys):
    with pytest.raises(ValueError, match="acl2020.*Valid papers are"):
        reproduce(["acl2020"], tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main(["reproduce", "acl2020"])


def lines_of(table):
    return {(line.row, line.column): line for line in table.lines}


@pytest.mark.slow
def test_table_3_of_sigir2016(tmp_path):
    table = papers.power(Report(tmp_path, lambda text: None))
    assert len(table.inside) == 28


@pytest.mark.slow
def test_icdm2015_with_the_data(newsgroups, tmp_path, monkeypatch):
    monkeypatch.setattr(papers, "predict", lambda home: as_newsgroups(newsgroups))
    report = Report(tmp_path, lambda text: None)
    papers.icdm2015(report)
    outside = {(line.row, line.column) for table in report.tables for line in table.outside}
    assert outside <= {("SVM_L1", "category 19")}
    figures = {path.stem for path in tmp_path.iterdir()}
    assert figures == {f"icdm2015_figure_{i}" for i in (3, 4, 5, 6)}
    for (row, column), line in lines_of(report.tables[3]).items():  # Table IV
        if column in ("mean", "HDI low", "HDI high"):
            assert abs(line.difference) <= (0.003 if "SVM" in row else 0.002), (row, column)


@pytest.mark.slow
def test_sigir2016_with_the_data(newsgroups):
    # With 24 million draws, the HDI of category 19 in Table 4 is [-0.1000, 0.0189], which is at its
    # bound: [-0.097, 0.022] as published, give or take 0.003.
    at_its_bound = {("category 19", "HDI low"), ("category 19", "HDI high")}
    for number, table in enumerate(papers.categories(as_newsgroups(newsgroups))):
        assert len(table.outside) <= (2, 30, 2)[number]
        outside = {(line.row, line.column) for line in table.outside}
        columns = {column for _, column in outside}
        if number:
            assert not columns & {"mean", "std", "HDI low", "HDI high"}
            assert number == 1 or not columns & {"sign test p", "t-test p"}
        else:
            assert outside <= at_its_bound
        lines = lines_of(table)
        for (row, column), line in lines.items():
            if line.inside is False:
                assert table.reason(line)
            if column == "mean":
                assert abs(line.difference) <= (0.004 if number else 0.003), row
            if column == "std":
                assert abs(line.difference) <= 0.0015, row
            # Where 0 lies in a tail the factor moves fast with the mean: category 16 of Table 5
            # is 0.95, 22% from print, and by 50,000 draws it strays from 0.85 to 1.02.
            if column == "Bayes factor" and line.paper > 0.5:
                assert line.inside, row
            # Where a printed end lies on the edge of the ROPE, noise decides on which side.
            ends = [lines[row, f"HDI {end}"].paper for end in ("low", "high")]
            if column == "decision" and np.abs(np.abs(ends) - 0.05).min() > 0.004:
                assert line.inside, row


@pytest.mark.slow
def test_p_values_of_table_5_of_sigir2016(newsgroups):
    # The p-values of a near tie move by 0.06 with one document, and SVM_L1's predictions differ
    # in 3 to 7 of the 7532 documents between seeds of its solver: two documents of a category may
    # have been decided otherwise.
    table = load_published("sigir2016_tables_4_5_6")["tables"]["table5"]
    for row in table["rows"]:
        truth, *said = (
            newsgroups[name] == row["category"] for name in ("truth", table["a"], table["b"])
        )
        found = compare_predictions(truth, *said, n_draws=100, random_state=0).frequentist()
        only_a, n = found.loc["sign test", ["statistic", "n"]].astype(int)
        shifts = [(i, j) for i in range(-2, 3) for j in range(-2, 3) if abs(i) + abs(j) <= 2]
        sign = [mcnemar(only_a + i, n - only_a + j).pvalue for i, j in shifts]
        assert np.abs(np.array(sign) - row["sign_test_p"]).min() < 0.001, row
        right, size = [int(np.sum(truth == one)) for one in said], len(truth)
        z = [two_proportion_z(right[0] + i, size, right[1], size).pvalue for i in range(-2, 3)]
        assert np.abs(np.array(z) - row["t_test_p"]).min() < 0.001, row


def as_newsgroups(found):
    published = load_published("icdm2015_tables")["table1"]
    predictions = {name: labels for name, labels in found.items() if name != "truth"}
    train = np.repeat(np.arange(20), published["train"])
    return Bunch(train=train, truth=found["truth"], predictions=predictions)
