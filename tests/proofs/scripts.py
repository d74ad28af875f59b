"""Scripts of the benchmarks as modules."""

import importlib.util
import sys

from tests.conftest import ROOT


def load(path):
    """Import a script by its path from the root."""
    name = path.rsplit("/", 1)[-1].removesuffix(".py")
    specification = importlib.util.spec_from_file_location(name, ROOT / path)
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # dataclasses look their module up
    sys.path.insert(0, str((ROOT / path).parent))  # as Python does with a script
    try:
        specification.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


sbc = load("benchmarks/calibration/sbc.py")
prior_cases = sys.modules["prior_cases"]
