"""Finds the divergence of the catalogue that explains a difference."""
