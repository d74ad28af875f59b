"""Wang and Li (2019): the Bayes test for 3 x 2 block-regularised cross-validation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from sklearn.linear_model import LogisticRegression

from skbayeseval import (
    BlockRegularizedCV,
    ComparisonResult,
    ConvertTags,
    bayesian_cross_validate,
    chunk_counter,
    compare_counts,
    models,
)
from skbayeseval._arrays import Array
from skbayeseval.metrics.registry import get_metric
from skbayeseval.reproduce.tables import Line, MissingError, Report, Table, load_published
from skbayeseval.sequences import chunk_frequencies, convert_tags, read_conll

if TYPE_CHECKING:
    from matplotlib.figure import Figure


WINDOW = 2


METRICS = {"P": "precision", "R": "recall", "F1": "f1"}

TASKS = ("CWS", "NER", "ORG")

WEIGHT = BlockRegularizedCV(3).weight

# Wang et al. (2015) average the counts over the six runs.
WEIGHT_2015 = 1 / 6

# For the true F1 of the simulation; its error is then below 0.0005.
N_TRAINING_SETS = 1000


def read_corpus(path: str | Path) -> tuple[list[list[list[str]]], list[list[str]]]:
    """Read a file in the format of CoNLL-2003: word, part of speech, ..., IOB1 tag.

    Parameters
    ----------
    path : str or path
        The file with the training part, or the folder that contains it as ``eng.train``.

    Returns
    -------
    X, y : list
        The features and the IOB2 tag of each token, by sentence.
    """
    path = Path(path)
    path = path / "eng.train" if path.is_dir() else path
    tokens, tags = read_conll(path)
    X = [features([t[0] for t in sentence], [t[1] for t in sentence]) for sentence in tokens]
    return X, convert_tags(tags, "IOB1", "IOB2", name="tags")


def features(words: Sequence[str], speech: Sequence[str]) -> list[list[str]]:
    """Return the features of each token, as in the paper.

    They are the unigrams, bigrams and trigrams of words and of parts of speech, in a window from
    two tokens before the token to two tokens after it.

    Parameters
    ----------
    words, speech : sequence of str
        The words of a sentence and their parts of speech.

    Returns
    -------
    features : list of lists of str
        The features of each token.
    """
    found: list[list[str]] = [[] for _ in words]
    for mark, values in (("w", words), ("p", speech)):
        padded = [*["<s>"] * WINDOW, *values, *["</s>"] * WINDOW]
        for i, of_token in enumerate(found):
            window = padded[i : i + 2 * WINDOW + 1]
            for size in (1, 2, 3):
                for start in range(len(window) - size + 1):
                    ngram = "|".join(window[start : start + size])
                    of_token.append(f"{mark}{start - WINDOW}={ngram}")
    return found


def compare_tag_sets(X: Any, y: Any, task: str, *, max_iterations: int = 100) -> ComparisonResult:
    """Compare CRFs trained on IOB2 with CRFs trained on IOBES, by 3 x 2 BCV.

    Parameters
    ----------
    X, y : list
        The sentences, as `read_corpus` returns them.
    task : {"NER", "ORG"}
        "NER" means the boundaries of all entities, regardless of type; "ORG" means organisations
        only. Each task has its own taggers.
    max_iterations : int, default=100
        The maximum number of iterations of the optimiser.

    Returns
    -------
    result : ComparisonResult
        The paired comparison; A is trained on IOB2.
    """
    try:
        from sklearn_crfsuite import CRF
    except ImportError:
        raise ImportError(
            "The taggers need sklearn-crfsuite: pip install 'skbayeseval[chunks]'"
        ) from None
    # The paper does not state how its CRFs were trained. This c2 corresponds to the CRF++ default.
    crf = CRF(algorithm="lbfgs", c2=0.5, max_iterations=max_iterations)
    # The blocks balance the frequencies of all four entity types, and are the same for both tasks.
    types = chunk_frequencies(y, "IOB2")
    if task == "ORG":
        y = [[tag if tag.endswith("-ORG") else "O" for tag in tags] for tags in y]
    else:
        y = [[tag if tag == "O" else f"{tag[0]}-NE" for tag in tags] for tags in y]
    return bayesian_cross_validate(
        ("IOB2", crf),
        ("IOBES", ConvertTags(crf, "IOB2", "IOBES")),
        X,
        y,
        scoring=list(METRICS.values()),
        model=models.PairedChunks(),
        cv=BlockRegularizedCV(regularize=types, random_state=0),
        counter=chunk_counter("IOB2", "IOBES"),
        weight="published",
        verbose=1,
        random_state=0,
    )


def run(report: Report, *, conll: str | Path | None = None) -> None:
    """Reproduce Tables 2 to 5, Figures 1 to 3, the simulation and the taggers on CoNLL-2003.

    Parameters
    ----------
    report : Report
        The report to add tables and figures to.
    conll : str or path, default=None
        The file with the training part of CoNLL-2003, or its folder.
    """
    report.table(table_2())
    for table in tables_3_to_5():
        report.table(table)
    for number, task in enumerate(TASKS, start=1):
        report.figure(f"acl2019_figure_{number}", draw_posteriors(task))
    report.table(simulation(1000))
    with report.step("ACL 2019, CRFs on CoNLL-2003"):
        for table in taggers(report, conll):
            report.table(table)


def table_2() -> Table:
    """Return Table 2, the credible intervals in per cent, from the published counts."""
    published = load_published("acl2019_tables")["table2_ci_percent"]
    lines = []
    for task, (column, metric), k in product(TASKS, METRICS.items(), (0, 1)):
        result = from_counts(task)
        printed = published[task][column][k]
        ours = 100 * np.array(result.interval(0.95, of="ab"[k], metric=metric))
        row = f"{task}, {result.names[k]}"
        lines.append(Line(row, f"{column} low", printed[0], ours[0], within=0.01, digits=2))
        lines.append(Line(row, f"{column} high", printed[1], ours[1], within=0.01, digits=2))
    return Table("ACL 2019, Table 2: credible intervals (%)", lines)


def tables_3_to_5() -> Iterator[Table]:
    """Yield Tables 3 to 5, the Bayes tests, from the published counts."""
    published = load_published("acl2019_tables")["tables3_4_5"]
    for number, task in enumerate(TASKS, start=3):
        result = from_counts(task)
        lines = []
        for column, metric in METRICS.items():
            p_h0, p_h1 = published[task][column]
            ours = result.bayes_test(metric=metric)
            lines.append(Line(column, "P(H0)", p_h0, ours.p_h0, within=0.002))
            lines.append(Line(column, "P(H1)", p_h1, ours.p_h1, within=0.002))
            lines.append(Line(column, "accepted", "H0" if p_h0 >= p_h1 else "H1", ours.favoured))
        a, b = result.names
        yield Table(f"ACL 2019, Table {number}: {task}, H1: {b} better than {a}", lines)


@cache
def from_counts(task: str, weight: float = WEIGHT) -> ComparisonResult:
    """Compare the two tag sets of a task from the published counts of the six runs.

    Parameters
    ----------
    task : {"CWS", "NER", "ORG"}
        Word segmentation, all entities, or organisations.
    weight : float, default=0.3688
        The weight of one count.

    Returns
    -------
    result : ComparisonResult
        The comparison.
    """
    runs = load_published("acl2019_counts")[task]
    counts = []
    for gold, predicted, correct in (np.array(of_each).T for of_each in runs.values()):
        counts.append(np.column_stack([correct, predicted - correct, gold - correct]))
    return compare_counts(
        *counts,
        scoring=list(METRICS.values()),
        model="bcv",
        weight=weight,
        names=tuple(runs),
        n_draws=50_000,
        random_state=0,
    )


def draw_posteriors(task: str) -> Figure:
    """Draw the posteriors of precision, recall and F1; dashed: by Wang et al. (2015)."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(12.5, 4.2), layout="constrained")
    sources = {"Wang and Li, 2019": (WEIGHT, "-"), "Wang et al., 2015": (WEIGHT_2015, "--")}
    for source, (weight, dashes) in sources.items():
        result = from_counts(task, weight)
        for (ax, (column, metric)), k in product(zip(axes, METRICS.items(), strict=True), (0, 1)):
            seen = result.metric(metric)
            x = np.linspace(*seen.interval(0.998, of="ab"[k]), 100)
            density = stats.gaussian_kde((seen.draws_a, seen.draws_b)[k])(x)
            label = f"{result.names[k]} ({source})"
            ax.plot(x, density, linestyle=dashes, color=("C0", "C3")[k], label=label)
            ax.set(xlabel=f"{column} in the {task} task", ylim=(0, None))
            ax.locator_params(axis="x", nbins=5)
            ax.spines[["right", "top"]].set_visible(False)
    axes[0].set_ylabel("posterior density")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure


def simulation(n_data_sets: int) -> Table:
    """Return the simulation of section 2.4: coverage and length of the interval of F1.

    The data are two Gaussian classes of 300 instances each, and the classifier is a logistic
    regression. The true value is the F1 of the expected confusion table of a classifier trained on
    half of the data.

    Parameters
    ----------
    n_data_sets : int
        The number of data sets to simulate.

    Returns
    -------
    table : Table
        Coverage and mean length, by the weights of 2019 and of 2015.
    """
    published = load_published("acl2019_tables")["simulation"]
    means, half = np.array(published["means"]), published["n"] // 2
    rng = np.random.default_rng(0)
    truth = float(get_metric("f1")(_expected_table(means, half // 2, rng)))
    ends = np.empty((2, n_data_sets, 2))
    for i in range(n_data_sets):
        X, y = _gaussians(means, half, rng)
        counts = np.zeros(3)  # tp, fp and fn, summed over the six runs
        for train, test in BlockRegularizedCV(random_state=i).split(X, y):
            predicted = LogisticRegression().fit(X[train], y[train]).predict(X[test])
            hits = np.sum(predicted * y[test])
            counts += hits, np.sum(predicted) - hits, np.sum(y[test]) - hits
        for k, weight in enumerate((WEIGHT, WEIGHT_2015)):
            ends[k, i] = compare_counts(counts, counts, weight=weight).interval(of="a")
    # Three standard errors of the difference, if the paper used as many data sets (not stated).
    error = round(3 * float(np.sqrt(2 * 0.05 * 0.95 / n_data_sets)), 3)
    lines = []
    rows = {"calibrated": "calibrated", "as in 2015": "averaged_2015"}
    for (row, key), (low, high) in zip(rows.items(), np.moveaxis(ends, 2, 1), strict=True):
        printed, coverage = published[key], np.mean((low <= truth) & (truth <= high))
        lines.append(Line(row, "coverage", printed["coverage"], coverage, error))
        lines.append(Line(row, "length", printed["length"], np.mean(high - low), 0.001, digits=4))
    title = f"ACL 2019, section 2.4: interval of F1, {n_data_sets} data sets"
    return Table(title, lines)


def _gaussians(means: Array, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return `size` points per class and their labels."""
    y = np.repeat([0, 1], size)
    return means[y] + rng.normal(size=(len(y), 2)), y


def _expected_table(means: Array, size: int, rng: np.random.Generator) -> Array:
    """Return the expected confusion table of a classifier trained on `size` points per class.

    Given the fitted classifier it has a closed form, because the decision function of a Gaussian
    point is normal.
    """
    positive = np.zeros(2)
    for _ in range(N_TRAINING_SETS):
        fitted = LogisticRegression().fit(*_gaussians(means, size, rng))
        (line,), offset = fitted.coef_, fitted.intercept_[0]
        positive += stats.norm.cdf((means @ line + offset) / np.linalg.norm(line))
    positive /= N_TRAINING_SETS
    return np.column_stack([1 - positive, positive]) / 2


def taggers(report: Report, conll: str | Path | None) -> Iterator[Table]:
    """Yield the interval centres of Table 2 and the Bayes tests, from CRFs trained here.

    Parameters
    ----------
    report : Report
        The report to write run times to.
    conll : str or path or None
        The file with the training part of CoNLL-2003, or its folder.

    Yields
    ------
    table : Table
        For each task, the centres of the intervals, then the probabilities.
    """
    if conll is None:
        raise MissingError("CoNLL-2003 may not be redistributed; pass its eng.train with --conll")
    try:
        X, y = read_corpus(conll)
    except OSError as error:
        raise MissingError(f"CoNLL-2003 cannot be read: {error}") from error
    for task in ("NER", "ORG"):
        report.write(f"\n{task}: 12 CRFs on {len(y):,} sentences")
        try:
            result = compare_tag_sets(X, y, task)
        except ImportError as error:
            raise MissingError(str(error)) from error
        yield from tagger_tables(task, result)


def tagger_tables(task: str, paired: ComparisonResult) -> Iterator[Table]:
    """Yield the results of the CRFs on a task, next to those of Tables 2, 4 and 5.

    Parameters
    ----------
    task : {"NER", "ORG"}
        All entities, or organisations.
    paired : ComparisonResult
        The paired comparison of IOB2 with IOBES.

    Yields
    ------
    table : Table
        The centres of the intervals, then the probabilities.
    """
    published = load_published("acl2019_tables")
    evidence: Any = paired.evidence
    tables = [evidence.margin(tagger).table for tagger in (0, 1)]
    bcv = compare_counts(
        *((table[1, 1], table[0, 1], table[1, 0]) for table in tables),
        scoring=list(METRICS.values()),
        weight=paired.weight,
        names=paired.names,
    )
    # These CRFs are from another library, and the paper does not state the parameters of its own.
    within = 1.5 if task == "NER" else None
    lines, tests = [], []
    for column, metric in METRICS.items():
        printed = published["table2_ci_percent"][task][column]
        for name, of, interval in zip(bcv.names, "ab", printed, strict=True):
            ours = 100 * np.mean(bcv.interval(0.95, of=of, metric=metric))
            lines.append(Line(name, column, np.mean(interval), ours, within, digits=2))
        p_h1 = published["tables3_4_5"][task][column][1]
        tests.append(Line(column, "P(H1)", p_h1, bcv.bayes_test(metric=metric).p_h1))
        tests.append(Line(column, "P(H1), paired", p_h1, paired.bayes_test(metric=metric).p_h1))
    number = {"NER": 4, "ORG": 5}[task]
    yield Table(f"ACL 2019, Table 2 by CRFs: centres (%), {task}", lines)
    yield Table(f"ACL 2019, Table {number} by CRFs: {task}", tests)
