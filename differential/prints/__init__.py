"""Compares by fingerprints: keys whose changes are the same on all sides are settled without their values."""
