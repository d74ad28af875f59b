"""`refit_simplest`: make a search refit the simplest candidate equivalent to the best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import ArrayLike
from sklearn.model_selection import check_cv

from skbayeseval._labels import check_labels, resolve_pos_label
from skbayeseval._validation import check_random_state, check_random_state_entropy
from skbayeseval.judgement.rope import check_rope_around_zero
from skbayeseval.search.candidates import Recorded, check_scoring, measure_of_results
from skbayeseval.search.report_recorded import Settings, Unknown, report_recorded
from skbayeseval.search.search_report import Key, check_key


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
    return RefitSimplest(
        key, rope, cv, test_fraction, scoring, labels, pos_label, prob, n_draws, random_state
    )


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
    rope: Any
    cv: Any = None
    test_fraction: float | None = None
    scoring: Any = None
    labels: ArrayLike | None = None
    pos_label: Any = None
    prob: float = 0.95
    n_draws: int | None = None
    random_state: Any = 0

    def __post_init__(self) -> None:
        check_key(self.key)
        check_scoring(self.scoring)
        check_random_state(self.random_state)
        if isinstance(self.cv, Iterator):  # which can be used only once
            self.cv = list(self.cv)
        check_cv(self.cv)
        classes = None if self.labels is None else check_labels(self.labels)
        if self.pos_label is not None:  # without labels, any scalar may be one
            resolve_pos_label([self.pos_label] if classes is None else classes, self.pos_label)
        check_rope_around_zero(self.rope)
        cv = Unknown if self.cv is None else self.cv
        given = self.rope, self.prob, self.test_fraction, self.labels, self.pos_label, self.n_draws
        self._settings = Settings(*given, cv=cv)

    def __call__(self, results: Mapping[str, Any]) -> int:
        """Return the index of the simplest candidate that is equivalent to the best.

        If that fails, the search is lost, but not its results: they are kept in the attribute
        `cv_results_` of this object.
        """
        try:
            recorded = Recorded(results)
            key, measure = measure_of_results(recorded, self.scoring)
            entropy = check_random_state_entropy(self.random_state)
            settings = replace(self._settings, key=key, measure=measure, entropy=entropy)
            return report_recorded(recorded, settings).simplest_index(self.key)
        except BaseException as error:
            self.cv_results_ = results
            error.add_note(
                "All fits of the search were done before this error. Their results are kept in "
                "the attribute cv_results_ of what refit_simplest returned (search.refit)."
            )
            raise

    def __repr__(self) -> str:
        given = {
            name: getattr(self, name)
            for name in ("cv", "test_fraction", "scoring", "labels", "pos_label")
            if getattr(self, name) is not None
        }
        options = "".join(f", {name}={value!r}" for name, value in given.items())
        return f"refit_simplest({self.key!r}, rope={self.rope!r}{options})"
