import numpy as np
import pytest

from skbayeseval import compare_predictions, metrics
from skbayeseval.posterior import prior

Y = [1] * 30 + [0] * 50
A = [1] * 26 + [0] * 4 + [1] * 6 + [0] * 44
B = [1] * 20 + [0] * 10 + [1] * 9 + [0] * 41


def several_kinds():
    """Arguments of comparisons, and metrics of which some are macro averages."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    a, b = (np.where(rng.random(60) < p, y, rng.integers(0, 4, 60)) for p in (0.9, 0.6))
    many = ["accuracy", "f1_macro", "recall_macro"]
    labels = [(np.stack([one, one == 1], axis=1) > 0).astype(int) for one in (y, a, b)]
    yield (Y, A, B), {"scoring": ["f1", "recall", "accuracy"], "model": "hierarchical"}
    yield (y, a, b), {"scoring": many}  # one class is predicted only, by B
    yield (y, a, b), {"scoring": many, "groups": np.arange(60) // 2}
    yield labels, {"scoring": ["f1_micro", "f1_macro"]}
    yield labels, {"scoring": ["f1_micro", "f1_macro"], "model": "unpaired"}


@pytest.mark.filterwarnings("ignore:The published prior of model='hierarchical'")
@pytest.mark.parametrize("case", range(5))
def test_metrics_that_are_asked_for_together_are_drawn_in_one_pass(case, monkeypatch):
    calls, stacked = [], prior.stacked
    monkeypatch.setattr(prior, "stacked", lambda parts: calls.append(1) or stacked(parts))
    data, options = list(several_kinds())[case]
    options |= {"n_draws": 400, "random_state": 0}
    result = compare_predictions(*data, **options)
    together = {name: result.metric(name) for name in result.metrics}
    for name, found in together.items():
        alone = compare_predictions(*data, **options | {"scoring": name})
        np.testing.assert_allclose(found.draws_a, alone.draws_a, rtol=1e-12)
        np.testing.assert_allclose(found.draws, alone.draws, rtol=1e-12, atol=1e-14)
    assert len(calls) == 1


def test_a_metric_that_is_undefined_does_not_touch_others():
    y = np.array([[1, 0], [1, 1], [0, 1], [1, 0]])
    undefined = metrics.get_metric("precision_micro", zero_division=np.nan)
    scoring = {"f1": "f1_micro", "recall": "recall_micro", "precision": undefined}
    result, alone = (
        compare_predictions(y, 0 * y, y, scoring=asked, n_draws=400, random_state=0)
        for asked in (scoring, "f1_micro")
    )
    np.testing.assert_array_equal(result.draws, alone.draws)
    with pytest.raises(ValueError, match="Metric 'precision' is infinite or NaN"):
        _ = result.metric("precision").draws
