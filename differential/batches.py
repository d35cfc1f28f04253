"""Arrow batches of slim records and of results.

`decode` turns batches of records into slim batches (`slim.COLUMNS`). `results` makes batches of results
(`rows.COLUMNS`), whose last row has the class `COUNTED` and holds the counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any

import orjson
import pyarrow

from differential import rows
from differential.checks.records import CheckRecords, columns_in, columns_of
from differential.counts import Counts
from differential.decode import slim
from differential.decode.quick import ChangeColumns
from differential.decode.reader import SlimReader
from differential.model import Difference
from differential.record_batches import RECORD_SCHEMA, binaries, message_counts, pieces, records_at, row_batches
from differential.sides import Side

__all__ = [
    "COUNTED",
    "RESULT",
    "SLIM",
    "columns_batch",
    "counted_rows",
    "decode",
    "differences_of",
    "results",
    "slim_batches",
]

COUNTED = "~counts"
_BATCH = 4096


def _schema(columns: Iterable[tuple[str, str]]) -> Any:
    return pyarrow.schema([(name, pyarrow.type_for_alias(alias)) for name, alias in columns])


SLIM = _schema(slim.COLUMNS)
RESULT = _schema(rows.COLUMNS)


def decode(number: int, side: Side, batches: Iterable[Any], *, few: int = 0) -> Iterator[Any]:
    """Decode the messages of side `number` to slim batches; the last one has the counts of other messages.

    The batches include the rows for the checks of whole streams. For `few`, see `QuickRows`.
    """
    reader, checks = SlimReader(number, side, few=few), CheckRecords(number, side)
    counts, partitions = Counter[str](), Counter[tuple[str, int]]()
    for batch in chain.from_iterable(map(pieces, batches)):
        counts["messages"] += batch.num_rows
        if side.traits.broadcasts:
            partitions.update(message_counts(batch))
        keys, values = (binaries(batch.column(place)) for place in range(2))
        changes, rest = reader.read_ordinary(values, keys)
        for_checks: list[Any] = []
        if changes:
            quick = columns_batch(number, batch, changes)
            if checks.has_checks_of_changes:
                for_checks += checks.of_changes(columns_in(quick))
            yield quick
        if rest:
            slims = [slim_ for record in records_at(batch, rest) for slim_ in reader.read_any(record)]
            if checks.has_checks_of_changes:
                for_checks += checks.of_changes(columns_of(slims))
            yield from slim_batches(slims)
        if side.traits.has_log_positions:
            for_checks += checks.of_messages(records_at(batch, [*range(batch.num_rows)]))
        yield from slim_batches(for_checks)
    counts.update(reader.counts)
    yield from slim_batches(counted_rows(number, counts, partitions))


def counted_rows(number: int, counts: Counter[str], partitions: Counter[tuple[str, int]]) -> list[slim.Slim]:
    """The rows with the counts of other messages, and of the messages of each partition."""
    of_partitions = [slim.partition_row(number, *place, n) for place, n in sorted(partitions.items())]
    return [slim.counts_row(number, counts), *of_partitions]


def slim_batches(slims: Iterable[slim.Slim]) -> Iterator[Any]:
    """Slim records as batches."""
    return row_batches(SLIM, slims, _BATCH)


def columns_batch(number: int, records: Any, changes: Sequence[ChangeColumns]) -> Any:
    """The changes of side `number`, given as columns, as a slim batch.

    Their places come from the records.
    """

    def chained(name: str, columns: Iterable[Any]) -> Any:
        return pyarrow.array(list(chain.from_iterable(columns)), type=SLIM.field(name).type)

    def constant(name: str, values: Iterable[Any]) -> Any:
        type_ = SLIM.field(name).type
        runs = zip(values, lengths, strict=True)
        return pyarrow.concat_arrays([pyarrow.repeat(pyarrow.scalar(value, type=type_), n) for value, n in runs])

    def placed(name: str, default: Any) -> Any:
        return records.column(RECORD_SCHEMA.get_field_index(name)).take(positions).fill_null(default)

    def times(name: str, columns: Sequence[Any], missing: Any) -> Any:
        return chained(name, (repeat(missing, n) if c is None else c for c, n in zip(columns, lengths, strict=True)))

    lengths = [len(one.positions) for one in changes]
    positions = pyarrow.array(list(chain.from_iterable(one.positions for one in changes)), type=pyarrow.int64())
    arrays = [
        chained("group", (one.groups for one in changes)),
        constant("schema", (one.plan.schema for one in changes)),
        constant("table", (one.plan.table for one in changes)),
        chained("key", (one.keys for one in changes)),
        constant("side", (number for _ in changes)),
        placed("topic", ""),
        placed("partition", 0),
        placed("offset", 0),
        chained("step", (one.steps for one in changes)),
        constant("kind", (slim.Kind.CHANGE for _ in changes)),
        constant("op", (one.op for one in changes)),
        constant("moved", (one.moved for one in changes)),
        times("commit_ts", [one.commit_ts for one in changes], None),
        times("instant", [one.instants for one in changes], ""),
        chained("payload", (one.payloads for one in changes)),
    ]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=SLIM)


def results(differences: Iterable[Difference], counts: Counts) -> Iterator[Any]:
    """Batches of `RESULT`: the differences, then a row with the counts."""
    text = orjson.dumps(counts.to_json()).decode()
    of_counts = (None, COUNTED, *(None for _ in RESULT.names[3:]), text)
    return row_batches(RESULT, chain(map(rows.row_of, differences), [of_counts]), _BATCH)


def differences_of(table: Any) -> tuple[Any, Counts]:
    """Split a table of results into the rows of differences and the sum of the counts of all parts."""
    counts = Counts()
    is_counts = pyarrow.compute.equal(table["class"], COUNTED)
    for text in table.filter(is_counts)["right_value"].to_pylist():
        counts.add(Counts.from_json(orjson.loads(text)))
    return table.filter(pyarrow.compute.invert(is_counts)), counts
