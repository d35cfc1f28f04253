"""Judges the rules between captured records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from conformance.captures.model import Place
from conformance.captures.results import CaptureResult, between_records
from conformance.catalogue.register import Register
from conformance.oracle.findings import Finding
from conformance.oracle.order import stream_finding
from conformance.oracle.sent import Sent
from conformance.oracle.streams import REQUIREMENTS, Stream, StreamFault
from reference_impl.model import Record

__all__ = ["StreamJudge"]


class StreamJudge:
    """Judges the records of a capture in order; finds nothing if the protocol has no rules between records."""

    def __init__(self, protocol: str, register: Register, partitions: int | None, *, watermarks_expected: bool) -> None:
        self._register = register
        self._last_offsets: dict[tuple[str | None, int | None], int] = {}
        self._stream: Stream | None = None
        if protocol in REQUIREMENTS:
            self._stream = Stream(
                protocol,
                partitions=partitions,
                watermarks_expected=watermarks_expected,
                from_start=False,
                complete=False,
            )

    def is_in_order(self, record: Record) -> bool:
        """Whether no record of its partition with a later offset was seen; true for an unknown offset.

        The lines of a capture may be in another order than its topic, if parts of it were put together. Records of
        unknown partitions count as one partition.
        """
        if self._stream is None or record.offset is None:
            return True
        where = record.topic, record.partition
        last = self._last_offsets.get(where, -1)
        self._last_offsets[where] = max(last, record.offset)
        return record.offset >= last

    def see(self, sent: Iterable[Sent], place: Place) -> Iterator[CaptureResult]:
        """The rules that the messages of the next record break."""
        if self._stream is not None:
            for message in sent:
                yield from self._results(place, partial(self._stream.see, message))

    def end(self, place: Place) -> Iterator[CaptureResult]:
        """The rules that only the end of the stream decides; `place` is that of the last record."""
        if self._stream is not None:
            yield from self._results(place, self._stream.end)

    def _results(self, place: Place, faults: Callable[[], Iterable[StreamFault]]) -> list[CaptureResult]:
        return between_records(place, lambda: map(_placed, faults()), self._register)


def _placed(fault: StreamFault) -> tuple[Place, Finding]:
    """The record that broke a rule, and the finding."""
    assert isinstance(fault.sent.where, Place)
    return fault.sent.where, stream_finding(fault)
