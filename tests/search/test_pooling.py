import runpy

import numpy as np
import pytest

from tests.conftest import ROOT


@pytest.mark.slow
@pytest.mark.parametrize("source", ["counts", "scores"])
@pytest.mark.parametrize("truth", ["equal", "one better", "ramp"])
def test_reports_are_rarely_wrong(source, truth):
    """A part of benchmarks/search_pooling.py: fifty candidates, thirty reports."""
    benchmark = runpy.run_path(str(ROOT / "benchmarks" / "search_pooling.py"))
    p, rng = benchmark["accuracies"](truth, 50), np.random.default_rng(0)
    found = []
    for seed in range(30):
        search, *_ = benchmark["searched"](p, 2000, 0.7, source, rng)
        found.append(benchmark["outcome"](search, (), p, source, seed))
    false, unpooled, best, named, highest, settled, simple, _ = np.array(found, dtype=float).T
    assert false.mean() < 0.15  # 5% by design, with room for thirty reports
    assert best.mean() < 0.1
    assert named.mean() > highest.mean() - 0.1
    assert simple.mean() > 0.8
    if truth == "equal":
        assert unpooled.mean() > 0.9
        assert settled.mean() > 0.9
