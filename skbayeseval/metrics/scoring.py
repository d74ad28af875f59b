"""What `scoring=` means: names, scorers, functions, and lists and dicts of them become metrics."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from inspect import isfunction, signature
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.utils.metadata_routing import (
    MetadataRequest,
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)

from skbayeseval._arrays import Array, as_array, choices, in_short
from skbayeseval.metrics.any_metric import AnyMetric
from skbayeseval.metrics.batched import SCORERS
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.numbers import REFUSED
from skbayeseval.metrics.registry import METRICS, PerClass, get_metric, known_metrics, per_class
from skbayeseval.metrics.scorers import (
    RESPONSES,
    Made,
    Routed,
    WithColumns,
    metric_of_scorer,
    name_of,
)


def resolve_scoring(
    scoring: Any, labels: Sequence[Any] = (), several: bool = False, pos_label: Any = None
) -> dict[str, Metric]:
    """Return the metrics selected by `scoring` as a dict from names to metrics.

    `scoring` is None (accuracy), a name, a `Metric`, a `PerClass`, an `AnyMetric`, what
    `make_scorer` makes, a list of these, or a dict from names to these. `labels` are the classes
    for which a `PerClass` or an `AnyMetric` is expanded; without classes, an `AnyMetric` is one of
    numbers. With `several`, instances may have several labels. A scorer or function whose own
    positive class is another than `pos_label` is refused.
    """
    metrics: dict[str, Metric] = {}
    for key, item in spelled_out(scoring):
        for metric in _resolve_one(item, labels, several):
            name = metric.name
            if key is not None:
                name = key + (name.removeprefix(item.name) if isinstance(item, PerClass) else "")
            if name in metrics:
                raise ValueError(f"scoring contains duplicate metrics: {name!r}.")
            if metric.named_class is not None:
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
        if isfunction(item) and item.__module__.startswith(__package__):
            raise TypeError(
                f"scoring is the function metrics.{item.__name__}, not the metric that it makes. "
                f"Call it: metrics.{item.__name__}(...)."
            )
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
            item = replace(item, columns=known, known={}) if is_function else Routed(item, known)
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


def is_of_numbers(scoring: Any) -> bool:
    """Return whether one of the metrics is known to be one of predicted numbers."""
    names = (*known_metrics("numbers"), *REFUSED, "d2_absolute_error_score")
    for _, item in spelled_out(scoring):
        if isinstance(item, str):
            is_known = item in names
        else:
            metric = item if isinstance(item, Metric) else metric_of_scorer(item)
            is_known = metric is not None and metric.source == "numbers"
        if is_known:
            return True
    return False


def _resolve_one(item: Any, labels: Sequence[Any], several: bool) -> list[Metric]:
    if isinstance(item, str):
        item = METRICS.get(item) or _by_name(item, labels, several)
    elif callable(item) and not isinstance(item, Metric):
        item = as_metric(item, labels, several)
    if isinstance(item, Metric):
        return [item]
    if isinstance(item, PerClass):
        return item.of(labels)
    if isinstance(item, AnyMetric):
        return [item.of(labels, several)]
    raise TypeError(
        f"scoring={in_short(item)} is not supported. Pass a name such as 'f1', a metric of "
        "skbayeseval.metrics (from_confusion takes any function of the confusion table, "
        "from_instances any function of an instance), or a list or dict of these."
    )


def _by_name(name: str, labels: Sequence[Any], several: bool) -> Metric | AnyMetric:
    """Return the metric of a class such as "f1[spam]", a scorer of scikit-learn, or a metric."""
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
    if isinstance(scorer, Routed):
        return of_scorer(scorer.scorer, name_of(scorer), labels, several, scorer.columns)
    return metric_of_scorer(scorer) or of_scorer(scorer, name_of(scorer), labels, several)


def is_scorer(scoring: Any) -> bool:
    """Return whether this is a scorer, or the name of one, that has no metric of its own."""
    if not isinstance(scoring, str):
        return callable(scoring) and not isinstance(scoring, Metric)
    is_known = scoring in METRICS or scoring in REFUSED
    return not is_known and (scoring in SCORERS or scoring in get_scorer_names())


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
        twin = None
        if columns is not None and {*columns.columns} == {"sample_weight"} and not several:
            twin = metric_of_scorer(scorer)
        if twin is None or (twin.source == "numbers") == bool(labels):
            return metric
        return replace(metric, how="batches", twin=twin)
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
