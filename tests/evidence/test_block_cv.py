import pytest
from scipy.integrate import dblquad

from skbayeseval.evidence import calibrated_weight


@pytest.mark.parametrize("m", range(2, 12))
def test_weight_is_the_average_of_the_paper(m):
    # Wang and Li 2019, eq. 22, by numerical integration.
    integral, _ = dblquad(
        lambda rho_2, rho_1: 1 / (1 + rho_1 + 2 * (m - 1) * rho_2), 0, 0.5, 0.25, 0.5
    )
    assert calibrated_weight(m) == pytest.approx(8 * integral, abs=1e-10)


def test_published_weight():
    assert calibrated_weight(3) == pytest.approx(0.368802, abs=5e-7)


def test_at_least_two_repeats():
    with pytest.raises(ValueError, match="n_repeats == 1, must be >= 2"):
        calibrated_weight(1)
