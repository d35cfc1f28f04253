"""The reference encoder of a recording: from row changes to the records that should have been sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from conformance.cases.upstream.dialects import DIALECTS
from conformance.catalogue.recordings import Recording
from conformance.catalogue.statements import binlog_settings, definitions
from conformance.catalogue.workload import Change
from conformance.oracle.upstream.dialects import DIALECTS as ORACLES
from conformance.oracle.upstream.reading import RecordKind
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Record, RowChange, Table
from reference_impl.options import parse, values_by_option
from reference_impl.protocols import Dialect, Encoder
from reference_impl.settings import Settings
from reference_impl.zones import zone_of

__all__ = ["NOT_WRITTEN", "Writer", "encoders_of"]

NOT_WRITTEN = "the reference does not write it"


def encoders_of(recording: Recording, codec: Dialect) -> Callable[[], Encoder]:
    """A function that makes the reference encoder of a recording, which has seen no table.

    Raises `Rejected` and `Unsupported` for options that the dialect does not take.
    """
    topic = DIALECTS[recording.protocol].topic.replace("{name}", recording.facts.topic)
    settings = Settings(timezone=recording.facts.timezone, topic=topic)
    options = parse(codec.options, _known_version(codec, recording.options))
    return partial(codec.encoder, options, settings=settings)


class Writer:
    """The reference encoder of a recording.

    `refused` is number of a change → why the reference cannot write it. `other_records` are the records that are not
    about rows, of the last `write`.
    """

    def __init__(self, recording: Recording, codec: Dialect, changes: Sequence[Change], sql: str | None) -> None:
        self._dialect = DIALECTS[recording.protocol]
        self._changes = changes
        self._zone = zone_of(recording.facts.timezone)
        self.new_encoder = encoders_of(recording, codec)
        self._encoder = self.new_encoder()
        self._session_settings = dict(binlog_settings(sql)) if sql is not None and self._dialect.packs_rows else {}
        self._definitions = list(definitions(sql)) if sql is not None else []
        self._definitions_done = 0
        self._summary_of = ORACLES[recording.protocol].summary
        self._topic = recording.facts.topic
        self.refused: dict[int, str] = {}
        self.other_records: list[Record] = []

    def event(
        self, number: int, source: Mapping[str, object], clock_values: Mapping[tuple[str, str], datetime]
    ) -> RowChange:
        """A change as an event at the position `source`, with the settings of its session.

        `clock_values` is (image, column) → the recorded value, for columns that the statement's clock filled.
        """
        change = self._changes[number]
        return change.event({**source, **self._session_settings.get(change.statement, {})}, clock_values, self._zone)

    def records_of(self, number: int) -> list[Record]:
        """The records of rows for one change, at the default position; empty if it is `refused`."""
        event = self.event(number, {**self._dialect.default_source, "rows_event": str(number)}, {})
        self.encode_definitions_before(number)
        try:
            return self.write([event], [self._changes[number].table])
        except (Rejected, Unsupported) as e:
            self.refused[number] = f"{NOT_WRITTEN}: {e}"
            self.reset()
            return []

    def reset(self) -> None:
        """Start again with an encoder that has seen no tables."""
        self._encoder = self.new_encoder()
        self._definitions_done = 0

    def encode_definitions_before(self, number: int) -> None:
        """Encode the defining statements before a change, as a producer does: it keeps the tables that it has seen."""
        before = self._changes[number].statement
        while self._definitions_done < len(self._definitions) and self._definitions[self._definitions_done][0] < before:
            _, schema, statement = self._definitions[self._definitions_done]
            self._definitions_done += 1
            try:
                self._encoder.encode([DdlEvent(schema, "", statement, source=self._dialect.default_source)])
            except (Rejected, Unsupported):
                continue  # it keeps no table of this statement; `write` gets the tables of the truth

    def write(self, events: Sequence[RowChange], tables: Sequence[Table]) -> list[Record]:
        """The records of rows for these events; sets `other_records`. Raises `Rejected` and `Unsupported`."""
        written = self._encoder.encode(events, tables).records
        # The encoder of a dialect with a single topic leaves the topic out.
        records = [replace(r, topic=self._topic) if r.topic is None and self._topic else r for r in written]
        kinds = [self._summary_of(record).kind for record in records]
        self.other_records = [r for r, kind in zip(records, kinds, strict=True) if kind is not RecordKind.ROWS]
        return [record for record, kind in zip(records, kinds, strict=True) if kind is RecordKind.ROWS]


def _known_version(codec: Dialect, options: Mapping[str, str]) -> Mapping[str, str]:
    """The options with the reference's version of the same line (3.6.2 → 3.6.1): patch releases write alike."""
    known = values_by_option(codec.options).get("version", ())
    version = options.get("version", "")
    if version in known or not known:
        return options
    line = version.rpartition(".")[0]
    return {**options, "version": next((v for v in known if v.rpartition(".")[0] == line), version)}
