"""Changes as columns: what the fast path makes of messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress, repeat
from typing import Any

from differential.decode.quick.cells import Column
from differential.decode.quick.plan import Plan
from differential.decode.slim import payload_part
from differential.model import PARTLY, UNKNOWN

__all__ = ["ChangeColumns", "filtered", "steps_of"]


@dataclass(frozen=True, slots=True)
class ChangeColumns:
    """Changes of one table and operation, as columns."""

    plan: Plan
    op: str
    moved: bool
    positions: Sequence[int]  # by change, the position of its message in the batch
    steps: Sequence[int]  # by change, its number in its message
    commit_ts: Sequence[bytes] | None  # in digits; None if the messages have none
    instants: Sequence[bytes] | None  # None if the messages have none
    keys: Sequence[bytes]
    before: Sequence[Column] | None  # by field of the plan, the cells before the changes; None for an absent image
    after: Sequence[Column] | None
    before_unknown: bool = False  # the messages lack the row before
    before_partial: bool = False  # the row before has only the fields of the plan, and the table has more

    @property
    def groups(self) -> list[int]:
        """The key groups of the records, as numbers."""
        return self.plan.groups(self.keys)

    @property
    def payloads(self) -> list[bytes]:
        """The images of each record as a payload."""
        payloads = self.plan.payloads(self.before, self.after)
        if self.before_partial:
            return list(map(PARTLY.__add__, payloads))
        if not self.before_unknown:
            return payloads
        nothing = len(payload_part(None))
        return [payload_part(UNKNOWN) + payload[nothing:] for payload in payloads]

    def only(self, keep: Sequence[bool]) -> ChangeColumns:
        """The records whose flag in `keep` is set."""
        columns = ("positions", "steps", "commit_ts", "instants", "keys")
        given = {name: column for name in columns if (column := getattr(self, name)) is not None}
        kept: dict[str, Any] = {name: list(compress(column, keep)) for name, column in given.items()}
        images = {"before": self.before, "after": self.after}
        kept |= {name: filtered(image, keep) for name, image in images.items() if image is not None}
        return replace(self, **kept)


def filtered(columns: Sequence[Column], keep: Sequence[bool]) -> list[Column]:
    """The columns with only those cells whose flag in `keep` is set."""
    return [list(compress(column, keep)) for column in columns]


def steps_of(positions: Sequence[int], moved: Iterable[bool] = repeat(False)) -> list[int]:
    """The number of each row in its message; a row whose key changed counts twice."""
    steps, step, last = [], 0, -1
    for position, twice in zip(positions, moved, strict=False):
        step = step if position == last else 0
        steps.append(step)
        step, last = step + 1 + twice, position
    return steps
