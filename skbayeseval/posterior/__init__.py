"""Posteriors: construction, draws, closed forms, and pairs of a joint posterior."""
