"""Several columns, kinds of tables, scores and groups."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import get_scorer_names

from skbayeseval import compare_many, compare_predictions
from skbayeseval.metrics import known_metrics
from skbayeseval.metrics.batched import SCORERS

QUICK = "--draws 500"
OPTIONS = {"n_draws": 500, "random_state": 0}


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 80)
    frame = pd.DataFrame({"y": y, "doc": np.arange(80) // 4})
    for name, wrong in (("nb", 0.1), ("svm", 0.2), ("tree", 0.5)):
        frame[name] = np.where(rng.random(80) < wrong, 1 - y, y)
        frame[f"p_{name}"] = (y + rng.normal(size=80) * 4 * wrong).round(3)
    return frame


@pytest.fixture
def path(table, tmp_path):
    path = tmp_path / "table.csv"
    table.to_csv(path, index=False)
    return str(path)


def test_more_than_two_columns(path, table, reported):
    columns = "--truth y --a nb --b svm --b tree"
    report = reported(f"compare {columns} {path} --scoring f1 --scoring recall {QUICK}")
    expected = compare_many(
        table["y"], {name: table[name] for name in ("nb", "svm", "tree")}, scoring="f1", **OPTIONS
    )
    assert report["names"] == ["nb", "svm", "tree"]
    found = {row["classifier"]: row["mean"] for row in report["ranking"]["f1"]}
    assert found == pytest.approx(expected.table["mean"].to_dict())
    assert len(report["summary"]["recall"]) == 3


@pytest.mark.parametrize("columns", ["--a nb --b svm", "--score-a q_nb --score-b q_svm"])
def test_every_name_of_a_scorer(columns, path, table, run):
    """What the columns suffice for is compared; the rest is refused in one line."""
    table = table.assign(**{f"q_{k}": 1 / (1 + np.exp(-table[f"p_{k}"])) for k in ("nb", "svm")})
    table.to_csv(path, index=False)
    names = {*get_scorer_names(), *SCORERS} - {*known_metrics()}
    compared = set()
    for name in sorted(names):
        code, said = run(f"compare {path} --truth y {columns} --draws 100 --scoring {name}")
        error = said.err
        assert code == 2 * bool(error)
        if code == 0:
            compared.add(name)
        else:
            assert re.fullmatch(r"skbayeseval compare: error: .*\n", error)
            assert name in error or "does not apply to predictions of numbers" in error
    of_scores = {"d2_brier_score", "d2_log_loss_score", "top_k_accuracy"} & names
    assert compared == (of_scores if "score" in columns else {"d2_absolute_error_score"})


@pytest.mark.parametrize("option", ["--truth", "--a", "--rope", "--score-a", "--groups"])
def test_no_option_replaces_another(option, path, refused):
    message = f"argument {option}: may be given only once"
    refused(message, f"compare {path} --b svm {option} 1 {option} 2")


def test_a_file_that_is_taken_for_a_name(path, refused):
    message = "required: FILE, before options that take several values"
    refused(message, f"compare --truth y --a nb --b svm --names x z {path}")


class TestTables:
    COLUMNS = f"--truth y --a nb --b svm --scoring f1 {QUICK}"

    @pytest.fixture
    def expected(self, table):
        return compare_predictions(
            table["y"], table["nb"], table["svm"], scoring="f1", **OPTIONS
        ).draws.mean()

    @pytest.mark.parametrize("separator", ["\t", ";"])
    def test_separators(self, separator, table, tmp_path, expected, reported):
        path = tmp_path / "table.txt"
        table.to_csv(path, index=False, sep=separator)
        report = reported(f"compare {path} {self.COLUMNS}")
        assert report["summary"]["f1"]["mean"] == pytest.approx(expected)

    def test_parquet(self, table, tmp_path, expected, reported, refused):
        duckdb = pytest.importorskip("duckdb")
        path = tmp_path / "table.parquet"
        frame = table.rename(columns={"svm": 's "v" m'})
        duckdb.from_df(frame).write_parquet(str(path))
        arguments = f"compare {path} --truth y --a nb --scoring f1 {QUICK} --b"
        report = reported(arguments, 's "v" m')
        assert report["summary"]["f1"]["mean"] == pytest.approx(expected)
        refused("--b missing: no such column in", arguments, "missing")

    def test_standard_input(self, table, expected, reported, refused, monkeypatch):
        data = table.to_csv(index=False, sep=";").encode("utf-8-sig")
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        report = reported(f"compare - {self.COLUMNS}")
        assert report["summary"]["f1"]["mean"] == pytest.approx(expected)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        message = "--truth z: no such column in standard input"
        refused(message, "compare - --truth z --a nb --b svm")
        monkeypatch.setattr("sys.stdin", None)  # as `<&-` makes it
        refused("- is standard input, which is closed", f"compare - {self.COLUMNS}")


class TestScores:
    def test_scores_alone(self, path, table, reported):
        columns = "--truth y --score-a p_nb --score-b p_svm --scoring roc_auc"
        report = reported(f"compare {path} {columns} {QUICK}")
        expected = compare_predictions(
            table["y"], None, None, y_score_a=table["p_nb"], y_score_b=table["p_svm"],
            scoring="roc_auc", **OPTIONS,
        )  # fmt: skip
        assert report["names"] == ["p_nb", "p_svm"]
        assert report["metrics"][0]["observed"] == pytest.approx(
            [expected.observed_a, expected.observed_b]
        )
        assert report["summary"]["roc_auc"]["mean"] == pytest.approx(expected.draws.mean())

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ("--score-a p_nb", "--score-b must name columns"),
            ("--score-b p_nb", "--score-a must name columns"),
            ("--score-a p_nb --score-b p_svm --a nb", "--b must name columns"),
            ("--a nb --b svm", "requires instance scores"),
            (
                "--score-a y --score-b p_svm --score-b p_tree --a nb --b svm",
                "as many columns, got 1 and 2",
            ),
            ("--score-a doc --score-b word", "--score-b word: 'w' in row 1 ... scores are numbers"),
        ],
    )
    def test_columns_that_do_not_fit(self, columns, message, table, tmp_path, refused):
        path = tmp_path / "scores.csv"
        table.assign(word="w").to_csv(path, index=False)
        refused(message, f"compare {path} --truth y {columns} --scoring roc_auc")


class TestCountedParquet:
    """Two columns of labels in Parquet are counted by DuckDB, and give what their text gives."""

    @pytest.fixture
    def files(self, tmp_path):
        duckdb = pytest.importorskip("duckdb")
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 300)
        table = pd.DataFrame({"y": y, "nb": y, "svm": rng.integers(0, 2, 300)})
        table["nb"] = np.where(rng.random(300) < 0.2, 1 - y, y)
        table["doc"] = rng.integers(0, 30, 300)
        table.to_csv(tmp_path / "table.csv", index=False)
        duckdb.from_df(table).write_parquet(str(tmp_path / "table.parquet"))
        table["svm"] = table["svm"].astype("Int64").where(table.index > 1)
        duckdb.from_df(table).write_parquet(str(tmp_path / "holes.parquet"))
        return tmp_path

    COLUMNS = "--truth y --a nb --b svm"

    @pytest.mark.parametrize(
        "options",
        [
            "--scoring f1",
            "--groups doc",  # a model without a proper prior, and so without a Bayes factor
            "--pos-label 0 --scoring recall",
        ],
    )
    def test_the_same_as_csv(self, files, run, options):
        of_text, counted = (
            run(f"compare {files / name} {self.COLUMNS} {options} --rope 0.01")
            for name in ("table.csv", "table.parquet")
        )
        assert counted == of_text
        assert counted[0] == 0

    @pytest.mark.parametrize(
        ("name", "options", "message"),
        [
            ("holes", "", "--b svm: 2 of 300 labels in"),
            ("table", "--groups site", "--groups site: no such column in"),
            ("table", "--labels 1 2", "--truth y"),
        ],
    )
    def test_errors(self, files, name, options, message, refused):
        refused(message, f"compare {files / name}.parquet {self.COLUMNS} {options}")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_probabilities_are_no_labels(kind, table, tmp_path, refused):
    table["p_nb"] = [0, 1, *table["p_nb"][2:]]  # some are true labels all the same
    path = tmp_path / f"table.{kind}"
    if kind == "csv":
        table.to_csv(path, index=False)
    else:
        duckdb = pytest.importorskip("duckdb")
        duckdb.from_df(table).write_parquet(str(path))
    for a, b, option in (("p_nb", "svm", "a"), ("svm", "p_nb", "b")):
        refused(
            f"--{option} p_nb must contain labels, got numbers such as ... "
            f"Pass probabilities and other scores as --score-{option} p_nb, with",
            f"compare {path} --truth y --a {a} --b {b}",
        )


@pytest.mark.filterwarnings("default")
def test_warnings_are_printed_as_errors_are(path, table, run):
    table["turned"] = -table["p_svm"]
    table["word"], table["other"] = (
        table[name].map({0: "ham", 1: word}) for name, word in (("y", "spam"), ("nb", "Spam"))
    )
    table["same"] = table["svm"].map({0: "ham", 1: "spam"})
    table.to_csv(path, index=False)
    turned = "--truth y --score-a p_nb --score-b turned --scoring roc_auc"
    spelled = "--truth word --a same --b other"
    for columns, message in (
        (turned, r"The ROC AUC of --score-b is 0.\d+, far below 0.5. .* or --pos-label\."),
        (spelled, r"The labels of --b may be .* --truth: .* pass --labels with all classes\."),
    ):
        arguments = f"compare {path} {columns} {QUICK}"
        code, said = run(arguments)
        assert code == 0
        assert re.fullmatch(f"skbayeseval compare: warning: {message}\n", said.err), said.err
        # A gate would be passed, and nobody would read the warning.
        code, said = run(f"{arguments} --gate better")
        assert code == 2
        expected = f"skbayeseval compare: error: {message} --gate does not judge such data.\n"
        assert re.fullmatch(expected, said.err), said.err
    assert run(f"{arguments} --gate better --labels ham spam Spam")[0] == 0


def test_percentages(path, reported, refused):
    base = f"compare {path} --truth y --a nb --b svm --rope"
    assert reported(f"{base} 2.5% {QUICK}")["rope"] == pytest.approx(0.025)
    for text in ("1,5", "one%", "1%%", "-1", "nan"):
        refused(f"must be a number of 0 or more, such as 0.01 or 1%, got '{text}'", base, text)


def test_disagreements(tmp_path, run, refused):
    path, saved = tmp_path / "p.csv", tmp_path / "out.csv"
    rows = "a,a,b,one\nb,b,b,two\nb,a,b,three\na,b,b,four\n" * 5
    path.write_text(f"y,nb,svm,text\n{rows}")
    line = f"compare {path} --truth y --a nb --b svm --draws 200"
    code, said = run(f"{line} --disagreements {saved}")
    assert code == 0
    assert said.out.endswith(f"10 disagreements: {saved}\n")
    assert saved.read_text().splitlines()[:3] == [
        "row,truth,nb,svm,difference,better,text",
        "0,a,a,b,1.0,nb,one",
        "2,b,a,b,-1.0,svm,three",
    ]
    refused("is about two, but 3", f"{line} --b text --disagreements {saved} --names a b c")
    refused("does not go with --chunks", f"compare x y z --chunks IOB2 --disagreements {saved}")
