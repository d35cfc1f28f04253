"""A harness that registers an Avro schema that contains itself is judged, and never ends or fails the suite."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.embedded import Embedded
from conformance.engine import RunConfig, run_suite
from conformance.engine.implementation import Target
from conformance.engine.selection import Selection
from conformance.transport.answers import Answer
from reference_impl.profiles import NEWARCH, Profile
from tests.toy import Toy, only
from tests.unit.oracle.judging import OLD, SMALL, asked, row_event

CASE = asked("avro", "encode", row_event("insert", base=OLD), table=SMALL)
ALONE = {"type": "record", "name": "x", "fields": [{"name": "id", "type": "x"}]}


class _Registering(Toy):
    """Answers as the reference does, with other schemas."""

    def __init__(self, change: Any) -> None:
        super().__init__(protocols={"avro": {}})
        self._change = change

    def ask(self, op: str, **members: Any) -> Answer:
        ok: Mapping[str, Any] = Embedded(NEWARCH).ask(CASE)["ok"]
        schemas = [{**one, "schema": json.dumps(self._change(json.loads(one["schema"])))} for one in ok["schemas"]]
        return Answer("ok", {**ok, "schemas": schemas})


def _with_itself(schema: dict[str, Any]) -> dict[str, Any]:
    itself = {"name": "itself", "type": f"{schema['namespace']}.{schema['name']}"}
    return {**schema, "fields": [itself, *schema["fields"]]}


def _cases(protocol: str, profile: Profile) -> Sequence[Case]:
    return [CASE] if protocol == "avro" else []


@pytest.mark.parametrize("change", [lambda schema: ALONE, _with_itself], ids=["alone", "before the columns"])
def test_a_schema_that_contains_itself_is_a_finding(change: Any) -> None:
    events: list[dict[str, Any]] = []
    toy = _Registering(change)
    toy.know([CASE])
    made = Target("recorded:x", NEWARCH, lambda: toy, _cases, "recorded")  # so that its answers have the schemas
    status = run_suite(RunConfig(targets=(made,), selection=Selection(roles=("encode",))), [events.append])
    verdict = only(events, "verdict")
    assert (int(status), verdict["verdict"], bool(verdict["findings"])) == (1, "fail", True)
    assert any("nest more than 64 levels deep" in str(one["got"]) for one in verdict["findings"])
