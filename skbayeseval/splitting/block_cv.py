"""m x 2 block-regularised cross-validation: the splitter and the weight of its pooled counts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.linalg import hadamard
from scipy.special import xlogy
from sklearn.model_selection import (
    BaseCrossValidator,
    BaseShuffleSplit,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.utils import check_random_state, indexable

from skbayeseval._arrays import (
    Array,
    as_array,
    as_numbers,
    check_same_length,
    number_of_samples,
    wrong,
)
from skbayeseval._labels import check_label_vector, kind_of_labels
from skbayeseval._validation import check_whole_number
from skbayeseval.splitting.balance import balanced_partition, deal

MOST_REPEATS = 11


class BlockRegularizedCV(BaseCrossValidator):
    """m x 2 block-regularised cross-validation.

    The data are divided into 4, 8 or 12 blocks of equal size that are balanced in the class
    frequencies (or in other frequencies, see `regularize`). A two-level orthogonal array combines
    the blocks into m two-fold cross-validations, so that training sets of different repeats share
    a quarter of the instances. ``n_repeats=3`` gives the 3 x 2 BCV of Wang and Li (2019), in which
    every instance is validated three times.

    Parameters
    ----------
    n_repeats : int, default=3
        The number m of two-fold cross-validations, from 2 to 11. Up to 3 repeats use 4 blocks,
        up to 7 repeats use 8 blocks, and more repeats use 12 blocks.
    regularize : "auto", None, callable or array-like of shape (n_samples, k), default="auto"
        The frequencies in which the blocks are balanced, in addition to their size:

        - "auto": the classes of `y`, or every label of a multi-label indicator. A continuous `y`
          is not balanced.
        - None: no balancing.
        - callable ``(X, y) -> (n_samples, k)`` or array: the frequencies of each instance, for
          example the number of entities of each type in a sentence. Use a callable for nested
          cross-validation, because an array matches only one data set.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same blocks in every call of `split`. None gives different blocks in
        each call.

    Attributes
    ----------
    weight : float
        The weight of one count pooled over all 2 m test sets.

    See Also
    --------
    bayesian_cross_validate : Compare two estimators on these splits.

    Examples
    --------
    >>> import numpy as np
    >>> from skbayeseval import BlockRegularizedCV
    >>> X, y = np.zeros((8, 1)), np.array([0, 1] * 4)
    >>> cv = BlockRegularizedCV(random_state=0)
    >>> cv.get_n_splits(), round(cv.weight, 4)
    (6, 0.3688)
    >>> for train, test in cv.split(X, y):
    ...     print(len(train), len(test), y[train].mean())
    4 4 0.5
    4 4 0.5
    4 4 0.5
    4 4 0.5
    4 4 0.5
    4 4 0.5
    """

    # Tells scikit-learn's metadata routing that `split` accepts groups.
    __metadata_request__split: ClassVar[dict[str, bool]] = {"groups": True}

    def __init__(
        self,
        n_repeats: int = 3,
        *,
        regularize: str | ArrayLike | Callable[[Any, Any], ArrayLike] | None = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_repeats = n_repeats
        self.regularize = regularize
        self.random_state = random_state

    @property
    def weight(self) -> float:
        """The weight of one count pooled over all test sets."""
        return calibrated_weight(self._n_repeats())

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits, 2 m.

        Parameters
        ----------
        X, y, groups : object
            Ignored, present for API consistency.

        Returns
        -------
        n_splits : int
            The number of splits.
        """
        return 2 * self._n_repeats()

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Generate indices of training and test sets.

        Splits 2 j and 2 j + 1 are the two folds of repeat j: the training set of one is the test
        set of the other.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            The data.
        y : array-like of shape (n_samples,), default=None
            The labels.
        groups : array-like of shape (n_samples,), default=None
            Group labels. All instances of a group are assigned to the same block.

        Yields
        ------
        train, test : ndarray
            The indices of the training set and of the test set.
        """
        check_same_length(X=X, y=y, groups=groups)
        X, y, groups = indexable(X, y, groups)
        array = orthogonal_array(self._n_repeats())
        blocks = self._blocks(X, y, groups, n_blocks=len(array))
        for side in array.T:
            in_first = side[blocks]
            first, second = np.flatnonzero(in_first), np.flatnonzero(~in_first)
            yield first, second
            yield second, first

    def _n_repeats(self) -> int:
        m = check_whole_number(self.n_repeats, "n_repeats", minimum=2)
        if m > MOST_REPEATS:
            raise ValueError(f"n_repeats == {m}, must be <= {MOST_REPEATS}.")
        return m

    def _blocks(self, X: Any, y: Any, groups: Any, n_blocks: int) -> Array:
        """Return the block index of each instance."""
        n_samples = number_of_samples(X, "X")
        if n_samples < n_blocks:
            raise ValueError(
                f"Cannot have number of blocks={n_blocks} greater than the number of samples: "
                f"n_samples={n_samples}."
            )
        try:
            rng = check_random_state(self.random_state)
        except ValueError as error:
            wanted = f"an int from 0 to {2**32 - 1}, a numpy.random.RandomState or None"
            raise wrong("random_state", wanted, self.random_state) from error
        frequencies = self._frequencies(X, y, n_samples, n_blocks)
        if groups is not None:
            labels = check_label_vector(groups, "groups", classes=False)
            _, unit = np.unique(labels, return_inverse=True)
            return _whole_groups(np.ravel(unit), frequencies, n_blocks, rng)
        if frequencies is None:
            return deal(np.zeros(n_samples, dtype=int), n_blocks, rng)
        if frequencies.ndim == 1:
            return deal(frequencies, n_blocks, rng)
        return balanced_partition(frequencies, n_blocks, rng, equal_sizes=True)

    def _frequencies(self, X: Any, y: Any, n_samples: int, n_blocks: int) -> Any:
        """Return None, a vector of class codes, or a sparse matrix of frequencies."""
        if isinstance(self.regularize, str):
            if self.regularize != "auto":
                wanted = "'auto', None, a callable (X, y) -> (n_samples, k) or an array"
                raise wrong("regularize", wanted, self.regularize)
            return None if y is None else _frequencies_of_target(y, n_blocks)
        if self.regularize is None:
            return None
        given = self.regularize(X, y) if callable(self.regularize) else self.regularize
        matrix: Any = given
        if not sparse.issparse(given):
            matrix = as_numbers(given, "regularize")
            matrix = matrix[:, None] if matrix.ndim == 1 else matrix
        if matrix.ndim != 2 or matrix.shape[0] != n_samples:
            raise ValueError(
                f"The frequencies of regularize have shape {matrix.shape}, but there are "
                f"{n_samples} samples. An array matches only one data set; for nested "
                "cross-validation pass a callable (X, y) -> (n_samples, k)."
            )
        matrix = sparse.csr_matrix(matrix, dtype=float)
        if not np.isfinite(matrix.data).all() or (matrix.data < 0).any():
            raise ValueError("The frequencies of regularize must not be negative, NaN or infinite.")
        return matrix


def calibrated_weight(n_repeats: int = 3) -> float:
    r"""Return the weight of counts pooled over `n_repeats` x 2 runs.

    Pooled counts contain every instance `n_repeats` times, and the runs are correlated. The
    effective count is the pooled count times the average of
    :math:`1 / (1 + \rho_1 + 2 (m - 1) \rho_2)` over :math:`\rho_1 \in [0, 1/2]` and
    :math:`\rho_2 \in [1/4, 1/2]` (Wang and Li 2019, eq. 22; their m is 3, other values extend
    the same argument).

    Parameters
    ----------
    n_repeats : int, default=3
        The number m of two-fold cross-validations.

    Returns
    -------
    weight : float
        The weight of one pooled count.

    Examples
    --------
    >>> from skbayeseval.splitting.block_cv import calibrated_weight
    >>> round(calibrated_weight(3), 4)
    0.3688
    """
    m = check_whole_number(n_repeats, "n_repeats")
    if m == 1:
        return float(2 * np.log(1.5))
    slope = 2 * (m - 1)

    # The inner integral over rho_1 is log(a + 1/2) - log(a). The antiderivative of log x is
    # x log x - x, whose linear terms cancel. The area of the rectangle is 1/8.
    def corner(rho_1: float, rho_2: float) -> float:
        x = 1 + rho_1 + slope * rho_2
        return float(xlogy(x, x))

    return 8 / slope * (corner(0.5, 0.5) - corner(0, 0.5) - corner(0.5, 0.25) + corner(0, 0.25))


def orthogonal_array(n_repeats: int) -> NDArray[np.bool_]:
    """Return which blocks (rows) are in the first half of each repeat (columns).

    The array is a Hadamard matrix without its constant column: each column selects half of the
    blocks, and any two columns have a quarter of the blocks in common.
    """
    if n_repeats <= 3:
        matrix = hadamard(4)
    elif n_repeats <= 7:
        matrix = hadamard(8)
    else:
        matrix = _hadamard_12()
    return matrix[:, 1 : n_repeats + 1] > 0


def _hadamard_12() -> Array:
    """Return a Hadamard matrix of order 12 by Paley's construction, with column 0 equal to +1."""
    residues = {i * i % 11 for i in range(1, 11)}
    character = np.array([0, *(1 if i in residues else -1 for i in range(1, 11))])
    skew = np.zeros((12, 12), dtype=int)
    skew[0, 1:], skew[1:, 0] = 1, -1
    skew[1:, 1:] = character[(np.arange(11)[:, None] - np.arange(11)) % 11]
    matrix = skew + np.eye(12, dtype=int)
    return matrix * matrix[:, :1]


def _frequencies_of_target(y: Any, n_blocks: int) -> Any:
    """Return class codes, a sparse indicator matrix, or None if `y` contains no classes."""
    if _has_missing(y):
        raise ValueError(
            "Input y contains NaN, infinity or missing values, which cannot be balanced between "
            "blocks. Remove these instances, or pass regularize=None."
        )
    kind = kind_of_labels(y)
    if kind == "indicator":
        matrix = sparse.csr_matrix(y, dtype=float, copy=True)
        matrix.sum_duplicates()  # every entry is stored once
        return matrix
    if kind != "classes":  # sequences of labels, such as tagged sentences, or numbers
        return None
    target = np.ravel(as_array(y, "y"))
    _, codes, counts = np.unique(target, return_inverse=True, return_counts=True)
    if target.dtype.kind == "f" and counts.mean() < n_blocks:
        return None  # a regression target that happens to contain whole numbers
    if counts.max() < n_blocks:
        raise ValueError(
            f"n_blocks={n_blocks} cannot be greater than the number of members in each class, "
            f"which is {counts.max()} at most. If y does not contain classes, pass "
            "regularize=None, as in cv=BlockRegularizedCV(regularize=None)."
        )
    if counts.min() < n_blocks:
        warnings.warn(
            f"The least populated class in y has only {counts.min()} members, which is less than "
            f"n_blocks={n_blocks}.",
            stacklevel=5,
        )
    return np.ravel(codes)


def _has_missing(y: Any) -> bool:
    """Return whether a vector of labels contains NaN, infinity or None."""
    if getattr(y, "ndim", 1) != 1:
        return False
    if getattr(y, "dtype", None) in (np.float16, np.float32, np.float64):
        return not np.isfinite(np.asarray(y)).all()
    return bool(pd.isna(np.fromiter(y, dtype=object, count=len(y))).any())


def _whole_groups(
    unit: Array, frequencies: Any, n_blocks: int, rng: np.random.RandomState
) -> Array:
    """Return blocks that do not split groups, balanced in size and frequencies."""
    n_units = int(unit.max()) + 1
    if n_units < n_blocks:
        raise ValueError(
            f"BlockRegularizedCV makes {n_blocks} blocks of whole groups, but there are only "
            f"{n_units} groups. Pass another cv=, such as GroupKFold({n_units})."
        )
    rows = np.arange(len(unit))
    columns = [sparse.csr_matrix(np.ones((len(unit), 1)))]
    if frequencies is None:
        columns *= 2
    elif frequencies.ndim == 1:
        columns.append(sparse.csr_matrix((np.ones(len(unit)), (rows, frequencies))))
    else:
        columns.append(frequencies)
    to_unit = sparse.csr_matrix((np.ones(len(unit)), (unit, rows)), (n_units, len(unit)))
    sums = to_unit @ sparse.hstack(columns, format="csr")
    return balanced_partition(sums, n_blocks, rng, equal_sizes=False)[unit]


# The name of splits that were given, in place of a splitter.
AS_GIVEN = "splits as given"

FOLDS = (KFold, StratifiedKFold, GroupKFold, StratifiedGroupKFold, LeaveOneOut)


REPEATED_FOLDS = (RepeatedKFold, RepeatedStratifiedKFold)


DISJOINT = (LeaveOneGroupOut, TimeSeriesSplit)


class SplitProportions(NamedTuple):
    """Properties of splits that are known without the data; None if unknown.

    Attributes
    ----------
    test_fraction : float or None
        The number of test instances divided by the number of test and training instances of one
        split.
    weight : float or None
        The weight of one count pooled over the test sets.
    train_share : float or None
        The number of training instances of one split divided by the number of all instances.

    Examples
    --------
    >>> from sklearn.model_selection import RepeatedKFold
    >>> from skbayeseval.splitting.block_cv import split_proportions
    >>> split_proportions(RepeatedKFold(n_splits=5, n_repeats=4), n_splits=20)
    SplitProportions(test_fraction=0.2, weight=0.25, train_share=0.8)
    """

    test_fraction: float | None = None
    weight: float | None = None
    train_share: float | None = None


def split_proportions(cv: Any, n_splits: int) -> SplitProportions:
    """Return the proportions of `n_splits` splits of `cv` (int, splitter or list of splits)."""
    if cv is None or isinstance(cv, Integral):
        return _of_folds(5 if cv is None else int(cv), 1)
    if isinstance(cv, BlockRegularizedCV):
        return SplitProportions(0.5, calibrated_weight(n_splits // 2), 0.5)
    if isinstance(cv, FOLDS):
        return _of_folds(n_splits, 1)
    if isinstance(cv, REPEATED_FOLDS):
        return _of_folds(n_splits // cv.n_repeats, cv.n_repeats)
    if isinstance(cv, BaseShuffleSplit):
        return _of_shuffles(cv, n_splits)
    if isinstance(cv, PredefinedSplit):
        return _of_splits(list(cv.split()))
    if isinstance(cv, DISJOINT):
        return SplitProportions(weight=1.0)
    if isinstance(cv, Sequence) and cv:
        return _of_splits(cv)
    return SplitProportions()


def cautious_proportions(n_splits: int, sizes: Array | None = None) -> SplitProportions:
    """Return conservative proportions for unknown splits, assumed to be repeated k-fold.

    The smallest possible k is assumed, because fewer folds mean more repeats and a smaller weight.
    `sizes`, if known, holds the number of instances of each class in each test set. In repeated
    k-fold, these sum to the same class totals in every k consecutive test sets, which can exclude
    values of k.
    """
    if n_splits == 1:
        return SplitProportions(weight=1.0)
    n_folds = next(k for k in range(2, n_splits + 1) if _may_be_folds(k, n_splits, sizes))
    return _of_folds(n_folds, n_splits // n_folds)


def _may_be_folds(n_folds: int, n_splits: int, sizes: Array | None) -> bool:
    """Return whether the splits can be (repeated) k-fold with k = `n_folds`."""
    if n_splits % n_folds:
        return False
    if sizes is None:
        return True
    sums = np.asarray(sizes).reshape(-1, n_folds, np.shape(sizes)[-1]).sum(axis=1)
    return bool((sums == sums[0]).all())


def weight_of_fraction(
    cv: Any, test_fraction: float, n_splits: int, sizes: Array | None = None
) -> float:
    """Return the weight of one pooled count when only the test fraction is known.

    The splits are treated as (repeated) k-fold if they can be, else as random test sets.
    """
    n_folds = max(2, round(min(1 / test_fraction, 1e9)))
    are_folds = abs(n_folds * test_fraction - 1) < 0.01 and _may_be_folds(n_folds, n_splits, sizes)
    if are_folds and not isinstance(cv, BaseShuffleSplit):
        return n_folds / n_splits
    return weight_at_random(test_fraction, n_splits)


def weight_at_random(test_share: float, n_splits: int) -> float:
    """Return the expected weight of one count pooled over random test sets.

    An instance is tested r ~ Binomial(J, f) times, so that E(r) / E(r^2) = 1 / ((1 - f) + J f).
    """
    return float(1 / (1 - test_share + n_splits * test_share))


def pooled_weight(cv: Any, tests: Sequence[Array]) -> float:
    """Return the weight of one count pooled over the test sets of `cv`."""
    if isinstance(cv, BlockRegularizedCV):
        return calibrated_weight(len(tests) // 2)
    # Kish's effective sample size over the pooled size: sum(r) / sum(r^2).
    times = np.bincount(np.concatenate(tests))
    return float(times.sum() / np.square(times).sum())


def splitter_name(cv: Any) -> str:
    """Return the name of the splitter for messages."""
    if cv is None or isinstance(cv, Integral):
        return f"{5 if cv is None else int(cv)}-fold cross-validation"
    name = type(cv).__name__  # private where scikit-learn wraps a list of splits
    return name if hasattr(cv, "split") and not name.startswith("_") else AS_GIVEN


def _of_folds(n_folds: int, n_repeats: int) -> SplitProportions:
    return SplitProportions(1 / n_folds, 1 / n_repeats, 1 - 1 / n_folds)


def _of_shuffles(cv: Any, n_splits: int) -> SplitProportions:
    """Return the proportions of independent random test sets."""
    test, train = cv.test_size, cv.train_size
    if all(isinstance(size, Integral) for size in (test, train)):
        return SplitProportions(test_fraction=int(test) / (int(test) + int(train)))
    shares = [size for size in (test, train) if size is not None]
    if any(isinstance(size, Integral) or not isinstance(size, Real) for size in shares):
        return SplitProportions()
    if test is None:
        test = 1 - train if train is not None else 0.2 if isinstance(cv, GroupShuffleSplit) else 0.1
    train = 1 - test if train is None else train
    return SplitProportions(
        float(test / (test + train)), weight_at_random(test, n_splits), float(train)
    )


def _of_splits(splits: Sequence[Any]) -> SplitProportions:
    """Return the proportions of an explicit list of splits."""
    try:
        pairs = [(_positions(train), _positions(test)) for train, test in splits]
        n_samples = 1 + max(int(part.max()) for pair in pairs for part in pair)
    except (TypeError, ValueError):
        return SplitProportions()
    if min(int(part.min()) for pair in pairs for part in pair) < 0:
        return SplitProportions()
    fraction = np.mean([len(test) / (len(train) + len(test)) for train, test in pairs])
    share = np.mean([len(train) / n_samples for train, _ in pairs])
    return SplitProportions(
        float(fraction), pooled_weight(None, [test for _, test in pairs]), float(share)
    )


def _positions(part: Any) -> Array:
    array = np.asarray(part)
    return np.flatnonzero(array) if array.dtype == bool else array.astype(np.intp, casting="safe")
