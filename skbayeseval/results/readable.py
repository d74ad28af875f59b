"""What people read of a comparison or a ranking: plain words, one page, and a notebook's view."""

from __future__ import annotations

from os import PathLike
from typing import Any

from skbayeseval._html import write_page

__all__ = ["Readable"]


class Readable:
    """Base class of results that are explained in view of a region of practical equivalence."""

    def explain(self, rope: Any = None) -> str:
        """Return what the result means, in paragraphs of plain sentences.

        They tell what was compared, who is better, by how much and how surely, what would settle
        it, what it applies to, and what to be careful about.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence: differences that are too small to matter. A number
            r means [-r, r], and "1%" means 0.01. A dict has the ROPE of each metric.

        Returns
        -------
        words : str
            Paragraphs, separated by blank lines.

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((900, 50, 60), (700, 150, 260), random_state=0)
        >>> "A is better than B by more than that" in result.explain(rope=0.01)
        True
        """
        from skbayeseval.results.explain import explain

        return explain(self, rope)

    def report(self, path: str | PathLike[str], rope: Any = None) -> None:
        """Write all that is known of the result to one HTML page, which needs no other file.

        The page begins with the verdict, followed by what the Bayesian analysis reporting
        guidelines ask for (Kruschke 2021): the evidence, the model and its prior, the computation,
        the posterior, decisions, sensitivity to the prior, and versions and seed.

        Parameters
        ----------
        path : str or path-like
            The file to write, such as "report.html". An existing file is replaced.
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence, as in `explain`.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((900, 50, 60), (700, 150, 260), random_state=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = Path(folder) / "report.html"
        ...     result.report(page, rope=0.01)
        ...     page.read_text()[:15]
        '<!DOCTYPE html>'
        """
        from skbayeseval.results.report import page_of

        write_page(path, page_of(self, rope))

    def _repr_html_(self) -> str:
        from skbayeseval.results.notebook import notebook_view

        return notebook_view(self)
