"""Results as HTML: the page that `report` writes, and what notebooks show.

A page begins with what decides, which is one sheet of paper. Folded below it are the statistics, in
the order of the Bayesian analysis reporting guidelines (Kruschke 2021).
"""

from __future__ import annotations

import inspect
import platform
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import scipy
import sklearn

from skbayeseval._html import (
    WIDTH,
    block,
    card_table,
    document,
    folded,
    frame_table,
    inline_svg,
    listed,
    note,
    paragraphs,
    row,
    section,
    text,
)
from skbayeseval._version import __version__
from skbayeseval.results.answer import BASIS, MOST_ROWS
from skbayeseval.results.facts import facts_of
from skbayeseval.results.posterior_view import PosteriorView

# Larger tables are cut.
ROWS_ON_PAGES = 40
# Confusion tables of more classes are left out, and so are those of more classifiers.
MOST_CLASSES, MOST_TABLES = 12, 6
POSTERIOR, SENSITIVITY = "Posterior", "Sensitivity to the prior"


# The section and the caption of a table, and its text.
Table = tuple[str, str, pd.DataFrame]

# What a figure shows, and the arguments of `plot` that draw it.
Figure = tuple[str, dict[str, Any]]


def view(result: Any) -> str:
    """Return what a notebook shows: a sentence, a table, the first figure, and what to know."""
    answer = result._answer(None)
    (caption, frame), *_ = answer.tables
    return block(
        f"<p><strong>{text(answer.headline)}</strong></p>",
        _cut(frame, caption, MOST_ROWS, card_table),
        *_drawn(result, result._figures(None)[:1]),
        paragraphs("\n\n".join(answer.applies)),
    )


def page(
    result: Any,
    view_of: PosteriorView,
    rope: Any = None,
    names: Sequence[str] | None = None,
    headline: str = "",
) -> str:
    """Return the page of a result, as its `_answer`, `_tables` and `_figures` tell.

    `view_of` has its evidence and posterior, and `names` the classifiers whose confusion tables are
    shown. With a headline, such as that of a gate, that of the answer stands below it.
    """
    answer, figures = result._answer(rope), _drawn(result, result._figures(rope))
    statistics: dict[str, list[str]] = {
        "Evidence": [_evidence(view_of, names)],
        "Model and prior": [_model_and_prior(view_of)],
        "Computation": [_computation(view_of)],
    }
    for heading, caption, frame in result._tables(rope):
        statistics.setdefault(heading, []).append(_cut(frame, caption, ROWS_ON_PAGES))
    statistics[POSTERIOR] += figures[1:]
    statistics["To reproduce this"] = [_reproduction(view_of)]
    shown = (_cut(frame, caption, MOST_ROWS, card_table) for caption, frame in answer.tables)
    return document(
        result._title(),
        headline or answer.headline,
        paragraphs(answer.headline if headline else ""),
        *shown,
        *figures[:1],
        section("What this means", paragraphs(" ".join(answer.meaning))),
        section("What it applies to", paragraphs("\n\n".join(answer.applies))),
        section("What would settle it", paragraphs("\n\n".join(answer.open))),
        folded(
            "Statistics", *(section(title, *parts, level=3) for title, parts in statistics.items())
        ),
    )


def _drawn(result: Any, figures: Sequence[Figure]) -> list[str]:
    n_rows = result._rows_of_figures()
    size = WIDTH, min(1.6 + 0.2 * n_rows, 9.0) if n_rows else 2.9
    return [
        inline_svg(partial(_draw, result, options), label, size=size) for label, options in figures
    ]


def _draw(result: Any, options: dict[str, Any], ax: Any) -> object:
    return result.plot(ax=ax, **options)


def _cut(
    frame: pd.DataFrame, caption: str, most: int, table: Callable[..., str] = frame_table
) -> str:
    more = note(f"... and {len(frame) - most} more") if len(frame) > most else ""
    return table(frame.head(most), caption) + more


def _evidence(result: PosteriorView, shown: Sequence[str] | None) -> str:
    """Return what the evidence is, with the confusion table of each classifier in `shown`."""
    posterior, names = result._posterior, result._names
    evidence = posterior.evidence
    described = listed(fact for fact in facts_of(result) if fact[0] in BASIS)
    if evidence.is_of_splits:
        return described
    tables, left_out = [], ""
    correct = evidence.correctness() if len(names) == 2 else None
    if correct is not None:
        a, b = (np.asarray(right, dtype=bool) for right in correct.right)
        counts = [[np.sum(a & b), np.sum(a & ~b)], [np.sum(~a & b), np.sum(~a & ~b)]]
        rows, columns = ([f"{name} right", f"{name} wrong"] for name in names)
        tables.append(_counts(counts, rows, columns, "Right and wrong together"))
    chosen = list(names[:MOST_TABLES] if shown is None else shown)
    if len(result.labels) > MOST_CLASSES:
        left_out = note(f"Confusion tables of {len(result.labels)} classes are left out.")
        chosen = []
    elif len(names) > len(chosen):
        left_out = note(f"Confusion tables of {len(names) - len(chosen)} more are left out.")
    for name, counts_of_one in zip(names, posterior.counts, strict=True):
        if name in chosen and counts_of_one.table is not None:
            caption = f"Counts of {name}: true classes in rows, predicted classes in columns"
            tables.append(
                _counts(counts_of_one.table, counts_of_one.labels, counts_of_one.labels, caption)
            )
    return described + row(*tables) + left_out


def _counts(counts: Any, rows: Sequence[Any], columns: Sequence[Any], caption: str) -> str:
    texts = [
        ["not counted" if np.isnan(count) else f"{count:,.0f}" for count in of_row]
        for of_row in np.asarray(counts, dtype=float)
    ]
    return frame_table(pd.DataFrame(texts, list(map(str, rows)), list(map(str, columns))), caption)


def _model_and_prior(result: PosteriorView) -> str:
    """Return the model in the words of its documentation, and the parameters of its prior."""
    prior = ", ".join(f"{name} = {value}" for name, value in result.prior.items())
    documented = inspect.getdoc(type(result._posterior.model)) or ""
    words = re.split(r"\n(?:Parameters|Attributes|Examples|Notes|See Also)\n-", documented)[0]
    return listed([("prior", prior or "none")]) + paragraphs(words.replace("`", ""))


def _computation(result: PosteriorView) -> str:
    """Return how the posterior was computed."""
    posterior = result._posterior
    items: list[tuple[str, Any]] = [("engine", result.engine)]
    if not posterior.has_independent_draws:
        items.append(("draws", f"{result.n_draws:,} in {posterior.n_chains} Markov chains"))
        items.append(("divergences", f"{np.sum(posterior.stats.get('diverging', 0)):,.0f}"))
    return listed(items)


def _reproduction(result: PosteriorView) -> str:
    """Return the seed and the versions that the result was made with."""
    versions = {
        "skbayeseval": __version__,
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "pandas": pd.__version__,
    }
    return listed([("seed (random_state)", result._posterior.entropy), *versions.items()])
