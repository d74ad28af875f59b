"""Results as HTML: the page that `report` writes, and what notebooks show.

Pages are in the order of the Bayesian analysis reporting guidelines (Kruschke 2021).
"""

from __future__ import annotations

import inspect
import platform
import re
from collections.abc import Sequence
from itertools import combinations, count
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import scipy
import sklearn

from skbayeseval._html import (
    WIDTH,
    block,
    document,
    inline_svg,
    lines,
    listed,
    note,
    paragraphs,
    row,
    section,
    table,
    verdict,
)
from skbayeseval._version import __version__
from skbayeseval.judgement.decision import format_interval, format_probability
from skbayeseval.judgement.distribution import decision_of
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import check_rope, check_rope_around_zero
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.results.explain import explain_comparison, explain_ranking, explain_score
from skbayeseval.results.printed import written_ranks
from skbayeseval.results.summary import under_other_priors
from skbayeseval.results.text import (
    decimals,
    describe_draws,
    join_words,
    plain,
    who_is_better,
    who_is_first,
)

if TYPE_CHECKING:
    from skbayeseval.results.base import PosteriorView
    from skbayeseval.results.comparison import ComparisonResult
    from skbayeseval.results.ranking import Ranking
    from skbayeseval.results.single import ScoreResult

# Larger tables are cut.
MOST_ROWS = 25
# The number of metrics whose sentence a notebook shows, and whose posterior is drawn on a page.
MOST_SENTENCES, MOST_FIGURES = 4, 6
# Confusion tables of more classes are left out, and so are those of more classifiers.
MOST_CLASSES, MOST_TABLES = 12, 6
# Of more classifiers than this, only the best are compared in pairs.
MOST_IN_PAIRS = 8


def comparison_view(result: ComparisonResult) -> str:
    """Return what a notebook shows of a comparison: sentences, a table and a small figure."""
    a, b = result.names
    basis = (
        f"{result.model} model, {describe_draws(result._posterior)} from "
        f"{result.evidence.describe()}; differences are {a} minus {b}{_on_splits(result)}"
    )
    return block(
        lines("\n".join(_who_is_better(result)[:MOST_SENTENCES])),
        _comparison_table(result),
        inline_svg(
            lambda ax: result.plot(ax=ax), f"posterior of the difference in {result.metrics[0]}"
        ),
        note(basis),
        *map(note, result.warnings),
    )


def ranking_view(result: Ranking) -> str:
    """Return what a notebook shows of a ranking."""
    return block(
        lines("\n".join(_who_is_first(result)[:MOST_SENTENCES])),
        _ranking_table(result, result.metrics[:1]),
        _ranking_figure(result, result.metrics[0]),
        *map(note, result.warnings),
    )


def score_view(result: ScoreResult) -> str:
    """Return what a notebook shows of the metrics of one classifier."""
    figure = inline_svg(
        lambda ax: result.plot(ax=ax), f"posterior of {result.metrics[0]} of {result.name}"
    )
    return block(lines(str(result)), _score_table(result), figure, *map(note, result.warnings))


def comparison_page(result: ComparisonResult, rope: Any = None) -> str:
    """Return the page of a comparison."""
    a, b = result.names
    several, shown = len(result.metrics) > 1, result.metrics[:MOST_FIGURES]
    regions: dict[str, Interval] = {}
    decided = _who_is_better(result)
    if rope is not None:
        regions = {name: check_rope(rope, metric) for name, metric in result._metrics.items()}
        decided = [str(result.decision(regions[name], metric=name)) for name in regions]
    figures, chains, number = [], [], count(1)
    for name in shown:
        label = f"posterior of the difference in {name}"
        figures.append(_figure(result, next(number), name, label, rope=regions.get(name)))
    recorded = {} if result._cross_validation is None else result._cross_validation.scores
    for name in shown:
        if name in recorded or result.evidence.of_splits(name) is not None:
            label = f"split scores in {name}"
            figures.append(_figure(result, next(number), name, label, kind="scores"))
    for name in shown if not result._posterior.has_independent_draws else ():
        label = f"draws of the chains in {name}"
        chains.append(_figure(result, next(number), name, label, kind="trace"))
    remark = note(
        f"Differences are {a} minus {b}. The HDI is the narrowest interval that has 95% of the "
        f"probability{_on_splits(result)}."
    )
    return result_page(
        result,
        f"{a} against {b}",
        f"Compared by {_metrics_in_words(result)}",
        "".join(map(lines, decided[:MOST_FIGURES])),
        explain_comparison(result, regions or None, beside_a_table=several),
        _comparison_table(result) + remark,
        figures,
        computation(result, result.summary(regions or None)) + "".join(chains),
        section("Decisions", _decision_table(result, regions)),
        section("Sensitivity to the prior", _sensitivity(result, regions.get(shown[0]))),
        table_first=several,
    )


def score_page(result: ScoreResult) -> str:
    """Return the page of one classifier."""
    figures = [
        _figure(result, number, name, f"posterior of {name}")
        for number, name in enumerate(result.metrics[:MOST_FIGURES], 1)
    ]
    rows = []
    for index, cells in zip(*_index_and_rows(result.prior_sensitivity()), strict=True):
        hdi = Interval(cells["hdi_low"], cells["hdi_high"])
        rows.append([index, *_mean_and_hdi(cells["mean"], hdi, sign=False)])
    other_priors = table(["model, prior", "mean", "95% HDI"], rows, result.metrics[0])
    return result_page(
        result,
        f"The performance of {result.name}",
        f"Measured by {_metrics_in_words(result)}",
        lines(str(result)),
        explain_score(result),
        _score_table(result),
        figures,
        computation(result, result.summary()),
        section("Sensitivity to the prior", other_priors),
    )


def ranking_page(result: Ranking, rope: Any = None) -> str:
    """Return the page of a ranking."""
    several, shown = len(result.metrics) > 1, result.metrics[:MOST_FIGURES]
    regions: dict[str, Interval] = {}
    decided = "".join(map(lines, _who_is_first(result)[:MOST_FIGURES]))
    if rope is not None:
        regions = {
            name: check_rope_around_zero(rope, metric) for name, metric in result._metrics.items()
        }
        decisions = [result.decision(regions[name], metric=name) for name in regions]
        decided = lines(str(decisions[0]))
        if several:
            header = ["metric", "ROPE", "the best or practically equivalent to it"]
            header += ["not settled", "surely worse than the best"]
            rows = [[one.metric, format_interval(one.rope), *one._named()] for one in decisions]
            decided = table(header, rows) + note(
                f"{100 * decisions[0].prob:.3g}% HDI, scores partially pooled; in brackets, the "
                "probability of being practically equivalent to the best."
            )
    first, second = result.table.index[:2]
    pair, region = result.pairs[first, second], regions.get(shown[0])
    return result_page(
        result,
        f"A comparison of {len(result.names)} classifiers",
        f"Compared by {_metrics_in_words(result)}",
        decided,
        explain_ranking(result, regions or None, beside_a_table=several),
        _ranking_table(result, result.metrics),
        [_ranking_figure(result, name, f"figure{k}") for k, name in enumerate(shown, 1)],
        computation(pair, pair.summary()),
        section("Decisions about pairs", _pair_table(result, region)),
        section(
            "Sensitivity to the prior",
            note(f"For {first} and {second}, which have the highest means:"),
            _sensitivity(pair, region),
        ),
        table_first=several,
    )


def result_page(
    result: PosteriorView,
    title: str,
    subtitle: str,
    decided: str,
    words: str,
    overview: str,
    figures: Sequence[str],
    computed: str,
    *sections: str,
    table_first: bool = False,
    heading: str = "Posterior",
    shown: Sequence[str] | None = None,
) -> str:
    """Return a page; of several metrics, the table that has them all stands before the words.

    `shown` are the classifiers whose confusion tables are shown, as in `evidence_tables`.
    """
    return document(
        title,
        subtitle,
        verdict(decided),
        overview if table_first else "",
        paragraphs(words),
        figures[0],
        section("Evidence", evidence_tables(result, shown)),
        section("Model and prior", model_and_prior(result)),
        section("Computation", computed),
        section(heading, "" if table_first else overview, *figures[1:]),
        *sections,
        section("To reproduce this", reproduction(result)),
    )


def _figure(result: Any, number: int, metric: str, label: str, **options: Any) -> str:
    """Return one of the figures of a page."""
    return inline_svg(
        lambda ax: result.plot(metric=metric, ax=ax, **options), label, prefix=f"figure{number}"
    )


def _metrics_in_words(result: PosteriorView) -> str:
    return join_words(result.metrics[:8]) + ", ..." * (len(result.metrics) > 8)


def _who_is_better(result: ComparisonResult) -> list[str]:
    """Return one sentence per metric on who is better, and how surely."""
    return [who_is_better(result, metric) for metric in result._metrics.values()]


def _who_is_first(result: Ranking) -> list[str]:
    """Return one sentence per metric on who is most probably the best."""
    return [who_is_first(result.ranking(metric=name), name) for name in result.metrics]


def _on_splits(result: PosteriorView) -> str:
    """Return a remark that observed values are not means of splits; empty where they are."""
    metrics = result._metrics.values()
    if result.n_splits is None or not any(metric.source == "tables" for metric in metrics):
        return ""
    return f"; observed values are of {result.n_splits} splits pooled, not means of splits"


def _mean_and_hdi(mean: float, hdi: Interval, *, sign: bool = True) -> list[str]:
    return [plain(mean, decimals(hdi)), format_interval(hdi, sign=sign)]


def _comparison_table(result: ComparisonResult) -> str:
    """Return the observed values and the posterior of the difference, one row per metric."""
    header = ["metric", *result.names, "difference", "95% HDI", "P(first better)"]
    rows = []
    for name, metric in list(result._metrics.items())[:MOST_ROWS]:
        difference = result._distribution(metric)
        hdi = difference.hdi()
        observed = (plain(value, decimals(hdi)) for value in result._posterior.observed(metric))
        better = format_probability(difference.around(Interval(0.0, 0.0)).better)
        rows.append([name, *observed, *_mean_and_hdi(difference.mean, hdi), better])
    return table(header, rows) + _cut(len(result.metrics))


def _ranking_table(result: Ranking, metrics: Sequence[str]) -> str:
    """Return the observed value, posterior, probability of being best and ranks of each.

    Of several metrics, the name of each stands in its first row.
    """
    header = ["metric", "classifier", "observed", "mean", "95% HDI", "P(best)", "rank"]
    rows = []
    for metric in metrics:
        first = metric
        for name, known in result.ranking(metric=metric).head(MOST_ROWS).iterrows():
            hdi = Interval(known["hdi_low"], known["hdi_high"])
            observed = plain(known["observed"], decimals(hdi))
            ranks = written_ranks(int(known["rank_low"]), int(known["rank_high"]))
            rows.append(
                [first, str(name), observed, *_mean_and_hdi(known["mean"], hdi, sign=False),
                 format_probability(known["p_best"]), ranks]
            )  # fmt: skip
            first = ""
    if len(metrics) == 1:
        header, rows = header[1:], [cells[1:] for cells in rows]
    return table(header, rows) + _cut(len(result.names))


def _score_table(result: ScoreResult) -> str:
    """Return the observed value and the posterior of each metric."""
    rows = []
    for name, known in result.summary().head(MOST_ROWS).iterrows():
        hdi = Interval(known["hdi_low"], known["hdi_high"])
        digits = decimals(hdi)
        mean, ends = _mean_and_hdi(known["mean"], hdi, sign=False)
        observed, sd = plain(known["observed"], digits), plain(known["sd"], digits + 1)
        rows.append([name, observed, mean, sd, ends])
    return table(["metric", "observed", "mean", "sd", "95% HDI"], rows) + _cut(len(result.metrics))


def _cut(number: int) -> str:
    return note(f"... and {number - MOST_ROWS} more") if number > MOST_ROWS else ""


def _ranking_figure(result: Ranking, metric: str, prefix: str | None = None) -> str:
    """Return the figure of the ranking, as high as its rows need."""
    return inline_svg(
        lambda ax: result.plot(ax=ax, metric=metric),
        f"ranking by {metric}",
        size=(WIDTH, min(1.2 + 0.3 * len(result.names), 9.0)),
        prefix=prefix,
    )


def _decision_table(result: ComparisonResult, regions: dict[str, Interval]) -> str:
    """Return what was declared too small to matter, and the probabilities."""
    if not regions:
        return note("No region of practical equivalence (ROPE) was given, so nothing was decided.")
    a, b = result.names
    header = ["metric", "ROPE", f"P({b} better)", "P(equivalent)", f"P({a} better)", "decision"]
    rows: list[list[str]] = []
    for name, region in regions.items():
        decision = result.decision(region, metric=name)
        chances = map(format_probability, decision.probabilities)
        rows.append([name, format_interval(region), *chances, decision.label])
    explained = note(
        "A decision is settled if the 95% HDI lies beyond the region of practical equivalence "
        "(ROPE), or inside it."
    )
    return table(header, rows) + explained


def _sensitivity(result: ComparisonResult, region: Interval | None) -> str:
    """Return the answers for the first metric under other models and priors."""
    which, (a, b) = result._metric(None), result.names

    def row_of(posterior: Posterior) -> dict[str, str]:
        difference = posterior.difference(which)
        decision = decision_of(difference, region or 0.0, 0.95, result.names, which.name)
        mean, hdi = _mean_and_hdi(difference.mean, decision.hdi)
        worse, equivalent, better = map(format_probability, decision.probabilities)
        cells = {"difference": mean, "95% HDI": hdi, f"P({b} better)": worse}
        cells |= {"P(equivalent)": equivalent} if region else {}
        cells |= {f"P({a} better)": better}
        return cells | ({"decision": decision.label} if region else {})

    frame = under_other_priors(result._posterior, which, row_of)
    rows = [[index, *cells] for index, cells in zip(*_index_and_rows(frame), strict=True)]
    caption = f"{result.metrics[0]} under other models and priors"
    return table(["model, prior", *frame.columns], rows, caption)


def _pair_table(result: Ranking, region: Interval | None) -> str:
    """Return the posterior of the difference of each pair of the best classifiers."""
    header = ["pair", "difference", "95% HDI", "P(first better)"]
    header += ["P(equivalent)", "P(second better)", "decision"] if region else []
    rows = []
    for first, second in combinations(result.table.index[:MOST_IN_PAIRS], 2):
        pair = result.pairs[first, second]
        difference = _mean_and_hdi(pair._distribution().mean, pair.hdi())
        worse, equivalent, better = map(format_probability, pair.probability(region or 0.0))
        cells = [f"{first} minus {second}", *difference, better]
        rows.append([*cells, equivalent, worse, pair.decision(region).label] if region else cells)
    cut = ""
    if len(result.names) > MOST_IN_PAIRS:
        cut = note(f"Pairs of the {MOST_IN_PAIRS} classifiers with the highest means.")
    return table(header, rows, result.metrics[0]) + cut


def _index_and_rows(frame: pd.DataFrame) -> tuple[list[str], list[pd.Series]]:
    """Return the model and prior of each row as text, and the rows."""
    return [", ".join(index) for index in frame.index], [cells for _, cells in frame.iterrows()]


def evidence_tables(result: PosteriorView, shown: Sequence[str] | None) -> str:
    """Return what the evidence is, with the confusion table of each classifier in `shown`."""
    posterior, record = result._posterior, result._cross_validation
    evidence, names, weights = posterior.evidence, result._names, posterior.weights
    if weights is not None:
        evidence = evidence.with_weight(1.0)
    items: list[tuple[str, Any]] = [("evidence", evidence.describe())]
    if weights is not None:
        median = weights.difference(result._metric(None)).median
        items.append(("weight of a count", f"{median:.2g}, {weights.basis}"))
    if record is not None:
        items.append(("splits", f"{record.n_splits} by {record.splitter}"))
        items.append(("training instances", f"{record.train_size:,.0f} per split, on average"))
    if evidence.n_groups:
        items.append(("groups", f"{evidence.n_groups:,}"))
    if evidence.is_of_splits:
        return listed(items)
    classes = ", ".join(map(str, result.labels))
    items.append(("classes", classes if len(classes) <= 300 else f"{classes[:297]}..."))
    tables, left_out = [], ""
    correct = evidence.correctness() if len(names) == 2 else None
    if correct is not None:
        a, b = (np.asarray(one, dtype=bool) for one in correct.right)
        rows = [
            [f"{names[0]} right", f"{np.sum(a & b):,}", f"{np.sum(a & ~b):,}"],
            [f"{names[0]} wrong", f"{np.sum(~a & b):,}", f"{np.sum(~a & ~b):,}"],
        ]
        header = ["", f"{names[1]} right", f"{names[1]} wrong"]
        tables.append(table(header, rows, "Right and wrong together"))
    chosen = list(names[:MOST_TABLES] if shown is None else shown)
    if len(result.labels) > MOST_CLASSES:
        left_out = note(f"Confusion tables of {len(result.labels)} classes are left out.")
        chosen = []
    elif len(names) > len(chosen):
        left_out = note(f"Confusion tables of {len(names) - len(chosen)} more are left out.")
    tables += [
        _confusion(name, counts)
        for name, counts in zip(names, posterior.counts, strict=True)
        if name in chosen and counts.table is not None
    ]
    return listed(items) + row(*tables) + left_out


def _confusion(name: str, counts: Any) -> str:
    labels = [str(label) for label in counts.labels]
    rows = [
        [label, *("not counted" if np.isnan(n) else f"{n:,.0f}" for n in numbers)]
        for label, numbers in zip(labels, np.asarray(counts.table, dtype=float), strict=True)
    ]
    caption = f"Counts of {name}: true classes in rows, predicted classes in columns"
    return table(["", *labels], rows, caption)


def model_and_prior(result: PosteriorView) -> str:
    """Return the model in the words of its documentation, and the parameters of its prior."""
    prior = ", ".join(f"{name} = {value}" for name, value in result.prior.items())
    if "callable" in result.prior:
        prior = f"user-supplied: {result.prior['callable']}"
    items = [("model", result.model), ("prior", prior or "none")]
    if result._posterior.prevalence is not None:
        items.append(("prevalence", ", ".join(map(str, result._posterior.prevalence))))
    documented = inspect.getdoc(type(result._posterior.model)) or ""
    words = re.split(r"\n(?:Parameters|Attributes|Examples|Notes|See Also)\n-", documented)[0]
    return listed(items) + paragraphs(words.replace("`", ""))


def computation(result: PosteriorView, summary: pd.DataFrame) -> str:
    """Return how the posterior was computed, and how far the computation can be relied on."""
    posterior = result._posterior
    items: list[tuple[str, Any]] = [("engine", result.engine)]
    if posterior.has_independent_draws:
        items.append(("draws", f"{result.n_draws:,}, independent of each other"))
    else:
        items.append(("draws", f"{result.n_draws:,} in {posterior.n_chains} Markov chains"))
        divergences = int(np.sum(posterior.stats.get("diverging", 0)))
        items.append(("divergences", f"{divergences:,}"))
    columns = {
        "mcse": ("error of the mean", "{:.2g}"),
        "hdi_mcse": ("error of the HDI's ends", "{:.2g}"),
        "ess": ("effective draws", "{:,.0f}"),
        "r_hat": ("R-hat", "{:.4f}"),
    }
    shown = {name: column for name, column in columns.items() if name in summary}
    rows = [
        [metric, *(written.format(errors[name]) for name, (_, written) in shown.items())]
        for metric, errors in summary.iterrows()
    ]
    header = ["metric", *(title for title, _ in shown.values())]
    errors_of_metrics = table(header, rows, "Monte Carlo errors: what more draws would change")
    return listed(items) + errors_of_metrics + "".join(map(note, result.warnings))


def reproduction(result: PosteriorView) -> str:
    """Return the seed and the versions that the result was made with."""
    versions = {
        "skbayeseval": __version__,
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "pandas": pd.__version__,
    }
    return listed([("seed (random_state)", result._posterior.entropy), *versions.items()])
