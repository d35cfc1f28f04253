"""Small saved runs for tests of diffs: a case is a word that says what became of it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import Any

from conformance.cli.diff_dialects import dialect_of
from reports.diff import Record, diff_record
from reports.diff.sides import Side
from tests.unit.reports.diff.answers import answer
from tests.unit.reports.diff.answers import record as one_record
from tests.unit.reports.hostile_records import finding as one_finding
from tests.unit.reports.hostile_records import verdict as one_verdict

__all__ = ["ONE", "OTHER", "TURNED", "compared", "crash", "everything", "finding", "side", "verdict"]

PROTOCOL = "canal-json"


def finding(requirement: str, fingerprint: str = "value@x#1", **more: Any) -> dict[str, Any]:
    """A finding of a verdict."""
    given = {"group": "Values", "rule": f"The rule of {requirement}.", "place": "document, paragraph 1"}
    given |= {"path": "value.data[0].c", "where": "messages[0]"}
    oracle = {"anchor": "document", "source": ""}
    return one_finding(requirement, fingerprint=fingerprint, **given, oracle=oracle) | more


def verdict(case: str, *findings: Mapping[str, Any], answer: bytes | None = None, **more: Any) -> dict[str, Any]:
    """A `verdict` event: `pass` without findings, `fail` with them, unless `more` says otherwise."""
    given = {"iut": "x", "protocol": PROTOCOL, "answer": digest(answer) if answer is not None else None}
    given |= {"fingerprints": [one["fingerprint"] for one in findings], "replay": f"{case}-encode"}
    return one_verdict(case, "fail" if findings else "pass", *findings) | given | more


def digest(answer: bytes) -> str:
    """The digest of an answer."""
    return hashlib.sha256(answer).hexdigest()[:32]


def side(name: str, *verdicts: dict[str, Any], answers: Collection[bytes] = (), **more: Any) -> Side:
    """A run of those verdicts that keeps those answers; `more` are members of its `iut` and `run` events."""
    kept = {digest(text): text for text in answers}
    iut = {"event": "iut", "iut": "x", "name": "x", "version": name, "address": "cmd:./x", "profile": "newarch"}
    run = {"event": "run", "suite": "1.0", "registers": {PROTOCOL: {"digest": "d"}}, "gate": "data", "level": "may"}
    return Side(
        name=name,
        run={**run, **{key: value for key, value in more.items() if key in run}},
        iut={**iut, **{key: value for key, value in more.items() if key in iut}},
        plan={"digest": "p"},
        verdicts={(one["protocol"], one["role"], one["case"]): one for one in verdicts},
        cases=more.get("cases", {}),
        requirements={},
        answers=lambda digests: {one: kept[one] for one in digests if one in kept},
        is_whole=more.get("is_whole", True),
    )


def compared(left: Side, right: Side, fail_on: str = "") -> Record:
    """The diff of two sides."""
    return diff_record([(left, right)], dialect_of, "1.0", fail_on)


def crash(case: str, message: str = "panic: x", word: str = "crash") -> dict[str, Any]:
    """A case that the implementation did not answer."""
    return verdict(case, verdict=word, message=message, fingerprints=[f"{word}@encode"])


ONE, TURNED, OTHER = (
    answer(one_record(text)) for text in ('{"data":[{"a":"1","b":"2"}]}', '{"data":[{"b":"2","a":"1"}]}', '{"data":[]}')
)
"""An answer, the same with its members in another order, and one of another meaning."""


def everything() -> Record:
    """A diff that has every section."""
    left = [
        *(verdict(case, finding("T-1")) for case in "abh"),
        verdict("c"),
        verdict("d", finding("T-3", "value@1")),
        verdict("e", finding("T-4")),
        verdict("f", finding("T-5")),
        verdict("g", answer=ONE),
        verdict("i", answer=ONE),
        verdict("only-left"),
        verdict("j", verdict="unsupported"),
    ]
    right = [
        *(verdict(case, finding("T-1")) for case in "abc"),
        verdict("h", finding("T-1"), finding("T-2", harm="lost"), finding("T-2", "value@y#2", path="value.old[0].c")),
        verdict("d", finding("T-3", "value@2")),
        crash("e"),
        verdict("f", verdict="unsupported", message="no"),
        verdict("g", answer=OTHER),
        verdict("i", answer=TURNED),
        verdict("j", finding("T-6")),
        verdict("only-right"),
    ]
    extra = verdict("k", finding("T-7"))
    return compared(
        side("1", *left, extra, answers=[ONE]), side("2", *right, verdict("k"), answers=[OTHER, TURNED]), "lost"
    )
