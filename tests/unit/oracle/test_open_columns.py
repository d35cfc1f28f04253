"""What the predicates of Open Protocol say of columns, images and handle keys of places made by hand."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from reference_impl.profiles import CLASSIC
from tests.unit.oracle.judging import mark, row_event
from tests.unit.oracle.places import holds, place

at = partial(place, "open-protocol")
NEW, OLD, IMAGE = "value.u.c", "value.p.c", "event.after.c"
UPDATED = {"only-output-updated-columns": "true"}
CHANGED, KEPT, NO_KEY = ("1", "2"), ("1", "1"), {"primary_key": []}
STRICT, VIRTUAL, STORED = ({"type": "int", **m} for m in ({"nullable": False}, {"generated": "virtual"},
                           {"generated": "stored"}))  # fmt: skip


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


ROWS: list[tuple[str, bool, Place]] = [
    # -- indexes
    ("is_generated_in_index", False, at(NEW, column=STORED)),
    ("is_generated_in_index", False, at(NEW, keys=with_index("c"))),
    ("is_generated_in_index", True, at(NEW, column=STORED, keys=with_index("id", "c"))),
    ("is_generated_in_index", True, at(NEW, column=VIRTUAL, keys={"primary_key": ["c"]})),
    ("is_generated_in_index", True, at(NEW, column=STORED, keys=unique(("c",)))),
    ("is_generated_in_index", False, at("value.u.x", column=STORED, keys=with_index("c"))),
    ("is_generated_in_index", False, at(NEW, column=STORED, keys=with_index("c"))._replace(delivery=None)),
    ("is_indexed_alone", True, at(NEW, keys=with_index("c"))),
    ("is_indexed_alone", False, at(NEW, keys=with_index("id"))),
    ("is_indexed_alone", False, at(NEW, keys=with_index("c", "id"))),
    ("is_indexed_alone", False, at(NEW, keys={"indexes": [index("c"), index("c", "id", name="j")]})),
    ("is_indexed_alone", False, at(NEW, keys={"indexes": [index("c")], **unique(("c", "id"))})),
    ("is_indexed_alone", False, at(NEW, keys={"indexes": [index("c")], "primary_key": ["id", "c"]})),
    ("is_indexed_alone", True, at(NEW, keys={"indexes": [index("c")], **unique(("c",))})),
    ("is_indexed_alone", True, at(NEW, keys={"indexes": [index("id"), index("c", name="j")]})),
    ("is_indexed_alone", False, at(NEW, keys=unique(("c",)))),
    ("is_indexed_alone", False, at("value.u.x", keys=with_index("c"))),
    ("is_indexed_alone", False, at(NEW, keys=with_index("c"))._replace(delivery=None)),
    # -- flags
    ("is_worked_example=85", True, at("value.u.c", 85, column=STORED)),
    ("is_worked_example=85", False, at("value.u.c", 46, column=STORED)),
    ("is_worked_example=85", False, at("value.u.c", 85)),
    ("is_worked_example=85", False, at("value.u.x", 85, column=STORED)),
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
    ("has_updated_only", True, updated(OLD)),
    ("has_updated_only", False, at(OLD, values=CHANGED)),
    ("has_updated_only", False, updated(OLD, op="insert")),
    ("has_updated_only", False, updated(OLD, options={"open-output-old-value": "false"})),
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
    ("involves_null", True, at(OLD, values=(None, "1"))),
    ("involves_null", True, at(OLD, values=("1", None))),
    ("involves_null", False, at(OLD, values=CHANGED)),
    ("involves_null", True, at("value.p.v", None, 3)),
    ("involves_null", False, at("value.p.x", None, 3)),
    ("involves_null", False, at(NEW, values=(None, None), op="insert")),
    ("involves_null", False, at(NEW, values=(None, None), op="delete")),
    ("involves_null", False, at(NEW, event=mark())),
    ("involves_null", False, at(NEW, event=lacking())),
    ("involves_null", False, at(NEW, event=lacking(before=False))),
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
    ("is_swapped", False, at(NEW, 1, None, tree={"value": {"u": {"c": 1}}}, given=images(None, 1))),
    (
        "is_swapped",
        True,
        at(IMAGE, "1.5", "2.50", column="double", tree=images("1.5", "2.5"), given=images("2.50", "1.5")),
    ),
    (
        "is_swapped",
        False,
        at(
            "event.after.x",
            "1.5",
            "2.50",
            tree={"event": {"before": {"x": "2.5"}}},
            given={"event": {"before": {"x": "1.5"}}},
        ),
    ),
    ("is_swapped", False, at(IMAGE, "1", MISSING, tree=images("1", MISSING), given=images("x", "2"))),
    ("is_p_empty", True, updated("value.p", values=KEPT)),
    ("is_p_empty", False, updated("value.p")),
    ("is_p_empty", False, at("value.p", values=KEPT)),
    ("is_p_empty", True, updated("value.p", column=VIRTUAL)),
    ("is_p_empty", False, updated("value.p", column=STORED)),
    ("is_p_empty", True, updated("value.p", tree={"key": {"ohk": True}})),
    ("is_p_empty", True, updated("value.p", tree={"key": {"ccl": "file"}})),
    ("is_p_empty", False, updated("value.p", tree={"key": {"ts": 1}})),
    ("is_p_empty", False, updated("value.p", tree={"key": 5})),
    ("is_p_empty", False, updated("value.p", tree={"key": {"ohk": True}}, column=STRICT, keys=unique(("c",)))),
    ("is_p_empty", True, updated("value.p", event=lacking())),
    ("is_p_empty", True, updated("value.p", event=lacking(before=False))),
    ("is_p_empty", False, updated("value.p", values=KEPT)._replace(delivery=None)),
    ("is_p_empty", False, updated("value.p", event=row_event("insert", base={"id": "1"}, c="1"))),
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
    ("is_handle", True, at("value.u.id")),
    ("is_handle", False, at(NEW)),
    ("is_handle", False, at("value.u.x")),
    ("is_handle", False, at("value.u.id")._replace(delivery=None)),
    ("is_handle", True, at(NEW, column=STRICT, keys=unique(("c",)))),
    ("is_handle", True, at(NEW, column={**STRICT, **VIRTUAL}, keys=unique(("c",)))),
    ("is_handle", False, at(NEW, column={**STRICT, **VIRTUAL}, keys=unique(("c",)), profile=CLASSIC)),
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
    ("is_handle_certain", True, at(NEW, keys=unique(("c",), primary=("id",)))),
    ("is_handle_certain", True, at(NEW, keys=unique(("c",)))._replace(delivery=None)),
    *(
        ("is_mark_certain", yes, at(path, column=STRICT, keys=keys))
        for path, keys, yes in (
            ("value.u.id", {}, True),
            ("value.u.id", {"primary_key": ["id", "c"]}, False),
            (NEW, {}, True),
            (NEW, unique(("c",), primary=("id",)), False),
            (NEW, unique(("id", "c"), primary=("id",)), True),
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
    ("is_legal_delete", True, at("value.d", 1, 2, given={"value": {"d": {"c": 2}}})._replace(delivery=None)),
    (
        "is_legal_delete",
        True,
        at("value.d", 1, 2, column={**STRICT, **VIRTUAL}, keys=unique(("c",)), given={"value": {"d": {"c": 2}}}),
    ),
    (
        "is_legal_delete",
        False,
        at(
            "value.d",
            1,
            2,
            column={**STRICT, **VIRTUAL},
            keys=unique(("c",)),
            profile=CLASSIC,
            given={"value": {"d": {"c": 2}}},
        ),
    ),
]


@pytest.mark.parametrize(("predicate", "expected", "where"), ROWS, ids=[f"{r[0]}-{n}" for n, r in enumerate(ROWS)])
def test_a_predicate_of_columns_holds_where_its_sentence_is_true(predicate: str, expected: bool, where: Place) -> None:
    assert holds(predicate, where) is expected


@pytest.mark.parametrize("predicate", ["concerns_bits=0x0", "concerns_bits=0x100"])
def test_a_flag_is_of_eight_bits(predicate: str) -> None:
    with pytest.raises(ValueError, match="0x"):
        holds(predicate, at(NEW, 0, 0))
