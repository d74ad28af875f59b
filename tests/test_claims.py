"""Numbers that the README states, and that no code block of it prints."""

import re

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
DEFAULTS = ["3x2", "7x2", "5-fold", "3x5-fold", "hold-out"]


def stated(pattern):
    """Return the numbers that the README states in a sentence."""
    (found,) = re.finditer(pattern, README)
    return [int(number) for number in found.groups()]


def test_coverage_is_that_of_the_committed_table():
    cells = pd.read_csv(ROOT / "benchmarks" / "coverage" / "results.csv")
    own = cells[cells["scheme"].isin(DEFAULTS)]
    published = cells[cells["scheme"].str.contains("published")]
    assert stated(r"On (\d+) simulated problems") == [cells["scenario"].nunique()]
    below, n_cells, below_published = stated(
        r"less than 90% of the data sets in (\d+)% of (\d+) cells "
        r"\(with the published weight, in (\d+)%\)"
    )
    assert n_cells == len(own)
    assert below == round(100 * (own["coverage"] < 0.9).mean())
    assert below_published == round(100 * (published["coverage"] < 0.9).mean())
    assert stated(r"the median coverage is (\d+)%") == [round(100 * own["coverage"].median())]
    assert stated(r"varies: (\d+)% in the worst case") == [round(100 * own["coverage"].min())]
    equal = own[(own["truth"] == 0) & (own["scheme"] != "hold-out")]
    (most,) = stated(r"at a ROPE of 0.01 in up to (\d+)% of the data sets otherwise")
    assert most == round(100 * equal["decided"].max())


@pytest.mark.slow
def test_four_of_eight_seeds_decide_otherwise():
    assert "0.005, for which four of the seeds 0 to 7 give another one" in README
    X, y = load_breast_cancer(return_X_y=True)
    svm = make_pipeline(StandardScaler(), SVC())
    codes = [
        bayesian_cross_validate(GaussianNB(), svm, X, y, scoring="f1", random_state=seed)
        .decision(0.005)
        .code
        for seed in range(8)
    ]
    assert sum(code != codes[0] for code in codes) == 4
