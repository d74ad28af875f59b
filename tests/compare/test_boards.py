"""`compare_many_items` of many systems and items, with scores that are missing."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import binomtest

from skbayeseval import compare_items, compare_many_items, load_result


def simulated(n_systems=6, n_items=200, seed=0, hard_only=True):
    """Return a board, and the same with holes: weak systems lack hard items."""
    rng = np.random.default_rng(seed)
    skill, hard = np.linspace(1.5, -0.5, n_systems), rng.normal(0, 1.5, (n_items, 1))
    right = (rng.logistic(size=(n_items, n_systems)) < skill - hard).astype(float)
    full = pd.DataFrame(right, columns=[f"s{k}" for k in range(n_systems)])
    lacks = (hard > 0.5) & (skill < 0.5) if hard_only else rng.random(right.shape) < 0.2
    return full, full.mask(lacks & (rng.random(right.shape) < 0.7))


def ranked(board, **options):
    defaults = {"missing": "estimate", "n_draws": 1000, "random_state": 0}
    return compare_many_items(board, **defaults | options)


def test_hard_items_are_missing_for_weak_systems():
    full, holes = simulated(n_items=1000)
    found = [ranked(holes).table["completed"], holes.mean(), full.mean()]
    estimated, plain, true = (of_each["s0"] - of_each["s5"] for of_each in found)
    assert plain < true - 0.07
    assert abs(estimated - true) < 0.03


def test_holes_make_intervals_wider_and_are_told():
    full, holes = simulated()
    ranking, n = ranked(holes), holes.isna().sum()
    width, known = (one.table["hdi_high"] - one.table["hdi_low"] for one in (ranking, ranked(full)))
    assert width["s5"] > 1.1 * known["s5"]
    said = f"{n.sum()} of 1,200 scores ({n.sum() / 1200:.0%}), most of {n.idxmax()} ("
    assert said in str(ranking)
    result = ranking.pairs["s0", "s5"]
    assert result.interval().low >= -1
    # What one of the two was not run on is no disagreement, nor a score for a classical test.
    both = holes[["s0", "s5"]].dropna()
    assert len(result.disagreements()) == (both["s0"] != both["s5"]).sum()
    with pytest.raises(ValueError, match="tests"):
        result.frequentist()


def test_observed_is_of_the_scores_that_there_are():
    """The best system was run on easy items only."""
    full, holes = simulated(4)
    easy = full.iloc[:, 1:].mean(axis=1) > 0.5
    holes = full.assign(s0=full["s0"].where(easy))
    ranking = ranked(holes, scoring="solved")
    table = ranking.table
    assert table["observed"].to_dict() == pytest.approx(holes.mean().to_dict())
    assert list(table.columns[:3]) == ["observed", "completed", "mean"]
    assert table.loc["s0", "completed"] < table.loc["s0", "observed"] - 0.1
    assert table.loc["s0", "mean"] == pytest.approx(table.loc["s0", "completed"], abs=0.03)
    assert "completed" in str(ranking)
    pair = ranking.pairs["s0", "s1"]
    assert (pair.observed_a, pair.observed_b) == pytest.approx(holes[["s0", "s1"]].mean())
    a, b = table["completed"][["s0", "s1"]]
    said = f"observed: s0 {pair.observed_a:.4f}, s1 {b:.4f}; completed: s0 {a:.4f}, s1 {b:.4f}"
    assert said in str(pair)
    assert "completed" not in ranked(full).table
    # A percentage is of the scores of all items.
    grades = ranked(1 + 4 * holes)
    best = grades.table["completed"].max()
    assert grades.decision(rope="10%").rope.high == pytest.approx(0.1 * best)


def test_a_caution_where_what_is_missing_is_harder_or_easier():
    full, hard = simulated(n_items=300)
    _, by_chance = simulated(n_items=300, hard_only=False)
    said = str(ranked(hard))
    assert (
        "  caution     items that a system lacks are harder or easier for the others than" in said
    )
    assert "harder or easier" not in ranked(by_chance).details()
    alone = hard.assign(s3=full["s3"], s5=full["s5"])
    others = full.drop(columns="s4").mean(axis=1)
    apart = others[hard["s4"].isna()].mean() - others[hard["s4"].notna()].mean()
    assert f"(the others' scores there: {apart:+.3f} for s4)" in str(ranked(alone))
    # Lower is better: what is missing is as hard, and errors there are larger.
    errors = ranked(1 - hard, higher_is_better=False)
    assert "more than chance (the others' scores there: +0." in errors.details()
    pair = compare_items(hard["s0"], hard["s5"], missing="estimate", random_state=0)
    assert "more than chance (the others' scores there: -0." in str(pair)
    # Of two groups of items, one is harder by chance.
    groups = np.repeat([0, 1], 150)
    level = np.where(groups == 0, 0.8, 0.4)[:, None]
    right = (
        pd.DataFrame(np.random.default_rng(0).random((300, 4)) < level, columns=list("abcd")) * 1.0
    )
    right.loc[groups == 1, "d"] = np.nan
    assert "harder or easier" in ranked(right).details()
    assert "harder or easier" not in ranked(right, groups=groups).details()


def test_permuted_systems_and_copies():
    _, holes = simulated(n_systems=9)
    with_copy = holes.assign(copy=holes["s2"])
    table = ranked(with_copy).table
    assert table.loc["copy"].equals(table.loc["s2"])
    again = ranked(with_copy[with_copy.columns[::-1]].sample(frac=1, random_state=0)).table
    pd.testing.assert_frame_equal(again.loc[table.index, ["completed"]], table[["completed"]])
    expected = ranked(holes).table.loc[holes.columns, ["completed", "mean"]]
    pd.testing.assert_frame_equal(table.loc[holes.columns, expected.columns], expected, atol=0.01)


def test_without_holes_it_is_the_plain_ranking():
    full, holes = simulated()
    pd.testing.assert_frame_equal(ranked(full).table, ranked(full, missing="raise").table)
    # Items that nobody was run on tell nothing.
    more = ranked(holes.reindex(range(210)))
    assert more.table.equals(ranked(holes).table)
    assert more.evidence.missing["n_items"] == 200


def test_two_systems_are_compared_on_what_they_share():
    _, holes = simulated(2, hard_only=False)
    shared = holes.dropna()
    found = compare_items(holes["s0"], holes["s1"], missing="estimate", random_state=0)
    expected = compare_items(shared["s0"], shared["s1"], model="bootstrap", random_state=0)
    apart = shared["s0"].mean() - shared["s1"].mean()
    assert np.subtract(*found.evidence.completed) == pytest.approx(apart)
    assert found.draws.std() == pytest.approx(expected.draws.std(), rel=0.03)


def test_ids_runs_groups_and_errors():
    _, holes = simulated(hard_only=False)
    long = {name: column.dropna().sample(frac=1, random_state=0) for name, column in holes.items()}
    named = ranked({name: column.rename(str) for name, column in long.items()})
    expected = ranked(holes).table["completed"]
    assert named.table["completed"].to_dict() == pytest.approx(expected.to_dict())
    runs = {name: np.stack([column, column], axis=1) for name, column in holes.items()}
    assert ranked(runs).table["completed"].to_dict() == pytest.approx(expected.to_dict())
    assert "2 runs" in ranked(runs).evidence.describe()
    pairs = np.arange(200) // 2
    assert ranked(holes, groups=pairs).evidence.describe() == "200 items, in 100 groups"
    errors = ranked(1 - holes, higher_is_better=False).table["completed"] + 1
    assert errors.to_dict() == pytest.approx(expected.to_dict())


def test_saved_and_by_parts(tmp_path):
    _, holes = simulated()
    ranking = ranked(holes)
    ranking.save(tmp_path / "board.npz")
    again = load_result(tmp_path / "board.npz")
    pd.testing.assert_frame_equal(again.table, ranking.table)
    assert str(again) == str(ranking)
    pair = ranking.pairs["s0", "s5"]
    with pytest.raises(ValueError, match="there are no subgroups of these"):
        pair.by(np.repeat(["x", "y"], 100))


def test_what_is_refused():
    _, holes = simulated()
    strange = holes.assign(few=holes["s0"].where(holes.index < 9))
    with pytest.raises(ValueError, match=r"share, but few has fewer than 10 in common"):
        ranked(strange)
    apart = holes.assign(x=1.0, y=1.0, z=holes.index % 2).reindex(range(300))
    apart.loc[:199, ["x", "y", "z"]] = np.nan
    apart.loc[200:, ["x", "y", "z"]] = np.eye(3)[np.arange(100) % 3]
    with pytest.raises(ValueError, match="x, y, z have fewer than 10 in common"):
        ranked(apart)
    human = {name: column.where(column.index < 50) for name, column in holes.items()}
    with pytest.raises(ValueError, match="does not go with grades of people"):
        ranked(holes, human=human)
    with pytest.raises(ValueError, match="model='paired' does not fit one score per item"):
        ranked(holes, model="paired")
    with pytest.raises(ValueError, match="or missing='estimate' to estimate them"):
        ranked(holes, missing="raise")


def test_what_few_items_cannot_tell():
    rng = np.random.default_rng(0)
    ability = rng.normal(size=(5, 1))
    joined = pd.DataFrame((ability + rng.normal(size=(5, 200))).T, columns=list("abcde"))
    joined.loc[:99, ["c", "d", "e"]] = np.nan
    joined.loc[100 + 9 :, ["a", "b"]] = np.nan
    with pytest.raises(ValueError, match="but a, b have fewer than 10 in common"):
        ranked(joined)
    easy = pd.DataFrame(rng.integers(0, 2, (100, 3)) * 1.0, columns=list("abc"))
    easy.loc[:11] = 1.0
    new = pd.Series(1.0, range(12))
    with pytest.raises(ValueError, match="new differs by the same amount from the others"):
        ranked(easy.assign(new=new))
    pair = compare_items(easy["a"], easy.assign(new=new)["new"], missing="estimate", random_state=0)
    assert pair.interval().low < -0.1 < 0.1 < pair.interval().high
    assert "identical" not in str(pair)
    assert "only 12 items of one system" in pair.details()
    # A score that cannot be.
    easy = np.arange(300) < 100
    board = pd.DataFrame(rng.random((300, 3)) < np.where(easy, 0.97, 0.1)[:, None]) * 1.0
    weak = pd.Series((rng.random(300) < 0.3) * 1.0).where(easy)
    with pytest.raises(ValueError, match="takes weak to be as far .* outside of 0 to 1"):
        ranked(board.set_axis(list("abc"), axis=1).assign(weak=weak))


def test_judges_attempts_and_tests():
    rng = np.random.default_rng(0)
    grades = {name: rng.integers(1, 6, (60, 2)) * 1.0 for name in "abc"}
    grades["c"][10:20] = np.nan
    said = compare_many_items(grades, missing="estimate", judge=["p", "q"], random_state=0)
    assert "nan" not in said.details()
    runs = {name: rng.integers(0, 2, (60, 4)) * 1.0 for name in "abc"}
    runs["c"][10:20] = np.nan
    with pytest.raises(ValueError, match="scoring='pass@2' cannot be estimated"):
        compare_many_items(runs, missing="estimate", scoring="pass@2")
    compare_many_items(runs, missing="estimate", scoring="pass@1")
    in_blocks = compare_many_items(grades, missing="estimate", blocks=5, random_state=0)
    with pytest.raises(ValueError, match="No classical test"):
        in_blocks.pairs["a", "c"].frequentist()


def test_times_of_which_systems_lack_some_stay_in_order():
    times = pd.date_range("2026-01-01", periods=60)
    rng = np.random.default_rng(0)
    a, b = pd.Series(rng.random(60), times), pd.Series(rng.random(60), times)
    options = {"missing": "estimate", "blocks": 5, "random_state": 0}
    result = compare_items(a.drop(times[30]), b, **options)
    assert result.evidence.describe() == "60 items, in 12 blocks of 5 consecutive rows"
    assert np.flatnonzero(np.isnan(result.evidence.over_runs[0])) == [30]


@pytest.mark.slow
@pytest.mark.parametrize("hard_only", [True, False])
def test_intervals_hold_the_truth(hard_only):
    """True scores are means over a normal distribution of difficulties."""
    node, weight = np.polynomial.hermite_e.hermegauss(60)
    skill = np.linspace(1.5, -0.5, 6)[:, None]
    truth = expit(skill - 1.5 * node) @ weight / weight.sum()
    n_boards, ranks, differences = 150, 0.0, 0
    for seed in range(n_boards):
        _, holes = simulated(n_items=150, seed=seed, hard_only=hard_only)
        ranking = ranked(holes, n_draws=1000, random_state=seed)
        table = ranking.table.loc[holes.columns]
        place = np.arange(1, 7)
        ranks += ((table["rank_low"] <= place) & (place <= table["rank_high"])).mean()
        low, high = ranking.pairs["s0", "s5"].alone.interval()
        differences += low <= truth[0] - truth[5] <= high
    assert ranks / n_boards > 0.95
    assert binomtest(differences, n_boards, 0.95, "less").pvalue > 0.01
