import json
import re

import skbayeseval  # noqa: F401, pytester forgets what is imported within
from tests.conftest import ROOT

pytest_plugins = ["pytester"]

TESTS = """
import re

import numpy as np
import pytest

rng = np.random.default_rng(0)
old = rng.random(400) < 0.8
same = np.where(rng.random(400) < 0.02, ~old, old)
worse = old & (rng.random(400) < 0.8)
unsure = old.copy()
unsure[np.flatnonzero(old)[:22]], unsure[np.flatnonzero(~old)[:20]] = False, True


def test_passes(bayes_compare):
    bayes_compare(same, old).assert_not_worse(0.05)
    bayes_compare(old, worse, names=("a", "b")).assert_better(0.05, 0.99, looks=3)
    bayes_compare(same, old).assert_not_worse("5%", planned=500)
    with pytest.raises(pytest.fail.Exception, match="a yes at 400 of 500 planned items; .* it is"):
        bayes_compare(unsure, old).assert_not_worse(0.02, planned=500)
    # Of the observed score of B, where the range is not known.
    bayes_compare(100.0 + same, 100.0 + old).assert_not_worse("5%")
    with pytest.raises(pytest.fail.Exception, match="by more than 5"):
        bayes_compare(100.0 + same, 100.0 + old).assert_better("5%")


def test_worse(bayes_compare):
    bayes_compare(worse, old, names=("new", "old")).assert_not_worse(0.01)


def test_not_settled(bayes_compare):
    bayes_compare(unsure, old, names=("new", "old")).assert_not_worse(0.02)


def test_not_better_enough(bayes_compare):
    bayes_compare(old, worse).assert_better(0.15)


@pytest.mark.parametrize("looks", [1, 10])
def test_what_would_pass_passes(bayes_compare, looks):
    for a, b, method in ((unsure, old, "assert_not_worse"), (old, worse, "assert_better")):
        claim = getattr(bayes_compare(a, b), method)
        with pytest.raises(pytest.fail.Exception) as failure:
            claim(0.0 if method == "assert_not_worse" else 0.3, looks=looks)
        margin = float(re.search("a margin of (.*?) would pass", str(failure.value))[1])
        claim(margin, looks=looks)


def test_more_items_would_pass(bayes_compare):
    with pytest.raises(pytest.fail.Exception) as failure:
        bayes_compare(unsure, old).assert_not_worse(0.02)
    number = int(re.search("about (.*?) items", str(failure.value))[1].replace(",", ""))
    times = -(-number // len(old))
    bayes_compare(np.tile(unsure, times), np.tile(old, times)).assert_not_worse(0.02)


def test_other_scales(bayes_compare):
    bayes_compare(100 * same, old).assert_not_worse(0.02)
"""


def test_the_fixture_and_the_example_of_the_page(pytester):
    page = (ROOT / "docs/guide/safe_to_ship.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(def test_.*?)^```$", page, re.MULTILINE | re.DOTALL)
    pytester.makepyfile(test_fixture=TESTS, test_page=example)
    rows = [
        json.dumps({"model": name, "id": i, "right": int(i % 40 >= wrong)})
        for name, wrong in (("new", 4), ("old", 5))
        for i in range(400)
    ]
    (pytester.path / "table.jsonl").write_text("\n".join(rows))
    # Here, the plugin is there before pytest can rewrite it.
    warnings = ["-W", "error", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    found = pytester.runpytest_inprocess("-p", "pytest_skbayeseval", "-rN", *warnings)
    found.assert_outcomes(passed=5, failed=4)
    printed = found.stdout.str()
    for sentence in (
        "not safe to ship: new is worse than old by more than 0.01 with probability",
        "not settled: new is not worse than old by more than 0.02 with probability",
        "not settled: A is better than B by more than 0.15 with probability",
        "If the difference stays at ",
        "UnlikelyDataWarning",
    ):
        assert sentence in printed
    assert printed.count("With these items, a margin of ") == 3
    assert "_require" not in printed  # what failed is the claim, not the plugin
