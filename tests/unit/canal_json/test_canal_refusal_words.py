"""What a refusal of a Canal-JSON message says to a person: what is wrong, and where."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from reference_impl.canal_json import Decoder, Options
from reference_impl.errors import Rejected
from reference_impl.model import Claim, Record, Table
from tests.unit.canal_json.messages import (
    COMMIT_TS,
    EXTENSION,
    OMIT,
    ROW,
    TP_INT,
    changed,
    column,
    decode_one,
    one_column,
)

_DDL = {"isDdl": True, "type": "ALTER", "sql": "x", **dict.fromkeys(("pkNames", "sqlType", "mysqlType", "data", "old"))}
_WATERMARK = _DDL | {
    "isDdl": False,
    "type": "TIDB_WATERMARK",
    "sql": "",
    "database": "",
    "table": "",
    "_tidb": {"watermarkTs": 1},
}


def refusal_of(message: dict[str, Any] | bytes, *tables: Table, **given: Any) -> tuple[str, str]:
    """(class, words) of the refusal of a message."""
    with pytest.raises(Rejected) as caught:
        decode_one(message, *tables, **given)
    return str(caught.value.reason), caught.value.message


# Members of the message, class, words.
MESSAGES: list[tuple[dict[str, Any], str, str]] = [
    *(({name: OMIT}, "schema", f"there is no member {name!r}") for name in changed() if name != "_tidb"),
    *(
        ({name: value}, "schema", f"{name!r} has the wrong JSON kind")
        for name, value in (
            *(
                ("id", "0"),
                ("id", None),
                ("id", False),
                ("database", 1),
                ("database", None),
                ("table", None),
                ("table", 1),
            ),
            *(("pkNames", "id"), ("pkNames", {"id": "id"}), ("pkNames", ["id", 1]), ("pkNames", [1])),
            *(("isDdl", 0), ("isDdl", "false"), ("type", 1), ("type", None), ("es", "1"), ("es", True)),
            *(("ts", True), ("ts", None), ("sql", None), ("sqlType", []), ("sqlType", {"id": "4"})),
            *(("sqlType", changed()["sqlType"] | {"c_int": True}), ("mysqlType", []), ("mysqlType", {"id": 4})),
            *(("data", {}), ("data", [ROW, 1]), ("data", [None]), ("old", {}), ("old", [None])),
        )
    ),
    ({"data": [{"id": 2}]}, "schema", "data.id is not a JSON string"),
    *(({"data": [ROW | {"c_int": n}]}, "schema", "data.c_int is not a JSON string") for n in (1, True)),
    ({"data": None}, "schema", "data does not have exactly one row"),
    *(({"data": rows}, "schema", "data does not have exactly one row") for rows in ([], [ROW, ROW])),
    *(({"sqlType": codes}, "schema", "sqlType and data have other columns") for codes in (None, {"id": 4})),
    *(({"mysqlType": types}, "schema", "mysqlType and data have other columns") for types in (None, {"id": "int"})),
    *(({"data": [row]}, "schema", "sqlType and data have other columns") for row in ({"id": "2"}, ROW | {"more": "1"})),
    *(({"type": "UPDATE", "old": rows}, "schema", "old does not have exactly one row") for rows in ([], [ROW, ROW])),
    ({"type": "UPDATE", "old": {}}, "schema", "'old' has the wrong JSON kind"),
    ({"type": "UPDATE", "old": [{"c_int": 1}]}, "schema", "old.c_int is not a JSON string"),
    ({"type": "UPDATE", "old": [{"more": "1"}]}, "schema", "old has a column that data has not"),
    *(({"_tidb": tidb}, "schema", "'_tidb' is not an object") for tidb in (None, [1])),
    ({"_tidb": {}}, "schema", "there is no member '_tidb.commitTs'"),
    (_DDL | {"_tidb": {}}, "schema", "there is no member '_tidb.commitTs'"),
    (_WATERMARK | {"_tidb": {"commitTs": 1}}, "schema", "there is no member '_tidb.watermarkTs'"),
    (_WATERMARK | {"_tidb": {}}, "schema", "there is no member '_tidb.watermarkTs'"),
    (_WATERMARK | {"_tidb": {}, "es": 0}, "schema", "there is no member '_tidb.watermarkTs'"),
    (_WATERMARK | {"_tidb": OMIT}, "schema", "there is no member '_tidb'"),
    *(
        ({"_tidb": {"commitTs": 1, name: value}}, "schema", f"'_tidb.{name}' has the wrong JSON kind")
        for name, value in (
            *(("commitTs", "1"), ("commitTs", None), ("watermarkTs", "1"), ("onlyHandleKey", "true")),
            *(("claimCheckLocation", 1), ("rowkey", 1)),
        )
    ),
    *(({"type": kind}, "type", f"type {kind!r} with isDdl false") for kind in ("UPSERT", "insert", "CREATE", "QUERY")),
    *(
        (_DDL | {"type": kind}, "type", f"type {kind!r} with isDdl true")
        for kind in ("INSERT", "TIDB_WATERMARK", "create")
    ),
    *(({name: n}, "type", f"{name} is not an integer") for name in ("id", "es", "ts") for n in (0.5, 1e3)),
    *(({"_tidb": {"commitTs": n}}, "type", "_tidb.commitTs is not an integer") for n in (0.5, 1.0)),
    ({"_tidb": {"commitTs": 1, "watermarkTs": 0.5}}, "type", "_tidb.watermarkTs is not an integer"),
    *(
        ({"sqlType": changed()["sqlType"] | {"c_int": code}}, "type", "sqlType.c_int is not an integer")
        for code in (4.5, 4.0)
    ),
    *(({name: -1}, "range", f"{name} is -1") for name in ("id", "es", "ts")),
    *(({name: 2**63}, "range", f"{name} is {2**63}") for name in ("id", "es", "ts")),
    *(({"_tidb": {"commitTs": n}}, "range", f"_tidb.commitTs is {n}") for n in (-1, 2**64)),
    ({"_tidb": {"commitTs": 1, "watermarkTs": -1}}, "range", "_tidb.watermarkTs is -1"),
    (_WATERMARK | {"_tidb": {"watermarkTs": 2**64}}, "range", f"_tidb.watermarkTs is {2**64}"),
    ({"data": [ROW | {"c_tinyint": "128"}]}, "range", "data.c_tinyint: 128 is outside tinyint"),
    ({"sqlType": changed()["sqlType"] | {"c_int": 5}}, "type", "sqlType.c_int is 5, expected 4"),
    ({"data": [ROW | {"c_int": "x"}]}, "type", "data.c_int: 'x' is not an integer"),
    ({"type": "UPDATE", "old": [{"c_int": "x"}]}, "type", "old.c_int: 'x' is not an integer"),
    ({"sql": "x"}, "semantics", "INSERT has a statement"),
    ({"old": [ROW]}, "semantics", "an INSERT has an old row"),
    ({"type": "UPDATE"}, "semantics", "an UPDATE has no old row"),
    *(
        ({"type": "DELETE", "old": [row]}, "semantics", "a DELETE has another old row")
        for row in ({}, ROW | {"c_int": "0"})
    ),
    ({"pkNames": ["id", "id"]}, "semantics", "pkNames has a name twice"),
    (_DDL | {"sql": ""}, "semantics", "a DDL message without a statement"),
    *(
        (_DDL | {name: value}, "semantics", f"ALTER has a {name}")
        for name, value in (
            *(("pkNames", ["id"]), ("sqlType", {"id": 4}), ("mysqlType", {"id": "int"})),
            *(("data", [{}]), ("old", [{}])),
        )
    ),
    (_WATERMARK | {"data": [{}]}, "semantics", "TIDB_WATERMARK has a data"),
    *(
        (_WATERMARK | {name: "x"}, "semantics", f"a watermark with a {word}")
        for name, word in (("database", "database"), ("table", "table"), ("sql", "sql"))
    ),
]


@pytest.mark.parametrize(("members", "reason", "words"), MESSAGES)
def test_a_refusal_has_its_class_and_names_what_is_wrong(members: dict[str, Any], reason: str, words: str) -> None:
    assert refusal_of(changed(**members)) == (reason, words)
    # Behind rows of its table too, which are read in a quicker way.
    good, bad = (
        Record(None, json.dumps(tree, separators=(",", ":")).encode()) for tree in (changed(), changed(**members))
    )
    with pytest.raises(Rejected) as caught:
        Decoder().decode([good, good, bad])
    assert (str(caught.value.reason), caught.value.message) == (reason, words)


@pytest.mark.parametrize("data", [b"[]", b"1", b"null", b'"text"'])
def test_a_message_that_is_no_object_is_named_so(data: bytes) -> None:
    assert refusal_of(data) == ("schema", "the message is not an object")


@pytest.mark.parametrize("value", [None, b""])
def test_a_record_without_a_value_is_named_so(value: bytes | None) -> None:
    with pytest.raises(Rejected, match=r"^a record without a value$") as caught:
        Decoder().decode([Record(None, value)])
    assert caught.value.reason == "framing"


def test_the_extension_that_is_on_is_missed() -> None:
    assert refusal_of(changed(_tidb=OMIT), options=EXTENSION) == ("schema", "there is no member '_tidb'")


# The table that is known, the message, the words.
TABLES: list[tuple[Table, dict[str, Any], str]] = [
    (one_column("varchar(10)"), column("int", "1", 4), "mysqlType.c is 'int', the table says 'varchar(10)'"),
    (one_column("int unsigned"), column("int", "1", 4), "mysqlType.c is 'int', the table says 'int unsigned'"),
    (one_column("int"), changed(pkNames=[]), "the table 'tp_int' has no column 'id'"),
    (one_column("int"), column("int", "1", 4, pkNames=["c"]), "pkNames ['c'] is not in the primary key of 'tp_int'"),
    (replace(one_column("int"), columns=()), column("int", "1", 4), "the table 'tp_int' has no column 'c'"),
    (replace(TP_INT, primary_key=()), changed(), "pkNames ['id'] is not in the primary key of 'tp_int'"),
    (TP_INT, changed(pkNames=["c_int"]), "pkNames ['c_int'] is not in the primary key of 'tp_int'"),
]


@pytest.mark.parametrize(("table", "message", "words"), TABLES)
def test_a_contradiction_names_what_the_table_says(table: Table, message: dict[str, Any], words: str) -> None:
    assert refusal_of(message, table) == ("semantics", words)


_AT = changed(_tidb={"commitTs": COMMIT_TS, "claimCheckLocation": "s3:/x.json"})
_RAW = replace(EXTENSION, claim_check_raw_value=True)


def _raw(**members: Any) -> bytes:
    return json.dumps(changed(**members)).encode()


@pytest.mark.parametrize(
    ("options", "content", "reason", "words"),
    [
        (EXTENSION, None, "semantics", "there is no claim-check file for 's3:/x.json'"),
        (EXTENSION, b"{", "syntax", "not JSON"),
        (EXTENSION, b'{"key":null,"value":"ew=="}', "syntax", "not JSON"),
        (EXTENSION, b"[]", "schema", "the claim-check file 's3:/x.json' has no value"),
        (EXTENSION, b'{"value":1}', "schema", "the claim-check file 's3:/x.json' has no value"),
        (EXTENSION, b'{"value":"?"}', "type", "the value in the claim-check file 's3:/x.json' is not base64"),
        (_RAW, json.dumps(_AT).encode(), "semantics", "a claim-check file holds a claim check"),
        *(
            (_RAW, _raw(**members), "semantics", "the claim-check file 's3:/x.json' holds another event")
            for members in (
                *({"type": "DELETE"}, {"database": "other"}, {"table": "other"}, {"_tidb": {"commitTs": 1}}),
                {**_WATERMARK, "_tidb": {"watermarkTs": COMMIT_TS}},
            )
        ),
    ],
)
def test_a_claim_check_is_named_by_its_location(
    options: Options, content: bytes | None, reason: str, words: str
) -> None:
    claims = () if content is None else (Claim("file:///x.json", content),)
    found, told = refusal_of(_AT, options=options, claims=claims)
    assert (found, told.partition(": ")[0]) == (reason, words)
