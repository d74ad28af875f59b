"""The benchmarks run, and docs/performance.md shows what they found."""

import json

import numpy as np
import pytest

from benchmarks.bench import JOBS, main, measure
from benchmarks.measuring import Bench, Row
from benchmarks.performance_table import BEGIN, END, SHOWN, as_markdown, as_text, number, write_into
from tests.conftest import ROOT


def check(results, names):
    """Every job has given rows with a number, or with the name of a package that is not there."""
    assert {row["name"] for row in results["rows"]} == set(names)
    for row in results["rows"]:
        if row["value"] is None:
            assert row["name"] in {"prob_conf_mat", "baycomp", "correlated-t", "confidenceinterval"}
        else:
            assert np.isfinite(row["value"])
            assert row["unit"] == "exponent" or row["value"] > 0
            assert row["rounds"] >= 1
    assert json.loads(json.dumps(results)) == results


@pytest.mark.slow
@pytest.mark.parametrize("name", JOBS)
def test_all_jobs_run_at_small_sizes(name):
    check(measure([name], scale=1e-3), [name])


def test_the_page_shows_the_results():
    results = json.loads((ROOT / "benchmarks" / "results.json").read_text())
    assert {row["name"] for row in results["rows"]} == set(JOBS)
    page = (ROOT / "docs" / "performance.md").read_text()
    assert f"{BEGIN}\n{as_markdown(results)}\n{END}" in page


def test_prints_and_writes_what_it_found(tmp_path, capsys):
    path = tmp_path / "results.json"
    main(["--only", "paired-20000", "--scale", "0.01", "--json", str(path)])
    (row,) = json.loads(path.read_text())["rows"]
    printed = capsys.readouterr().out
    assert number(row["value"]) in printed
    assert row["name"] == "paired-20000"


def test_renews_the_table_and_nothing_else(tmp_path):
    row = Row("some job", "something", value=0.02, two_threads=0.5, rounds=3).to_dict()
    missing = Row("another job", "a package").to_dict()
    rows = [{"name": SHOWN[0], **row}, {"name": SHOWN[1], **missing}]
    results = {"date": "2026-01-01", "cores": 2, "python": "3.11", "versions": {}, "rows": rows}
    path = tmp_path / "page.md"
    path.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write_into(path, results)
    text = path.read_text()
    assert text.startswith(f"before\n{BEGIN}\n| job |")
    assert text.endswith(f"{END}\nafter\n")
    assert "| some job | something | 1/50 | 0.5 |" in text
    assert "| another job | a package | not installed |  |" in text
    assert "old" not in text
    assert "not installed" in as_text(results)
    path.write_text("no marks")
    with pytest.raises(ValueError, match="no lines"):
        write_into(path, results)


@pytest.fixture
def lasting(monkeypatch):
    """Return calls that move the clock by a duration."""
    now = [0.0]
    monkeypatch.setattr("benchmarks.measuring.time.perf_counter", lambda: now[0])
    return lambda duration: lambda: now.__setitem__(0, now[0] + duration)


def test_growth_is_the_exponent(lasting):
    row = Bench().growth("squares", lambda n: lasting(n**2), 10)
    assert row.value == pytest.approx(2)
    assert row.against == "10 to 80"


def test_ratio_is_that_of_the_times(lasting):
    row = Bench().ratio("job", "other", lasting(6.0), lasting(2.0), times=10, two_threads=True)
    assert [row.value, row.two_threads] == pytest.approx([0.3, 0.3])
    assert row.low == pytest.approx(row.high)
