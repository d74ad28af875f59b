"""Simulation of test sets and of the decisions based on them.

Planning decides as the result does. Each simulated test set goes through the model's own
specification, the same draws, HDI and rule; only handling is batched, and 4,000 draws take the
place of 20,000 (measured: power moves by 0.012 at most), or 100, 400 or 1,200 where these leave no
doubt about what is asked. Two-class posteriors are Dirichlet vectors whose shapes are linear in the
counts, so the model is asked once for the slopes, and thousands of test sets are drawn at once. A
count worth w of one is simulated as 1 / w counts for each independent instance, so weighted
evidence grows by what it is worth. Sizes of one search see one growing test set each (common random
numbers), and the settled fraction is made to rise with the size before it is read.

New instances come from populations that are given, or drawn from a posterior. A pilot's truth is
drawn from its posterior, not fixed at its estimate, and with a prior that expects disagreements to
be split about evenly: the flat prior believes every difference that a small pilot happens to show.
The prior is relative to how often the two disagree, so that it does not shrink classifiers that are
not alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import delayed

from skbayeseval._arrays import Array
from skbayeseval._running import Task, in_parallel
from skbayeseval._validation import check_n_jobs, check_whole_number
from skbayeseval.evidence.counts import ConfusionCounts, MarginalCounts, PairedCounts
from skbayeseval.evidence.interface import Evidence
from skbayeseval.evidence.unit_numbers import cell_influence
from skbayeseval.judgement.decision import SETTLED, WORDS, codes_given_hdi
from skbayeseval.judgement.intervals import Interval, hdi_of_rows
from skbayeseval.metrics.metric import Metric
from skbayeseval.models.base import Model, check_defined
from skbayeseval.models.rows import Population
from skbayeseval.models.vectors import populations_of_tables
from skbayeseval.posterior.posterior import Posterior

Truth = tuple[Population, ...] | Posterior

# The scale of the Cauchy prior of the difference, as a share of the standard deviation of the
# difference on one instance, which is the square root of the disagreement for accuracy. With an
# agreement of 0.9, it is 0.016. A normal prior would take most of what is larger for luck.
SCALE = 0.05

# Number of draws from the posterior for each truth that is chosen among them.
POOL = 10

# The numbers of draws after which is asked whether there is doubt, and the number of those whose
# decision stays in doubt. With 20,000 draws, the power changes by at most 0.012 on 1,000 data sets
# of size 1,500 from both scenarios of Zhang et al. (2016, section 4.1).
FIRST_NUMBERS, LAST_NUMBER = (100, 400, 1200), 4000

# Draws that the tails beyond the HDI must have on average, or its ends are not estimated at all.
FEWEST_IN_TAILS = 5

# The error of an end of the HDI falls with the cube root of the number of draws n. It is HDI_ERROR
# / cube root of n standard deviations or more in one of a hundred normal posteriors, and then must
# go in the right direction to matter: a simulated power moves by less than 0.001.
HDI_ERROR = 4.0

# Standard errors between 0 and a difference of probabilities that has a sign without doubt.
SURE_SIGN = 4.0

# Number of replications per job.
CHUNK = 128

# What a replication takes: its codes, and its part of a chunk's task and seed.
BYTES_OF_REPLICATION = 100


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
    weights = plausible(a - b, spread_of_instances(drawn, influence))
    return a - b, weights / weights.sum()


def plausible(differences: Array, of_instance: Any) -> Array:
    """Return the relative prior probability of true differences.

    `of_instance` is the root mean squared difference on one instance.
    """
    scale = SCALE * np.broadcast_to(of_instance, differences.shape)
    ratio = np.divide(differences, scale, out=np.zeros_like(differences), where=scale > 0)
    return np.asarray(1 / (1 + ratio**2))


def evenly(weights: Array, n: int, rng: np.random.Generator) -> Array:
    """Return n places in increasing order, each about as often as its weight says."""
    reached = np.cumsum(weights)
    spaced = reached[-1] * (np.arange(n) + rng.random(n)) / n
    return np.minimum(np.searchsorted(reached, spaced), len(weights) - 1)


def spread_of_instances(drawn: Sequence[tuple[Population, ...]], influence: Array) -> Array:
    """Return the root mean square of what an instance adds to the difference, of each population.

    `influence` holds the influence of an instance in each cell of the confusion table. If only the
    table of each classifier is known, half of all errors are taken for disagreements.
    """
    spread = []
    for draw, truth, predictions, probability in _end_to_end(drawn):
        added = influence[truth[:, None], predictions].T
        other = added[1] if len(added) == 2 else influence[truth, truth]
        spread.append(np.bincount(draw, probability * (added[0] - other) ** 2, len(drawn)))
    return np.sqrt(np.mean(spread, axis=0))


def tables_of(drawn: Sequence[tuple[Population, ...]], n_classes: int) -> Array:
    """Return the tables of probabilities of both classifiers, of shape (n_draws, 2, M, M)."""
    shape = (len(drawn), n_classes, n_classes)
    tables = []
    for draw, truth, predictions, probability in _end_to_end(drawn):
        for predicted in predictions.T:
            cell = np.ravel_multi_index((draw, truth, predicted), shape)
            tables.append(np.bincount(cell, probability, np.prod(shape)).reshape(shape))
    return np.stack(tables, axis=1)


def _end_to_end(drawn: Sequence[tuple[Population, ...]]) -> Iterator[tuple[Array, ...]]:
    """Yield the number of the draw of each outcome, and all outcomes, of each population."""
    for populations in zip(*drawn, strict=True):
        sizes = [len(population.truth) for population in populations]
        columns = zip(*populations, strict=True)
        yield np.repeat(np.arange(len(sizes)), sizes), *map(np.concatenate, columns)


def populations_of(*tables: Array) -> tuple[Population, ...]:
    """Return the populations for tables of probabilities: (truth, A), (truth, B), or (truth, A, B).

    NaN marks a cell that is not counted.
    """
    (populations,) = populations_of_tables(*(np.asarray(table)[None] for table in tables))
    return populations


def truths(
    truth: Truth, metric: Metric, rng: np.random.Generator, n: int
) -> list[tuple[Population, ...]]:
    """Return the truth of each replication: fixed, or drawn from a posterior.

    The difference in the metric is shrunk as described in `plausibility`.
    """
    if not isinstance(truth, Posterior):
        return [truth] * n
    pool = truth.specification.draw_populations(rng, POOL * n)
    positive = 1 if truth.positive is None else truth.positive
    differences, weights = plausibility(pool, metric, positive, len(truth.counts[0].labels))
    # Evenly spaced in the order of the differences: as often as the weights say, with less chance.
    order = np.argsort(differences, kind="stable")
    drawn = [pool[i] for i in order[evenly(weights[order], n, rng)]]
    if truth.prevalence is None:
        return drawn
    # A test set sampled by class keeps its observed class proportions.
    shares = truth.counts[0].true / truth.counts[0].true.sum()
    by_class = []
    for populations in drawn:
        factors = [shares / np.bincount(p.truth, p.probability, len(shares)) for p in populations]
        pairs = zip(populations, factors, strict=True)
        by_class.append(
            tuple(p._replace(probability=p.probability * factor[p.truth]) for p, factor in pairs)
        )
    return by_class


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
    goal : sequence of str
        The decision codes whose frequency is asked for: doubt about others does not matter. By
        default, all matter.
    """

    model: Model
    metric: Metric
    rope: Interval
    prob: float
    prevalence: tuple[float, ...] | None = None
    goal: Sequence[str] = tuple(WORDS)

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
        specifications = [self.model.specification(one, self.prevalence) for one in data]

        def draw(which: Array, n: int) -> Array:
            some = (specifications[i] for i in which)
            blocks = [block for one in some for block in one.stream(self.metric, rng, n)]
            a, b = check_defined(np.concatenate(blocks, axis=1), self.metric)
            return (a - b).reshape(len(which), n)

        return self.decide(draw, len(data))

    def codes_of_counts(
        self,
        linear: tuple[Any, Array, Array],
        counts: Sequence[Sequence[Array]],
        rng: np.random.Generator,
    ) -> Array:
        """Return the decision code after the counts of each test set, by `linear_shapes`."""
        specification, first, slopes = linear
        shapes = first + (np.array([np.concatenate(of_one) for of_one in counts]) - 1) @ slopes

        def draw(which: Array, n: int) -> Array:
            return specification.differences_of_shapes(shapes[which], self.metric, rng, n)

        return self.decide(draw, len(shapes))

    def decide(self, draw: Callable[[Array, int], Array], n_sets: int) -> Array:
        """Return the decision code of each of many posteriors.

        ``draw(which, n)`` returns n new draws of the difference for each of these posteriors, of
        shape (len(which), n).
        """
        codes = np.full(n_sets, "?", dtype="<U2")
        which, draws = np.arange(n_sets), np.empty((n_sets, 0))
        fewest = (FEWEST_IN_TAILS - 1e-9) / (1 - self.prob)
        numbers = [number for number in FIRST_NUMBERS if fewest <= number < LAST_NUMBER]
        for number in [*numbers, LAST_NUMBER]:
            draws = np.concatenate([draws, draw(which, number - draws.shape[1])], axis=1)
            low, high = hdi_of_rows(draws, self.prob)
            codes[which] = codes_given_hdi(draws, low, high, self.rope)
            doubtful = self._doubtful(draws, low, high)
            which, draws = which[doubtful], draws[doubtful]
            if len(which) == 0:
                break
        return codes

    def _doubtful(self, draws: Array, low: Array, high: Array) -> Array:
        """Return for each row of draws, whose HDIs have these ends, whether more may matter."""
        n, rope = draws.shape[1], self.rope
        error = HDI_ERROR * draws.std(axis=1) / np.cbrt(n)
        distances = {
            "~": np.minimum(low - rope.low, rope.high - high),
            "<<": rope.low - high,
            ">>": low - rope.high,
        }
        if set(self.goal) <= set(SETTLED):
            return np.any([np.abs(distances[code]) < error for code in self.goal], axis=0)
        doubtful = np.any([np.abs(distance) < error for distance in distances.values()], axis=0)
        # Where nothing is settled, the sign of the difference of two probabilities is reported.
        better, worse = (draws > rope.high).mean(axis=1), (draws < rope.low).mean(axis=1)
        settled = np.any([distance > 0 for distance in distances.values()], axis=0)
        leaning = (better - worse) ** 2 * n > SURE_SIGN**2 * (better + worse)
        return doubtful | ~(settled | leaning)


def whole_counts(drawn: Array, weight: float, rng: np.random.Generator) -> Array:
    """Return the counts of numbers of independent instances, one of which has this weight.

    So each instance corresponds to 1 / weight counts. They are rounded up or down at random, so
    that they are integers with the correct expectation.
    """
    return np.floor(drawn / weight + rng.random(drawn.shape))


def evidence_of(
    like: ConfusionCounts,
    populations: Sequence[Population],
    counts: Sequence[Array],
    base: Any = None,
) -> Evidence:
    """Return the evidence of counts of the outcomes of each population, added to `base`.

    All but the counts themselves is as in `like`.
    """
    of_all = like.labels, like.weight, like.pos_label, like.declared
    if len(populations) == 1:
        truth, predictions, _ = populations[0]
        seen = counts[0] > 0
        columns = [truth[seen], predictions[seen], counts[0][seen]]
        if base is not None:
            before = [base.truth, base.predictions, base.counts]
            columns = [np.concatenate(both) for both in zip(before, columns, strict=True)]
        return PairedCounts(columns[0], columns[1], columns[2], *of_all)
    margins = []
    for k, ((truth, predictions, _), number) in enumerate(zip(populations, counts, strict=True)):
        table = np.zeros((len(like.labels),) * 2)
        np.add.at(table, (truth, predictions[:, 0]), number)
        if not like.has_true_negatives:
            table[0, 0] = np.nan  # as in `ConfusionCounts.from_cells`
        if base is not None:
            table += base.margins()[k].table
        margins.append(ConfusionCounts(table, *of_all))
    return MarginalCounts(tuple(margins))


def linear_shapes(
    question: Question,
    like: ConfusionCounts,
    populations: Sequence[Population],
    base: Evidence | None,
) -> tuple[Any, Array, Array] | None:
    """Return a posterior of two classes, its Dirichlet shapes, and what each count adds to them.

    It is the posterior after one count of each outcome, and what was observed before. None if it
    has no shapes, or if they are not linear in the counts. Without these, each of thousands of
    test sets would need evidence and a posterior of its own, which takes 1.4 to 1.9 times as long.
    """
    ends = np.cumsum([len(population.truth) for population in populations])

    def posterior(counts: Array) -> Any:
        evidence = evidence_of(like, populations, np.split(counts, ends[:-1]), base)
        return question.model.specification(evidence, question.prevalence)

    ones = np.ones(ends[-1])
    specification = posterior(ones)
    first = specification.stacked_shapes()
    if first is None:
        return None
    slopes = np.array([posterior(ones + more).stacked_shapes() for more in np.eye(len(ones))])
    slopes -= first
    elsewhere = 3.0 + np.arange(len(ones))
    is_linear = np.allclose(posterior(elsewhere).stacked_shapes(), first + (elsewhere - 1) @ slopes)
    return (specification, first, slopes) if is_linear else None


def simulated_decisions(
    truth: Truth,
    like: ConfusionCounts,
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
    like : ConfusionCounts
        Counts with the labels and the weight of those that are simulated.
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
    if len(like.labels) == 2:
        forms = [linear_shapes(question, like, first, base) for question in questions]
    drawn = [[np.zeros(len(p.truth)) for p in populations] for populations in replications]
    codes, reached = [], 0
    for size in sizes:
        more, reached = round(size) - reached, round(size)
        for populations, numbers in zip(replications, drawn, strict=True):
            for number, (_, _, probability) in zip(numbers, populations, strict=True):
                number += rng.multinomial(more, probability / probability.sum())
        counts = [
            [whole_counts(number, like.weight, rng) for number in numbers] for numbers in drawn
        ]
        data = []
        if None in forms:
            data = [
                evidence_of(like, populations, of_one, base)
                for populations, of_one in zip(replications, counts, strict=True)
            ]
        codes.append(
            [
                question.codes(data, rng)
                if form is None
                else question.codes_of_counts(form, counts, rng)
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
    simulate = delayed(Task(simulated_decisions))
    seeds = seed.spawn(len(tasks))
    calls = (simulate(**task, seed=own) for task, own in zip(tasks, seeds, strict=True))
    total, show = len(tasks), verbose > 0
    codes = list(in_parallel(calls, total=total, show=show, doing="simulating", n_jobs=n_jobs))
    return [
        np.concatenate(codes[start : start + len(chunks)])
        for start in range(0, len(tasks), len(chunks))
    ]
