"""`compare_locally` for the few messages of a test, put into one part.

The number of parts changes nothing (`tests/unit/differential/test_local.py`, which adds up many); a file each costs
more than what is in it.
"""

from __future__ import annotations

from functools import partial

from differential import local

__all__ = ["compare_locally"]

compare_locally = partial(local.compare_locally, partitions=1)
