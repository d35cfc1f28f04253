"""Judges captured records with no truth at hand: each is read, decoded, written again by the reference, and compared.

A record goes this way: the protocol's own reader takes it apart; the reference decoder reads it, and a refusal is a
finding; the reference encoder writes the decoded events again under the profile, and the judge compares, as if the
captured record were an encoder's answer to those events. So a record is held to be exactly what the style of the
profile makes of what it says. What a record cannot say by itself is left out, and said to be left out.

Between records, `conformance.oracle.streams` has its say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain, islice
from typing import Any

from conformance.captures.dialects import DIALECTS, Tree, compression_of
from conformance.captures.model import Captured, Place
from conformance.captures.results import CaptureResult, CaptureVerdict, verdict_of
from conformance.cases.model import Case, ExpectedRecords
from conformance.catalogue.register import load_register
from conformance.errors import SuiteError
from conformance.oracle import ORACLES
from conformance.oracle.findings import Finding, Judgement, fingerprint
from conformance.oracle.judge import Judge
from conformance.oracle.rules import NO_SCHEMAS, Schemas
from conformance.oracle.streams import Sent, Stream, StreamFault, sent_of
from conformance.oracle.tree import Kind
from reference_impl import options as option_strings
from reference_impl.errors import Rejected, Unsupported
from reference_impl.keys import handle_key
from reference_impl.model import DdlEvent, Event, Record, RowChange, Table
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.protocols import CODECS
from reference_impl.registry import MemoryRegistry, RegisteredSchema
from reference_impl.settings import Settings
from reference_impl.wire import record_to_json

__all__ = ["CaptureJudge", "infer_options", "judge_capture"]

_LOOKED_AT = 1000

NO_TABLES = "the table is not known: what only its definition tells was left out"
NO_PARTITION = "the record's partition is not known: order and partitions were left out"
NOT_WRITTEN = "the reference does not write its events again, so its form was left out"
NO_TIME = "the message has no commit time stamp: order was left out"

# What a re-encoded update or batch would be cannot be known, so the capture's own way is taken.
_AS_CAPTURED: Mapping[str, str] = {"output-raw-change-event": "true"}
_NOT_FOR_A_RECORD = frozenset({"max-message-bytes", "large-message-handle-option", "claim-check-storage-uri"})


def infer_options(
    protocol: str, records: Iterable[Record], given: Mapping[str, str], schemas: Schemas = NO_SCHEMAS
) -> dict[str, str]:
    """The options that records show, with those of `given` on top; `schemas` are those of the registry.

    An option that has no mark in the records has its default. Raises `Rejected` or `Unsupported` for given options that
    the protocol refuses or does not know.
    """
    dialect, oracle, codec = DIALECTS[protocol], ORACLES[protocol], CODECS[protocol]
    parsed = option_strings.parse(codec.options, given)
    options = dict(_AS_CAPTURED)
    for record in records:
        body = dialect.body(record)
        if not body:
            continue
        if "large-message-handle-compression" not in options and (kind := compression_of(body)) != "none":
            options["large-message-handle-compression"] = kind
            parsed = option_strings.parse(codec.options, {"large-message-handle-compression": kind} | dict(given))
        try:
            reading = oracle.read(record, parsed, schemas)
            for message in reading.messages:
                options |= dialect.hints(message.tree)
        except (Rejected, KeyError, TypeError, AttributeError):
            continue  # what is wrong with it is told when it is judged
    return options | dict(given)


class CaptureJudge:
    """Judges the records of one capture, in their order.

    `tables` are those in force before the first record; a DDL event makes its tables unknown, since it does not say
    what became of them. `options` are those of the producer, `schemas` what the registry held. Raises `Rejected` or
    `Unsupported` for options that the protocol refuses or does not know.
    """

    def __init__(
        self,
        protocol: str,
        tables: Iterable[Table],
        options: Mapping[str, str],
        profile: Profile = NEWARCH,
        partitions: int | None = None,
        schemas: Iterable[RegisteredSchema] = (),
    ) -> None:
        codec = CODECS[protocol]
        self._schemas = tuple(schemas)
        self._texts = {schema.id: schema.schema for schema in self._schemas}
        self._protocol = protocol
        self._profile = profile
        self._dialect = DIALECTS[protocol]
        self._oracle = ORACLES[protocol]
        self._register = load_register(protocol)
        self._judge = Judge(self._oracle, self._register, profile)
        self._tables = {table.id: table for table in tables}
        self._given = dict(options)
        self._options = option_strings.parse(codec.options, options)
        # A record was let pass by whatever limit there was.
        self._written = {name: value for name, value in options.items() if name not in _NOT_FOR_A_RECORD}
        self._decoder = codec.decoder(self._options, settings=Settings(registry=MemoryRegistry(self._schemas)))
        wanted = getattr(self._options, "enable_tidb_extension", True)
        self._stream = Stream(
            protocol, partitions=partitions, watermarks_wanted=wanted, from_start=False, complete=False
        )

    def judge(self, captured: Captured) -> Iterator[CaptureResult]:
        """What came of a captured record: its own result first, then what it broke in the stream."""
        record = captured.record
        if record is None:
            yield CaptureResult(captured.place, CaptureVerdict.EXCLUDED, problem=captured.problem)
            return
        try:
            result, sent = self._record(captured.place, record)
        except SuiteError as e:
            yield CaptureResult(captured.place, CaptureVerdict.SUITE_ERROR, problem=str(e), record=record)
            return
        if captured.problem is not None and result.problem is None:
            result = replace(result, problem=captured.problem)
        yield result
        for one in sent:
            yield from map(self._stream_result, self._stream.see(one))

    def end(self) -> Iterator[CaptureResult]:
        """What can only be said once no record is left."""
        yield from map(self._stream_result, self._stream.end())

    @property
    def stream_evaluated(self) -> frozenset[str]:
        """The requirements of stream rules whose checks ran so far."""
        return frozenset(self._stream.evaluated)

    def _stream_result(self, fault: StreamFault) -> CaptureResult:
        mark = fingerprint(fault.requirement, fault.fault, Kind.ORDER)
        finding = Finding(fault.requirement, fault.fault, Kind.ORDER, fault.expected, fault.got, mark)
        place = fault.sent.where
        assert isinstance(place, Place)
        return CaptureResult(
            place,
            verdict_of((finding,), self._register),
            (finding,),
            frozenset({fault.requirement}),
            is_stream=True,
        )

    # -- one record ------------------------------------------------------------------------------------------------

    def _record(self, place: Place, record: Record) -> tuple[CaptureResult, list[Sent]]:
        trees, unreadable = self._trees(record)
        reason = next(filter(None, map(self._dialect.reduced, trees)), "")
        try:
            events = self._decoder.decode([record], self._tables.values())
        except Rejected as e:
            if reason and e.reason == "semantics":
                return CaptureResult(place, CaptureVerdict.EXCLUDED, not_judged=(reason,), record=record), []
            return self._refused(place, record, e), []
        if unreadable is not None:
            raise SuiteError(f"the reference decoder reads a record that the second reader refuses: {unreadable}")
        known = all(not isinstance(e, RowChange) or (e.schema, e.table) in self._tables for e in events)
        shown = [self._dialect.table_of(tree) for tree in trees]
        tables = [self._table(event, table) for event, table in zip(events, shown, strict=True)]
        notes = [] if known else [NO_TABLES]
        sent = [
            sent_of(
                event,
                record.partition,
                key=handle_key(table) if table else (),
                topic=record.topic,
                offset=record.offset,
                where=place,
            )
            for event, table in zip(events, tables, strict=True)
        ]
        if record.partition is None:
            notes.append(NO_PARTITION)
        elif any(one.commit_ts is None for one in sent):
            notes.append(NO_TIME)
        self._forget(events)
        if reason:
            return self._result(place, record, events, Judgement(), (*notes, reason)), sent
        completed = [self._dialect.completed(event, tree) for event, tree in zip(events, trees, strict=True)]
        judgement, refusal = self._written_again(record, completed, _merged(tables))
        self._leave_out(judgement, known, timed=all(event.commit_ts is not None for event in events))
        if refusal is not None:
            notes.append(NOT_WRITTEN)
        return self._result(place, record, events, judgement, tuple(notes), refusal), sent

    def _trees(self, record: Record) -> tuple[Sequence[Tree], str | None]:
        """The messages of a record by the second reader, and why it refuses the record, if it does."""
        try:
            return [message.tree for message in self._oracle.read(record, self._options, self._texts).messages], None
        except Rejected as e:
            return [], e.message

    def _table(self, event: Event, shown: Table | None) -> Table | None:
        """The table of a row: the given one, else the one that the message shows."""
        return self._tables.get((event.schema, event.table), shown) if isinstance(event, RowChange) else None

    def _forget(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, DdlEvent):
                gone = [t for t in self._tables if t[0] == event.schema and event.table in ("", t[1])]
                for name in gone:
                    del self._tables[name]

    def _refused(self, place: Place, record: Record, error: Rejected) -> CaptureResult:
        requirement = self._dialect.refused[error.reason]
        mark = fingerprint(requirement, f"record.{error.reason}", Kind.REFUSED)
        got = {"class": str(error.reason), "message": error.message}
        finding = Finding(requirement, "record", Kind.REFUSED, "a record that can be decoded", got, mark)
        evaluated = frozenset({requirement})
        return CaptureResult(place, verdict_of((finding,), self._register), (finding,), evaluated, record=record)

    def _written_again(
        self, record: Record, events: Sequence[Event], tables: Sequence[Table]
    ) -> tuple[Judgement, str | None]:
        """The record judged against what the reference makes of its events; in words why it makes nothing of them."""
        options = dict(self._written)
        if self._protocol == "open-protocol":
            options.setdefault("max-batch-size", str(max(len(events), 16)))
        codec = CODECS[self._protocol]
        registry = MemoryRegistry()
        settings = Settings(registry=registry)
        encoder = codec.encoder(option_strings.parse(codec.options, options), self._profile, settings=settings)
        try:
            encoded = encoder.encode(events, tables)
        except (Rejected, Unsupported) as e:
            return Judgement(), str(e)
        partition = encoded.records[0].partition if encoded.records else None
        case = Case(
            id=f"{self._protocol}/capture",
            protocol=self._protocol,
            role="encode",
            tables=tuple(tables),
            events=tuple(events),
            options=options,
            expected=ExpectedRecords(encoded.records, schemas=tuple(registry.requests)),
        )
        answer: dict[str, Any] = {"records": [record_to_json(replace(record, partition=partition))]}
        if ids := self._dialect.schema_ids(record):
            answer["schemas"] = [asdict(schema) for schema in self._schemas if schema.id in ids]
        return self._judge.judge(case, {"ok": answer}), None

    def _leave_out(self, judgement: Judgement, known: bool, *, timed: bool) -> None:
        """Take back what the record, made again from itself, cannot tell."""
        dialect = self._dialect
        unknown = dialect.unknown | (frozenset() if known else dialect.unknown_without_tables)
        unknown |= frozenset() if timed else dialect.unknown_without_time
        places = () if known else dialect.unknown_places
        judgement.evaluated -= unknown
        judgement.findings[:] = [
            finding
            for finding in judgement.findings
            if finding.requirement not in unknown and not (places and finding.path.endswith(places))
        ]

    def _result(
        self,
        place: Place,
        record: Record,
        events: Sequence[Event],
        judgement: Judgement,
        notes: tuple[str, ...],
        problem: str | None = None,
    ) -> CaptureResult:
        findings = tuple(judgement.findings)
        verdict = verdict_of(findings, self._register) if judgement.evaluated else CaptureVerdict.EXCLUDED
        evaluated = frozenset(judgement.evaluated)
        return CaptureResult(place, verdict, findings, evaluated, notes, problem, record, tuple(events))


def _merged(tables: Iterable[Table | None]) -> list[Table]:
    """One table for each name, with the columns of all that have it: a delete may show its key alone."""
    merged: dict[tuple[str, str], Table] = {}
    for table in sorted(filter(None, tables), key=lambda t: -len(t.columns)):
        known = merged.setdefault(table.id, table)
        further = tuple(column for column in table.columns if known.column(column.name) is None)
        if further:
            merged[table.id] = replace(known, columns=known.columns + further)
    return list(merged.values())


def judge_capture(
    protocol: str,
    captured: Iterable[Captured],
    tables: Iterable[Table] = (),
    options: Mapping[str, str] | None = None,
    profile: Profile = NEWARCH,
    partitions: int | None = None,
    schemas: Iterable[RegisteredSchema] = (),
) -> Iterator[CaptureResult]:
    """The results of a capture in its order, those of rules between records after the record that broke them.

    Options that are not given are inferred from the first thousand records; tables that are not given from each record.
    `schemas` are what the registry held.
    `partitions` is the number of partitions of a topic, None where only those that show up are known. Memory is
    bounded but for one entry a lane and table. Raises KeyError for an unknown protocol, `Rejected` or `Unsupported`
    for options that it refuses or does not know.
    """
    stream = iter(captured)
    head = list(islice(stream, _LOOKED_AT))
    shown = (one.record for one in head if one.record is not None)
    registered = tuple(schemas)
    texts = {schema.id: schema.schema for schema in registered}
    inferred = infer_options(protocol, shown, options or {}, texts)
    judge = CaptureJudge(protocol, tables, inferred, profile, partitions, registered)
    for one in chain(head, stream):
        yield from judge.judge(one)
    yield from judge.end()
