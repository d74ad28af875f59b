import numpy as np
import pandas as pd
import pytest

from skbayeseval.evidence.instances import Instances, subgroups_of

NAMED = Instances(3, pd.Index(["p", "q", "r"]))


SHUFFLED = pd.Index([2, 0, 1])


@pytest.mark.parametrize(
    ("index", "instances", "expected"),
    [
        (["r", "p", "q"], NAMED, "yzx"),
        # An index that counts rows goes by position, as any does beside instances without labels.
        (range(3), NAMED, "xyz"),
        (range(3), Instances(3), "xyz"),
        ([7, 8, 9], Instances(3), "xyz"),
        # The index of shuffled data frames labels rows; that of a list of ids does not.
        (range(3), Instances(3, SHUFFLED), "zxy"),
        (range(3), Instances(3, SHUFFLED, has_ids=True), "xyz"),
    ],
)
def test_a_series_with_the_labels_of_the_instances_may_be_in_any_order(index, instances, expected):
    found = subgroups_of(pd.Series(["x", "y", "z"], index=index, name="site"), instances)
    assert "".join(found.labels[code] for code in found.codes) == expected
    assert found.name == "site"


@pytest.mark.parametrize("index", ["pqs", "ppq"])
def test_another_index_is_refused(index):
    with pytest.raises(ValueError, match="column has another index than the data"):
        subgroups_of(pd.Series(["x", "y", "z"], index=list(index)), NAMED)


def test_labels_are_sorted_and_categories_keep_their_order():
    assert subgroups_of([3, 1, 2], Instances(3)).labels == (1, 2, 3)
    sizes = pd.Categorical(["small", "large", "small"], categories=["small", "medium", "large"])
    found = subgroups_of(sizes, Instances(3))
    assert found.labels == ("small", "large")
    assert found.codes.tolist() == [0, 1, 0]
    bins = pd.cut(pd.Series([5.0, 30.0, 70.0]), [0, 18, 65, 120])
    assert [str(label) for label in subgroups_of(bins, Instances(3)).labels] == [
        "(0, 18]",
        "(18, 65]",
        "(65, 120]",
    ]


@pytest.mark.parametrize(
    ("column", "error", "match"),
    [
        ("sex", TypeError, r"Only results of a DataFrame X know .* X\['sex'\]"),
        (["x", "y"], ValueError, "got 2 values for 3 instances"),
        (["x", None, "y"], ValueError, "column contains NaN"),
        (pd.Series(["x", None, "y"], dtype="category"), ValueError, "column contains NaN"),
        ([["x", "y"], ["x", "y"], ["x", "y"]], ValueError, "column must be a 1-D array"),
        (None, TypeError, "column must be array-like"),
    ],
)
def test_columns_that_are_refused(column, error, match):
    with pytest.raises(error, match=match):
        subgroups_of(column, Instances(3))


def test_a_column_of_numbers_needs_bins():
    with pytest.raises(ValueError, match=r"column has 201 different values.*pandas\.cut"):
        subgroups_of(np.arange(201) / 7, Instances(201))
