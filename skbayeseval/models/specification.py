"""Specifications: what a model passes to an engine to be sampled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skbayeseval._validation import ParameterObject
from skbayeseval.evidence.chunks import CELLS as CHUNK_CELLS
from skbayeseval.evidence.units import UnitCounts
from skbayeseval.judgement.halves import variance_with_halves
from skbayeseval.models.margins import BetaMargin, StudentMargin
from skbayeseval.models.parameters import (
    CELLS,
    OUTCOMES,
    Parameter,
    SplitScoreSums,
    letter,
    sums_of_splits,
)

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
    "Recall",
    "ScoreSpecification",
    "Shapes",
    "Simplex",
    "Specification",
    "WeightSpecification",
    "check_concentration",
    "icc_name",
]

Array = NDArray[Any]
Shapes = Mapping[str, Array]
SMALLEST_CONCENTRATION = 0.01


class AnySpecification:
    """What a model asks an engine to sample; it answers for its own parameters."""

    def parameters(self) -> list[Parameter]:
        """Return the parameters that are sampled; none where only weights are drawn."""
        return []

    def coordinates(self, labels: tuple[Any, ...]) -> dict[str, list[str]]:
        """Return the names along each dimension of the parameters."""
        return {}

    def dims(self) -> dict[str, list[str]]:
        """Return the dimensions of each parameter, and of what is derived from it."""
        return {p.name: list(p.dims) for p in self.parameters() if p.dims}

    def shapes(self, *, prior: bool) -> dict[str, Array]:
        """Return the Dirichlet shapes before or after the data, where there are such vectors."""
        return {}

    def ranked(self, metric: str) -> tuple[Array, float | None]:
        """Return the differences that a signed-rank test ranks, and the weight of its prior."""
        return np.empty(0), None

    def law(self, metric: str, contrast: Array) -> StudentMargin | None:
        """Return the law of a combination of the classifiers' values, such as a difference.

        None means that it is not known in closed form.
        """
        return None

    @property
    def has_classes_alike(self) -> bool:
        """Whether the prior is known to stay the same if the classes change places."""
        return False

    @property
    def row_names(self) -> list[str]:
        """The names of the rows of each classifier's table, where these can be variables."""
        return []

    @property
    def draws_cost_one(self) -> bool:
        """Whether a draw costs no more than that of two classes."""
        return False

    @property
    def class_prior_mass(self) -> float:
        """What the prior of the class proportions weighs, in instances."""
        return 0.0

    def with_prevalence(self, proportions: Array, positive: int | None) -> AnySpecification:
        """Return the specification with known class proportions, in the order of the labels."""
        raise ValueError(
            "prevalence= requires a model of classes: it does not apply to groups, multi-label "
            "indicators, chunks or scores."
        )


@dataclass(frozen=True)
class Simplex:
    """A probability vector with its Dirichlet prior and the effective counts observed for it."""

    name: str
    prior: Array
    counts: Array


@dataclass(frozen=True)
class Specification(AnySpecification):
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

    def parameters(self) -> list[Parameter]:
        """Return the parameters that are sampled."""
        dimension = {"theta+": "outcome", "theta-": "outcome", "pi": "chunk"}
        return [
            Parameter(s.name, s.prior, True)
            if len(s.prior) == 2
            else Parameter(s.name, s.prior, False, (dimension.get(s.name, "cell"),))
            for s in self.simplexes
        ]

    def coordinates(self, labels: tuple[Any, ...]) -> dict[str, list[str]]:
        """Return the names along each dimension of the parameters."""
        n_cells = max((len(s.prior) for s in self.simplexes if "pi_" in s.name), default=4)
        return {
            "outcome": list(OUTCOMES),
            "cell": list(CELLS[:n_cells]),
            "chunk": list(CHUNK_CELLS),
        }

    @property
    def draws_cost_one(self) -> bool:
        """Whether a draw costs no more than that of two classes."""
        return True

    def with_prevalence(self, proportions: Array, positive: int | None) -> Specification:
        """Return the specification with known class proportions, in the order of the labels."""
        positive_first = proportions if positive == 0 else proportions[::-1]
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
class Recall:
    """The distribution of a classifier's recalls over the classes.

    The recall of class j is Beta(s eta, s (1 - eta)). 1 / (1 + s) is the intraclass correlation: by
    how much two instances of one class are more alike, in being right or wrong, than two instances
    of different classes.

    Parameters
    ----------
    prior, icc : ndarray of shape (2,)
        Beta priors of eta and of the intraclass correlation.
    right, wrong : ndarray of shape (n_classes,)
        The effective numbers of right and wrong predictions of each class.
    """

    prior: Array
    icc: Array
    right: Array
    wrong: Array


@dataclass(frozen=True)
class Outcomes:
    """Classifiers on the same instances: class proportions and observed outcomes.

    For true class j, an outcome is the tuple of all predictions. The Dirichlet prior of the
    outcomes has total mass `mass`, distributed as the product of the classifiers' own priors. The
    prior of one classifier has eta on class j and spreads the rest over the other classes. Without
    an eta, it is uniform. With a `Recall`, classifiers have no joint prior: each has its own
    recalls and its own distribution of wrong predictions.

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
    etas : tuple of Eta, Recall or None
        The eta, or the distribution of recalls, of each classifier.
    mass : float
        The total mass of the Dirichlet prior of a row.
    known_mu : ndarray of shape (n_classes,), default=None
        Known class proportions, to use in place of `mu`.
    estimates_mu : bool, default=False
        Whether the distribution of the class proportions is learned from all classes.
    """

    mu: Simplex
    truth: Array
    predictions: Array
    counts: Array
    etas: tuple[Eta | Recall | None, ...]
    mass: float = 1.0
    known_mu: Array | None = None
    estimates_mu: bool = False

    @property
    def samples_mu(self) -> bool:
        """Whether the class proportions are a parameter with a Dirichlet prior."""
        return self.known_mu is None and not self.estimates_mu

    def names(self, position: int) -> tuple[str, list[str]]:
        """Return what mu and the etas are called in the group at that position."""
        if len(self.etas) == 1:
            return f"mu_{letter(position)}", [f"eta_{letter(position)}"]
        return "mu", [f"eta_{letter(k)}" for k in range(len(self.etas))]


def icc_name(eta: str) -> str:
    """Return the name of the intraclass correlation that goes with the name of an eta."""
    return eta.replace("eta", "icc")


@dataclass(frozen=True)
class OutcomeSpecification(AnySpecification):
    """Independent groups of classifiers, each evaluated on separate instances."""

    groups: tuple[Outcomes, ...]

    @property
    def has_classes_alike(self) -> bool:
        """Whether the prior stays the same if the classes change places."""
        return all(group.known_mu is None and np.ptp(group.mu.prior) == 0 for group in self.groups)

    def parameters(self) -> list[Parameter]:
        """Return the parameters that are sampled; rows of tables are drawn given these."""
        found = []
        for g, group in enumerate(self.groups):
            mu, etas = group.names(g)
            if group.samples_mu:
                found.append(Parameter(mu, group.mu.prior, False, ("class",)))
            for name, eta in zip(etas, group.etas, strict=True):
                if eta is not None:
                    found.append(Parameter(name, eta.prior, True))
                if isinstance(eta, Recall):
                    found.append(Parameter(icc_name(name), eta.icc, True))
        return found

    def coordinates(self, labels: tuple[Any, ...]) -> dict[str, list[str]]:
        """Return the names along each dimension of the parameters."""
        names = list(map(str, labels))
        return {"class": names, "predicted": names}

    def dims(self) -> dict[str, list[str]]:
        """Return the dimensions of each parameter, of rates and of rows."""
        found = super().dims()
        found |= {group.names(g)[0]: ["class"] for g, group in enumerate(self.groups)}
        for classifier in map(letter, range(sum(len(group.etas) for group in self.groups))):
            found[f"rho_{classifier}"] = ["class"]
            found[f"theta_{classifier}"] = ["class", "predicted"]
        return found

    @property
    def row_names(self) -> list[str]:
        """The names of the rows of each classifier's table, where classifiers stand alone."""
        alone = all(
            len(group.etas) == 1 and isinstance(group.etas[0], Eta) for group in self.groups
        )
        return [f"theta_{letter(g)}" for g in range(len(self.groups))] if alone else []

    @property
    def class_prior_mass(self) -> float:
        """What the prior of the class proportions weighs, in instances."""
        group = self.groups[0]
        return float(group.mu.prior.sum()) if group.samples_mu else 0.0

    def with_prevalence(self, proportions: Array, positive: int | None) -> OutcomeSpecification:
        """Return the specification with fixed instead of sampled class proportions."""
        return OutcomeSpecification(tuple(replace(g, known_mu=proportions) for g in self.groups))


@dataclass(frozen=True)
class WeightSpecification(AnySpecification):
    """Normalised Gamma weights of units; all else are weighted sums over units.

    Parameters
    ----------
    units : UnitCounts
        The counts of the units, and the Gamma shapes of their weights.
    """

    units: UnitCounts


@dataclass(frozen=True)
class RankSpecification(AnySpecification):
    """Gamma(`shape`) weights of units, for metrics computed from instance scores.

    Parameters
    ----------
    prepared : callable
        Maps a metric to its runs, as `WeightedInstances.prepared` does.
    shape : ndarray of shape (n_units,)
        The Gamma shape of each unit's weight.
    n_classifiers : int
        The number of classifiers.
    """

    prepared: Callable[[Any], Any]
    shape: Array
    n_classifiers: int


@dataclass(frozen=True)
class LabelSpecification(AnySpecification):
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

    def parameters(self) -> list[Parameter]:
        """Return the parameters that are sampled."""
        n_labels = self.cells.shape[1]
        found = []
        for classifier in map(letter, range(len(self.cells))):
            if self.cell_prior is not None:
                prior = np.tile(self.cell_prior, (n_labels, 1))
                found.append(Parameter(f"pi_{classifier}", prior, False, ("target", "cell")))
                continue
            for name, prior in (("mu", self.mu), ("rho+", self.rho[0]), ("rho-", self.rho[1])):
                prior = np.tile(prior, (n_labels, 1))
                found.append(Parameter(f"{name}_{classifier}", prior, True, ("target",)))
        return found

    def coordinates(self, labels: tuple[Any, ...]) -> dict[str, list[str]]:
        """Return the names along each dimension of the parameters."""
        # ArviZ 1.x has a dimension "label" of its own.
        return {"target": list(map(str, labels)), "cell": list(CELLS)}


@dataclass(frozen=True)
class ScoreSpecification(AnySpecification):
    """Split scores, normally distributed around the mean score of each estimator.

    Parameters
    ----------
    scores : mapping of str to ndarray of shape (n_estimators, n_splits)
        The split scores of each metric.
    correlation : float
        The correlation between splits.
    halves : mapping of str to ndarray of shape (n_estimators, n_comparisons), default=None
        Differences between disjoint halves of the data.
    added : mapping of str to ndarray of shape (n_estimators,), default=None
        Variance that is added to each estimator's split scores, because they move in steps.
    """

    scores: Mapping[str, Array]
    correlation: float
    halves: Mapping[str, Array] | None = None
    added: Mapping[str, Array] | None = None

    def parameters(self) -> list[Parameter]:
        """Return the parameters of two estimators: B's score is regressed on the difference A - B.

        delta and nu_B are the mean difference and B's mean score, sigma is the standard deviation
        of a split's difference, beta the slope of B's score on it and tau what is left. With the
        covariance of A and B having density proportional to det^(-2), sigma^2 has density
        1 / sigma^2, beta is flat, and tau^2 has density 1 / tau^4.
        """
        if self.halves:
            raise ValueError("Split scores with calibrate= have no PyMC model. Use engine='exact'.")
        found = self.sums()
        n, inflation = found[0].n_splits, self.inflation
        flats: dict[str, tuple[str, list[tuple[float, float]]]] = {
            "delta": ("plain", [(s.mean_d, np.sqrt(inflation * s.ss_d / (n - 1))) for s in found]),
            "nu_B": ("plain", [(s.mean_b, np.sqrt(inflation * s.ss_b / (n - 1))) for s in found]),
            "beta": ("plain", [(s.slope, np.sqrt(s.ss_e / s.ss_d / n)) for s in found]),
            "sigma": ("log", [(np.log(s.ss_d / n) / 2, np.sqrt(0.5 / n)) for s in found]),
            "tau": ("log", [(np.log(s.ss_e / n) / 2, np.sqrt(0.5 / n)) for s in found]),
        }
        powers = {
            "tau": -2.0
        }  # 1 / tau^4 for the density of tau^2 is 1 / tau^2 for that of log tau
        return [
            Parameter(name, np.array(of_all), False, ("metric",), flat, powers.get(name, 0.0))
            for name, (flat, of_all) in flats.items()
        ]

    def coordinates(self, labels: tuple[Any, ...]) -> dict[str, list[str]]:
        """Return the names along each dimension of the parameters."""
        return {"metric": list(self.scores)}

    def law(self, metric: str, contrast: Array) -> StudentMargin:
        """Return the law of a combination of mean split scores, such as a difference."""
        splits = contrast @ self.scores[metric]
        df = len(splits) - 1.0
        mean, scale = splits.mean(), np.sqrt(self.inflation) * splits.std(ddof=1)
        if self.halves:
            variance, df = variance_with_halves(scale**2, contrast @ self.halves[metric])
            scale = np.sqrt(variance)
        if self.added:
            scale = np.sqrt(scale**2 + self.inflation * (contrast**2 @ self.added[metric]))
        # Equal differences leave rounding errors behind, which are no spread.
        negligible = 1e-12 * np.abs(self.scores[metric]).max()
        mean, scale = (float(x) if abs(x) > negligible else 0.0 for x in (mean, scale))
        return StudentMargin(mean, scale, df)

    def sums(self) -> list[SplitScoreSums]:
        """Return the sums over splits of two estimators' scores, per metric."""
        return [
            sums_of_splits(scores[0], scores[1], None if self.added is None else self.added[name])
            for name, scores in self.scores.items()
        ]

    @property
    def inflation(self) -> float:
        """The variance of the mean over splits, divided by the sample variance of the splits."""
        n_splits = next(iter(self.scores.values())).shape[1]
        return 1 / n_splits + self.correlation / (1 - self.correlation)


@dataclass(frozen=True)
class DataSetSpecification(AnySpecification):
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

    def parameters(self) -> list[Parameter]:
        """Return the parameters that are sampled."""
        names = ("delta0", "sigma0", "nu")
        return [Parameter(name, np.zeros(2), False, flat="plain") for name in names]

    def ranked(self, metric: str) -> tuple[Array, float | None]:
        """Return the differences that a signed-rank test ranks, and the weight of its prior."""
        if self.strength is None:
            return super().ranked(metric)
        return self.differences[metric], self.strength

    def dims(self) -> dict[str, list[str]]:
        """Return the dimensions of each parameter, and of the difference on each data set."""
        return super().dims() | {"delta": ["data_set"]}


class Model(ParameterObject):
    """Base class of all models. Models use counts, not data or estimators."""

    name: ClassVar[str]
    needs_pairs: ClassVar[bool] = False
    needs_true_negatives: ClassVar[bool] = True
    has_proper_prior: ClassVar[bool] = True
    # Whether the weight of cross-validated counts is inferred by default, or the published one.
    infers_weight: ClassVar[bool] = False
    # Whether it draws random weights of units: instances, or groups of them.
    weights_units: ClassVar[bool] = False
    # Quantities beside the metrics of the evidence that the model has a posterior of.
    derived_metrics: ClassVar[tuple[str, ...]] = ()
    # The model of Bayes factors, with the published prior, where this one has the default prior.
    published: Model | None = None

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

    def of_pair(self) -> Model:
        """Return the model of two classifiers that is the margin of this one."""
        return self

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
