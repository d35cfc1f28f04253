"""Places made by hand that the predicates of Debezium JSON judge: whose fault a value is, images, defaults and keys."""

from __future__ import annotations

from typing import Any

from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from reference_impl.exact_json import Object
from tests.unit.oracle.judging import ddl_event, row_event
from tests.unit.oracle.places import Row, rows
from tests.unit.oracle.places_of_debezium_values import AFTER, FIELD, IMAGE, KEY, KEY_FIELD, at, written

BEFORE, BOTH = "value.payload.before.c", ("1", "2")
NEW, OLD = "value.payload.after", "value.payload.before"
HIDDEN = {"debezium-output-old-value": "false"}
VIRTUAL = {"type": "int", "generated": "virtual", "nullable": False}
UNIQUE = {"primary_key": [], "unique_keys": [{"name": "u", "columns": ["c"]}]}


def payload(**images: Any) -> dict[str, Any]:
    return {"value": {"payload": images}}


def sent(before: Any) -> dict[str, Any]:
    """The message of an update of a column to 2, by its row before."""
    return payload(after={"c": 2}, before=before)


def described(column: Any) -> dict[str, Any]:
    """A message that describes the column so."""
    return {"value": {"schema": {"fields": {"after": {"fields": {"c": column}}}}}}


def doubled(*names: str) -> Object:
    """An image that has columns twice."""
    return Object([pair for name in names for pair in ((name, 1), (name, 2))])


def binary(value: Any, path: str = NEW, default: Any = "a", kind: str = "binary(2)", **more: Any) -> Place:
    """An image that has a column twice that is NULL or has a value in it, and a value in the other one."""
    values = (value, "YQA=") if path == OLD else ("YQA=", value)
    return at(path, {}, doubled("c"), column={"type": kind, "default": default}, values=values, **more)


EVENT, EVENT_UNDONE = {"event": {"after": {"c": 2}, "before": {"c": 1}}}, {"event": {"after": {"c": 1}}}
UNDONE, EXCHANGED = payload(after={"c": 1}), payload(after={"c": 1}, before={"c": 2})
ROWS: list[Row] = [
    # -- whose fault it is
    *(
        ("is_of_given_row", yes, at(KEY, 1, got, op=op, given=payload(**images)))
        for got, op, images, yes in (
            (2, "update", {"after": {"c": 2}, "before": {"c": 1}}, True),
            (2, "update", {"after": {"c": 1}}, False),
            (2, "delete", {"before": {"c": 2}, "after": {"c": 1}}, True),
            (2, "delete", {"after": {"c": 2}}, False),
            (2, "insert", {"after": {"c": 2}}, True),
            (MISSING, "update", {"after": {}}, False),
            (2, "update", {}, False),
            (2, "update", {"after": None}, False),
            (True, "update", {"after": {"c": 1}}, False),
        )
    ),
    *(
        ("is_of_given_row", yes, at(KEY_FIELD, "int32", got, given=described(given)))
        for got, given, yes in (
            ("int64", {"type": "int64"}, True),
            ("int64", {"type": "int32"}, False),
            (MISSING, {}, True),
            ("int64", {}, False),
        )
    ),
    *rows(
        "is_of_value",
        [
            at(KEY, 1, 2, given=payload(after={"c": 2})),
            written("2023-02-30", "date", None, 0, KEY, given=payload(after={"c": None})),
            at(AFTER, 2, 3, values=BOTH),
            at(FIELD, "int32", "int64", values=BOTH),
        ],
        [
            at(KEY, 1, 2, given=UNDONE),
            written("2023-02-30", "date", None, 1, KEY, given=payload(after={"c": None})),
            at(KEY_FIELD, "int32", "int64", given={}),
            at(AFTER, 2, 1, tree=payload(after={"c": 2}, before={"c": 1}), given=UNDONE),
        ],
    ),
    *(
        ("is_old_value", yes, at(path, 2, got, tree=payload(before={"c": 1})))
        for path, got, yes in (
            (KEY, 1, True),
            (KEY, 2, False),
            ("key.payload.x", MISSING, False),
            (KEY, True, False),
        )
    ),
    ("is_old_value", True, at(KEY, 2, MISSING)),
    # -- images
    *(
        ("is_other_image", yes, at(path, *pair, op=op, tree=tree, given=given))
        for path, op, pair, tree, given, yes in (
            (AFTER, "update", (2, 1), sent({"c": 1}), UNDONE, True),
            (BEFORE, "update", (1, 2), sent({"c": 1}), payload(before={"c": 2}), True),
            (AFTER, "insert", (2, 1), sent({"c": 1}), UNDONE, False),
            (AFTER, "update", (2, 2), sent({"c": 1}), UNDONE, False),
            (AFTER, "update", (2, 1), sent({"c": 2}), payload(after={"c": 2}), False),
            (AFTER, "update", (2, 1), sent(None), payload(after=None), False),
            (AFTER, "update", (2, 1), sent({"c": 1}), payload(after=None), False),
            (AFTER, "update", (2, 1), sent({"c": 1}), payload(after={"c": 1, "d": 1}), False),
            (AFTER, "update", (2, 1), sent({"c": 1, "d": 1}), payload(after={"c": 1, "d": 2}), False),
            (AFTER, "update", (2, 1), sent({"c": frozenset({1, 3})}), UNDONE, True),
            (AFTER, "update", (2, 1), sent({"c": frozenset({3})}), UNDONE, False),
            (KEY, "update", (2, 1), payload(payload={"c": 2}), payload(), False),
            (AFTER, "update", (2, 1), sent({"c": 1}), EXCHANGED, True),
            (IMAGE, "update", (2, 1), EVENT, EVENT_UNDONE, True),
            (IMAGE, "update", (2, 1), sent({"c": 1}), UNDONE, False),
        )
    ),
    # -- defaults
    *rows("has_column", [at(AFTER)], [at("value.payload.after.x")]),
    *rows(
        "has_default",
        [at(AFTER, column={"type": "int", "default": "5"})],
        [at(AFTER, column={"type": "int", "default": None}), at(AFTER), at("value.payload.after.x")],
    ),
    *rows(
        "is_null_instead",
        [at(AFTER, 1, None), at(AFTER, MISSING, None)],
        [at(AFTER, None, None), at(AFTER, 1, MISSING)],
    ),
    # -- columns of images
    *rows(
        "has_doubled_default",
        [
            binary(None),
            binary(None, OLD),
            binary(None, kind="varbinary(2)"),
            binary(None, op="insert"),
            binary(None, OLD, op="insert"),
        ],
        [
            binary("YgA="),
            binary("YgA=", OLD),
            binary(None, kind="varchar(2)"),
            binary(None, default=None),
            binary(None)._replace(got=doubled("id")),
            binary(None)._replace(got=doubled("c", "id")),
            binary(None)._replace(got=doubled("c", "x")),
            binary(None)._replace(got=Object([("c", 1)])),
            binary(None)._replace(got={"c": 1}),
            binary(None)._replace(delivery=None),
        ],
    ),
    *(
        ("is_unchanged", yes, at(path, column=kind, values=values, op=op))
        for path, kind, values, op, yes in (
            (AFTER, "int", ("1", "1"), "update", True),
            (AFTER, "int", ("1", "2"), "update", False),
            (AFTER, "int", (None, None), "update", True),
            (AFTER, "int", ("1", None), "update", False),
            (AFTER, "float", ("0.1", "0.10000000149011612"), "update", True),
            (AFTER, "int", (None, None), "insert", False),
            ("value.payload.after.x", "int", ("1", "1"), "update", False),
            (AFTER, "int", (None, "1"), "update", False),
        )
    ),
    *rows(
        "is_unchanged", no=[at(AFTER, event=ddl_event()), at(AFTER, event=row_event("update", base={"id": "1"}, c="1"))]
    ),
    *(
        ("has_changed_columns_alone", yes, at(path, values=values, given=payload(**given)))
        for path, values, given, yes in (
            (AFTER, ("1", "2"), {"after": {"c": 2}}, True),
            (AFTER, ("1", "2"), {"after": {"id": 1, "c": 2}}, False),
            (BEFORE, ("1", "2"), {"before": {"c": 1}, "after": {"id": 1}}, True),
            (AFTER, ("1", "1"), {"after": {"c": 1}}, False),
            (AFTER, ("1", "2"), {"after": {"x": 2}}, True),
            (AFTER, ("1", "2"), {"after": None}, False),
            (AFTER, ("1", "2"), {"before": {"c": 1}}, False),
            (AFTER, ("1", "2"), {"after": {}}, True),
        )
    ),
    ("has_changed_columns_alone", False, at(AFTER, given=payload(after={}))._replace(delivery=None)),
    *(
        ("is_null_image", yes, at(f"value.schema.fields.{image}.fields.c", op=op, options=options))
        for image, op, options, yes in (
            ("before", "insert", {}, True),
            ("after", "insert", {}, False),
            ("before", "delete", {}, False),
            ("after", "delete", {}, True),
            ("before", "update", {}, False),
            ("after", "update", {}, False),
            ("before", "update", HIDDEN, True),
            ("after", "update", HIDDEN, False),
            ("before", "delete", HIDDEN, False),
        )
    ),
    # -- keys
    *rows(
        "has_no_key",
        [at(AFTER, keys={"primary_key": []}), at(AFTER, keys=UNIQUE)],
        [
            at(AFTER),
            at(AFTER, column=VIRTUAL, keys=UNIQUE),
            at(AFTER, keys={"primary_key": []})._replace(delivery=None),
        ],
    ),
    *rows("has_primary_key", [at(AFTER)], [at(AFTER, keys=UNIQUE)]),
    *rows(
        "is_in_no_key",
        [at(AFTER), at("key.payload.x")],
        [at("value.payload.after.id"), at(AFTER, keys=UNIQUE), at(AFTER)._replace(delivery=None)],
    ),
    *rows(
        "is_over_virtual",
        [at(AFTER, column=VIRTUAL, keys=UNIQUE)],
        [
            at(AFTER, column=VIRTUAL),
            at(AFTER, column={"type": "int", "nullable": False}, keys=UNIQUE),
            at(AFTER, column=VIRTUAL, keys=UNIQUE)._replace(delivery=None),
        ],
    ),
    *(
        ("is_as_in_key", yes, at("key.schema.fields.c", {}, got, given={"key": {"payload": key}}))
        for got, key, yes in (
            ({}, {"c": 1}, True),
            ({}, {"id": 1}, False),
            (MISSING, {"c": 1}, False),
            (MISSING, {"id": 1}, True),
            (MISSING, None, False),
            ({}, {"c": None}, True),
            ({}, "c", False),
        )
    ),
]
