"""`compare_locally` for the few messages of a test, put into few parts.

The number of parts changes nothing (`tests/unit/differential/test_local.py`); a file each costs more
than what is in it.
"""

from __future__ import annotations

from functools import partial

from differential import local

__all__ = ["FEW", "compare_locally"]

FEW = 2
compare_locally = partial(local.compare_locally, partitions=FEW)
