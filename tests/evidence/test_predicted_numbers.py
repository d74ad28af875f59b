import numpy as np
import pytest

from skbayeseval.evidence.predicted_numbers import PredictedNumbers
from skbayeseval.metrics.registry import get_metric, known_metrics
from tests.evidence.bootstrap import slopes

SMOOTH = sorted(set(known_metrics("numbers")) - {"neg_median_absolute_error"})


def evidence(**options):
    rng = np.random.default_rng(0)
    truth = rng.gamma(3.0, 2.0, 60) + 0.1
    said = {name: truth * rng.lognormal(0, s, 60) for name, s in (("a", 0.3), ("b", 0.4))}
    return PredictedNumbers.from_predictions(truth, said, **options)


@pytest.mark.parametrize("name", SMOOTH)
def test_influence_is_the_derivative_of_the_bootstrap(name):
    """One more weight of a row moves the average over runs by its influence."""
    numbers = evidence(run=np.repeat([0, 1, 2], 20), sample_weight=np.linspace(0.5, 1.5, 60))
    metric = get_metric(name)
    rows = [0, 25, 59]
    influence = numbers.influence(metric)[1, rows]
    assert influence == pytest.approx(slopes(numbers, metric, 1, rows), rel=1e-4, abs=1e-7)


def test_units():
    metric = get_metric("r2")
    assert evidence().unit_numbers(metric)[:3] == ("instances", 60, 60.0)
    assert evidence(groups=np.arange(60) // 6).unit_numbers(metric)[:3] == ("groups", 10, 10.0)
    # Half of the instances do not count, and units of sample weights are arbitrary.
    half = evidence(sample_weight=np.tile([0.0, 7.0], 30)).unit_numbers(metric)
    assert (half.number, half.effective, half.instances) == pytest.approx((30, 30, 60))


@pytest.mark.parametrize(
    ("truth", "said", "message"),
    [
        ([1.0, 2.0], [1.0, np.inf], "Input a contains NaN or infinity"),
        ([1.0, 2.0], [1.0], "y_true has 2, a has 1"),
        ([[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0], "one number per instance, got shape.*one by one"),
    ],
)
def test_refuses(truth, said, message):
    with pytest.raises(ValueError, match=message):
        PredictedNumbers.from_predictions(truth, {"a": said})
