import numpy as np
import pytest

from skbayeseval.engines.variables import stick_transform

SIMPLEXES = np.array([[0.2, 0.5, 0.3, 1e-3], [0.25, 0.25, 0.25, 0.25], [0.9, 0.05, 0.01, 0.04]])
SIMPLEXES /= SIMPLEXES.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def functions():
    import pytensor
    import pytensor.tensor as pt

    value, sticks = pt.matrix(), stick_transform()
    return [
        pytensor.function([value], of(value), mode="FAST_COMPILE")
        for of in (sticks.forward, sticks.backward, sticks.log_jac_det)
    ]


def test_there_and_back(functions):
    forward, backward, _ = functions
    np.testing.assert_allclose(backward(forward(SIMPLEXES)), SIMPLEXES, rtol=1e-12)
    extreme = backward(np.array([[-40.0, 30.0, 500.0]]))
    assert np.isfinite(extreme).all()
    assert extreme.sum() == pytest.approx(1)


def test_jacobian_by_differences(functions):
    forward, backward, log_jac_det = functions
    found = log_jac_det(forward(SIMPLEXES))
    for simplex, value in zip(SIMPLEXES, found, strict=True):
        sticks, step = forward(simplex[None]), 1e-6
        # The last cell follows from the others.
        columns = [
            (backward(sticks + step * unit) - backward(sticks - step * unit))[0, :-1] / (2 * step)
            for unit in np.eye(3)
        ]
        assert value == pytest.approx(np.linalg.slogdet(columns)[1], abs=1e-6)
