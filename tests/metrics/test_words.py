import pytest

from skbayeseval.metrics import get_metric, known_metrics
from skbayeseval.metrics.registry import in_plain_words


@pytest.mark.parametrize("name", [*known_metrics(), "f2", "f0.5_macro"])
def test_every_known_metric_has_words(name):
    words = in_plain_words(get_metric(name))
    assert words
    assert "{" not in words
