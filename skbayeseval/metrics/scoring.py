"""What `scoring=` means: names, scorers, functions, and lists and dicts of them become metrics.

Functions of an instance become tables where there are classes. A mean over instances of a function
of true and predicted class is a sum over cells of the table, so `from_instances` of classes has
proper models, Bayes factors and inferred weights like any metric of counts. Only numbers, which
have no table, are weighted one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import isfunction, signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import config_context
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.utils.metadata_routing import (
    MetadataRequest,
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)

from skbayeseval._arrays import Array, as_array, as_numbers, choices, in_short, wrong
from skbayeseval._validation import check_flag
from skbayeseval.metrics.any_metric import HOW, AnyMetric
from skbayeseval.metrics.batched import SCORERS
from skbayeseval.metrics.confusion import from_confusion
from skbayeseval.metrics.instance_scores import Prepared
from skbayeseval.metrics.metric import Metric, NumberMetric, call_function, check_function
from skbayeseval.metrics.numbers import REFUSED, mean_of
from skbayeseval.metrics.registry import PerClass, get_metric, known_metrics, per_class
from skbayeseval.metrics.scorers import (
    RESPONSES,
    Made,
    Routed,
    WithColumns,
    metric_of_scorer,
    name_of,
)


@dataclass(frozen=True)
class PerInstance:
    """The mean of a function of each instance, created by `from_instances`.

    Examples
    --------
    >>> from skbayeseval import metrics
    >>> metrics.from_instances(lambda y_true, y_pred: -abs(y_true - y_pred), "neg_error").name
    'neg_error'
    """

    function: Callable[[Array, Array], ArrayLike]
    name: str

    def values(self, y_true: Array, y_pred: Array) -> Array:
        """Return the value of each instance; raise unless each has a value of its own."""
        values = self._call(y_true, y_pred)
        some = (len(y_true) + 1) // 2
        again, rounding = self._call(y_true[:some], y_pred[:some]), 1e-9 * np.abs(values).max()
        if not np.allclose(again, values[:some], rtol=1e-6, atol=rounding):
            raise ValueError(
                f"The function of metric {self.name!r} gives instances other values when it is "
                "called with fewer instances. The value of an instance must depend on its own "
                "y_true and y_pred alone."
            )
        return values

    def _call(self, y_true: Array, y_pred: Array) -> Array:
        def numbers(y_true: Array, y_pred: Array) -> Array:
            return np.asarray(self.function(y_true, y_pred), dtype=float)

        values: Array = call_function(self.name, numbers, y_true, y_pred)
        if values.shape != (len(y_true),):
            raise ValueError(
                f"The function of metric {self.name!r} must return one number per instance, an "
                f"array of shape ({len(y_true)},), got shape {values.shape}. If it accepts only "
                "one instance, wrap it in np.vectorize."
            )
        if not np.isfinite(values).all():
            where = int(np.flatnonzero(~np.isfinite(values))[0])
            raise ValueError(
                f"The function of metric {self.name!r} must return finite numbers, got "
                f"{values[where]} for y_true={y_true[where]!r} and y_pred={y_pred[where]!r}."
            )
        return values

    def prepared(self, y_true: Array, y_pred: Array, weight: Array) -> Prepared:
        """Return the mean over instances as a function of the instance weights."""
        return mean_of(self.values(y_true, y_pred), weight)

    def of(self, labels: Sequence[Any]) -> Metric:
        """Return the metric for class labels, or for numbers if there are no labels."""
        if not labels:
            return NumberMetric(self.name, self.prepared)
        classes = np.asarray(labels)
        m = len(classes)
        values = self.values(np.repeat(classes, m), np.tile(classes, m)).reshape(m, m)
        mean = from_confusion(partial(_mean_over_cells, values), self.name)
        return replace(mean, counts_alike="instances")


def from_instances(function: Callable[[Array, Array], ArrayLike], name: str) -> PerInstance:
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
    metric : PerInstance
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
    return PerInstance(function, name)


def _mean_over_cells(values: Array, tables: Array) -> Array:
    return np.einsum("...ij,ij->...", tables, values)


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


def resolve_scoring(
    scoring: Any, labels: Sequence[Any] = (), several: bool = False, pos_label: Any = None
) -> dict[str, Metric]:
    """Return the metrics selected by `scoring` as a dict from names to metrics.

    `scoring` is None (accuracy), a name, a `Metric`, a `PerClass`, a `PerInstance`, what
    `make_scorer` makes of a known metric, a list of these, or a dict from names to these. `labels`
    are the classes for which a `PerClass` or a `PerInstance` is expanded; without classes, a
    `PerInstance` is one of numbers. With `several`, instances may have several labels. A scorer
    or function whose own positive class is another than `pos_label` is refused.
    """
    metrics: dict[str, Metric] = {}
    for key, item in spelled_out(scoring):
        for metric in _resolve_one(item, labels, several):
            name = metric.name
            if key is not None:
                name = key + (name.removeprefix(item.name) if isinstance(item, PerClass) else "")
            if name in metrics:
                raise ValueError(f"scoring contains duplicate metrics: {name!r}.")
            check_same_positive(name, metric.named_class, pos_label)
            metrics[name] = replace(metric, name=name)
    return metrics


def check_same_positive(name: str, named: Any, pos_label: Any) -> None:
    """Raise if a metric names another positive class than `pos_label`; None names none."""
    if named is not None and pos_label is not None and named != pos_label:
        raise ValueError(
            f"scoring={name!r} has the positive class {named!r}, but pos_label="
            f"{in_short(pos_label)} was given. Pass the same pos_label to both, for example to "
            "make_scorer, or omit one of them."
        )


def spelled_out(scoring: Any) -> list[tuple[str | None, Any]]:
    """Return the items of `scoring=` with their names, None for an item without a given name.

    The one place that distinguishes the forms of `scoring`: None (accuracy), one item, a list, or a
    dict.
    """
    items: list[tuple[str | None, Any]]
    scoring = "accuracy" if scoring is None else scoring
    if isinstance(scoring, Mapping):
        if not all(isinstance(key, str) for key in scoring):
            raise TypeError(f"The keys of scoring must be strings, got {list(scoring)!r}.")
        items = list(scoring.items())
    elif (
        isinstance(scoring, str)
        or not isinstance(scoring, Iterable)
        or (isinstance(scoring, np.ndarray) and not scoring.ndim)
    ):
        items = [(None, scoring)]
    else:
        items = [(None, item) for item in scoring]
    if not items:
        raise ValueError("scoring is empty, pass at least one metric.")
    for _, item in items:
        check_called(item)
    return items


def requests_of(scoring: Any, estimators: Iterable[Any] = ()) -> list[Any]:
    """Return what routes columns to each item of `scoring=`, in their order.

    Scorers tell what they request; without `scoring`, the estimators tell what their `score` does.
    Functions, and scorers that cannot tell, request the arguments that they take beside true
    values, predictions and sample weights.
    """
    if scoring is None:
        return list(estimators)
    requests: list[Any] = []
    for _, item in spelled_out(scoring):
        if isinstance(item, str) and item in get_scorer_names():
            item = get_scorer(item)
        request = MetadataRequest(owner="scoring")
        function = item.function if isinstance(item, AnyMetric) else item
        if hasattr(item, "get_metadata_routing"):
            request = item
        elif callable(function) and not isinstance(item, Metric):
            try:
                arguments = list(signature(function).parameters.values())
            except (TypeError, ValueError):  # some built-in functions do not tell
                arguments = []
            for one in arguments[2 if isinstance(item, AnyMetric) else 3 :]:
                named = one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
                if named and one.name != "sample_weight":
                    request.score.add_request(param=one.name, alias=True)
        requests.append(request)
    return requests


def routed(scoring: Any, params: Mapping[str, Any], n: int) -> tuple[Any, set[str]]:
    """Return `scoring=` whose items know the columns that they request, and the names of these.

    Of `params`, some may be for others. Metadata routing need not be enabled.
    """
    requests = requests_of(scoring)
    consumed = [get_routing_for_object(one).consumes("score", list(params)) for one in requests]
    wanted: set[str] = set().union(*consumed)
    router = MetadataRouter(owner="scoring")
    for i, request in enumerate(requests):
        score = MethodMapping().add(caller="score", callee="score")
        router.add(**{f"scorer_{i}": request}, method_mapping=score)
    with config_context(enable_metadata_routing=True):
        found = process_routing(router, "score", **{key: params[key] for key in sorted(wanted)})
    given = [dict(found[f"scorer_{i}"].score) for i in range(len(requests))] if wanted else []
    return with_columns(scoring, given, n), wanted


def routed_to_all(scoring: Any, params: Mapping[str, Any], n: int) -> Any:
    """Return `scoring=` as `routed` does; raise unless there is a metric for each of `params`."""
    scoring, wanted = routed(scoring, params, n)
    others = [name for name in params if name not in wanted]
    if others:
        raise TypeError(
            f"params contains {others[0]!r}, which no metric of scoring= takes: functions take "
            f"it by this name, scorers by .set_score_request({others[0]}=True)."
        )
    return scoring


def with_columns(scoring: Any, given: Sequence[Mapping[str, Any]], n: int) -> Any:
    """Return `scoring=` whose items know the columns that each is given, of n instances."""
    if not any(given):
        return scoring
    items = []
    for (_, item), columns in zip(spelled_out(scoring), given, strict=True):
        if columns:
            known = known_columns(columns, n)
            is_function = isinstance(item, AnyMetric)
            item = replace(item, columns=known) if is_function else Routed(item, known)
        items.append(item)
    if isinstance(scoring, Mapping):
        return dict(zip(scoring, items, strict=True))
    return items if isinstance(scoring, Iterable) else items[0]


def known_columns(columns: Mapping[str, Any], n: int) -> WithColumns:
    """Return columns of n instances, which are checked."""
    arrays = {name: _column(values, name, n) for name, values in columns.items()}
    return WithColumns(np.arange(n), arrays, np.arange(n))


def _column(values: Any, name: str, n: int) -> Any:
    """Return a column as an array with one row per instance; anything else is left as it is."""
    if isinstance(values, str | bytes | Mapping) or not np.ndim(values):
        return values
    array = as_array(values, name)
    if len(array) != n:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: there are "
            f"{n} instances, but {name} has {len(array)}."
        )
    return array


def check_called(item: Any) -> None:
    """Raise if this is a function that makes a metric, and not what it makes."""
    if isfunction(item) and item.__module__.startswith(__package__):
        raise TypeError(
            f"scoring is the function metrics.{item.__name__}, not the metric that it makes. Call "
            f"it: metrics.{item.__name__}(...)."
        )


def is_of_numbers(scoring: Any) -> bool:
    """Return whether one of the metrics is known to be one of predicted numbers."""
    for _, item in spelled_out(scoring):
        names = (*known_metrics("numbers"), *REFUSED, "d2_absolute_error_score")
        if isinstance(item, str) and item in names:
            return True
        metric = item if isinstance(item, Metric) or not callable(item) else metric_of_scorer(item)
        if isinstance(metric, Metric) and metric.source == "numbers":
            return True
    return False


def _resolve_one(scoring: Any, labels: Sequence[Any], several: bool) -> list[Metric]:
    if isinstance(scoring, str):
        scoring = _by_name(scoring, labels, several)
    elif callable(scoring) and not isinstance(scoring, Metric):
        scoring = as_metric(scoring, labels, several)
    if isinstance(scoring, Metric):
        return [scoring]
    if isinstance(scoring, PerClass):
        return scoring.of(labels)
    if isinstance(scoring, PerInstance):
        return [scoring.of(labels)]
    if isinstance(scoring, AnyMetric):
        return [scoring.of(labels, several)]
    raise TypeError(
        f"scoring={in_short(scoring)} is not supported. Pass a name such as 'f1', a metric of "
        "skbayeseval.metrics (from_confusion takes any function of the confusion table, "
        "from_instances any function of an instance), or a list or dict of these."
    )


def _by_name(name: str, labels: Sequence[Any], several: bool) -> Metric | AnyMetric:
    """Return a metric, that of a class such as "f1[spam]", or a scorer of scikit-learn."""
    of_class = re.fullmatch(r"(.+)\[(.+)\]", name)
    if of_class is not None:
        for metric in per_class(of_class[1]).of(labels):
            if metric.name == name:
                return metric
        raise ValueError(
            f"scoring={name!r} does not match any of the classes {choices(of_class[2], labels)}."
        )
    if is_scorer(name):
        return SCORERS.get(name) or of_scorer(get_scorer(name), name, labels, several)
    return get_metric(name)


def as_metric(scorer: Any, labels: Sequence[Any], several: bool) -> Metric | AnyMetric:
    """Return the metric of a scorer: the one that is known to equal it, or any function's."""
    check_called(scorer)
    if isinstance(scorer, Routed):
        return of_scorer(scorer.scorer, name_of(scorer), labels, several, scorer.columns)
    return metric_of_scorer(scorer) or of_scorer(scorer, name_of(scorer), labels, several)


def is_scorer(scoring: Any) -> bool:
    """Return whether this is a scorer, or the name of one, that has no metric of its own."""
    if not isinstance(scoring, str):
        return callable(scoring) and not isinstance(scoring, Metric)
    known = {*known_metrics(), *REFUSED}
    return scoring in {*get_scorer_names(), *SCORERS} - known


def of_scorer(
    scorer: Callable[..., Any],
    name: str,
    labels: Sequence[Any],
    several: bool,
    columns: WithColumns | None = None,
) -> AnyMetric:
    """Return the metric of a scorer; raise a TypeError if it takes neither weights nor columns.

    One that takes columns and no weights is called for single instances if it is a mean of them, as
    gains and costs are, or a sum, which is then told per instance; otherwise instances are drawn
    anew. Which it is, an example tells: a sum would have another unit in each test set.
    """
    made = Made.of(scorer)
    if made is None:
        raise TypeError(
            f"scoring={name!r} is a callable that make_scorer did not make, and may use X. Pass a "
            "function of y_true and y_pred as metrics.weighted(function) or "
            "metrics.resampled(function), and compare a scorer that uses X by its value in each "
            "split, with bayesian_cross_validate(..., model='scores')."
        )
    if made.method not in RESPONSES:
        raise TypeError(
            f"scoring={name!r} asks estimators for {made.method}, must be one of "
            f"{list(RESPONSES)}. Compare its value in each split with "
            "bayesian_cross_validate(..., model='scores')."
        )
    metric = AnyMetric(made, name, made.method, is_sure=False, columns=columns)
    if made.takes("sample_weight"):
        return metric
    others = None if columns is None else columns.without("sample_weight")
    if others is None or not others.columns:
        if made.missing:
            raise TypeError(
                f"scoring={name!r} requires {made.missing[0]}. Pass it in params=, and let the "
                f"scorer request it by .set_score_request({made.missing[0]}=True)."
            )
        raise TypeError(
            f"scoring={name!r} does not take sample_weight. Pass its function as "
            "metrics.resampled(function), which draws instances anew with replacement; or "
            "compare its value in each split with bayesian_cross_validate(..., model='scores')."
        )
    y_true, y_pred = _example(made.method, labels, several)
    some = others[np.arange(len(y_true)) % len(others)]
    example = replace(some, values=y_true, rows=np.arange(len(y_true))), y_pred
    tried = replace(metric, how="resampling", known={})
    if tried.parts(*example) is not None:
        return replace(metric, how="mean")
    if replace(tried, is_sum=True).parts(*example) is None:
        return replace(metric, how="resampling")
    caution = "a sum, told per instance: a ROPE or a margin is per instance, too"
    return replace(metric, how="mean", is_sum=True, caution=caution)


def _example(method: str, labels: Sequence[Any], several: bool) -> tuple[Array, Array]:
    """Return true values, and what an estimator may say of them."""
    n, rng = max(30, 3 * len(labels)), np.random.default_rng(0)
    if several:
        indicator = rng.integers(0, 2, (n, len(labels)))
        return indicator, indicator[::-1]
    if not labels:
        return 1 + np.arange(n) / 7, 1 + np.arange(n)[::-1] / 7
    classes, shares = np.sort(labels), rng.dirichlet(np.ones(len(labels)), n)
    y_true = classes[np.arange(n) % len(classes)]
    if method == "predict":
        return y_true, classes[shares.argmax(axis=1)]
    return y_true, shares[:, 1] if len(classes) == 2 else shares
