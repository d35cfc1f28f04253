"""Skeletons of harnesses, which `init` writes: a program in each language, and the CI workflow that judges it.

A generated harness passes every case that it declares. The files are templates below `templates`, one folder for each
skeleton; its `skeleton.toml` says how the harness is built and started.
"""

from __future__ import annotations

from conformance.skeletons.catalogue import PROTOCOLS, Skeleton, load_skeletons
from conformance.skeletons.writing import write_skeleton

__all__ = ["PROTOCOLS", "Skeleton", "load_skeletons", "write_skeleton"]
