"""The constants of kappa, from cross-validations of real data whose truth is known.

    python benchmarks/coverage/weight.py                             # seconds
    python benchmarks/coverage/weight.py --records .cache/records    # makes weight.npz again

kappa is the variance of a cross-validated metric divided by its test noise. The package takes
STABLE times a power of the instabilities B of the learners in halves of the data, or
KAPPA_UNKNOWN where there are no halves, and BY_CLASS times as much for metrics that instances of
different classes contribute to differently. The first command fits these constants to weight.npz
and prints them, and what they are worth. The halves beside folds are balanced here; constants for
halves drawn at random are those of halves.py. The second one makes weight.npz of what real.py has
recorded.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import minimize_scalar

Array = NDArray[Any]

FILE = Path(__file__).with_name("weight.npz")
# Splits: those of real.py, and the share of instances in a training set.
SCHEMES = {"3x2": 0.5, "5-fold": 0.8, "10-fold": 0.9, "2 x 10-fold": 0.9, "25 x 90/10": 0.9}
# The shares of instances in training sets whose truth is known.
SHARES = (0.5, 0.8, 0.9, 1.0)
DF, POWER, POWER_DIFFERENCE, POWER_EACH = 10.0, 0.7, 0.2, 0.35
# An interval of 10 degrees of freedom, in standard deviations.
REACH = stats.t.ppf(0.975, DF)
# The mean coverage of every kind of splits: over all populations, and in either half of them.
AT_LEAST, AT_LEAST_IN_HALF = 0.945, 0.94


class Constants(NamedTuple):
    """The constants of kappa, which the package has in `posterior.inferred_weight`."""

    stable_one: float
    stable_pair: float
    unseen: float
    by_class: float


class Cells(NamedTuple):
    """Quantities, which are metrics of one learner or differences of two, in many data sets.

    Attributes
    ----------
    problem, learners, metric : ndarray of shape (n_cells,)
        What a cell is about.
    half : ndarray of shape (n_cells,)
        The half of the populations.
    apart : ndarray of shape (n_cells,)
        1 for a learner at chance level, 2 for many classes with few instances, otherwise 0.
    members : ndarray of shape (n_cells, 2)
        The cells of the learners; twice that of a single one.
    z : ndarray of shape (n_schemes, n_cells, n_sets)
        The distance from the truth, in standard deviations of the test noise.
    noise : ndarray of shape (n_schemes, n_cells, n_sets)
        The test noise, divided by the variance over data sets.
    log_b : ndarray of shape (n_cells, n_sets)
        The logarithm of max(B, 1).
    step : ndarray of shape (n_schemes, n_cells)
        By how much the truth of all instances is larger, in standard deviations over data sets.
    """

    problem: Array
    learners: Array
    metric: Array
    half: Array
    apart: Array
    members: Array
    z: Array
    noise: Array
    log_b: Array
    step: Array

    @property
    def is_pair(self) -> Array:
        """Whether a cell is about a difference."""
        return self.members[:, 0] != self.members[:, 1]

    @property
    def is_average(self) -> Array:
        """Whether all instances contribute alike to the metric."""
        return self.metric == "accuracy"

    def log_powers(self) -> Array:
        """Return the logarithm of what instability does to kappa."""
        a, b = self.log_b[self.members.T]
        pair = POWER_DIFFERENCE * self.log_b + POWER_EACH * (a + b)
        return np.where(self.is_pair[:, None], pair, POWER * self.log_b)

    def kappa(self, constants: Constants, *, seen: bool = True) -> Array:
        """Return the scale of kappa."""
        stable = np.where(self.is_pair, constants.stable_pair, constants.stable_one)
        base = (stable if seen else constants.unseen) * np.where(
            self.is_average, 1.0, constants.by_class
        )
        return base[:, None] * (np.exp(self.log_powers()) if seen else np.ones_like(self.log_b))

    def hits(self, scheme: int, kappa: Array, *, full: bool = False) -> Array:
        """Return the coverage of each cell, also of the truth of all instances."""
        z = self.z[scheme]
        if full:
            with np.errstate(divide="ignore", invalid="ignore"):
                z = z - np.nan_to_num(self.step[scheme][:, None] / np.sqrt(self.noise[scheme]))
        return np.mean(np.abs(z) <= REACH * np.sqrt(kappa), axis=1)

    def widths(self, scheme: int, kappa: Array) -> Array:
        """Return the mean width of intervals, relative to 1.96 standard deviations either side."""
        return REACH / 1.96 * np.sqrt(kappa * self.noise[scheme]).mean(axis=1)


# Numbers, and logarithms, are rounded to multiples of 1 / 16 in the file. Where there is no test
# noise, the truth is so far.
ROUND, FAR = 16, 2000


def save(cells: Cells, path: Path) -> None:
    """Write cells with rounded numbers."""
    with np.errstate(divide="ignore"):
        noise = np.clip(np.rint(ROUND * np.log(cells.noise)), -128, 127).astype(np.int8)
    numbers = {
        "z": np.rint(ROUND * cells.z).astype(np.int16),
        "noise": noise,
        "log_b": np.clip(np.rint(ROUND * cells.log_b), 0, 127).astype(np.int8),
        "step": cells.step.astype(np.float32),
        "members": cells.members.astype(np.int16),
        "half": cells.half.astype(np.int8),
        "apart": cells.apart.astype(np.int8),
    }
    np.savez_compressed(path, **cells._replace(**numbers)._asdict())


def load(path: Path = FILE) -> Cells:
    """Read cells."""
    kept = dict(np.load(path))
    kept["noise"] = np.where(
        kept["noise"] == -128, 0.0, np.exp(kept["noise"].astype(float) / ROUND)
    )
    return Cells(**kept | {"z": kept["z"] / ROUND, "log_b": kept["log_b"] / ROUND})


def likely(z: Array, log_powers: Array) -> float:
    """Return the most likely factor of kappa."""

    def loss(log_factor: float) -> float:
        log_sd = (log_factor + log_powers) / 2
        return float(np.mean(log_sd - stats.t.logpdf(z * np.exp(-log_sd), DF)))

    return float(np.exp(minimize_scalar(loss, bounds=(-2, 3), method="bounded").x))


def fit(cells: Cells) -> Constants:
    """Return the constants.

    BY_CLASS is the ratio of the most likely factors, averaged over kinds of splits. The others are
    the smallest multiples of 0.1 with which intervals cover often enough on average in every kind
    of splits; STABLE also in either half of the populations. Without halves there is less to go
    by, and one population weighs more.
    """
    usual, powers = cells.apart == 0, cells.log_powers()
    ratios = []
    for pair in (False, True):
        for scheme in range(len(SCHEMES)):
            factors = []
            for average in (True, False):
                chosen = usual & (cells.is_pair == pair) & (cells.is_average == average)
                has_noise = cells.noise[scheme][chosen] > 0
                z = cells.z[scheme][chosen][has_noise]
                factors.append(likely(z, powers[chosen][has_noise]))
            ratios.append(factors[1] / factors[0])
    by_class = round(20 * float(np.exp(np.mean(np.log(ratios))))) / 20

    def enough(factor: float, chosen: Array, seen: bool) -> bool:
        kappa = cells.kappa(Constants(factor, factor, factor, by_class), seen=seen)
        for scheme in range(0 if seen else 1, len(SCHEMES)):
            hits = cells.hits(scheme, kappa)
            in_halves = [hits[chosen & (cells.half == half)].mean() for half in (0, 1)]
            if hits[chosen].mean() < AT_LEAST or (seen and min(in_halves) < AT_LEAST_IN_HALF):
                return False
        return True

    def smallest(chosen: list[Array], seen: bool = True) -> float:
        steps = (step / 10 for step in range(5, 50))
        return next(f for f in steps if all(enough(f, some, seen) for some in chosen))

    one, pair = usual & ~cells.is_pair, usual & cells.is_pair
    return Constants(smallest([one]), smallest([pair]), smallest([one, pair], False), by_class)


def lines(cells: Cells, constants: Constants) -> Iterator[str]:
    """Yield the constants, and the table of what they are worth."""
    yield "  ".join(f"{name.upper()} = {value}" for name, value in constants._asdict().items())
    yield ""
    yield "| quantity | splits | halves | truth | cells | mean | worst | under 0.90 | width |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    groups = {"usual": 0, "at chance level": 1, "many classes, few instances": 2}
    for group, apart in groups.items():
        for pair, quantity in enumerate(("one learner", "a difference")):
            chosen = (cells.apart == apart) & (cells.is_pair == pair)
            for scheme, (name, share) in enumerate(SCHEMES.items()):
                for seen in (True, False) if scheme else (True,):
                    for full in (False, True) if name == "10-fold" and seen else (False,):
                        kappa = cells.kappa(constants, seen=seen)
                        hits = cells.hits(scheme, kappa, full=full)[chosen]
                        width = np.median(cells.widths(scheme, kappa)[chosen])
                        words = [quantity if not apart else f"{quantity}, {group}", name]
                        words += ["seen" if seen else "unseen", "n" if full else f"{share} n"]
                        words += [str(chosen.sum()), f"{hits.mean():.3f}", f"{hits.min():.2f}"]
                        words += [f"{100 * np.mean(hits < 0.9):.0f}%", f"{width:.2f}"]
                        yield f"| {' | '.join(words)} |"
    yield ""
    yield "The lowest usual cells, 3x2 and 10-fold:"
    kappa = cells.kappa(constants)
    for scheme in (0, 2):
        hits = np.where(cells.apart == 0, cells.hits(scheme, kappa), 2.0)
        for cell in np.argsort(hits)[:8]:
            what = cells.problem[cell], cells.learners[cell], cells.metric[cell]
            yield f"  {hits[cell]:.2f}  {list(SCHEMES)[scheme]}: {', '.join(what)}"


# From here on: the cells of what real.py has recorded.


def f1_of_classes(tables: Array) -> Array:
    """Return the F1 of each class; that of a class that does not occur is 0."""
    right = np.diagonal(tables, axis1=-2, axis2=-1)
    total = tables.sum(axis=-1) + tables.sum(axis=-2)
    return np.divide(2 * right, total, out=np.zeros_like(total), where=total > 0)


def value(tables: Array, metric: str) -> Array:
    """Return a metric of confusion tables."""
    if metric == "accuracy":
        return np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1))
    return f1_of_classes(tables)[..., 1] if metric == "f1" else f1_of_classes(tables).mean(axis=-1)


def influence(table: Array, metric: str) -> Array:
    """Return by how much one more instance in each place of the table changes the metric."""
    m, total = len(table), table.sum()
    if metric == "accuracy":
        return (np.eye(m) - value(table, metric)) / total
    slope = np.zeros((m, m))
    classes = [1] if metric == "f1" else range(m)
    for c in classes:
        size = table[c].sum() + table[:, c].sum()
        if size:
            slope[c, c] += 2 / size
            slope[c] -= 2 * table[c, c] / size**2
            slope[:, c] -= 2 * table[c, c] / size**2
    slope /= len(classes)
    return slope - (slope * table).sum() / total


def instability(psi: Array, sizes: Array) -> float:
    """Return B: how the two halves of repeats differ over what test noise explains.

    Parameters
    ----------
    psi : ndarray
        The influences of the validated instances, split after split.
    sizes : ndarray of shape (2 * n_repeats,)
        The sizes of the splits.
    """
    split = np.repeat(np.arange(len(sizes)), sizes)
    scaled = (len(psi) / sizes)[split] * psi
    sums = np.bincount(split, weights=scaled)
    within = np.bincount(split, weights=(scaled - (sums / sizes)[split]) ** 2)
    explained = (within * sizes / (sizes - 1)).reshape(-1, 2).mean(axis=1)
    between = np.diff(sums.reshape(-1, 2))[:, 0] ** 2 / 2
    has_noise = explained > 1e-9 * explained.max()  # more than what is rounded
    return float(np.mean(between[has_noise] / explained[has_noise])) if has_noise.any() else 1.0


def cells_of(records: dict[str, Array], learners: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the cells of a problem, single learners first."""
    tables_truth = records["truth"]
    m, n = tables_truth.shape[-1], records["y"].shape[1]
    keys = [(k,) for k in range(len(learners))] + list(combinations(range(len(learners)), 2))
    for metric in ("accuracy", "f1" if m == 2 else "f1_macro"):
        found: dict[Any, list[Any]] = {(s, q): [] for s in SCHEMES for q in keys}
        for seed in range(len(records["y"])):
            for scheme in SCHEMES:
                y, rows, predicted, sizes = validated(records, seed, scheme)
                values, psis = [], []
                for one in predicted:
                    places = y[rows] * m + one
                    table = np.bincount(places, minlength=m * m).reshape(m, m).astype(float)
                    values.append(value(table, metric))
                    psis.append(influence(table, metric).ravel()[places])
                for q in keys:
                    psi = psis[q[0]] - (psis[q[1]] if len(q) > 1 else 0.0)
                    difference = values[q[0]] - (values[q[1]] if len(q) > 1 else 0.0)
                    noise = np.sum(np.bincount(rows, weights=psi, minlength=n) ** 2) * n / (n - 1)
                    b = instability(psi, sizes) if scheme == "3x2" else 1.0
                    found[scheme, q].append((difference, noise, b))
        truths = value(tables_truth, metric)
        for q in keys:
            true = truths[:, q[0]] - (truths[:, q[1]] if len(q) > 1 else 0.0)
            cell: dict[str, Any] = {"metric": metric, "z": [], "noise": [], "step": []}
            for scheme, share in SCHEMES.items():
                seen, noise, b = np.array(found[scheme, q]).T
                truth, at_all = true[SHARES.index(share)], true[-1]
                with np.errstate(divide="ignore", invalid="ignore"):
                    z = np.nan_to_num((seen - truth) / np.sqrt(noise))
                    cell["z"].append(np.clip(z, -FAR, FAR))
                    cell["noise"].append(np.nan_to_num(noise / seen.var(ddof=1)))
                    step = np.nan_to_num((at_all - truth) / seen.std(ddof=1))
                    cell["step"].append(np.clip(step, -FAR, FAR))
                if scheme == "3x2":
                    cell["log_b"] = np.log(np.maximum(b, 1.0))
            yield cell | {"q": q, "apart": apart(tables_truth[0][list(q)], metric, n)}


def apart(tables: Array, metric: str, n: int) -> int:
    """Return 2 for many classes with few instances each, 1 for a learner at chance level, or 0.

    Parameters
    ----------
    tables : ndarray of shape (n_learners, n_classes, n_classes)
        The expected tables of learners trained on half of the instances.
    metric : str
        The metric.
    n : int
        The number of instances.
    """
    m = tables.shape[-1]
    if m >= 8 and n / m < 41:
        return 2
    says_one_class = (tables.sum(axis=1).max(axis=1) > 0.97).any()
    return int(says_one_class or (metric == "f1" and (value(tables, "f1") < 0.2).any()))


def validated(
    records: dict[str, Array], seed: int, scheme: str
) -> tuple[Array, Array, Array, Array]:
    """Return classes, validated rows, what the learners predicted for them, and split sizes."""
    names = ["10-fold", "10-fold again"] if scheme == "2 x 10-fold" else [scheme]
    rows, predicted, sizes = (
        np.concatenate([records[f"{what} {name}"][seed].astype(int) for name in names], axis=-1)
        for what in ("rows", "predicted", "sizes")
    )
    return records["y"][seed].astype(int), rows, predicted, sizes


def gather(folder: Path) -> Cells:
    """Return the cells of all records; of cells that two problems share, the first."""
    from problems import PROBLEMS

    cells: list[dict[str, Any]] = []
    for problem in PROBLEMS:
        records = dict(np.load(folder / f"{problem.name}.npz"))
        first = len(cells)
        for cell in cells_of(records, problem.learners):
            start = first + 10 * (cell["metric"] != "accuracy")
            cell["members"] = [start + cell["q"][0], start + cell["q"][-1]]
            cell["learners"] = ", ".join(problem.learners[k] for k in cell.pop("q"))
            cell |= {"problem": f"{problem.of}_{problem.n}", "half": problem.half}
            cells.append(cell)
        print(problem.name, flush=True)
    return without_doubles(cells)


def without_doubles(cells: list[dict[str, Any]]) -> Cells:
    """Return cells as arrays, each once."""
    n_sets = min(len(cell["log_b"]) for cell in cells)
    first: dict[Any, int] = {}
    place = []
    for cell in cells:
        key = cell["problem"], frozenset(cell["learners"].split(", ")), cell["metric"]
        place.append(first.setdefault(key, len(first)))
    kept = [cells[place.index(number)] for number in range(len(first))]
    arrays = {
        "z": np.stack([np.stack(cell["z"])[:, :n_sets] for cell in kept], axis=1),
        "noise": np.stack([np.stack(cell["noise"])[:, :n_sets] for cell in kept], axis=1),
        "step": np.stack([cell["step"] for cell in kept], axis=1),
        "log_b": np.stack([cell["log_b"][:n_sets] for cell in kept]),
        "members": np.array([[place[k] for k in cell["members"]] for cell in kept]),
    }
    for name in ("problem", "learners", "metric", "half", "apart"):
        arrays[name] = np.array([cell[name] for cell in kept])
    return Cells(**arrays)


def main(arguments: list[str] | None = None) -> None:
    """Print the constants, and make weight.npz before if records are given."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--records", type=Path, default=None)
    options = parser.parse_args(arguments)
    if options.records is not None:
        save(gather(options.records), FILE)
    cells = load()
    print("\n".join(lines(cells, fit(cells))))


if __name__ == "__main__":
    main()
