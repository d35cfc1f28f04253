"""What a broken pipeline does to a stream: one corruption each, drawn from a seed, in any dialect.

A corruption takes the records of a side and gives others, or None if there is no place for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from copies import COPIES
from corrupt_columns import COLUMNS
from corrupt_members import MEMBERS
from corrupt_messages import MESSAGES
from corrupt_pipelines import PIPELINES
from corrupt_rows import ROWS
from corrupt_values import AS_OTHER_PRODUCERS, VALUES
from corrupt_ways import WAYS
from trees import Corruption, Stream

__all__ = ["CORRUPTIONS", "Corruption", "Stream"]

CORRUPTIONS: Sequence[Corruption] = (
    *MESSAGES,
    *VALUES,
    *MEMBERS,
    *AS_OTHER_PRODUCERS,
    *ROWS,
    *WAYS,
    *COLUMNS,
    *PIPELINES,
    *COPIES,
)
