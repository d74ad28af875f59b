"""From two estimators and data to a result: splits, collection, counts, posterior."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_regressor
from sklearn.model_selection import check_cv

from skbayeseval._validation import check_random_state_entropy
from skbayeseval.compare.split_score_target import ScoreTarget
from skbayeseval.compare.targets import ChunkTarget, LabelTarget, Material, Target
from skbayeseval.engines.pymc import PyMCEngine
from skbayeseval.evidence.chunk_counter import ChunkCounter
from skbayeseval.models.scores import CorrelatedT
from skbayeseval.posterior.build import make_posterior
from skbayeseval.results.comparison import ComparisonResult
from skbayeseval.results.ranking import Ranking
from skbayeseval.splitting.block_cv import BlockRegularizedCV
from skbayeseval.splitting.collect import (
    Collection,
    CrossValidation,
    check_error_score,
    collect,
    route,
)
from skbayeseval.splitting.naming import check_estimator_names, named_estimators

__all__ = [
    "bayesian_cross_validate",
    "compare_learners",
    "compares_scores",
    "kind_of_target",
    "resolve_cv",
]

# The child of the entropy that seeds the default splitter; the posterior's is 0.
_SPLITTER = 1


def bayesian_cross_validate(
    estimator_a: Any,
    estimator_b: Any,
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    scoring: Any = None,
    cv: Any = None,
    model: Any = "auto",
    engine: str | PyMCEngine = "exact",
    prior: dict[str, Any] | Callable[..., Any] | None = None,
    n_draws: int = 20_000,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    counter: ChunkCounter | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: int | str = "2*n_jobs",
    return_estimator: bool = False,
    return_indices: bool = False,
    error_score: str | float = "raise",
    random_state: Any = None,
) -> ComparisonResult:
    """Compare two classifiers by cross-validation: the posterior next to `cross_validate`.

    Both are fitted on the same splits, their paired predictions are counted, and the counts, at
    the weight that repeated validation of the same instances leaves them, go to the model. The
    result speaks of the learners trained on a training set's number of instances (half of them by
    default), not of models refitted on all data.

    Parameters
    ----------
    estimator_a, estimator_b : estimator or (str, estimator)
        The classifiers; clones are fitted.
    X : array-like of shape (n_samples, ...)
        The data: arrays, data frames, sparse matrices, lists of texts. They are only indexed.
    y : array-like of shape (n_samples,) or (n_samples, n_labels), or sequence of sequences
        The labels, of any dtype; or a multi-label indicator; or, with `counter`, the tags of each
        sentence.
    groups : array-like of shape (n_samples,), default=None
        Goes to the splitter. With metadata routing enabled, pass it in `params`.
    scoring : str, Metric, list or dict, default=None
        As in `compare_predictions`; None is accuracy, and F1 with `counter`. Metrics of scores
        ("roc_auc" and its kin) are taken from `decision_function` or `predict_proba`, within each
        split. With ``model="scores"`` whatever `cross_validate` takes; None is the estimators' own
        `score`.
    cv : int, splitter or iterable, default=None
        None is ``BlockRegularizedCV(3)``, with `counter` balanced in the types of chunks; otherwise
        what scikit-learn's `check_cv` takes.
    model : {"auto", "paired", "unpaired", "hierarchical", "bcv", "scores"} or model instance, \
            default="auto"
        "auto" is "paired". "scores" compares the scores of the splits by the correlated t-test:
        any scorer that `cross_validate` takes, regressors too.
    engine, prior, n_draws, labels, pos_label
        As in `compare_predictions`.
    counter : ChunkCounter, default=None
        Made by `chunk_counter`: y holds tags of its first scheme, A predicts in the first scheme,
        B in the second, and chunks are compared. `ConvertTags` makes a tagger learn the second.
    n_jobs : int, default=None
        How many fits run at once, on the joblib backend that is set.
    verbose : int, default=0
        1 shows progress: a bar in terminals and notebooks, lines on standard error elsewhere.
    params : dict, default=None
        Goes to every `fit`, or is routed where metadata routing is enabled. Sample weights reach
        `fit` only: the counts stay unweighted.
    pre_dispatch : int or str, default="2*n_jobs"
        As in `cross_validate`.
    return_estimator, return_indices : bool, default=False
        Whether `cv_results` holds the fitted estimators and the splits.
    error_score : "raise" or np.nan, default="raise"
        With NaN, a replicate of block-regularised cross-validation (for other splitters, a split)
        in which a fit fails is dropped for both, with a warning, and the weight follows.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws and, with ``cv=None``, the splits. A `cv` that is given is not altered.

    Returns
    -------
    result : ComparisonResult

    See Also
    --------
    BayesianComparer : The same as an estimator.
    compare_predictions : For predictions made elsewhere.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> from skbayeseval import bayesian_cross_validate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> svm = make_pipeline(StandardScaler(), SVC())
    >>> result = bayesian_cross_validate(svm, GaussianNB(), X, y, scoring="f1", random_state=0)
    >>> result.names
    ('SVC', 'GaussianNB')
    >>> result.decision(rope=0.01).label
    'significantly better'
    """
    estimators = check_estimator_names(named_estimators([estimator_a, estimator_b]))
    entropy = check_random_state_entropy(random_state)
    splitter = resolve_cv(cv, y, entropy, kind_of_target(estimators, model), counter)
    split_params, fit_params = route(
        "bayesian_cross_validate", "bayesian_cross_validate", estimators, splitter, params, groups
    )
    ranking = compare_learners(
        estimators,
        X,
        y,
        cv=splitter,
        split_params=split_params,
        fit_params=fit_params,
        scoring=scoring,
        model=model,
        engine=engine,
        prior=prior,
        n_draws=n_draws,
        labels=labels,
        pos_label=pos_label,
        counter=counter,
        n_jobs=n_jobs,
        verbose=verbose,
        pre_dispatch=pre_dispatch,
        return_estimator=return_estimator,
        return_indices=return_indices,
        error_score=error_score,
        entropy=entropy,
    )
    return ranking.pairs[0, 1]


def resolve_cv(
    cv: Any, y: Any, entropy: int, kind: str = "classes", counter: ChunkCounter | None = None
) -> Any:
    """Return the splitter; the default one gets a seed of its own from the entropy.

    `kind` is "numbers" where regressors are compared: their targets are not classes to balance.
    """
    if cv is None:
        seed = np.random.SeedSequence(entropy, spawn_key=(_SPLITTER,)).generate_state(1)[0]
        regularize = None if kind == "numbers" else getattr(counter, "frequencies", "auto")
        return BlockRegularizedCV(regularize=regularize, random_state=int(seed))
    return check_cv(cv, y if counter is None else None, classifier=kind == "classes")


def kind_of_target(estimators: Mapping[str, Any], model: Any) -> str:
    """Return "classes", or "numbers" where plain scores of regressors are compared."""
    regress = any(hasattr(e, "__sklearn_tags__") and is_regressor(e) for e in estimators.values())
    return "numbers" if regress and compares_scores(model) else "classes"


def compare_learners(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    cv: Any,
    split_params: Mapping[str, Any],
    fit_params: Mapping[str, Mapping[str, Any]],
    scoring: Any,
    model: Any,
    engine: Any,
    prior: Any,
    n_draws: Any,
    labels: Any,
    pos_label: Any,
    n_jobs: int | None,
    verbose: int,
    pre_dispatch: int | str,
    return_estimator: bool,
    return_indices: bool,
    error_score: str | float,
    entropy: int,
    counter: ChunkCounter | None = None,
) -> Ranking:
    """Fit, predict, count and compare; both cross-validating faces end here."""
    check_error_score(error_score)
    names = tuple(estimators)
    target = _target(estimators, y, scoring, model, labels, pos_label, counter)

    def posterior(material: Material, *, rehearsal: bool = False) -> Any:
        evidence, scored = material
        return make_posterior(
            evidence, model, engine, prior, n_draws, entropy, scored=scored, rehearsal=rehearsal
        )

    # A rehearsal on perfect predictions: whatever is wrong with the arguments is wrong here too,
    # before anything is fitted.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # they come with the real run
        Ranking(posterior(target.rehearsal(), rehearsal=True), names, target.metrics)

    collection = collect(
        estimators,
        X,
        y,
        cv=cv,
        split_params=split_params,
        fit_params=fit_params,
        n_jobs=n_jobs,
        verbose=verbose,
        pre_dispatch=pre_dispatch,
        return_estimator=return_estimator,
        error_score=error_score,
        observe=target.observe,
        check_split=target.check_split,
    )
    result = posterior(target.material(collection))
    scores = _scores_of_splits(target, collection)
    results = {
        name: _as_cross_validate(collection, name, return_estimator, return_indices)
        for name in names
    }
    single = len(target.metrics) == 1 and not isinstance(scoring, (list, tuple, set, Mapping))
    for key, of_each in scores.items():
        for name in names:
            results[name]["test_score" if single else f"test_{key}"] = of_each[name]
    kind = type(cv).__name__
    splitter = "splits as given" if kind.startswith("_") else kind
    record = CrossValidation(
        splitter,
        len(collection.kept),
        collection.train_size,
        results,
        scores,
        collection.test_size,
        collection.two_fold_repeats,
    )
    return Ranking(result, names, target.metrics, record)


def _target(
    estimators: Mapping[str, Any],
    y: Any,
    scoring: Any,
    model: Any,
    labels: Any,
    pos_label: Any,
    counter: ChunkCounter | None,
) -> Target:
    """Return what is compared: chunks, plain scores, or classes and labels."""
    if counter is not None:
        if labels is not None or pos_label is not None:
            raise ValueError(
                "labels and pos_label have no meaning with counter=, which has types=."
            )
        return ChunkTarget(y, tuple(estimators), counter, scoring)
    kind = ScoreTarget if compares_scores(model) else LabelTarget
    return kind(y, estimators, labels, pos_label, scoring)


def compares_scores(model: Any) -> bool:
    """Whether the model is of the scores of splits, of whatever estimators."""
    return isinstance(model, CorrelatedT) or (isinstance(model, str) and model == CorrelatedT.name)


def _scores_of_splits(target: Target, collection: Collection) -> dict[str, dict[str, Any]]:
    """Return for each metric and estimator the scores of the splits, NaN where a fit failed."""
    scores: dict[str, dict[str, Any]] = {key: {} for key in target.metrics}
    for name, runs in collection.runs.items():
        of_splits = [
            {} if run.error is not None else target.split_scores(name, i, collection)
            for i, run in enumerate(runs)
        ]
        for key, of_each in scores.items():
            of_each[name] = _frozen([of_one.get(key, np.nan) for of_one in of_splits])
    return scores


def _as_cross_validate(
    collection: Collection, name: str, return_estimator: bool, return_indices: bool
) -> dict[str, Any]:
    """Return what `cross_validate` would have returned, but for the scores."""
    runs = collection.runs[name]
    found: dict[str, Any] = {
        "fit_time": _frozen([run.fit_time for run in runs]),
        "score_time": _frozen([run.score_time for run in runs]),
    }
    if any(run.chosen is not None for run in runs):
        found["best_params"] = [run.chosen for run in runs]
    if return_estimator:
        found["estimator"] = [run.estimator for run in runs]
    if return_indices:
        train, test = zip(*collection.splits, strict=True)
        found["indices"] = {"train": train, "test": test}
    return found


def _frozen(values: list[float]) -> NDArray[Any]:
    array = np.array(values)
    array.flags.writeable = False
    return array
