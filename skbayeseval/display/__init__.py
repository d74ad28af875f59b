"""Display objects for plots, in the style of scikit-learn."""

from skbayeseval.display.curves import CurveDisplay, LearningCurveDisplay, PowerDisplay
from skbayeseval.display.forest import ClassesDisplay, ForestDisplay
from skbayeseval.display.heatmap import HeatmapDisplay, PairsDisplay
from skbayeseval.display.joint import JointDisplay
from skbayeseval.display.posterior import (
    FactorDisplay,
    PosteriorDisplay,
    ScoreDisplay,
    TraceDisplay,
)
from skbayeseval.display.ranking import RankingDisplay
from skbayeseval.display.scores import ScoresDisplay

__all__ = [
    "ClassesDisplay",
    "CurveDisplay",
    "FactorDisplay",
    "ForestDisplay",
    "HeatmapDisplay",
    "JointDisplay",
    "LearningCurveDisplay",
    "PairsDisplay",
    "PosteriorDisplay",
    "PowerDisplay",
    "RankingDisplay",
    "ScoreDisplay",
    "ScoresDisplay",
    "TraceDisplay",
]
