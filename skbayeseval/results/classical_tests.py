"""The classical tests on the evidence of a comparison, one row each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
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
    evidence, metric = _as_published(posterior.evidence, record), of.name
    rows = [*_of_instances(evidence), *_of_classes(evidence)]
    if record is None or record.splitter == TimeSeriesSplit.__name__:
        rows += _in_order(evidence, posterior.scored, of)
    if record is None:
        rows += _of_areas(posterior.scored, of)
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
    return _table(rows)


def classical_tests_of_many(
    posterior: Posterior, record: CrossValidation | None, names: Sequence[str], of: Metric
) -> pd.DataFrame:
    """Return one row per test of three classifiers or more, or of two of them."""
    evidence: Any = _as_published(posterior.evidence, record)
    rows: list[Row] = []
    judged = evidence.correctness()
    if judged is not None and evidence.margins()[0].weight == 1:
        compares, right = judged
        rows.append(_of_all("micro", compares, frequentist.cochrans_q(right)))
    if _has_independent_items(evidence) and evidence.family == "right or wrong":
        right = evidence.means == evidence.means.max()
        rows.append(_of_all("items", of.name, frequentist.cochrans_q(right)))
    if evidence.family == "systems" and of.name == evidence.metric:
        ranks, n = ranks_over_data_sets(evidence)
        scores = evidence.means[:, evidence.is_complete]
        rows.append(_of_all("data sets", of.name, frequentist.friedman(scores)))
        note = f"difference of mean ranks, of {of.name}"
        for (a, rank_a), (b, rank_b) in combinations(zip(names, ranks, strict=True), 2):
            test = frequentist.nemenyi(rank_a, rank_b, len(ranks), n)
            rows.append((test.name, "data sets", f"{a} and {b}", note, test))
    if not rows:
        raise ValueError(
            f"No classical test of three or more that is implemented here applies to {of.name!r} "
            f"of {evidence.describe()}. There are tests of labels and of right or wrong items that "
            "are independent, and of systems on data sets. Tests of two: pairs[i, j].frequentist()."
        )
    return _table(rows)


def ranks_over_data_sets(evidence: Any) -> tuple[Array, int]:
    """Return the mean ranks of systems, and the number of data sets that all were run on."""
    n = int(evidence.is_complete.sum())
    if n < 2:
        raise ValueError(
            f"Ranks of systems require two data sets or more that all of them were run on, got {n}."
        )
    return frequentist.mean_ranks(evidence.means[:, evidence.is_complete]), n


def _as_published(evidence: Evidence, record: CrossValidation | None) -> Evidence:
    if record is None or record.published_weight is None or evidence.is_of_splits:
        return evidence
    return evidence.with_weight(record.published_weight)


def _of_all(level: str, compares: str, test: SignificanceTest) -> Row:
    return test.name, level, compares, "all together", test


def _table(rows: Iterable[Row]) -> pd.DataFrame:
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


def _of_areas(scored: Any, metric: Metric) -> Iterator[Row]:
    """Yield the test of two areas under ROC curves, of independent instances of one test set."""
    if scored is None or not metric.weighs_instances or scored.grouped:
        return
    runs = scored.runs(metric)
    if len(runs) > 1 or (scored.shape != 1).any():
        return
    parts = []
    for sums in (prepared.in_sums() for prepared in runs[0][1]):
        if sums is None or not sums.leaves_out_pairs:
            return
        areas = sums.of_sums(sums.rows.sum(axis=1, keepdims=True))
        area, is_positive = (areas.numerators / areas.denominators).item(), sums.rows[0] > 0
        parts.append([area + sums.rows[1, is_positive], area + sums.rows[-1, ~is_positive]])
    if min(map(len, parts[0])) > 1:  # a single positive has no variance
        test = frequentist.delong(*parts)
        yield test.name, "micro", metric.name, "of correlated areas under ROC curves", test


def _has_independent_items(evidence: Any) -> bool:
    """Return whether there are scores of items, none of them estimated from others."""
    is_known = evidence.is_of_items and not evidence.n_groups and evidence.n_rows != 1
    # With estimates, there are fewer degrees of freedom than items.
    return is_known and evidence.has_given_scores


def _of_items(evidence: Any, metric: str) -> Iterator[Row]:
    """Yield the tests of scores of independent items, over their runs."""
    if not _has_independent_items(evidence):
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
        sums, sizes = evidence.units()
        a, b = evidence.sign * sums / sizes
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
