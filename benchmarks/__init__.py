"""Benchmarks, which measure ratios; they are separate from the tests."""
