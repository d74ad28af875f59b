"""Zhang, Wang, Yilmaz, Wang and Zhou (2016): the paired model on 20 Newsgroups, and power."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from skbayeseval import ComparisonResult, compare_predictions, models, power_analysis
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

# The paper used 50,000 MCMC draws; more draws give a more stable Bayes factor.
N_DRAWS = 200_000
REPLICATIONS = 2000
# The paper does not state how many replications its powers are based on; 200 is a guess.
GUESSED_REPLICATIONS = 200
# Figures 4 and 6 show NB_Mult against SVM_L2 on this category.
SHOWN = 8


def run(report: Report, *, data_home: str | None = None) -> None:
    """Reproduce Tables 3 to 6 and Figures 4 to 6.

    Parameters
    ----------
    report : Report
        The report to add tables and figures to.
    data_home : str, default=None
        The folder of scikit-learn's data sets, for 20 Newsgroups.
    """
    report.table(table_3(report))
    with report.step("SIGIR 2016, Tables 4 to 6, Figures 4 and 6"):
        newsgroups = predict(data_home)
        for table in tables_4_to_6(newsgroups):
            report.table(table)
        shown = compare_category(newsgroups, "NB_Mult", "SVM_L2", SHOWN, n_draws=50_000)
        rope = load_published("sigir2016_tables_4_5_6")["rope"]
        report.figure("sigir2016_figure_4", comparison_figure(shown, ("trace",), rope))
        report.figure("sigir2016_figure_6", comparison_figure(shown, ("posterior", "factor"), rope))


def table_3(report: Report, n_replications: int = REPLICATIONS) -> Table:
    """Return Table 3, the power of both models by test set size, and draw it as Figure 5.

    Parameters
    ----------
    report : Report
        The report to add the figure to.
    n_replications : int, default=2000
        The number of test sets to simulate per size.

    Returns
    -------
    table : Table
        The power per scenario, model and size.
    """
    from matplotlib import pyplot as plt

    published = load_published("sigir2016_table_3")
    sizes = published["dataset_size"]
    figure, axes = plt.subplots(1, 2, figsize=(12.4, 4.6), layout="constrained")
    lines = []
    for ax, (name, scenario) in zip(axes, published["scenarios"].items(), strict=True):
        thetas = {"theta+": scenario["theta_pos"], "theta-": scenario["theta_neg"]}
        cells = {"mu": published["mu"], **thetas}
        found = power_analysis(
            cells,
            sizes,
            rope=published["rope"],
            goal=scenario["goal"],
            model=["unpaired", models.Paired()],
            n_replications=n_replications,
            verbose=1,
            random_state=0,
        )
        for model, marker in zip(("unpaired", "paired"), "x+", strict=True):
            printed = published["power"][name][model]
            ours = found.table.query("model == @model")["power"]
            for size, paper, power in zip(sizes, printed, ours, strict=True):
                runs = 1 / n_replications + 1 / GUESSED_REPLICATIONS
                within = round(3 * math.sqrt(paper * (1 - paper) * runs) + 0.01, 3)
                where = f"scenario ({name}), {model}", f"{size} instances"
                lines.append(Line(*where, paper, float(power), within, digits=2))
            ax.plot(sizes, printed, marker, color="black", label=f"{model}, published")
        found.plot(ax=ax)
        ax.set_title(f"scenario ({name})", fontsize="medium")
    report.figure("sigir2016_figure_5", figure)
    return Table("SIGIR 2016, Table 3: power", lines)


def tables_4_to_6(newsgroups: Newsgroups, n_draws: int = N_DRAWS) -> Iterator[Table]:
    """Yield Tables 4 to 6: two classifiers compared on each category against the rest."""
    published = load_published("sigir2016_tables_4_5_6")
    for name, printed in published["tables"].items():
        a, b = printed["a"], printed["b"]
        lines = [
            line
            for row in printed["rows"]
            for line in _category_lines(newsgroups, a, b, row, published["rope"], n_draws)
        ]
        yield Table(f"SIGIR 2016, Table {name[-1]}: {a} against {b}, F1 of each category", lines)


def _category_lines(
    newsgroups: Newsgroups, a: str, b: str, printed: Mapping[str, Any], rope: Any, n_draws: int
) -> Iterator[Line]:
    row = f"category {printed['category']}"
    result = compare_category(newsgroups, a, b, printed["category"], n_draws)
    pvalues = result.frequentist()["pvalue"]
    yield Line(row, "sign test p", printed["sign_test_p"], pvalues["sign test"], 0.001)
    t_test = pvalues["two-proportion z, ignoring pairs"]
    yield Line(row, "t-test p", printed["t_test_p"], t_test, 0.001)
    yield from posterior_lines(row, printed, result, rope, bound(a, b))
    # Small Bayes factors depend on the tail of a kernel estimate.
    factor, near = printed["bf_sd"], printed["bf_sd"] / 4
    ours = result.bayes_factor(method="kde").value
    yield Line(row, "Bayes factor", factor, ours, near if factor > 0.5 else None)


def compare_category(
    newsgroups: Newsgroups, a: str, b: str, category: int, n_draws: int = N_DRAWS
) -> ComparisonResult:
    """Compare two classifiers on one category against the rest, with the paired model."""
    return compare_predictions(
        newsgroups.truth == category,
        newsgroups.predictions[a] == category,
        newsgroups.predictions[b] == category,
        scoring="f1",
        model=models.Paired(),
        names=(a, b),
        n_draws=n_draws,
        random_state=0,
    )
