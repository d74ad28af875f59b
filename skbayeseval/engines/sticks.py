"""A stick-breaking transform of a simplex, on the scale of the log odds of the sticks.

PyMC's default transform of a simplex gives log ratios that are correlated, especially with rare
cells, which leads to occasional divergences. Given counts, the sticks of a Dirichlet are
independent Beta variables.
"""

from __future__ import annotations

from functools import cache
from typing import Any

__all__ = ["stick_transform"]


@cache
def stick_transform() -> Any:
    """Return the transform. It is defined in a function so that PyMC is imported lazily."""
    import pytensor.tensor as pt
    from pymc.distributions.transforms import Transform

    def log_parts(value: Any) -> tuple[Any, Any, Any]:
        """Return the logs of the fractions that each stick takes and leaves, and of its start."""
        takes, leaves = -pt.softplus(-value), -pt.softplus(value)
        return takes, leaves, pt.cumsum(leaves, axis=-1) - leaves

    class Sticks(Transform):
        name = "sticks"
        ndim_supp = 1

        def forward(self, value: Any, *inputs: Any) -> Any:
            rest = pt.cumsum(value[..., ::-1], axis=-1)[..., ::-1]
            return pt.log(value[..., :-1]) - pt.log(rest[..., 1:])

        def backward(self, value: Any, *inputs: Any) -> Any:
            takes, leaves, found = log_parts(value)
            last = pt.sum(leaves, axis=-1, keepdims=True)
            return pt.exp(pt.concatenate([found + takes, last], axis=-1))

        def log_jac_det(self, value: Any, *inputs: Any) -> Any:
            takes, leaves, found = log_parts(value)
            return pt.sum(found + takes + leaves, axis=-1)

    return Sticks()
