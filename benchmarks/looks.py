"""How often two equal classifiers are called significantly different, if one looks again and again.

Two classifiers are equally accurate and disagree on 10% of the instances. The test set grows to
3,000 instances, and the decision is looked at after every 100, or once at the end. The decisions
are those of `compare_predictions`, made by the simulation that `power_analysis` uses.

    python benchmarks/looks.py
"""

import numpy as np

from skbayeseval.judgement import Interval
from skbayeseval.metrics import get_metric
from skbayeseval.models import resolve_model
from skbayeseval.planning.simulate import Question, Setting, populations_of, simulated_decisions

SIZES = range(100, 3001, 100)
ROPES = (0.0, 0.01)
N_REPLICATIONS = 500


def main():
    """Print one row per ROPE."""
    right = np.array([[0.05, 0.05], [0.05, 0.85]])  # of A and of B: wrong or right
    truth = populations_of(np.stack([0.5 * right[::-1, ::-1], 0.5 * right]))
    model = resolve_model("paired", None, paired=True, n_classes=2)
    questions = [
        Question(model, get_metric("accuracy"), Interval(-rope, rope), 0.95) for rope in ROPES
    ]
    codes = simulated_decisions(
        truth, Setting((0, 1), 1), questions, SIZES, N_REPLICATIONS, np.random.SeedSequence(0)
    )
    different = np.isin(codes, ("<<", ">>"))
    # Whoever stops at the first settled decision does not see later ones.
    settled = different | (codes == "~")
    first = np.take_along_axis(different, settled.argmax(axis=1)[:, None], axis=1)[:, 0]
    print("| ROPE | one look at 3,000 | 30 looks, some | 30 looks, stopping |")
    print("| --- | --- | --- | --- |")
    for i, rope in enumerate(ROPES):
        shares = (different[:, -1, i], different[:, :, i].any(axis=1), first[:, i])
        print(f"| {rope} |", " | ".join(f"{one.mean():.1%}" for one in shares), "|")


if __name__ == "__main__":
    main()
