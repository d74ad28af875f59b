"""Scores of items: one number per item and system, such as right or wrong, a grade or an error.

Grades of a judge may be corrected by the grades that people gave to a random part of the items.
What people would say is predicted from the judge's grades, and the errors of this prediction where
people graded correct its mean (Robins et al. 1994; Angelopoulos et al. 2023). The slopes play the
part of the tuned lambda of PPI++: a useless judge has slopes near 0, and people's grades alone
count. The judge's grade of the system is not enough for that, because a difference between
systems on the same items can be known far better than each of them. With the mean grade of all
systems beside it, the difference of two is predicted from both grades. A useless judge makes
intervals of the difference wider than people's grades alone by 19% with 20 graded items, and by 8%
with 50 (docs/calibration.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.special import ndtri

from skbayeseval._arrays import Array
from skbayeseval.evidence.counts import Margin
from skbayeseval.evidence.interface import Evidence, ObservedArray, letter
from skbayeseval.evidence.unit_numbers import UnitNumbers, count_units, effective_number
from skbayeseval.metrics.metric import Metric

# The fewest items, or groups, of each system that people must have graded.
FEWEST_GRADED = 10


def corrected_by_people(judged: Array, human: Array) -> Array:
    """Return scores of items whose mean estimates the mean of people's grades.

    The score of an item is the prediction of people's grade by the judge's. Where people graded,
    the error of the prediction is added N / n times, for N items of which n were graded. So the
    mean is people's mean plus slope times how far the graded items are from all items in the
    judge's grades, and the spread of the scores is that of the estimate, whether people graded the
    same items of all systems or not.

    Parameters
    ----------
    judged : ndarray of shape (n_systems, n_items)
        The grades of the judge.
    human : ndarray of shape (n_systems, n_items)
        The grades of people; NaN where they gave none.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.evidence.item_scores import corrected_by_people
    >>> judged = np.array([[3.0, 4.0, 5.0, 4.0], [2.0, 3.0, 2.0, 5.0]])
    >>> human = judged - 1  # the judge is too kind
    >>> human[:, 3] = np.nan
    >>> corrected_by_people(judged, human).mean(axis=1).round(1)
    array([3. , 1.5])
    """
    scores = np.empty_like(judged)
    for k, grades in enumerate(human):
        graded = np.isfinite(grades)
        if graded.all():  # nothing is left to predict
            scores[k] = grades
            continue
        n = graded.sum()
        x = np.stack([judged[k], judged.mean(axis=0)])
        x = x - x[:, graded].mean(axis=1, keepdims=True)
        seen, errors = x[:, graded], grades[graded] - grades[graded].mean()
        # A prior worth one item, around slopes of 0 (Kass and Wasserman 1995).
        inverse = np.linalg.pinv(seen @ seen.T + np.cov(x, ddof=0), hermitian=True)
        slopes = inverse @ seen @ errors
        # As large as they are if an item is predicted without its own grade.
        leverage = np.einsum("in,ij,jn->n", seen, inverse, seen)
        errors = (errors - slopes @ seen) / (1 - leverage)
        scores[k] = grades[graded].mean() + slopes @ x
        scores[k, graded] += len(grades) / n * (errors - errors.mean())
    return scores


def unseen_errors(judged: Array, human: Array) -> Array:
    """Return by how much the mean of each system may be off though the judge never was.

    A judge that errs by the same amount wherever people graded may err by a grade more elsewhere.
    It is 0 where its errors vary. The parameters are those of `corrected_by_people`.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.evidence.item_scores import unseen_errors
    >>> judged = np.array([[3.0, 4.0, 5.0, 4.0], [2.0, 3.0, 2.0, 5.0]])
    >>> unseen_errors(judged, np.array([[3.0, 4.0, np.nan, np.nan], [2.0, 1.0, 2.0, 5.0]]))
    array([0.5, 0. ])
    """
    graded = np.isfinite(human)
    largest = np.ptp(judged)
    grade = np.diff(np.unique(human[graded])).min(initial=largest)
    errors = np.where(graded, judged - human, np.nan)
    vary = np.nanmax(errors, axis=1) - np.nanmin(errors, axis=1) > 1e-12 * largest
    return np.where(vary, 0.0, grade * (1 - graded.mean(axis=1)))


@dataclass(frozen=True, eq=False)
class ItemScores(Evidence):
    """Scores of several systems on the same items, in one or more runs.

    Parameters
    ----------
    scores : ndarray of shape (n_systems, n_items, n_runs)
        The scores; NaN where a run is missing. Each item has at least one run of each system,
        unless missing ones are estimated.
    group : ndarray of shape (n_items,), default=None
        The index of the group of each item; None if items are independent.
    higher_is_better : bool, default=True
        Whether higher scores are better. The metric is the mean score, or minus the mean score.
    attempts : int, default=1
        The k of pass@k and pass^k, for scores that are 0 or 1 in k runs or more: the score of an
        item is an estimate of the probability that at least one of k attempts succeeds. For 1,
        it is the mean over runs.
    all_must_succeed : bool, default=False
        Whether all k attempts must succeed, as in pass^k.
    missing : dict, default=None
        What was done about items that some systems had no score for ("how": "drop", "wrong" or
        "estimate"), how many items there were ("n_items"), how many had no score, by system
        ("items"), and how many runs of other items count as wrong ("runs").
    human : ndarray of shape (n_systems, n_items), default=None
        The grades of people, by which the scores, those of a judge, are corrected; NaN where they
        gave none.
    judges : tuple of str, default=()
        Who gave the scores. If there are several judges, each has a column, and no run is repeated.
    estimated : ndarray of shape (n_systems, n_items), default=None
        Where scores of items are missing, those of `with_estimates`, which are averaged.
    seen : (float, float), default=None
        The smallest and the largest score that is known of. By default, those of `scores` and
        `human`.
    block_length : int, default=None
        The number of items of a block, if groups are blocks of consecutive items.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval.evidence.item_scores import ItemScores
    >>> items = ItemScores(np.array([[[0.5, 1.0], [1.0, np.nan]], [[0.0, 0.5], [0.5, 0.0]]]))
    >>> items.means
    array([[0.75, 1.  ],
           [0.25, 0.25]])
    >>> items.describe()
    '2 items with 1 to 2 runs each'
    """

    scores: Array
    group: Array | None = None
    higher_is_better: bool = True
    attempts: int = 1
    all_must_succeed: bool = False
    missing: dict[str, Any] | None = None
    human: Array | None = None
    judges: tuple[str, ...] = ()
    estimated: Array | None = None
    seen: tuple[float, float] | None = None
    block_length: int | None = None

    identical_in = "scores"
    has_class_counts = False
    is_of_items = True
    of_each = ("scores", "human", "estimated")

    def __post_init__(self) -> None:
        self.scores.flags.writeable = False

    @property
    def family(self) -> str:
        """The family of models that fit."""
        is_one_outcome = (
            self.is_right_or_wrong and self.n_runs == self.attempts and self.has_given_scores
        )
        if self.group is not None:
            return "items in groups"
        return "right or wrong" if is_one_outcome else "items"

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self.scores.shape[1]

    @property
    def n_runs(self) -> int:
        """The largest number of runs of an item."""
        return self.scores.shape[2]

    @property
    def n_groups(self) -> int:
        """The number of groups that are weighted together; 0 if there are none."""
        return 0 if self.group is None else int(self.group.max()) + 1

    @property
    def sign(self) -> float:
        """1 if higher scores are better, otherwise -1."""
        return 1.0 if self.higher_is_better else -1.0

    @cached_property
    def is_right_or_wrong(self) -> bool:
        """Whether all scores are 0 or 1, and all grades of people."""
        return all(((x == 0) | (x == 1) | np.isnan(x)).all() for x in self._given)

    @cached_property
    def range_seen(self) -> tuple[float, float]:
        """The smallest and the largest score of all systems, and of others if these are known."""
        if self.seen is not None:
            return self.seen
        low, high = min(map(np.nanmin, self._given)), max(map(np.nanmax, self._given))
        return float(low), float(high)

    @property
    def _given(self) -> list[Array]:
        return [self.scores] if self.human is None else [self.scores, self.human]

    @property
    def has_given_scores(self) -> bool:
        """Whether scores are as they were given, neither corrected nor estimated."""
        return self.human is None and self.estimated is None

    @property
    def depends_on_others(self) -> bool:
        """Whether scores are corrected, which the grades of the other systems help with."""
        return self.human is not None

    @cached_property
    def means(self) -> Array:
        """The score of each item that is averaged over items, of shape (n_systems, n_items)."""
        if self.estimated is not None:
            return self.estimated
        if self.human is None:
            return self.over_runs
        return corrected_by_people(self.over_runs, self.human)

    @cached_property
    def over_runs(self) -> Array:
        """The score of each item, over its runs, of shape (n_systems, n_items)."""
        runs = np.isfinite(self.scores).sum(axis=2)
        sums = np.nansum(self.scores, axis=2)
        if self.attempts == 1:
            return np.asarray(sums / np.where(runs > 0, runs, np.nan))
        if self.all_must_succeed:
            return _all_of(self.attempts, sums, runs)
        return 1 - _all_of(self.attempts, runs - sums, runs)

    @property
    def _compared(self) -> Array:
        """The score of each item that is compared; NaN where it is only estimated."""
        return self.means if self.estimated is None else self.over_runs

    def units(self) -> tuple[Array, Array]:
        """Return the sums of scores and the sizes of items, or of groups weighted together.

        Sums have the shape (n_systems, n_units), sizes (n_units,).
        """
        if self.group is None:
            return self.means, np.ones(self.n_items)
        sums = [np.bincount(self.group, of_one) for of_one in self.means]
        return np.stack(sums), np.bincount(self.group).astype(float)

    def _off(self, classifier: int | None = None) -> Array:
        """Return how far the sum of each unit is off the mean, of a difference or of one system."""
        sums, sizes = self.units()
        own = sums[0] - sums[1] if classifier is None else sums[classifier]
        return np.asarray(own - own.sum() / sizes.sum() * sizes)

    def pair(self, i: int, j: int) -> Self:
        """Return the scores of two of the systems."""
        pair = super().pair(i, j)
        if np.ptp(pair.range_seen) == 0 and not pair.is_right_or_wrong:
            # By how much scores can differ, only those of others tell.
            return replace(pair, seen=self.range_seen)
        return pair

    def margin(self, classifier: int) -> Margin:
        """Return the number of items, and of items that one system got right."""
        hits = float(np.nansum(np.clip(self.over_runs[classifier], 0.0, 1.0)))
        return Margin(
            float(self.n_items), hits=hits if self.higher_is_better else self.n_items - hits
        )

    @property
    def noun_of_means(self) -> str:
        """What `means` has, in words."""
        if self.attempts > 1:
            return "estimates of each item from its runs"
        return "scores of items, averaged over runs" if self.n_runs > 1 else "scores of items"

    def observed(self, metric: Metric) -> tuple[float, ...]:
        """Return the mean score of each system; minus that if lower scores are better.

        Where scores are missing, it is the mean of those that there are.
        """
        return tuple((self.sign * np.nanmean(self._compared, axis=1)).tolist())

    @property
    def completed(self) -> tuple[float, ...] | None:
        """What is observed, with estimates of missing scores; None if none are estimated."""
        if self.estimated is None:
            return None
        return tuple((self.sign * self.estimated.mean(axis=1)).tolist())

    def check_metric(self, metric: Metric) -> None:
        """Raise unless the metric is the mean of the scores."""
        if metric.source != "items":
            raise ValueError(
                f"scoring={metric.name!r} cannot be computed from one score per item. Use "
                "compare_predictions, or pass the scores of that metric to compare_items."
            )

    @property
    def n_rows(self) -> int:
        """The number of items, all of which are kept."""
        return self.n_items

    @property
    def group_of_rows(self) -> Array | None:
        """The number of the group of each item; None if there are no groups."""
        return self.group

    def row_losses(self) -> Array:
        """Return minus the score of each item, or the score if lower ones are better."""
        return -self.sign * self.means

    def of_rows(self, rows: Array) -> ItemScores:
        """Return the scores of some of the items, given by their positions."""
        scores = self.scores[:, rows]
        scores = scores[:, :, np.isfinite(scores).any(axis=(0, 1))]
        group = self.group
        if group is not None:
            group = np.ravel(np.unique(group[rows], return_inverse=True)[1])
        human = None if self.human is None else self.human[:, rows]
        # What scores can be is not only what they are here.
        part = replace(self, scores=scores, group=group, seen=self.range_seen, human=human)
        part.__dict__.update(is_right_or_wrong=self.is_right_or_wrong)
        return part

    def are_copies(self, i: int, j: int, metric: str) -> bool:
        """Return whether two systems have the same scores, where they have any."""
        return np.array_equal(self._compared[i], self._compared[j], equal_nan=True)

    def has_equal_differences(self) -> bool:
        """Return whether two systems differ by the same amount on all items that both have."""
        differences = self._compared[0] - self._compared[1]
        differences = differences[np.isfinite(differences)]
        least = 1e-12 * np.abs(self.range_seen).max()
        return bool(differences.size and np.ptp(differences) <= least)

    def unit_numbers(self, metric: Metric) -> UnitNumbers:
        """Return the number of items, or of groups.

        Where a system was run on some, or people graded some, it is the number of these.
        """
        what = self.units_in_words
        _, sizes = self.units()
        if self.has_given_scores:
            numbers = count_units(sizes, np.ones(len(sizes)), 1.0, what)
        else:
            # The weights of all items vary, but what varies most is known for these only.
            numbers = min(self._known_units(), key=lambda known: known.effective)
            numbers = numbers._replace(shape=float(len(sizes)))
        seen = (0.0, 1.0) if self.is_right_or_wrong else self.range_seen
        low, high = sorted(self.sign * end for end in seen)
        return numbers._replace(seen=(low, high))

    def _known_units(self) -> list[UnitNumbers]:
        """Return how many items, or groups, of each system people graded, or have a score."""
        unit = np.arange(self.n_items) if self.group is None else self.group
        known, what = self.over_runs, f"{self.units_in_words} of one system"
        if self.human is not None:
            known, what = self.human, f"{self.units_in_words} with grades of people"
        numbers = [np.bincount(unit, np.isfinite(of_one)) for of_one in known]
        return [count_units(of_one, np.ones(len(of_one)), 1.0, what) for of_one in numbers]

    def carriers(self, classifier: int | None = None) -> float:
        """Return how many items, or groups, carry the variance of a difference or of one system.

        Where most items are solved by both systems or by none, a few carry the difference.
        """
        return effective_number(self._off(classifier))

    def check_people(self) -> None:
        """Raise if people graded too few items, or groups, of a system."""
        fewest = min(known.number for known in self._known_units())
        if fewest < FEWEST_GRADED:
            what = self.units_in_words
            raise ValueError(
                f"People must have graded {FEWEST_GRADED} {what} or more of each system to tell "
                f"how the judge errs, but there are only {fewest} of one. Have more graded, or "
                "leave people's grades out: the result is then about the judge's."
            )

    def run_share(self) -> float | None:
        """Return the share of the variance of the mean difference that comes from runs.

        The variance between runs is that within items, which items with a single run are taken to
        share. The runs of the two systems are taken to be independent. None if no item has two
        runs of a system, for pass@k, or if all differences are equal.
        """
        if self.estimated is not None or self.attempts > 1:
            return None
        noise = [_noise_of_mean(of_one) for of_one in self.scores]
        residuals = self._off()
        k = len(residuals)
        variance = k / (k - 1) * float(residuals @ residuals) / self.n_items**2
        if any(one is None for one in noise) or variance == 0:
            return None
        return min(1.0, sum(filter(None, noise)) / variance)

    def remarks(self, names: Sequence[str] = ()) -> list[tuple[str, str]]:
        """Return what to know about judges, pass@k, missing scores, and runs."""
        names = names or [letter(k) for k in range(self.n_classifiers)]
        lines, k = self._on_judges(names), self.attempts
        if k > 1:
            name, what = f"pass@{k}", f"at least one of {k} attempts at an item succeeds"
            if self.all_must_succeed:
                name, what = f"pass^{k}", f"all {k} attempts at an item succeed"
            lines.append((name, f"is the probability that {what}, averaged over items"))
        if self.missing is not None:
            lines.append(("missing", _missing_in_words(self.missing)))
            lines += self._on_unlike(names)
        are_runs = len(self.judges) < 2 and self.human is None
        share = self.run_share() if are_runs and self.n_classifiers == 2 else None
        if share is not None:
            shorter = 1 - np.sqrt(1 - share)
            advice = "more runs per item would help" if shorter > 0.29 else "more items are needed"
            words = (
                f"cause {share:.0%} of the variance of the difference, items the rest: {advice}. "
                f"More runs can shorten intervals by {shorter:.0%} at most, twice as many items "
                "shorten them by 29%"
            )
            if share > 0.99:
                words = (
                    "cause nearly all of the variance of the difference: more runs per item would "
                    "help, and so would more items"
                )
            lines.append(("runs", words))
        return lines

    def _on_unlike(self, names: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield which systems lack items that others find harder or easier than those they have.

        The level of an item is the mean distance of the other systems' scores from their means.
        Were items missing at random, the difference of mean levels would have the variance that is
        used here, and would be larger for some system in 5% of the data sets (Bonferroni).
        """
        if self.estimated is None:
            return
        distances, unlike = self.over_runs - self.estimated.mean(axis=1)[:, None], {}
        unit = np.arange(self.n_items) if self.group is None else self.group
        lacking = np.isnan(distances)
        limit = ndtri(1 - 0.025 / lacking.any(axis=1).sum())
        for name, lacks, of_others in zip(names, lacking, _without_each(distances), strict=True):
            known = np.isfinite(of_others)
            lacks, level = lacks[known], of_others[known]
            if not lacks.any() or lacks.all():
                continue
            share = np.where(lacks, 1 / lacks.sum(), -1 / (~lacks).sum())
            errors = np.bincount(unit[known], share * (level - level.mean()))
            if abs(share @ level) > limit * np.sqrt(errors @ errors):
                unlike[name] = float(share @ level)
        if unlike:
            worst = sorted(unlike, key=lambda name: -abs(unlike[name]))
            each = ", ".join(f"{unlike[name]:+.3f} for {name}" for name in worst[:3])
            more = f", {len(worst) - 3} more" if len(worst) > 3 else ""
            yield (
                "caution",
                "items that a system lacks are harder or easier for the others than those it has, "
                f"by more than chance (the others' scores there: {each}{more}), but estimates take "
                "it to be as far from them on both",
            )

    def _on_judges(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Return who gave the grades, how much judges disagree, and judges and people."""
        lines, several = [], self.n_runs > 1
        if self.judges:
            words = f"{' and '.join(self.judges)} gave the grades"
            if self.human is None:
                words += ": the result is about these, not about those that people would give"
            lines.append(("note", words))
        if len(self.judges) > 1:
            graded = [of_one[np.isfinite(of_one).any(axis=1)] for of_one in self.scores]
            apart = [np.nanmax(of_one, axis=1) - np.nanmin(of_one, axis=1) for of_one in graded]
            each = [
                f"on {np.mean(of_one > 0):.0%} of the items of {name} (by {of_one.mean():.2g} on "
                "average)"
                for name, of_one in zip(names, apart, strict=True)
            ]
            lines.append(("judges", f"disagree {', '.join(each)}"))
        if self.human is not None:
            errors = [of_one[np.isfinite(of_one)] for of_one in self.over_runs - self.human]
            each = [
                f"{len(of_one):,} items of {name} (the judge {of_one.mean():+.2g} on average"
                + (")" if several else f", another grade on {np.mean(of_one != 0):.0%})")
                for name, of_one in zip(names, errors, strict=True)
            ]
            words = "the judge's grades of all items are corrected by theirs, observed ones, too"
            lines.append(("people", f"graded {', '.join(each)}; {words}"))
        return lines

    def describe(self) -> str:
        """Return the numbers of items, runs and groups."""
        words = f"{self.n_items:,} items"
        if self.n_runs > 1:
            runs = np.isfinite(self.scores).sum(axis=2)
            least, most = runs[runs > 0].min(), runs.max()
            what = "judges" if len(self.judges) > 1 else "runs"
            words += f" with {most if least == most else f'{least} to {most}'} {what} each"
        return words if self.group is None else f"{words},{self.groups_in_words}"

    @property
    def units_in_words(self) -> str:
        """What units are called: "items", "groups" or "blocks"."""
        return "items" if self.group is None else self.noun_of_groups

    def observed_data(self) -> dict[str, ObservedArray]:
        """Return the scores of each system, averaged over runs."""
        return {
            f"items_{letter(k)}": (("item",), of_one) for k, of_one in enumerate(self._compared)
        }


def _missing_in_words(missing: dict[str, Any]) -> str:
    """Return how many items had no score of which system, and what was done about it."""
    n_items, of_each = missing["n_items"], missing["items"]
    if missing["how"] == "estimate":
        cells, total = sum(of_each.values()), len(of_each) * n_items
        most = max(of_each, key=of_each.get)
        return (
            f"{cells:,} of {total:,} scores ({cells / total:.0%}), most of {most} "
            f"({of_each[most]:,} of {n_items:,}): these are estimated from how the others did on "
            "these items"
        )
    lacking = []
    for name, n in of_each.items():
        runs = missing["runs"][name]
        what = [f"for {n:,}"] * (n > 0) + [f"in {runs:,} runs of others"] * (runs > 0)
        if what:
            lacking.append(f"{name} has no score {' and '.join(what)}")
    done = "are left out, and the result is about the others"
    if missing["how"] == "wrong":
        done = "count as wrong, with a score of 0"
    return f"of {n_items:,} items, {', '.join(lacking)}: these {done}"


def _without_each(scores: Array) -> Iterator[Array]:
    """Yield for each system the mean score of each item over the others; NaN if there are none."""
    known = np.isfinite(scores)
    sums, numbers = np.nansum(scores, axis=0), known.sum(axis=0)
    for own, has in zip(np.nan_to_num(scores), known, strict=True):
        others = numbers - has
        yield (sums - own) / np.where(others > 0, others, np.nan)


def _noise_of_mean(scores: Array) -> float | None:
    """Return the variance that runs add to the mean of one system; None if it is not known."""
    runs = np.isfinite(scores).sum(axis=1)
    several = runs > 1
    if not several.any():
        return None
    within = np.empty(len(scores))
    within[several] = np.nanvar(scores[several], axis=1, ddof=1)
    within[~several] = (runs[several] - 1) @ within[several] / (runs[several] - 1).sum()
    return float((within / runs).sum()) / len(scores) ** 2


def _all_of(k: int, hits: Array, runs: Array) -> Array:
    """Return the share of all choices of k runs that have hits only: C(hits, k) / C(runs, k).

    If a run is a hit with probability p, the mean of this is p^k (Chen et al. 2021).
    """
    j = np.arange(k)[:, None, None]
    return np.asarray(np.prod(np.maximum(hits - j, 0) / (runs - j), axis=0))
