"""Compares by fingerprints: keys that are alike on all sides need no values."""
