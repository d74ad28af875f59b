"""The gate, which A, the first, has to pass to be shipped."""

from __future__ import annotations

from typing import Any, NamedTuple

from skbayeseval import ComparisonResult, Ranking
from skbayeseval.judgement.distribution import OneSidedDecision

# The largest difference that does not matter, or that of each metric.
Rope = float | dict[str, float]

# The method of a comparison of A with B that answers each gate.
GATES = {"non-inferior": "non_inferiority", "better": "superiority"}


class Gate(NamedTuple):
    """The answers of a gate: for each metric, and for A instead of each other.

    Attributes
    ----------
    asked : {"non-inferior", "better"}
        What is asked.
    margin : float or dict of str to float
        By how much A may be worse, or must be better.
    answers : list of OneSidedDecision
        The answers, all of which have to be yes.
    """

    asked: str
    margin: Rope
    answers: list[OneSidedDecision]

    @property
    def passed(self) -> bool:
        """Whether all answers are yes."""
        return all(answer.answer == "yes" for answer in self.answers)

    def __str__(self) -> str:
        shown = [str(answer) for answer in self.answers if self.passed or answer.answer != "yes"]
        return f"gate {'passed' if self.passed else 'not passed'}: {'; '.join(shown)}"

    def as_json(self) -> dict[str, Any]:
        """Return the gate as JSON has it."""
        answers = [
            {
                "names": list(answer.names),
                "metric": answer.metric,
                "answer": answer.answer,
                "probability": answer.probability,
                "required": answer.prob,
                "looks": answer.looks,
                "sentence": str(answer),
            }
            for answer in self.answers
        ]
        return {
            "asked": self.asked,
            "margin": self.margin,
            "passed": self.passed,
            "answers": answers,
        }


def judge(
    result: ComparisonResult | Ranking, asked: str, rope: Rope | None, looks: int = 1
) -> Gate:
    """Ask whether A may be shipped: for each metric, and instead of each other."""
    margin = 0.0 if rope is None else rope
    pairs = [result]
    if isinstance(result, Ranking):
        pairs = [result.pairs[0, other] for other in range(1, len(result.names))]
    answers = [
        getattr(pair, GATES[asked])(
            margin[metric] if isinstance(margin, dict) else margin, looks=looks, metric=metric
        )
        for pair in pairs
        for metric in result.metrics
    ]
    return Gate(asked, margin, answers)
