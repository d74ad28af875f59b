"""The package runs no code from files and needs no network."""

import ast
import socket
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import skbayeseval
from skbayeseval import bayesian_cross_validate, load_result
from skbayeseval.cli import main

SOURCES = sorted(Path(skbayeseval.__file__).parent.rglob("*.py"))

# Modules that unpickle, run other programs or open connections.
MODULES = {
    "pickle", "cPickle", "_pickle", "cloudpickle", "dill", "marshal", "shelve", "copyreg",
    "socket", "ssl", "http", "urllib", "urllib3", "requests", "httpx", "aiohttp", "ftplib",
    "smtplib", "telnetlib", "xmlrpc", "subprocess", "ctypes", "code", "runpy",
}  # fmt: skip
FUNCTIONS = {"eval", "exec", "compile", "__import__"}
METHODS = {"system", "popen", "read_pickle", "to_pickle", "import_module"}

# A digest of the user's code follows what it imports: the one place that imports by name, and that
# knows the name of the function (SECURITY.md).
ALLOWED = {"digest": ["import_module"] * 3}


def forbidden(tree):
    """Yield the line and the name of whatever should not be used."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [node.module or "", *(one.name for one in node.names)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found = [node.func.id] if node.func.id in FUNCTIONS else []
        elif isinstance(node, ast.Attribute):
            found = [node.attr] if node.attr in METHODS else []
        elif isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            is_false = isinstance(node.value, ast.Constant) and node.value.value is False
            found = [] if is_false else ["allow_pickle"]
        else:
            continue
        for name in found:
            if {name, name.partition(".")[0]} & (MODULES | FUNCTIONS | METHODS | {"allow_pickle"}):
                yield node.value.lineno if isinstance(node, ast.keyword) else node.lineno, name


def test_sources():
    found = {
        path.stem: [name for _, name in forbidden(ast.parse(path.read_text(encoding="utf-8")))]
        for path in SOURCES
    }
    assert len(SOURCES) > 80
    assert {name: names for name, names in found.items() if names} == ALLOWED


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from urllib.request import urlopen",
        "import os.path, socket",
        "from multiprocessing import pickle",
        "x = eval('1')",
        "np.load(f, allow_pickle=True)",
        "pd.read_pickle(f)",
        "__import__('os')",
        "importlib.import_module('os')",
    ],
)
def test_what_is_searched_for_is_found(source):
    assert list(forbidden(ast.parse(source)))


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
