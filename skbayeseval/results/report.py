"""All that is known of a result on one page, in the order of the BARG (Kruschke 2021)."""

from __future__ import annotations

import inspect
import platform
import re
from collections.abc import Sequence
from functools import singledispatch
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
import scipy
import sklearn

from skbayeseval._html import (
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
from skbayeseval.judgement.ranking_decision import RankingDecision
from skbayeseval.judgement.rope import check_rope, check_rope_around_zero, warn_of_one_rope
from skbayeseval.posterior.recipe import Posterior
from skbayeseval.results.base import PosteriorView
from skbayeseval.results.comparison import ComparisonResult
from skbayeseval.results.explain import explain
from skbayeseval.results.notebook import (
    comparison_table,
    leaders,
    on_splits,
    ranking_figure,
    ranking_table,
    score_table,
    verdicts,
)
from skbayeseval.results.ranking import Ranking
from skbayeseval.results.single import ScoreResult
from skbayeseval.results.summary import under_other_priors
from skbayeseval.results.text import decimals, join_words, plain

__all__ = [
    "computation",
    "evidence_tables",
    "model_and_prior",
    "page_of",
    "reproduction",
]


# Confusion tables of more classes are left out, and so are those of more classifiers.
MOST_CLASSES = 12


MOST_TABLES = 6


def evidence_tables(result: PosteriorView, shown: Sequence[str] | None = None) -> str:
    """Return what the evidence is, with the confusion table of each classifier in `shown`."""
    posterior, record = result._posterior, result._cross_validation
    evidence, names = posterior.evidence, result._names
    if posterior.weights is not None:
        evidence = evidence.with_weight(1.0)
    items: list[tuple[str, Any]] = [("evidence", evidence.describe())]
    if posterior.weights is not None:
        weight = posterior.weights.difference(result._metric(None))
        items.append(("weight of a count", f"{weight.median:.2g}, {posterior.weights.basis}"))
    if record is not None:
        items.append(("splits", f"{record.n_splits} by {record.splitter}"))
        items.append(("training instances", f"{record.train_size:,.0f} per split, on average"))
    if evidence.n_groups:
        items.append(("groups", f"{evidence.n_groups:,}"))
    if evidence.is_of_splits:
        return listed(items)
    items.append(("classes", _short(", ".join(map(str, result.labels)))))
    tables = []
    correct = evidence.correctness() if len(names) == 2 else None
    if correct is not None:
        tables.append(_both(correct.right, names))
    if len(result.labels) > MOST_CLASSES:
        left_out = note(f"Confusion tables of {len(result.labels)} classes are left out.")
        return listed(items) + row(*tables) + left_out
    chosen = list(names[:MOST_TABLES] if shown is None else shown)
    for name, counts in zip(names, posterior.counts, strict=True):
        if name in chosen and counts.table is not None:
            tables.append(_confusion(name, counts))
    left_out = ""
    if len(names) > len(chosen):
        left_out = note(f"Confusion tables of {len(names) - len(chosen)} more are left out.")
    return listed(items) + row(*tables) + left_out


def _confusion(name: str, counts: Any) -> str:
    labels = [str(label) for label in counts.labels]
    rows = [
        [label, *("not counted" if np.isnan(n) else f"{n:,.0f}" for n in numbers)]
        for label, numbers in zip(labels, np.asarray(counts.table, dtype=float), strict=True)
    ]
    caption = f"Counts of {name}: true classes in rows, predicted classes in columns"
    return table(["", *labels], rows, caption)


def _both(right: Any, names: tuple[str, ...]) -> str:
    a, b = (np.asarray(one, dtype=bool) for one in right)
    rows = [
        [f"{names[0]} right", f"{np.sum(a & b):,}", f"{np.sum(a & ~b):,}"],
        [f"{names[0]} wrong", f"{np.sum(~a & b):,}", f"{np.sum(~a & ~b):,}"],
    ]
    return table(["", f"{names[1]} right", f"{names[1]} wrong"], rows, "Right and wrong together")


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
    columns = {"mcse": "error of the mean", "hdi_mcse": "error of the HDI's ends"}
    columns |= {"ess": "effective draws", "r_hat": "R-hat"}
    shown = [name for name in columns if name in summary]
    formats = {"ess": "{:,.0f}", "r_hat": "{:.4f}"}
    rows = [
        [metric, *(formats.get(name, "{:.2g}").format(errors[name]) for name in shown)]
        for metric, errors in summary.iterrows()
    ]
    caption = "Monte Carlo errors: what more draws would change"
    found = table(["metric", *(columns[name] for name in shown)], rows, caption)
    return listed(items) + found + "".join(map(note, result.warnings))


def reproduction(result: PosteriorView) -> str:
    """Return the seed and the versions that the result was made with."""
    packages = {"skbayeseval": __version__, "Python": platform.python_version()}
    packages |= {"numpy": np.__version__, "scipy": scipy.__version__}
    packages |= {"scikit-learn": sklearn.__version__, "pandas": pd.__version__}
    seed = [("seed (random_state)", result._posterior.entropy)]
    return listed([*seed, *packages.items()])


def _short(words: str, width: int = 300) -> str:
    return words if len(words) <= width else f"{words[: width - 3]}..."


# The posteriors of so many metrics are drawn.
MOST_FIGURES = 6


@singledispatch
def page_of(result: Any, rope: Any = None) -> str:
    """Return the page of a result; implemented for each kind of result."""
    raise TypeError(f"There is no page for a {type(result).__name__}.")


@page_of.register
def _(result: ComparisonResult, rope: Any = None) -> str:
    warn_of_one_rope(rope, result._metrics.values())
    a, b = result.names
    shown = result.metrics[:MOST_FIGURES]
    regions = {name: None if rope is None else check_rope(rope, result._metric(name))
               for name in result.metrics}  # fmt: skip
    decided = verdicts(result)
    if rope is not None:
        decided = [str(result.decision(regions[name], metric=name)) for name in result.metrics]
    summary = result.summary(None if rope is None else regions)
    numbers = (f"figure{number}" for number in count(1))

    def drawn(kind: str, name: str, label: str) -> str:
        return inline_svg(
            lambda ax: result.plot(kind, metric=name, ax=ax, **_rope_of(kind, regions[name])),
            f"{label} in {name}",
            prefix=next(numbers),
        )

    posteriors = [drawn("posterior", name, "posterior of the difference") for name in shown]
    further = []
    if name_of_splits := [name for name in shown if _has_split_scores(result, name)]:
        further = [drawn("scores", name, "split scores") for name in name_of_splits]
    overview = comparison_table(result) + note(
        f"Differences are {a} minus {b}. The HDI is the narrowest interval that has 95% of the "
        f"probability{on_splits(result)}."
    )
    chains = []
    if not result._posterior.has_independent_draws:
        chains = [drawn("trace", name, "draws of the chains") for name in shown]
    return document(
        f"{a} against {b}",
        f"Compared by {join_words(result.metrics[:8])}" + ", ..." * (len(result.metrics) > 8),
        verdict(*map(lines, decided[:MOST_FIGURES])),
        # Several metrics: one paragraph, and one table that has them all.
        overview if len(result.metrics) > 1 else "",
        paragraphs(
            explain(
                result,
                None if rope is None else regions,
                beside_a_table=len(result.metrics) > 1,
            )
        ),
        posteriors[0],
        section("Evidence", evidence_tables(result)),
        section("Model and prior", model_and_prior(result)),
        section("Computation", computation(result, summary), *chains),
        section(
            "Posterior",
            overview if len(result.metrics) == 1 else "",
            *posteriors[1:],
            *further,
        ),
        section("Decisions", _decision_table(result, regions)),
        section("Sensitivity to the prior", _sensitivity(result, regions[result.metrics[0]])),
        section("To reproduce this", reproduction(result)),
    )  # fmt: skip


def _rope_of(kind: str, region: Interval | None) -> dict[str, Any]:
    return {"rope": region} if kind == "posterior" else {}


def _has_split_scores(result: ComparisonResult, name: str) -> bool:
    record = result._cross_validation
    recorded = record is not None and name in record.scores
    return recorded or result.evidence.of_splits(name) is not None


def _decision_table(result: ComparisonResult, regions: dict[str, Interval | None]) -> str:
    """Return what was declared too small to matter, and the probabilities."""
    a, b = result.names
    header = ["metric", "ROPE", f"P({b} better)", "P(equivalent)", f"P({a} better)", "decision"]
    rows: list[list[str]] = []
    for name, region in regions.items():
        if region is None:
            continue
        decision = result.decision(region, metric=name)
        chances = map(format_probability, decision.probabilities)
        rows.append([name, format_interval(region), *chances, decision.label])
    if not rows:
        return note("No region of practical equivalence (ROPE) was given, so nothing was decided.")
    explained = note(
        "A decision is settled if the 95% HDI lies beyond the region of practical equivalence "
        "(ROPE), or inside it."
    )
    return table(header, rows) + explained


def _sensitivity(result: ComparisonResult, region: Interval | None) -> str:
    """Return the answers for the first metric under other models and priors."""
    which = result._metric(None)
    rope = Interval(0.0, 0.0) if region is None else region

    def row_of(posterior: Posterior) -> dict[str, Any]:
        difference = posterior.difference(which)
        decision = decision_of(difference, rope, 0.95, result.names, which.name)
        return {"mean": difference.mean, "decision": decision}

    frame = under_other_priors(result._posterior, which, row_of)
    rows = []
    for model_and_prior_, (mean, decision) in zip(frame.index, frame.to_numpy(), strict=True):
        digits = decimals(decision.hdi)
        rows.append(
            [", ".join(model_and_prior_), plain(mean, digits),
             format_interval(decision.hdi), *map(format_probability, decision.probabilities),
             decision.label]
        )  # fmt: skip
    a, b = result.names
    header = ["model, prior", "difference", "95% HDI", f"P({b} better)", "P(equivalent)",
              f"P({a} better)", "decision"]  # fmt: skip
    if region is None:  # without a ROPE, nothing is equivalent and nothing is decided
        header = [header[i] for i in (0, 1, 2, 3, 5)]
        rows = [[row[i] for i in (0, 1, 2, 3, 5)] for row in rows]
    return table(header, rows, f"{result.metrics[0]} under other models and priors")


@page_of.register
def _(result: ScoreResult) -> str:
    shown = result.metrics[:MOST_FIGURES]

    def drawn(name: str, number: int) -> str:
        return inline_svg(
            lambda ax: result.plot(metric=name, ax=ax),
            f"posterior of {name}",
            prefix=f"figure{number}",
        )

    figures = [drawn(name, number) for number, name in enumerate(shown, 1)]
    frame = result.prior_sensitivity()
    rows = []
    for which, (_, one) in zip(frame.index, frame.iterrows(), strict=True):
        hdi = Interval(one["hdi_low"], one["hdi_high"])
        words = ", ".join(which)
        rows.append([words, plain(one["mean"], decimals(hdi)), format_interval(hdi, sign=False)])
    other_priors = table(["model, prior", "mean", "95% HDI"], rows, result.metrics[0])
    return document(
        f"The performance of {result.name}",
        f"Measured by {join_words(result.metrics[:8])}" + ", ..." * (len(result.metrics) > 8),
        verdict(lines(str(result))),
        paragraphs(explain(result)),
        figures[0],
        section("Evidence", evidence_tables(result)),
        section("Model and prior", model_and_prior(result)),
        section("Computation", computation(result, result.summary())),
        section("Posterior", score_table(result), *figures[1:]),
        section("Sensitivity to the prior", other_priors),
        section("To reproduce this", reproduction(result)),
    )


@page_of.register
def _(result: Ranking, rope: Any = None) -> str:
    warn_of_one_rope(rope, result._metrics.values())
    shown, several = result.metrics[:MOST_FIGURES], len(result.metrics) > 1
    regions = {
        name: None if rope is None else check_rope_around_zero(rope, result._metric(name))
        for name in result.metrics
    }
    decided = "".join(map(lines, leaders(result)[:MOST_FIGURES]))
    if rope is not None:
        decisions = [result.decision(regions[name], metric=name) for name in regions]
        decided = _decisions_on_metrics(decisions) if several else lines(str(decisions[0]))
    first, second = result.table.index[:2]
    pair = result.pairs[first, second]
    figures = [
        ranking_figure(result, name, f"figure{number}") for number, name in enumerate(shown, 1)
    ]
    overview = ranking_table(result, result.metrics)
    return document(
        f"A comparison of {len(result.names)} classifiers",
        f"Compared by {join_words(result.metrics[:8])}" + ", ..." * (len(result.metrics) > 8),
        verdict(decided),
        # Several metrics: one paragraph, and one table that has them all.
        overview if several else "",
        paragraphs(explain(result, None if rope is None else regions, beside_a_table=several)),
        figures[0],
        section("Evidence", evidence_tables(result)),
        section("Model and prior", model_and_prior(result)),
        section("Computation", computation(pair, pair.summary())),
        section("Posterior", "" if several else overview, *figures[1:]),
        section("Decisions about pairs", _pair_table(result, regions[result.metrics[0]])),
        section(
            "Sensitivity to the prior",
            note(f"For {first} and {second}, which have the highest means:"),
            _sensitivity(pair, regions[result.metrics[0]]),
        ),
        section("To reproduce this", reproduction(result)),
    )


def _decisions_on_metrics(decisions: Sequence[RankingDecision]) -> str:
    """Return the decisions about a ranking, one row per metric."""
    header = ["metric", "ROPE", "the best or practically equivalent to it", "not settled",
              "surely worse than the best"]  # fmt: skip
    rows = [[one.metric, format_interval(one.rope), *one._named()] for one in decisions]
    return table(header, rows) + note(
        f"{100 * decisions[0].prob:.3g}% HDI, scores partially pooled; in brackets, the "
        "probability of being practically equivalent to the best."
    )


# Of more classifiers than this, only the best are compared in pairs.
MOST_IN_PAIRS = 8


def _pair_table(result: Ranking, region: Interval | None) -> str:
    """Return the posterior of the difference of each pair of the best classifiers."""
    best = list(result.table.index[:MOST_IN_PAIRS])
    header = ["pair", "difference", "95% HDI", "P(first better)"]
    header += ["P(equivalent)", "P(second better)", "decision"] if region else []
    rows = []
    for i, first in enumerate(best):
        for second in best[i + 1 :]:
            pair = result.pairs[first, second]
            hdi = pair.hdi()
            difference = plain(pair._distribution().mean, decimals(hdi))
            row = [f"{first} minus {second}", difference, format_interval(hdi)]
            if region is None:
                row.append(format_probability(pair.probability().better))
            else:
                decision = pair.decision(region)
                worse, equivalent, better = map(format_probability, decision.probabilities)
                row += [better, equivalent, worse, decision.label]
            rows.append(row)
    cut = ""
    if len(result.names) > MOST_IN_PAIRS:
        cut = note(f"Pairs of the {MOST_IN_PAIRS} classifiers with the highest means.")
    return table(header, rows, result.metrics[0]) + cut
