"""A simplex as the sticks that are broken off it, on the scale of their log odds.

PyMC's own transform of a simplex leaves log ratios that depend on each other, the more the rarer
some cells are, and chains then diverge now and then. Given counts, the sticks of a Dirichlet are
independent betas.
"""

from __future__ import annotations

from functools import cache
from typing import Any

__all__ = ["stick_transform"]


@cache
def stick_transform() -> Any:
    """Return the transform, made here because PyMC is imported only where it is used."""
    import pytensor.tensor as pt
    from pymc.distributions.transforms import Transform

    def log_parts(value: Any) -> tuple[Any, Any, Any]:
        """Return the logs of what each stick takes, leaves, and finds."""
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
