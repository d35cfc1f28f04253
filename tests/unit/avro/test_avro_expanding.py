"""A schema of records that each hold the former twice: a short text, and values without end for who walks every record.

Forty of them are 2**40 values, of no bytes: a test that ends shows that a walk is as long as the text, or bounded.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.consumers.avro_rows import record_of
from conformance.consumers.model import LeftOpen
from conformance.oracle.avro.reading import read
from conformance.registry.avro_schema import parse_schema
from conformance.registry.compatibility import problems
from reference_impl.avro.decoder import Decoder
from reference_impl.avro.options import Options
from reference_impl.avro.registered import read_schema
from reference_impl.errors import Rejected
from reference_impl.model import Record
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings
from reports.avro_text import avro_fields

Schema = dict[str, Any]
DEPTH = 40
HEADER = b"\0\0\0\0\1"


def records(number: int, fields: list[Schema]) -> Schema:
    return {"type": "record", "name": f"r{number}", "fields": fields}


def nested(first: list[Schema], **more: Any) -> Schema:
    """Each defined in the next, and named there once more."""
    schema = records(0, first)
    for number in range(1, DEPTH + 1):
        both = [{"name": "a", "type": schema, **more}, {"name": "b", "type": f"r{number - 1}", **more}]
        schema = records(number, both)
    return schema


def chained(count: int) -> Schema:
    """Side by side in one record, so that the text nests three levels; each holds the former twice."""
    made = [records(0, [])]
    for number in range(1, count):
        made.append(records(number, [{"name": name, "type": f"r{number - 1}"} for name in ("a", "b")]))
    return records(count, [{"name": f"f{n}", "type": one} for n, one in enumerate(made)])


SCHEMAS = {
    "of nothing": nested([]),
    "of null": nested([{"name": "x", "type": "null"}]),
    "of null, with defaults": nested([{"name": "x", "type": "null", "default": None}], default={}),
    "of a number": nested([{"name": "x", "type": "int"}]),
    "side by side": chained(DEPTH),
    "side by side, deeper than a stack": chained(2000),
}


@pytest.fixture(params=SCHEMAS)
def schema(request: pytest.FixtureRequest) -> Schema:
    return SCHEMAS[request.param]


def test_the_reference_refuses_what_is_no_schema_of_a_table(schema: Schema) -> None:
    text = json.dumps(schema)
    with pytest.raises(Rejected) as refused:
        read_schema(text)
    assert refused.value.reason == "schema"
    registry = MemoryRegistry()
    registry.register("s", text)
    with pytest.raises(Rejected):
        Decoder(Options(), settings=Settings(registry=registry)).decode([Record(None, HEADER)])


def test_the_oracle_refuses_more_values_than_the_bytes_can_hold(schema: Schema) -> None:
    with pytest.raises(Rejected) as refused:
        read(Record(None, HEADER), Options(), {1: json.dumps(schema)})
    assert refused.value.reason in ("schema", "syntax")


def test_the_oracle_names_what_it_refuses() -> None:
    with pytest.raises(Rejected, match="0 bytes have too many values: records of the schema hold none"):
        read(Record(None, HEADER), Options(), {1: json.dumps(SCHEMAS["of null"])})


def test_a_model_of_a_consumer_leaves_open_what_its_library_would_never_end(schema: Schema) -> None:
    with pytest.raises(LeftOpen):
        record_of(HEADER, schema)


@pytest.mark.parametrize("depth", [64, 200, 400, 600, 900])
@pytest.mark.parametrize("inside", ["items", "values"])
def test_a_model_of_a_consumer_leaves_open_what_is_nested_too_deeply(inside: str, depth: int) -> None:
    nesting: Any = "int"
    for _ in range(depth):
        nesting = {"type": {"items": "array", "values": "map"}[inside], inside: nesting}
    with pytest.raises(LeftOpen):
        record_of(HEADER, records(0, [{"name": "x", "type": nesting}]))


def test_a_record_that_is_used_often_is_read() -> None:
    inner = records(0, [{"name": "x", "type": "int"}])
    often = records(1, [{"name": "a", "type": inner}, *({"name": f"b{n}", "type": "r0"} for n in range(4000))])
    found = record_of(HEADER + b"\2" * 4001, often)
    assert (len(found), found["b3999"]) == (4001, {"x": 1})
    row = read(Record(None, HEADER + b"\2" * 4001), Options(), {1: json.dumps(often)}).messages[0].tree["value"]["row"]
    assert len(row) == 4001


def test_the_registry_compares_every_record_once(schema: Schema) -> None:
    text = json.dumps(schema)
    parsed = parse_schema(text)
    assert len(problems(parsed, parse_schema(text))) <= 1  # and that one is how deep they are
    other = parse_schema(text.replace('"x"', '"y"').replace('"default": null, ', ""))
    assert len(problems(parsed, other)) <= 1


def test_a_report_reads_no_named_type_twice(schema: Schema) -> None:
    try:
        fields, _ = avro_fields(schema, b"")
    except ValueError:
        return
    assert len(fields) <= DEPTH
