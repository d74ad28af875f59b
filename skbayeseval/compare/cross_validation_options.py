"""What users choose of a cross-validation, beside estimators, data and splits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skbayeseval._arrays import wrong
from skbayeseval._validation import check_weight
from skbayeseval.models.base import Model
from skbayeseval.models.binary import IndependentLabels, IndependentLabelsBCV
from skbayeseval.models.split_scores import CorrelatedT
from skbayeseval.splitting.collect import Fitting

WEIGHTS = ("inferred", "published")
ESTIMANDS = ("full", "learner", "fitted")


@dataclass(frozen=True, kw_only=True)
class CrossValidationOptions(Fitting):
    """What the cross-validating functions let users choose, beside estimators, data and splits.

    The attributes are the parameters of `bayesian_cross_validate` of the same names.
    """

    scoring: Any = None
    model: Any = "auto"
    engine: Any = "exact"
    prior: Any = None
    n_draws: Any = None
    labels: Any = None
    pos_label: Any = None
    counter: Any = None
    weight: Any = None
    calibrate: Any = False
    estimand: Any = "learner"

    @property
    def tells_instability(self) -> bool:
        """Whether splits into halves tell how much training sets matter."""
        return bool(self.calibrate) or self.estimand == "full"

    def __post_init__(self) -> None:
        """Raise if an option about fits or weights is not valid; others are checked when used."""
        super().__post_init__()
        weight, estimand, calibrate = self.weight, self.estimand, self.calibrate
        if not isinstance(calibrate, (bool, np.bool_, int)) or calibrate not in (0, 1):
            raise wrong("calibrate", "True or False", calibrate)
        if not isinstance(estimand, str) or estimand not in ESTIMANDS:
            raise wrong("estimand", f"one of {list(ESTIMANDS)}", estimand)
        if isinstance(weight, str) and weight not in WEIGHTS:
            raise wrong("weight", f"one of {list(WEIGHTS)} or a number", weight)
        if weight is not None and not isinstance(weight, str):
            check_weight(weight)
        known = weight is not None and weight != "inferred"
        if calibrate and (known or estimand == "fitted"):
            what = f"weight={weight!r}" if known else "estimand='fitted'"
            raise ValueError(
                f"calibrate=True infers the weight, but {what} was given. Use calibrate=False."
            )
        if estimand != "learner" and known:
            raise ValueError(
                f"estimand={estimand!r} infers the weight, but weight={weight!r} was given. Leave "
                "weight= out, or use estimand='learner'."
            )

    def weight_for(self, model: Model) -> str | float:
        """Return the weight, or the default of the model; raise if the model has none."""
        if isinstance(model, CorrelatedT):
            if (
                self.weight not in (None, "published")
                or self.calibrate
                or self.estimand != "learner"
            ):
                raise ValueError(
                    "model='scores' models split scores, which have no weight: weight=, calibrate= "
                    "and estimand= do not apply."
                )
            return "published"
        inferred = model.infers_weight or self.calibrate or self.estimand != "learner"
        weight = ("inferred" if inferred else "published") if self.weight is None else self.weight
        if weight == "inferred" and isinstance(model, (IndependentLabels, IndependentLabelsBCV)):
            raise ValueError(
                f"model={model.name!r} of a multi-label indicator has no inferred weight. Use "
                "model='paired' or weight='published'."
            )
        return weight if isinstance(weight, str) else float(weight)
