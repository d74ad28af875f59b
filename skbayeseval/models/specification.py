"""The language in which a model tells an engine what to sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skbayeseval._parameters import ParameterObject
from skbayeseval.models.margins import BetaMargin

__all__ = [
    "AnySpecification",
    "DataSetSpecification",
    "Eta",
    "LabelSpecification",
    "Model",
    "OutcomeSpecification",
    "Outcomes",
    "ParameterObject",
    "RankSpecification",
    "ScoreSpecification",
    "Shapes",
    "Simplex",
    "Specification",
    "WeightSpecification",
    "check_concentration",
    "letter",
]

Array = NDArray[Any]
Shapes = Mapping[str, Array]
SMALLEST_CONCENTRATION = 0.01


def letter(classifier: int) -> str:
    """Return what a classifier is called in the names of variables: A, B, ..., A1, B1, ..."""
    name = chr(ord("A") + classifier % 26)
    return name if classifier < 26 else f"{name}{classifier // 26}"


@dataclass(frozen=True)
class Simplex:
    """A probability vector: its Dirichlet prior, and the effective counts that it explains."""

    name: str
    prior: Array
    counts: Array


@dataclass(frozen=True)
class Specification:
    """Independent probability vectors, and the confusion tables that follow from them.

    Parameters
    ----------
    simplexes : tuple of Simplex
        What is sampled.
    tables : callable
        Maps draws, one array of shape (k, n_draws) a simplex, to tables of shape
        (n_draws, n_classifiers, M, M).
    fixed : mapping of str to ndarray
        Probability vectors that are known.
    joint : callable, default=None
        Where classifiers share instances: maps draws to the joint tables of (truth, prediction of
        each), of shape (n_draws, M, M, M).
    """

    simplexes: tuple[Simplex, ...]
    tables: Callable[[Mapping[str, Array]], Array]
    fixed: Mapping[str, Array] = field(default_factory=dict)
    joint: Callable[[Mapping[str, Array]], Array] | None = None

    def shapes(self, *, prior: bool) -> dict[str, Array]:
        """Return the Dirichlet shapes before or after the data."""
        return {s.name: s.prior if prior else s.prior + s.counts for s in self.simplexes}

    def with_prevalence(self, positive_first: Array) -> Specification:
        """Return the same with the class proportions given, not sampled."""
        known = {s.name: positive_first for s in self.simplexes if s.name.startswith("mu")}
        if not known:
            raise ValueError(
                "prevalence= needs a model with class proportions of its own: 'paired', 'unpaired' "
                "or 'hierarchical'."
            )
        sampled = tuple(s for s in self.simplexes if s.name not in known)
        return replace(self, simplexes=sampled, fixed=known)


@dataclass(frozen=True)
class Eta:
    """The concentration of a hierarchical prior on the diagonal (Zhang et al. 2015, section III).

    Row j of a confusion table is Dirichlet with eta on class j and (1 - eta) / (M - 1) on every
    other class. Given eta, the cells without counts drop out of the likelihood, and equal counts
    count together.

    Parameters
    ----------
    prior : ndarray of shape (2,)
        Beta prior of eta.
    n_classes : int
        M.
    right, wrong : (ndarray, ndarray)
        The distinct effective counts on and off the diagonal, and how often each occurs.
    """

    prior: Array
    n_classes: int
    right: tuple[Array, Array]
    wrong: tuple[Array, Array]


@dataclass(frozen=True)
class Outcomes:
    """Classifiers judged on the same instances: class proportions and observed outcomes.

    For true class j an outcome is the tuple of all predictions. Its Dirichlet prior has a total
    mass of `mass`, spread as the product of each classifier's own prior: eta on class j and the
    rest on the others, or, where there is no eta, evenly.

    Parameters
    ----------
    mu : Simplex
        The class proportions.
    truth : ndarray of shape (n_outcomes,)
        The true class of each distinct outcome.
    predictions : ndarray of shape (n_outcomes, n_classifiers)
        What each classifier said.
    counts : ndarray of shape (n_outcomes,)
        Effective counts.
    etas : tuple of Eta or None
        For each classifier.
    mass : float
        The total mass of the prior of a row.
    known_mu : ndarray of shape (n_classes,), default=None
        Class proportions that are known, in place of `mu`.
    """

    mu: Simplex
    truth: Array
    predictions: Array
    counts: Array
    etas: tuple[Eta | None, ...]
    mass: float = 1.0
    known_mu: Array | None = None


@dataclass(frozen=True)
class OutcomeSpecification:
    """Independent groups of classifiers, each judged on instances of its own."""

    groups: tuple[Outcomes, ...]

    def with_prevalence(self, proportions: Array) -> OutcomeSpecification:
        """Return the same with the class proportions given, not sampled."""
        return OutcomeSpecification(tuple(replace(g, known_mu=proportions) for g in self.groups))


@dataclass(frozen=True)
class WeightSpecification:
    """Weights of units, ~ Gamma(`shape`) and normalised; the rest are sums over units.

    Attributes are those of `UnitCounts`.
    """

    true: Any
    hits: tuple[Any, ...]
    predicted: tuple[Any, ...]
    cells: tuple[Any, ...]
    shape: Array
    sizes: Array


@dataclass(frozen=True)
class RankSpecification:
    """Weights of units, ~ Gamma(`shape`); metrics of scores are functions of them.

    Parameters
    ----------
    prepared : callable
        Maps the name of a metric to its runs, as `ScoredInstances.prepared` has them.
    shape : ndarray of shape (n_units,)
        The Gamma shape of each unit's weight.
    n_classifiers : int
        The number of classifiers.
    """

    prepared: Callable[[str], Any]
    shape: Array
    n_classifiers: int


@dataclass(frozen=True)
class LabelSpecification:
    """Independent binary models, one a label and classifier.

    Parameters
    ----------
    cells : ndarray of shape (n_classifiers, n_labels, 4)
        Effective (tp, fp, fn, tn).
    mu, rho : ndarray of shape (2,) and (2, 2), default=None
        Beta priors, as in `Unpaired`.
    cell_prior : ndarray of shape (4,), default=None
        Dirichlet prior of the cells, as in `BCV`.
    """

    cells: Array
    mu: Any = None
    rho: Any = None
    cell_prior: Array | None = None


@dataclass(frozen=True)
class ScoreSpecification:
    """Normal scores of splits that share training data, around the means that are sought.

    Parameters
    ----------
    scores : mapping of str to ndarray of shape (n_estimators, n_splits)
        For each metric.
    correlation : float
        That between the splits.
    """

    scores: Mapping[str, Array]
    correlation: float

    @property
    def inflation(self) -> float:
        """The variance of a mean of splits in units of their sample variance."""
        n_splits = next(iter(self.scores.values())).shape[1]
        return 1 / n_splits + self.correlation / (1 - self.correlation)


@dataclass(frozen=True)
class DataSetSpecification:
    """Differences of two estimators on several data sets.

    Parameters
    ----------
    differences : mapping of str to ndarray of shape (n_data_sets,) or (n_data_sets, n_splits)
        For each metric: one a data set for the signed-rank test, one a split for the hierarchical
        model.
    strength : float, default=None
        The weight of the signed-rank prior.
    correlation : float, default=None
        That between the splits of a data set.
    """

    differences: Mapping[str, Array]
    strength: float | None = None
    correlation: float | None = None


AnySpecification = (
    Specification
    | OutcomeSpecification
    | WeightSpecification
    | LabelSpecification
    | ScoreSpecification
    | RankSpecification
    | DataSetSpecification
)


class Model(ParameterObject):
    """What all models share. They see counts, never data or estimators."""

    name: ClassVar[str]
    needs_pairs: ClassVar[bool] = False
    needs_true_negatives: ClassVar[bool] = True
    has_proper_prior: ClassVar[bool] = True

    def specification(self, evidence: Any) -> AnySpecification:
        """Return what is to be sampled, given the evidence."""
        raise NotImplementedError

    def margin(self, formula: str | None, shapes: Shapes, classifier: int) -> BetaMargin | None:
        """Return the law of one classifier's score, where it is known in closed form."""
        return None

    def independent_margins(
        self, formula: str | None, shapes: Shapes
    ) -> tuple[BetaMargin, BetaMargin] | None:
        """Return the laws of both scores if they are known and independent."""
        return None

    def log_density_at_zero(self, formula: str | None, shapes: Shapes) -> float | None:
        """Return the log density of the difference at 0, inf where it has none, or None.

        None means that it is not known in closed form.
        """
        return None

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Whether the density of the difference at 0 is finite before the data.

        None means that it is not known. `shapes` are those before the data; docs/bayes_factors.md
        has the arguments.
        """
        return None

    def prior(self) -> dict[str, Any]:
        """Return the prior as `prior=` takes it."""
        return self.get_params()


def check_concentration(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Return a prior's parameter, broadcast to `shape`; every entry must be greater than 0.

    Below `SMALLEST_CONCENTRATION` cells fall under the smallest double often enough to bias ratios
    of cells.
    """
    try:
        if np.asarray(value).dtype.kind not in "iuf":
            raise TypeError
        array = np.broadcast_to(np.asarray(value, dtype=float), shape)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"prior {name!r} must be a number or an array that broadcasts to shape {shape}, "
            f"got {value!r}."
        ) from error
    if not (np.isfinite(array).all() and (array >= SMALLEST_CONCENTRATION).all()):
        raise ValueError(
            f"prior {name!r} must hold finite numbers greater than 0, and of at least "
            f"{SMALLEST_CONCENTRATION} for draws to stay in floating-point range, got {value!r}."
        )
    return array.copy()
