"""Rows of Canal's flat message: what one message holds, `old`, key names, row images, queries, and its position.

The expectations are those of the rules and of what Canal 1.1.7 was recorded to write.
"""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import Column, DdlEvent, Key, Record, RowChange, Table, Value
from reference_impl.settings import Settings
from reference_impl.tso import compose
from reference_impl.upstream.canal import Decoder
from tests.unit.upstream.canal.flat_messages import ROW, options, row_event, table_of, tree_of, write


def test_the_worked_insert_comes_out_byte_for_byte() -> None:
    [data] = write(row_event("insert", after=ROW))
    assert data == (
        b'{"data":[{"id":"2","c_tinyint":"127","c_int":"2147483647"}],"database":"test","es":1639633141000,"gtid":"",'
        b'"id":7,"isDdl":false,"mysqlType":{"id":"int","c_tinyint":"tinyint","c_int":"int"},"old":null,'
        b'"pkNames":["id"],"sql":"","sqlType":{"id":4,"c_tinyint":-6,"c_int":4},"table":"tp_int","ts":1639633142960,'
        b'"type":"INSERT"}'
    )


def test_rows_of_one_rows_event_are_one_message() -> None:
    rows = [{**ROW, "id": str(n)} for n in (1, 2, 3)]
    events = [row_event("delete", before=row, rows_event="e") for row in rows]
    [data] = write(*events)
    assert tree_of(data)["data"] == rows
    assert tree_of(data)["old"] is None
    assert len(write(*[row_event("delete", before=row) for row in rows])) == 3


def test_old_gathers_what_changed_in_the_row_and_in_rows_before_it() -> None:
    before: list[dict[str, Value]] = [
        {"id": "1", "c_tinyint": "1", "c_int": "1"},
        {"id": "2", "c_tinyint": None, "c_int": "2"},
    ]
    after = [{**before[0], "c_int": None}, {**before[1], "c_tinyint": "3"}]
    [data] = write(*(row_event("update", b, a, rows_event="e") for b, a in zip(before, after, strict=True)))
    assert tree_of(data)["old"] == [{"c_int": "1"}, {"c_tinyint": None, "c_int": "2"}]


def test_the_last_row_decides_the_codes_of_a_message() -> None:
    table = table_of("set('a')")
    rows: list[Value] = ["a", None]
    [data] = write(*(row_event("insert", after={"c": v}, table=table, rows_event=1) for v in rows), tables=[table])
    assert tree_of(data)["sqlType"] == {"c": 2004}


def test_a_change_of_a_key_stays_one_update() -> None:
    [data] = write(row_event("update", ROW, {**ROW, "id": "3"}))
    assert (tree_of(data)["type"], tree_of(data)["old"]) == ("UPDATE", [{"id": "2"}])


def test_an_update_that_changes_nothing_has_an_empty_old_row() -> None:
    [data] = write(row_event("update", ROW, ROW))
    assert tree_of(data)["old"] == [{}]


_KEYS = Table(
    "s",
    "t",
    tuple(Column(n, parse_column_type(k), nullable=n == "t") for n, k in (("b", "int"), ("t", "text"), ("a", "int"))),
)


@pytest.mark.parametrize(
    ("primary", "unique", "names"), [(("a", "b"), (), ["b", "a"]), ((), (Key("u", ("a",)),), None), ((), (), None)]
)
def test_key_names_are_the_primary_key_in_table_order(
    primary: tuple[str, ...], unique: tuple[Key, ...], names: list[str] | None
) -> None:
    table = Table("s", "t", _KEYS.columns, primary_key=primary, unique_keys=unique)
    [data] = write(row_event("delete", before={"b": "1", "t": "x", "a": "2"}, table=table), tables=[table])
    assert tree_of(data)["pkNames"] == names


_WIDE = Table(
    "s",
    "t",
    tuple(
        Column(name, parse_column_type(kind), nullable=name != "id")
        for name, kind in (("id", "int"), ("a", "int"), ("b", "varchar(10)"), ("c", "text"))
    ),
    primary_key=("id",),
)
_FIRST = {"id": "1", "a": "1", "b": None, "c": None}
_FULL = {"id": "2", "a": "1", "b": "x", "c": "text"}

IMAGES: list[tuple[Any, ...]] = [
    ("MINIMAL", "insert", None, _FIRST, {"id": "1", "a": "1"}, None, ["id"]),
    ("MINIMAL", "update", _FIRST, {**_FIRST, "a": "2"}, {"a": "2"}, [{}], None),
    ("MINIMAL", "delete", _FIRST, None, {"id": "1"}, None, ["id"]),
    ("NOBLOB", "insert", None, _FULL, _FULL, None, ["id"]),
    ("NOBLOB", "insert", None, _FIRST, {"id": "1", "a": "1", "b": None}, None, ["id"]),
    ("NOBLOB", "update", _FULL, {**_FULL, "a": "2"}, {"id": "2", "a": "2", "b": "x"}, [{"a": "1"}], ["id"]),
    ("NOBLOB", "delete", _FULL, None, {"id": "2", "a": "1", "b": "x"}, None, ["id"]),
    ("FULL", "delete", _FULL, None, _FULL, None, ["id"]),
]


@pytest.mark.parametrize(("image", "op", "before", "after", "data", "old", "names"), IMAGES)
@pytest.mark.parametrize("by_session", [False, True])
def test_a_row_image_has_the_columns_that_the_server_logged(
    image: str, op: str, before: Value, after: Value, data: object, old: object, names: object, by_session: bool
) -> None:
    own = {"binlog_row_image": image} if by_session else {}
    given = options() if by_session else options(binlog_row_image=image)
    [written] = write(row_event(op, before, after, table=_WIDE, **own), tables=[_WIDE], with_options=given)
    tree = tree_of(written)
    assert (tree["data"], tree["old"], tree["pkNames"]) == ([data], old, names)
    assert list(tree["sqlType"]) == list(tree["mysqlType"]) == list(tree["data"][0])


def test_an_insert_that_names_no_column_has_null_for_its_row_and_types() -> None:
    table = Table("test", "t", (Column("a", parse_column_type("int")),))
    event = row_event("insert", None, {"a": None}, table=table)
    minimal = options(binlog_row_image="MINIMAL")
    [written] = write(event, tables=[table], with_options=minimal)
    tree = tree_of(written)
    assert [tree[name] for name in ("data", "old", "pkNames", "sqlType", "mysqlType")] == [None] * 5
    [read] = Decoder(minimal).decode([Record(None, written)])
    assert isinstance(read, RowChange)
    assert read.after == {}
    with pytest.raises(Rejected, match="no row in data"):
        Decoder(options()).decode([Record(None, written)])


def test_a_session_may_log_json_by_its_differences() -> None:
    table = table_of("json")
    event = row_event(
        "update", {"c": '{"a": 1}'}, {"c": '{"a": 2}'}, table=table, binlog_row_value_options="PARTIAL_JSON"
    )
    [data] = write(event, tables=[table])
    assert tree_of(data)["data"] == [{"c": "JSON_REPLACE(c, '$.a', 2)"}]
    assert tree_of(data)["old"] == [{"c": '{"a": 1}'}]


@pytest.mark.parametrize(("server", "table"), [("mysql", "tp_int"), ("mariadb", "")])
def test_a_statement_that_the_binlog_has_goes_before_its_rows(server: str, table: str) -> None:
    event = row_event("insert", after=ROW, query="insert into tp_int values (…)")
    query, row = map(tree_of, write(event, with_options=options(server=server)))
    assert (query["type"], query["isDdl"], query["sql"]) == ("QUERY", False, "insert into tp_int values (…)")
    assert (query["database"], query["table"], query["data"]) == ("", table, None)
    assert row["type"] == "INSERT"


def test_a_position_without_a_source_follows_from_other_members() -> None:
    events = [DdlEvent("s", "t", "drop table t", commit_ts=compose(1639633141221))]
    [data] = write(*events, settings=Settings(now_ms=5))
    tree = tree_of(data)
    assert (tree["id"], tree["es"], tree["ts"], tree["gtid"]) == (1, 1639633141000, 5, "")
    [data] = write(*events)
    assert tree_of(data)["ts"] == 1639633141000


def test_a_gtid_is_written_if_canal_is_configured_so() -> None:
    event = row_event("insert", after=ROW, gtid="uuid:1-5")
    [silent], [told] = (write(event, with_options=options(gtid=g)) for g in ("false", "true"))
    assert (tree_of(silent)["gtid"], tree_of(told)["gtid"]) == ("", "uuid:1-5")
