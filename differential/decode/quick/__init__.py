"""The fast path for row messages: ordinary messages of known tables, a batch at a time.

It accepts no message that the slow path (`differential.decode.changes`) refuses or reports as odd, and gives the same
slim records. It leaves messages that it is not sure of to the slow path. A test asserts that both give the same result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from differential.decode.quick import avro, canal, connector, debezium, open_protocol, ticdc
from differential.decode.quick.change_columns import ChangeColumns, steps_of
from differential.decode.quick.dialect import Dialect
from differential.decode.quick.shape import Shape
from differential.sides import Side, codec_of
from reference_impl.column_types import Family
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Table
from reference_impl.options import parse
from reference_impl.protocols import AVRO, CANAL, CANAL_JSON, CONNECTOR, DEBEZIUM, OPEN_PROTOCOL, Rows

__all__ = ["FEW", "ChangeColumns", "QuickRows"]

_DIALECTS: Rows[Dialect] = Rows(
    {
        CANAL_JSON: ticdc.DIALECT,
        CANAL: canal.DIALECT,
        DEBEZIUM: debezium.DIALECT,
        CONNECTOR: connector.DIALECT,
        OPEN_PROTOCOL: open_protocol.DIALECT,
        AVRO: avro.DIALECT,
    }
)

FEW = 4
"""Messages of one head: to make the pattern for them takes as long as the slow path takes for as many, or longer."""

_CHUNK = 4096


class QuickRows:
    """The fast path for one side. Tables with several versions are always read by the slow path.

    The first messages of a head, fewer than `few`, take the slow path: it reads them sooner than their pattern is made.
    """

    def __init__(self, side: Side, *, few: int = 0) -> None:
        self._shapes: dict[object, list[Shape]] = {}
        self._unmade: dict[object, list[Table]] = {}
        """By head, the tables whose shapes are not made yet."""
        self._few, self._seen, self._made = few, Counter[object](), set[tuple[str, str]]()
        dialect = _DIALECTS.own(side.dialect)
        if dialect is None:
            return
        options: Any = parse(codec_of(side.dialect).options, side.options)
        if not dialect.is_quick(options):
            return
        self._split = dialect.splitter and dialect.splitter(side, options)
        self._subjects, self._head = dialect.subjects, dialect.head
        self._longest = dialect.longest(options)
        self._shapes_of: Callable[[Table], list[tuple[object, Shape]]] = partial(
            _of_table, dialect.shapes, side, options
        )
        for table in _simple_tables(side):
            if dialect.heads is None:
                self._make(table)
                continue
            for head in _of_table(dialect.heads, side, options, table):
                self._unmade.setdefault(head, []).append(table)

    def read(
        self, values: Sequence[bytes | None], keys: Sequence[bytes | None]
    ) -> tuple[list[ChangeColumns], list[int]]:
        """The slim records of ordinary messages, and the positions of all others, in order."""
        if not (self._shapes or self._unmade):
            return [], list(range(len(values)))
        found: list[ChangeColumns] = []
        rest: list[int] = []
        for start in range(0, len(values), _CHUNK):
            chunk = values[start : start + _CHUNK], keys[start : start + _CHUNK]
            if self._subjects is not None:
                self._chunk(self._subjects(*chunk), start, found, rest)
            elif self._split is not None:
                subjects, message_of = self._split(*chunk)
                self._events(subjects, message_of, start, found, rest)
        return found, sorted(rest)

    def _events(
        self,
        subjects: Sequence[bytes | None],
        message_of: Sequence[int],
        start: int,
        found: list[ChangeColumns],
        rest: list[int],
    ) -> None:
        """Read events; `message_of` has the position of the message of each event.

        A message counts as read if all of its events are read.
        """
        of_events: list[ChangeColumns] = []
        left: list[int] = []
        self._chunk(subjects, 0, of_events, left)
        odd = {message_of[event] for event in left}
        rest += [start + position for position in odd]
        steps = steps_of(message_of)
        for one in of_events:
            if odd and not odd.isdisjoint(map(message_of.__getitem__, one.positions)):
                one = one.only([message_of[event] not in odd for event in one.positions])
            if one.positions:
                positions = [start + message_of[event] for event in one.positions]
                found.append(replace(one, positions=positions, steps=[steps[event] for event in one.positions]))

    def _chunk(self, subjects: Sequence[bytes | None], start: int, found: list[ChangeColumns], rest: list[int]) -> None:
        by_head: dict[object, tuple[list[bytes], list[int]]] = {}
        head_of, longest = self._head, self._longest
        for position, message in enumerate(subjects, start):
            if not message or len(message) > longest:
                rest.append(position)
                continue
            same_head = by_head.get(head := head_of(message))
            if same_head is None:
                same_head = by_head[head] = [], []
            same_head[0].append(message)
            same_head[1].append(position)
        for head, (same, positions) in by_head.items():
            if early := self._early(head, len(same)):
                rest += positions[:early]
                same, positions = same[early:], positions[early:]
            for shape in self._shapes.get(head, ()) if positions else ():
                more, left = shape.read(same, positions)
                found += more
                if not left:
                    break
                if len(left) < len(positions):
                    kept = set(left)
                    same = [message for message, position in zip(same, positions, strict=True) if position in kept]
                    positions = sorted(left)
            else:
                rest += positions

    def _early(self, head: object, count: int) -> int:
        """How many of `count` more messages of a head are among its first ones, however these are cut into batches.

        Behind them come messages for whose sake the shapes are made.
        """
        if head not in self._unmade:
            return 0
        early = max(0, min(count, self._few - 1 - self._seen[head]))
        self._seen[head] += count
        if early < count:
            for table in self._unmade.pop(head):
                if table.id not in self._made:
                    self._make(table)
        return early

    def _make(self, table: Table) -> None:
        self._made.add(table.id)
        for head, shape in self._shapes_of(table):
            self._shapes.setdefault(head, []).append(shape)


def _of_table(make: Callable[..., Iterable[Any]], side: Side, options: Any, table: Table) -> list[Any]:
    """What a dialect makes of a table; nothing of one with a type or name that the dialect does not support."""
    try:
        return list(make(side, table, options))
    except (Rejected, Unsupported):
        return []


def _simple_tables(side: Side) -> Iterator[Table]:
    """The tables of one version, without a column whose values depend on the side's zone."""
    versions = Counter(table.id for table in side.tables)
    for table in side.tables:
        if versions[table.id] == 1 and (
            side.settings.timezone == "UTC" or all(c.type.family is not Family.TIMESTAMP for c in table.columns)
        ):
            yield table
