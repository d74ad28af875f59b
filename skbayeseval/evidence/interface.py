"""The interface of all kinds of evidence, so that callers need not check the kind.

To add a kind of evidence, write a subclass of `Evidence` in its own file, and add it to
`skbayeseval.evidence` and to the table of models that fit it.

Evidence keeps its rows small. `by` needs to know what each instance gave. References to the user's
arrays would change with them, so evidence keeps rows of its own: counts of pairs the position of
each row's outcome among the distinct ones (1 byte for two classes, so 1 MB for a million
instances), counts per unit the unit, chunks their cells. `of_rows` of evidence, validated rows and
weights gives the same object for a part of the rows, and `Posterior.of_rows` the posterior that a
comparison of these rows alone has. Which instance a row is stays beside it (`Posterior.instances`),
and is not stored in files.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self, cast

import numpy as np

from skbayeseval._arrays import Array, choices
from skbayeseval.judgement.frequentist import SignificanceTest
from skbayeseval.metrics.metric import Metric, Totals
from skbayeseval.splitting.out_of_fold import OutOfFold

# The names of the dimensions of an array of observed data, and the array.
ObservedArray = tuple[tuple[str, ...], Array]


@dataclass(frozen=True, eq=False)
class Evidence(ABC):
    """Base class of all evidence: the data that a model is given.

    Attributes
    ----------
    labels : tuple
        The classes or labels.
    pos_label : object
        The positive class of two classes; None if there is none.
    weight : float
        The weight of one count.
    n_classifiers : int
        The number of classifiers.
    """

    # Whether the predictions of all classifiers are known for each instance.
    is_paired: ClassVar[bool] = True
    # Whether there are counts of true and predicted instances of each class or label.
    has_class_counts: ClassVar[bool] = True
    # Whether the posterior is that of the difference only, not of each estimator.
    is_of_difference: ClassVar[bool] = False
    # Whether the evidence consists of split scores only.
    is_of_splits: ClassVar[bool] = False
    # Whether the evidence is one score per item and run.
    is_of_items: ClassVar[bool] = False
    # The evidence of each type of chunk; empty if there are none, or they are not kept.
    by_type: ClassVar[Any] = MappingProxyType({})
    # The number of groups that are weighted together; 0 if there are none. The number of rows of a
    # block, where groups are blocks of consecutive rows; else None.
    n_groups: ClassVar[Any] = 0
    block_length = cast(Any, None)
    # The number of rows that are kept, such as predicted instances; None if none are kept.
    n_rows: ClassVar[Any] = None
    # The number of the group of each row that is kept; None if there are no groups.
    group_of_rows: ClassVar[Any] = None
    # The mean scores with estimates in the place of those that are missing; None if there are none.
    completed: ClassVar[Any] = None
    # Whether the scores of a classifier depend on who else is compared.
    depends_on_others: ClassVar[Any] = False
    # In what classifiers may be identical, such as "predictions"; None if that is never known.
    identical_in: ClassVar[str | None] = None
    # What is counted, in words.
    noun: ClassVar[str] = "counts"
    # The fields with one entry per classifier, and those that are not saved.
    of_each: ClassVar[tuple[str, ...]] = ()
    unsaved: ClassVar[tuple[str, ...]] = ()

    @cached_property
    def n_classifiers(self) -> int:
        """The number of classifiers."""
        return len(getattr(self, self.of_each[0]))

    @property
    def positive(self) -> int | None:
        """The index of the positive class; None if there is none."""
        index: int | None = self.margins()[0].positive
        return index

    @property
    @abstractmethod
    def family(self) -> str:
        """The family of models that fit it, as named in `skbayeseval.models`.

        With "classes", each instance has one label and is independent of the others.
        """

    @abstractmethod
    def margin(self, classifier: int) -> Any:
        """Return the evidence of a single classifier."""

    def given(self, names: Sequence[str]) -> OutOfFold | None:
        """Return truth and predictions of each row, which is an instance; None if not kept."""
        return None

    def row_losses(self) -> Array | None:
        """Return the loss of each classifier in each row that is kept; None if that is not known.

        It depends on no metric: whether a row was wrong, or by how much.
        """
        return None

    @property
    def noun_of_groups(self) -> str:
        """What groups are called: "groups" or "blocks"."""
        return "groups" if self.block_length is None else "blocks"

    @property
    def groups_in_words(self) -> str:
        """The number of groups, or of blocks and their length, in words; "" if there are none."""
        if self.block_length is not None:
            return f" in {self.n_groups:,} blocks of {self.block_length:,} consecutive rows"
        return f" in {self.n_groups:,} groups" if self.n_groups else ""

    def of_rows(self, rows: Array) -> Self:
        """Return the evidence of some of the rows, given by their positions.

        Groups must be whole, and rows be kept.
        """
        raise NotImplementedError

    def margins(self) -> tuple[Any, ...]:
        """Return the evidence of each classifier on its own, which is found once."""
        if "margins of all" not in self.__dict__:
            found = tuple([self.margin(k) for k in range(self.n_classifiers)])
            self.__dict__["margins of all"] = found
        return cast(tuple[Any, ...], self.__dict__["margins of all"])

    def pair(self, i: int, j: int) -> Self:
        """Return the evidence of two of the classifiers."""
        return replace(self, **{name: _two_of(getattr(self, name), i, j) for name in self.of_each})

    def with_weight(self, weight: float) -> Self:
        """Return the same evidence with another weight of one count."""
        if not hasattr(self, "weight"):
            raise ValueError(f"weight= does not apply to {self.describe()}.")
        changed: Any = {"weight": weight}
        return replace(self, **changed)

    def describe(self) -> str:
        """Return a short description of the evidence, such as "400 counts"."""
        margins = self.margins()
        sizes = dict.fromkeys(counts.total for counts in margins)
        number = " and ".join(f"{size:,.0f}" for size in sizes)
        weight = margins[0].weight
        worth = "" if weight == 1 else f", each with weight {weight:.4g}"
        return f"{number} {self.noun}{self.groups_in_words}{worth}"

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the observed metric value of each classifier."""
        values = []
        for counts in self.margins():
            own = metric.over(counts.averaged)
            totals = Totals(counts.hits, counts.true, counts.predicted)
            positive = 1 if counts.positive is None else counts.positive
            value = own(counts.table) if own.needs_tables else own.of_totals(totals, positive)
            values.append(float(value))
        return tuple(values)

    def check_metric(self, metric: Metric) -> None:
        """Raise if the metric cannot be computed from the evidence."""
        counts = self.margins()[0]
        labels = counts.labels
        if not counts.has_table and (metric.one_of_many or metric.needs_tables):
            raise ValueError(
                f"scoring={metric.name!r} requires one label per instance, but y is a multi-label "
                "indicator. Use the micro, macro or weighted average of precision, recall, F1 or "
                "Jaccard, metrics.per_class, or metrics.weighted of a function of indicators."
            )
        for margin in self.margins():
            absent = [labels[i] for i in np.flatnonzero(~margin.averaged)]
            if absent and metric.counts_classes(margin):
                raise ValueError(
                    f"scoring={metric.name!r} depends on which classes there are, but {absent} are "
                    "never true and predicted by some classifiers only. Pass labels= with all "
                    "classes that count, or a metric that is known by its name, such as 'f1_macro'."
                )
        if metric.needs_positive and (len(labels) > 2 or not counts.has_table):
            kind = "multiclass" if counts.has_table else "multilabel-indicator"
            ratio = metric.class_ratio or "f1"
            raise ValueError(
                f"Target is {kind} but scoring={metric.name!r} is a binary metric. Please choose "
                f"another one, such as '{ratio}_micro', '{ratio}_macro', '{ratio}_weighted' or "
                f"metrics.per_class('{ratio}')."
            )
        if metric.needs_positive:
            check_positive(metric, labels, counts.positive)
        if metric.needs_true_negatives and not counts.has_true_negatives:
            raise ValueError(
                f"scoring={metric.name!r} requires true negatives, but only (tp, fp, fn) were "
                "given. Pass (tp, fp, fn, tn), or use a metric such as 'f1', 'precision', 'recall' "
                "or 'jaccard'."
            )

    def are_copies(self, i: int, j: int, metric: str) -> bool:
        """Return whether two classifiers are known to be identical in this."""
        return False

    def first_copies(self, metric: str) -> list[int]:
        """Return for each classifier the first one that it is a copy of, which may be itself."""
        first: list[int] = []
        for k in range(self.n_classifiers):
            earlier = (i for i in dict.fromkeys(first) if self.are_copies(i, k, metric))
            first.append(next(earlier, k))
        return first

    def remarks(self, names: Sequence[str] = ()) -> list[tuple[str, str]]:
        """Return what else to print about the evidence, as pairs of a keyword and a text.

        `names` are those of the classifiers.
        """
        return []

    def observed_data(self) -> dict[str, ObservedArray]:
        """Return the observed data for ArviZ, by name: mostly tables, or totals per label."""
        arrays: dict[str, ObservedArray] = {}
        for k, counts in enumerate(self.margins() if self.has_class_counts else ()):
            if counts.has_table:
                table = np.asarray(counts.table)
                arrays[f"confusion_{letter(k)}"] = ("true", "predicted"), table
            else:
                totals = np.stack([counts.hits, counts.true, counts.predicted], axis=1)
                arrays[f"counts_{letter(k)}"] = ("target", "count"), totals
        return arrays

    def split_tests(self, metric: str) -> list[tuple[str, str, str, SignificanceTest]]:
        """Return classical tests of the split scores in the evidence: name, level, note, test."""
        return []

    def correctness(self) -> tuple[str, Array] | None:
        """Return whether each classifier was right, per instance or gold chunk; None if unknown.

        The array is 1 where it was right, else 0. The name is that of the metric which is the mean.
        """
        return None


def letter(classifier: int) -> str:
    """Return the letter of a classifier in the names of variables: A, B, ..., A1, B1, ..."""
    name = chr(ord("A") + classifier % 26)
    return name if classifier < 26 else f"{name}{classifier // 26}"


def variable_names(metrics: Iterable[str]) -> dict[str, str]:
    """Return each metric's name without slashes, by which netCDF separates groups.

    Examples
    --------
    >>> from skbayeseval.evidence.interface import variable_names
    >>> variable_names(["f1/macro", "f1_macro", "f1"])
    {'f1_macro': 'f1_macro', 'f1': 'f1', 'f1/macro': 'f1_macro_'}
    """
    found: dict[str, str] = {}
    for name in sorted(metrics, key=lambda one: "/" in one):
        variable = name.replace("/", "_")
        while variable in found.values():
            variable += "_"
        found[name] = variable
    return found


def check_positive(metric: Metric, labels: tuple[Any, ...], positive: int | None) -> None:
    """Raise if there is no positive class, which a binary metric requires."""
    if positive is None:
        raise ValueError(
            f"pos_label=1 is not a valid label. It should be one of {choices(1, labels)}. "
            f"scoring={metric.name!r} requires a positive class: pass pos_label=."
        )


def still_declared(counts: Any) -> bool:
    """Return whether labels are known to be classes of a part of the data, too.

    Labels that all occur may simply be those of the data. One of them that does not occur in a part
    is then not part of its macro averages, as in scikit-learn.
    """
    return bool(counts.declared and not (counts.true > 0).all())


def _two_of(values: Any, i: int, j: int) -> Any:
    """Return the entries of two classifiers in a tuple, an array, or arrays by name."""
    if isinstance(values, Mapping):
        return {name: array[[i, j]] for name, array in values.items()}
    if isinstance(values, np.ndarray):
        return values[[i, j]]
    return (values[i], values[j]) if values else values
