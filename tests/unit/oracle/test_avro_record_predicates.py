"""What the predicates of Avro say of names, fields, parts of a record and registrations: each row a word decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING, Maybe
from reference_impl.profiles import CLASSIC, DOC
from reference_impl.wire import events_from_json, table_from_json
from tests.unit.oracle.judging import ddl_event, mark, row_event
from tests.unit.oracle.places import holds, place

at = partial(place, "avro")
FIELD, KEY, BEFORE, EVENT = "value.schema.fields", "key.schema.fields", "value.schema.before.type.fields", "event.after"
ROW = {"id": "1", "c": "2"}
EXTENDED = {"options": {"enable-tidb-extension": "true"}}
WATCHED = {"options": {"enable-tidb-extension": "true", "avro-enable-watermark": "true"}}


def tree_of(path: str, found: Any) -> dict[str, Any]:
    """A tree that has nothing but this at the path."""
    for name in reversed(path.split(".")):
        found = {name: found}
    return dict(found)


def table_of(*names: str, **members: Any) -> dict[str, Any]:
    columns = [{"name": name, "type": "int", "nullable": True} for name in names]
    return {"schema": "test", "name": "t", "primary_key": list(names[:1]), "columns": columns, **members}


def names(
    expected: Iterable[str] | Mapping[str, Any],
    given: Iterable[str],
    name: str,
    where: str = FIELD,
    column: Mapping[str, Any] | None = None,
) -> Place:
    """A field that is lost or too much, among others; `column` has the members of the table's second column."""
    wanted = dict(expected) if isinstance(expected, Mapping) else {one: {} for one in expected}
    got: dict[str, Any] = {one: {} for one in given}
    members = {"name": name, "type": "int", **(column or {})}
    event = {**row_event("insert", base={"id": "1", members["name"]: "2"})}
    sides = {"expected_tree": tree_of(where, wanted), "got_tree": tree_of(where, got)}
    found = at(f"{where}.{name}", wanted.get(name, MISSING), got.get(name, MISSING), column=members, event=event)
    return found._replace(**sides)


def after(found: Place, *tables: Mapping[str, Any], event: bool = True) -> Place:
    """The place in a case whose DDL statements leave these tables; without an event, one that has these tables."""
    versions = tuple(table_from_json(table) for table in tables)
    if not event:
        return found._replace(case=replace(found.case, tables=(*found.case.tables, *versions)))
    events = events_from_json([ddl_event(after=table) for table in tables], found.case.tables)
    return found._replace(case=replace(found.case, events=(*found.case.events, *events)))


def without_table(found: Place) -> Place:
    assert found.delivery is not None
    return found._replace(delivery=replace(found.delivery, table=None))


def in_key(name: str, expected: Any = MISSING, **table: Any) -> Place:
    """A field of a key; of the table's columns `c` may be NULL, `id` may not. `table` has other members of it."""
    found = at(f"{KEY}.{name}", expected, {})
    assert found.delivery is not None
    version = table_from_json({**table_of("id", "c", columns=COLUMNS), **table})
    return found._replace(delivery=replace(found.delivery, table=version))


def with_key(row: Any) -> Place:
    return at("key", None, row)


def record(name: str, expected: Any, got: Any, *, schema: str = "test", table: str = "t", given: Any = None) -> Place:
    """The name or namespace of a record of that table."""
    event = {**row_event("insert", base=ROW), "schema": schema, "table": table}
    made = at(f"value.schema.{name}", expected, got, event=event, keys={"schema": schema, "name": table})
    return made._replace(got_tree=tree_of("value.schema", given or {name: got}))


COLUMNS = [{"name": "id", "type": "int", "nullable": False}, {"name": "c", "type": "int", "nullable": True}]
DASHED = {"name": "a-b", "type": "int", "nullable": False}
UNIQUE = {"primary_key": [], "unique_keys": [{"name": "u", "columns": ["id"]}]}
NULLABLE = {"primary_key": [], "unique_keys": [{"name": "u", "columns": ["id", "c"]}]}
STATEMENT = at("value.ddl", event=ddl_event())

NAMES: list[tuple[str, bool, Place]] = [
    # -- columns of a record
    ("is_field_of_no_index", True, in_key("c")),
    ("is_field_of_no_index", False, in_key("id")),
    ("is_field_of_no_index", False, in_key("c", {})),
    ("is_field_of_no_index", False, in_key("id", **UNIQUE)),
    ("is_field_of_no_index", True, in_key("c", **UNIQUE)),
    ("is_field_of_no_index", True, in_key("id", **NULLABLE)),
    ("is_field_of_no_index", False, without_table(in_key("c"))),
    ("is_field_of_no_index", False, in_key("a_b", columns=[DASHED], primary_key=["a-b"])),
    ("is_field_of_no_index", False, in_key("a-b", columns=[DASHED], primary_key=["a-b"])),
    ("is_key_of_no_index", True, with_key({"row": {"c": "1"}})),
    ("is_key_of_no_index", True, with_key({"row": {"id": "1", "c": "1"}})),
    ("is_key_of_no_index", False, with_key({"row": {"id": "1"}})),
    ("is_key_of_no_index", False, with_key({"row": None})),
    ("is_key_of_no_index", False, with_key("c")),
    # -- of another version
    ("is_stale", True, after(names(["id", "c"], ["id"], "c"), table_of("id"))),
    ("is_stale", True, after(names(["id", "c"], ["id"], "c", EVENT), table_of("id"))),
    ("is_stale", True, after(names(["id", "c"], ["id"], "c", BEFORE), table_of("id"))),
    ("is_stale", True, after(names(["id", "c"], ["id"], "c"), table_of("id", "d"), table_of("id"))),
    ("is_stale", False, after(names(["id", "c"], ["id"], "c"), table_of("id"), event=False)),
    ("is_stale", False, after(names(["id", "c"], ["id"], "c"), table_of("id", "d"))),
    ("is_stale", False, after(names(["id", "c"], ["id"], "c"), table_of("id", name="other"))),
    ("is_stale", False, after(names(["id", "c"], ["id", "c"], "c"), table_of("id"))),
    ("is_stale", False, without_table(after(names(["id", "c"], ["id"], "c"), table_of("id")))),
    ("is_stale", True, after(names(["id", "c"], ["id", "a_b"], "c"), table_of("id", "a-b"))),
    *(("is_stale", yes, after(names(["id", "c"], given, "c"), table_of("id", columns=[
        {"name": "id", "type": "int"}, {"name": "v", "type": "int", "generated": generated},
      ]))) for given, generated, yes in (
        (["id"], "virtual", True), (["id", "v"], "virtual", True), (["id"], "stored", False),
        (["id", "v"], "stored", True),
    )),
    ("is_stale", False, after(names(["id", "c"], ["id"], "c"), table_of("id", "c"))),
    *(("is_nested", yes, at(f"{FIELD}.c", given=tree_of(FIELD, fields))) for fields, yes in (
        ({"id": {"type": {"type": "int"}}, "c": {"type": {"type": "record"}}}, True),
        ({"id": {"type": {"type": "int"}}}, False), ({"id": {"type": "record"}}, False),
    )),
    ("is_nested", False, at(f"{FIELD}.c")),
    ("is_of_extension", True, at("event.after._tidb_op")),
    ("is_of_extension", False, at("event.after._tidb_opp")),
    ("is_like_extension", True, at(f"{FIELD}._tidb_other", {}, MISSING)),
    ("is_like_extension", False, at(f"{FIELD}._tidb_other", {}, {})),
    ("is_like_extension", False, at(f"{FIELD}.tidb_other", {}, MISSING)),
    # -- names of fields
    ("is_renamed", True, names(["id", "c"], ["id", "d"], "c")),
    ("is_renamed", True, names(["id", "c"], ["id", "d"], "d")),
    ("is_renamed", True, names(["id", "c"], ["id", "d"], "c", EVENT)),
    ("is_renamed", True, names(["id", "c"], ["id", "d"], "c", KEY)),
    ("is_renamed", False, names(["id", "c"], ["id"], "c")),
    ("is_renamed", False, names(["id", "c"], ["id", "d", "e"], "c")),
    ("is_renamed", False, names(["id", "c"], ["id", "d"], "id")),
    ("is_renamed", False, names(["id", "c"], ["id", "d"], "c", column={"generated": "virtual"})),
    ("is_renamed", False, names({"id": {}, "c": {}, "d": Maybe({})}, ["id", "d"], "c")),
    ("is_renamed", True, names({"id": {}, "c": {}, "d": Maybe({})}, ["id", "e"], "c")),
    ("is_renamed", False, at(f"{FIELD}.c")),
    *((name, yes, names(*sides)) for name, sides, yes in (
        ("keeps_name", (["c"], ["c"], "c"), True),
        ("keeps_name", (["c"], ["d"], "c"), True),
        ("keeps_name", (["c"], [], "c"), False),
        ("begins_with_digit", (["c"], ["c"], "c"), False),
        ("has_other_characters", (["c"], ["c"], "c"), False),
        ("has_other_characters", (["c"], [], "c"), False),
    )),
    *((name, name in which, names(["id", field], ["id", given], field, column={"name": column}))
      for name in ("keeps_name", "begins_with_digit", "has_other_characters")
      for column, field, given, which in (
        ("1c", "_1c", "_1c", ("begins_with_digit",)),
        ("1c", "_1c", "1c", ("begins_with_digit",)),
        ("1c", "_1c", "x1c", ("has_other_characters",)),
        ("a-b", "a_b", "a_b", ("has_other_characters",)),
        ("a-b", "a_b", "a-b", ("has_other_characters",)),
        ("a-b", "a_b", "_b", ("has_other_characters",)),
        ("a_b", "a_b", "a_b", ("keeps_name",)),
        ("a_b", "a_b", "a__b", ("keeps_name",)),
        ("_b", "_b", "b", ("keeps_name",)),
    )),
    ("keeps_name", True, without_table(names(["a_b"], ["a_b"], "a_b", column={"name": "a-b"}))),
    ("has_other_characters", True, after(names(["a_b"], ["a_b"], "a_b", column={"name": "z"}), table_of("a-b"))),
    ("keeps_name", True, after(names(["a_b"], ["a_b"], "a_b", column={"name": "z"}), table_of("a-b", name="u"))),
    # -- names of records
    ("is_no_text", True, record("name", "t", None)),
    ("is_no_text", False, record("name", "t", "")),
    ("is_other_table", True, record("name", "t", "u")),
    ("is_other_table", True, record("name", "t", None)),
    ("is_other_table", False, record("name", "t", "x.y.t")),
    ("is_other_table", True, record("name", "t", "t.x")),
    *(("is_other_schema", yes, record("namespace", "default.test", got, given={"name": "t", "namespace": got}))
      for got, yes in (("default.other", True), ("other.test", False))),
    ("is_other_schema", False, record("namespace", "default.test", None)),
    ("is_other_schema", False, record("namespace", "default.test", "x", given={"name": "a.test.t", "namespace": "x"})),
    ("is_other_schema", True, record("namespace", "default.test", "x", given={"name": "a.test.t.u", "namespace": "x"})),
    *((word, word in which, record(name, expected, got, schema="1s", table="1t-"))
      for word in ("record_begins_with_digit", "record_has_other_characters")
      for name, expected, got, which in (
        ("name", "_1t_", "_1t_", ("record_begins_with_digit",)),
        ("name", "_1t_", "1t_", ("record_begins_with_digit",)),
        ("name", "_1t_", "1t-", ("record_has_other_characters",)),
        ("name", "_1t_", "_1t-", ("record_has_other_characters",)),
        ("name", "_1t_", "x", ()), ("name", "_1t_", None, ()),
        ("namespace", "a._1s", "a._1s", ("record_begins_with_digit",)),
        ("namespace", "a._1s", "a.1s", ("record_begins_with_digit",)),
        ("namespace", "a._1s", "b.1s", ()), ("namespace", "a._1s", "1s", ()),
    )),
    *((word, word in which, record("name", expected, got, table="a-b"))
      for word in ("record_begins_with_digit", "record_has_other_characters")
      for expected, got, which in (
        ("a_b", "a_b", ("record_has_other_characters",)), ("a_b", "a-b", ("record_has_other_characters",)),
        ("a_b", "_b", ()), ("a_b", "a.b", ("record_has_other_characters",)),
    )),
    ("record_has_other_characters", False, record("name", "t", "t")),
    ("record_has_other_characters", True, record("namespace", "a.s_", "a.s-", schema="s-")),
    ("record_has_other_characters", True, record("name", "a-b", "a-b", table="a-b")),
    ("record_begins_with_digit", False, at("value.schema.name", "_1", "_1", event=ddl_event())),
    ("record_has_other_characters", False, at("value.schema.name", "x", "x", event=ddl_event())),
]  # fmt: skip


@pytest.mark.parametrize(("predicate", "expected", "where"), NAMES, ids=[f"{r[0]}-{n}" for n, r in enumerate(NAMES)])
def test_a_predicate_of_names_holds_where_its_sentence_is_true(predicate: str, expected: bool, where: Place) -> None:
    assert holds(predicate, where) is expected


# -- parts of a record, registrations ----------------------------------------------------------------------------------


def subjects(path: str, expected: Iterable[str], given: Iterable[str]) -> Place:
    """The place of a subject, which may have a dot in a path no more than in the tree."""
    wanted, got = (dict.fromkeys(side, ()) for side in (expected, given))
    return at(f"registry.subjects.{path}")._replace(
        expected_tree={"registry": {"subjects": wanted}}, got_tree={"registry": {"subjects": got}}
    )


WITH_BEFORE = {"value": {"schema": {"before": {}}}}

PARTS: list[tuple[str, bool, Place]] = [
    *((name, yes, at("value", expected, got)) for name, expected, got, yes in (
        ("is_lost", {}, MISSING, True), ("is_lost", {}, {}, False), ("is_lost", MISSING, MISSING, False),
        ("is_lost", {}, None, False),
        ("is_extra", MISSING, {}, True), ("is_extra", {}, {}, False), ("is_extra", MISSING, MISSING, False),
        ("is_extra", None, {}, False),
        ("is_on_both_sides", {}, {}, True), ("is_on_both_sides", {}, MISSING, False),
        ("is_on_both_sides", MISSING, {}, False), ("is_on_both_sides", None, None, True),
        ("is_datum", {"row": {}}, None, True), ("is_datum", {"marker": "ddl"}, None, False),
        ("is_datum", None, {"row": {}}, False), ("is_datum", ["row"], None, False),
        ("is_any_write", frozenset({"insert"}), "insert", True), ("is_any_write", "insert", "insert", False),
        ("is_expected", {}, {}, True), ("is_expected", MISSING, {}, False),
        ("is_image_expected", {}, None, True), ("is_image_expected", None, {}, False),
        ("is_image_expected", MISSING, {}, False),
    )),
    ("is_doc", True, at("value", profile=DOC)),
    ("is_doc", False, at("value")),
    ("is_doc", False, at("value", profile=CLASSIC)),
    ("is_watermark_mode", True, at("value", **WATCHED)),
    ("is_watermark_mode", False, at("value", **EXTENDED)),
    ("has_whole", True, at("value", tree={"value": {}})),
    ("has_whole", False, at("value", tree={"value": None}, given={"value": {}})),
    ("has_row", True, at("value", tree={"value": {"row": {}}})),
    ("has_row", False, at("value", tree={"value": {"marker": "ddl"}}, given={"value": {"row": {}}})),
    ("has_row", False, at("value", tree={"value": None})),
    ("has_before", True, at("value", tree=WITH_BEFORE)),
    ("has_before", False, at("value", tree={"value": {"schema": {}, "before": {}}}, given=WITH_BEFORE)),
    ("has_operation_alone", True, at("value", tree=WITH_BEFORE)),
    ("has_operation_alone", False, at("value", tree=WITH_BEFORE, **EXTENDED)),
    ("has_operation_alone", False, at("value")),
    ("has_primary_key", True, at("value")),
    ("has_primary_key", False, at("value", keys={"primary_key": []})),
    ("has_primary_key", False, STATEMENT._replace(delivery=None)),
    # -- registrations
    *((name, name in which, subjects(path, expected, given))
      for name in ("are_subjects_renamed", "is_subject_lost", "is_subject_new", "is_key_added", "is_value_added")
      for path, expected, given, which in (
        ("a-key", ["a-key"], ["a-key"], ("is_subject_new",)),
        ("b-key", ["a-key"], ["b-key"], ("are_subjects_renamed",)),
        ("a-key", ["a-key"], [], ("is_subject_lost",)),
        ("b-key", ["a-key"], ["a-key", "b-key"], ("is_subject_new",)),
        ("b-value", ["a-key"], ["a-key", "b-value"], ("is_subject_new",)),
        ("a-key", ["a-value"], ["a-value", "a-key"], ("is_key_added",)),
        ("a-value", ["a-key"], ["a-key", "a-value"], ("is_value_added",)),
        ("a-value", ["a-key", "b-key"], ["a-key", "a-value"], ("are_subjects_renamed",)),
        ("a-key", ["a-value", "b-key"], ["a-value", "a-key"], ("are_subjects_renamed",)),
        ("a", ["a-key"], ["a-key", "a"], ("is_value_added",)),
        ("b", ["a-key", "c-key"], ["a-key", "b"], ("are_subjects_renamed",)),
    )),
    ("are_tables_changed", True, after(at("registry.repeated"), table_of("id"))),
    ("are_tables_changed", False, at("registry.repeated")),
    ("are_tables_changed", True, at("registry.repeated", event=ddl_event())),
    ("are_tables_changed", False, at("registry.repeated", event=mark())),
]  # fmt: skip


@pytest.mark.parametrize(("predicate", "expected", "where"), PARTS, ids=[f"{r[0]}-{n}" for n, r in enumerate(PARTS)])
def test_a_predicate_of_parts_holds_where_its_sentence_is_true(predicate: str, expected: bool, where: Place) -> None:
    assert holds(predicate, where) is expected
