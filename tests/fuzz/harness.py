"""What every fuzzer asks of a call: a result, or an error that a user can understand."""

import re
import traceback
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import sklearn
from hypothesis import HealthCheck, Phase, settings

import skbayeseval
from skbayeseval.judgement.decision import WORDS

# Examples, accepted and refused calls of each function.
TALLY = defaultdict(lambda: [0, 0, 0])

# Messages of numpy, pandas and Python itself, which name no argument.
RAW = re.compile(
    r"out of bounds|could not be broadcast|broadcast|cannot convert|could not convert|unhashable|"
    r"inhomogeneous|has no attribute|is not (iterable|subscriptable|callable)|'NoneType'|"
    r"not supported between|^ufunc|values to unpack|invalid literal|truth value|boolean value of|"
    r"indices must be|has no len\(\)|zero-size array|array element with a sequence|"
    r"positional argument|required argument|unexpected keyword|do not match|Cannot cast|"
    r"must be real number|float\(\) argument|math domain|overflow|iteration over a 0-d"
)
OURS = tuple(str(Path(package.__file__).parent) for package in (skbayeseval, sklearn))


def examples(number):
    """Return settings for a fuzzer: the same examples in every run, whatever they cost."""
    return settings(
        max_examples=number,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],  # examples are small as they are
        suppress_health_check=list(HealthCheck),
    )


def attempt(name, call):
    """Return what `call` returns, or None where it refuses its arguments in plain words.

    Warnings for users are silenced; all others, such as numpy's, are errors.
    """
    tally = TALLY[name]
    tally[0] += 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        try:
            result = call()
        except (ValueError, TypeError) as error:
            check_error(error)
            tally[2] += 1
            return None
    tally[1] += 1
    return result


def check_error(error):
    """Assert that the message is ours or scikit-learn's, and not one of numpy's."""
    message = str(error)
    where = traceback.extract_tb(error.__traceback__)[-1]
    assert message, f"empty message from {where.filename}:{where.lineno}"
    assert not RAW.search(message), f"raw message: {message}"
    assert where.filename.startswith(OURS), f"{where.filename}:{where.lineno}: {message}"


def check_distribution(draws, hdi, interval, bounds):
    """Assert that draws are finite and possible, and that intervals are around their median."""
    assert np.isfinite(draws).all()
    slack = 1e-9
    for low, high in (hdi, interval):
        assert low <= high
        if bounds is not None:
            assert bounds[0] - slack <= low
            assert high <= bounds[1] + slack
    # An interval with three quarters of the mass holds the median; closed forms differ a little.
    middle = np.quantile(draws, [0.35, 0.65])
    for low, high in (hdi, interval):
        assert low <= middle[1] + slack
        assert high >= middle[0] - slack


def check_comparison(result, rope=0.05, prob=0.9):
    """Assert what holds for every comparison."""
    for name in result.metrics:
        view = result.metric(name)
        bounds = view._metrics[name].bounds
        wide = None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0])
        check_distribution(view.draws, view.hdi(prob), view.interval(prob), wide)
        probabilities = view.probability(rope)
        assert all(0 <= p <= 1 for p in probabilities)
        assert np.isclose(sum(probabilities), 1, atol=1e-9)
        decision = view.decision(rope, prob)
        assert decision.code in WORDS
        assert np.isfinite([*decision.hdi, *decision.rope]).all()
        assert str(decision)


def check_alike(draws, others, message=""):
    """Assert that two samples have the same mean, up to the error of both."""
    scale = max(np.std(draws), np.std(others))
    error = 8 * scale / np.sqrt(min(len(draws), len(others))) + 1e-3
    assert abs(np.mean(draws) - np.mean(others)) <= error, message
