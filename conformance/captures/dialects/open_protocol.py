"""What Open Protocol messages show of their stream.  [OP-020 … OP-065]"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from conformance.captures.dialects.model import (
    IN_STORAGE,
    KEY_ONLY,
    LARGE,
    Dialect,
    Refusals,
    Tree,
    ids,
    options_of_location,
    requirements_of_families,
)
from reference_impl.model import Column, Key, Table
from reference_impl.open_protocol.types import type_on_the_wire

__all__ = ["OPEN_PROTOCOL"]

_IMAGES = ("u", "p", "d")
_PRIMARY, _NULLABLE = 0x08, 0x40
_LENGTH = 8  # of the frame around a value, in bytes


def _images(tree: Tree) -> Mapping[str, Mapping[str, Any]]:
    """The images of a row's message: `u`, `p` or `d` → column name → the members of the column."""
    value = tree.get("value")
    if not isinstance(value, Mapping) or tree["key"].get("t") != 1:
        return {}
    # A member that is not an object is a column that lost its name.  [OP-058]
    return {
        name: {column: member for column, member in value[name].items() if isinstance(member, Mapping)}
        for name in _IMAGES
        if isinstance(value.get(name), Mapping)
    }


def _hints(tree: Tree) -> Mapping[str, str]:
    hints: dict[str, str] = {}
    if tree["key"].get("ohk") is True:
        hints[LARGE] = "handle-key-only"
    if isinstance(tree["key"].get("ccl"), str):
        hints |= options_of_location(tree["key"]["ccl"])
    images = _images(tree)
    if "p" in images and images["p"].keys() < images.get("u", {}).keys():
        hints["only-output-updated-columns"] = "true"
    return hints


def _table_of(tree: Tree) -> Table | None:
    shown: dict[str, Mapping[str, Any]] = {}
    for image in _images(tree).values():
        shown |= {name: column for name, column in image.items() if name not in shown}
    if not shown:
        return None
    columns = tuple(
        Column(
            name,
            type_on_the_wire(column["t"], column.get("f"), column["v"], declared=None),
            nullable=bool(column.get("f", 0) & _NULLABLE),
        )
        for name, column in shown.items()
    )
    primary = tuple(name for name, column in shown.items() if column.get("f", 0) & _PRIMARY)
    handle = tuple(name for name, column in shown.items() if column.get("h"))
    unique = () if primary or not handle else (Key("handle", handle),)
    key = tree["key"]
    return Table(key["scm"], key["tbl"], columns, primary, unique)


def _reduced(tree: Tree) -> str:
    key = tree["key"]
    if not isinstance(key, Mapping):
        return ""
    if "ccl" in key:
        return IN_STORAGE
    return KEY_ONLY if key.get("ohk") is True else ""


_VALUE_REQUIREMENTS = requirements_of_families("open-protocol", "value.u.{column}.v", ("!is_null",))

_REFUSALS = Refusals(
    (
        (r"^a row (of .* )?(lacks the|has no) column", "OP-040"),
        (r"^not (lz4|snappy) data", "OP-157"),
        (r"^event key: 'ts'", "OP-027"),
        (r"^event key: 'ptn'", "OP-028"),
        (r"^event key: 'ohk'", "OP-030"),
        (r"^event key: 'ccl'", "OP-031"),
        (r"^event key|^a row event that names no table|^unknown event type", "OP-020"),
        (r"^a resolved event with a value", "OP-007"),
        (r"DDL value|^the value: doubled member '[qt]'", "OP-065"),
        (r"quoted binary value", "OP-136"),
        (r"the column( |: )|^'[upd]'( is not an object|: doubled)|flag", "OP-043"),
        (r"column type code", "OP-090"),
        (r"^[upd]\.(?P<column>.*?): ", _VALUE_REQUIREMENTS),
        (r"^[upd]\.", "OP-040"),
        (r"^a row value without a column|^an? (insert|update|delete)", "OP-041"),
        (r"value", "OP-040"),
    ),
    unreadable="OP-020",
    wrong="OP-040",
)

OPEN_PROTOCOL = Dialect(
    body=lambda record: (record.value or b"")[_LENGTH:],
    hints=_hints,
    refusals=_REFUSALS,
    # No record shows where a batch could have ended, whether an update was split, or the zone.
    unknown=ids("OP", 121, 152, 155, 180, "180b", 203, 204, 212),
    unknown_without_tables=ids(
        "OP", 45, 46, 48, "048a", 52, "052a", *range(120, 130), "122a", "127a", "129a", 250, 252, 254, 255
    ),
    unknown_paths_without_tables=re.compile(r"\.[fh]$"),
    table_of=_table_of,
    reduced=_reduced,
)
