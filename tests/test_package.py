import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import skbayeseval

PACKAGE = Path(skbayeseval.__file__).parent

# Each room may import from rooms of a lower number, and from itself.
FLOORS = {
    "_parameters": 0,
    "_validation": 0,
    "_version": 0,
    "evidence": 1,
    "metrics": 1,
    "score_metrics": 0,
    "judgement": 1,
    "models": 2,
    "display": 2,
    "engines": 3,
    "posterior": 4,
    "classical": 4,
    "equality": 5,
    "predictive": 5,
    "sampled": 5,
    "diagnostics": 5,
    "export": 5,
    "pair": 6,
    "assemble": 6,
    "storage": 7,
    "view": 8,
    "telling": 8,
    "result": 9,
    "score_result": 9,
    "ranking": 10,
    "power": 10,
    "compare": 11,
    "score_comparison": 11,
    "targets": 11,
    "score_target": 12,
    "cross_validation": 13,
    "comparer": 14,
    "search": 14,
    "__init__": 15,
    "demo": 16,
    "reproduce": 16,
    "cli": 17,
    "__main__": 18,
}


def imported_rooms(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "skbayeseval":
                known = {alias.name for alias in node.names} & FLOORS.keys()
                yield from known or {"__init__"}
            elif node.module.startswith("skbayeseval."):
                yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "skbayeseval":
                    yield alias.name.split(".")[1] if "." in alias.name else "__init__"


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=str)
def test_imports_run_one_way(path):
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    room = parts[0]
    for other in imported_rooms(path):
        assert other == room or FLOORS[other] < FLOORS[room], f"{path} imports {other}"


def test_import_is_light():
    code = (
        "import sys, sklearn.model_selection; before = set(sys.modules); import skbayeseval;"
        "print([m for m in ('pymc', 'arviz', 'matplotlib') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_public_names_exist():
    for name in skbayeseval.__all__:
        assert getattr(skbayeseval, name) is not None
    assert skbayeseval.hdi(np.arange(10.0)).low == 0
