"""Compare predictions, confusion tables and counts that were made elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from skbayeseval._arrays import by_column, named_labels, names_of_series, positions_of, wrong
from skbayeseval._validation import check_names, check_weight
from skbayeseval.compare.given_predictions import GivenPredictions
from skbayeseval.evidence.chunks import ChunkCounter
from skbayeseval.evidence.counts import ConfusionCounts, MarginalCounts, check_counts
from skbayeseval.metrics.scoring import resolve_scoring
from skbayeseval.models.pymc import PyMCEngine
from skbayeseval.posterior.build import check_true_classes, make_posterior
from skbayeseval.results.comparison import ComparisonResult
from skbayeseval.results.ranking import Ranking
from skbayeseval.results.single import ScoreResult
from skbayeseval.results.storage import read


def classes_of_matrices(matrices: Iterable[Any]) -> list[Any] | None:
    """Return the classes that confusion matrices name in rows or columns; None if none does."""
    several = (runs if isinstance(runs, (list, tuple)) else [runs] for runs in matrices)
    frames = (one for runs in several for one in runs if isinstance(one, pd.DataFrame))
    return named_labels(axis for frame in frames for axis in (frame.T, frame))


def matrix_in_order(matrix: Any, classes: Any, name: str) -> Any:
    """Return one confusion matrix or several, with rows and columns in the order of the classes."""
    if classes is None:
        return matrix
    if isinstance(matrix, (list, tuple)):
        return [matrix_in_order(of_run, classes, name) for of_run in matrix]
    if not isinstance(matrix, pd.DataFrame):
        return matrix
    rows = positions_of(classes, matrix.index, f"{name} has rows")
    columns = positions_of(classes, matrix.columns, f"{name} has columns")
    return matrix.iloc[rows, columns].to_numpy()


def cells_in_order(counts: Any, name: str) -> Any:
    """Return the counts of one run or several as (tp, fp, fn) or (tp, fp, fn, tn)."""
    if isinstance(counts, (list, tuple)):
        return [cells_in_order(cell, name) for cell in counts]
    if not isinstance(counts, (pd.Series, pd.DataFrame)):
        return counts
    axis = counts.index if isinstance(counts, pd.Series) else counts.columns
    if len(axis) not in (3, 4):
        return counts
    called = pd.Index([cell.lower() if isinstance(cell, str) else cell for cell in axis])
    order = positions_of(["tp", "fp", "fn", "tn"][: len(axis)], called, f"{name} has")
    return counts.to_numpy()[..., order]


def compare_predictions(
    y_true: ArrayLike,
    y_pred_a: ArrayLike | None,
    y_pred_b: ArrayLike | None,
    *,
    y_score_a: ArrayLike | None = None,
    y_score_b: ArrayLike | None = None,
    scoring: Any = None,
    model: Any = "auto",
    weight: str | float | None = None,
    names: Sequence[str] | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    groups: ArrayLike | None = None,
    blocks: int | str | None = None,
    folds: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    counter: ChunkCounter | None = None,
    prevalence: Any = None,
    engine: str | PyMCEngine = "exact",
    n_draws: int | None = None,
    random_state: Any = None,
) -> ComparisonResult:
    """Compare two classifiers, or two regressors, from their predictions of the same instances.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        The true labels, of any dtype; or a multi-label indicator, dense or sparse. Numbers, if
        `scoring` is a metric of numbers; or, with `counter`, the tags of each sentence.
    y_pred_a, y_pred_b : array-like of shape (n_samples,) or (n_samples, n_labels)
        The predictions of A and B for the same instances. None for both if `scoring` contains only
        metrics computed from instance scores.
    y_score_a, y_score_b : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        The instance scores of A and B, for "roc_auc", "average_precision", "neg_log_loss" and
        "neg_brier_score" (the last two require probabilities): those of the positive class, or of
        each class or label in the order of `labels`; the columns of a data frame may be named after
        them, in any order. Without a positive class, one column is that of the last class, with a
        warning if this is not the greater one, as in scikit-learn. These metrics are always
        compared by the Bayesian bootstrap over instances, whatever `model` is.
    scoring : str, Metric, list or dict, default=None
        The metrics to compare. None means accuracy. Otherwise scikit-learn's names of metrics that
        depend only on the confusion matrix, "specificity", "negative_predictive_value",
        "cohen_kappa", "informedness", "markedness", "diagnostic_odds_ratio", objects of
        `skbayeseval.metrics`, what `make_scorer` makes of these metrics, or, with `y_score_a` and
        `y_score_b`, metrics such as "roc_auc". Predictions of numbers are compared by "r2",
        "neg_mean_absolute_error" and others of ``metrics.known_metrics("numbers")``, by the
        Bayesian bootstrap over instances. With
        `counter`, None means F1.
    model : {"auto", "paired", "unpaired", "hierarchical", "bcv"} or model instance, default="auto"
        "auto" means "paired", the model that uses which instances both got right. For a multi-label
        indicator, and for tags, it is the Bayesian bootstrap over instances; "unpaired" and "bcv"
        assume independent labels, and chunks. A prior is part of a model instance, such as
        ``models.Paired(mu=1, theta=1)``, the published one: "theta" of "paired" is 0.25, which
        costs fewer labels where classifiers seldom disagree.
    weight : "inferred", "published" or float, default=None
        The weight of one instance. None means 1; with `folds`, it is as in
        `bayesian_cross_validate`, by default inferred.
    names : (str, str), default=None
        The names of the two classifiers. By default those of the predictions or scores, if these
        are Series with different names, otherwise A and B.
    labels : array-like, default=None
        The classes. By default those that occur. A label that is predicted but never true is then
        taken for a wrong prediction only: it cannot be the true class, and enters the macro
        averages of the classifiers that predict it, as in scikit-learn. With `labels`, every class
        given can occur and enters all macro averages.
    pos_label : object, default=None
        The positive class for metrics such as F1; by default that of the scorers, which must not be
        another one, and otherwise 1, if it is one of the classes.
    groups : array-like of shape (n_samples,), default=None
        Instances that belong together, such as sentences of a document: they are weighted together
        (model "group weights").
    blocks : int or "auto", default=None
        The number of consecutive rows that are weighted together, where rows are in order of time
        and neighbours are alike. "auto" chooses it by how long losses stay correlated.
    folds : array-like of shape (n_samples,) or (n_samples, n_repeats), default=None
        The fold of each row, where the predictions are those of a cross-validation that has run,
        such as of `cross_val_predict`; -1, NaN or None for rows that were never tested. The result
        is then that of `bayesian_cross_validate`. With several repeats, labels and numbers have the
        shape of `folds`, scores may have a third axis, of classes; indicators and tags have one
        repeat. Without `folds`, predictions are those of fitted models on a test set.
    counts : array-like of shape (n_samples,), default=None
        How many instances each row stands for, where rows that are alike were counted before, such
        as by the GROUP BY of a database. The result is that of the repeated rows. For metrics of
        predicted classes, with one label per instance.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each instance counts, as in scikit-learn: the weights of a survey, or of
        importance. Predicted classes are then compared by the Bayesian bootstrap over instances,
        and `details` tells how many instances of equal weight they are worth.
    params : dict, default=None
        Columns with one value per instance, such as amounts of money, for functions that take an
        argument of this name beside `y_true` and `y_pred`, as those of `metrics.weighted` and
        `metrics.resampled`, and for scorers that request it by metadata routing.
    counter : ChunkCounter, default=None
        Made by `chunk_counter`: `y_true` and `y_pred_a` contain tags of its first scheme,
        `y_pred_b` tags of its second, one sequence per sentence, and chunks are compared. All
        chunks of a sentence are weighted together, or those of a group; ``model="bcv"``, as
        published, takes chunks for independent.
    prevalence : float or array-like of shape (n_classes,), default=None
        The proportions of the classes where the test set was sampled by class (case-control): a
        float is that of the positive class; a Series may name the classes, in any order. The
        proportions are then known, not estimated.
    engine : {"exact", "pymc"} or PyMCEngine, default="exact"
        "exact" draws independently from the conjugate posterior, "pymc" runs Markov chains, also
        with a prior that is not conjugate: ``PyMCEngine(prior=function)``.
    n_draws : int, default=None
        The number of draws of the exact engine, at least 100 and at most what fits in 1 GB, about
        20 million for two classifiers. `PyMCEngine` has its own. None means 20,000; 2,000 where a
        function is called for each draw; and fewer with more than 250 classes, down to 1,000.
    random_state : int, RandomState, Generator or None, default=None
        An int makes the draws reproducible.

    Returns
    -------
    result : ComparisonResult

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from skbayeseval import compare_predictions
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> nb = GaussianNB().fit(X_train, y_train)
    >>> lr = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)
    >>> result = compare_predictions(
    ...     y_test, lr.predict(X_test), nb.predict(X_test), scoring="f1", random_state=0
    ... )
    >>> decision = result.decision(rope=0.01)
    >>> decision.symbol, decision.label
    ('>', 'not settled')

    Regressors are compared by metrics of numbers:

    >>> y, a, b = [1.2, 2.5, 3.1, 4.8], [1.1, 2.2, 3.5, 4.9], [0.8, 2.0, 3.9, 5.5]
    >>> result = compare_predictions(y, a, b, scoring="neg_mean_absolute_error", random_state=0)
    >>> round(result.observed_a, 3), round(result.observed_b, 3)
    (-0.225, -0.6)
    """
    for what, a, b in (("y_pred", y_pred_a, y_pred_b), ("y_score", y_score_a, y_score_b)):
        if (a is None) != (b is None):
            missing = f"{what}_{'a' if a is None else 'b'}"
            raise ValueError(f"{what}_a and {what}_b must be given together, got {missing}=None.")
    pair = (y_score_a, y_score_b) if y_pred_a is None else (y_pred_a, y_pred_b)
    names = check_names(names_of_series(names, *pair), 2)
    given = GivenPredictions(
        y_true=y_true,
        predictions={} if y_pred_a is None else {"y_pred_a": y_pred_a, "y_pred_b": y_pred_b},
        scores={} if y_score_a is None else {"y_score_a": y_score_a, "y_score_b": y_score_b},
        scoring=scoring,
        labels=labels,
        pos_label=pos_label,
        model=model,
        weight=weight,
        groups=groups,
        blocks=blocks,
        folds=folds,
        counts=counts,
        sample_weight=sample_weight,
        params=params,
        counter=counter,
        prevalence=prevalence,
        engine=engine,
        n_draws=n_draws,
        random_state=random_state,
    )
    return given.result(ComparisonResult, names)


def compare_confusion_matrices(
    cm_a: ArrayLike,
    cm_b: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    scoring: Any = None,
    model: Any = "auto",
    weight: float | None = None,
    names: tuple[str, str] = ("A", "B"),
    pos_label: Any = None,
    engine: str | PyMCEngine = "exact",
    n_draws: int | None = None,
    random_state: Any = None,
) -> ComparisonResult:
    """Compare two classifiers from their confusion matrices.

    Parameters
    ----------
    cm_a, cm_b : array-like of shape (M, M) or (n_runs, M, M)
        Whole counts; rows are the true class. A stack of runs is summed, and `weight` must be
        given. Rows and columns of data frames may be named after the classes, in any order.
    labels : array-like, default=None
        The classes in the order of rows and columns; by default those that data frames name, or
        0, 1, ...
    scoring : str, Metric, list or dict, default=None
        As in `compare_predictions`.
    model : {"auto", "unpaired", "hierarchical", "bcv"} or model instance, default="auto"
        "auto" is "unpaired", which for more than two classes is "hierarchical". Matrices do not
        tell which instances both got right, so no paired model can be asked of them.
    weight : float, default=None
        The weight of one count. None means 1 for single matrices.
    names, pos_label, engine, n_draws, random_state
        As in `compare_predictions`.

    Returns
    -------
    result : ComparisonResult

    Examples
    --------
    >>> from skbayeseval import compare_confusion_matrices
    >>> result = compare_confusion_matrices(
    ...     [[50, 10], [5, 35]], [[45, 15], [10, 30]], scoring="f1", random_state=0
    ... )
    >>> result.model
    'unpaired'
    """
    matrices = {"cm_a": cm_a, "cm_b": cm_b}
    if labels is None:
        labels = classes_of_matrices(matrices.values())
    tables = {
        name: check_counts(matrix_in_order(cm, labels, name), name) for name, cm in matrices.items()
    }
    totals, worth = _sum_of_runs(weight, tables, ndim=2)
    options: Any = {"labels": labels, "pos_label": pos_label, "weight": worth}
    evidence = {
        name: ConfusionCounts.from_matrix(table, name=name, **options)
        for name, table in totals.items()
    }
    if evidence["cm_a"].labels != evidence["cm_b"].labels:
        shapes = " and ".join(str(table.shape) for table in tables.values())
        raise ValueError(f"cm_a and cm_b must have the same classes, got shapes {shapes}.")
    drawing = (model, engine, n_draws, random_state)
    return _result_of(evidence, names, scoring, pos_label, *drawing)


def compare_counts(
    counts_a: ArrayLike,
    counts_b: ArrayLike,
    *,
    scoring: Any = "f1",
    model: Any = "bcv",
    weight: float | None = None,
    names: tuple[str, str] = ("A", "B"),
    engine: str | PyMCEngine = "exact",
    n_draws: int | None = None,
    random_state: Any = None,
) -> ComparisonResult:
    """Compare two classifiers from (tp, fp, fn) or (tp, fp, fn, tn): chunking, retrieval.

    Parameters
    ----------
    counts_a, counts_b : array-like of shape (3,), (4,), (n_runs, 3) or (n_runs, 4)
        Whole counts; pandas objects may name them, in any order. Runs are summed, and `weight`
        must be given:
        ``BlockRegularizedCV(m).weight`` for m x 2 block-regularised cross-validation.
    scoring : str, Metric, list or dict, default="f1"
        As in `compare_predictions`. Without true negatives, only metrics that do not need them.
    model : {"bcv", "unpaired"} or model instance, default="bcv"
        "unpaired" needs the true negatives.
    weight : float, default=None
        The weight of one count. None means 1 for single counts.
    names, engine, n_draws, random_state
        As in `compare_predictions`.

    Returns
    -------
    result : ComparisonResult

    Examples
    --------
    >>> from skbayeseval import compare_counts
    >>> result = compare_counts((88, 10, 12), (80, 14, 20), scoring=["f1", "recall"])
    >>> result.metrics
    ('f1', 'recall')
    """
    cells = {}
    for name, counts in (("counts_a", counts_a), ("counts_b", counts_b)):
        array = check_counts(cells_in_order(counts, name), name)
        if array.ndim not in (1, 2) or array.shape[-1] not in (3, 4):
            raise ValueError(
                f"{name} must be (tp, fp, fn) or (tp, fp, fn, tn), or one such row per run, got an "
                f"array of shape {array.shape}."
            )
        cells[name] = array
    totals, worth = _sum_of_runs(weight, cells, ndim=1)
    n_cells = min(len(total) for total in totals.values())
    for name, total in totals.items():
        if not total.any():
            raise ValueError(f"{name} must contain a count greater than 0, got only zeros.")
    evidence = {
        name: ConfusionCounts.from_cells(*total[:n_cells], weight=worth, name=name)
        for name, total in totals.items()
    }
    drawing = (model, engine, n_draws, random_state)
    return _result_of(evidence, names, scoring, 1, *drawing)


def _result_of(
    evidence: Mapping[str, ConfusionCounts], names: Any, scoring: Any, pos_label: Any, *options: Any
) -> ComparisonResult:
    """Return the comparison of counts, given by the names of their arguments."""
    for name, counts in evidence.items():
        if counts.has_true_negatives:
            check_true_classes([counts.labels[i] for i in np.flatnonzero(counts.true)], name)
    pair = MarginalCounts(tuple(evidence.values()))
    metrics = resolve_scoring(scoring, pair[0].labels, pos_label=pos_label)
    posterior = make_posterior(pair, *options, metrics=metrics.values())
    return ComparisonResult(posterior, check_names(names, 2), metrics)


def compare_many(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike] | pd.DataFrame | None,
    *,
    scores: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    scoring: Any = None,
    model: Any = "auto",
    weight: str | float | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    groups: ArrayLike | None = None,
    blocks: int | str | None = None,
    folds: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    prevalence: Any = None,
    engine: str | PyMCEngine = "exact",
    n_draws: int | None = None,
    random_state: Any = None,
) -> Ranking:
    """Compare two or more classifiers, or regressors, from predictions of the same instances.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        The true labels, of any dtype; or a multi-label indicator; or numbers, if `scoring` is a
        metric of numbers.
    predictions : dict of str to array-like of the same shape, or DataFrame
        The predictions of each classifier, by name, or one column per classifier. None if
        `scoring` contains only metrics computed from instance scores.
    scores : dict of str to array-like, or DataFrame, default=None
        The instance scores of each, for metrics such as "roc_auc"; as ``y_score_a`` in
        `compare_predictions`.
    scoring, model, weight, labels, pos_label, groups, blocks, folds, counts, sample_weight, \
            params, prevalence
        As in `compare_predictions`.
    engine, n_draws, random_state
        As in `compare_predictions`.

    Returns
    -------
    ranking : Ranking
        Given the same `labels`, the comparison of a pair does not depend on the other classifiers.

    Examples
    --------
    >>> from skbayeseval import compare_many
    >>> y = [0, 1, 2] * 10
    >>> predictions = {"a": y, "b": [0, 1, 2, 0, 1, 1] * 5, "c": [0, 0, 1, 0, 2, 2] * 5}
    >>> ranking = compare_many(y, predictions, scoring="f1_macro", random_state=0)
    >>> ranking.pairs["a", "c"].probability().better > 0.8
    True
    """
    predictions, scores = by_column(predictions), by_column(scores)
    named = scores if predictions is None else predictions
    if not isinstance(named, Mapping):
        wanted = "a dict of name to predictions, or a pandas DataFrame"
        raise wrong("predictions", wanted, named, TypeError)
    if len(named) < 2:
        raise wrong("predictions", "those of two or more classifiers", list(named))
    names = check_names(list(named), len(named))
    if scores is not None and (not isinstance(scores, Mapping) or set(scores) != set(names)):
        raise wrong("scores", f"a dict with the names of predictions, {list(names)}", scores)
    given = GivenPredictions(
        y_true=y_true,
        predictions={f"predictions[{name!r}]": predictions[name] for name in names if predictions},
        scores={f"scores[{name!r}]": scores[name] for name in names if scores},
        scoring=scoring,
        labels=labels,
        pos_label=pos_label,
        model=model,
        weight=weight,
        groups=groups,
        blocks=blocks,
        folds=folds,
        counts=counts,
        sample_weight=sample_weight,
        params=params,
        prevalence=prevalence,
        engine=engine,
        n_draws=n_draws,
        random_state=random_state,
    )
    return given.result(Ranking, names)


def score_posterior(
    y_true: ArrayLike,
    y_pred: ArrayLike | None,
    *,
    y_score: ArrayLike | None = None,
    scoring: Any = None,
    model: Any = "auto",
    weight: str | float | None = None,
    name: str = "A",
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    groups: ArrayLike | None = None,
    blocks: int | str | None = None,
    folds: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    prevalence: Any = None,
    engine: str | PyMCEngine = "exact",
    n_draws: int | None = None,
    random_state: Any = None,
) -> ScoreResult:
    """Return how sure a score is: the posterior of one classifier's metric.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,) or (n_samples, n_labels)
        True and predicted labels, of any dtype; or multi-label indicators; or numbers, if `scoring`
        is a metric of numbers. `y_pred` may be None if `scoring` contains only metrics computed
        from instance scores.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores, for metrics such as "roc_auc"; as ``y_score_a`` in `compare_predictions`.
    scoring : str, Metric, list or dict, default=None
        As in `compare_predictions`.
    model : {"auto", "unpaired", "hierarchical", "bcv"} or model instance, default="auto"
        "auto" is "unpaired", with `folds` that of `bayesian_cross_val_score`; for a multi-label
        indicator it weights instances.
    name : str, default="A"
        The name of the classifier.
    weight, labels, pos_label, groups, blocks, folds, counts, sample_weight, params, prevalence, \
            engine, n_draws, random_state
        As in `compare_predictions`.

    Returns
    -------
    result : ScoreResult

    Examples
    --------
    >>> from skbayeseval import score_posterior
    >>> y_true, y_pred = [1] * 50 + [0] * 50, [1] * 45 + [0] * 5 + [1] * 10 + [0] * 40
    >>> result = score_posterior(y_true, y_pred, scoring="recall", random_state=0)
    >>> low, high = result.interval()
    >>> round(low, 3), round(high, 3)
    (0.786, 0.956)
    """
    if not isinstance(name, str):
        raise wrong("name", "a string", name, TypeError)
    given = GivenPredictions(
        y_true=y_true,
        predictions={} if y_pred is None else {"y_pred": y_pred},
        scores={} if y_score is None else {"y_score": y_score},
        scoring=scoring,
        labels=labels,
        pos_label=pos_label,
        model=model,
        weight=weight,
        groups=groups,
        blocks=blocks,
        folds=folds,
        counts=counts,
        sample_weight=sample_weight,
        params=params,
        prevalence=prevalence,
        engine=engine,
        n_draws=n_draws,
        random_state=random_state,
    )
    return given.result(ScoreResult, (name,))


def load_result(path: str | PathLike[str]) -> ComparisonResult | ScoreResult | Ranking:
    """Read a result of any kind that its `save` wrote.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    result : ComparisonResult, ScoreResult or Ranking

    Examples
    --------
    >>> import os, tempfile
    >>> from skbayeseval import compare_counts, load_result
    >>> result = compare_counts((88, 10, 12), (80, 14, 20), random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "result.npz")
    ...     result.save(path)
    ...     again = load_result(path)
    >>> bool((again.draws == result.draws).all())
    True
    """
    kind, parts = read(path)
    kinds: dict[str, Any] = {result.__name__: result for result in (ScoreResult, Ranking)}
    return kinds.get(kind, ComparisonResult)(*parts)


def _sum_of_runs(
    weight: float | None, counts: Mapping[str, NDArray[Any]], ndim: int
) -> tuple[dict[str, NDArray[Any]], float]:
    """Return counts summed over runs, and their weight, which several runs require.

    Without an axis for runs, counts have `ndim` dimensions.
    """
    runs = {name: len(array) if array.ndim == ndim + 1 else 1 for name, array in counts.items()}
    name, n = next(iter(runs.items()))
    if len(set(runs.values())) > 1:
        numbers = " and ".join(f"{n} in {name}" for name, n in runs.items())
        raise ValueError(
            f"{' and '.join(runs)} must contain the same number of runs, got {numbers}."
        )
    if weight is None and n > 1:
        raise ValueError(
            f"{name} holds {n} runs, but weight is None. Runs of a cross-validation share "
            "instances, so their counts are worth less than one each: give "
            "weight=BlockRegularizedCV(m).weight for m x 2 block-regularised cross-validation, "
            "or weight=1.0 if the runs are independent data sets."
        )
    totals = {
        name: array.sum(axis=0) if array.ndim == ndim + 1 else array
        for name, array in counts.items()
    }
    return totals, 1.0 if weight is None else check_weight(weight)
