"""Writes the messages of the samples in both dialects, step by step, with the reference encoders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from conformance.migration.samples import Probe, Step
from differential.sides import Side, codec_of
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Record, RowChange, Table, Watermark
from reference_impl.options import parse

__all__ = ["Refusal", "WrittenProbe", "WrittenStep", "write_again", "write_both"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """The refusal of a step: the dialect that cannot write it, and the reason."""

    dialect: str
    why: str


@dataclass(frozen=True, slots=True)
class WrittenStep:
    """A step and its records in both dialects; None for a dialect that refuses it."""

    step: Step
    origin: tuple[Record, ...] | None
    target: tuple[Record, ...] | None
    refusals: tuple[Refusal, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether both dialects wrote it."""
        return not self.refusals


@dataclass(frozen=True, slots=True)
class WrittenProbe:
    """A probe with its written steps."""

    probe: Probe
    steps: tuple[WrittenStep, ...]


class _Writer:
    """Writes the messages of one side in order, each with its own offset."""

    def __init__(self, side: Side) -> None:
        codec = codec_of(side.dialect)
        self._side = side
        self._make = partial(codec.encoder, parse(codec.options, side.options), side.profile, settings=side.settings)
        self._offset = 0

    def begin(self) -> None:
        """Start a new probe with an encoder that knows no tables."""
        self._encoder = self._make()

    def write(
        self, events: Iterable[RowChange | DdlEvent | Watermark], tables: Sequence[Table]
    ) -> tuple[Record, ...] | Refusal:
        """The records of a step, or the refusal of the dialect."""
        given = list(events)
        try:
            written = self._encoder.encode(given, tables).records if given else ()
        except (Rejected, Unsupported) as e:
            return Refusal(self._side.dialect, str(e))
        return tuple(map(self._placed, written))

    def _placed(self, record: Record) -> Record:
        self._offset += 1
        topic = record.topic or self._side.dialect
        return replace(record, topic=topic, partition=record.partition or 0, offset=self._offset)


def write_both(sides: tuple[Side, Side], probes: Iterable[Probe]) -> Iterator[WrittenProbe]:
    """Write each probe in both dialects."""
    writers = [_Writer(side) for side in sides]
    for probe in probes:
        for writer in writers:
            writer.begin()
        yield WrittenProbe(probe, tuple(_written(writers, probe, step) for step in probe.steps))


def write_again(target: Side, probes: Iterable[WrittenProbe]) -> Iterator[WrittenProbe]:
    """Write the probes for another target; keep the records of the origin."""
    writer = _Writer(target)
    for probe in probes:
        writer.begin()
        yield WrittenProbe(probe.probe, tuple(_rewritten(writer, probe.probe, written) for written in probe.steps))


def _rewritten(writer: _Writer, probe: Probe, written: WrittenStep) -> WrittenStep:
    origin = written.refusals[0] if written.origin is None else written.origin
    return _of_both(written.step, origin, writer.write(written.step.kept, [probe.table]))


def _written(writers: Sequence[_Writer], probe: Probe, step: Step) -> WrittenStep:
    origin, target = writers
    return _of_both(step, origin.write(step.logged, [probe.table]), target.write(step.kept, [probe.table]))


def _of_both(step: Step, *both: tuple[Record, ...] | Refusal) -> WrittenStep:
    refusals = tuple(one for one in both if isinstance(one, Refusal))
    origin, target = (None if isinstance(one, Refusal) else one for one in both)
    return WrittenStep(step, origin, target, refusals)
