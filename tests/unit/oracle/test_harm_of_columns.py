"""The harm of a difference in a column of a row that is known in full."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.cases.inputs import column, table, update
from conformance.cases.model import Case, Role
from conformance.catalogue.harm import Harm
from conformance.oracle import ORACLES
from conformance.oracle.harm_at import harm_at
from conformance.oracle.rules import Delivery, Place
from conformance.oracle.tree import MISSING, Kind, Path, path_text
from reference_impl.exact_json import Object
from reference_impl.model import Index, Mask, Row
from reference_impl.profiles import NEWARCH

_, CHANGED, SCHEMA, METADATA, _, FORM = Harm

TABLE = table(
    "t",
    (
        column("id", "int", nullable=False),
        column("b", "varbinary(4)"),
        column("e", "enum('x','y')"),
        column("s", "set('p','q','r')"),
        column("n", "int"),
        column("es", "set('p')"),
        column("ee", "enum('x')"),
        column("ei", "enum('x')"),
        column("sm", "set('x','y')"),
        column("old", "int"),
    ),
)
_SAME: Row = {"id": "1", "e": "y", "es": "", "ee": "", "ei": Index(0), "sm": Mask(2)}
BEFORE: Row = {**_SAME, "b": b"\xff", "s": "p,r", "n": None, "old": "1"}
AFTER: Row = {**_SAME, "b": b"\xfe", "s": "q", "n": "5", "old": "2"}
UPDATE = Delivery(update(TABLE, BEFORE, AFTER), TABLE)


def at(protocol: str, text: str, kind: Kind, expected: Any, got: Any, *, role: Role = "encode") -> Harm:
    """The harm of a difference in a message of the update; the column is the last name of the path."""
    path: Path = tuple(int(step) if step.isdecimal() else step for step in text.split("."))
    at = next((i for i in reversed(range(len(path))) if TABLE.column(str(path[i]))), None)
    name = None if at is None else str(path[at])
    skeleton = path_text(tuple("{column}" if i == at else step for i, step in enumerate(path))).replace("[0]", "[]")
    case = Case("x", protocol, role)
    place = Place(role, path, expected, got, {}, case, None, NEWARCH, UPDATE, TABLE.column(name) if name else None)
    return harm_at(ORACLES[protocol], place, skeleton, kind)


@pytest.mark.parametrize(
    ("protocol", "path", "got", "harm"),
    [
        ("canal-json", "value.old.0.e", "2", SCHEMA),
        ("canal-json", "value.old.0.e", "1", CHANGED),
        ("canal-json", "value.old.0.b", "ÿ", SCHEMA),
        ("canal-json", "value.old.0.b", "þ", CHANGED),
        ("canal-json", "value.old.0.b", None, CHANGED),
        ("canal-json", "value.old.0.b", "/w==", SCHEMA),
        ("canal-json", "value.old.0.e", "y", SCHEMA),
        ("canal-json", "value.old.0.e", "eQ==", SCHEMA),
        ("canal-json", "value.old.0.e", "x", CHANGED),
        ("canal-json", "value.old.0.s", "5", SCHEMA),
        ("canal-json", "value.old.0.s", "p,r", SCHEMA),
        ("canal-json", "value.old.0.s", "2", CHANGED),
        ("canal-json", "value.data.0.s", "2", SCHEMA),
        ("canal-json", "value.data.0.s", "5", CHANGED),
        ("canal-json", "value.old.0.n", None, SCHEMA),
        ("canal-json", "value.old.0.n", "5", CHANGED),
        ("canal-json", "value.old.0.n", "None", CHANGED),
        ("canal-json", "value.data.0.n", 5, SCHEMA),
        ("canal-json", "value.data.0.n", None, CHANGED),
        ("debezium", "value.payload.before.e", "y", SCHEMA),
        ("debezium", "value.payload.before.s", "q", CHANGED),
        ("debezium", "value.payload.after.s", "q", SCHEMA),
        ("open-protocol", "value.p.s", {"t": 3, "v": 5}, SCHEMA),
        ("open-protocol", "value.u.s", {"t": 3, "v": 2}, SCHEMA),
        ("open-protocol", "value.u.s", {"t": 3}, CHANGED),
        ("open-protocol", "value.p.n", {"t": 3, "v": None}, SCHEMA),
        ("open-protocol", "value.p.id", "1", SCHEMA),
        ("open-protocol", "value.p.id", {"t": 3, "v": 1}, SCHEMA),
        ("open-protocol", "value.p.id", {"t": 3, "v": 2}, CHANGED),
        ("open-protocol", "value.p.es", {"t": 248, "v": 0}, SCHEMA),
        ("open-protocol", "value.p.es", {"t": 248, "v": 1}, CHANGED),
        ("open-protocol", "value.p.ee", {"t": 247, "v": 0}, SCHEMA),
        ("open-protocol", "value.p.ee", {"t": 247, "v": 1}, CHANGED),
        ("open-protocol", "value.p.ei", {"t": 247, "v": 0}, SCHEMA),
        ("open-protocol", "value.p.ei", {"t": 247, "v": 1}, CHANGED),
        ("open-protocol", "value.p.sm", {"t": 248, "v": 2}, SCHEMA),
        ("canal-json", "value.data.0.old", "2", SCHEMA),
        ("canal-json", "value.data.0.old", "1", CHANGED),
        ("canal-json", "value.old.0.old", "1", SCHEMA),
    ],
)
def test_a_column_too_many_changes_no_data_where_it_is_true(protocol: str, path: str, got: Any, harm: Harm) -> None:
    assert at(protocol, path, Kind.EXTRA, MISSING, got) is harm


def test_a_decoder_cannot_know_of_a_column_that_the_message_does_not_have() -> None:
    assert at("canal-json", "event.before.e", Kind.EXTRA, MISSING, "y", role="decode") is CHANGED


@pytest.mark.parametrize(
    ("path", "doubled", "harm"),
    [
        ("value", ("id",), METADATA),
        ("value", ("data", "id"), CHANGED),
        ("value.mysqlType", ("e",), SCHEMA),
        ("value.data.0", ("e",), CHANGED),
    ],
)
def test_a_member_that_is_there_twice_does_what_it_holds(path: str, doubled: tuple[str, ...], harm: Harm) -> None:
    got = Object([(name, "1") for name in doubled] * 2)
    assert at("canal-json", path, Kind.DOUBLED, Object([(name, "1") for name in doubled]), got) is harm


@pytest.mark.parametrize(
    ("name", "expected", "got", "harm"),
    [("b", r"\"", '"', CHANGED), ("b", r"\x61", "a", FORM), ("b", "a", "b", CHANGED), ("e", "1", "2", CHANGED)],
)
def test_a_quoted_text_of_open_protocol_counts_as_it_is_read(name: str, expected: str, got: str, harm: Harm) -> None:
    assert at("open-protocol", f"value.u.{name}.v", Kind.VALUE, expected, got) is harm
