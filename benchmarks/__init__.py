"""Benchmarks: `python -m benchmarks.bench` prints one table; the others are longer studies."""
