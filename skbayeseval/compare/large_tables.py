"""From a table that need not fit into memory to a result: `count_table` and `compare_table`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from skbayeseval._arrays import choices, in_short, wrong
from skbayeseval._labels import encode_labels
from skbayeseval._tables import WHOLE, open_table, quoted
from skbayeseval._validation import check_names
from skbayeseval.compare.given_predictions import check_spelling
from skbayeseval.evidence.joint_counts import PairedCounts, tally
from skbayeseval.evidence.one_classifier import check_counts
from skbayeseval.evidence.units import UnitCounts, count_codes
from skbayeseval.metrics.scoring import is_of_numbers, resolve_scoring
from skbayeseval.models.pymc import PyMCEngine
from skbayeseval.posterior.build import check_true_classes, make_posterior
from skbayeseval.results.comparison import ComparisonResult

FLOATS = ("FLOAT", "DOUBLE")
TYPES = ("VARCHAR", "ENUM", "BOOLEAN", *FLOATS, *WHOLE)


@dataclass(frozen=True)
class TableCounts:
    """How often each combination of true label and predictions occurs in a table.

    Made by `count_table`. Counts of parts of a table add up with ``+``, and travel as JSON by
    `to_dict` and `from_dict`.

    Attributes
    ----------
    columns : dict of str to str
        The columns that were counted, by what they are: "truth", "a", "b" and perhaps "groups".
    outcomes : Counter
        How often each combination of values of these columns occurs.

    Examples
    --------
    >>> from skbayeseval import TableCounts
    >>> columns = {"truth": "y", "a": "nb", "b": "svm"}
    >>> one = TableCounts.from_dict(
    ...     {"columns": columns, "outcomes": [["no", "no", "yes"]], "counts": [7]}
    ... )
    >>> (one + one).to_dict()["counts"]
    [14]
    """

    columns: Mapping[str, str]
    outcomes: Counter[tuple[Any, ...]]

    @property
    def total(self) -> int:
        """The number of rows."""
        return self.outcomes.total()

    def __add__(self, other: TableCounts) -> TableCounts:
        if not isinstance(other, TableCounts):
            return NotImplemented
        if self.columns != other.columns:
            raise ValueError(
                f"Counts of different columns cannot be added: {dict(self.columns)} and "
                f"{dict(other.columns)}."
            )
        return replace(self, outcomes=self.outcomes + other.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as JSON has them."""
        return {
            "columns": dict(self.columns),
            "outcomes": [list(outcome) for outcome in self.outcomes],
            "counts": list(self.outcomes.values()),
        }

    @classmethod
    def from_dict(cls, counts: Mapping[str, Any]) -> TableCounts:
        """Return the counts from the output of `to_dict`."""
        columns = dict(counts["columns"])
        outcomes = [tuple(outcome) for outcome in counts["outcomes"]]
        if list(columns) not in (["truth", "a", "b"], ["truth", "a", "b", "groups"]):
            raise ValueError(f"columns must be truth, a, b and perhaps groups, got {columns}.")
        numbers = check_counts(counts["counts"], "counts").astype(int).tolist()
        if len(numbers) != len(outcomes) or {len(outcome) for outcome in outcomes} - {len(columns)}:
            raise ValueError("counts and outcomes do not fit each other.")
        total: Counter[tuple[Any, ...]] = Counter()
        for outcome, number in zip(outcomes, numbers, strict=True):
            total[outcome] += number
        return cls(columns, +total)


def count_table(
    source: Any, *, truth: str, a: str, b: str, groups: str | None = None
) -> TableCounts:
    """Count the rows of a table by true label and predictions, for `compare_table`.

    DuckDB groups and counts the rows of files, out of core; only the counts come into memory. Parts
    of a table can be counted on different machines.

    Parameters
    ----------
    source, truth, a, b, groups
        As in `compare_table`.

    Returns
    -------
    counts : TableCounts

    Examples
    --------
    >>> import json
    >>> import duckdb
    >>> from skbayeseval import TableCounts, compare_table, count_table
    >>> parts = [
    ...     duckdb.sql(f"SELECT i % 2 AS y, i % 3 % 2 AS x, i % 5 % 2 AS z FROM range({n}) t(i)")
    ...     for n in (1000, 2000)
    ... ]
    >>> lines = [json.dumps(count_table(one, truth="y", a="x", b="z").to_dict()) for one in parts]
    >>> one, other = (TableCounts.from_dict(json.loads(line)) for line in lines)
    >>> compare_table(one + other, scoring="f1", random_state=0).names
    ('x', 'z')
    """
    columns = {"truth": truth, "a": a, "b": b}
    if groups is not None:
        columns["groups"] = groups
    for what, column in columns.items():
        if not isinstance(column, Hashable):
            raise wrong(what, "the name of a column of source", column, TypeError)
    if isinstance(source, (pd.DataFrame, Mapping)):
        source = [source]
    # Relations of DuckDB are iterable in some versions, but are not Iterators.
    if isinstance(source, (list, tuple, Iterator)):
        if groups is not None:
            raise ValueError(
                f"groups={in_short(groups)} requires a table that DuckDB reads, such as "
                "duckdb.from_df(frame)."
            )
        return TableCounts(columns, tally(_named_columns(source, columns)))
    with open_table(source, columns.values()) as relation:
        _check_columns(relation, columns)
        names = [quoted(column) for column in columns.values()]
        rows = relation.aggregate(", ".join([*names, "count(*)"]), ", ".join(names)).fetchall()
    _check_rows(rows, columns)
    return TableCounts(columns, Counter({tuple(outcome): n for *outcome, n in rows}))


def compare_table(
    source: Any,
    *,
    truth: str | None = None,
    a: str | None = None,
    b: str | None = None,
    scoring: Any = None,
    model: Any = "auto",
    weight: float = 1.0,
    names: tuple[str, str] | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    groups: str | None = None,
    prevalence: Any = None,
    engine: str | PyMCEngine = "exact",
    prior: dict[str, Any] | Callable[..., Any] | None = None,
    n_draws: int | None = None,
    random_state: Any = None,
) -> ComparisonResult:
    """Compare two classifiers from a table of predictions that need not fit into memory.

    DuckDB (``pip install skbayeseval[duckdb]``) counts the rows of files and relations, and the
    result is that of `compare_predictions` on the columns.

    Parameters
    ----------
    source : str, path-like, DuckDB relation, data frame, iterable of these or TableCounts
        - The path of a Parquet or CSV file, or of another one that DuckDB reads, or a pattern such
          as ``"part-*.parquet"``. Labels in CSV files are text.
        - A relation, such as ``duckdb.sql("SELECT ... FROM ...")``.
        - A data frame or a dict of columns; or an iterable of such parts of the table, such as
          ``pandas.read_csv(path, dtype=str, chunksize=100_000)``. One part is held at a time.
        - What `count_table` counted.
    truth : str
        The column of the true labels: text, whole numbers or booleans. Not for `TableCounts`.
    a, b : str
        The columns of the predictions of A and B. Not for `TableCounts`.
    names : (str, str), default=None
        The names of the two classifiers. By default those of the columns.
    groups : str, default=None
        The column of what instances belong to, such as documents: groups are then the unit of the
        evidence. There is one count per group and outcome. Not for `TableCounts`, which were
        counted with it or not.
    scoring, model, weight, labels, pos_label, prevalence, engine, prior, n_draws, random_state
        As in `compare_predictions`. Metrics of numbers and of instance scores are not for counts.

    Returns
    -------
    result : ComparisonResult

    Examples
    --------
    >>> import duckdb
    >>> from skbayeseval import compare_table
    >>> table = duckdb.sql(
    ...     "SELECT i % 2 AS y, (i % 2 + (i % 9 = 0)::INT) % 2 AS nb, (i % 3 > 0)::INT AS svm "
    ...     "FROM range(3000) t(i)"
    ... )
    >>> result = compare_table(table, truth="y", a="nb", b="svm", scoring="f1", random_state=0)
    >>> result.decision(rope=0.01).symbol
    '≫'
    """
    if is_of_numbers(scoring):
        raise ValueError(
            f"scoring={scoring!r} is a metric of numbers, but compare_table counts classes. Pass "
            "the columns to compare_predictions."
        )
    columns: dict[str, Any] = {"truth": truth, "a": a, "b": b, "groups": groups}
    counts = source if isinstance(source, TableCounts) else count_table(source, **columns)
    for name, column in columns.items():
        if counts is source and column is not None:
            raise ValueError(
                f"{name}={in_short(column)} was given, but source is what count_table counted, "
                f"which has its columns. Omit {name}=."
            )
    evidence = _evidence(counts, labels, pos_label, weight)
    metrics = resolve_scoring(scoring, evidence.labels, pos_label=pos_label)
    for name, metric in metrics.items():
        if metric.source == "instances":
            raise ValueError(
                f"scoring={name!r} is computed from instance scores, but compare_table counts "
                "classes. Pass the columns to compare_predictions, with y_score_a= and y_score_b=."
            )
    if names is None:
        names = counts.columns["a"], counts.columns["b"]
        names = names if names[0] != names[1] else ("A", "B")
    options = (model, engine, prior, n_draws, random_state, prevalence)
    posterior = make_posterior(evidence, *options, metrics=metrics.values(), stacklevel=3)
    return ComparisonResult(posterior, check_names(names, 2), metrics)


def _named_columns(
    parts: Iterable[Any], columns: Mapping[str, str]
) -> Iterator[list[tuple[str, ArrayLike]]]:
    """Yield the columns of each part under the names that errors use."""
    for number, part in enumerate(parts):
        if not isinstance(part, (pd.DataFrame, Mapping)):
            raise TypeError(
                "source must consist of data frames or dicts of columns, got "
                f"{in_short(part)} as part {number}."
            )
        _check_names(columns, part)
        yield [(f"{what}={column!r}", part[column]) for what, column in columns.items()]


def _check_names(columns: Mapping[str, Any], known: Iterable[Any]) -> None:
    """Raise unless the columns are there."""
    for what, column in columns.items():
        if column not in list(known):
            raise ValueError(
                f"{what}={in_short(column)} is not a column of source, which has "
                f"{choices(column, known)}."
            )


def _evidence(
    counts: TableCounts, labels: Any, pos_label: Any, weight: float
) -> PairedCounts | UnitCounts:
    """Return the counts as `compare_predictions` would make them of the columns."""
    if not counts.outcomes:
        raise ValueError("Found array with 0 sample(s): source has no rows.")
    values = map(list, zip(*counts.outcomes, strict=True))
    arguments = [f"{what}={column!r}" for what, column in counts.columns.items()]
    named = list(zip(arguments, values, strict=True))
    classes, (true, *predicted) = encode_labels(named[:3], labels)
    check_true_classes([classes[i] for i in np.unique(true)], arguments[0])
    evidence: PairedCounts | UnitCounts = count_codes(
        true,
        np.column_stack(predicted),
        classes,
        groups=named[3][1] if "groups" in counts.columns else None,
        pos_label=pos_label,
        weight=weight,
        declared=labels is not None,
        counts=np.array(list(counts.outcomes.values()), dtype=float),
    )
    check_spelling(evidence, arguments[1:3], arguments[0])
    return evidence


def _check_columns(relation: Any, columns: Mapping[str, str]) -> None:
    """Raise unless the columns are there and may contain labels."""
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    _check_names(columns, types)
    for what, column in columns.items():
        # The members of an enumeration follow in brackets; lists end in [].
        if types[column].partition("(")[0] not in TYPES or types[column].endswith("]"):
            raise ValueError(
                f"{what}={column!r} has the type {types[column]}, but labels are text, whole "
                f"numbers or booleans. Pass a query that converts it, such as "
                f"duckdb.sql('SELECT {column}::VARCHAR AS {column}, ...')."
            )
        if types[column] in FLOATS:
            name = quoted(column)
            other = relation.filter(f"{name} <> floor({name})").project(name).limit(1).fetchall()
            if other:
                raise ValueError(
                    f"{what}={column!r} contains numbers such as {other[0][0]!r}, but "
                    "compare_table counts classes. Compare predictions of numbers, and instance "
                    "scores, by compare_predictions."
                )


def _check_rows(rows: list[tuple[Any, ...]], columns: Mapping[str, str]) -> None:
    """Raise if there are missing values."""
    total = sum(row[-1] for row in rows)
    for i, (what, column) in enumerate(columns.items()):
        missing = sum(row[-1] for row in rows if row[i] is None or row[i] != row[i])
        if missing:
            raise ValueError(
                f"{what}={column!r} is NULL or NaN in {missing:,} of {total:,} rows, but every "
                "instance must have a label. Pass a query that leaves these rows out, such as "
                "duckdb.sql('SELECT ... WHERE ... IS NOT NULL')."
            )
