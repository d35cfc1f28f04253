"""An encoder whose clock is a database's is judged as its own records place it, and by nothing else of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from conformance.cases.inputs import column, ddl, insert, table, timed, update
from conformance.cases.model import Case
from conformance.engine.declared import has_own_clock, may_decline
from conformance.engine.own_clock import with_positions
from conformance.oracle.upstream.case_judge import UpstreamJudge
from reference_impl.model import DdlEvent, Event, Record, RowChange
from reference_impl.options import parse
from reference_impl.protocols import UPSTREAM
from reference_impl.wire import record_to_json

BEFORE = table("t", (column("id", "int", nullable=False), column("a", "varchar(20)")))
AFTER = table("t", (*BEFORE.columns, column("b", "int")))
EVENTS: list[Event] = [
    insert(BEFORE, {"id": "1", "a": "x"}),
    update(BEFORE, {"id": "1", "a": "x"}, {"id": "2", "a": "x"}),
    ddl(AFTER, "ALTER TABLE `t` ADD COLUMN `b` int", "add column", table_before=BEFORE, table_after=AFTER),
    insert(AFTER, {"id": "3", "a": "y", "b": "4"}),
]
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "canal": {"gtid": "true"},
    "debezium-connector": {"schemas.enable": "false"},
}


def case(protocol: str) -> Case:
    events = tuple(timed(EVENTS))
    return Case("a/case", protocol, "encode", tables=(BEFORE,), events=events, options=OPTIONS[protocol])


def elsewhere(protocol: str, number: int) -> Mapping[str, object]:
    """Where a database of its own places an event."""
    if protocol == "canal":
        return {"id": "9", "es": str(7_000_000_000 + 1000 * number), "ts": f"90000000{number}", "gtid": f"g:{number}"}
    source = {"ts_ms": f"5000{number}000", "file": "binlog.000042", "pos": str(900 + number), "gtid": f"g:{number}"}
    return {"ts_ms": f"6000000{number}", "source": {**source, "thread": "12"}, "then": {"ts_ms": f"7000000{number}"}}


def answered(of: Case) -> tuple[Record, ...]:
    """What an encoder answers that is right in all but the clock, which is its own."""
    assert all(isinstance(event, RowChange | DdlEvent) for event in of.events)
    events = [replace(e, source=elsewhere(of.protocol, n)) for n, e in enumerate(of.events)]  # type: ignore[type-var]
    codec = UPSTREAM[of.protocol]
    encoder = codec.encoder(parse(codec.options, of.options), settings=of.settings)
    return encoder.encode(events, of.tables).records


def findings(of: Case, records: tuple[Record, ...]) -> list[str]:
    answer = {"ok": {"records": [record_to_json(record) for record in records]}}
    return [found.path for found in UpstreamJudge(of.protocol).judge(with_positions(of, records), answer).findings]


@pytest.mark.parametrize("protocol", sorted(UPSTREAM))
def test_other_times_and_positions_are_no_finding(protocol: str) -> None:
    of = case(protocol)
    records = answered(of)
    assert findings(of, records) == []
    answer = {"ok": {"records": [record_to_json(record) for record in records]}}
    assert UpstreamJudge(protocol).judge(of, answer).findings, "the clock is not another one"


@pytest.mark.parametrize(("protocol", "path"), [("canal", "value.data[0].a"), ("debezium-connector", "value.after.a")])
def test_another_value_is_a_finding_whoever_has_the_clock(protocol: str, path: str) -> None:
    of = case(protocol)
    records = tuple(replace(r, value=r.value and r.value.replace(b'"a":"y"', b'"a":"z"')) for r in answered(of))
    assert findings(of, records) == [path]


@pytest.mark.parametrize("protocol", sorted(UPSTREAM))
def test_a_record_that_is_missing_is_a_finding_and_moves_no_other(protocol: str) -> None:
    of = case(protocol)
    first, *rest = answered(of)
    assert first.value is not None
    assert len(findings(of, tuple(rest))) == 1


def test_a_database_may_decline_what_an_encoder_is_asked_and_nobody_else() -> None:
    of = case("canal")
    hello = {"protocols": {"canal": {}}}
    assert may_decline(of, {**hello, "clock": "own"})
    assert not may_decline(of, hello)
    assert not may_decline(replace(of, role="decode"), {**hello, "clock": "own"})
    assert has_own_clock({"clock": "own"})
    assert not has_own_clock({"clock": "given"})


def test_events_that_the_reference_refuses_are_judged_as_they_were_given() -> None:
    of = replace(case("canal"), tables=())
    assert with_positions(of, ()) is of
