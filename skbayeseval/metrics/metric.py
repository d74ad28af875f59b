"""What a metric is: how it is computed, and all that other modules may ask of it.

There is a class for each kind of data that metrics are computed from, with the fields of this kind.
What others may ask of any metric, `Metric` answers. No other package tests a metric's name: it
declares which cells it is a ratio of, what counts alike in it, and its limits; the tests of all
metrics compare these with what the function does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval._arrays import Array, as_numbers, wrong

# Shares of the instances: what is continuous changes less for the second one.
TINY_SHARES = (1e-6, 1e-10)


class Totals(NamedTuple):
    """Totals of each class or label, which are sufficient for most metrics.

    Attributes
    ----------
    hits : ndarray of shape (..., M)
        The number of correctly predicted instances of each class.
    true : ndarray of shape (..., M)
        The number of instances of each true class.
    predicted : ndarray of shape (..., M)
        The number of instances of each predicted class.
    """

    hits: Array
    true: Array
    predicted: Array


def totals_of(tables: Array) -> Totals:
    """Return the totals of tables of shape (..., M, M)."""
    hits = np.diagonal(tables, axis1=-2, axis2=-1)
    return Totals(hits, tables.sum(axis=-1), tables.sum(axis=-2))


# The limits of a share, and of a metric without any, or of which none are known.
SHARE = (0.0, 1.0)
UNLIMITED = (-np.inf, np.inf)


def check_function(function: Any, name: Any) -> None:
    """Raise unless a function of the user is one, and the name of its metric a string."""
    if not callable(function):
        raise wrong("function", "callable", function, TypeError)
    if not isinstance(name, str):
        raise wrong("name", "a string", name, TypeError)


def call_function(metric: str, function: Callable[..., Any], *data: Any, **weights: Any) -> Any:
    """Return what a function of the user gives; an error that it raises names the metric."""
    try:
        return function(*data, **weights)
    except Exception as error:
        raise ValueError(
            f"The function of metric {metric!r} raised {type(error).__name__}: {error}"
        ) from error


def ratio_of(numerator: Array, denominator: Array, zero_division: float | Array) -> Array:
    """Return the ratio, and `zero_division` where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        quotient = numerator / denominator
    zero = denominator == 0
    return np.where(zero, zero_division, quotient) if zero.any() else quotient


def weighted_sum(weights: tuple[float, ...], parts: tuple[Array, ...]) -> Array:
    """Return the sum of parts times their weights; those without a weight may be anything."""
    kept = [one if w == 1 else w * one for w, one in zip(weights, parts, strict=True) if w]
    return sum(kept[1:], start=kept[0])


class CellRatio(NamedTuple):
    """A ratio of weighted sums of the cells (tp, fp, fn, tn) of the positive class.

    Attributes
    ----------
    top, bottom : tuple of four floats
        The weight of each cell above and below the line.

    Examples
    --------
    >>> from skbayeseval.metrics import get_metric
    >>> get_metric("precision").ratio
    CellRatio(top=(1, 0, 0, 0), bottom=(1, 1, 0, 0))
    """

    top: tuple[float, ...]
    bottom: tuple[float, ...]

    @property
    def declared(self) -> dict[str, Any]:
        """What a metric declares that is this ratio; without true instances, it is 0 or 0 / 0."""
        (tp, fp, fn, tn), below = self
        of_positives, of_negatives = bool(tp or fn), bool(fp or tn)
        alike = of_positives == of_negatives
        return {
            "ratio": self,
            "needs_classes": "any" if alike else "positive" if of_positives else "negative",
            "needs_positive": any(part != part[::-1] for part in self),
            "needs_true_negatives": bool(tn or below[3]),
        }

    def of_cells(self, cells: tuple[Array, ...], zero_division: float) -> Array:
        """Return the ratio of cells (tp, fp, fn, tn); those without a weight may be anything."""
        top, bottom = (weighted_sum(weights, cells) for weights in self)
        return ratio_of(top, bottom, zero_division)


@dataclass(frozen=True, eq=False, repr=False)
class Metric:
    """A metric of any kind: its name, and what modules ask of all metrics.

    Create a metric with `get_metric`, `fbeta` or `from_confusion`.

    Attributes
    ----------
    name : str
        The name of the metric in results.
    function : callable or None
        What computes it: of tables and totals, see `TableMetric`; of instances, a function that
        prepares it on one test set as a function of the instance weights.
    formula : str or None
        The registered name of the metric; None for a user-supplied function.
    limits : (float, float)
        The smallest and the largest possible value, infinite if there is none or it is unknown.
    available : bool
        False for a user-supplied function that could not be stored in a saved result.
    words : str
        What the metric measures, for readers who do not know its name.
    called : str
        What headings and figures of pages call it, if not by its name with spaces.
    other_names : tuple of str
        What the metric is called elsewhere, for hints.
    needs_positive : bool
        Whether it requires a positive class, of two.
    needs_classes : {"any", "positive", "negative", "several"}
        The true classes without which it is not defined: none, the positive class, the negative
        class, or two. Of a user's function of a table, this is found out (`needs_absent_classes`).
    own : AnyMetric or None
        The user's function that it is made of.
    named_class : object
        The positive class that this function names itself; None if it names none.
    source : {"tables", "instances", "numbers", "splits", "items"}
        The data from which the metric is computed: confusion tables, instance scores, predicted
        numbers, or only the values that are known of splits or of items.
    weighs_instances : bool
        Whether it is a function of instance weights (the Bayesian bootstrap).

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> f1 = metrics.get_metric("f1")
    >>> f1([[5, 2], [1, 8]])
    array(0.84210526)
    """

    name: str
    function: Any = None
    _: KW_ONLY
    formula: str | None = None
    limits: tuple[float, float] = UNLIMITED
    available: bool = True
    words: str = ""
    called: str = ""
    other_names: tuple[str, ...] = ()
    needs_positive: bool = False
    needs_classes: str = "any"
    own: Any = None
    named_class: Any = None
    source: str = ""

    weighs_instances: ClassVar[bool] = False

    # What some kinds declare, and any metric is asked.
    ratio = class_index = cast(Any, None)
    zero_division = 0.0
    needs = class_ratio = ""
    counts_alike = "instances"
    needs_tables = one_of_many = is_macro = is_of_totals = is_area = False
    needs_true_negatives = True

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Metric):
            return NotImplemented
        mine, theirs = (
            (one.name, one.formula or one.function, str(one.zero_division)) for one in (self, other)
        )
        return mine == theirs

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def is_registered(self) -> bool:
        """Whether the metric is known by its formula; otherwise, by a user's function."""
        return self.formula is not None

    def __call__(self, tables: ArrayLike, positive: int = 1) -> Array:
        """Return the metric value of each table; `positive` is the index of the positive class."""
        raise ValueError(
            f"{self.name!r} cannot be computed from confusion tables: it is a metric of "
            f"{self.source}."
        )

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The limits if both are finite; None otherwise."""
        return self.limits if np.isfinite(self.limits).all() else None

    @property
    def has_mean(self) -> bool:
        """Whether draws of it have a finite mean, unlike those of ratios without a bound."""
        return self.source != "tables" or self.bounds is not None or not self.is_registered

    @property
    def calls_per_draw(self) -> bool:
        """Whether a function of the user is called for each draw; of tables, it always is."""
        ways = ("weights", "batches" if self.source == "tables" else "resampling")
        return self.own is not None and self.own.how in ways

    def class_needed(self, positive: int | None) -> int | None:
        """Return the class whose true instances the metric needs; None if it is not a single one.

        `positive` is the positive class of two; None if there is none.
        """
        if self.class_index is not None or positive is None:
            return self.class_index
        return {"positive": positive, "negative": 1 - positive}.get(self.needs_classes)

    def classes_in_it(self, n_classes: int, positive: int | None) -> list[int] | None:
        """Return the classes whose true instances it rests on; None if on all instances alike."""
        needed = self.class_needed(positive)
        if needed is not None:
            return [needed]
        return list(range(n_classes)) if self.counts_alike == "classes" else None

    def over(self, classes: Array) -> Metric:
        """Return the metric with a macro average over some of the classes, given as a mask."""
        return self

    def of_totals(self, totals: Totals, positive: int = 1) -> Array:
        """Return the metric value for totals of shape (..., M)."""
        raise NotImplementedError

    def counts_classes(self, counts: Any) -> bool:
        """Return whether classes that do not occur in a confusion table change the value."""
        return False


@dataclass(frozen=True, eq=False, repr=False)
class ScoreMetric(Metric):
    """A metric of the scores of instances.

    Attributes
    ----------
    needs : {"ranking", "probability", "labels"}
        The scores that it requires: any that rank the instances, probabilities, or none.
    kinds : tuple of str
        The types of target for which it is defined; none for a user's function.
    is_area : bool
        Whether it is an area under a curve, not a mean, which is defined for any set of classes.
    """

    _: KW_ONLY
    needs: str = ""
    kinds: tuple[str, ...] = ()
    is_area: bool = True
    source: str = "instances"

    weighs_instances = True

    @property
    def ranks(self) -> bool:
        """Whether the metric depends on the order of the instances' scores alone."""
        return self.needs == "ranking" and bool(self.kinds)


@dataclass(frozen=True, eq=False, repr=False)
class NumberMetric(Metric):
    """A metric of predicted numbers, or of items of any kind such as images."""

    source: str = "numbers"

    weighs_instances = True


@dataclass(frozen=True, eq=False, repr=False)
class TableMetric(Metric):
    """A metric of confusion tables.

    Attributes
    ----------
    function : callable
        Computes the metric: of totals, the positive class and `zero_division`, or of tables.
    zero_division : float
        The value of a ratio with denominator 0: 0, 1 or NaN.
    needs_tables : bool
        Whether it requires the whole table, not only its totals.
    one_of_many : bool
        Whether it requires exactly one label per instance.
    ratio : CellRatio or None
        The metric as a ratio of cells of a table of two classes, from which models know its
        closed form; None if it is not one.
    class_index : int or None
        The class that it is about, if it is always the same one.
    class_ratio : str
        The name of the ratio of one class that the metric is or averages; "" if there is none.
    counts_alike : {"instances", "classes", ""}
        Whether each instance has the same weight, whatever its class is, or each class, however few
        its instances are, or neither.
    is_macro : bool
        Whether it is the plain average of `class_ratio` over classes.
    needs_true_negatives : bool
        Whether it requires all cells of the table, including the true negatives.
    """

    _: KW_ONLY
    zero_division: float = 0.0
    needs_tables: bool = False
    one_of_many: bool = False
    ratio: CellRatio | None = None
    class_index: int | None = None
    class_ratio: str = ""
    counts_alike: str = ""
    is_macro: bool = False
    needs_true_negatives: bool = True
    source: str = "tables"

    def __call__(self, tables: ArrayLike, positive: int = 1) -> Array:
        """Return the metric value of each table; `positive` is the index of the positive class."""
        tables = as_numbers(tables, "tables")
        if tables.ndim < 2 or tables.shape[-1] != tables.shape[-2]:
            raise ValueError(
                "tables must be a square confusion table, or several of shape (..., M, M), got "
                f"shape {tables.shape}."
            )
        if self.needs_tables:
            return np.asarray(self.function(tables))
        n_classes = tables.shape[-1]
        if self.needs_positive and self.one_of_many and n_classes != 2:
            raise ValueError(f"{self.name} requires exactly two classes, got {n_classes}.")
        return self.of_totals(totals_of(tables), positive)

    @property
    def is_of_totals(self) -> bool:  # type: ignore[override]
        """Whether the totals of the classes are sufficient for the metric."""
        return not self.needs_tables and self.available

    def over(self, classes: Array) -> TableMetric:
        """Return the metric with a macro average over some of the classes, given as a mask."""
        if not self.is_macro:
            return self
        return replace(self, function=partial(self.function, classes=classes))

    def counts_classes(self, counts: Any) -> bool:
        """Return whether classes that do not occur in a confusion table change the value."""
        function: Any = self.function
        # Large tables are built only where they are asked for.
        is_known = self.own is not None and self.available
        return is_known and function.counts_classes(counts.table)

    def needs_absent_classes(self, table: Array) -> bool:
        """Return whether a user's function of a table says nothing without the absent classes.

        That is so if it has no value, the same value whatever is predicted for the instances that
        there are, or another value as soon as a hair's breadth of an absent class is there, right
        or wrong.
        """
        sizes = table.sum(axis=1)
        right = np.diag(sizes)
        wrong = np.roll(right, 1, axis=1)
        mixed = [table, (2 * right + wrong) / 3, (right + 2 * wrong) / 3]
        with np.errstate(all="ignore"):
            values = self(np.stack(mixed))
            if np.isnan(values[0]) or np.allclose(values[1:], values[0], rtol=1e-9, atol=0):
                return True
            for absent in np.flatnonzero(sizes == 0):
                added = np.zeros((2, 2, *table.shape))
                for i, share in enumerate(TINY_SHARES):
                    added[i, 0, absent, absent] = share * sizes.sum()
                    added[i, 1, absent, absent - 1] = share * sizes.sum()
                more, less = np.ptp(self(table + added), axis=1)
                if less > max(more / 2, 1e-12 * np.abs(values[0])):
                    return True
        return False

    def of_totals(self, totals: Totals, positive: int = 1) -> Array:
        """Return the metric value for totals of shape (..., M)."""
        values = self.function(totals, positive, self.zero_division)
        # Rounding errors, such as 1.0000000000000002.
        return np.asarray(np.clip(values, *self.limits))
