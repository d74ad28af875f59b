"""The package needs no network."""

import socket

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from skbayeseval import bayesian_cross_validate, load_result
from skbayeseval.cli import main


def test_without_a_network(monkeypatch, tmp_path, capsys):
    class NoSocket(socket.socket):
        def __init__(self, *_, **__):
            raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", NoSocket)
    with pytest.raises(AssertionError, match="a socket was opened"):
        socket.create_connection(("127.0.0.1", 9))
    X, y = make_classification(80, random_state=0)
    result = bayesian_cross_validate(
        GaussianNB(), LogisticRegression(), X, y, n_draws=200, random_state=0
    )
    result.save(tmp_path / "result.npz")
    again = load_result(tmp_path / "result.npz")
    again.plot(rope=0.01).figure_.savefig(tmp_path / "figure.png")
    table = tmp_path / "table.csv"
    pd.DataFrame({"y": y, "a": y, "b": np.roll(y, 1)}).to_csv(table)
    options = ["--truth", "y", "--a", "a", "--b", "b", "--rope", "0.01", "--draws", "200"]
    assert main(["compare", str(table), *options, "--plot", str(tmp_path / "other.png")]) == 0
    assert "accuracy" in capsys.readouterr().out
