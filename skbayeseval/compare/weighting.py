"""Resolve `weight=`, `calibrate=` and `estimand=` of the cross-validating functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

from skbayeseval._arrays import wrong
from skbayeseval._validation import check_weight, check_whole_number
from skbayeseval.compare.targets import CollectedEvidence, Target
from skbayeseval.metrics.confusion import Metric
from skbayeseval.models.specification import Model
from skbayeseval.models.split_scores import CorrelatedT
from skbayeseval.models.weights import IndependentLabels, IndependentLabelsBCV
from skbayeseval.posterior.full_size import TrainingSizes
from skbayeseval.posterior.inferred_weight import InferredWeights, ObservedRows
from skbayeseval.splitting.collect import Collection

WEIGHTS = ("inferred", "published")
ESTIMANDS = ("full", "learner", "fitted")


@dataclass(frozen=True)
class Weighting:
    """How the counts of a cross-validation are weighted.

    Parameters
    ----------
    weight : {"inferred", "published"}, float or None
        The weight; None is up to the model.
    calibrate : int
        The number of comparisons of halves.
    estimand : {"full", "learner", "fitted"}
        Whose performance is compared.
    shows_progress : bool
        Whether long work shows progress.
    """

    weight: str | float | None
    calibrate: int
    estimand: str
    shows_progress: bool = False

    @classmethod
    def of(cls, options: Any) -> Weighting:
        """Return the checked options."""
        weight, estimand = options.weight, options.estimand
        calibrate = check_whole_number(options.calibrate, "calibrate", minimum=0)
        if not isinstance(estimand, str) or estimand not in ESTIMANDS:
            raise wrong("estimand", f"one of {list(ESTIMANDS)}", estimand)
        if isinstance(weight, str) and weight not in WEIGHTS:
            raise ValueError(f"weight must be one of {list(WEIGHTS)} or a number, got {weight!r}.")
        if weight is not None and not isinstance(weight, str):
            weight = check_weight(weight)
        known = weight is not None and weight != "inferred"
        if calibrate and (known or estimand == "fitted"):
            what = f"weight={options.weight!r}" if known else "estimand='fitted'"
            raise ValueError(
                f"calibrate={calibrate} infers the weight, but {what} was given. Use calibrate=0."
            )
        if estimand != "learner" and known:
            raise ValueError(
                f"estimand={estimand!r} infers the weight, but weight={options.weight!r} was "
                "given. Leave weight= out, or use estimand='learner'."
            )
        return cls(weight, calibrate, estimand, options.verbose > 0)

    def for_model(self, model: Model) -> Weighting:
        """Return the weighting with the default of the model; raise if the model has none."""
        if isinstance(model, CorrelatedT):
            if self.weight not in (None, "published") or self.estimand != "learner":
                raise ValueError(
                    "model='scores' models split scores, which have no weight: weight= and "
                    "estimand= do not apply. calibrate= does."
                )
            return replace(self, weight="published")
        inferred = model.infers_weight or self.calibrate or self.estimand != "learner"
        weight = ("inferred" if inferred else "published") if self.weight is None else self.weight
        if weight == "inferred" and isinstance(model, (IndependentLabels, IndependentLabelsBCV)):
            raise ValueError(
                f"model={model.name!r} of a multi-label indicator has no inferred weight. Use "
                "model='paired' or weight='published'."
            )
        return replace(self, weight=weight)

    @property
    def is_inferred(self) -> bool:
        """Whether the weight is inferred."""
        return self.weight == "inferred"

    @property
    def number(self) -> float | None:
        """The weight, if it was given as a number."""
        return float(self.weight) if isinstance(self.weight, Real) else None

    def infer(
        self,
        found: CollectedEvidence,
        target: Target,
        collection: Collection,
        model: Model,
        n_samples: int,
    ) -> InferredWeights:
        """Return the inferred weights."""
        further: Any
        of_splits: Any
        halves: Any = [tuple(map(target.collected, pair)) for pair in collection.halves]
        sizes, further, of_splits = None, None, found.scored
        if collection.another_size is not None:
            further = target.collected(collection.another_size)
            sizes = TrainingSizes(
                collection.train_size, collection.another_size.train_size, n_samples
            )
            # The averages of some metrics depend on the size of test sets, which must be the same.
            tests = [test for _, test in collection.another_size.splits]
            same = [len(test) for _, test in collection.splits] == [len(test) for test in tests]
            if of_splits is not None and not same:
                of_splits = target.collected(collection.cut(tests)).scored
        counted = scored = None
        if found.rows is not None:
            counted = ObservedRows(
                found.rows,
                [(one.evidence, other.evidence) for one, other in halves],
                further and (further.rows, found.evidence, further.evidence),
            )
        if found.scored_rows is not None:
            scored = ObservedRows(
                found.scored_rows,
                [(one.scored, other.scored) for one, other in halves],
                further and (further.scored_rows, of_splits, further.scored),
            )
        return InferredWeights(
            counted,
            scored,
            len(collection.names),
            model.needs_pairs,
            self.estimand,
            sizes,
            self.shows_progress,
        )


def plug_in_weight(
    weights: InferredWeights, metrics: Mapping[str, Metric], *, mixture: bool
) -> float:
    """Return the single weight for what needs one.

    With a mixture, that is the median weight of the first metric; without one, as for Markov
    chains, the smallest weight that gives all metrics the variance of their mixture.
    """
    found = [weights.difference(metric) for metric in metrics.values()]
    return found[0].median if mixture else min(one.matching_variance for one in found)
