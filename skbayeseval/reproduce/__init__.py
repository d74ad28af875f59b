"""Reproduction of the experiments of three papers with the public interface of the package.

There is one module per paper. `newsgroups` makes the predictions that two of them compare, and
`report` lists published and reproduced values side by side and counts how many agree.
"""

from skbayeseval.reproduce.papers import PAPERS, reproduce

__all__ = ["PAPERS", "reproduce"]
