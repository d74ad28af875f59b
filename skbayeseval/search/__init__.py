"""Searches, reported with their uncertainty: what they record, and what that says."""
