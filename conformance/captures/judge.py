"""Judges captured records, whose true events are unknown: each is decoded, written again and compared.

The reader of the oracle takes a record apart; the reference decoder reads it, and a refusal is a finding; the reference
encoder writes the decoded events again under the profile, and the judge compares, as if the captured record were an
encoder's answer to those events. So a record must be exactly as the profile writes its content. Assertions that need
more than the record are left out, and reported as left out.

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

_HEAD = 1000  # records from which options are inferred
_DEFAULTS = Settings()

NO_TABLES = "the table is not known: what only its definition shows was left out"
NO_PARTITION = "the record's partition is not known: order and partitions were left out"
NOT_WRITTEN = "the reference does not write its events again, so its form was left out"
NO_TIME = "the message has no commit time stamp: order was left out"
IN_FILES = "a claim check: its form was left out, and the message in its file was judged"
NO_ORDER = "an earlier line of the capture has a later offset of its partition: order was left out"
NO_EVENT = "a tombstone: it is no event"

# Whether the changefeed splits updates is unknown: they are written again as they were captured.
_AS_CAPTURED: Mapping[str, str] = {"output-raw-change-event": "true"}
_NOT_FOR_A_RECORD = frozenset({"max-message-bytes", "large-message-handle-option", "claim-check-storage-uri"})


@cache
def _judges(protocol: str, profile: Profile) -> tuple[Judge, RefusalJudge]:
    """The judges of records and of refusals: captures share them, as they remember the rules that they looked up."""
    oracle, register = ORACLES[protocol], load_register(protocol)
    return Judge(oracle, register, profile), RefusalJudge(DIALECTS[protocol], oracle, register, profile)


class CaptureJudge:
    """Judges the records of one capture, in order.

    `tables` are those in force before the first record, and later versions of them; a DDL event makes its tables
    unknown, since it does not describe the result. `producer` has the options of the changefeed, `timezone` is its
    zone, `schemas` is the content of the registry. Raises `Rejected` or `Unsupported` for options
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
        has_watermarks = getattr(self._options, "enable_tidb_extension", True)
        self._stream = StreamJudge(protocol, self._register, partitions, watermarks_expected=has_watermarks)

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
        """Like `_record`, but judges the whole message in its file in place of a claim check."""
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
            blamed = self._refusals.blamed_if_unreadable(self._options, unreadable) if unreadable is not None else ()
            if unreadable is not None and blamed:
                return self._blamed(place, record, unreadable, blamed), []
            return CaptureResult(place, CaptureVerdict.EXCLUDED, not_judged=(NO_EVENT,), record=record), []
        if unreadable is not None:
            raise SuiteError(f"the reference decoder reads a record that the oracle's reader refuses: {unreadable}")
        has_tables = all(not isinstance(e, RowChange) or (e.schema, e.table) in self._tables for e in events)
        tables = [self._table(event, self._shown(tree)) for event, tree in zip(events, trees, strict=True)]
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
        notes = [] if has_tables else [NO_TABLES]
        if record.partition is None:
            notes.append(NO_PARTITION)
        elif any(one.commit_ts is None for one in sent):
            notes.append(NO_TIME)
        if reason:
            return self._result(place, record, events, Judgement(), (*notes, reason)), sent
        completed = [self._dialect.completed(event, tree) for event, tree in zip(events, trees, strict=True)]
        judgement, refusal = self._written_again(record, completed, _merged(tables))
        self._leave_out(judgement, has_tables, has_times=all(event.commit_ts is not None for event in events))
        if not has_tables or refusal is not None:
            self._add_contradictions(judgement, trees)
        if refusal is not None:
            notes.append(NOT_WRITTEN)
            if not judgement.findings and self._refusals.named_by(refusal, lambda: self._types(trees)):
                return self._refused(place, record, refusal, trees, None), sent
        return self._result(place, record, events, judgement, tuple(notes), refusal.message if refusal else None), sent

    def _trees(self, record: Record) -> tuple[Sequence[Tree], Rejected | None]:
        """The messages of a record by the reader of the oracle, and its refusal of the record, if any."""
        try:
            return [message.tree for message in self._oracle.read(record, self._options, self._schemas).messages], None
        except Rejected as e:
            return [], e

    def _shown(self, tree: Tree) -> Table | None:
        """The table that a message shows."""
        try:
            return self._dialect.table_of(tree)
        except (Rejected, KeyError, TypeError, AttributeError, ValueError) as e:
            raise SuiteError(f"the table that the message shows cannot be read: {e!r}") from None

    def _table(self, event: Event, shown: Table | None) -> Table | None:
        """The table of a row: the given one, else the one that the message shows."""
        return self._tables.get((event.schema, event.table), shown) if isinstance(event, RowChange) else None

    def _refused(
        self, place: Place, record: Record, error: Rejected, trees: Sequence[Tree], unreadable: Rejected | None
    ) -> CaptureResult:
        blamed = self._refusals.blamed(self._options, error, unreadable, lambda: self._types(trees))
        return self._blamed(place, record, error, blamed)

    def _blamed(self, place: Place, record: Record, error: Rejected, blamed: Sequence[str]) -> CaptureResult:
        """The result of a record that cannot be read because of `error`, with a finding of each blamed requirement."""
        got = {"class": str(error.reason), "message": error.message}
        # A record without a value is a tombstone and has no data; the content of any other record is lost.
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
            for requirement in blamed
        )
        verdict = verdict_of(findings, self._register)
        return CaptureResult(place, verdict, findings, frozenset(blamed), record=record)

    def _types(self, trees: Sequence[Tree]) -> Mapping[str, ColumnType]:
        """The column types of messages, by column name; a message whose types cannot be read is left out."""
        types: dict[str, ColumnType] = {}
        for tree in trees:
            try:
                shown = self._shown(tree)
            except SuiteError:
                continue
            if shown is not None:
                types |= {column.name: column.type for column in self._tables.get(shown.id, shown).columns}
        return types

    def _written_again(
        self, record: Record, events: Sequence[Event], tables: Sequence[Table]
    ) -> tuple[Judgement, Rejected | None]:
        """The record compared with the reference's output for its events; or why the reference refuses these."""
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
        """The topic by the subject of a schema; None if no subject is known."""
        subject = next(filter(None, map(self._schemas.subject, ids)), "")
        return subject.removesuffix("-key").removesuffix("-value") or None

    def _add_contradictions(self, judgement: Judgement, trees: Iterable[Tree]) -> None:
        """Add findings for the contradictions within messages."""
        for tree in trees:
            for requirement, path, expected, got in self._dialect.contradictions(tree):
                mark, harm = fingerprint(requirement, path, Kind.VALUE), harm_of(path, Kind.VALUE, expected, got)
                judgement.evaluated.add(requirement)
                judgement.findings.append(Finding(requirement, path, Kind.VALUE, expected, got, mark, harm))

    def _leave_out(self, judgement: Judgement, has_tables: bool, *, has_times: bool) -> None:
        """Remove the assertions and findings that a comparison of a record with its own content cannot support."""
        dialect = self._dialect
        unknown, places = dialect.unknown, [dialect.unknown_places]
        if not has_tables:
            unknown |= dialect.unknown_without_tables
            places.append(dialect.unknown_places_without_tables)
        if not has_times:
            unknown |= dialect.unknown_without_time
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
    """One table for each name, with the columns of all its messages: a delete may show only the key."""
    merged: dict[tuple[str, str], Table] = {}
    for table in sorted(filter(None, tables), key=lambda t: -len(t.columns)):
        widest = merged.setdefault(table.id, table)
        further = tuple(column for column in table.columns if widest.column(column.name) is None)
        if further:
            merged[table.id] = replace(widest, columns=widest.columns + further)
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
    """The results of a capture in order: of each record, and behind it those of rules between records.

    Missing options, and the id of the cluster, are inferred from the first thousand records; missing tables from each
    record. `timezone` is the zone of the changefeed, `schemas` the content of the registry, `claims` the files of
    claim-check storage, `partitions` the number of partitions of a topic, None if only those in the capture are
    known. Memory is bounded except for one entry for each partition and table. Raises KeyError for an unknown protocol,
    `Rejected` or `Unsupported` for options that it refuses or does not know.
    """
    stream = iter(captured)
    head = list(islice(stream, _HEAD))
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
