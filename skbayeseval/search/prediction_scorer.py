"""`prediction_scorer`: a scorer that keeps what candidates say of test sets, for `report_search`.

A search takes numbers from its scorers, wherever these run, and makes floats of them once all fits
have come back. So predictions travel as a number: turned into a float, it hands them over to the
scorer that the search was given, and is the number they are kept under, which `cv_results_` has.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any, NamedTuple
from uuid import uuid4
from weakref import WeakValueDictionary

import numpy as np
import pandas as pd
from joblib import hash as hash_of
from scipy import sparse
from sklearn.base import is_regressor
from sklearn.model_selection import GroupKFold, GroupShuffleSplit, StratifiedGroupKFold
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metadata_routing import get_routing_for_object

from skbayeseval._arrays import Array, number_of_samples
from skbayeseval._validation import warn_caller
from skbayeseval.compare.split_score_target import resolve_scorers
from skbayeseval.evidence.instance_scores import RESPONSES as SCORES
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import get_metric
from skbayeseval.metrics.scorers import RESPONSES
from skbayeseval.metrics.scoring import is_scorer, requests_of, spelled_out
from skbayeseval.search.noise import RecordedSplits
from skbayeseval.search.recorded import KEPT, Recorded
from skbayeseval.splitting.splits import Split, split_proportions

# The first number of predictions that are kept, which is no error_score.
FIRST = 2**32


def prediction_scorer(scoring: Any = None) -> PredictionScorer:
    """Return a scorer that keeps the predictions for every test set, beside their scores.

    Pass it as ``scoring=`` to one of scikit-learn's searches. `report_search` then compares the
    candidates by these predictions, and fits none of them again. They are kept in memory, by this
    scorer and so by the search, which can be pickled with them: a byte for each predicted label, 8
    for each score or number, of each instance, split and candidate. The scorer never raises: if an
    estimator cannot predict, the recorded values are NaN.

    Parameters
    ----------
    scoring : str, callable, Metric, list or dict, default=None
        One or several metrics or scorers, as in `bayesian_cross_validate`. None is the accuracy, or
        R² of regressors. What is kept is what they ask estimators for: predictions, probabilities
        or scores of instances.

    Returns
    -------
    scorer : PredictionScorer
        A callable scorer. It records the first metric as ``score``, and each that has a name by
        its name as well. Because it records several scores, the search needs ``refit="score"``,
        another of these names, `refit_simplest`, or False.

    See Also
    --------
    report_search : Report a fitted search from the predictions that were kept.
    count_scorer : Record confusion counts alone.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skbayeseval import prediction_scorer, report_search
    >>> X, y = load_iris(return_X_y=True)
    >>> search = GridSearchCV(
    ...     KNeighborsClassifier(),
    ...     {"n_neighbors": [1, 5, 99]},
    ...     scoring=prediction_scorer("f1_macro"),
    ...     refit="f1_macro",
    ... ).fit(X, y)
    >>> report = report_search(search, rope=0.05, random_state=0)
    >>> report.source, report.metric
    ('predictions', 'f1_macro')
    >>> report.simplest("n_neighbors")
    {'n_neighbors': 1}
    """
    if scoring is not None:
        for name, item in spelled_out(scoring):
            if isinstance(item, str) and "[" not in item and not is_scorer(item):
                get_metric(item)  # which raises if the name is unknown
            if name == KEPT:
                raise ValueError(f"scoring has a metric called {KEPT!r}: choose another name.")
        for request in requests_of(scoring):
            asked = get_routing_for_object(request).score.requests
            if any(alias is True or isinstance(alias, str) for alias in asked.values()):
                raise ValueError(
                    f"scoring has a scorer that requests {list(asked)}, which prediction_scorer is "
                    "not given. Pass the scorer itself to the search, and X and y to the report: "
                    "report_search(search, X, y, params=)."
                )
    return PredictionScorer(scoring)


class PredictionScorer:
    """A scorer that keeps predictions; created by `prediction_scorer`.

    Examples
    --------
    >>> from skbayeseval import prediction_scorer
    >>> prediction_scorer(["f1", "roc_auc"])
    prediction_scorer(['f1', 'roc_auc'])
    """

    def __init__(
        self,
        scoring: Any,
        kept: Sequence[Said] = (),
        tests: Mapping[str, TestSet] | None = None,
        sender: str = "",
    ) -> None:
        self.scoring, self.kept, self.tests = scoring, list(kept), dict(tests or {})
        # Of copies in other processes, the sender is the one that keeps what they hear.
        self._address, self._sender = uuid4().hex, sender
        _KEEPERS[self._address] = self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.scoring, self.kept, self.tests, self._address)

    def __sklearn_clone__(self) -> PredictionScorer:
        return type(self)(self.scoring)

    def __repr__(self) -> str:
        return f"prediction_scorer({'' if self.scoring is None else repr(self.scoring)})"

    def named(self, estimator: Any) -> dict[str, Any]:
        """Return what is recorded of an estimator, by names: the first metric is the score."""
        default = "r2" if is_regressor(estimator) else "accuracy"
        items = spelled_out(default if self.scoring is None else self.scoring)
        own = [item if isinstance(item, str) else getattr(item, "name", None) for _, item in items]
        keys = [key or name for (key, _), name in zip(items, own, strict=True)]
        each = {key: item for key, (_, item) in zip(keys, items, strict=True) if key}
        return {"score": items[0][1]} | each

    def __call__(self, estimator: Any, X: Any, y: Any) -> dict[str, Any]:
        """Return the scores of a fitted estimator, and the number of its predictions."""
        listener, named = _Listener(estimator, X), self.named(estimator)
        scores: dict[str, Any] = {}
        for name, item in named.items():
            if scores and item is named["score"]:
                scores[name] = scores["score"]
                continue
            try:
                (scorer,) = resolve_scorers(estimator, y, None, None, item).values()
                scores[name] = float(scorer(listener, X, y))
            except Exception as error:
                warn_caller(f"{name!r} could not be computed: {error!r}")
                scores[name] = math.nan
        if not listener.heard:
            return scores | {KEPT: math.nan}
        rows, of_y = _keys_of_rows(X), _keys_of_rows(y)
        # The columns of a precomputed kernel are those of the training set.
        if get_tags(estimator).input_tags.pairwise or rows is None or of_y is None:
            rows = None
        else:
            rows = rows + 3 * of_y
        test = TestSet(y if sparse.issparse(y) else np.asarray(y), rows)
        last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
        if getattr(last, "decision_function_shape", "ovr") == "ovo":  # not a column per class
            listener.heard.pop("decision_function", None)
        outputs = {method: _shortened(output) for method, output in listener.heard.items()}
        name = hash_of(test.truth if rows is None else rows)
        said = Said(name, outputs, getattr(estimator, "classes_", None))
        return scores | {KEPT: _OnTheWay(said, test, self, self._sender)}

    def keep(self, said: Said, test: TestSet) -> float:
        """Keep predictions, and return the number under which they are kept."""
        self.tests.setdefault(said.test, test)
        self.kept.append(said)
        return float(FIRST + len(self.kept) - 1)


# The scorers of this process, by address.
_KEEPERS: WeakValueDictionary[str, PredictionScorer] = WeakValueDictionary()


class TestSet(NamedTuple):
    """What was true of a test set, and a number for each row, by which it is known again."""

    truth: Any
    rows: Array | None


class Said:
    """What a fitted estimator said of a test set, by methods, and says again if it is asked."""

    def __init__(self, test: str, outputs: Mapping[str, Any], classes: Any) -> None:
        self.test, self.outputs, self.classes_ = test, outputs, classes

    def __getattr__(self, name: str) -> Any:
        if name not in RESPONSES or name not in self.outputs:
            raise AttributeError(f"what {name} returned was not kept")
        output = self.outputs[name]
        if isinstance(output, _Labels):
            output = output.distinct[output.positions]
        return lambda X: output


class _OnTheWay(Number):
    """Predictions on the way to the scorer that keeps them, by its address if it was pickled."""

    __hash__ = object.__hash__

    def __init__(self, said: Said, test: TestSet, keeper: Any, address: str) -> None:
        self.said, self.test, self.keeper, self.address = said, test, keeper, address
        self.number = math.nan

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.said, self.test, None, self.address)

    def __float__(self) -> float:
        keeper = self.keeper or _KEEPERS.get(self.address)
        if math.isnan(self.number) and keeper is not None:
            self.number = keeper.keep(self.said, self.test)
        return self.number

    def __format__(self, specification: str) -> str:
        return "kept"  # what a search with verbose=3 prints


class _Listener:
    """A fitted estimator, and what it was heard to say of a test set, each thing once."""

    def __init__(self, estimator: Any, X: Any) -> None:
        self._estimator, self._X = estimator, X
        self.heard: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._estimator, name)
        if name not in RESPONSES:
            return method

        def say(X: Any) -> Any:
            if X is not self._X:
                return method(X)
            if name not in self.heard:
                self.heard[name] = method(X)
            return self.heard[name]

        say.__name__ = name  # which scorers look at
        return say


class _Labels(NamedTuple):
    """Labels as positions in the distinct ones, of the smallest type."""

    distinct: Array
    positions: Array


def _shortened(output: Any) -> Any:
    array = np.asarray(output) if getattr(output, "ndim", 0) == 1 else None
    if array is None or array.dtype.kind not in "iubUS":
        return output
    distinct, positions = np.unique(array, return_inverse=True)
    return _Labels(distinct, positions.astype(np.min_scalar_type(len(distinct))))


def _keys_of_rows(X: Any) -> Array | None:
    """Return a number for each row, the same for equal rows; None if values cannot be hashed."""
    table: Any = X
    if not hasattr(X, "iloc"):
        table = sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X)
        if table.ndim == 2 and table.dtype.kind in "fiub":
            if sparse.issparse(table):
                bits = table.data.astype(float).view(np.uint64), table.indices, table.indptr
                table = sparse.csr_array(bits, shape=table.shape)
            else:
                table = table.astype(float, order="C").view(np.uint64)
            factors = np.random.default_rng(0).integers(2**64, size=table.shape[1], dtype=np.uint64)
            return np.asarray(table @ (factors | 1))
        table = pd.DataFrame(table)
    try:
        return np.asarray(pd.util.hash_pandas_object(table, index=hasattr(X, "iloc")))
    except TypeError:
        return None


@dataclass(frozen=True)
class Recalled:
    """What the scorer of a search kept of its candidates.

    Attributes
    ----------
    said : list of list
        What was said of each test set, by candidates; None where a fit failed.
    tests : list of TestSet
        The test sets.
    """

    said: list[list[Said | None]]
    tests: list[TestSet]

    @classmethod
    def of(cls, search: Any, recorded: Recorded) -> Recalled | None:
        """Return what the scorer of a search kept of recorded candidates; None if it kept nothing.

        All candidates must have been tested on the same test sets.
        """
        scorer = search.scoring
        if not isinstance(scorer, PredictionScorer) or not recorded.has(KEPT):
            return None
        kept = dict(enumerate(scorer.kept, FIRST))
        said = [[kept.get(number) for number in row] for row in recorded.scores(KEPT).tolist()]
        tests: list[TestSet] = []
        for of_split in zip(*said, strict=True):
            sets = [scorer.tests[one.test] for one in of_split if one is not None]
            if not sets:
                return None
            if not all(_same(sets[0].truth, one.truth) for one in sets[1:]):
                raise ValueError(
                    "Candidates were tested on different test sets. Give the search a splitter "
                    "with an int random_state and fit it again."
                )
            tests.append(sets[0])
        return cls(said, tests)

    @property
    def failed(self) -> Array:
        """A boolean mask of the candidates of which something was not kept."""
        return np.array([None in row for row in self.said])

    def have(self, metrics: Mapping[str, Metric]) -> bool:
        """Return whether what metrics need was kept."""
        wanted = [SCORES.get(metric.needs, ("predict",)) for metric in metrics.values()]
        outputs = [one.outputs for row in self.said for one in row if one is not None]
        return all(any(map(said.__contains__, methods)) for said in outputs for methods in wanted)

    def are_of(self, y: Any, splits: Sequence[Any]) -> bool:
        """Return whether the test sets are those of splits of `y`."""
        return all(
            _same(test.truth, _safe_indexing(y, rows))
            for test, (_, rows) in zip(self.tests, splits, strict=True)
        )

    def data(self, cv: Any, groups: Any) -> tuple[Array, Any, list[Split]]:
        """Return numbers of all instances that were tested, what was true of them, and splits.

        They are numbered as they were first tested. Instances with equal rows are told apart
        within each pass over the data. Training sets have the right size, no more is known of them.
        """
        n_splits, sizes = len(self.tests), [number_of_samples(t.truth, "y") for t in self.tests]
        proportions = split_proportions(cv, n_splits)
        share = proportions.train_share
        of_groups = isinstance(cv, (GroupKFold, GroupShuffleSplit, StratifiedGroupKFold))
        if share is None or of_groups or groups is not None:
            raise ValueError(
                f"cv={cv!r} does not tell, without the data, which instances were in which split "
                "or belong together. Pass X and y as well, and groups=: nothing is fitted again."
            )
        splits = RecordedSplits.of(proportions, n_splits)
        are_folds = splits.published_weight * splits.n_passes > 0.99
        n_passes = splits.n_passes if are_folds else n_splits
        numbers: Array = np.arange(sum(sizes))
        rows = [test.rows for test in self.tests if test.rows is not None]
        if n_passes > 1 and len(rows) == n_splits:
            table = pd.DataFrame({"row": np.concatenate(rows)})
            of_pass = np.repeat(np.arange(n_splits) * n_passes // n_splits, sizes)
            table["nth"] = table.groupby([of_pass, "row"]).cumcount()
            numbers = table.groupby(["row", "nth"], sort=False).ngroup().to_numpy()
        distinct, first = np.unique(numbers, return_index=True)
        if n_passes > 1 and (
            len(rows) < n_splits or (are_folds and len(distinct) * n_passes != sum(sizes))
        ):
            raise ValueError(
                "Rows of X cannot be recognised from one test set to the next. Pass X and y as "
                "well: nothing is fitted again."
            )
        n = len(distinct)
        if not are_folds and proportions.test_fraction:  # some may never have been tested
            odds = proportions.test_fraction / (1 - proportions.test_fraction)
            n = max(n, round(float(np.mean(sizes)) / (share * odds)))
        n_trained = None if are_folds else round(share * n)
        truths = [test.truth for test in self.tests]
        is_sparse = sparse.issparse(truths[0])
        truth = sparse.vstack(truths, format="csr") if is_sparse else np.concatenate(truths)
        tests = np.split(numbers, np.cumsum(sizes)[:-1])
        trained = [np.setdiff1d(np.arange(n), test)[:n_trained] for test in tests]
        return np.arange(n), truth[np.resize(first, n)], list(zip(trained, tests, strict=True))


def _same(truth: Any, other: Any) -> bool:
    if sparse.issparse(truth):
        return sparse.issparse(other) and truth.shape == other.shape and not (truth != other).nnz
    return np.array_equal(truth, other)
