"""Which papers there are, and how to run them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from skbayeseval.reproduce import acl2019, icdm2015, sigir2016
from skbayeseval.reproduce.report import Report

__all__ = ["PAPERS", "reproduce"]

PAPERS = ("sigir2016", "icdm2015", "acl2019")


def reproduce(
    papers: Iterable[str],
    folder: str | Path,
    *,
    data_home: str | None = None,
    conll: str | Path | None = None,
    write: Callable[[str], object] = print,
) -> Report:
    """Set the numbers of papers beside ours.

    Parameters
    ----------
    papers : iterable of {"sigir2016", "icdm2015", "acl2019"}
        Which ones.
    folder : str or path
        Where figures go.
    data_home : str, default=None
        Where scikit-learn keeps 20 Newsgroups; None is SCIKIT_LEARN_DATA, or its default.
    conll : str or path, default=None
        The training part of CoNLL-2003, ``eng.train``, or its folder.
    write : callable, default=print
        Takes the texts.

    Returns
    -------
    report : Report
        All tables, and what was missing.
    """
    papers = list(papers)
    unknown = [name for name in papers if name not in PAPERS]
    if unknown:
        raise ValueError(f"papers={unknown} are not known. Known are: {list(PAPERS)}.")
    report = Report(folder, write)
    for name in papers:
        if name == "sigir2016":
            sigir2016.run(report, data_home=data_home)
        elif name == "icdm2015":
            icdm2015.run(report, data_home=data_home)
        else:
            acl2019.run(report, conll=conll)
    report.close()
    return report
