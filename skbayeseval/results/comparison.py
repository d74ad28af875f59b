"""`ComparisonResult`: the result of comparing two classifiers; `Pairs`: all of several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from operator import index
from typing import Any

import pandas as pd

from skbayeseval._arrays import choices, in_short, wrong
from skbayeseval._validation import check_flag
from skbayeseval.evidence.instances import Instances, subgroups_of
from skbayeseval.evidence.item_scores import ItemScores
from skbayeseval.judgement.decision import PLANNED, digits_of, format_interval, format_probability
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import warn_of_one_rope
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import in_headings
from skbayeseval.planning.sample_size import SampleSize, required_sample_size
from skbayeseval.posterior.posterior import Posterior
from skbayeseval.results.classical_tests import classical_tests
from skbayeseval.results.described import R, in_numbers, summary_row, under_other_priors
from skbayeseval.results.disagreements import of_items, of_predictions, with_columns
from skbayeseval.results.facts import Fact, as_lines, in_figures, observed_of, observed_values
from skbayeseval.results.figures import ComparisonFigures
from skbayeseval.results.report import POSTERIOR, SENSITIVITY, Answer, Figure, Table, answer_of_pair
from skbayeseval.results.subgroups import SubgroupComparison, instances_of
from skbayeseval.results.text_tables import (
    Labels,
    as_text,
    by_model_and_prior,
    name_metrics,
    with_letters,
    within,
)


class ComparisonResult(ComparisonFigures):
    """The posterior of the difference between two classifiers, A minus B.

    Returned by `bayesian_cross_validate`, `BayesianComparer`, the functions `compare_...`, and the
    pairs of a `Ranking`. Read-only.
    With several metrics, properties refer to the first metric and methods take ``metric=``.

    Attributes
    ----------
    names : tuple of str
        The names of A and B.
    metrics : tuple of str
        The names of the metrics.
    model, engine : str
        The names of the model and of the engine.
    draws, draws_a, draws_b : ndarray of shape (n_draws,)
        Draws of the difference and of the metric of A and of B. Where the weight of counts is
        inferred, each has its own, so that `draws` is not ``draws_a - draws_b``.
    observed_a, observed_b : float
        The observed metric values of A and B. After a cross-validation, metrics of predictions are
        computed from the predictions of all splits together. The mean of the split scores, as of
        `cross_validate`, can differ; `cv_results` has these.

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> result = compare_counts((88, 10, 12), (80, 14, 20), names=("new", "old"), random_state=0)
    >>> decision = result.decision(rope=0.01)
    >>> decision.symbol, decision.settled, round(decision.probabilities.better, 2)
    ('>', False, 0.92)
    """

    def summary(
        self, rope: Any = None, *, prob: float = 0.95, bayes_factor: bool = False
    ) -> pd.DataFrame:
        """Return a summary with one row per metric.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence. Without one, nothing is decided: `decision` is
            "no ROPE", and `p_rope` is the probability of a difference of exactly 0.
        prob : float, default=0.95
            The probability mass of the HDI.
        bayes_factor : bool, default=False
            Whether to include bf, the Bayes factor for equality: above 1, the data speak for
            equality, below 1 for a difference. It is NaN where it is not defined or not reliable,
            for a reason that `bayes_factor` tells. Without a ROPE, it is the Savage-Dickey ratio.
            As told there, Bayes factors use the published prior.

        Returns
        -------
        table : pandas.DataFrame
            The columns are the mean, sd and mcse (Monte Carlo standard error of the mean) of the
            difference, p_worse, p_rope, p_better, hdi_low, hdi_high, hdi_mcse and decision (">>",
            "~" or "<<", and "?" where nothing is settled). For Markov chains, there are also ess
            (bulk effective sample size) and r_hat, and mcse is computed by ArviZ.
        """
        warn_of_one_rope(rope, self._metrics.values())
        check_flag(bayes_factor, "bayes_factor")
        rows = [
            summary_row(self._posterior, metric, self.names, rope, prob, bayes_factor=bayes_factor)
            for metric in self._metrics.values()
        ]
        return pd.DataFrame(rows, index=pd.Index(self.metrics, name="metric"))

    def prior_sensitivity(
        self, rope: Any = None, *, prob: float = 0.95, metric: str | Metric | None = None
    ) -> pd.DataFrame:
        """Return the summary under each model that fits, with published and other priors.

        The priors differ in what they assume of a classifier's rates, such as its recall. Under the
        paired model, theta=1 (published) is a Beta(2, 2) prior of each rate, theta=0.5 is flat, and
        theta=0.25 (the default) is Jeffreys' prior. Under the unpaired model, that is rho=2, rho=1
        (published) and rho=0.5.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence, as in `summary`.
        prob : float, default=0.95
            The probability mass of the HDI.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.

        Returns
        -------
        table : pandas.DataFrame
            One row per model and prior. The first row of each model has the published prior. If
            the prior of the result is not among them, it comes first. If there is no other model or
            prior, as for random weights of instances (ROC AUC) or of groups, the only row says so.

        Examples
        --------
        Both classifiers are right on all of 30 instances:

        >>> from skbayeseval import compare_predictions
        >>> y = [0, 1] * 15
        >>> result = compare_predictions(y, y, y, random_state=0)
        >>> result.prior_sensitivity(rope=0.01)["p_rope"].loc["paired"].round(1)
        prior
        mu=1.0, theta=1.0     0.2
        mu=0.5, theta=0.5     0.3
        mu=1.0, theta=0.25    0.5
        Name: p_rope, dtype: float64
        """
        which = self._metric(metric)
        return under_other_priors(
            self._posterior,
            which,
            lambda posterior: summary_row(posterior, which, self.names, rope, prob),
        )

    def required_sample_size(
        self,
        rope: Any,
        *,
        assurance: float = 0.8,
        prob: float = 0.95,
        metric: str | Metric | None = None,
        largest: int | None = None,
        n_replications: int = 1000,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> SampleSize:
        """Return how many labelled instances are needed for a clear decision.

        A decision is clear if A is significantly better, significantly worse or practically
        equivalent. The number is found by simulation: draw a truth from the posterior, draw new
        instances from that truth, add them to the present instances, and decide as `decision` does.
        The result is the smallest number of instances at which the fraction of clear decisions
        reaches `assurance`.

        Truths are drawn as if the difference had, instead of a flat prior, a Cauchy prior around 0
        whose scale is a twentieth of the standard deviation of the difference on one instance. If
        they agree on 90% of the instances, that is 0.016 in accuracy. The present difference would
        otherwise be taken at face value, which is too optimistic for classifiers that are nearly
        equal (docs/calibration.md). If only the confusion table of each classifier is known, half
        of their errors are taken for disagreements.

        Parameters
        ----------
        rope, prob, metric
            As in `decision`.
        assurance : float, default=0.8
            The probability of a clear decision.
        largest : int, default=None
            The largest total number of instances to try. By default, 1,000 times the present
            number.
        n_replications : int, default=1000
            The number of simulated test sets. This takes seconds with two classes, but minutes with
            more classes, for which a smaller number, such as 200, may be enough.
        n_jobs, verbose : int
            As in `power_analysis`.
        random_state : int, RandomState, Generator or None, default=None
            The seed of the simulation. By default, it is derived from the seed of the result.

        Returns
        -------
        size : SampleSize
            The attributes are `n_total`, `n_more`, the probability `reached` with its Monte Carlo
            error `mcse`, an `interval` for `n_total`, and `never`, which is True if even `largest`
            instances are not enough, for example if the posterior is concentrated at a limit of the
            ROPE. `chances` has the probability of a clear decision at 2, 5 and 10 times the present
            number, and `n_even` is the number at which it is one half. `str` says all of it.

        Notes
        -----
        After a cross-validation, every new instance is validated as often as the present ones, and
        its counts have the same weight. The answer is then about learners trained on as many
        instances as now. If A and B were evaluated on different instances, both get `n_more` new
        instances, and `n_now` is the larger of their numbers of instances. The number of counts is
        used as the number of instances if true negatives are not counted, or if a weight was given
        without a cross-validation. For one score per item, the difference is taken to be normal.

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((88, 10, 12), (80, 14, 20), random_state=0)
        >>> size = result.required_sample_size(rope=0.05, n_replications=50)
        >>> size.n_now, size.n_more > 200
        (114, True)
        """
        which = self._metric(metric)
        return required_sample_size(
            self._posterior,
            which,
            self.decision(rope, prob, metric=which),
            n_now=self._n_instances(),
            assurance=assurance,
            largest=largest,
            n_replications=n_replications,
            n_jobs=n_jobs,
            verbose=verbose,
            random_state=random_state,
        )

    def _exact_posterior(self, asked: str) -> Posterior:
        """Return the posterior with exact draws; raise if `asked` cannot simulate from it."""
        return self._posterior.exact(asked)

    def frequentist(self, *, metric: str | Metric | None = None) -> pd.DataFrame:
        """Return the classical tests that apply to the evidence, with one row per test.

        - Paired predictions in which every instance is counted once: the sign test (the s-test of
          Yang and Liu 1999) and McNemar's test.
        - Separate counts: the two-proportion z-test (p-test). Of paired predictions it ignores that
          the same instances were predicted; it is listed because papers print it.
        - Three or more classes: the sign test and the paired t-test of the F1 of each class (S-test
          and T-test).
        - One score per item: the paired t-test and the sign test; McNemar's test if items are
          right or wrong.
        - Groups (``groups=``): the paired t-test and the sign test of the means of groups.
        - Rows in order (``blocks=``): these tests of blocks, and Diebold and Mariano's test, as
          corrected by Harvey, Leybourne and Newbold (1997).
        - Splits of a cross-validation: the corrected resampled t-test, and the tests for 3 x 2
          block-regularised and for 5 x 2 cross-validation.

        Parameters
        ----------
        metric : str or Metric, default=None
            The metric for tests of split scores. By default, the first metric of the result.

        Returns
        -------
        table : pandas.DataFrame
            The columns are level ("micro" for instances or chunks, "macro" for classes, "items",
            "groups", "blocks", "rows", "splits", "data sets"), compares, statistic (positive if A
            is better; for sign and McNemar tests, the number of the `n` differing pairs in which A
            is better), df, n, pvalue (two-sided) and note.

        Raises
        ------
        ValueError
            If no test applies: of instance scores (ROC AUC) and of predicted numbers, there are
            only tests of groups and of splits.

        Examples
        --------
        >>> from skbayeseval import compare_predictions
        >>> y, a, b = [1, 0] * 20, [1, 0] * 18 + [0, 1] * 2, [1, 0] * 14 + [0, 1] * 6
        >>> compare_predictions(y, a, b, random_state=0).frequentist()["pvalue"].round(3)
        test
        sign test                            0.008
        McNemar, exact                       0.008
        McNemar, mid-p                       0.004
        two-proportion z, ignoring pairs     0.025
        Name: pvalue, dtype: float64
        """
        chosen = self._metric(metric)
        return classical_tests(self._posterior, self._cross_validation, self.names, chosen)

    def by(self, column: Any, *, metric: str | Metric | None = None) -> SubgroupComparison:
        """Return the same comparison in each subgroup of the instances, partially pooled.

        Each subgroup gets the posterior of the same model given its instances alone. The true
        differences of the subgroups are then taken to vary around a common centre, and how much
        they vary is learned: the less the data show, the more the differences are drawn together.
        This takes the luck off subgroups that stand out because they are small. Their distribution
        has long tails (Cauchy), so that a subgroup that is far from all others stays there.

        Parameters
        ----------
        column : array-like of shape (n_instances,)
            The subgroup of each instance, such as sex, site or language: one value for each row of
            the predictions, scores or items that were compared, or of X. A Series whose index has
            the labels of these rows may be in any order.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.

        Returns
        -------
        subgroups : SubgroupComparison

        Notes
        -----
        Groups of instances (``groups=``) must each be in one subgroup. After a cross-validation,
        weights of counts that are inferred are inferred for each subgroup. Results of counts, of
        confusion matrices and of split scores do not know the instances, and neither do results
        that were loaded from a file.

        Examples
        --------
        >>> import numpy as np
        >>> from skbayeseval import compare_predictions
        >>> rng = np.random.default_rng(0)
        >>> y, site = rng.integers(0, 2, 600), rng.choice(["Bonn", "Kiel", "Ulm"], 600)
        >>> a, b = (np.where(rng.random(600) < p, y, 1 - y) for p in (0.9, 0.8))
        >>> subgroups = compare_predictions(y, a, b, random_state=0).by(site)
        >>> subgroups.summary(rope=0.01)["decision"].to_list()
        ['>>', '>>', '>>']
        """
        which = self._metric(metric)
        subgroups = subgroups_of(column, instances_of(self._posterior))
        return SubgroupComparison(self._posterior, which, subgroups, self.names)

    def disagreements(self, columns: Any = None) -> pd.DataFrame:
        """Return the instances or items on which A and B differ, the most decisive first.

        Parameters
        ----------
        columns : DataFrame, Series, dict or sequence, default=None
            What else to show of each instance, such as its text: one row for each row of the
            predictions, scores or items that were compared, or of X. pandas objects whose index
            has the labels of these rows may be in any order.

        Returns
        -------
        table : pandas.DataFrame
            One row per instance on which A and B differ, with the index of the data or the ids of
            the items. The columns are truth (not of items); what A and B said, or their scores,
            under their names; difference, that of A minus B in how right they are, which is the
            order of the rows; better, the name of the one that is nearer to the truth, or
            "neither"; and `columns`.

            The difference is 1, 0 or -1 for classes, of the shares of right labels for multi-label
            indicators, of absolute errors for numbers (positive where A's is smaller), and of
            scores for items. If a cross-validation has several passes over the data, the columns of
            A and B are the shares of passes in which they were right ("A right"), or their mean
            absolute errors ("A error"), and passes tells of how many.

        Raises
        ------
        ValueError
            If the instances are not known, as for `predictions`: where counts, confusion matrices
            or split scores were compared, within groups of predicted classes, of chunks, and mostly
            for files of results.

        Notes
        -----
        Two runs of one system are compared in the same way: the table has the items whose score has
        flipped.

        Examples
        --------
        >>> from skbayeseval import compare_items
        >>> questions = ["2 + 2", "3 * 3", "7 - 5", "8 / 2"]
        >>> result = compare_items([1, 1, 0, 1], [1, 0, 1, 1], names=("Tuesday", "Monday"))
        >>> result.disagreements({"question": questions})
           Tuesday  Monday  difference   better question
        1      1.0     0.0         1.0  Tuesday    3 * 3
        2      0.0     1.0        -1.0   Monday    7 - 5
        """
        evidence, posterior = self.evidence, self._posterior
        if isinstance(evidence, ItemScores):
            instances = posterior.instances or Instances(evidence.n_items)
            found, index = of_items(evidence, self.names), instances.index
        else:
            tested = self._predicted
            found, index = of_predictions(tested, self.names), tested.index
            instances = posterior.instances or Instances(tested.n_samples, index)
        table = with_columns(found, columns, instances)
        return table if index is None else table.set_axis(index[table.index])

    def _headline(self, metric: Metric) -> str:
        """Return a sentence on who is better, and how surely."""
        a, b = self.names
        identical = self._posterior.what_is_identical(metric)
        if identical is not None:
            on = self._on(metric)
            return f"{a} and {b} are identical{on}: their {identical} are the same."
        difference = self._distribution(metric)
        worse, equal, better = difference.around(Interval(0.0, 0.0))
        ahead, behind = (a, b) if difference.lead > 0 else (b, a)
        verdict = f"{ahead} is better than {behind}"
        if equal >= max(worse, better):
            verdict = f"{a} and {b} are equal"
        elif not difference.lead:
            on = self._on(metric)
            return f"Neither {a} nor {b} is ahead{on}: each is better with the same probability."
        chance = format_probability(max(worse, equal, better), words=True)
        return f"{verdict}{self._on(metric)} with probability {chance}."

    def _verdict_lines(self) -> list[str]:
        metrics = self._metrics.values()
        if len(metrics) == 1:
            (metric,) = metrics
            words = self._in_numbers(metric)
            words += f" (observed: {observed_values(self, metric)})"
            return [self._headline(metric), *as_lines([("difference", words)])]
        return [self._count(), within(self._table_of_metrics())]

    def _in_numbers(self, metric: Metric) -> str:
        """Return who is ahead by how much; of identical classifiers, how much they may differ."""
        difference = self._distribution(metric)
        if self._posterior.what_is_identical(metric) is None:
            return in_numbers(self.names, difference)
        most = max(map(abs, difference.hdi()))
        return f"at most {most:.4f} either way on other instances, with probability 95%"

    def _count(self) -> str:
        """Return a sentence on how many metrics each classifier is ahead on."""
        metrics, called = list(self._metrics.values()), with_letters(self.names)
        identical = {self._posterior.what_is_identical(metric) for metric in metrics}
        same = "both" if len(metrics) == 2 else f"all {len(metrics)}"
        if None not in identical:
            said = " and ".join(map(str, identical))
            return f"{called[0]} and {called[1]} are identical on {same} metrics: same {said}."
        leads = [self._lead(metric) for metric in metrics]
        first, second = (1, -1) if leads.count(1) >= leads.count(-1) else (-1, 1)
        if not any(leads):
            return f"Neither {called[0]} nor {called[1]} is ahead on any of {len(metrics)} metrics."
        n = leads.count(first)
        total = "both" if n == len(leads) == 2 else f"{n} of {len(leads)}"
        rest = f", behind on {leads.count(second)}" if second in leads else ""
        rest += f", level on {leads.count(0)}" if 0 in leads else ""
        ahead, behind = called if first == 1 else called[::-1]
        return f"{ahead} is ahead of {behind} on {total} metrics{rest}."

    def _lead(self, metric: Metric) -> int:
        """Return 1 if A is ahead, -1 if B is, 0 if nobody is."""
        is_identical = self._posterior.what_is_identical(metric) is not None
        return 0 if is_identical else self._distribution(metric).lead

    def _table_of_metrics(self) -> pd.DataFrame:
        """Return the observed values and the differences, one row per metric, as text."""
        rows = []
        for metric in self._metrics.values():
            difference, observed = self._distribution(metric), self._posterior.observed(metric)
            chance = format_probability(difference.around(Interval(0.0, 0.0)).better)
            cells, hdi = list(map(in_figures, observed)), difference.hdi()
            mean = f"{difference.mean:+.{digits_of(hdi)}f}"
            rows.append([*cells, mean, format_interval(hdi), chance])
        columns = ["A", "B", "A minus B", "95% interval", "P(A better)"]
        return pd.DataFrame(rows, self.metrics, columns)

    def _next(self) -> str:
        if self._posterior.what_is_identical(self._metric(None)) is not None:
            return super()._next()
        around = self._distribution().around(Interval(0.0, 0.0))
        units = self._units(self._metric(None))
        if len(self.metrics) > 1 or max(around) >= 0.95 or not units.startswith(PLANNED):
            return super()._next()
        return f"more {units} would tell; required_sample_size(rope=r) estimates how many, {R}"

    def _facts_of(self, metric: Metric) -> list[Fact]:
        difference, (a, b) = self._distribution(metric), self.names
        interval = f"95% HDI {format_interval(difference.hdi())}"
        words = f"{difference.mean:+.4f}, {interval}  ({a} minus {b})"
        return [("difference", words), ("observed", observed_of(self, metric))]

    def _numbers(self, metric: Metric) -> list[Fact]:
        return [*super()._numbers(metric), ("difference", self._in_numbers(metric))]

    def _table(self, rope: Any, prob: float, mcse: bool, labels: Labels) -> pd.DataFrame:
        """Return the text of the table, with one row per metric."""
        summary = self.summary(rope, prob=prob)
        observed = [self._posterior.observed(metric) for metric in self._metrics.values()]
        for position, values in enumerate(zip(*observed, strict=True)):
            summary.insert(position, ("observed_a", "observed_b")[position], values)
        summary.index = pd.Index(name_metrics(summary, self.metrics, labels), name="metric")
        titles = dict(zip(("observed_a", "observed_b"), self.names, strict=True))
        return as_text(summary, prob, rope=rope is not None, mcse=mcse, titles=titles)

    def _answer(self, rope: Any) -> Answer:
        return answer_of_pair(self, rope)

    def _title(self) -> str:
        return "{} against {}".format(*self.names)

    def _tables(self, rope: Any) -> Iterator[Table]:
        caption = "{} minus {}".format(*self.names)
        yield POSTERIOR, caption, self._table(rope, 0.95, True, None)
        yield SENSITIVITY, self.metrics[0], self._sensitivity(rope)

    def _figures(self, rope: Any) -> list[Figure]:
        shown, figures = self._few_metrics(), []
        for name, metric in shown.items():
            label = f"posterior of the difference in {in_headings(metric)}"
            figures.append((label, {"metric": name, "rope": rope}))
        recorded = {} if self._cross_validation is None else self._cross_validation.scores
        for name in shown:
            if name in recorded or self.evidence.of_splits(name) is not None:
                figures.append((f"split scores in {name}", {"metric": name, "kind": "scores"}))
            if not self._posterior.has_independent_draws:
                options = {"metric": name, "kind": "trace", "title": None}
                figures.append((f"draws of the chains in {name}", options))
        return figures

    def _sensitivity(self, rope: Any) -> pd.DataFrame:
        """Return the first metric under other models and priors, as text."""
        return as_text(by_model_and_prior(self.prior_sensitivity(rope)), rope=rope is not None)


class Pairs(Mapping[tuple[int, int], ComparisonResult]):
    """The comparisons of all pairs of classifiers, by position or by name.

    ``pairs[i, j]`` compares i with j, and ``pairs[j, i]`` is its exact mirror image. Iteration is
    over the pairs with i before j.

    Examples
    --------
    >>> from skbayeseval import compare_many
    >>> y = [0, 1, 1, 0, 1, 0]
    >>> predictions = {"a": [0, 1, 1, 0, 1, 0], "b": [0, 0, 1, 0, 1, 1], "c": [1, 0, 1, 0, 0, 1]}
    >>> pairs = compare_many(y, predictions, random_state=0).pairs
    >>> list(pairs)
    [(0, 1), (0, 2), (1, 2)]
    >>> pairs["a", "c"].names
    ('a', 'c')
    """

    def __init__(self, ranking: Any) -> None:
        self._ranking = ranking

    def __getitem__(self, key: Any) -> ComparisonResult:
        try:
            first, second = key
        except (TypeError, ValueError) as error:
            wanted = "two positions or names of classifiers"
            raise wrong("The key of pairs", wanted, key, KeyError) from error
        return self._ranking._pair(self.position(first), self.position(second))

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return combinations(range(len(self._ranking.names)), 2)

    def __len__(self) -> int:
        k = len(self._ranking.names)
        return k * (k - 1) // 2

    def position(self, classifier: Any) -> int:
        """Return the position of a classifier, given its name or position."""
        names = self._ranking.names
        try:
            position = names.index(classifier) if isinstance(classifier, str) else index(classifier)
            if -len(names) <= position < len(names):
                return position % len(names)
        except (TypeError, ValueError):
            pass
        raise KeyError(
            f"{in_short(classifier)} is not the name or position of a classifier. The names are "
            f"{choices(classifier, names)}."
        )


# Otherwise errors of missing arguments name the classes that results inherit these from.
for _name in ("decision", "metric", "non_inferiority", "report", "save"):
    getattr(ComparisonResult, _name).__qualname__ = _name
