import numpy as np
import pytest

from skbayeseval.judgement import Interval
from skbayeseval.judgement.decision import decision_codes
from skbayeseval.judgement.intervals import hdi_of_rows
from skbayeseval.planning.simulate import decide_many, numbers_of_draws

ROPE = Interval(-0.5, 1.0)
SETTLED = ("<<", "~", ">>")


def posteriors(seed, n_sets=200):
    """Normal and skewed posteriors of all widths, some of them close to the limits of the ROPE."""
    rng = np.random.default_rng(0)
    mean = rng.uniform(-2, 3, n_sets)
    sd = np.exp(rng.uniform(-4, 0.5, n_sets))
    mean[:25] = ROPE.high + 1.96 * sd[:25]
    rng = np.random.default_rng(seed)

    def draw(which, n):
        normal = rng.standard_normal((len(which), n))
        skewed = rng.standard_exponential((len(which), n)) - 1
        return mean[which, None] + sd[which, None] * np.where(which[:, None] % 2, normal, skewed)

    return draw


@pytest.mark.parametrize("goal", [None, SETTLED, (">>",), (">", "~")])
def test_few_draws_decide_as_many_do(goal):
    codes = decide_many(posteriors(1), 200, ROPE, 0.95, 4000, goal)
    draws = posteriors(2)(np.arange(200), 8000)
    many = decision_codes(draws, ROPE)
    alike = codes == many if goal is None else np.isin(codes, goal) == np.isin(many, goal)
    # Close to a limit a coin might decide, and so it might if better and worse are as probable.
    ends = np.array(hdi_of_rows(draws, 0.95))
    far = (np.abs(ends[..., None] - ROPE) > 0.3 * draws.std(axis=1)[:, None]).all(axis=(0, 2))
    leaning = np.abs((draws > ROPE.high).mean(axis=1) - (draws < ROPE.low).mean(axis=1)) > 0.05
    assert far.sum() > 120
    assert alike[far & (leaning | np.isin(many, SETTLED))].all()
    opposite = ((codes == "<<") & (many == ">>")) | ((codes == ">>") & (many == "<<"))
    assert not opposite.any()


def test_only_those_in_doubt_get_more_draws():
    asked = []
    draw = posteriors(0)

    def watched(which, n):
        asked.append((len(which), n))
        return draw(which, n)

    decide_many(watched, 200, ROPE, 0.95, 4000, SETTLED)
    numbers, draws = zip(*asked, strict=True)
    assert draws == (100, 300, 800, 2800)
    assert list(numbers) == sorted(numbers, reverse=True)
    assert 12 < numbers[-1] < 60  # half of the 25 are normal, and on the limit; and a few others


@pytest.mark.parametrize(
    ("most", "prob", "expected"),
    [
        (4000, 0.95, [100, 400, 1200, 4000]),
        (4000, 0.99, [1200, 4000]),
        (4000, 0.9999, [4000]),
        (500, 0.5, [100, 400, 500]),
        (50, 0.95, [50]),
    ],
)
def test_tails_need_draws(most, prob, expected):
    assert list(numbers_of_draws(most, prob)) == expected
