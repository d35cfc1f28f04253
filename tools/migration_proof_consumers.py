"""`python -m tools.migration_proof_consumers [SCHEMA…]`: check `migrate` for consumers against their models.

For each schema of `tests/schemas`, each move and each consumer, rows are generated and written in both dialects, whole
rows and not a column at a time, and the model of the consumer reads both. The differences of its rows, and the
predictions that `migrate` makes from its own samples, are sets of (table, column, effect). A difference without a
prediction is a false "safe". A column at which the job fails is read only together with the key, so that it hides no
other column. Status 1 where anything is falsely safe, or where the precision is below its limit.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import cycle, pairwise, product

from conformance.migration import Move
from conformance.migration.effects import Effect, Kind, effects
from conformance.migration.samples import ID, Probe, Step, Where, unlike, witness_of
from conformance.migration.trial import HARMLESS, Trial
from conformance.migration.values import values_of
from conformance.migration.writing import WrittenProbe, WrittenStep
from differential.generate.boundaries import boundaries_of
from differential.generate.draw import Draw
from differential.generate.messages import StreamWriter, Unwritable
from differential.generate.rows import Source, TableRows
from differential.generate.truth import Transaction
from differential.generate.values import Maker, with_charset
from differential.sides import Side
from reference_impl.keys import handle_key
from reference_impl.model import Column, Row, RowChange, RowOp, Table, Value
from reference_impl.tso import compose
from tools.migration_proof import MOVES, SCHEMAS, Found, Proof, keys_of, parser_of, prove_all, schema_tables

__all__ = ["CONSUMERS", "ROWS", "main", "prove", "seen"]

CONSUMERS: Mapping[str, Sequence[str]] = {
    "canal": ("flink@1.20.4", "seatunnel@2.3.8", "paimon@1.3.1", "spark@4.1.1"),
    "debezium-connector": ("flink@2.3.0", "seatunnel@2.3.8", "paimon@1.3.1", "connect@3.9.1", "spark@4.1.1"),
}
"""Consumers of an origin's messages with a model for those of the target as well."""
ROWS = 120
"""The largest number of rows of a table: enough for every value of a column."""
_SEED = 16
_BEGIN_MS = 1_709_164_800_000
_HARMLESS = HARMLESS | {Kind.OPEN}
_HIDING = frozenset({Kind.FAILS, Kind.SKIPS, Kind.BETTER})
"""Effects at a column after which the rest of the row is not read."""


def prove(name: str, move_name: str, consumer: str, rows: int) -> Proof:
    """Compare the predictions for a consumer with its model's results."""
    move = replace(MOVES[move_name], consumer=consumer)
    tables = [table for table in schema_tables(name) if handle_key(table)]
    trial = Trial(move, tables)
    predicted, of_rows, hiding = set[Found](), set[Found](), set[Where]()
    for written, effect in trial.effects:
        probe = written.probe
        if not probe.places:
            continue
        if effect.kind not in _HARMLESS:
            # Predictions on whole rows, such as several changes of a transaction, are not all generated.
            predictions = predicted if probe.column else of_rows
            predictions.update(_found(place, effect) for place in trial.places(probe))
        if probe.column and (effect.kind in _HIDING or "error" in (effect.was.outcome, effect.now.outcome)):
            hiding.update(trial.places(probe))
    shown = set[Found]()
    for table in tables:
        shown.update(_in_rows(trial, move, table, hiding, rows))
        shown.update(_alone(trial, move, table, alone=hiding, hiding=hiding, rows=rows))
    # Another column of the row may hide a predicted effect, so each such column is also read alone.
    missing = {(table, column) for table, column, _ in predicted - shown}
    alone = {
        (*table.id, column.name)
        for table in tables
        for column in table.columns
        if (".".join(table.id), column.name) in missing
    } - hiding
    for table in tables:
        shown.update(_alone(trial, move, table, alone=alone, hiding=hiding, rows=rows))
    return Proof(name, f"{move_name} {consumer}", frozenset(predicted), frozenset(shown), frozenset(of_rows))


def _in_rows(trial: Trial, move: Move, table: Table, hiding: Collection[Where], rows: int) -> Iterator[Found]:
    """The consumer's changes in rows of a table without the columns that hide others."""
    left_out = [column for column in table.columns if (*table.id, column.name) in hiding]
    return seen(trial, move, table, _without(table, left_out), "", rows)


def _alone(
    trial: Trial, move: Move, table: Table, *, alone: Collection[Where], hiding: Collection[Where], rows: int
) -> Iterator[Found]:
    """The consumer's changes in each column of `alone`, beside the key where no column of this hides others."""
    keyed = [c for c in table.columns if c.name in _keyed(table)]
    key = [] if any((*table.id, c.name) in hiding for c in keyed) else keyed
    for column in table.columns:
        if (*table.id, column.name) in alone:
            yield from seen(trial, move, table, _beside(table, key, column), column.name, rows)


def _without(table: Table, columns: Collection[Column]) -> Table:
    """The table without some columns; without its key columns it gets a number as its key."""
    rest = tuple(column for column in table.columns if column not in columns)
    if not any(column.name in _keyed(table) for column in columns):
        return _part(table, table.name, rest)
    return _numbered(table, table.name, rest)


def _beside(table: Table, key: Sequence[Column], column: Column) -> Table:
    """A table with one column and its key columns, or a number in place of a key that contains the column."""
    name = f"{table.name}_{table.columns.index(column) + 1}"
    if key and column.name not in _keyed(table):
        columns = tuple(one for one in table.columns if one in key or one is column)
        return _part(table, name, columns)
    keyed = (column.name,) if column.name in _keyed(table) else ()
    return _numbered(table, name, (column,), keyed)


def _numbered(table: Table, name: str, columns: Sequence[Column], keyed: Sequence[str] = ()) -> Table:
    """A table with some columns of another; its key is a number after the columns `keyed`."""
    number = unlike(ID, *(column.name for column in columns))
    return replace(_part(table, name, (*columns, number)), primary_key=(*keyed, number.name), unique_keys=())


def _part(table: Table, name: str, columns: Sequence[Column]) -> Table:
    """A table with some columns of another, and a witness column if Canal's parser fails at the other table."""
    witness = witness_of(table, columns)
    return replace(table, name=name, columns=(*columns, *filter(None, [witness])), indexes=(), create_sql=None)


def _found(place: Where, effect: Effect) -> Found:
    return f"{place[0]}.{place[1]}", place[2], str(effect.kind)


def _keyed(table: Table) -> set[str]:
    """The key columns of a table."""
    return {*handle_key(table), *table.primary_key, *(name for key in table.unique_keys for name in key.columns)}


def seen(trial: Trial, move: Move, about: Table, table: Table, column: str, rows: int) -> Iterator[Found]:
    """The effects on the consumer in generated rows of `table`, a part of the table `about`.

    With a `column`, only the effects at that column.
    """
    assert trial.consumer is not None
    sides = move.sides([table])
    known = [one for one in table.columns if about.column(one.name) is not None]
    witness = witness_of(about, known)
    written = tuple(_written(sides, table, rows, witness.name if witness else ""))
    steps = tuple(one.step for one in written)
    probe = Probe(table, column, ((*about.id, column),), steps, about, witness.name if witness else "")
    was, now = (
        replace(job, side=side) for job, side in zip((trial.consumer.was, trial.consumer.now), sides, strict=True)
    )
    for effect in effects(replace(trial.consumer, was=was, now=now), WrittenProbe(probe, written)):
        # If the job failed at a column before the move, the rest of that row is unknown.
        if effect.kind not in _HARMLESS and (not column or effect.column == column):
            yield _found((*about.id, effect.column), effect)


def _written(sides: Sequence[Side], table: Table, rows: int, witness: str) -> Iterator[WrittenStep]:
    """Changes of generated rows with messages in both dialects; the column `witness` is always NULL."""
    origin, target = (StreamWriter(side, 0) for side in sides)
    for one in _changes(table, rows, witness):
        transaction = Transaction(one.commit_ts or 0, (one,), (replace(one, source=None),))
        try:
            written = tuple(origin.records(transaction)), tuple(target.records(transaction))
        except Unwritable:
            continue
        yield WrittenStep(Step(one.op, transaction.upstream, transaction.ticdc), *written)


def _changes(table: Table, rows: int, witness: str) -> Iterator[RowChange]:
    """Changes of rows, a transaction each. Together the rows have every value of every column, if `rows` are enough.

    Each row is inserted, then takes the values of the one behind it beside its keys, and every fourth is deleted.
    """
    turns = {c.name: (None,) if c.name == witness else _values(with_charset(c, table)) for c in table.columns}
    makers = {name: _in_turn(values) for name, values in turns.items() if values}
    made = TableRows(Source(table, 1, makers, keys_of(table)))
    draw, now, keyed = Draw(_SEED, *table.id), datetime.fromtimestamp(_BEGIN_MS / 1000, UTC), _keyed(table)
    count = min(max(2, *map(len, turns.values())), rows, made.capacity)
    images = [made.new(draw, number, number, now) for number in range(count)]
    times = (_BEGIN_MS + 1000 * n for n in range(1, 4 * count))

    def change(op: RowOp, before: Row | None, after: Row | None) -> RowChange:
        ms = next(times)
        return RowChange(op, *table.id, compose(ms, 1), before, after, start_ts=compose(ms - 1, 0))

    for image in images:
        yield change("insert", None, image)
    for n, (image, other) in enumerate(pairwise(images)):
        after = {name: (image if name in keyed else other)[name] for name in image}
        if after != image:
            yield change("update", image, after)
        if n % 4 == 0:
            yield change("delete", after, None)


def _values(column: Column) -> Sequence[Value]:
    """The boundaries of a column, and the values that `migrate` tries in it."""
    return tuple(dict.fromkeys([*boundaries_of(column), *values_of(column)]))


def _in_turn(values: Sequence[Value]) -> Maker:
    turns = cycle(values)
    return lambda draw: next(turns)


# -- the command


def main(argv: Sequence[str] | None = None) -> int:
    """Check the named schemas, or all of them. Returns the exit status."""
    parser = parser_of("migration_proof_consumers", __doc__ or "")
    names = sorted({label.partition("@")[0] for labels in CONSUMERS.values() for label in labels})
    parser.add_argument("--consumer", choices=names, help="only this one")
    parser.add_argument("--rows", type=int, default=ROWS, metavar="N", help=f"at most, for each table ({ROWS})")
    args = parser.parse_args(argv)
    jobs = [
        (name, move, consumer, args.rows)
        for name, move in product(args.schemas or SCHEMAS, args.move or MOVES)
        for consumer in CONSUMERS[MOVES[move].origin]
        if args.consumer in (None, consumer.partition("@")[0])
    ]
    return prove_all(prove, jobs, args.workers)


if __name__ == "__main__":
    sys.exit(main())
