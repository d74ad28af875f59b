"""`DescribedResult`: a result in words, as tables and as pages; `RopeResult`: in view of a ROPE."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Any

import pandas as pd

from skbayeseval._html import html_table, write_page
from skbayeseval.judgement.decision import InWords
from skbayeseval.judgement.intervals import Interval
from skbayeseval.judgement.rope import check_rope, warn_of_one_rope
from skbayeseval.metrics.metric import Metric
from skbayeseval.metrics.registry import in_plain_words
from skbayeseval.results.facts import Fact, as_lines, as_sentences, facts_of
from skbayeseval.results.posterior_view import PosteriorView
from skbayeseval.results.report import Figure, Table, page, view
from skbayeseval.results.text_tables import Labels, latex_table, markdown_table

# With more metrics than this, only the first are explained.
MOST_METRICS = 4

WITHOUT_A_ROPE = (
    "Use decision(rope=r) to compare this with the smallest difference r that matters to you."
)


class DescribedResult(PosteriorView):
    """Base class of results, which can be printed, explained and shown."""

    _takes_rope = False

    def __str__(self) -> str:
        lines = []
        for metric in self._metrics.values():
            lines += [self._headline(metric), *self._printed(metric)]
        lines += as_lines(facts_of(self))
        if self._takes_rope:
            lines.append(f"  {WITHOUT_A_ROPE}")
        return "\n".join(lines)

    def _explained(self, rope: Any = None) -> str:
        """Return a paragraph on each metric, and one on what the result stands on."""
        paragraphs = []
        for name, metric in self._few_metrics().items():
            sentences = [self._headline(metric)]
            meaning = in_plain_words(metric, chunks=self.evidence.family == "chunks")
            if meaning:
                sentences.append(f"{name} is {meaning}.")
            sentences += self._sentences(metric)
            if rope is not None:
                sentences.append(self._decided(rope, metric))
            paragraphs.append(" ".join(sentences))
        limits = as_sentences(facts_of(self))
        if self._takes_rope and rope is None:
            limits.append(
                "Whether a difference of this size matters is not for statistics to say: pass "
                "rope=r, the largest difference r that does not matter to you, to have it taken "
                "into account."
            )
        more = len(self.metrics) - MOST_METRICS
        if more > 0:
            limits.append(f"The tables have the other {more} metrics.")
        return "\n\n".join([*paragraphs, " ".join(limits)])

    def _headline(self, metric: Metric) -> str:
        """Return a sentence on what a metric says."""
        raise NotImplementedError

    def _facts_of(self, metric: Metric) -> list[Fact]:
        """Return what is known of a metric."""
        return []

    def _printed(self, metric: Metric) -> list[str]:
        """Return the lines that are printed below the headline of a metric."""
        return as_lines(self._facts_of(metric))

    def _sentences(self, metric: Metric) -> list[str]:
        """Return what is known of a metric, in sentences."""
        return as_sentences(self._facts_of(metric))

    def _decided(self, rope: Any, metric: Metric) -> str:
        """Return what a ROPE decides, in sentences."""
        raise NotImplementedError

    def _title(self) -> str:
        """Return the title of a page."""
        raise NotImplementedError

    def _verdict(self, rope: Any) -> list[str]:
        """Return what a page says first: what is decided, or who is ahead."""
        return list(map(self._headline, self._few_metrics().values()))

    def _few_metrics(self) -> dict[str, Metric]:
        """Return the metrics that are told and drawn on a page."""
        return dict(list(self._metrics.items())[:MOST_METRICS])

    def _tables(self, rope: Any) -> Iterator[Table]:
        """Yield the tables of a page."""
        raise NotImplementedError

    def _figures(self, rope: Any) -> list[Figure]:
        """Return the figures of a page."""
        raise NotImplementedError

    def _rows_of_figures(self) -> int:
        return 0

    def _table(self, rope: Any, prob: float, mcse: bool, labels: Labels) -> pd.DataFrame:
        """Return the text of the table."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return view(self, self._table(None, 0.95, False, None), facts_of(self))


class RopeResult(DescribedResult):
    """Base class of results that are judged in view of a region of practical equivalence."""

    _takes_rope = True

    def explain(self, rope: Any = None) -> str:
        """Return what the result means, in paragraphs of plain sentences.

        They tell what was compared, who is better, by how much and how surely, what would settle
        it, what it applies to, and what to be careful about.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence: differences that are too small to matter. A number
            r means [-r, r], "1%" is a percentage as in `decision`, and a dict has the ROPE of each
            metric.

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
        return self._explained(self._ropes(rope))

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
        ropes = self._ropes(rope)
        write_page(path, lambda: page(self, self._title(), self._explained(ropes), self, ropes))

    def _ropes(self, rope: Any) -> Any:
        """Return the ROPE of each metric; warn if one is given for metrics on different scales."""
        warn_of_one_rope(rope, self._metrics.values())
        if rope is None:
            return None
        return {name: self._rope(rope, metric) for name, metric in self._metrics.items()}

    def _rope(self, rope: Any, metric: Metric) -> Interval:
        """Return the ROPE of a metric, in its units."""
        return check_rope(rope, metric, self._percentage_of(metric))

    def _percentage_of(self, metric: Metric) -> float | None:
        """Return the observed score that a percentage is of; None for metrics of known range."""
        return None if metric.bounds is not None else self._reference(metric)

    def _reference(self, metric: Metric) -> float:
        """Return the observed score that others are compared with."""
        raise NotImplementedError

    def _verdict(self, rope: Any) -> list[str]:
        if rope is None:
            return super()._verdict(rope)
        return [str(self.decision(rope, metric=name)) for name in self._few_metrics()]

    def decision(self, rope: Any, prob: float = 0.95, *, metric: Any = None) -> InWords:
        """Return what is decided, given a ROPE."""
        raise NotImplementedError

    def to_latex(
        self, rope: Any = None, *, prob: float = 0.95, mcse: bool = False, labels: Labels = None
    ) -> str:
        r"""Return the result as a LaTeX tabular, which needs ``\usepackage{booktabs}``.

        A comparison has one row per metric, a ranking one row per classifier. Numbers are rounded
        to two digits of the standard deviation of their row.

        Parameters
        ----------
        rope : float, str, (float, float) or dict, default=None
            The region of practical equivalence. Without one, nothing is decided.
        prob : float, default=0.95
            The probability mass of the HDI.
        mcse : bool, default=False
            Whether to include Monte Carlo standard errors and, for Markov chains, diagnostics.
        labels : dict of str to str, default=None
            What metrics are called, such as {"roc_auc": "ROC AUC"}. In a table of classifiers, the
            label of the metric stands above the observed values. Under a label, scores with a
            minus sign are written without it: with {"neg_brier_score": "Brier score"}, smaller
            numbers are better, and a negative difference speaks for A.

        Returns
        -------
        table : str
            For a comparison, the columns are the observed metric values, the mean and standard
            deviation of the difference A minus B, the probabilities that A is worse, inside the
            ROPE and better, the HDI and, with a ROPE, the decision: the symbol of what is settled,
            or "not settled". For a ranking, they are the observed metric value, its mean, standard
            deviation and HDI, the probability of being best and the rank; with a ROPE also the
            probability of being practically equivalent to the best, and the decision against the
            best.

        Examples
        --------
        >>> from skbayeseval import compare_counts
        >>> result = compare_counts((88, 10, 12), (80, 14, 20), names=("new", "old"))
        >>> print(result.to_latex(rope=0.01).splitlines()[4].split(" & ")[-1])
        not settled \\
        """
        return latex_table(self._table(rope, prob, mcse, labels))

    def to_markdown(
        self, rope: Any = None, *, prob: float = 0.95, mcse: bool = False, labels: Labels = None
    ) -> str:
        """Return the result as a Markdown table.

        The parameters and the columns are those of `to_latex`.
        """
        return markdown_table(self._table(rope, prob, mcse, labels))

    def to_html(
        self, rope: Any = None, *, prob: float = 0.95, mcse: bool = False, labels: Labels = None
    ) -> str:
        """Return the result as an HTML table, with escaped names.

        The parameters and the columns are those of `to_latex`.
        """
        return html_table(self._table(rope, prob, mcse, labels))
