"""
A leaderboard with holes: which ranks are more than luck?
=========================================================

Thirty systems solve problems of a benchmark, or fail. The weak ones were not run on most of the
hard problems, which cost too much. Two entries are the same system under two names. A list by the
share of solved problems has thirty ranks; how many of these would stand on other problems?
"""

# %%
# Scores are 1 or 0, with a row per problem and a column per system, and NaN where there is none.
import numpy as np
import pandas as pd

from skbayeseval import compare_many_items

rng = np.random.default_rng(0)
skill = np.sort(rng.normal(0.3, 0.8, 29))[::-1]
names = [f"system {k:02d}" for k in range(1, 30)]
hard = rng.normal(0, 1.5, (400, 1))
solved = rng.logistic(size=(400, 29)) < skill - hard
board = pd.DataFrame(solved, columns=names).astype(float)
spared = (hard > 1) & (skill < 0) & (rng.random((400, 29)) < 0.8)
lost = rng.random((400, 29)) < 0.05  # answers that were lost, of all of them
board = board.mask(spared | lost)
board["same again"] = board["system 03"]
print(f"{board.isna().to_numpy().mean():.0%} of the scores are missing")

# %%
# Missing scores are estimated from how hard a problem was for the others. Of ranks, there are
# intervals, and tiers: those in a tier cannot be told apart from its first.
ranking = compare_many_items(board, missing="estimate", scoring="solved", random_state=0)
print(ranking)

# %%
# The copy has the rank of what it is a copy of. The columns of the table are numbers.
print(ranking.table.loc[["system 03", "same again"], ["rank_low", "rank_high", "tier"]])

# %%
# The share of the problems that a system was run on is kind to those that were spared the hard
# ones. All of the last three were simulated, so it is known what they would have solved.
weak = names[-3:]
print(
    pd.DataFrame(
        {
            "of its own problems": board[weak].mean(),
            "estimated": ranking.table.loc[weak, "completed"],
            "of all problems": solved[:, -3:].mean(axis=0),
        }
    ).round(3)
)

# %%
# Any two agree with the ranking, which allows for all others. Alone, as if only these two had been
# compared, they differ more.
pair = ranking.pairs["system 01", "system 05"]
print(pair.decision(rope=0.02))
print(pair.alone.decision(rope=0.02))

# %%
# The tiers, each with its shade.
ranking.plot("tiers")
