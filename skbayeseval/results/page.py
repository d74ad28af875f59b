"""What is said of a result first, by `explain`, in notebooks and on pages, and the pages.

A page begins with what decides, which is one sheet of paper: a sentence, a figure (or a table, of
several metrics), and what follows from them. Nothing is advised that is not settled. "Choose" is
said where all metrics are settled and speak for one classifier, and "prefer" where it is better,
but perhaps by less than what matters, or where other splits of the same data could change this.
Folded below it are the statistics, in the order of the Bayesian analysis reporting guidelines
(Kruschke 2021).
"""

from __future__ import annotations

import inspect
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy
import sklearn

from skbayeseval import _html as html
from skbayeseval._html import frame_table, paragraphs, section, text
from skbayeseval._version import __version__
from skbayeseval.evidence.split_scores import SplitScores
from skbayeseval.judgement.decision import (
    CLEARLY,
    PLANNED,
    Decision,
    in_rope,
    on_other_splits,
    percent,
)
from skbayeseval.judgement.distribution import OneSidedDecision
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import RankingDecision
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import in_headings, in_plain_words
from skbayeseval.results.text_tables import (
    as_text,
    by_model_and_prior,
    table_of_many,
    table_of_one,
    table_of_pair,
    with_letters,
)
from skbayeseval.results.words import (
    MOST_IN_PAIRS,
    Fact,
    as_sentences,
    called,
    facts_of,
    headline_of_many,
    headline_of_one,
    lead,
    pair_in_words,
    table_of_metrics,
    units_of,
)

# Facts that stand with the statistics; all others tell what the answer applies to.
BASIS = ("model", "worth", "splits", "large", "metrics", "prior")

# A headline tells so many metrics and names; the rest stands below.
MOST_TOLD, MOST_NAMES = 3, 4

_GIVEN = "Given these data, the true {} is outside the 95% interval with probability 5%."

# The ROPE of each metric by its name.
Ropes = Mapping[str, Interval] | None

NO_ROPE_SAID = Fact(
    "",
    "Whether a lead of this size matters is not for statistics to say: name the largest difference "
    "that does not matter to you",
    ", as rope=r",
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
    table : DataFrame or None
        What was found in several metrics, which no figure shows.
    numbers, meaning : list of str
        Sentences: what was found for each metric, and what that means.
    applies, open : list of Fact
        What the headline applies to, and what would settle what is open.
    tables : iterable of Table
        The tables of the statistics.
    figures : list of Figure
        The figures, the first of which stands below the headline.
    rows_of_figures : int
        How many rows figures have, if these make them higher; otherwise 0.
    """

    title: str
    headline: str
    table: pd.DataFrame | None
    numbers: list[str]
    meaning: list[str]
    applies: list[Fact]
    open: list[Fact]
    tables: Iterable[Table]
    figures: list[Figure]
    rows_of_figures: int = 0


def explained(page: Page, facts: Sequence[Fact]) -> str:
    """Return what a page says first, in paragraphs, with sentences in place of its tables."""
    basis = [fact for fact in facts if fact[0] in BASIS]
    applies = [*as_sentences(page.applies, but=BASIS), *as_sentences(basis)]
    parts = [[page.headline], page.numbers, page.meaning, applies, as_sentences(page.open)]
    return "\n\n".join(" ".join(part) for part in parts if part)


def _few(result: Any) -> dict[str, Metric]:
    """Return the metrics that are told and drawn."""
    return dict(list(result._metrics.items())[:MOST_METRICS])


def _numbers(result: Any, headline: str) -> list[str]:
    """Return sentences on each metric, as they are printed, but those that the headline has."""
    said = []
    for metric in _few(result).values():
        first, facts = result._told(metric)
        if first.rstrip(".") in headline:
            first = f"{in_headings(metric)}:" if len(result._metrics) > 1 and facts else ""
        said.append(" ".join(filter(None, [first, *as_sentences(facts)])))
    return list(filter(None, said))


def _sensitivity(result: Any, rope: Any) -> pd.DataFrame:
    """Return the first metric under other models and priors, as text."""
    return as_text(by_model_and_prior(result.prior_sensitivity(rope)), rope=rope is not None)


def joined(words: Sequence[str], last: str = "and") -> str:
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
        name = in_headings(metric)
        if words and not words.endswith(name):
            said.append(f"{name} is {words}")
    if said:
        yield _sentence("; ".join(said))


def _clause(result: Any, metric: Metric, decision: Decision) -> tuple[str, str]:
    """Return what was found in a metric, and who is to be chosen: "either", or "" for nobody."""
    found, said = lead(result, metric), pair_in_words(result, metric)[0].rstrip(".")
    (low, high), where = decision.rope, f" on {called(result, metric)}"
    if isinstance(found, str):
        return said, "either"
    limit, is_clear = high if found.sign > 0 else -low, found.probability >= CLEARLY
    if low == high == 0:
        return said, found.ahead if is_clear else ""
    if decision.settled and low <= 0 <= high:
        if decision.code != "~":
            return f"{said}, and by more than {limit:.4g}", found.ahead
        alike = f"{result.names[0]} and {result.names[1]} are practically equivalent{where}"
        return f"{alike}: {in_rope(decision.rope, result.names)}", "either"
    if is_clear and low <= 0 <= high:
        return f"{said}, but not settled whether by more than {limit:.4g}", found.ahead
    words = (
        decision.headline().partition("  ")[2]
        or f"not settled{where}: {decision.chances(limits=True)}"
    )
    return f"{words} ({in_rope(decision.rope, result.names)})", ""


def page_of_pair(result: Any, ropes: Ropes) -> Page:
    """Return the page of two classifiers."""
    metrics = list(result._metrics.values())
    told = {metric: 0.0 if ropes is None else ropes[metric.name] for metric in metrics[:MOST_TOLD]}
    decisions = [result.decision(rope, metric=metric) for metric, rope in told.items()]
    clauses = [_clause(result, *one) for one in zip(told, decisions, strict=True)]
    (a, b), meaning = result.names, list(_measured(result))
    if ropes is not None:
        equivalent = dict.fromkeys(in_rope(one.rope, result.names) for one in decisions)
        meaning.append(
            f"You said that {joined(list(equivalent))} (shaded in figures). If the whole 95% "
            "interval is outside, one is better by more; if all of it is inside, they are "
            "equivalent; otherwise this is not settled."
        )
    meaning.append(_GIVEN.format("difference"))
    turns = dict.fromkeys(decision.turn for decision in decisions)

    def tables() -> Iterator[Table]:
        yield POSTERIOR, f"{a} minus {b}", table_of_pair(result, ropes, mcse=True)
        by_itself = "" if result.alone is result else ", the pair by itself"
        yield SENSITIVITY, result.metrics[0] + by_itself, _sensitivity(result, ropes)

    table = table_of_metrics(result) if len(metrics) > 1 else None
    if table is not None:
        table = table.rename(columns=dict(zip("AB", with_letters(result.names), strict=True)))
    headline = _headline(clauses, decisions, ropes, len(metrics) - len(told))
    return Page(
        f"{a} against {b}",
        headline,
        table,
        _numbers(result, headline),
        meaning,
        [*(Fact("", turn) for turn in turns if turn), *facts_of(result)],
        list(_open_of_pair(decisions, ropes)),
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


def _headline(
    clauses: Sequence[tuple[str, str]], decisions: Sequence[Decision], ropes: Ropes, n_more: int
) -> str:
    said = "; ".join(clause for clause, _ in clauses)
    if n_more:
        said += f"; {n_more} more metric{'s are' if n_more > 1 else ' is'} in the table"
    winners = {winner for _, winner in clauses}
    # What is open must not speak for the other one.
    named = winners - {"", "either"}
    against = [one for one in decisions if one.lead.sign and one.lead.ahead not in named]
    if len(named) == 1 and not (against and "" in winners):
        is_settled = ropes is not None and all(
            decision.settled and not decision.depends_on_splits for decision in decisions
        )
        return f"{'Choose' if is_settled else 'Prefer'} {named.pop()}: {said}."
    if winners == {"either"} and all(decision.settled for decision in decisions):
        return f"Either will do: {said}."
    return _sentence(said)


def _open_of_pair(decisions: Sequence[Decision], ropes: Ropes) -> Iterator[Fact]:
    """Yield what would settle what is open."""
    units = [decision.units for decision in decisions if not decision.settled and decision.units]
    if units:
        yield _more(units[0])
    if ropes is None:
        yield NO_ROPE_SAID
        return
    for decision in [one for one in decisions if one.depends_on_splits][:1]:
        words = on_other_splits(decision.n_repeats, "what is settled", "").rstrip(".")
        more = decision.more_repeats
        yield Fact("", words, f"; more repeats would help, such as {more}" if more else "")


def _more(units: str) -> Fact:
    how_many = "; required_sample_size estimates how many" if units.startswith(PLANNED) else ""
    return Fact("", f"More {units} could settle it", how_many)


def page_of_many(
    ranking: Any, ropes: Ropes, prob: float = 0.95, search: Sequence[Fact] = ()
) -> Page:
    """Return the page of several classifiers, or of the candidates of a search by its facts."""
    told, meaning, still = {}, list(_measured(ranking)), list[Fact]()
    for name, metric in list(ranking._metrics.items())[:MOST_TOLD]:
        rope = Interval(0.0, 0.0) if ropes is None else ropes[name]
        told[metric] = ranking.decision(rope, prob, metric=metric)
    if ropes is not None:
        limits = [f"{-one.rope.low:.4g} in {in_headings(metric)}" for metric, one in told.items()]
        meaning.append(
            f"Being behind the best by up to {joined(limits)} is too small to matter, as you said."
        )
    first = ranking.table.index[0]
    others = [name for decision in told.values() for name in decision.open if name != first]
    if others:
        units = units_of(ranking.pairs[first, others[0]], next(iter(told)))
        choices = "candidates" if search else "classifiers"
        still = [_more(units)] if units else []
        still.append(
            Fact(
                "",
                f"So could comparing fewer {choices}, if some would never be chosen anyway",
            )
        )
    if ropes is None:
        still.append(NO_ROPE_SAID)
    headline = _headline_of_many(ranking, told)
    return Page(
        f"A comparison of {len(ranking.names)} classifiers",
        headline,
        None,
        _numbers(ranking, headline),
        meaning,
        list(search or facts_of(ranking)),
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


def _headline_of_many(ranking: Any, told: Mapping[Metric, RankingDecision]) -> str:
    """Return who is to be chosen, as decisions have it, or else who is ahead."""
    clauses, n = [], len(ranking.names)
    for metric, decision in told.items():
        where, limit = f" on {called(ranking, metric)}", -decision.rope.low
        by = f" by more than {limit:.4g}" if limit else ""
        said = headline_of_many(ranking, metric).rstrip(".")
        if n == 1:
            said = f"there is no other candidate{where}"
        elif decision.best_alone:
            said = f"better than the other {n - 1}{where}{by}"
        elif decision.equivalent:
            said = f"the best of {n}{where}" + f" or within {limit:.4g} of it" * bool(limit)
            if decision.open:
                said += f"; not settled whether {_some(decision.open)} is, too"
        if decision.worse and not decision.best_alone:
            said += f"; worse{by}: {_some(decision.worse, 'and')}"
        clauses.append(said)
    chosen = [one for one in ranking.names if all(one in d.equivalent for d in told.values())]
    if chosen:
        advice = "Choose" if all(decision.rope.low for decision in told.values()) else "Prefer"
        return f"{advice} {joined(chosen, 'or')}: {'; '.join(clauses)}."
    named = (
        f"{_some(decision.equivalent)}: {said}" if decision.equivalent else said
        for decision, said in zip(told.values(), clauses, strict=True)
    )
    return _sentence("; ".join(named))


def _some(names: Sequence[str], last: str = "or") -> str:
    """Return names, or their number if they are many or have commas in them."""
    if len(names) == 1 or (len(names) <= MOST_NAMES and not any("," in name for name in names)):
        return joined(names, last)
    return f"{len(names)} others"


def page_of_one(result: Any) -> Page:
    """Return the page of one classifier."""
    metrics, table = list(result._metrics.values()), None
    headline = " ".join(headline_of_one(result, metric) for metric in metrics[:MOST_TOLD])
    if len(metrics) > 1:
        table = table_of_one(result).drop(columns="std")

    def tables() -> Iterator[Table]:
        yield POSTERIOR, result.name, table_of_one(result, mcse=True)
        other_priors = result.prior_sensitivity().drop(columns="observed")
        yield SENSITIVITY, result.metrics[0], as_text(by_model_and_prior(other_priors))

    return Page(
        f"The performance of {result.name}",
        headline,
        table,
        _numbers(result, headline),
        [*_measured(result), _GIVEN.format("value")],
        facts_of(result),
        [],
        tables(),
        [
            (f"posterior of {name}", partial(result.plot, title="", metric=name))
            for name in _few(result)
        ],
    )


def page_of_gate(result: Any, answers: Sequence[OneSidedDecision], verdict: str) -> Page:
    """Return the page of a gate, which tells its question only."""
    shown = [answer for answer in answers if not answer] or list(answers)
    required = " or ".join(dict.fromkeys(percent(answer.prob) for answer in shown))
    meaning = f"A yes needs a probability of at least {required}, for each question that is asked."
    figures = []
    for answer in shown[:MOST_METRICS]:
        alone = len(answer.names) == 1 or len(result._names) == 2
        limit = -answer.margin if answer.question == "non-inferiority" else answer.margin
        label = f"{' against '.join(answer.names)} in {answer.called}, with the limit"
        about = result if alone else result.pairs[answer.names]
        figures.append(
            (label, partial(about._draw_limit, metric=answer.metric, limit=limit, title=""))
        )
    page = result._page(None)
    return page._replace(
        headline=verdict,
        table=None,
        numbers=[],
        meaning=[*_measured(result), meaning],
        applies=[fact for fact in page.applies if fact.keyword != "ship now"],
        open=[],
        figures=figures,
        rows_of_figures=0,
    )


def view(page: Page) -> str:
    """Return what a notebook shows: a sentence, a table or a figure, and what to know."""
    return html.block(
        f"<p><strong>{text(page.headline)}</strong></p>",
        *_decides(page),
        paragraphs("\n\n".join(as_sentences(page.applies, but=BASIS))),
    )


def write_page(
    path: str | PathLike[str],
    result: Any,
    make: Callable[[], Page],
    names: Sequence[str] | None = None,
) -> None:
    """Write the page of a result, which is made once the file is known to be writable.

    `names` are the classifiers whose confusion tables are shown.
    """
    html.write_page(path, lambda: _document(make(), result, names))


def _document(page: Page, result: Any, names: Sequence[str] | None) -> str:
    statistics: dict[str, list[str]] = {
        "Evidence": [_evidence(result, names)],
        "Model and prior": [_model_and_prior(result)],
        "Computation": [_computation(result)],
    }
    for heading, caption, frame in page.tables:
        statistics.setdefault(heading, []).append(_cut(frame, caption))
    statistics[POSTERIOR] += _drawn(page.figures[page.table is None :], page)
    statistics["To reproduce this"] = [_reproduction(result)]
    return html.document(
        page.title,
        page.headline,
        *_decides(page),
        paragraphs("\n\n".join(page.numbers)),
        section("What this means", paragraphs(" ".join(page.meaning))),
        section("What it applies to", _paragraphs(page.applies)),
        section("What would settle it", _paragraphs(page.open)),
        html.folded(
            "Statistics", *(section(title, *parts, level=3) for title, parts in statistics.items())
        ),
    )


def _paragraphs(facts: Sequence[Fact]) -> str:
    """Return facts as paragraphs for readers who call nothing."""
    return paragraphs("\n\n".join(as_sentences(facts, but=BASIS, calls=False)))


def _decides(page: Page) -> list[str]:
    """Return what decides: the table of several metrics, or the first figure."""
    return _drawn(page.figures[:1], page) if page.table is None else [frame_table(page.table)]


def _drawn(figures: Sequence[Figure], page: Page) -> list[str]:
    """Return figures, without titles unless they ask for one: a headline stands beside them."""
    n_rows = page.rows_of_figures
    size = html.WIDTH, min(1.6 + 0.2 * n_rows, 9.0) if n_rows else 2.9
    return [html.inline_svg(draw, label, size=size) for label, draw in figures]


def _cut(frame: pd.DataFrame, caption: str) -> str:
    more = len(frame) - ROWS_ON_PAGES
    note = html.note(f"... and {more} more") if more > 0 else ""
    return frame_table(frame.head(ROWS_ON_PAGES), caption) + note


def _evidence(result: Any, shown: Sequence[str] | None) -> str:
    """Return what the evidence is, with the confusion table of each classifier in `shown`."""
    posterior, names = result._posterior, result._names
    evidence = posterior.evidence
    described = html.listed(fact[:2] for fact in facts_of(result) if fact.keyword in BASIS)
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
        if name in chosen and counts_of_one.has_table:
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
