"""Specifications: what a model passes to an engine to be sampled."""

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
    """Return the letter of a classifier in variable names: A, B, ..., A1, B1, ..."""
    name = chr(ord("A") + classifier % 26)
    return name if classifier < 26 else f"{name}{classifier // 26}"


@dataclass(frozen=True)
class Simplex:
    """A probability vector with its Dirichlet prior and the effective counts observed for it."""

    name: str
    prior: Array
    counts: Array


@dataclass(frozen=True)
class Specification:
    """Independent probability vectors, and the confusion tables computed from them.

    Parameters
    ----------
    simplexes : tuple of Simplex
        The probability vectors to sample.
    tables : callable
        Maps draws, one array of shape (k, n_draws) per simplex, to tables of shape
        (n_draws, n_classifiers, M, M).
    fixed : mapping of str to ndarray
        Probability vectors with known values, by name.
    joint : callable, default=None
        If the classifiers share instances: maps draws to joint tables over (true class, prediction
        of A, prediction of B), of shape (n_draws, M, M, M).
    """

    simplexes: tuple[Simplex, ...]
    tables: Callable[[Mapping[str, Array]], Array]
    fixed: Mapping[str, Array] = field(default_factory=dict)
    joint: Callable[[Mapping[str, Array]], Array] | None = None

    def shapes(self, *, prior: bool) -> dict[str, Array]:
        """Return the Dirichlet shapes of the prior or of the posterior."""
        return {s.name: s.prior if prior else s.prior + s.counts for s in self.simplexes}

    def with_prevalence(self, positive_first: Array) -> Specification:
        """Return the specification with fixed instead of sampled class proportions."""
        known = {s.name: positive_first for s in self.simplexes if s.name.startswith("mu")}
        if not known:
            raise ValueError(
                "prevalence= needs a model with separate class proportions: 'paired', 'unpaired' "
                "or 'hierarchical'."
            )
        sampled = tuple(s for s in self.simplexes if s.name not in known)
        return replace(self, simplexes=sampled, fixed=known)


@dataclass(frozen=True)
class Eta:
    """The concentration of a hierarchical prior on the diagonal (Zhang et al. 2015, section III).

    Row j of a confusion table is Dirichlet with eta on class j and (1 - eta) / (M - 1) on every
    other class. Given eta, empty cells drop out of the likelihood, and cells with equal counts
    contribute equally, so only the distinct counts are stored.

    Parameters
    ----------
    prior : ndarray of shape (2,)
        Beta prior of eta.
    n_classes : int
        The number of classes, M.
    right, wrong : (ndarray, ndarray)
        The distinct nonzero effective counts on and off the diagonal, and how often each occurs.
    """

    prior: Array
    n_classes: int
    right: tuple[Array, Array]
    wrong: tuple[Array, Array]


@dataclass(frozen=True)
class Outcomes:
    """Classifiers on the same instances: class proportions and observed outcomes.

    For true class j, an outcome is the tuple of all predictions. The Dirichlet prior of the
    outcomes has total mass `mass`, distributed as the product of the classifiers' own priors. The
    prior of one classifier has eta on class j and spreads the rest over the other classes. Without
    an eta, it is uniform.

    Parameters
    ----------
    mu : Simplex
        The class proportions.
    truth : ndarray of shape (n_outcomes,)
        The true class of each distinct outcome.
    predictions : ndarray of shape (n_outcomes, n_classifiers)
        The predictions of each classifier.
    counts : ndarray of shape (n_outcomes,)
        Effective counts.
    etas : tuple of Eta or None
        The eta of each classifier.
    mass : float
        The total mass of the Dirichlet prior of a row.
    known_mu : ndarray of shape (n_classes,), default=None
        Known class proportions, to use in place of `mu`.
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
    """Independent groups of classifiers, each evaluated on separate instances."""

    groups: tuple[Outcomes, ...]

    def with_prevalence(self, proportions: Array) -> OutcomeSpecification:
        """Return the specification with fixed instead of sampled class proportions."""
        return OutcomeSpecification(tuple(replace(g, known_mu=proportions) for g in self.groups))


@dataclass(frozen=True)
class WeightSpecification:
    """Normalised Gamma(`shape`) weights of units; all else are weighted sums over units.

    The attributes are those of `UnitCounts`.
    """

    true: Any
    hits: tuple[Any, ...]
    predicted: tuple[Any, ...]
    cells: tuple[Any, ...]
    shape: Array
    sizes: Array


@dataclass(frozen=True)
class RankSpecification:
    """Gamma(`shape`) weights of units, for metrics computed from instance scores.

    Parameters
    ----------
    prepared : callable
        Maps the name of a metric to its runs, as `ScoredInstances.prepared` does.
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
    """Independent binary models, one per label and classifier.

    Parameters
    ----------
    cells : ndarray of shape (n_classifiers, n_labels, 4)
        Effective counts (tp, fp, fn, tn).
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
    """Split scores, normally distributed around the mean score of each estimator.

    Parameters
    ----------
    scores : mapping of str to ndarray of shape (n_estimators, n_splits)
        The split scores of each metric.
    correlation : float
        The correlation between splits.
    """

    scores: Mapping[str, Array]
    correlation: float

    @property
    def inflation(self) -> float:
        """The variance of the mean over splits, divided by the sample variance of the splits."""
        n_splits = next(iter(self.scores.values())).shape[1]
        return 1 / n_splits + self.correlation / (1 - self.correlation)


@dataclass(frozen=True)
class DataSetSpecification:
    """Differences of two estimators on several data sets.

    Parameters
    ----------
    differences : mapping of str to ndarray of shape (n_data_sets,) or (n_data_sets, n_splits)
        The differences in each metric: one per data set for the signed-rank test, one per split
        for the hierarchical model.
    strength : float, default=None
        The weight of the signed-rank prior.
    correlation : float, default=None
        The correlation between the splits of a data set.
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
    """Base class of all models. Models use counts, not data or estimators."""

    name: ClassVar[str]
    needs_pairs: ClassVar[bool] = False
    needs_true_negatives: ClassVar[bool] = True
    has_proper_prior: ClassVar[bool] = True

    def specification(self, evidence: Any) -> AnySpecification:
        """Return the specification of the posterior, given the evidence."""
        raise NotImplementedError

    def margin(self, formula: str | None, shapes: Shapes, classifier: int) -> BetaMargin | None:
        """Return the distribution of one classifier's metric, None if not in closed form."""
        return None

    def independent_margins(
        self, formula: str | None, shapes: Shapes
    ) -> tuple[BetaMargin, BetaMargin] | None:
        """Return the distributions of both metrics, None unless known and independent."""
        return None

    def log_density_at_zero(self, formula: str | None, shapes: Shapes) -> float | None:
        """Return the log density of the difference at 0; inf if infinite, None if unknown.

        The density is known if it has a closed form or a fast quadrature.
        """
        return None

    def has_finite_prior_density(self, formula: str | None, shapes: Shapes) -> bool | None:
        """Return whether the prior density of the difference is finite at 0; None if unknown.

        `shapes` are the Dirichlet shapes of the prior. See docs/bayes_factors.md for the reasons.
        """
        return None

    def prior(self) -> dict[str, Any]:
        """Return the prior in the form that `prior=` accepts."""
        return self.get_params()


def check_concentration(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Return a prior parameter, broadcast to `shape`; every entry must be greater than 0.

    Below `SMALLEST_CONCENTRATION`, probabilities underflow often enough to bias their ratios.
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
            f"prior {name!r} must contain finite numbers greater than 0, and at least "
            f"{SMALLEST_CONCENTRATION} to keep draws in floating-point range, got {value!r}."
        )
    return array.copy()
