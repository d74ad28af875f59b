"""Forest plots: differences in classes and subgroups, metrics of several classifiers, and tiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from skbayeseval.display.style import (
    GREY,
    MINUS,
    Display,
    PairDisplay,
    Pen,
    escape_dollars,
    figure_height,
    label_ticks,
    line_height,
    shorten,
    text_width,
    wrap,
)
from skbayeseval.judgement.decision import MARKS, format_probability, percent
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import Tiers, number_of_copies, who_is_best

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(eq=False, repr=False)
class TiersDisplay(Display):
    """Posterior means and HDIs in tiers, each of them shaded; the best is at the top.

    Nobody in a tier can be told apart from the first of it. Intervals of two tiers may overlap all
    the same, because errors go together.

    Parameters
    ----------
    table : pandas.DataFrame
        The columns mean, hdi_low and hdi_high, with one row per classifier.
    tiers : Tiers
        The tiers, of the names in the index of the table.
    metric : str, default="score"
        The name of the metric.
    prob : float, default=0.95
        The probability mass of the HDI.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The means, the tiers and the HDIs, and the names of the tiers.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval import compare_many
    >>> y = np.arange(600) % 2
    >>> half, few = (np.where(np.arange(600) < k, 1 - y, y) for k in (300, 5))
    >>> ranking = compare_many(y, {"half": half, "few": few, "all": y}, random_state=0)
    >>> display = ranking.plot("tiers", rope=0.02)
    >>> [text.get_text() for text in display.text_]
    ['tier 1', 'tier 2']
    """

    table: pd.DataFrame
    _: KW_ONLY
    tiers: Tiers
    metric: str = "score"
    prob: float = 0.95

    def _size(self) -> tuple[float, float]:
        return 7.0, max(figure_height(len(self.table)), 2.2)

    def _draw(self, ax: Axes, pen: Pen) -> str:
        number, size = pen.fit_rows(len(self.table))
        total = list(self.tiers.numbers())
        names = total[:number]
        row = len(names) - 1  # from the top to the bottom
        for i, group in enumerate(self.tiers.groups, 1):
            some = group[: row + 1]
            if not some:
                break
            color, bottom = pen.colors[(i - 1) % len(pen.colors)], row - len(some) + 1
            options = pen.fill_options(color=color, alpha=0.1, linewidth=0)
            pen.fills.append(ax.axhspan(bottom - 0.5, row + 0.5, **options))
            shown = self.table.loc[list(some), ["mean", "hdi_low", "hdi_high"]]
            rows = range(row, bottom - 1, -1)
            pen.intervals(rows, shown.to_numpy().T, color=color, marker="o", size=size)
            pen.text_in_row(1.02, (row + bottom) / 2, f"tier {i}", size)
            row = bottom - 1
        label = f"{escape_dollars(self.metric)} (mean and {percent(self.prob)} interval)"
        pen.set_xlabel(wrap(label, 0.9 * pen.width, pen.medium))
        pen.open_box()
        _finish_rows(pen, names[::-1], size)
        short = dict(zip(total, shorten(total, 0.45 * pen.width, pen.medium), strict=True))
        groups = tuple(tuple(short[name] for name in group) for group in self.tiers.groups)
        said = replace(self.tiers, groups=groups, metric=escape_dollars(self.metric)).in_short(1)
        return said + _left_out(len(total) - len(names))


# What is drawn of each row: the mean and the ends of the HDI.
MEAN_AND_HDI = ["mean", "hdi_low", "hdi_high"]


def _name_sides(pen: Pen, a: str, b: str, share: float) -> None:
    """Write above the axes who is better on the left and on the right, in a share of the width."""
    sides = [f"◀ {b} better", f"{a} better ▶"]
    if sum(text_width(side, pen.small) for side in sides) > share * pen.width:
        sides = [f"◀ {b}", f"{a} ▶"]
    for x, side, text in zip((0.0, 1.0), ("left", "right"), sides, strict=True):
        pen.text(x, 1.0, text, transform=pen.ax.transAxes, ha=side, va="bottom", color=GREY)
    pen.pad = line_height(pen.small) + 4


def _finish_rows(pen: Pen, names: Iterable[Any], size: float, beside: float = 0.0) -> None:
    """Name the rows, and write the ticks and the legend; so many inches are taken beside them."""
    labels = shorten(list(map(str, names)), 0.4 * pen.width, size)
    label_ticks(pen.ax.yaxis, range(len(labels)), labels, fontsize=size)
    pen.ax.set_ylim(-0.6, len(labels) - 0.4)
    names_take = max(text_width(label, size) for label in labels)
    pen.plain_ticks(inches=pen.width - names_take - beside - 0.9)
    pen.legend_below()


def _by_decision(
    codes: np.ndarray, a: str, b: str, pen: Pen
) -> list[tuple[np.ndarray, str, dict[str, Any]]]:
    """Return which rows have each decision that occurs, its meaning, and how it is drawn."""
    kinds = [
        (codes == ">>", f"{a} better", {"color": pen.colors[0], "marker": "o"}),
        (codes == "<<", f"{b} better", {"color": pen.colors[1], "marker": "v"}),
        (codes == "~", "equivalent", {"color": pen.colors[2], "marker": "D"}),
        (np.isin(codes, ["<", ">", "?"]), "not settled", {"color": GREY, "marker": "s"}),
    ]
    return [kind for kind in kinds if kind[0].any()]


@dataclass(eq=False, repr=False)
class ClassesDisplay(PairDisplay):
    """Forest plot of the difference A minus B in each class, with HDIs and decisions.

    Classes are sorted by the difference. If there is no room for all, those with the smallest
    differences are left out. This is the picture of Tables 4 to 6 of Zhang et al. (2016).

    Parameters
    ----------
    table : pandas.DataFrame
        The columns mean, hdi_low, hdi_high and decision (the code), with one row per class.
    names : (str, str), default=("A", "B")
        The names of A and B.
    metric : str, default="f1"
        The name of the metric of each class.
    rope : Interval, default=None
        The region of practical equivalence.
    prob : float, default=0.95
        The probability mass of the HDI.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The means, the HDIs, and the symbols of the decisions.

    Examples
    --------
    >>> from skbayeseval import compare_predictions
    >>> y, a, b = [0, 1, 2] * 60, [0, 1, 2] * 60, [0, 1, 1] * 40 + [0, 1, 2] * 20
    >>> display = compare_predictions(y, a, b, random_state=0).plot("classes", rope=0.05)
    >>> list(display.table["decision"])
    ['~', '>>', '>>']
    >>> display.ax_.get_title()
    'A is better in 2 of 3 classes, equivalent in 1'
    """

    table: pd.DataFrame
    _: KW_ONLY
    metric: str = "f1"
    rope: Interval | None = None
    prob: float = 0.95

    def _size(self) -> tuple[float, float]:
        return 7.0, max(0.5 + figure_height(len(self.table)), 2.6)

    def _draw(self, ax: Axes, pen: Pen) -> str:
        a, b, key = pen.label_difference(self.metric, self.names, 0.22 * pen.width)
        number, size = pen.fit_rows(len(self.table), 4 if key else 2)
        biggest = self.table["mean"].abs().sort_values(kind="stable").index[-number:]
        table = self.table.loc[biggest].sort_values("mean", kind="stable")
        rows, codes = np.arange(len(table)), table["decision"].to_numpy()
        pen.rope(self.rope)
        pen.zero()
        for some, _, look in _by_decision(codes, a, b, pen):
            pen.intervals(rows[some], [table[c][some] for c in MEAN_AND_HDI], size=size, **look)
            for row in rows[some]:
                pen.text_in_row(1.02, row, MARKS[codes[row]], max(size, 5.0), color=look["color"])
        _name_sides(pen, a, b, 0.4)
        _finish_rows(pen, table.index, size)
        counts = self.table["decision"].value_counts()
        settled = {
            ">>": f"{a} is better in",
            "<<": f"{b} is better in",
            "~": "equivalent in",
        }
        said = [f"{way} {counts[code]}" for code, way in settled.items() if code in counts]
        still = sum(number for code, number in counts.items() if code not in settled)
        said += [f"not settled in {still}"] * bool(still)
        said[0] += f" of {len(self.table)} classes"
        return ", ".join(said) + _left_out(len(self.table) - len(table))


def _left_out(number: int) -> str:
    return f"; {number} not shown" if number else ""


# How far intervals of subgroups alone may extend the axis, as a share of what else is shown.
LARGEST_MARGIN = 0.5


# Intervals of subgroups alone are this far below the pooled ones, in rows, and pale.
BELOW, PALE = 0.22, "#999999"


# Axes that are lower, in inches, have no room for a whole legend.
LEAST_HEIGHT = 2.7


@dataclass(eq=False, repr=False)
class ForestDisplay(Display):
    """Forest plot of the difference A minus B, or of one score, in each subgroup and overall.

    Strong lines are the HDIs of the partially pooled values, thin lines those given each
    subgroup alone. Thin lines that are much longer than all others end in an arrow.

    Parameters
    ----------
    table : pandas.DataFrame
        The columns n, mean, hdi_low, hdi_high, alone_low, alone_high and, of differences, decision
        (the code), with one row per subgroup, and n_groups, if groups are to be counted. A subgroup
        with NaN has too few instances.
    overall : (float, float, float)
        The mean, and the low and the high end of the HDI, given all instances.
    names : (str, str) or (str,), default=("A", "B")
        The names of A and B, or of the one whose score is shown.
    metric : str, default="score"
        The name of the metric.
    rope : Interval, default=None
        The region of practical equivalence.
    prob : float, default=0.95
        The probability mass of the HDIs.
    finding : str, default=""
        What the subgroups show, which is the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The means; the HDIs and the diamond of all instances; and the numbers of instances.

    Examples
    --------
    >>> from skbayeseval import compare_items
    >>> right_a, right_b = [1, 1, 0, 1] * 30, [1, 0, 0, 1] * 30
    >>> subject = ["law", "law", "physics", "physics"] * 30
    >>> display = compare_items(right_a, right_b, random_state=0).by(subject).plot(rope=0.05)
    >>> [text.get_text() for text in display.ax_.get_yticklabels()]
    ['all instances', 'physics', 'law']
    """

    table: pd.DataFrame
    _: KW_ONLY
    overall: tuple[float, float, float]
    names: tuple[str, ...] = ("A", "B")
    metric: str = "score"
    rope: Interval | None = None
    prob: float = 0.95
    finding: str = ""

    def _size(self) -> tuple[float, float]:
        return 7.0, max(0.6 + figure_height(len(self.table) + 1), 2.8)

    def _draw(self, ax: Axes, pen: Pen) -> str:
        a = b = key = ""
        if len(self.names) == 2:
            a, b, key = pen.label_difference(self.metric, self.names, 0.22 * pen.width)
        number, size = pen.fit_rows(len(self.table) + 1, 5 if key else 3)
        # If there is no room for all, the largest subgroups are shown.
        largest = np.argsort(-self.table["n"].to_numpy(), kind="stable")[: number - 1]
        table = self.table.iloc[np.sort(largest)[::-1]]
        rows = 1 + np.arange(len(table))
        kinds = [
            (table["mean"].notna().to_numpy(), "", {"color": pen.colors[0], "marker": "o"}),
        ]
        if len(self.names) == 2:
            kinds = _by_decision(table["decision"].to_numpy(), a, b, pen)
            pen.rope(self.rope)
            pen.zero()
        self._draw_alone(ax, pen, table, rows)
        for some, meaning, look in kinds:
            pen.intervals(
                rows[some], [table[c][some] for c in MEAN_AND_HDI], size=size, label=meaning,
                alpha=0.6, widest=3.5, **look,
            )  # fmt: skip
        for row in rows[table["mean"].isna().to_numpy()]:
            pen.text_in_row(0.02, row, "too few to say", size, fontstyle="italic")
        mean, low, high = self.overall
        diamond = [low, mean, high, mean], [0.0, 0.28, 0.0, -0.28]
        pen.fills += ax.fill(*diamond, zorder=3, **pen.fill_options(color="black", linewidth=0))
        # Dotted, so that it is not taken for an interval of the row above it.
        ax.axhline(0.5, color=GREY, linewidth=0.8, linestyle=(0, (1, 3)))
        self._write_numbers(ax, pen, table, rows, size)
        if pen.height < LEAST_HEIGHT:  # the colours are those of the two sides
            for artist in [*pen.lines, *pen.fills]:
                artist.set_label("")
        if len(self.names) == 2:
            _name_sides(pen, a, b, 0.3)
        else:
            label = f"{escape_dollars(self.metric)} of {escape_dollars(self.names[0])}"
            pen.set_xlabel(wrap(label, 0.9 * pen.width, pen.medium))
        _finish_rows(pen, ["all instances", *table.index], size)
        return escape_dollars(self.finding) + _left_out(len(self.table) - len(table))

    def _draw_alone(self, ax: Axes, pen: Pen, table: pd.DataFrame, rows: np.ndarray) -> None:
        """Limit the axis, and draw what is known of each subgroup alone within these limits.

        Small subgroups alone would make all others hard to see.
        """
        rope = self.rope or ((0.0, 0.0) if len(self.names) == 2 else self.overall[:1])
        low = np.nanmin([table["hdi_low"].min(), self.overall[1], *rope])
        high = np.nanmax([table["hdi_high"].max(), self.overall[2], *rope])
        margin = LARGEST_MARGIN * (high - low)
        low = max(low - margin, np.nanmin([low, table["alone_low"].min()]))
        high = min(high + margin, np.nanmax([high, table["alone_high"].max()]))
        room_beside = 0.04 * (high - low) or 0.01
        low, high = low - room_beside, high + room_beside
        ax.set_xlim(low, high)
        ends = table["alone_low"].to_numpy(), table["alone_high"].to_numpy()
        label = f"each subgroup alone ({percent(self.prob)} interval)"
        options = pen.fill_options(color=PALE, linewidth=1.0, label=label)
        shown = np.maximum(ends[0], low), np.minimum(ends[1], high)
        pen.fills.append(ax.hlines(rows - BELOW, *shown, **options))
        for beyond, x, marker in ((ends[0] < low, low, "<"), (ends[1] > high, high, ">")):
            for row in rows[beyond]:
                ax.plot(x, row - BELOW, marker=marker, color=PALE, markersize=3.5, clip_on=False)

    def _write_numbers(
        self, ax: Axes, pen: Pen, table: pd.DataFrame, rows: np.ndarray, size: float
    ) -> None:
        unit, heading = ("n_groups", "groups") if "n_groups" in table else ("n", "n")
        numbers = [int(self.table[unit].sum()), *table[unit]]
        # Right-aligned: as far from the axis as the widest number is wide.
        end = 0.12 + max(text_width(said, size) for said in [heading, *map("{:,}".format, numbers)])
        style = {"ha": "right", "color": GREY}
        for row, n in zip([0, *rows], numbers, strict=True):
            place = {"transform": _beside(ax, ax.transData), "va": "center", "fontsize": size}
            pen.text(end, row, f"{n:,}", **place, **style)
        pen.text(end, 1.0, heading, transform=_beside(ax, ax.transAxes), va="bottom", **style)


# The legend, colour (among those of the palette) and marker of each state.
STATES = {
    "equivalent": ("equivalent", 2, "o"),
    "open": ("not settled", 0, "s"),
    "worse": ("surely worse", 1, "v"),
}


@dataclass(eq=False, repr=False)
class RankingDisplay(Display):
    """Forest plot of posterior means and HDIs, with the probability of being the best.

    Intervals of two classifiers may overlap although one is surely worse, because their errors go
    together. So the distance from the best of each draw can be shown beside them.

    Parameters
    ----------
    table : pandas.DataFrame
        The columns mean, hdi_low, hdi_high and p_best, with one row per classifier, and where known
        observed, and behind, behind_low and behind_high: the mean and the HDI of the difference to
        the best, at most 0.
    metric : str, default="score"
        The name of the metric.
    prob : float, default=0.95
        The probability mass of the HDI.
    states : mapping of str to {"equivalent", "open", "worse"}, default=None
        How each classifier compares with the best, which gives its colour and marker.
    rope : float, default=None
        How much worse than the best is practically equivalent to it.
    total : int, default=None
        The number of classifiers, if there are more than in the table.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.
    line_, fill_, text_ : list of matplotlib artists
        The means and observed values, the HDIs, and the probabilities of being the best, from the
        worst to the best.

    Examples
    --------
    >>> from skbayeseval import compare_many
    >>> predictions = {"a": [0, 1, 1, 0], "b": [0, 0, 1, 0], "c": [1, 1, 1, 0]}
    >>> display = compare_many([0, 1, 1, 0], predictions, random_state=0).plot("ranking")
    >>> display.ax_.get_xlabel()
    'accuracy (mean and 95% interval)'
    """

    table: pd.DataFrame
    _: KW_ONLY
    metric: str = "score"
    prob: float = 0.95
    states: Mapping[str, str] | None = None
    rope: float | None = None
    total: int | None = None

    def _size(self) -> tuple[float, float]:
        legend = 0.0 if self.states is None and "observed" not in self.table else 0.25
        return 7.0, max(figure_height(len(self.table)) + legend, 2.2)

    def _draw(self, ax: Axes, pen: Pen) -> str:
        n_labels = 0 if self.states is None else len(set(self.states.values()))
        number, size = pen.fit_rows(len(self.table), n_labels + ("observed" in self.table))
        table = self.table.sort_values("mean").tail(number)
        small, width = pen.small, pen.width
        self._draw_rows(pen, table, MEAN_AND_HDI, size)
        # Only a layout that looks at what is beside the axes leaves room for more axes there.
        has_room = width > 4 and cast("Figure", ax.figure).get_layout_engine() is not None
        inches = 0.3 * width if has_room and "behind" in table else 0.0
        if inches:
            self._draw_differences(ax, pen, table, size, inches)
        end = inches + 0.1 + 0.1 * bool(inches)
        if "observed" in table:
            seen = table["observed"].to_numpy()
            if not ax.get_autoscalex_on():  # some are left out at the edge
                seen = np.where(seen < ax.get_xlim()[0], np.nan, seen)
            pen.line(
                seen, np.arange(len(table)), color="black", marker="|",
                linestyle="none", markersize=min(8, size), label="observed",
            )  # fmt: skip
        for row, (name, p_best) in enumerate(table["p_best"].items()):
            is_best = name == self.table.index[0]
            pen.text(
                end, row, format_probability(p_best), transform=_beside(ax, ax.transData),
                va="center", color="black" if is_best else GREY, fontsize=size,
                fontweight="bold" if is_best else "normal",
            )  # fmt: skip
        pen.text(
            end, 1.0, "P(best)", transform=_beside(ax, ax.transAxes), va="bottom",
            fontsize=small,
        )  # fmt: skip
        label = f"{escape_dollars(self.metric)} (mean and {percent(self.prob)} interval)"
        pen.set_xlabel(wrap(label, 0.95 * width - 2 * inches, pen.medium))
        pen.open_box()
        _finish_rows(pen, table.index, size, inches)
        pen.pad = line_height(small) + 3
        best, total = self.table.index[0], self.total or len(self.table)
        short = shorten([str(name) for name in self.table.index], 0.6 * width, pen.medium)
        said = who_is_best(
            short[0],
            total,
            self.table["p_best"].iloc[0],
            copies=number_of_copies(self.table, best),
        )
        return said + _left_out(total - len(table))

    def _draw_differences(
        self, ax: Axes, pen: Pen, table: pd.DataFrame, size: float, inches: float
    ) -> None:
        """Draw the differences to the best on axes of so many inches beside the others."""
        place = (0.1, 0.0, inches, 1.0)
        beside = ax.inset_axes(place, transform=_beside(ax, ax.transAxes), sharey=ax)
        pen = pen.on(beside)
        self._draw_rows(pen, table, ["behind", "behind_low", "behind_high"], size)
        beside.axvline(0.0, color=GREY, linewidth=0.8)
        if self.rope:
            beside.axvspan(-self.rope, 0.0, color=GREY, alpha=0.15, linewidth=0)
        pen.set_xlabel("difference to the best")
        beside.tick_params(left=False, labelleft=False)
        pen.open_box("left")
        pen.plain_ticks(inches=inches)

    def _draw_rows(self, pen: Pen, table: pd.DataFrame, columns: list[str], size: float) -> None:
        """Draw the interval of each row, in the colour and marker of its state."""
        states = np.array(
            ["" if self.states is None else self.states[str(name)] for name in table.index]
        )
        rows, (_, low, high) = np.arange(len(table)), (table[c].to_numpy() for c in columns)
        hopeful = states != "worse"
        if hopeful.any() and not hopeful.all():
            # Hopeless ones at the edge, with their values, do not squeeze the others.
            extent = high[hopeful].max() - low[hopeful].min()
            edge = low[hopeful].min() - extent
            beyond = high < edge
            if beyond.any() and extent > 0:
                pen.ax.set_xlim(edge, high[hopeful].max() + 0.1 * extent)
                for row, value in zip(rows[beyond], table[columns[0]][beyond], strict=True):
                    said = f"◀ {value:.3g}".replace("-", MINUS)
                    place = pen.ax.get_yaxis_transform()
                    pen.ax.text(0.02, row, said, transform=place, va="center", fontsize=size)
                states[beyond] = "beyond"
        for state in [*STATES, ""]:
            some = states == state
            if some.any():
                label, colour, marker = STATES.get(state, (None, 0, "o"))
                pen.intervals(
                    rows[some], [table[c][some] for c in columns], color=pen.colors[colour],
                    marker=marker, size=size, label=label,
                )  # fmt: skip


def _beside(ax: Axes, upwards: Any) -> Any:
    """Return the transform of inches to the right of the axes, and of heights as `upwards` has.

    What is placed so does not move when the layout makes the axes narrower for it.
    """
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    right: Any = ax.transAxes
    across = ax.figure.dpi_scale_trans + ScaledTranslation(1.0, 0.0, right)
    return blended_transform_factory(across, upwards)
