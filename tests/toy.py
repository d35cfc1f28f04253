"""A toy protocol for tests of the engine: a register of five rules, cases, and an implementation that does as told.

What an implementation answers to a case is a word. A word of the form `T-1 T-2` breaks those requirements, `T-2/lost`
with that harm; the others are in `Toy._answer`. Behind ` @` stands the origin of the answer.
The judge reads the words, so that no expectation comes from the engine.
"""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.cases.model import Anchor, Case
from conformance.catalogue.harm import Harm
from conformance.catalogue.register import Level, RecordedSource, Register, Requirement
from conformance.engine import RunConfig, run_suite
from conformance.engine.implementation import Target
from conformance.engine.selection import Selection
from conformance.errors import ImplementationError, SuiteError
from conformance.oracle.findings import Finding, Judgement
from conformance.oracle.tree import MISSING, Kind
from conformance.transport.answers import Answer
from conformance.transport.errors import Crashed, HarnessLost, ProtocolError, TimedOut
from conformance.transport.origin import parse_origin
from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, Record, RowChange, Table
from reference_impl.profiles import NEWARCH, Profile

Json = dict[str, Any]

PROTOCOL = "toy"


def requirement(identity: str, level: Level, role: Any = "both", *, testable: bool = True, **more: Any) -> Requirement:
    given: Json = {
        "id": identity,
        "protocol": PROTOCOL,
        "level": level,
        "role": role,
        "rule": f"What {identity} asks for holds.",
        "group": "toys",
        "source": RecordedSource(("toymaker",)),
        "profiles": frozenset({"doc", "newarch", "classic"}),
        "testable": testable,
        "reason": "" if testable else "nobody can see it",
        "since": None,
        "until": None,
        "aliases": (),
        "note": "",
    }
    return Requirement(**(given | more))


REGISTER = Register(
    PROTOCOL,
    {
        r.id: r
        for r in (
            requirement("T-1", Level.MUST),
            requirement("T-2", Level.SHOULD),
            requirement("T-3", Level.MAY),
            requirement("T-4", Level.MUST, testable=False),
            requirement("T-5", Level.MUST, "decode"),
        )
    },
)

TABLE = Table(
    "shop",
    "t",
    (
        Column("id", parse_column_type("int"), nullable=False),
        Column("v", parse_column_type("bigint unsigned")),
    ),
    primary_key=("id",),
)
ROW = RowChange("insert", "shop", "t", 7, after={"id": "1", "v": "18446744073709551615"})
SQL = ("CREATE TABLE `t` (`id` int PRIMARY KEY, `v` bigint unsigned)",)


def case(name: str, role: Any = "encode", requirements: Sequence[str] = ("T-1",), **more: Any) -> Case:
    """A case `toy/NAME` about one row."""
    given: Json = {"tables": (TABLE,), "sql": SQL, "anchor": Anchor.DOCUMENT, "source": "toy manual, paragraph 3"}
    given |= {"events": (ROW,)} if role == "encode" else {"records": (Record(b"\x00k", b'{"v": 1}'),)}
    return Case(f"toy/{name}", PROTOCOL, role, requirements=tuple(requirements), **(given | more))


def finding(identity: str, path: str = "value.data[0].v", **more: Any) -> Finding:
    given: Json = {"kind": Kind.VALUE, "expected": "18446744073709551615", "got": "-1", "harm": Harm.SCHEMA}
    given |= more
    return Finding(identity, path, fingerprint=f"value@value.data[].{{column}}#{identity}", **given)


class ToyJudge:
    """Reads the word in the answer."""

    def judge(self, case: Case, answer: Mapping[str, Any], *, perfect: object = None) -> Judgement:
        ok = answer.get("ok", {})
        given = ok["records"][0]["value"] if "records" in ok else ok.get("word", "")
        word = base64.b64decode(given).decode() if given else "refused"
        evaluated = set(case.requirements) | {"T-1"}
        special: Mapping[str, Callable[[], Judgement]] = {
            "ok": lambda: Judgement(evaluated, []),
            "nothing": lambda: Judgement(set(), []),
            "elsewhere": lambda: Judgement({"T-9"}, []),
            "refused": lambda: Judgement(evaluated, [finding("T-1", "answer", kind=Kind.REFUSED)]),
            "advisory": lambda: Judgement(evaluated, [replace(finding("T-1"), advisory=True)]),
            "lost": lambda: Judgement(evaluated, [finding("T-1", got=MISSING)]),
        }
        if word == "ours":
            raise SuiteError("the fixture is wrong")
        if word == "bug":
            raise KeyError("no such thing")
        if word in special:
            return special[word]()
        found = [_found_by(one) for one in word.split()]
        return Judgement(evaluated | {one.requirement for one in found}, found)


def _found_by(word: str) -> Finding:
    """The finding of a word: a requirement, `/` and its harm, `@` and its column. Those of one column share a place."""
    broken, _, column = word.partition("@")
    identity, _, harm = broken.partition("/")
    return finding(identity, f"value.data[0].{column or 'v'}", harm=Harm(harm or Harm.SCHEMA))


class Toy:
    """An implementation that answers case after case with the word given for it, `ok` where none is.

    A list of words is one word an attempt.
    """

    def __init__(
        self,
        words: Mapping[str, str | list[str]] | None = None,
        protocols: Json | None = None,
        *,
        configured: str = "ok",
        dead: bool = False,
    ) -> None:
        self.restarts = 0
        self.last_fault: ImplementationError | None = None
        self.asked: list[str] = []
        self.configures: list[Mapping[str, Any]] = []
        self._words = {f"toy/{name}": word for name, word in (words or {}).items()}
        self._protocols = {PROTOCOL: {}} if protocols is None else protocols
        self._configured = configured
        self._dead = dead
        self._attempts = itertools.count()
        self._ids: dict[str, str] = {}
        self.closed = False
        self._broken = False

    def know(self, cases: Sequence[Case]) -> None:
        self._ids |= {c.opaque_id: c.id for c in cases}

    def start(self) -> Json:
        if self._dead:
            raise HarnessLost("the program 'toy' cannot be started: no such file", stderr="toy: not found\n")
        return {"harness": 1, "name": "toy", "version": "2.0", "language": "wood", "protocols": self._protocols}

    def configure(self, request: Mapping[str, Any]) -> Answer:
        self.configures.append(request)
        if self._configured == "crash":
            raise Crashed("it ended with status 1 during configure")
        if self._configured == "rejected":
            return Answer("rejected", {"class": "semantics", "message": "no"})
        return Answer(self._configured, {} if self._configured == "ok" else "not here")  # type: ignore[arg-type]

    def ask(self, op: str, **members: Any) -> Answer:
        if self._broken:
            self._broken = False
            self.restarts += 1
        if op == "reset":
            return Answer("ok", {})
        name = self._ids[members["case"]]
        self.asked.append(name)
        word = self._words.get(name, "ok")
        if isinstance(word, list):
            word = word[min(self.asked.count(name), len(word)) - 1]
        word, _, place = word.partition(" @")
        answer = self._answer(op, word)
        origin, problem = parse_origin(place) if place else (None, "")
        return replace(answer, origin=origin, origin_problem=problem)

    def _answer(self, op: str, word: str) -> Answer:
        faults: Mapping[str, BaseException] = {
            "crash": Crashed("it ended with exit status 139 during encode", stderr="boom\n"),
            "timeout": TimedOut("no answer within 5 s"),
            "protocol_error": ProtocolError("not JSON", line_number=3, line=b"hello"),
            "lose": HarnessLost("given up after 5 restarts"),
            "ctrl-c": KeyboardInterrupt(),
        }
        if word in faults:
            self._broken = True
            raise faults[word]
        if word in ("unsupported", "error"):
            return Answer(word, "cannot")  # type: ignore[arg-type]
        if word == "rejected":
            return Answer("rejected", {"class": "range", "message": "no"})
        encoded = base64.b64encode(word.encode()).decode()
        if op == "decode":
            return Answer("ok", {"events": [], "word": encoded})
        return Answer("ok", {"records": [{"key": None, "value": encoded}]})

    def stderr(self) -> str:
        return ""

    def close(self) -> None:
        self.closed = True


def target(toy: Toy, cases: Sequence[Case], profile: Profile = NEWARCH) -> Target:
    toy.know(cases)
    return Target("cmd:./toy --flag", profile, lambda: toy, lambda protocol, profile: cases, "cmd")


def config(*targets: Target, selection: Selection | None = None, **more: Any) -> RunConfig:
    return RunConfig(
        targets=targets,
        selection=selection or Selection(),
        registers=lambda protocols: {PROTOCOL: REGISTER},
        judges=lambda registers, target: {PROTOCOL: ToyJudge()},
        clock=lambda: 0.0,
        command=("run", "--iut", "cmd:./toy --flag"),
        **more,
    )


def run(
    words: Mapping[str, str | list[str]] | None = None,
    cases: Sequence[Case] = (),
    toy: Toy | None = None,
    **more: Any,
) -> tuple[int, list[Json]]:
    """The exit status and the events of a run of one toy. Without `cases` there is one for each word."""
    cases = cases or [case(name) for name in (words or {"a": "ok"})]
    events: list[Json] = []
    status = run_suite(config(target(toy or Toy(words), cases), **more), [events.append])
    return int(status), events


def verdicts(events: Sequence[Json]) -> dict[str, str]:
    """Case → verdict."""
    return {e["case"].removeprefix("toy/"): str(e["verdict"]) for e in events if e["event"] == "verdict"}


def only(events: Sequence[Json], kind: str) -> Json:
    """The one event of a kind."""
    [found] = [e for e in events if e["event"] == kind]
    return found
