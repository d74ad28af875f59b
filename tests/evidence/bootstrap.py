"""What the weights of rows do to a metric, by differences."""

import numpy as np


def slopes(evidence, metric, classifier, rows):
    """Return the derivatives of the average over runs with respect to the weight of each row."""
    runs = list(evidence.prepared(metric))

    def value(weights):
        parts = []
        for run, (_, of_each) in zip(np.unique(evidence.run), runs, strict=True):
            of_run = weights[evidence.run == run, None]
            plain = of_each[classifier].sums(np.ones_like(of_run))
            parts.append(of_each[classifier].sums(of_run).relative_to(plain))
        total = parts[0]
        for part in parts[1:]:
            total = total.plus(part)
        return total.average()[0]

    steps = [1e-5 * (np.arange(len(evidence.run)) == row) for row in rows]
    return [(value(1 + step) - value(1 - step)) / 2e-5 for step in steps]
