"""Models for two estimators compared on several data sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_scalar

from skbayeseval.evidence.split_scores import DataSetScores
from skbayeseval.models.scores import without_noise
from skbayeseval.models.specification import DataSetSpecification, Model

__all__ = ["NEXT_DATA_SET", "HierarchicalScores", "SignedRank"]

# What the hierarchical model of data sets calls the difference on a further one.
NEXT_DATA_SET = "next data set"


class SignedRank(Model):
    """The Bayesian signed-rank test over data sets (Benavoli et al. 2014).

    The differences on the data sets come from an unknown distribution, which has a Dirichlet
    process prior. The reported difference is the pseudo-median of that distribution: the median of
    the mean of two differences drawn from it. As in the paper, the probabilities are the shares of
    posterior draws in which such a mean is most probably worse, equivalent or better.

    Parameters
    ----------
    strength : float, default=0.5
        The weight of the prior's single pseudo-observation, a difference of 0. A data set has
        weight 1.

    Examples
    --------
    >>> from skbayeseval import compare_scores
    >>> a, b = [0.81, 0.79, 0.94, 0.70, 0.88], [0.80, 0.75, 0.91, 0.71, 0.85]
    >>> compare_scores(a, b, test_fraction=None, model="signed-rank", random_state=0).model
    'signed-rank'
    """

    name = "signed-rank"
    needs_pairs = True
    needs_true_negatives = False
    has_proper_prior = False

    def __init__(self, strength: float = 0.5) -> None:
        self.strength = strength

    def specification(self, evidence: Any) -> DataSetSpecification:
        """Return the specification of the posterior, given the evidence."""
        check_scalar(self.strength, "strength", (int, float), min_val=0.01, max_val=1e6)
        differences = _differences(evidence)
        means = {name: of_one.mean(axis=1) for name, of_one in differences.items()}
        return DataSetSpecification(means, strength=float(self.strength))


class HierarchicalScores(Model):
    """The hierarchical correlated t-test over data sets (Corani et al. 2017), sampled by PyMC.

    The mean differences on the data sets come from a Student t distribution, and the splits of each
    data set are correlated as in `CorrelatedT`. Noisy data sets are shrunk towards the others. The
    reported difference is the centre of the t distribution, the average over data sets. The metric
    "next data set" is the difference on a new data set.

    Examples
    --------
    >>> from skbayeseval.models import HierarchicalScores
    >>> HierarchicalScores()
    HierarchicalScores()
    """

    name = "hierarchical scores"
    derived_metrics = (NEXT_DATA_SET,)
    needs_pairs = True
    needs_true_negatives = False
    has_proper_prior = False

    def specification(self, evidence: Any) -> DataSetSpecification:
        """Return the specification of the posterior, given the evidence."""
        differences = _differences(evidence)
        n_splits = next(iter(differences.values())).shape[1]
        if n_splits < 3 or evidence.test_fraction is None:
            raise ValueError(
                "model='hierarchical' needs the scores of at least three splits of each data set, "
                "and test_fraction=. Use model='signed-rank' for one score per data set."
            )
        if len(differences) > 1:
            raise ValueError("model='hierarchical' accepts only one metric.")
        return DataSetSpecification(differences, correlation=evidence.test_fraction)


def _differences(evidence: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Return A - B for each metric, of shape (n_data_sets, n_splits)."""
    if not isinstance(evidence, DataSetScores):
        raise ValueError("Models of data sets need the scores of several data sets.")
    return {
        name: without_noise(scores[0] - scores[1], scores)
        for name, scores in evidence.scores.items()
    }
