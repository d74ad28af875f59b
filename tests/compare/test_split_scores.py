import re

import numpy as np
import pandas as pd
import pytest

from skbayeseval import compare_predictions, compare_scores


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


@pytest.mark.parametrize("exponent", [-490, 490])
@pytest.mark.parametrize("options", [{"test_fraction": 0.1}, {"model": "signed-rank"}])
def test_scores_may_be_tiny_or_huge(exponent, options):
    scores = np.random.default_rng(0).random((2, 10))
    one, other = (
        compare_scores(*np.ldexp(scores, scale), **options, n_draws=2000, random_state=0)
        for scale in (0, exponent)
    )
    np.testing.assert_allclose(np.ldexp(other.hdi(), -exponent), one.hdi(), rtol=1e-9)
    np.testing.assert_allclose(other.probability(), one.probability(), rtol=1e-9)


@pytest.mark.parametrize("size", [1e155, 1e-155, 1e200, 1e-200])
def test_scores_whose_squares_are_no_floats(size):
    a, b = size * np.random.default_rng(0).random((2, 8))
    for scores, options in (
        ((a, b), {"test_fraction": 0.1}),
        ((a, b), {"model": "signed-rank"}),
        (({"x": dict(enumerate(a)), "y": dict(enumerate(b))},), {}),
    ):
        with pytest.raises(ValueError, match=r"cores.* must be between 1e-150 and 1e\+150 in size"):
            compare_scores(*scores, **options)
    for scoring in ("r2", "neg_mean_absolute_error"):
        with pytest.raises(ValueError, match="y_true, y_pred_a, y_pred_b must be between 1e-150"):
            compare_predictions(a, 1.1 * a, b, scoring=scoring)


def test_averages_are_no_data_sets():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((6, 3)), list("uvwxyz"), ["a", "b", "c"])
    expected = compare_scores(table, n_draws=500, random_state=0)
    with pytest.warns(UserWarning, match="'avg' is left out: it is called like an average of the"):
        found = compare_scores(
            pd.concat([table, table.mean().to_frame("avg").T]), n_draws=500, random_state=0
        )
    np.testing.assert_array_equal(found.draws, expected.draws)
    assert found.evidence.describe() == expected.evidence.describe()
    compare_scores(table.rename({"u": "average_precision", "v": "meaning"}), n_draws=500)
