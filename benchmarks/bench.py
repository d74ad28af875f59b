"""Run times of the package as one table of ratios, each measured within the same run.

    python -m benchmarks.bench
    python -m benchmarks.bench --only paired-50000 multilabel
    python -m benchmarks.bench --json benchmarks/results.json --page docs/performance.md

A ratio is our time divided by that of something that a reader can judge: numpy drawing the random
numbers that a comparison stands on, scikit-learn, or another package. Both are run by
turns, on one thread, and the ratio is the median over the rounds. Where draws can be made by
several threads, ours are made by two as well. Other packages come with
``pip install '.[benchmarks]'``. The machine should have nothing else to do.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks import growth, jobs, many_classifiers, peers
from benchmarks.measuring import Bench, Row
from benchmarks.performance_table import as_text, number, write_into

JOBS: dict[str, Callable[[Bench], Row | list[Row]]] = {
    "paired-50000": partial(jobs.paired_binary, n_draws=50_000),
    "paired-20000": partial(jobs.paired_binary, n_draws=20_000),
    "hierarchical": partial(jobs.ten_classes, model="hierarchical"),
    "ten-classes": partial(jobs.ten_classes, model="paired"),
    "multilabel": jobs.multilabel,
    "thousand-classes": jobs.thousand_classes,
    "many-classifiers": many_classifiers.many_classifiers,
    "required-size": jobs.required_sample_size,
    "bayes-factor": jobs.bayes_factor,
    "roc-auc": partial(jobs.ranking_metric, metric="roc_auc"),
    "average-precision": partial(jobs.ranking_metric, metric="average_precision"),
    "counting-integers": jobs.integers,
    "counting-strings": jobs.strings,
    "cross-validation": jobs.cross_validation,
    "full-size": jobs.full_size,
    "fast-learners": jobs.fast_learners,
    "routed-weights": jobs.routed_weights,
    "money": jobs.money,
    "called": jobs.called,
    "search": jobs.recorded_search,
    "kept-predictions": jobs.kept_predictions,
    "pymc": partial(jobs.exact_against_pymc, n_classes=2, model="paired"),
    "prob_conf_mat": peers.with_prob_conf_mat,
    "baycomp": peers.with_baycomp,
    "correlated-t": peers.correlated_t,
    "confidenceinterval": peers.with_confidenceinterval,
    "growth-draws": growth.draws,
    "growth-classes": growth.classes,
    "growth-labels": growth.instances,
    "growth-classifiers": growth.classifiers,
    "growth-candidates": growth.candidates,
    "rows-auc": partial(growth.rows, scoring="roc_auc", sizes=(10_000, 30_000, *growth.ROWS[1:])),
    "rows-log-loss": partial(growth.rows, scoring="neg_log_loss"),
    "rows-r2": partial(growth.rows, scoring="r2"),
    "rows-f1": partial(growth.rows, scoring="f1_macro"),
    "systems": growth.systems,
}

PACKAGES = ("skbayeseval", "numpy", "scipy", "scikit-learn", "pymc", *peers.PEERS)


def measure(names: Iterable[str], scale: float = 1.0) -> dict[str, Any]:
    """Run jobs and return all that the table says, ready for JSON."""
    bench, rows, start = Bench(scale), [], time.perf_counter()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            begin = time.perf_counter()
            found = JOBS[name](bench)
            found = found if isinstance(found, list) else [found]
            rows += [{"name": name, **row.to_dict()} for row in found]
            values = ", ".join(number(row.value, row.unit) for row in found)
            took = f"{time.perf_counter() - begin:.0f} s"
            print(f"{name}: {values} (took {took})", file=sys.stderr, flush=True)
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": {name: version for name in PACKAGES if (version := version_of(name))},
        "minutes": round((time.perf_counter() - start) / 60, 1),
        "rows": rows,
    }


def version_of(package: str) -> str | None:
    """Return the version of an installed package, None if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def main(arguments: list[str] | None = None) -> None:
    """Measure, print the table, and write it where this is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        choices=JOBS,
        default=list(JOBS),
        help=f"some of {', '.join(JOBS)}",
    )
    parser.add_argument("--json", type=Path, help="write the results there")
    parser.add_argument("--page", type=Path, help="renew the table in that file")
    parser.add_argument("--scale", type=float, default=1.0, help="multiply sizes by this")
    options = parser.parse_args(arguments)
    if options.page and (options.only != list(JOBS) or options.scale != 1):
        parser.error("--page requires the whole table: leave --only and --scale out.")
    results = measure(options.only, options.scale)
    print(as_text(results))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    if options.page:
        write_into(options.page, results)


if __name__ == "__main__":
    main()
