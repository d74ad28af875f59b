"""What is said of a result first, by `explain`, in notebooks and on pages, and the pages.

A page begins with what decides, which is one sheet of paper: a sentence, tables, and what follows
from them. Nothing is advised that is not settled. "Choose" is said where all metrics are settled
and speak for one classifier, and "prefer" where it is better, but perhaps by less than what
matters, or where other splits of the same data could change this. Folded below it are the
statistics, in the order of the Bayesian analysis reporting guidelines (Kruschke 2021).
"""

from __future__ import annotations

import inspect
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy
import sklearn

from skbayeseval import _html as html
from skbayeseval._html import Bar, card_table, frame_table, paragraphs, section, text
from skbayeseval._version import __version__
from skbayeseval.evidence.split_scores import SplitScores
from skbayeseval.judgement.decision import (
    PLANNED,
    Decision,
    format_probability,
    on_other_splits,
    percent,
)
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import RankingDecision, behind_the_best
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import in_headings, in_plain_words, sign_in_headings
from skbayeseval.results.text_tables import (
    MINUS,
    as_text,
    by_model_and_prior,
    decimals,
    fixed,
    table_of_many,
    table_of_one,
    table_of_pair,
)
from skbayeseval.results.words import (
    MOST_IN_PAIRS,
    Fact,
    as_sentences,
    called,
    choice,
    facts_of,
    lead,
    observed_of,
    on,
    units_of,
)

# Facts that stand with the statistics; all others tell what the answer applies to.
BASIS = ("model", "worth", "splits", "large", "metrics", "prior")

# A headline tells so many metrics and names, and a table so many rows; the rest stands below.
MOST_TOLD, MOST_NAMES, MOST_ROWS = 3, 4, 6

# From this probability on, a headline says "almost surely".
SURE = 0.99

_GIVEN = "Given these data, the true"

# The ROPE of each metric by its name.
Ropes = Mapping[str, Interval] | None

NO_ROPE_SAID = (
    "Whether a lead of this size matters is not for statistics to say: pass rope=r, the largest "
    "difference r that does not matter to you."
)


# With more metrics than this, only the first are explained and drawn.
MOST_METRICS = 4

# Larger tables are cut.
ROWS_ON_PAGES = 40
# Confusion tables of more classes are left out, and so are those of more classifiers.
MOST_CLASSES, MOST_TABLES = 12, 6
POSTERIOR, SENSITIVITY = "Posterior", "Sensitivity to the prior"

# The section and the caption of a table of statistics, and its text.
Table = tuple[str, str, pd.DataFrame]

# What a figure shows, and the function that draws it on axes.
Figure = tuple[str, Callable[..., Any]]


class Page(NamedTuple):
    """What `explain` and a page say: what decides first, and below it the statistics.

    Attributes
    ----------
    title, headline : str
        What is compared, and what was found.
    shown : list of (str, DataFrame)
        The tables below the headline, with captions.
    numbers : list of str
        Sentences that say in words what these tables show.
    meaning, applies, open : list of str
        Sentences: what the headline means, what it applies to and what would settle what is open.
    tables : iterable of Table
        The tables of the statistics.
    figures : list of Figure
        The figures, the first of which stands beside the headline.
    rows_of_figures : int
        How many rows figures have, if these make them higher; otherwise 0.
    """

    title: str
    headline: str
    shown: list[tuple[str, pd.DataFrame]]
    numbers: list[str]
    meaning: list[str]
    applies: list[str]
    open: list[str]
    tables: Iterable[Table]
    figures: list[Figure]
    rows_of_figures: int = 0


def explained(page: Page, facts: Sequence[Fact]) -> str:
    """Return what a page says first, in paragraphs, with sentences in place of its tables."""
    basis = as_sentences(fact for fact in facts if fact[0] in BASIS)
    parts = [[page.headline], page.numbers, page.meaning, [*page.applies, *basis], page.open]
    return "\n\n".join(" ".join(part) for part in parts if part)


def _few(result: Any) -> dict[str, Metric]:
    """Return the metrics that are told and drawn."""
    return dict(list(result._metrics.items())[:MOST_METRICS])


def _in_sentences(result: Any, of_metric: Callable[[Metric], list[Fact]]) -> list[str]:
    """Return sentences on the numbers of each metric."""
    said = []
    for metric in _few(result).values():
        name = called(result, metric)
        named = len(result.metrics) > 1 or name != in_headings(metric).lower()
        which = on(result, metric).replace("on", "in", 1) if named else ""
        said += [f"{what.capitalize()}{which}: {words}." for what, words in of_metric(metric)]
    return said


def _sensitivity(result: Any, rope: Any) -> pd.DataFrame:
    """Return the first metric under other models and priors, as text."""
    return as_text(by_model_and_prior(result.prior_sensitivity(rope)), rope=rope is not None)


@dataclass
class _Judged:
    """What is known of the difference A minus B in one metric, in words."""

    metric: Metric
    difference: Distribution
    decision: Decision
    of_zero: Decision  # as if any difference counted
    identical: str | None

    def __post_init__(self) -> None:
        worse, _, better = self.of_zero.probabilities
        rope, code, names = self.decision.rope, self.decision.code, self.decision.names
        self.called, self.digits = in_headings(self.metric), decimals(2 * self.difference.sd)
        first = self.difference.lead >= 0
        self.who, self.other = names if first else names[::-1]
        self.p_ahead = better if first else worse
        self.p_beyond = self.decision.probabilities[2 if first else 0]
        self.limit = rope.high if first else -rope.low
        self.by = f" by more than {self.limit:.4g}" if self.limit else ""
        self.kind = "open"
        if self.identical is not None:
            self.kind = "identical"
        elif not rope.low <= 0 <= rope.high:
            self.kind = "elsewhere"
        elif code == "~":
            self.kind = "equal"
        elif self.decision.settled and self.by:
            self.kind = "beyond"
        elif self.of_zero.settled:
            self.kind = "ahead"
        judged = self.of_zero if self.kind == "ahead" else self.decision
        self.depends_on_splits = judged.depends_on_splits
        self.sign = sign_in_headings(self.metric)

    def verdict(self) -> str:
        """Return what the table says."""
        rope, better = self.decision.rope, f"{self.who} better"
        chance = f"{self.by.strip()}: {format_probability(self.p_beyond)}" if self.by else ""
        return {
            "identical": f"identical {self.identical}",
            "elsewhere": self.decision.label,
            "equal": f"equivalent, within {max(-rope.low, rope.high):.4g}",
            "beyond": f"{better}{self.by}",
            "ahead": f"{better}, not settled how much ({chance})" if chance else better,
            "open": f"not settled ({better} {chance})" if chance else "not settled",
        }[self.kind]

    def clause(self, *, named: bool = True, compared: bool = True) -> str:
        """Return what the headline says, with or without the name of who is ahead and of whom."""
        who, other, where = self.who, self.other, f"in {self.called}"
        a, b = self.decision.names
        if self.kind in ("beyond", "ahead"):
            said = f"better than {other} " if compared else ""
            said += f"by {fixed(abs(self.difference.mean), self.digits)}"
            said = f"{where}, {who} is {said}, " if named else f"{said} {where}, "
            splits = " (other splits could change this)" if self.depends_on_splits else ""
            if self.kind == "beyond":
                return f"{said}{_surely(self.p_beyond)}{self.by}{splits}"
            doubt = f", but whether{self.by} is not settled" if self.by else ""
            return f"{said}{_surely(self.p_ahead)}{splits}{doubt}"
        if self.kind == "identical":
            return f"{where}, {a} and {b} are identical: their {self.identical} are the same"
        region = _region(self.decision.rope)
        if self.kind == "equal":
            return f"{where}, {a} and {b} are equivalent: differences {region} do not matter"
        if self.kind == "elsewhere":
            side = {">>": "above all", "<<": "below all", "~": "one of those"}
            said = side.get(self.decision.code, "not settled to be, or not to be, one of those")
            return f"{where}, {a} minus {b} is {said} {region}"
        chance = f"the probability is {format_probability(self.p_beyond)}"
        return f"not settled whether {who} is better than {other}{self.by} {where} ({chance})"


def _surely(probability: float) -> str:
    chance = f"with probability {format_probability(probability)}"
    return "almost surely" if probability >= SURE else chance


def _joined(words: Sequence[str], last: str = "and") -> str:
    """Return words as a sentence lists them, and the number of those that are too many."""
    if len(words) > MOST_NAMES:
        words = [*words[: MOST_NAMES - 1], f"{len(words) - MOST_NAMES + 1} more"]
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].removesuffix('.')}."


def _measured(result: Any) -> Iterator[str]:
    """Yield a sentence on what the metrics measure, where that is known."""
    chunks, said = result.evidence.noun == "chunks", []
    for metric in list(result._metrics.values())[:MOST_TOLD]:
        words = in_plain_words(metric, chunks=chunks).partition(" with a minus sign")[0].rstrip(",")
        if words:
            said.append(f"{in_headings(metric)} is {words}")
    if said:
        yield _sentence("; ".join(said))


def _table(columns: Sequence[str], rows: Mapping[str, Sequence[Any]]) -> pd.DataFrame:
    return pd.DataFrame(list(rows.values()), list(rows), list(columns), dtype=object)


def page_of_pair(result: Any, ropes: Ropes) -> Page:
    """Return the page of two classifiers."""
    judged = []
    for name, metric in result._metrics.items():
        rope = Interval(0.0, 0.0) if ropes is None else ropes[name]
        decision, of_zero = (result.decision(one, metric=metric) for one in (rope, 0.0))
        identical = result._posterior.what_is_identical(metric)
        judged.append(_Judged(metric, result._distribution(metric), decision, of_zero, identical))
    told, (a, b) = judged[:MOST_TOLD], result.names
    meaning = list(_measured(result))
    if ropes is not None:
        limits = [f"{_region(j.decision.rope)} in {j.called}" for j in told]
        meaning.append(
            f"Differences {_joined(limits)} were declared too small to matter (shaded in figures): "
            "it is settled who is better if all of the 95% interval is beyond them, and that both "
            "are equivalent if all of it is within."
        )
    meaning.append(
        f"{_GIVEN} difference is in the 95% interval with probability 95%; it is "
        f"positive where {a} is better, and negative where {b} is."
    )
    turns = filter(None, dict.fromkeys(j.decision.turn for j in told))

    def numbers(metric: Metric) -> list[Fact]:
        return [("observed", observed_of(result, metric)), ("difference", lead(result, metric))]

    def tables() -> Iterator[Table]:
        yield POSTERIOR, f"{a} minus {b}", table_of_pair(result, ropes, mcse=True)
        by_itself = "" if result.alone is result else ", the pair by itself"
        yield SENSITIVITY, result.metrics[0] + by_itself, _sensitivity(result, ropes)

    return Page(
        f"{a} against {b}",
        _headline(told, len(judged) - len(told)),
        [("", _table_of_pair(result, judged))],
        _in_sentences(result, numbers),
        meaning,
        [*turns, *as_sentences(facts_of(result), but=BASIS)],
        list(_open_of_pair(told, ropes)),
        tables(),
        _figures_of_pair(result, ropes),
    )


def _figures_of_pair(result: Any, ropes: Ropes) -> list[Figure]:
    draw, shown, figures = partial(result.plot, title=""), _few(result), list[Figure]()
    for name, metric in shown.items():
        label = f"posterior of the difference in {in_headings(metric)}"
        figures.append((label, partial(draw, metric=name, rope=ropes)))
    recorded = {} if result._cross_validation is None else result._cross_validation.scores
    for name in shown:
        if name in recorded or isinstance(result.evidence, SplitScores):
            scores = partial(draw, "scores", metric=name)
            figures.append((f"split scores in {name}", scores))
        if result._posterior.trace is not None:
            trace = partial(result.plot, "trace", metric=name)
            figures.append((f"draws of the chains in {name}", trace))
    return figures


def _headline(told: Sequence[_Judged], n_more: int) -> str:
    kinds, winners = {j.kind for j in told}, {j.who for j in told if j.kind in ("beyond", "ahead")}
    ending = f"; {n_more} more metrics are in the table." if n_more else "."
    alike = {"equal", "identical"}
    # What is open must not speak for the other one.
    if len(winners) == 1 and all(j.who in winners or j.kind in alike for j in told):
        (winner,) = winners
        first, *others = sorted(told, key=lambda j: j.kind not in ("beyond", "ahead"))
        is_settled = kinds <= {"beyond", *alike} and not any(j.depends_on_splits for j in told)
        advice = "Choose" if is_settled else "Prefer"
        clauses = [j.clause(named=False, compared=j is first) for j in (first, *others)]
        return f"{advice} {winner}: {'; '.join(clauses)}{ending}"
    words = "; ".join(j.clause() for j in told) + ending
    if kinds <= alike and all(j.decision.settled for j in told):
        return f"Either will do: {words}"
    return _sentence(words)


def _table_of_pair(result: Any, judged: Sequence[_Judged]) -> pd.DataFrame:
    rows = {}
    bounds = {j.metric.bounds for j in judged}
    for j in judged:
        # Metrics of the same range share one scale.
        shown = judged if len(bounds) == 1 and None not in bounds else [j]
        ends = [end for one in shown for end in (*one.decision.hdi, *one.decision.rope, 0.0)]
        observed = [fixed(j.sign * one, j.digits) for one in result._posterior.observed(j.metric)]
        hdi, mean, extent = j.decision.hdi, j.difference.mean, (min(ends), max(ends))
        rows[f"{j.called} (smaller is better)" if j.sign < 0 else j.called] = [
            *observed,
            _number(mean, j.digits, "+"),
            Bar(hdi, mean, extent, _ends(hdi, j.digits, "+"), j.decision.rope),
            f"{j.who} {format_probability(j.p_ahead)}",
            j.verdict(),
        ]
    return _table(
        [*result.names, "difference", "95% interval", "probability to be better", "verdict"], rows
    )


def _region(rope: Interval) -> str:
    """Return a ROPE in words."""
    if rope.low == -rope.high:
        return f"of up to {rope.high:.4g}"
    return f"from {rope.low:+.4g} to {rope.high:+.4g}".replace("-", MINUS)


def _number(value: float, digits: int, sign: str = "") -> str:
    written = fixed(value, digits)
    return f"+{written}" if sign and float(f"{value:.{digits}f}") > 0 else written


def _ends(interval: Interval, digits: int, sign: str = "") -> str:
    return " to ".join(_number(end, digits, sign) for end in interval)


def _open_of_pair(told: Sequence[_Judged], ropes: Ropes) -> Iterator[str]:
    """Yield what would settle what is open."""
    still = [j for j in told if not j.decision.settled]
    if still:
        decision = still[0].decision
        low, high = decision.rope
        rope = f"{high:g}" if low == -high else f"({low:g}, {high:g})"
        call = f"required_sample_size(rope={rope}, metric={decision.metric!r})"
        planned = decision.units in PLANNED and (low, high) != (0, 0)
        how_many = f": result.{call} estimates how many" if planned else ""
        if decision.units:
            yield f"More {decision.units}{how_many}."
    if ropes is None:
        yield NO_ROPE_SAID
        return
    for decision in [j.decision for j in told if j.depends_on_splits][:1]:
        yield on_other_splits(decision.n_repeats, "what is settled", decision.more_repeats)


def page_of_many(
    ranking: Any, ropes: Ropes, prob: float = 0.95, search: Sequence[Fact] = ()
) -> Page:
    """Return the page of several classifiers, or of the candidates of a search by its facts."""
    told: list[RankingDecision] = []
    shown, limits, meaning, still = [], [], list(_measured(ranking)), list[str]()
    for name, metric in list(ranking._metrics.items())[:MOST_TOLD]:
        rope = Interval(0.0, 0.0) if ropes is None else ropes[name]
        told.append(ranking.decision(rope, prob, metric=metric))
        shown.append((in_headings(metric), _table_of_many(ranking, metric, told[-1])))
        limits.append(f"{-rope.low:.4g} in {in_headings(metric)}")
    if ropes is not None:
        which = _joined(limits)
        meaning.append(f"Being behind the best by up to {which} was declared too small to matter.")
    first = ranking.table.index[0]
    meaning += as_sentences(choice(ranking, ranking._metric(None)))
    for decision in told:
        others = [name for name in decision.open if name != first]
        if others and not still:
            still += _open_of_many(ranking.pairs[first, others[0]], decision, bool(search))
    if ropes is None:
        still.append(NO_ROPE_SAID)
    # A search has a fact for what is told of the best of a ranking.
    applies = as_sentences(search or facts_of(ranking), but=(*BASIS, "estimate"))
    return Page(
        f"A comparison of {len(ranking.names)} classifiers",
        _headline_of_many(ranking, told),
        shown,
        _in_sentences(ranking, lambda metric: [("observed", observed_of(ranking, metric))]),
        meaning,
        applies,
        still,
        _tables_of_many(ranking, ropes),
        [
            (f"ranking by {name}", partial(ranking.plot, title="", metric=name, rope=ropes))
            for name in _few(ranking)
        ],
        len(ranking.names),
    )


def _tables_of_many(ranking: Any, rope: Any) -> Iterator[Table]:
    for name in ranking.metrics:
        yield POSTERIOR, name, table_of_many(ranking, rope, mcse=True, metric=name)
    best = ranking.table.index[:MOST_IN_PAIRS]
    pairs = [ranking.pairs[first, second] for first, second in combinations(best, 2)]
    summary = pd.concat([pair.metric(ranking._metric(None)).summary(rope) for pair in pairs])
    index = pd.Index(["{} minus {}".format(*pair.names) for pair in pairs], name="pair")
    cut = "" if len(best) == len(ranking.names) else f", {MOST_IN_PAIRS} with the highest means"
    text = as_text(summary.set_axis(index), rope=rope is not None)
    yield "Pairs", f"{ranking.metrics[0]}{cut}", text
    which = f"{ranking.metrics[0]}, {index[0]}, the pair by itself"
    yield SENSITIVITY, which, _sensitivity(pairs[0], rope)


def _headline_of_many(ranking: Any, told: Sequence[RankingDecision]) -> str:
    clauses = []
    for decision in told:
        called = in_headings(ranking._metrics[decision.metric])
        limit, n = -decision.rope.low, len(ranking.names)
        by = f" by more than {limit:.4g}" if limit else ""
        if n == 1:
            said = f"there is no other candidate in {called}"
        elif decision.best_alone:
            said = f"better than the other {n - 1} in {called}{by}"
        elif decision.equivalent:
            said = f"the best of {n} in {called}" + f" or within {limit:.4g} of it" * bool(limit)
        else:
            best = ranking.ranking(metric=decision.metric)["p_best"].iloc[:1]
            leads = f"{best.index[0]} with probability {format_probability(best.iloc[0])}"
            said = f"not settled which of {len(decision.open)} is the best in {called} ({leads})"
        if decision.equivalent and decision.open:
            said += f", but not settled whether {_some(decision.open)} may be as good"
        elif decision.worse and not decision.best_alone:
            n_worse = len(decision.worse)
            said += f"; {n_worse} of {n} {'is' if n_worse == 1 else 'are'} worse{by}"
        clauses.append(said)
    chosen = [name for name in told[0].equivalent if all(name in d.equivalent for d in told)]
    if chosen:
        advice = "Choose" if all(decision.rope.low for decision in told) else "Prefer"
        return f"{advice} {_joined(chosen, 'or')}: {'; '.join(clauses)}."
    named = (
        f"{_some(decision.equivalent)}: {said}" if decision.equivalent else said
        for decision, said in zip(told, clauses, strict=True)
    )
    return _sentence("; ".join(named))


def _some(names: Sequence[str]) -> str:
    """Return names, or their number if they are many or have commas in them."""
    if len(names) == 1 or (len(names) <= MOST_NAMES and not any("," in name for name in names)):
        return _joined(names, "or")
    return f"{len(names)} others"


def _table_of_many(ranking: Any, metric: Metric, decision: RankingDecision) -> pd.DataFrame:
    table = ranking.ranking(prob=decision.prob, metric=metric)
    behind = behind_the_best(ranking._pooled(metric), decision.prob)
    behind = behind.set_axis(list(ranking.names)).loc[table.index]
    digits = decimals(float((table["hdi_high"] - table["hdi_low"]).median()) / 4)
    limit, states, rows = -decision.rope.low, decision.states(), {}
    extent = min(behind["behind_low"].head(MOST_ROWS).min(), -limit), 0.0
    words = {"equivalent": f"within {limit:.4g} of the best" if limit else "the best"}
    words |= {"open": "not settled", "worse": "surely worse"}
    for label, row in table.iterrows():
        name = str(label)
        mean, low, high = map(float, behind.loc[name])
        chances = [row["p_best"], *([decision.p_equivalent[name]] if limit else [])]
        said = f"{fixed(-mean, digits)} ({_ends(Interval(-high, -low), digits)})"
        rows[name] = [
            fixed(sign_in_headings(metric) * row["observed"], digits),
            Bar(Interval(low, high), mean, extent, said, decision.rope),
            *(format_probability(chance, threshold=decision.prob) for chance in chances),
            "the best" if name == decision.best_alone else words[states[name]],
        ]
    chances = ["P(best)", *([f"P(within {limit:.4g})"] if limit else [])]
    columns = ["observed", f"behind the best ({percent(decision.prob)})", *chances, "verdict"]
    return _table(columns, rows)


def _open_of_many(pair: Any, decision: RankingDecision, of_search: bool) -> Iterator[str]:
    """Yield what would settle what is open; how many instances, of two that nobody searched."""
    units, limit = units_of(pair, pair._metric(decision.metric)), -decision.rope.low
    planned = limit and units in PLANNED and not of_search
    call = f"required_sample_size(rope={limit:g}, metric={decision.metric!r})"
    of_pair = "result.pairs[{!r}, {!r}]".format(*pair.names)
    how_many = f": {of_pair}.{call} estimates how many for these two" if planned else ""
    if units:
        yield f"More {units}{how_many}."
    choices = "candidates" if of_search else "classifiers"
    yield f"Fewer {choices}, if some are no real choice."


def page_of_one(result: Any) -> Page:
    """Return the page of one classifier."""
    clauses, rows = [], {}
    for metric in result._metrics.values():
        value, (observed,) = result._distribution(metric), result._posterior.observed(metric)
        called, digits, hdi = in_headings(metric), decimals(2 * value.sd), value.hdi()
        sign = sign_in_headings(metric)
        ends = [fixed(sign * end, digits) for end in hdi[::sign]]
        rows[called] = [fixed(sign * one, digits) for one in (observed, value.mean)]
        rows[called].append(" to ".join(ends))
        clauses.append(f"{called} between {' and '.join(ends)}")
    each = "each " if len(clauses) > 1 else ""

    def tables() -> Iterator[Table]:
        yield POSTERIOR, result.name, table_of_one(result, mcse=True)
        other_priors = result.prior_sensitivity().drop(columns="observed")
        yield SENSITIVITY, result.metrics[0], as_text(by_model_and_prior(other_priors))

    return Page(
        f"The performance of {result.name}",
        f"{result.name} has {_joined(clauses[:MOST_TOLD])}, {each}with probability 95%.",
        [("", _table(["observed", "estimate", "95% interval"], rows))],
        _in_sentences(result, lambda metric: [("observed", observed_of(result, metric))]),
        [*_measured(result), f"{_GIVEN} value is in the 95% interval with probability 95%."],
        as_sentences(facts_of(result), but=BASIS),
        [],
        tables(),
        [
            (f"posterior of {name}", partial(result.plot, title="", metric=name))
            for name in _few(result)
        ],
    )


def view(page: Page) -> str:
    """Return what a notebook shows: a sentence, a table, the first figure, and what to know."""
    (caption, frame), *_ = page.shown
    return html.block(
        f"<p><strong>{text(page.headline)}</strong></p>",
        _cut(frame, caption, MOST_ROWS, card_table),
        *_drawn(page, 1),
        paragraphs("\n\n".join(page.applies)),
    )


def write(
    path: str | PathLike[str],
    result: Any,
    make: Callable[[], Page],
    names: Sequence[str] | None = None,
    headline: str = "",
) -> None:
    """Write the page of a result, which is made once the file is known to be writable.

    `names` are the classifiers whose confusion tables are shown. With a headline, such as that of a
    gate, that of the page stands below it.
    """
    html.write_page(path, lambda: _document(make(), result, names, headline))


def _document(page: Page, result: Any, names: Sequence[str] | None, headline: str) -> str:
    figures = _drawn(page)
    statistics: dict[str, list[str]] = {
        "Evidence": [_evidence(result, names)],
        "Model and prior": [_model_and_prior(result)],
        "Computation": [_computation(result)],
    }
    for heading, caption, frame in page.tables:
        statistics.setdefault(heading, []).append(_cut(frame, caption, ROWS_ON_PAGES))
    statistics[POSTERIOR] += figures[1:]
    statistics["To reproduce this"] = [_reproduction(result)]
    shown = (_cut(frame, caption, MOST_ROWS, card_table) for caption, frame in page.shown)
    return html.document(
        page.title,
        headline or page.headline,
        paragraphs(page.headline if headline else ""),
        *shown,
        *figures[:1],
        section("What this means", paragraphs(" ".join(page.meaning))),
        section("What it applies to", paragraphs("\n\n".join(page.applies))),
        section("What would settle it", paragraphs("\n\n".join(page.open))),
        html.folded(
            "Statistics", *(section(title, *parts, level=3) for title, parts in statistics.items())
        ),
    )


def _drawn(page: Page, most: int | None = None) -> list[str]:
    """Return figures, without titles unless they ask for one: a headline stands beside them."""
    n_rows = page.rows_of_figures
    size = html.WIDTH, min(1.6 + 0.2 * n_rows, 9.0) if n_rows else 2.9
    return [html.inline_svg(draw, label, size=size) for label, draw in page.figures[:most]]


def _cut(
    frame: pd.DataFrame, caption: str, most: int, table: Callable[..., str] = frame_table
) -> str:
    more = html.note(f"... and {len(frame) - most} more") if len(frame) > most else ""
    return table(frame.head(most), caption) + more


def _evidence(result: Any, shown: Sequence[str] | None) -> str:
    """Return what the evidence is, with the confusion table of each classifier in `shown`."""
    posterior, names = result._posterior, result._names
    evidence = posterior.evidence
    described = html.listed(fact for fact in facts_of(result) if fact[0] in BASIS)
    if evidence.is_of_splits:
        return described
    tables, left_out = [], ""
    correct = evidence.correctness() if len(names) == 2 else None
    if correct is not None:
        a, b = (np.asarray(right, dtype=bool) for right in correct[1])
        counts = [[np.sum(a & b), np.sum(a & ~b)], [np.sum(~a & b), np.sum(~a & ~b)]]
        rows, columns = ([f"{name} right", f"{name} wrong"] for name in names)
        tables.append(_counts(counts, rows, columns, "Right and wrong together"))
    chosen = list(names[:MOST_TABLES] if shown is None else shown)
    if len(result.labels) > MOST_CLASSES:
        left_out = html.note(f"Confusion tables of {len(result.labels)} classes are left out.")
        chosen = []
    elif len(names) > len(chosen):
        left_out = html.note(f"Confusion tables of {len(names) - len(chosen)} more are left out.")
    for name, counts_of_one in zip(names, posterior.counts, strict=True):
        if name in chosen and counts_of_one.table is not None:
            caption = f"Counts of {name}: true classes in rows, predicted classes in columns"
            tables.append(
                _counts(counts_of_one.table, counts_of_one.labels, counts_of_one.labels, caption)
            )
    return described + html.row(*tables) + left_out


def _counts(counts: Any, rows: Sequence[Any], columns: Sequence[Any], caption: str) -> str:
    texts = [
        ["not counted" if np.isnan(count) else f"{count:,.0f}" for count in of_row]
        for of_row in np.asarray(counts, dtype=float)
    ]
    # As objects: with pyarrow, pandas takes no text with halves of characters, which are escaped.
    index, header = (pd.Index([*map(str, labels)], dtype=object) for labels in (rows, columns))
    return frame_table(pd.DataFrame(texts, index, header), caption)


def _model_and_prior(result: Any) -> str:
    """Return the model in the words of its documentation, and the parameters of its prior."""
    prior = ", ".join(f"{name} = {value}" for name, value in result.prior.items())
    documented = inspect.getdoc(type(result._posterior.model)) or ""
    words = re.split(r"\n(?:Parameters|Attributes|Examples|Notes|See Also)\n-", documented)[0]
    return html.listed([("prior", prior or "none")]) + paragraphs(words.replace("`", ""))


def _computation(result: Any) -> str:
    """Return how the posterior was computed."""
    posterior = result._posterior
    items: list[tuple[str, Any]] = [("engine", result.engine)]
    if posterior.trace is not None:
        items.append(("draws", f"{result.n_draws:,} in {posterior.n_chains} Markov chains"))
        items.append(("divergences", f"{np.sum(posterior.stats.get('diverging', 0)):,.0f}"))
    return html.listed(items)


def _reproduction(result: Any) -> str:
    """Return the seed and the versions that the result was made with."""
    versions = {
        "skbayeseval": __version__,
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "pandas": pd.__version__,
    }
    return html.listed([("seed (random_state)", result._posterior.entropy), *versions.items()])
