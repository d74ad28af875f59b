"""Reproduction of the experiments of three papers with the public interface of the package.

`newsgroups` and `conll` make the predictions, there is one module per paper to compare them,
`tables` lists published and reproduced values side by side, and `report` prints the results and
counts how many values agree.
"""

from skbayeseval.reproduce.papers import PAPERS, reproduce

__all__ = ["PAPERS", "reproduce"]
