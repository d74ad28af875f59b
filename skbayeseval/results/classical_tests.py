"""The classical tests on the evidence of a comparison, one row each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import TimeSeriesSplit

from skbayeseval._arrays import Array
from skbayeseval.evidence import ConfusionCounts, Evidence
from skbayeseval.judgement import frequentist
from skbayeseval.judgement.frequentist import SignificanceTest, mcnemar, paired_t, sign_test
from skbayeseval.metrics.metric import Metric, totals_of
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.splitting.block_cv import BlockRegularizedCV
from skbayeseval.splitting.collect import CrossValidation

COLUMNS = ["test", "level", "compares", "statistic", "df", "n", "pvalue", "note"]

# The name of the test, its level, what it compares, a note, and the test itself.
Row = tuple[str, str, str, str, SignificanceTest]


def classical_tests(
    posterior: Posterior, record: CrossValidation | None, names: tuple[str, str], of: Metric
) -> pd.DataFrame:
    """Return one row per test; tests of splits use the split scores in `record`.

    Classical tests have no inferred weights. They use the published one.
    """
    evidence, metric = posterior.evidence, of.name
    if record is not None and record.published_weight is not None and not evidence.is_of_splits:
        evidence = evidence.with_weight(record.published_weight)
    rows = [*_of_instances(evidence), *_of_classes(evidence)]
    if record is None or record.splitter == TimeSeriesSplit.__name__:
        rows += _in_order(evidence, posterior.scored, of)
    if record is None:
        rows += [*_of_items(evidence, metric), *_of_groups(evidence, metric)]
        for name, level, note, test in evidence.split_tests(metric):
            rows.append((name, level, metric, note, test))
    elif metric in record.scores:
        a, b = (record.scores[metric][name] for name in names)
        rows += _of_splits(record, metric, a, b)
    if not rows:
        raise ValueError(
            f"No classical test that is implemented here applies to {metric!r} of "
            f"{evidence.describe()}. There are tests of labels and of items that are independent, "
            "of the mean accuracy or score of groups, and of the scores of the splits of a "
            "cross-validation."
        )
    table = [
        [name, level, compares, test.statistic, test.df, test.n, test.pvalue, note]
        for name, level, compares, note, test in rows
    ]
    return pd.DataFrame(table, columns=COLUMNS).set_index("test")


def _of_instances(evidence: Evidence) -> Iterator[Row]:
    """Yield the tests of instances, or of chunks.

    Exact tests require that every instance is counted once. If counts are weighted, only the z-test
    applies, to effective counts. There are none for multi-label indicators and for the instances of
    groups, because the labels of an instance and the instances of a group are not independent.
    """
    if evidence.family not in ("classes", "chunks"):
        return
    margins = evidence.margins()
    weight = margins[0].weight
    judged = evidence.correctness()
    if weight == 1 and judged is not None and judged[1].size:
        compares, right = judged
        only_a, only_b = int(np.sum(right[0] > right[1])), int(np.sum(right[0] < right[1]))
        yield "sign test", "micro", compares, "s-test of Yang and Liu (1999)", sign_test(*right)
        yield from _of_discordant("micro", compares, "", only_a, only_b)
    note = "p-test of Yang and Liu (1999), for predictions of different instances"
    note += "" if weight == 1 else ", on effective counts"
    unpaired = ", ignoring pairs" if evidence.is_paired else ""
    of_a, of_b = map(_trials, margins)
    for compares, trials in of_a.items():
        others = of_b[compares]
        if trials[1] and others[1]:
            name = "two-proportion z" + ("" if len(of_a) == 1 else f" of {compares}")
            test = frequentist.two_proportion_z(*trials, *others)
            yield name + unpaired, "micro", compares, note, test


def _of_classes(evidence: Evidence) -> Iterator[Row]:
    """Yield the tests of the F1 of each class, if there are three or more classes or labels."""
    margins = evidence.margins()
    if len(margins[0].labels) < 3 or not evidence.has_class_counts:
        return
    # F1 is 0 if a class neither occurs nor is predicted.
    a, b = (2 * one.hits / np.maximum(one.true + one.predicted, 1) for one in margins)
    note = "-test of Yang and Liu (1999)"
    yield "sign test of classes", "macro", "F1 of each class", f"S{note}", sign_test(a, b)
    yield "paired t of classes", "macro", "F1 of each class", f"T{note}", paired_t(a, b)


def _of_items(evidence: Any, metric: str) -> Iterator[Row]:
    """Yield the tests of scores of independent items, over their runs."""
    if not evidence.is_of_items or evidence.n_groups or evidence.n_rows == 1:
        return
    if not evidence.has_given_scores:  # fewer degrees of freedom than there are items
        return
    a, b = evidence.sign * evidence.means
    yield from _of_pairs("items", metric, evidence.noun_of_means, a, b)
    if evidence.family == "right or wrong":
        note = "items that one of the two got right"
        yield from _of_discordant("items", metric, note, int(np.sum(a > b)), int(np.sum(a < b)))


def _of_groups(evidence: Any, metric: str) -> Iterator[Row]:
    """Yield the tests of the means of groups, which are independent of each other."""
    if evidence.n_groups < 2:
        return
    if evidence.is_of_items:
        if not evidence.has_given_scores:
            return
        units = evidence.units()
        a, b = evidence.sign * units.sums / units.sizes
    elif evidence.family == "groups" and evidence.cells and evidence.weight == 1:
        metric = "accuracy"
        a, b = (np.ravel(hits.sum(axis=1)) / evidence.sizes for hits in evidence.hits)
    else:
        return
    what = evidence.noun_of_groups
    yield from _of_pairs(what, metric, f"means of {what}, each of which counts once", a, b)


def _in_order(evidence: Any, scored: Any, metric: Metric) -> Iterator[Row]:
    """Yield the test of rows in order, whose neighbours are correlated, if groups are blocks."""
    length, compares = evidence.block_length, metric.name
    if length is None or not getattr(evidence, "has_given_scores", True):
        return
    if metric.weighs_instances:
        # Of a mean, these are its values.
        influence = scored.influence(metric)
        a, b = influence.shape[1] * influence + np.array(scored.observed(metric))[:, None]
    elif evidence.is_of_items:
        a, b = evidence.sign * evidence.means
    elif evidence.losses is not None:
        compares = "accuracy"
        a, b = 1 - evidence.losses
    else:
        return
    test = frequentist.diebold_mariano(a, b, lag=length - 1)
    yield test.name, "rows", compares, f"correlated up to lag {length - 1}", test


def _of_pairs(level: str, metric: str, note: str, a: Array, b: Array) -> Iterator[Row]:
    yield f"paired t of {level}", level, metric, note, paired_t(a, b)
    yield f"sign test of {level}", level, metric, note, sign_test(a, b)


def _of_discordant(level: str, metric: str, note: str, only_a: int, only_b: int) -> Iterator[Row]:
    for mid_p in (False, True):
        test = mcnemar(only_a, only_b, mid_p=mid_p)
        yield test.name, level, metric, note, test


def _of_splits(record: CrossValidation, metric: str, a: Array, b: Array) -> Iterator[Row]:
    """Yield the tests of the split scores."""
    scored = np.isfinite(a) & np.isfinite(b)
    tests = {}
    if record.test_size is not None and scored.sum() > 1:
        sizes = {"n_train": record.train_size, "n_test": record.test_size}
        corrected = frequentist.corrected_resampled_t(a[scored], b[scored], **sizes)
        tests["Nadeau and Bengio (2003)"] = corrected
    repeats = record.two_fold_repeats if scored.all() else None
    if repeats == 3 and record.splitter == BlockRegularizedCV.__name__:
        tests["Wang et al. (2014)"] = frequentist.blocked_three_by_two_t(a, b)
    if repeats == 5:
        tests["Dietterich (1998)"] = frequentist.five_by_two_t(a, b)
        tests["Alpaydin (1999)"] = frequentist.five_by_two_f(a, b)
    for note, test in tests.items():
        yield test.name, "splits", metric, note, test


def _trials(counts: ConfusionCounts) -> dict[str, tuple[float, float]]:
    """Return the numbers of successes and of trials of each proportion that is compared."""
    if counts.has_true_negatives:
        right = float(counts.hits.sum() * counts.weight)
        return {"accuracy": (right, counts.total * counts.weight)}
    true, predicted = totals_of(counts.effective)[1:]
    positive = 1 if counts.positive is None else counts.positive
    hits = float(counts.effective[positive, positive])
    trials = {"recall": true, "precision": predicted}
    return {compares: (hits, float(total[positive])) for compares, total in trials.items()}
