"""The command `compare`: tables of labels, numbers and scores, and files of tags."""

import io
import re

import numpy as np
import pandas as pd
import pytest

from skbayeseval import chunk_counter, compare_many, compare_predictions

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


def test_two_columns(path, table, run, reported, tmp_path):
    figure, base = tmp_path / "out.png", f"compare {path} --truth y --a nb --b svm --scoring"
    code, said = run(f"{base} f1 --rope 0.01 --model paired --plot {figure}")
    labels = table["y"], table["nb"], table["svm"]
    result = compare_predictions(*labels, scoring="f1", names=("nb", "svm"), random_state=0)
    assert code == 0
    # In a file, classes are text.
    decision, headline = (
        words.replace("F1", "F1 of class '1'", 1)
        for words in (result.decision(0.01).in_short(), str(result).splitlines()[0])
    )
    assert decision in said.out
    assert headline == said.out.split("\n\n")[1].splitlines()[0]
    assert not re.search("decision\\(rope=|next", said.out)
    assert figure.stat().st_size > 5000
    options = "--weight 0.5 --draws 700 --names x y --rope 0.02 --seed 9 --model unpaired"
    report = reported(f"{base} f1 recall {options}")
    expected = compare_predictions(
        *labels, scoring=["f1", "recall"], weight=0.5, n_draws=700, model="unpaired", random_state=9
    )
    assert report["summary"]["f1"]["mean"] == pytest.approx(expected.draws.mean())
    assert "bf" not in report["summary"]["f1"]
    assert (report["names"], report["rope"]) == (["x", "y"], 0.02)


@pytest.mark.parametrize("columns", ["--a nb --b nb", "--a nb --b svm --b svm", "--a y --b nb"])
def test_a_column_is_not_compared_with_itself(columns, path, refused):
    refused("is given more than once, and nothing", f"compare {path} --truth y {columns}")


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


@pytest.mark.parametrize("option", ["--truth", "--rope"])
def test_no_option_replaces_another(option, path, refused):
    message = f"argument {option}: may be given only once"
    refused(message, f"compare {path} --b svm {option} 1 {option} 2")


def test_a_file_that_is_taken_for_a_name(path, refused):
    message = "required: FILE, before options that take several values"
    refused(message, f"compare --truth y --a nb --b svm --names x z {path}")


def written(tmp_path, text, name="labels.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_labels_are_text(tmp_path, reported):
    """007 and 7 are two classes: as numbers, A was always right, and B was not."""
    rows = [("007", "7", "007"), ("7", "007", "7"), ("10", "10", "007")] * 20
    path = written(tmp_path, "y,a,b\n" + "".join(f"{','.join(row)}\n" for row in rows))
    report = reported(f"compare {path} --truth y --a a --b b")
    assert report["evidence"]["labels"] == ["007", "10", "7"]
    assert report["metrics"][0]["observed"] == pytest.approx([1 / 3, 2 / 3])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y,a,b\n0,0,1\n1,,1\n", "--a a: 1 of 2 labels in FILE are missing, the first in row 2"),
        ("y,a,b\n0,0,  \n1,1,1\n", "--b b: 1 of 2 labels in FILE are missing, the first in row 1"),
        ("y,a,b\n1,1,0,\n0,1,1,\n", "Expected 3 fields in line 2, saw 4"),
        ("y,a,b,a\n1,1,0,1\n0,1,1,0\n", "--a a: more than one such column in FILE"),
        ("y,a,b\n1,1.0,1\n0,0.0,0\n", "'0' and '0.0' are two classes"),
        ("y,a,b\nTRUE,True,TRUE\nFALSE,False,TRUE\n", "'FALSE' and 'False' are two classes"),
        ("y,a,b\n", "y_true is empty. (y_true is --truth)"),
    ],
)
def test_labels_that_cannot_be_paired(text, message, tmp_path, refused):
    path = written(tmp_path, text)
    refused(message.replace("FILE", str(path)), f"compare {path} --truth y --a a --b b")


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


def test_probabilities_are_no_labels(path, table, refused):
    table["p_nb"] = [0, 1, *table["p_nb"][2:]]  # some are true labels all the same
    table.to_csv(path, index=False)
    for a, b, option in (("p_nb", "svm", "a"), ("svm", "p_nb", "b")):
        refused(
            f"--{option} p_nb must contain labels, got numbers such as ... "
            f"Pass probabilities and other scores as --score-{option} p_nb, with",
            f"compare {path} --truth y --a {a} --b {b}",
        )


class TestScores:
    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ("--score-b p_nb", "--score-a must name columns"),
            ("--score-a p_nb --score-b p_svm --a nb", "as many columns, got 0 and 1"),
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
        (
            turned,
            r"The ROC AUC of y_score_b is 0.\d+, far below 0.5. .* \(y_score_b is --score-b\)",
        ),
        (spelled, r"The labels of y_pred_b may be .* \(y_true is --truth, y_pred_b is --b\)"),
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


GOLD = [["B-PER", "I-PER", "O"], ["B-ORG"], ["O", "B-LOC"]] * 8
TAGGED_A = [["B-PER", "I-PER", "O"], ["O"], ["O", "B-LOC"]] * 8
TAGGED_B = [["B-PER", "O", "O"], ["B-ORG"], ["B-LOC", "B-LOC"]] * 8


def write_tags(path, tags, line):
    """Write one token per line, as `line` makes it of its position and tag."""
    sentences = ("\n".join(line(i, tag) for i, tag in enumerate(one)) for one in tags)
    path.write_text("-DOCSTART- -X- O\n\n" + "\n\n".join(sentences) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def tagged(tmp_path):
    """Files of tags: with two more columns, with tabs, and without words."""
    return [
        write_tags(tmp_path / "gold.conll", GOLD, lambda i, tag: f"w{i} NN {tag}"),
        write_tags(tmp_path / "a.conll", TAGGED_A, lambda i, tag: f"w{i}\t{tag}"),
        write_tags(tmp_path / "b.conll", TAGGED_B, lambda i, tag: tag),
    ]


def test_chunks(tagged, reported):
    report = reported(f"compare {' '.join(tagged)} --chunks IOB2 --seed 3 --rope 0.01")
    expected = compare_predictions(
        GOLD, TAGGED_A, TAGGED_B, counter=chunk_counter("IOB2"), random_state=3
    )
    assert (report["names"], report["model"]) == (["a", "b"], "paired")
    assert report["evidence"]["sizes"] == expected.evidence.sizes.tolist()  # of each sentence
    summary = expected.summary(0.01).loc["f1"]
    assert report["summary"]["f1"]["hdi_low"] == pytest.approx(summary["hdi_low"])
    report = reported(f"compare {' '.join(tagged)} --chunks IOB2 --scoring recall")
    assert list(report["summary"]) == ["recall"]


def test_chunks_of_files_that_do_not_fit(tagged, tmp_path, refused):
    gold, a, b = tagged
    longer = [*TAGGED_A[:-1], ["O", "O", "O"]]
    long = write_tags(tmp_path / "long", longer, lambda i, tag: f"w{i} {tag}")
    other = write_tags(tmp_path / "other", TAGGED_A, lambda i, tag: f"v{i} {tag}")
    for arguments, message in (
        (f"{gold} {a} --chunks IOB2", "requires three files"),
        (f"{gold} {a} {b}", "--truth, --a must name columns ... --chunks"),
        (f"{gold} {a} {b} --chunks IOB2 --truth y", "--truth is about a table"),
        (f"{gold} {a} {b} --truth y --a a --b b", "one table is expected, got 3"),
        (f"{gold} {a} {long} --chunks IOB2", "y_pred_b[23] has 3 ... y_pred_b is --b"),
        (f"{gold} {other} {b} --chunks IOB2", "sentence 1 has the word 'w0'"),
    ):
        refused(message, f"compare {arguments}")


def test_folds(table, path, tmp_path, reported, refused):
    folds = np.arange(80) % 5
    with_folds = tmp_path / "folds.csv"
    cells = folds.astype(object)
    cells[3], cells[7] = "", -1
    table.assign(fold=cells).to_csv(with_folds, index=False)
    command = f"compare {with_folds} --truth y --a nb --b svm --folds fold --scoring f1"
    report = reported(f"{command} --pos-label 1 {QUICK}")
    folds[[3, 7]] = -1
    labels = table["y"], table["nb"], table["svm"]
    expected = compare_predictions(*labels, folds=folds, scoring="f1", **OPTIONS)
    assert report["summary"]["f1"]["mean"] == pytest.approx(expected.draws.mean())
    assert report["weight"] == pytest.approx(expected.weight)
    refused("no such column", f"compare {path} --truth y --a nb --b svm --folds fold")


def test_numbers(tmp_path, reported, refused):
    rng = np.random.default_rng(0)
    y = rng.normal(size=30)
    table = pd.DataFrame({"y": y, "a": y + 0.1, "b": y + rng.normal(size=30)})
    table.to_csv(tmp_path / "numbers.csv", index=False)
    base = f"compare {tmp_path / 'numbers.csv'} --truth y --a a --b b"
    report = reported(f"{base} --scoring r2 neg_mean_absolute_error")
    assert report["model"] == "instance weights"
    assert report["metrics"][1]["observed"][0] == pytest.approx(-0.1)
    refused("error: ", f"{base} --scoring f1")
    table.astype(object).assign(a="many").to_csv(tmp_path / "numbers.csv", index=False)
    refused("--a a: 'many' in row 1", f"{base} --scoring r2")
