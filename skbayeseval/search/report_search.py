"""`report_search` and `refit_simplest`: report on a fitted search, and choose inside of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import check_is_fitted

from skbayeseval._arrays import Array, check_frame, number_of_samples
from skbayeseval._labels import check_labels, resolve_pos_label
from skbayeseval._validation import (
    check_random_state,
    check_random_state_entropy,
    check_whole_number,
    warn_caller,
)
from skbayeseval.compare.learners import (
    CrossValidationOptions,
    compare_learners,
)
from skbayeseval.compare.split_scores import check_range
from skbayeseval.judgement.rope import check_rope_around_zero
from skbayeseval.metrics.registry import split_metric
from skbayeseval.metrics.scoring import requests_of, resolve_scoring, routed
from skbayeseval.results.ranking import Ranking
from skbayeseval.results.words import Fact
from skbayeseval.search.count_scorer import CountScorer
from skbayeseval.search.from_recorded import (
    ALL_INSTANCES,
    Settings,
    make_report,
    report_recorded,
)
from skbayeseval.search.measure import (
    Classes,
    can_be_paired,
    check_scoring,
    classes_of,
    measure_of,
)
from skbayeseval.search.prediction_scorer import Recalled
from skbayeseval.search.recorded import Recorded, name_candidates
from skbayeseval.search.report import Key, SearchReport, check_key
from skbayeseval.splitting.collect import Learners, route
from skbayeseval.splitting.splits import Split, generate_splits, splitter_name

# So many candidates are cross-validated again if the user does not say how many.
MOST_AGAIN = 50


def report_search(
    search: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    rope: Any,
    top: int | None = None,
    scoring: Any = None,
    test_fraction: float | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    groups: ArrayLike | None = None,
    params: dict[str, Any] | None = None,
    prob: float = 0.95,
    n_draws: int | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    random_state: Any = None,
) -> SearchReport:
    """Report on a search: which candidates are best or practically equivalent to the best.

    Predictions give the narrowest posteriors, as those of `BayesianComparer`: the ones that
    `prediction_scorer` kept, or else, with `X` and `y`, those of the `top` candidates, which are
    cross-validated again on the same splits. Without them, the report uses the confusion counts
    recorded by `count_scorer`, or otherwise the split scores. It applies to learners trained on
    training sets of the size used in the search, not to models refitted on all data.

    The best of many candidates looks better than it is. Scores allow for that: differences shrink,
    by as much of them as may be chance. Copies of a candidate, with the same predictions (or
    recorded counts or scores) in all splits, share one probability of being the best.

    Parameters
    ----------
    search : fitted GridSearchCV, RandomizedSearchCV, HalvingGridSearchCV, ...; dict or DataFrame
        The search. For a halving search, the last iteration is reported. Instead of it, its
        `cv_results_`, also as ``pandas.read_csv`` reads it from a file, or the trials of any other
        search: a DataFrame with a row per trial, its parameters in columns ``param_<name>`` (or a
        dict in ``params``), and its scores in the columns ``split0_test_<name>``,
        ``split1_test_<name>`` and so on. Higher scores are better. NaN is a parameter that a trial
        does not have, or a score that failed.
    X, y : array-like, default=None
        The data of the search. If given, the `top` candidates are cross-validated again, unless
        their predictions were kept; these need the data only if the splits depend on groups or on
        time. Results without the search cannot be combined with them.
    rope : float, str or (float, float)
        The region of practical equivalence. A number r means that metric values that differ by
        at most r are practically equivalent, and a percentage is as in `Ranking.decision`.
    top : int, default=None
        How many candidates to compare by predictions: those with the highest recorded mean. None
        means all, but at most 50. If fits take long, a smaller number saves time, but candidates
        that are left out are not considered by `SearchReport.simplest`.
    scoring : str, Metric or scorer, default=None
        The metric to compare by. By default, the metric that the search refits by. With `X` and
        `y`, any metric of `bayesian_cross_validate`, also what ``make_scorer`` makes; reports based
        on counts allow any metric of confusion matrices, reports based on split scores only a
        recorded one.
    test_fraction : float, default=None
        The share of test instances among the test and training instances of one split. Needed
        if the splitter does not determine it. For results without the search, None means the
        cautious assumption of `refit_simplest`: the smallest possible number of folds, repeated.
    labels : array-like, default=None
        The classes. By default, those of the count scorer or of `y`.
    pos_label : object, default=None
        The positive class, for metrics such as F1. By default, that of the count scorer, or 1.
    groups : array-like of shape (n_samples,), default=None
        Passed to the splitter, as in `fit` of the search.
    params : dict, default=None
        Passed to every `fit`, or routed if metadata routing is enabled, to scorers as well. Where
        the estimator's own `score` takes some of it, the report is based on recorded scores.
    prob : float, default=0.95
        The mass of the HDIs, and the probability at which a decision is made.
    n_draws : int, default=None
        The number of posterior draws. None means 20,000 for up to 15 candidates, and fewer for
        more candidates, down to 2,000 for 150 or more.
    n_jobs : int, default=None
        The number of fits to run in parallel.
    verbose : int, default=0
        1 shows progress: a bar in terminals and notebooks, otherwise lines on standard error.
    random_state : int, RandomState, Generator or None, default=None
        Pass an int for reproducible draws. The splits are those of the search.

    Returns
    -------
    report : SearchReport
        The candidates with their uncertainty.

    See Also
    --------
    prediction_scorer : Keep the predictions of a search.
    count_scorer : Record confusion counts in a search.
    refit_simplest : Choose the simplest equivalent candidate inside the search.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skbayeseval import BlockRegularizedCV, count_scorer, report_search
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = GridSearchCV(
    ...     DecisionTreeClassifier(random_state=0),
    ...     {"max_depth": [1, 2, 3, 5, None]},
    ...     cv=BlockRegularizedCV(random_state=0),
    ...     scoring=count_scorer([0, 1], also="f1"),
    ...     refit="score",
    ... ).fit(X, y)
    >>> report = report_search(search, rope=0.05, random_state=0)
    >>> report.source, report.metric
    ('counts', 'f1')
    >>> report_search(search, X, y, rope=0.05, random_state=0).simplest("max_depth")
    {'max_depth': 1}
    """
    check_frame(search, "search")
    entropy = check_random_state_entropy(random_state)
    settings = Settings(rope, prob, test_fraction, labels, pos_label, n_draws, entropy)
    if isinstance(search, (Mapping, pd.DataFrame)):
        return _report_results(search, X, y, scoring, settings)
    _check_search(search, X, y)
    requests = [*requests_of(scoring), *requests_of(search.scoring, [search.estimator])]
    search, scoring, is_own = _with_columns(search, scoring, params, y)
    recorded, given = Recorded(search.cv_results_), X
    kept, splits = Recalled.of(search, recorded), None
    if kept is not None and given is None:
        X, y, splits = kept.data(recorded.n_splits if search.cv is None else search.cv, groups)
        params = None
    classes = classes_of(search, y)
    settings = _with_search(settings, search, recorded, scoring, classes)
    settings = replace(settings, measure=None) if is_own else settings
    if settings.key is not None and not can_be_paired(settings.measure, classes):
        X = None
        if given is not None:
            warn_caller(
                f"scoring={settings.name!r} is known only by its value in each split, so X and y "
                "are not used: the report is based on the recorded scores."
            )
    # Before anything is fitted again; what a percentage is of is known when scores are compared.
    check_rope_around_zero(rope, split_metric(settings.name), observed=1.0)
    if X is None:
        return report_recorded(recorded, settings)
    most = MOST_AGAIN if top is None else check_whole_number(top, "top")
    options = CrossValidationOptions(
        cv=search.cv,
        scoring=settings.measure,
        labels=labels,
        pos_label=_positive_of_scorers(search, settings, pos_label),
        n_jobs=n_jobs,
        verbose=verbose,
    )
    data, passed = (X, y), (params, groups, requests)
    return _report_predictions(
        search, data, recorded, settings, options, most, passed, kept, splits
    )


def _report_results(results: Any, X: Any, y: Any, scoring: Any, settings: Settings) -> SearchReport:
    """Report on the results of a search, without the search itself."""
    if X is not None or y is not None:
        raise ValueError(
            "X and y require the fitted search itself: the results of a search, which were given, "
            "do not tell its estimator and its splits. Leave X and y out, or pass the search."
        )
    recorded = Recorded(results)
    key, measure = measure_of(recorded, scoring)
    settings = replace(settings, key=key, measure=measure)
    if key is not None:
        check_range(recorded.scores(key), settings.name)
    return report_recorded(recorded, settings)


def _report_predictions(
    search: Any,
    data: tuple[Any, Any],
    recorded: Recorded,
    settings: Settings,
    options: CrossValidationOptions,
    most: int,
    passed: tuple[Any, Any, Any],
    kept: Recalled | None,
    splits: list[Split] | None,
) -> SearchReport:
    """Report on the predictions that a search kept, or on those of candidates fitted again.

    `data` are X and y; `passed` are the parameters of fits, the groups, and what requests columns;
    `splits` are those of predictions that were kept, where X and y were not given.
    """
    X, y = data
    bad = recorded.failed() if kept is None else recorded.failed() | kept.failed
    chosen, failed, picked_by = _most_promising(recorded, bad, settings, most)
    candidates = recorded.parameters(chosen)
    estimators = {
        name: clone(search.estimator).set_params(**clone(parameters, safe=False))
        for name, parameters in zip(name_candidates(candidates), candidates.values(), strict=True)
    }
    params, groups, requests = passed
    cv = check_cv(search.cv, y, classifier=is_classifier(search.estimator))
    split_params, fit_params, _ = route("report_search", estimators, cv, params, groups, requests)
    learners = Learners(estimators, cv, split_params, fit_params, settings.entropy, params or {})
    is_given = splits is None
    if splits is None:
        splits = _repeated_splits(cv, X, y, split_params, recorded.n_splits)
        kept = kept if kept is not None and kept.are_of(y, splits) else None
    metrics = resolve_scoring(settings.measure, *classes_of(search, y) or ())
    said = None
    if kept is not None and kept.have(metrics):
        places = np.searchsorted(recorded.positions, chosen)
        said = {name: kept.said[i] for name, i in zip(estimators, places, strict=True)}
    elif not is_given:
        raise ValueError(
            f"scoring={settings.name!r} needs what the search did not keep: name it in "
            "prediction_scorer(scoring), or pass X and y."
        )
    options = replace(options, n_draws=settings.draws_of(len(candidates)))
    ranking = compare_learners(Ranking, learners, X, y, options, splits, said)
    # Recorded scores may use sample weights; counts never do.
    weighted = any("sample_weight" in name for name in params or {})
    if not hasattr(search, "n_resources_") and not weighted:
        _warn_of_different_scores(ranking, recorded, settings.key, list(candidates))
    facts = _facts_of(ranking, search, recorded, settings, picked_by, said is not None)
    return make_report(ranking, recorded, candidates, settings, "predictions", failed, facts)


def _check_search(search: Any, X: Any, y: Any) -> None:
    """Raise unless it is a fitted search, with both X and y or neither."""
    if not all(hasattr(search, name) for name in ("cv", "estimator", "refit", "scoring")):
        raise TypeError(
            "search must be a fitted GridSearchCV, RandomizedSearchCV or similar, its cv_results_ "
            f"or a DataFrame of trials, got {type(search).__name__}. If the search is a step of a "
            "pipeline, pass that step, such as pipeline[-1]."
        )
    check_is_fitted(search, "cv_results_")
    if (X is None) != (y is None):
        missing = "X" if X is None else "y"
        raise ValueError(f"X and y must be given together, got {missing}=None.")


def _with_columns(search: Any, scoring: Any, params: Any, y: Any) -> tuple[Any, Any, bool]:
    """Return the search and `scoring` with scorers that know the columns which they request.

    The last value is whether the estimator's own `score` takes some of the columns: what it does
    with them is known to nobody else.
    """
    if not params or y is None or not get_config()["enable_metadata_routing"]:
        return search, scoring, False
    n, own = number_of_samples(y, "y"), get_routing_for_object(search.estimator)
    is_own = scoring is search.scoring is None and bool(own.consumes("score", [*params]))
    same, search = scoring is search.scoring, copy(search)
    search.scoring, _ = routed(search.scoring, params, n)
    return search, search.scoring if same else routed(scoring, params, n)[0], is_own


def _with_search(
    settings: Settings, search: Any, recorded: Recorded, scoring: Any, classes: Classes | None
) -> Settings:
    """Return the settings with what the search tells: its metric, splits and classes."""
    scorer = search.scoring if isinstance(search.scoring, CountScorer) else None
    known = recorded.keys == ["score"] and scorer is None  # by the search itself
    if scoring is None and isinstance(search.refit, RefitSimplest) and not known:
        scoring = search.refit.scoring
    key, measure = measure_of(recorded, scoring, search, classes)
    cv = recorded.n_splits if search.cv is None else search.cv
    found: dict[str, Any] = {"key": key, "measure": measure, "cv": cv}
    if getattr(search, "resource", None) == "n_samples":
        found["instances"] = f"the {search.n_resources_[-1]:,} instances of the last iteration"
    if scorer is None:
        return replace(settings, **found)
    labels = scorer.labels if settings.labels is None else check_labels(settings.labels)
    if classes is None and labels != scorer.labels:
        raise ValueError(
            f"labels={settings.labels!r} are not those of the recorded counts, "
            f"{list(scorer.labels)}."
        )
    pos_label = scorer.pos_label if settings.pos_label is None else settings.pos_label
    return replace(settings, labels=scorer.labels, pos_label=pos_label, **found)


def _positive_of_scorers(search: Any, settings: Settings, pos_label: Any) -> Any:
    """Return the positive class; None leaves it to scorers that have one of their own.

    The class 1 that a count scorer takes by default does not contradict another scorer's own.
    """
    scorer = search.scoring
    is_counted = isinstance(scorer, CountScorer)
    if is_counted and scorer.pos_label == resolve_pos_label(scorer.labels, None):
        return pos_label
    return settings.pos_label


def _facts_of(
    ranking: Ranking,
    search: Any,
    recorded: Recorded,
    settings: Settings,
    picked_by: str | None,
    kept: bool,
) -> list[Fact]:
    """Return what a report on predictions is based on, and what it applies to."""
    which = "paired predictions that the search kept" if kept else "paired predictions"
    based_on = f"{which} in {recorded.n_splits} splits ({splitter_name(search.cv)})"
    facts = [Fact("based on", based_on)]
    if settings.instances != ALL_INSTANCES:
        facts.append(Fact("note", f"the search has compared them on {settings.instances}"))
    if picked_by is not None:
        facts.append(Fact("candidates", f"were selected by their recorded {picked_by}"))
    if ranking.train_size is not None:
        learners = f"learners trained on {ranking.train_size:.0f} instances"
        facts.append(Fact("applies to", f"{learners}, not models refitted on all data"))
    return facts


def _warn_of_different_scores(
    ranking: Ranking, recorded: Recorded, key: str | None, indices: list[int]
) -> None:
    """Warn if the new split scores of the candidates differ from the recorded ones."""
    if key is None or ranking.cv_results is None:
        return
    before = recorded.scores(key)[np.searchsorted(recorded.positions, indices)]
    again = np.array([results["test_score"] for results in ranking.cv_results.values()])
    off = float(np.abs(again - before).max())
    if off > 1e-6:
        warn_caller(
            "The split scores differ from those that the search recorded, by up to "
            f"{off:.2g}. Pass X and y exactly as to the search, in the same order, and set the "
            "random_state of the estimators."
        )


def _most_promising(
    recorded: Recorded, bad: Array, settings: Settings, top: int
) -> tuple[Array, tuple[int, ...], str | None]:
    """Return the `top` candidates, the failed ones, and the score used in place of the metric.

    Candidates are selected by the recorded mean of the metric, or by its value for the recorded
    counts, or otherwise by the first recorded score; the third return value is None except in the
    last case.
    """
    picked_by, metric = None, settings.table_metric
    if settings.key is not None:
        means = recorded.scores(settings.key).mean(axis=1)
        bad = bad | ~np.isfinite(means)
    elif metric is not None and recorded.n_classes:
        labels = () if settings.labels is None else tuple(settings.labels)
        positive = labels.index(settings.pos_label) if settings.pos_label in labels else 1
        means = metric(np.nan_to_num(recorded.tables()), positive).mean(axis=1)
    else:
        picked_by = recorded.keys[0]
        means = recorded.scores(picked_by).mean(axis=1)
    kept, failed = recorded.without(bad, settings.key)
    order = np.argsort(-np.nan_to_num(means[~bad], nan=-np.inf), kind="stable")
    return np.sort(kept[order][:top]), failed, None if len(kept) <= top else picked_by


def _repeated_splits(
    cv: Any, X: Any, y: Any, split_params: Mapping[str, Any], n_recorded: int
) -> list[tuple[Array, Array]]:
    """Return the splits of the search; raise unless the splitter reproduces them."""
    splits = list(generate_splits(cv, X, y, split_params))
    n_splits = len(splits)
    same = all(
        np.array_equal(part, part_again)
        for split, again in zip(splits, generate_splits(cv, X, y, split_params), strict=False)
        for part, part_again in zip(split, again, strict=True)
    )
    if n_splits != n_recorded:
        raise ValueError(
            f"The search's cv gives {n_splits} splits of X and y, but the search had {n_recorded}. "
            "X and y must be the data of the search, and cv no iterator of splits, which is "
            "exhausted after the search: pass it a list, or call report_search without X and y."
        )
    if not same:
        raise ValueError(
            f"The search's cv={cv} gives different splits at every call, so the splits of the "
            "search cannot be reproduced. Give the search a splitter with an int random_state and "
            "fit it again, or call report_search without X and y."
        )
    return splits


def refit_simplest(
    key: Key,
    *,
    rope: Any,
    cv: Any = None,
    test_fraction: float | None = None,
    scoring: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    prob: float = 0.95,
    n_draws: int | None = None,
    random_state: Any = 0,
) -> RefitSimplest:
    """Return a ``refit=`` callable that picks the simplest candidate equivalent to the best.

    It makes the choice of `SearchReport.simplest` inside the search, so that `best_estimator_` is
    the simplest candidate. It uses the counts of `count_scorer` if they were recorded, and
    otherwise the split scores. If no candidate is practically equivalent to the best, it warns,
    and picks the one with the highest posterior mean. If it fails after the fits, the results of
    the search are kept in ``search.refit.cv_results_``. Halving searches do not call ``refit``: use
    `report_search` with them.

    Parameters
    ----------
    key : str, list of str or callable
        What makes a candidate simple: the name of a parameter, or several in order of priority,
        where smaller values are simpler and None is the least simple; or a function of the dict
        of parameters, where smaller return values are simpler.
    rope : float, str or (float, float)
        The region of practical equivalence, as in `report_search`.
    cv : int, splitter or list of splits, default=None
        The splitter of the search. If None, the splits are assumed to be repeated k-fold with
        the smallest possible k, which is conservative: five splits are taken as five folds, six
        as two folds repeated three times, unless the recorded counts rule that out. Specify `cv`
        if the splits are drawn at random, as by ShuffleSplit.
    test_fraction : float, default=None
        The share of test instances among the test and training instances of one split. Needed
        if `cv` does not determine it.
    scoring : str or Metric, default=None
        The metric to compare by. By default, the only recorded score, or ``score``. A search with
        a single metric records its values, but not its name: they are taken to be of `scoring`.
    labels, pos_label : default=None
        The classes of the count scorer, and the positive class for metrics that need one.
    prob : float, default=0.95
        The probability at which a decision is made.
    n_draws : int, default=None
        The number of draws, as in `report_search`.
    random_state : int, RandomState, Generator or None, default=0
        Seeds the draws.

    Returns
    -------
    refit : RefitSimplest
        A callable that maps `cv_results_` to the index of the chosen candidate.

    See Also
    --------
    report_search : Report on a fitted search, with all candidates and their uncertainty.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV, StratifiedKFold
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skbayeseval import count_scorer, refit_simplest
    >>> X, y = load_iris(return_X_y=True)
    >>> search = GridSearchCV(
    ...     DecisionTreeClassifier(random_state=0),
    ...     {"max_depth": [1, 2, 3, 4, None]},
    ...     scoring=count_scorer([0, 1, 2]),
    ...     refit=refit_simplest("max_depth", rope=0.1, cv=5),
    ... )
    >>> search.fit(X, y).best_params_
    {'max_depth': 2}
    """
    check_key(key)
    check_scoring(scoring)
    check_random_state(random_state)
    if isinstance(cv, Iterator):  # which can be used only once
        cv = list(cv)
    check_cv(cv)
    classes = None if labels is None else check_labels(labels)
    if pos_label is not None:  # without labels, any scalar may be one
        resolve_pos_label([pos_label] if classes is None else classes, pos_label)
    check_rope_around_zero(rope)
    settings = Settings(rope, prob, test_fraction, labels, pos_label, n_draws, cv=cv)
    return RefitSimplest(key, scoring, random_state, settings)


@dataclass(eq=False, repr=False)
class RefitSimplest:
    """Pick the simplest candidate equivalent to the best; created by `refit_simplest`.

    Examples
    --------
    >>> from skbayeseval import refit_simplest
    >>> refit_simplest("max_depth", rope=0.01, test_fraction=0.2)
    refit_simplest('max_depth', rope=0.01, test_fraction=0.2)
    """

    key: Key
    scoring: Any
    random_state: Any
    settings: Settings

    def __call__(self, results: Mapping[str, Any]) -> int:
        """Return the index of the simplest candidate that is equivalent to the best.

        If that fails, the search is lost, but not its results: they are kept in the attribute
        `cv_results_` of this object.
        """
        try:
            recorded = Recorded(results)
            key, measure = measure_of(recorded, self.scoring)
            entropy = check_random_state_entropy(self.random_state)
            settings = replace(self.settings, key=key, measure=measure, entropy=entropy)
            return report_recorded(recorded, settings).simplest_index(self.key)
        except BaseException as error:
            self.cv_results_ = results
            error.add_note(
                "All fits of the search were done before this error. Their results are kept in "
                "the attribute cv_results_ of what refit_simplest returned (search.refit)."
            )
            raise

    def __repr__(self) -> str:
        known = vars(self.settings) | {"scoring": self.scoring}
        options = "".join(
            f", {name}={known[name]!r}"
            for name in ("cv", "test_fraction", "scoring", "labels", "pos_label")
            if known[name] is not None
        )
        return f"refit_simplest({self.key!r}, rope={self.settings.rope!r}{options})"
