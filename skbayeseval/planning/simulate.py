"""Simulation of test sets and of the decisions based on them.

Planning decides as the result does. Each simulated test set goes through the model's own
specification, the same draws, HDI and rule; only handling is batched, and 4,000 draws take the
place of 20,000 (measured: power moves by 0.012 at most), or 100, 400 or 1,200 where these leave no
doubt about what is asked. Two-class posteriors are Dirichlet vectors whose shapes are linear in the
counts, so the model is asked once for the slopes, and thousands of test sets are drawn at once. A
pilot's truth is drawn from its posterior, not fixed at its estimate, and with a prior that expects
disagreements to be split about evenly: the flat prior believes every difference that a small pilot
happens to show. The prior is relative to how often the two disagree, so that it does not shrink
classifiers that are not alike. A count worth w of one is simulated as 1 / w counts for each
independent instance, so weighted evidence grows by what it is worth. Sizes of one search see one
growing test set each (common random numbers), and the settled fraction is made to rise with the
size before it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from scipy.special import softmax

from skbayeseval._running import Task, parallel_with_progress
from skbayeseval._validation import check_n_jobs, check_whole_number
from skbayeseval.engines.gammas import gamma_rows, shares_of
from skbayeseval.engines.rows import Population
from skbayeseval.evidence.base import Evidence
from skbayeseval.evidence.confusion import ConfusionCounts
from skbayeseval.evidence.counts import MarginalCounts, PairedCounts
from skbayeseval.evidence.validated_rows import cell_influence
from skbayeseval.judgement.decision import SETTLED, codes_given_hdi
from skbayeseval.judgement.intervals import Interval, hdi_of_rows
from skbayeseval.metrics.confusion import Metric
from skbayeseval.models.base import Model, check_scores
from skbayeseval.models.binary import Paired
from skbayeseval.models.outcomes import OutcomeModel
from skbayeseval.models.vectors import Vectors
from skbayeseval.posterior.recipe import Posterior

Array = NDArray[Any]


# The number of draws in memory at once.
BLOCK = 2**13


def draw_differences(
    specifications: Sequence[Any], metric: Metric, rng: np.random.Generator, n_draws: int
) -> Array:
    """Return draws of the difference A minus B for each specification.

    Parameters
    ----------
    specifications : sequence of Vectors or of OutcomeModel
        The posteriors of the same model for different data sets.
    metric, rng, n_draws
        As in `Model.stream`.

    Returns
    -------
    draws : ndarray of shape (n_specifications, n_draws)
        The draws of the difference.
    """
    first = specifications[0]
    if isinstance(first, Vectors):
        return differences_of_shapes(
            first, np.array(list(map(all_shapes, specifications))), metric, rng, n_draws
        )
    blocks = [block for s in specifications for block in s.stream(metric, rng, n_draws)]
    a, b = check_scores(np.concatenate(blocks, axis=1), metric)
    return (a - b).reshape(len(specifications), n_draws)


def all_shapes(specification: Vectors) -> Array:
    """Return the Dirichlet shapes of all probability vectors, one after the other."""
    return np.concatenate([*specification.shapes(prior=False).values()])


def differences_of_shapes(
    form: Vectors, shapes: Array, metric: Metric, rng: np.random.Generator, n_draws: int
) -> Array:
    """Return draws of the difference A minus B for each row of Dirichlet shapes.

    Parameters
    ----------
    form : Vectors
        A model with the same probability vectors.
    shapes : ndarray of shape (n_rows, n_cells)
        The shapes of all probability vectors of `form`, one after the other.
    metric, rng, n_draws
        As in `Model.stream`.

    Returns
    -------
    draws : ndarray of shape (n_rows, n_draws)
        The draws of the difference.
    """
    rows = max(1, BLOCK // n_draws)
    found = []
    for start in range(0, len(shapes), rows):
        here = shapes[start : start + rows]
        drawn, end = {}, 0
        gammas = gamma_rows(rng, here.ravel(), n_draws).reshape(*here.shape, -1).swapaxes(0, 1)
        for simplex in form.simplexes:
            begin, end = end, end + len(simplex.prior)
            vectors = shares_of(rng, gammas[begin:end], here[:, begin:end].T)
            drawn[simplex.name] = vectors.reshape(end - begin, -1)
        tables = form.tables({**drawn, **form.fixed})
        a, b = check_scores(metric(tables, form.positive_index).T, metric)
        found.append((a - b).reshape(len(here), n_draws))
    return np.concatenate(found)


def populations_after(
    specification: Model, rng: np.random.Generator, n_draws: int
) -> list[tuple[Population, ...]]:
    """Draw populations of new instances from the posterior of the outcome probabilities.

    Each draw contains one population if the classifiers share instances, else one per classifier.
    """
    if isinstance(specification, OutcomeModel):
        return specification.draw_populations(rng, n_draws)
    paired = isinstance(specification, Paired)
    if not isinstance(specification, Vectors) or (specification.needs_pairs and not paired):
        raise ValueError(
            f"New test sets cannot be simulated from {type(specification).__name__}, which is not "
            "a model of this package. Compare with model='paired' or model='unpaired' to plan."
        )
    drawn = specification.draw(rng, n_draws)
    if paired:
        return _one_by_one(specification.joint(drawn))
    return _one_by_one(*np.moveaxis(specification.tables(drawn), 1, 0))


def _one_by_one(*tables: Array) -> list[tuple[Population, ...]]:
    """Return the populations of each of many tables with the same cells."""
    found = []
    for of_all in tables:
        cells = np.argwhere(~np.isnan(of_all[0]))
        probability = of_all[(slice(None), *cells.T)]
        probability = probability / probability.sum(axis=1, keepdims=True)
        found.append([Population(cells[:, 0], cells[:, 1:], row) for row in probability])
    return list(zip(*found, strict=True))


def populations_of(*tables: Array) -> tuple[Population, ...]:
    """Return the populations for tables of probabilities: (truth, A), (truth, B), or (truth, A, B).

    NaN marks a cell that is not counted.
    """
    return _one_by_one(*(np.asarray(table)[None] for table in tables))[0]


# The standard deviation of the difference, as a share of that of the difference on one instance,
# which is the square root of the disagreement for accuracy. With an agreement of 0.9, it is 0.016.
SCALE = 0.05


def plausibility(
    drawn: Sequence[tuple[Population, ...]], metric: Metric, positive: int, n_classes: int
) -> tuple[Array, Array]:
    """Return the differences and relative weights of populations drawn under a flat prior.

    Parameters
    ----------
    drawn : sequence of tuple of Population
        Each has one population of pairs of predictions, or one population per classifier.
    metric : Metric
        The metric whose difference is shrunk.
    positive : int
        The index of the positive class.
    n_classes : int
        The number of classes.

    Returns
    -------
    differences, weights : ndarray of shape (n_populations,)
        The differences in the metric, A minus B, and the weights, which sum to 1.
    """
    tables = tables_of(drawn, n_classes)
    a, b = metric(tables, positive).T
    influence = cell_influence(metric, tables.mean(axis=(0, 1)), positive)
    scale = SCALE * spread_of_instances(drawn, influence)
    ratio = np.divide(a - b, scale, out=np.zeros_like(scale), where=scale > 0)
    return a - b, np.asarray(softmax(-0.5 * ratio**2))


def spread_of_instances(drawn: Sequence[tuple[Population, ...]], influence: Array) -> Array:
    """Return the root mean square of what an instance adds to the difference, of each population.

    `influence` holds the influence of an instance in each cell of the confusion table. If only the
    table of each classifier is known, half of all errors are taken for disagreements.
    """
    spread = []
    for draw, truth, predictions, probability in _end_to_end(drawn):
        said = influence[truth[:, None], predictions].T
        other = said[1] if len(said) == 2 else influence[truth, truth]
        spread.append(np.bincount(draw, probability * (said[0] - other) ** 2, len(drawn)))
    return np.sqrt(np.mean(spread, axis=0))


def tables_of(drawn: Sequence[tuple[Population, ...]], n_classes: int) -> Array:
    """Return the tables of probabilities of both classifiers, of shape (n_draws, 2, M, M)."""
    shape = (len(drawn), n_classes, n_classes)
    tables = []
    for draw, truth, predictions, probability in _end_to_end(drawn):
        for said in predictions.T:
            cell = np.ravel_multi_index((draw, truth, said), shape)
            tables.append(np.bincount(cell, probability, np.prod(shape)).reshape(shape))
    return np.stack(tables, axis=1)


def _end_to_end(drawn: Sequence[tuple[Population, ...]]) -> Iterator[tuple[Array, ...]]:
    """Yield the number of the draw of each outcome, and all outcomes, of each population."""
    for populations in zip(*drawn, strict=True):
        sizes = [len(population.truth) for population in populations]
        columns = zip(*populations, strict=True)
        yield np.repeat(np.arange(len(sizes)), sizes), *map(np.concatenate, columns)


Truth = tuple[Population, ...] | Posterior


# Number of draws from the posterior for each truth that is chosen among them.
POOL = 10


def truths(
    truth: Truth, metric: Metric, rng: np.random.Generator, n: int
) -> list[tuple[Population, ...]]:
    """Return the truth of each replication: fixed, or drawn from a posterior.

    The difference in the metric is shrunk as described in `plausibility`.
    """
    if not isinstance(truth, Posterior):
        return [truth] * n
    pool = populations_after(truth.specification, rng, POOL * n)
    positive = 1 if truth.positive is None else truth.positive
    differences, weights = plausibility(pool, metric, positive, len(truth.counts[0].labels))
    # Evenly spaced in the order of the differences: as often as the weights say, with less chance.
    order = np.argsort(differences, kind="stable")
    reached = np.cumsum(weights[order])
    chosen = np.searchsorted(reached, reached[-1] * (np.arange(n) + rng.random(n)) / n)
    drawn = [pool[i] for i in order[np.minimum(chosen, len(pool) - 1)]]
    if truth.prevalence is None:
        return drawn
    # A test set sampled by class keeps its observed class proportions.
    shares = truth.counts[0].true / truth.counts[0].true.sum()
    return [tuple(_with_classes(p, shares) for p in populations) for populations in drawn]


def _with_classes(population: Population, shares: Array) -> Population:
    truth, predictions, probability = population
    of_class = np.bincount(truth, probability, len(shares))
    return Population(truth, predictions, probability * (shares / of_class)[truth])


# The numbers of draws after which is asked whether there is doubt.
FIRST_NUMBERS = (100, 400, 1200)


# Draws that the tails beyond the HDI must have on average, or its ends are not estimated at all.
FEWEST_IN_TAILS = 5


# The error of an end of the HDI falls with the cube root of the number of draws n. It is FAR /
# cube root of n standard deviations or more in one of a hundred normal posteriors, and then must go
# in the right direction to matter: a simulated power moves by less than 0.001.
FAR = 4.0


# Standard errors between 0 and a difference of probabilities that has a sign without doubt.
CERTAIN = 4.0


def numbers_of_draws(most: int, prob: float) -> Iterator[int]:
    """Yield the numbers of draws after which to look: few at first, `most` at last."""
    for number in FIRST_NUMBERS:
        if number * (1 - prob) + 1e-9 >= FEWEST_IN_TAILS and number < most:
            yield number
    yield most


def decide_many(
    draw: Callable[[Array, int], Array],
    n_sets: int,
    rope: Interval,
    prob: float,
    most: int,
    goal: Sequence[str] | None = None,
) -> Array:
    """Return the decision code of each of many posteriors.

    Parameters
    ----------
    draw : callable
        ``draw(which, n)`` returns n new draws of the difference for each of these posteriors, of
        shape (len(which), n).
    n_sets : int
        The number of posteriors.
    rope : Interval
        The region of practical equivalence.
    prob : float
        The probability mass of the HDI.
    most : int
        The number of draws of posteriors that stay in doubt.
    goal : sequence of str, default=None
        The codes whose frequency is asked for: doubt about others does not matter. By default, all
        matter.

    Returns
    -------
    codes : ndarray of str of shape (n_sets,)
        The codes.
    """
    codes = np.full(n_sets, "?", dtype="<U2")
    which, draws = np.arange(n_sets), np.empty((n_sets, 0))
    for number in numbers_of_draws(most, prob):
        draws = np.concatenate([draws, draw(which, number - draws.shape[1])], axis=1)
        low, high = hdi_of_rows(draws, prob)
        codes[which] = codes_given_hdi(draws, low, high, rope)
        doubtful = _doubtful(draws, low, high, rope, goal)
        which, draws = which[doubtful], draws[doubtful]
        if len(which) == 0:
            break
    return codes


def _doubtful(
    draws: Array, low: Array, high: Array, rope: Interval, goal: Sequence[str] | None
) -> Array:
    """Return for each row of draws, whose HDIs have these ends, whether more draws may matter."""
    n = draws.shape[1]
    error = FAR * draws.std(axis=1) / np.cbrt(n)
    distances = {
        "~": np.minimum(low - rope.low, rope.high - high),
        "<<": rope.low - high,
        ">>": low - rope.high,
    }
    if goal is not None and set(goal) <= set(SETTLED):
        return np.any([np.abs(distances[code]) < error for code in goal], axis=0)
    doubtful = np.any([np.abs(distance) < error for distance in distances.values()], axis=0)
    # Where nothing is settled, the sign of the difference of two probabilities is reported.
    better, worse = (draws > rope.high).mean(axis=1), (draws < rope.low).mean(axis=1)
    settled = np.any([distance > 0 for distance in distances.values()], axis=0)
    leaning = (better - worse) ** 2 * n > CERTAIN**2 * (better + worse)
    return doubtful | ~(settled | leaning)


# Number of posterior draws per simulated data set, if its decision is in doubt. With 20,000 draws,
# the power changes by at most 0.012 on 1,000 data sets of size 1,500 from both scenarios of Zhang
# et al. (2016, section 4.1).
N_DRAWS = 4000


# Number of replications per job.
CHUNK = 128


# What a replication takes: its codes, and its part of a chunk's task and seed.
BYTES_OF_REPLICATION = 100


@dataclass(frozen=True)
class Question:
    """Parameters of the decision made for each simulated data set.

    Parameters
    ----------
    model : Model
        The model of the posterior.
    metric : Metric
        The metric to compare.
    rope : Interval
        The region of practical equivalence.
    prob : float
        The probability mass of the HDI.
    prevalence : tuple of float, default=None
        Known class proportions; None if unknown.
    goal : tuple of str, default=None
        The decision codes whose frequency is asked for; None if all matter.
    """

    model: Model
    metric: Metric
    rope: Interval
    prob: float
    prevalence: tuple[float, ...] | None = None
    goal: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.metric.source != "tables":
            raise ValueError(
                f"{self.metric.name!r} cannot be simulated, because it is not computed from a "
                "confusion matrix."
            )
        if self.metric.calls_per_draw:
            raise ValueError(
                f"{self.metric.name!r} cannot be simulated: its function would be called for every "
                "draw of thousands of test sets. Use metrics.from_confusion, or a metric of "
                "metrics.known_metrics()."
            )

    def codes(self, data: Sequence[Evidence], rng: np.random.Generator) -> Array:
        """Return the decision code for each data set."""
        specifications = [self.specification(evidence) for evidence in data]

        def draw(which: Array, n: int) -> Array:
            some = [specifications[i] for i in which]
            return draw_differences(some, self.metric, rng, n)

        return decide_many(draw, len(data), self.rope, self.prob, N_DRAWS, self.goal)

    def codes_of_shapes(self, form: Vectors, shapes: Array, rng: np.random.Generator) -> Array:
        """Return the decision code for each row of Dirichlet shapes."""

        def draw(which: Array, n: int) -> Array:
            return differences_of_shapes(form, shapes[which], self.metric, rng, n)

        return decide_many(draw, len(shapes), self.rope, self.prob, N_DRAWS, self.goal)

    def specification(self, evidence: Evidence) -> Any:
        """Return the posterior of the model, given the evidence."""
        found = self.model.specification(evidence)
        return (
            found if self.prevalence is None else found.with_prevalence(np.array(self.prevalence))
        )


@dataclass(frozen=True)
class Setting:
    """Properties that simulated counts share with the observed counts.

    Parameters
    ----------
    labels : tuple
        The classes.
    pos_label : object
        The positive class.
    weight : float
        The weight of one count.
    true_negatives : bool
        Whether true negatives are counted.
    declared : bool
        As in `ConfusionCounts`.
    """

    labels: tuple[Any, ...]
    pos_label: Any
    weight: float = 1.0
    true_negatives: bool = True
    declared: bool = True

    @classmethod
    def of(cls, counts: ConfusionCounts) -> Setting:
        """Return the setting of the given counts."""
        known = counts.has_true_negatives
        return cls(counts.labels, counts.pos_label, counts.weight, known, counts.declared)

    def counts(self, drawn: Array, rng: np.random.Generator) -> Array:
        """Return the counts of numbers of independent instances.

        One count has the weight `weight`, so each instance corresponds to 1 / weight counts. The
        counts are rounded up or down at random, so that they are integers with the correct
        expectation.
        """
        return np.floor(drawn / self.weight + rng.random(drawn.shape))

    def evidence(
        self, populations: Sequence[Population], counts: Sequence[Array], base: Any = None
    ) -> Evidence:
        """Return the evidence of counts of the outcomes of each population, added to `base`."""
        of_all = (self.labels, self.weight, self.pos_label, self.declared)
        if len(populations) == 1:
            truth, predictions, _ = populations[0]
            seen = counts[0] > 0
            columns = [truth[seen], predictions[seen], counts[0][seen]]
            if base is not None:
                before = [base.truth, base.predictions, base.counts]
                columns = [np.concatenate(both) for both in zip(before, columns, strict=True)]
            return PairedCounts(columns[0], columns[1], columns[2], *of_all)
        margins = []
        for k, ((truth, predictions, _), number) in enumerate(
            zip(populations, counts, strict=True)
        ):
            table = np.zeros((len(self.labels),) * 2)
            np.add.at(table, (truth, predictions[:, 0]), number)
            if not self.true_negatives:
                table[0, 0] = np.nan  # as in `ConfusionCounts.from_cells`
            if base is not None:
                table += base.margins()[k].table
            margins.append(ConfusionCounts(table, *of_all))
        return MarginalCounts(tuple(margins))


@dataclass(frozen=True)
class LinearShapes:
    """How the Dirichlet shapes of a posterior of two classes follow from counts: linearly.

    Without it, each of thousands of test sets would need evidence and a posterior of its own, which
    takes 1.4 to 1.9 times as long.

    Parameters
    ----------
    specification : Vectors
        The posterior after one count of each outcome, and what was observed before.
    slopes : ndarray of shape (n_outcomes, n_shapes)
        By how much one more count of each outcome raises the shapes.
    """

    specification: Vectors
    slopes: Array

    @classmethod
    def of(
        cls,
        question: Question,
        setting: Setting,
        populations: Sequence[Population],
        base: Evidence | None,
    ) -> LinearShapes | None:
        """Return the shapes; None if the posterior does not consist of Dirichlet vectors."""
        ends = np.cumsum([len(population.truth) for population in populations])

        def posterior(counts: Array) -> Any:
            evidence = setting.evidence(populations, np.split(counts, ends[:-1]), base)
            return question.specification(evidence)

        ones = np.ones(ends[-1])
        specification = posterior(ones)
        if not isinstance(specification, Vectors):
            return None
        raised = [all_shapes(posterior(ones + more)) for more in np.eye(len(ones))]
        return cls(specification, np.array(raised) - all_shapes(specification))

    def shapes(self, counts: Sequence[Sequence[Array]]) -> Array:
        """Return the shapes after the counts of each test set, of shape (n_sets, n_shapes)."""
        numbers = np.array([np.concatenate(of_one) for of_one in counts])
        return all_shapes(self.specification) + (numbers - 1) @ self.slopes


def simulated_decisions(
    truth: Truth,
    setting: Setting,
    questions: Sequence[Question],
    sizes: Sequence[float],
    n: int,
    seed: np.random.SeedSequence,
    base: Evidence | None = None,
) -> Array:
    """Simulate test sets and return the code of each decision.

    Each replication is one test set of increasing size, so that all sizes and all questions share
    the same instances.

    Parameters
    ----------
    truth : tuple of Population, or Posterior
        The distribution of the instances. Draws from a posterior are shrunk in the metric of the
        first question.
    setting : Setting
        The properties of the counts.
    questions : sequence of Question
        The decisions to make for each data set.
    sizes : sequence of float
        Increasing numbers of independent instances.
    n : int
        The number of replications.
    seed : numpy.random.SeedSequence
        The seed of all random numbers.
    base : Evidence, default=None
        Observed counts to which the simulated counts are added.

    Returns
    -------
    codes : ndarray of shape (n, n_sizes, n_questions)
        The decision codes.
    """
    rng = np.random.Generator(np.random.SFC64(seed))  # NumPy's fastest; most time goes into draws
    replications = truths(truth, questions[0].metric, rng, n)
    first = replications[0]
    forms: list[Any] = [None] * len(questions)
    if len(setting.labels) == 2:
        forms = [LinearShapes.of(question, setting, first, base) for question in questions]
    drawn = [[np.zeros(len(p.truth)) for p in populations] for populations in replications]
    codes, reached = [], 0
    for size in sizes:
        more, reached = round(size) - reached, round(size)
        for populations, numbers in zip(replications, drawn, strict=True):
            for number, (_, _, probability) in zip(numbers, populations, strict=True):
                number += rng.multinomial(more, probability / probability.sum())
        counts = [[setting.counts(number, rng) for number in numbers] for numbers in drawn]
        data = []
        if None in forms:
            data = [
                setting.evidence(populations, of_one, base)
                for populations, of_one in zip(replications, counts, strict=True)
            ]
        codes.append(
            [
                question.codes(data, rng)
                if form is None
                else question.codes_of_shapes(form.specification, form.shapes(counts), rng)
                for question, form in zip(questions, forms, strict=True)
            ]
        )
    return np.moveaxis(np.array(codes), -1, 0)


def in_chunks(
    jobs: Sequence[dict[str, Any]], n: int, seed: np.random.SeedSequence, n_jobs: Any, verbose: int
) -> list[Array]:
    """Run `simulated_decisions` with n replications for each job, in parallel chunks.

    Every chunk has its own seed, so the results do not depend on `n_jobs`.
    """
    check_n_jobs(n_jobs)
    check_whole_number(verbose, "verbose", minimum=0)
    chunks = [min(CHUNK, n - start) for start in range(0, n, CHUNK)]
    tasks = [job | {"n": chunk} for job in jobs for chunk in chunks]
    parallel = parallel_with_progress(
        total=len(tasks), show=verbose > 0, doing="simulating", n_jobs=n_jobs
    )
    simulate = delayed(Task(simulated_decisions))
    seeds = seed.spawn(len(tasks))
    codes = parallel(simulate(**task, seed=own) for task, own in zip(tasks, seeds, strict=True))
    return [
        np.concatenate(codes[start : start + len(chunks)])
        for start in range(0, len(tasks), len(chunks))
    ]
