"""Comparing by fingerprints: what is the same on all sides is settled without its values."""
