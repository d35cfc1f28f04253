"""Recordings of upstream producers as encoders: the rows that went into the server, and the records about them.

A case is a row change with all of its records (Debezium), or a message with all of its rows (Canal). The rows are those
of the workload's truth, never those of a record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.cases.model import Case
from conformance.catalogue.recordings import Recording, Workloads, read_recordings
from conformance.catalogue.register import Level
from conformance.catalogue.statements import statements
from conformance.compatibility.encoders import EncodedCase, NamedIut
from conformance.engine import RunConfig
from conformance.engine.recordings import case_of_pair
from conformance.engine.selection import Selection, subject_of
from conformance.errors import UsageError
from conformance.oracle.upstream.recordings import RecordPair, record_pairs
from reference_impl.protocols import UPSTREAM

__all__ = ["RecordedProducer"]


@dataclass(frozen=True, slots=True)
class RecordedProducer:
    """An `Encoder` that is a folder of recordings, with the truth of their workloads beside them."""

    address: str
    folder: Path

    def encoded(self, config: RunConfig) -> tuple[NamedIut, list[EncodedCase]]:
        """The name of the folder with the versions of the selected producers, and its cases, in the recordings' order.

        Of the selection, the protocols and `-k` count. A change that should have been recorded is a case as well.
        Raises `UsageError` for a recording that cannot be read or has no truth.
        """
        if not self.folder.is_dir():
            raise UsageError(f"recorded:{self.folder}: there is no such folder")
        folder = self.folder.resolve()
        workloads = Workloads(folder)
        found: list[EncodedCase] = []
        protocols = config.selection.protocols
        recordings = [one for one in read_recordings(folder) if not protocols or one.protocol in protocols]
        for recording in recordings:
            prefix_of_all = f"{recording.protocol}/recorded/"
            if _may_be_selected(config.selection, prefix_of_all, f"{prefix_of_all}{folder.name}/{recording.name}/"):
                found += _encoded(folder.name, recording, workloads)
        versions = dict.fromkeys(str(recording.meta["version"]) for recording in recordings)
        named = NamedIut(folder.name, ", ".join(versions), profile="")  # which is for styles of TiCDC
        return named, [one for one in found if _is_selected(config.selection, one.case)]


def _may_be_selected(selection: Selection, prefix_of_all: str, prefix: str) -> bool:
    """Whether `-k` may select a case of a recording, by the `prefix` of the ids of its cases.

    A recording that it cannot select is not paired with its SQL, which takes most of a command's time. A term that
    begins with `prefix_of_all`, as the ids of all recordings of the dialect do, is part of an id: it selects no case
    whose id begins otherwise.
    """
    expression = selection.expression
    if expression is None or expression.has_negation:
        return True
    prefix = prefix.lower()

    def may_match(term: str) -> bool:
        is_beginning_of_id = term.startswith(prefix_of_all) and not {*term} & {*"*?"}
        return not is_beginning_of_id or term.startswith(prefix) or prefix.startswith(term)

    return any(may_match(term.lower()) for term in expression.terms)


def _is_selected(selection: Selection, case: Case) -> bool:
    if selection.expression is None:
        return True
    # The case has no requirements; the level of such a case is MUST, as in a run.
    subject = subject_of(case.id, case.protocol, case.role, Level.MUST, requirements=(), axes=case.axes)
    return selection.expression.matches(subject)


def _encoded(folder: str, recording: Recording, workloads: Workloads) -> Iterator[EncodedCase]:
    """The cases of a recording, each with the statements that made its changes, where the SQL is known."""
    sql = workloads.sql_of(recording)
    script = statements(sql) if sql is not None else []
    codec = UPSTREAM[recording.protocol]
    for group in _groups(record_pairs(recording, workloads.truth_of(recording), sql, codec)):
        case = replace(
            case_of_pair(recording, group[0], script),
            id=f"{recording.protocol}/recorded/{folder}/{group[0].id}",
            records=tuple(pair.got for pair in group if pair.got is not None),
        )
        filled_by_clock = frozenset(name for change in group[0].changes for _, name in change.now)
        reason = next((pair.reason for pair in group if pair.reason), "")
        yield EncodedCase(case, filled_by_clock, reason, tuple(group))


def _groups(pairs: Sequence[RecordPair]) -> Iterator[Sequence[RecordPair]]:
    """The pairs of records about the same row changes: all records of a change, or one record of several changes.

    Changes are the same if they are the same objects: equal ones can follow each other. Left out are statements,
    tombstones that are missing, and records whose changes are unknown. If no record has changes, because the reference
    does not offer the dialect, each record with a reason is a group.
    """
    groups: dict[tuple[int, ...], list[RecordPair]] = {}
    for pair in pairs:
        if pair.changes and pair.what == "record":
            groups.setdefault(tuple(map(id, pair.changes)), []).append(pair)
    yield from groups.values() or ([pair] for pair in pairs if pair.reason and pair.what == "record")
