"""Compares growing streams (`--live`) in rounds, and keeps state between the rounds."""
