import re

import pandas as pd
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


def test_scores_by_data_set_are_those_of_systems():
    a = pd.Series({"iris": 0.9, "wine": 0.8, "glass": 0.75, "yeast": 0.6})
    b = pd.Series({"iris": 0.8, "wine": 0.7, "glass": 0.6, "yeast": 0.55})
    message = re.escape("pass one dict: compare_scores({'A': scores_a, 'B': scores_b}).")
    with pytest.raises(ValueError, match=message):
        compare_scores(a, b)
    with pytest.raises(TypeError, match=message):
        compare_scores(a.to_dict(), b.to_dict())
    assert compare_scores({"A": a, "B": b}, n_draws=200, random_state=0).names == ("A", "B")
    # Splits may have names, too.
    assert compare_scores(a, b, test_fraction=0.25).observed_a == pytest.approx(a.mean())
