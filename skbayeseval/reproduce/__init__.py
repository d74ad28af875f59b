"""Reproduction of the experiments of three papers with the public interface of the package.

`newsgroups` reproduces the two papers of Zhang et al., `acl2019` that of Wang and Li, and `report`
lists published and reproduced values side by side and counts how many agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from skbayeseval.reproduce import acl2019, newsgroups
from skbayeseval.reproduce.tables import Report

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
    """Reproduce papers, and print published and reproduced values.

    Parameters
    ----------
    papers : iterable of {"sigir2016", "icdm2015", "acl2019"}
        The papers to reproduce.
    folder : str or path
        The folder to save figures in.
    data_home : str, default=None
        The folder of scikit-learn's data sets, for 20 Newsgroups. None means the environment
        variable SCIKIT_LEARN_DATA, or scikit-learn's default.
    conll : str or path, default=None
        The file with the training part of CoNLL-2003, ``eng.train``, or its folder.
    write : callable, default=print
        Called with each text to print.

    Returns
    -------
    report : Report
        All tables, and the experiments that were skipped.
    """
    papers = list(papers)
    unknown = [name for name in papers if name not in PAPERS]
    if unknown:
        raise ValueError(f"papers={unknown} are not known papers. Valid papers are {list(PAPERS)}.")
    report = Report(folder, write)
    for name in papers:
        if name == "acl2019":
            acl2019.run(report, conll=conll)
        else:
            getattr(newsgroups, name)(report, data_home)
    report.close()
    return report
