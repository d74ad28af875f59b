"""What a metric is: how it is computed, and all that other modules may ask of it.

No other package tests a metric's name. A metric declares which true classes it needs, which cells
it is a ratio of, what counts alike in it, and its limits; models, evidence and results ask for
these. Declarations that contradict each other are an error here, and the tests of all metrics
compare them with what the function does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skbayeseval._arrays import Array, as_numbers, wrong

# Two very small shares of the instances: what is continuous changes less for the second one.
HAIR = (1e-6, 1e-10)


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


# Which true classes a metric needs.
NEEDS_CLASSES = ("any", "positive", "negative", "several")

# The limits of a share.
SHARE = (0.0, 1.0)


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


def ratio_of(numerator: Array, denominator: Array, zero_division: float) -> Array:
    """Return the ratio, and `zero_division` where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
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
    def needs_classes(self) -> str:
        """The class without which the ratio is 0, or 0 / 0: "positive", "negative" or "any"."""
        tp, fp, fn, tn = self.top
        of_positives, of_negatives = bool(tp or fn), bool(fp or tn)
        return "any" if of_positives == of_negatives else "positive" if of_positives else "negative"

    @property
    def needs_true_negatives(self) -> bool:
        """Whether true negatives are part of it."""
        return bool(self.top[3] or self.bottom[3])

    def of_cells(self, cells: tuple[Array, ...], zero_division: float) -> Array:
        """Return the ratio of cells (tp, fp, fn, tn); those without a weight may be anything."""
        top, bottom = (weighted_sum(weights, cells) for weights in self)
        return ratio_of(top, bottom, zero_division)


@dataclass(frozen=True, eq=False)
class Metric:
    """A metric: how it is computed, and all that is known about it.

    Create a metric with `get_metric`, `fbeta` or `from_confusion`.

    Attributes
    ----------
    name : str
        The name of the metric in results.
    function : callable
        The function that computes the metric. For metrics of instance scores or numbers, it
        prepares the metric on one test set as a function of the instance weights.
    formula : str or None
        The registered name of the metric; None for a user-supplied function.
    zero_division : float
        The value of a ratio with denominator 0: 0, 1 or NaN.
    needs_positive : bool
        Whether the metric requires a positive class.
    needs_true_negatives : bool
        Whether the metric requires all cells of the table, including the true negatives.
    needs_tables : bool
        Whether the metric requires the whole table, not only its totals.
    one_of_many : bool
        Whether the metric requires exactly one label per instance.
    available : bool
        False for a user-supplied function that could not be stored in a saved result.
    source : {"tables", "instances", "numbers", "splits", "items"}
        The data from which the metric is computed: confusion tables, instance scores, predicted
        numbers, split scores, or scores of items.
    ratio : CellRatio or None
        The metric as a ratio of cells of a table of two classes, from which models know its
        closed form; None if it is not one.
    class_index : int or None
        The class that the metric is about, if it is always the same one.
    class_ratio : str
        The name of the ratio of one class that the metric is or averages; "" if there is none.
    needs_classes : {"any", "positive", "negative", "several"}
        The true classes without which the metric is not defined: none, the positive class, the
        negative class, or two. Of a user's function, this is found out (`needs_absent_classes`).
    is_macro : bool
        Whether the metric is the plain average of a ratio over classes.
    counts_classes_alike : bool
        Whether each class has the same weight, however few its instances are.
    counts_instances_alike : bool
        Whether each instance has the same weight, whatever its class is.
    limits : (float, float) or None
        The smallest and the largest possible value, infinite if there is none; None if unknown.
    ranks : bool
        Whether the metric depends on the order of the instances' scores alone.
    other_names : tuple of str
        What the metric is called elsewhere, for hints.
    needs : {"ranking", "probability", ""}
        The scores that a metric of instance scores requires: any that rank the instances, or
        probabilities.
    kinds : tuple of str
        The types of target for which a metric of instance scores is defined.
    of_means : bool
        Whether a metric is a mean over instances, which is defined for any set of classes.
    words : str
        What the metric measures, for readers who do not know its name.
    caution : str
        What makes its interval less reliable than it looks.
    called : str
        What headings and figures of pages call it, if not by its name with spaces.
    named_class : object
        The positive class that a function of the user names itself; None if it names none.
    takes_counts : bool
        Whether instances are drawn anew with replacement, because they cannot be weighted.
    calls_per_draw : bool
        Whether a function of the user is called for each draw.
    is_sum : bool
        Whether it is the value per instance of a function that is a sum over instances.
    has_columns : bool
        Whether a function takes columns, so that it must be told which instances rows are.
    of_items : bool
        Whether instances are items of any kind, such as images.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> f1 = metrics.get_metric("f1")
    >>> f1([[5, 2], [1, 8]])
    array(0.84210526)
    """

    name: str
    function: Callable[..., Any]
    formula: str | None = None
    zero_division: float = 0.0
    needs_positive: bool = False
    needs_true_negatives: bool = True
    needs_tables: bool = False
    one_of_many: bool = False
    available: bool = True
    source: str = "tables"
    is_macro: bool = False
    limits: tuple[float, float] | None = None
    needs: str = field(default="", repr=False)
    kinds: tuple[str, ...] = field(default=(), repr=False)
    of_means: bool = field(default=False, repr=False)
    words: str = field(default="", repr=False)
    caution: str = field(default="", repr=False)
    ratio: CellRatio | None = field(default=None, repr=False)
    class_index: int | None = field(default=None, repr=False)
    class_ratio: str = field(default="", repr=False)
    needs_classes: str = field(default="any", repr=False)
    counts_classes_alike: bool = field(default=False, repr=False)
    counts_instances_alike: bool = field(default=False, repr=False)
    ranks: bool = field(default=False, repr=False)
    other_names: tuple[str, ...] = field(default=(), repr=False)
    called: str = field(default="", repr=False)
    named_class: Any = field(default=None, repr=False)
    takes_counts: bool = field(default=False, repr=False)
    calls_per_draw: bool = field(default=False, repr=False)
    is_sum: bool = field(default=False, repr=False)
    has_columns: bool = field(default=False, repr=False)
    of_items: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        """Raise if declarations contradict each other."""
        needs, of_one_class = self.needs_classes, self.class_index is not None
        contradictions = {
            f"needs_classes={needs!r}, must be one of {NEEDS_CLASSES}": needs not in NEEDS_CLASSES,
            f"needs_classes={needs!r}, but needs_positive=False": (
                needs in ("positive", "negative") and not self.needs_positive
            ),
            "class_index is that of one class, which does not depend on the positive one": (
                of_one_class and (self.needs_positive or needs != "any")
            ),
            "classes and instances cannot both count alike": (
                self.counts_classes_alike and self.counts_instances_alike
            ),
            "is_macro, but classes do not count alike": (
                self.is_macro and not self.counts_classes_alike
            ),
            "classes count alike, but needs_classes is not 'several'": (
                self.counts_classes_alike and needs != "several"
            ),
            "limits must be increasing": self.limits is not None and not np.less(*self.limits),
            "ratio and needs_classes do not agree": (
                self.ratio is not None and self.ratio.needs_classes != needs
            ),
            "ratio and needs_true_negatives do not agree": (
                self.ratio is not None
                and self.ratio.needs_true_negatives != self.needs_true_negatives
            ),
        }
        wrong = [words for words, is_wrong in contradictions.items() if is_wrong]
        if wrong:
            raise ValueError(f"Metric {self.name!r} contradicts itself: {'; '.join(wrong)}.")

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Metric) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        function = None if self.is_registered else self.function
        return self.name, self.formula, str(self.zero_division), function

    def __call__(self, tables: ArrayLike, positive: int = 1) -> Array:
        """Return the metric value of each table; `positive` is the index of the positive class."""
        if self.source != "tables":
            raise ValueError(
                f"{self.name!r} cannot be computed from confusion tables: it is a metric of "
                f"{self.source}."
            )
        tables = as_numbers(tables, "tables")
        if tables.ndim < 2 or tables.shape[-1] != tables.shape[-2]:
            raise ValueError(
                "tables must be a square confusion table, or several of shape (..., M, M), got "
                f"shape {tables.shape}."
            )
        if self.needs_tables:
            return np.asarray(self.function(tables))
        return self.of_totals(totals_of(tables), positive)

    @property
    def is_registered(self) -> bool:
        """Whether the metric is known by its formula; otherwise, by a user's function."""
        return self.formula is not None

    @property
    def weighs_instances(self) -> bool:
        """Whether the metric is a function of instance weights (the Bayesian bootstrap)."""
        return self.source in ("instances", "numbers")

    @property
    def is_of_totals(self) -> bool:
        """Whether the totals of the classes are sufficient for the metric."""
        return self.source == "tables" and not self.needs_tables and self.available

    @property
    def weighs_classes(self) -> bool:
        """Whether instances contribute unequally by true and predicted class, as in F1."""
        all_alike = self.of_means or self.counts_instances_alike
        return self.source == "tables" and not all_alike

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The smallest and the largest possible value; None if unbounded or unknown."""
        known = self.limits is not None and np.isfinite(self.limits).all()
        return self.limits if known else None

    @property
    def extent(self) -> tuple[float, float]:
        """The smallest and the largest possible value; infinite if unbounded or unknown."""
        return (-np.inf, np.inf) if self.limits is None else self.limits

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
        return list(range(n_classes)) if self.counts_classes_alike else None

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
                for i, share in enumerate(HAIR):
                    added[i, 0, absent, absent] = share * sizes.sum()
                    added[i, 1, absent, absent - 1] = share * sizes.sum()
                more, less = np.ptp(self(table + added), axis=1)
                if less > max(more / 2, 1e-12 * np.abs(values[0])):
                    return True
        return False

    def over(self, classes: Array) -> Metric:
        """Return the metric with a macro average over some of the classes, given as a mask."""
        if not self.is_macro:
            return self
        return replace(self, function=partial(self.function, classes=classes))

    def of_totals(self, totals: Totals, positive: int = 1) -> Array:
        """Return the metric value for totals of shape (..., M)."""
        values = self.function(totals, positive, self.zero_division)
        # Rounding errors, such as 1.0000000000000002.
        return np.asarray(np.clip(values, *self.extent))
