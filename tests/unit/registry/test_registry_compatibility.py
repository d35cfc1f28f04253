"""Which schema reads what another wrote. The expectations are Avro's rules of schema resolution."""

from __future__ import annotations

import itertools

import pytest
from avro_texts import ONE, TWO, Type, field, record, text

from conformance.registry.avro_schema import InvalidSchema, Node, parse_schema
from conformance.registry.compatibility import Level, incompatibilities, problems

# The columns are writers, the rows readers: what a reader's primitive type makes of another.
PRIMITIVES = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"]
READS = {
    "null": "x.......",
    "boolean": ".x......",
    "int": "..x.....",
    "long": "..xx....",
    "float": "..xxx...",
    "double": "..xxxx..",
    "bytes": "......xx",
    "string": "......xx",
}


def node(schema: Type) -> Node:
    return parse_schema(text(schema))


def enum(*symbols: str, name: str = "e", **more: object) -> Type:
    return {"type": "enum", "name": name, "symbols": list(symbols), **more}


def fixed(size: int, name: str = "f") -> Type:
    return {"type": "fixed", "name": name, "size": size}


@pytest.mark.parametrize(("reader", "writer"), list(itertools.product(PRIMITIVES, PRIMITIVES)))
def test_a_primitive_type_reads_itself_and_what_is_promoted_to_it(reader: str, writer: str) -> None:
    reads = READS[reader][PRIMITIVES.index(writer)] == "x"
    assert (not problems(node(reader), node(writer))) is reads


NESTED = record(field("r", record(field("x"), name="inner")))
CHAIN = record(field("next", ["null", "t"], None), field("n"))

# name → (reader, writer, whether it reads)
PAIRS: dict[str, tuple[Type, Type, bool]] = {
    "a field without a default was not written": (record(field("a"), field("b")), record(field("a")), False),
    "a field with a default was not written": (record(field("a"), field("b", "int", 0)), record(field("a")), True),
    "null is a default, too": (record(field("b", ["null", "int"], None)), record(), True),
    "an enum's default is none of its field": (record(field("b", enum("A", default="A"))), record(), False),
    "a field that is not asked for is passed over": (record(field("a")), record(field("a"), field("b")), True),
    "the order of fields is free": (record(field("a"), field("b")), record(field("b"), field("a")), True),
    "a field changed to a type that reads it": (record(field("a", "long")), record(field("a", "int")), True),
    "a field changed to a type that does not read it": (record(field("a", "int")), record(field("a", "long")), False),
    "double does not come back to float": (record(field("a", "float")), record(field("a", "double")), False),
    "a field renamed with an alias": (record(field("b", aliases=["a"])), record(field("a")), True),
    "a record of another name": (record(name="u"), record(name="t"), False),
    "a record of another name with an alias": (record(name="u", aliases=["t"]), record(name="t"), True),
    "an alias is in the namespace of its record": (
        record(name="u", namespace="n", aliases=["t"]),
        record(name="t", namespace="n"),
        True,
    ),
    "namespaces are not compared": (record(name="t", namespace="a"), record(name="t", namespace="b"), True),
    "a column becomes nullable": (record(field("a", ["null", "int"])), record(field("a", "int")), True),
    "a column becomes NOT NULL": (record(field("a", "int")), record(field("a", ["null", "int"])), False),
    "the order of branches is free": (["int", "null"], ["null", "int"], True),
    "a union gains a branch": (["null", "int", "string"], ["null", "int"], True),
    "a union loses a branch": (["null", "int"], ["null", "int", "boolean"], False),
    "a branch is promoted": (["null", "long"], ["null", "int"], True),
    "a type reads a union of what is promoted to it": ("double", ["int", "float"], True),
    "an enum gains a symbol": (enum("A", "B"), enum("A"), True),
    "an enum loses a symbol": (enum("A"), enum("A", "B"), False),
    "an enum with a default loses a symbol": (enum("A", default="A"), enum("A", "B"), True),
    "an enum of another name": (enum("A"), enum("A", name="d"), False),
    "fixed of another size": (fixed(2), fixed(3), False),
    "fixed of the same size": (fixed(2), fixed(2), True),
    "fixed is not bytes": ("bytes", fixed(2), False),
    "elements are promoted": ({"type": "array", "items": "long"}, {"type": "array", "items": "int"}, True),
    "elements are not readable": ({"type": "array", "items": "int"}, {"type": "array", "items": "string"}, False),
    "values are promoted": ({"type": "map", "values": "double"}, {"type": "map", "values": "int"}, True),
    "a map is no array": ({"type": "map", "values": "int"}, {"type": "array", "items": "int"}, False),
    "an inner record gains a field": (record(field("r", record(field("x"), field("y"), name="inner"))), NESTED, False),
    "an inner record reads itself": (NESTED, NESTED, True),
    "a recursive record reads itself": (CHAIN, CHAIN, True),
    "a recursive record changes further in": (
        CHAIN,
        record(field("next", ["null", "t"], None), field("n", "string")),
        False,
    ),
    "a logical type is what lies beneath": (
        {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2},
        {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 0},
        True,
    ),
    "attributes have no say": (
        {"type": "int", "connect.parameters": {"tidb_type": "INT"}},
        {"type": "int", "connect.parameters": {"tidb_type": "YEAR"}},
        True,
    ),
}


@pytest.mark.parametrize(("reader", "writer", "reads"), PAIRS.values(), ids=PAIRS)
def test_a_schema_reads_what_avro_says_it_reads(reader: Type, writer: Type, reads: bool) -> None:
    assert (not problems(node(reader), node(writer))) is reads


def test_a_problem_names_the_place() -> None:
    reader = record(field("r", record(field("x", "int"), name="inner")))
    writer = record(field("r", record(field("x", "string"), name="inner")))
    assert problems(node(reader), node(writer)) == ["r.x: int does not read string"]


WIDENED = record(field("id", "long"))
# level → whether ONE may be followed by TWO, by its column widened, and whether WIDENED may be followed by ONE
FOLLOWS = {
    Level.NONE: (True, True, True),
    Level.BACKWARD: (True, True, False),
    Level.BACKWARD_TRANSITIVE: (True, True, False),
    Level.FORWARD: (True, False, True),
    Level.FORWARD_TRANSITIVE: (True, False, True),
    Level.FULL: (True, False, False),
    Level.FULL_TRANSITIVE: (True, False, False),
}


@pytest.mark.parametrize(("level", "allowed"), FOLLOWS.items())
def test_a_level_is_a_direction(level: Level, allowed: tuple[bool, ...]) -> None:
    one, two, widened = parse_schema(ONE), parse_schema(TWO), node(WIDENED)
    steps = ((one, two), (one, widened), (widened, one))
    assert tuple(not incompatibilities(level, new, [old]) for old, new in steps) == allowed


@pytest.mark.parametrize("family", ["BACKWARD", "FULL"])
def test_only_a_transitive_level_asks_the_versions_before_the_latest(family: str) -> None:
    with_string, without = node(record(field("a", "string", ""))), node(record())
    with_int = node(record(field("a", "int", 0)))
    older = [with_string, without]
    assert not incompatibilities(Level(family), with_int, older)
    assert incompatibilities(Level(f"{family}_TRANSITIVE"), with_int, older)


def test_the_first_schema_of_a_subject_is_always_compatible() -> None:
    assert not incompatibilities(Level.FULL_TRANSITIVE, parse_schema(ONE), [])


def test_of_a_doubled_member_the_last_counts_as_in_a_real_registry() -> None:
    assert parse_schema('{"type":"string","type":"int"}').kind == "int"


INVALID = {
    "not JSON": "{",
    "a number": "1",
    "an unknown type": '"integer"',
    "an object without a type": "{}",
    "a type that is an object within": '{"type":{"type":"int"}}',
    "a record without a name": '{"type":"record","fields":[]}',
    "a record without fields": '{"type":"record","name":"t"}',
    "a name that is none": '{"type":"record","name":"1t","fields":[]}',
    "a namespace that is none": '{"type":"record","name":"t","namespace":"a..b","fields":[]}',
    "a field that is no object": '{"type":"record","name":"t","fields":["a"]}',
    "a field without a type": '{"type":"record","name":"t","fields":[{"name":"a"}]}',
    "a field's name that is none": text(record(field("a-b"))),
    "an order that is none": text(record(field("a", order="up"))),
    "two fields of one name": text(record(field("a_b"), field("a_b"))),
    "aliases that are no list": text(record(field("a", aliases="b"))),
    "a union within a union": '["null",["int"]]',
    "a branch twice": '["int","int"]',
    "two arrays in a union": '[{"type":"array","items":"int"},{"type":"array","items":"long"}]',
    "a type defined twice": text(record(field("a", record()))),
    "a primitive defined anew": text(record(name="int")),
    "an enum without symbols": '{"type":"enum","name":"e"}',
    "a symbol twice": text(enum("A", "A")),
    "a symbol that is no name": text(enum("a-b")),
    "an enum's default that is no symbol": text(enum("A", default="B")),
    "a fixed without a size": '{"type":"fixed","name":"f"}',
    "a fixed of negative size": '{"type":"fixed","name":"f","size":-1}',
    "an array of nothing": '{"type":"array"}',
    "a map of nothing": '{"type":"map"}',
    "nested without end": '{"type":"array","items":' * 200 + '"int"' + "}" * 200,
    "JSON nested without end": "[" * 100_000,
}


@pytest.mark.parametrize("schema", INVALID.values(), ids=INVALID)
def test_what_is_not_a_schema_is_refused(schema: str) -> None:
    with pytest.raises(InvalidSchema):
        parse_schema(schema)


VALID: dict[str, Type] = {
    "a name": "int",
    "a union": ["null", "int", {"type": "array", "items": "int"}, {"type": "map", "values": "int"}],
    "an object for a name": {"type": "int"},
    "a full name": record(name="a.b.t", namespace="ignored"),
    "a reference within the namespace": record(
        field("a", record(name="u")), field("b", "u"), field("c", "n.u"), namespace="n"
    ),
    "a reference as an object": record(field("a", record(name="u")), field("b", {"type": "u"})),
    "two branches of different names": [enum("A"), enum("A", name="d"), fixed(1)],
    "an error is a record": {"type": "error", "name": "t", "fields": []},
    "a default that its type does not allow, as TiCDC once wrote": record(field("a", ["null", "string"], "null")),
}


@pytest.mark.parametrize("schema", VALID.values(), ids=VALID)
def test_what_is_a_schema_is_accepted(schema: Type) -> None:
    assert parse_schema(text(schema)).kind
