"""Published values and counts of the papers, shipped with the package."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

__all__ = ["load_published"]


def load_published(name: str) -> Any:
    """Load the published tables in a file in ``data``.

    Parameters
    ----------
    name : str
        The name of the file without its extension, such as "icdm2015_tables".

    Returns
    -------
    tables : dict
        The contents of the JSON file.

    Examples
    --------
    >>> from skbayeseval.reproduce.published import load_published
    >>> load_published("acl2019_tables")["simulation"]["n"]
    600
    """
    return json.loads((files(__package__) / "data" / f"{name}.json").read_text(encoding="utf-8"))
