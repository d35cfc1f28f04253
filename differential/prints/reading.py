"""Reads messages into rows of fingerprints, one a change, with the values beside them.

A row of fingerprints takes about a hundred bytes, however large the row of the table is. Messages that are no row
changes become slim records.
"""

from __future__ import annotations

from binascii import crc32
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy
import orjson
import pyarrow

from differential.align.pairs import Pair
from differential.align.spellings import SpellingBits
from differential.batches import counted_rows
from differential.checks.records import Arrays, CheckRecords, effects_of_prints
from differential.decode.canonical import load
from differential.decode.fingerprints import NO_ROW, SIZE, UNKNOWN_IMAGE, print_of, printer
from differential.decode.quick import ChangeColumns
from differential.decode.quick.plan import Plan
from differential.decode.reader import SlimReader
from differential.decode.slim import Kind, Slim, identifying_image, images_of
from differential.model import PARTLY, UNKNOWN, time_of
from differential.prints.layout import KEY_IMAGE, MOVED, OP_CODES, OPS, PARTIAL_IMAGE, PRINTED, tables_of
from differential.prints.ways import ReadAs, ways_row
from differential.record_batches import RECORD_SCHEMA, binaries, message_counts, pieces, records_at
from differential.sides import Side

__all__ = ["PrintReader", "Printed"]

_UNKNOWN_BEFORE = {"before": UNKNOWN_IMAGE, "before_image": UNKNOWN}
_DIGITS = 19  # a number with fewer digits fits into 64 bits
_PARTITION_BITS = 32
_HALF = numpy.uint64(32)


class Printed:
    """The changes of a batch as the columns of `PRINTED`, all of one length."""

    def __init__(self) -> None:
        self.columns: dict[str, list[Any]] = {name: [] for name in PRINTED.names}
        self.positions: list[int] = []
        """By change, the position of its message in the batch."""

    def add(self, positions: Sequence[int], **columns: Any) -> None:
        """Add changes; each column is a list, or one value for all of them."""
        self.positions += positions
        count = len(positions)
        for name, column in columns.items():
            self.columns[name] += column if isinstance(column, list) else [column] * count


def _fixed(values: Sequence[bytes]) -> Any:
    whole = pyarrow.py_buffer(b"".join(values))
    return pyarrow.FixedSizeBinaryArray.from_buffers(pyarrow.binary(SIZE), len(values), [None, whole])


class PrintReader:
    """Reads the messages of a side into fingerprints; for `few`, see `QuickRows`."""

    def __init__(self, number: int, sides: Sequence[Side], pairs: Sequence[Pair], *, few: int = 0) -> None:
        self._number, self._side = number, sides[number]
        self._slim = SlimReader(number, self._side, few=few)
        self._spelling_bits = SpellingBits(pairs, number)
        self._check_records = CheckRecords(number, self._side)
        self._number_of = {table: number for number, table in enumerate(tables_of(sides))}
        # By table, the columns whose values a key may have in another form (`versions.folded`).
        self._collated: dict[tuple[str, str], set[str]] = {}
        for table in self._side.tables:
            self._collated.setdefault(table.id, set()).update(c.name for c in table.columns if c.collation)
        self._ways: Counter[ReadAs] = Counter()
        self.others: list[Slim] = []
        """Slim records of everything but row changes."""
        self.names: dict[tuple[int, int], Sequence[str]] = {}
        """The `Names` of the images read so far."""

    def read(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Batches of `PRINTED` for batches of messages; `others` is complete at the end."""
        counts, partitions = Counter[str](), Counter[tuple[str, int]]()
        for batch in chain.from_iterable(map(pieces, batches)):
            counts["messages"] += batch.num_rows
            if self._side.traits.broadcasts:
                partitions.update(message_counts(batch))
            yield self._batch(batch)
        counts.update(self._slim.counts)
        self.others += counted_rows(self._number, counts, partitions)
        self.others.append(ways_row(self._number, self._side, self._ways))

    def _batch(self, batch: Any) -> Any:
        """The changes in a batch of messages; the other records that the messages yield go to `others`."""
        printed = Printed()
        keys, values = (binaries(batch.column(place)) for place in range(2))
        columns, odd = self._slim.read_ordinary(values, keys)  # `odd`: messages that are read one by one
        for of_table in columns:
            self._add_columns(printed, of_table)
        self._ways.update({ReadAs.COLUMNS: len(values) - len(odd), ReadAs.ONE_BY_ONE: len(odd)})
        for position, record in zip(odd, records_at(batch, odd), strict=True):
            self._add_slims(printed, position, self._slim.read_any(record))
        arrays = self._arrays(printed, batch)
        if self._check_records.has_checks_of_changes and printed.positions:
            self.others += self._check_records.of_arrays(self._check_arrays(printed, arrays))
        if self._side.traits.has_log_positions:
            self.others += self._check_records.of_messages(records_at(batch, [*range(batch.num_rows)]))
        return arrays

    def _check_arrays(self, printed: Printed, batch: Any) -> Arrays:
        """The columns that the checks of changes need. The hashes of keys are those of `checks.records`."""
        keys = printed.columns["key"]
        topic, partition = batch.column("topic").dictionary_encode(), batch.column("partition").to_numpy()
        places, place = numpy.unique(
            topic.indices.to_numpy().astype(numpy.int64) << _PARTITION_BITS | partition, return_inverse=True
        )
        topics = topic.dictionary.to_pylist()
        numbers = [divmod(number, 1 << _PARTITION_BITS) for number in places.tolist()]
        stamps, instants = (batch.column(name) for name in ("commit_ts", "instant"))
        stamped = stamps.is_valid().to_numpy(zero_copy_only=False)
        ms = instants.fill_null(-1).to_numpy()
        before, after = (_halves(batch.column(name)) for name in ("before", "after"))
        backwards = numpy.fromiter(map(crc32, (key[::-1] for key in keys)), dtype=numpy.uint64, count=len(keys))
        return Arrays(
            list(self._number_of),
            batch.column("table").to_numpy(),
            [(topics[topic], partition) for topic, partition in numbers],
            place,
            batch.column("offset").to_numpy(),
            batch.column("step").to_numpy(),
            OP_CODES[batch.column("op_code").to_numpy() % MOVED],
            numpy.where(stamped, stamps.fill_null(0).to_numpy(), ms),
            stamped,
            batch.column("group").to_numpy().astype(numpy.uint64) << _HALF | backwards,
            effects_of_prints(before, after),
        )

    def _add_columns(self, printed: Printed, changes: ChangeColumns) -> None:
        """Add changes that the fast path read."""
        plan, count = changes.plan, len(changes.positions)
        shown = changes.before if changes.after is None else changes.after
        assert shown is not None
        table = plan.schema, plan.table
        if changes.before_partial:
            befores = [images_of(payload)[0] for payload in changes.payloads]
            images: dict[str, Any] = {"before": list(map(print_of, befores)), "after": NO_ROW}
            images |= {"before_image": befores, "after_image": None}
            partial_code = self._partial_code(table, changes.keys[0], befores[0])
        else:
            texts = [image if image is None else plan.texts(image) for image in (changes.before, changes.after)]
            images = self._images(plan, texts) | (_UNKNOWN_BEFORE if changes.before_unknown else {})
            partial_code = 0

        def columns() -> Mapping[str, Sequence[Any]]:  # called only where spellings are counted
            fields: Any = zip(plan.fields, shown, strict=True)
            return {field.name: orjson.loads(b"[%b]" % b",".join(column)) for field, column in fields}

        times, instants = changes.commit_ts, changes.instants
        printed.add(
            changes.positions,
            group=changes.groups,
            table=self._number_of[table],
            key=list(changes.keys),
            step=list(changes.steps),
            op_code=OPS.index(changes.op) + MOVED * changes.moved + partial_code,
            commit_ts=None if times is None else [int(time) for time in times],
            instant=None if instants is None else [int(time.partition(b" ")[0]) for time in instants],
            transaction=None if instants is None else [time.partition(b" ")[2].decode() or None for time in instants],
            **images,
            spelling_bits=self._spelling_bits.of_columns(table, changes.op, columns, count),
        )

    def _images(self, plan: Plan, texts: Sequence[list[bytes] | None]) -> dict[str, Any]:
        """The columns of images, from the lists of cells before and after the changes.

        None for absent images.
        """
        names = [plan.fields[place].name for place in plan.order]
        self.names[self._number, self._number_of[plan.schema, plan.table]] = names
        prints = printer(names)
        before, after = (NO_ROW if image is None else prints(image) for image in texts)
        return {"before": before, "after": after, "before_image": texts[0], "after_image": texts[1]}

    def _add_slims(self, printed: Printed, position: int, rows: Iterable[Slim]) -> None:
        """Add the changes of one message that was not read as columns."""
        for row in rows:
            if row.kind != Kind.CHANGE:
                self.others.append(row)
                continue
            assert row.payload is not None
            before, after = images_of(row.payload)
            ms, table = time_of(row.instant), (row.schema, row.table)
            has_time = _is_time(ms)
            printed.add(
                [position],
                group=row.group,
                table=self._number_of[table],
                key=row.key,
                step=row.step,
                op_code=OPS.index(row.op) + MOVED * row.moved + self._partial_code(table, row.key, before),
                commit_ts=None if row.commit_ts is None else int(row.commit_ts),
                instant=int(ms) if has_time else None,
                transaction=(row.instant.partition(" ")[2] if has_time else row.instant) or None,
                before=print_of(before),
                after=print_of(after),
                before_image=before,
                after_image=after,
                spelling_bits=self._spelling_bits.of_image(table, row.op, identifying_image(before, after)),
            )

    def _partial_code(self, table: tuple[str, str], key: bytes, before: bytes | None) -> int:
        """The number that is added to `op_code` for a partial image before a change, or 0."""
        if not before or not before.startswith(PARTLY):
            return 0
        names = load(before).keys()
        is_key = len(names) == len(orjson.loads(key)) and names.isdisjoint(self._collated[table])
        return KEY_IMAGE if is_key else PARTIAL_IMAGE

    def _arrays(self, printed: Printed, batch: Any) -> Any:
        """The changes as a batch of `PRINTED`; their places are those of their messages in `batch`."""
        count, columns = len(printed.positions), printed.columns
        positions = pyarrow.array(printed.positions, pyarrow.int64())

        def placed(name: str, default: Any) -> Any:
            return batch.column(RECORD_SCHEMA.get_field_index(name)).take(positions).fill_null(default)

        known = {
            "side": pyarrow.array(numpy.full(count, self._number, dtype=numpy.int8)),
            "topic": placed("topic", ""),
            "partition": placed("partition", 0),
            "offset": placed("offset", 0),
            "before": _fixed(columns["before"]),
            "after": _fixed(columns["after"]),
        }
        arrays = [
            known[field.name] if field.name in known else pyarrow.array(columns[field.name], field.type)
            for field in PRINTED
        ]
        return pyarrow.RecordBatch.from_arrays(arrays, schema=PRINTED)


def _halves(column: Any) -> Any:
    """Fingerprints as two numbers each."""
    return numpy.frombuffer(
        column.buffers()[1], dtype=numpy.uint64, count=2 * len(column), offset=SIZE * column.offset
    ).reshape(-1, 2)


def _is_time(text: str) -> bool:
    """Whether a text is a 64-bit number in plain digits."""
    return text.isdecimal() and text.isascii() and len(text) < _DIGITS and str(int(text)) == text
