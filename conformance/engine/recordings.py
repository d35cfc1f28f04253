"""Recordings of an upstream producer as an implementation; each recorded record is a case, and each missing one.

The expected record is made from the truth of the workload (`conformance.oracle.upstream`); no program runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

from conformance.cases.model import Anchor, Case, CaseHead, replay_id_of
from conformance.catalogue.recordings import Recording, Workloads, read_recordings
from conformance.catalogue.register import Level
from conformance.catalogue.statements import statements
from conformance.catalogue.workload import Truth
from conformance.engine.implementation import RecordedSession, Target
from conformance.engine.selection import Expression, subject_of
from conformance.errors import SuiteError, UsageError
from conformance.oracle.upstream.recordings import RecordingJudge, RecordPair, record_pairs
from conformance.transport.answers import Answer
from reference_impl.profiles import Profile
from reference_impl.protocols import UPSTREAM
from reference_impl.settings import Settings
from reference_impl.wire import record_to_json
from reference_impl.zones import zone_of

__all__ = ["Asked", "case_of_pair", "recordings_target"]


class Asked(NamedTuple):
    """What a run asks for: protocols, the text of `-k`, and names of cases; empty members ask for everything."""

    protocols: tuple[str, ...] = ()
    select: str = ""
    only: tuple[str, ...] = ()
    """Ids or replay ids, or beginnings of replay ids."""

    def can_mean(self, recording: Recording, others: Sequence[Recording]) -> bool:
        """Whether a record can be meant of a recording whose cases are unknown.

        A term of `-k` with the name of another recording is compared with the ids of the records; any other term may be
        true of their requirements or axes.
        """
        ids = [f"{recording.name}/{record.n}" for record in recording.records]
        if self.only:
            is_named = any(name.startswith(f"{recording.name}/") for name in self.only)
            return is_named or any(replay_id_of("encode", one).startswith(self.only) for one in ids)
        expression = Expression(self.select) if self.select else None
        if expression is None or expression.has_negation:
            return True
        names = [other.name.lower() for other in others if other is not recording]
        may_be_true = [term for term in expression.terms if not any(name in term.lower() for name in names)]
        subjects = (subject_of(one, recording.protocol, "encode", Level.MUST, may_be_true, {}) for one in ids)
        return any(map(expression.matches, subjects))


def recordings_target(address: str, folder: Path, profile: Profile, asked: Asked) -> Target:
    """The recordings of a folder as an implementation.

    Raises `UsageError` for a recording that cannot be read, and for one without a truth if a record of it can be meant.
    """
    recordings = [r for r in read_recordings(folder) if not asked.protocols or r.protocol in asked.protocols]
    streams = RecordedStreams(folder.resolve().name, recordings, Workloads(folder.resolve()), asked)
    _HELD[folder, asked] = streams
    return _target(streams, address, profile, (folder, asked))


_Key: TypeAlias = tuple[Path, Asked]
"""The folder of the recordings, and the selection among their records."""

_HELD: WeakValueDictionary[_Key, RecordedStreams] = WeakValueDictionary()
"""The streams of this process: a forked process inherits them ready."""


def _target(streams: RecordedStreams, address: str, profile: Profile, key: _Key) -> Target:
    return Target(
        address,
        profile,
        lambda: streams,
        streams.cases,
        "recorded",
        streams.problems,
        protocols=streams.protocols,
        judges={protocol: RecordingJudge(protocol, streams.pairs) for protocol in UPSTREAM},
        unjudged=streams.unjudged,
        for_worker=partial(_for_worker, address, profile, key),
    )


def _for_worker(address: str, profile: Profile, key: _Key, worker: int) -> Target:
    streams = _HELD.get(key)
    if streams is None:
        return recordings_target(address, key[0], profile, key[1])
    return _target(streams, address, profile, key)


def case_of_pair(recording: Recording, pair: RecordPair, script: Sequence[str]) -> Case:
    """The case of a record: the row changes behind it, with their statements in the `script` of the workload."""
    zone = zone_of(recording.facts.timezone)
    numbers = dict.fromkeys(change.statement for change in pair.changes)
    return Case(
        pair.id,
        recording.protocol,
        "encode",
        tables=(pair.table,) if pair.table is not None else (),
        events=tuple(change.event(zone=zone) for change in pair.changes),
        options=recording.options,
        settings=Settings(timezone=recording.facts.timezone, topic=recording.facts.topic),
        sql=tuple(script[number] for number in numbers if number < len(script)),
        anchor=Anchor.RECORDED,
        source="; ".join((recording.source, *(f"nothing is known of {line}" for line in recording.unknown))),
        axes=pair.axes,
    )


class RecordedStreams(RecordedSession):
    """A session with recorded streams: the answer to a case is its recorded record.

    `pairs` are by case id, for the protocols whose cases were requested.
    """

    def __init__(self, name: str, recordings: Sequence[Recording], workloads: Workloads, asked: Asked) -> None:
        super().__init__(name)
        self.pairs: dict[str, RecordPair] = {}
        self._recordings: list[tuple[Recording, Truth, str | None]] = []
        for recording in recordings:
            try:
                self._recordings.append((recording, workloads.truth_of(recording), workloads.sql_of(recording)))
            except UsageError:
                if asked.can_mean(recording, recordings):
                    raise
        self._cases: dict[str, list[Case]] = {}
        self._by_opaque_id: dict[str, str] = {}

    @property
    def problems(self) -> tuple[str, ...]:
        """The parts of the recordings and their truths that could not be read."""
        records = [f"{r.name}, record {c.n}: {c.problem}" for r, *_ in self._recordings for c in r.records if c.problem]
        truths = dict.fromkeys(problem for _, truth, _ in self._recordings for problem in truth.problems)
        return *records, *truths

    @property
    def protocols(self) -> tuple[str, ...]:
        """The dialects that are recorded, each once."""
        return tuple(dict.fromkeys(recording.protocol for recording, *_ in self._recordings))

    def cases(self, protocol: str, profile: Profile) -> Sequence[Case]:
        """The cases of a protocol: its records in their order, with the missing ones between them."""
        if protocol not in self._cases:
            self._cases[protocol] = [
                case
                for recording, truth, sql in self._recordings
                if recording.protocol == protocol
                for case in self._cases_of(recording, truth, sql)
            ]
        return self._cases[protocol]

    def _cases_of(self, recording: Recording, truth: Truth, sql: str | None) -> Sequence[Case]:
        script = statements(sql) if sql is not None else []
        cases = []
        for pair in record_pairs(recording, truth, sql, UPSTREAM[recording.protocol]):
            case = case_of_pair(recording, pair, script)
            self.pairs[pair.id] = pair
            self._by_opaque_id[case.opaque_id] = pair.id
            cases.append(case)
        return cases

    def unjudged(self, case: CaseHead) -> str | None:
        """Why the record of a case is not judged; None if it is."""
        return self.pairs[case.id].reason or None

    def start(self) -> Mapping[str, Any]:
        """Declare the recorded dialects, in the role of an encoder."""
        versions = dict.fromkeys(str(recording.meta["version"]) for recording, _, _ in self._recordings)
        return self._hello(", ".join(versions), self.protocols)

    def ask(self, op: str, **members: Any) -> Answer:
        """The record that was recorded for a case, or none."""
        if op == "reset":
            return Answer("ok", {})
        pair = self.pairs.get(self._by_opaque_id.get(str(members.get("case")), ""))
        if pair is None:
            raise SuiteError(f"{self._name}: a case that was not recorded")
        return Answer("ok", {"records": [record_to_json(pair.got)] if pair.got is not None else []})
