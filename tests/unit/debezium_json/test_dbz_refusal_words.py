"""What a refusal of a Debezium JSON message says to a person: what is wrong, and where."""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.debezium_json import Decoder, Options
from reference_impl.errors import Rejected
from reference_impl.model import Record, Table
from tests.unit.debezium_json.messages import OMIT, changed, compact, decode_one, without_schema

_STATEMENT = {
    "payload": {
        "source": {"db": "test", "table": "t", "commit_ts": 1},
        "ts_ms": 1,
        "databaseName": "test",
        "schemaName": None,
        "ddl": "DROP TABLE t",
        "tableChanges": [{"type": "DROP", "id": "x", "table": None}],
    }
}
_WATERMARK = {
    "payload": {"source": {"db": "", "table": "", "commit_ts": 3}, "ts_ms": 1, "transaction": None, "op": "m"}
}


def refusal_of(message: Any, *tables: Table, **given: Any) -> tuple[str, str]:
    """(class, words) of the refusal of a message."""
    with pytest.raises(Rejected) as caught:
        decode_one(message, *tables, **given)
    return str(caught.value.reason), caught.value.message


# What is replaced in the insert of a row, class, words.
ROWS: list[tuple[dict[str, Any], str, str]] = [
    *(({"payload.source": given}, "schema", "'source' is missing or not an object") for given in (OMIT, [], None)),
    *(
        ({f"payload.source.{name}": given}, "schema", f"'source.{name}' is missing or not a string")
        for name in ("db", "table")
        for given in (OMIT, 5, None, [], {})
    ),
    *(
        ({f"payload.source.{name}": given}, "schema", f"'source.{name}' is not a string")
        for name in ("name", "cluster_id", "connector", "version")
        for given in (1, None)
    ),
    ({"payload.source.commit_ts": None}, "schema", "'source.commit_ts' is null"),
    *(
        ({f"payload.{name}": given}, reason, words.format(name=name, given=given))
        for name in ("ts_ms", "source.ts_ms", "source.commit_ts", "source.start_ts")
        for given, reason, words in (
            ("1", "schema", "{name!r} has the wrong JSON kind"),
            (True, "schema", "{name!r} has the wrong JSON kind"),
            ([], "schema", "{name!r} has the wrong JSON kind"),
            ({}, "schema", "{name!r} has the wrong JSON kind"),
            (1.5, "type", "{name} is not an integer"),
            (-2, "range", "{name} is {given}"),
            (2**64, "range", "{name} is {given}"),
        )
    ),
    *(({f"payload.{name}": -1}, "range", f"{name} is -1") for name in ("ts_ms", "source.ts_ms", "source.commit_ts")),
    *(({f"payload.{name}": 2**63}, "range", f"{name} is {2**63}") for name in ("ts_ms", "source.ts_ms")),
    ({"payload.op": OMIT}, "schema", "there is neither 'op' nor 'ddl'"),
    *(({"payload.op": op}, "schema", "'op' is not a string") for op in (1, None)),
    *(({"payload.op": op}, "type", f"op is {op!r}") for op in ("x", "C", "")),
    ({"payload.after": []}, "schema", "'after' is not an object"),
    ({"payload.before": "x"}, "schema", "'before' is not an object"),
    ({"payload.op": "u", "payload.before": "x"}, "schema", "'before' is not an object"),
    *(
        ({"payload.op": op, f"payload.{image}": OMIT}, "schema", f"there is no member {image!r}")
        for op, image in (("c", "after"), ("r", "after"), ("u", "after"), ("d", "before"))
    ),
    *(
        (
            {"payload.op": op, "payload.before": None, "payload.after": None},
            "semantics",
            f"{image!r} of op {op!r} is null",
        )
        for op, image in (("c", "after"), ("r", "after"), ("u", "after"), ("d", "before"))
    ),
    *(
        ({"payload.op": op, "payload.before": {"tiny": 1}}, "semantics", f"op {op!r} has a member {image!r}")
        for op, image in (("c", "before"), ("r", "before"), ("d", "after"))
    ),
]


@pytest.mark.parametrize(("changes", "reason", "words"), ROWS)
def test_the_refusal_of_a_row_names_the_member(changes: dict[str, Any], reason: str, words: str) -> None:
    assert refusal_of(changed(changes)) == (reason, words)
    assert refusal_of(without_schema(changes)) == (reason, words)
    # Behind good rows of its table too, which are read in a quicker way.
    good, bad = Record(None, compact(changed())), Record(None, compact(changed(changes)))
    with pytest.raises(Rejected) as caught:
        Decoder().decode([good, good, bad])
    assert (str(caught.value.reason), caught.value.message) == (reason, words)


# What is replaced in the schema of the insert, class, words.
_TINY = {"field": "tiny", "type": "int16", "optional": False}
_BITS = {"type": "bytes", "name": "io.debezium.data.Bits"}
_DECIMAL = {"type": "bytes", "name": "org.apache.kafka.connect.data.Decimal"}
_FIELD = "a field of the schema"


def declared(*fields: Any) -> dict[str, Any]:
    return {"schema.fields.0.fields": list(fields), "schema.fields.1.fields": list(fields)}


SCHEMAS: list[tuple[dict[str, Any], str, str]] = [
    *(({"schema": given}, "schema", "'schema' of the value is not an object") for given in (5, None, [], "x")),
    *(({"schema.fields": given}, "schema", "the schema has no array 'fields'") for given in (None, OMIT, {})),
    ({"schema": {}}, "schema", "the schema has no array 'fields'"),
    ({"schema.type": "map"}, "schema", "the schema is not a struct"),
    ({"schema.type": OMIT}, "schema", "the schema is not a struct"),
    ({"schema.fields.2": 5}, "schema", "a field of the schema has no name"),
    ({"schema.fields.2.field": OMIT}, "schema", "a field of the schema has no name"),
    ({"schema.fields.2": {"type": "string"}}, "schema", "a field of the schema has no name"),
    ({"schema.fields.0.fields": OMIT}, "schema", "the schema of 'before' has no array 'fields'"),
    ({"schema.fields.1.fields": {}}, "schema", "the schema of 'after' has no array 'fields'"),
    ({"schema.fields": []}, "schema", "the schema describes neither 'before' nor 'after'"),
    ({"schema.fields.0.fields": []}, "semantics", "the schemas of 'before' and 'after' are not the same"),
    (declared(5), "schema", f"{_FIELD} is not an object"),
    *(
        (declared({n: v for n, v in _TINY.items() if n != name}), "schema", f"{_FIELD} has no member {name!r}")
        for name in ("field", "type")
    ),
    *(
        (declared(_TINY | {name: given}), "schema", f"{_FIELD}: {name!r} has the wrong JSON kind")
        for name, given in (
            *(("field", 1), ("type", 16), ("optional", "no"), ("name", None), ("tidb_type", 5)),
            ("parameters", []),
        )
    ),
    (declared(_TINY, _TINY | {"optional": True}), "schema", "the schema declares 'tiny' twice, in different ways"),
    *(
        (declared(*fields), "schema", "after.tiny: the schema does not declare the column")
        for fields in ((), ({"field": "other", "type": "int16"},))
    ),
    *(
        (declared(_TINY | {"type": kind} | name), "type", f"no column has the schema type {kind!r} and name {shown!r}")
        for kind, shown, name in (
            *(("int8", None, {}), ("INT16", None, {}), ("int16", "x", {"name": "x"})),
            ("int16", "io.debezium.time.Date", {"name": "io.debezium.time.Date"}),
            ("int32", "io.debezium.time.Dates", {"name": "io.debezium.time.Dates"}),
        )
    ),
    *(
        (declared(_TINY | {"tidb_type": word}), "type", f"tidb_type {word!r} contradicts type and name of the schema")
        for word in ("bigint", "varchar")
    ),
    *(
        (declared(_TINY | {"tidb_type": word}), "type", f"{word!r} is not a tidb_type")
        for word in ("tinyint(1)", "TINYINT", "point", "decimal unsigned")
    ),
    *(
        (declared(_TINY | {"type": "string", "name": name}), "schema", "the schema has no parameter 'allowed'")
        for name in ("io.debezium.data.Enum", "io.debezium.data.EnumSet")
    ),
    (declared(_TINY | _BITS), "schema", "the schema has no parameter 'length'"),
    (declared(_TINY | _BITS | {"parameters": {"length": 5}}), "schema", "the schema has no parameter 'length'"),
    (declared(_TINY | _DECIMAL), "schema", "the schema has no parameter 'scale'"),
    *(
        (declared(_TINY | _BITS | {"parameters": {"length": text}}), "type", f"the parameter 'length' is {text!r}")
        for text in ("x", "", "-1", "１")
    ),
    (declared(_TINY | {"tidb_type": "tiny"}), "type", "'tiny': unknown column type 'tiny'"),
    (declared(_TINY | _DECIMAL | {"parameters": {"scale": "-1"}}), "type", "the parameter 'scale' is '-1'"),
]


@pytest.mark.parametrize(("changes", "reason", "words"), SCHEMAS)
def test_the_refusal_of_a_schema_names_its_member(changes: dict[str, Any], reason: str, words: str) -> None:
    assert refusal_of(changed(changes)) == (reason, words)


@pytest.mark.parametrize(
    ("schema", "parameter", "number", "most"),
    [(_BITS, "length", "65", "64"), (_BITS, "length", "100", "64"), (_DECIMAL, "scale", "31", "30")],
)
def test_a_parameter_has_a_limit(schema: dict[str, Any], parameter: str, number: str, most: str) -> None:
    def message(given: str) -> dict[str, Any]:
        field = _TINY | schema | {"parameters": {parameter: given}}
        return changed({"payload.after": {"tiny": "AAAAAAAAAAA="}, **declared(field)})

    assert refusal_of(message(number)) == ("range", f"the parameter {parameter!r} is {number}")
    assert decode_one(message(most))


# The tree, class, words.
DOCUMENTS: list[tuple[Any, str, str]] = [
    *((tree, "schema", "the value is not an object") for tree in ([], "x", 1)),
    *((tree, "schema", "the value has no member 'payload'") for tree in ({}, {"schema": {}}, {"tiny": 1})),
    *(({"payload": given}, "schema", "'payload' of the value is not an object") for given in (None, [])),
    ({"payload": {}, "schema": 5}, "schema", "'schema' of the value is not an object"),
    ({"payload": [], "schema": {}}, "schema", "'payload' of the value is not an object"),
]


@pytest.mark.parametrize(("tree", "reason", "words"), DOCUMENTS)
def test_the_refusal_of_a_document_says_whether_it_is_key_or_value(tree: Any, reason: str, words: str) -> None:
    assert refusal_of(tree) == (reason, words)
    assert refusal_of(changed(), key=tree) == (reason, words.replace("the value", "the key"))
    assert refusal_of(without_schema(), key=tree) == (reason, words.replace("the value", "the key"))


@pytest.mark.parametrize(
    ("data", "reason", "words"),
    [
        (b"", "framing", "a {what} of zero bytes"),
        (b"\xff", "syntax", "{what}: not UTF-8 at byte 0"),
        (b'{"payload":{},"payload":{}}', "schema", "{what}: doubled member 'payload'"),
        (b'{"payload":{"a":{"b":"YQ==","b":"a"}}}', "schema", "{what}: doubled member outside a row"),
        (b'{"payload":{"after":{"b":1,"b":1}}}', "schema", "{what}: doubled member 'b'"),
        (b'[{"b":"YQ==","b":"a"}]', "schema", "{what}: doubled member outside a row"),
        (b'{"payload":[{"b":"YQ==","b":"a"}]}', "schema", "{what}: doubled member outside a row"),
    ],
)
def test_the_refusal_of_bytes_says_whether_they_are_key_or_value(data: bytes, reason: str, words: str) -> None:
    assert refusal_of(data) == (reason, words.format(what="value"))
    assert refusal_of(changed(), key=data) == (reason, words.format(what="key"))


@pytest.mark.parametrize(
    ("key", "words"),
    [
        *(
            ({"payload": {"tiny": given}}, "'tiny' is another value in the key than in the row")
            for given in (2, "1", True, None)
        ),
        ({"payload": {"tiny": 1, "more": 1}}, "the key has a column 'more', which the row has not"),
    ],
)
def test_a_key_that_contradicts_its_row_is_named_by_the_column(key: Any, words: str) -> None:
    assert refusal_of(changed(), key=key) == refusal_of(without_schema(), key=key) == ("semantics", words)
    good = Record(compact({"payload": {"tiny": 1}, "schema": {"type": "struct"}}), compact(changed()))
    with pytest.raises(Rejected, match="key") as caught:
        Decoder().decode([good, good, Record(compact(key), compact(changed()))])
    assert caught.value.reason == "semantics"


_CHANGE = "payload.tableChanges.0"
STATEMENTS: list[tuple[dict[str, Any], str, str]] = [
    *(({"payload.ddl": given}, "schema", "'ddl' is not a string") for given in (5, None)),
    ({"payload.ddl": OMIT}, "schema", "there is neither 'op' nor 'ddl'"),
    ({"payload.source": OMIT}, "schema", "'source' is missing or not an object"),
    ({"payload.source.commit_ts": 2**64}, "range", f"source.commit_ts is {2**64}"),
    ({"payload.ddl": ""}, "semantics", "a DDL message without a statement"),
    ({"payload.databaseName": 5}, "schema", "'databaseName' is not a string"),
    ({"payload.databaseName": "a"}, "semantics", "databaseName is 'a', source.db is 'test'"),
    ({"payload.tableChanges": OMIT}, "schema", "'tableChanges' is missing or not an array"),
    ({"payload.tableChanges": {}}, "schema", "'tableChanges' is missing or not an array"),
    ({"payload.tableChanges": [5]}, "schema", "a table change is not an object"),
    *(
        ({f"{_CHANGE}.{name}": given}, "schema", f"'tableChanges.{name}' is missing or not a string")
        for name in ("type", "id")
        for given in (OMIT, 5, None)
    ),
    *(({f"{_CHANGE}.table": given}, "schema", "'tableChanges.table' is not an object") for given in ([], "x")),
    ({f"{_CHANGE}.type": "RENAME"}, "type", "a table change has the type 'RENAME'"),
    ({f"{_CHANGE}.type": "drop"}, "type", "a table change has the type 'drop'"),
    ({"payload.source.table": 5}, "schema", "'source.table' is missing or not a string"),
]


@pytest.mark.parametrize(("changes", "reason", "words"), STATEMENTS)
def test_the_refusal_of_a_statement_names_the_member(changes: dict[str, Any], reason: str, words: str) -> None:
    assert refusal_of(changed(changes, base=_STATEMENT)) == (reason, words)


@pytest.mark.parametrize("kind", ["CREATE", "ALTER", "DROP"])
def test_a_table_change_is_one_of_three_kinds(kind: str) -> None:
    assert decode_one(changed({f"{_CHANGE}.type": kind, f"{_CHANGE}.table": {}}, base=_STATEMENT))


@pytest.mark.parametrize(
    ("key", "reason", "words"),
    [
        *(
            ({"payload": given}, "schema", "the key has no string 'databaseName'")
            for given in ({}, {"databaseName": 1}, {"databaseName": None})
        ),
        ({"payload": {"databaseName": "a"}}, "semantics", "the key names 'a', source.db is 'test'"),
    ],
)
def test_the_refusal_of_the_key_of_a_statement_names_the_database(key: Any, reason: str, words: str) -> None:
    assert refusal_of(_STATEMENT, key=key) == (reason, words)


@pytest.mark.parametrize(
    ("changes", "reason", "words"),
    [
        ({"payload.source.commit_ts": OMIT}, "schema", "there is no member 'source.commit_ts'"),
        ({"payload.source.commit_ts": 1.5}, "type", "source.commit_ts is not an integer"),
        ({"payload.source.commit_ts": -1}, "range", "source.commit_ts is -1"),
        ({"payload.source.db": OMIT}, "schema", "'source.db' is missing or not a string"),
        ({"payload.after": {}}, "semantics", "a watermark has a member 'after'"),
        *(({"payload.before": row}, "semantics", "a watermark has a member 'before'") for row in ({}, {"a": 1})),
        ({"payload.source.db": "a"}, "semantics", "a watermark has a source.db"),
        ({"payload.source.table": "a"}, "semantics", "a watermark has a source.table"),
    ],
)
def test_the_refusal_of_a_watermark_names_the_member(changes: dict[str, Any], reason: str, words: str) -> None:
    assert refusal_of(changed(changes, base=_WATERMARK)) == (reason, words)


def test_null_in_a_column_that_does_not_allow_it_names_row_and_column() -> None:
    null = {"tiny": None}
    message = changed({"payload.op": "u", "payload.before": null})
    assert refusal_of(changed({"payload.after": null})) == (
        "type",
        "after.tiny is null, which its schema does not allow",
    )
    assert refusal_of(message) == ("type", "before.tiny is null, which its schema does not allow")


def test_a_large_message_option_is_refused_by_its_value() -> None:
    with pytest.raises(Rejected) as caught:
        Options(large_message_handle_option="claim-check")
    words = "large-message-handle-option=claim-check: Debezium JSON has no such messages"
    assert (caught.value.reason, caught.value.message) == ("semantics", words)
