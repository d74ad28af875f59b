"""Posteriors: how one is built, drawn from, and seen as a pair of many."""
