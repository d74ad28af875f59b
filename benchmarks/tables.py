"""Run time of `compare_table`, compared with the same GROUP BY typed into DuckDB.

python benchmarks/tables.py [ROWS]
"""

import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import duckdb
import numpy as np

from skbayeseval import compare_predictions, compare_table

REPEATS = 15
COLUMNS = {"truth": "y", "a": "nb", "b": "svm"}


def seconds(run):
    start = time.perf_counter()
    found = run()
    return time.perf_counter() - start, found


def write(path, n_rows, n_classes):
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


def typed(path):
    with duckdb.connect() as connection:
        return connection.sql(
            f"SELECT y, nb, svm, count(*) FROM '{path}' GROUP BY y, nb, svm"
        ).fetchall()


def main():
    n_rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
    for n_classes in (2, 20):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "table.parquet")
            write(path, n_rows, n_classes)
            ours, theirs = [], []
            for _ in range(REPEATS + 1):
                theirs.append(seconds(lambda p=path: typed(p))[0])
                time_taken, result = seconds(
                    lambda p=path: compare_table(p, **COLUMNS, random_state=0)
                )
                ours.append(time_taken)
            ratio = median(a / b for a, b in zip(ours[1:], theirs[1:], strict=True))
            print(
                f"{n_rows:,} rows, {n_classes} classes, {len(result.evidence.counts)} outcomes: "
                f"GROUP BY {median(theirs[1:]):.3f} s, compare_table {median(ours[1:]):.3f} s, "
                f"median ratio {ratio:.2f}"
            )
            with duckdb.connect() as connection:
                columns = connection.read_parquet(path).project("y, nb, svm").fetchnumpy()
            taken, expected = seconds(
                lambda c=columns: compare_predictions(
                    *(np.asarray(c[name]) for name in COLUMNS.values()), random_state=0
                )
            )
            same = result.evidence == expected.evidence
            print(f"  counts equal those of the arrays: {same} (counted in {taken:.1f} s)")


if __name__ == "__main__":
    main()
