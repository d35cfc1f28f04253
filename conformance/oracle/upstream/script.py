"""The statements of a script and their records: which there should be, and where one is lost.

The reference decides which records a statement has; the statements before it decide whether it ran. A record that is
there is judged by its own content (`definitions`); the record of a truncation has none and is judged here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from conformance.cases.upstream.dialects import DIALECTS
from conformance.cases.upstream.lenient import payload_of, tree_of
from conformance.catalogue.recordings import Recording
from conformance.catalogue.statements import logged_statements
from conformance.catalogue.workload import Truth
from conformance.oracle.upstream.alignment import Mark, align
from conformance.oracle.upstream.dialects import DIALECTS as ORACLES
from conformance.oracle.upstream.feasible import Feasible, Outcome, about
from conformance.oracle.upstream.reading import RecordKind, RecordSummary
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Record
from reference_impl.options import parse
from reference_impl.protocols import Dialect
from reference_impl.settings import Settings
from reference_impl.sql_tokens import skip, table_name, tokens

__all__ = ["UNSURE", "Script", "StatementMatch"]

Name: TypeAlias = tuple[str, str]  # schema and table
Source: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class StatementMatch:
    """A record of a statement: the number of the statement, None of one that the script has not; what was recorded, and

    what should have been. With `reason` that is unknown.
    """

    number: int | None
    got: int | None
    kind: RecordKind
    expected: Record | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Unit:
    """A record that a statement should have."""

    number: int
    kind: RecordKind
    mark: Mark
    record: Record
    outcome: Outcome

    @property
    def is_truncation(self) -> bool:
        return self.kind is RecordKind.TRUNCATION


UNSURE = "nobody knows whether the server ran the statement"


class Script:
    """The statements of a script that have records. Raises `Rejected` for options that the dialect does not take."""

    def __init__(
        self, recording: Recording, truth: Truth, sql: str, codec: Dialect, options: Mapping[str, str]
    ) -> None:
        self._dialect = DIALECTS[recording.protocol]
        self._read = ORACLES[recording.protocol].summary
        facts = recording.facts
        self._topic = facts.topic or None
        self._has_statements = facts.statements
        self._queried = {t.id: t for t in reversed(list(truth.tables.values())) if t.create_sql is not None}
        settings = Settings(timezone=facts.timezone, topic=self._dialect.topic.replace("{name}", facts.topic))
        chosen = parse(codec.options, options)
        self._new: Callable[[], Any] = lambda: codec.encoder(chosen, settings=settings)
        self._statements = list(logged_statements(sql))
        possible = Feasible()
        self._outcomes = [possible.run(text, schema) for _, schema, text in self._statements]

    def matches(
        self,
        summaries: Sequence[RecordSummary],
        records: Sequence[Record | None],
        standing: Callable[[Record | None], Source],
    ) -> Iterator[StatementMatch]:
        """Every record of a statement that the script has, there or not; and those that are there once more.

        `standing` gives the position of a record.
        """
        there = [n for n, summary in enumerate(summaries) if self._is_followed(summary, records[n])]
        marks = [_mark(records[n], summaries[n].kind) for n in there]
        units = list(self._units({}))
        pairs = align([unit.mark for unit in units], marks)
        met = {
            units[u].number: there[g] for u, g in pairs if u is not None and g is not None and units[u].is_truncation
        }
        placed = list(self._units({number: standing(records[n]) for number, n in met.items()}))
        for u, g in pairs:
            got = None if g is None else there[g]
            if u is not None:
                reason = UNSURE if g is None and placed[u].outcome is Outcome.UNKNOWN else ""
                yield StatementMatch(placed[u].number, got, placed[u].kind, placed[u].record, reason)
            elif g is not None and got is not None:
                yield from self._left_over(got, summaries[got].kind, marks[g], units)

    def _left_over(self, got: int, kind: RecordKind, mark: Mark, units: Sequence[_Unit]) -> Iterator[StatementMatch]:
        """A record that no statement is left for: one that is there twice, or a truncation; others are the server's."""
        if kind is RecordKind.TRUNCATION:
            unsure = any(
                outcome is Outcome.UNKNOWN and ".".join(_subject(text, schema)) == mark.key
                for (_, schema, text), outcome in zip(self._statements, self._outcomes, strict=True)
            )
            yield StatementMatch(None, got, kind, reason=UNSURE if unsure else "")
        elif any(unit.mark == mark for unit in units):
            yield StatementMatch(None, got, kind)

    def _is_followed(self, summary: RecordSummary, record: Record | None) -> bool:
        """Whether a record is one of those that are paired: no snapshot's, and of a kind of statement that is known."""
        if summary.kind is not RecordKind.DDL or record is None:
            return summary.kind is RecordKind.TRUNCATION
        source = _payload(record).get("source")
        marked = source.get("snapshot") if isinstance(source, dict) else None
        return about(_text(record)) is not None and marked in (None, "false")

    def _units(self, standing: Mapping[int, Source]) -> Iterator[_Unit]:
        """The records of all statements that may have run, each with the tables that those before it made."""
        encoder = self._new()
        for (number, schema, text), outcome in zip(self._statements, self._outcomes, strict=True):
            if outcome is Outcome.FAILS:
                continue
            source, after = standing.get(number, self._dialect.nowhere), self._queried.get(_subject(text, schema))
            try:
                written = encoder.encode([DdlEvent(schema, "", text, table_after=after, source=source)]).records
            except (Rejected, Unsupported):
                continue
            for record in written if self._has_statements and about(text) is not None else ():
                kind = self._read(record).kind
                whole = replace(record, topic=record.topic or self._topic)
                yield _Unit(number, kind, _mark(record, kind), whole, outcome)


def _payload(record: Record) -> Mapping[str, Any]:
    payload = payload_of(tree_of(record.value))
    return payload if isinstance(payload, dict) else {}


def _text(record: Record | None) -> str:
    payload = _payload(record) if record is not None else {}
    return str(payload.get("ddl", payload.get("sql")))


def _subject(text: str, schema: str) -> Name:
    """The table that a statement is about, or the first one of several."""
    kind, pieces = about(text) or ("", [])
    on = next((at for at, piece in enumerate(pieces) if piece.word == "ON"), -1) if kind.endswith("INDEX") else -1
    name, _ = table_name(skip(skip(pieces[on + 1 :], "IF", "NOT", "EXISTS"), "IF", "EXISTS"))
    return ("", "") if name is None else (name.schema or schema, name.table)


def _mark(record: Record | None, kind: RecordKind) -> Mark:
    """The identity of a record: the kind of its statement, the table that it is about, and its text."""
    if kind is RecordKind.TRUNCATION:
        source = _payload(record).get("source") if record is not None else None
        members = source if isinstance(source, dict) else {}
        name = f"{members.get('db')}.{members.get('table')}"
        return Mark("", "a truncation", "t", name, name)
    text = _text(record)
    what, _ = about(text) or ("", ())
    return Mark("", what, what, _subject(text, "")[1], " ".join(piece.text.lower() for piece in tokens(text)))
