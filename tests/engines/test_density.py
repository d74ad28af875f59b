"""The log density of every PyMC graph against the posterior's own, written down by hand.

No chain is run and nothing is compiled to C, so this is exact and takes seconds on any machine;
chains are held against the exact engine in test_pymc.py.
"""

import numpy as np
import pytest
from pytensor.compile.mode import Mode
from scipy import stats
from scipy.special import betaln, gammaln

from tests.engines.cases import CHUNKS, CLASSES, PAIRS, WEIGHTS, cases, labelled, split_scores

N_POINTS = 5
PLAIN = Mode(linker="py", optimizer=None)  # the graph as it is written
SETS = ["imbalanced", *(pytest.param(n, marks=pytest.mark.slow) for n in ("balanced", "few"))]


def densities(case, form="collapsed"):
    """Return log densities of a graph at random points, and its parameters there."""
    model, evidence = next((m, e) for name, m, e, _ in cases() if name == case)
    of_three = any(word in case for word in ("classes", "hierarchical", "recalls"))
    labels = (0, 1, 2) if of_three else (0, 1)
    graph = model.specification(evidence).build_graph(labels, form=form)
    # The point is on the unconstrained scale; the density is that of the parameters themselves.
    variables = graph.unobserved_value_vars
    compute = graph.compile_fn([graph.logp(jacobian=False), *variables], mode=PLAIN)
    rng = np.random.default_rng(len(case))
    found, points, start = [], [], graph.initial_point()
    for _ in range(N_POINTS):
        density, *values = compute({k: rng.normal(size=np.shape(v)) for k, v in start.items()})
        found.append(float(density))
        points.append({variable.name: v for variable, v in zip(variables, values, strict=True)})
    return np.array(found), points


def assert_same_but_for_a_constant(found, expected):
    assert np.ptp(found) > 1  # the points tell something
    np.testing.assert_allclose(found - found[0], expected - expected[0], atol=1e-7)


def cells_of(outcomes, n_classes, name):
    """Return weighted counts of shape (truth, A, B)."""
    cells = np.zeros((n_classes,) * 3)
    for key, count in outcomes[name].items():
        cells[key] = count * WEIGHTS[name]
    return cells


def tables_of(outcomes, n_classes, name):
    """Return the weighted confusion tables of A and B."""
    cells = cells_of(outcomes, n_classes, name)
    return {"A": cells.sum(axis=2), "B": cells.sum(axis=1)}


def dirichlet(value, shapes):
    return stats.dirichlet.logpdf(value / value.sum(), np.asarray(shapes, dtype=float))


def prior_of_rows(eta, m):
    return np.where(np.eye(m, dtype=bool), eta, (1 - eta) / (m - 1))


def rows_given(eta, table):
    """Return the log likelihood of a confusion table given eta, its rows integrated out."""
    omega = prior_of_rows(eta, len(table))
    return (gammaln(omega + table) - gammaln(omega)).sum()


def cells_of_each(kind, name):
    """Yield the letter and (tp, fp, fn, tn) of both classifiers, of each label if there are any."""
    if not kind.startswith("labels"):
        for key, ((tn, fp), (fn, tp)) in tables_of(PAIRS, 2, name).items():
            yield key, np.array([[tp, fp, fn, tn]])
        return
    for k, key in enumerate("AB"):
        margin = labelled(name).margin(k)
        tp = np.asarray(margin.hits, dtype=float)
        fn, fp = margin.true - tp, margin.predicted - tp
        n = 8 if name == "few" else 60
        yield key, WEIGHTS[name] * np.stack([tp, fp, fn, n - tp - fp - fn], axis=1)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("kind", ["unpaired", "labels"])
def test_rates(kind, name):
    found, points = densities(f"{kind} {name}")
    expected = np.zeros(N_POINTS)
    for key, cells in cells_of_each(kind, name):
        tp, fp, fn, tn = cells.T
        for i, point in enumerate(points):
            expected[i] += stats.beta.logpdf(point[f"mu_{key}"], 1 + tp + fn, 1 + fp + tn).sum()
            expected[i] += stats.beta.logpdf(point[f"rho+_{key}"], 1 + tp, 1 + fn).sum()
            expected[i] += stats.beta.logpdf(point[f"rho-_{key}"], 1 + fp, 1 + tn).sum()
    assert_same_but_for_a_constant(found, expected)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("kind", ["bcv", "labels bcv"])
def test_cells(kind, name):
    found, points = densities(f"{kind} {name}")
    expected = np.zeros(N_POINTS)
    for key, cells in cells_of_each(kind, name):
        for i, point in enumerate(points):
            pairs = zip(np.atleast_2d(point[f"pi_{key}"]), 1 + cells, strict=True)
            expected[i] += sum(dirichlet(value, shapes) for value, shapes in pairs)
    assert_same_but_for_a_constant(found, expected)


@pytest.mark.parametrize("name", SETS)
def test_paired(name):
    found, points = densities(f"paired {name}")
    cells = cells_of(PAIRS, 2, name)
    shapes = 1 + cells[:, ::-1, ::-1].reshape(2, 4)  # (1, 1), (1, 0), (0, 1), (0, 0)
    n = cells.sum(axis=(1, 2))
    expected = [
        stats.beta.logpdf(point["mu"], 1 + n[1], 1 + n[0])
        + dirichlet(point["theta+"], shapes[1])
        + dirichlet(point["theta-"], shapes[0])
        for point in points
    ]
    assert_same_but_for_a_constant(found, np.array(expected))


@pytest.mark.parametrize("name", SETS)
def test_chunks(name):
    found, points = densities(f"chunks {name}")
    shapes = 0.5 + WEIGHTS[name] * np.array(CHUNKS[name])
    assert_same_but_for_a_constant(found, np.array([dirichlet(p["pi"], shapes) for p in points]))


@pytest.mark.parametrize("name", SETS)
def test_hierarchical(name):
    found, points = densities(f"hierarchical {name}")
    expected = np.zeros(N_POINTS)
    for key, table in tables_of(CLASSES, 3, name).items():
        for i, point in enumerate(points):
            expected[i] += dirichlet(point[f"mu_{key}"], 1 + table.sum(axis=1))
            expected[i] += rows_given(point[f"eta_{key}"], table)
    assert_same_but_for_a_constant(found, expected)


@pytest.mark.parametrize("name", SETS)
def test_paired_classes(name):
    found, points = densities(f"paired classes {name}")
    tables = tables_of(CLASSES, 3, name)
    expected = [
        dirichlet(point["mu"], 1 + tables["A"].sum(axis=1))
        + sum(rows_given(point[f"eta_{key}"], table) for key, table in tables.items())
        for point in points
    ]
    assert_same_but_for_a_constant(found, np.array(expected))


def test_rows_that_are_not_integrated_out():
    found, points = densities("hierarchical imbalanced", "rows")
    expected = np.zeros(N_POINTS)
    for key, table in tables_of(CLASSES, 3, "imbalanced").items():
        for i, point in enumerate(points):
            expected[i] += dirichlet(point[f"mu_{key}"], 1 + table.sum(axis=1))
            for row, shapes, counts in zip(
                point[f"theta_{key}"], prior_of_rows(point[f"eta_{key}"], 3), table, strict=True
            ):
                expected[i] += dirichlet(row, shapes) + counts @ np.log(row)
    assert_same_but_for_a_constant(found, expected)


def test_outcomes_of_both_classifiers_together():
    found, points = densities("paired classes imbalanced", "joint")
    cells = cells_of(CLASSES, 3, "imbalanced")
    expected = []
    for point in points:
        a, b = (prior_of_rows(point[f"eta_{key}"], 3) for key in "AB")
        omega = a[:, :, None] * b[:, None]
        joint = (gammaln(omega + cells) - gammaln(omega)).sum()
        expected.append(dirichlet(point["mu"], 1 + cells.sum(axis=(1, 2))) + joint)
    assert_same_but_for_a_constant(found, np.array(expected))


@pytest.mark.parametrize("name", SETS)
def test_recalls(name):
    found, points = densities(f"paired recalls {name}")
    expected = np.zeros(N_POINTS)
    for key, table in tables_of(CLASSES, 3, name).items():
        right, wrong = np.diag(table), table.sum(axis=1) - np.diag(table)
        for i, point in enumerate(points):
            eta, mass = point[f"eta_{key}"], 1 / point[f"icc_{key}"] - 1
            a, b = mass * eta, mass * (1 - eta)
            expected[i] += (betaln(a + right, b + wrong) - betaln(a, b)).sum()
    assert_same_but_for_a_constant(found, expected)


@pytest.mark.parametrize("name", SETS)
def test_many_classifiers(name):
    found, points = densities(f"paired many {name}")
    shapes = 1 + cells_of(PAIRS, 2, name).sum(axis=(1, 2))
    assert_same_but_for_a_constant(found, np.array([dirichlet(p["mu"], shapes) for p in points]))


@pytest.mark.parametrize("name", SETS)
def test_split_scores(name):
    # Differences, and B's scores given them, are equicorrelated normal. The prior |Sigma|^-2 of
    # their covariance is tau^-2 for log sigma, log tau and the slope.
    found, points = densities(f"scores {name}")
    a, b = split_scores(name).scores["score"]
    n, rho = len(a), split_scores(name).test_fraction
    correlation = np.full((n, n), rho) + (1 - rho) * np.eye(n)
    expected = []
    for point in points:
        delta, nu, beta, sigma, tau = (
            float(np.squeeze(point[key])) for key in ("delta", "nu_B", "beta", "sigma", "tau")
        )
        given = nu + beta * (a - b - delta)
        expected.append(
            stats.multivariate_normal.logpdf(a - b, np.full(n, delta), sigma**2 * correlation)
            + stats.multivariate_normal.logpdf(b, given, tau**2 * correlation)
            - 2 * np.log(tau)
        )
    assert_same_but_for_a_constant(found, np.array(expected))
