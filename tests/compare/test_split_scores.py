import pytest

from skbayeseval import compare_scores


@pytest.mark.parametrize("model", ["auto", "signed-rank"])
def test_percentages_are_no_shares(model):
    a, b = [81, 79, 84, 80, 82.0], [78, 77, 80, 79, 78.0]
    message = "scoring='accuracy' lies between 0 and 1, but scores contain 81. Divide percentages"
    with pytest.raises(ValueError, match=message):
        compare_scores(a, b, test_fraction=0.2, scoring="accuracy", model=model)
    of_systems = {"x": dict(enumerate(a)), "y": dict(enumerate(b))}
    with pytest.raises(ValueError, match=message):
        compare_scores(of_systems, scoring="accuracy")
    compare_scores(a, b, test_fraction=0.2, scoring="percent", model=model, n_draws=100)
