"""Bayesian comparison of classifiers: whether A is better than B, by how much, and how surely.

Imports run one way, along the flow from data to statement::

    evidence -> models -> posterior -> result -> compare -> search -> cli
                          metrics ---^            ^
                          judgement, display -----'

Importing the package loads none of PyMC, ArviZ and matplotlib.
"""

from skbayeseval import metrics
from skbayeseval._version import __version__, show_versions
from skbayeseval.compare.comparer import BayesianComparer
from skbayeseval.compare.cross_validation import bayesian_cross_val_score, bayesian_cross_validate
from skbayeseval.compare.predictions import (
    compare_confusion_matrices,
    compare_counts,
    compare_many,
    compare_predictions,
    load_result,
    score_posterior,
)
from skbayeseval.compare.scored_items import compare_items, compare_many_items
from skbayeseval.compare.split_scores import compare_scores
from skbayeseval.evidence.chunks import chunk_counter
from skbayeseval.judgement.intervals import hdi
from skbayeseval.models.pymc import PyMCEngine
from skbayeseval.planning.power import PowerAnalysis, power_analysis
from skbayeseval.results.comparison import ComparisonResult
from skbayeseval.results.ranking import Ranking
from skbayeseval.results.single import ScoreResult
from skbayeseval.results.subgroups import SubgroupComparison, SubgroupScores
from skbayeseval.search.count_scorer import count_scorer
from skbayeseval.search.prediction_scorer import prediction_scorer
from skbayeseval.search.report import SearchReport
from skbayeseval.search.report_search import refit_simplest, report_search
from skbayeseval.sequences import ConvertTags
from skbayeseval.splitting.block_cv import BlockRegularizedCV

__all__ = [
    "BayesianComparer",
    "BlockRegularizedCV",
    "ComparisonResult",
    "ConvertTags",
    "PowerAnalysis",
    "PyMCEngine",
    "Ranking",
    "ScoreResult",
    "SearchReport",
    "SubgroupComparison",
    "SubgroupScores",
    "__version__",
    "bayesian_cross_val_score",
    "bayesian_cross_validate",
    "chunk_counter",
    "compare_confusion_matrices",
    "compare_counts",
    "compare_items",
    "compare_many",
    "compare_many_items",
    "compare_predictions",
    "compare_scores",
    "count_scorer",
    "hdi",
    "load_result",
    "metrics",
    "power_analysis",
    "prediction_scorer",
    "refit_simplest",
    "report_search",
    "score_posterior",
    "show_versions",
]
