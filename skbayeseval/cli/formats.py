"""What is printed of a result: the gate, text, Markdown and JSON."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import pandas as pd

from skbayeseval import ComparisonResult, Ranking, ScoreResult
from skbayeseval.evidence.item_scores import ItemScores
from skbayeseval.judgement.distribution import OneSidedDecision
from skbayeseval.judgement.rope import warn_of_one_rope
from skbayeseval.results.text_tables import (
    as_text,
    in_tiers,
    markdown_line,
    markdown_table,
    table_of_many,
    within,
)
from skbayeseval.results.words import (
    MOST_IN_PAIRS,
    Fact,
    as_sentences,
    cautions_of,
    is_board,
    verdict_of_many,
)

Result = ComparisonResult | Ranking | ScoreResult

# The largest difference that does not matter, or that of each metric.
Rope = float | dict[str, float]

# The method of a comparison of A with B that answers each gate.
GATES = {"non-inferior": "non_inferiority", "better": "superiority"}

# What has an entry per item, which JSON does not show: `to_dict` has it.
PER_ITEM = {"scores", "group", "human", "seen", "estimated"}


class Gate(NamedTuple):
    """The answers of a gate: for each metric, and for A instead of each other.

    Attributes
    ----------
    asked : {"non-inferior", "better"} or float
        What is asked; of A alone, whether its metric is above this number.
    margin : float or dict of str to float
        By how much A may be worse, or must be better.
    answers : list of OneSidedDecision
        The answers, all of which have to be yes.
    """

    asked: str | float
    margin: Rope
    answers: list[OneSidedDecision]

    @property
    def passed(self) -> bool:
        """Whether all answers are yes."""
        return all(self.answers)

    def __str__(self) -> str:
        told = [answer for answer in self.answers if self.passed or not answer]
        sentences, notes = [], list[str]()
        for sentence, *below in (str(answer).splitlines() for answer in told):
            sentences.append(sentence)
            notes += below
        verdict = f"gate {'passed' if self.passed else 'not passed'}: {'; '.join(sentences)}"
        return "\n".join([verdict, *dict.fromkeys(notes)])

    def as_json(self) -> dict[str, Any]:
        """Return the gate as JSON has it."""
        answers = [
            {
                "names": list(answer.names),
                "metric": answer.metric,
                "answer": answer.answer,
                "probability": answer.probability,
                "required": answer.prob,
                "plan": None if answer.plan is None else answer.plan._asdict(),
                "n_more": answer.n_more,
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


def judge(result: Result, asked: str | float, rope: Rope | None, planned: int | None) -> Gate:
    """Ask whether A may be shipped: for each metric, and instead of each other."""
    margin = 0.0 if rope is None else rope
    if isinstance(asked, float) and isinstance(result, ScoreResult):
        known = [result.exceeds(asked, metric=name, planned=planned) for name in result.metrics]
        return Gate(asked, asked, known)
    pairs = [result]
    if isinstance(result, Ranking):
        pairs = [result.pairs[0, other] for other in range(1, len(result.names))]
    answers = [
        getattr(pair, GATES[str(asked)])(
            margin[metric] if isinstance(margin, dict) else margin, metric=metric, planned=planned
        )
        for pair in pairs
        for metric in result.metrics
    ]
    return Gate(asked, margin, answers)


def one_line(text: object) -> str:
    """Return what is said on one line, its lines as sentences, controls as escapes."""
    sentences = re.sub(r"([\w)])\n\s*(?=[A-Z])", r"\1. ", str(text))
    return printable(" ".join(sentences.split()))


def printable(text: str) -> str:
    """Escape characters that would control the terminal, as `repr` does."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def sentence_of(result: Result, gate: Gate | None, rope: Rope | None) -> str:
    """Return the verdict of the gate, or else what was found for each metric."""
    if gate is not None:
        return one_line(gate)
    if isinstance(result, Ranking):
        tiers = [result.tiers(rope or 0.0, metric=name) for name in result.metrics]
        return one_line("; ".join(each.in_short() for each in tiers))
    if rope is None or isinstance(result, ScoreResult):
        headlines = (result._told(metric)[0] for metric in result._metrics.values())
        return one_line(" ".join(headlines))
    decisions = [result.decision(rope, metric=name) for name in result.metrics]
    return one_line("; ".join(decision.in_short() for decision in decisions))


def as_plain(result: Any, gate: Gate | None, rope: Rope | None) -> str:
    """Return the gate, the decisions and the result in words, and the pairs of a ranking."""
    words = str(result).replace("decision(rope=r), with r", "--rope r, with r")
    parts = [] if gate is None else [str(gate)]
    if gate is not None and not isinstance(result, Ranking):  # its question only, and who is ahead
        lines = words.splitlines()
        beyond = next(i for i, line in enumerate(lines) if line.startswith(("  caution", "  appl")))
        return "\n\n".join([*parts, "\n".join(lines[:beyond])])
    is_ranking = isinstance(result, Ranking)
    of_many = isinstance(result, Ranking) and is_board(result)
    if of_many and rope is not None:
        plain, with_rope = ("\n".join(verdict_of_many(result, of)) for of in (None, rope))
        words = words.replace(plain, with_rope)
    elif rope is not None:
        decisions = (str(result.decision(rope, metric=name)) for name in result.metrics)
        parts.append(_in_python("\n".join(decisions)))
    if rope is not None:
        words = words.partition("\n  next ")[0]
    if is_ranking and not of_many:
        tiers = (str(result.tiers(rope or 0.0, metric=name)) for name in result.metrics)
        parts.append("\n".join(tiers))
    parts.append(_in_python(words))
    if of_many:
        parts[-1] += (
            f"\nThe differences of all {len(result.pairs):,} pairs are in --format json, those of "
            f"the {MOST_IN_PAIRS} best in --report."
        )
    elif is_ranking:
        for name, summary in _summaries(result, rope).items():
            pairs = as_text(summary, rope=rope is not None).drop(columns="std")
            pairs.index = pd.Index([" minus ".join(pair) for pair in pairs.index])
            parts.append(f"{name}, the differences of pairs:\n{within(pairs, shorter=False)}")
    return "\n\n".join(parts)


def _in_python(words: str) -> str:
    """Return advice to call a function, as it is said where no Python runs."""
    words = words.replace("more in details()", "more in --report")
    return words.replace("required_sample_size", "in Python, required_sample_size")


def _summaries(ranking: Ranking, rope: Rope | None) -> dict[str, pd.DataFrame]:
    warn_of_one_rope(rope, ranking._metrics.values())
    return {name: ranking.summary(rope, metric=name) for name in ranking.metrics}


def as_markdown(result: Result, gate: Gate | None, rope: Rope | None) -> str:
    """Return a sentence and tables, fit for a comment on a pull request."""
    sentence = sentence_of(result, gate, rope)
    if gate is not None:
        verdict, rest = sentence.split(":", 1)
        sentence = f"**{verdict}**:{markdown_line(rest)}"
    else:
        sentence = markdown_line(sentence)
    parts = [sentence]
    if isinstance(result, Ranking):
        for metric in result.metrics:
            table = table_of_many(result, rope, metric=metric)
            table = in_tiers(table, result.tiers(rope or 0.0, metric=metric))
            parts += [f"{markdown_line(metric)}:", markdown_table(table)]
    else:
        tabled = result.to_markdown
        parts.append(tabled() if isinstance(result, ScoreResult) else result.to_markdown(rope))
    facts = [*(Fact(*one) for one in result.evidence.remarks(result._names)), *cautions_of(result)]
    parts += [markdown_line(one_line(sentence)) for sentence in as_sentences(facts)]
    return "\n\n".join(parts)


def as_json(result: Result, gate: Gate | None, rope: Rope | None) -> str:
    """Return a result as JSON has it; of a ranking, the tables and the pairs of each metric."""
    found = {**result.to_dict(), "rope": rope}
    if isinstance(result.evidence, ItemScores):
        known = {key: value for key, value in found["evidence"].items() if key not in PER_ITEM}
        found["evidence"] = {**known, "n_items": result.evidence.n_items}
    if isinstance(result, Ranking):
        found["ranking"] = {
            name: _rows(result.ranking(rope=rope or 0.0, metric=name)) for name in result.metrics
        }
        found["tiers"] = {
            name: result.tiers(rope or 0.0, metric=name).groups for name in result.metrics
        }
        found["summary"] = {
            name: _rows(summary) for name, summary in _summaries(result, rope).items()
        }
    else:
        table = result.summary() if isinstance(result, ScoreResult) else result.summary(rope)
        found["summary"] = json.loads(table.to_json(orient="index", double_precision=15))
    if gate is not None:
        found["gate"] = gate.as_json()
    return json.dumps(found, indent=2)


def _rows(table: pd.DataFrame) -> Any:
    return json.loads(table.reset_index().to_json(orient="records", double_precision=15))


FORMATS = {"text": as_plain, "markdown": as_markdown, "json": as_json}
