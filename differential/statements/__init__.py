"""Compares the DDL statements of the sides."""
