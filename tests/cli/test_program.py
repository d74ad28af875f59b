import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from skbayeseval import chunk_counter, compare_predictions


@pytest.fixture
def csv(votes, tmp_path):
    y, a, b = votes
    columns = {"y": y, "nb": a, "svm": b}
    words = {f"{name}_word": np.where(column, "yes", "no") for name, column in columns.items()}
    floats = {f"{name}_float": column.astype(float) for name, column in columns.items()}
    bools = {f"{name}_bool": column == 1 for name, column in columns.items()}
    path = tmp_path / "predictions.csv"
    pd.DataFrame(columns | words | floats | bools).to_csv(path)
    return str(path)


def test_compare(csv, votes, run, tmp_path):
    figure = tmp_path / "out.png"
    options = f"--scoring f1 --rope 0.01 --model paired --plot {figure}"
    code, said = run(f"compare {csv} --truth y --a nb --b svm {options}")
    printed = said.out
    assert code == 0
    result = compare_predictions(*votes, scoring="f1", names=("nb", "svm"), random_state=0)
    assert result.decision(0.01).in_short() in printed
    # In a file, classes are text.
    headline = str(result).splitlines()[0].replace(" f1 ", " f1 of class '1' ")
    assert headline == printed.split("\n\n")[1].splitlines()[0]
    assert "decision(rope=" not in printed
    assert "next" not in printed
    assert figure.stat().st_size > 5000


def test_json(csv, votes, reported):
    report = reported(f"compare {csv} --truth y --a nb --b svm --scoring f1 recall --seed 3")
    result = compare_predictions(*votes, scoring=["f1", "recall"], random_state=3)
    assert report["summary"]["f1"]["mean"] == pytest.approx(result.draws.mean())
    assert "bf" not in report["summary"]["f1"]
    assert report["names"] == ["nb", "svm"]
    assert report["rope"] is None


def test_options_arrive(csv, reported, refused):
    base = f"compare {csv} --truth y --a nb --b svm"
    report = reported(f"{base} --weight 0.5 --draws 700 --names x y --rope 0.02 --seed 9")
    assert report["weight"] == 0.5
    assert report["n_draws"] == 700
    assert report["names"] == ["x", "y"]
    assert report["rope"] == 0.02
    assert report["entropy"] == 9
    assert reported(f"{base} --model unpaired")["model"] == "unpaired"
    for columns in ("--a nb --b nb", "--a nb --b svm --b svm", "--a y --b nb"):
        refused(
            "is given more than once, and nothing differs", f"compare {csv} --truth y {columns}"
        )
    report = reported("counts --a 88 10 12 --b 80 14 20 --names x y --weight 0.4")
    assert report["names"] == ["x", "y"]
    assert report["weight"] == 0.4


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
        ("y,a,b\n0,0,1\n1,1\n", "--b b: 1 of 2 labels in FILE are missing, the first in row 2"),
        ("y,a,b\n0,0,  \n1,1,1\n", "--b b: 1 of 2 labels in FILE are missing, the first in row 1"),
        ("y,a,b\n1,1,0,\n0,1,1,\n", "Expected 3 fields in line 2, saw 4"),
        ("y,a,b,a\n1,1,0,1\n0,1,1,0\n", "--a a: more than one such column in FILE"),
        ("y,a,b\n1,1.0,1\n0,0.0,0\n", "'0' and '0.0' are two classes"),
        ("y,a,b\n1, 1,1\n0,0,0\n", "' 1' and '1' are two classes"),
        ("y,a,b\nTRUE,True,TRUE\nFALSE,False,TRUE\n", "'FALSE' and 'False' are two classes"),
        ("y,a,b\n", "--truth is empty"),
    ],
)
def test_labels_that_cannot_be_paired(text, message, tmp_path, refused):
    path = written(tmp_path, text)
    refused(message.replace("FILE", str(path)), f"compare {path} --truth y --a a --b b")


@pytest.mark.slow
def test_no_control_characters_are_printed(tmp_path, run):
    nasty = "\x1b[31mré\u202ed\x07"
    shown = r"\x1b[31mré\u202ed\x07"
    rows = [("1", "1", "0"), ("0", "0", "0"), ("1", f"1{nasty}", "1")] * 5
    header = f'y,{nasty},"b\nb"\n'
    path = written(tmp_path, header + "".join(f"{','.join(row)}\n" for row in rows))
    arguments = ["--truth", "y", "--a", nasty, "--b", "b\nb"]
    code, said = run("compare", path, *arguments, "--rope", "0.01")
    assert code == 0
    assert shown in said.out
    assert r"b\nb" in said.out
    wrong = [["--b", nasty + "?"], ["--scoring", nasty], ["--pos-label", nasty], [f"--{nasty}"]]
    refusals = [run("compare", path, *arguments, *more) for more in wrong]
    refusals.append(run("compare", nasty, *arguments))
    assert [code for code, _ in refusals] == [2] * 5
    for character in "\x1b\u202e\x07":
        assert not any(character in text.out + text.err for _, text in [(0, said), *refusals])


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_terminals_without_the_symbols(encoding):
    arguments = ["counts", "--a", "900", "9", "9", "--b", "300", "90", "90", "--rope", "0.01"]
    found = subprocess.run(
        [sys.executable, "-m", "skbayeseval", *arguments],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    assert found.returncode == 0
    assert b"significantly better" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            "--a 88 10 12 --b 80 14 20 --scoring f1 recall --rope 0.01",
            "not settled: A is better than B by more than 0.01 with probability 91.9%",
        ),
        (
            "--a 88 10 12 90 --b 80 14 20 90 --scoring accuracy",
            "  next        more labelled instances would tell; in Python, "
            "required_sample_size(rope=r) estimates how many, with r the "
            "smallest difference that matters to you\n",
        ),
        (
            "--a 88 10 12 90 --b 60 34 40 70 --scoring accuracy",
            "  next        --rope r, with r the smallest difference that matters to you\n",
        ),
    ],
)
def test_counts(arguments, words, run):
    code, said = run(f"counts {arguments}")
    assert code == 0
    assert words in said.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("compare missing.csv --truth y --a nb --b svm", "No such file"),
        *(
            (f"compare {scheme}://localhost/x.csv --truth y --a a --b b", "but only files are read")
            for scheme in ("https", "s3", "file")
        ),
        ("compare CSV --truth z --a nb --b svm", "--truth z: no such column in"),
        ("compare CSV --truth y --a nb --b svm --scoring auc", "--scoring auc is not a known"),
        (
            "compare CSV --truth y_word --a nb_word --b svm_word --scoring f1",
            "--pos-label 1 is not a valid",
        ),
        ("compare CSV --truth y --a nb --b svm --model best", "--model best is not a known"),
        ("compare CSV --truth y --a nb --b svm --plot out.xyz", "xyz"),
        ("counts --a 1 2 --b 1 2 3", "--a must be (tp, fp, fn)"),
        ("counts --a 1 2.5 3 --b 1 2 3", "--a must contain whole numbers"),
        ("counts --a 1 -2 3 --b 1 2 3", "--a must not be negative"),
        ("counts --a one two three --b 1 2 3", "must be a number, got 'one'"),
        ("counts --a 1_0 2 3 --b 1 2 3", "must be a number, got '1_0'"),
        ("counts --a 1 2 3 --b 1 2 3 --weight 1_0", "--weight: must be a number, got '1_0'"),
        ("counts --a 1 2 3 --b 1 2 3 --rope 1_0", "--rope: must be a number of 0 or more"),
        ("counts --a 1 2 3 --b 1 2 3 --rope 1_0%", "--rope: must be a number of 0 or more"),
        ("counts --a 1 2 3 --b 1 2 3 --draws 1_000", "--draws: must be a whole number, got"),
        ("counts --a 1 2 3 --b 1 2 3 --seed 1.5", "--seed: must be a whole number, got '1.5'"),
        ("demo --rope 1_0", "--rope: must be a number, got '1_0'"),
        ("counts --a 1 2 3", "the following arguments are required: --b"),
        ("dance", "invalid choice: 'dance'"),
        ("", "the following arguments are required: COMMAND"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(csv, arguments, message, refused):
    refused(message, arguments.replace("CSV", csv))


def test_a_file_that_is_no_table(tmp_path, refused):
    (tmp_path / "empty.csv").write_text("")
    names = ["image.csv", "junk.csv.gz", "junk.csv.zip", "junk.csv.xz", "junk.csv.tar"]
    for name in names:
        (tmp_path / name).write_bytes(bytes(range(256)))
    for name in ["empty.csv", *names]:
        refused("error: ", f"compare {tmp_path / name} --truth y --a a --b b")


def test_help_and_version(run):
    for arguments in ("--help", "compare --help", "--version", "counts --help"):
        code, said = run(arguments)
        assert code == 0
    assert "example: skbayeseval counts" in said.out


def test_demo(run, tmp_path):
    code, said = run(f"demo --plot {tmp_path / 'demo.png'}")
    assert code == 0
    printed = said.out
    assert "not settled: SVM is better than naive Bayes by more than 0.01" in printed
    assert re.search(r"model +paired +unpaired +bcv", printed)
    assert not re.search(r"^(bf|mcse|HDI mcse) ", printed, re.MULTILINE)
    assert re.search(r"\ndecision( +not settled){3}\n", printed)
    assert (tmp_path / "demo.png").exists()


def test_a_page(csv, votes, run, reported, tmp_path):
    path = tmp_path / "page.html"
    arguments = f"compare {csv} --truth y --a nb --b svm --rope 0.01 --report {path}"
    assert f"report: {path}" in run(arguments)[1].out
    result = compare_predictions(*votes, names=("nb", "svm"), random_state=0)
    other = tmp_path / "other.html"
    result.report(other, rope=0.01)
    assert path.read_text(encoding="utf-8") == other.read_text(encoding="utf-8")
    path.unlink()
    assert reported(arguments)["rope"] == 0.01
    assert path.exists()


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
    assert report["evidence"]["cells"] == expected.evidence.cells.tolist()
    summary = expected.summary(0.01).loc["f1"]
    assert report["summary"]["f1"]["hdi_low"] == pytest.approx(summary["hdi_low"])
    report = reported(f"compare {' '.join(tagged)} --chunks IOB2 --scoring recall")
    assert list(report["summary"]) == ["recall"]


def test_chunks_of_files_that_do_not_fit(tagged, tmp_path, refused):
    gold, a, b = tagged
    short = write_tags(tmp_path / "short", TAGGED_A[:-1], lambda i, tag: f"w{i} {tag}")
    longer = [*TAGGED_A[:-1], ["O", "O", "O"]]
    long = write_tags(tmp_path / "long", longer, lambda i, tag: f"w{i} {tag}")
    other = write_tags(tmp_path / "other", TAGGED_A, lambda i, tag: f"v{i} {tag}")
    empty = write_tags(tmp_path / "empty", [], str)
    for arguments, message in (
        (f"{gold} {a} --chunks IOB2", "requires three files"),
        (f"{gold} {a} {b}", "--truth, --a, --b must name columns ... --chunks"),
        (f"{gold} {a} {b} --chunks IOB2 --truth y", "--truth names a column"),
        (f"{gold} {a} {b} --chunks IOB9", "'IOB9' is not a known scheme"),
        (
            f"{gold} {a} {b} --chunks IOB2 --pos-label 1",
            "--pos-label does not apply to tags with --chunks",
        ),
        (f"{gold} {a} {b} --truth y --a a --b b", "one table is expected, got 3"),
        (f"{gold} {short} {b} --chunks IOB2", "24 sentences, but ... short has 23"),
        (f"{gold} {a} {long} --chunks IOB2", "sentence 24 has 2 tokens"),
        (f"{gold} {other} {b} --chunks IOB2", "sentence 1 has the word 'w0'"),
        (f"{gold} {a} {empty} --chunks IOB2", "contains no sentences"),
    ):
        refused(message, f"compare {arguments}")


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
