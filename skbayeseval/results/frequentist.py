"""Which classical tests the evidence of a comparison allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skbayeseval.evidence.chunks import ChunkCounts
from skbayeseval.evidence.counts import ConfusionCounts, Evidence, PairedCounts, margins_of
from skbayeseval.evidence.instance_scores import ScoredInstances
from skbayeseval.evidence.split_scores import DataSetScores, SplitScores
from skbayeseval.evidence.units import UnitCounts, UnitMargin
from skbayeseval.judgement.frequentist import (
    SignificanceTest,
    blocked_three_by_two_t,
    corrected_resampled_t,
    five_by_two_f,
    five_by_two_t,
    mcnemar,
    paired_t,
    sign_test,
    two_proportion_z,
)
from skbayeseval.metrics.confusion import totals_of
from skbayeseval.splitting.block_cv import BlockRegularizedCV
from skbayeseval.splitting.collect import CrossValidation

__all__ = ["classical_tests"]

Array = NDArray[Any]

COLUMNS = ["level", "compares", "statistic", "df", "n", "pvalue", "note"]

# What to call the test, its level, what it compares, a note, and the test.
Row = tuple[str, str, str, str, SignificanceTest]


def classical_tests(
    evidence: Evidence, record: CrossValidation | None, names: tuple[str, str], metric: str
) -> pd.DataFrame:
    """Return one row a test; those of splits are of the scores that `record` holds."""
    rows = [*_of_instances(evidence), *_of_classes(evidence)]
    if isinstance(evidence, DataSetScores):
        a, b = evidence.scores.get(metric, next(iter(evidence.scores.values()))).mean(axis=-1)
        for test in (sign_test(a, b), paired_t(a, b)):
            rows.append((f"{test.name} of data sets", "data sets", metric, "", test))
    if record is None and isinstance(evidence, SplitScores):
        share = evidence.test_fraction
        test = corrected_resampled_t(*evidence.scores[metric], n_train=1 - share, n_test=share)
        rows.append((test.name, "splits", metric, "Nadeau and Bengio (2003)", test))
    if record is not None and metric in record.scores:
        a, b = (record.scores[metric][name] for name in names)
        rows += [
            (test.name, "splits", metric, note, test) for test, note in _of_splits(record, a, b)
        ]
    table = [
        [level, compares, test.statistic, test.df, test.n, test.pvalue, note]
        for _, level, compares, note, test in rows
    ]
    return pd.DataFrame(table, pd.Index([row[0] for row in rows], name="test"), COLUMNS)


def _of_instances(evidence: Evidence) -> Iterator[Row]:
    """Yield the tests of instances, or of chunks.

    Exact tests need whole instances, each counted once: where counts have a weight only the z-test
    is left, of effective counts. The labels of an instance, and the instances of a group, are not
    independent.
    """
    if isinstance(evidence, (UnitCounts, ScoredInstances, SplitScores, DataSetScores)):
        return
    margins = margins_of(evidence)
    weight = margins[0].weight
    compares, right = _correctness(evidence)
    if weight == 1 and right.size:
        only_a, only_b = int(np.sum(right[0] > right[1])), int(np.sum(right[0] < right[1]))
        yield "sign test", "micro", compares, "s-test of Yang and Liu (1999)", sign_test(*right)
        for mid_p in (False, True):
            test = mcnemar(only_a, only_b, mid_p=mid_p)
            yield test.name, "micro", compares, "", test
    note = "p-test of Yang and Liu (1999), unpaired"
    note += "" if weight == 1 else ", on effective counts"
    for compares in ["accuracy"] if margins[0].has_true_negatives else ["recall", "precision"]:
        trials = [trial for counts in margins for trial in _trials(counts, compares)]
        if trials[1] and trials[3]:
            name = "two-proportion z" + ("" if compares == "accuracy" else f" of {compares}")
            yield name, "micro", compares, note, two_proportion_z(*trials)


def _of_classes(evidence: Evidence) -> Iterator[Row]:
    """Yield the tests of the F1 of each of three or more classes or labels."""
    margins = margins_of(evidence)
    if len(margins[0].labels) < 3 or isinstance(evidence, ScoredInstances):
        return
    a, b = (_f1_of_classes(counts) for counts in margins)
    note = "-test of Yang and Liu (1999)"
    yield "sign test of classes", "macro", "F1 of each class", f"S{note}", sign_test(a, b)
    yield "paired t of classes", "macro", "F1 of each class", f"T{note}", paired_t(a, b)


def _of_splits(
    record: CrossValidation, a: Array, b: Array
) -> Iterator[tuple[SignificanceTest, str]]:
    """Yield the tests of the scores of the splits."""
    scored = np.isfinite(a) & np.isfinite(b)
    if record.test_size is not None and scored.sum() > 1:
        test = corrected_resampled_t(
            a[scored], b[scored], n_train=record.train_size, n_test=record.test_size
        )
        yield test, "Nadeau and Bengio (2003)"
    if not scored.all():
        return
    if record.two_fold_repeats == 3 and record.splitter == BlockRegularizedCV.__name__:
        yield blocked_three_by_two_t(a, b), "Wang et al. (2014)"
    if record.two_fold_repeats == 5:
        yield five_by_two_t(a, b), "Dietterich (1998)"
        yield five_by_two_f(a, b), "Alpaydin (1999)"


def _correctness(evidence: Evidence) -> tuple[str, Array]:
    """Return what is right or wrong, and for A and B which are right; empty if it is not known."""
    if isinstance(evidence, PairedCounts):
        right = evidence.predictions == evidence.truth[:, None]
        return "accuracy", np.repeat(right.T.astype(float), evidence.counts.astype(int), axis=1)
    if isinstance(evidence, ChunkCounts):
        found = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]])
        return "recall", np.repeat(found, evidence.cells[:4].astype(int), axis=1)
    return "", np.empty((2, 0))


def _trials(counts: ConfusionCounts, compares: str) -> tuple[float, float]:
    """Return how many were right, and of how many."""
    if compares == "accuracy":
        return float(np.trace(counts.effective)), counts.total * counts.weight
    true, predicted = totals_of(counts.effective)[1:]
    positive = 1 if counts.positive is None else counts.positive
    hits = float(counts.effective[positive, positive])
    return hits, float((true if compares == "recall" else predicted)[positive])


def _f1_of_classes(counts: ConfusionCounts | UnitMargin) -> Array:
    """Return the F1 of each class, 0 where it neither occurs nor is predicted."""
    if isinstance(counts, UnitMargin):
        hits, true, predicted = counts.hits, counts.true, counts.predicted
    else:
        hits, true, predicted = totals_of(counts.table)
    return 2 * hits / np.maximum(true + predicted, 1)
