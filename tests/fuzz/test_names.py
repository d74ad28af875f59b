"""Names of any length, which may agree for long: who is called what changes nothing else."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skbayeseval import compare_many
from skbayeseval.cli import main
from tests.fuzz.harness import attempt, examples

PLAIN = ("a", "b", "c", "d")
N_DRAWS = 200
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 60)
SAID = [np.where(RNG.random(60) < share, 1 - Y, Y) for share in (0.05, 0.2, 0.3, 0.45)]
SCORES = [RNG.normal(mean, 0.02, 8) for mean in (0.9, 0.85, 0.8, 0.7)]

texts = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="_"), min_size=1, max_size=6
)


@st.composite
def names(draw):
    """Draw four names, which often have a long beginning, a long end, or both in common."""
    beginning, end = (draw(texts) * draw(st.sampled_from([0, 1, 30, 300])) for _ in "ab")
    four = draw(st.lists(texts, min_size=4, max_size=4, unique=True))
    return tuple(f"{beginning}{one}{end}" for one in four)


def check_same(made, called, door):
    """Assert that a ranking of four systems is the same, but for their names."""
    expected, ranking = made(PLAIN), attempt(door, lambda: made(called))
    assert ranking.names == called
    rename = dict(zip(PLAIN, called, strict=True))
    pd.testing.assert_frame_equal(ranking.table, expected.table.rename(index=rename))
    for i, first in enumerate(called):
        for j, second in enumerate(called):
            if i == j:
                continue
            pair, same = ranking.pairs[first, second], expected.pairs[i, j]
            assert pair.names == (first, second)
            assert (pair.observed_a, pair.observed_b) == (same.observed_a, same.observed_b)
            np.testing.assert_array_equal(pair.draws, same.draws)
    states, others = ranking.decision(0.05).states(), expected.decision(0.05).states()
    assert states == {rename[name]: state for name, state in others.items()}
    assert ranking.tiers().numbers() == {
        rename[name]: tier for name, tier in expected.tiers().numbers().items()
    }
    assert str(ranking)


@examples(15)
@given(names())
def test_compare_many(called):
    def made(names):
        said = dict(zip(names, SAID, strict=True))
        return compare_many(Y, said, n_draws=N_DRAWS, random_state=0)

    check_same(made, called, "compare_many")


@pytest.mark.parametrize("length", [1, 79, 80, 81, 500])
def test_systems_on_the_command_line(length, tmp_path, capsys):
    called = [("s" * length) + one for one in "abcd"]
    table = pd.DataFrame(SCORES, called, [("t" * length) + str(i) for i in range(8)])
    path = tmp_path / "scores.csv"
    table.to_csv(path)
    assert main(["systems", str(path), "--draws", "500", "--seed", "0", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    observed = {row["classifier"]: row["observed"] for row in found["ranking"]["score"]}
    expected = table.mean(axis=1).to_dict()
    assert observed == {name: pytest.approx(mean) for name, mean in expected.items()}
