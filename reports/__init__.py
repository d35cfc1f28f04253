"""Renderers: each takes the events of a run and nothing else."""
