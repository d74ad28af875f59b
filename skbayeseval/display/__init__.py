"""Displays: they hold plain arrays and draw themselves on request, as scikit-learn's do."""

from skbayeseval.display.factor import FactorDisplay
from skbayeseval.display.heatmap import HeatmapDisplay
from skbayeseval.display.joint import JointDisplay
from skbayeseval.display.posterior import PosteriorDisplay, ScoreDisplay
from skbayeseval.display.power import PowerDisplay
from skbayeseval.display.ranking import PairsDisplay, RankingDisplay
from skbayeseval.display.scores import ScoresDisplay
from skbayeseval.display.trace import TraceDisplay

__all__ = [
    "FactorDisplay",
    "HeatmapDisplay",
    "JointDisplay",
    "PairsDisplay",
    "PosteriorDisplay",
    "PowerDisplay",
    "RankingDisplay",
    "ScoreDisplay",
    "ScoresDisplay",
    "TraceDisplay",
]
