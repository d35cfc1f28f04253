"""Skeletons of harnesses: a program in each language that is green on what it declares, and what judges it in CI.

The files are templates in `templates`, a folder a skeleton; `skeleton.toml` there says how it is built and started.
"""

from __future__ import annotations

from conformance.skeletons.catalogue import PROTOCOLS, Skeleton, load_skeletons
from conformance.skeletons.writing import write_skeleton

__all__ = ["PROTOCOLS", "Skeleton", "load_skeletons", "write_skeleton"]
