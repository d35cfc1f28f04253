"""Places made by hand for the predicates of Debezium JSON that no recorded fault shows: images, defaults, keys."""

from __future__ import annotations

from typing import Any

from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from reference_impl.exact_json import Object
from tests.unit.oracle.places import Row, rows
from tests.unit.oracle.places_of_debezium_values import AFTER, IMAGE, KEY, KEY_FIELD, ZERO, at, written

BEFORE = "value.payload.before.c"
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
UNDONE = payload(after={"c": 1})
ROWS: list[Row] = [
    # -- whose fault it is
    *(
        ("is_of_given_row", yes, at(KEY, 1, got, op=op, given=payload(**images)))
        for got, op, images, yes in (
            (2, "update", {"after": {"c": 2}, "before": {"c": 1}}, True),
            (2, "delete", {"before": {"c": 2}, "after": {"c": 1}}, True),
            (MISSING, "update", {"after": {}}, False),
        )
    ),
    *(
        ("is_of_given_row", kind == "int64", at(KEY_FIELD, "int32", "int64", given=described({"type": kind})))
        for kind in ("int32", "int64")
    ),
    *rows(
        "is_of_value",
        [
            written("2023-02-30", "date", None, 0, KEY, given=payload(after={"c": None})),
            at("value.schema.fields.after.type", "struct", "x", tree=sent({"c": 1}), given=UNDONE),
        ],
        [
            at(KEY, 1, 2, given=UNDONE),
            at(AFTER, 2, 1, tree=sent({"c": 1}), given=UNDONE),
            written(ZERO, "timestamp", "string", None, KEY_FIELD)._replace(column=written(ZERO, "timestamp").column),
        ],
    ),
    *rows(
        "is_old_value",
        no=[at(path, 2, got, tree=payload(before={"c": 1})) for path, got in ((KEY, 2), ("key.payload.x", MISSING))],
    ),
    # -- images
    *(
        ("is_other_image", yes, at(path, *pair, op=op, tree=tree, given=given))
        for path, op, pair, tree, given, yes in (
            (BEFORE, "update", (1, 2), sent({"c": 1}), payload(before={"c": 2}), True),
            (AFTER, "insert", (2, 1), sent({"c": 1}), UNDONE, False),
            (AFTER, "update", (2, 2), sent({"c": 1}), UNDONE, False),
            (AFTER, "update", (2, 1), sent({"c": 2}), payload(after={"c": 2}), False),
            (AFTER, "update", (2, 1), sent({"c": 1}), payload(after=None), False),
            (AFTER, "update", (2, 1), sent({"c": frozenset({1, 3})}), UNDONE, True),
            (IMAGE, "update", (2, 1), EVENT, EVENT_UNDONE, True),
        )
    ),
    # -- defaults
    ("has_column", False, at("value.payload.after.x")),
    ("has_default", False, at("value.payload.after.x")),
    ("is_null_instead", False, at(AFTER, None, None)),
    # -- columns of images
    *rows(
        "has_doubled_default",
        [binary(None), binary(None, OLD, op="insert")],
        [
            binary("YgA="),
            binary(None, kind="varchar(2)"),
            binary(None, default=None),
            binary(None)._replace(got=doubled("c", "x")),
            binary(None)._replace(got=Object([("c", 1)])),
            binary(None)._replace(got={"c": 1}),
            binary(None)._replace(delivery=None),
        ],
    ),
    *rows("is_unchanged", no=[at(AFTER, op="insert"), at("value.payload.after.x", values=("1", "1"))]),
    *(
        ("has_changed_columns_alone", yes, at(path, values=values, given=payload(**given)))
        for path, values, given, yes in (
            (AFTER, ("1", "2"), {"after": {"c": 2}}, True),
            (AFTER, ("1", "2"), {"after": {"id": 1, "c": 2}}, False),
            (AFTER, ("1", "2"), {"after": None}, False),
        )
    ),
    ("has_changed_columns_alone", False, at(AFTER, given=payload(after={}))._replace(delivery=None)),
    *(
        ("is_null_image", yes, at(f"value.schema.fields.{image}.fields.c", op=op, options=options))
        for image, op, options, yes in (
            ("before", "insert", {}, True),
            ("after", "insert", {}, False),
            ("after", "delete", {}, True),
            ("before", "update", {}, False),
            ("before", "update", HIDDEN, True),
            ("before", "delete", HIDDEN, False),
        )
    ),
    # -- keys
    ("has_no_key", False, at(AFTER, keys={"primary_key": []})._replace(delivery=None)),
    *rows(
        "is_in_no_key",
        [at("key.payload.c", MISSING, 1)],
        [at(AFTER)._replace(delivery=None), at("key.payload.id", MISSING, 1)],
    ),
    ("is_over_virtual", False, at(AFTER, column=VIRTUAL, keys=UNIQUE)._replace(delivery=None)),
    ("is_as_in_key", False, at("key.schema.fields.c", {}, MISSING, given={"key": {"payload": None}})),
]
