"""Zhang, Wang, Zhao and Wang (2015): the hierarchical model on 20 Newsgroups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import ConfusionMatrixDisplay, confusion_matrix, f1_score

from skbayeseval import ComparisonResult, compare_predictions
from skbayeseval.reproduce.newsgroups import Newsgroups, predict
from skbayeseval.reproduce.report import (
    Line,
    Report,
    Table,
    bound,
    comparison_figure,
    load_published,
    posterior_lines,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


N_DRAWS = 50_000


def run(report: Report, *, data_home: str | None = None) -> None:
    """Reproduce Tables I to IV and Figures 3 to 6.

    Parameters
    ----------
    report : Report
        The report to add tables and figures to.
    data_home : str, default=None
        The folder of scikit-learn's data sets, for 20 Newsgroups.
    """
    with report.step("ICDM 2015, Tables I to IV and Figures 3 to 6"):
        newsgroups = predict(data_home)
        for table in (table_1, table_2, table_3, table_4, figure_3):
            report.table(table(newsgroups))
        report.figure("icdm2015_figure_3", draw_figure_3(newsgroups))
        published = load_published("icdm2015_tables")["table4_bayesian"]
        macro = [row for row in published["rows"] if row["average"] == "macro"]
        for number, row in enumerate(macro, start=4):
            result = compare_average(newsgroups, row)
            drawn = comparison_figure(result, ("trace", "posterior", "factor"), published["rope"])
            report.figure(f"icdm2015_figure_{number}", drawn)


def table_1(newsgroups: Newsgroups) -> Table:
    """Return Table I, the number of documents per category."""
    published = load_published("icdm2015_tables")["table1"]
    ours = {"train": np.bincount(newsgroups.train), "test": np.bincount(newsgroups.truth)}
    lines = [
        Line(name, part, published[part][category], int(counts[category]), within=0, digits=0)
        for part, counts in ours.items()
        for category, name in enumerate(published["name"])
    ]
    return Table("ICDM 2015, Table I: documents", lines)


def table_2(newsgroups: Newsgroups) -> Table:
    """Return Table II, the F1 of each classifier and category, and the averages."""
    published = load_published("icdm2015_tables")["table2"]
    lines = []
    for name, predicted in newsgroups.predictions.items():
        of_each = f1_score(newsgroups.truth, predicted, average=None)
        for category, printed in enumerate(published["f1"][name]):
            lines.append(Line(name, f"category {category}", printed, of_each[category], 0.002))
        for average in ("micro", "macro"):
            ours = f1_score(newsgroups.truth, predicted, average=average)
            lines.append(Line(name, average, published[f"{average}_f1"][name], ours, 0.002))
    return Table("ICDM 2015, Table II: F1", lines)


def table_3(newsgroups: Newsgroups) -> Table:
    """Return Table III, the frequentist tests."""
    names = {
        "micro": ("sign test", "two-proportion z, ignoring pairs"),
        "macro": ("sign test of classes", "paired t of classes"),
    }
    lines = []
    for row in load_published("icdm2015_tables")["table3_frequentist"]:
        pvalues = compare_average(newsgroups, row, n_draws=100).frequentist()["pvalue"]
        within = 0.02 if "SVM" in row["b"] else 0.001
        sign_test, t_test = pvalues[list(names[row["average"]])]
        lines.append(Line(_named(row), "sign test p", row["sign_test_p"], sign_test, within))
        lines.append(Line(_named(row), "t-test p", row["t_test_p"], t_test, within))
    return Table("ICDM 2015, Table III: p-values", lines)


def table_4(newsgroups: Newsgroups, n_draws: int = N_DRAWS) -> Table:
    """Return Table IV, the Bayesian comparison of average F1."""
    published = load_published("icdm2015_tables")["table4_bayesian"]
    lines: list[Line] = []
    for row in published["rows"]:
        result = compare_average(newsgroups, row, n_draws)
        within = bound(row["a"], row["b"])
        lines += posterior_lines(_named(row), row, result, published["rope"], within)
        error = float(result.summary()["mcse"].iloc[0])
        lines.append(Line(_named(row), "MC error", row["mc_error"], error, 0.0005))
        # No bound: the prior density at 0 is infinite, so a kernel estimate of it is arbitrary.
        factor = result.bayes_factor(method="kde").value
        lines.append(Line(_named(row), "Bayes factor", row["bf_sd"], factor))
    return Table("ICDM 2015, Table IV: average F1", lines)


def figure_3(newsgroups: Newsgroups) -> Table:
    """Return how many documents are in other cells than in the confusion matrices of Figure 3.

    For naive Bayes only: the published matrices of the SVMs are not legible in every cell.
    """
    lines = []
    for name in ("NB_Bern", "NB_Mult"):
        printed = np.array(load_published("icdm2015_figure_3")[name])
        ours = confusion_matrix(newsgroups.truth, newsgroups.predictions[name])
        moved = int(np.abs(ours - printed).sum()) // 2
        right = int(np.trace(printed)), int(np.trace(ours))
        lines.append(Line(name, "correct documents", *right, within=0, digits=0))
        lines.append(Line(name, "documents in other cells", 0, moved, within=0, digits=0))
    return Table("ICDM 2015, Figure 3: confusion matrices", lines)


def draw_figure_3(newsgroups: Newsgroups) -> Figure:
    """Draw the four confusion matrices, with the true category in rows."""
    from matplotlib import pyplot as plt
    from matplotlib.colors import PowerNorm

    figure, axes = plt.subplots(2, 2, figsize=(12, 11.4), layout="constrained")
    for ax, (name, predicted) in zip(axes.flat, newsgroups.predictions.items(), strict=True):
        display = ConfusionMatrixDisplay.from_predictions(
            newsgroups.truth,
            predicted,
            ax=ax,
            cmap="Blues",
            colorbar=False,
            text_kw={"fontsize": 5.5},
        )
        # The square root makes the many small cells visible next to the diagonal.
        display.im_.set_norm(PowerNorm(0.5))
        ax.set(title=name, xlabel="predicted category", ylabel="true category")
        ax.tick_params(labelsize=7)
    return figure


def compare_average(
    newsgroups: Newsgroups, row: Mapping[str, Any], n_draws: int = N_DRAWS
) -> ComparisonResult:
    """Compare the average F1 of two classifiers with the hierarchical model."""
    return compare_predictions(
        newsgroups.truth,
        newsgroups.predictions[row["a"]],
        newsgroups.predictions[row["b"]],
        scoring=f"f1_{row['average']}",
        model="hierarchical",
        names=(row["a"], row["b"]),
        n_draws=n_draws,
        random_state=0,
    )


def _named(row: Mapping[str, Any]) -> str:
    return f"{row['a']} - {row['b']}, {row['average']}"
