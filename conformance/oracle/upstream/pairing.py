"""The common base of streams and snapshots, which pair the records of a recording with the expected ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from conformance.cases.upstream.dialects import DIALECTS, times_of
from conformance.catalogue.recordings import Recording
from conformance.catalogue.statements import session_zones, statements
from conformance.catalogue.workload import Change
from conformance.oracle.upstream.alignment import Identity
from conformance.oracle.upstream.ddl_records import DdlRecords
from conformance.oracle.upstream.dialects import DIALECTS as ORACLES
from conformance.oracle.upstream.reading import TOMBSTONE, RecordKind, RecordSummary
from conformance.oracle.upstream.writer import Writer
from reference_impl.model import Expression, Record, Table
from reference_impl.protocols import Dialect
from reference_impl.upstream.debezium.definitions import key_names

__all__ = ["EMPTY_RECORD", "ExpectedRow", "PairedRecording", "RecordPair"]

EMPTY_RECORD = Record(None, None)
"""Stands for an expected record that the reference does not write, so that its absence is a difference."""
_UTC = re.compile(r"\butc_(?:timestamp|date)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RecordPair:
    """A recorded record and the one that should have been recorded; one of them may be missing."""

    # The id of the case; "" until `PairedRecording.in_order` sets that of a missing record.
    id: str
    # None: nothing was recorded.
    got: Record | None
    # None: nothing should have been recorded.
    expected: Record | None = None
    # The row changes behind the record.
    changes: tuple[Change, ...] = ()
    # Why the record cannot be judged; empty if it can.
    reason: str = ""
    # The skeleton by which rules name a missing or extra record: `record`, `tombstone`, `ddl`, `statement`, …
    what: str = "record"
    # Skeletons of paths at which nothing is compared.
    uncertain: frozenset[str] = frozenset()

    @property
    def table(self) -> Table | None:
        """The table whose rows the record is about, None if unknown."""
        return self.changes[0].table if self.changes else None

    @property
    def axes(self) -> Mapping[str, str]:
        """The axes of its case: the table and operation of its first row change, if it has one."""
        if not self.changes:
            return {}
        change = self.changes[0]
        return {"table": f"{change.table.schema}.{change.table.name}", "operation": change.op}


@dataclass(frozen=True, slots=True)
class ExpectedRow:
    """A row that a recording should hold."""

    # The number of the change.
    change: int
    # Which of the change's records the row is in, from 0: a change of a key has several.
    part: int
    identity: Identity


class PairedRecording:
    """A recording with the row changes of its truth, and the identities of the rows of both.

    Subclasses pair the records of rows. Changes and recorded records go by number, from 0.
    """

    def __init__(self, recording: Recording, changes: Sequence[Change], sql: str | None, codec: Dialect) -> None:
        self.recording = recording
        self.dialect = DIALECTS[recording.protocol]
        tables: dict[tuple[int, str], Change] = {}
        self.changes = [_narrowed(change, recording.facts.left_out, tables) for change in changes]
        self.writer = Writer(recording, codec, self.changes, sql)
        self._ddl_records = DdlRecords(recording, self.writer.new_encoder(), sql)
        self.summaries = [self._summary_of(c.record) for c in recording.records]
        # For each recorded record, how many have had its number, with itself.
        self._repetitions = list(_repetitions(c.n for c in recording.records))
        self._statement_texts = statements(sql) if sql is not None else []
        self._zones = session_zones(sql) if sql is not None else []
        self.expected_rows = list(self._expected_rows())
        # (record, row in it) of each recorded row.
        self.recorded_rows = [
            (n, row) for n, summary in enumerate(self.summaries) for row in range(len(summary.identities))
        ]

    def _summary_of(self, record: Record | None) -> RecordSummary:
        if record is None:
            return RecordSummary(RecordKind.ROWS, (Identity(None, None, None, None, None),))
        return ORACLES[self.recording.protocol].summary(record)

    def _expected_rows(self) -> Iterator[ExpectedRow]:
        read = ORACLES[self.recording.protocol].summary
        for number, change in enumerate(self.changes):
            records = self.writer.records_of(number)
            for part, record in enumerate(records):
                yield ExpectedRow(number, part, read(record).identities[0])
            if not records:
                for part, op in enumerate(self._unwritten_operations(change)):
                    yield ExpectedRow(number, part, Identity(change.table.schema, change.table.name, op, None, ""))
        self.writer.reset()

    def _unwritten_operations(self, change: Change) -> Iterator[str]:
        """The operations of the records of a change that the reference does not write; several if the key goes away."""
        is_key_gone = change.op == "delete" or (change.op == "update" and _changes_key(change))
        if self.dialect.packs_rows or not is_key_gone:
            yield self.dialect.ops[change.op]
            return
        yield self.dialect.ops["delete"]
        if self.recording.options.get("tombstones.on.delete") != "false":
            yield TOMBSTONE
        if change.op == "update":
            yield self.dialect.ops["insert"]

    @property
    def is_cut(self) -> bool:
        """Whether the recording was cut: then records after its last one are not missing."""
        return self.recording.meta.get("complete") is False

    def identity(self, n: int, row: int) -> Identity:
        """The identity of a recorded row."""
        return self.summaries[n].identities[row]

    def clock_values(self, number: int, record: Record | None, row: int) -> dict[tuple[str, str], datetime]:
        """(image, column) → the recorded value, for columns of a row that the statement's clock filled."""
        change = self.changes[number]
        if not change.now or record is None:
            return {}
        zone = self.recording.facts.timezone
        return times_of(self.dialect, change, record, row, zone, self.begin, self._session_zones_of(change))

    def _session_zones_of(self, change: Change) -> Mapping[str, Sequence[str]] | None:
        """Image → the zones in which a clock may have filled it; None if unknown.

        The after image is filled in the zone of the change's session, the before image in this one or an earlier one;
        both in UTC if the statement or a default calls a UTC function.
        """
        if change.statement >= len(self._zones):
            return None
        zones = self._zones[: change.statement + 1]
        defaults = (c.default.text for c in change.table.columns if isinstance(c.default, Expression))
        utc = ["UTC"] if any(map(_UTC.search, (self._statement_texts[change.statement], *defaults))) else []
        return {"before": list(dict.fromkeys([*zones, *utc])), "after": [*utc, zones[-1]]}

    @property
    def begin(self) -> datetime | None:
        """When the recorded statements began; None if they ran before the recording."""
        return None

    def record(self, n: int) -> Record | None:
        """A recorded record."""
        return self.recording.records[n].record

    def source_of(self, record: Record | None) -> Mapping[str, object]:
        """The position of a record in the form of an encoder's source; defaults for what the record does not say."""
        source = dict(self.dialect.default_source)
        for name, value in (self.dialect.position(record).source if record is not None else {}).items():
            default = source.get(name)
            source[name] = {**default, **value} if isinstance(default, dict) and isinstance(value, dict) else value
        return source

    def id(self, n: int) -> str:
        """The id of the case of a recorded record. A repeated number gets a count."""
        count = self._repetitions[n]
        return f"{self.recording.name}/{self.recording.records[n].n}" + (f"#{count}" if count > 1 else "")

    def in_order(
        self, judged: Mapping[int, RecordPair], missing: Mapping[int, Sequence[RecordPair]]
    ) -> Iterator[RecordPair]:
        """The pair of every record, each followed by those of `missing` after it (-1: before all records)."""
        for n in range(-1, len(self.summaries)):
            if n in judged:
                yield judged[n]
            elif n >= 0:
                yield self._unpaired(n)
            for k, pair in enumerate(missing.get(n, ()), 1):
                after = f"after-{self.recording.records[n].n}" if n >= 0 else "before-all"
                yield replace(pair, id=f"{self.recording.name}/{after}/missing-{k}")

    def _unpaired(self, n: int) -> RecordPair:
        """The pair of a record that belongs to no change: a statement, or one that should not be there."""
        summary, record = self.summaries[n], self.record(n)
        if summary.kind is RecordKind.DDL and record is not None:
            expected, uncertain, reason = self._ddl_records.expected(record)
            return RecordPair(self.id(n), record, expected, (), reason, "ddl", uncertain)
        if summary.kind is not RecordKind.ROWS:
            return RecordPair(self.id(n), self.record(n), reason=f"no rule models {summary.kind}")
        return RecordPair(self.id(n), self.record(n))


def _repetitions(numbers: Iterable[int]) -> Iterator[int]:
    seen = Counter[int]()
    for number in numbers:
        seen[number] += 1
        yield seen[number]


def _changes_key(change: Change) -> bool:
    before, after = change.before or {}, change.after or {}
    return any(before.get(name) != after.get(name) for name in key_names(change.table, snapshot=False))


def _narrowed(change: Change, left_out: frozenset[str], seen: dict[tuple[int, str], Change]) -> Change:
    """The change without the columns in `left_out`. Changes of one version of a table share one object for it."""
    narrow = change.without(left_out)
    if narrow is change:
        return change
    first = seen.setdefault((change.version, change.table.name), narrow)
    return replace(narrow, table=first.table)
