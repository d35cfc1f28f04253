"""What a message of each protocol says about its stream when no truth is at hand: its options, and its table.

Where the tables are not given, a table is made from the message itself. What is then true by construction, or cannot be
known, is not judged: `unknown_without_tables` names those requirements. A protocol is a row of `DIALECTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from reference_impl import exact_json
from reference_impl.canal_json.types import read_mysql_type
from reference_impl.column_types import ColumnType
from reference_impl.compression import KINDS, decompress
from reference_impl.errors import Rejected, RejectionClass
from reference_impl.model import Column, DdlEvent, Event, Key, Record, RowChange, Table
from reference_impl.open_protocol.types import kind_on_the_wire
from reference_impl.tso import LOGICAL_BITS

__all__ = ["DIALECTS", "Dialect", "Tree", "compression_of"]

Tree: TypeAlias = Mapping[str, Any]

_COMPRESSION = "large-message-handle-compression"
_LARGE = "large-message-handle-option"
_CHANGED_ONLY = "only-output-updated-columns"
_EXTENSION = "enable-tidb-extension"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a protocol's messages speak of their stream. A tree is a message taken apart: `{"key": …, "value": …}`.

    `body` is where compressed bytes would begin in a record. `hints` are options that a message proves; `table_of` the
    table that a row's message shows, None for other messages; `completed` the event with what the message tells and
    the decoder leaves out. `reduced` says in words why a message is not all of its event, or is empty. `refused` names
    the requirement that a record breaks which cannot be decoded. `unknown` are requirements that no capture shows;
    `unknown_places` are ends of paths that are not compared without tables. `schema_ids` are the ids of the registry
    that a record refers to.
    """

    body: Callable[[Record], bytes]
    hints: Callable[[Tree], Mapping[str, str]]
    table_of: Callable[[Tree], Table | None]
    completed: Callable[[Event, Tree], Event]
    reduced: Callable[[Tree], str]
    refused: Mapping[RejectionClass, str]
    unknown: frozenset[str]
    unknown_without_tables: frozenset[str]
    unknown_without_time: frozenset[str] = frozenset()
    unknown_places: tuple[str, ...] = ()
    schema_ids: Callable[[Record], tuple[int, ...]] = lambda record: ()


def compression_of(body: bytes) -> str:
    """How a body is compressed: the first kind, `none` in front, under which it is a JSON object; else `none`."""
    for kind in KINDS:
        try:
            if isinstance(exact_json.loads(decompress(kind, body)), dict):
                return kind
        except Rejected:
            continue
    return "none"


def _ids(prefix: str, *numbers: int | str) -> frozenset[str]:
    return frozenset(
        f"{prefix}-{number:03d}" if isinstance(number, int) else f"{prefix}-{number}" for number in numbers
    )


def _place_of(location: str) -> Mapping[str, str]:
    return {_LARGE: "claim-check", "claim-check-storage-uri": location.rpartition("/")[0]}


_AT_HAND_ONLY = "its whole message is in claim-check storage"
_KEY_ONLY = "it was reduced to its handle key for its size"

# -- Canal-JSON ------------------------------------------------------------------------------------------------------

# One action for each `type` of a DDL message: the message does not tell more.  [CJ-601 … CJ-609]
_ACTION_OF_TYPE: Mapping[str, int] = {
    "CREATE": 3,
    "ERASE": 4,
    "TRUNCATE": 11,
    "RENAME": 14,
    "CINDEX": 7,
    "DINDEX": 8,
    "ALTER": 5,
    "QUERY": 1,
}


def _rows(value: Any, name: str) -> list[Mapping[str, Any]]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return [row for row in found if isinstance(row, Mapping)] if isinstance(found, list) else []


def _canal_hints(tree: Tree) -> Mapping[str, str]:
    value = tree["value"]
    if not isinstance(value, Mapping):
        return {}
    hints: dict[str, str] = {}
    tidb = value.get("_tidb")
    if isinstance(tidb, Mapping):
        hints[_EXTENSION] = "true"
        if tidb.get("onlyHandleKey") is True:
            hints[_LARGE] = "handle-key-only"
        if isinstance(tidb.get("claimCheckLocation"), str):
            hints |= _place_of(tidb["claimCheckLocation"])
    types = value.get("mysqlType")
    if isinstance(types, Mapping) and any("(" in str(text) for text in types.values()):
        hints["content-compatible"] = "true"
    old, data = _rows(value, "old"), _rows(value, "data")
    if value.get("type") == "UPDATE" and old and data and old[0].keys() < data[0].keys():
        hints[_CHANGED_ONLY] = "true"
    return hints


def _canal_table(tree: Tree) -> Table | None:
    value = tree["value"]
    data, types = _rows(value, "data"), value["mysqlType"]
    if value["isDdl"] or not data:
        return None
    key = value["pkNames"] or ()
    columns = (Column(name, read_mysql_type(types[name]).kind, nullable=name not in key) for name in data[0])
    return Table(value["database"], value["table"], tuple(columns), tuple(name for name in key if name in data[0]))


def _canal_completed(event: Event, tree: Tree) -> Event:
    value = tree["value"]
    if event.commit_ts is None:
        event = replace(event, commit_ts=value["es"] << LOGICAL_BITS)
    if isinstance(event, DdlEvent):
        event = replace(event, action_code=_ACTION_OF_TYPE.get(value["type"]))
    if isinstance(event, RowChange) and event.before is not None and event.after is not None:
        # A column that `old` leaves out did not change.  [CJ-504]
        event = replace(event, before={name: event.before.get(name, event.after[name]) for name in event.after})
    return event


def _canal_reduced(tree: Tree) -> str:
    tidb = tree["value"].get("_tidb") if isinstance(tree["value"], Mapping) else None
    if not isinstance(tidb, Mapping):
        return ""
    return _AT_HAND_ONLY if "claimCheckLocation" in tidb else _KEY_ONLY if tidb.get("onlyHandleKey") else ""


_CANAL = Dialect(
    body=lambda record: record.value or b"",
    hints=_canal_hints,
    table_of=_canal_table,
    completed=_canal_completed,
    reduced=_canal_reduced,
    refused={
        RejectionClass.FRAMING: "CJ-207",
        RejectionClass.SYNTAX: "CJ-207",
        RejectionClass.SCHEMA: "CJ-010",
        RejectionClass.TYPE: "CJ-034b",
        RejectionClass.RANGE: "CJ-034b",
        RejectionClass.SEMANTICS: "CJ-010",
    },
    # The kind of statement behind `type`, whether an update was split, and the zone cannot be seen.
    unknown=_ids("CJ", *range(601, 611), 111, 140, "051", "051a"),
    unknown_without_tables=_ids("CJ", 20, 21, 23, 30, "030a", 33, 37, 104, 112, *range(360, 379)),
    unknown_without_time=_ids("CJ", 660),
)

# -- Open Protocol ---------------------------------------------------------------------------------------------------

_IMAGES = ("u", "p", "d")
_PRIMARY, _NULLABLE = 0x08, 0x40


def _open_images(tree: Tree) -> Mapping[str, Mapping[str, Any]]:
    value = tree.get("value")
    if not isinstance(value, Mapping) or tree["key"].get("t") != 1:
        return {}
    # A member that is no object is a column that lost its name.  [OP-058]
    return {
        name: {column: member for column, member in value[name].items() if isinstance(member, Mapping)}
        for name in _IMAGES
        if isinstance(value.get(name), Mapping)
    }


def _open_hints(tree: Tree) -> Mapping[str, str]:
    hints: dict[str, str] = {}
    if tree["key"].get("ohk") is True:
        hints[_LARGE] = "handle-key-only"
    if isinstance(tree["key"].get("ccl"), str):
        hints |= _place_of(tree["key"]["ccl"])
    images = _open_images(tree)
    if "p" in images and images["p"].keys() < images.get("u", {}).keys():
        hints[_CHANGED_ONLY] = "true"
    return hints


def _open_type(member: Mapping[str, Any]) -> ColumnType:
    return kind_on_the_wire(member["t"], member.get("f"), member["v"], None)


def _open_table(tree: Tree) -> Table | None:
    members: dict[str, Mapping[str, Any]] = {}
    for image in _open_images(tree).values():
        for name, member in image.items():
            members.setdefault(name, member)
    if not members:
        return None
    columns = tuple(
        Column(name, _open_type(member), nullable=bool(member.get("f", 0) & _NULLABLE))
        for name, member in members.items()
    )
    primary = tuple(name for name, member in members.items() if member.get("f", 0) & _PRIMARY)
    handle = tuple(name for name, member in members.items() if member.get("h"))
    unique = () if primary or not handle else (Key("handle", handle),)
    key = tree["key"]
    return Table(key["scm"], key["tbl"], columns, primary, unique)


def _open_reduced(tree: Tree) -> str:
    key = tree["key"]
    if not isinstance(key, Mapping):
        return ""
    return _AT_HAND_ONLY if "ccl" in key else _KEY_ONLY if key.get("ohk") is True else ""


_OPEN = Dialect(
    body=lambda record: (record.value or b"")[8:],
    hints=_open_hints,
    table_of=_open_table,
    completed=lambda event, tree: event,
    reduced=_open_reduced,
    refused={
        RejectionClass.FRAMING: "OP-002",
        RejectionClass.SYNTAX: "OP-040",
        RejectionClass.SCHEMA: "OP-043",
        RejectionClass.TYPE: "OP-043",
        RejectionClass.RANGE: "OP-043",
        RejectionClass.SEMANTICS: "OP-041",
    },
    # Where a batch could have ended, whether an update was split, and the zone cannot be seen.
    unknown=_ids("OP", 121, 152, 155, 180, 203, 204, 212),
    unknown_without_tables=_ids(
        "OP", 45, 46, 48, "048a", 52, *range(120, 130), "122a", "127a", "129a", 250, 252, 254, 255
    ),
    unknown_places=(".f", ".h"),
)

DIALECTS: Mapping[str, Dialect] = {"canal-json": _CANAL, "open-protocol": _OPEN}
