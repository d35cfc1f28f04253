"""Faults put into recorded messages, one at a time: what a capture shows of them without the truth."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from conformance.captures.judge import judge_capture
from conformance.captures.model import CaptureContext
from conformance.captures.results import CaptureResult, CaptureVerdict
from conformance.captures.schemas import CapturedSchemas
from conformance.catalogue.vectors import Vector
from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, Record, RowChange, Table
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import CODECS
from reference_impl.registry import RegisteredSchema
from tests.unit.captures.given import captured, row_vector

# What a message is free to say: names, times and values. A wrong one is another event, and nothing more.
FREE = {
    "canal-json": {"database", "table", "es", "ts", "data", "old", "_tidb.commitTs"},
    "debezium": {"payload.ts_ms", "payload.source.commit_ts", "payload.source.db", "payload.source.table"}
    | {"payload.before", "payload.after", "payload.source.cluster_id"},
}


def leaves(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(tree, dict | list):
        for step, part in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from leaves(part, (*path, step))
    else:
        yield path


def other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else f"{value}x" if isinstance(value, str) else 7


def changed(tree: Any, path: tuple[Any, ...], *, dropped: bool) -> Any:
    tree = copy.deepcopy(tree)
    place = tree
    for step in path[:-1]:
        place = place[step]
    if dropped:
        del place[path[-1]]
    else:
        place[path[-1]] = other(place[path[-1]])
    return tree


def is_free(protocol: str, path: Iterable[Any]) -> bool:
    text = ".".join(step for step in path if isinstance(step, str))
    return any(text == name or text.startswith(f"{name}.") for name in FREE[protocol])


def text_of(tree: Any) -> str:
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":"))


def judged(vector: Vector, records: Iterable[Record], schemas: Sequence[RegisteredSchema] = ()) -> list[CaptureResult]:
    held = CapturedSchemas(schemas or vector.schemas)
    context = CaptureContext(vector.protocol, vector.tables, vector.options, schemas=held)
    return list(judge_capture(context, captured(records)))


@pytest.mark.parametrize("dropped", [False, True], ids=["changed", "dropped"])
@pytest.mark.parametrize(
    ("protocol", "options"),
    [
        ("canal-json", {}),
        ("canal-json", {"enable-tidb-extension": "true"}),
        ("debezium", {}),
        ("debezium", {"enable-tidb-extension": "true", "debezium-disable-schema": "true"}),
    ],
    ids=str,
)
def test_a_changed_or_dropped_member_of_a_message_is_a_finding_unless_it_is_free(protocol, options, dropped):
    vector = row_vector(protocol, **options)
    first, *rest = vector.records or ()
    assert not any(result.findings for sound in ([first], [first, *rest]) for result in judged(vector, sound))
    message = json.loads(first.value or b"")
    faulty = [(p, changed(message, p, dropped=dropped)) for p in leaves(message) if not is_free(protocol, p)]
    assert len(faulty) >= 10
    unnoticed = []
    for path, tree in faulty:
        spoiled = replace(first, value=text_of(tree).encode())
        # Most faults show in the record itself, and others beside the records behind it.
        given = ([spoiled], [spoiled, *rest])
        if not any(result.findings for records in given for result in judged(vector, records)):
            unnoticed.append(path)
    assert unnoticed == []


@pytest.mark.parametrize("dropped", [False, True], ids=["changed", "dropped"])
def test_a_changed_or_dropped_part_of_a_registered_schema_is_a_finding_unless_it_names_another_table(dropped: bool):
    vector = row_vector("avro")
    first = (vector.records or ())[0]
    unnoticed = []
    for schema in vector.schemas:
        tree = json.loads(schema.schema)
        for path in leaves(tree):
            if path not in (("name",), ("namespace",)):
                faulty = replace(schema, schema=text_of(changed(tree, path, dropped=dropped)))
                schemas = [faulty if s is schema else s for s in vector.schemas]
                if not any(r.findings for r in judged(vector, [first], schemas)):
                    unnoticed.append(path)
    assert unnoticed == []


def test_a_schema_under_a_subject_that_is_not_of_the_topic_is_a_finding():
    vector = row_vector("avro")
    records = [replace(record, topic="test_one") for record in (vector.records or ())[:1]]
    right = [replace(s, subject=f"test_one-{s.subject.rpartition('-')[2]}") for s in vector.schemas]
    wrong = [replace(s, subject=s.subject.replace("-value", "-values")) for s in right]
    assert not any(r.findings for r in judged(vector, records, right))
    assert {f.requirement for r in judged(vector, records, wrong) for f in r.findings} == {"AV-155"}


def test_a_row_without_a_column_of_its_table_is_charged_to_the_rule_that_it_is_whole():
    vector = row_vector("debezium", **{"enable-tidb-extension": "true", "debezium-disable-schema": "true"})
    first = (vector.records or ())[0]
    tree = json.loads(first.value or b"")
    name = next(iter(tree["payload"]["after"]))
    faulty = changed(tree, ("payload", "after", name), dropped=True)
    results = judged(vector, [replace(first, value=text_of(faulty).encode())])
    assert {f.requirement for r in results for f in r.findings} == {"DBZ-045a"}


def test_a_value_that_is_no_string_is_charged_to_the_rule_on_values_and_other_rows_to_that_on_rows():
    first = (row_vector().records or ())[0]
    tree = json.loads(first.value or b"")
    row = tree["data"][0]
    name = next(iter(row))
    for data, charged in (([row | {name: 17}], "CJ-034"), ([17], "CJ-032"), ([row, row], "CJ-032"), ([], "CJ-032")):
        faulty = replace(first, value=text_of(tree | {"data": data}).encode())
        assert {f.requirement for r in judged(row_vector(), [faulty]) for f in r.findings} == {charged}


def test_an_event_that_only_the_imitated_connector_writes_is_a_finding_of_its_op():
    vector = row_vector("debezium")
    first = (vector.records or ())[0]
    read = replace(first, value=(first.value or b"").replace(b'"op":"c"', b'"op":"r"'))
    assert {f.requirement for r in judged(vector, [read]) for f in r.findings} == {"DBZ-042b"}


def test_without_all_schemas_a_record_is_a_problem_and_no_fault_of_its_producer():
    vector = row_vector("avro")
    (result,) = judged(vector, (vector.records or ())[:1], vector.schemas[:1])
    assert (result.verdict, result.findings) == (CaptureVerdict.EXCLUDED, ())
    assert result.problem == f"schema {vector.schemas[1].id} is not among those given"


def test_a_date_that_is_described_as_connect_does_is_a_finding_of_its_name():
    [broken] = judged_of_debezium(
        lambda text: text.replace("io.debezium.time.Date", "org.apache.kafka.connect.data.Date")
    )
    assert broken == {"DBZ-106"}


@pytest.mark.parametrize(("labels", "found"), [("x,y", set()), ("y,x", {"DBZ-105a"}), ("y,y", {"DBZ-105a"})])
def test_labels_of_a_set_that_are_not_in_declared_order_are_a_finding(labels: str, found: set[str]):
    assert judged_of_debezium(lambda text: text.replace('"s":"x,y"', f'"s":"{labels}"')) == [found]


def judged_of_debezium(change: Callable[[str], str]) -> list[set[str]]:
    """What is found in a message of a row after a change of its text, without the table."""
    kinds = {"id": "int", "d": "date", "s": "set('x','y')"}
    table = Table("s", "t", tuple(Column(name, parse_column_type(kind)) for name, kind in kinds.items()), ("id",))
    row = RowChange("insert", "s", "t", 7 << 18, after={"id": "1", "d": "2024-02-29", "s": "x,y"})
    codec = CODECS["debezium"]
    [record] = codec.encoder(codec.options(), NEWARCH).encode([row], [table]).records
    record = replace(record, value=change((record.value or b"").decode()).encode())
    results = judge_capture(CaptureContext("debezium", (), {}, NEWARCH), captured([record]))
    return [{finding.requirement for finding in result.findings} for result in results]
