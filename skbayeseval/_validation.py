"""Validation of parameters that are shared by several functions.

Sizes have a limit. Draws and replications that need more than 1 GB are refused before anything is
fitted; a constant, not the memory at hand, so that a call is valid everywhere or nowhere. Blocks
are small enough for Ctrl-C to be answered within two seconds.
"""

from __future__ import annotations

import inspect
import math
import os
import re
import warnings
from collections.abc import Iterable, Mapping
from itertools import count
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_scalar

from skbayeseval._arrays import in_short, wrong

# The most memory for arrays whose size the user chooses. A constant, so that the same call is valid
# on every machine, and that sorting the draws takes seconds.
MOST_BYTES = 10**9

# Characters that UTF-8 or XML do not have.
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class ParameterObject(BaseEstimator):
    """Base class that provides `get_params`, `set_params`, `repr` and equality by parameters."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.get_params(), other.get_params()
        return all(np.array_equal(mine[name], theirs[name]) for name in mine)

    def __hash__(self) -> int:
        return hash(type(self))  # equal objects may have other parameters, such as 1 and 1.0


class UnlikelyDataWarning(UserWarning):
    """Data that can be compared, but are probably not what was meant."""


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called the package, however deep in it the warning arises."""
    own, level = os.path.dirname(__file__) + os.sep, 2
    frame = inspect.currentframe()
    for depth in count(1):
        if frame is None:
            break
        if frame.f_code.co_filename.startswith(own):
            level = depth + 1
        frame = frame.f_back
    warnings.warn(message, category, stacklevel=level)


def as_float(number: Any) -> float:
    """Return a number as a float, infinite if it is too large for one."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def check_probability(prob: Any, name: str = "prob") -> float:
    """Return `prob` as a float strictly between 0 and 1."""
    check_scalar(prob, name, Real, min_val=0, max_val=1, include_boundaries="neither")
    if math.isnan(prob):
        raise ValueError(f"{name} == nan, must lie strictly between 0 and 1.")
    return float(prob)


def check_weight(weight: Any) -> float:
    """Return `weight` as a finite float greater than 0."""
    check_scalar(weight, "weight", Real, min_val=0, include_boundaries="neither")
    if not as_float(weight) < math.inf:
        raise ValueError(f"weight == {in_short(weight)}, must be a finite number greater than 0.")
    return float(weight)


def check_whole_number(value: Any, name: str, minimum: int = 1) -> int:
    """Return `value` as an int of at least `minimum`."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be an instance of int, not bool.")
    check_scalar(value, name, Integral, min_val=minimum)
    return int(value)


def check_flag(value: Any, name: str) -> bool:
    """Return `value` as a bool; raise unless it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise wrong(name, "True or False", value, TypeError)
    return bool(value)


def check_metric_labels(labels: Any) -> Mapping[str, str]:
    """Return what metrics are called, by their names; nothing for None."""
    found = {} if labels is None else labels
    if isinstance(found, Mapping) and all(isinstance(one, str) for one in found.values()):
        return found
    wanted = "a dict from names of metrics to what they are called, as {'roc_auc': 'ROC AUC'}"
    raise wrong("labels", wanted, labels, TypeError)


def check_n_jobs(n_jobs: Any) -> int | None:
    """Return a number of jobs as joblib takes it: None, or a whole number other than 0."""
    if n_jobs is None:
        return None
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool):
        raise wrong("n_jobs", "an int or None", n_jobs, TypeError)
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning. Use 1 for one job, or -1 for all cores.")
    return int(n_jobs)


def check_size(value: Any, name: str, bytes_each: int, minimum: int = 1) -> int:
    """Return `value` as an int of at least `minimum`; raise if that many do not fit in memory.

    What needs more than 1 GB, at `bytes_each`, would run until the process is killed.
    """
    number = check_whole_number(value, name, minimum)
    if number * bytes_each <= MOST_BYTES:
        return number
    raise ValueError(
        f"{name} == {in_short(number)} would need more than {MOST_BYTES / 1e9:.0f} GB of memory. "
        f"Use {name} <= {max(minimum, MOST_BYTES // bytes_each)}."
    )


def check_names(names: Any, number: int) -> tuple[str, ...]:
    """Return `names` as a tuple of `number` distinct strings."""
    if isinstance(names, str) or not isinstance(names, Iterable) or getattr(names, "ndim", 1) == 0:
        raise wrong("names", f"a sequence of {number} strings", names, TypeError)
    names = [str(name) if isinstance(name, np.str_) else name for name in names]
    if len(names) != number or not all(isinstance(name, str) for name in names):
        raise wrong("names", f"{number} strings", names)
    if len(set(names)) != number:
        raise ValueError(f"names must differ from each other, got {list(names)!r}.")
    check_characters(names, "names")
    return tuple(names)


def check_characters(names: Iterable[str], what: str) -> None:
    """Raise if names are empty, or contain characters that pages, figures and tables cannot."""
    for name in names:
        if not name.strip():
            raise ValueError(f"{what} must not be empty, got {name!r}.")
        if UNWRITABLE.search(name):
            raise ValueError(
                f"{what} must not contain control characters, nor halves of characters (lone "
                f"surrogates), which no page or figure can show, got {in_short(name)}."
            )


def check_random_state(random_state: Any) -> None:
    """Raise unless `random_state` can seed draws; generators are not advanced."""
    generators = (np.random.Generator, np.random.RandomState)
    if random_state is not None and not isinstance(random_state, generators):
        check_random_state_entropy(random_state)


def check_random_state_entropy(random_state: Any) -> int:
    """Convert `random_state` to the entropy from which all seeds are derived.

    An int is used as it is. A generator supplies one random number, which advances its state. None
    uses fresh entropy from the operating system.
    """
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(2, np.uint64)[0])
    if isinstance(random_state, (Integral, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state == {random_state}, must be >= 0.")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    wanted = "an int, a numpy.random.RandomState, a numpy.random.Generator or None"
    raise wrong("random_state", wanted, random_state, TypeError)
