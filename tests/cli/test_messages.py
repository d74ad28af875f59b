"""Hints in the words of options."""

import pytest

from skbayeseval.cli.output import InputError, in_words_of_options


@pytest.mark.parametrize(
    ("message", "command", "expected"),
    [
        ("Pass labels= if there are more.", "compare", "Pass --labels if there are more."),
        ("scoring='f1' requires pos_label=.", "compare", "--scoring f1 requires --pos-label."),
        ("pos_label=1 is not valid", "compare", "--pos-label 1 is not valid"),
        ("not in labels=['a', 'b']: ['c']", "compare", "not in --labels ['a', 'b']: ['c']"),
        ("y_true and y_pred_a differ", "compare", "--truth and --a differ"),
        ("y_true and y_pred_a differ", "items", "y_true and y_pred_a differ"),
        ("counts_b must be", "counts", "--b must be"),
        ("predictions['x y'] is empty", "compare", "the predictions of x y is empty"),
        ("rope=-1.0 must", "counts", "--rope -1.0 must"),
        ("margin=2 is", "counts", "--rope 2 is"),
        ("n_draws=3 must", "items", "--draws 3 must"),
        ("sample_weight= stays", "compare", "sample_weight= stays"),
        ("pass runs=True, or filter=", "items", "pass --runs, or --filter"),
    ],
)
def test_arguments_become_options(message, command, expected):
    assert in_words_of_options(ValueError(message), command) == expected


def test_columns_keep_their_names():
    error = InputError("--truth y_true: no such column in labels=.csv, which has y_pred_a")
    assert in_words_of_options(error, "compare") == str(error)
