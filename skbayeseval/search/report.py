"""`SearchReport`: what a finished search says, with its uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from skbayeseval.judgement.decision import WORDS, decision_codes
from skbayeseval.judgement.intervals import Interval, hdi_of_rows
from skbayeseval.results.ranking import Ranking
from skbayeseval.results.tables import format_value, latex_table, markdown_table
from skbayeseval.search.candidates import name_candidates, short_names, varying
from skbayeseval.search.figures import draw_best, draw_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from skbayeseval.display import HeatmapDisplay, RankingDisplay

__all__ = ["SearchReport", "check_key"]

Key = str | Sequence[str] | Callable[[dict[str, Any]], Any]

PLOTS = ("ranking", "heatmap")
COLUMNS = ("mean", "hdi_low", "hdi_high", "p_best", "p_equivalent", "decision")

# In words the best few will do.
ROWS_IN_WORDS = 8


class SearchReport:
    """The candidates of a search: which is best, and which are as good as the best.

    Made by `report_search`. Read-only. "The best" is the draw-wise maximum: in every draw from the
    posterior, the candidate that is best in that draw. The candidate with the highest mean was
    picked for its luck as well.

    Attributes
    ----------
    source : {"predictions", "counts", "scores"}
        What the report rests on.
    ranking : Ranking
        The joint posterior of the candidates, and the comparison of every pair.
    candidates : dict of int to dict
        The parameters of each candidate that was compared, by its index in `cv_results_`.
    failed : tuple of int
        The candidates that were left out because a fit or a score of theirs failed.
    rope : Interval
        The differences that do not matter.
    prob : float
        The mass of the HDI.

    See Also
    --------
    report_search : Makes it.

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
        basis: str = "",
    ) -> None:
        self._ranking = ranking
        self._candidates = {int(i): dict(of_one) for i, of_one in candidates.items()}
        self._rope = rope
        self._source = source
        self._prob = prob
        self._failed = tuple(int(i) for i in failed)
        self._n_tried = len(self._candidates) if n_tried is None else n_tried
        self._basis = basis
        self._table: pd.DataFrame | None = None

    @property
    def source(self) -> str:
        """What the report rests on: "predictions", "counts" or "scores"."""
        return self._source

    @property
    def ranking(self) -> Ranking:
        """The joint posterior of the candidates."""
        return self._ranking

    @property
    def candidates(self) -> dict[int, dict[str, Any]]:
        """The parameters of each candidate, by its index in `cv_results_`."""
        return {i: dict(of_one) for i, of_one in self._candidates.items()}

    @property
    def failed(self) -> tuple[int, ...]:
        """The candidates that were left out because a fit or a score failed."""
        return self._failed

    @property
    def rope(self) -> Interval:
        """The differences that do not matter."""
        return self._rope

    @property
    def prob(self) -> float:
        """The mass of the HDI."""
        return self._prob

    @property
    def metric(self) -> str:
        """What the candidates are compared by."""
        return self._ranking.metrics[0]

    def summary(self) -> pd.DataFrame:
        """Return one row a candidate, the highest posterior mean first.

        Returns
        -------
        table : pandas.DataFrame
            The index is the candidate's in `cv_results_`. A column for each parameter; then the
            posterior mean and HDI of the score, the probability that the candidate is the best and
            that it is within the ROPE of the best, and the code of its decision against the best:
            "~" practically equivalent, "<<" surely worse, "<" neither for sure.
        """
        if self._table is None:
            self._table = self._summarised()
        return self._table.copy()

    def equivalent(self) -> pd.DataFrame:
        """Return the rows of `summary` that are practically equivalent to the best."""
        table = self.summary()
        return table[table["decision"] == "~"]

    def simplest(self, key: Key) -> dict[str, Any]:
        """Return the parameters of the simplest candidate that is as good as the best.

        Parameters
        ----------
        key : str, list of str or callable
            What is simple: a parameter or several, smallest first, None last; or a function of the
            parameters whose smallest value is simplest.

        Returns
        -------
        params : dict
            Of the candidates that are practically equivalent to the best, the one with the smallest
            key, and among several such the one with the highest posterior mean. Where none is
            equivalent for sure, the candidate with the highest posterior mean.
        """
        return dict(self._candidates[self.simplest_index(key)])

    def simplest_index(self, key: Key) -> int:
        """Return the index in `cv_results_` of the candidate that `simplest` returns.

        Parameters
        ----------
        key : str, list of str or callable
            As in `simplest`.
        """
        names = check_key(key)
        known = dict.fromkeys(name for of_one in self._candidates.values() for name in of_one)
        for name in names:
            if name not in known:
                raise ValueError(f"key={name!r} is not a parameter; they are {list(known)}.")
        table = self.summary()
        chosen = table.index[table["decision"] == "~"]
        if len(chosen) == 0:
            return int(table.index[0])

        def complexity(i: int) -> tuple[tuple[bool, Any], ...]:
            parameters = self._candidates[i]
            values = (
                [key(dict(parameters))] if callable(key) else [parameters.get(n) for n in names]
            )
            return tuple((value is None, 0 if value is None else value) for value in values)

        try:
            return int(min(chosen, key=complexity))  # the first of equals has the highest mean
        except TypeError as error:
            raise TypeError(
                f"key={key!r} gives values that have no order ({error}). Give a function of the "
                "parameters that returns a number."
            ) from error

    def plot(
        self,
        kind: str = "ranking",
        *,
        x: str | None = None,
        y: str | None = None,
        ax: Axes | None = None,
    ) -> RankingDisplay | HeatmapDisplay:
        """Draw the report.

        Parameters
        ----------
        kind : {"ranking", "heatmap"}, default="ranking"
            The 20 best with their HDIs and probabilities of being best; or the posterior means over
            two parameters, with ≈ where a cell is practically equivalent to the best, and faded
            where it is surely worse. A cell shows the best over all other parameters.
        x, y : str, default=None
            The parameters of the heatmap; where just two vary, those.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        display : RankingDisplay or HeatmapDisplay
            With `ax_` and `figure_`, as scikit-learn's displays.
        """
        if kind == "ranking":
            return draw_best(self.summary(), self._candidates, self.metric, self.prob, ax)
        if kind == "heatmap":
            return draw_grid(self.summary(), self._candidates, self.metric, x, y, ax)
        raise ValueError(f"kind={kind!r} is not known. Known are: {list(PLOTS)}.")

    def to_markdown(self) -> str:
        """Return the summary as a Markdown table."""
        return markdown_table(self._printable(self.summary()))

    def to_latex(self) -> str:
        """Return the summary as a LaTeX tabular with the rules of booktabs."""
        return latex_table(self._printable(self.summary()))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(source={self.source!r}, metric={self.metric!r}, "
            f"{len(self._candidates)} candidates, rope={tuple(self.rope)}, "
            f"n_draws={self.ranking.n_draws})"
        )

    def __str__(self) -> str:
        table = self.summary()
        codes = table["decision"].value_counts()
        equal, worse = int(codes.get("~", 0)), int(codes.get("<<", 0))
        open_ = len(table) - equal - worse
        best = int(table.index[int(table["p_best"].argmax())])
        name = dict(zip(self._candidates, name_candidates(self._candidates), strict=True))[best]
        of = f"{len(table)} candidates"
        if len(table) + len(self.failed) < self._n_tried:
            of = f"the {len(table)} most promising of {self._n_tried} candidates"
        alone = "There is one candidate only"
        if self._n_tried > 1:
            alone = f"One of {self._n_tried} candidates was compared"
        lines = [
            f"{alone}, {name}, and nothing to hold it against on {self.metric}."
            if len(table) == 1
            else f"Of {of}, {name} is most probably the best on {self.metric} "
            f"(probability {table['p_best'].max():.1%}).",
            f"Practically equivalent to the best, within {abs(self.rope.low):g}: {equal}. "
            f"Surely worse: {worse}. Not settled by these data: {open_}.",
        ]
        if self._basis:
            lines.append(self._basis)
        if self.failed:
            shown = ", ".join(map(str, self.failed[:10])) + ", ..." * (len(self.failed) > 10)
            lines.append(f"Left out, because a fit or score failed: candidates no. {shown}.")
        differing = varying(list(self._candidates.values()))
        columns = [self._column(name) for name in self._parameters() if name in differing]
        shown_rows = table.head(ROWS_IN_WORDS)
        if best not in shown_rows.index:
            shown_rows = pd.concat([shown_rows, table.loc[[best]]])
        lines.append(self._printable(shown_rows[[*columns, *COLUMNS]]).to_string())
        if len(table) > len(shown_rows):
            lines.append(f"... and {len(table) - len(shown_rows)} more")
        lines.append("≈ practically equivalent to the best, ≪ surely worse, < not settled")
        return "\n".join(lines)

    def _summarised(self) -> pd.DataFrame:
        draws = self.ranking.draws
        behind = draws - draws.max(axis=0)
        best = behind == 0
        low, high = hdi_of_rows(draws, self.prob)
        index = pd.Index(list(self._candidates), name="candidate")
        columns = {
            self._column(name): _column_of(
                [parameters.get(name, np.nan) for parameters in self._candidates.values()], index
            )
            for name in self._parameters()
        }
        statistics = (
            draws.mean(axis=1),
            low,
            high,
            (best / best.sum(axis=0)).mean(axis=1),
            (behind >= self.rope.low).mean(axis=1),
            decision_codes(behind, self.rope, self.prob).astype(object),
        )
        table = pd.DataFrame(columns | dict(zip(COLUMNS, statistics, strict=True)), index=index)
        return table.sort_values("mean", ascending=False, kind="stable")

    def _parameters(self) -> list[str]:
        return list(dict.fromkeys(name for of_one in self._candidates.values() for name in of_one))

    def _column(self, parameter: str) -> str:
        return f"param_{parameter}" if parameter in COLUMNS else parameter

    def _printable(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the table with all values as text, and the parameters by their short names."""
        formats: dict[str, Callable[[Any], str]] = dict.fromkeys(COLUMNS, "{:.4f}".format)
        formats |= dict.fromkeys(("p_best", "p_equivalent"), "{:.3f}".format)
        formats["decision"] = lambda code: WORDS[code][0]
        return pd.DataFrame(
            {
                name: [formats.get(name, format_value)(value) for value in table[name]]
                for name in map(str, table.columns)
            },
            index=table.index,
        ).rename(columns=short_names([str(name) for name in table.columns]))


def check_key(key: Any) -> tuple[str, ...]:
    """Return the names of the parameters of a key; none where it is a function."""
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
            f"got {key!r}."
        )
    return tuple(names)


def _column_of(values: list[Any], index: pd.Index) -> pd.Series:
    """Return values as a column; as they are unless all of them are numbers, bools or strings."""
    if {type(value) for value in values} == {int, float}:
        return pd.Series(values, index=index, dtype=float)
    plain = len({type(value) for value in values}) == 1 and np.isscalar(values[0])
    column = np.empty(len(values), dtype=object)
    column[:] = values
    series = pd.Series(column, index=index, dtype=object)
    return series.infer_objects() if plain else series
