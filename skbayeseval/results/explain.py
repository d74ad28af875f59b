"""What a result says in words: printed, and explained in paragraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skbayeseval.metrics.registry import in_plain_words
from skbayeseval.results.facts import as_lines, as_sentences, facts_of

if TYPE_CHECKING:
    from skbayeseval.results.base import PosteriorView

# With more metrics than this, only the first are explained.
MOST_METRICS = 4

WITHOUT_A_ROPE = (
    "Use decision(rope=r) to compare this with the smallest difference r that matters to you."
)
WITH_A_ROPE = (
    "The ROPE has the differences that are too small to matter, and a 95% HDI is the narrowest "
    "interval that has 95% of the probability."
)


def printed(result: PosteriorView) -> str:
    """Return the headline of each metric with its facts, and those of all."""
    lines = []
    for metric in result._metrics.values():
        lines += [result._headline(metric), *result._printed(metric)]
    lines += as_lines(facts_of(result))
    if result._takes_rope:
        lines.append(f"  {WITHOUT_A_ROPE}")
    return "\n".join(lines)


def explained(result: PosteriorView, rope: Any = None) -> str:
    """Return a paragraph on each metric, and one on what the result stands on and applies to."""
    paragraphs = []
    for name, metric in list(result._metrics.items())[:MOST_METRICS]:
        sentences = [result._headline(metric)]
        meaning = in_plain_words(metric, chunks=result.evidence.family == "chunks")
        if meaning:
            sentences.append(f"{name} is {meaning}.")
        sentences += as_sentences(result._facts_of(metric))
        if rope is not None:
            sentences.append(result._decided(rope, metric))
        paragraphs.append(" ".join(sentences))
    limits = as_sentences(facts_of(result))
    if result._takes_rope:
        limits.append(WITHOUT_A_ROPE if rope is None else WITH_A_ROPE)
    more = len(result.metrics) - MOST_METRICS
    if more > 0:
        limits.append(f"The tables have the other {more} metrics.")
    return "\n\n".join([*paragraphs, " ".join(limits)])
