"""`Ranking`: the result of comparing several classifiers on one joint posterior."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skbayeseval._arrays import in_short
from skbayeseval._validation import check_probability
from skbayeseval.display import PairsDisplay, RankingDisplay, TiersDisplay
from skbayeseval.judgement.decision import Decision, ExpectedLoss, check_cost, expected_loss
from skbayeseval.judgement.distribution import Distribution, OneSidedDecision, one_sided
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.ranking_decision import (
    RankingDecision,
    Tiers,
    behind_the_best,
    best_and_ranks,
    decide_ranking,
    number_of_copies,
    who_is_best,
    worse_than,
)
from skbayeseval.judgement.rope import check_margin, check_rope_around_zero
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import labelled
from skbayeseval.posterior.pair import PairPosterior, PooledScores
from skbayeseval.results.comparison import ComparisonResult, Pairs
from skbayeseval.results.described import RopeResult
from skbayeseval.results.facts import Fact, as_lines, observed_of, trained_on
from skbayeseval.results.report import POSTERIOR, SENSITIVITY, Answer, Figure, Table, answer_of_many
from skbayeseval.results.text_tables import (
    ESTIMATE,
    Labels,
    as_text,
    decimals,
    in_tiers,
    name_observed,
    within,
    written_ranks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLOTS = ("ranking", "tiers", "pairs")

# The codes of the decisions about a classifier, against the best.
AGAINST_THE_BEST = {"equivalent": "~", "open": "?", "worse": "<<"}

# Of more classifiers than this, only the best are compared in pairs on a page.
MOST_IN_PAIRS = 8


class Ranking(RopeResult):
    """The joint posterior of several classifiers, with ranks and probabilities of being best.

    Returned by `compare_many` and `BayesianComparer`. Read-only. Of many equal classifiers some
    look better by chance. So what is said of three or more allows for that: differences are shrunk
    by as much as may be chance. `draws` and `pairs` are not. Exact copies, with the same
    predictions or scores throughout, count as one classifier: they share one rank and one
    probability of being the best.

    Attributes
    ----------
    names : tuple of str
        The names of the classifiers.
    table : pandas.DataFrame
        For each classifier, the best first: the observed value, the mean and the 95% HDI of the
        first metric, the probability of being the best, the expected rank (1 is best), the lowest
        and highest rank of a 95% interval, and the number of the tier of `tiers`.
    pairs : Pairs
        The comparisons of all pairs. ``pairs[i, j]`` is a `ComparisonResult`.

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

    def _pooled(self, metric: Metric) -> NDArray[Any]:
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
        p_best, ranks = best_and_ranks(self._pooled(which))
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
        self, rope: Any, prob: float = 0.95, *, metric: str | Metric | None = None
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
            self._pooled(which), order, self.names, region, prob, which.name, against_the_first,
            self._others(metric),
        )  # fmt: skip
        return replace(decision, trained_on=trained_on(self))

    def tiers(
        self, rope: Any = 0.0, prob: float = 0.95, *, metric: str | Metric | None = None
    ) -> Tiers:
        """Return the classifiers in tiers, as a leaderboard shows them.

        The first tier has the classifier with the highest posterior mean, and all others that are
        not surely worse, as `decision` says it. The next tier is made in the same way of those that
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
        accuracy, 95% HDI, ROPE [-0.020, +0.020], allowing for chance:
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
        return Tiers(groups, region, which.name, prob, self._others(metric))

    def _groups(self, which: Metric, region: Interval, prob: float) -> tuple[tuple[str, ...], ...]:
        """Return the names in each tier, the best tier first."""
        groups = []
        left, first = self._scores.by_mean(which), self._posterior.first_copies(which)
        while left:
            draws = self._scores.pooled(which, left)
            is_worse = worse_than(draws[0], draws, region) >= (1 + prob) / 2
            worse = [
                k
                for k, is_behind in zip(left, is_worse, strict=True)
                if is_behind
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
        which, others, k = self._metric(metric), self._others(metric), len(self.names)
        region = check_rope_around_zero(rope, which, self._reference(which))
        allowed, costs = [-region.low] * k, check_cost(cost, k)
        return expected_loss(self._pooled(which), allowed, costs, self.names, which.name, others)

    def non_inferiority(
        self,
        margin: float | str,
        reference: str | int | None = None,
        prob: float = 0.95,
        *,
        looks: int = 1,
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
        prob, looks, planned, metric
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
        asked: dict[str, Any] = {"looks": looks, "planned": planned, "metric": metric}
        if reference is not None:
            other = self.pairs.position(reference)
            return {
                name: self._pair(k, other).non_inferiority(margin, prob, **asked)
                for k, name in enumerate(self.names)
                if k != other
            }
        which, prob = self._metric(metric), check_probability(prob)
        margin = check_margin(margin, which, self._reference(which))
        draws = self._pooled(which)
        plan = self._plan(planned, looks)
        return {
            name: one_sided(
                "non-inferiority", Distribution(behind), margin, prob, (name, "the best"),
                which.name, looks=looks, plan=plan,
            )
            for name, behind in zip(self.names, draws - draws.max(axis=0), strict=True)
        }  # fmt: skip

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
    ) -> RankingDisplay | TiersDisplay | PairsDisplay:
        """Plot the ranking.

        Parameters
        ----------
        kind : {"ranking", "tiers", "pairs"}, default="ranking"
            "ranking" shows the metric of each classifier with its HDI, and the probabilities of
            being best. "tiers" shows it in the tiers of `tiers`. "pairs" shows a matrix of
            decisions.
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
        display : RankingDisplay, TiersDisplay or PairsDisplay
            The display, with attributes `ax_`, `figure_`, `line_`, `fill_` and `text_`, as in
            scikit-learn.
        """
        if not isinstance(kind, str) or kind not in PLOTS:
            raise ValueError(
                f"kind={in_short(kind)} is not a known kind. Valid kinds are {list(PLOTS)}."
            )
        which = self._metric(metric)
        style = labelled(style, which)
        if kind == "ranking":
            return self._forest(rope, prob, which).plot(ax=ax, **style)
        if kind == "tiers":
            table = self.ranking(prob=prob, metric=which)
            tiers = self.tiers(0.0 if rope is None else rope, prob, metric=which)
            display = TiersDisplay(table, tiers=tiers, metric=which.name, prob=prob)
            return display.plot(ax=ax, **style)
        region = self._rope(0.0 if rope is None else rope, which)
        decisions = {
            (i, j): self._pair(i, j).decision(region, prob, metric=which)
            for i, j in permutations(range(len(self.names)), 2)
        }
        return PairsDisplay(decisions, names=self.names, metric=which.name).plot(ax=ax, **style)

    def _forest(
        self, rope: Any, prob: float, metric: Metric, most: int | None = None
    ) -> RankingDisplay:
        """Return the display of the table, or of so many of its first rows."""
        table = self.ranking(prob=prob, metric=metric)
        decision = None if rope is None else self.decision(rope, prob, metric=metric)
        behind = behind_the_best(self._pooled(metric), prob).set_axis(list(self.names))
        return RankingDisplay(
            pd.DataFrame({**table, **behind}, index=table.index)[:most],
            metric=metric.name,
            prob=prob,
            states=None if decision is None else decision.states(),
            rope=None if decision is None else -decision.rope.low,
            total=len(table),
        )

    def _reference(self, metric: Metric) -> float:
        return max(self._posterior.completed(metric))

    def _headline(self, metric: Metric, prob: float = 0.95) -> str:
        """Return a sentence on the first row of the table."""
        table, on = self.ranking(metric=metric), self._on(metric)
        best, p_best = str(table.index[0]), table["p_best"].iloc[0]
        copies = number_of_copies(table, best)
        return f"{who_is_best(best, len(table), p_best, prob, on, copies)}."

    def _choice(self, metric: Metric) -> list[Fact]:
        """Return what being chosen as the best of three or more makes of its score."""
        table = self.ranking(metric=metric)
        if len(table) < 3:
            return []
        best = table.iloc[0]
        digits = decimals((best["hdi_high"] - best["hdi_low"]) / 4)
        known = "completed" if "completed" in table else "observed"
        observed, mean = (f"{best[name]:.{digits}f}" for name in (known, "mean"))
        why = f"it allows for being chosen as the best of {len(table)}"
        if float(mean) < float(observed):
            why = f"the best of {len(table)} looks better than it is"
        return [("estimate", f"{mean} for {table.index[0]} ({observed} {known}): {why}")]

    def _facts_of(self, metric: Metric) -> list[Fact]:
        return [("observed", observed_of(self, metric)), *self._choice(metric)]

    @property
    def _is_board(self) -> bool:
        """Whether there are so many that tiers are a column, and not lists of names."""
        return len(self.names) > MOST_IN_PAIRS

    def _verdict_lines(self, rope: Any = None) -> list[str]:
        lines = []
        for metric in self._metrics.values():
            table = self._table(None, 0.95, False, None, metric).drop(columns="std")
            facts = self._choice(metric)
            if self._is_board:
                tiers = self.tiers(rope or 0.0, metric=metric)
                table = in_tiers(table, tiers)
                by = "" if tiers.rope.low else "; any difference counts"
                facts = [("tiers", f"{tiers.rule}{by}"), *facts]
            lines += [self._headline(metric), within(table), *as_lines(facts)]
        return lines

    def _table(
        self,
        rope: Any,
        prob: float,
        mcse: bool,
        labels: Labels,
        metric: str | Metric | None = None,
    ) -> pd.DataFrame:
        """Return the text of the table, with one row per classifier, the best first."""
        table, which = self.ranking(prob=prob, metric=metric), self._metric(metric)
        of_all = dict(zip(self.names, self._scores.values(which), strict=True))
        values = [of_all[name] for name in table.index]
        after = list(table).index("mean") + 1
        table.insert(after, "sd", [value.sd for value in values])
        table.insert(after + 1, "mcse", [value.mcse for value in values])
        table.insert(after + 4, "hdi_mcse", [value.hdi_mcse(prob) for value in values])
        table["rank"] = list(map(written_ranks, table["rank_low"], table["rank_high"]))
        if rope is not None:
            decision = self.decision(rope, prob, metric=which)
            states = decision.states()
            table["p_equivalent"] = [decision.p_equivalent[name] for name in table.index]
            table["decision"] = [
                "best" if name == decision.best_alone else AGAINST_THE_BEST[states[name]]
                for name in table.index
            ]
        titles = name_observed(table, which.name, labels) | {"mean": ESTIMATE}
        shown = table.drop(columns=["expected_rank", "rank_low", "rank_high"])
        return as_text(shown, prob, mcse=mcse, titles=titles)

    def _answer(self, rope: Any) -> Answer:
        return answer_of_many(self, rope)

    def _title(self) -> str:
        return f"A comparison of {len(self.names)} classifiers"

    def _tables(self, rope: Any) -> Iterator[Table]:
        for name in self.metrics:
            yield POSTERIOR, name, self._table(rope, 0.95, True, None, name)
        best = self.table.index[:MOST_IN_PAIRS]
        pairs = [self.pairs[first, second] for first, second in combinations(best, 2)]
        summary = pd.concat([pair.metric(self._metric(None)).summary(rope) for pair in pairs])
        index = pd.Index(["{} minus {}".format(*pair.names) for pair in pairs], name="pair")
        cut = "" if len(best) == len(self.names) else f", {MOST_IN_PAIRS} with the highest means"
        text = as_text(summary.set_axis(index), rope=rope is not None)
        yield "Pairs", f"{self.metrics[0]}{cut}", text
        yield SENSITIVITY, f"{self.metrics[0]}, {index[0]}", pairs[0]._sensitivity(rope)

    def _figures(self, rope: Any) -> list[Figure]:
        return [
            (f"ranking by {name}", {"metric": name, "rope": rope}) for name in self._few_metrics()
        ]

    def _rows_of_figures(self) -> int:
        return len(self.names)

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
        posterior = self._posterior
        if (i, j) != (0, 1) or len(self.names) > 2:
            posterior = PairPosterior(posterior, i, j)
        names = (self.names[i], self.names[j])
        return ComparisonResult(posterior, names, self._metrics, self._cross_validation)
