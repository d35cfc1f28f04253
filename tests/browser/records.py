"""Records of runs for pages: green, red, empty, cut and huge; of a toy protocol, so that nothing slow is run."""

from __future__ import annotations

from typing import Any

from conformance.engine import run_suite
from conformance.engine.selection import Expression, Selection
from tests.snapshots.test_report_snapshots import cut, failures, side_by_side
from tests.toy import Toy, case, config, run, target

__all__ = ["RECORDS", "Record", "huge"]

Record = list[dict[str, Any]]

_TYPES = ("decimal", "bigint", "varchar", "timestamp", "json", "bit", "enum", "float", "blob", "year")
_OPERATIONS = ("insert", "update", "delete")
MANY = 10_000


def green() -> Record:
    """Everything passes."""
    return run(dict.fromkeys("abcdef", "ok"))[1]


def empty() -> Record:
    """Nothing was selected."""
    return run({"a": "ok", "b": "ok"}, selection=Selection(expression=Expression("nothing/of/this")))[1]


def lost() -> Record:
    """The implementation does not start."""
    events: Record = []
    run_suite(config(target(Toy(dead=True), [case("a")])), [events.append])
    return events


def huge(failing: int = MANY) -> Record:
    """So many failing cases, of 1,000 causes; every fourth case is decoded."""
    record: Record = [
        {"event": "run", "schema": 2, "suite": "1.0.0", "gate": "data", "command": ["ticdc-conformance", "run"]},
        {"event": "iut", "iut": "mine", "name": "mine", "version": "2.1", "address": "cmd:./mine", "contact": "cmd"}
        | {"profile": "newarch", "started": True, "protocols": {"toy": {"roles": ["encode", "decode"]}}},
        {"event": "plan", "iut": "mine", "planned": failing, "by": []},
    ]
    for n in range(failing):
        name, role = f"toy/generated/{_TYPES[n % 10]}/{n:05}", "decode" if n % 4 == 3 else "encode"
        about = {"iut": "mine", "case": name, "protocol": "toy", "role": role, "level": "must"}
        about["axes"] = {"type": _TYPES[n % 10], "operation": _OPERATIONS[n % 3]}
        given = {"sql": [f"CREATE TABLE `shop`.`t` (`id` int PRIMARY KEY, `v` {_TYPES[n % 10]})"], "digest": "0" * 64}
        image = {"id": str(n), "v": f"value {n} of a row that is neither short nor long"}
        question = {"tables": [], "events": [{"kind": "row", "op": "insert", "after": image}]}
        record.append({"event": "case", **about, **given, "input": question, "replay": f"{n:08x}-{role}"})
        record.append({"event": "verdict", **about, "verdict": "fail", "message": "", "stderr": "", **_found(n)})
    counts = {"fail": failing}
    accounting = {"planned": failing, "counts": counts, "iuts": []}
    return [*record, {"event": "end", "accounting": accounting, "gate": {"colour": "red", "policy": "data"}, "exit": 1}]


def _found(n: int) -> dict[str, Any]:
    cause = n % 1_000
    harm = ("lost", "changed", "schema", "metadata", "strictness", "form")[cause % 6]
    fingerprint = f"value@value.data[].{{column}}#{cause:08x}"
    finding = {
        "requirement": f"T-{cause % 250 + 1}",
        "level": "must",
        "harm": harm,
        "group": f"group {cause % 12}",
        "rule": f"What T-{cause % 250 + 1} asks of `value` holds, in every row and for every type that has one.",
        "place": "toy manual, 'Values', paragraph 3",
        "fingerprint": fingerprint,
        "kind": "value",
        "path": "value.data[0].v",
        "expected": f"value {n} of a row that is neither short nor long",
        "got": f"value {n} of a row that is neither long nor short",
        "oracle": {"anchor": "document", "source": ""},
    }
    return {"requirements": [finding["requirement"]], "findings": [finding], "fingerprints": [fingerprint]} | {
        "replay": f"{n:08x}-{'decode' if n % 4 == 3 else 'encode'}"
    }


RECORDS = {"red": failures, "green": green, "empty": empty, "lost": lost, "cut": cut, "side by side": side_by_side}
RECORDS["huge"] = huge
"""Name → record of a run."""
