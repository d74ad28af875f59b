"""Numbers that README.md and docs/limits.md state, and that no code block of them prints."""

import re
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skbayeseval import bayesian_cross_validate
from tests.conftest import ROOT

README = " ".join((ROOT / "README.md").read_text().split())
LIMITS = " ".join((ROOT / "docs" / "limits.md").read_text().split())


def stated(pattern, page=LIMITS):
    """Return the numbers that a page states in a sentence."""
    (found,) = re.finditer(pattern, page)
    return [int(number) for number in found.groups()]


@pytest.fixture(scope="module")
def coverage():
    """What the laboratory's script prints from its committed records: rows by their first cells."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks" / "coverage")
        script = import_module("weight")
        cells = script.load()
        printed = list(script.lines(cells, script.fit(cells)))
    rows = [line.strip("| ").split(" | ") for line in printed if line.startswith("| ")]
    usual = len(np.unique(cells.problem[cells.apart == 0]))
    return usual, {tuple(row[:4]): row[4:] for row in rows}


def test_coverage_is_that_of_the_committed_records(coverage):
    n_problems, rows = coverage
    assert stated(r"On the (\d+) problems from real data sets", README) == [n_problems]
    usual = [row for of, row in rows.items() if of[0] in ("one learner", "a difference")]
    means, below = ([float(row[i].strip("%")) for row in usual] for i in (1, 3))
    claim = r"(\d+)% to (\d+)% on average, but in less than 90% for (\d+)% to (\d+)% of learners"
    *average, low, high = stated(claim, README)
    assert average == [round(100 * min(means)), round(100 * max(means))]
    assert [low, high] == [min(below), max(below)]


def test_the_table_of_coverage_is_that_of_the_committed_records(coverage):
    _, rows = coverage
    named = {
        r"3 ?x ?2[^|]*": ("3x2", "seen", "0.5 n"),
        r"5-fold": ("5-fold", "unseen", "0.8 n"),
    }
    text = (ROOT / "docs" / "calibration.md").read_text()
    for splits, of in named.items():
        (found,) = re.findall(rf"^\| {splits} \|[^|]+\| ([^|]+) \| ([^|]+) \|$", text, re.M)
        for quantity, numbers in zip(("one learner", "a difference"), found, strict=True):
            assert numbers.split(", ") == rows[quantity, *of][1:], splits


def test_the_table_of_other_intervals_is_that_of_the_committed_cells():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks" / "coverage")
        script = import_module("rivals")
    cells = pd.read_csv(ROOT / "benchmarks" / "coverage" / "rivals.csv")
    found = script.summary(cells, by="method").set_index(["quantity", "method"])
    text = (ROOT / "docs" / "calibration.md").read_text()
    table = text[text.index("### Other intervals") : text.index("### Other splits")]
    shown = re.findall(r"^\| ([^|]+) \| (\d+) \| ([^|]+) \| ([^|]+) \| ([\d.]+) \|$", table, re.M)
    assert len(shown) == len(script.METHODS)
    for method, (_, fits, one, two, share) in zip(script.METHODS, shown, strict=True):
        assert int(fits) == script.METHODS_AND_FITS[method]
        for quantity, numbers in (("one learner", one), ("a difference", two)):
            row = found.loc[quantity, method]
            expected = f"{row['mean']:.3f}, {row['worst']:.2f}, {row['width']:.2f}"
            assert numbers == expected, method
        assert share == f"{found.loc['a difference', method]['found']:.2f}"


def test_reproduced_values_are_those_of_the_table():
    page = (ROOT / "docs" / "reproduction.md").read_text()
    rows = re.findall(r"^\|[^|]+\| (\d+) \| (\d+) \|", page, re.MULTILINE)
    inside, outside = (sum(map(int, column)) for column in zip(*rows, strict=True))
    said = r"(\d+) of (\d+) published values do, .* the other (\d+) are"
    assert stated(said, " ".join(page.split())) == [inside, inside + outside, outside]
    assert stated(r"\[(\d+) of (\d+) values\]", README) == [inside, inside + outside]
    paper = " ".join((ROOT / "paper.md").read_text().split())
    sentence = r"of (\d+) values .* gives (\d+) within stated bounds, .* the other (\d+)\."
    assert stated(sentence, paper) == [inside + outside, inside, outside]


@pytest.mark.slow
def test_some_of_eight_seeds_decide_otherwise():
    assert "0.007, for which five of the seeds 0 to 7 give another one" in LIMITS
    X, y = load_breast_cancer(return_X_y=True)
    svm = make_pipeline(StandardScaler(), SVC())
    codes = [
        bayesian_cross_validate(GaussianNB(), svm, X, y, scoring="f1", random_state=seed)
        .decision(0.007)
        .settled_code
        for seed in range(8)
    ]
    assert sum(code != codes[0] for code in codes) == 5
