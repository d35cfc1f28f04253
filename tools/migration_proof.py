"""`python -m tools.migration_proof [SCHEMA…]`: check `migrate` on real schemas against comparisons of streams.

For each schema of `tests/schemas` and each move, a stream of changes is generated in both dialects and compared, as
`generate --boundaries` and `compare` do it. The comparison and `migrate` each give a set of (table, column,
divergence). A divergence that the comparison shows and `migrate` does not predict is a false "safe"; one that follows
from another predicted divergence of the same table is listed separately. Status 1 where anything is falsely safe, or
where the precision is below its limit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, product
from pathlib import Path
from typing import Any

from conformance.catalogue.divergences import Met, find_divergence
from conformance.ddl import read_sql
from conformance.migration import Move, assess
from conformance.migration.values import values_of
from conformance.processes import processes
from differential.align.pairs import pairs_of
from differential.classify.explaining import namer_of
from differential.generate.boundaries import boundaries_of, keys_of
from differential.generate.draw import Draw
from differential.generate.messages import StreamWriter
from differential.generate.rows import Source
from differential.generate.truth import Plan, shard
from differential.generate.values import Maker, maker_of, with_charset
from differential.local import compare_locally
from differential.model import Class
from differential.result.gate import Limits
from differential.result.streams import every_difference
from differential.result.summary import summary
from differential.result.tally import Tally
from differential.sides import with_common_keys
from differential.statements.comparing import Statements
from reference_impl.column_types import Family
from reference_impl.keys import handle_key
from reference_impl.model import Column, Table, Value

__all__ = [
    "CHANGES",
    "MOVES",
    "PRECISION",
    "SCHEMAS",
    "Found",
    "Proof",
    "keys_of",
    "main",
    "makers_of",
    "parser_of",
    "prove",
    "prove_all",
    "schema_tables",
]

Found = tuple[str, str, str]
"""Schema and table, column, divergence or class; the column is "" for a whole row or message."""

SCHEMAS = {
    path.stem: path
    for path in sorted((Path(__file__).resolve().parents[1] / "tests" / "schemas").iterdir())
    if path.suffix == ".sql" or path.is_dir()
}

MOVES: Mapping[str, Move] = {
    "canal": Move("canal", "canal-json"),
    "canal-compatible": Move("canal", "canal-json", target_options={"content-compatible": "true"}),
    "debezium-2.4": Move("debezium-connector", "debezium", origin_options={"version": "2.4.0"}),
    "debezium-3.6": Move("debezium-connector", "debezium", origin_options={"version": "3.6.3"}),
}
CHANGES = 600
"""The number of rows of each table that change."""
PRECISION = 0.98
_SEED = 16
_STATEMENTS, _BETWEEN, _RARE = 8, 60, 3
_WITHOUT = frozenset({Family.GEOMETRY, Family.VECTOR})
"""Families that TiDB lacks, or that make the origins stop."""
_CLASSES = frozenset(map(str, Class))
_UNDECODABLE: Found = (".", "", str(Class.UNDECODABLE))
"""A message that cannot be read belongs to no known table."""
_FOLLOWS = {
    # U+FFFD in a row that only one side has
    "DV-74": "DV-55",
    # another name of the type: the table's whole statement decides whether Canal queries the server
    "DV-02": "DV-102",
    # Canal's text of bytes is longer than the column
    str(Class.UNDECODABLE): "DV-106",
}
"""Shown divergence → the predicted one that it follows from."""
_KEYLESS = {"DV-30": "DV-31", "DBZ-535": "UN-1-6"}
"""The same for tables without a key, where every update changes the key."""
_NO_KEY = frozenset({"DV-35", "DBZ-531"})
"""Divergences that only tables without a key have: unexplained differences of their rows follow from these."""
_UNREADABLE = "messages that their dialect cannot read"


@dataclass(frozen=True, slots=True)
class Proof:
    """The predictions for a schema, and the comparison's result."""

    schema: str
    move: str
    predicted: frozenset[Found]
    """The predictions of `migrate`."""
    shown: frozenset[Found]
    """The result of the comparison."""
    also_predicted: frozenset[Found] = frozenset()
    """Further divergences that the report names: those of messages without rows."""
    keyless: frozenset[str] = frozenset()
    """Tables without a key."""

    @property
    def missed(self) -> frozenset[Found]:
        """Shown by the comparison, but neither predicted nor implied by a prediction."""
        return frozenset(one for one in self.shown - self._all_predicted if not self._follows(one))

    @property
    def implied(self) -> frozenset[Found]:
        """Shown by the comparison, and implied by a prediction for the same table."""
        return self.shown - self._all_predicted - self.missed

    @property
    def unconfirmed(self) -> frozenset[Found]:
        """Predicted, but not shown by the comparison.

        Only some statements are generated, so predictions on statements are left out. Rows of a table without a key are
        identified by their values: where these differ, a comparison shows whole rows that one side alone has.
        """
        unpaired = {table for table, _, name in self.shown if name in (Class.MISSING, Class.EXTRA)} & self.keyless
        return frozenset(
            (table, column, name)
            for table, column, name in self.predicted - self.shown
            if _met(name) is not Met.STATEMENT
            and not (table in unpaired and (name == Class.VALUE or _met(name) is Met.CELL))
        )

    @property
    def confirmed(self) -> frozenset[Found]:
        """Predicted and shown."""
        return self._all_predicted & self.shown

    @property
    def _all_predicted(self) -> frozenset[Found]:
        return self.predicted | self.also_predicted

    def _follows(self, one: Found) -> bool:
        """Whether a shown divergence is implied by a predicted one.

        Where a value differs or is lost, the changes of a row cannot be followed from one to the next, and a comparison
        shows unexplained differences beside it. A row without a key is identified by all of its values,
        and is taken for another one where two are alike.
        """
        table, column, name = one
        of_table = {(place, cause) for other, place, cause in self._all_predicted if other == table}
        causes = {cause for place, cause in of_table if place in (column, "")}
        if _FOLLOWS.get(name, "") in causes or (table in self.keyless and _KEYLESS.get(name, "") in causes):
            return True
        of_column = {cause for other, place, cause in self.predicted if (other, place) == (table, column)}
        if _met(name) is Met.TEXT and any(_met(cause) is Met.ABSENT for cause in of_column):
            return True  # TiCDC does not send the column, so the comparison shows upstream's text
        if name == Class.UNDECODABLE:
            return any(cause == _FOLLOWS[name] for _, _, cause in self.predicted)
        if name not in _CLASSES:
            return False
        if table in self.keyless and any(cause in _NO_KEY for _, cause in of_table):
            return True
        # Values of a column differ, or one side lacks them.
        return _UNDECODABLE in self.also_predicted or any(
            _met(cause) in (Met.ABSENT, Met.CELL) for _, cause in of_table
        )


def _met(name: str) -> Met | None:
    """Where a divergence is met; None for a class of differences without a name."""
    known = None if name in _CLASSES else find_divergence(name)
    return None if known is None else known.met


def schema_tables(name: str) -> list[Table]:
    """The tables of a schema that both databases have, and whose changes the origins write."""
    tables = read_sql(SCHEMAS[name], "SCHEMA").tables
    return [table for table in tables if not any(column.type.family in _WITHOUT for column in table.columns)]


def prove(name: str, move_name: str, changes: int) -> Proof:
    """Compare the predictions with a comparison of streams, with `changes` for each table."""
    move, tables = MOVES[move_name], schema_tables(name)
    assessment = assess(move, tables)
    also_predicted = {
        (f"{schema}.{table}", column, divergence)
        for finding in assessment.findings
        for schema, table, column in finding.places
        for divergence in finding.divergences
    }
    if any(finding.title == _UNREADABLE for finding in assessment.findings):
        also_predicted.add(_UNDECODABLE)
    return Proof(
        schema=name,
        move=move_name,
        predicted=frozenset(one for one in (*assessment.named, *assessment.unnamed) if one[2] != Class.UNDECODABLE),
        shown=frozenset(shown(move, tables, changes)),
        also_predicted=frozenset(also_predicted),
        keyless=frozenset(".".join(table.id) for table in tables if not handle_key(table)),
    )


# -- results of a comparison


def shown(move: Move, tables: Sequence[Table], changes: int) -> Iterator[Found]:
    """The result of comparing generated streams: differences, spellings, type names."""
    sources = tuple(Source(table, 1, makers_of(table), keys_of(table)) for table in tables)
    yield from _compared(move, tables, Plan(sources, _SEED, changes * len(tables), rare=_RARE))
    # Statements alter the tables, so other results than those on statements belong to other tables.
    altered = Plan(sources, _SEED, _BETWEEN * len(tables), statements=_STATEMENTS * len(tables))
    # A report names the table of a statement, but no member of its message; a renamed table stands for the first one.
    firsts = {one.event.table: tables[one.place].name for one in altered.alterations()}
    for found, _, name in _compared(move, tables, altered):
        if _met(name) is Met.STATEMENT:
            schema, _, table = found.partition(".")
            yield f"{schema}.{firsts.get(table, table)}", "", name


def _compared(move: Move, tables: Sequence[Table], plan: Plan) -> Iterator[Found]:
    transactions, given = tuple(shard(plan, 0)), move.sides(tables)
    streams = []
    for side in given:
        writer = StreamWriter(side, shard=0)
        streams.append([record for transaction in transactions for record in writer.records(transaction)])
    types = {(*table.id, column.name): column.type for table in tables for column in table.columns}
    sides = with_common_keys(given)
    pairs = pairs_of(sides, types, {"left-right": namer_of(*sides)})
    outcome = compare_locally(sides, streams, pairs)
    statements, tally = Statements(sides, pairs), Tally()
    for difference in every_difference(outcome.differences, outcome.counts, sides, pairs, statements):
        tally.add(difference)
    [pair] = summary(sides, ("", ""), pairs, tally, outcome.counts, Limits(), "local", statements)["pairs"]
    for one in (*pair["cells"], *pair["written_otherwise"]):
        unreadable = one.get("class") == Class.UNDECODABLE
        yield _UNDECODABLE if unreadable else (_table(one), one["column"], one["divergence"] or one["class"])
    for one in pair["type_names"]["differ"]:
        yield from ((_table(one), one["column"], divergence) for divergence in one["divergences"] or [str(Class.TYPE)])
    for one, table in product(pair["not_compared"], tables):
        if one["divergence"]:
            yield ".".join(table.id), "", one["divergence"]


def _table(one: Mapping[str, str]) -> str:
    return f"{one['schema']}.{one['table']}"


def makers_of(table: Table) -> dict[str, Maker]:
    """The makers of values of a table's columns."""
    return {column.name: _turns(with_charset(column, table)) for column in table.columns}


def _turns(column: Column) -> Maker:
    """A maker whose every second value is a boundary or one that `migrate` tries; the others are random."""
    tried = [value for value in values_of(column) if value is not None]
    values: Iterable[Value] = dict.fromkeys([*boundaries_of(column), *tried])
    random, in_turn, is_second = maker_of(column), cycle(values), cycle((True, False))

    def make(draw: Draw) -> Value:
        return next(in_turn) if next(is_second) else random(draw)

    return make


# -- the command


def main(argv: Sequence[str] | None = None) -> int:
    """Check the named schemas, or all of them. Returns the exit status."""
    parser = parser_of("migration_proof", __doc__ or "")
    parser.add_argument("--changes", type=int, default=CHANGES, metavar="N", help=f"for each table ({CHANGES})")
    args = parser.parse_args(argv)
    return prove_all(prove, product(args.schemas or SCHEMAS, args.move or MOVES, [args.changes]), args.workers)


def parser_of(tool: str, description: str) -> argparse.ArgumentParser:
    """A parser with the arguments of both proofs: schemas, moves, processes."""
    parser = argparse.ArgumentParser(prog=f"python -m tools.{tool}", description=description.split("\n")[0])
    parser.add_argument("schemas", metavar="SCHEMA", nargs="*", type=_schema, help=", ".join(SCHEMAS))
    parser.add_argument("--move", choices=tuple(MOVES), action="append", help="may be repeated; all of them")
    parser.add_argument("-n", dest="workers", type=int, default=2, metavar="N", help="processes (2)")
    return parser


def _schema(name: str) -> str:
    if name not in SCHEMAS:
        raise argparse.ArgumentTypeError(f"no schema {name!r} in tests/schemas")
    return name


def prove_all(prove_one: Callable[..., Proof], jobs: Iterable[tuple[Any, ...]], workers: int) -> int:
    """Prove jobs, the arguments of `prove_one`, in processes; print each proof and the total. Returns the status."""
    proofs = []
    with processes(workers) as pool:
        for proof in pool.map(prove_one, *zip(*jobs, strict=True)):
            proofs.append(proof)
            print_result(proof)
    return total(proofs)


def print_result(proof: Proof) -> None:
    """Print what a proof found."""
    counts = f"said {len(proof.predicted)}, shown {len(proof.shown)}, both {len(proof.confirmed)}"
    print(f"{proof.schema} {proof.move}: {counts}", flush=True)
    for what, found in (("FALSELY SAFE", proof.missed), ("follows", proof.implied), ("beyond", proof.unconfirmed)):
        for one in sorted(found):
            print(f"  {what}: {' '.join(filter(None, one))}")


def total(proofs: Sequence[Proof]) -> int:
    """Print the precision and the recall of all proofs. Returns the status."""
    both = sum(len(proof.confirmed) for proof in proofs)
    missed = sum(len(proof.missed) for proof in proofs)
    following = sum(len(proof.implied) for proof in proofs)
    beyond = sum(len(proof.unconfirmed) for proof in proofs)
    precision, recall = both / max(both + beyond, 1), both / max(both + missed, 1)
    print(f"{len(proofs)} schemas and moves: both {both}, missed {missed}, following {following}, beyond {beyond}")
    print(f"precision {precision:.4f}, recall {recall:.4f}, falsely safe {missed}")
    return int(missed > 0 or precision < PRECISION)


if __name__ == "__main__":
    sys.exit(main())
