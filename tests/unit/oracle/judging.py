"""What the tests of every oracle share: events and cases of one table, the reference's answers, and who is blamed.

What is of one protocol, its usual table and how a message of it is changed, stands in its own `…_answers`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from conformance.cases.model import Case, Role
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.oracle import ORACLES
from conformance.oracle.findings import Judgement
from conformance.oracle.judge import Judge
from conformance.oracle.showing import headlines
from reference_impl.model import Record
from reference_impl.options import parse
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.protocols import CODECS
from reference_impl.registry import RegisteredSchema
from reference_impl.wire import claim_from_json, events_from_json, record_from_json, record_to_json, table_from_json

Change = Callable[[Any], None]
"""A change of a message, which is a tree, in place."""

TS = 7 << 18
SMALL: dict[str, Any] = {
    "schema": "test",
    "name": "t",
    "primary_key": ["id"],
    "columns": [{"name": "id", "type": "int", "nullable": False}, {"name": "a", "type": "int"}],
}
OLD, NEW = {"id": "1", "a": "2"}, {"id": "1", "a": "3"}
"""Rows of the small table."""


def table_and_row(*columns: tuple[Any, ...], **members: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The table `t` and a row of it, from name, type, value and perhaps other members of each column."""
    found = []
    for name, kind, _, *more in columns:
        given, mark, _ = kind.partition(" not null")
        found.append({"name": name, "type": given, "nullable": not mark, **(more[0] if more else {})})
    table = {"schema": "test", "name": "t", "columns": found, **members}
    return table, {name: value for name, _, value, *_ in columns}


def beside_id(*columns: Mapping[str, Any]) -> dict[str, Any]:
    """The small table with these columns behind the first."""
    return {**SMALL, "columns": [SMALL["columns"][0], *columns]}


# -- events and cases --------------------------------------------------------------------------------------------------


def row_event(op: str, *, base: Mapping[str, Any], ts: int = TS, table: str = "t", **changed: Any) -> dict[str, Any]:
    """A row event; `changed` are the columns whose value an update changes, or another has."""
    after = {**base, **changed}
    before, image = {"insert": (None, after), "delete": (after, None)}.get(op, (dict(base), after))
    members = {"kind": "row", "op": op, "schema": "test", "table": table, "commit_ts": str(ts)}
    return {**members, "before": before, "after": image}


def ddl_event(ts: int = TS, after: Mapping[str, Any] | None = None, **members: Any) -> dict[str, Any]:
    """A DDL event: a column is added, unless `members` say otherwise; `after` is the table that it leaves."""
    event = {"kind": "ddl", "schema": "test", "table": "t", "commit_ts": str(ts), "query": "ALTER TABLE `t` …"}
    event |= {"action": "add column", "action_code": 5, **members}
    return event if after is None else event | {"table_after": dict(after)}


def mark(ts: int = TS) -> dict[str, Any]:
    """A watermark."""
    return {"kind": "watermark", "commit_ts": str(ts)}


def asked(
    protocol: str,
    role: Role,
    *events: Mapping[str, Any],
    table: Mapping[str, Any],
    written_as: Profile = NEWARCH,
    **more: Any,
) -> Case:
    """A case on one table; `more` are members of the case. A decoder gets what the reference writes `written_as`."""
    tables = (table_from_json(table),)
    case = Case(f"{protocol}/test", protocol, role, tables, tuple(events_from_json(events, tables)), **more)
    return case if role == "encode" or case.records else put_to_a_decoder(case, written_as)


def put_to_a_decoder(case: Case, profile: Profile = NEWARCH) -> Case:
    """The case as one of a decoder, which gets what the reference writes."""
    ok = answer_of(replace(case, role="encode"), profile)["ok"]
    return replace(
        case,
        role="decode",
        records=tuple(map(record_from_json, ok["records"])),
        claims=tuple(map(claim_from_json, ok.get("claims", ()))),
        schemas=tuple(schemas_of(ok)),
    )


def options_of(case: Case) -> Any:
    """The parsed options of a case."""
    return parse(CODECS[case.protocol].options, case.options)


# -- answers -----------------------------------------------------------------------------------------------------------


def answer_of(case: Case, profile: Profile = NEWARCH) -> dict[str, Any]:
    """What the reference answers."""
    return dict(_embedded(profile).ask(case))


@cache
def _embedded(profile: Profile) -> Embedded:
    return Embedded(profile)


def schemas_of(ok: Mapping[str, Any]) -> list[RegisteredSchema]:
    """What was registered, from the members of an encoder's answer."""
    return [RegisteredSchema(s["id"], s["subject"], s["schema"]) for s in ok["schemas"]]


def written(case: Case, profile: Profile = NEWARCH) -> list[Record]:
    """The records of the reference."""
    return [record_from_json(record) for record in answer_of(case, profile)["ok"]["records"]]


def with_records(
    case: Case, change: Callable[[list[Record]], list[Record]], profile: Profile = NEWARCH
) -> dict[str, Any]:
    """The reference's records, changed as a list."""
    ok = answer_of(case, profile)["ok"]
    records = change([record_from_json(record) for record in ok["records"]])
    return {"ok": {**ok, "records": [record_to_json(record) for record in records]}}


# -- judgements --------------------------------------------------------------------------------------------------------


@cache
def _judge(protocol: str, profile: Profile) -> Judge:
    return Judge(ORACLES[protocol], load_register(protocol), profile)


def judged(case: Case, answer: Mapping[str, Any], profile: Profile = NEWARCH) -> Judgement:
    """What the judge makes of an answer."""
    return _judge(case.protocol, profile).judge(case, answer)


def blamed(case: Case, answer: Mapping[str, Any], profile: Profile = NEWARCH) -> list[str]:
    """The requirements of the findings, each once, in order of their ids."""
    return sorted({finding.requirement for finding in judged(case, answer, profile).findings})


def assert_charged(judgement: Judgement, expected: set[str]) -> None:
    """Every one of these requirements has a finding, and no other one stands first at its place."""
    found = {finding.requirement for finding in judgement.findings}
    first = {finding.requirement for finding in headlines(judgement.findings)}
    assert first <= expected <= found, f"first {first}, found {found}"
    assert bool(expected) == bool(found)


def carried(case: Case, profile: Profile = NEWARCH) -> list[dict[str, Any]]:
    """The events that a decoder must answer."""
    oracle, options = ORACLES[case.protocol], options_of(case)
    deliveries = oracle.deliveries(case, options, profile)
    return [dict(oracle.expected_event(delivery, case, options, profile)) for delivery in deliveries]
