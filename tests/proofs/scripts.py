"""What several proofs need: scripts of the benchmarks as modules, and how moments are compared."""

import importlib.util
import sys

import numpy as np

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


def assert_same_moments(x, y):
    """Compare mean and variance of independent draws, within 5 standard errors of each."""
    centre = (x.mean() + y.mean()) / 2
    for p, q in ((x, y), ((x - centre) ** 2, (y - centre) ** 2)):
        error = np.hypot(p.std() / np.sqrt(len(p)), q.std() / np.sqrt(len(q)))
        assert abs(p.mean() - q.mean()) < 5 * error + 1e-12
