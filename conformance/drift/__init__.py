"""Drift: what a producer writes now against what was recorded of it, with what differs from run to run masked."""
