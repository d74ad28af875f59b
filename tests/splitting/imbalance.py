import numpy as np


def largest_imbalance(columns, blocks, n_blocks):
    """Return the largest deviation of a block's sum from its share, relative to that share."""
    share = columns.sum(axis=0) / n_blocks
    sums = np.zeros((n_blocks, columns.shape[1]))
    np.add.at(sums, blocks, columns)
    used = share > 0
    return float(np.max(np.abs(sums - share)[:, used] / share[used], initial=0.0))
