"""What a report on a search means in words, on a page and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from skbayeseval._html import WIDTH, block, frame_table, inline_svg, lines, note
from skbayeseval.judgement.decision import format_probability
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.registry import in_plain_words
from skbayeseval.results.report import computation, result_page
from skbayeseval.results.text import (
    cautions,
    decimals,
    join_words,
    plain,
    what_it_applies_to,
    where_probabilities_come_from,
)
from skbayeseval.search.candidates import name_candidates
from skbayeseval.search.report import LEGEND, POOLED, SearchReport

# The rows of the table in a notebook, and on a page.
ROWS_IN_NOTEBOOK = 8
ROWS_ON_PAGE = 40
# So many candidates are named.
MOST_NAMES = 5


def explain(report: SearchReport) -> str:
    """Return what a report means, in paragraphs of plain sentences."""
    ranking = report.ranking
    limits = [
        *([POOLED] if report._draws is not report._unpooled else []),
        *([report._basis] if report._basis else what_it_applies_to(ranking, "models")),
        where_probabilities_come_from(ranking),
        *cautions(ranking, [ranking._metric(None)], "ranking.pairs[i, j].prior_sensitivity()"),
    ]
    return f"{' '.join(_found(report))}\n\n{' '.join(limits)}"


def _found(report: SearchReport) -> Iterator[str]:
    """Yield sentences on the best candidate, and on how the others compare with it."""
    table = report.summary()
    # In brackets, because a name may have commas.
    quoted = (f"({name})" for name in name_candidates(report.candidates))
    names = dict(zip(report.candidates, quoted, strict=True))
    best = report.most_probable()
    row = table.loc[best].to_dict()
    meaning = in_plain_words(report.ranking._metric(None))
    metric = f"{report.metric} ({meaning})" if meaning else report.metric
    digits = decimals(Interval(row["hdi_low"], row["hdi_high"]))
    sure = f"{100 * report.prob:.3g}%"
    ends = f"{plain(row['hdi_low'], digits)} and {plain(row['hdi_high'], digits)}"
    if len(table) == 1:
        yield f"Only one candidate, {names[best]}, is known by its {metric}."
        yield f"With probability {sure}, it is between {ends}."
        yield from report._left_out()
        return
    of = "" if report._n_tried == len(table) else f" of {report._n_tried}"
    yield f"{len(table)}{of} candidates of a search were compared by {metric}."
    yield from report._left_out()
    yield (
        f"{names[best]} is the best with probability {format_probability(row['p_best'])}; its "
        f"{report.metric} is between {ends} with probability {sure}."
    )
    behind = abs(report.rope.low)
    yield f"Being behind the best by up to {behind:.4g} was declared too small to matter."
    for code, words in (
        ("~", f"As good as the best for practical purposes, with probability {sure} or more"),
        ("<<", f"Worse than the best by more than that, with probability {sure} or more"),
        ("?", "Not settled"),
    ):
        found = [names[index] for index in table.index[table["decision"] == code]]
        if len(found) > MOST_NAMES:
            found = [*found[:MOST_NAMES], f"{len(found) - MOST_NAMES} more"]
        if found:
            yield f"{words}: {join_words(found)}."
    if report.failed:
        number = len(report.failed)
        failed = "1 candidate was" if number == 1 else f"{number} candidates were"
        yield f"{failed} left out because a fit or a score failed."


def page_of(report: SearchReport) -> str:
    """Return the page of a report, with the confusion table and the errors of the best."""
    best = list(report.candidates).index(report.most_probable())
    value = Distribution(report.draws[best])
    errors = {"mcse": value.mcse, "hdi_mcse": value.hdi_mcse(report.prob)}
    return result_page(
        report.ranking,
        f"A search among {len(report.candidates)} candidates",
        f"Compared by {report.metric}",
        lines("\n".join(report._verdict())),
        explain(report),
        _table(report, ROWS_ON_PAGE),
        [_figure(report, "figure1")],
        computation(report.ranking, pd.DataFrame(errors, index=[f"{report.metric} of the best"])),
        heading="Posterior and decisions",
        shown=[report.ranking.names[best]],
    )


def notebook_view(report: SearchReport) -> str:
    """Return what a notebook shows of a report."""
    words = lines("\n".join(report._verdict()))
    return block(words, _table(report, ROWS_IN_NOTEBOOK), _figure(report))


def _table(report: SearchReport, n_rows: int) -> str:
    """Return the first candidates, how many there are beyond, and what the marks mean."""
    shown = report._printable(report.summary().head(n_rows))
    cut = len(report.candidates) - len(shown)
    more = note(f"... and {cut} more") if cut else ""
    return frame_table(shown) + more + note(LEGEND)


def _figure(report: SearchReport, prefix: str | None = None) -> str:
    return inline_svg(
        lambda ax: report.plot("ranking", ax=ax),
        f"the candidates by {report.metric}",
        size=(WIDTH, 1.2 + 0.3 * min(len(report.candidates), 20)),
        prefix=prefix,
    )
