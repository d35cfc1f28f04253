"""Places made by hand that the predicates of Open Protocol judge: columns, images and handle keys."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from reference_impl.profiles import CLASSIC
from tests.unit.oracle.judging import mark, row_event
from tests.unit.oracle.places import Row, place, rows

at = partial(place, "open-protocol")
NEW, OLD, IMAGE = "value.u.c", "value.p.c", "event.after.c"
UPDATED = {"only-output-updated-columns": "true"}
CHANGED, KEPT, NO_KEY = ("1", "2"), ("1", "1"), {"primary_key": []}
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
            at(NEW, keys=with_index("c")),
            at("value.u.x", column=STORED, keys=with_index("c")),
            at(NEW, column=STORED, keys=with_index("c"))._replace(delivery=None),
        ],
    ),
    *rows(
        "is_indexed_alone",
        [
            at(NEW, keys=with_index("c")),
            at(NEW, keys={"indexes": [index("c")], **unique(("c",))}),
            at(NEW, keys={"indexes": [index("id"), index("c", name="j")]}),
        ],
        [
            at(NEW, keys=with_index("id")),
            at(NEW, keys=with_index("c", "id")),
            at(NEW, keys={"indexes": [index("c"), index("c", "id", name="j")]}),
            at(NEW, keys={"indexes": [index("c")], **unique(("c", "id"))}),
            at(NEW, keys={"indexes": [index("c")], "primary_key": ["id", "c"]}),
            at(NEW, keys=unique(("c",))),
            at("value.u.x", keys=with_index("c")),
            at(NEW, keys=with_index("c"))._replace(delivery=None),
        ],
    ),
    # -- flags
    *rows(
        "is_worked_example=85",
        [at("value.u.c", 85, column=STORED)],
        [at("value.u.c", 46, column=STORED), at("value.u.c", 85), at("value.u.x", 85, column=STORED)],
    ),
    *(
        ("is_byte", yes, at(NEW, 0, got))
        for got, yes in (
            (0, True),
            (1, True),
            (255, True),
            (256, False),
            (-1, False),
            ("1", False),
            (None, False),
        )
    ),
    *(
        ("concerns_bits=0x2", yes, at(NEW, expected, got))
        for expected, got, yes in (
            (1, 1, True),
            (1, 3, True),
            (3, 1, True),
            (1, 5, False),
            (1, 0, False),
            ("1", 3, False),
            (1, 258, False),
            (256, 256, False),
            (MISSING, 2, False),
            (2, 255, False),
        )
    ),
    ("concerns_bits=0xff", True, at(NEW, 0, 128)),
    ("concerns_bits=0x80", True, at(NEW, 0, 128)),
    ("concerns_bits=0x1", True, at(NEW, 0, 1)),
    # -- images
    *rows(
        "has_updated_only",
        [updated(OLD)],
        [at(OLD, values=CHANGED), updated(OLD, op="insert"), updated(OLD, options={"open-output-old-value": "false"})],
    ),
    *(
        ("has_lost_its_name", yes, updated(f"value.p.{step}", None, got))
        for step, got, yes in (
            ("t", 3, True),
            ("h", True, True),
            ("f", 1, True),
            ("v", None, True),
            ("c", 3, False),
            ("t", MISSING, False),
            ("t", {"t": 3}, False),
        )
    ),
    ("has_lost_its_name", False, at("value.p.t", None, 3, values=CHANGED)),
    *rows(
        "involves_null",
        [at(OLD, values=(None, "1")), at(OLD, values=("1", None)), at("value.p.v", None, 3)],
        [
            at(OLD, values=CHANGED),
            at("value.p.x", None, 3),
            at(NEW, values=(None, None), op="insert"),
            at(NEW, values=(None, None), op="delete"),
            at(NEW, event=mark()),
            at(NEW, event=lacking()),
            at(NEW, event=lacking(before=False)),
        ],
    ),
    *(
        ("is_swapped", yes, at(path, *pair, tree=images(1, 2), given=given))
        for path, pair, given, yes in (
            (NEW, (1, 2), images(2, 1), True),
            (OLD, (2, 1), images(2, 1), True),
            (NEW, (1, 2), images(2, 2), False),
            (NEW, (1, 3), images(3, 1), False),
            (NEW, (1, 1), images(1, 1), False),
            (NEW, (1, 2), {}, False),
            (NEW, (1, 2), {"value": 1}, False),
            ("value.d.c", (1, 2), images(2, 1), False),
            (IMAGE, (1, 2), images(2, 1), True),
            ("event.before.c", (2, 1), images(2, 1), True),
            (IMAGE, (MISSING, 2), images(2, MISSING), True),
        )
    ),
    *(
        ("is_swapped", yes, at(path, *pair, column="double", tree=images(*pair), given=images(*given)))
        for path, pair, given, yes in (
            (IMAGE, ("1.5", "2.50"), ("2.50", "1.50"), True),
            (NEW, ("1.5", "2.50"), ("2.50", "1.50"), False),
            ("event.after.x", ("1.5", "2.50"), ("2.50", "1.50"), False),
            (IMAGE, ("1.5", "2.5"), ("2.5", "1.6"), False),
        )
    ),
    *rows(
        "is_swapped",
        [at(IMAGE, "1.5", "2.50", column="double", tree=images("1.5", "2.5"), given=images("2.50", "1.5"))],
        [
            at(NEW, 1, None, tree={"value": {"u": {"c": 1}}}, given=images(None, 1)),
            at(
                "event.after.x",
                "1.5",
                "2.50",
                tree={"event": {"before": {"x": "2.5"}}},
                given={"event": {"before": {"x": "1.5"}}},
            ),
            at(IMAGE, "1", MISSING, tree=images("1", MISSING), given=images("x", "2")),
        ],
    ),
    *rows(
        "is_p_empty",
        [
            updated("value.p", values=KEPT),
            updated("value.p", column=VIRTUAL),
            updated("value.p", tree={"key": {"ohk": True}}),
            updated("value.p", tree={"key": {"ccl": "file"}}),
            updated("value.p", event=lacking()),
            updated("value.p", event=lacking(before=False)),
        ],
        [
            updated("value.p"),
            at("value.p", values=KEPT),
            updated("value.p", column=STORED),
            updated("value.p", tree={"key": {"ts": 1}}),
            updated("value.p", tree={"key": 5}),
            updated("value.p", tree={"key": {"ohk": True}}, column=STRICT, keys=unique(("c",))),
            updated("value.p", values=KEPT)._replace(delivery=None),
            updated("value.p", event=row_event("insert", base={"id": "1"}, c="1")),
        ],
    ),
    *(
        ("is_p_left_out", yes, updated("value.p", *pair, values=values))
        for pair, values, yes in (
            ((MISSING, MISSING), KEPT, True),
            (({}, MISSING), KEPT, True),
            ((MISSING, {}), KEPT, True),
            ((MISSING, MISSING), CHANGED, False),
            ((MISSING, {"c": 1}), KEPT, False),
            (({"c": 1}, {}), KEPT, False),
            ((MISSING, None), KEPT, False),
        )
    ),
    # -- handle keys
    *rows(
        "is_handle",
        [
            at("value.u.id"),
            at(NEW, column=STRICT, keys=unique(("c",))),
            at(NEW, column={**STRICT, **VIRTUAL}, keys=unique(("c",))),
        ],
        [
            at(NEW),
            at("value.u.x"),
            at("value.u.id")._replace(delivery=None),
            at(NEW, column={**STRICT, **VIRTUAL}, keys=unique(("c",)), profile=CLASSIC),
        ],
    ),
    *(
        ("is_handle_certain", yes, at(path, column=column, keys=unique(*keys)))
        for path, column, keys, yes in (
            (NEW, STRICT, (("c",),), True),
            (NEW, "int", (("c",),), False),
            ("value.u.id", "int", (("c",),), True),
            (NEW, STRICT, (("c",), ("id",)), False),
            ("value.u.id", "int", (("c",), ("id",)), True),
            (NEW, "int", (("id", "c"), ("id",)), True),
            (NEW, STRICT, (("id", "c"), ("id",)), False),
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
        for path, keys, yes in (
            ("value.u.id", {}, True),
            ("value.u.id", {"primary_key": ["id", "c"]}, False),
            (NEW, {}, True),
            (NEW, unique(("c",), primary=("id",)), False),
            (NEW, unique(("id", "c"), primary=("id",)), True),
            (NEW, unique(("c",), primary=("id", "c")), True),
            ("value.u.id", unique(("c",), primary=("id", "c")), False),
            (NEW, unique(("c",)), True),
            (NEW, unique(("c", "id")), False),
            (NEW, unique(("c",), ("id",)), False),
            ("value.u.x", {"primary_key": ["id", "c"]}, True),
        )
    ),
    (
        "is_mark_certain",
        True,
        at("value.u.id", keys={"primary_key": ["id", "c"]}, column=STRICT)._replace(delivery=None),
    ),
    ("is_marked", True, at("value.u.id", MISSING, MISSING)),
    *(
        ("is_marked", yes, at(NEW, MISSING, got))
        for got, yes in (
            (True, True),
            (None, True),
            (0, True),
            (False, False),
            (MISSING, False),
        )
    ),
    *(
        ("is_legal_delete", yes, at("value.d", expected, got, op="delete", column=column, given=given))
        for expected, got, column, given, yes in (
            ({"id": 1}, {"id": 1}, "int", {"value": {"d": {"c": 1}}}, True),
            (1, 2, "int", {"value": {"d": 1}}, True),
            (1, 2, "int", {"value": None}, True),
            (1, 2, "int", {}, True),
            (1, 2, "int", {"value": {"d": {"id": 1}}}, True),
            (1, 2, "int", {"value": {"d": {"id": 1, "c": 2}}}, True),
            (1, 2, "int", {"value": {"d": {"c": 2}}}, False),
            (1, 2, "int", {"value": {"d": {}}}, False),
            (1, 2, VIRTUAL, {"value": {"d": {"id": 1, "c": 2}}}, False),
            (1, 2, STORED, {"value": {"d": {"id": 1, "c": 2}}}, True),
        )
    ),
    *rows(
        "is_legal_delete",
        [
            at("value.d", 1, 2, given={"value": {"d": {"c": 2}}})._replace(delivery=None),
            at("value.d", 1, 2, column={**STRICT, **VIRTUAL}, keys=unique(("c",)), given={"value": {"d": {"c": 2}}}),
        ],
        [
            at(
                "value.d",
                1,
                2,
                column={**STRICT, **VIRTUAL},
                keys=unique(("c",)),
                profile=CLASSIC,
                given={"value": {"d": {"c": 2}}},
            )
        ],
    ),
]
