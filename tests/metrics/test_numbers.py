import numpy as np
import pytest
from sklearn import metrics as sk

from skbayeseval import metrics

TWINS = {
    "explained_variance": sk.explained_variance_score,
    "neg_mean_absolute_error": sk.mean_absolute_error,
    "neg_mean_absolute_percentage_error": sk.mean_absolute_percentage_error,
    "neg_mean_gamma_deviance": sk.mean_gamma_deviance,
    "neg_mean_poisson_deviance": sk.mean_poisson_deviance,
    "neg_mean_squared_error": sk.mean_squared_error,
    "neg_mean_squared_log_error": sk.mean_squared_log_error,
    "neg_median_absolute_error": sk.median_absolute_error,
    "neg_root_mean_squared_error": sk.root_mean_squared_error,
    "neg_root_mean_squared_log_error": sk.root_mean_squared_log_error,
    "r2": sk.r2_score,
}


def prepare_numbers(name, truth, predicted, sample_weight=None):
    weight = np.ones(len(truth)) if sample_weight is None else sample_weight
    return metrics.get_metric(name).function(truth, predicted, weight)


def numbers(n=41, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    truth = offset + rng.gamma(3.0, 2.0, n) + 0.1
    return truth, offset + (truth - offset) * rng.lognormal(0.1, 0.3, n)


def theirs(name, truth, predicted, weights=None):
    value = TWINS[name](truth, predicted, sample_weight=weights)
    return -value if name.startswith("neg_") else value


def test_names():
    assert set(TWINS) == set(metrics.known_metrics("numbers"))


@pytest.mark.parametrize("name", sorted(TWINS))
def test_two_numbers_and_perfect_predictions(name):
    truth, predicted = numbers(2)
    ours = prepare_numbers(name, truth, predicted)(np.ones((2, 1)))
    np.testing.assert_allclose(ours, [theirs(name, truth, predicted)], rtol=1e-12, atol=1e-12)
    best = prepare_numbers(name, truth, truth)
    limit = metrics.get_metric(name).limits[1]
    np.testing.assert_allclose(best(np.ones((2, 1))), limit, atol=1e-12)
    assert np.isfinite(best.slopes()).all()


@pytest.mark.parametrize("name", sorted(TWINS))
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_equals_scikit_learn_under_the_same_weights(name, offset):
    truth, predicted = numbers(offset=offset)
    rng = np.random.default_rng(1)
    weights, own = rng.standard_gamma(1.0, (41, 5)), rng.integers(0, 4, 41).astype(float)
    plain = prepare_numbers(name, truth, predicted)(weights)
    weighted = prepare_numbers(name, truth, predicted, own)(weights)
    for draw in range(5):
        w = weights[:, draw]
        assert plain[draw] == pytest.approx(theirs(name, truth, predicted, w), rel=1e-12, abs=1e-12)
        expected = theirs(name, truth, predicted, w * own)
        assert weighted[draw] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_slopes_of_a_median_tell_its_variance():
    """The sum of squared slopes is the variance of the median in many other samples."""
    rng = np.random.default_rng(0)
    n, medians, told = 400, [], []
    for _ in range(600):
        errors = rng.exponential(size=n)
        prepared = prepare_numbers("neg_median_absolute_error", np.zeros(n), errors)
        slopes, median = prepared.slopes(), np.median(errors)
        influence = (slopes.numerators[0] + median * slopes.denominators[0]) / n
        medians.append(median)
        told.append((influence**2).sum())
    # The density of |error| at its median log(2) is 1/2, so that the variance is 1 / n.
    assert np.mean(told) == pytest.approx(1 / n, rel=0.1)
    assert np.var(medians) == pytest.approx(1 / n, rel=0.2)


@pytest.mark.parametrize(
    ("name", "truth", "predicted", "message"),
    [
        ("r2", [2, 2, 2], [1, 2, 3], "y_true is constant, 2"),
        ("explained_variance", [2], [1], "y_true is constant"),
        ("neg_mean_poisson_deviance", [-1, 2], [1, 2], "y_true must not be negative.*-1"),
        ("neg_mean_poisson_deviance", [1, 2], [0, 2], "y_pred must be positive.*contains 0"),
        ("neg_mean_gamma_deviance", [0, 2], [1, 2], "y_true must be positive"),
        ("neg_mean_squared_log_error", [1, 2], [-1, 2], "y_pred must be greater than -1"),
    ],
)
def test_refuses(name, truth, predicted, message):
    with pytest.raises(ValueError, match=message):
        prepare_numbers(name, np.array(truth, float), np.array(predicted, float))
