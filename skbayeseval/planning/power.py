"""`power_analysis`: the probability that a test set of a given size reaches a goal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import ndtri
from scipy.stats import binomtest

from skbayeseval._arrays import Array, as_array, as_numbers, in_short, wrong
from skbayeseval._html import block, frame_table, inline_svg, lines
from skbayeseval._streams import Stream, sequence
from skbayeseval._validation import (
    as_float,
    check_probability,
    check_random_state_entropy,
    check_size,
)
from skbayeseval.evidence.counts import ConfusionCounts, PairedCounts
from skbayeseval.judgement.decision import SETTLED, WORDS, format_interval
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import check_rope
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.scoring import resolve_scoring
from skbayeseval.models.base import Model
from skbayeseval.planning.sample_size import N_RESAMPLES, crossing, smoothed, two_digits
from skbayeseval.planning.simulate import (
    BYTES_OF_REPLICATION,
    Question,
    Truth,
    evidence_of,
    in_chunks,
    populations_of,
    truths,
    whole_counts,
)
from skbayeseval.posterior.build import make_posterior
from skbayeseval.posterior.posterior import Posterior

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from skbayeseval.display import PowerDisplay


@dataclass(frozen=True)
class PowerAnalysis:
    """Result of `power_analysis`; `str` returns a summary.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per size and model, with the columns size, model, power, mcse (the Monte Carlo
        standard error of the power), low and high (its 95% Monte Carlo interval).
    goal : tuple of str
        The decisions that count as success.
    rope : Interval
        The region of practical equivalence.
    metric : str
        The name of the metric.
    names : tuple of str
        The names of A and B.
    n_replications : int
        The number of simulated test sets per size.
    assurance : float
        The requested power.
    assumed : str
        What was assumed of two accuracies, in words; empty if something else was passed.

    Examples
    --------
    >>> from skbayeseval import power_analysis
    >>> cells = {"mu": 0.5, "theta+": [0.3, 0.3, 0.2, 0.2], "theta-": [0.2, 0.2, 0.3, 0.3]}
    >>> found = power_analysis(
    ...     cells, [200, 4000], rope=0.05, goal=">>", n_replications=50, random_state=0
    ... )
    >>> print(found)
    Probability of A ≫ B (f1, ROPE [-0.050, +0.050]) by the number of instances:
         paired
    size
    200     16%
    4000    98%
    4,000 is the first of these sizes to reach 80% (95% Monte Carlo interval of its power: 90% to
    100%).
    Otherwise another decision is settled, or none: goal=["<", ">", "?"] tells how often none is.
    """

    table: pd.DataFrame
    goal: tuple[str, ...]
    rope: Interval
    metric: str
    names: tuple[str, str]
    n_replications: int
    assurance: float = 0.8
    assumed: str = ""

    @property
    def required(self) -> dict[str, int | None]:
        """The number of instances that reaches the assurance, by model; None if no size does.

        It is the first of the simulated sizes that does, or interpolated if the one before it is at
        least half as large.
        """
        sizes = {model: self._reached(*curve) for model, *curve in self._curves()}
        return {model: None if n == np.inf else int(np.ceil(n)) for model, n in sizes.items()}

    @property
    def intervals(self) -> dict[str, Interval | None]:
        """The 95% Monte Carlo interval of each required number; None if no size is enough.

        It is that of binomial numbers of successes at each size. Its upper end is infinite if in
        more than 2.5% of these cases no size would have been enough.
        """
        rng, n = np.random.default_rng(0), self.n_replications
        found: dict[str, Interval | None] = {}
        required = self.required
        for model, sizes, powers in self._curves():
            resampled = rng.binomial(n, powers, (N_RESAMPLES, len(sizes))) / n
            reached = [self._reached(sizes, row) for row in resampled]
            ends = np.quantile(reached, [0.025, 0.975], method="nearest")
            found[model] = None if required[model] is None else Interval(*ends.tolist())
        return found

    def _curves(self, *columns: str) -> Iterator[tuple[Any, ...]]:
        """Yield each model with its columns of the table, by default sizes and powers."""
        for model, rows in self.table.groupby("model", sort=False):
            yield str(model), *(rows[name].to_numpy() for name in columns or ("size", "power"))

    def _reached(self, sizes: Array, powers: Array) -> float:
        """Return the number of instances that reaches the assurance; infinite if no size does."""
        rising = smoothed(powers)
        if rising[-1] < self.assurance:
            return np.inf
        first = int(np.argmax(rising >= self.assurance))
        if first > 0 and sizes[first] <= 2 * sizes[first - 1]:
            return crossing(rising, sizes, self.assurance, self.n_replications)
        return float(sizes[first])

    def plot(self, *, ax: Axes | None = None, **style: Any) -> PowerDisplay:
        """Plot the power against the size, with one line per model and Monte Carlo error bars.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None creates a new figure.
        **style
            Options of the display: `title`, `colors`, `line_kw`, `fill_kw` (error bars) and
            `text_kw`.

        Returns
        -------
        display : PowerDisplay
            The display.
        """
        from skbayeseval.display import PowerDisplay

        bars = self._curves("power", "low", "high")
        curves: dict[str, Any] = {model: np.array(ends) for model, *ends in bars}
        sizes = self.table["size"].unique()
        return PowerDisplay(sizes, curves, goal=self._goal()).plot(ax=ax, **style)

    def _goal(self) -> str:
        a, b = self.names
        if set(self.goal) == set(SETTLED):
            return "a settled decision"
        if set(self.goal) == set(WORDS) - set(SETTLED):
            return "no settled decision"
        return " or ".join(f"{a} {WORDS[code][0]} {b}" for code in self.goal)

    def _repr_html_(self) -> str:
        sentences = [line for line in str(self).splitlines() if line.endswith((":", "."))]
        figure = inline_svg(self.plot, "power by the number of instances")
        return block(lines("\n".join(sentences)), frame_table(self._wide()), figure)

    def _wide(self) -> pd.DataFrame:
        """Return the powers as text, with a row per size and a column per model."""
        wide = self.table.pivot(index="size", columns="model", values="power")
        return wide[self.table["model"].unique()].map("{:.0%}".format)

    def __str__(self) -> str:
        wide, intervals = self._wide().rename_axis(columns=None), self.intervals
        lines = [
            f"Probability of {self._goal()} ({self.metric}, ROPE {format_interval(self.rope)}) by "
            "the number of instances:",
            wide.to_string(),
        ]
        for model, size in self.required.items():
            enough = f"{100 * self.assurance:.3g}%"
            enough += f" ({model})" if len(wide.columns) > 1 else ""
            interval = intervals[model]
            if size is None or interval is None:
                lines.append(f"None of these sizes reaches {enough}.")
            elif size in wide.index:
                (here,) = self.table.query("size == @size and model == @model").itertuples()
                lines.append(
                    f"{size:,} is the first of these sizes to reach {enough} "
                    f"(95% Monte Carlo interval of its power: {here.low:.0%} to {here.high:.0%})."
                )
            else:
                largest = wide.index[-1]
                low, high = (
                    f"{two_digits(end):,}" if end <= largest else f"more than {largest:,}"
                    for end in interval
                )
                lines.append(
                    f"About {two_digits(size):,} labelled instances reach {enough} "
                    f"(95% Monte Carlo interval: {low} to {high})."
                )
        if set(self.goal) < set(SETTLED):
            lines.append(
                "Otherwise another decision is settled, or none: "
                'goal=["<", ">", "?"] tells how often none is.'
            )
        return "\n".join([*lines, self.assumed] if self.assumed else lines)


def power_analysis(
    cells_or_result: Any,
    *more: Any,
    sizes: Any = None,
    rope: Any,
    goal: str | Sequence[str] = SETTLED,
    disagreement: float | None = None,
    assurance: float = 0.8,
    model: Any = "paired",
    scoring: Any = None,
    prob: float = 0.95,
    n_replications: int = 1000,
    n_jobs: int | None = None,
    verbose: int = 0,
    random_state: Any = None,
) -> PowerAnalysis:
    """Simulate test sets of several sizes and estimate the probability of reaching a goal.

    The power of a planned study is the probability that it reaches its goal under an assumed truth
    (Kruschke 2013; Zhang et al. 2016, section 4.1). Each simulated test set is analysed like a real
    one: the decision follows from the HDI of the posterior and the ROPE.

    Parameters
    ----------
    cells_or_result : (float, float), dict, array-like or ComparisonResult
        The assumed truth.

        - A pair of accuracies, of A and B; ``power_analysis(0.90, 0.91, rope=0.005)`` is short for
          ``power_analysis((0.90, 0.91), rope=0.005)``. There are two equally frequent classes, in
          which A and B are equally accurate.
        - A dict, as in the scenarios of the paper (binary problems only): "mu" is the probability
          of the positive class. "theta+" and "theta-" are the probabilities that (A, B) predict
          (1, 1), (1, 0), (0, 1), (0, 0) for an instance of the positive and negative class.
        - An array of shape (M, M, M): the probabilities of (true class, prediction of A, prediction
          of B), which sum to 1. In a binary problem, class 1 is the positive class.
        - A pair of M x M tables of probabilities for A and B evaluated on separate test sets. The
          rows are true classes, and each table sums to 1.
        - A `ComparisonResult` of a pilot study. The truth of each replication is drawn from its
          posterior, which accounts for the uncertainty of the pilot study (the power is then also
          called assurance), with differences shrunk towards 0 as in
          `ComparisonResult.required_sample_size`. The simulated test sets do not include the
          instances of the pilot study.
    *more
        The accuracy of B, if `cells_or_result` is that of A, and then `sizes`.
    sizes : int or sequence of int, default=None
        The numbers of instances in the test set, by name or by position. By default, sizes around
        the one at which two given accuracies are expected to be settled, or 100 to 30,000.
    rope : float, str, (float, float) or dict
        The region of practical equivalence. A number r means [-r, r], and "1%" is one percent of
        the largest score that the metric can have; it must have one.
    goal : str or sequence of str, default=("<<", "~", ">>")
        The decision code, or codes, that count as success: ">>", "<<", "~", ">", "<" or "?". By
        default, any settled decision. Nothing is settled under the last three, of which "?" means
        that A and B are equally probable to be better; so the powers of ">>", "<<", "~" and
        [">", "<", "?"] add up to 1. Calls with other goals are other simulations, so they do only
        up to the Monte Carlo error `mcse`.
    disagreement : float, default=None
        The share of instances on which exactly one of two given accuracies is right. By default,
        the mean of both error rates, so that half of the errors are common to A and B, or the
        nearest possible share.
    assurance : float, default=0.8
        The power for which the required number of instances is told.
    model : str, model instance, or a list of these, default="paired"
        The model for the analysis of the test sets, as in `compare_predictions`. If there are
        several models, all of them analyse the same test sets.
    scoring : str or Metric, default=None
        The metric to compare. By default the first one of a result, "accuracy" if two accuracies
        are given, and otherwise "f1".
    prob : float, default=0.95
        The probability mass of the HDI.
    n_replications : int, default=1000
        The number of simulated test sets per size.
    n_jobs : int, default=None
        The number of parallel joblib jobs. The results do not depend on it.
    verbose : int, default=0
        If positive, show progress: a progress bar in terminals and notebooks, otherwise lines on
        standard error.
    random_state : int, RandomState, Generator or None, default=None
        Pass an int for reproducible results.

    Returns
    -------
    power : PowerAnalysis
        The result, with the attribute `table` and the method `plot`.

    See Also
    --------
    ComparisonResult.required_sample_size : The number of instances needed for a clear decision.

    Examples
    --------
    How many labels does it take to settle an accuracy of 0.90 against 0.93?

    >>> from skbayeseval import power_analysis
    >>> found = power_analysis(0.90, 0.93, rope=0.01, n_replications=200, random_state=0)
    >>> print(found)
    Probability of a settled decision (accuracy, ROPE [-0.010, +0.010]) by the number of instances:
         paired
    size
    500     38%
    990     57%
    1500    78%
    2100    87%
    3300   100%
    5000   100%
    About 1,600 labelled instances reach 80% (95% Monte Carlo interval: 1,400 to 1,800).
    Assumed: accuracies of 0.9 and 0.93, and exactly one of both is right on 8.5% of the instances,
    the mean of both error rates; pass disagreement= to change it.

    Both classifiers find half of the positives, but not always the same ones. Are 2,000 instances
    enough to show that they are practically equivalent?

    >>> equal = {"mu": 0.5, "theta+": [0.3, 0.2, 0.2, 0.3], "theta-": [0.3, 0.2, 0.2, 0.3]}
    >>> found = power_analysis(
    ...     equal, [500, 2000], rope=0.05, goal="~", n_replications=100, random_state=0
    ... )
    >>> found.table["power"].round(1).tolist()
    [0.0, 0.8]
    """
    goals = _check_goal(goal)
    assurance = check_probability(assurance, "assurance")
    prob = check_probability(prob)
    if isinstance(cells_or_result, Real) and more and isinstance(more[0], Real):
        cells_or_result, more = (cells_or_result, more[0]), more[1:]
    if len(more) > (sizes is None):
        raise TypeError(
            "power_analysis takes a truth, or two accuracies, and then the sizes, such as "
            "power_analysis(0.90, 0.93, [1000, 2000], rope=0.01); got "
            f"{in_short([cells_or_result, *more])}{'' if sizes is None else ' and sizes='}."
        )
    sizes = more[0] if more else sizes
    accuracies = _check_accuracies(cells_or_result, disagreement)
    if accuracies is not None:
        cells_or_result = _cells_of_accuracies(*accuracies)
    truth, like, names = _check_truth(cells_or_result)
    n = check_size(n_replications, "n_replications", BYTES_OF_REPLICATION)
    seed = sequence(check_random_state_entropy(random_state), Stream.POWER)
    if scoring is None and isinstance(truth, Posterior):
        scoring = next(iter(cells_or_result._metrics.values()))
    elif scoring is None:
        scoring = "f1" if accuracies is None else "accuracy"
    metrics = resolve_scoring(scoring, like.labels)
    if len(metrics) != 1:
        raise ValueError(f"scoring must be one metric, got {list(metrics)}.")
    (metric,) = metrics.values()
    region = check_rope(rope, metric)
    usual, assumed = USUAL_SIZES, ""
    if accuracies is not None:
        is_given = disagreement is not None
        usual, assumed = _plan_of_accuracies(*accuracies, is_given, region, assurance)
    sizes = _check_sizes(usual if sizes is None else sizes)
    prevalence = truth.prevalence if isinstance(truth, Posterior) else None
    models = _check_models(model, truth, like, metric, sizes[0], prevalence)
    questions = [Question(one, metric, region, prob, prevalence, goals) for one in models.values()]
    job = {"truth": truth, "like": like, "questions": questions}
    jobs = [job | {"sizes": [size]} for size in sizes]
    codes = in_chunks(jobs, n, seed, n_jobs, verbose)
    successes = [np.isin(of_size[:, 0], goals).sum(axis=0) for of_size in codes]
    table = _table_of_powers(sizes, list(models), np.array(successes), n)
    return PowerAnalysis(table, goals, region, metric.name, names, n, assurance, assumed)


def _table_of_powers(
    sizes: Sequence[int], models: Sequence[str], successes: Array, n: int
) -> pd.DataFrame:
    rows = []
    for (i, k), number in np.ndenumerate(successes):
        power = number / n
        # Wilson's interval is not degenerate at 0 and 1.
        ends = binomtest(int(number), n).proportion_ci(method="wilson")
        rows.append([sizes[i], models[k], power, np.sqrt(power * (1 - power) / n), *ends])
    return pd.DataFrame(rows, columns=["size", "model", "power", "mcse", "low", "high"])


def _check_goal(goal: Any) -> tuple[str, ...]:
    goals = (goal,) if isinstance(goal, str) or not np.iterable(goal) else tuple(goal)
    if not goals or not all(isinstance(code, str) and code in WORDS for code in goals):
        known = f"one or several of the decision codes {list(WORDS)}, such as '>>' (A significantly"
        raise wrong("goal", f"{known} better) and '~' (practically equivalent)", goal)
    return goals


def _check_sizes(sizes: Any) -> list[int]:
    values = np.unique(as_array(sizes, "sizes"))
    whole = np.ndim(sizes) <= 1 and values.dtype.kind in "iu" and len(values) > 0
    if not whole or not 1 <= values[0] <= values[-1] <= MOST_INSTANCES:
        raise wrong("sizes", f"integers from 1 to {MOST_INSTANCES:,}", sizes)
    return [int(value) for value in values]


# Larger test sets do not exist.
MOST_INSTANCES = 10**15

# Sizes to try where nothing better is known.
USUAL_SIZES: tuple[int, ...] = (100, 300, 1000, 3000, 10_000, 30_000)


def _check_accuracies(given: Any, disagreement: Any) -> tuple[float, float, float] | None:
    """Return two accuracies and their disagreement; None if the truth is given otherwise."""
    pair = isinstance(given, (tuple, list)) and len(given) == 2
    if not pair or not all(isinstance(one, Real) for one in given):
        if disagreement is not None:
            raise ValueError(
                f"disagreement={in_short(disagreement)} requires two accuracies, such as "
                "power_analysis(0.90, 0.91, disagreement=0.05, rope=0.005). Other truths say "
                "themselves how often A and B disagree."
            )
        return None
    a, b = map(as_float, given)
    if not (0 <= a <= 1 and 0 <= b <= 1):
        raise ValueError(f"Accuracies must be between 0 and 1 (0.9 for 90%), got {a:g} and {b:g}.")
    low, high = abs(a - b), min(a + b, 2 - a - b)
    if disagreement is None:
        return a, b, float(np.clip(1 - (a + b) / 2, low, high))
    share = as_float(disagreement) if isinstance(disagreement, Real) else np.nan
    if not low - 1e-9 <= share <= high + 1e-9:
        raise ValueError(
            f"disagreement={in_short(disagreement)} is not possible: with accuracies of {a:g} and "
            f"{b:g}, exactly one of both is right on at least {low:.4g} and at most {high:.4g} of "
            "the instances."
        )
    return a, b, share


def _cells_of_accuracies(a: float, b: float, disagreement: float) -> Array:
    """Return the probabilities of (truth, A, B) in two classes that are alike."""
    only_a = (disagreement + a - b) / 2
    only_b, both = disagreement - only_a, a - only_a
    right = np.array([[1 - disagreement - both, only_b], [only_a, both]])
    return np.maximum(np.stack([right[::-1, ::-1], right]) / 2, 0.0)


def _plan_of_accuracies(
    a: float, b: float, disagreement: float, is_given: bool, rope: Interval, assurance: float
) -> tuple[tuple[int, ...], str]:
    """Return sizes around the required one by a normal approximation, and what is assumed."""
    difference, sizes = a - b, USUAL_SIZES
    assumed = (
        f"Assumed: accuracies of {a:g} and {b:g}, and exactly one of both is right on "
        f"{100 * disagreement:.3g}% of the instances"
    )
    if not is_given:
        assumed += ", the mean of both error rates; pass disagreement= to change it"
    distance = min(abs(difference - rope.low), abs(difference - rope.high))
    variance = disagreement - difference**2
    if distance <= 1e-9:
        assumed += (
            f". Their difference is a limit of the ROPE {format_interval(rope)}, so no number "
            "of labels would settle on which side of it they are: choose another rope"
        )
    elif variance > 0:
        required = (ndtri(0.975) + ndtri(assurance)) ** 2 * variance / distance**2
        times = (0.3, 0.6, 0.9, 1.3, 2.0, 3.0)
        sizes = tuple(max(two_digits(one * required), 10) for one in times)
    return sizes, f"{assumed}."


def _check_models(
    model: Any, truth: Truth, like: ConfusionCounts, metric: Metric, size: int, prevalence: Any
) -> dict[str, Model]:
    """Return the models by name, or by `str` where names are not unique.

    One data set is analysed, so that an invalid model or metric raises an error before the
    simulation starts.
    """
    models = list(model) if isinstance(model, (list, tuple)) else [model]
    if not models:
        raise ValueError("model must be a model or a list of models, got an empty list.")
    rng = np.random.default_rng(0)
    (populations,) = truths(truth, metric, rng, 1)
    counts = [whole_counts(size * p.probability, 1.0, rng) for p in populations]
    evidence = evidence_of(like, populations, counts)
    resolved = []
    for one in models:
        posterior = make_posterior(evidence, one, "exact", 100, 0, prevalence)
        posterior.check_metric(metric)
        resolved.append(posterior.model)
    names = [one.name for one in resolved]
    return {
        name if names.count(name) == 1 else str(asked): one
        for name, asked, one in zip(names, models, resolved, strict=True)
    }


def _check_truth(given: Any) -> tuple[Truth, ConfusionCounts, tuple[str, str]]:
    """Return the truth, counts with the labels of the planned ones, and the names of A and B."""
    if hasattr(given, "required_sample_size"):  # a ComparisonResult
        posterior = given._posterior.exact("power_analysis")
        if isinstance(posterior.evidence, PairedCounts) and not posterior.model.needs_pairs:
            # The pilot study has paired predictions, and so will the planned test set.
            posterior = make_posterior(
                posterior.evidence, "paired", "exact", 100, 0, posterior.prevalence
            )
        return posterior, posterior.counts[0].with_weight(1.0), given.names
    tables = _check_cells(given)
    m = len(tables[0])
    return populations_of(*tables), ConfusionCounts(np.zeros((m, m)), tuple(range(m))), ("A", "B")


def _check_cells(given: Any) -> list[Array]:
    """Return the joint table of (truth, A, B), or the tables of A and B."""
    if isinstance(given, Mapping):
        if set(given) != {"mu", "theta+", "theta-"}:
            raise ValueError(
                "cells_or_result must have the keys 'mu', 'theta+' and 'theta-', got "
                f"{list(given)}."
            )
        mu = check_probability(given["mu"], "cells_or_result['mu']")
        rows = []
        for name in ("theta-", "theta+"):
            where = f"cells_or_result[{name!r}]"
            theta = as_numbers(given[name], where)
            if theta.shape != (4,) or not (theta >= 0).all() or not np.isclose(theta.sum(), 1):
                order = "for the predictions (1, 1), (1, 0), (0, 1), (0, 0)"
                raise wrong(where, f"four probabilities that sum to 1, {order}", given[name])
            rows.append(theta[::-1].reshape(2, 2))
        return [np.stack([(1 - mu) * rows[0], mu * rows[1]])]
    try:
        cells = as_numbers(given, "cells_or_result")
    except (TypeError, ValueError):
        cells = np.empty(0)
    m = cells.shape[-1] if cells.ndim == 3 else 0
    if m < 2 or cells.shape not in ((m, m, m), (2, m, m)):
        raise ValueError(
            "cells_or_result must be two accuracies, a dict with the keys 'mu', 'theta+' and "
            "'theta-', an array of shape (M, M, M) of probabilities of (truth, A, B), a pair of "
            f"M x M tables of probabilities, or a ComparisonResult, got {in_short(given)}."
        )
    sums = cells.sum(axis=(1, 2))
    if (cells >= 0).all():
        if len(cells) == m and np.isclose(sums.sum(), 1):
            return [cells]
        if len(cells) == 2 and np.allclose(sums, 1):
            return list(cells)
    raise ValueError(
        "The probabilities in cells_or_result must not be negative or NaN, and must sum to 1: in "
        "total for a joint table of (truth, A, B), or in each of two tables for A and B; got the "
        f"smallest {cells.min():g} and the sums {sums.round(6).tolist()}."
    )
