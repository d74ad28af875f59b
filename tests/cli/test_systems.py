"""The command `systems`: a leaderboard of systems on several tasks."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_scores


def leaderboard(n_systems=5, n_tasks=8, step=4.0):
    """Return systems in rows, of which the first two are about equal, with two holes."""
    rng = np.random.default_rng(0)
    skills = -step * np.maximum(np.arange(n_systems) - 1, 0)
    scores = 60 + rng.uniform(-20, 20, n_tasks) + skills[:, None]
    scores = (scores + rng.normal(0, 0.5, scores.shape)).round(2)
    names = [f"s{k}" for k in range(n_systems)]
    table = pd.DataFrame(scores, names, [f"t{k}" for k in range(n_tasks)])
    table.iloc[1, 2] = table.iloc[3, 0] = np.nan
    return table


@pytest.fixture
def path(tmp_path):
    leaderboard().to_csv(tmp_path / "scores.csv")
    return tmp_path / "scores.csv"


@pytest.fixture
def ranked(run):
    """A function that runs the command on a file."""
    return lambda path, options="": run(f"systems {path} --draws 500 {options}")


def test_it_is_compare_scores(path, ranked):
    found = json.loads(ranked(path, "--rope 0.5 --json")[1].out)
    ranking = compare_scores(leaderboard().T, n_draws=500, random_state=0)
    assert found["tiers"]["score"] == [list(names) for names in ranking.tiers(0.5).groups]
    assert found["tiers"]["score"][0] in (["s0", "s1"], ["s1", "s0"])
    means = {row["classifier"]: row["mean"] for row in found["ranking"]["score"]}
    assert means == pytest.approx(ranking.table["mean"].to_dict())


def test_tasks_in_rows(path, tmp_path, ranked):
    leaderboard().T.to_csv(tmp_path / "turned.tsv", sep="\t")
    one = ranked(path, "--rope 0.5")[1].out
    assert ranked(tmp_path / "turned.tsv", "--tasks-in-rows --rope 0.5")[1].out == one
    assert "  tier 2: s2\n" in one
    assert "  note        observed: the mean over the data sets that a system was run on\n" in one
    # Pairs are named, not written as Python writes them.
    assert re.search(r"^s0 minus s1 +\S+ ", one, re.MULTILINE)


def test_holes_and_errors(path, ranked):
    plain = path.read_text()
    table = leaderboard()
    (-table).to_csv(path, na_rep="N/A")
    other = ranked(path, "--rope 0.5 --lower-is-better --scoring error")[1].out
    path.write_text(plain)
    assert "tier 1: " in other
    tiers = other.replace("error", "score").partition("\n\n")[0]
    assert tiers == ranked(path, "--rope 0.5")[1].out.partition("\n\n")[0]


def test_markdown_is_in_the_order_of_tiers(path, ranked):
    page = ranked(path, "--rope 0.5 --format markdown")[1].out.splitlines()
    assert "cannot be told apart from s" in page[0]
    rows = [row.split(" | ")[:2] for row in page[6:11]]
    assert [tier for _, tier in rows] == ["1", "1", "2", "3", "4"]


def test_a_gate_about_the_first(path, ranked):
    code, said = ranked(path, "--rope 1.5 --gate non-inferior")
    assert (code, said.out.count("s0 is at most")) == (0, 4)
    leaderboard().iloc[::-1].to_csv(path)
    assert ranked(path, "--gate better")[0] == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,x,y\na,1,2\nb,?,3\n", "'?' in row 'b' and column 'x' of FILE is no number; leave"),
        ("system,x,y\na,1,2\na,2,3\n", "FILE has 'a' more than once"),
        ("system,x,x\na,1,2\nb,2,3\n", "FILE has 'x' more than once"),
        ("system\na\nb\n", "FILE must have names in its first line and column"),
        (
            "system,x,y\na,1,2\nb,2,3\n",
            "2 tasks, but three or more are needed to tell how much "
            "differences vary over tasks; if it has a row per task, pass --tasks-in-rows",
        ),
        ("system,x,y,z\na,1,2,inf\nb,2,3,4\n", "contains NaN or infinity"),
    ],
)
def test_tables_that_are_refused(text, message, tmp_path, ranked):
    path = tmp_path / "scores.csv"
    path.write_text(text)
    code, said = ranked(path)
    assert code == 2
    assert message.replace("FILE", str(path)) in said.err
    assert said.err.count("\n") == 1
