"""What all commands have in common, and the commands `counts` and `demo`."""

import os
import re
import subprocess
import sys

import pytest

from skbayeseval import compare_counts

TABLE = "y,a,b\n" + "1,1,0\n0,0,0\n1,0,1\n" * 20


@pytest.fixture
def csv(tmp_path):
    (tmp_path / "table.csv").write_text(TABLE)
    return str(tmp_path / "table.csv")


@pytest.mark.slow
def test_no_control_characters_are_printed(tmp_path, run):
    nasty = "\x1b[31mré\u202ed\x07"
    shown = r"\x1b[31mré\u202ed\x07"
    rows = [("1", "1", "0"), ("0", "0", "0"), ("1", f"1{nasty}", "1")] * 5
    header = f'y,{nasty},"b\nb"\n'
    path = tmp_path / "labels.csv"
    path.write_text(header + "".join(f"{','.join(row)}\n" for row in rows))
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
def test_terminals_without_the_symbols():
    arguments = ["counts", "--a", "900", "9", "9", "--b", "300", "90", "90", "--rope", "0.01"]
    found = subprocess.run(
        [sys.executable, "-m", "skbayeseval", *arguments],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
    )
    assert found.returncode == 0
    assert b"significantly better" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            "--a 88 10 12 --b 80 14 20 --scoring f1 recall --rope 0.01",
            "not settled: 91.9% A better by more than 0.01, ",
        ),
        (
            "--a 88 10 12 90 --b 60 34 40 70 --scoring accuracy",
            "  next        --rope r, with r the largest difference that does not matter to you\n",
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
        ("compare missing.csv --truth y --a a --b b", "No such file"),
        ("compare s3://localhost/x.csv --truth y --a a --b b", "but only files are read"),
        ("compare CSV --truth z --a a --b b", "--truth z: no such column in"),
        ("compare CSV --truth y --a a --b b --scoring auc", "scoring='auc' is not a known"),
        ("compare CSV --truth y --a a --b b --pos-label x", "pos_label='x' is not a valid"),
        ("compare CSV --truth y --a a --b b --model best", "model='best' is not a known"),
        ("compare CSV --truth y --a a --b b --plot out.xyz", "xyz"),
        ("counts --a 1 2 --b 1 2 3", "counts_a must be (tp, fp, fn) ... (counts_a is --a)"),
        ("counts --a one two three --b 1 2 3", "invalid float value: 'one'"),
        ("dance", "invalid choice: 'dance'"),
        ("", "the following arguments are required: COMMAND"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(csv, arguments, message, refused):
    refused(message, arguments.replace("CSV", csv))


def test_words_of_the_user_stay_as_they_are(tmp_path, refused):
    path = tmp_path / "scoring=f1_model=gpt.csv"
    path.write_text("id,id\n1,1\n")
    words = f"{path} has more than one column 'id'"
    refused(words, "items --system id --item id --score id", path)
    path.write_text("y,a,b\nlabels=3,labels=3,x\nx,x,labels=3\n")
    words = "pos_label='z' is not a valid label. It should be one of ['labels=3', 'x']"
    refused(words, "compare --truth y --a a --b b --pos-label z", path)


def test_a_file_that_is_no_table(tmp_path, refused):
    (tmp_path / "empty.csv").write_text("")
    names = ["image.csv", "junk.csv.gz"]
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
    assert " SVM better by more than 0.01, " in printed
    assert re.search(r"model +paired +unpaired +bcv", printed)
    assert not re.search(r"^(bf|mcse|interval mcse) ", printed, re.MULTILINE)
    assert re.search(r"\ndecision( +not settled){3}\n", printed)
    assert (tmp_path / "demo.png").exists()


def test_a_page_is_that_of_the_result(run, reported, tmp_path):
    path, other = tmp_path / "page.html", tmp_path / "other.html"
    arguments = f"counts --a 88 10 12 --b 80 14 20 --rope 0.01 --report {path}"
    assert f"report: {path}" in run(arguments)[1].out
    compare_counts((88, 10, 12), (80, 14, 20), random_state=0).report(other, rope=0.01)
    assert path.read_text(encoding="utf-8") == other.read_text(encoding="utf-8")
    path.unlink()
    assert reported(arguments)["rope"] == 0.01
    assert path.exists()
