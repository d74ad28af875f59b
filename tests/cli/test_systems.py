"""The command `systems`: a leaderboard of systems on several tasks."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_many_items, compare_scores


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
    assert other.replace("neg_error", "score") == ranked(path, "--rope 0.5")[1].out


def test_markdown_is_in_the_order_of_tiers(path, ranked):
    page = ranked(path, "--rope 0.5 --format markdown")[1].out.splitlines()
    assert "cannot be told apart from s" in page[0]
    rows = [row.split(" | ")[:2] for row in page[6:11]]
    assert [tier for _, tier in rows] == ["1", "1", "2", "3", "4"]


def test_a_gate_about_the_first(path, ranked):
    code, said = ranked(path, "--rope 1.5 --gate non-inferior")
    assert (code, said.out.count("s0 is not worse than")) == (0, 4)
    leaderboard().iloc[::-1].to_csv(path)
    assert ranked(path, "--gate better")[0] == 3


def test_many_systems_in_a_figure(tmp_path, ranked):
    leaderboard(12, 10, step=1.0).to_csv(tmp_path / "many.csv")
    figure = tmp_path / "tiers.png"
    printed = ranked(tmp_path / "many.csv", f"--plot {figure}")[1].out
    assert "any difference counts" in printed
    assert "The differences of all 66 pairs are in --format json" in printed
    assert figure.stat().st_size > 5000


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


@pytest.mark.filterwarnings("default:.* is left out")
def test_an_average_is_no_task(path, ranked):
    name = "Average ⬆️"
    expected = ranked(path, "--rope 0.5")[1].out
    table = leaderboard()
    table.insert(3, name, table.mean(axis=1).round(2))
    table.T.to_csv(path)
    code, said = ranked(path, "--rope 0.5 --tasks-in-rows")
    assert (code, said.out) == (0, expected)
    assert f"warning: {name!r} is left out: it is called like an average" in said.err


class TestItems:
    """With --items, columns are items, and what is missing is estimated."""

    @pytest.fixture
    def board(self):
        rng = np.random.default_rng(0)
        skill, hard = np.linspace(2, -1, 12)[:, None], rng.normal(0, 1.5, 120)
        right = (rng.logistic(size=(12, 120)) < skill - hard).astype(float)
        right[rng.random(right.shape) < 0.2] = np.nan
        names = [f"system-with-quite-a-long-name-{k}" for k in range(12)]
        return pd.DataFrame(right, names, [f"q{i}" for i in range(120)]).rename_axis("model")

    @pytest.fixture
    def matrix(self, board, tmp_path):
        board.to_csv(tmp_path / "board.csv")
        return tmp_path / "board.csv"

    def test_it_is_compare_many_items(self, board, matrix, ranked):
        found = json.loads(ranked(matrix, "--items --scoring correct --rope 0.05 --json")[1].out)
        options = {"missing": "estimate", "scoring": "correct", "n_draws": 500, "random_state": 0}
        ranking = compare_many_items(board.T, **options)
        expected = ranking.ranking(rope=0.05)
        rows = {row["classifier"]: row for row in found["ranking"]["correct"]}
        for column in ("observed", "mean", "rank_low", "rank_high", "tier"):
            values = {name: row[column] for name, row in rows.items()}
            assert values == pytest.approx(expected[column].to_dict())
        assert sum(found["evidence"]["missing"]["items"].values()) == board.isna().sum().sum()
        assert not {"scores", "estimated"} & set(found["evidence"])

    def test_the_table_fits_a_page(self, matrix, ranked):
        lines = ranked(matrix, "--items --rope 0.02")[1].out.splitlines()
        title = next(k for k, line in enumerate(lines) if line.split()[:2] == ["tier", "observed"])
        rows = lines[title : title + 13]
        assert max(map(len, rows)) <= 80
        tiers = [int(row.split()[1]) for row in rows[1:]]
        assert tiers == sorted(tiers)
        assert tiers[0] == 1 < tiers[-1]
        assert any(line.startswith("  missing ") for line in lines)
        assert any(line.endswith("surely worse than it by more than 0.02") for line in lines)

    def test_one_row_per_score(self, board, matrix, tmp_path, ranked):
        long = board.stack().rename("correct").rename_axis(["model", "q"]).dropna().reset_index()
        long.assign(note="x").to_csv(tmp_path / "long.csv", index=False)
        options = ("--items --long model q correct --json", "--items --json")
        found, expected = (
            {row["classifier"]: row["observed"] for row in json.loads(said)["ranking"]["score"]}
            for said in (
                ranked(path, of)[1].out
                for path, of in zip((tmp_path / "long.csv", matrix), options, strict=True)
            )
        )
        assert found == pytest.approx(expected)
        tasks = leaderboard().T.rename_axis("task").reset_index()
        tasks = tasks.melt("task", var_name="who", value_name="x")  # keeps what is missing
        tasks.to_csv(tmp_path / "tasks.csv", index=False)
        leaderboard().to_csv(tmp_path / "wide.csv")
        one = ranked(tmp_path / "tasks.csv", "--long who task x")[1].out
        assert one == ranked(tmp_path / "wide.csv")[1].out

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            ("who,q,x\na,1,0\na,1,1\n", "more than one score of 'a' on '1'"),
            ("who,item,x\na,1,0\n", "--long q: .* must have one such column, but has who, item"),
            ("who,q,x\na,1,0\nb,1,z\na,2,1\n", "'z' in row '1' and column 'b' .* is no number"),
        ],
    )
    def test_bad_input(self, rows, message, tmp_path, ranked):
        (tmp_path / "long.csv").write_text(rows)
        code, said = ranked(tmp_path / "long.csv", "--items --long who q x")
        assert code == 2
        assert re.search(message, said.err)
