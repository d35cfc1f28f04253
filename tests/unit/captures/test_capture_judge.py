"""Captured records judged with no truth at hand; the good ones are recordings of real producers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from zlib import crc32

import pytest

from conformance.captures.check import check_capture
from conformance.captures.inference import infer
from conformance.captures.judge import NO_ORDER, NO_PARTITION, NO_TABLES, judge_capture
from conformance.captures.model import CaptureContext, Captured, Place
from conformance.captures.results import CaptureResult, CaptureVerdict
from conformance.captures.schemas import CapturedSchemas
from conformance.catalogue.invalid import load_invalid
from conformance.catalogue.vectors import Vector, load_producers, recorded_vectors
from conformance.errors import UsageError
from reference_impl.compression import compress
from reference_impl.model import Record
from reference_impl.profiles import PROFILES
from reference_impl.registry import MemoryRegistry
from reference_impl.wire import record_to_json
from tests.amounts import THOROUGH
from tests.unit.captures.given import KNOWN_DEFECTS, PROTOCOLS, captured, row_vector, row_vectors

PRODUCERS = load_producers()


def broken(results: Iterable[CaptureResult]) -> set[str]:
    return {finding.requirement for result in results for finding in result.findings}


def vectors(producer: str, protocol: str) -> list[Vector]:
    return [v for v in recorded_vectors(PRODUCERS[producer], protocol) if v.records]


def _subject(case: str) -> str:
    """What a recording is about: a family of column types without its sizes, a statement, or a history of a row.

    A history of every operation counts under each set of options.
    """
    _, kind, name, options = case.split("/", 3)
    if name == "insert-update-delete":
        return options
    return f"{kind}/{name}" if kind == "ddl" else f"{kind}/{re.sub('[-(]?[0-9].*', '', name)}"


@cache
def chosen(protocol: str) -> set[tuple[str, bool]]:
    """One recording of each subject: of one of the producers, and with its tables and options or without them."""
    alike: dict[str, list[tuple[str, bool]]] = {}
    for producer in PRODUCERS:
        for vector in vectors(producer, protocol):
            alike.setdefault(_subject(vector.case), []).extend([(vector.case, True), (vector.case, False)])
    return {ways[crc32(name.encode()) % len(ways)] for name, ways in alike.items()}


def messages(vector: Vector) -> list[dict[str, object]]:
    return [json.loads(record.value or b"") for record in vector.records or ()]


def respelled(vector: Vector, old: bytes, new: bytes) -> list[Record]:
    """The records with one part of their text replaced: json would escape the rest in another way than TiCDC."""
    return [Record(None, (record.value or b"").replace(old, new, 1)) for record in vector.records or ()]


def of(message: Mapping[str, object], **changes: object) -> Record:
    return Record(None, json.dumps({**message, **changes}, ensure_ascii=False, separators=(",", ":")).encode())


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("producer", list(PRODUCERS))
@pytest.mark.parametrize("given", [True, False], ids=["tables and options given", "inferred"])
def test_recorded_messages_break_no_rule_but_by_known_defects(protocol: str, producer: str, given: bool):
    profile = PROFILES[PRODUCERS[producer].profile]
    wrong = set()
    for vector in vectors(producer, protocol):
        if not THOROUGH and (vector.case, given) not in chosen(protocol):
            continue
        tables, options = (vector.tables, vector.options) if given else ((), {})
        schemas, zone = CapturedSchemas(vector.schemas), vector.settings.timezone
        context = CaptureContext(protocol, tables, options, profile, timezone=zone, schemas=schemas)
        results = judge_capture(context, captured(vector.records or ()))
        for result in results:
            assert result.verdict is not CaptureVerdict.SUITE_ERROR, (vector.case, result.problem)
            assert result.evaluated or result.not_judged, vector.case
            if result.findings:
                wrong.add(vector.case)
    assert wrong <= KNOWN_DEFECTS


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_invalid_record_is_a_finding(protocol: str):
    """But one in claim-check storage, which is not at hand, and a control message, which shows that it is meant."""
    beyond = {"avro": ("AV-130h",)}.get(protocol, ())
    for fixture in load_invalid(protocol):
        given = fixture.input
        if fixture.role == "encode" or given.claims or "claim" in fixture.id or fixture.requirements == beyond:
            continue
        # A registry knows all that was registered: an id that is not there is nowhere.
        schemas = CapturedSchemas(given.schemas, MemoryRegistry(given.schemas))
        context = CaptureContext(protocol, given.tables, given.options, schemas=schemas)
        results = list(judge_capture(context, captured(given.records)))
        assert any(r.verdict in (CaptureVerdict.FAIL, CaptureVerdict.WARN) for r in results), fixture.id


def test_a_refusal_is_a_finding_with_the_class_and_message_of_the_decoder():
    (result,) = judge_capture(CaptureContext("canal-json"), captured([Record(None, b"{")]))
    (finding,) = result.findings
    assert (finding.requirement, finding.path, finding.got["class"]) == ("CJ-207", "record", "syntax")


def test_a_message_that_can_be_read_but_is_written_in_another_way_is_a_finding_of_its_rule():
    vector = row_vector()
    wrong = respelled(vector, b'"id":0', b'"id":7')
    assert broken(judge_capture(CaptureContext("canal-json", vector.tables), captured(wrong))) == {"CJ-013"}


def test_without_tables_what_only_a_table_tells_is_left_out_and_said_so():
    vector = row_vector()
    without_key = respelled(vector, b'"pkNames":["id"]', b'"pkNames":[]')
    assert "CJ-020" in broken(judge_capture(CaptureContext("canal-json", vector.tables), captured(without_key)))
    results = list(judge_capture(CaptureContext("canal-json"), captured(without_key)))
    assert broken(results) == set()
    assert all(NO_TABLES in result.not_judged and "CJ-020" not in result.evaluated for result in results)


def test_a_key_that_names_no_column_of_the_message_is_wrong_whatever_the_table_is():
    wrong = [of(message, pkNames=["nowhere"]) for message in messages(row_vector())]
    assert broken(judge_capture(CaptureContext("canal-json"), captured(wrong))) == {"CJ-020"}


@pytest.mark.parametrize(
    ("kind", "code", "charged"),
    [("int", 5, "CJ-304"), ("varchar", 1, "CJ-311"), ("int unsigned", 5, "CJ-340"), ("date", 92, "CJ-315")],
)
def test_a_code_is_charged_to_the_rule_on_the_code_of_its_type(kind: str, code: int, charged: str):
    value = {"date": "2024-02-29"}.get(kind, "1")
    [message] = messages(row_vector())[:1]
    wrong = of(message, pkNames=[], sqlType={"c": code}, mysqlType={"c": kind}, data=[{"c": value}])
    assert broken(judge_capture(CaptureContext("canal-json"), captured([wrong]))) >= {charged}
    assert broken(judge_capture(CaptureContext("canal-json"), captured([wrong]))) - {charged} <= {"CJ-881"}


@pytest.mark.parametrize(
    ("protocol", "record", "charged"),
    [
        ("canal-json", Record(None, b'{"id":0}'), {"CJ-010"}),
        ("debezium", Record(b"{}", b"[]"), {"DBZ-010a"}),
        ("debezium", Record(None, b""), {"DBZ-010a", "DBZ-010b"}),
        ("avro", Record(None, b"\x07"), {"AV-002a", "AV-015"}),
        ("avro", Record(None, b"\x00\x00\x00\x00\x63\x00"), {"AV-156a"}),
        ("open-protocol", Record(b"\x00\x00\x00\x00\x00\x00\x00\x02", b""), {"OP-005"}),
    ],
    ids=lambda given: given if isinstance(given, str) else None,
)
def test_a_refusal_is_charged_to_what_is_wrong(protocol: str, record: Record, charged: set[str]):
    schemas = CapturedSchemas(registry=MemoryRegistry())
    assert broken(judge_capture(CaptureContext(protocol, schemas=schemas), captured([record]))) == charged


def test_a_tombstone_is_no_event_and_is_charged_where_the_protocol_has_none():
    after_delete = captured([*(row_vector("debezium").records or ()), Record(b"{}", None)])
    *_, last = judge_capture(CaptureContext("debezium"), after_delete)
    assert (last.verdict, broken([last]), last.events) == (CaptureVerdict.WARN, {"DBZ-010b"}, ())


def test_without_partitions_order_is_left_out_and_said_so():
    vector = row_vector()
    assert all(
        NO_PARTITION in r.not_judged
        for r in judge_capture(CaptureContext("canal-json"), captured(vector.records or ()))
    )


@pytest.mark.parametrize(
    ("protocol", "options"),
    [
        ("canal-json", {"enable-tidb-extension": "true"}),
        ("canal-json", {"content-compatible": "true"}),
        ("canal-json", {"only-output-updated-columns": "true"}),
        ("canal-json", {"large-message-handle-compression": "lz4"}),
        ("debezium", {"enable-tidb-extension": "true"}),
        ("debezium", {"debezium-disable-schema": "true"}),
        ("debezium", {"debezium-output-old-value": "false"}),
        ("avro", {"enable-tidb-extension": "true"}),
        ("avro", {"avro-decimal-handling-mode": "string"}),
        ("avro", {"avro-bigint-unsigned-handling-mode": "string"}),
        ("avro", {"avro-enable-watermark": "true", "enable-tidb-extension": "true"}),
        ("avro", {"avro-include-before-value": "true"}),
    ],
    ids=lambda given: given if isinstance(given, str) else "+".join(map("=".join, given.items())),
)
def test_options_that_leave_a_mark_are_inferred_from_recorded_messages(protocol: str, options: dict[str, str]):
    having = [v for v in vectors("ticdc-newarch", protocol) if options.items() <= v.options.items()]
    assert having
    # Each recording has a registry of its own.
    shown = [infer(protocol, v.records or (), {}, CapturedSchemas(v.schemas)).options for v in having]
    assert {name: value for inferred in shown for name, value in inferred.items()}.items() >= options.items()


def test_the_cluster_is_inferred_where_messages_name_it():
    assert (
        infer("debezium", row_vector("debezium").records or (), {}).cluster_id
        == row_vector("debezium").settings.cluster_id
    )
    assert infer("canal-json", row_vector().records or (), {}).cluster_id is None


@pytest.mark.parametrize("kind", ["lz4", "snappy"])
@pytest.mark.parametrize("protocol", ["canal-json", "debezium"])
def test_compressed_messages_are_judged_without_being_told_how_they_are_compressed(protocol: str, kind: str):
    vector = row_vector(protocol)
    # Canal-JSON has no keys.
    packed = [
        replace(r, key=compress(kind, r.key) if r.key else None, value=compress(kind, r.value or b""))
        for r in vector.records or ()
    ]
    assert {r.verdict for r in judge_capture(CaptureContext(protocol, vector.tables), captured(packed))} == {
        CaptureVerdict.PASS
    }


def test_options_that_are_given_win_over_what_is_inferred():
    given = {"content-compatible": "false"}
    inferred = infer("canal-json", [of({"mysqlType": {"c": "int(11)"}})], given)
    assert inferred.options["content-compatible"] == "false"


def test_a_line_that_could_not_be_read_is_excluded_with_its_problem_and_the_rest_is_judged():
    place = Place("f", 1, 0)
    good = captured(row_vector().records or ())
    first, *rest = judge_capture(CaptureContext("canal-json"), [Captured(None, place, "not JSON"), *good])
    assert (first.verdict, first.problem, first.place) == (CaptureVerdict.EXCLUDED, "not JSON", place)
    assert {result.verdict for result in rest} == {CaptureVerdict.PASS}


def test_a_rule_between_records_is_reported_at_the_record_that_broke_it():
    vector = row_vectors("open-protocol")[0]
    (record,) = vector.records or ()
    elsewhere = [replace(record, partition=partition, offset=0) for partition in (0, 1)]
    results = list(judge_capture(CaptureContext("open-protocol", vector.tables, vector.options), captured(elsewhere)))
    moved = [result for result in results if result.is_stream]
    assert {(result.place.line, *broken([result])) for result in moved} == {(2, "OP-207")}


def test_lines_in_another_order_than_their_offsets_break_no_rule_between_records():
    vector = row_vectors("open-protocol")[0]
    (record,) = vector.records or ()
    elsewhere = [replace(record, partition=n, topic="t", offset=offset) for n, offset in ((0, 5), (1, 5), (1, 4))]
    ordered, turned = (
        list(judge_capture(CaptureContext("open-protocol", vector.tables, vector.options), captured(lines)))
        for lines in (elsewhere[:2], [elsewhere[1], elsewhere[2]])
    )
    assert [result.is_stream for result in ordered] == [False, False, True]
    assert [result.is_stream for result in turned] == [False, False]
    assert [NO_ORDER in result.not_judged for result in turned] == [False, True]


def test_a_capture_is_checked_from_a_file_to_its_results(tmp_path: Path):
    vector = row_vector()
    lines = [json.dumps(record_to_json(record)) for record in vector.records or ()]
    path = tmp_path / "capture.jsonl"
    path.write_text("\n".join([*lines, "{broken", ""]), encoding="utf-8")
    results = list(check_capture(path, "canal-json", tables=vector.tables, options=vector.options))
    assert [result.is_stream for result in results] == [False] * (len(lines) + 1)
    assert [result.verdict for result in results] == [CaptureVerdict.PASS] * len(lines) + [CaptureVerdict.EXCLUDED]
    assert [bool(result.problem) for result in results] == [False] * len(lines) + [True]
    assert broken(results) == set()
    assert "CJ-010" in results[0].evaluated


@pytest.mark.parametrize(
    ("protocol", "options", "message"),
    [
        ("maxwell", {}, "captures of 'maxwell' cannot be judged"),
        ("canal-json", {"content-compatibel": "true"}, "did you mean 'content-compatible'"),
        ("canal-json", {"content-compatible": "yes"}, "neither true nor false"),
    ],
)
def test_what_cannot_be_asked_of_a_capture_is_a_usage_error(tmp_path, protocol, options, message):
    path = tmp_path / "capture.jsonl"
    path.write_text(json.dumps({"key": None, "value": None}) + "\n", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        list(check_capture(path, protocol, options=options))
    assert message in str(caught.value)
