"""The short way to read row messages: ordinary ones of tables that are known, a batch at a time.

It accepts nothing that the long way (`differential.decode.changes`) would refuse or find odd, and gives the same slim
records; whatever it is not sure of it leaves to the long way. What is found depends on neither. A test compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from differential.decode.quick import canal, connector, debezium, ticdc
from differential.decode.quick.engine import Found, Shape
from differential.sides import Side, codec_of
from reference_impl.column_types import Family
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Table
from reference_impl.options import parse

__all__ = ["Found", "QuickRows", "is_simple"]

_DIALECTS: dict[str, ModuleType] = {
    "canal-json": ticdc,
    "canal": canal,
    "debezium": debezium,
    "debezium-connector": connector,
}
_CHUNK = 4096


def is_simple(side: Side, table: Table) -> bool:
    """Whether a table has one version, and no column whose values depend on the side's zone."""
    if [one.id for one in side.tables].count(table.id) > 1:
        return False
    return side.settings.timezone == "UTC" or all(c.type.family is not Family.TIMESTAMP for c in table.columns)


class QuickRows:
    """The short way for one side. A table with several versions is always read the long way."""

    def __init__(self, side: Side) -> None:
        self._shapes: dict[object, list[Shape]] = {}
        dialect: Any = _DIALECTS.get(side.dialect)
        if dialect is None:
            return
        options: Any = parse(codec_of(side.dialect).options, side.options)
        if not dialect.is_quick(options):
            return
        self._subjects: Callable[[Sequence[bytes | None], Sequence[bytes | None]], Sequence[bytes | None]]
        self._subjects = dialect.subjects
        self._head: Callable[[bytes], object] = dialect.head
        self._longest = dialect.longest(options)
        for table in side.tables:
            if not is_simple(side, table):
                continue
            try:
                for head, shape in list(dialect.shapes(side, table, options)):
                    self._shapes.setdefault(head, []).append(shape)
            except (Rejected, Unsupported):
                continue  # a type that the dialect has not

    def read(self, values: Sequence[bytes | None], keys: Sequence[bytes | None]) -> tuple[list[Found], list[int]]:
        """The slim records of the messages that are ordinary, and the positions of all others, in order."""
        if not self._shapes:
            return [], list(range(len(values)))
        found: list[Found] = []
        rest: list[int] = []
        for start in range(0, len(values), _CHUNK):
            self._chunk(values[start : start + _CHUNK], keys[start : start + _CHUNK], start, found, rest)
        return found, sorted(rest)

    def _chunk(
        self,
        values: Sequence[bytes | None],
        keys: Sequence[bytes | None],
        start: int,
        found: list[Found],
        rest: list[int],
    ) -> None:
        by_head: dict[object, tuple[list[bytes], list[int]]] = {}
        head_of, longest = self._head, self._longest
        for position, message in enumerate(self._subjects(values, keys), start):
            if not message or len(message) > longest:
                rest.append(position)
                continue
            of_head = by_head.get(head := head_of(message))
            if of_head is None:
                of_head = by_head[head] = [], []
            of_head[0].append(message)
            of_head[1].append(position)
        for head, (same, places) in by_head.items():
            for shape in self._shapes.get(head, ()):
                more, left = shape.read(same, places)
                found += more
                if not left:
                    break
                if len(left) < len(places):
                    kept = set(left)
                    same = [message for message, place in zip(same, places, strict=True) if place in kept]
                    places = sorted(left)
            else:
                rest += places
