"""`python -m tools.migration_proof_consumers [SCHEMA…]`: whether `migrate` says of a consumer what its model shows.

For each schema of `tests/schemas`, each move and each consumer, rows are generated and written in both dialects, whole
rows and not a column at a time, and the model of the consumer reads both. What it has otherwise is a set of (table,
column, effect), and so is what `migrate` says from its own samples. What is shown and was not said is a false "safe".
A column at which the job fails is read beside the key alone, so that it hides no other. Status 1 where anything is
falsely safe, or where the precision is below its limit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from conformance.migration import Move
from conformance.migration.effects import Effect, Kind, effects
from conformance.migration.samples import Probe, Step, Where
from conformance.migration.telling import Told, ToldProbe
from conformance.migration.trial import HARMLESS, Trial
from conformance.processes import processes
from differential.generate.messages import Telling, Unwritable
from differential.generate.rows import Source
from differential.generate.truth import Plan, Transaction, shard
from reference_impl.keys import handle_key
from reference_impl.model import Table
from tools.migration_proof import MOVES, SCHEMAS, Found, Proof, keys_of, makers_of, schema_tables, tell, total

__all__ = ["CHANGES", "CONSUMERS", "main", "prove", "seen"]

CONSUMERS: Mapping[str, Sequence[str]] = {
    "canal": ("flink@1.20.4", "seatunnel@2.3.8", "paimon@1.3.1"),
    "debezium-connector": ("flink@2.3.0", "seatunnel@2.3.8", "paimon@1.3.1", "connect@3.9.1"),
}
"""Consumers of an origin's messages that have a model for those of the target, too."""
CHANGES = 200
"""How many rows change of each table, and of each column that is read alone."""
_SEED = 16
_HARMLESS = HARMLESS | {Kind.OPEN}
_HIDING = frozenset({Kind.FAILS, Kind.SKIPS, Kind.BETTER})
"""Effects at a column for which the rest of the row is not read, or was not."""


def prove(name: str, move_name: str, consumer: str, changes: int = CHANGES) -> Proof:
    """Compare what is said of a consumer with what its model shows."""
    move = replace(MOVES[move_name], consumer=consumer)
    tables = [table for table in schema_tables(name) if handle_key(table)]
    trial = Trial(move, tables)
    said, of_rows, hiding = set[Found](), set[Found](), set[Where]()
    for told, effect in trial.effects:
        if not told.probe.places:
            continue
        if effect.kind not in _HARMLESS:
            # What is tried on whole rows, as several changes of a transaction, is not all among what is generated.
            (said if told.probe.column else of_rows).update(_found(place, effect) for place in trial.places(told.probe))
        if not told.probe.column:
            continue
        if effect.kind in _HIDING or "error" in (effect.was.outcome, effect.now.outcome):
            hiding.update(trial.places(told.probe))
    found = {one for table in tables for one in _shown(trial, move, table, hiding, hiding, changes)}
    # What was said and not shown may be hidden by another column of the row: it is looked for beside the key alone.
    unseen = {(name, column) for name, column, _ in said - found}
    columns = [(*table.id, column.name) for table in tables for column in table.columns]
    alone = {place for place in columns if (".".join(place[:2]), place[2]) in unseen} - hiding
    found |= {one for table in tables for one in _shown(trial, move, table, alone, hiding, changes)}
    return Proof(name, f"{move_name} {consumer}", frozenset(said), frozenset(found), frozenset(of_rows))


def _shown(
    trial: Trial, move: Move, table: Table, alone: Collection[Where], hiding: Collection[Where], changes: int
) -> Iterator[Found]:
    """What the consumer has otherwise of a table: of its rows without some columns, and of each of these alone.

    Columns that hide others are those at which it fails. Where others are read alone, whole rows were read before.
    """
    failing = [column.name for column in table.columns if (*table.id, column.name) in hiding]
    failing = [name for name in failing if name in _keyed(table)]
    for part, column in _parts(table, alone):
        for name, at, kind in seen(trial, move, table, part, column, changes) if alone is hiding or column else ():
            # Of a row whose key cannot be read nothing is read: it fails at the key, whatever column stands beside it.
            yield name, failing[0] if failing and kind in _HIDING else at, kind


def _found(place: Where, effect: Effect) -> Found:
    return f"{place[0]}.{place[1]}", place[2], str(effect.kind)


def _keyed(table: Table) -> set[str]:
    """The columns of its keys, which stand in every part of it."""
    return {*handle_key(table), *table.primary_key, *(name for key in table.unique_keys for name in key.columns)}


def _parts(table: Table, alone: Collection[Where]) -> Iterator[tuple[Table, str]]:
    """The table without the columns that hide others, and each of these beside the key, with its name."""
    keyed = _keyed(table)
    apart = [c for c in table.columns if (*table.id, c.name) in alone and c.name not in keyed]
    rest = tuple(c for c in table.columns if c not in apart)
    yield replace(table, columns=rest, indexes=(), create_sql=None), ""
    for number, column in enumerate(apart, 1):
        columns = tuple(c for c in table.columns if c.name in keyed or c is column)
        yield replace(table, name=f"{table.name}_{number}", columns=columns, indexes=(), create_sql=None), column.name


def seen(trial: Trial, move: Move, about: Table, table: Table, column: str, changes: int) -> Iterator[Found]:
    """What the consumer has otherwise of generated rows; of transactions only those with a single change."""
    assert trial.consumer is not None
    sides = move.sides([table])
    tellings = [Telling(side, 0) for side in sides]
    consumer = replace(trial.consumer, sides=sides)
    plan = Plan((Source(table, 1, makers_of(table), keys_of(table)),), _SEED, changes)
    told = []
    for one in shard(plan, 0):
        try:
            written = [tuple(telling.records(one)) for telling in tellings]
        except Unwritable:
            continue
        if isinstance(one, Transaction) and len(one.upstream) == len(one.ticdc) == 1:
            told.append(Told(Step(one.upstream[0].op, one.upstream, one.ticdc), written[0], written[1]))
    probe = Probe(table, column, ((*about.id, column),), tuple(of.step for of in told), about)
    for effect in effects(consumer, ToldProbe(probe, tuple(told))):
        if effect.kind not in _HARMLESS and effect.kind is not Kind.BETTER:
            yield _found((*about.id, effect.column), effect)


# -- the command


def main(argv: Sequence[str] | None = None) -> int:
    """Prove schemas, all of them where none is named. Returns the status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.migration_proof_consumers", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("schemas", metavar="SCHEMA", nargs="*", help=", ".join(SCHEMAS))
    parser.add_argument("--move", choices=tuple(MOVES), action="append", help="may be repeated; all of them")
    parser.add_argument("--consumer", metavar="NAME", help="only this one")
    parser.add_argument("--changes", type=int, default=CHANGES, metavar="N", help=f"for each table ({CHANGES})")
    parser.add_argument("-n", dest="workers", type=int, default=2, metavar="N", help="processes (2)")
    args = parser.parse_args(argv)
    if unknown := [name for name in args.schemas if name not in SCHEMAS]:
        parser.error(f"no schema {unknown[0]!r} in tests/schemas")
    jobs = [
        (name, move, consumer, args.changes)
        for name, move in product(args.schemas or SCHEMAS, args.move or MOVES)
        for consumer in CONSUMERS[MOVES[move].origin]
        if args.consumer in (None, consumer.partition("@")[0])
    ]
    proofs = []
    with processes(args.workers) as pool:
        for proof in pool.map(_proved, jobs):
            proofs.append(proof)
            tell(proof)
    return total(proofs)


def _proved(job: tuple[str, str, str, int]) -> Proof:
    return prove(*job)


if __name__ == "__main__":
    sys.exit(main())
