"""Run the reproduction of one or several papers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from skbayeseval.reproduce import acl2019, icdm2015, sigir2016
from skbayeseval.reproduce.report import Report

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
        if name == "sigir2016":
            sigir2016.run(report, data_home=data_home)
        elif name == "icdm2015":
            icdm2015.run(report, data_home=data_home)
        else:
            acl2019.run(report, conll=conll)
    report.close()
    return report
