"""The harm of a difference at a place, by the tables of `harm` and the context."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from conformance.catalogue.harm import Harm
from conformance.oracle.conditions import event_kind, row_of
from conformance.oracle.harm import Change, harm_of, worst
from conformance.oracle.rules import Place, ProtocolOracle
from conformance.oracle.tree import MISSING, Kind, doubled_members
from reference_impl.column_types import ColumnType, Family
from reference_impl.values import to_wire

__all__ = ["harm_at"]


def harm_at(oracle: ProtocolOracle, place: Place, skeleton: str, kind: Kind) -> Harm:
    """The harm of a difference of `kind` at `place`; of several doubled members, the worst harm."""
    event, sides = event_kind(place) or _kind_in_event(place), (place.expected, place.got)
    if kind is Kind.DOUBLED:
        doubled = set(doubled_members(place.got)) - set(doubled_members(place.expected))
        names = ("{column}" if skeleton in oracle.columns_at else name for name in sorted(doubled))
        return worst(harm_of(f"{skeleton}.{name}", kind, *sides, event) for name in names)
    if kind in (Kind.VALUE, Kind.JSON_KIND) and oracle.reads_alike(place):
        return harm_of(skeleton, kind, *sides, event, change=Change.RESPELLED)
    if kind is Kind.EXTRA and _has_value_of_row(place):
        return harm_of(skeleton, kind, *sides, event, change=Change.REDUNDANT)
    return harm_of(skeleton, kind, *sides, event)


def _kind_in_event(place: Place) -> str | None:
    """The kind of the event that a decoder is expected to answer."""
    event = place.expected_tree.get("event") if place.role == "decode" else None
    return event.get("kind") if isinstance(event, dict) else None


def _has_value_of_row(place: Place) -> bool:
    """Whether an additional column of an image has the value that the row has there."""
    column, got = place.column, place.got
    if place.role != "encode" or column is None:
        return False
    value = (row_of(place) or {}).get(column.name, MISSING)
    if isinstance(got, dict):
        got = got.get("v", MISSING)
    if value is None or got is None:
        return value is None and got is None
    return value is not MISSING and got is not MISSING and str(got) in _texts(column.type, value)


def _texts(column_type: ColumnType, value: Any) -> Iterator[str]:
    """The texts in which the protocols write a value."""
    plain = to_wire(value)
    if isinstance(plain, dict):  # the number of a label, labels by their bits, or base64
        yield from plain.values()
        return
    yield str(plain)
    if isinstance(value, bytes):
        yield from (value.decode("latin-1"), base64.b64encode(value).decode())
        return
    if isinstance(plain, str):
        yield base64.b64encode(plain.encode("utf-8", "surrogateescape")).decode()
    if isinstance(plain, str) and column_type.family is Family.ENUM and (not plain or plain in column_type.members):
        yield str(column_type.members.index(plain) + 1 if plain in column_type.members else 0)
    elif isinstance(plain, str) and column_type.family is Family.SET:
        labels = plain.split(",") if plain else ()
        if {*labels} <= {*column_type.members}:
            yield str(sum(1 << column_type.members.index(label) for label in labels))
