"""Judges the rules between captured records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from conformance.captures.model import Place
from conformance.captures.results import CaptureResult, CaptureVerdict, verdict_of
from conformance.catalogue.register import Register
from conformance.errors import our_fault
from conformance.oracle.order import stream_finding
from conformance.oracle.sent import Sent
from conformance.oracle.streams import REQUIREMENTS, Stream, StreamFault
from reference_impl.model import Record

__all__ = ["StreamJudge"]


class StreamJudge:
    """Judges the records of a capture in order; without results for a protocol without rules between records.

    A fault of the suite is a result too, at the record that showed it.
    """

    def __init__(self, protocol: str, register: Register, partitions: int | None, *, watermarks_expected: bool) -> None:
        self._register = register
        self._offsets: dict[tuple[str | None, int | None], int] = {}
        self._stream = (
            Stream(
                protocol,
                partitions=partitions,
                watermarks_expected=watermarks_expected,
                from_start=False,
                complete=False,
            )
            if protocol in REQUIREMENTS
            else None
        )

    @property
    def evaluated(self) -> frozenset[str]:
        """The requirements whose checks ran so far."""
        return frozenset(self._stream.evaluated if self._stream is not None else ())

    def is_in_order(self, record: Record) -> bool:
        """Whether no record of its partition with a later offset was seen, as far as they are known.

        The lines of a capture may be in another order than its topic, if parts of it were put together. Records whose
        partition is not known count as one partition: nothing is then said of an order that the capture may not have.
        """
        if self._stream is None or record.offset is None:
            return True
        where = record.topic, record.partition
        last = self._offsets.get(where, -1)
        self._offsets[where] = max(last, record.offset)
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

    def _results(self, place: Place, faults: Callable[[], Iterable[StreamFault]]) -> Iterator[CaptureResult]:
        try:
            results = list(map(self._result, faults()))
        except Exception as e:  # noqa: BLE001 - any error here is one of the suite
            results = [CaptureResult(place, CaptureVerdict.SUITE_ERROR, problem=our_fault(e), is_stream=True)]
        yield from results

    def _result(self, fault: StreamFault) -> CaptureResult:
        finding = stream_finding(fault)
        place = fault.sent.where
        assert isinstance(place, Place)
        verdict = verdict_of((finding,), self._register)
        return CaptureResult(place, verdict, (finding,), frozenset({fault.requirement}), is_stream=True)
