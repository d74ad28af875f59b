"""Engines, which draw from the posterior that a specification describes."""

from skbayeseval.engines.data_sets import sample_data_sets
from skbayeseval.engines.pymc import Engine, ExactEngine, PyMCEngine

__all__ = ["ENGINES", "Engine", "ExactEngine", "PyMCEngine", "sample_data_sets"]

# All engines by name.
ENGINES: dict[str, type[Engine]] = {"exact": ExactEngine, "pymc": PyMCEngine}
