import numpy as np
import pytest
from scipy import stats

from skbayeseval.judgement import Distribution, Interval
from skbayeseval.judgement.distribution import decision_of
from skbayeseval.models.margins import (
    BetaDifference,
    BetaMargin,
    InClosedForm,
    StudentMargin,
    StudentQuantity,
)

RNG = np.random.default_rng(0)
DRAWS = RNG.normal(0.02, 0.01, 20_000)
A, B = BetaMargin(40.0, 12.0), BetaMargin(35.0, 14.0)
BETA = RNG.beta(40, 12, 20_000), RNG.beta(35, 14, 20_000)
LAW = StudentMargin(0.02, 0.01, 9.0)
ALL = {
    "draws": Distribution(DRAWS),
    "beta": InClosedForm(BETA[0], A),
    "difference": InClosedForm(BETA[0] - BETA[1], BetaDifference(A, B)),
    "student": StudentQuantity(0.02 + 0.01 * RNG.standard_t(9, 20_000), LAW),
}


@pytest.mark.parametrize("name", ALL)
def test_what_is_known_in_closed_form_is_what_the_draws_say(name):
    one = ALL[name]
    plain = Distribution(one.draws)
    assert one.mean == pytest.approx(plain.mean, abs=5 * plain.mcse)
    assert one.sd == pytest.approx(plain.sd, rel=0.05)
    for prob in (0.5, 0.95):
        np.testing.assert_allclose(one.interval(prob), plain.interval(prob), atol=0.06 * one.sd)
        np.testing.assert_allclose(one.hdi(prob), plain.hdi(prob), atol=0.2 * one.sd)
    region = Interval(*np.quantile(one.draws, [0.3, 0.6]))
    np.testing.assert_allclose(one.around(region), [0.3, 0.3, 0.4], atol=0.02)
    assert sum(one.around(region)) == pytest.approx(1)
    assert one.mass(*region) == pytest.approx(0.3, abs=0.02)
    assert one.mass(region.low, np.inf) == pytest.approx(0.7, abs=0.02)


@pytest.mark.parametrize("name", ALL)
def test_answers_agree_with_each_other(name):
    one = ALL[name]
    for prob in (0.5, 0.9):
        low, high = one.interval(prob)
        assert one.mass(low, high) == pytest.approx(prob, abs=1e-3)
        around, tail = one.around(Interval(low, high)), (1 - prob) / 2
        assert around == pytest.approx((tail, prob, tail), abs=1e-3)
    rope = Interval(-0.01, 0.01)
    decision = decision_of(one, rope, 0.95, ("a", "b"), "f1")
    assert decision.hdi == one.hdi(0.95)
    assert decision.probabilities == one.around(rope)


@pytest.mark.parametrize(
    ("shift", "depends"), [(0.0, False), (0.5, False), (1.5, True)], ids=["none", "small", "large"]
)
def test_a_decision_depends_on_splits_if_a_shift_changes_it(shift, depends):
    # The 95% HDI is about [0.04, 5.96]: 1.04 from the limit of the ROPE.
    normal = stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000, 3, 1.51)
    for sign, rope, code in ((1, (-5.0, -1.0), ">>"), (-1, (1.0, 5.0), "<<")):
        known = Distribution(sign * normal)
        decision = decision_of(known, Interval(*rope), 0.95, ("A", "B"), "f1", shift=shift)
        assert decision.code == code
        assert decision.depends_on_splits is depends
        assert ("Other random splits could change this decision" in str(decision)) is depends
