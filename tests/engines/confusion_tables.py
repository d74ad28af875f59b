"""Small confusion tables."""

TABLES = {
    "ordinary": [[20, 3, 1], [2, 15, 4], [0, 5, 12]],
    "tiny rows": [[1, 0, 0], [0, 3, 2], [1, 0, 0]],
    "empty class": [[9, 1, 0], [0, 0, 0], [2, 0, 7]],
    "perfect": [[30, 0, 0], [0, 25, 0], [0, 0, 41]],
    "never predicted": [[9, 1, 0], [4, 3, 0], [2, 5, 0]],
}
