"""Recordings of the binary log in which a record has all rows of a rows event, as Canal writes them."""

from __future__ import annotations

from conformance.catalogue.recordings import Recording
from conformance.catalogue.workload import Change, Truth
from conformance.oracle.upstream.binlog import BinlogRecording
from conformance.oracle.upstream.pairing import RecordPair
from conformance.oracle.upstream.statement_texts import statement_text_matches
from conformance.oracle.upstream.writer import NOT_WRITTEN
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Record
from reference_impl.protocols import Dialect

__all__ = ["PackedRows"]


class PackedRows(BinlogRecording):
    """Each record is written anew from all changes whose rows it has."""

    def __init__(self, recording: Recording, truth: Truth, sql: str | None, codec: Dialect) -> None:
        super().__init__(recording, truth, sql, codec)
        self._assign_unpaired_changes()

    def _record_of_each_change(self) -> dict[int, int]:
        """Change → the record that its rows are in."""
        return {number: n for n, numbers in self._changes_of.items() for number in numbers}

    def _assign_unpaired_changes(self) -> None:
        """Assign each change without a record to the record around it, or to a damaged record beside it."""
        owner = self._record_of_each_change()
        for number in range(len(self.changes)):
            if number in owner:
                continue
            before = owner.get(number - 1) if number and self._may_share_rows_event(number - 1, number) else None
            later_changes = range(number + 1, len(self.changes))
            later = (k for k in later_changes if k in owner and self._may_share_rows_event(number, k))
            after = next((owner[k] for k in later), None)
            if before is not None and (before == after or self._is_damaged(before)):
                owner[number] = before
            elif after is not None and self._is_damaged(after):
                owner[number] = after
            else:
                continue
            self._changes_of[owner[number]].append(number)

    def _pairs_of_rows(self) -> dict[int, RecordPair]:
        judged = {n: self._message_pair(n) for n in sorted(self._changes_of)}
        self._add_statement_texts(judged)
        return judged

    def _add_statement_texts(self, judged: dict[int, RecordPair]) -> None:
        """Add the messages with the text of a statement."""
        owner = self._record_of_each_change()
        server = str(self.recording.meta.get("server", ""))
        records = [c.record for c in self.recording.records]
        for match in statement_text_matches(self.sql, server, self.changes, self.summaries, records):
            n, number = match.got, match.first_change
            expected: Record | None = None
            changes: tuple[Change, ...] = ()
            refused = "" if number is None else self.writer.refused.get(number, "")
            if number is not None and not refused:
                record = self.record(n) if n is not None else None
                event = self.writer.event(number, {**self.source_of(record), "query": match.text}, {})
                self.writer.write([event], [self.changes[number].table])
                expected, changes = self.writer.other_records[0], (self.changes[number],)
            if n is not None:
                judged[n] = RecordPair(self.id(n), self.record(n), expected, changes, refused, what="statement")
            elif expected is not None and number in owner:
                before = owner[number] - 1
                self._missing_others[before].append(RecordPair("", None, expected, changes, what="statement"))

    def _message_pair(self, n: int) -> RecordPair:
        """The pair of a record of rows, which is written anew from the changes behind it."""
        first = min(self._changes_of[n])
        # A message holds rows of one statement; a damaged one may seem to hold others.
        numbers = sorted(k for k in self._changes_of[n] if self._may_share_rows_event(k, first))
        self._changes_of[n] = numbers
        changes = tuple(self.changes[number] for number in numbers)
        refused = next((self.writer.refused[number] for number in numbers if number in self.writer.refused), "")
        record = self.record(n)
        self.writer.encode_definitions_before(numbers[0])
        if refused:
            return RecordPair(self.id(n), record, None, changes, refused)
        # At the recorded position; if the reference refuses that, at the default one.
        for position in (self.source_of(record), self.dialect.default_source):
            source = {**position, "rows_event": str(n)}
            events = [self.writer.event(k, source, self.clock_values(k, record, row)) for row, k in enumerate(numbers)]
            try:
                return RecordPair(self.id(n), record, self.writer.write(events, [changes[0].table])[0], changes)
            except (Rejected, Unsupported) as e:
                refused = f"{NOT_WRITTEN}: {e}"
        return RecordPair(self.id(n), record, None, changes, refused)
