"""Diagnostics of chains, and conversion of results to the data structures of ArviZ.

These are `InferenceData` for ArviZ 0.x and `xarray.DataTree` for ArviZ 1.x.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Diagnostics(NamedTuple):
    """Convergence diagnostics of Markov chains.

    Attributes
    ----------
    ess : float
        Bulk effective sample size.
    r_hat : float
        Rank-normalised split R-hat; NaN for a single chain.
    mcse : float
        Monte Carlo standard error of the mean.
    """

    ess: float
    r_hat: float
    mcse: float


def diagnose(chains: Array) -> Diagnostics:
    """Return the diagnostics of draws of shape (n_chains, n_draws)."""
    import arviz as az

    if np.ptp(chains) == 0:
        return Diagnostics(float(chains.size), 1.0, 0.0)
    r_hat = float(np.squeeze(az.rhat(chains))) if len(chains) > 1 else np.nan
    ess, mcse = (float(np.squeeze(of(chains))) for of in (az.ess, az.mcse))
    return Diagnostics(ess, r_hat, mcse)


def to_inference_data(
    groups: Mapping[str, Mapping[str, Array]],
    *,
    coords: Mapping[str, list[Any]],
    dims: Mapping[str, list[str]],
    attrs: Mapping[str, Any],
) -> Any:
    """Return the groups in the data structure of the installed version of ArviZ."""
    import arviz as az

    filled = {name: dict(group) for name, group in groups.items() if group}
    if az.__version__.startswith("0."):
        log_prior = filled.pop("log_prior", None)  # which its from_dict does not know
        of_groups = {f"{name}_attrs": dict(attrs) for name in filled}
        data = az.from_dict(
            **filled, coords=dict(coords), dims=dict(dims), attrs=dict(attrs), **of_groups
        )
        if log_prior is not None:
            data.add_groups({"log_prior": log_prior})
        return data
    of_groups = {"/": dict(attrs)} | {name: dict(attrs) for name in filled}
    return az.from_dict(filled, coords=dict(coords), dims=dict(dims), attrs=of_groups)
