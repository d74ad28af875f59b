"""The experiments of the three papers, over the public interface: their numbers beside ours.

`newsgroups` and `conll` make the predictions, a module a paper compares them, `tables` sets print
and ours side by side, and `report` writes and counts.
"""

from skbayeseval.reproduce.papers import PAPERS, reproduce

__all__ = ["PAPERS", "reproduce"]
