"""Display objects for plots, in the style of scikit-learn."""

from skbayeseval.display.classes import ClassesDisplay
from skbayeseval.display.curves import CurveDisplay
from skbayeseval.display.factor import FactorDisplay
from skbayeseval.display.forest import ForestDisplay
from skbayeseval.display.heatmap import HeatmapDisplay
from skbayeseval.display.joint import JointDisplay
from skbayeseval.display.learning_curve import LearningCurveDisplay
from skbayeseval.display.pairs import PairsDisplay
from skbayeseval.display.posterior import PosteriorDisplay, ScoreDisplay
from skbayeseval.display.power import PowerDisplay
from skbayeseval.display.ranking import RankingDisplay
from skbayeseval.display.scores import ScoresDisplay
from skbayeseval.display.trace import TraceDisplay

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
