"""`SearchReport`: the candidates of a fitted search, with their uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skbayeseval._arrays import in_short, wrong
from skbayeseval._html import html_table
from skbayeseval._validation import warn_caller
from skbayeseval.display import (
    HeatmapDisplay,
    ParametersDisplay,
    RankingDisplay,
    TimesDisplay,
)
from skbayeseval.judgement.decision import PROBABLY, format_probability
from skbayeseval.judgement.intervals import Interval
from skbayeseval.metrics.registry import labelled
from skbayeseval.results.figures import forest
from skbayeseval.results.page import POSTERIOR, Page, explained, page_of_many, view, write_page
from skbayeseval.results.ranking import Ranking
from skbayeseval.results.text_tables import (
    AGAINST_THE_BEST,
    ESTIMATE,
    Labels,
    as_text,
    format_values,
    latex_table,
    markdown_table,
    name_observed,
    within,
)
from skbayeseval.results.words import Fact, as_lines, headline_of_many, in_brief
from skbayeseval.search.recorded import TIMES, as_key, meant, short_names, varying

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Key = str | Sequence[str] | Callable[[dict[str, Any]], Any]

PLOTS = ("ranking", "heatmap", *TIMES)
COLUMNS = ("observed", "mean", "hdi_low", "hdi_high", "p_best", "p_equivalent", "decision")

# The number of rows that print(report) shows, and of those in figures.
ROWS_IN_WORDS, ROWS_OF_FIGURES = 8, 20

LEGEND = "≈ practically equivalent to the best, ≪ surely worse"
# Titles of columns in the lines that print(report) shows, of which a page has room for 80 letters.
NARROW = {"P(equivalent)": "P(≈)", "decision": ""}


@dataclass(frozen=True, eq=False, repr=False)
class SearchReport:
    """The candidates of a search: which is best, and which are equivalent to the best.

    Created by `report_search`; read-only. It is a `Ranking` of the candidates, together with their
    parameters. The best of many candidates looks better than it is, so means and HDIs allow for
    that: differences shrink, by as much of them as may be chance. "The best" is the best candidate
    in each posterior draw.

    Attributes
    ----------
    source : {"predictions", "counts", "scores"}
        The kind of data the report is based on.
    draws : ndarray of shape (n_candidates, n_draws)
        The draws that the report is based on.
    ranking : Ranking
        The joint posterior of the candidates, with a comparison of every pair, which does not
        allow for the choice of the best: for candidates that were not chosen for their scores.
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

    ranking: Ranking
    _parameters: Mapping[int, Mapping[str, Any]]
    rope: Interval
    source: str
    prob: float = 0.95
    failed: tuple[int, ...] = ()
    _facts: Sequence[Fact] = ()
    _times: Mapping[str, Mapping[int, float]] = field(default_factory=dict)

    @property
    def candidates(self) -> dict[int, dict[str, Any]]:
        """The parameters of each candidate, by its index in `cv_results_`."""
        return {i: dict(parameters) for i, parameters in self._parameters.items()}

    @property
    def draws(self) -> NDArray[Any]:
        """The draws of each candidate that the report is based on."""
        return self.ranking._rivals(self.ranking._metric(None))

    @property
    def metric(self) -> str:
        """The name of the metric that the candidates are compared by."""
        return self.ranking.metrics[0]

    def summary(self) -> pd.DataFrame:
        """Return one row per candidate, sorted by decreasing posterior mean, as in `Ranking`.

        Returns
        -------
        table : pandas.DataFrame
            Indexed by the candidate's position in `cv_results_`. There is a column for each
            parameter, followed by the observed value, posterior mean and HDI of the metric, the
            probability that the candidate (with its copies) is the best, that it is within the ROPE
            of the best, and the code of the decision of `Ranking.decision`: "~" practically
            equivalent to the best, "<<" surely worse, "?" not settled.
        """
        return self._table.copy()

    def equivalent(self) -> pd.DataFrame:
        """Return the rows of `summary` of the candidates practically equivalent to the best."""
        return self._table[self._table["decision"] == "~"].copy()

    def simplest(self, key: Key) -> dict[str, Any]:
        """Return the parameters of the simplest candidate that is equivalent to the best.

        Parameters
        ----------
        key : str, list of str or callable
            What makes a candidate simple: the name of a parameter, or several in order of
            priority, where smaller values are simpler and None is the least simple;
            "mean_fit_time" or "mean_score_time", for the cheapest; or a function of the dict of
            parameters, where smaller return values are simpler. "C" is "svc__C" where no other
            name ends in it.

        Returns
        -------
        params : dict
            The parameters of the candidate with the smallest key among those that are practically
            equivalent to the best. Ties go to the highest posterior mean. If no candidate is
            decided to be equivalent, a warning says so, and the parameters are those of the
            candidate with the highest posterior mean.
        """
        return dict(self._parameters[self.simplest_index(key)])

    def simplest_index(self, key: Key) -> int:
        """Return the index in `cv_results_` of the candidate that `simplest` returns."""
        names = [meant("key", name, [*self._columns, *self._times]) for name in check_key(key)]
        table = self.summary()
        chosen = table.index[table["decision"] == "~"]
        if len(chosen) == 0:
            first, nearest = table.index[0], table["p_equivalent"].idxmax()
            warn_caller(
                "No candidate is practically equivalent to the best: the most probable one, "
                f"candidate {nearest}, is within {abs(self.rope.low):g} of it with probability "
                f"{format_probability(table['p_equivalent'].max(), threshold=self.prob)}, which is "
                f"less than {100 * self.prob:.3g}%. Candidate "
                f"{first} is chosen for its highest mean, whether it is simple or not. A larger "
                "rope, more data or more splits may settle more."
            )
            return int(first)

        def complexity(i: int) -> tuple[tuple[bool, Any], ...]:
            parameters = self._parameters[i]
            values = [
                self._times[name][i] if name in self._times else parameters.get(name)
                for name in names
            ]
            values = [key(dict(parameters))] if callable(key) else values
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
    ) -> RankingDisplay | HeatmapDisplay | ParametersDisplay | TimesDisplay:
        """Draw the report.

        Parameters
        ----------
        kind : {"ranking", "heatmap", "mean_fit_time", "mean_score_time"}, default="ranking"
            "ranking" shows the 20 best candidates with their HDIs and probabilities of being best.
            "heatmap" shows the posterior means over a grid of two parameters, with ≈ in cells that
            are practically equivalent to the best; surely worse cells are faded. A cell shows
            the best candidate over all other parameters. Where candidates fill no grid of two, as
            those of a randomised search, it shows them with their HDIs over each parameter. A time
            shows the scores against it; candidates that are worse with 90% probability and slower
            than another one are faded.
        x, y : str, default=None
            The parameters of the heatmap. By default, all that vary.
        ax : matplotlib Axes, default=None
            The axes to draw on. By default, a new figure is created.
        **style
            Options of the display: `title`, `colors`, `labels`, `line_kw`, `fill_kw` and `text_kw`.

        Returns
        -------
        display : RankingDisplay, HeatmapDisplay, ParametersDisplay or TimesDisplay
            The display, with attributes `ax_`, `figure_`, `line_`, `fill_` and `text_`, as in
            scikit-learn.
        """
        metric = self.ranking._metric(None)
        style = labelled(style, metric)
        if kind == "ranking":
            shown = forest(self.ranking, self.rope, self.prob, metric, ROWS_OF_FIGURES)
            return shown.plot(ax=ax, **style)
        if kind == "heatmap":
            return _over_parameters(self, x, y).plot(ax=ax, **style)
        if kind in TIMES:
            return self._against(meant("kind", kind, list(self._times))).plot(ax=ax, **style)
        raise ValueError(
            f"kind={in_short(kind)} is not a known plot. Valid kinds are {list(PLOTS)}."
        )

    def _with_states(self) -> pd.DataFrame:
        """Return the summary with what was decided of each candidate in words."""
        states = {code: state for state, code in AGAINST_THE_BEST.items()}
        return self.summary().assign(state=lambda table: table["decision"].map(states))

    def _against(self, time: str) -> TimesDisplay:
        """Return the display of scores against a time."""
        table, draws = self._with_states(), pd.DataFrame(self.draws, index=list(self._parameters))
        names, of_each = self._named, pd.Series(self._times[time])
        table["time"] = of_each
        table["dominated_by"] = ""
        for i in table.index:
            faster = of_each.index[of_each < of_each[i]]
            better = (draws.loc[faster] > draws.loc[i]).mean(axis=1)
            if (better >= PROBABLY).any():
                table.loc[i, "dominated_by"] = names[better.idxmax()]
        named = table.set_axis([names[i] for i in table.index])
        return TimesDisplay(named, metric=self.metric, time=TIMES[time])

    def to_latex(self, *, labels: Labels | None = None) -> str:
        r"""Return the summary as a LaTeX tabular, which needs ``\usepackage{booktabs}``.

        Parameters
        ----------
        labels : dict of str to str, default=None
            What metrics are called, as in `Ranking.to_latex`.
        """
        return latex_table(self._as_text(labels))

    def to_markdown(self, *, labels: Labels | None = None) -> str:
        """Return the summary as a Markdown table; the parameters are those of `to_latex`."""
        return markdown_table(self._as_text(labels))

    def to_html(self, *, labels: Labels | None = None) -> str:
        """Return the summary as an HTML table; the parameters are those of `to_latex`."""
        return html_table(self._as_text(labels))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(source={self.source!r}, metric={self.metric!r}, "
            f"{len(self._parameters)} candidates, rope={tuple(self.rope)}, "
            f"n_draws={self.ranking.n_draws})"
        )

    def explain(self) -> str:
        """Return what the report means, in paragraphs of plain sentences."""
        return explained(self._page(), self._facts)

    def details(self) -> str:
        """Return what the report is based on, and all cautions, in lines."""
        return "\n".join([*self._verdict(), *as_lines(self._facts)])

    def report(self, path: str | PathLike[str]) -> None:
        """Write all that is known of the search to an HTML file, which needs no other file."""
        best = self._named[self.summary().index[0]]
        write_page(path, self.ranking, self._page, names=[best])

    def __str__(self) -> str:
        parameters, more = varying([*self._parameters.values()]), len(self._table) - ROWS_IN_WORDS
        text = self._as_text(rows=ROWS_IN_WORDS, names=parameters).rename(columns=NARROW)
        facts = in_brief(self._facts)
        if len(self.equivalent()) > 1:
            facts.append(Fact("next", "simplest(key) chooses the simplest of the equivalent ones"))
        return "\n".join(
            [
                *self._verdict(),
                within(text.replace("not settled", "?"), n_names=len(parameters)),
                *([f"... and {more} more"] if more > 0 else []),
                *as_lines(facts),
            ]
        )

    def _repr_html_(self) -> str:
        return view(self._page())

    def _verdict(self) -> list[str]:
        """Return who is the best, and how many are as good, worse or open."""
        table = self.summary()
        first = f"There is only one candidate, {self.ranking.names[0]}."
        if len(table) > 1:
            first = headline_of_many(self.ranking, self.ranking._metric(None))
        equal, worse, still = ((table["decision"] == code).sum() for code in ("~", "<<", "?"))
        return [
            first,
            f"{equal} practically equivalent to the best, within {abs(self.rope.low):g} (≈); "
            f"{worse} surely worse (≪); {still} not settled (?).",
        ]

    @cached_property
    def _named(self) -> dict[int, str]:
        """The name of each candidate."""
        return dict(zip(self._parameters, self.ranking.names, strict=True))

    def _page(self) -> Page:
        page = page_of_many(self.ranking, {self.metric: self.rope}, self.prob, self._facts)
        return page._replace(
            title=f"A search among {len(self._parameters)} candidates",
            numbers=self._verdict(),
            tables=[(POSTERIOR, LEGEND, self._as_text())],
            figures=[(f"the candidates by {self.metric}", partial(self.plot, title=""))],
            rows_of_figures=min(len(self._parameters), ROWS_OF_FIGURES),
        )

    @cached_property
    def _columns(self) -> dict[str, str]:
        """The column of each parameter in the summary."""
        names = [name for parameters in self._parameters.values() for name in parameters]
        return {name: f"param_{name}" if name in COLUMNS else name for name in names}

    @cached_property
    def _table(self) -> pd.DataFrame:
        decision = self.ranking.decision(self.rope, self.prob)
        table = self.ranking.ranking(prob=self.prob)
        table["p_equivalent"] = pd.Series(decision.p_equivalent)
        table["decision"] = pd.Series(decision.states()).map(AGAINST_THE_BEST)
        table = table[list(COLUMNS)]
        place = {name: i for i, name in self._named.items()}
        table.index = table.index.map(place).rename("candidate")
        for k, (name, column) in enumerate(self._columns.items()):
            values = [self._parameters[i].get(name, np.nan) for i in table.index]
            kinds = set(map(type, values))
            of_one_kind = len(kinds) == 1 or kinds == {int, float}
            given = pd.Series(values, index=table.index, dtype=np.dtype(object))
            table.insert(k, column, given.infer_objects() if of_one_kind else given)
        return table

    def _as_text(
        self, labels: Labels = None, rows: int | None = None, names: Sequence[str] | None = None
    ) -> pd.DataFrame:
        """Return the first rows of the summary as text, with short names of some parameters."""
        table = self.summary()
        observed = name_observed(table, self.metric, labels)
        columns = [self._columns[name] for name in (self._columns if names is None else names)]
        for column in columns:
            table[column] = format_values(table[column].tolist())
        titles = short_names(columns) | observed | {"mean": ESTIMATE}
        return as_text(
            table[[*columns, *COLUMNS]].head(rows or len(table)), self.prob, titles=titles
        )


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
        wanted = "the name of a parameter, a list of names or a function of the parameters"
        raise wrong("key", wanted, key, TypeError)
    return tuple(names)


def _over_parameters(
    report: SearchReport, x: str | None, y: str | None
) -> HeatmapDisplay | ParametersDisplay:
    """Return a heatmap of a grid of two parameters; otherwise, candidates over each parameter."""
    candidates, table, known = (
        report.candidates,
        report._with_states(),
        list(report._columns),
    )
    differing = varying(list(candidates.values()))
    given = {"x": x, "y": y}
    names = [
        meant(key, name, known) for key, name in given.items() if name is not None
    ] or differing
    if not names or len({*names}) < len(names):
        raise ValueError(
            "plot('heatmap') needs the names of different parameters, got "
            f"x={in_short(x)} and y={in_short(y)}. Those that vary are {differing}."
        )
    short = short_names(names)
    rows, columns = (_in_order(candidates, name) for name in (names[-1], names[0]))
    cells: dict[tuple[Any, Any], tuple[float, str]] = {}
    for i, mean, code in zip(table.index, table["mean"], table["decision"], strict=True):
        if names[0] in candidates[i] and names[-1] in candidates[i]:  # the best come first
            place = as_key(candidates[i][names[-1]]), as_key(candidates[i][names[0]])
            cells.setdefault(place, (mean, code))
    if len(names) != 2 or 2 * len(cells) < len(rows) * len(columns):
        of_each = {
            short[name]: [candidates[i].get(name, np.nan) for i in table.index] for name in names
        }
        named = table.set_axis([report._named[i] for i in table.index])
        return ParametersDisplay(named, of_each, metric=report.metric)
    shown = [
        [cells.get((as_key(row), as_key(column)), (np.nan, "")) for column in columns]
        for row in rows
    ]
    titles, index = (
        pd.Index(format_values(values, 3), name=short[name], dtype=object)
        for name, values in zip(names, (columns, rows), strict=True)
    )
    others = short_names([name for name in differing if name not in names])
    return HeatmapDisplay(
        pd.DataFrame([[mean for mean, _ in row] for row in shown], index, titles),
        pd.DataFrame([[code for _, code in row] for row in shown], index, titles),
        metric=report.metric,
        note=f"best over {', '.join(others.values())}" if others else "",
        rope=abs(report.rope.low),
    )


def _in_order(candidates: Mapping[int, Any], name: str) -> list[Any]:
    """Return the distinct values of a parameter, sorted if they are comparable, with None last."""
    values = [parameters[name] for parameters in candidates.values() if name in parameters]
    distinct = list({as_key(value): value for value in values}.values())
    try:
        return sorted(distinct, key=lambda value: (value is None, 0 if value is None else value))
    except (TypeError, ValueError):
        return distinct
