"""Each thing that an Avro encoder can do wrong is held against the requirements that speak of it, and no other."""

from __future__ import annotations

import pytest
from avro_answers import AS_STRINGS, BEFORE, TABLE, ZONED, case_of, row, with_message
from avro_cases import DELETE, EXTENSION, INSERT, KEPT, MARK, MARKED_DELETE, MOVED_RAW, STATEMENT, TEXTS
from avro_changes import (
    added,
    avro,
    before,
    before_as,
    default,
    field,
    moved,
    no_default,
    nullable,
    parameter,
    renamed,
    renamed_before,
    reordered,
    schema,
    statement,
    turn_members,
    turned,
    typed,
    value,
    whole,
    without,
)

from conformance.cases.model import Case
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from tests.unit.oracle.judging import OLD, SMALL, Change, answer_of, blamed

ODD = {
    **SMALL,
    "name": "1-t",
    "schema": "a.b",
    "columns": [*SMALL["columns"], {"name": "2x", "type": "int"}, {"name": "y-z", "type": "int"}],
}

KEPT_OTHER = case_of("encode", row("update", base={"id": "1", "a": "18"}, a="3"), table=SMALL, options=BEFORE)
KEPT_DELETE = case_of("encode", row("delete", base=OLD), table=SMALL, options=BEFORE)
EASTERN = case_of("encode", row("insert"), settings=ZONED)
NAMES = case_of(
    "encode",
    row("insert", base={**OLD, "2x": "3", "y-z": "4"}, table="1-t") | {"schema": "a.b"},
    table=ODD,
)
NAMES_BEFORE = case_of(
    "encode",
    row("update", base={**OLD, "2x": "3", "y-z": "4"}, table="1-t", a="3") | {"schema": "a.b"},
    table=ODD,
    options=BEFORE,
)
DEFAULT_IN_KEY = case_of(
    "encode",
    row("insert", base=OLD),
    table={**SMALL, "columns": [{**SMALL["columns"][0], "default": "7"}, SMALL["columns"][1]]},
)


MESSAGES: list[tuple[list[str], Case, Change]] = [
    # names
    (["AV-035a"], INSERT, schema(name="test.t")),
    (["AV-035"], INSERT, schema(name="u")),
    (["AV-036a"], INSERT, schema(namespace="test")),
    (["AV-036a"], INSERT, schema(namespace="x.y.test")),
    (["AV-036a"], INSERT, schema(namespace="default.x.test")),
    (["AV-035"], INSERT, schema(namespace="test.x.y")),
    (["AV-036"], INSERT, lambda tree: tree["value"]["schema"].pop("namespace")),
    (["AV-035"], INSERT, schema(namespace="default")),
    (["AV-035a"], INSERT, schema("key", name="test.t")),
    (["AV-035a"], INSERT, schema(name="default.test.t")),
    (["AV-035"], INSERT, schema(name="default.t.u")),
    (["AV-037"], NAMES, schema(namespace="default.a.b")),
    (["AV-037a"], NAMES, schema(name="1_t")),
    (["AV-037a"], NAMES, renamed("_2x", "2x")),
    (["AV-037"], NAMES, renamed("y_z", "y-z")),
    (["AV-039"], INSERT, renamed("c", "C")),
    (["AV-039"], INSERT, renamed("id", "ID", "key")),
    # the schema's text
    (["AV-025"], INSERT, reordered()),
    (["AV-026"], INSERT, turn_members(lambda tree: field(tree, "tu"))),
    (["AV-027"], INSERT, turn_members(lambda tree: typed(field(tree, "m")))),
    (["AV-028"], INSERT, turn_members(lambda tree: typed(field(tree, "e"))["connect.parameters"])),
    (["AV-031"], INSERT, schema(doc="a table")),
    (["AV-031"], INSERT, schema("key", aliases=["u"])),
    (["AV-028a"], INSERT, parameter("bt", "length", 10)),
    (["AV-110"], INSERT, moved("c", 0)),
    (["AV-112c"], INSERT, moved("k", 0, "key")),
    # the types
    (["AV-075"], INSERT, avro("ti", "long")),
    (["AV-075a"], INSERT, parameter("ti", "tidb_type", "TINYINT")),
    (["AV-076"], INSERT, avro("tu", "long")),
    (["AV-076a"], INSERT, parameter("tu", "tidb_type", "INT")),
    (["AV-077"], INSERT, avro("id", "long")),
    (["AV-078"], INSERT, avro("iu", "string", "4294967295")),
    (["AV-078a"], INSERT, parameter("iu", "tidb_type", "BIGINT UNSIGNED")),
    (["AV-079"], INSERT, avro("b", "string")),
    (["AV-080"], INSERT, avro("bu", "string")),
    (["AV-080a"], INSERT, parameter("bu", "tidb_type", "BIGINT")),
    (["AV-081"], TEXTS, avro("bu", "long")),
    (["AV-082"], INSERT, avro("f", "double")),
    (["AV-082c", "AV-099a"], INSERT, parameter("f", "tidb_type", "FLOAT UNSIGNED")),
    (["AV-083", "AV-083b"], INSERT, avro("g", "float")),
    (["AV-084"], INSERT, lambda tree: typed(field(tree, "m")).pop("logicalType")),
    (["AV-084b"], INSERT, lambda tree: typed(field(tree, "m")).pop("precision")),
    (["AV-085"], TEXTS, lambda tree: typed(field(tree, "m")).update(precision=30)),
    (["AV-086a"], INSERT, parameter("bt", "tidb_type", "BLOB")),
    (["AV-086b"], INSERT, parameter("bt", "length", "2")),
    (["AV-086b"], INSERT, parameter("bt", "length", None)),
    (["AV-087"], INSERT, avro("c", "bytes", "79")),
    (["AV-087a"], INSERT, parameter("c", "tidb_type", "VARCHAR")),
    (["AV-088"], INSERT, avro("bn", "string", "a\0\0\0")),
    (["AV-088a"], INSERT, parameter("q", "tidb_type", "TEXT")),
    (["AV-089a"], INSERT, parameter("e", "tidb_type", "TEXT")),
    (["AV-089b"], INSERT, parameter("e", "allowed", None)),
    (["AV-090b"], INSERT, parameter("s", "allowed", "y,x")),
    (["AV-106"], INSERT, parameter("e", "allowed", "a,b,c")),
    (["AV-091a"], INSERT, parameter("j", "tidb_type", "TEXT")),
    (["AV-092a"], INSERT, parameter("d", "tidb_type", "DATETIME")),
    (["AV-094a"], INSERT, parameter("w", "tidb_type", "DATETIME")),
    (["AV-096"], INSERT, avro("y", "string")),
    (["AV-096a", "AV-099a"], INSERT, parameter("y", "tidb_type", "YEAR UNSIGNED")),
    (["AV-097a"], INSERT, parameter("v", "tidb_type", "VECTOR")),
    (["AV-099"], INSERT, avro("cb", "string", "x")),
    # null and defaults
    (["AV-045"], INSERT, nullable("id")),
    (["AV-045a"], INSERT, default("id", 0)),
    (["AV-046"], INSERT, no_default("tu")),
    (["AV-047"], INSERT, no_default("ti")),
    (["AV-047"], INSERT, turned("ti")),
    (["AV-048"], INSERT, turned("iu")),
    (["AV-048"], INSERT, default("iu", None)),
    (["AV-049"], INSERT, default("mn", "AA==")),
    (["AV-050"], INSERT, default("m", "1.50")),
    (["AV-055"], INSERT, default("tu", "2")),
    (["AV-056"], INSERT, default("iu", "17")),
    (
        ["AV-058"],
        case_of(
            "encode",
            row("insert"),
            options=AS_STRINGS,
            table={**TABLE, "columns": [{**c, "default": "5"} if c["name"] == "bu" else c for c in TABLE["columns"]]},
        ),
        default("bu", 5),
    ),
    (["AV-059"], INSERT, default("f", "3.14")),
    (["AV-060"], INSERT, default("g", "0.5")),
    (["AV-061"], TEXTS, default("m", 1.5)),
    (["AV-062"], INSERT, default("q", "bin")),
    (["AV-063"], INSERT, default("c", "A<B")),
    (["AV-064"], INSERT, default("e", 1)),
    (["AV-065"], INSERT, default("d", "2024-01-02 00:00:00")),
    (["AV-066a"], INSERT, default("w", "CURRENT_TIMESTAMP()")),
    (["AV-068"], INSERT, default("nu", None)),
    (["AV-030a"], DEFAULT_IN_KEY, no_default("id", "key")),
    # values
    (["AV-075b"], INSERT, value("ti", "3")),
    (["AV-077b"], INSERT, value("id", "2")),
    (["AV-078b"], INSERT, value("iu", "-1")),
    (["AV-079b"], INSERT, value("b", "9007199254740992")),
    (["AV-080b", "AV-080c"], INSERT, value("big", "9223372036854775807")),
    (["AV-081a"], TEXTS, value("big", "-1")),
    (["AV-082d"], INSERT, value("f", "0.2")),
    (["AV-083b"], INSERT, value("g", "0.10000000149011612")),
    (["AV-100"], INSERT, value("mn", "7e")),
    (["AV-101"], INSERT, value("mn", "007d")),
    (["AV-085a"], TEXTS, value("mn", "1.3")),
    (["AV-085b"], TEXTS, value("mn", "1.250")),
    (["AV-105"], INSERT, value("bt", "4100")),
    (["AV-105b"], INSERT, value("bt", "41")),
    (["AV-087b"], INSERT, value("x", "Text")),
    (["AV-088b"], INSERT, value("q", "0102")),
    (["AV-088c"], INSERT, value("bn", "61")),
    (["AV-089c"], INSERT, value("e", "a")),
    (["AV-089c", "AV-107"], INSERT, value("e", "b\\,c")),
    (["AV-090c"], INSERT, value("s", "x")),
    (["AV-090d"], INSERT, value("s", "y,x")),
    (["AV-091b"], INSERT, value("j", '{"a": 2, "b": [2]}')),
    (["AV-091c"], INSERT, value("j", '{"a":1,"b":[2]}')),
    (["AV-092b"], INSERT, value("d", "2024-03-01")),
    (["AV-093c"], INSERT, value("dt", "2024-02-29 01:02:03.45")),
    (["AV-094b", "AV-094d"], EASTERN, value("w", "2024-02-28 17:02:03")),
    (["AV-094c"], INSERT, value("w", "2024-02-29T01:02:03")),
    (["AV-095b"], INSERT, value("tm", "01:02:03.5")),
    (["AV-096b"], INSERT, value("y", "24")),
    (["AV-052"], INSERT, value("ti", None)),
    (["AV-110b"], INSERT, value("gen", "9")),
    # key and value
    (["AV-112"], INSERT, without("id", "key")),
    (["AV-112"], INSERT, added("o", "int", "0", "key")),
    (["AV-112"], INSERT, whole("key", None)),
    (["AV-003"], INSERT, without("c")),
    (["AV-003"], INSERT, whole("value", None)),
    (["AV-004"], DELETE, whole("value", b"")),
    (["AV-004a", "AV-077b"], DELETE, value("id", "2", "key")),
    (["AV-110b"], INSERT, without("gen")),
    (["AV-030"], EXTENSION, added("_tidb_op", "string", "c", "key")),
    (["AV-009a", "AV-077b"], MOVED_RAW, value("id", "1", "key")),
    # the extension
    (["AV-116"], EXTENSION, value("_tidb_op", "i")),
    (["AV-117"], EXTENSION, value("_tidb_commit_ts", "8")),
    (["AV-118"], EXTENSION, value("_tidb_commit_physical_time", "8")),
    (["AV-116a"], EXTENSION, nullable("_tidb_op")),
    (["AV-117b"], EXTENSION, no_default("_tidb_commit_ts")),
    (["AV-116c"], EXTENSION, without("_tidb_commit_physical_time")),
    (["AV-116d"], EXTENSION, moved("_tidb_op", 99)),
    (["AV-116d"], EXTENSION, moved("_tidb_op", 0)),
    (["AV-116c"], INSERT, added("_tidb_op", "string", "c")),
    (["AV-116e"], EXTENSION, added("_tidb_row_level_checksum", "string", "")),
    # the row before
    (["AV-037a"], NAMES_BEFORE, renamed_before("_2x", "2x")),
    (["AV-037"], NAMES_BEFORE, renamed_before("y_z", "y-z")),
    (["AV-077b", "AV-121"], KEPT, before("a", "4")),
    (["AV-077"], KEPT_OTHER, before_as("a", "bytes", "12")),  # the same number, by the type that it has there
    (["AV-077", "AV-077b", "AV-121"], KEPT_OTHER, before_as("a", "bytes", "13")),
    (["AV-121"], KEPT, value("_ticdc_before", None)),
    (["AV-077b", "AV-121a"], KEPT_DELETE, before("a", "4")),
    (["AV-121a"], KEPT_DELETE, value("_tidb_op", "u")),
    (["AV-122"], KEPT, without("_tidb_op")),
    (["AV-120"], KEPT, without("_ticdc_before")),
    # the mode for tests
    (["AV-130"], MARK, whole("value", b"\2" + bytes(8))),
    (["AV-130"], MARK, whole("value", b"\2" + bytes(7))),
    (["AV-130a"], STATEMENT, statement(query="x")),
    (["AV-130b"], STATEMENT, turn_members(lambda tree: tree["value"]["ddl"])),
    (["AV-130d"], STATEMENT, statement(type=6)),
    (["AV-130a"], STATEMENT, statement(more=1)),
    (["AV-131"], MARKED_DELETE, whole("value", None)),
    (["AV-131"], MARKED_DELETE, whole("value", b"\3" + bytes(8))),
]


@pytest.mark.parametrize(
    ("requirements", "case", "change"), MESSAGES, ids=[f"{i}-{'+'.join(m[0])}" for i, m in enumerate(MESSAGES)]
)
def test_a_wrong_message_is_held_against_what_speaks_of_it(requirements: list[str], case: Case, change: Change):
    assert blamed(case, answer_of(case)) == []
    assert blamed(case, with_message(case, change)) == requirements


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC, DOC], ids=lambda profile: profile.name)
@pytest.mark.parametrize(
    "case", [INSERT, EXTENSION, TEXTS, KEPT, KEPT_DELETE, MARKED_DELETE, NAMES, NAMES_BEFORE, DEFAULT_IN_KEY]
)
def test_what_the_reference_writes_breaks_nothing(case: Case, profile: Profile):
    assert blamed(case, answer_of(case, profile), profile) == []
