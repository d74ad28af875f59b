"""Results as HTML: the page that `report` writes, and what notebooks show.

Pages are in the order of the Bayesian analysis reporting guidelines (Kruschke 2021).
"""

from __future__ import annotations

import inspect
import platform
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import scipy
import sklearn

from skbayeseval._html import (
    WIDTH,
    block,
    document,
    frame_table,
    inline_svg,
    lines,
    listed,
    note,
    paragraphs,
    row,
    section,
    verdict,
)
from skbayeseval._version import __version__
from skbayeseval.results.posterior_view import PosteriorView

# Larger tables are cut, and more metrics are not named.
ROWS_IN_NOTEBOOKS, ROWS_ON_PAGES, MOST_NAMES = 25, 40, 8
# Confusion tables of more classes are left out, and so are those of more classifiers.
MOST_CLASSES, MOST_TABLES = 12, 6
POSTERIOR, SENSITIVITY = "Posterior", "Sensitivity to the prior"


# The section and the caption of a table, and its text.
Table = tuple[str, str, pd.DataFrame]

# What a figure shows, and the arguments of `plot` that draw it.
Figure = tuple[str, dict[str, Any]]


def view(result: Any, table: pd.DataFrame, facts: Sequence[tuple[str, str]]) -> str:
    """Return what a notebook shows: sentences, a table, the first figure, and facts."""
    return block(
        lines("\n".join(result._verdict(None))),
        _cut(table, "", ROWS_IN_NOTEBOOKS),
        *_drawn(result, result._figures(None)[:1]),
        listed(facts),
    )


def page(
    result: Any,
    title: str,
    words: str,
    of: PosteriorView,
    rope: Any = None,
    names: Sequence[str] | None = None,
) -> str:
    """Return the page of a result, as its `_verdict`, `_tables` and `_figures` tell.

    `of` has its evidence and posterior, and `names` the classifiers whose confusion tables are
    shown.
    """
    figures = _drawn(result, result._figures(rope))
    sections: dict[str, list[str]] = {}
    for heading, caption, frame in result._tables(rope):
        sections.setdefault(heading, []).append(_cut(frame, caption, ROWS_ON_PAGES))
    sections[POSTERIOR] += figures[1:]
    more = ", ..." if len(of.metrics) > MOST_NAMES else ""
    return document(
        title,
        f"Compared by {', '.join(of.metrics[:MOST_NAMES])}{more}",
        verdict(*map(lines, result._verdict(rope))),
        paragraphs(words),
        *figures[:1],
        section("Evidence", _evidence(of, names)),
        section("Model and prior", _model_and_prior(of)),
        section("Computation", _computation(of)),
        *(section(heading, *parts) for heading, parts in sections.items()),
        section("To reproduce this", _reproduction(of)),
    )


def _drawn(result: Any, figures: Sequence[Figure]) -> list[str]:
    n_rows = result._rows_of_figures()
    size = WIDTH, min(1.2 + 0.3 * n_rows, 9.0) if n_rows else 2.9
    return [
        inline_svg(partial(_draw, result, options), label, size=size) for label, options in figures
    ]


def _draw(result: Any, options: dict[str, Any], ax: Any) -> object:
    return result.plot(ax=ax, **options)


def _cut(frame: pd.DataFrame, caption: str, most: int) -> str:
    more = note(f"... and {len(frame) - most} more") if len(frame) > most else ""
    return frame_table(frame.head(most), caption) + more


def _evidence(result: PosteriorView, shown: Sequence[str] | None) -> str:
    """Return what the evidence is, with the confusion table of each classifier in `shown`."""
    posterior, names = result._posterior, result._names
    evidence = posterior.evidence
    described = listed([("evidence", evidence.describe())])
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
    items = [("model", result.model), ("prior", prior or "none")]
    return listed(items) + paragraphs(words.replace("`", ""))


def _computation(result: PosteriorView) -> str:
    """Return how the posterior was computed."""
    posterior = result._posterior
    items: list[tuple[str, Any]] = [("engine", result.engine)]
    if posterior.has_independent_draws:
        items.append(("draws", f"{result.n_draws:,}, independent of each other"))
    else:
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
