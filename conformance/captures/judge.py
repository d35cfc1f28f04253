"""Judges captured records without their truth: each is read, decoded, written again by the reference, and compared.

A record goes this way: the protocol's own reader takes it apart; the reference decoder reads it, and a refusal is a
finding; the reference encoder writes the decoded events again under the profile, and the judge compares, as if the
captured record were an encoder's answer to those events. So a record must be exactly what the style of the profile
makes of its content. What a record cannot show by itself is left out, and reported as left out.

`conformance.oracle.streams` judges the rules between records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from itertools import chain, islice
from typing import Any

from conformance.captures.claims import ClaimFiles, NotThere, whole_record
from conformance.captures.dialects import DIALECTS, Tree
from conformance.captures.inference import Inferred, infer
from conformance.captures.model import Captured, Place
from conformance.captures.refusals import RefusalJudge
from conformance.captures.results import CaptureResult, CaptureVerdict, joined, unread, verdict_of
from conformance.captures.schemas import CapturedSchemas
from conformance.captures.streams import StreamJudge
from conformance.captures.versions import Versions
from conformance.cases.model import Case, ExpectedRecords
from conformance.catalogue.register import load_register
from conformance.errors import SuiteError, UsageError, our_fault
from conformance.oracle import ORACLES
from conformance.oracle.findings import Finding, Judgement, fingerprint
from conformance.oracle.harm import harm_of
from conformance.oracle.judge import Judge
from conformance.oracle.sent import Sent, sent_of
from conformance.oracle.tree import Kind
from reference_impl import options as option_strings
from reference_impl.column_types import ColumnType
from reference_impl.compression import decompressed_limit
from reference_impl.errors import Rejected, TooLarge, Unsupported
from reference_impl.keys import handle_key
from reference_impl.model import Event, Record, RowChange, Table
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.protocols import CODECS
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings
from reference_impl.wire import record_to_json

__all__ = ["CaptureJudge", "judge_capture"]

_LOOKED_AT = 1000
_DEFAULTS = Settings()

NO_TABLES = "the table is not known: what only its definition shows was left out"
NO_PARTITION = "the record's partition is not known: order and partitions were left out"
NOT_WRITTEN = "the reference does not write its events again, so its form was left out"
NO_TIME = "the message has no commit time stamp: order was left out"
IN_FILES = "a claim check: its form was left out, and the message in its file was judged"
NO_ORDER = "an earlier line of the capture has a later offset of its partition: order was left out"
NO_EVENT = "a tombstone: it is no event"

# How an update would be split when it is written again is unknown, so the capture's own way is taken.
_AS_CAPTURED: Mapping[str, str] = {"output-raw-change-event": "true"}
_NOT_FOR_A_RECORD = frozenset({"max-message-bytes", "large-message-handle-option", "claim-check-storage-uri"})


@cache
def _judges(protocol: str, profile: Profile) -> tuple[Judge, RefusalJudge]:
    """The judges of records and of refusals: all captures share them, and the rules that they have looked up."""
    oracle, register = ORACLES[protocol], load_register(protocol)
    return Judge(oracle, register, profile), RefusalJudge(DIALECTS[protocol], oracle, register, profile)


class CaptureJudge:
    """Judges the records of one capture, in order.

    `tables` are those in force before the first record, and later versions of them; a DDL event makes its tables
    unknown, since it does not describe the result. `producer` is what is known of the writer of the records, `timezone`
    the zone of the changefeed, `schemas` the content of the registry. Raises `Rejected` or `Unsupported` for options
    that the protocol refuses or does not know.
    """

    def __init__(
        self,
        protocol: str,
        tables: Iterable[Table],
        producer: Inferred,
        profile: Profile = NEWARCH,
        *,
        partitions: int | None = None,
        timezone: str = "UTC",
        schemas: CapturedSchemas | None = None,
        claims: ClaimFiles | None = None,
    ) -> None:
        codec = CODECS[protocol]
        self._schemas = CapturedSchemas() if schemas is None else schemas
        self._claims = claims
        self._protocol = protocol
        self._profile = profile
        self._dialect = DIALECTS[protocol]
        self._oracle = ORACLES[protocol]
        self._register = load_register(protocol)
        self._judge, self._refusals = _judges(protocol, profile)
        self._versions = Versions(tables)
        self._tables = self._versions.now
        self._options = option_strings.parse(codec.options, producer.options)
        # The record passed the producer's size limit, whatever it was.
        passed = {name: value for name, value in producer.options.items() if name not in _NOT_FOR_A_RECORD}
        self._written = {**_AS_CAPTURED, **passed}
        self._settings = Settings(timezone=timezone, cluster_id=producer.cluster_id or _DEFAULTS.cluster_id)
        self._decoder = codec.decoder(self._options, settings=replace(self._settings, registry=self._schemas))
        wanted = getattr(self._options, "enable_tidb_extension", True)
        self._stream = StreamJudge(protocol, self._register, partitions, watermarks_expected=wanted)

    def judge(self, captured: Captured) -> Iterator[CaptureResult]:
        """The results of a captured record: its own first, then the rules that it broke in the stream."""
        record = captured.record
        if record is None:
            yield unread(captured)
            return
        try:
            judge = self._record if self._claims is None else self._with_claims
            result, sent = self._versions.judged(record.topic, record.partition, lambda: judge(captured.place, record))
        except UsageError:
            raise
        except Exception as e:  # noqa: BLE001 - a fault of the suite costs one record, and its result names the suite
            yield CaptureResult(captured.place, CaptureVerdict.SUITE_ERROR, problem=our_fault(e), record=record)
            return
        if captured.problem is not None and result.problem is None:
            result = replace(result, problem=captured.problem)
        if not self._stream.is_in_order(record):
            yield replace(result, not_judged=(*result.not_judged, NO_ORDER))
            yield from self._versions.withdrawn()
            return
        yield result
        yield from self._versions.withdrawn()
        yield from self._stream.see(sent, captured.place)

    def end(self, place: Place) -> Iterator[CaptureResult]:
        """The results that need the end of the stream; `place` is that of the last record."""
        yield from self._stream.end(place)

    # -- one record ------------------------------------------------------------------------------------------------

    def _with_claims(self, place: Place, record: Record) -> tuple[CaptureResult, list[Sent]]:
        """Like `_record`, but a claim check is replaced by the whole message in its file."""
        assert self._claims is not None
        try:
            messages = self._oracle.read(record, self._options, self._schemas).messages
        except Rejected:
            return self._record(place, record)
        locations = [message.claim for message in messages if message.claim is not None]
        if not locations:
            return self._record(place, record)
        raw = getattr(self._options, "claim_check_raw_value", False)
        try:
            claims = [self._claims.at(location, 2 * decompressed_limit(self._options)) for location in locations]
            self._decoder.decode([record], self._tables.values(), claims)
            whole = [self._record(place, whole_record(record, claim, raw=raw)) for claim in claims]
        except (NotThere, Unsupported) as e:
            return CaptureResult(place, CaptureVerdict.EXCLUDED, problem=f"not judged: {e}", record=record), []
        except Rejected as e:
            return self._refused(place, record, e, [message.tree for message in messages], None), []
        return joined([result for result, _ in whole], record, IN_FILES), [one for _, sent in whole for one in sent]

    def _record(self, place: Place, record: Record) -> tuple[CaptureResult, list[Sent]]:
        missing = [i for i in self._dialect.schema_ids(record) if i not in self._schemas]
        if missing and not self._schemas.is_complete:
            problem = f"schema {missing[0]} is not among those given"
            return CaptureResult(place, CaptureVerdict.EXCLUDED, problem=problem, record=record), []
        trees, unreadable = self._trees(record)
        reason = next(filter(None, map(self._dialect.reduced, trees)), "")
        try:
            events = self._decoder.decode([record], self._tables.values())
        except TooLarge as e:
            return CaptureResult(place, CaptureVerdict.EXCLUDED, problem=f"not judged: {e}", record=record), []
        except Unsupported as e:
            return CaptureResult(place, CaptureVerdict.EXCLUDED, not_judged=(str(e),), record=record), []
        except Rejected as e:
            if reason and e.reason == "semantics":
                return CaptureResult(place, CaptureVerdict.EXCLUDED, not_judged=(reason,), record=record), []
            return self._refused(place, record, e, trees, unreadable), []
        if not events:
            if unreadable is not None and (charged := self._refusals.unread(self._options, unreadable)):
                return self._charged(place, record, unreadable, charged), []
            return CaptureResult(place, CaptureVerdict.EXCLUDED, not_judged=(NO_EVENT,), record=record), []
        if unreadable is not None:
            raise SuiteError(f"the reference decoder reads a record that the second reader refuses: {unreadable}")
        known = all(not isinstance(e, RowChange) or (e.schema, e.table) in self._tables for e in events)
        shown = list(map(self._shown, trees))
        tables = [self._table(event, table) for event, table in zip(events, shown, strict=True)]
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
        notes = [] if known else [NO_TABLES]
        if record.partition is None:
            notes.append(NO_PARTITION)
        elif any(one.commit_ts is None for one in sent):
            notes.append(NO_TIME)
        if reason:
            return self._result(place, record, events, Judgement(), (*notes, reason)), sent
        completed = [self._dialect.completed(event, tree) for event, tree in zip(events, trees, strict=True)]
        judgement, refusal = self._written_again(record, completed, _merged(tables))
        self._leave_out(judgement, known, timed=all(event.commit_ts is not None for event in events))
        if not known or refusal is not None:
            self._contradicted(judgement, trees)
        if refusal is not None:
            notes.append(NOT_WRITTEN)
            if not judgement.findings and self._refusals.named_by(refusal, lambda: self._kinds(trees)):
                return self._refused(place, record, refusal, trees, None), sent
        return self._result(place, record, events, judgement, tuple(notes), refusal.message if refusal else None), sent

    def _trees(self, record: Record) -> tuple[Sequence[Tree], Rejected | None]:
        """The messages of a record by the second reader, and its refusal of the record, if any."""
        try:
            return [message.tree for message in self._oracle.read(record, self._options, self._schemas).messages], None
        except Rejected as e:
            return [], e

    def _shown(self, tree: Tree) -> Table | None:
        try:
            return self._dialect.table_of(tree)
        except (Rejected, KeyError, TypeError, AttributeError, ValueError) as e:
            raise SuiteError(f"the table that the message shows cannot be made out: {e!r}") from None

    def _table(self, event: Event, shown: Table | None) -> Table | None:
        """The table of a row: the given one, else the one that the message shows."""
        return self._tables.get((event.schema, event.table), shown) if isinstance(event, RowChange) else None

    def _refused(
        self, place: Place, record: Record, error: Rejected, trees: Sequence[Tree], unreadable: Rejected | None
    ) -> CaptureResult:
        charged = self._refusals.charged(self._options, error, unreadable, lambda: self._kinds(trees))
        return self._charged(place, record, error, charged)

    def _charged(self, place: Place, record: Record, error: Rejected, charged: Sequence[str]) -> CaptureResult:
        """The result of a record that breaks requirements for the reason in `error`."""
        got = {"class": str(error.reason), "message": error.message}
        # A record without a value stands beside the rows; the content of any other is lost.
        lost = harm_of("record", Kind.REFUSED, None, got)
        harm = lost if record.value is not None else harm_of("tombstone", Kind.EXTRA, None, got)
        findings = tuple(
            Finding(
                requirement,
                "record",
                Kind.REFUSED,
                "a record that can be decoded",
                got,
                fingerprint(requirement, f"record.{error.reason}", Kind.REFUSED),
                harm,
            )
            for requirement in charged
        )
        verdict = verdict_of(findings, self._register)
        return CaptureResult(place, verdict, findings, frozenset(charged), record=record)

    def _kinds(self, trees: Sequence[Tree]) -> Mapping[str, ColumnType]:
        """The column types of messages, by column name; a message whose types cannot be read is left out."""
        kinds: dict[str, ColumnType] = {}
        for tree in trees:
            try:
                shown = self._shown(tree)
            except SuiteError:
                continue
            if shown is not None:
                kinds |= {column.name: column.type for column in self._tables.get(shown.id, shown).columns}
        return kinds

    def _written_again(
        self, record: Record, events: Sequence[Event], tables: Sequence[Table]
    ) -> tuple[Judgement, Rejected | None]:
        """The record compared with the reference's output for its events, or the reason for its lack."""
        options = dict(self._written)
        if self._protocol == "open-protocol":
            options.setdefault("max-batch-size", str(max(len(events), 16)))
        codec = CODECS[self._protocol]
        registry = MemoryRegistry()
        ids = self._dialect.schema_ids(record)
        settings = replace(self._settings, topic=record.topic or self._topic(ids) or self._settings.topic)
        parsed = option_strings.parse(codec.options, options)
        try:
            encoder = codec.encoder(parsed, self._profile, settings=replace(settings, registry=registry))
            encoded = encoder.encode(events, tables)
        except Rejected as e:
            return Judgement(), e
        except Unsupported as e:
            return Judgement(), Rejected("semantics", str(e))
        partition = encoded.records[0].partition if encoded.records else None
        case = Case(
            id=f"{self._protocol}/capture",
            protocol=self._protocol,
            role="encode",
            tables=tuple(tables),
            events=tuple(events),
            options=options,
            settings=settings,
            expected=ExpectedRecords(encoded.records, schemas=tuple(registry.requests)),
        )
        answer: dict[str, Any] = {"records": [record_to_json(replace(record, partition=partition))]}
        if ids:
            answer["schemas"] = [asdict(schema) for schema in self._schemas.shown(ids, registry.requests)]
        return self._judge.judge(case, {"ok": answer}), None

    def _topic(self, ids: Iterable[int]) -> str | None:
        """The topic in the subject of a schema."""
        subject = next(filter(None, map(self._schemas.subject, ids)), "")
        return subject.removesuffix("-key").removesuffix("-value") or None

    def _contradicted(self, judgement: Judgement, trees: Iterable[Tree]) -> None:
        """Add the contradictions within messages."""
        for tree in trees:
            for requirement, path, expected, got in self._dialect.contradictions(tree):
                mark, harm = fingerprint(requirement, path, Kind.VALUE), harm_of(path, Kind.VALUE, expected, got)
                judgement.evaluated.add(requirement)
                judgement.findings.append(Finding(requirement, path, Kind.VALUE, expected, got, mark, harm))

    def _leave_out(self, judgement: Judgement, known: bool, *, timed: bool) -> None:
        """Remove the assertions that a record, written again from itself, cannot support."""
        dialect = self._dialect
        unknown = dialect.unknown | (frozenset() if known else dialect.unknown_without_tables)
        unknown |= frozenset() if timed else dialect.unknown_without_time
        places = [dialect.unknown_places] if known else [dialect.unknown_places, dialect.unknown_places_without_tables]
        judgement.evaluated -= unknown
        judgement.findings[:] = [
            finding
            for finding in judgement.findings
            if finding.requirement not in unknown and not any(place.search(finding.path) for place in places)
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
    """One table for each name, with the columns of all messages that have it: a delete may show its key alone."""
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
    timezone: str = "UTC",
    schemas: CapturedSchemas | None = None,
    *,
    claims: ClaimFiles | None = None,
) -> Iterator[CaptureResult]:
    """The results of a capture in order, those of rules between records after the record that broke them.

    Missing options, and the id of the cluster, are inferred from the first thousand records; missing tables from each
    record. `timezone` is the zone of the changefeed, `schemas` the content of the registry, `claims` the files of
    claim-check storage, `partitions` the number of partitions of a topic, None if only those in the capture are
    known. Memory is bounded except for one entry a lane and table. Raises KeyError for an unknown protocol, `Rejected`
    or `Unsupported` for options that it refuses or does not know.
    """
    stream = iter(captured)
    head = list(islice(stream, _LOOKED_AT))
    registered = CapturedSchemas() if schemas is None else schemas
    producer = infer(protocol, (one.record for one in head if one.record is not None), options or {}, registered)
    judge = CaptureJudge(
        protocol, tables, producer, profile, partitions=partitions, timezone=timezone, schemas=registered, claims=claims
    )
    last = Place("")
    for one in chain(head, stream):
        last = one.place
        yield from judge.judge(one)
    yield from judge.end(last)
