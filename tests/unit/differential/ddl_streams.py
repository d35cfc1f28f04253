"""DDL statements of two sides, told by their dialects and compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from conformance.ddl import tables_of_sql
from differential.align.pairs import Pair, pairs_of
from differential.classify.explaining import namer_of
from differential.classify.naming import Namer
from differential.counts import Counts
from differential.model import Difference
from differential.sides import Side, codec_of
from differential.statements.comparing import Statements, StatementsResult
from reference_impl.model import DdlEvent, Record, Table
from reference_impl.options import parse
from reference_impl.upstream.debezium.known_tables import KnownTables
from tests.comparing import compare_locally
from tests.unit.differential.reproducing import SCHEMA

PAIR = "left-right"
NOBODY = {PAIR: Namer()}
SECOND = 1000 << 18
TSO = 430_000_000_000_000_000
(TABLE,) = tables_of_sql(f"USE {SCHEMA}; CREATE TABLE t (id INT PRIMARY KEY, c INT, KEY i (c))", "t")
TABLES = (TABLE, replace(TABLE, name="u"))


def ddl(query: str, action: str = "", table: str = "t", second: int = 0, code: int | None = None) -> DdlEvent:
    ts = TSO + second * SECOND
    return DdlEvent(SCHEMA, table, query, action or None, code, ts, table_before=TABLE, table_after=left_by(query))


def left_by(query: str) -> Table:
    """The table as a statement leaves it, as one that knows the statements alone can tell."""
    options = codec_of("debezium-connector").options
    known = KnownTables(parse(options, {}).traits)  # type: ignore[attr-defined]
    for table in before(query):
        known.learn(table)
    known.apply(query, SCHEMA)
    return known.tables.get((SCHEMA, "t"), TABLE)


def before(query: str) -> list[Table]:
    """The tables before a statement."""
    return [] if query.lower().startswith("create table") else [TABLE]


def side(name: str, dialect: str, **options: str) -> Side:
    return Side(name, dialect, {n.replace("_", "-"): v for n, v in options.items()}, tables=TABLES)


def sent(of: Side, events: Sequence[DdlEvent]) -> list[Record]:
    encoder = of.encoder()
    records: list[Record] = []
    for event in events:
        records += encoder.encode([event], before(event.query)).records
    return placed(records)


def placed(records: Sequence[Record], partition: int = 0) -> list[Record]:
    return [replace(one, topic="ddl", partition=partition, offset=n) for n, one in enumerate(records)]


@dataclass
class Compared:
    differences: list[Difference]
    found: StatementsResult
    pairs: Sequence[Pair]
    counts: Counts

    @property
    def brief(self) -> list[tuple[str, str | None]]:
        return [(one.kind.value, one.divergence) for one in self.differences]

    @property
    def names(self) -> set[str]:
        """Divergences that were named, of differences and of the same statements."""
        return {d.divergence for d in self.differences if d.divergence} | {n.divergence for _, _, n in self.found.named}


def compared(sides: Sequence[Side], streams: Sequence[Sequence[Record]]) -> Compared:
    pairs = pairs_of(sides, {}, {PAIR: namer_of(*sides)})
    outcome = compare_locally(sides, streams, pairs)
    assert outcome.differences == []
    statements = Statements(sides, pairs)
    differences = list(statements.differences(Counts.from_json(outcome.counts.to_json())))
    return Compared(differences, statements.found[PAIR], pairs, outcome.counts)


CANAL, CANAL_JSON = side("left", "canal"), side("right", "canal-json")
OPEN = side("right", "open-protocol")
