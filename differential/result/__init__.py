"""Sums up differences and counts as the summary that people and gates read."""
