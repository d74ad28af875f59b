"""`compare_table` on a Parquet file, against the same GROUP BY typed into DuckDB."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measuring import Bench, Row, installed, not_installed
from skbayeseval import compare_table

COLUMNS = {"truth": "y", "a": "nb", "b": "svm"}


def parquet(bench: Bench, n_classes: int) -> Row:
    """Measure the comparison of text labels in a file."""
    n = bench.size(10_000_000, 1000)
    job = f"compare_table, {n:,} rows of Parquet, {n_classes} classes"
    against = "the same GROUP BY typed into DuckDB"
    duckdb = installed("duckdb")
    if duckdb is None:
        return not_installed(job, against)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "table.parquet")
        write(duckdb, path, n, n_classes)
        return bench.ratio(
            job,
            against,
            lambda: compare_table(path, **COLUMNS, random_state=0),
            lambda: typed(duckdb, path),
        )


def write(duckdb: Any, path: str, n_rows: int, n_classes: int) -> None:
    """Write labels as text, of which A repeats 90% and B 85%."""
    predicted = ", ".join(
        f"'c' || if(random() < {right}, k, (random() * {n_classes})::INT % {n_classes}) AS {name}"
        for right, name in ((0.9, "nb"), (0.85, "svm"))
    )
    with duckdb.connect() as connection:
        connection.execute("SELECT setseed(0.5)").fetchall()
        connection.sql(
            f"SELECT 'c' || k AS y, {predicted}, i AS id "
            f"FROM (SELECT i, (random() * {n_classes})::INT % {n_classes} AS k "
            f"FROM range({n_rows}) t(i))"
        ).write_parquet(path)


def typed(duckdb: Any, path: str) -> Any:
    """Return what a user would type."""
    with duckdb.connect() as connection:
        return connection.sql(
            f"SELECT y, nb, svm, count(*) FROM '{path}' GROUP BY y, nb, svm"
        ).fetchall()
