"""Draws in blocks, each with a random stream of its own, in as many threads as joblib is set to.

Block i has the i-th child of the seed, so the numbers do not depend on the threads
(`joblib.parallel_config(n_jobs=2)`, or `n_jobs=` of the functions that have it; one by default, and
one in workers of joblib). numpy and scipy release Python's lock in what takes long, so threads
suffice and nothing is sent to other processes. The metric is computed in the thread that drew the
block: what is kept is small, and no more blocks are in memory than there are threads. Results come
in order. The size of a block depends neither on the metric nor on how many classifiers are
compared, where draws of a pair must not depend on the others. Every change of thread costs, so
blocks are as large as memory allows, up to some thousand draws.

Draws are last in memory. Blocks are laid out (classifier, class, class, draw) and seen as (draw,
classifier, class, class): sums over axes of length 2 are then several times faster.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from itertools import chain, islice
from typing import Any, TypeVar

import joblib
import numpy as np

from skbayeseval._running import Task

T = TypeVar("T")

# The approximate memory of a block of draws, and the most draws in one. Changing them changes the
# draws of a given seed.
BLOCK_BYTES = 2**24
BLOCK = 25_000

# In bytes; larger than the arrays of a block. glibc adapts to no more than 32 MB.
LARGE_ARRAY = 2**24


def block_size(bytes_per_draw: int, most: int = BLOCK) -> int:
    """Return the number of draws in a block."""
    return max(1, min(most, BLOCK_BYTES // bytes_per_draw))


def stream_blocks(
    draw: Callable[[np.random.Generator, int], T],
    rng: np.random.Generator,
    n_draws: int,
    size: int,
) -> Iterator[T]:
    """Yield blocks of draws, each with a child of `rng`.

    Parameters
    ----------
    draw : callable
        A function of a source of randomness and of the number of draws.
    rng : numpy.random.Generator
        The parent of the sources of randomness.
    n_draws : int
        The total number of draws.
    size : int
        The number of draws in all blocks but the last. Changing it changes the draws of a given
        seed.

    Examples
    --------
    >>> import numpy as np
    >>> from joblib import parallel_config
    >>> from skbayeseval.models.blocks import stream_blocks
    >>> def draw(rng, n):
    ...     return rng.random(n)
    >>> one = np.concatenate(list(stream_blocks(draw, np.random.default_rng(0), 25, 10)))
    >>> with parallel_config(n_jobs=2):
    ...     two = np.concatenate(list(stream_blocks(draw, np.random.default_rng(0), 25, 10)))
    >>> bool((one == two).all())
    True
    """
    starts = range(0, n_draws, size)
    return in_order(draw, ((child_of(rng), min(size, n_draws - start)) for start in starts))


def child_of(rng: np.random.Generator) -> np.random.Generator:
    """Return a source of randomness that is independent of `rng` and of its other children.

    Its bit generator is the fastest that numpy has.
    """
    seeds = rng.bit_generator.seed_seq
    assert isinstance(seeds, np.random.SeedSequence)
    return np.random.Generator(np.random.SFC64(seeds.spawn(1)[0]))


def in_order(function: Callable[..., T], tasks: Iterable[tuple[Any, ...]]) -> Iterator[T]:
    """Yield the function's value for the arguments of each task, in the order of the tasks."""
    _keep_freed_memory()
    tasks = iter(tasks)
    first = list(islice(tasks, 2))
    tasks = chain(first, tasks)
    # What joblib's settings ask for; 1 unless they are set.
    n_threads = 1 if len(first) < 2 else joblib.effective_n_jobs(None)
    if n_threads > 1:  # other backends may have workers on other machines
        n_threads = min(n_threads, joblib.cpu_count())
    if n_threads == 1:
        for arguments in tasks:
            yield function(*arguments)
        return
    # With the caller's settings, and so with its handling of floating-point errors.
    task, errors = Task(function), np.geterr()
    call: Any = np.geterrcall()

    def run(arguments: tuple[Any, ...]) -> T:
        with np.errstate(call=call, **errors):
            return task(*arguments)

    ahead: deque[Future[T]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            for arguments in tasks:
                ahead.append(pool.submit(run, arguments))
                if len(ahead) == 2 * n_threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:  # an error, Ctrl-C, or nobody wants the rest
            for waiting in ahead:
                waiting.cancel()


@cache
def _keep_freed_memory() -> None:
    """Have the C library keep the memory of a block for the next one.

    By default, glibc returns freed memory to the operating system, which takes as long to give it
    out again as the arithmetic on it. Once a large array has been freed, which need not be touched,
    it keeps that of smaller ones. Elsewhere, nothing happens.
    """
    np.empty(LARGE_ARRAY, dtype=np.uint8)
