"""Places made by hand for the predicates of Open Protocol that no recorded fault shows: columns, images, keys."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from tests.unit.oracle.judging import mark, row_event
from tests.unit.oracle.places import Row, place, rows

at = partial(place, "open-protocol")
NEW, OLD, IMAGE = "value.u.c", "value.p.c", "event.after.c"
UPDATED = {"only-output-updated-columns": "true"}
CHANGED, KEPT = ("1", "2"), ("1", "1")
STRICT, VIRTUAL, STORED = (
    {"type": "int", **m} for m in ({"nullable": False}, {"generated": "virtual"}, {"generated": "stored"})
)


def index(*columns: str, name: str = "i") -> dict[str, Any]:
    return {"name": name, "columns": list(columns)}


def unique(*keys: tuple[str, ...], primary: tuple[str, ...] = ()) -> dict[str, Any]:
    """The keys of a table: the primary one, and unique ones."""
    return {"primary_key": list(primary), "unique_keys": [index(*k, name=f"u{n}") for n, k in enumerate(keys)]}


def with_index(*columns: str) -> dict[str, Any]:
    return {"indexes": [index(*columns)]}


def updated(path: str, expected: Any = None, got: Any = None, **more: Any) -> Place:
    """A place of an update that is to carry what changed only."""
    options = {**UPDATED, **more.pop("options", {})}
    return at(path, expected, got, **{"values": CHANGED, **more, "options": options})


def images(here: Any, there: Any) -> dict[str, Any]:
    return {"value": {"u": {"c": here}, "p": {"c": there}}, "event": {"after": {"c": here}, "before": {"c": there}}}


def lacking(*, before: bool = True) -> dict[str, Any]:
    """An update whose one image lacks the column."""
    event = row_event("update", base={"id": "1"}, c="2")
    return event if before else {**event, "before": event["after"], "after": event["before"]}


WITHOUT_COLUMN = {value: {"event": {"before": {"x": value}}} for value in ("1.5", "2.5")}

ROWS: list[Row] = [
    # -- indexes
    *rows(
        "is_generated_in_index",
        [
            at(NEW, column=STORED, keys=with_index("id", "c")),
            at(NEW, column=VIRTUAL, keys={"primary_key": ["c"]}),
            at(NEW, column=STORED, keys=unique(("c",))),
        ],
        [
            at(NEW, column=STORED),
            at("value.u.x", column=STORED, keys=with_index("c")),
            at(NEW, column=STORED, keys=with_index("c"))._replace(delivery=None),
        ],
    ),
    *rows(
        "is_indexed_alone",
        [at(NEW, keys=with_index("c"))],
        [
            at(NEW, keys={"indexes": [index("c"), index("c", "id", name="j")]}),
            at(NEW, keys={"indexes": [index("c")], **unique(("c", "id"))}),
            at(NEW, keys={"indexes": [index("c")], "primary_key": ["id", "c"]}),
            at("value.u.x", keys=with_index("c")),
            at(NEW, keys=with_index("c"))._replace(delivery=None),
        ],
    ),
    # -- flags
    *rows(
        "is_worked_example=85",
        no=[at(NEW, 46, column=STORED), at("value.u.c", 85), at("value.u.x", 85, column=STORED)],
    ),
    *(("is_byte", yes, at(NEW, 0, got)) for got, yes in ((255, True), (256, False), (-1, False))),
    *rows("concerns_bits=0x2", [at(NEW, 1, 1)], [at(NEW, 1, 5), at(NEW, "1", 3), at(NEW, MISSING, 2)]),
    ("concerns_bits=0xff", True, at(NEW, 0, 128)),
    ("concerns_bits=0x1", True, at(NEW, 0, 1)),
    # -- images
    *rows("has_updated_only", no=[updated(OLD, op="insert"), updated(OLD, options={"open-output-old-value": "false"})]),
    *(
        ("has_lost_its_name", yes, updated(f"value.p.{step}", None, got))
        for step, got, yes in (
            ("t", 3, True),
            ("h", True, True),
            ("f", 1, True),
            ("t", MISSING, False),
            ("t", {"t": 3}, False),
        )
    ),
    ("has_lost_its_name", False, at("value.p.t", None, 3, values=CHANGED)),
    *rows(
        "involves_null",
        [at(OLD, values=(None, "1")), at("value.p.v", None, 3)],
        [
            at(NEW, values=(None, None), op="insert"),
            at(NEW, values=(None, None), op="delete"),
            at(NEW, event=mark()),
            at(NEW, event=lacking()),
            at(NEW, event=lacking(before=False)),
        ],
    ),
    *rows(
        "is_swapped",
        [
            at(OLD, 2, 1, tree=images(1, 2), given=images(2, 1)),
            at("event.before.c", 2, 1, tree=images(1, 2), given=images(2, 1)),
            at(IMAGE, "1.5", "2.50", column="double", tree=images("1.5", "2.50"), given=images("2.50", "1.50")),
        ],
        [at("event.after.x", "1.5", "2.50", tree=WITHOUT_COLUMN["2.5"], given=WITHOUT_COLUMN["1.5"])],
    ),
    *rows(
        "is_p_empty",
        [
            updated("value.p", column=VIRTUAL),
            updated("value.p", tree={"key": {"ohk": True}}),
            updated("value.p", event=lacking(before=False)),
        ],
        [at("value.p", values=KEPT)],
    ),
    *(
        ("is_p_left_out", yes, updated("value.p", *pair, values=values))
        for pair, values, yes in (
            ((MISSING, MISSING), CHANGED, False),
            ((MISSING, {"c": 1}), KEPT, False),
            (({"c": 1}, {}), KEPT, False),
        )
    ),
    # -- handle keys
    *rows("is_handle", no=[at("value.u.x"), at("value.u.id")._replace(delivery=None)]),
    *(
        ("is_handle_certain", yes, at(path, column=column, keys=unique(*keys)))
        for path, column, keys, yes in (
            (NEW, STRICT, (("c",),), True),
            ("value.u.id", "int", (("c",),), True),
            (NEW, "int", (("id", "c"), ("id",)), True),
            (NEW, {**STRICT, **VIRTUAL}, (("c",),), False),
            ("value.u.x", "int", (("c",),), True),
        )
    ),
    *rows(
        "is_handle_certain",
        [at(NEW, keys=unique(("c",), primary=("id",))), at(NEW, keys=unique(("c",)))._replace(delivery=None)],
    ),
    *(
        ("is_mark_certain", yes, at(path, column=STRICT, keys=keys))
        for path, keys, yes in (("value.u.id", {}, True), ("value.u.id", {"primary_key": ["id", "c"]}, False))
    ),
    (
        "is_mark_certain",
        True,
        at("value.u.id", keys={"primary_key": ["id", "c"]}, column=STRICT)._replace(delivery=None),
    ),
    *(("is_marked", yes, at(NEW, MISSING, got)) for got, yes in ((True, True), (False, False), (MISSING, False))),
    *(
        ("is_legal_delete", yes, at("value.d", expected, got, op="delete", column=column, given=given))
        for expected, got, column, given, yes in (
            ({"id": 1}, {"id": 1}, "int", {"value": {"d": {"c": 1}}}, True),
            (1, 2, "int", {"value": None}, True),
            (1, 2, "int", {"value": {"d": {"id": 1, "c": 2}}}, True),
            (1, 2, VIRTUAL, {"value": {"d": {"id": 1, "c": 2}}}, False),
        )
    ),
    *rows("is_legal_delete", [at("value.d", 1, 2, given={"value": {"d": {"c": 2}}})._replace(delivery=None)]),
]
