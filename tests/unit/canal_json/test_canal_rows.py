"""Rows, their columns and types in Canal-JSON, and the table version in force; the documents' messages are golden."""

from __future__ import annotations

from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, DdlEvent, RowChange, Table
from tests.unit.canal_json.messages import COMMIT_TS, EXTENSION, ROW, tree_of, write

_INSERT = RowChange("insert", "test", "tp_int", COMMIT_TS, after=ROW)


_ABC = Table(
    "test",
    "t",
    tuple(Column(name, parse_column_type(kind)) for name, kind in (("a", "tinyint"), ("c", "int"), ("b", "tinyint"))),
    primary_key=("b", "a"),
)


def test_primary_key_names_are_in_table_order() -> None:
    [value] = write(RowChange("insert", "test", "t", 1, after={"a": "1", "c": "2", "b": "3"}), tables=(_ABC,))
    tree = tree_of(value)
    assert (tree["pkNames"], tree["sqlType"], tree["data"]) == (
        ["a", "b"],
        {"a": -6, "c": 4, "b": -6},
        [{"a": "1", "c": "2", "b": "3"}],
    )


def test_a_table_without_a_primary_key_has_an_empty_list_of_names() -> None:
    table = Table("test", "t", (Column("a", parse_column_type("int")),))
    [value] = write(RowChange("insert", "test", "t", 1, after={"a": "1"}), tables=(table,))
    assert tree_of(value)["pkNames"] == []


def test_members_of_a_row_are_in_table_order_whatever_the_order_of_the_row() -> None:
    [value] = write(RowChange("insert", "test", "t", 1, after={"b": "3", "c": "2", "a": "1"}), tables=(_ABC,))
    assert b'"data":[{"a":"1","c":"2","b":"3"}]' in value


def test_the_types_of_an_update_are_those_of_the_new_row() -> None:
    table = Table("test", "t", (Column("c", parse_column_type("int unsigned")),))
    change = RowChange("update", "test", "t", 1, before={"c": "4294967295"}, after={"c": "1"})
    [value] = write(change, tables=(table,))
    assert tree_of(value)["sqlType"] == {"c": 4}


def test_a_virtual_generated_column_is_left_out_and_a_stored_one_is_not() -> None:
    kind = parse_column_type("int")
    table = Table(
        "test", "t", (Column("a", kind), Column("v", kind, generated="virtual"), Column("s", kind, generated="stored"))
    )
    [value] = write(RowChange("insert", "test", "t", 1, after={"a": "1", "v": "2", "s": "3"}), tables=(table,))
    tree = tree_of(value)
    assert [list(tree[m]) for m in ("sqlType", "mysqlType")] + [list(tree["data"][0])] == [["a", "s"]] * 3


def test_a_ddl_message_leaves_a_time_stamp_of_zero_out() -> None:
    [value] = write(DdlEvent("d", "t", "x", commit_ts=0), options=EXTENSION)
    assert value.endswith(b'"old":null,"_tidb":{}}')
