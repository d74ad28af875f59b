"""Intervals, decisions, Bayes factors and significance tests computed from arrays."""

from skbayeseval.judgement.bayes_factor import BayesFactor, BayesTest
from skbayeseval.judgement.decision import Decision, ExpectedLoss, Probabilities
from skbayeseval.judgement.distribution import Distribution, OneSidedDecision
from skbayeseval.judgement.frequentist import SignificanceTest
from skbayeseval.judgement.intervals import Interval, hdi
from skbayeseval.judgement.ranking_decision import RankingDecision, Tiers
from skbayeseval.judgement.subgroup_decision import LargestGap, SubgroupDecision

__all__ = [
    "BayesFactor",
    "BayesTest",
    "Decision",
    "Distribution",
    "ExpectedLoss",
    "Interval",
    "LargestGap",
    "OneSidedDecision",
    "Probabilities",
    "RankingDecision",
    "SignificanceTest",
    "SubgroupDecision",
    "Tiers",
    "hdi",
]
