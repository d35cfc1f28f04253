"""Places made by hand for the predicates of Avro that no recorded fault shows: names, fields, parts, registrations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from reference_impl.profiles import DOC
from reference_impl.wire import events_from_json, table_from_json
from tests.unit.oracle.judging import ddl_event, row_event
from tests.unit.oracle.places import Row, place, rows

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


OTHER_SCHEMA = {"name": "t", "namespace": "default.other"}
COLUMNS = [{"name": "id", "type": "int", "nullable": False}, {"name": "c", "type": "int", "nullable": True}]
DASHED = {"name": "a-b", "type": "int", "nullable": False}
UNIQUE = {"primary_key": [], "unique_keys": [{"name": "u", "columns": ["id"]}]}
NULLABLE = {"primary_key": [], "unique_keys": [{"name": "u", "columns": ["id", "c"]}]}
WITH_VIRTUAL = table_of(
    "id", columns=[{"name": "id", "type": "int"}, {"name": "v", "type": "int", "generated": "virtual"}]
)

NAMES: list[Row] = [
    # -- columns of a record
    *rows(
        "is_field_of_no_index",
        [in_key("id", **NULLABLE)],
        [
            in_key("c", {}),
            in_key("id", **UNIQUE),
            without_table(in_key("c")),
            in_key("a_b", columns=[DASHED], primary_key=["a-b"]),
            in_key("a-b", columns=[DASHED], primary_key=["a-b"]),
        ],
    ),
    *rows("is_key_of_no_index", [with_key({"row": {"id": "1", "c": "1"}})], [with_key({"row": {"id": "1"}})]),
    # -- of another version
    *rows(
        "is_stale",
        [
            after(names(["id", "c"], ["id"], "c", EVENT), table_of("id")),
            after(names(["id", "c"], ["id"], "c", BEFORE), table_of("id")),
        ],
        [
            after(names(["id", "c"], ["id"], "c"), table_of("id"), event=False),
            after(names(["id", "c"], ["id"], "c"), table_of("id", "d")),
            after(names(["id", "c"], ["id"], "c"), table_of("id", name="other")),
            after(names(["id", "c"], ["id", "c"], "c"), table_of("id")),
            without_table(after(names(["id", "c"], ["id"], "c"), table_of("id"))),
        ],
    ),
    *rows("is_stale", [after(names(["id", "c"], got, "c"), WITH_VIRTUAL) for got in (["id"], ["id", "v"])]),
    *rows(
        "is_nested",
        [at(f"{FIELD}.c", given=tree_of(FIELD, {name: {"type": {"type": name}} for name in ("int", "record")}))],
        [at(f"{FIELD}.c")],
    ),
    *rows("is_like_extension", [at(f"{FIELD}._tidb_other", {}, MISSING)], [at(f"{FIELD}._tidb_other", {}, {})]),
    # -- names of fields
    *rows("is_renamed", no=[names(["id", "c"], ["id", "d"], "c", column={"generated": "virtual"}), at(f"{FIELD}.c")]),
    ("keeps_name", True, names(["c"], ["d"], "c")),
    ("begins_with_digit", False, names(["c"], ["c"], "c")),
    *(
        (name, name in which, names(["id", field], ["id", given], field, column={"name": column}))
        for name in ("keeps_name", "has_other_characters")
        for column, field, given, which in (
            ("1c", "_1c", "_1c", ("begins_with_digit",)),
            ("1c", "_1c", "1c", ("begins_with_digit",)),
            ("1c", "_1c", "x1c", ("has_other_characters",)),
            ("a-b", "a_b", "a_b", ("has_other_characters",)),
        )
    ),
    ("keeps_name", True, without_table(names(["a_b"], ["a_b"], "a_b", column={"name": "a-b"}))),
    # -- names of records
    ("is_other_table", True, record("name", "t", None)),
    ("is_other_schema", True, record("namespace", "default.test", "default.other", given=OTHER_SCHEMA)),
    *(
        (word, word in which, record(name, expected, got, schema="1s", table="1t-"))
        for word in ("record_begins_with_digit", "record_has_other_characters")
        for name, expected, got, which in (
            ("name", "_1t_", "_1t_", ("record_begins_with_digit",)),
            ("name", "_1t_", "_1t-", ("record_has_other_characters",)),
            ("name", "_1t_", "_1t", ("record_has_other_characters",)),
            ("namespace", "a._1s", "a.1s", ("record_begins_with_digit",)),
            ("namespace", "a._1s", "b.1s", ()),
        )
    ),
    *(
        (word, word in which, record("name", expected, got, table="a-b"))
        for word in ("record_begins_with_digit", "record_has_other_characters")
        for expected, got, which in (
            ("a_b", "a_b", ("record_has_other_characters",)),
            ("a_b", "ab", ("record_has_other_characters",)),
            ("a_b", "a_b_c", ()),
            ("a_b", "a\u00e9\u00e9b", ()),
        )
    ),
    # Many characters to replace, each with many lengths: the combinations are too many to try.
    *rows(
        "record_has_other_characters",
        [record("name", "__", "_u8868_u683c", table="表格")],
        [
            after(record("name", "a_b", "axb", table="a-b"), table_of("id", name="axb"), event=False),
            at("value.schema.name", "x", "x", event=ddl_event()),
        ],
    ),
]


# -- parts of a record, registrations ----------------------------------------------------------------------------------


def subjects(path: str, expected: Iterable[str], given: Iterable[str]) -> Place:
    """The place of a subject, which may have a dot in a path no more than in the tree."""
    wanted, got = (dict.fromkeys(side, ()) for side in (expected, given))
    return at(f"registry.subjects.{path}")._replace(
        expected_tree={"registry": {"subjects": wanted}}, got_tree={"registry": {"subjects": got}}
    )


WITH_BEFORE = {"value": {"schema": {"before": {}}}}

PARTS: list[Row] = [
    *(
        (name, yes, at("value", expected, got))
        for name, expected, got, yes in (
            ("is_lost", {}, {}, False),
            ("is_lost", MISSING, MISSING, False),
            ("is_extra", {}, {}, False),
            ("is_extra", MISSING, MISSING, False),
            ("is_extra", MISSING, {}, True),
            ("is_on_both_sides", {}, {}, True),
            ("is_on_both_sides", MISSING, {}, False),
            ("is_datum", {"row": {}}, None, True),
            ("is_datum", {"marker": "ddl"}, None, False),
        )
    ),
    ("is_doc", True, at("value", profile=DOC)),
    ("is_watermark_mode", True, at("value", **WATCHED)),
    ("has_row", True, at("value", tree={"value": {"row": {}}})),
    ("has_before", True, at("value", tree=WITH_BEFORE)),
    *rows("has_operation_alone", no=[at("value", tree=WITH_BEFORE, **EXTENDED), at("value")]),
    # -- registrations
    *(
        (name, name == which, subjects(path, expected, given))
        for name in ("is_subject_lost", "is_subject_new", "is_key_added", "is_value_added")
        for path, expected, given, which in (
            ("a-key", ["a-key"], ["a-key"], "is_subject_new"),
            ("a-key", ["a-value"], ["a-value", "a-key"], "is_key_added"),
            ("a-value", ["a-key"], ["a-key", "a-value"], "is_value_added"),
            ("a-value", ["a-key", "b-key"], ["a-key", "a-value"], ""),
            ("a-key", ["a-value", "b-key"], ["a-value", "a-key"], ""),
        )
    ),
    *rows("are_tables_changed", [after(at("registry.repeated"), table_of("id"))], [at("registry.repeated")]),
]
