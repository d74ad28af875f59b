"""`Ranking`: the result of comparing several classifiers on one joint posterior."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skbayeseval._validation import check_probability
from skbayeseval.display.style import Display
from skbayeseval.judgement.decision import Decision, ExpectedLoss
from skbayeseval.judgement.distribution import Distribution, OneSidedDecision
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import (
    RankingDecision,
    Tiers,
    best_and_ranks,
    decide_ranking,
    worse_than,
)
from skbayeseval.judgement.rope import check_rope_around_zero
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import labelled
from skbayeseval.posterior.pair import PairPosterior, PooledPair, PooledScores
from skbayeseval.results import words
from skbayeseval.results.classical_tests import classical_tests_of_many
from skbayeseval.results.comparison import ComparisonResult, Pairs
from skbayeseval.results.figures import figure_of_many
from skbayeseval.results.page import Page, page_of_many
from skbayeseval.results.result import Result
from skbayeseval.results.text_tables import table_of_many
from skbayeseval.results.words import Fact

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Ranking(Result):
    """The joint posterior of several classifiers, with ranks and probabilities of being best.

    Returned by `compare_many` and `BayesianComparer`. Read-only. Of many equal classifiers some
    look better by chance. So what is said of three or more allows for that: differences are shrunk
    by as much as may be chance. `draws` are not, nor is a pair that is `alone`. Exact copies, with
    the same predictions or scores throughout, count as one classifier: they share one rank and one
    probability of being the best.

    Attributes
    ----------
    names : tuple of str
        The names of the classifiers.
    table : pandas.DataFrame
        For each classifier, the best first: the observed value, the mean and the 95% interval of
        the first metric, the probability of being the best, the expected rank (1 is best), the
        lowest and highest rank of a 95% interval, and the number of the tier of `tiers`.
    pairs : Pairs
        The comparisons of all pairs. ``pairs[i, j]`` is a `ComparisonResult`, which agrees with the
        ranking, and ``pairs[i, j].alone`` is the pair by itself.

    Examples
    --------
    >>> from skbayeseval import compare_many
    >>> y = [0, 1, 1, 0, 1, 0]
    >>> predictions = {"a": [0, 1, 1, 0, 1, 0], "b": [0, 0, 1, 0, 1, 1], "c": [1, 0, 1, 0, 0, 1]}
    >>> ranking = compare_many(y, predictions, random_state=0)
    >>> ranking.table["p_best"].idxmax()
    'a'
    >>> round(float(ranking.table["p_best"].sum()), 6)
    1.0
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the classifiers."""
        return self._names

    @property
    def draws(self) -> NDArray[Any]:
        """Draws of the metric of each classifier, of shape (n_classifiers, n_draws)."""
        return self._posterior.draws(self._metric(None))

    @property
    def observed(self) -> tuple[float, ...]:
        """The observed metric value of each classifier."""
        return self._posterior.observed(self._metric(None))

    @property
    def table(self) -> pd.DataFrame:
        """Metric, probability of being best, ranks and tier of each classifier, the best first."""
        return self.ranking(rope=0.0)

    @cached_property
    def _scores(self) -> PooledScores:
        return PooledScores(self._posterior)

    def _rivals(self, metric: Metric) -> NDArray[Any]:
        return self._scores.pooled(metric)

    @property
    def pairs(self) -> Pairs:
        """The comparisons of all pairs."""
        return Pairs(self)

    def ranking(
        self, *, rope: Any = None, prob: float = 0.95, metric: str | Metric | None = None
    ) -> pd.DataFrame:
        """Return one row per classifier, the one with the highest posterior mean first.

        The columns are observed, mean, hdi_low, hdi_high, p_best, expected_rank, rank_low and
        rank_high, and with a ROPE also tier. Where missing scores are estimated, observed is the
        mean of the scores that there are, and completed, the next column, that of all.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence of `tiers`; 0 if any difference counts.
        prob : float, default=0.95
            The probability mass of the HDI, and of the interval of the rank.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.
        """
        which, prob = self._metric(metric), check_probability(prob)
        table = self._once(("ranking", which, prob), lambda: self._rank(which, prob)).copy()
        if rope is not None:
            numbers = self.tiers(rope, prob, metric=which).numbers()
            # Not inserted: pandas 2 then sets warnings filters, which threads share.
            columns = {**table, "tier": [numbers[name] for name in table.index]}
            return pd.DataFrame(columns, index=table.index)
        return table

    def _rank(self, which: Metric, prob: float) -> pd.DataFrame:
        p_best, ranks = best_and_ranks(self._rivals(which))
        tails = np.quantile(ranks, [(1 - prob) / 2, (1 + prob) / 2], axis=1, method="inverted_cdf")
        values = self._scores.values(which)
        completed = self.evidence.completed
        lows, highs = zip(*(value.hdi(prob) for value in values), strict=True)
        table = pd.DataFrame(
            {
                "observed": self._posterior.observed(which),
                **({} if completed is None else {"completed": completed}),
                "mean": [value.mean for value in values],
                "hdi_low": lows,
                "hdi_high": highs,
                "p_best": p_best,
                "expected_rank": ranks.mean(axis=1),
                "rank_low": np.floor(tails[0]).astype(int),
                "rank_high": np.ceil(tails[1]).astype(int),
            },
            index=pd.Index(self.names, name="classifier"),
        )
        return table.sort_values("mean", ascending=False, kind="stable")

    def decision(
        self, rope: Any = None, prob: float = 0.95, *, metric: str | Metric | None = None
    ) -> RankingDecision:
        """Return which classifiers are practically equivalent to the best, open or surely worse.

        Parameters
        ----------
        rope : float, str, (float, float) or dict
            The region of practical equivalence, which must contain 0. A number r means [-r, r].
            A percentage is as in `ComparisonResult.decision`, but of the best observed score where
            it is of an observed one, also for all pairs.
        prob : float, default=0.95
            The probability that is required, and the mass of the HDI that decides about pairs.
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.

        Returns
        -------
        decision : RankingDecision
            The decision. `str` returns it as sentences.
        """
        prob, which = check_probability(prob), self._metric(metric)
        region = check_rope_around_zero(rope, which, self._reference(which))
        order = self._scores.by_mean(which)

        def against_the_first(k: int) -> Decision:
            return self._pair(order[0], k).decision(region, prob, metric=which)

        decision = decide_ranking(
            self._rivals(which), order, self.names, region, prob, which.name, against_the_first,
        )  # fmt: skip
        return replace(decision, **self._about(metric))

    def tiers(
        self, rope: Any = 0.0, prob: float = 0.95, *, metric: str | Metric | None = None
    ) -> Tiers:
        """Return the classifiers in tiers, as a leaderboard shows them.

        The first tier has the classifier with the highest posterior mean, and all others that are
        not surely worse, as `pairs` says it. The next tier is made in the same way of those that
        are left. So whoever is in a lower tier is surely worse than the first of each tier above,
        but perhaps not than all others there.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=0.0
            As in `decision`. By default, any difference counts.
        prob, metric
            As in `decision`.

        Returns
        -------
        tiers : Tiers
            Its attribute `groups` has the names in each tier; `str` returns them in words.

        Examples
        --------
        >>> import numpy as np
        >>> from skbayeseval import compare_many
        >>> y = np.arange(600) % 2
        >>> half, few = (np.where(np.arange(600) < k, 1 - y, y) for k in (300, 5))
        >>> ranking = compare_many(y, {"half": half, "few": few, "all": y}, random_state=0)
        >>> print(ranking.tiers(rope=0.02))
        accuracy, 95% intervals; differences up to 0.02 are equivalent; allowing for chance:
          tier 1: all, few
          tier 2: half
          those in a tier cannot be told apart from its first; those in lower tiers are surely
          worse than it by more than 0.02
        """
        prob, which = check_probability(prob), self._metric(metric)
        region = check_rope_around_zero(rope, which, self._reference(which))
        groups = self._once(
            ("tiers", which, region, prob), lambda: self._groups(which, region, prob)
        )
        return Tiers(groups, region, which.name, prob, **self._about(metric))

    def _groups(self, which: Metric, region: Interval, prob: float) -> tuple[tuple[str, ...], ...]:
        """Return the names in each tier, the best tier first."""
        groups, draws = [], self._rivals(which)
        left, first = self._scores.by_mean(which), self._posterior.first_copies(which)
        while left:
            p_worse = worse_than(draws[left[0]], draws, region)
            worse = [
                k
                for k in left
                if p_worse[k] >= prob
                and self._pair(left[0], first[k]).decision(region, prob, metric=which).code == ">>"
            ]
            groups.append(tuple(self.names[k] for k in left if k not in worse))
            left = worse
        return tuple(groups)

    def expected_loss(
        self, rope: Any = 0.0, *, cost: Any = 1.0, metric: str | Metric | None = None
    ) -> ExpectedLoss:
        """Return which classifier to choose now, and what it would be worth to wait.

        Choosing a classifier loses the difference to the best of each draw where that is beyond the
        ROPE, and nothing otherwise.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=0.0
            As in `decision`. Differences inside the ROPE cost nothing.
        cost : float or sequence of float, default=1.0
            What a loss of 1 in the metric costs, for all classifiers or for each of them.
        metric
            As in `decision`.

        Returns
        -------
        loss : ExpectedLoss
            Its attributes are `choice`, `losses`, in the order of `names`, and `waiting`, what
            knowing the best would save at most; `str` returns a sentence.

        Examples
        --------
        >>> from skbayeseval import compare_many
        >>> y = [0, 1, 1, 0, 1, 0]
        >>> predictions = {"a": y, "b": [0, 0, 1, 0, 1, 1], "c": [1, 0, 1, 0, 0, 1]}
        >>> compare_many(y, predictions, random_state=0).expected_loss().choice
        'a'
        """
        which = self._metric(metric)
        region = check_rope_around_zero(rope, which, self._reference(which))
        allowed = [-region.low] * len(self.names)
        return self._expected_loss(allowed, cost, metric)

    def non_inferiority(
        self,
        margin: float | str,
        reference: str | int | None = None,
        prob: float = 0.95,
        *,
        planned: int | None = None,
        metric: str | Metric | None = None,
    ) -> dict[str, OneSidedDecision]:
        """Return which classifiers are not worse than a reference by more than the margin.

        Parameters
        ----------
        margin : float or str
            The largest loss that is acceptable, at least 0, or a percentage as in `decision`.
        reference : str or int, default=None
            The name or position of the classifier that the others are compared with, such as the
            one in use. By default, the best of each draw.
        prob, planned, metric
            As in `ComparisonResult.non_inferiority`.

        Returns
        -------
        decisions : dict of str to OneSidedDecision
            The decision about each classifier but the reference, by name.

        Examples
        --------
        >>> import numpy as np
        >>> from skbayeseval import compare_many
        >>> y = np.arange(600) % 2
        >>> half, few = (np.where(np.arange(600) < k, 1 - y, y) for k in (300, 5))
        >>> ranking = compare_many(y, {"half": half, "few": few, "all": y}, random_state=0)
        >>> decisions = ranking.non_inferiority(0.05, "all")
        >>> {name: decision.answer for name, decision in decisions.items()}
        {'half': 'no', 'few': 'yes'}
        """
        asked: dict[str, Any] = {"planned": planned, "metric": metric}
        if reference is not None:
            other = self.pairs.position(reference)
            return {
                name: self._pair(k, other).non_inferiority(margin, prob, **asked)
                for k, name in enumerate(self.names)
                if k != other
            }
        margin, draws = self._margin(margin, metric), self._rivals(self._metric(metric))
        behind = map(Distribution, draws - draws.max(axis=0))
        return {
            name: self._one_sided(
                "non-inferiority", one, margin, prob, planned, metric, (name, "the best")
            )
            for name, one in zip(self.names, behind, strict=True)
        }

    def summary(
        self,
        rope: Any = None,
        *,
        prob: float = 0.95,
        metric: str | Metric | None = None,
        bayes_factor: bool = False,
    ) -> pd.DataFrame:
        """Return one row per pair, with the columns of `ComparisonResult.summary`.

        Parameters
        ----------
        rope, prob, bayes_factor
            As in `ComparisonResult.summary`.
        metric
            As in `decision`.
        """
        which = self._metric(metric)
        region = None if rope is None else self._rope(rope, which)
        rows = [
            pair.metric(which).summary(region, prob=prob, bayes_factor=bayes_factor)
            for pair in self.pairs.values()
        ]
        pairs = pd.MultiIndex.from_tuples(list(combinations(self.names, 2)), names=["a", "b"])
        return pd.concat(rows).set_axis(pairs)

    def plot(
        self,
        kind: str = "ranking",
        *,
        rope: Any = None,
        prob: float = 0.95,
        metric: str | Metric | None = None,
        ax: Axes | None = None,
        **style: Any,
    ) -> Display:
        """Plot the ranking.

        Parameters
        ----------
        kind : {"ranking", "tiers", "pairs", "nemenyi"}, default="ranking"
            "ranking" shows the metric of each classifier with its HDI, and the probabilities of
            being best. "tiers" shows it in the tiers of `tiers`. "pairs" shows a matrix of
            decisions. "nemenyi" shows what `frequentist` says of systems on data sets, the diagram
            of mean ranks and critical difference of Demsar (2006).
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence. "ranking" then marks who is equivalent to the best
            and who is surely worse. For "tiers" and "pairs", None means the point 0.
        prob, metric
            As in `decision`.
        ax : matplotlib Axes, default=None
            The axes to draw on. By default, a new figure is created.
        **style
            Options of the display: `title`, `colors`, `line_kw`, `fill_kw` and `text_kw`.

        Returns
        -------
        display : RankingDisplay, TiersDisplay, PairsDisplay or CriticalDifferenceDisplay
            The display, with attributes `ax_`, `figure_`, `line_`, `fill_` and `text_`, as in
            scikit-learn.
        """
        which = self._metric(metric)
        shown = figure_of_many(self, kind, rope, prob, which)
        return shown.plot(ax=ax, **labelled(style, which))

    def frequentist(self, *, metric: str | Metric | None = None) -> pd.DataFrame:
        """Return the classical tests of three or more, with one row per test.

        - Predictions in which every instance is counted once, and items that are right or wrong:
          Cochran's Q test, McNemar's for more than two.
        - Systems on data sets: Friedman's test, and Nemenyi's of each two (Demsar 2006), over the
          data sets that all were run on. ``plot("nemenyi")`` shows them.

        Parameters
        ----------
        metric : str or Metric, default=None
            The metric. By default, the first metric of the result.

        Returns
        -------
        table : pandas.DataFrame
            As `ComparisonResult.frequentist` returns it, which is what two classifiers get.
            Statistics of all together have no sign.

        Raises
        ------
        ValueError
            If no test of three or more applies. Each two have tests of their own:
            ``pairs[i, j].frequentist()``.

        Examples
        --------
        >>> import pandas as pd
        >>> from skbayeseval import compare_scores
        >>> scores = pd.DataFrame({"a": [9, 8, 9, 8], "b": [8, 7, 6, 9], "c": [5, 6, 5, 7]})
        >>> ranking = compare_scores(scores, random_state=0)
        >>> ranking.frequentist()[["compares", "pvalue"]].round(4)
                 compares  pvalue
        test
        Friedman    score  0.0388
        Nemenyi   a and b  0.7593
        Nemenyi   a and c  0.0356
        Nemenyi   b and c  0.1805
        """
        which = self._metric(metric)
        if len(self.names) == 2:
            return self._pair(0, 1).frequentist(metric=which)
        tests = classical_tests_of_many
        return tests(self._posterior, self._cross_validation, self.names, which)

    def __str__(self) -> str:
        return words.printed(self, words.verdict_of_many(self))

    def _told(self, metric: Metric) -> tuple[str, list[Fact]]:
        facts = [Fact("observed", words.observed_of(self, metric)), *words.choice(self, metric)]
        return words.headline_of_many(self, metric), facts

    def _page(self, ropes: Any) -> Page:
        return page_of_many(self, ropes)

    def _table(self, *options: Any) -> pd.DataFrame:
        return table_of_many(self, *options)

    if not TYPE_CHECKING:  # type checkers would take every name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Raise for a name that a ranking does not have; tell who has it."""
            message = f"'Ranking' object has no attribute {name!r}"
            if not name.startswith("_") and hasattr(ComparisonResult, name):
                message += (
                    ", because it compares more than two classifiers. Ask a pair of them: "
                    f"pairs[i, j].{name}, with positions or names for i and j."
                )
            raise AttributeError(message, name=name, obj=self)

    def _pair(self, i: int, j: int) -> ComparisonResult:
        if i == j:
            raise KeyError(
                f"The key of pairs must be two different classifiers, got {self.names[i]!r} twice."
            )
        names, rest = (self.names[i], self.names[j]), (self._metrics, self._cross_validation)
        if (i, j) == (0, 1) and len(self.names) == 2:
            return ComparisonResult(self._posterior, names, *rest)
        alone, pooled = PairPosterior(self._posterior, i, j), None
        if len(self.names) > 2:
            pooled = PooledPair(len(self.names), partial(self._scores.of_pair, alone=alone))
        return ComparisonResult(alone, names, *rest, pooled)
