"""Compares the names that the sides give to column types."""
