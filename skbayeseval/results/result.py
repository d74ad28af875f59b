"""`Result`: what every result knows, a posterior and one or more metrics of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from os import PathLike
from typing import Any, Self, TypeVar

import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from skbayeseval._arrays import Array, in_short, wrong
from skbayeseval._html import html_table
from skbayeseval._validation import check_characters, warn_caller
from skbayeseval.evidence.interface import Evidence
from skbayeseval.judgement.decision import ExpectedLoss, check_cost, expected_loss
from skbayeseval.judgement.distribution import Distribution, OneSidedDecision, Plan, one_sided
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import check_margin, check_rope, warn_of_one_rope
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import PerClass, split_metric
from skbayeseval.metrics.scoring import resolve_scoring
from skbayeseval.posterior.build import convergence_warnings, from_trace
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.results.page import Page, explained, view, write_page
from skbayeseval.results.storage import describe, read, write
from skbayeseval.results.text_tables import Labels, latex_table, markdown_table
from skbayeseval.results.to_arviz import as_arviz
from skbayeseval.results.words import Fact, applies_to, as_lines, called, facts_of, trained_on
from skbayeseval.splitting.collect import CrossValidation
from skbayeseval.splitting.out_of_fold import OutOfFold

T = TypeVar("T")


class Result:
    """Base class of results: a posterior, the names of its classifiers, and metrics.

    Results are read-only. Methods take ``metric=``, which defaults to the first metric.
    """

    def __init__(
        self,
        posterior: Posterior,
        names: tuple[str, ...],
        metrics: Mapping[str, Metric],
        cross_validation: CrossValidation | None = None,
    ) -> None:
        check_characters(names, "names")
        check_characters(metrics, "names of metrics")
        for metric in metrics.values():
            posterior.check_metric(metric)
        posterior.asked |= dict.fromkeys(metrics.values())
        self._posterior = posterior
        self._names = names
        self._metrics = dict(metrics)
        self._cross_validation = cross_validation
        self._known: dict[Hashable, Any] = {}
        if not posterior.has_warned:
            posterior.has_warned = True
            if self.warnings:
                warn_caller(" ".join(self.warnings), ConvergenceWarning)

    @property
    def _parts(self) -> tuple[Any, ...]:
        """The arguments that the result was made of."""
        return self._posterior, self._names, self._metrics, self._cross_validation

    @property
    def warnings(self) -> tuple[str, ...]:
        """Convergence warnings of the Markov chains; empty for exact draws."""
        if self._posterior.trace is None:
            return ()
        by_metric = (
            convergence_warnings(self._posterior, m, name) for name, m in self._metrics.items()
        )
        return tuple(dict.fromkeys(warning for of_metric in by_metric for warning in of_metric))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics."""
        return tuple(self._metrics)

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._posterior.model.name

    @property
    def prior(self) -> dict[str, Any]:
        """The parameters of the prior, or the name of a callable prior."""
        return self._posterior.prior_description

    @property
    def engine(self) -> str:
        """The name of the engine that made the draws."""
        return self._posterior.engine

    @property
    def weight(self) -> float:
        """The weight of one count; the median, where it is inferred for the first metric."""
        weights = self._posterior.weights
        if weights is None:
            return self._posterior.weight
        return weights.difference(self._metric(None)).median

    @property
    def n_draws(self) -> int:
        """The number of draws."""
        return self._posterior.n_draws

    @property
    def labels(self) -> tuple[Any, ...]:
        """The classes, in the order of the confusion tables."""
        return self._posterior.counts[0].labels

    @property
    def evidence(self) -> Evidence:
        """The evidence, such as counts."""
        return self._posterior.evidence

    @property
    def cv_results(self) -> dict[str, dict[str, Any]] | None:
        """The output of `cross_validate` for each estimator; None without cross-validation."""
        return None if self._cross_validation is None else self._cross_validation.results

    @property
    def predictions(self) -> pd.DataFrame:
        """The out-of-fold predictions, one row per instance of `X`, with the index of `X`.

        There is a column for each classifier and repeat: a repeat consists of consecutive splits
        that do not validate an instance twice. Predictions are labels, numbers, or lists of tags;
        multi-label indicators have a column for each label as well. Instances that were not
        validated in a repeat have None or NaN. Without cross-validation, there is one repeat: the
        predictions that were given.

        Raises
        ------
        ValueError
            If predictions were not kept: by ``model="scores"``, by metrics of instance scores alone
            ("roc_auc"), where counts were given, and in files.
        """
        return self._predicted.frame(self._names)

    @property
    def _predicted(self) -> OutOfFold:
        """The predictions, with the truth if it is kept; raise if there are none."""
        record = self._cross_validation
        if record is not None and record.out_of_fold is not None:
            return record.out_of_fold
        given = self.evidence.given(self._names) if record is None else None
        if given is None:
            raise ValueError(
                "This result has no predictions. They are kept where they are given or "
                "cross-validated with a metric of predictions, such as scoring='accuracy', but not "
                "of groups or chunks, for counts, scores and model='scores', nor in files."
            )
        instances = self._posterior.instances
        return given if instances is None else replace(given, index=instances.index)

    @property
    def n_splits(self) -> int | None:
        """The number of splits; None without cross-validation."""
        return None if self._cross_validation is None else self._cross_validation.n_splits

    @property
    def train_size(self) -> float | None:
        """The mean number of training instances; None without cross-validation."""
        return None if self._cross_validation is None else self._cross_validation.train_size

    def metric(self, name: str | Metric | PerClass) -> Self:
        """Return the result for another metric, from the same draws and without refitting.

        Parameters
        ----------
        name : str, Metric or PerClass
            A metric of the result, or any other metric that `scoring` accepts.
        """
        if isinstance(name, PerClass):
            metrics = resolve_scoring(name, self.labels)
        else:
            metric = self._metric(name)
            metrics = {metric.name: metric}
        posterior, names, _, *others = self._parts
        return type(self)(posterior, names, metrics, *others)

    def pymc_model(self, *, prior: Callable[..., Any] | None = None) -> Any:
        """Return the model and the evidence as a PyMC graph, to sample, modify or plot.

        Parameters
        ----------
        prior : callable, default=None
            A function that builds variables to replace published priors, as that of `PyMCEngine`.
            By default, the prior of the result.

        Returns
        -------
        model : pymc.Model
            Pass a trace of it to `ComparisonResult.from_trace` to get a result.
        """
        build = self._posterior.build_prior if prior is None else prior
        name = self.prior.get("callable")
        if name is not None and build is None:
            raise ValueError(
                f"The prior of this result is the function {name!r}, which is not available. Pass "
                "it as prior=, or call pymc_model of the original result."
            )
        return self._posterior.specification.build_graph(self.labels, prior=build)

    @classmethod
    def from_trace(cls, trace: Any, like: Self) -> Self:
        """Return a result from a trace of a modified graph.

        Parameters
        ----------
        trace : InferenceData, DataTree or dict of str to ndarray of shape (chains, draws, ...)
            Draws of the parameters, named as in the graph returned by `pymc_model`. If there is a
            group "prior" with the same variables, it is used for Bayes factors.
        like : ComparisonResult
            The result whose graph was modified. It provides the evidence and the model.

        Returns
        -------
        result : ComparisonResult
            The result, with the names and the metrics of `like`.
        """
        if not isinstance(like, cls):
            raise TypeError(
                f"like must be the {cls.__name__} whose pymc_model() was sampled, got "
                f"{type(like).__name__}."
            )
        posterior = from_trace(trace, like._posterior)
        return cls(posterior, like._names, like._metrics, like._cross_validation)

    def to_arviz(self) -> Any:
        """Return the result as an ArviZ InferenceData (0.x) or DataTree (1.x).

        Returns
        -------
        data : InferenceData or DataTree
            The groups are posterior (the parameters and rates, the metrics of each classifier and
            their differences), prior (prior draws of the same variables), observed_data (such as
            counts) and, for Markov chains, sample_stats; for models of counts also
            posterior_predictive and prior_predictive (counts of a test set as large as the observed
            one, for up to 1,000 draws), log_likelihood and log_prior.

        Notes
        -----
        A pair of a ranking is exported by itself, as `ComparisonResult.alone` is.
        The log likelihood has one term for each vector of counts, up to a constant. Where counts
        have a weight, it is multiplied by it, and predicted counts vary as those of fewer instances
        that are each counted several times.

        log_likelihood and log_prior are left out where they would not belong to the draws: models
        of more than two classes, or of more than two classifiers, draw rows of tables besides
        their parameters; weights of cross-validated counts that are inferred differ between draws
        (pass ``weight="published"`` or a number); and of a user-supplied prior or a modified graph,
        PyMC has them (``pymc.compute_log_prior``). Models that weight instances or groups (the
        Bayesian bootstrap) and models of split scores have no likelihood of counts: they have
        none of the four groups.

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> data = compare_counts((88, 10, 12), (80, 14, 20), random_state=0).to_arviz()
        >>> data.posterior_predictive["confusion_A"].dims
        ('chain', 'draw', 'true', 'predicted')
        """
        return as_arviz(self._posterior, self._names, self._metrics)

    def explain(self, rope: Any = None) -> str:
        """Return what the result means, in paragraphs of plain sentences.

        They tell what `report` says first: who is better or the best, by how much and how surely,
        what this means, what it applies to, what to be careful about, and what would settle what is
        open.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence: differences that are too small to matter. A number
            r means [-r, r], "1%" is a percentage as in `decision`, and a dict has the ROPE of each
            metric. Of a single classifier, there is none.

        Returns
        -------
        words : str
            Paragraphs, separated by blank lines.

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((900, 50, 60), (700, 150, 260), random_state=0)
        >>> print(result.explain(rope=0.01).partition(" (")[0])
        Choose A: A is better than B on F1
        """
        return explained(self._page(self._ropes(rope)), facts_of(self))

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
        write_page(path, self, lambda: self._page(ropes))

    def to_latex(
        self, rope: Any = None, *, prob: float = 0.95, mcse: bool = False, labels: Labels = None
    ) -> str:
        r"""Return the result as a LaTeX tabular, which needs ``\usepackage{booktabs}``.

        There is one row per metric; of a ranking, one per classifier, the best first. Numbers are
        rounded to two digits of the standard deviation of their row.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence, as in `explain`. Without one, nothing is decided.
        prob : float, default=0.95
            The probability mass of the HDI.
        mcse : bool, default=False
            Whether to include Monte Carlo standard errors and, for Markov chains, diagnostics.
        labels : dict of str to str, default=None
            What metrics are called, such as {"roc_auc": "ROC AUC"}. Under a label, scores with a
            minus sign are written without it: with {"neg_brier_score": "Brier score"}, smaller
            numbers are better, and a negative difference speaks for A. In a ranking, the label of
            the metric stands above the observed values.

        Returns
        -------
        table : str
            The observed metric values, the mean and standard deviation and the HDI: of the
            difference A minus B, with the probabilities that A is worse, inside the ROPE and
            better; of each classifier of a ranking, with the probability of being best and the
            rank; or of the metric of a single one. With a ROPE also the decision: the symbol of
            what is settled, or "not settled", and in a ranking the probability of being practically
            equivalent to the best.

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
        """Return the result as a Markdown table; parameters and columns are those of `to_latex`.

        Examples
        --------
        >>> from skbayeseval import score_posterior
        >>> result = score_posterior([0, 1] * 40, [0, 1] * 36 + [1, 0] * 4, random_state=0)
        >>> print(result.to_markdown().splitlines()[0])
        | metric | observed | mean | std | 95% interval |
        """
        return markdown_table(self._table(rope, prob, mcse, labels))

    def to_html(
        self, rope: Any = None, *, prob: float = 0.95, mcse: bool = False, labels: Labels = None
    ) -> str:
        """Return the result as an HTML table, with escaped names, as `to_latex` does."""
        return html_table(self._table(rope, prob, mcse, labels))

    def to_dict(self) -> dict[str, Any]:
        """Return the result without its draws, as a dict that can be written as JSON."""
        return describe(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Save the result and its draws to a file that `load` can read.

        The file is written whole or not at all: if saving fails, a file that was there before is
        kept. Pickle is not used. Fitted estimators are left out, and what a search chose
        (`best_params` in `cv_results`) is kept as it is, except for objects such as estimators or
        functions, which become their `repr`.

        Parameters
        ----------
        path : str or path-like
            The file, which is replaced if it exists.
        """
        write(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Load a result that was saved with `save`.

        Parameters
        ----------
        path : str or path-like
            The file. A file that is damaged, or is not consistent, is a ValueError.

        Returns
        -------
        result : ComparisonResult, ScoreResult or Ranking
            A result of the class that the method is called on.
        """
        _, parts = read(path, cls.__name__)
        return cls(*parts)

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
            headline, facts = self._told(metric)
            lines += [headline, *as_lines(facts)]
        return "\n".join([*lines, *as_lines(facts_of(self))])

    def _repr_html_(self) -> str:
        return view(self._page(None))

    def _told(self, metric: Metric) -> tuple[str, list[Fact]]:
        """Return a sentence on what a metric says, and what is known of it."""
        raise NotImplementedError

    def _page(self, ropes: Any) -> Page:
        """Return what `explain` and a page say, given the ROPE of each metric."""
        raise NotImplementedError

    def _table(self, rope: Any, prob: float, mcse: bool, labels: Labels) -> pd.DataFrame:
        """Return the result as a table of text."""
        raise NotImplementedError

    def _rivals(self, metric: Metric) -> Array:
        """Return draws of each classifier that tell what choosing it loses; of two, differences."""
        raise NotImplementedError

    def _reference(self, metric: Metric) -> float:
        """Return the observed score that others are compared with: the best."""
        return max(self.evidence.completed or self._posterior.observed(metric))

    def _rope(self, rope: Any, metric: Metric) -> Interval:
        """Return the ROPE of a metric, in its units."""
        return check_rope(rope, metric, self._reference(metric))

    def _margin(self, margin: Any, metric: str | Metric | None) -> float:
        """Return a margin of a metric, in its units."""
        which = self._metric(metric)
        return check_margin(margin, which, self._reference(which))

    def _ropes(self, rope: Any) -> Any:
        """Return the ROPE of each metric; warn if one is given for metrics on different scales."""
        warn_of_one_rope(rope, self._metrics.values())
        if rope is None:
            return None
        return {name: self._rope(rope, metric) for name, metric in self._metrics.items()}

    def _once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return what was computed before under a key, or compute it."""
        if key not in self._known:
            self._known[key] = compute()
        found: T = self._known[key]
        return found

    def _metric(self, metric: str | Metric | None) -> Metric:
        if metric is None:
            return next(iter(self._metrics.values()))
        if isinstance(metric, str) and metric in self._metrics:
            return self._metrics[metric]
        for known in self._metrics.values():
            if metric is known:
                return known
        if not isinstance(metric, (str, Metric)):
            raise TypeError(f"metric must be a name or a Metric, got {in_short(metric)}.")
        if self.evidence.is_of_splits and isinstance(metric, str):
            return self._posterior.check_metric(split_metric(metric))
        metrics = resolve_scoring(metric, self.labels)
        return self._posterior.check_metric(next(iter(metrics.values())))

    def _expected_loss(
        self, allowed: Sequence[float], cost: Any, metric: str | Metric | None
    ) -> ExpectedLoss:
        which, costs = self._metric(metric), check_cost(cost, len(self._names))
        if not which.has_mean:
            raise ValueError(
                f"A loss in {which.name!r} has no mean, because a ratio without a bound may be "
                "anything. Ask decision(rope) or superiority(), or choose another metric."
            )
        loss = expected_loss(self._rivals(which), allowed, costs, self._names, which.name)
        return replace(loss, **self._about(metric))

    def _n_instances(self) -> int:
        """Return the number of instances, which may each be counted several times."""
        record = self._cross_validation
        if record is not None and record.test_size is not None:
            return round(record.train_size + record.test_size)
        return round(max(counts.total for counts in self._posterior.counts))

    def _about(self, metric: str | Metric | None) -> dict[str, Any]:
        """Return what all that is decided about a metric tells of the result."""
        record = self._cross_validation
        return {
            "called": called(self, self._metric(metric)),
            "more_repeats": record.more_repeats if record else "",
            "trained_on": trained_on(self),
            "other_metrics": self.metrics[1:] if metric is None else (),
        }

    def _one_sided(
        self,
        question: str,
        of: Distribution,
        limit: float,
        prob: float,
        planned: int | None,
        metric: str | Metric | None,
        against: tuple[str, ...] = (),
    ) -> OneSidedDecision:
        """Return the answer to a one-sided question, by default about all that was compared."""
        which, plan = self._metric(metric), self._plan(planned)
        names, (shift, n_repeats) = against, (0.0, 1)
        if not against:
            names, (shift, n_repeats) = self._names, self._posterior.resplitting(which)
        answer = one_sided(question, of, limit, prob, names, which.name, shift=shift, plan=plan)
        about = self._about(metric) | {"n_repeats": n_repeats}
        return replace(answer, **about, applies_to=f"Applies to {''.join(applies_to(self))}.")

    def _plan(self, planned: Any) -> Plan | None:
        """Return how many of the planned items or instances there are; None if none are planned."""
        if planned is None:
            return None
        if self.evidence.is_of_splits:
            raise ValueError(
                "planned= is a number of items or instances, but there are only scores of splits: "
                "omit it."
            )
        if not isinstance(planned, Integral) or isinstance(planned, bool):
            raise wrong("planned", "a whole number", planned, TypeError)
        units = "items" if self.evidence.is_of_items else "instances"
        plan = Plan(self._n_instances(), int(planned), units)
        if plan.planned < plan.n_now:
            raise ValueError(
                f"planned={planned} is less than the {plan.n_now:,} {units} that there are. It is "
                "the total that was planned before the first look."
            )
        return plan

    def __repr__(self) -> str:
        several = len(self._names) > 1
        who = f"names={self._names}" if several else f"name={self._names[0]!r}"
        return (
            f"{type(self).__name__}({who}, metrics={self.metrics}, "
            f"model={self.model!r}, engine={self.engine!r}, n_draws={self.n_draws})"
        )
