import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score

from skbayeseval import compare_predictions
from skbayeseval.cli import main


@pytest.fixture
def csv(votes, tmp_path):
    y, a, b = votes
    columns = {"y": y, "nb": a, "svm": b}
    words = {f"{name}_word": np.where(column, "yes", "no") for name, column in columns.items()}
    floats = {f"{name}_float": column.astype(float) for name, column in columns.items()}
    path = tmp_path / "predictions.csv"
    pd.DataFrame(columns | words | floats).to_csv(path)
    return str(path)


def test_compare(csv, votes, capsys, tmp_path):
    figure = tmp_path / "out.png"
    code = main(
        f"compare {csv} --truth y --a nb --b svm --scoring f1 --rope 0.01 --model paired "
        f"--plot {figure}".split()
    )
    printed = capsys.readouterr().out
    assert code == 0
    result = compare_predictions(*votes, scoring="f1", names=("nb", "svm"), random_state=0)
    assert str(result.decision(0.01)) in printed
    assert str(result) in printed
    assert figure.stat().st_size > 5000


def test_json(csv, votes, capsys):
    arguments = f"compare {csv} --truth y --a nb --b svm --scoring f1 recall --json --seed 3"
    assert main(arguments.split()) == 0
    report = json.loads(capsys.readouterr().out)
    result = compare_predictions(*votes, scoring=["f1", "recall"], random_state=3)
    assert report["summary"]["f1"]["mean"] == pytest.approx(result.draws.mean())
    assert report["summary"]["f1"]["bf"] is None
    assert report["names"] == ["nb", "svm"]
    assert report["rope"] is None


def reported(capsys, arguments):
    assert main([*arguments.split(), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_positive_label_as_it_is_written(csv, votes, capsys):
    y, a, _ = votes
    for columns, label in (
        ("--truth y_word --a nb_word --b svm_word --pos-label yes", 1),
        ("--truth y --a nb --b svm --pos-label 0", 0),
        ("--truth y_float --a nb_float --b svm_float --pos-label 0", 0),
    ):
        report = reported(capsys, f"compare {csv} {columns} --scoring f1")
        expected = f1_score(y, a, pos_label=label)
        assert report["metrics"][0]["observed"][0] == pytest.approx(expected)


def test_options_arrive(csv, capsys):
    base = f"compare {csv} --truth y --a nb --b svm"
    report = reported(capsys, f"{base} --weight 0.5 --draws 700 --names x y --rope 0.02 --seed 9")
    assert report["weight"] == 0.5
    assert report["n_draws"] == 700
    assert report["names"] == ["x", "y"]
    assert report["rope"] == 0.02
    assert report["entropy"] == 9
    assert reported(capsys, f"{base} --model unpaired")["model"] == "unpaired"
    assert reported(capsys, f"compare {csv} --truth y --a nb --b nb")["names"] == ["A", "B"]
    report = reported(capsys, "counts --a 88 10 12 --b 80 14 20 --names x y --weight 0.4")
    assert report["names"] == ["x", "y"]
    assert report["weight"] == 0.4


def test_names_of_classes_are_not_missing_values(tmp_path, capsys):
    path = tmp_path / "none.csv"
    path.write_text("y,a,b\nNone,None,NA\nNA,NA,NA\nNone,NA,None\n")
    assert reported(capsys, f"compare {path} --truth y --a a --b b")["evidence"]["labels"] == [
        "NA",
        "None",
    ]


def test_doubtful_factors_are_marked(csv, capsys):
    assert main(f"compare {csv} --truth y --a y --b svm --rope 0.001".split()) == 0
    assert "bf of accuracy is unreliable: too few draws" in capsys.readouterr().out


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


def test_counts(capsys):
    arguments = "counts --a 88 10 12 --b 80 14 20 --scoring f1 recall --rope 0.01"
    assert main(arguments.split()) == 0
    printed = capsys.readouterr().out
    assert "not settled: A is better than B by more than 0.01 with probability 92%" in printed
    arguments = "counts --a 88 10 12 90 --b 80 14 20 90 --scoring accuracy"
    assert main(arguments.split()) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("compare missing.csv --truth y --a nb --b svm", "No such file"),
        ("compare CSV --truth z --a nb --b svm", "--truth z: no such column in"),
        ("compare CSV --truth y --a nb --b svm --scoring auc", "scoring='auc' is not a known"),
        (
            "compare CSV --truth y_word --a nb_word --b svm_word --scoring f1",
            "pos_label=1 is not a valid",
        ),
        ("compare CSV --truth y --a nb --b svm --model best", "model='best' is not a known"),
        ("compare CSV --truth y --a nb --b svm --plot out.xyz", "xyz"),
        (
            "compare CSV --truth y --a nb --b svm --rope -1",
            "rope=-1.0 must be finite and at least 0",
        ),
        ("counts --a 1 2 --b 1 2 3", "counts_a must be (tp, fp, fn)"),
        ("counts --a 1 2.5 3 --b 1 2 3", "counts_a must contain whole numbers"),
        ("counts --a 1 -2 3 --b 1 2 3", "counts_a must not be negative"),
        ("counts --a one two three --b 1 2 3", "invalid float value: 'one'"),
        ("counts --a 1 2 3", "the following arguments are required: --b"),
        ("dance", "invalid choice: 'dance'"),
        ("", "the following arguments are required: COMMAND"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(csv, arguments, message, capsys):
    try:
        code = main(arguments.replace("CSV", csv).split())
    except SystemExit as stop:
        code = stop.code
    said = capsys.readouterr().err
    assert code == 2
    assert message in said
    assert said.count("\n") == 1


def test_a_file_that_is_no_table(tmp_path, capsys):
    (tmp_path / "empty.csv").write_text("")
    names = ["image.csv", "junk.csv.gz", "junk.csv.zip", "junk.csv.xz", "junk.csv.tar"]
    for name in names:
        (tmp_path / name).write_bytes(bytes(range(256)))
    for name in ["empty.csv", *names]:
        assert main(f"compare {tmp_path / name} --truth y --a a --b b".split()) == 2
    assert capsys.readouterr().err.count("\n") == 6


def test_help_and_version(capsys):
    for arguments in (["--help"], ["compare", "--help"], ["counts", "--help"], ["--version"]):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 0
    assert "example: skbayeseval counts" in capsys.readouterr().out


def test_demo(capsys, tmp_path):
    assert main(["demo", "--plot", str(tmp_path / "demo.png")]) == 0
    printed = capsys.readouterr().out
    assert "<  not settled: SVM is better than naive Bayes by more than 0.01" in printed
    assert "model       paired  unpaired       bcv" in printed
    assert (tmp_path / "demo.png").exists()


@pytest.mark.skipif(os.name != "posix", reason="needs a shell with pipes")
def test_a_reader_that_has_seen_enough():
    command = f"{sys.executable} -m skbayeseval counts --a 88 10 12 --b 80 14 20 --json | head -n 1"
    found = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert found.stdout == "{\n"
    assert found.stderr == ""


def test_console_script():
    found = subprocess.run(
        [sys.executable, "-m", "skbayeseval", *["counts", "--a", "1", "2", "3"]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 2
    assert "Traceback" not in found.stderr


def test_a_page(csv, votes, capsys, tmp_path):
    path = tmp_path / "page.html"
    arguments = f"compare {csv} --truth y --a nb --b svm --rope 0.01 --report {path}".split()
    assert main(arguments) == 0
    assert f"report: {path}" in capsys.readouterr().out
    result = compare_predictions(*votes, names=("nb", "svm"), random_state=0)
    other = tmp_path / "other.html"
    result.report(other, rope=0.01)
    assert path.read_text(encoding="utf-8") == other.read_text(encoding="utf-8")
    path.unlink()
    assert main([*arguments, "--json"]) == 0
    json.loads(capsys.readouterr().out)
    assert path.exists()


def test_a_page_that_cannot_be_written(csv, capsys, tmp_path):
    arguments = f"compare {csv} --truth y --a nb --b svm --report {tmp_path / 'no' / 'page.html'}"
    assert main(arguments.split()) == 2
    assert "error:" in capsys.readouterr().err
