"""From draws to statements: arrays in, small frozen results out."""

from skbayeseval.judgement.bayes_factor import BayesFactor
from skbayeseval.judgement.bayes_test import BayesTest
from skbayeseval.judgement.decision import Decision, Probabilities
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.frequentist import SignificanceTest
from skbayeseval.judgement.intervals import Interval, hdi

__all__ = [
    "BayesFactor",
    "BayesTest",
    "Decision",
    "Distribution",
    "Interval",
    "Probabilities",
    "SignificanceTest",
    "hdi",
]
