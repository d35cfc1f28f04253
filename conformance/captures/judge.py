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
from typing import Any

from conformance.captures.claims import NotThere, whole_record
from conformance.captures.dialects import DIALECTS, Tree
from conformance.captures.expected import written_case
from conformance.captures.inference import Inferred, infer, with_first_records
from conformance.captures.model import CaptureContext, Captured, Place
from conformance.captures.refusals import RefusalJudge, refusal
from conformance.captures.results import CaptureResult, CaptureVerdict, excluded, finding_at, joined, result_of, unread
from conformance.captures.streams import StreamJudge
from conformance.captures.versions import JudgedRecord, Versions
from conformance.catalogue.register import load_register
from conformance.errors import SuiteError, UsageError, our_fault
from conformance.oracle import ORACLES
from conformance.oracle.findings import Judgement
from conformance.oracle.judge import Judge
from conformance.oracle.rules import Message
from conformance.oracle.sent import Sent, sent_of
from conformance.oracle.tree import Kind
from reference_impl import options as option_strings
from reference_impl.column_types import ColumnType
from reference_impl.compression import decompressed_limit
from reference_impl.errors import Rejected, TooLarge, Unsupported
from reference_impl.keys import handle_key
from reference_impl.model import Event, Record, RowChange, Table
from reference_impl.profiles import Profile
from reference_impl.protocols import CODECS
from reference_impl.settings import Settings
from reference_impl.wire import record_to_json

__all__ = ["CaptureJudge", "judge_capture"]

# What is left out of the judgement of a record, and why: sentences in `CaptureResult.not_judged`.
NO_TABLES = "the table is not known: what only its definition shows was left out"
NO_PARTITION = "the record's partition is not known: order and partitions were left out"
NOT_WRITTEN = "the reference does not write its events again, so its form was left out"
NO_TIME = "the message has no commit time stamp: order was left out"
IN_FILES = "a claim check: its form was left out, and the message in its file was judged"
NO_ORDER = "an earlier line of the capture has a later offset of its partition: order was left out"
NO_EVENT = "a tombstone: it is no event"

# Whether the changefeed splits updates is unknown: they are written again as they were captured.
_AS_CAPTURED: Mapping[str, str] = {"output-raw-change-event": "true"}
# The record passed the producer's size limit, whatever it was.
_LIMITS = frozenset({"max-message-bytes", "large-message-handle-option", "claim-check-storage-uri"})


def judge_capture(context: CaptureContext, captured: Iterable[Captured]) -> Iterator[CaptureResult]:
    """The results of a capture in order: of each record, and behind it those of rules between records.

    Memory is bounded except for one entry for each partition and table. Raises KeyError for an unknown protocol,
    `Rejected` or `Unsupported` for options that it refuses or does not know.
    """
    records, lines = with_first_records(captured)
    judge = CaptureJudge(context, infer(context.protocol, records, context.options, context.schemas))
    last = Place("")
    for line in lines:
        last = line.place
        yield from judge.judge(line)
    yield from judge.end(last)


@cache
def _judges(protocol: str, profile: Profile) -> tuple[Judge, RefusalJudge]:
    """The judges of records and of refusals; all captures share them, since a judge caches the rules it looks up."""
    oracle, register = ORACLES[protocol], load_register(protocol)
    return Judge(oracle, register, profile), RefusalJudge(DIALECTS[protocol], oracle, register, profile)


class CaptureJudge:
    """Judges the records of one capture, in order.

    A DDL event does not describe the tables that it leaves behind. So its tables are unknown after it, except those of
    which the user gave several versions. `producer` has the options of the changefeed, given or inferred.

    Raises `Rejected` or `Unsupported` for options that the protocol refuses or does not know.
    """

    def __init__(self, context: CaptureContext, producer: Inferred) -> None:
        protocol = context.protocol
        self._context = context
        codec = CODECS[protocol]
        self._dialect = DIALECTS[protocol]
        self._oracle = ORACLES[protocol]
        self._register = load_register(protocol)
        self._judge, self._refusals = _judges(protocol, context.profile)
        self._versions = Versions(context.tables)
        self._tables = self._versions.now  # by schema and name; changes with every record
        self._options = option_strings.parse(codec.options, producer.options)
        self._options_to_write = {
            **_AS_CAPTURED,
            **{name: value for name, value in producer.options.items() if name not in _LIMITS},
        }
        self._settings = Settings(timezone=context.timezone, cluster_id=producer.cluster_id or Settings().cluster_id)
        self._decoder = codec.decoder(self._options, settings=replace(self._settings, registry=context.schemas))
        # Switched off, this option suppresses watermarks; a protocol without it always writes them.
        has_watermarks = getattr(self._options, "enable_tidb_extension", True)
        self._stream = StreamJudge(protocol, self._register, context.partitions, watermarks_expected=has_watermarks)

    def judge(self, captured: Captured) -> Iterator[CaptureResult]:
        """The results of a captured record: its own first, then the rules that it broke in the stream."""
        record, place = captured.record, captured.place
        if record is None:
            yield unread(captured)
            return
        judge_record = self._judge_record if self._context.claims is None else self._judge_with_claims
        try:
            # Several versions of a table may be tried: each judges the record once.
            result, sent = self._versions.judge(record.topic, record.partition, lambda: judge_record(place, record))
        except UsageError:
            raise
        except Exception as e:  # noqa: BLE001 - a fault of the suite costs one record, and its result names the suite
            yield CaptureResult(place, CaptureVerdict.SUITE_ERROR, problem=our_fault(e), record=record)
            return
        if captured.problem is not None and result.problem is None:
            result = replace(result, problem=captured.problem)
        is_in_order = self._stream.is_in_order(record)
        yield result if is_in_order else replace(result, not_judged=(*result.not_judged, NO_ORDER))
        yield from self._versions.withdrawn()  # corrected results of earlier records
        if is_in_order:
            yield from self._stream.see(sent, place)

    def end(self, place: Place) -> Iterator[CaptureResult]:
        """The results that need the end of the stream; `place` is that of the last record."""
        yield from self._stream.end(place)

    # -- one record ------------------------------------------------------------------------------------------------

    def _judge_with_claims(self, place: Place, record: Record) -> JudgedRecord:
        """As `_judge_record`, but judges the whole message in its file in place of a claim check."""
        files = self._context.claims
        assert files is not None
        messages, _ = self._messages(record)
        locations = [message.claim for message in messages if message.claim is not None]
        if not locations:
            return self._judge_record(place, record)
        raw = getattr(self._options, "claim_check_raw_value", False)
        try:
            # A file may hold its message in base64, which is a third longer.
            claims = [files.at(location, 2 * decompressed_limit(self._options)) for location in locations]
            # The events come from `by_file`; this call refuses a file that does not fit the record.
            self._decoder.decode([record], self._tables.values(), claims)
            by_file = [self._judge_record(place, whole_record(record, claim, raw=raw)) for claim in claims]
        except (NotThere, Unsupported) as e:
            return JudgedRecord(excluded(place, record, problem=f"not judged: {e}"))
        except Rejected as e:
            return JudgedRecord(self._refused(place, record, e, [message.tree for message in messages]))
        result = joined([one.result for one in by_file], record, IN_FILES)
        return JudgedRecord(result, [message for one in by_file for message in one.sent])

    def _judge_record(self, place: Place, record: Record) -> JudgedRecord:
        """Judge one record by the tables now in force."""
        schemas = self._context.schemas
        missing = [i for i in self._dialect.schema_ids(record) if i not in schemas]
        if missing and not schemas.is_complete:
            return JudgedRecord(excluded(place, record, problem=f"schema {missing[0]} is not among those given"))
        messages, unreadable = self._messages(record)
        trees = [message.tree for message in messages]
        # The reason why a message has only a part of its event, such as its handle key.
        reduced = next(filter(None, map(self._dialect.reduced, trees)), "")
        try:
            events = self._decoder.decode([record], self._tables.values())
        except TooLarge as e:
            return JudgedRecord(excluded(place, record, problem=f"not judged: {e}"))
        except Unsupported as e:
            return JudgedRecord(excluded(place, record, str(e)))
        except Rejected as e:
            # The decoder refuses a reduced message for the part that is missing, which is no defect.
            if reduced and e.reason == "semantics":
                return JudgedRecord(excluded(place, record, reduced))
            return JudgedRecord(self._refused(place, record, e, trees, unreadable))
        if events and unreadable is not None:
            raise SuiteError(f"the reference decoder reads a record that the oracle's reader refuses: {unreadable}")
        if events:
            return self._judge_events(place, record, events, trees, reduced)
        # The decoder ignores a tombstone; the oracle's reader may still refuse it, for its key.
        blamed = self._refusals.blamed_if_unreadable(self._options, unreadable)
        if unreadable is not None and blamed:
            return JudgedRecord(self._blamed(place, record, unreadable, blamed))
        return JudgedRecord(excluded(place, record, NO_EVENT))

    def _messages(self, record: Record) -> tuple[Sequence[Message], Rejected | None]:
        """The messages of a record by the reader of the oracle, or its refusal of the record."""
        try:
            return self._oracle.read(record, self._options, self._context.schemas).messages, None
        except Rejected as e:
            return [], e

    def _judge_events(
        self, place: Place, record: Record, events: Sequence[Event], trees: Sequence[Tree], reduced: str
    ) -> JudgedRecord:
        """Judge a record by its events; `reduced` is the reason why they lack a part, empty if they do not."""
        has_tables = all(not isinstance(e, RowChange) or (e.schema, e.table) in self._tables for e in events)
        tables = [self._table(event, self._shown(tree)) for event, tree in zip(events, trees, strict=True)]
        sent = [_sent(event, table, record, place) for event, table in zip(events, tables, strict=True)]
        notes = [] if has_tables else [NO_TABLES]
        if record.partition is None:
            notes.append(NO_PARTITION)
        elif any(message.commit_ts is None for message in sent):
            notes.append(NO_TIME)
        if reduced:
            return JudgedRecord(result_of(place, Judgement(), self._register, record, events, [*notes, reduced]), sent)
        completed = [self._dialect.completed(event, tree) for event, tree in zip(events, trees, strict=True)]
        judgement, error = self._written_again(record, completed, _merged(tables))
        has_times = all(event.commit_ts is not None for event in events)
        self._leave_out(judgement, has_tables=has_tables, has_times=has_times)
        # With the table, the comparison with the record written again finds contradictions too.
        if not has_tables or error is not None:
            self._add_contradictions(judgement, trees)
        if error is None:
            return JudgedRecord(result_of(place, judgement, self._register, record, events, notes), sent)
        # The reference refuses to write what it decoded. If a requirement explains the refusal, the record broke it.
        if not judgement.findings and self._refusals.named_by(error, lambda: self._types(trees)):
            return JudgedRecord(self._refused(place, record, error, trees), sent)
        notes.append(NOT_WRITTEN)
        return JudgedRecord(result_of(place, judgement, self._register, record, events, notes, error.message), sent)

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
        self,
        place: Place,
        record: Record,
        error: Rejected,
        trees: Sequence[Tree],
        unreadable: Rejected | None = None,
    ) -> CaptureResult:
        """The result of a record that the reference refuses with `error`, and the oracle's reader with `unreadable`."""
        blamed = self._refusals.blamed(self._options, error, unreadable, lambda: self._types(trees))
        return self._blamed(place, record, error, blamed)

    def _blamed(self, place: Place, record: Record, error: Rejected, blamed: Sequence[str]) -> CaptureResult:
        """The result of a record that cannot be read because of `error`, with a finding of each blamed requirement."""
        is_tombstone = record.value is None
        findings = [refusal(requirement, error, is_tombstone=is_tombstone) for requirement in blamed]
        return result_of(place, Judgement(set(blamed), findings), self._register, record)

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
        """The record compared with what the reference writes for its events, or why the reference refuses them."""
        protocol, options = self._context.protocol, dict(self._options_to_write)
        if protocol == "open-protocol":  # unless the option is given, all events of the record are one batch
            options.setdefault("max-batch-size", str(max(len(events), self._options.max_batch_size)))
        ids = self._dialect.schema_ids(record)
        settings = replace(self._settings, topic=record.topic or self._topic(ids) or self._settings.topic)
        try:
            case, expected = written_case(protocol, events, tables, options, self._context.profile, settings)
        except Rejected as e:
            return Judgement(), e
        except Unsupported as e:
            return Judgement(), Rejected("semantics", str(e))
        # Which partition is right is judged between records.
        partition = expected.records[0].partition if expected.records else None
        answer: dict[str, Any] = {"records": [record_to_json(replace(record, partition=partition))]}
        if ids:
            answer["schemas"] = [asdict(schema) for schema in self._context.schemas.shown(ids, expected.schemas)]
        return self._judge.judge(case, {"ok": answer}), None

    def _topic(self, ids: Iterable[int]) -> str | None:
        """The topic by the subject of a schema; None if no subject is known."""
        subject = next(filter(None, map(self._context.schemas.subject, ids)), "")
        return subject.removesuffix("-key").removesuffix("-value") or None

    def _add_contradictions(self, judgement: Judgement, trees: Iterable[Tree]) -> None:
        """Add findings for the contradictions within messages."""
        for tree in trees:
            for requirement, path, expected, got in self._dialect.contradictions(tree):
                judgement.evaluated.add(requirement)
                judgement.findings.append(finding_at(requirement, path, Kind.VALUE, expected, got))

    def _leave_out(self, judgement: Judgement, *, has_tables: bool, has_times: bool) -> None:
        """Remove the assertions and findings that a comparison of a record with its own content cannot support."""
        dialect = self._dialect
        unknown, paths = dialect.unknown, [dialect.unknown_paths]
        if not has_tables:
            unknown |= dialect.unknown_without_tables
            paths.append(dialect.unknown_paths_without_tables)
        if not has_times:
            unknown |= dialect.unknown_without_time
        judgement.evaluated -= unknown
        judgement.findings[:] = [
            finding
            for finding in judgement.findings
            if finding.requirement not in unknown and not any(path.search(finding.path) for path in paths)
        ]


def _sent(event: Event, table: Table | None, record: Record, place: Place) -> Sent:
    """An event of a record, for the rules between records."""
    key = handle_key(table) if table else ()
    return sent_of(event, record.partition, key=key, topic=record.topic, offset=record.offset, where=place)


def _merged(tables: Iterable[Table | None]) -> list[Table]:
    """One table for each name, with the columns that any of its messages show: a delete may show only the key."""
    merged: dict[tuple[str, str], Table] = {}
    for table in sorted(filter(None, tables), key=lambda t: -len(t.columns)):
        widest = merged.setdefault(table.id, table)
        further = tuple(column for column in table.columns if widest.column(column.name) is None)
        if further:
            merged[table.id] = replace(widest, columns=widest.columns + further)
    return list(merged.values())
