"""The handle key of a table, updates of a key, and the partition and the Avro name that follow from names."""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.keys import count_of_split_updates, handle_key, key_columns, split_update
from reference_impl.model import Column, DdlEvent, Event, Key, RowChange, Table, Watermark
from reference_impl.names import namespace, sanitized
from reference_impl.partitions import partition_of_table

INT = parse_column_type("int")
COLUMNS = (
    *(Column(name, INT, nullable=False) for name in "abc"),
    Column("null", INT),
    Column("virtual", INT, nullable=False, generated="virtual"),
    Column("stored", INT, nullable=False, generated="stored"),
)


def table(*unique: str, primary: str = "", name: str = "t") -> Table:
    keys = tuple(Key(f"k{n}", tuple(names.split())) for n, names in enumerate(unique))
    return Table("d", name, COLUMNS, tuple(primary.split()), keys)


@pytest.mark.parametrize(
    ("given", "handle", "without_virtual"),
    [
        (table(primary="a"), "a", "a"),
        (table("b", primary="c a"), "c a", "c a"),
        (table("b", primary="virtual a"), "virtual a", "virtual a"),
        (table(), "", ""),
        (table("a"), "a", "a"),
        (table("a b", "c"), "c", "c"),
        (table("b", "a"), "b", "b"),  # a tie: the first
        (table("null"), "", ""),
        (table("a null", "b c"), "b c", "b c"),
        (table("virtual"), "virtual", ""),
        (table("virtual", "a b"), "virtual", "a b"),
        (table("stored", "a b"), "stored", "stored"),
        (table("gone"), "", ""),
    ],
)
def test_the_handle_is_the_primary_key_or_the_shortest_unique_key_without_nulls(
    given: Table, handle: str, without_virtual: str
) -> None:
    assert handle_key(given) == tuple(handle.split())
    assert handle_key(given, virtual_counts=True) == tuple(handle.split())
    assert handle_key(given, virtual_counts=False) == tuple(without_virtual.split())


@pytest.mark.parametrize(
    ("given", "names"),
    [(table(), ""), (table(primary="a b"), "a b"), (table("c", "null b", primary="a"), "a b c null")],
)
def test_every_column_of_the_primary_key_or_a_unique_key_is_a_key_column(given: Table, names: str) -> None:
    assert key_columns(given) == frozenset(names.split())


def change(op: Any = "update", before: Any = None, after: Any = None, name: str = "t") -> RowChange:
    return RowChange(op, "d", name, 7, before, after, start_ts=6)


OLD, NEW = {"a": "1", "b": "2"}, {"a": "9", "b": "2"}
# The keys, the change, and whether it is an update of a key.
UPDATES: list[tuple[Table, RowChange, bool]] = [
    (table(primary="a"), change(before=OLD, after=NEW), True),
    (table("a"), change(before=OLD, after=NEW), True),
    (table("null a", primary="b"), change(before=OLD, after=NEW), True),
    (table(primary="b"), change(before=OLD, after=NEW), False),
    (table(), change(before=OLD, after=NEW), False),
    (table(primary="a"), change(before=OLD, after=OLD), False),
    (table(primary="a"), change("insert", before=OLD, after=NEW), False),
    (table(primary="a"), change("delete", before=OLD), False),
    (table(primary="a"), change(after=NEW), False),
    (table(primary="a"), change(before=OLD), False),
    (table(primary="a"), change(before={"b": "2"}, after={"b": "3"}), False),
    (table(primary="a"), change(before={"b": "2"}, after=NEW), True),
    (table("null"), change(before={"null": None}, after={}), True),  # NULL is not absence
    (table("null"), change(before={"null": None}, after={"null": None}), False),
]


@pytest.mark.parametrize(("given", "update", "splits"), UPDATES)
def test_an_update_of_a_key_is_split_into_a_delete_and_an_insert(given: Table, update: RowChange, splits: bool) -> None:
    found = [*split_update(update, given)]
    if splits:
        assert found == [change("delete", before=update.before), change("insert", after=update.after)]
    else:
        assert found == [update]
    assert count_of_split_updates([update], [given]) == splits


UPDATE = change(before=OLD, after=NEW)
DDL = DdlEvent("d", "t", "…", table_after=table(primary="b"), other_tables=(table(primary="a", name="o"),))


@pytest.mark.parametrize(
    ("events", "count"),
    [
        ([], 0),
        ([UPDATE, UPDATE], 2),
        ([UPDATE, Watermark(8), UPDATE], 2),
        ([UPDATE, DDL, UPDATE], 1),
        ([DdlEvent("d", "t", "…"), UPDATE], 1),
        ([change(before=OLD, after=NEW, name="o")], 0),
        ([DDL, change(before=OLD, after=NEW, name="o"), UPDATE], 1),
        ([change(before=OLD, after=NEW, name="unknown"), UPDATE], 1),
    ],
)
def test_updates_of_a_key_are_counted_by_the_table_that_is_in_force(events: list[Event], count: int) -> None:
    assert count_of_split_updates(events, [table(primary="a")]) == count


def test_the_keys_that_count_may_be_others() -> None:
    events = [UPDATE, change(before=OLD, after={"a": "1", "b": "3"})]
    assert count_of_split_updates(events, [table("b", primary="a")]) == 2
    assert count_of_split_updates(events, [table("b", primary="a")], handle_key) == 1


@pytest.mark.parametrize(
    ("schema", "name", "partitions", "partition"),
    [
        # The check value of CRC-32 (IEEE) of "123456789" is 0xCBF43926.
        ("1234", "56789", 2**32, 0xCBF43926),
        ("", "123456789", 2**32, 0xCBF43926),
        ("1234", "56789", 10, 0xCBF43926 % 10),
        ("a", "b", 1, 0),
        ("", "", 3, 0),
        # Of upstream's tests.  [TV-OP-061, TV-OP-066]
        *(("test", "t1", 16, 15), ("test", "t2", 16, 5), ("test", "t3", 16, 3), ("test", "t1", 3, 0)),
        *(("test_default1", "table", 16, 14), ("test_default2", "table", 16, 0), ("test_table", "table", 16, 15)),
        *(("test", "t1", 2**32, 1079797119), ("test", "t2", 2**32, 3646239941), ("test", "t3", 2**32, 2924610643)),
    ],
)
def test_a_table_has_the_partition_of_the_checksum_of_its_names(
    schema: str, name: str, partitions: int, partition: int
) -> None:
    assert partition_of_table(schema, name, partitions) == partition


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("azAZ09_", "azAZ09_"),
        ("a-b.c d", "a_b_c_d"),
        ("表é", "__"),
        ("1a", "_1a"),
        ("_1", "_1"),
        ("a1", "a1"),
        ("-1", "_1"),
        ("", ""),
        *(("1ColumnNameStartWithNumber", "_1ColumnNameStartWithNumber"), ("A.B", "A_B"), ("-a", "_a"), ("😀", "_")),
        *(("normalColumnName123", "normalColumnName123"), ("columnNameWith中文", "columnNameWith__")),  # TV-AV-033
    ],
)
def test_a_name_of_avro_has_letters_digits_and_underscores_and_begins_without_a_digit(name: str, clean: str) -> None:
    assert sanitized(name) == clean


@pytest.mark.parametrize(
    ("first", "schema", "joined"),
    [
        *(("default", "test", "default.test"), ("a-b", "1.x", "a_b._1_x"), ("default", "", "default")),
        *(("1a", "", "_1a"), ("1Namespace", "1Schema", "_1Namespace._1Schema")),
        ("N-amespace", "S.chema", "N_amespace.S_chema"),  # TV-AV-034
    ],
)
def test_a_namespace_is_the_clean_parts_that_are_not_empty(first: str, schema: str, joined: str) -> None:
    assert namespace(first, schema) == joined
