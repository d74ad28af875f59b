"""Evidence on which both engines are held against each other: three sets for every model."""

import numpy as np

from skbayeseval import BlockRegularizedCV
from skbayeseval.evidence import ConfusionCounts, MarginalCounts, PairedCounts
from skbayeseval.evidence.chunks import ChunkCounts
from skbayeseval.evidence.split_scores import SplitScores
from skbayeseval.evidence.units import UnitCounts
from skbayeseval.metrics.metric import Totals
from skbayeseval.metrics.registry import split_metric
from skbayeseval.models import (
    BCV,
    CorrelatedT,
    Hierarchical,
    IndependentLabels,
    IndependentLabelsBCV,
    Paired,
    PairedChunks,
    PairedHierarchical,
    PairedMany,
    PairedRecalls,
    Unpaired,
)

SETS = ("balanced", "imbalanced", "few")

# The imbalanced set is worth what counts pooled over 3 x 2 block-regularised CV are.
WEIGHTS = {"balanced": 1.0, "imbalanced": BlockRegularizedCV(3).weight, "few": 1.0}

# (truth, A, B): count, positive class 1; "few" has cells of zero.
PAIRS = {
    "balanced": {
        (1, 1, 1): 60, (1, 1, 0): 12, (1, 0, 1): 5, (1, 0, 0): 8,
        (0, 1, 1): 7, (0, 1, 0): 4, (0, 0, 1): 9, (0, 0, 0): 70,
    },
    "imbalanced": {
        (1, 1, 1): 11, (1, 1, 0): 4, (1, 0, 1): 2, (1, 0, 0): 6,
        (0, 1, 1): 9, (0, 1, 0): 13, (0, 0, 1): 5, (0, 0, 0): 1450,
    },
    "few": {(1, 1, 1): 3, (1, 0, 1): 1, (0, 0, 0): 4, (0, 1, 0): 1},
}  # fmt: skip

# Gold chunks found by both, A, B, neither; false alarms of both, A, B.
CHUNKS = {
    "balanced": (60, 12, 5, 8, 7, 9, 4),
    "imbalanced": (900, 40, 25, 12, 3, 2, 1),
    "few": (3, 0, 1, 1, 0, 2, 0),
}

CLASSES = {
    "balanced": {
        (0, 0, 0): 30, (0, 0, 1): 4, (0, 2, 0): 3, (1, 1, 1): 25, (1, 0, 1): 6, (1, 1, 2): 2,
        (2, 2, 2): 28, (2, 2, 1): 7, (2, 0, 0): 3,
    },
    "imbalanced": {
        (0, 0, 0): 700, (0, 1, 0): 20, (0, 0, 2): 15, (1, 1, 1): 12, (1, 0, 0): 9, (1, 1, 0): 4,
        (2, 2, 2): 3, (2, 0, 2): 2, (2, 2, 0): 1,
    },
    "few": {(0, 0, 0): 3, (1, 1, 1): 2, (1, 0, 1): 1, (2, 2, 2): 2},
}  # fmt: skip

# Small confusion tables.
TABLES = {
    "ordinary": [[20, 3, 1], [2, 15, 4], [0, 5, 12]],
    "tiny rows": [[1, 0, 0], [0, 3, 2], [1, 0, 0]],
    "empty class": [[9, 1, 0], [0, 0, 0], [2, 0, 7]],
    "perfect": [[30, 0, 0], [0, 25, 0], [0, 0, 41]],
    "never predicted": [[9, 1, 0], [4, 3, 0], [2, 5, 0]],
}


def paired(outcomes, labels, weight, n_classifiers=2):
    rows = np.array([(*key, count) for key, count in outcomes.items()])
    predictions = rows[:, 1:3]
    if n_classifiers == 3:
        predictions = np.column_stack([predictions, predictions[::-1, 0]])
    return PairedCounts(rows[:, 0], predictions, rows[:, -1], labels, weight, pos_label=None)


def labelled(name):
    """Two labels of 60 instances, or of eight; the second is rare in the imbalanced set."""
    rng = np.random.default_rng(len(name))
    n = 8 if name == "few" else 60
    y = (rng.random((n, 2)) < [0.5, 0.1 if name == "imbalanced" else 0.5]).astype(int)
    y[0] = 1
    predictions = {
        key: np.where(rng.random((n, 2)) < p, y, 1 - y) for key, p in (("a", 0.9), ("b", 0.8))
    }
    return UnitCounts.from_indicators(y, predictions, weight=WEIGHTS[name])


def split_scores(name):
    """Scores of ten or thirty splits; of the few, B's hardly vary."""
    rng = np.random.default_rng(len(name))
    n_splits = 30 if name == "balanced" else 10
    level = rng.normal(0.8, 0.001 if name == "few" else 0.03, n_splits)
    a, b = level + rng.normal(0.01, 0.02, n_splits), level + rng.normal(0, 0.005, n_splits)
    return SplitScores({"score": np.stack([a, b])}, 0.5 if name == "imbalanced" else 0.1)


def cases():
    """Yield (name, model, evidence, metric)."""
    for name in SETS:
        yield f"scores {name}", CorrelatedT(), split_scores(name), split_metric("score")
        weight, pairs, classes = WEIGHTS[name], PAIRS[name], CLASSES[name]
        of_two, of_three = paired(pairs, (0, 1), weight), paired(classes, (0, 1, 2), weight)
        yield f"unpaired {name}", Unpaired(), of_two, "f1"
        yield f"paired {name}", Paired(), of_two, "f1"
        yield f"bcv {name}", BCV(), of_two, "f1"
        yield f"chunks {name}", PairedChunks(), ChunkCounts(CHUNKS[name], weight), "f1"
        for kind, model in (
            ("hierarchical", Hierarchical()),
            ("paired classes", PairedHierarchical()),
            ("paired recalls", PairedRecalls()),
        ):
            yield f"{kind} {name}", model, of_three, "f1_macro"
        yield f"paired many {name}", PairedMany(), paired(pairs, (0, 1), weight, 3), "f1"
        yield f"labels {name}", IndependentLabels(), labelled(name), "f1_micro"
        yield f"labels bcv {name}", IndependentLabelsBCV(), labelled(name), "f1_micro"


def as_arrays(block):
    """Totals as they are, and the tables of all classifiers in one array."""
    return block if isinstance(block, Totals) else np.stack(list(block))


def stream_outcomes(specification, rng, n_draws, *, of_block=as_arrays, **options):
    """Blocks of totals of shape (n_classifiers, n, M), or of tables."""
    return specification.blocks(lambda _, block: of_block(block), rng, n_draws, **options)


def alone(table, **options):
    """Return the evidence of one classifier."""
    return MarginalCounts((ConfusionCounts.from_matrix(table, **options),))
