"""What is judged: an implementation behind a session, or a folder of recordings that answers as its producer did.

How a session talks to a program is the transport's matter; which cases are put, the plan's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from conformance.cases.model import Anchor, Case, CaseHead, ExpectedRecords, ExpectedRejection
from conformance.cases.recorded import vector_cases
from conformance.catalogue.vectors import Vector, read_vectors
from conformance.errors import ImplementationError, SuiteError, UsageError
from conformance.oracle.findings import Judgement
from conformance.transport.addresses import RecordedAddress, TcpAddress, parse_address
from conformance.transport.answers import Answer
from conformance.transport.errors import Crashed
from conformance.transport.limits import Limits
from conformance.transport.opening import open_session
from conformance.transport.peer import Trace
from reference_impl import options as option_strings
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Claim, Record
from reference_impl.profiles import Profile
from reference_impl.protocols import CODECS
from reference_impl.wire import claim_to_json, record_to_json

__all__ = [
    "CaseSource",
    "Implementation",
    "Recorded",
    "Target",
    "Umpire",
    "already_made",
    "recorded_target",
    "target_of",
]


class Implementation(Protocol):
    """What the engine asks of an implementation: the part of a transport session that it uses.

    `start`, `configure` and `ask` raise subclasses of `ImplementationError`; after all but `HarnessLost` the next
    request finds it started again. `last_fault` is what it did, once closed, instead of answering that.
    """

    restarts: int
    last_fault: ImplementationError | None

    def start(self) -> Mapping[str, Any]:
        """Start it; the result of `hello`."""
        ...

    def configure(self, request: Mapping[str, Any]) -> Answer:
        """Send `configure` with these members."""
        ...

    def ask(self, op: str, **members: Any) -> Answer:
        """Send a request and wait for the answer."""
        ...

    def stderr(self) -> str:
        """The end of what it wrote to stderr in this case."""
        ...

    def close(self) -> str | None:
        """End it; a complaint where that did not go as it should."""
        ...


class Umpire(Protocol):
    """What the engine asks of a judge."""

    def judge(self, case: Case, answer: Mapping[str, Any], *, perfect: frozenset[str] | None = None) -> Judgement:
        """Judge `{"ok": …}` or `{"rejected": …}`; at once where it is the perfect answer, whose requirements are

        `perfect`. Raises `SuiteError`.
        """
        ...


@runtime_checkable
class ExpectsRecords(Protocol):
    """A judge that can say what records a case is to be answered with."""

    def expected_records(self, case: Case) -> Sequence[Record]:
        """The records; none of a case that is answered otherwise. Raises `SuiteError`."""
        ...


class CaseSource(Protocol):
    """Where the cases of a protocol come from; they need not be made yet."""

    def __call__(self, protocol: str, profile: Profile) -> Sequence[CaseHead]:
        """The cases that apply under a profile, in a stable order."""
        ...


def already_made(case: CaseHead) -> Case:
    """A case that was made when it was planned. Raises `SuiteError` for one that was not."""
    if not isinstance(case, Case):
        raise SuiteError(f"the case {case.id} was planned, and nobody says how it is made")
    return case


@dataclass(frozen=True, slots=True)
class Target:
    """One implementation of a run: how to open it, the profile it is judged under, and the cases that are put to it.

    `contact` names the kind of address. `problems` are places of its recordings that could not be read. Recordings of
    upstream producers name their `protocols`, have judges of their own (`umpires`, by protocol), and say of what is in
    them but cannot be judged why (`unjudged`). `made` makes a case that `cases` only names.
    `restarts` without a good answer in between are the most that a run allows it; None stands for any number.
    `again` makes the same target in the n-th of several processes, None where that cannot be. One that `is_alone` has
    one session, unless more are asked for.
    """

    address: str
    profile: Profile
    open: Callable[[], Implementation]
    cases: CaseSource
    contact: str = "in process"
    problems: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    umpires: Mapping[str, Umpire] = field(default_factory=dict)
    unjudged: Callable[[CaseHead], str | None] | None = None
    made: Callable[[CaseHead], Case] = already_made
    restarts: int | None = None
    again: Callable[[int], Target] | None = None
    is_alone: bool = False


def target_of(
    address: str,
    profile: Profile,
    cases: CaseSource,
    limits: Limits | None = None,
    trace: Callable[[], Trace] | None = None,
    made: Callable[[CaseHead], Case] = already_made,
) -> Target:
    """The target at an address; every session opened gets a `trace` of its own. Raises `UsageError` for a bad one."""
    parsed = parse_address(address)
    if isinstance(parsed, RecordedAddress):
        return recorded_target(address, Path(parsed.folder), profile)
    contact = address.partition(":")[0]
    restarts = (limits or Limits()).restarts
    # A run counts them in the order of its plan: a session of several has only a part of that.
    endless = replace(limits or Limits(), restarts=None)

    def opened() -> Implementation:
        return open_session(parsed, limits=endless, trace=trace() if trace else None)

    alone = isinstance(parsed, TcpAddress)
    return Target(address, profile, opened, cases, contact, made=made, restarts=restarts, is_alone=alone)


def recorded_target(address: str, folder: Path, profile: Profile, name: str | None = None) -> Target:
    """A folder of recorded vectors as a target: the cases are those of its files.

    Raises `UsageError` where there is no such folder, or not one vector in it.
    """
    if not folder.exists():
        raise UsageError(f"{address}: there is no folder {folder}")
    vectors, problems = read_vectors(folder)
    if not vectors:
        detail = f": {problems[0]}" if problems else ""
        raise UsageError(f"{address}: no recorded vector in {folder}{detail}")
    recorded = Recorded(vectors, profile, name or folder.name)
    again = partial(_recorded_again, address, folder, profile, name)
    return Target(address, profile, lambda: recorded, recorded.cases, "recorded", tuple(problems), again=again)


def _recorded_again(address: str, folder: Path, profile: Profile, name: str | None, worker: int) -> Target:
    return recorded_target(address, folder, profile, name)


class Recorded:
    """Recorded vectors as an implementation: it answers each case as the producer answered then.

    What the producer should have answered is the suite's own expectation, under the profile of the recording.
    """

    def __init__(self, vectors: Sequence[Vector], profile: Profile, name: str) -> None:
        self.restarts = 0
        self.last_fault: ImplementationError | None = None
        self._name = name
        self._profile = profile
        self._by_protocol: dict[str, list[Vector]] = {}
        for vector in vectors:
            self._by_protocol.setdefault(vector.protocol, []).append(vector)
        self._cases: dict[str, list[Case]] = {}
        self._answers: dict[str, _Recording] = {}

    def cases(self, protocol: str, profile: Profile) -> Sequence[Case]:
        """The cases of the files, in their order. Raises `UsageError` for one that is there twice."""
        if protocol not in self._cases:
            self._cases[protocol] = [self._case(vector) for vector in self._by_protocol.get(protocol, ())]
        return self._cases[protocol]

    def _case(self, vector: Vector) -> Case:
        written = vector_cases(vector, vector.note)[0]
        if written.opaque_id in self._answers:
            raise UsageError(f"{self._name}: the case {vector.case!r} of {vector.protocol} is recorded twice")
        claims = written.expected.claims if isinstance(written.expected, ExpectedRecords) else vector.claims
        self._answers[written.opaque_id] = _Recording(vector, claims)
        # What it answered proves nothing about what it should have answered.
        asked = replace(written, expected=None, anchor=Anchor.REFERENCE)
        refusal = _refusal(asked, self._profile)
        return replace(asked, expected=refusal, requirements=written.requirements if refusal else ())

    def start(self) -> Mapping[str, Any]:
        """A recording declares the protocols that it holds, in the role of an encoder."""
        protocols = {protocol: {"roles": ["encode"]} for protocol in self._by_protocol}
        return {"harness": 1, "name": self._name, "version": "recorded", "language": "", "protocols": protocols}

    def configure(self, request: Mapping[str, Any]) -> Answer:
        """A recording was configured when it was made; one that was refused then says so when it is asked."""
        return Answer("ok", {})

    def ask(self, op: str, **members: Any) -> Answer:
        """The recorded answer. Raises `Crashed` where the producer crashed."""
        if op == "reset":
            return Answer("ok", {})
        recording = self._answers.get(str(members.get("case")))
        if recording is None:
            raise SuiteError(f"{self._name}: asked for a case that was not recorded")
        vector = recording.vector
        if vector.crash is not None:
            raise Crashed(f"the recorded producer crashed: {vector.crash}")
        if vector.rejected is not None:
            return Answer("rejected", {"class": str(vector.rejected), "message": vector.note})
        records = [record_to_json(record) for record in vector.records or ()]
        claims = [claim_to_json(claim) for claim in recording.claims]
        schemas = [asdict(schema) for schema in vector.schemas]
        return Answer("ok", {"records": records, "schemas": schemas} | ({"claims": claims} if claims else {}))

    def stderr(self) -> str:
        """Nothing: there is no program."""
        return ""

    def close(self) -> None:
        """Nothing to end."""


@dataclass(frozen=True, slots=True)
class _Recording:
    """A vector, and its claims in the order in which its records name them."""

    vector: Vector
    claims: tuple[Claim, ...]


def _refusal(case: Case, profile: Profile) -> ExpectedRejection | None:
    """The rejection to expect where the reference refuses what the producer was given."""
    codec = CODECS.get(case.protocol)
    if codec is None:
        return None
    try:
        encoder = codec.encoder(option_strings.parse(codec.options, case.options), profile, settings=case.settings)
        encoder.encode(case.events, case.tables)
    except Rejected as e:
        return ExpectedRejection(frozenset({e.reason}))
    except Unsupported:
        return None
    return None
