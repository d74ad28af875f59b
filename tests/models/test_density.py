"""The log density of every PyMC graph against the posterior's own, written down by hand.

No chain is run and nothing is compiled to C, so this is exact and takes seconds on any machine;
chains are held against the exact engine in test_pymc.py.
"""

import numpy as np
import pytest
from pytensor.compile.mode import Mode
from scipy import stats
from scipy.special import betaln, gammaln

from tests.models.cases import CHUNKS, CLASSES, PAIRS, WEIGHTS, cases, labelled, split_scores

N_POINTS = 5
PLAIN = Mode(linker="py", optimizer=None)  # the graph as it is written
SETS = ["imbalanced", *(pytest.param(n, marks=pytest.mark.slow) for n in ("balanced", "few"))]


def densities(case):
    """Return log densities of a graph at random points, and its parameters there."""
    model, evidence = next((m, e) for name, m, e, _ in cases() if name == case)
    of_three = any(word in case for word in ("classes", "hierarchical", "recalls"))
    labels = (0, 1, 2) if of_three else (0, 1)
    graph = model.specification(evidence).build_graph(labels)
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


def integrated_out(shapes, counts):
    """Return the log likelihood of counts, whose probabilities are Dirichlet with these shapes."""
    return (gammaln(shapes + counts) - gammaln(shapes)).sum()


def cells_by_name(name):
    """Return (tp, fp, fn, tn) of both classifiers."""
    tables = tables_of(PAIRS, 2, name).items()
    return {key: np.array([[tp, fp, fn, tn]]) for key, ((tn, fp), (fn, tp)) in tables}


def cells_of_labels(name):
    """Return (tp, fp, fn, tn) of both classifiers and each label."""
    found = {}
    for k, key in enumerate("AB"):
        margin = labelled(name).margin(k)
        tp = np.asarray(margin.hits, dtype=float)
        fn, fp = margin.true - tp, margin.predicted - tp
        n = 8 if name == "few" else 60
        found[key] = WEIGHTS[name] * np.stack([tp, fp, fn, n - tp - fp - fn], axis=1)
    return found


def rates(cells, point):
    total = 0.0
    for key, of_each in cells.items():
        tp, fp, fn, tn = of_each.T
        total += stats.beta.logpdf(point[f"mu_{key}"], 1 + tp + fn, 1 + fp + tn).sum()
        total += stats.beta.logpdf(point[f"rho+_{key}"], 1 + tp, 1 + fn).sum()
        total += stats.beta.logpdf(point[f"rho-_{key}"], 1 + fp, 1 + tn).sum()
    return total


def one_vector_each(cells, point):
    pairs = (zip(np.atleast_2d(point[f"pi_{k}"]), 1 + cells[k], strict=True) for k in "AB")
    return sum(dirichlet(value, shapes) for of_one in pairs for value, shapes in of_one)


def outcomes_of_pairs(cells, point):
    shapes = 1 + cells[:, ::-1, ::-1].reshape(2, 4)  # (1, 1), (1, 0), (0, 1), (0, 0)
    n = cells.sum(axis=(1, 2))
    of_mu = stats.beta.logpdf(point["mu"], 1 + n[1], 1 + n[0])
    return of_mu + dirichlet(point["theta+"], shapes[1]) + dirichlet(point["theta-"], shapes[0])


def own_etas(tables, point):
    """Return the log density of the etas, rows integrated out, and of class proportions."""
    names = ("mu",) if "mu" in point else ("mu_A", "mu_B")
    of_mu = (
        dirichlet(point[name], 1 + table.sum(axis=1))
        for name, table in zip(names, tables.values(), strict=False)
    )
    of_rows = (integrated_out(prior_of_rows(point[f"eta_{k}"], 3), tables[k]) for k in "AB")
    return sum(of_mu) + sum(of_rows)


def recalls(tables, point):
    total = 0.0
    for key, table in tables.items():
        right, wrong = np.diag(table), table.sum(axis=1) - np.diag(table)
        eta, mass = point[f"eta_{key}"], 1 / point[f"icc_{key}"] - 1
        a, b = mass * eta, mass * (1 - eta)
        total += (betaln(a + right, b + wrong) - betaln(a, b)).sum()
    return total


def normal_scores(name, point):
    """Differences, and B's scores given them, are equicorrelated normal.

    The prior |Sigma|^-2 of their covariance is tau^-2 for log sigma, log tau and the slope.
    """
    a, b = split_scores(name).scores["score"]
    n, rho = len(a), split_scores(name).test_fraction
    correlation = np.full((n, n), rho) + (1 - rho) * np.eye(n)
    delta, nu, beta, sigma, tau = (
        float(np.squeeze(point[key])) for key in ("delta", "nu_B", "beta", "sigma", "tau")
    )
    given = nu + beta * (a - b - delta)
    of_difference = stats.multivariate_normal(np.full(n, delta), sigma**2 * correlation)
    of_b = stats.multivariate_normal(given, tau**2 * correlation)
    return of_difference.logpdf(a - b) + of_b.logpdf(b) - 2 * np.log(tau)


# By the name of a case: what is observed, by the name of its set, and the
# log density of a point.
GRAPHS = {
    "unpaired": (cells_by_name, rates),
    "labels": (cells_of_labels, rates),
    "bcv": (cells_by_name, one_vector_each),
    "labels bcv": (cells_of_labels, one_vector_each),
    "paired": (lambda name: cells_of(PAIRS, 2, name), outcomes_of_pairs),
    "chunks": (
        lambda name: 0.5 + WEIGHTS[name] * np.array(CHUNKS[name]),
        lambda shapes, point: dirichlet(point["pi"], shapes),
    ),
    "hierarchical": (lambda name: tables_of(CLASSES, 3, name), own_etas),
    "paired classes": (lambda name: tables_of(CLASSES, 3, name), own_etas),
    "paired recalls": (lambda name: tables_of(CLASSES, 3, name), recalls),
    "paired many": (
        lambda name: 1 + cells_of(PAIRS, 2, name).sum(axis=(1, 2)),
        lambda shapes, point: dirichlet(point["mu"], shapes),
    ),
    "scores": (str, normal_scores),
}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("kind", GRAPHS)
def test_log_density(kind, name):
    observe, log_density = GRAPHS[kind]
    found, points = densities(f"{kind} {name}")
    expected = np.array([log_density(observe(name), point) for point in points])
    assert np.ptp(found) > 1  # the points tell something
    np.testing.assert_allclose(found - found[0], expected - expected[0], atol=1e-7)
