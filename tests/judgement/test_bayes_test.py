from skbayeseval.judgement.bayes_factor import favour


def test_the_more_probable_is_favoured():
    assert favour(0.3).favoured == "H1"
    assert favour(0.7).favoured == "H0"
    # "Accept H0 iff P(H0) >= P(H1)" (Wang and Li 2019, section 3).
    assert favour(0.5).favoured == "H0"
    assert favour(0.3).p_h1 == 0.7


def test_ties_go_to_h0():
    # Whatever quadrature does to the last digits.
    for p_h0 in (0.5, 0.5 - 1e-12, 0.5 + 1e-12):
        assert favour(p_h0).favoured == "H0"
    assert favour(0.499).favoured == "H1"
