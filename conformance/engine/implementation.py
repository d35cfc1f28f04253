"""The implementations of a run: a program, or a folder of recorded vectors that answers as its producer did.

`transport` talks to programs, and `plan` chooses the cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from conformance.cases.index import indexed_recordings
from conformance.cases.index_rows import IndexedCases
from conformance.cases.model import Case, CaseHead, ExpectedRecords, IndexedCase, opaque_id_of
from conformance.errors import ImplementationError, SuiteError, UsageError
from conformance.oracle.findings import Judgement
from conformance.transport.addresses import RecordedAddress, TcpAddress, parse_address
from conformance.transport.answers import Answer
from conformance.transport.connection import Trace
from conformance.transport.errors import Crashed
from conformance.transport.limits import Limits
from conformance.transport.opening import absence_of, open_session
from reference_impl.profiles import Profile
from reference_impl.wire import claim_to_json, record_to_json

if TYPE_CHECKING:
    from conformance.catalogue.vectors import Vector

__all__ = [
    "AnswerJudge",
    "CaseSource",
    "Implementation",
    "Recorded",
    "RecordedSession",
    "Target",
    "already_made",
    "recorded_target",
    "target_of",
]


class Implementation(Protocol):
    """The part of a transport session that the engine uses.

    `start`, `configure` and `ask` raise subclasses of `ImplementationError`. After any but `HarnessLost` the session
    starts the implementation again before the next request. `last_fault` is the fault in place of an answer to `bye`.
    """

    restarts: int
    last_fault: ImplementationError | None

    def start(self) -> Mapping[str, Any]:
        """Start the implementation; returns the result of `hello`."""
        ...

    def configure(self, request: Mapping[str, Any]) -> Answer:
        """Send `configure` with these members."""
        ...

    def ask(self, op: str, **members: Any) -> Answer:
        """Send a request and wait for the answer."""
        ...

    def stderr(self) -> str:
        """The end of the implementation's stderr during this case."""
        ...

    def close(self) -> str | None:
        """End the implementation; returns a complaint if it did not end properly."""
        ...


class AnswerJudge(Protocol):
    """The part of a judge that the engine uses."""

    def judge(self, case: Case, answer: Mapping[str, Any], *, perfect: frozenset[str] | None = None) -> Judgement:
        """Judge `{"ok": …}` or `{"rejected": …}`. Raises `SuiteError`.

        `perfect` are the requirements that the expected answer evaluates: an equal answer need not be judged.
        """
        ...


@runtime_checkable
class ExpectsRecords(Protocol):
    """A judge that knows the records that a case expects."""

    def expected_records(self, case: Case) -> ExpectedRecords:
        """The expected records and their schemas; none for a case with another answer. Raises `SuiteError`."""
        ...


CaseSource: TypeAlias = Callable[[str, Profile], Sequence[CaseHead]]
"""The cases of a protocol that apply under a profile, in a stable order; they may be made later."""


def already_made(case: CaseHead) -> Case:
    """A case that was made when it was planned. Raises `SuiteError` for one that was not."""
    if not isinstance(case, Case):
        raise SuiteError(f"the case {case.id} was planned, but cannot be made")
    return case


@dataclass(frozen=True, slots=True)
class Target:
    """One implementation of a run: how to open a session with it, the profile that judges it, and its cases."""

    address: str
    profile: Profile
    open: Callable[[], Implementation]
    cases: CaseSource
    contact: str = "in process"
    """The kind of its address: `cmd`, `py`, …, or `recorded`."""
    problems: tuple[str, ...] = ()
    """Unreadable places of recordings."""
    protocols: tuple[str, ...] = ()
    """The protocols that recordings of an upstream producer have."""
    judges: Mapping[str, AnswerJudge] = field(default_factory=dict)
    """By protocol, the judges of such recordings."""
    unjudged: Callable[[CaseHead], str | None] | None = None
    """Why a case of such recordings cannot be judged; None for a case that can."""
    make_case: Callable[[CaseHead], Case] = already_made
    """Makes a case that `cases` only names."""
    restarts: int | None = None
    """The limit of restarts without a good answer in between; None allows any number."""
    for_worker: Callable[[int], Target] | None = None
    """Makes the target of the n-th worker process, from 1; None if the target exists in this process only."""
    is_alone: bool = False
    """It gets one session, unless the user asks for more."""
    absent: Callable[[], str] = str
    """Why it cannot be started, or "" if nothing is known to prevent it."""


def target_of(
    address: str,
    profile: Profile,
    cases: CaseSource,
    limits: Limits | None = None,
    trace: Callable[[], Trace] | None = None,
    make_case: Callable[[CaseHead], Case] = already_made,
) -> Target:
    """The target at an address; every session opened gets its own `trace`. Raises `UsageError` for a bad address."""
    parsed = parse_address(address)
    if isinstance(parsed, RecordedAddress):
        return recorded_target(address, Path(parsed.folder), profile)
    contact = address.partition(":")[0]
    restarts = (limits or Limits()).restarts
    # The engine counts restarts itself, in the order of the plan: each of several sessions sees only a part of them.
    endless = replace(limits or Limits(), restarts=None)

    def opened() -> Implementation:
        return open_session(parsed, limits=endless, trace=trace() if trace else None)

    is_alone = isinstance(parsed, TcpAddress)
    return Target(
        address,
        profile,
        opened,
        cases,
        contact,
        make_case=make_case,
        restarts=restarts,
        is_alone=is_alone,
        absent=partial(absence_of, parsed),
    )


def recorded_target(address: str, folder: Path, profile: Profile) -> Target:
    """A folder of recorded vectors as an implementation: its cases are those of the files.

    A shipped folder is read when its first case runs. Raises `UsageError` for a folder that is missing or holds no
    vector.
    """
    if not folder.exists():
        raise UsageError(f"{address}: there is no folder {folder}")
    from conformance.catalogue.vectors import read_vectors

    known = indexed_recordings(folder, profile)
    problems: list[str] = []
    if known is not None:
        recorded = Recorded(partial(_shipped_vectors, folder.resolve()), profile, folder.name, known)
    else:
        vectors, problems = read_vectors(folder)
        if not vectors:
            detail = f": {problems[0]}" if problems else ""
            raise UsageError(f"{address}: there is no recording in {folder}{detail}")
        recorded = Recorded(lambda: vectors, profile, folder.name)
    for_worker = partial(_recorded_for_worker, address, folder, profile)
    return Target(
        address,
        profile,
        lambda: recorded,
        recorded.cases,
        "recorded",
        tuple(problems),
        make_case=recorded.make_case,
        for_worker=for_worker,
    )


@cache
def _shipped_vectors(folder: Path) -> Sequence[Vector]:
    from conformance.catalogue.vectors import ShippedVectors

    return ShippedVectors(folder)


def _recorded_for_worker(address: str, folder: Path, profile: Profile, worker: int) -> Target:
    return recorded_target(address, folder, profile)


class RecordedSession:
    """The part of a session that all recordings share: no program is configured or ended."""

    def __init__(self, name: str) -> None:
        self.restarts = 0
        self.last_fault: ImplementationError | None = None
        self._name = name

    def _hello(self, version: str, protocols: Iterable[str]) -> Mapping[str, Any]:
        """The result of `hello` for these protocols, in the role of an encoder."""
        declared = {protocol: {"roles": ["encode"]} for protocol in protocols}
        return {"harness": 1, "name": self._name, "version": version, "language": "", "protocols": declared}

    def configure(self, request: Mapping[str, Any]) -> Answer:
        """Accept the configuration: where the producer refused it, the recorded answers to the cases say so."""
        return Answer("ok", {})

    def stderr(self) -> str:
        """Empty: there is no program."""
        return ""

    def close(self) -> None:
        """Do nothing: there is no program."""


class Recorded(RecordedSession):
    """A session with recorded vectors: it answers each case as the producer did when it was recorded.

    The expectation is the suite's own, under the profile of the recording. `read` reads the vectors when they are
    needed; `known` are their cases, if the index has them.
    """

    def __init__(
        self, read: Callable[[], Sequence[Vector]], profile: Profile, name: str, known: IndexedCases | None = None
    ) -> None:
        super().__init__(name)
        self._read = read
        self._profile = profile
        self._known = known
        self._cases: dict[str, Sequence[CaseHead]] = {}

    @cached_property
    def _vectors(self) -> Sequence[Vector]:
        return self._read()

    @cached_property
    def _positions(self) -> Mapping[str, int]:
        """Opaque id of a case → the position of its vector. An index of the cases has them in the vectors' order."""
        positions: dict[str, int] = {}
        if self._known is not None:
            keys = (entry.opaque_id for entry in self._known.entries)
        else:
            from conformance.cases.recorded import recorded_id

            keys = (opaque_id_of("encode", recorded_id(vector)) for vector in self._vectors)
        for at, key in enumerate(keys):
            if key in positions:
                vector = self._vectors[at]
                raise UsageError(f"{self._name}: the case {vector.case!r} of {vector.protocol} is recorded twice")
            positions[key] = at
        return positions

    def cases(self, protocol: str, profile: Profile) -> Sequence[CaseHead]:
        """The cases of the files, in order. Raises `UsageError` for a case that was recorded twice."""
        if protocol not in self._cases:
            if self._known is not None:
                self._cases[protocol] = self._known.of(protocol)
            else:
                from conformance.cases.recorded import producer_case

                vectors = [self._vectors[at] for at in self._positions.values()]
                self._cases[protocol] = [producer_case(v, self._profile) for v in vectors if v.protocol == protocol]
        return self._cases[protocol]

    def make_case(self, head: CaseHead) -> Case:
        """Make a case; one of the index is made from its vector."""
        if not isinstance(head, IndexedCase):
            return already_made(head)
        from conformance.cases.recorded import producer_case

        return producer_case(self._vectors[head.place.number], self._profile)

    def start(self) -> Mapping[str, Any]:
        """Declare the recorded protocols, in the role of an encoder."""
        held = self._known.entries if self._known else self._vectors
        return self._hello("recorded", (one.protocol for one in held))

    def ask(self, op: str, **members: Any) -> Answer:
        """The recorded answer. Raises `Crashed` if the producer crashed."""
        if op == "reset":
            return Answer("ok", {})
        at = self._positions.get(str(members.get("case")))
        if at is None:
            raise SuiteError(f"{self._name}: a case that was not recorded")
        vector = self._vectors[at]
        if vector.crash is not None:
            raise Crashed(f"the recorded producer crashed: {vector.crash}")
        if vector.rejected is not None:
            return Answer("rejected", {"class": str(vector.rejected), "message": vector.note})
        records = [record_to_json(record) for record in vector.records or ()]
        from conformance.cases.recorded import claims_of

        claims = [claim_to_json(claim) for claim in claims_of(vector)]
        schemas = [asdict(schema) for schema in vector.schemas]
        return Answer("ok", {"records": records, "schemas": schemas} | ({"claims": claims} if claims else {}))
