"""`power_analysis`: the probability that a test set of a given size reaches a goal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skbayeseval._arrays import as_array, as_numbers, in_short
from skbayeseval._validation import (
    check_probability,
    check_random_state_entropy,
    check_size,
)
from skbayeseval.evidence.counts import PairedCounts
from skbayeseval.judgement.decision import WORDS, format_interval
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import check_rope
from skbayeseval.metrics.confusion import Metric
from skbayeseval.metrics.scoring import resolve_scoring
from skbayeseval.models import resolve_model
from skbayeseval.pages.elements import block, frame_table, lines
from skbayeseval.pages.figure import inline_svg
from skbayeseval.planning.replications import populations_of
from skbayeseval.planning.sample_size import proportion_interval
from skbayeseval.planning.simulate import (
    BYTES_OF_REPLICATION,
    Question,
    Setting,
    Truth,
    in_chunks,
    truths,
)
from skbayeseval.posterior.build import make_posterior
from skbayeseval.posterior.recipe import Posterior

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from skbayeseval.display import PowerDisplay

__all__ = ["PowerAnalysis", "power_analysis"]

Array = NDArray[Any]


@dataclass(frozen=True, repr=False)
class PowerAnalysis:
    """Result of a power analysis; `str` returns a summary.

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
    200      8%
    4000   100%
    4,000 is the first of these sizes to reach 80%.
    """

    table: pd.DataFrame
    goal: tuple[str, ...]
    rope: Interval
    metric: str
    names: tuple[str, str]
    n_replications: int

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

        curves = {
            str(model): (rows["power"].to_numpy(), rows["low"].to_numpy(), rows["high"].to_numpy())
            for model, rows in self.table.groupby("model", sort=False)
        }
        sizes = self.table["size"].unique()
        return PowerDisplay(sizes, curves, goal=self._goal()).plot(ax=ax, **style)

    def _goal(self) -> str:
        a, b = self.names
        return " or ".join(f"{a} {WORDS[code][0]} {b}" for code in self.goal)

    def __repr__(self) -> str:
        return (
            f"PowerAnalysis(goal={self.goal}, rope={tuple(self.rope)}, metric={self.metric!r}, "
            f"n_replications={self.n_replications})\n{self.table}"
        )

    def _repr_html_(self) -> str:
        sentences = [line for line in str(self).splitlines() if line.endswith((":", "."))]
        wide = self.table.pivot(index="size", columns="model", values="power")
        wide = wide[self.table["model"].unique()].map("{:.0%}".format)
        figure = inline_svg(lambda ax: self.plot(ax=ax), "power by the number of instances")
        return block(lines("\n".join(sentences)), frame_table(wide), figure)

    def __str__(self) -> str:
        wide = self.table.pivot(index="size", columns="model", values="power")
        wide = wide[self.table["model"].unique()].rename_axis(columns=None)
        lines = [
            f"Probability of {self._goal()} ({self.metric}, ROPE {format_interval(self.rope)}) by "
            "the number of instances:",
            wide.map("{:.0%}".format).to_string(),
        ]
        for model, power in wide.items():
            enough = power.index[power >= 0.8]
            of_model = f" ({model})" if len(wide.columns) > 1 else ""
            lines.append(
                f"{enough[0]:,} is the first of these sizes to reach 80%{of_model}."
                if len(enough)
                else f"None of these sizes reaches 80%{of_model}."
            )
        return "\n".join(lines)


def power_analysis(
    cells_or_result: Any,
    sizes: Any,
    *,
    rope: Any,
    goal: str | Sequence[str],
    model: Any = "paired",
    scoring: Any = "f1",
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
    cells_or_result : dict, array-like or ComparisonResult
        The assumed truth.

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
    sizes : int or sequence of int
        The numbers of instances in the test set.
    rope : float, str, (float, float) or dict
        The region of practical equivalence. A number r means [-r, r].
    goal : str or sequence of str
        The decision code, or codes, that count as success: ">>", "<<", "~", ">", "<" or "?".
    model : str, model instance, or a list of these, default="paired"
        The model for the analysis of the test sets, as in `compare_predictions`. If there are
        several models, all of them analyse the same test sets.
    scoring : str or Metric, default="f1"
        The metric to compare.
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
    Both classifiers find half of the positives, but not always the same ones. Are 2,000 instances
    enough to show that they are practically equivalent?

    >>> from skbayeseval import power_analysis
    >>> equal = {"mu": 0.5, "theta+": [0.3, 0.2, 0.2, 0.3], "theta-": [0.3, 0.2, 0.2, 0.3]}
    >>> found = power_analysis(
    ...     equal, [500, 2000], rope=0.05, goal="~", n_replications=100, random_state=0
    ... )
    >>> found.table["power"].round(1).tolist()
    [0.0, 0.8]
    """
    goals = _check_goal(goal)
    sizes = _check_sizes(sizes)
    n = check_size(n_replications, "n_replications", BYTES_OF_REPLICATION)
    seed = np.random.SeedSequence(check_random_state_entropy(random_state))
    truth, setting, names = _check_truth(cells_or_result)
    metric = _check_metric(scoring, setting.labels)
    region = check_rope(rope, metric)
    models = list(model) if isinstance(model, (list, tuple)) else [model]
    # Analyse one data set first, so that an invalid model or metric raises an error before the
    # simulation starts.
    first = _one_data_set(truth, metric, setting, sizes[0])
    prevalence = truth.prevalence if isinstance(truth, Posterior) else None
    prob = check_probability(prob)
    questions = []
    for one in models:
        posterior = make_posterior(first, one, "exact", None, 100, 0, prevalence)
        posterior.check_metric(metric)
        questions.append(
            Question(posterior.model, metric, region, prob, posterior.prevalence, goals)
        )

    job = {"truth": truth, "setting": setting, "questions": questions}
    jobs = [job | {"sizes": [size]} for size in sizes]
    rows = []
    for size, codes in zip(sizes, in_chunks(jobs, n, seed, n_jobs, verbose), strict=True):
        reached = np.isin(codes[:, 0], goals).sum(axis=0)
        for question, successes in zip(_labels(models, questions), reached, strict=True):
            power = successes / n
            mcse = np.sqrt(power * (1 - power) / n)
            rows.append([size, question, power, mcse, *proportion_interval(int(successes), n)])
    table = pd.DataFrame(rows, columns=["size", "model", "power", "mcse", "low", "high"])
    return PowerAnalysis(table, goals, region, metric.name, names, n)


def _labels(models: Sequence[Any], questions: Sequence[Question]) -> list[str]:
    """Return a label for each model: its name, or its `str` if the name is not unique."""
    names = [question.model.name for question in questions]
    return [
        name if names.count(name) == 1 else str(model)
        for name, model in zip(names, models, strict=True)
    ]


def _one_data_set(truth: Truth, metric: Metric, setting: Setting, size: int) -> Any:
    rng = np.random.default_rng(0)
    (populations,) = truths(truth, metric, rng, 1)
    drawn = [rng.multinomial(size, p.probability / p.probability.sum()) for p in populations]
    return setting.evidence(populations, drawn, rng)


def _check_goal(goal: Any) -> tuple[str, ...]:
    goals = (goal,) if isinstance(goal, str) else goal
    if not isinstance(goals, Iterable) or not (goals := tuple(goals)):
        raise TypeError(f"goal must be a decision code or a list of decision codes, got {goal!r}.")
    for code in goals:
        if code not in WORDS:
            raise ValueError(
                f"goal={code!r} is not a decision code. Valid codes are {list(WORDS)}, such as "
                "'>>' (A significantly better) and '~' (practically equivalent)."
            )
    return goals


def _check_sizes(sizes: Any) -> list[int]:
    values = np.atleast_1d(as_array(sizes, "sizes"))
    if values.ndim != 1 or len(values) == 0 or values.dtype.kind not in "iu" or values.min() < 1:
        raise ValueError(f"sizes must be integers of at least 1, got {in_short(sizes)}.")
    return [int(size) for size in np.unique(values)]


def _check_metric(scoring: Any, labels: tuple[Any, ...]) -> Metric:
    metrics = resolve_scoring(scoring, labels)
    if len(metrics) != 1:
        raise ValueError(f"scoring must be one metric, got {list(metrics)}.")
    return next(iter(metrics.values()))


def _check_truth(given: Any) -> tuple[Truth, Setting, tuple[str, str]]:
    if hasattr(given, "exact_posterior"):  # a ComparisonResult
        posterior = given.exact_posterior("power_analysis")
        if isinstance(posterior.evidence, PairedCounts) and not posterior.model.needs_pairs:
            # The pilot study has paired predictions, and so will the planned test set.
            model = resolve_model("paired", None, paired=True, n_classes=len(given.labels))
            posterior = Posterior(
                model, posterior.evidence, entropy=0, n_draws=1, prevalence=posterior.prevalence
            )
        counts = posterior.counts[0]
        return posterior, replace(Setting.of(counts), weight=1.0), given.names
    tables = _check_cells(given)
    return populations_of(*tables), Setting(tuple(range(len(tables[0]))), None), ("A", "B")


def _check_cells(given: Any) -> list[Array]:
    """Return the joint table of (truth, A, B), or the tables of A and B."""
    if isinstance(given, Mapping):
        return [_check_scenario(given)]
    try:
        cells = as_numbers(given, "cells_or_result")
    except (TypeError, ValueError) as error:
        raise TypeError(f"cells_or_result must be {_WHAT_DOES}, got {in_short(given)}.") from error
    m = cells.shape[-1] if cells.ndim == 3 else 0
    if m < 2 or cells.shape not in ((m, m, m), (2, m, m)):
        raise ValueError(
            f"cells_or_result must be {_WHAT_DOES}, got an array of shape {cells.shape}."
        )
    if not (cells >= 0).all():
        raise ValueError(
            f"The probabilities in cells_or_result must not be negative or NaN, got "
            f"{cells.min():g}."
        )
    if len(cells) == m and np.isclose(cells.sum(), 1):
        return [cells]
    if len(cells) == 2 and np.allclose(cells.sum(axis=(1, 2)), 1):
        return list(cells)
    raise ValueError(
        "The probabilities in cells_or_result must sum to 1: in total for a joint table of (truth, "
        f"A, B), or in each of two tables for A and B; got the total {cells.sum():g} and the sums "
        f"{cells.sum(axis=(1, 2)).round(6).tolist()}."
    )


_WHAT_DOES = (
    "a dict with the keys 'mu', 'theta+' and 'theta-', an array of shape (M, M, M) of "
    "probabilities of (truth, A, B), a pair of M x M tables of probabilities, or a ComparisonResult"
)


def _check_scenario(given: Mapping[str, Any]) -> Array:
    if set(given) != {"mu", "theta+", "theta-"}:
        raise ValueError(
            f"cells_or_result must have the keys 'mu', 'theta+' and 'theta-', got {list(given)}."
        )
    mu = check_probability(given["mu"], "cells_or_result['mu']")
    rows = []
    for name in ("theta-", "theta+"):
        theta = as_numbers(given[name], f"cells_or_result[{name!r}]")
        if theta.shape != (4,) or not (theta >= 0).all() or not np.isclose(theta.sum(), 1):
            raise ValueError(
                f"cells_or_result[{name!r}] must be four probabilities that sum to 1, for the "
                f"predictions (1, 1), (1, 0), (0, 1), (0, 0), got {given[name]!r}."
            )
        rows.append(theta[::-1].reshape(2, 2))
    return np.stack([(1 - mu) * rows[0], mu * rows[1]])
