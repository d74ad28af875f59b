"""The gate of continuous integration: whether A may be shipped."""

from __future__ import annotations

from typing import Any, NamedTuple

from skbayeseval import ComparisonResult, Ranking
from skbayeseval.cli.messages import InputError

__all__ = ["GATES", "Gate", "check_gate", "judge"]

# The exit code if a gate is not passed.
NOT_PASSED = 3

# What each gate asks of a comparison of A with B.
GATES = {
    "non-inferior": lambda pair, margin, metric: pair.non_inferiority(margin, metric=metric),
    "better": lambda pair, margin, metric: pair.superiority(margin, metric=metric),
}


class Gate(NamedTuple):
    """What a gate asked, and the answers: one for each metric and each other than A."""

    asked: str
    margin: float
    answers: list[Any]

    @property
    def passed(self) -> bool:
        """Whether all answers are yes."""
        return all(one.answer == "yes" for one in self.answers)

    @property
    def exit_code(self) -> int:
        """The exit code of the program."""
        return 0 if self.passed else NOT_PASSED

    def __str__(self) -> str:
        if self.passed:
            return f"gate passed: {'; '.join(map(str, self.answers))}"
        missing = [one for one in self.answers if one.answer != "yes"]
        return f"gate not passed: {'; '.join(map(str, missing))}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON shows it."""
        answers = [
            {
                "names": list(one.names),
                "metric": one.metric,
                "answer": one.answer,
                "probability": one.probability,
            }
            for one in self.answers
        ]
        return {
            "asked": self.asked,
            "margin": self.margin,
            "passed": self.passed,
            "answers": answers,
        }


def check_gate(gate: str | None, rope: float | None) -> None:
    """Raise if the question of a gate is not complete."""
    if gate == "non-inferior" and rope is None:
        raise InputError(
            "--gate non-inferior requires --rope, the largest loss that does not matter"
        )


def judge(result: ComparisonResult | Ranking, gate: str, rope: float | None) -> Gate:
    """Ask whether A, the first, may be shipped."""
    margin = 0.0 if rope is None else rope
    pairs = [result]
    if isinstance(result, Ranking):
        pairs = [result.pairs[0, other] for other in range(1, len(result.names))]
    answers = [GATES[gate](pair, margin, metric) for pair in pairs for metric in result.metrics]
    return Gate(gate, margin, answers)
