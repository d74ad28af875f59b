"""Engines: from a model's specification to draws."""
