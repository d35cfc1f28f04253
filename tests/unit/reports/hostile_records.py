"""Run records made of texts that reports have trouble with: generated, and one cause a case."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.unit.reports import hostile

Json = dict[str, Any]


class Long(str):
    """A text that is not printed whole where a test fails."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{self[:1]!r} * {len(self)}"


HOSTILE = ("plain", *hostile.TEXTS.values(), Long("x" * 1_000_000), Long("\x1b" * 10_000))
TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=40), st.text(st.characters(categories=["Cs", "Cc"])))
VALUES = st.one_of(TEXTS, st.integers(), st.none(), st.booleans(), st.lists(TEXTS, max_size=2))
WORDS = ("pass", "fail", "warn", "crash", "timeout", "protocol_error", "false_claim", "xfail", "xfail_changed")
MORE_WORDS = (*WORDS, "xpass", "flaky", "unsupported", "not_run", "suite_error")
BROKEN_OFF = frozenset({"crash", "timeout", "protocol_error", "false_claim", "suite_error"})


def finding(requirement: str = "T-1", **more: Any) -> Json:
    """A finding of a `verdict` event."""
    given = {"requirement": requirement, "level": "must", "harm": "changed", "group": "toys", "rule": "A rule."}
    given |= {"place": "toy manual", "fingerprint": f"value@value.a#{requirement}", "kind": "value", "path": "value.a"}
    return given | {"where": "", "expected": "1", "got": "2", "times": 1, "affected": []} | more


def verdict(case: str = "toy/a", word: str = "fail", *findings: Json, **more: Any) -> Json:
    """A `verdict` event of the implementation `mine`."""
    marks = [one["fingerprint"] for one in findings] or ([] if word in ("pass", "xpass") else [f"{word}@encode"])
    given = {"event": "verdict", "iut": "mine", "case": case, "protocol": "toy", "role": "encode", "verdict": word}
    given |= {"profile": "newarch", "level": "must", "requirements": [], "axes": {}, "evaluated": ["T-1"]}
    given |= {"findings": list(findings), "fingerprints": marks, "message": "", "stderr": "", "attempts": 1}
    return given | {"known": [], "new": True, "replay": "0123abcd-encode", "seconds": 0.25} | more


def case_event(case: str = "toy/a", **more: Any) -> Json:
    """The `case` event before a verdict that is no pass."""
    given = {"event": "case", "iut": "mine", "case": case, "protocol": "toy", "role": "encode", "options": {}}
    events = [{"kind": "row", "op": "insert", "before": None, "after": {"id": "1", "a": "2"}}]
    return given | {"sql": ["CREATE TABLE t (id INT)"], "input": {"events": events}, "axes": {}} | more


def record(*events: Json, run: Json | None = None, iut: Json | None = None, end: Json | None = None) -> list[Json]:
    """A whole record of one implementation around these events."""
    first = {"event": "run", "schema": 2, "suite": "0.1.0", "command": ["ticdc-conformance", "run"], "gate": "data"}
    first |= {"started": "2026-11-22T17:38:01+00:00", "registers": {}, "level": "may", "host": ""} | (run or {})
    mine = {"event": "iut", "iut": "mine", "address": "cmd:./mine", "contact": "cmd", "profile": "newarch"}
    mine |= {"name": "mine", "version": "1", "language": "Go", "started": True} | (iut or {})
    last = {"event": "end", "accounting": {"counts": {}}, "gate": {"colour": "red", "policy": "data"}, "exit": 1}
    last |= {"message": "", "seconds": 1.5, "baseline": {}} | (end or {})
    return [first, mine, {"event": "plan", "iut": "mine", "planned": len(events), "by": []}, *events, last]


@st.composite
def records(draw: st.DrawFn) -> list[Json]:
    """A record whose texts are hostile wherever one can be."""
    text = lambda: draw(TEXTS)  # noqa: E731 - drawn again and again
    events: list[Json] = []
    for number in range(draw(st.integers(0, 4))):
        word = draw(st.sampled_from(MORE_WORDS))
        name = f"toy/{number}{text()}"
        found = [
            finding(
                f"T-{i}{draw(st.sampled_from(['', '-x']))}",
                level=draw(st.sampled_from(["must", "should", "may"])),
                harm=draw(st.sampled_from(["lost", "changed", "schema", "metadata", "strictness", "form"])),
                rule=text(),
                place=text(),
                group=text(),
                path=text(),
                expected=draw(VALUES),
                got=draw(VALUES),
            )
            for i in range(0 if word in BROKEN_OFF | {"pass", "xpass"} else draw(st.integers(0, 3)))
        ]
        more: Json = {"message": text(), "stderr": text(), "axes": {"type": text()}}
        if draw(st.booleans()):
            more["origin"] = {"file": f"pkg/{text()[:100]}.go", "line": draw(st.integers(1, 2**31 - 1))}
        if word.startswith("xfail"):
            more["known"] = [{"entry": text(), "reason": text(), "issue": text(), "owner": "", "expires": None}]
        if word not in ("pass", "not_run", "unsupported"):
            given = {"sql": [text()], "options": {text(): text()}}
            events.append(case_event(name, **given, input={"events": [{"kind": "row", "after": {text(): text()}}]}))
        events.append(verdict(name, word, *found, **more))
    if draw(st.booleans()):
        events.append({"event": "note", "iut": "mine", "case": "toy/0", "role": "encode", "text": text()})
    whole = record(*events, run={"command": [text(), text()]}, iut={"name": text(), "message": text()})
    return whole if draw(st.booleans()) else whole[:-1]
