"""The messages of both dialects about the samples, by the reference encoders, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from conformance.migration.samples import Probe, Step
from differential.sides import Side, codec_of
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Record, RowChange, Table, Watermark
from reference_impl.options import parse

__all__ = ["Refusal", "Told", "ToldProbe", "retell", "tell"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A dialect has no message for a step: which one, and what it says of it."""

    dialect: str
    why: str


@dataclass(frozen=True, slots=True)
class Told:
    """A step and the records of both dialects, in the topic of the table; None where one refuses it."""

    step: Step
    origin: tuple[Record, ...] | None
    target: tuple[Record, ...] | None
    refusals: tuple[Refusal, ...] = ()

    @property
    def is_told(self) -> bool:
        """Whether both dialects have it."""
        return not self.refusals


@dataclass(frozen=True, slots=True)
class ToldProbe:
    """A probe with its messages."""

    probe: Probe
    told: tuple[Told, ...]


class _Writer:
    """Writes the messages of one side, in order: a record stands at a place of its own."""

    def __init__(self, side: Side) -> None:
        codec = codec_of(side.dialect)
        self._side = side
        self._make = partial(codec.encoder, parse(codec.options, side.options), side.profile, settings=side.settings)
        self._offset = 0

    def begin(self) -> None:
        """Forget the tables of the probe before."""
        self._encoder = self._make()

    def write(
        self, events: Iterable[RowChange | DdlEvent | Watermark], tables: Sequence[Table]
    ) -> tuple[Record, ...] | Refusal:
        """The records of a step, or why there are none."""
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


def tell(sides: tuple[Side, Side], probes: Iterable[Probe]) -> Iterator[ToldProbe]:
    """The probes, each with the messages of both sides."""
    writers = [_Writer(side) for side in sides]
    for probe in probes:
        for writer in writers:
            writer.begin()
        yield ToldProbe(probe, tuple(_told(writers, probe, step) for step in probe.steps))


def retell(target: Side, probes: Iterable[ToldProbe]) -> Iterator[ToldProbe]:
    """The probes with the messages that another target writes; those of the origin stay."""
    writer = _Writer(target)
    for probe in probes:
        writer.begin()
        yield ToldProbe(probe.probe, tuple(_retold(writer, probe.probe, told) for told in probe.told))


def _retold(writer: _Writer, probe: Probe, told: Told) -> Told:
    origin = told.refusals[0] if told.origin is None else told.origin
    return _of_both(told.step, origin, writer.write(told.step.kept, [probe.table]))


def _told(writers: Sequence[_Writer], probe: Probe, step: Step) -> Told:
    origin, target = writers
    return _of_both(step, origin.write(step.logged, [probe.table]), target.write(step.kept, [probe.table]))


def _of_both(step: Step, *both: tuple[Record, ...] | Refusal) -> Told:
    refusals = tuple(one for one in both if isinstance(one, Refusal))
    origin, target = (None if isinstance(one, Refusal) else one for one in both)
    return Told(step, origin, target, refusals)
