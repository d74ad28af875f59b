"""The sections that the pages of all results have: evidence, model, computation, versions."""

from __future__ import annotations

import inspect
import platform
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy
import sklearn

from skbayeseval._version import __version__
from skbayeseval.pages.elements import listed, note, paragraphs, row, table
from skbayeseval.results.base import PosteriorView

__all__ = ["computation", "evidence_tables", "model_and_prior", "reproduction"]

# Confusion tables of more classes are left out, and so are those of more classifiers.
MOST_CLASSES = 12
MOST_TABLES = 6


def evidence_tables(result: PosteriorView, shown: Sequence[str] | None = None) -> str:
    """Return what the evidence is, with the confusion table of each classifier in `shown`."""
    posterior, record = result._posterior, result._cross_validation
    evidence, names = posterior.evidence, result._names
    if posterior.weights is not None:
        evidence = evidence.with_weight(1.0)
    items: list[tuple[str, Any]] = [("evidence", evidence.describe())]
    if posterior.weights is not None:
        weight = posterior.weights.difference(result._metric(None))
        items.append(("weight of a count", f"{weight.median:.2g}, {posterior.weights.basis}"))
    if record is not None:
        items.append(("splits", f"{record.n_splits} by {record.splitter}"))
        items.append(("training instances", f"{record.train_size:,.0f} per split, on average"))
    if evidence.n_groups:
        items.append(("groups", f"{evidence.n_groups:,}"))
    if evidence.is_of_splits:
        return listed(items)
    items.append(("classes", _short(", ".join(map(str, result.labels)))))
    tables = []
    correct = evidence.correctness() if len(names) == 2 else None
    if correct is not None:
        tables.append(_both(correct.right, names))
    if len(result.labels) > MOST_CLASSES:
        left_out = note(f"Confusion tables of {len(result.labels)} classes are left out.")
        return listed(items) + row(*tables) + left_out
    chosen = list(names[:MOST_TABLES] if shown is None else shown)
    for name, counts in zip(names, posterior.counts, strict=True):
        if name in chosen and counts.table is not None:
            tables.append(_confusion(name, counts))
    left_out = ""
    if len(names) > len(chosen):
        left_out = note(f"Confusion tables of {len(names) - len(chosen)} more are left out.")
    return listed(items) + row(*tables) + left_out


def _confusion(name: str, counts: Any) -> str:
    labels = [str(label) for label in counts.labels]
    rows = [
        [label, *("not counted" if np.isnan(n) else f"{n:,.0f}" for n in numbers)]
        for label, numbers in zip(labels, np.asarray(counts.table, dtype=float), strict=True)
    ]
    caption = f"Counts of {name}: true classes in rows, predicted classes in columns"
    return table(["", *labels], rows, caption)


def _both(right: Any, names: tuple[str, ...]) -> str:
    a, b = (np.asarray(one, dtype=bool) for one in right)
    rows = [
        [f"{names[0]} right", f"{np.sum(a & b):,}", f"{np.sum(a & ~b):,}"],
        [f"{names[0]} wrong", f"{np.sum(~a & b):,}", f"{np.sum(~a & ~b):,}"],
    ]
    return table(["", f"{names[1]} right", f"{names[1]} wrong"], rows, "Right and wrong together")


def model_and_prior(result: PosteriorView) -> str:
    """Return the model in the words of its documentation, and the parameters of its prior."""
    prior = ", ".join(f"{name} = {value}" for name, value in result.prior.items())
    if "callable" in result.prior:
        prior = f"user-supplied: {result.prior['callable']}"
    items = [("model", result.model), ("prior", prior or "none")]
    if result._posterior.prevalence is not None:
        items.append(("prevalence", ", ".join(map(str, result._posterior.prevalence))))
    documented = inspect.getdoc(type(result._posterior.model)) or ""
    words = re.split(r"\n(?:Parameters|Attributes|Examples|Notes|See Also)\n-", documented)[0]
    return listed(items) + paragraphs(words.replace("`", ""))


def computation(result: PosteriorView, summary: pd.DataFrame) -> str:
    """Return how the posterior was computed, and how far the computation can be relied on."""
    posterior = result._posterior
    items: list[tuple[str, Any]] = [("engine", result.engine)]
    if posterior.has_independent_draws:
        items.append(("draws", f"{result.n_draws:,}, independent of each other"))
    else:
        items.append(("draws", f"{result.n_draws:,} in {posterior.n_chains} Markov chains"))
        divergences = int(np.sum(posterior.stats.get("diverging", 0)))
        items.append(("divergences", f"{divergences:,}"))
    columns = {"mcse": "error of the mean", "hdi_mcse": "error of the HDI's ends"}
    columns |= {"ess": "effective draws", "r_hat": "R-hat"}
    shown = [name for name in columns if name in summary]
    formats = {"ess": "{:,.0f}", "r_hat": "{:.4f}"}
    rows = [
        [metric, *(formats.get(name, "{:.2g}").format(errors[name]) for name in shown)]
        for metric, errors in summary.iterrows()
    ]
    caption = "Monte Carlo errors: what more draws would change"
    found = table(["metric", *(columns[name] for name in shown)], rows, caption)
    return listed(items) + found + "".join(map(note, result.warnings))


def reproduction(result: PosteriorView) -> str:
    """Return the seed and the versions that the result was made with."""
    packages = {"skbayeseval": __version__, "Python": platform.python_version()}
    packages |= {"numpy": np.__version__, "scipy": scipy.__version__}
    packages |= {"scikit-learn": sklearn.__version__, "pandas": pd.__version__}
    seed = [("seed (random_state)", result._posterior.entropy)]
    return listed([*seed, *packages.items()])


def _short(words: str, width: int = 300) -> str:
    return words if len(words) <= width else f"{words[: width - 3]}..."
