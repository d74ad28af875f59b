"""Any function of true and predicted values as a metric.

Functions that take `sample_weight` are evaluated under random weights of the instances (the
Bayesian bootstrap, Rubin 1981), others on instances that are drawn anew with replacement (Efron
1979). Both need nothing of the function but its values. A mean over instances of a function of
true and predicted class is a sum over cells of the table, so that `from_instances` of classes has
proper models, Bayes factors and inferred weights like any metric of counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from skbayeseval._arrays import Array, as_numbers, in_short, wrong
from skbayeseval._running import has_bar, progress_if_long, seconds_of
from skbayeseval._validation import check_flag
from skbayeseval.metrics.instance_scores import (
    InSums,
    Prepared,
    Sums,
    check_probabilities,
    mean_of,
    prepare,
)
from skbayeseval.metrics.metric import (
    UNLIMITED,
    Metric,
    NumberMetric,
    ScoreMetric,
    TableMetric,
    call_function,
    check_function,
)
from skbayeseval.metrics.scorers import RESPONSES, Made, WithColumns, name_of, taken

# How a function is evaluated.
HOW = ("weights", "batches", "resampling")

# How often random halves of the instances are given a double weight, to see whether it matters.
N_TRIALS = 8

# For more cells of a table, it is not tried whether a function is a mean of what each gives.
MOST_CELLS = 2500

# The step of numerical derivatives with respect to the weight of an instance.
STEP = 1e-3


@dataclass(frozen=True)
class AnyMetric:
    """A function of true and predicted values, made by `weighted`, `resampled` and their like.

    Attributes
    ----------
    function : callable
        The function.
    name : str
        The name in results.
    response : {"predict", "predict_proba", "decision_function"}
        What the function is given beside the truth.
    how : {"weights", "batches", "resampling", "means", "mean"}
        How the function is evaluated: for one vector of weights, for many, without weights, or
        once, if it gives a value for each instance, of which the metric is the mean; or for each
        instance alone, if the metric is the mean of these.
    bounds : (float, float) or None
        The smallest and the largest possible value of the metric, which is minus the function with
        ``greater_is_better=False``: (-inf, 0) for a loss of at least 0.
    greater_is_better : bool
        If False, the metric is the negative value of the function.
    of_items : bool
        Whether instances are items of any kind, such as images.
    of_positions : bool
        Whether the truth is given as positions of classes; of two, 1 for the positive class.
    words, caution : str
        What the metric measures, and what makes its interval less reliable than it looks.
    is_sure : bool
        Whether it is known that greater is better; if not, it is checked.
    of_draws : callable or None
        The function under random weights, if it is another one because noise makes it larger: of
        what the function takes, and of `plain`, the weights of what was observed.
    columns : WithColumns or None
        Columns of all instances that the function takes beside the true values.
    is_sum : bool
        Whether the function is a sum over instances. The metric is its value per instance, whose
        unit does not change with the size of test sets.
    twin : Metric or None
        The metric of our own that equals the function, and is computed instead of it.
    known : dict
        What the function gives for single instances, by their position, truth and prediction.

    Examples
    --------
    >>> from sklearn.metrics import zero_one_loss
    >>> from skbayeseval import metrics
    >>> metrics.weighted(zero_one_loss, greater_is_better=False).name
    'neg_zero_one_loss'
    """

    function: Callable[..., Any]
    name: str
    response: str = "predict"
    how: str = "weights"
    bounds: tuple[float, float] | None = None
    greater_is_better: bool = True
    of_items: bool = False
    of_positions: bool = False
    words: str = ""
    caution: str = ""
    is_sure: bool = True
    of_draws: Callable[..., Any] | None = None
    columns: WithColumns | None = None
    is_sum: bool = False
    twin: Metric | None = None
    known: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def of(self, labels: Sequence[Any], several: bool = False) -> Metric:
        """Return the metric for classes with these labels, or for numbers or items without any.

        With `several`, instances may have several labels: they are multi-label indicators.
        """
        if not (self.of_items or labels or self.response == "predict"):
            raise ValueError(
                f"scoring={self.name!r} requires classes and their scores, but y_true, or what is "
                "predicted, are numbers."
            )
        named = None
        if not (several or self.of_items):
            is_scorer = isinstance(self.function, Made)
            named = self._made.own_class(labels) if is_scorer else self._made.named_class(labels)
        limits = self.bounds or (UNLIMITED if self.twin is None else self.twin.limits)
        common: dict[str, Any] = {"limits": limits, "words": self.words, "own": self}
        if self.of_items or not labels:
            return NumberMetric(self.name, self.prepared, **common)
        common["named_class"] = named
        by_table = self.columns is None and self.how in ("weights", "batches", "means")
        if self.response == "predict" and by_table and not several:
            classes = np.asarray(labels)
            cells = np.repeat(classes, len(classes)), np.tile(classes, len(classes))
            self.prepared(*cells, perfect=cells[0])  # checks the function
            function = _OfTables(self, *cells)
            counted: dict[str, Any] = {"needs_tables": True, "counts_alike": "instances"}
            return TableMetric(self.name, function, **counted, **common)
        twin = self.twin
        common |= {"needs": RESPONSES[self.response], "is_area": twin is not None and twin.is_area}
        common["needs_positive"] = twin is not None and twin.needs_positive
        return ScoreMetric(self.name, self.of_classes, **common)

    @property
    def _made(self) -> Made:
        """The function as `make_scorer` would have been given it."""
        function = self.function
        return function if isinstance(function, Made) else Made(function, response=self.response)

    def of_classes(
        self, classes: Array, positive: int, codes: Array, response: Array, **rows: Any
    ) -> Prepared:
        """Return the metric of classes, given by their positions, as a function of the weights.

        `rows` are the weights of the rows and their instances, as in `prepared`.
        """
        if self.twin is not None:
            return self._of_twin(len(classes), positive, codes, response, **rows)
        if self.of_positions and codes.ndim == 2:
            raise ValueError(
                f"scoring={self.name!r} requires one label per instance, but y is a multi-label "
                "indicator."
            )
        if codes.ndim == 2:
            return self.prepared(codes, response, perfect=codes, **rows)
        if self.of_positions:
            if self.response == "predict_proba":
                check_probabilities(response)
            is_class = (codes == positive).astype(int) if len(classes) == 2 else codes
            return self.prepared(is_class, response, **rows)
        # scikit-learn's functions and scorers take columns of scores in the order of labels.
        order = np.argsort(classes)
        place = np.argsort(order)
        classes, codes, positive = classes[order], place[codes], int(place[positive])
        y_true = classes[codes]
        if self.response == "predict":
            return self.prepared(y_true, classes[place[response]], perfect=y_true, **rows)
        y_pred, named = response[:, order] if response.ndim == 2 else response, None
        if len(classes) == 2:
            named = self._made.named_class(classes.tolist())
            if named is None and isinstance(self.function, Made):
                named = classes[1]
            if named is not None and named != classes[positive]:
                y_pred = -response if self.response == "decision_function" else 1 - response
                positive = 1 - positive
        perfect = np.eye(len(classes))[codes]
        if self.response == "decision_function":  # as sure as the surest of these scores
            perfect = (2 * perfect - 1) * np.abs(response).max()
        perfect = perfect[:, positive] if y_pred.ndim == 1 else perfect
        of_first = y_pred.ndim == 1 and positive == 0 and named is None
        return self.prepared(y_true, y_pred, perfect=perfect, of_first=of_first, **rows)

    def _of_twin(
        self,
        m: int,
        positive: int,
        codes: Array,
        response: Array,
        weight: Array | None = None,
        instances: Array | None = None,
    ) -> Prepared:
        """Return the metric of our own that equals the function, of instances with weights."""
        weight = self._own_weight(len(codes), weight, instances)
        assert self.twin is not None
        if isinstance(self.twin, ScoreMetric):
            truth = (codes == positive).astype(int) if m == 2 else codes
            return prepare(self.twin, truth, response, weight)
        cells = codes * m + response, np.arange(len(codes))
        adder = sparse.csr_array((weight, cells), (m * m, len(codes)))
        averaged: Any = self.twin.over(np.isin(np.arange(m), [codes, response]))
        return _OfWeightedTable(averaged, positive, adder, (m, m))

    def call(self, y_true: Any, y_pred: Any, **columns: Any) -> Any:
        """Return what the function gives; columns are beside the truth, or given by name."""
        if isinstance(y_true, WithColumns):
            y_true, columns = y_true.values, {**y_true.columns, **columns}
        return call_function(self.name, self.function, y_true, y_pred, **columns)

    def values(self, y_true: Any, y_pred: Any, weights: Array) -> Array:
        """Return the metric for weights, or counts of instances, of shape (n, n_draws)."""
        call = self.call
        if self.how == "batches":
            results = call(y_true, y_pred, sample_weight=weights.T)
        elif self.how == "weights":
            # Copies, which a function may change without changing those of the next classifier.
            results = [call(y_true, y_pred, sample_weight=w.copy()) for w in weights.T]
        else:
            rows = (np.repeat(np.arange(len(w)), w.astype(int)) for w in weights.T)
            # A test set of which nothing was drawn has no weight, whatever its value.
            results = [call(taken(y_true, r), taken(y_pred, r)) if len(r) else 0.0 for r in rows]
        values = self._as_numbers(results, weights.shape[1])
        values = values / np.maximum(weights.sum(axis=0), 1) if self.is_sum else values
        undefined = ~np.isfinite(values)
        if undefined.any():
            self._refuse(y_true, weights, undefined)
        values = values if self.greater_is_better else -values
        low, high = self.bounds or (-np.inf, np.inf)
        outside = values[(values < low - 1e-9) | (values > high + 1e-9)]
        if len(outside):
            raise ValueError(
                f"Metric {self.name!r} has the value {outside[0]:.4g}, outside of its bounds "
                f"{low:g} and {high:g}. With greater_is_better=False, bounds are those of minus "
                "the loss."
            )
        return values

    def _as_numbers(self, results: Any, n: int) -> Array:
        try:
            values = np.asarray(results, dtype=float)
        except (TypeError, ValueError):
            values = np.empty(0)
        if values.shape != (n,):
            example = results[0] if isinstance(results, list) else results
            one = "an array with one number per row of sample_weight"
            raise ValueError(
                f"The function of metric {self.name!r} must return "
                f"{one if self.how == 'batches' else 'a number'}, got {in_short(example)}."
            )
        return values

    def _refuse(self, y_true: Any, weights: Array, undefined: Array) -> None:
        """Raise, because the metric is not defined for some of the weights."""
        n, wrong = len(undefined), int(undefined.sum())
        where = f"{wrong:,} of the first {n:,} draws" if n > 1 else "these predictions"
        known = isinstance(y_true, np.ndarray) and y_true.ndim == 1 and not self.of_items
        n_rows = len(weights)
        classes, times = np.unique(y_true if known else [], return_counts=True)
        scarce = [
            f"class {label}, of which there are few instances ({number})"
            for label, number in zip(classes, times, strict=True)
            if len(classes) < n_rows / 2
            and not weights[y_true == label][:, undefined].any(axis=0).all()
        ]
        cause = f" The cause may be {'; '.join(scarce[:3])}." if scarce else ""
        cure = "It must be defined for all positive weights, also where few instances have most."
        if self.how == "resampling":
            cure = (
                "It must be defined for all instances that may be drawn. Return a number where a "
                "class is missing, use metrics.weighted if it takes weights, or leave out classes "
                "with few instances."
            )
        raise ValueError(
            f"The function of metric {self.name!r} returned NaN or infinity for {where}.{cause} "
            f"{cure}"
        )

    def prepared(
        self,
        y_true: Any,
        y_pred: Any,
        weight: Array | None = None,
        *,
        perfect: Any = None,
        of_first: bool = False,
        instances: Array | None = None,
    ) -> Prepared:
        """Return the metric as a function of the instance weights, after checks of it.

        `perfect` is what should have been predicted; by default, the truth. With `of_first`, scores
        are those of the first class of two. `instances` are the rows of the columns that belong to
        the true values.
        """
        perfect = y_true if perfect is None else perfect
        weight = self._own_weight(len(y_true), weight, instances)
        if self.twin is not None:
            return self.twin.function(y_true, y_pred, weight)
        if self.columns is not None:
            y_true = replace(self.columns[instances].without("sample_weight"), values=y_true)
        if self.how == "means":
            return mean_of(self.of_each(y_true, y_pred), weight)
        if self.how not in ("weights", "batches") and (weight != 1).any():
            raise ValueError(
                f"sample_weight= does not apply to metric {self.name!r}, whose function takes no "
                "weights. Omit it, or use metrics.weighted."
            )
        prepared = _Called(self, y_true, y_pred, weight)
        self._check(prepared, len(y_true))
        if (of_first or not self.is_sure) and not self.of_items:
            self._check_direction(prepared, perfect, of_first)
        return prepared

    def _own_weight(self, n: int, weight: Array | None, instances: Array | None) -> Array:
        """Return the sample weights of n rows, times those of the column of this name."""
        weight = np.ones(n) if weight is None else weight
        own = None if self.columns is None else self.columns.columns.get("sample_weight")
        return weight if own is None else weight * own[instances]

    def of_each(self, y_true: Any, y_pred: Any) -> Array:
        """Return what the function gives for each instance; raise unless that is its own value."""
        values = self._numbers_of_each(y_true, y_pred)
        if self.of_positions:  # a function of our own
            return values
        some = np.arange((len(values) + 1) // 2)
        again = self._numbers_of_each(taken(y_true, some), taken(y_pred, some))
        rounding = 1e-9 * np.abs(values).max()
        if not np.allclose(again, values[: len(some)], rtol=1e-6, atol=rounding):
            raise ValueError(
                f"The function of metric {self.name!r} gives instances other values when it is "
                "called with fewer instances. The value of an instance must depend on its own "
                "y_true and y_pred alone."
            )
        return values

    def _numbers_of_each(self, y_true: Any, y_pred: Any) -> Array:
        def numbers(*given: Any, **columns: Any) -> Array:
            return np.asarray(self.function(*given, **columns), dtype=float)

        n, values = len(y_true), replace(self, function=numbers).call(y_true, y_pred)
        if values.shape != (n,):
            raise ValueError(
                f"The function of metric {self.name!r} must return one number per instance, an "
                f"array of shape ({n},), got shape {values.shape}. If it accepts only one "
                "instance, wrap it in np.vectorize."
            )
        if not np.isfinite(values).all():
            where = int(np.flatnonzero(~np.isfinite(values))[0])
            raise ValueError(
                f"The function of metric {self.name!r} must return finite numbers, got "
                f"{values[where]} for y_true={y_true[where]!r} and y_pred={y_pred[where]!r}."
            )
        return values

    def parts(self, y_true: Any, y_pred: Any, weight: Array | None = None) -> Array | None:
        """Return values of each instance of which the metric is the mean; None if there are none.

        The function is called for each instance alone. What an instance gives is computed once for
        each prediction, whoever makes it. That the metric is the weighted mean of these values is
        tried on random weights, and on such that single out instances.
        """
        n, takes_weights = len(y_true), self.how == "weights"
        tried, one = np.ones((n, 1)), {}
        if takes_weights:
            rng, one = np.random.default_rng(0), {"sample_weight": np.ones(1)}
            random, alone = rng.exponential(size=(n, N_TRIALS)), np.full((n, N_TRIALS), 1e-9)
            alone[rng.integers(0, n, N_TRIALS), np.arange(N_TRIALS)] = 1.0
            tried = np.hstack([random.sum(axis=1, keepdims=True), random, alone])
        weights = tried if weight is None else tried * weight[:, None]
        total = weights.sum(axis=0)
        known, given, keys = {}, y_true, []
        if isinstance(y_true, WithColumns):
            known, given, keys = self.known, y_true.values, [y_true.rows.tolist()]
        keys += [[*map(tuple, np.reshape(each, (n, -1)).tolist())] for each in (given, y_pred)]
        try:
            whole = self.values(y_true, y_pred, weights)
            if takes_weights:  # before the function is called for each instance
                sums = whole * total
                if not np.isclose(sums[0], sums[1 : N_TRIALS + 1].sum(), rtol=1e-7):
                    return None
            each = []
            for i, key in enumerate(zip(*keys, strict=True)):
                if key not in known:
                    known[key] = self.call(taken(y_true, [i]), taken(y_pred, [i]), **one)
                each.append(known[key])
            values = self._as_numbers(each, n) * (1 if self.greater_is_better else -1)
        except ValueError:  # of a function that is not defined for one instance
            return None
        size = 1e-9 * np.abs(values).mean()
        found = np.allclose(whole, values @ weights / total, rtol=1e-7, atol=size)
        return values if found else None

    def _check_direction(self, prepared: _Called, perfect: Any, of_first: bool) -> None:
        """Raise if perfect predictions have a lower value."""
        ones = np.ones((len(perfect), 1))
        try:
            best = replace(prepared, y_pred=perfect)(ones)[0]
        except Exception:  # such as of probabilities that are 0
            return
        if self.columns is None:
            value, these = prepared(ones)[0], "these"
        else:  # which may make other predictions worth more than the perfect ones
            order = np.random.default_rng(0).permutation(len(perfect))
            value, these = replace(prepared, y_pred=taken(perfect, order))(ones)[0], "permuted ones"
        if best < value and not np.isclose(best, value):
            cure = (
                "If it is a loss, pass greater_is_better=False to metrics.weighted or make_scorer; "
                "if not, greater_is_better=True to metrics.weighted."
            )
            if of_first:
                cure = (
                    "It is given the scores of pos_label, the first of both classes; if it takes "
                    "those of the second, as scikit-learn's functions do, pass "
                    f"make_scorer(function, response_method={self.response!r}). {cure}"
                )
            raise ValueError(
                f"The metric {self.name!r} is lower for perfect predictions, {best:.4g}, than for "
                f"{these}, {value:.4g}. {cure}"
            )

    def _check(self, prepared: _Called, n: int) -> None:
        """Raise if the function is random, is no average, or ignores its weights."""
        ones = np.ones((n, 1))
        value = prepared.called(ones)
        if prepared.called(ones) != value:
            raise ValueError(
                f"The function of metric {self.name!r} gives another value when it is called "
                "again. It must be deterministic: fix its random_state, and let it leave its "
                "arguments as they are."
            )
        if self.how == "resampling":
            order = np.random.default_rng(0).permutation(n)  # perfect predictions may cost 0
            other = replace(prepared, y_pred=taken(prepared.y_pred, order))
            once, twice = (other.called(k * ones)[0] for k in (1, 2))
            if np.isclose(twice, 2 * once) and not np.isclose(twice, once):
                raise ValueError(
                    f"The function of metric {self.name!r} has twice the value if there are twice "
                    "the instances. It must be an average, whose unit does not depend on the size "
                    "of a test set: divide sums by len(y_true)."
                )
        if self.how not in ("weights", "batches"):
            return
        if not np.isclose(prepared.called(2 * ones), value).all():
            raise ValueError(
                f"The function of metric {self.name!r} gives another value if all instances have a "
                "double sample_weight. It must be an average: divide sums by that of the weights."
            )
        rng = np.random.default_rng(0)
        half = np.zeros(n, dtype=bool)
        for _ in range(N_TRIALS):
            half = rng.permutation(n) < n // 2
            if not np.isclose(prepared.called(ones + half[:, None]), value).all():
                return
        # The value may depend neither on weights nor on instances, as that of perfect predictions.
        for rows in (half, ~half):
            alone, among_others = prepared.of_rows(rows), prepared.of_rows(rows, among_others=True)
            follows = np.isclose([alone, among_others], value)
            if np.isfinite(alone) and not follows[0] and follows[1]:
                raise ValueError(
                    f"The function of metric {self.name!r} gives the same value whatever the "
                    "sample_weight of instances is, but another one for some of them alone: it "
                    "ignores its weights. Use metrics.resampled."
                )


@dataclass(frozen=True, eq=False)
class _OfTables:
    """A function of labels as one of confusion tables: the cells are instances with weights."""

    metric: AnyMetric
    true: Array
    predicted: Array

    def __call__(self, tables: Array) -> Array:
        """Return the metric of tables of shape (..., M, M)."""
        weights = tables.reshape(-1, len(self.true))
        if self._of_cells is not None:
            values = weights @ self._of_cells / weights.sum(axis=1)
        else:
            values = self.metric.values(self.true, self.predicted, weights.T)
        return values.reshape(tables.shape[:-2])

    @cached_property
    def _of_cells(self) -> Array | None:
        """What each cell gives, if the metric is the mean of it; None if it is not, or unknown."""
        if self.metric.how == "means":
            return self.metric.of_each(self.true, self.predicted)
        if self.metric.how != "weights" or len(self.true) > MOST_CELLS:
            return None
        return self.metric.parts(self.true, self.predicted)

    def counts_classes(self, table: Array) -> bool:
        """Return whether classes that do not occur change the value, as they do in averages."""
        if self._of_cells is not None:
            return False
        seen, weights = np.flatnonzero(table), table.reshape(-1, 1)
        alone = self.metric.values(self.true[seen], self.predicted[seen], weights[seen])
        return not np.isclose(alone, self(table)).all()


@dataclass(frozen=True)
class _Called(Prepared):
    """A function of instances as one of their weights, which may be a mean over instances."""

    metric: AnyMetric
    y_true: Any
    y_pred: Any
    weight: Array

    @cached_property
    def _mean(self) -> Prepared | None:
        """The weighted mean of what single instances give, if the metric is that."""
        if self.metric.how not in ("weights", "mean") or self.metric.of_items:
            return None
        parts = self.metric.parts(self.y_true, self.y_pred, self.weight)
        return None if parts is None else mean_of(parts, self.weight)

    @property
    def takes_counts(self) -> bool:  # type: ignore[override]
        """Whether instances are repeated instead of weighted."""
        how = self.metric.how
        return how == "resampling" or (how == "mean" and self._mean is None)

    def in_sums(self) -> InSums | None:
        """Return the sums of which it is the mean."""
        return None if self._mean is None else self._mean.in_sums()

    def of_rows(self, rows: Array, *, among_others: bool = False) -> float:
        """Return the metric of some of the instances; NaN if it is not defined for them.

        With `among_others`, the function is given all instances, and others have no weight.
        """
        weight = rows * self.weight
        if not weight.any():
            return np.nan
        y_true, y_pred = self.y_true, self.y_pred
        if not among_others:
            kept = np.flatnonzero(rows)
            y_true, y_pred, weight = (taken(one, kept) for one in (y_true, y_pred, weight))
        try:
            return float(self.metric.values(y_true, y_pred, weight[:, None])[0])
        except Exception:  # such as of a single class
            return np.nan

    def called(self, weights: Array) -> Array:
        """Return what the function itself gives."""
        return self.metric.values(self.y_true, self.y_pred, weights * self.weight[:, None])

    def sums(self, weights: Array) -> Sums:
        """Return the metric times the total weight, and the total weight."""
        is_plain = weights.shape[1] == 1 and (weights == 1).all()
        if not is_plain and self._mean is not None:
            return self._mean.sums(weights)
        total = (self.weight @ weights)[None]
        return Sums(self.called(weights) * total, total, np.ones_like(total))

    def drawn(self, weights: Array) -> Sums:
        """Return the sums of draws, which may allow for what noise adds."""
        if self.metric.of_draws is None:
            return self.sums(weights)
        function = partial(self.metric.of_draws, plain=self.weight)
        return replace(self, metric=replace(self.metric, function=function)).sums(weights)

    def slopes(self) -> Sums:
        """Return numerical derivatives of the sums at equal weights.

        Without weights, what leaving an instance out changes (the jackknife).
        """
        if self._mean is not None:
            return self._mean.slopes()
        n = len(self.y_true)
        plain = self.sums(np.ones((n, 1)))
        whole = self.takes_counts
        tops = np.empty(n)
        expected = 0.0
        if self.metric.how != "batches":
            expected = n * seconds_of(lambda: self.sums(np.ones((n, 1))))
        words = f"the influence of each instance on {self.metric.name}"
        with progress_if_long(words, n, show=has_bar(), expected=expected) as advance:
            for rows in np.array_split(np.arange(n), max(min(n, 20), n * n // 2**22)):
                changed = np.ones((n, len(rows)))
                changed[rows, np.arange(len(rows))] -= 1.0 if whole else -STEP
                ahead = self.sums(changed).numerators[0]
                tops[rows] = (ahead - plain.numerators[0, 0]) / (-1.0 if whole else STEP)
                advance(rows[-1] + 1)
        return Sums(tops[None], self.weight[None], np.zeros((1, n)))


@dataclass(frozen=True)
class _OfWeightedTable(Prepared):
    """A metric of confusion tables, of instances with sample weights."""

    metric: TableMetric
    positive: int
    adder: Any
    shape: tuple[int, int]

    def _times_total(self, cells: Array) -> tuple[Array, Array]:
        total = cells.sum(axis=0)
        tables = cells.T.reshape(-1, *self.shape)
        return self.metric(tables, self.positive) * total, total

    def sums(self, weights: Array) -> Sums:
        """Return the metric times the total weight, and the total weight."""
        top, total = self._times_total(self.adder @ weights)
        return Sums(top[None], total[None], np.ones_like(total[None]))

    def slopes(self) -> Sums:
        """Return numerical derivatives of the sums at equal weights, cell by cell."""
        cells = self.adder.sum(axis=1)
        seen = np.flatnonzero(cells)
        step = STEP * cells[seen].min()
        ahead, behind = (
            self._times_total(cells[:, None] + way * np.eye(len(cells))[:, seen])[0]
            for way in (step, -step)
        )
        of_cells = np.zeros(len(cells))
        of_cells[seen] = (ahead - behind) / (2 * step)
        weight = self.adder.sum(axis=0)
        return Sums((of_cells @ self.adder)[None], weight[None], np.zeros((1, len(weight))))


def from_instances(function: Callable[[Array, Array], ArrayLike], name: str) -> AnyMetric:
    """Create a metric from a function that gives each instance a number, higher being better.

    The metric is the mean of these numbers over instances.

    Parameters
    ----------
    function : callable
        Maps arrays of true and predicted labels, or numbers, of shape (n,) to values of shape
        (n,). The value of an instance may depend on its own label and prediction only. Wrap a
        function of one instance in `numpy.vectorize`.
    name : str
        The name of the metric in results.

    Returns
    -------
    metric : AnyMetric
        The metric, for the parameter `scoring`. Of class labels, the function is evaluated for each
        pair of labels, and the metric is one of confusion tables. Predictions are numbers where
        regressors are compared, another metric of `scoring` is one of numbers, or `y_true` or a
        prediction is not a whole number.

    See Also
    --------
    from_confusion : Any function of the confusion table.

    Examples
    --------
    A prediction is good if it is at most 10% off:

    >>> import numpy as np
    >>> from skbayeseval import compare_predictions, metrics
    >>> close = metrics.from_instances(lambda y, p: np.abs(p - y) <= 0.1 * np.abs(y), "within_10%")
    >>> y = np.linspace(1.5, 9.5, 50)
    >>> result = compare_predictions(y, 1.05 * y, 1.2 * y, scoring=close, random_state=0)
    >>> result.observed_a, result.observed_b
    (1.0, 0.0)
    """
    check_function(function, name)
    return AnyMetric(function, name, how="means")


def weighted(
    function: Callable[..., Any],
    *,
    response: str = "predict",
    name: str | None = None,
    bounds: tuple[float, float] | None = None,
    greater_is_better: bool | None = None,
    batched: bool = False,
) -> AnyMetric:
    """Make a metric of any function that takes `sample_weight`.

    Its posterior has the values of the function under random weights of the instances, or of the
    groups, which are the same for all classifiers.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_pred, sample_weight=w)`` returns a number. It must be deterministic,
        and defined for all positive weights.
    response : {"predict", "predict_proba", "decision_function"}, default="predict"
        What `y_pred` is: predicted labels or numbers, probabilities, or other scores. Of two
        classes, probabilities and scores are those of the positive class (where that is the first
        one, pass `make_scorer` of scikit-learn's functions, which take those of the second). Of
        more classes, they have a column for each, in sorted order.
    name : str, default=None
        The name in results. By default that of the function, with ``neg_`` before it if greater is
        not better.
    bounds : (float, float), default=None
        The smallest and the largest possible value of the metric, which is minus the function with
        ``greater_is_better=False``: (-inf, 0) for a loss of at least 0.
    greater_is_better : bool, default=None
        If False, the function is a loss, and the metric is its negative value. By default True, but
        a function that is lower for perfect predictions is refused.
    batched : bool, default=False
        Whether the function accepts weights of shape (n_draws, n), and then returns n_draws
        numbers, which is much faster than one call per draw.

    Returns
    -------
    metric : AnyMetric
        The metric, for the parameter `scoring`.

    See Also
    --------
    resampled : For functions that do not take weights.
    over_items : For functions of images, queries or other items.
    from_instances : Faster, for the mean of a function of each instance.

    Examples
    --------
    >>> from sklearn.metrics import hamming_loss
    >>> from skbayeseval import compare_predictions, metrics
    >>> y, a, b = [0, 1, 1, 0] * 20, [0, 1, 1, 1] * 20, [0, 1, 0, 1] * 20
    >>> loss = metrics.weighted(hamming_loss, greater_is_better=False, bounds=(-1, 0))
    >>> result = compare_predictions(y, a, b, scoring=loss, n_draws=500, random_state=0)
    >>> result.observed_a, result.observed_b
    (-0.25, -0.5)
    """
    how = "batches" if batched else "weights"
    return _any_metric(function, name, response, how, bounds, greater_is_better)


def resampled(
    function: Callable[..., Any],
    *,
    response: str = "predict",
    name: str | None = None,
    bounds: tuple[float, float] | None = None,
    greater_is_better: bool | None = None,
) -> AnyMetric:
    """Make a metric of any function, also of one that does not take `sample_weight`.

    Its posterior has the values of the function on instances that are drawn anew with replacement
    (the bootstrap), the same ones for all classifiers. Prefer `weighted` where it is possible:
    repeated instances may matter to a function in a way that weights do not.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_pred)`` returns a number: an average, not a sum.
    response, name, bounds, greater_is_better
        As in `weighted`.

    Returns
    -------
    metric : AnyMetric
        The metric, for the parameter `scoring`.

    Examples
    --------
    >>> from sklearn.metrics import adjusted_rand_score
    >>> from skbayeseval import metrics
    >>> metrics.resampled(adjusted_rand_score, bounds=(-0.5, 1)).name
    'adjusted_rand_score'
    """
    return _any_metric(function, name, response, "resampling", bounds, greater_is_better)


def over_items(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    bounds: tuple[float, float] | None = None,
    greater_is_better: bool | None = None,
    takes: str = "resampling",
) -> AnyMetric:
    """Make a metric of a function of items: images with boxes, queries with rankings, patients.

    `y_true` and the predictions then have one entry per item, which may be anything: a list, an
    array of any shape, an object.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_pred)`` of two sequences of items returns a number.
    name, bounds, greater_is_better
        As in `weighted`.
    takes : {"resampling", "weights", "batches"}, default="resampling"
        Whether the function takes ``sample_weight=`` with a weight per item, or many such vectors.
        By default it takes none, and items are drawn anew with replacement.

    Returns
    -------
    metric : AnyMetric
        The metric, for the parameter `scoring`.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval import compare_predictions, metrics
    >>> boxes = [[3, 4], [1], [2, 2, 5]] * 10  # three images, ten times
    >>> def mean_overlap(true, said):
    ...     return np.mean([len({*t} & {*s}) / len({*t} | {*s}) for t, s in zip(true, said)])
    >>> overlap = metrics.over_items(mean_overlap, bounds=(0, 1))
    >>> a, b = [[3], [1], [2, 5]] * 10, [[3, 4, 1], [1], [2]] * 10
    >>> result = compare_predictions(boxes, a, b, scoring=overlap, n_draws=200, random_state=0)
    >>> round(result.observed_a, 3)
    0.833
    """
    metric = _any_metric(function, name, "predict", takes, bounds, greater_is_better)
    return replace(metric, of_items=True)


def _any_metric(
    function: Any, name: Any, response: Any, how: Any, bounds: Any, greater_is_better: Any
) -> AnyMetric:
    is_sure = greater_is_better is not None
    is_greater = check_flag(greater_is_better, "greater_is_better") if is_sure else True
    if callable(function) and name is None:
        name = ("" if is_greater else "neg_") + name_of(function)
    check_function(function, name)
    if response not in list(RESPONSES):
        raise wrong("response", f"one of {list(RESPONSES)}", response)
    if how not in HOW:
        raise wrong("takes", f"one of {list(HOW)}", how)
    if bounds is not None:
        limits = as_numbers(bounds, "bounds")
        if limits.shape != (2,) or not limits[0] < limits[1]:
            raise wrong("bounds", "the lowest and the highest value", bounds)
        bounds = float(limits[0]), float(limits[1])
    return AnyMetric(function, name, response, how, bounds, is_greater, is_sure=is_sure)
