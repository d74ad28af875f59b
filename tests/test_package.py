import subprocess
import sys

import numpy as np

import skbayeseval


def test_import_is_light():
    code = (
        "import sys, skbayeseval.cli;"
        "print([m for m in ('pymc', 'arviz', 'matplotlib', 'duckdb') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_public_names_exist():
    for name in skbayeseval.__all__:
        assert getattr(skbayeseval, name) is not None
    assert skbayeseval.hdi(np.arange(10.0)).low == 0
