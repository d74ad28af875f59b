import pytest

from skbayeseval import metrics
from skbayeseval.metrics import get_metric, known_metrics
from skbayeseval.metrics.registry import in_plain_words, split_metric
from skbayeseval.metrics.scoring import resolve_scoring


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


def test_metrics_of_one_class_and_of_splits():
    (metric, *_) = resolve_scoring(metrics.per_class("recall"), ("a", "b")).values()
    assert in_plain_words(metric) == "the share of instances of a class that are found"
    assert in_plain_words(split_metric("accuracy")) == in_plain_words(get_metric("accuracy"))


@pytest.mark.parametrize(
    "metric",
    [
        metrics.from_confusion(lambda table: table[0, 0], "own"),
        split_metric("max_error"),
        split_metric("neg_own_error"),
        split_metric("f1_strange"),
    ],
)
def test_nothing_is_said_of_unknown_metrics(metric):
    assert in_plain_words(metric) == ""
