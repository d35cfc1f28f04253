"""The classes of the model: what a field is that is not given, and how tables are compared."""

from __future__ import annotations

import inspect
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.model import (
    ABSENT,
    Absent,
    Claim,
    Column,
    DdlEvent,
    Encoded,
    Expression,
    Index,
    Key,
    Mask,
    RawText,
    Record,
    RowChange,
    Table,
    Watermark,
)

INT = parse_column_type("int")
# The fields that are given, and those that are not.
MADE: list[tuple[Any, dict[str, Any], dict[str, Any]]] = [
    (
        Column,
        {"name": "c", "type": INT},
        {
            "nullable": True,
            "default": ABSENT,
            **dict.fromkeys(("charset", "collation", "generated", "comment")),
            **dict.fromkeys(("auto_increment", "on_update_now"), False),
        },
    ),
    (
        Table,
        {"schema": "d", "name": "t", "columns": (Column("c", INT),)},
        {
            **dict.fromkeys(("primary_key", "unique_keys", "indexes"), ()),
            "clustered": True,
            **dict.fromkeys(("table_id", "partition_id", "charset", "comment", "create_sql")),
        },
    ),
    (
        RowChange,
        {"op": "read", "schema": "d", "table": "t", "commit_ts": 7},
        dict.fromkeys(("before", "after", "start_ts", "partition_id", "row_id", "source")),
    ),
    (
        DdlEvent,
        {"schema": "d", "table": "t", "query": "…"},
        {
            **dict.fromkeys(("action", "action_code", "commit_ts", "table_before", "table_after", "source")),
            "other_tables": (),
        },
    ),
    (
        Record,
        {"key": b"k", "value": b"v"},
        {**dict.fromkeys(("partition", "topic", "offset", "timestamp")), "headers": ()},
    ),
    (Encoded, {"records": ()}, {"claims": ()}),
    (Key, {"name": "k", "columns": ("c",)}, {}),
    (Claim, {"location": "l", "content": b"c"}, {}),
    (Watermark, {"commit_ts": 7}, {}),
    (Index, {"number": 1}, {}),
    (Mask, {"bits": 1}, {}),
    (RawText, {"data": b"x"}, {}),
    (Expression, {"text": "now()"}, {}),
    (Absent, {}, {}),
]


@pytest.mark.parametrize(("kind", "given", "lacking"), MADE, ids=lambda value: getattr(value, "__name__", ""))
def test_a_field_that_is_not_given_has_its_default(kind: Any, given: dict[str, Any], lacking: dict[str, Any]) -> None:
    made = kind(**given)
    public = [field.name for field in fields(kind) if not field.name.startswith("_")]
    assert {name: getattr(made, name) for name in public} == given | lacking
    assert list(inspect.signature(kind).parameters) == public
    assert made == kind(*given.values())


@pytest.mark.parametrize(("kind", "given", "lacking"), MADE, ids=lambda value: getattr(value, "__name__", ""))
def test_nothing_of_the_model_changes(kind: Any, given: dict[str, Any], lacking: dict[str, Any]) -> None:
    made = kind(**given)
    for name in given:
        with pytest.raises(FrozenInstanceError):
            setattr(made, name, None)


def test_a_table_finds_its_columns_by_name_and_is_compared_and_shown_without_that() -> None:
    one, other = (Table("d", "t", (Column("a", INT), Column("b", INT, nullable=False))) for _ in "12")
    assert (one.column("a"), one.column("b"), one.column("c")) == (*one.columns, None)
    assert (one.id, one == other, hash(one) == hash(other)) == (("d", "t"), True, True)
    assert "_by_name" not in repr(one)


def test_the_row_of_a_change_is_the_last_one_that_there_is() -> None:
    old, new = {"id": "1"}, {"id": "2"}
    images = ((old, new), (None, new), (old, None), (None, None), (old, {}))
    assert [RowChange("update", "d", "t", 1, *one).row for one in images] == [new, new, old, {}, {}]


def test_a_column_without_a_default_clause_is_not_one_with_default_null() -> None:
    assert Absent() == ABSENT
    assert Column("c", INT) != Column("c", INT, default=None)


def test_a_column_has_a_type_and_a_table_columns() -> None:
    with pytest.raises(
        TypeError, match=r"the type of column 'c' is a ColumnType, not 'int': parse_column_type\('int'\)"
    ):
        Column("c", "int")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"columns of table d\.t are each a Column, not 'c'"):
        Table("d", "t", ("c",))  # type: ignore[arg-type]
