"""m x 2 block-regularised cross-validation: the splitter and the weight of its pooled counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.linalg import hadamard
from scipy.special import xlogy
from sklearn.model_selection import BaseCrossValidator, StratifiedGroupKFold
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
from skbayeseval._validation import check_whole_number, warn_caller

MOST_REPEATS = 11

# The search for a swap considers at most this many units of each block.
CANDIDATES = 400

# Cost per unit already in a block; breaks ties in favour of the smaller block.
TIE = 1e-6


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
        rng = check_random_state(self.random_state)
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


class BalancedGroupKFold(StratifiedGroupKFold):
    """At most `n_splits` folds of whole groups, and five at least, with all classes in each fold.

    Where groups are few, those of `StratifiedGroupKFold` often lack a class that they could have:
    of random tables of 8 groups, 99% with 12 rows and 73% with 24; here 0 and 2%.
    """

    def split(
        self, X: Any, y: Any, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Generate indices of training and test sets."""
        codes = np.ravel(np.unique(check_label_vector(y, "y"), return_inverse=True)[1])
        labels = check_label_vector(groups, "groups", classes=False)
        unit = np.ravel(np.unique(labels, return_inverse=True)[1])
        tried = []
        for n_folds in range(self.n_splits, 4, -1):
            tried.append(_whole_groups(unit, codes, n_folds, check_random_state(self.random_state)))
            if pd.crosstab(tried[-1], codes).to_numpy().all():
                break
        else:
            tried = tried[:1]
        for fold in np.unique(tried[-1]):
            yield np.flatnonzero(tried[-1] != fold), np.flatnonzero(tried[-1] == fold)


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
    if n_repeats <= 7:
        matrix = hadamard(4 if n_repeats <= 3 else 8)
    else:  # of order 12, which scipy does not have: Paley's construction
        residues = {i * i % 11 for i in range(1, 11)}
        character = np.array([0, *(1 if i in residues else -1 for i in range(1, 11))])
        matrix = np.eye(12, dtype=int)
        matrix[0, 1:], matrix[1:, 0] = 1, -1
        matrix[1:, 1:] += character[(np.arange(11)[:, None] - np.arange(11)) % 11]
        matrix *= matrix[:, :1].copy()  # column 0 is that of ones
    return matrix[:, 1 : n_repeats + 1] > 0


def _frequencies_of_target(y: Any, n_blocks: int) -> Any:
    """Return class codes, a sparse indicator matrix, or None if `y` contains no classes."""
    if getattr(y, "ndim", 1) == 1 and pd.isna(np.fromiter(y, object, count=len(y))).any():
        raise ValueError(
            "Input y contains NaN or missing values, which cannot be balanced between blocks. "
            "Remove these instances, or pass regularize=None."
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
        warn_caller(
            f"The least populated class in y has only {counts.min()} members, which is less than "
            f"n_blocks={n_blocks}."
        )
    return np.ravel(codes)


def _whole_groups(
    unit: Array, frequencies: Any, n_blocks: int, rng: np.random.RandomState
) -> Array:
    """Return blocks that do not split groups, balanced in size and frequencies."""
    n_units = int(unit.max()) + 1
    if n_units < n_blocks:
        other = f" Pass another cv=, such as GroupKFold({n_units})." if n_units > 1 else ""
        raise ValueError(
            f"BlockRegularizedCV makes {n_blocks} blocks of whole groups, but the number of "
            f"groups is {n_units}.{other}"
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


def deal(codes: Array, n_blocks: int, rng: np.random.RandomState) -> Array:
    """Assign units to blocks in turn, class by class.

    Block sizes and class counts differ by at most 1 between blocks.
    """
    shuffled = rng.permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    blocks = np.empty(len(codes), dtype=int)
    blocks[by_class] = rng.permutation(n_blocks)[np.arange(len(codes)) % n_blocks]
    return blocks


def balanced_partition(
    columns: Any, n_blocks: int, rng: np.random.RandomState, *, equal_sizes: bool
) -> Array:
    """Partition units into blocks whose column sums are close to each other.

    A greedy pass assigns units one at a time, roughly from heaviest to lightest in a randomised
    order. Each unit goes to the block that increases the squared error least. A local search then
    moves and swaps units between blocks as long as the squared error decreases.

    Parameters
    ----------
    columns : ndarray or sparse matrix of shape (n_units, k)
        The contribution of each unit to the column sums. Must be non-negative.
    n_blocks : int
        The number of blocks.
    rng : numpy.random.RandomState
        The random number generator.
    equal_sizes : bool
        Whether block sizes must differ by at most 1.

    Returns
    -------
    blocks : ndarray of shape (n_units,)
        The block index of each unit.
    """
    # Most units contribute to few of many columns, such as classes.
    columns = sparse.csr_matrix(columns, dtype=float)
    total = np.ravel(columns.sum(axis=0))
    scaled = columns[:, np.flatnonzero(total > 0)]
    scaled.data *= n_blocks / total[total > 0][scaled.indices]  # the target sum per block is 1
    n_units = scaled.shape[0]
    if scaled.shape[1] == 0:
        return deal(np.zeros(n_units, dtype=int), n_blocks, rng)
    blocks = np.full(n_units, -1)
    sums = np.zeros((n_blocks, scaled.shape[1]))
    sizes = np.zeros(n_blocks, dtype=int)
    capacity = np.full(n_blocks, -(-n_units // n_blocks) if equal_sizes else n_units)
    if equal_sizes and n_units % n_blocks:
        # n_units % n_blocks randomly chosen blocks hold one unit more than the others.
        capacity -= 1
        capacity[rng.permutation(n_blocks)[: n_units % n_blocks]] += 1
    weight = np.sqrt(_squared(scaled)) * rng.uniform(0.4, 1.6, n_units)
    for unit in np.argsort(-weight + 1e-12 * rng.uniform(size=n_units)):
        entries = slice(*scaled.indptr[unit : unit + 2])
        here, x = scaled.indices[entries], scaled.data[entries]
        # Adding x to block b changes the sum of squared sums by 2 x . s_b + const.
        cost = sums[:, here] @ x + TIE * sizes
        cost[sizes >= capacity] = np.inf
        block = _first_smallest(cost)
        blocks[unit], sizes[block] = block, sizes[block] + 1
        sums[block, here] += x
    _improve(scaled, blocks, sums, rng, moves=not equal_sizes)
    return rng.permutation(n_blocks)[blocks]


def _squared(rows: Any) -> Array:
    """Return the sum of squares of each row of a sparse matrix."""
    return np.ravel(rows.multiply(rows).sum(axis=1))


def _improve(
    scaled: Any, blocks: Array, sums: Array, rng: np.random.RandomState, *, moves: bool
) -> None:
    """Swap (and optionally move) units while the squared error decreases, worst block first."""
    n_blocks = len(sums)
    for _ in range(50 * n_blocks):
        for block in np.argsort(-np.abs(sums - 1).max(axis=1).round(9), kind="stable"):
            found = [
                (*swap, int(other))
                for other in range(n_blocks)
                if other != block
                and (swap := _best_swap(scaled, blocks, sums, block, other, rng, moves=moves))
            ]
            if found:
                break
        else:
            return
        _, mine, theirs, gain, other = found[
            _first_smallest(np.array([change for change, *_ in found]))
        ]
        blocks[mine], blocks[theirs] = other, block
        sums[block] += gain
        sums[other] -= gain


def _best_swap(
    scaled: Any,
    blocks: Array,
    sums: Array,
    block: int,
    other: int,
    rng: np.random.RandomState,
    *,
    moves: bool,
) -> tuple[float, list[int], list[int], Array] | None:
    """Return the swap that reduces the squared error most, or None if no swap does.

    The last element of the tuple is the change of the column sums of `block`.
    """
    here = _sample(np.flatnonzero(blocks == block), rng)
    there = _sample(np.flatnonzero(blocks == other), rng)
    gap = sums[block] - sums[other]
    given, taken = scaled[here], scaled[there]
    if moves:  # the zero row stands for a move without a unit in exchange
        nothing = sparse.csr_matrix((1, len(gap)))
        given, taken = (sparse.vstack([rows, nothing], format="csr") for rows in (given, taken))
    # If `block` gains v, the squared error changes by 2 v . gap + 2 v . v.
    change = (
        2 * ((taken @ gap)[None, :] - (given @ gap)[:, None])
        + 2 * _squared(given)[:, None]
        + 2 * _squared(taken)[None, :]
        - 4 * (given @ taken.T).toarray()
    )
    i, j = np.unravel_index(_first_smallest(change), change.shape)
    if change[i, j] > -1e-12:
        return None
    mine = [int(here[i])] if i < len(here) else []
    theirs = [int(there[j])] if j < len(there) else []
    return float(change[i, j]), mine, theirs, (taken[[j]] - given[[i]]).toarray()[0]


def _first_smallest(cost: Array) -> int:
    """Return the index of the first minimum, treating costs within 1e-9 as equal.

    Without the tolerance, ties would be broken by rounding errors, which depend on the processor.
    """
    return int(np.argmax(cost <= cost.min() + 1e-9))


def _sample(units: Array, rng: np.random.RandomState) -> Array:
    return units if len(units) <= CANDIDATES else rng.choice(units, CANDIDATES, replace=False)
