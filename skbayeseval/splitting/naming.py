"""Names of estimators: given by the user or derived from the class names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from skbayeseval._arrays import in_short


def named_estimators(estimators: Any) -> list[tuple[str, Any]]:
    """Return (name, estimator) pairs for a list of estimators or of such pairs, or for a dict.

    The default name is the class name; for a pipeline, that of its last step. Repeated names get
    the suffixes -1, -2, and so on. Anything but a list, tuple or dict gives an empty list, because
    parameters are validated in `fit`.
    """
    if isinstance(estimators, Mapping):
        return list(estimators.items())
    if not isinstance(estimators, (list, tuple)):
        return []
    pairs: list[tuple[Any, Any]] = [
        (one[0], one[1]) if isinstance(one, tuple) and len(one) == 2 else (None, one)
        for one in estimators
    ]
    bases = [_class_name(estimator) for name, estimator in pairs if name is None]
    seen: Counter[str] = Counter()
    named = []
    for name, estimator in pairs:
        if name is None:
            name = _class_name(estimator)
            seen[name] += 1
            name = name if bases.count(name) == 1 else f"{name}-{seen[name]}"
        named.append((name, estimator))
    return named


def check_estimator_names(
    estimators: Sequence[tuple[str, Any]], reserved: Collection[str] = ()
) -> dict[str, Any]:
    """Validate names and estimators, and return them as a dict."""
    names = [name for name, _ in estimators]
    for name, estimator in estimators:
        if not isinstance(name, str):
            raise TypeError(f"The name of an estimator must be a string, got {name!r}.")
        if "__" in name:
            raise ValueError(f"Estimator names must not contain __: got {name!r}.")
        if name in reserved:
            raise ValueError(f"Estimator names conflict with constructor arguments: {name!r}.")
        missing = [method for method in ("fit", "predict") if not hasattr(estimator, method)]
        if missing or isinstance(estimator, type):
            hint = f" Pass {estimator.__name__}(...)." if isinstance(estimator, type) else ""
            raise TypeError(
                f"{in_short(estimator)} is not an estimator: it must be an instance with fit and "
                f"predict, or a pair (name, estimator).{hint}"
            )
    if len(set(names)) < len(names):
        raise ValueError(f"Names provided are not unique: {names!r}.")
    return dict(estimators)


def _class_name(estimator: Any) -> str:
    steps = getattr(estimator, "steps", None)
    last = steps[-1][1] if isinstance(steps, list) and steps else estimator
    return type(last).__name__
