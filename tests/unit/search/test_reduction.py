"""Reduction: what is smaller than an input by one thing, and still what a database could have made."""

from __future__ import annotations

from dataclasses import replace

from conformance.cases.inputs import NOW, Input, column, ddl, delete, insert, table, timed, update
from conformance.search.reduction import smaller
from reference_impl.model import ABSENT, DdlEvent, Key, RowChange, Watermark

T = table("t", (column("id", "int", nullable=False), column("a", "int"), column("b", "int", nullable=False)))
ONE, TWO = {"id": "1", "a": "1", "b": "2"}, {"id": "2", "a": "3", "b": "4"}
CHANGED = {"id": "1", "a": "5", "b": "2"}


def given(*events, **members) -> Input:
    return replace(Input("x", (T,), timed(events)), **members)


def shapes(candidates) -> list[list[str]]:
    return [[getattr(e, "op", "other") for e in candidate.events] for candidate in candidates]


def test_a_row_goes_with_all_that_happened_to_it():
    wanted = given(insert(T, ONE), insert(T, TWO), update(T, ONE, CHANGED))
    assert [e.after for e in next(smaller(wanted)).events] == [TWO]


def test_the_only_row_stays():
    assert all(candidate.events for candidate in smaller(given(insert(T, ONE))))


def test_the_last_change_of_a_row_goes_and_never_its_insert_alone():
    found = shapes(smaller(given(insert(T, ONE), update(T, ONE, CHANGED), delete(T, CHANGED))))
    assert ["insert", "update"] in found
    assert not any(shape[:1] == ["update"] or shape == ["delete"] for shape in found)


def test_a_row_that_was_changed_may_have_been_inserted_as_it_is():
    found = [c.events for c in smaller(given(insert(T, ONE), update(T, ONE, CHANGED))) if len(c.events) == 1]
    assert [(events[0].op, events[0].before, events[0].after) for events in found if events[0].after == CHANGED] == [
        ("insert", None, CHANGED)
    ]


def test_a_column_goes_from_every_version_of_the_table_and_every_row():
    comment = ddl(T, "ALTER TABLE `t` COMMENT = 'x'", "modify table comment", table_before=T, table_after=T)
    wanted = given(insert(T, ONE), comment, update(T, ONE, CHANGED))
    [without] = [c for c in smaller(wanted) if [x.name for x in c.tables[0].columns] == ["id", "a"]]
    assert without.events[1].table_after == without.tables[0]
    assert without.events[2].before == {"id": "1", "a": "1"}
    assert "`b`" not in without.tables[0].create_sql


def test_a_column_of_a_key_stays():
    keyed = replace(T, unique_keys=(Key("uk", ("b",)),))
    names = [[x.name for x in c.tables[0].columns] for c in smaller(replace(given(insert(T, ONE)), tables=(keyed,)))]
    assert ["id", "a"] not in names


def test_a_statement_that_changes_no_column_goes_alone():
    wider = table("t", (*T.columns, column("n", "int")))
    adds = ddl(wider, "ALTER TABLE `t` ADD COLUMN `n` int", "add column", table_before=T, table_after=wider)
    comment = ddl(T, "ALTER TABLE `t` COMMENT = 'x'", "modify table comment", table_before=T, table_after=T)
    found = [[getattr(e, "action", None) for e in c.events] for c in smaller(given(comment, adds, Watermark(1)))]
    assert ["add column", None] in found
    assert ["modify table comment", "add column"] in found
    assert ["modify table comment", None] in found  # the column that was added is in no version then


def test_a_column_that_comes_later_goes_with_the_statement_that_brought_it():
    wider = table("t", (*T.columns, column("n", "int")))
    adds = ddl(wider, "ALTER TABLE `t` ADD COLUMN `n` int", "add column", table_before=T, table_after=wider)
    found = [c.events for c in smaller(given(insert(T, ONE), adds, insert(wider, {**TWO, "n": "7"})))]
    rows = [[getattr(e, "after", None) for e in events] for events in found]
    assert [ONE, TWO] in rows
    assert [{**ONE, "n": None}, {**TWO, "n": "7"}] in rows  # or it is there from the start


def test_a_column_goes_with_the_statements_that_drop_and_add_it_or_stays_all_the_time():
    wide = table("t", (*T.columns, replace(column("n", "int"), comment="c")))
    drops = ddl(T, "ALTER TABLE `t` DROP COLUMN `n`", "drop column", table_before=wide, table_after=T)
    query = "ALTER TABLE `t` ADD COLUMN `n` int COMMENT 'c'"
    adds = ddl(wide, query, "add column", table_before=T, table_after=wide)
    three = insert(wide, {**ONE, "id": "3", "n": "8"})
    wanted = given(insert(wide, {**ONE, "n": "7"}), drops, insert(T, TWO), adds, three)
    found = list(smaller(replace(wanted, tables=(wide,))))
    rows = [[getattr(e, "after", e) for e in c.events] for c in found]
    assert [ONE, TWO, {**ONE, "id": "3"}] in rows
    assert [{**ONE, "n": "7"}, {**TWO, "n": None}, {**ONE, "id": "3", "n": "8"}] in rows
    for one in found:
        statements = [e for e in one.events if isinstance(e, DdlEvent)]
        assert all(e.table_before != e.table_after for e in statements)
        assert all(column.comment for e in statements for column in e.table_after.columns if column.name == "n")


def test_options_zone_and_partitions_go_one_by_one():
    wanted = given(
        insert(T, ONE), options={"a": "1", "b": "2"}, settings=replace(NOW, timezone="Asia/Shanghai", partitions=3)
    )
    found = list(smaller(wanted))
    assert {"a": "1"} in [c.options for c in found]
    assert {"b": "2"} in [c.options for c in found]
    assert {(c.settings.timezone, c.settings.partitions) for c in found} == {
        ("Asia/Shanghai", 3),
        ("UTC", 3),
        ("Asia/Shanghai", 1),
    }


def test_attributes_of_columns_and_other_keys_go():
    defaulted = replace(T, columns=(*T.columns[:1], replace(T.columns[1], default="7"), T.columns[2]), primary_key=())
    found = [c.tables[0] for c in smaller(replace(given(insert(T, ONE)), tables=(defaulted,)))]
    assert ("id",) in [t.primary_key for t in found]
    assert any(t.columns[1].default is ABSENT for t in found if len(t.columns) == 3)
    assert any(t.columns[2].nullable for t in found if len(t.columns) == 3)


def test_a_row_keeps_its_name_through_a_change_of_its_key():
    moved = {**ONE, "id": "9"}
    wanted = given(insert(T, ONE), insert(T, TWO), update(T, ONE, moved), delete(T, moved))
    found = [[e.after for e in candidate.events] for candidate in smaller(wanted)]
    assert [TWO] in found
    assert not any(shape[:1] == ["update"] for shape in shapes(smaller(wanted)))


def test_the_table_beside_the_first_goes_with_its_rows_and_may_stay_alone():
    other = table("t", (column("id", "varchar(10)", nullable=False),), schema="other")
    wanted = replace(given(insert(T, ONE), insert(other, {"id": "2"})), tables=(T, other))
    found = [(candidate.tables, len(candidate.events)) for candidate in smaller(wanted)]
    assert ((T,), 1) in found
    assert ((other,), 1) in found


def test_a_table_that_is_renamed_may_keep_its_name():
    new = table("renamed", T.columns)
    rename = ddl(new, "ALTER TABLE `t` RENAME TO `renamed`", "rename table", table_before=T, table_after=new)
    found = [candidate.events for candidate in smaller(given(insert(T, ONE), rename, insert(new, TWO)))]
    assert [("t", ONE), ("t", TWO)] in [
        [(getattr(e, "table", ""), getattr(e, "after", None)) for e in es] for es in found
    ]


def test_the_smallest_has_nothing_smaller():
    least = table("t", (column("id", "int", nullable=False),))
    event = insert(least, {"id": "1"})
    assert isinstance(event, RowChange)
    assert list(smaller(Input("x", (least,), timed([event])))) == []
