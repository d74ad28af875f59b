"""The gate, and results for continuous integration: Markdown, GitHub's commands, and JUnit."""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple
from xml.etree import ElementTree

from skbayeseval import ComparisonResult, Ranking
from skbayeseval._files import written_whole
from skbayeseval.judgement.distribution import OneSidedDecision
from skbayeseval.results.facts import as_sentences, cautions_of
from skbayeseval.results.text_tables import in_tiers, markdown_line, markdown_table

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
        told = [answer for answer in self.answers if self.passed or answer.answer != "yes"]
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
                "looks": answer.looks,
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


def judge(
    result: ComparisonResult | Ranking, asked: str, rope: Rope | None, **looking: Any
) -> Gate:
    """Ask whether A may be shipped: for each metric, and instead of each other.

    `looking` is `looks` or `planned`, as in `ComparisonResult.non_inferiority`.
    """
    margin = 0.0 if rope is None else rope
    pairs = [result]
    if isinstance(result, Ranking):
        pairs = [result.pairs[0, other] for other in range(1, len(result.names))]
    answers = [
        getattr(pair, GATES[asked])(
            margin[metric] if isinstance(margin, dict) else margin, metric=metric, **looking
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


def sentence_of(result: ComparisonResult | Ranking, gate: Gate | None, rope: Rope | None) -> str:
    """Return the verdict of the gate, or else what was found for each metric."""
    if gate is not None:
        return one_line(gate)
    if isinstance(result, Ranking):
        tiers = [result.tiers(rope or 0.0, metric=name) for name in result.metrics]
        return one_line("; ".join(each.in_short() for each in tiers))
    if rope is None:
        return one_line(" ".join(map(result._headline, result._metrics.values())))
    decisions = [result.decision(rope, metric=name) for name in result.metrics]
    return one_line("; ".join(decision.in_short() for decision in decisions))


def as_markdown(result: ComparisonResult | Ranking, gate: Gate | None, rope: Rope | None) -> str:
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
            table = result._table(rope, 0.95, False, None, metric)
            table = in_tiers(table, result.tiers(rope or 0.0, metric=metric))
            parts += [f"{markdown_line(metric)}:", markdown_table(table)]
    else:
        parts.append(result.to_markdown(rope))
    facts = [*result.evidence.remarks(result.names), *cautions_of(result)]
    parts += [markdown_line(one_line(sentence)) for sentence in as_sentences(facts)]
    return "\n\n".join(parts) + "\n"


def report_to_github(
    result: ComparisonResult | Ranking, gate: Gate | None, rope: Rope | None
) -> None:
    """Write the Markdown to the summary of the job, the outputs of the step, and the verdict.

    Outside of GitHub's runners, where no file is named, the Markdown is printed.
    """
    page, sentence = as_markdown(result, gate, rope), sentence_of(result, gate, rope)
    summary, output = (os.environ.get(f"GITHUB_{name}") for name in ("STEP_SUMMARY", "OUTPUT"))
    if summary:
        _append(summary, f"{page}\n")
    else:
        print(page)
    if output:
        passed = "" if gate is None else f"passed={str(gate.passed).lower()}\n"
        _append(output, f"{passed}sentence={sentence}\n")
    print(workflow_command("notice" if gate is None or gate.passed else "error", sentence))


def _append(path: str, text: str) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write(text)


def workflow_command(command: str, message: str) -> str:
    """Return a command of GitHub's runners, which read them from what is printed.

    Examples
    --------
    >>> from skbayeseval.cli.formats import workflow_command
    >>> workflow_command("error", "not passed: 50%")
    '::error title=skbayeseval::not passed: 50%25'
    """
    for character in "%\r\n":  # the percent sign first, since it is in the others' escapes
        message = message.replace(character, f"%{ord(character):02X}")
    return f"::{command} title=skbayeseval::{message}"


def write_junit(gate: Gate, path: str) -> None:
    """Write a JUnit file with a test case per answer of the gate."""
    failed = sum(answer.answer != "yes" for answer in gate.answers)
    counts = {"tests": str(len(gate.answers)), "failures": str(failed)}
    suites = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(
        suites, "testsuite", {"name": "skbayeseval", **counts, "errors": "0", "skipped": "0"}
    )
    for answer in gate.answers:
        name = one_line(f"{' against '.join(answer.names)}: {answer.metric}")
        attributes = {"classname": f"skbayeseval.{gate.asked}", "name": name, "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", attributes)
        sentence = one_line(answer)
        if answer.answer == "yes":
            ElementTree.SubElement(case, "system-out").text = sentence
        else:
            ElementTree.SubElement(
                case, "failure", {"message": sentence, "type": "gate"}
            ).text = sentence
    ElementTree.indent(suites)
    with written_whole(path) as temporary:
        ElementTree.ElementTree(suites).write(temporary, encoding="utf-8", xml_declaration=True)
