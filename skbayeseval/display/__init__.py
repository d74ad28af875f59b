"""Display objects for plots, in the style of scikit-learn."""

from skbayeseval.display.candidates import ParametersDisplay, TimesDisplay
from skbayeseval.display.curves import (
    CurveDisplay,
    LearningCurveDisplay,
    PowerDisplay,
    SplitScoresDisplay,
)
from skbayeseval.display.forest import ClassesDisplay, ForestDisplay, RankingDisplay, TiersDisplay
from skbayeseval.display.heatmap import HeatmapDisplay, PairsDisplay
from skbayeseval.display.posterior import (
    FactorDisplay,
    JointDisplay,
    PosteriorDisplay,
    ScoreDisplay,
    TraceDisplay,
)
from skbayeseval.display.ranks import CriticalDifferenceDisplay

__all__ = [
    "ClassesDisplay",
    "CriticalDifferenceDisplay",
    "CurveDisplay",
    "FactorDisplay",
    "ForestDisplay",
    "HeatmapDisplay",
    "JointDisplay",
    "LearningCurveDisplay",
    "PairsDisplay",
    "ParametersDisplay",
    "PosteriorDisplay",
    "PowerDisplay",
    "RankingDisplay",
    "ScoreDisplay",
    "SplitScoresDisplay",
    "TiersDisplay",
    "TimesDisplay",
    "TraceDisplay",
]
