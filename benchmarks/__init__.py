"""Benchmarks: ratios, kept apart from the tests."""
