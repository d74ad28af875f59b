import pytest

from skbayeseval.metrics import get_metric, known_metrics
from skbayeseval.metrics.registry import in_plain_words


@pytest.mark.parametrize("name", [*known_metrics(), "f2", "f0.5_macro"])
def test_every_known_metric_has_words(name):
    words = in_plain_words(get_metric(name))
    assert words
    assert "{" not in words


def test_averages_and_chunks_are_told():
    assert in_plain_words(get_metric("recall_macro")).endswith("averaged over the classes")
    assert "chunks" in in_plain_words(get_metric("precision"), chunks=True)
    assert "recall counts more" in in_plain_words(get_metric("f2"))
    assert "precision counts more" in in_plain_words(get_metric("f0.5"))
