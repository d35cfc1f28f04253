"""Pairs the statements of a script with their records, and so finds lost and repeated records.

The reference decides which records a statement has; the statements before it decide whether it ran. A recorded
statement is judged by its own text (`ddl_records`); the record of a truncation has no text and is judged here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeAlias

from conformance.cases.upstream.dialects import DIALECTS
from conformance.cases.upstream.lenient import payload_in
from conformance.catalogue.recordings import Recording
from conformance.catalogue.statements import logged_statements
from conformance.catalogue.workload import Truth
from conformance.oracle.upstream.alignment import Identity, align
from conformance.oracle.upstream.ddl_simulator import DdlSimulator, Outcome, kind_and_subject
from conformance.oracle.upstream.dialects import DIALECTS as ORACLES
from conformance.oracle.upstream.reading import RecordKind, RecordSummary
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Record
from reference_impl.protocols import Encoder
from reference_impl.sql_tokens import skip, table_name, tokens

__all__ = ["Script", "StatementMatch"]

Name: TypeAlias = tuple[str, str]  # schema and table
Source: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class StatementMatch:
    """A record of a statement, recorded or expected."""

    # The number of the statement in the script; None if the script lacks it.
    number: int | None
    # The number of the recorded record; None if it is missing.
    got: int | None
    kind: RecordKind
    expected: Record | None = None
    # Why the record cannot be judged; empty if it can.
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _ExpectedStatement:
    """A record that a statement should have."""

    number: int
    kind: RecordKind
    record: Record
    outcome: Outcome

    @property
    def is_truncation(self) -> bool:
        return self.kind is RecordKind.TRUNCATION


_UNSURE = "nobody knows whether the server ran the statement"


class Script:
    """The statements of a script that have records; `new_encoder` makes encoders that have seen no table."""

    def __init__(self, recording: Recording, truth: Truth, sql: str, new_encoder: Callable[[], Encoder]) -> None:
        self._dialect = DIALECTS[recording.protocol]
        self._read = ORACLES[recording.protocol].summary
        self._topic = recording.facts.topic or None
        self._has_statements = recording.facts.statements
        # Name → first version, of each table that was created from a query.
        self._from_query = {t.id: t for t in reversed(list(truth.tables.values())) if t.create_sql is not None}
        self._new_encoder = new_encoder
        self._statements = list(logged_statements(sql))
        simulator = DdlSimulator()
        self._outcomes = [simulator.run(text, schema) for _, schema, text in self._statements]
        self._subjects = [_subject(text, schema) for _, schema, text in self._statements]
        # Schema and table, with a dot between them, of each statement that may have run or not.
        self._unsure = {
            ".".join(subject)
            for subject, outcome in zip(self._subjects, self._outcomes, strict=True)
            if outcome is Outcome.UNKNOWN
        }

    def matches(
        self,
        summaries: Sequence[RecordSummary],
        records: Sequence[Record | None],
        source_of: Callable[[Record | None], Source],
    ) -> Iterator[StatementMatch]:
        """Every record that the statements of the script have, recorded or missing; and the repeated records.

        `source_of` gives the position of a record.
        """
        recorded = [n for n, summary in enumerate(summaries) if self._is_paired(summary, records[n])]
        identities = [_identity(records[n], summaries[n].kind) for n in recorded]
        # Records of truncations are written twice: for the alignment, and then with the positions of the recorded ones.
        unplaced = list(self._expected({}))
        expected_identities = [_identity(statement.record, statement.kind) for statement in unplaced]
        known = frozenset(expected_identities)
        pairs = align(expected_identities, identities)
        sources = {
            unplaced[i].number: source_of(records[recorded[j]])
            for i, j in pairs
            if i is not None and j is not None and unplaced[i].is_truncation
        }
        placed = list(self._expected(sources)) if sources else unplaced
        for i, j in pairs:
            got = None if j is None else recorded[j]
            if i is not None:
                expected = placed[i]
                reason = _UNSURE if got is None and expected.outcome is Outcome.UNKNOWN else ""
                yield StatementMatch(expected.number, got, expected.kind, expected.record, reason)
            elif j is not None and got is not None:
                yield from self._left_over(got, summaries[got].kind, identities[j], known)

    def _left_over(
        self, got: int, kind: RecordKind, identity: Identity, known: Set[Identity]
    ) -> Iterator[StatementMatch]:
        """The match of an extra record if it is a truncation or a repeated statement; others are the server's own."""
        if kind is RecordKind.TRUNCATION:
            yield StatementMatch(None, got, kind, reason=_UNSURE if identity.key in self._unsure else "")
        elif identity in known:
            yield StatementMatch(None, got, kind)

    def _is_paired(self, summary: RecordSummary, record: Record | None) -> bool:
        """Whether a record is a truncation, or a statement of a known kind that is not part of a snapshot."""
        if summary.kind is not RecordKind.DDL or record is None:
            return summary.kind is RecordKind.TRUNCATION
        source = payload_in(record.value).get("source")
        snapshot = source.get("snapshot") if isinstance(source, dict) else None
        return kind_and_subject(_text(record)) is not None and snapshot in (None, "false")

    def _expected(self, sources: Mapping[int, Source]) -> Iterator[_ExpectedStatement]:
        """The records of all statements that may have run; `sources` is number of a statement → its position.

        One encoder writes them all, as a statement depends on the tables that those before it made.
        """
        encoder = self._new_encoder()
        every = zip(self._statements, self._outcomes, self._subjects, strict=True)
        for (number, schema, text), outcome, subject in every:
            if outcome is Outcome.FAILS:
                continue
            source = sources.get(number, self._dialect.default_source)
            after = self._from_query.get(subject)
            try:
                written = encoder.encode([DdlEvent(schema, "", text, table_after=after, source=source)]).records
            except (Rejected, Unsupported):
                continue
            if not self._has_statements or kind_and_subject(text) is None:
                continue
            for record in written:
                kind = self._read(record).kind
                with_topic = replace(record, topic=record.topic or self._topic)
                yield _ExpectedStatement(number, kind, with_topic, outcome)


def _text(record: Record | None) -> str:
    payload = payload_in(record.value if record is not None else None)
    return str(payload.get("ddl", payload.get("sql")))


def _subject(text: str, schema: str) -> Name:
    """The table that a statement is about, or the first one of several."""
    kind, pieces = kind_and_subject(text) or ("", [])
    on = next((at for at, piece in enumerate(pieces) if piece.word == "ON"), -1) if kind.endswith("INDEX") else -1
    name, _ = table_name(skip(skip(pieces[on + 1 :], "IF", "NOT", "EXISTS"), "IF", "EXISTS"))
    return ("", "") if name is None else (name.schema or schema, name.table)


def _identity(record: Record | None, kind: RecordKind) -> Identity:
    """The identity of a record: the kind of its statement, the table that it is about, and its text."""
    if kind is RecordKind.TRUNCATION:
        source = payload_in(record.value if record is not None else None).get("source")
        members = source if isinstance(source, dict) else {}
        name = f"{members.get('db')}.{members.get('table')}"
        return Identity("", "a truncation", "t", name, name)
    text = _text(record)
    statement, _ = kind_and_subject(text) or ("", ())
    body = " ".join(piece.text.lower() for piece in tokens(text))
    return Identity("", statement, statement, _subject(text, "")[1], body)
