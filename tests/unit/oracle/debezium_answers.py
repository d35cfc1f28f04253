"""Answers for the tests of the Debezium JSON oracle: the reference's own with one thing changed, and who is blamed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.cases.model import Case
from conformance.cases.normalise import dumps
from reference_impl import exact_json
from reference_impl.compression import compress, decompress
from reference_impl.model import Record
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings
from tests.unit.oracle import judging
from tests.unit.oracle.judging import Change, asked, ddl_event, options_of, row_event, with_records

EXTENDED = {"enable-tidb-extension": "true"}
BARE = {"debezium-disable-schema": "true"}
RAW = {"output-raw-change-event": "true"}
NO_OLD = {"debezium-output-old-value": "false"}
STARTED = {"debezium-include-start-ts": "true"}
NOW = Settings(cluster_id="my-cluster", now_ms=1_700_000_000_123)

COLUMNS: list[dict[str, Any]] = [
    {"name": "id", "type": "int", "nullable": False},
    {"name": "ti", "type": "tinyint", "nullable": True, "default": "5"},
    {"name": "bo", "type": "tinyint(1)", "nullable": True},
    {"name": "su", "type": "smallint unsigned", "nullable": True},
    {"name": "iu", "type": "int unsigned", "nullable": True},
    {"name": "b", "type": "bigint", "nullable": True},
    {"name": "bu", "type": "bigint unsigned", "nullable": True},
    {"name": "f", "type": "float", "nullable": True},
    {"name": "g", "type": "double", "nullable": True},
    {"name": "m", "type": "decimal(10,2)", "nullable": True},
    {"name": "b1", "type": "bit(1)", "nullable": True},
    {"name": "bt", "type": "bit(10)", "nullable": True},
    {"name": "c", "type": "varchar(20)", "nullable": True, "default": "x"},
    {"name": "x", "type": "text", "nullable": True},
    {"name": "q", "type": "varbinary(20)", "nullable": True},
    {"name": "e", "type": "enum('a','b')", "nullable": True},
    {"name": "s", "type": "set('a','b')", "nullable": True},
    {"name": "j", "type": "json", "nullable": True},
    {"name": "d", "type": "date", "nullable": True},
    {"name": "dt", "type": "datetime", "nullable": True},
    {"name": "d6", "type": "datetime(6)", "nullable": True},
    {"name": "w", "type": "timestamp(3)", "nullable": True},
    {"name": "tm", "type": "time", "nullable": True},
    {"name": "y", "type": "year", "nullable": True},
    {"name": "v", "type": "vector(2)", "nullable": True},
    {"name": "gen", "type": "int", "nullable": True, "generated": "virtual"},
    {"name": "o", "type": "int", "nullable": True},
]
TABLE: dict[str, Any] = {"schema": "test", "name": "t", "columns": COLUMNS, "primary_key": ["id"]}
ROW: dict[str, Any] = {
    "id": "1",
    "ti": "-3",
    "bo": "1",
    "su": "65535",
    "iu": "4294967295",
    "b": "9007199254740993",
    "bu": "18446744073709551615",
    "f": "0.1",
    "g": "0.25",
    "m": "1.50",
    "b1": "1",
    "bt": "513",
    "c": "y",
    "x": "text",
    "q": "AQL/",
    "e": "b",
    "s": "a,b",
    "j": '{"a": 1}',
    "d": "2024-02-29",
    "dt": "2024-02-29 01:02:03",
    "d6": "2024-02-29 01:02:03.456789",
    "w": "2024-02-29 01:02:03.500",
    "tm": "-01:02:03",
    "y": "2024",
    "v": "[1,0.5]",
    "gen": "9",
    "o": None,
}
CHANGED: dict[str, Any] = {
    "schema": "test",
    "name": "t",
    "primary_key": ["id"],
    "charset": "utf8mb4",
    "columns": [
        {"name": "id", "type": "int", "nullable": False, "auto_increment": True},
        {"name": "n", "type": "bigint", "nullable": True},
        {"name": "c", "type": "varchar(20)", "nullable": True, "default": "x", "comment": "a note", "charset": "utf8"},
        {"name": "e", "type": "enum('a','b')", "nullable": True, "charset": "utf8mb4"},
        {"name": "m", "type": "decimal(10,2)", "nullable": True},
        {"name": "g", "type": "int", "nullable": True, "generated": "stored"},
    ],
}

row = partial(row_event, base=ROW)
ddl = partial(ddl_event, after=CHANGED)
case_of = partial(asked, "debezium", table=TABLE, settings=NOW)


# -- answers -----------------------------------------------------------------------------------------------------------


def blamed(case: Case, answer: Mapping[str, Any], profile: Profile = NEWARCH) -> list[str]:
    """The requirements of the findings without `DBZ-`, each once, in order of their ids."""
    return [requirement.removeprefix("DBZ-") for requirement in judging.blamed(case, answer, profile)]


def with_message(case: Case, change: Change, profile: Profile = NEWARCH, at: int = 0) -> dict[str, Any]:
    """The reference's records with one message changed as a tree `{"key": …, "value": …}`; a part may become bytes."""
    kind = options_of(case).large_message_handle_compression

    def loaded(data: bytes | None) -> Any:
        assert data is not None
        return exact_json.loads(decompress(kind, data) if kind != "none" else data)

    def text(part: Any) -> bytes | None:
        if part is None or isinstance(part, bytes):
            return part
        data = dumps(part).encode()
        return compress(kind, data) if kind != "none" else data

    def changed(records: list[Record]) -> list[Record]:
        tree: dict[str, Any] = {"key": loaded(records[at].key), "value": loaded(records[at].value)}
        untouched = {part: dumps(tree[part]) for part in tree}
        change(tree)
        same = {part for part in tree if not isinstance(tree[part], bytes) and dumps(tree[part]) == untouched[part]}
        key = records[at].key if "key" in same else text(tree["key"])
        value = records[at].value if "value" in same else text(tree["value"])
        records[at] = replace(records[at], key=key, value=value)
        return records

    return with_records(case, changed, profile)


# -- changes -----------------------------------------------------------------------------------------------------------


def at(tree: Any, path: str) -> Any:
    """The part at a path of dots; in a list, a name is that of the member `field` or `name`, a number a position."""
    for step in path.split(".") if path else ():
        if isinstance(tree, list):
            named = [part for part in tree if isinstance(part, dict) and step in (part.get("field"), part.get("name"))]
            tree = named[0] if named else tree[int(step)]
        else:
            tree = tree[step]
    return tree


def put(path: str, value: Any) -> Change:
    """Set the member at a path."""

    def change(tree: Any) -> None:
        parent, _, name = path.rpartition(".")
        at(tree, parent)[name] = value

    return change


def drop(path: str) -> Change:
    """Remove the member, or the part of a list, at a path."""

    def change(tree: Any) -> None:
        parent, _, name = path.rpartition(".")
        place = at(tree, parent)
        if isinstance(place, list):
            place.remove(at(place, name))
        else:
            del place[name]

    return change


def last(path: str) -> Change:
    """Put the member, or the part of a list, at a path behind the others."""

    def change(tree: Any) -> None:
        parent, _, name = path.rpartition(".")
        place = at(tree, parent)
        part = at(place, name)
        drop(path)(tree)
        if isinstance(place, list):
            place.append(part)
        else:
            place[name] = part

    return change


def both(one: Change, other: Change) -> Change:
    """One change, and another one behind it."""

    def change(tree: Any) -> None:
        one(tree)
        other(tree)

    return change


def twice(part: str, member: str) -> Change:
    """Write a member of the outermost object of a part a second time."""

    def change(tree: Any) -> None:
        text = dumps({member: tree[part][member]})
        tree[part] = f"{dumps(tree[part])[:-1]},{text[1:]}".encode()

    return change
