"""Drift: a producer's new records against its committed recording, with members that vary from run to run masked."""
