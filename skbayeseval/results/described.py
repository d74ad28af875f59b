"""`DescribedResult`: a result in words, as tables and as pages; `RopeResult`: in view of a ROPE.

The rows of summaries and the sentences of `explain` are made here, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from os import PathLike
from typing import Any

import pandas as pd

from skbayeseval._html import html_table, write_page
from skbayeseval.judgement.decision import NO_ROPE, digits_of
from skbayeseval.judgement.distribution import Distribution, decision_of
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import check_rope, warn_of_one_rope
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import in_headings
from skbayeseval.models import published_and_alternative_models
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.posterior.prior_odds import (
    bayes_factor,
    posterior_odds,
    prior_density_at_zero,
    written,
)
from skbayeseval.results.facts import (
    Fact,
    as_lines,
    facts_of,
    in_brief,
    observed_of,
    positive_class,
)
from skbayeseval.results.posterior_view import PosteriorView
from skbayeseval.results.report import Answer, in_paragraphs, page, view
from skbayeseval.results.text_tables import Labels, latex_table, markdown_table


def summary_row(
    posterior: Posterior,
    metric: Metric,
    names: tuple[str, str],
    rope: Any,
    prob: float,
    *,
    bayes_factor: bool = False,
) -> dict[str, Any]:
    """Return the summary row of one metric."""
    difference = posterior.difference(metric)
    region = check_rope(0.0 if rope is None else rope, metric, posterior.observed(metric)[1])
    decision = decision_of(difference, region, prob, names, metric.name)
    row: dict[str, Any] = {"mean": difference.mean, "sd": difference.sd, "mcse": difference.mcse}
    if bayes_factor:
        row["bf"] = _factor(posterior, metric, None if rope is None else region)
    row |= dict(zip(("p_worse", "p_rope", "p_better"), decision.probabilities, strict=True))
    row |= _interval(difference, prob)
    row["decision"] = NO_ROPE if rope is None else decision.settled_code
    return row | _mixing(posterior, difference)


def score_row(posterior: Posterior, metric: Metric, prob: float) -> dict[str, Any]:
    """Return the summary row of one metric of one classifier."""
    value = posterior.value(metric, 0)
    row = {"observed": posterior.observed(metric)[0], "mean": value.mean, "sd": value.sd}
    row |= {"mcse": value.mcse, **_interval(value, prob)}
    return row | _mixing(posterior, value)


def _interval(value: Distribution, prob: float) -> dict[str, float]:
    low, high = value.hdi(prob)
    return {"hdi_low": low, "hdi_high": high, "hdi_mcse": value.hdi_mcse(prob)}


def _mixing(posterior: Posterior, value: Distribution) -> dict[str, float]:
    """Return the diagnostics of Markov chains."""
    mixed = posterior.mixing(value.draws)
    return {} if mixed is None else {"ess": mixed.ess, "r_hat": mixed.r_hat}


def under_other_priors(
    posterior: Posterior, metric: Metric, row: Callable[[Posterior], dict[str, Any]]
) -> pd.DataFrame:
    """Return one row per model that fits the evidence, and per prior.

    `row` gives the row of a posterior. If there is no other model or prior, the only row says so.
    """
    evidence, rows, index = posterior.evidence, [], []
    models = []
    if metric.source in ("tables", "items"):
        models = published_and_alternative_models(
            evidence.family,
            paired=evidence.is_paired,
            true_negatives=posterior.has_true_negatives,
            n_classes=len(posterior.counts[0].labels),
            n_classifiers=evidence.n_classifiers,
        )
    if not posterior.has_independent_draws or posterior.model not in models:
        rows.append(row(posterior))
        prior = posterior.prior_description if metric.source in ("tables", "items") else {}
        alone = "" if models else " (no other model or prior fits)"
        index.append((posterior.model_name(metric), written(prior) + alone))
    weights = posterior.weights
    for model in models:
        same = posterior.like(
            model=model,
            prevalence=posterior.prevalence if model.has_class_proportions else None,
            weights=None if weights is None else weights.for_model(paired=model.needs_pairs),
        )
        same.check_metric(metric)
        rows.append(row(same))
        index.append((model.name, written(model.prior())))
    return pd.DataFrame(rows, index=pd.MultiIndex.from_tuples(index, names=["model", "prior"]))


def _factor(posterior: Posterior, metric: Metric, rope: Interval | None) -> float:
    """Return the Bayes factor, or NaN if it is not defined or not reliable."""
    if metric.calls_per_draw or not (
        metric.available and posterior.has_proper_prior(metric) and posterior.has_known_prior
    ):
        return math.nan
    posterior = posterior.under_published_prior()
    if rope is None or rope.low == rope.high:
        if prior_density_at_zero(posterior.prior, metric) is None:
            return math.nan
        rope = None
    elif not posterior_odds(posterior, metric, rope).reliable:
        return math.nan  # whatever the prior, whose simulation can take a while
    factor = bayes_factor(posterior, metric, rope)
    return factor.value if factor.reliable else math.nan


R = "with r the smallest difference that matters to you"
WITHOUT_A_ROPE = f"decision(rope=r), {R}"


def in_numbers(names: tuple[str, str], difference: Distribution) -> str:
    """Return who is ahead by how much, and the 95% interval."""
    (low, high), mean = difference.hdi(), difference.mean
    ahead, digits = names[0], digits_of(Interval(low, high))
    if difference.lead < 0:
        ahead, mean, low, high = names[1], -mean, -high, -low
    estimate, *ends = (f"{abs(value):.{digits}f}" for value in (mean, low, high))
    if not difference.lead or mean <= 0 or float(estimate) == 0:  # of a skewed difference, too
        return f"hardly any; 95% interval: {ahead} {ends[0]} behind to {ends[1]} ahead"
    between = f"{ends[0]} to {ends[1]}"
    if low < 0:
        between = f"from {ends[0]} behind to {ends[1]} ahead"
    return f"{ahead} ahead by {estimate}, 95% interval {between}"


# With more metrics than this, only the first are explained and drawn.
MOST_METRICS = 4


class DescribedResult(PosteriorView):
    """Base class of results, which can be printed, explained and shown."""

    def __str__(self) -> str:
        facts = [*in_brief(facts_of(self)), ("next", self._next())]
        return "\n".join([*self._verdict_lines(), *as_lines(facts)])

    def details(self) -> str:
        """Return all that is known of the result, in lines, most of which `print` leaves out.

        They tell what the posterior is based on (model, draws, what one prediction is worth), how
        observed values differ from means of splits, and all cautions.

        Returns
        -------
        words : str

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((900, 50, 60), (700, 150, 260), random_state=0)
        >>> print(result.details().splitlines()[3])
          model       bcv, 20,000 independent draws from 1,010 and 1,110 counts
        """
        lines = []
        for metric in self._metrics.values():
            lines += [self._headline(metric), *as_lines(self._facts_of(metric))]
        return "\n".join([*lines, *as_lines(facts_of(self))])

    def _explained(self, rope: Any = None) -> str:
        """Return what a page says first, in paragraphs, with observed values and the model."""
        metrics, numbers = self._few_metrics().values(), []
        for metric in metrics:
            called = self._called(metric)
            named = len(self.metrics) > 1 or called != in_headings(metric).lower()
            which = self._on(metric).replace("on", "in", 1) if named else ""
            numbers += [
                f"{what.capitalize()}{which}: {words}." for what, words in self._numbers(metric)
            ]
        return in_paragraphs(self._answer(rope), numbers, facts_of(self))

    def _headline(self, metric: Metric) -> str:
        """Return a sentence on what a metric says."""
        raise NotImplementedError

    def _called(self, metric: Metric) -> str:
        """Return what a metric is called in a sentence, with the positive class unless it is 1."""
        positive = positive_class(self._posterior, metric)
        return metric.name if positive is None else f"{metric.name} of class {positive!r}"

    def _on(self, metric: Metric) -> str:
        """Return "on" and the metric, such as " on the next data set"."""
        derived = metric.name in self._posterior.model.derived_metrics
        return f" on {'the ' if derived else ''}{self._called(metric)}"

    def _facts_of(self, metric: Metric) -> list[Fact]:
        """Return what is known of a metric."""
        return []

    def _verdict_lines(self) -> list[str]:
        """Return the lines that are printed first."""
        raise NotImplementedError

    def _next(self) -> str:
        """Return what to call next."""
        return WITHOUT_A_ROPE

    def _numbers(self, metric: Metric) -> list[Fact]:
        """Return the numbers that go with what is explained of a metric."""
        return [("observed", observed_of(self, metric))]

    def _answer(self, rope: Any) -> Answer:
        """Return what a page says first."""
        raise NotImplementedError

    def _few_metrics(self) -> dict[str, Metric]:
        """Return the metrics that are told and drawn on a page."""
        return dict(list(self._metrics.items())[:MOST_METRICS])

    def _rows_of_figures(self) -> int:
        return 0

    def _table(self, rope: Any, prob: float, mcse: bool, labels: Labels) -> pd.DataFrame:
        """Return the text of the table."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return view(self)


class RopeResult(DescribedResult):
    """Base class of results that are judged in view of a region of practical equivalence."""

    def explain(self, rope: Any = None) -> str:
        """Return what the result means, in paragraphs of plain sentences.

        They tell what `report` says first: who is better, by how much and how surely, what this
        means, what it applies to, what to be careful about, and what would settle what is open.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence: differences that are too small to matter. A number
            r means [-r, r], "1%" is a percentage as in `decision`, and a dict has the ROPE of each
            metric.

        Returns
        -------
        words : str
            Paragraphs, separated by blank lines.

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((900, 50, 60), (700, 150, 260), random_state=0)
        >>> print(result.explain(rope=0.01).partition(", almost")[0])
        Choose A: better than B by 0.169 in F1
        """
        return self._explained(self._ropes(rope))

    def report(self, path: str | PathLike[str], rope: Any = None) -> None:
        """Write all that is known of the result to one HTML page, which needs no other file.

        The page begins with what decides: a sentence, a table and a figure, what they mean, what
        they apply to, and what would settle what is open. Below, to be unfolded, is what the
        Bayesian analysis reporting guidelines ask for (Kruschke 2021): the evidence, the model and
        its prior, the computation, the posterior, sensitivity to the prior, and versions and seed.

        Parameters
        ----------
        path : str or path-like
            The file to write, such as "report.html". An existing file is replaced.
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence, as in `explain`.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((900, 50, 60), (700, 150, 260), random_state=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = Path(folder) / "report.html"
        ...     result.report(page, rope=0.01)
        ...     page.read_text()[:15]
        '<!DOCTYPE html>'
        """
        ropes = self._ropes(rope)
        write_page(path, lambda: page(self, self, ropes))

    def _ropes(self, rope: Any) -> Any:
        """Return the ROPE of each metric; warn if one is given for metrics on different scales."""
        warn_of_one_rope(rope, self._metrics.values())
        if rope is None:
            return None
        return {name: self._rope(rope, metric) for name, metric in self._metrics.items()}

    def _rope(self, rope: Any, metric: Metric) -> Interval:
        """Return the ROPE of a metric, in its units."""
        return check_rope(rope, metric, self._percentage_of(metric))

    def _percentage_of(self, metric: Metric) -> float | None:
        """Return the observed score that a percentage is of; None for metrics of known range."""
        return None if metric.bounds is not None else self._reference(metric)

    def _reference(self, metric: Metric) -> float:
        """Return the observed score that others are compared with."""
        raise NotImplementedError

    def to_latex(
        self, rope: Any = None, *, prob: float = 0.95, mcse: bool = False, labels: Labels = None
    ) -> str:
        r"""Return the result as a LaTeX tabular, which needs ``\usepackage{booktabs}``.

        A comparison has one row per metric, a ranking one row per classifier. Numbers are rounded
        to two digits of the standard deviation of their row.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence. Without one, nothing is decided.
        prob : float, default=0.95
            The probability mass of the HDI.
        mcse : bool, default=False
            Whether to include Monte Carlo standard errors and, for Markov chains, diagnostics.
        labels : dict of str to str, default=None
            What metrics are called, such as {"roc_auc": "ROC AUC"}. In a table of classifiers, the
            label of the metric stands above the observed values. Under a label, scores with a
            minus sign are written without it: with {"neg_brier_score": "Brier score"}, smaller
            numbers are better, and a negative difference speaks for A.

        Returns
        -------
        table : str
            For a comparison, the columns are the observed metric values, the mean and standard
            deviation of the difference A minus B, the probabilities that A is worse, inside the
            ROPE and better, the HDI and, with a ROPE, the decision: the symbol of what is settled,
            or "not settled". For a ranking, they are the observed metric value, its estimate (the
            posterior mean), standard deviation and HDI, the probability of being best and the rank;
            with a ROPE also the probability of being practically equivalent to the best, and the
            decision against the best.

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((88, 10, 12), (80, 14, 20), names=("new", "old"))
        >>> print(result.to_latex(rope=0.01).splitlines()[4].split(" & ")[-1])
        not settled \\
        """
        return latex_table(self._table(rope, prob, mcse, labels))

    def to_markdown(
        self, rope: Any = None, *, prob: float = 0.95, mcse: bool = False, labels: Labels = None
    ) -> str:
        """Return the result as a Markdown table.

        The parameters and the columns are those of `to_latex`.
        """
        return markdown_table(self._table(rope, prob, mcse, labels))

    def to_html(
        self, rope: Any = None, *, prob: float = 0.95, mcse: bool = False, labels: Labels = None
    ) -> str:
        """Return the result as an HTML table, with escaped names.

        The parameters and the columns are those of `to_latex`.
        """
        return html_table(self._table(rope, prob, mcse, labels))
