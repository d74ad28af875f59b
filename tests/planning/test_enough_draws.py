import numpy as np
import pytest

from skbayeseval.judgement import Interval
from skbayeseval.judgement.decision import codes_given_hdi
from skbayeseval.judgement.intervals import hdi_of_rows
from skbayeseval.planning.simulate import decide_many

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
    many = codes_given_hdi(draws, *hdi_of_rows(draws, 0.95), ROPE)
    alike = codes == many if goal is None else np.isin(codes, goal) == np.isin(many, goal)
    # Close to a limit a coin might decide, and so it might if better and worse are as probable.
    ends = np.array(hdi_of_rows(draws, 0.95))
    far = (np.abs(ends[..., None] - ROPE) > 0.3 * draws.std(axis=1)[:, None]).all(axis=(0, 2))
    leaning = np.abs((draws > ROPE.high).mean(axis=1) - (draws < ROPE.low).mean(axis=1)) > 0.05
    assert far.sum() > 120
    assert alike[far & (leaning | np.isin(many, SETTLED))].all()
    opposite = ((codes == "<<") & (many == ">>")) | ((codes == ">>") & (many == "<<"))
    assert not opposite.any()
