"""Models of consumers on Avro schemas that are not those of a producer: an answer, and never a fault of the model."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import fastavro
import pytest

from conformance.consumers import MODELS
from conformance.consumers.avro_rows import fields_of
from conformance.consumers.flink.avro import declarable
from conformance.consumers.model import Message, Prediction
from tests.unit.consumers.shown import table

TABLE = table(v="text")
ROW = {
    "type": "record",
    "name": "Value",
    "fields": [{"name": "id", "type": "int"}, {"name": "v", "type": ["null", "string"]}],
}
OP = {"name": "op", "type": "string"}
OLD = {"id": 1, "v": "a"}
NEW = {"id": 1, "v": "b"}
HEADER = b"\0\0\0\0\1"


def envelope(*fields: Any) -> dict[str, Any]:
    return {"type": "record", "name": "Envelope", "namespace": "x", "fields": list(fields)}


def member(name: str, of: Any) -> dict[str, Any]:
    return {"name": name, "type": ["null", of]}


def written(schema: Any, **record: Any) -> bytes:
    out = BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(copy.deepcopy(schema)), record)
    return HEADER + out.getvalue()


def read(schema: Any, **record: Any) -> Prediction:
    value = written(schema, **record)
    return MODELS["flink-avro"]("2.3.0").predict(Message("debezium-avro", None, value, TABLE, {}, schema))


NO_BEFORE = [
    envelope(member("after", ROW), OP),
    envelope(member("former", ROW), member("after", "Value"), OP),
    envelope({"name": "former", "type": ROW}, {"name": "after", "type": "x.Value"}, OP),
]


@pytest.mark.parametrize("schema", NO_BEFORE, ids=["inline", "by its name", "by its full name"])
def test_flink_reads_an_insert_whose_schema_has_no_before_and_refuses_an_update(schema: Any) -> None:
    others = {"former": OLD}
    predicted = read(schema, op="c", after=NEW, **others)
    assert list(predicted.rows) == [("+I", {"id": "1", "v": "b"})]
    predicted = read(schema, op="u", after=NEW, **others)
    assert (predicted.outcome, [rule.id for rule in predicted.rules]) == ("error", ["flink-avro.before"])


@pytest.mark.parametrize("name", ["D", "x.D", ["null", "D"]], ids=str)
@pytest.mark.parametrize("consumer", ["connect-avro", "spark"])
def test_a_decimal_in_a_fixed_type_is_read_by_its_name_as_by_its_definition(consumer: str, name: Any) -> None:
    fixed = {"type": "fixed", "name": "D", "size": 2, "logicalType": "decimal", "precision": 4, "scale": 2}
    schema = envelope({"name": "id", "type": fixed}, {"name": "v", "type": name})
    value = HEADER + b"\x04\xe2" + (b"\2" if isinstance(name, list) else b"") + b"\xfb\x1e"
    predicted = MODELS[consumer]("3.9.1").predict(Message("avro", None, value, TABLE, {}, schema))
    assert predicted.rows == [("+I", {"id": "12.50", "v": "-12.50"})]


def test_a_type_of_another_namespace_is_not_taken_for_the_one_that_is_named() -> None:
    other = {"type": "fixed", "name": "y.D", "size": 1, "logicalType": "decimal", "precision": 2, "scale": 1}
    own = {"type": "fixed", "name": "D", "size": 1}
    fields = [("a", other), ("b", own), ("c", "D"), ("d", "y.D")]
    types = fields_of(envelope(*({"name": name, "type": one} for name, one in fields)))
    assert (types["c"], types["d"]) == (own, other)


@pytest.mark.parametrize("of", ["string", {"type": "map", "values": "string"}], ids=["a string", "a map"])
def test_flink_refuses_an_after_that_is_no_record(of: Any) -> None:
    schema = envelope(member("before", ROW), member("after", of), OP)
    after: Any = "x" if of == "string" else {"id": "1"}
    assert read(schema, op="c", before=None, after=after).outcome == "error"


def _changed(node: Any) -> Iterator[Any]:
    """The tree with each of its parts left out, or replaced by something of another kind."""
    if isinstance(node, dict):
        for name in node:
            yield {at: part for at, part in node.items() if at != name}
            yield from ({**node, name: other} for other in (None, 1, "x", [], {}, True, *_changed(node[name])))
    if isinstance(node, list):
        for at in range(len(node)):
            yield node[:at] + node[at + 1 :]
            yield from ([*node[:at], other, *node[at + 1 :]] for other in (None, 1, "x", [], {}, *_changed(node[at])))


@pytest.mark.parametrize("consumer", ["flink-avro", "connect-avro", "spark"])
def test_no_schema_makes_a_model_fail(consumer: str) -> None:
    whole = envelope(member("before", ROW), member("after", "Value"), OP)
    model = MODELS[consumer]("2.3.0")
    rows = {protocol for protocol in model.protocols if "avro" in protocol}
    assert rows
    for schema, record in ((whole, {"before": OLD, "after": NEW, "op": "u"}), (ROW, OLD)):
        value = written(schema, **record)
        for other in ("string", ["null"], *_changed(schema)):
            for protocol in rows:
                for key, given in ((None, value), (value, None)):
                    options = {} if given else {"connector": "upsert-kafka"}
                    predicted = model.predict(Message(protocol, key, given, TABLE, options, other, other))
                    assert "suite.model" not in {rule.id for rule in predicted.rules}, json.dumps(other)


def test_a_table_is_declared_as_it_is_where_no_record_holds_its_columns() -> None:
    whole = envelope(member("before", ROW), member("after", "Value"), OP)
    for schema in ("string", ["null"], {"type": "string"}, envelope(member("before", ROW), OP)):
        assert declarable(TABLE, "debezium-avro", schema) is TABLE
    for schema in _changed(whole):
        assert declarable(TABLE, "debezium-avro", schema)["name"] == "t"
