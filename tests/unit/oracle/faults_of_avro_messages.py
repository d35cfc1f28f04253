"""Faults of Avro: what an encoder writes wrong in a message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.oracle.tree import MISSING
from tests.unit.oracle.avro_answers import AS_STRINGS, BEFORE, EXTENDED, RAW, WATCHED, ZONED, case_of, row
from tests.unit.oracle.changes import Fault, edit, faults
from tests.unit.oracle.judging import OLD, SMALL, ddl_event, mark


def field(tree: Any, name: str, part: str = "value") -> dict[str, Any]:
    """The field of that name in the schema of a part."""
    return next(field for field in tree[part]["schema"]["fields"] if field["name"] == name)


def typed(given: dict[str, Any]) -> dict[str, Any]:
    """The type of a field that is not null."""
    kind = given["type"]
    found: dict[str, Any] = next(b for b in kind if b != "null") if isinstance(kind, list) else kind
    return found


@edit
def avro(tree: Any, name: str, kind: str, text: str | None = None, part: str = "value") -> None:
    """Another Avro type of a column, and the value that it then has."""
    typed(field(tree, name, part))["type"] = kind
    if text is not None:
        tree[part]["row"][name] = text


@edit
def parameter(tree: Any, name: str, key: str, text: Any, part: str = "value") -> None:
    """Another member of `connect.parameters`; None takes it away."""
    parameters = typed(field(tree, name, part))["connect.parameters"]
    parameters[key] = text
    if text is None:
        del parameters[key]


@edit
def turned(tree: Any, name: str, part: str = "value") -> None:
    """The branches of a union the other way round."""
    field(tree, name, part)["type"].reverse()


@edit
def nullable(tree: Any, name: str, part: str = "value") -> None:
    """A column made nullable."""
    given = field(tree, name, part)
    given["type"] = ["null", given["type"]]


@edit
def renamed(tree: Any, name: str, new: str, part: str = "value") -> None:
    """Another name of a field, in schema and data."""
    field(tree, name, part)["name"] = new
    tree[part]["row"][new] = tree[part]["row"].pop(name)


@edit
def without(tree: Any, name: str, part: str = "value") -> None:
    """A field that is left out."""
    tree[part]["schema"]["fields"].remove(field(tree, name, part))
    del tree[part]["row"][name]


@edit
def added(tree: Any, name: str, kind: Any, text: str, part: str = "value", at: int = 99) -> None:
    """A field that is too much."""
    tree[part]["schema"]["fields"].insert(at, {"name": name, "type": kind})
    tree[part]["row"][name] = text


@edit
def moved(tree: Any, name: str, to: int, part: str = "value") -> None:
    """A field at another place."""
    fields = tree[part]["schema"]["fields"]
    one = field(tree, name, part)
    fields.remove(one)
    fields.insert(to, one)


@edit
def before_as(tree: Any, name: str, kind: str, text: str) -> None:
    """Another Avro type of a column in the row before alone, and the value that it then has."""
    fields = typed(field(tree, "_ticdc_before"))["fields"]
    typed(next(field for field in fields if field["name"] == name))["type"] = kind
    tree["value"]["row"]["_ticdc_before"][name] = text


@edit
def renamed_before(tree: Any, name: str, new: str) -> None:
    """Another name of a field in the row before alone, in schema and data."""
    fields = typed(field(tree, "_ticdc_before"))["fields"]
    next(field for field in fields if field["name"] == name)["name"] = new
    row = tree["value"]["row"]["_ticdc_before"]
    row[new] = row.pop(name)


@edit
def turn_members(tree: Any, of: Callable[[Any], dict[str, Any]]) -> None:
    """The members of an object the other way round."""
    found = of(tree)
    items = list(found.items())
    found.clear()
    found.update(reversed(items))


# -- messages ----------------------------------------------------------------------------------------------------------

UNIQUE = {**SMALL, "primary_key": [], "unique_keys": [{"name": "u", "columns": ["id"]}]}
WIDER = {**SMALL, "columns": [*SMALL["columns"], {"name": "c", "type": "int"}]}

INSERT = case_of("encode", row("insert"))
UPDATE = case_of("encode", row("update", c="z"))
DELETE = case_of("encode", row("delete"))
EXTENSION = case_of("encode", row("insert"), options=EXTENDED)
TEXTS = case_of("encode", row("insert"), options=AS_STRINGS)
KEPT = case_of("encode", row("update", base=OLD, a="3"), table=SMALL, options=BEFORE)
MOVED_RAW = case_of("encode", row("update", base=OLD, id="5"), table=SMALL, options=RAW)
STATEMENT = case_of("encode", ddl_event(), table=SMALL, options=WATCHED)
MARK = case_of("encode", mark(), table=SMALL, options=WATCHED)
MARKED_DELETE = case_of("encode", row("delete", base=OLD), table=SMALL, options=WATCHED)

ODD = {
    **SMALL,
    "name": "1-t",
    "schema": "a.b",
    "columns": [*SMALL["columns"], {"name": "2x", "type": "int"}, {"name": "y-z", "type": "int"}],
}
IN_ODD = {"base": {**OLD, "2x": "3", "y-z": "4"}, "table": "1-t"}

KEPT_OTHER = case_of("encode", row("update", base={"id": "1", "a": "18"}, a="3"), table=SMALL, options=BEFORE)
KEPT_DELETE = case_of("encode", row("delete", base=OLD), table=SMALL, options=BEFORE)
EASTERN = case_of("encode", row("insert"), settings=ZONED)
NAMES = case_of("encode", row("insert", **IN_ODD) | {"schema": "a.b"}, table=ODD)
NAMES_BEFORE = case_of("encode", row("update", **IN_ODD, a="3") | {"schema": "a.b"}, table=ODD, options=BEFORE)
DEFAULT_IN_KEY = case_of(
    "encode",
    row("insert", base=OLD),
    table={**SMALL, "columns": [{**SMALL["columns"][0], "default": "7"}, SMALL["columns"][1]]},
)

MESSAGES: list[Fault] = [
    *faults(
        INSERT,
        ("039", renamed("id", "ID", "key")),
        ("026", turn_members(lambda tree: field(tree, "tu"))),
        ("027", turn_members(lambda tree: typed(field(tree, "m")))),
        ("028", turn_members(lambda tree: typed(field(tree, "e"))["connect.parameters"])),
        ("028a", parameter("bt", "length", 10)),
        ("112c", moved("k", 0, "key")),
        ("077", avro("id", "long")),
        ("080a", parameter("bu", "tidb_type", "BIGINT")),
        ("082", avro("f", "double")),
        ("099a / 082c", parameter("f", "tidb_type", "FLOAT UNSIGNED")),
        ("083 083b", avro("g", "float")),
        ("084b", lambda tree: typed(field(tree, "m")).pop("precision")),
        ("086b", parameter("bt", "length", "2")),
        ("086b", parameter("bt", "length", None)),
        ("087", avro("c", "bytes", "79")),
        ("089b", parameter("e", "allowed", None)),
        ("090b", parameter("s", "allowed", "y,x")),
        ("106", parameter("e", "allowed", "a,b,c")),
        ("099a / 096a", parameter("y", "tidb_type", "YEAR UNSIGNED")),
        ("099", avro("cb", "string", "x")),
        ("045", nullable("id")),
        ("047", turned("ti")),
        ("048", turned("iu")),
        ("003", without("c")),
        "value.schema",
        ("035a", "name", "test.t"),
        ("035", "namespace", "test.x.y"),
        ("035", "namespace", "default"),
        ("035a", "name", "default.test.t"),
        ("031", "doc", "a table"),
        "key.schema",
        ("031", "aliases", ["u"]),
        "value.schema.fields",
        ("045a", "id.default", 0),
        ("046", "tu.default", MISSING),
        ("047", "ti.default", MISSING),
        ("048", "iu.default", None),
        ("049", "mn.default", "AA=="),
        ("055", "tu.default", "2"),
        ("056", "iu.default", "17"),
        ("064", "e.default", 1),
        ("065", "d.default", "2024-01-02 00:00:00"),
        ("066a", "w.default", "CURRENT_TIMESTAMP()"),
        "value.row",
        ("078b", "iu", "-1"),
        ("082d", "f", "0.2"),
        ("104 / 100", "m", "bd12edc4f427e00000"),  # as a double has it
        ("105", "bt", "4100"),
        ("105b", "bt", "41"),
        ("088b", "q", "0102"),
        ("088c", "bn", "61"),
        ("091b", "j", '{"a": 2, "b": [2]}'),
        ("091c", "j", '{"a":1,"b":[2]}'),
        ("092b", "d", "2024-03-01"),
        ("094c", "w", "2024-02-29T01:02:03"),
        ("095b", "tm", "01:02:03.5"),
        ("096b", "y", "24"),
        ("052", "ti", None),
        ("110b", "gen", "9"),
    ),
    *faults(
        NAMES,
        ("037a", renamed("_2x", "2x")),
        "value.schema",
        ("037", "namespace", "default.a.b"),
        ("037a", "name", "1_t"),
    ),
    *faults(TEXTS, ("085", lambda tree: typed(field(tree, "m")).update(precision=30)), "value.row"),
    *faults(DEFAULT_IN_KEY, ("030a", "key.schema.fields.id.default", MISSING)),
    *faults(EASTERN, ("094d / 094b", "value.row.w", "2024-02-28 17:02:03")),
    *faults(UPDATE, ("003 / 087b", "value.row.c", "y")),  # the old value, and another
    *faults(DELETE, ("077b / 004a", "key.row.id", "2")),
    *faults(
        EXTENSION,
        ("116d", moved("_tidb_op", 99)),
        ("116d", moved("_tidb_op", 0)),
        ("117b", "value.schema.fields._tidb_commit_ts.default", MISSING),
    ),
    *faults(MOVED_RAW, ("077b / 009a", "key.row.id", "1")),
    *faults(NAMES_BEFORE, ("037a", renamed_before("_2x", "2x")), ("037", renamed_before("y_z", "y-z"))),
    *faults(
        KEPT,
        ("120", without("_ticdc_before")),
        ("077b / 121", "value.row._ticdc_before.a", "4"),
        ("121 / 077b", "value.row._ticdc_before.a", "3"),  # the new value
    ),
    *faults(
        KEPT_OTHER,
        ("077", before_as("a", "bytes", "12")),  # the same number, by the type that it has there
        ("077 077b / 121", before_as("a", "bytes", "13")),
    ),
    *faults(KEPT_DELETE, ("077b / 121a", "value.row._ticdc_before.a", "4"), ("121a", "value.row._tidb_op", "u")),
    *faults(STATEMENT, "value.ddl", ("130a", "query", "x"), ("130a", "more", 1)),
]
