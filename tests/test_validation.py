import numpy as np
import pytest

from skbayeseval._validation import (
    check_names,
    check_probability,
    check_random_state_entropy,
    check_size,
    check_weight,
    check_whole_number,
)


@pytest.mark.parametrize("prob", [0, 1, -0.1, 1.5, np.nan])
def test_probability_outside(prob):
    with pytest.raises(ValueError, match="prob == "):
        check_probability(prob)


def test_probability_type():
    with pytest.raises(TypeError, match="prob must be an instance of"):
        check_probability("0.9")


@pytest.mark.parametrize("weight", [0, -1, np.inf, np.nan])
def test_weight_must_be_positive(weight):
    with pytest.raises(ValueError, match="weight == "):
        check_weight(weight)


def test_whole_number():
    assert check_whole_number(np.int64(7), "n") == 7
    with pytest.raises(TypeError, match="n must be an instance of"):
        check_whole_number(7.0, "n")
    with pytest.raises(TypeError, match="not bool"):
        check_whole_number(True, "n")
    with pytest.raises(ValueError, match="n == 0, must be >= 1"):
        check_whole_number(0, "n")


@pytest.mark.parametrize(
    ("value", "needed"),
    [
        (10**9, "n == 1000000000 would need about 48 GB"),
        (2**64, r"above 10\*\*15"),
        (10**400, "GB"),
    ],
)
def test_more_than_memory_holds(value, needed):
    assert check_size(20_000_000, "n", 48) == 20_000_000
    with pytest.raises(ValueError, match=f"{needed}.*Use n <= 20833333"):
        check_size(value, "n", 48)


@pytest.mark.parametrize("names", [("A",), ("A", "A"), ("A", 1), ("A", "B", "C")])
def test_names(names):
    with pytest.raises(ValueError, match="names must"):
        check_names(names, 2)


def test_names_are_no_string():
    with pytest.raises(TypeError, match="names must be a sequence of 2 strings, got 'AB'"):
        check_names("AB", 2)


def test_entropy():
    assert check_random_state_entropy(42) == 42
    assert check_random_state_entropy(None) != check_random_state_entropy(None)
    for make in (np.random.RandomState, np.random.default_rng):
        first, second = make(3), make(3)
        assert check_random_state_entropy(first) == check_random_state_entropy(second)
        assert check_random_state_entropy(first) != check_random_state_entropy(make(4))
    with pytest.raises(ValueError, match="random_state == -1"):
        check_random_state_entropy(-1)
    with pytest.raises(TypeError, match="random_state must be"):
        check_random_state_entropy("seed")
