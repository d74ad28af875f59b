"""`SearchReport`: the candidates of a fitted search, with their uncertainty."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skbayeseval._arrays import in_short
from skbayeseval._html import write_page
from skbayeseval.judgement.decision import MARKS, format_probability
from skbayeseval.judgement.intervals import Interval, hdi_of_rows
from skbayeseval.judgement.ranking_decision import behind_the_best, equivalent_to_best
from skbayeseval.metrics.registry import split_metric
from skbayeseval.results.printed import (
    Labels,
    format_value,
    html_table,
    latex_table,
    markdown_table,
    name_observed,
)
from skbayeseval.results.ranking import Ranking
from skbayeseval.search.candidates import name_candidates, short_names, varying
from skbayeseval.search.figures import best_candidates, grid_of_candidates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from skbayeseval.display import HeatmapDisplay, RankingDisplay

Key = str | Sequence[str] | Callable[[dict[str, Any]], Any]

PLOTS = ("ranking", "heatmap")
COLUMNS = ("observed", "mean", "hdi_low", "hdi_high", "p_best", "p_equivalent", "decision")

# The number of rows that print(report) shows.
ROWS_IN_WORDS = 8

# Why means differ from the observed scores.
POOLED = (
    "The highest of many scores is high partly by chance, so scores are drawn towards each other, "
    "as far as chance explains their differences."
)

# What the marks in tables mean.
LEGEND = "≈ practically equivalent to the best, ≪ surely worse, ? not settled"


class SearchReport:
    """The candidates of a search: which is best, and which are equivalent to the best.

    Created by `report_search`; read-only. "The best" is the best candidate in each posterior draw,
    not the candidate with the highest mean: being selected as the maximum of noisy means, that
    candidate's mean is optimistic. For the same reason, scores are partially pooled: differences
    shrink, by as much of them as may be chance.

    Attributes
    ----------
    source : {"predictions", "counts", "scores"}
        The kind of data the report is based on.
    ranking : Ranking
        The joint posterior of the candidates, with a comparison of every pair, in which nothing is
        pooled: for candidates that were not chosen for their scores.
    draws : ndarray of shape (n_candidates, n_draws)
        The draws that the report is based on.
    candidates : dict of int to dict
        The parameters of each compared candidate, by its index in `cv_results_`.
    failed : tuple of int
        The indices of the candidates that were left out because a fit or a score failed.
    rope : Interval
        The region of practical equivalence.
    prob : float
        The mass of the HDI, and the probability at which a decision is made.

    See Also
    --------
    report_search : Create a report from a fitted search.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skbayeseval import count_scorer, report_search
    >>> X, y = load_iris(return_X_y=True)
    >>> search = GridSearchCV(
    ...     KNeighborsClassifier(),
    ...     {"n_neighbors": [1, 5, 9, 99]},
    ...     scoring=count_scorer([0, 1, 2]),
    ...     refit="score",
    ... ).fit(X, y)
    >>> report = report_search(search, rope=0.1, random_state=0)
    >>> report.summary()[["n_neighbors", "decision"]].loc[[0, 3]]
               n_neighbors decision
    candidate
    0                    1        ~
    3                   99       <<
    >>> report.simplest("n_neighbors")
    {'n_neighbors': 1}
    """

    def __init__(
        self,
        ranking: Ranking,
        candidates: Mapping[int, Mapping[str, Any]],
        *,
        rope: Interval,
        source: str,
        prob: float = 0.95,
        failed: Sequence[int] = (),
        n_tried: int | None = None,
        n_dropped: int = 0,
        basis: str = "",
        draws: NDArray[Any] | None = None,
        pooled: NDArray[Any] | None = None,
    ) -> None:
        self._ranking = ranking
        self._candidates = {int(i): dict(of_one) for i, of_one in candidates.items()}
        self._rope = rope
        self._source = source
        self._prob = prob
        self._failed = tuple(int(i) for i in failed)
        self._n_tried = len(self._candidates) if n_tried is None else n_tried
        self._n_dropped = n_dropped
        self._basis = basis
        self._unpooled = ranking.draws if draws is None else draws
        self._draws = self._unpooled if pooled is None else pooled
        self._draws.flags.writeable = False

    @property
    def source(self) -> str:
        """The kind of data the report is based on: "predictions", "counts" or "scores"."""
        return self._source

    @property
    def ranking(self) -> Ranking:
        """The joint posterior of the candidates, with pairs in which nothing is pooled."""
        return self._ranking

    @property
    def draws(self) -> NDArray[Any]:
        """Partially pooled draws of the metric of each candidate: (n_candidates, n_draws)."""
        return self._draws

    @property
    def candidates(self) -> dict[int, dict[str, Any]]:
        """The parameters of each candidate, by its index in `cv_results_`."""
        return {i: dict(of_one) for i, of_one in self._candidates.items()}

    @property
    def failed(self) -> tuple[int, ...]:
        """The indices of the candidates that were left out because a fit or a score failed."""
        return self._failed

    @property
    def rope(self) -> Interval:
        """The region of practical equivalence."""
        return self._rope

    @property
    def prob(self) -> float:
        """The mass of the HDI, and the probability at which a decision is made."""
        return self._prob

    @property
    def metric(self) -> str:
        """The name of the metric that the candidates are compared by."""
        return self._ranking.metrics[0]

    def summary(self) -> pd.DataFrame:
        """Return one row per candidate, sorted by decreasing posterior mean.

        Returns
        -------
        table : pandas.DataFrame
            Indexed by the candidate's position in `cv_results_`. There is a column for each
            parameter, followed by the observed value, posterior mean and HDI of the metric, the
            probability that the candidate is the best, the probability that it is within the ROPE
            of the best, and the code of the decision against the best: "~" practically equivalent,
            if that probability is at least `prob`; "<<" surely worse, if it is at most
            ``1 - prob`` and if the candidate is worse by more than the ROPE than the one with the
            highest mean where nothing is pooled, too; "?" not settled.
        """
        return self._table.copy()

    def most_probable(self) -> int:
        """Return the index in `cv_results_` of the candidate that is most probably the best.

        Of those that are as probable within three Monte Carlo errors, the one with the highest
        posterior mean.
        """
        p_best = self.summary()["p_best"]
        error = math.sqrt(p_best.max() * (1 - p_best.max()) / self.draws.shape[1])
        return int(p_best.index[(p_best >= p_best.max() - 3 * error).argmax()])

    def equivalent(self) -> pd.DataFrame:
        """Return the rows of `summary` of the candidates practically equivalent to the best."""
        table = self.summary()
        return table[table["decision"] == "~"]

    def simplest(self, key: Key) -> dict[str, Any]:
        """Return the parameters of the simplest candidate that is equivalent to the best.

        Parameters
        ----------
        key : str, list of str or callable
            What makes a candidate simple: the name of a parameter, or several in order of
            priority, where smaller values are simpler and None is the least simple; or a function
            of the dict of parameters, where smaller return values are simpler.

        Returns
        -------
        params : dict
            The parameters of the candidate with the smallest key among those that are practically
            equivalent to the best. Ties go to the highest posterior mean. If no candidate is
            decided to be equivalent, a warning says so, and the parameters are those of the
            candidate with the highest posterior mean.
        """
        return dict(self._candidates[self.simplest_index(key)])

    def simplest_index(self, key: Key) -> int:
        """Return the index in `cv_results_` of the candidate that `simplest` returns.

        Parameters
        ----------
        key : str, list of str or callable
            As in `simplest`.
        """
        names, known = check_key(key), self._parameters()
        for name in names:
            if name not in known:
                raise ValueError(f"key={name!r} is not a parameter. The parameters are {known}.")
        table = self.summary()
        chosen = table.index[table["decision"] == "~"]
        if len(chosen) == 0:
            first, nearest = table.index[0], table["p_equivalent"].idxmax()
            warnings.warn(
                "No candidate is practically equivalent to the best: the most probable one, "
                f"candidate {nearest}, is within {abs(self.rope.low):g} of it with probability "
                f"{format_probability(table['p_equivalent'].max(), threshold=self.prob)}, which is "
                f"less than {100 * self.prob:.3g}%. Candidate "
                f"{first} is chosen for its highest mean, whether it is simple or not. A larger "
                "rope, more data or more splits may settle more.",
                UserWarning,
                stacklevel=2,
            )
            return int(first)

        def complexity(i: int) -> tuple[tuple[bool, Any], ...]:
            parameters = self._candidates[i]
            values = (
                [key(dict(parameters))] if callable(key) else [parameters.get(n) for n in names]
            )
            return tuple((value is None, 0 if value is None else value) for value in values)

        try:
            return int(min(chosen, key=complexity))  # ties: the highest mean comes first
        except TypeError as error:
            raise TypeError(
                f"key={in_short(key)} gives values that cannot be sorted. Pass a function of the "
                "parameters that returns a number."
            ) from error

    def plot(
        self,
        kind: str = "ranking",
        *,
        x: str | None = None,
        y: str | None = None,
        ax: Axes | None = None,
        **style: Any,
    ) -> RankingDisplay | HeatmapDisplay:
        """Draw the report.

        Parameters
        ----------
        kind : {"ranking", "heatmap"}, default="ranking"
            "ranking" shows the 20 best candidates with their HDIs and probabilities of being best.
            "heatmap" shows the posterior means over two parameters, with ≈ in cells that are
            practically equivalent to the best; surely worse cells are faded. A cell shows
            the best candidate over all other parameters.
        x, y : str, default=None
            The parameters of the heatmap. Optional if exactly two parameters vary.
        ax : matplotlib Axes, default=None
            The axes to draw on. By default, a new figure is created.
        **style
            Options of the display: `title`, `colors`, `labels`, `line_kw`, `fill_kw` and `text_kw`.

        Returns
        -------
        display : RankingDisplay or HeatmapDisplay
            The display, with attributes `ax_`, `figure_`, `line_`, `fill_` and `text_`, as in
            scikit-learn.
        """
        known = kind if isinstance(kind, str) else None
        if known == "ranking":
            behind = behind_the_best(self.draws, self.prob).set_axis(list(self._candidates))
            table = self.summary().join(behind)
            best, rope = self.most_probable(), -self.rope.low
            shown = best_candidates(table, self._candidates, self.metric, self.prob, rope, best)
            return shown.plot(ax=ax, **style)
        if known == "heatmap":
            rope = abs(self.rope.low)
            grid = grid_of_candidates(self.summary(), self._candidates, self.metric, rope, x, y)
            return grid.plot(ax=ax, **style)
        raise ValueError(
            f"kind={in_short(kind)} is not a known plot. Valid kinds are {list(PLOTS)}."
        )

    def to_latex(self, *, labels: Labels | None = None) -> str:
        r"""Return the summary as a LaTeX tabular, which needs ``\usepackage{booktabs}``.

        Parameters
        ----------
        labels : dict of str to str, default=None
            What metrics are called, as in `Ranking.to_latex`.
        """
        return latex_table(self._printable(self.summary(), labels))

    def to_markdown(self, *, labels: Labels | None = None) -> str:
        """Return the summary as a Markdown table; the parameters are those of `to_latex`."""
        return markdown_table(self._printable(self.summary(), labels))

    def to_html(self, *, labels: Labels | None = None) -> str:
        """Return the summary as an HTML table; the parameters are those of `to_latex`."""
        return html_table(self._printable(self.summary(), labels))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(source={self.source!r}, metric={self.metric!r}, "
            f"{len(self._candidates)} candidates, rope={tuple(self.rope)}, "
            f"n_draws={self.ranking.n_draws})"
        )

    def explain(self) -> str:
        """Return what the report means, in paragraphs of plain sentences.

        Returns
        -------
        words : str
            Paragraphs, separated by blank lines.
        """
        from skbayeseval.search.page import explain

        return explain(self)

    def report(self, path: str | PathLike[str]) -> None:
        """Write all that is known of the search to one HTML page, which needs no other file.

        Parameters
        ----------
        path : str or path-like
            The file to write, such as "report.html". An existing file is replaced.
        """
        from skbayeseval.search.page import page_of

        write_page(path, page_of(self))

    def _repr_html_(self) -> str:
        from skbayeseval.search.page import notebook_view

        return notebook_view(self)

    def _verdict(self) -> list[str]:
        """Return who is the best, and how many are as good, worse or open."""
        table = self.summary()
        codes = table["decision"].value_counts()
        equal, worse = int(codes.get("~", 0)), int(codes.get("<<", 0))
        open_ = len(table) - equal - worse
        best = self.most_probable()
        name = dict(zip(self._candidates, name_candidates(self._candidates), strict=True))[best]
        of = f"{len(table)} candidates"
        if self._n_not_compared:
            of = f"the {len(table)} most promising of {self._n_tried} candidates"
        alone = "There is only one candidate"
        if self._n_tried > 1:
            alone = f"The report covers only one of {self._n_tried} candidates"
        return [
            f"{alone}, {name}, so there is nothing to compare it with on {self.metric}."
            if len(table) == 1
            else f"Of {of}, {name} is most probably the best on {self.metric} "
            f"(probability {format_probability(table['p_best'][best])}).",
            f"Practically equivalent to the best, within {abs(self.rope.low):g}: {equal}. "
            f"Surely worse: {worse}. Not settled: {open_}.",
        ]

    @property
    def _n_not_compared(self) -> int:
        return max(0, self._n_tried - len(self._candidates) - len(self.failed))

    def _left_out(self) -> list[str]:
        """Return sentences on the candidates that the report does not cover, failed ones aside."""
        words = []
        if self._n_not_compared:
            words.append(
                f"simplest() chooses among the {len(self._candidates)} most promising candidates; "
                f"top={self._n_tried} compares all."
            )
        if self._n_dropped:
            words.append(
                f"The search dropped {self._n_dropped} other candidates before its last iteration; "
                "they are not compared."
            )
        return words

    def __str__(self) -> str:
        table, best, lines = self.summary(), self.most_probable(), self._verdict()
        lines += self._left_out()
        if self._basis:
            lines.append(self._basis)
        if self._draws is not self._unpooled:
            lines.append(POOLED)
        if self.failed:
            shown = ", ".join(map(str, self.failed[:10])) + ", ..." * (len(self.failed) > 10)
            lines.append(f"Left out because a fit or a score failed: candidates {shown}.")
        differing = varying(list(self._candidates.values()))
        columns = [self._column(name) for name in self._parameters() if name in differing]
        shown_rows = table.head(ROWS_IN_WORDS)
        if best not in shown_rows.index:
            shown_rows = pd.concat([shown_rows, table.loc[[best]]])
        lines.append(self._printable(shown_rows[[*columns, *COLUMNS]]).to_string())
        if len(table) > len(shown_rows):
            lines.append(f"... and {len(table) - len(shown_rows)} more")
        lines.append(LEGEND)
        return "\n".join(lines)

    @cached_property
    def _table(self) -> pd.DataFrame:
        draws = self.draws
        best = draws == draws.max(axis=0)
        low, high = hdi_of_rows(draws, self.prob)
        bounds = split_metric(self.metric).bounds
        if self.source == "scores" and bounds is not None:  # draws of split scores can be beyond
            low, high = np.clip((low, high), *bounds)
        index = pd.Index(list(self._candidates), name="candidate")
        columns = {
            self._column(name): _column_of(
                [parameters.get(name, np.nan) for parameters in self._candidates.values()], index
            )
            for name in self._parameters()
        }
        within = equivalent_to_best(draws, self.rope)
        leader = self._unpooled[self._unpooled.mean(axis=1).argmax()]
        settled = hdi_of_rows(leader - self._unpooled, self.prob)[0] > -self.rope.low
        surely = settled & (within <= 1 - self.prob)
        codes = np.select([surely, within >= self.prob], ["<<", "~"], "?")
        p_best = (best / best.sum(axis=0)).mean(axis=1)
        observed, means = self._ranking.observed, draws.mean(axis=1)
        statistics = (observed, means, low, high, p_best, within, codes.astype(object))
        table = pd.DataFrame(columns | dict(zip(COLUMNS, statistics, strict=True)), index=index)
        return table.sort_values("mean", ascending=False, kind="stable")

    def _parameters(self) -> list[str]:
        return list(dict.fromkeys(name for of_one in self._candidates.values() for name in of_one))

    def _column(self, parameter: str) -> str:
        return f"param_{parameter}" if parameter in COLUMNS else parameter

    def _printable(self, table: pd.DataFrame, labels: Labels | None = None) -> pd.DataFrame:
        """Return the table with all values as text and short names of the parameters."""
        observed = name_observed(table, self.metric, labels)
        formats: dict[str, Callable[[Any], str]] = dict.fromkeys(COLUMNS, "{:.4f}".format)
        formats |= dict.fromkeys(("p_best", "p_equivalent"), "{:.3f}".format)
        formats["decision"] = lambda code: MARKS[code]
        return pd.DataFrame(
            {
                name: [formats.get(name, format_value)(value) for value in table[name]]
                for name in map(str, table.columns)
            },
            index=table.index,
        ).rename(columns=short_names(list(map(str, table.columns))) | {"observed": observed})


def check_key(key: Any) -> tuple[str, ...]:
    """Return the parameter names in a key, none if the key is a function."""
    if callable(key):
        return ()
    names = (key,) if isinstance(key, str) else key
    if (
        not isinstance(names, Sequence)
        or not names
        or not all(isinstance(name, str) for name in names)
    ):
        raise TypeError(
            "key must be the name of a parameter, a list of names or a function of the parameters, "
            f"got {in_short(key)}."
        )
    return tuple(names)


def _column_of(values: list[Any], index: pd.Index) -> pd.Series:
    """Return values as a column, of dtype object unless all are numbers, bools or strings."""
    if {type(value) for value in values} == {int, float}:
        return pd.Series(values, index=index, dtype=float)
    plain = len({type(value) for value in values}) == 1 and np.isscalar(values[0])
    column = np.empty(len(values), dtype=object)
    column[:] = values
    series = pd.Series(column, index=index, dtype=np.dtype(object))
    return series.infer_objects() if plain else series
