"""Intervals, decisions, Bayes factors and significance tests computed from arrays."""

from skbayeseval.judgement.bayes_factor import BayesFactor
from skbayeseval.judgement.bayes_test import BayesTest
from skbayeseval.judgement.decision import Decision, Probabilities
from skbayeseval.judgement.distribution import Distribution
from skbayeseval.judgement.expected_loss import ExpectedLoss
from skbayeseval.judgement.frequentist import SignificanceTest
from skbayeseval.judgement.intervals import Interval, hdi
from skbayeseval.judgement.one_sided import OneSidedDecision
from skbayeseval.judgement.ranking_decision import RankingDecision
from skbayeseval.judgement.subgroup_decision import SubgroupDecision

__all__ = [
    "BayesFactor",
    "BayesTest",
    "Decision",
    "Distribution",
    "ExpectedLoss",
    "Interval",
    "OneSidedDecision",
    "Probabilities",
    "RankingDecision",
    "SignificanceTest",
    "SubgroupDecision",
    "hdi",
]
