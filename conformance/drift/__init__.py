"""Compares a producer's new records with its committed recording; members that vary from run to run are masked."""
