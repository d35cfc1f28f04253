"""Masks the members that vary between recordings of one producer.

The bytes around a masked value stay unchanged, so that another order of members, another escape or another blank is
still a difference. A masked value keeps its kind: null in place of a text, or an empty text, is a difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from conformance.catalogue.workload import Truth
from reference_impl.model import Record
from reference_impl.protocols import CANAL, CONNECTOR, Rows

__all__ = ["MASKS", "ClockColumns", "Mask", "Masked", "Scalar", "clock_columns", "masked"]

ClockColumns = frozenset[tuple[str, str, str]]
"""(schema, table, column) of columns that hold the time of a statement."""


@dataclass(frozen=True, slots=True)
class Mask:
    """Where a dialect's records have members to mask, and the members that identify a record.

    Paths have no positions. Those of `volatile` and `rows` begin with `key`, `value` or `header NAME`; the others begin
    with `value.`, or stand below the value, with or without `payload`.
    """

    volatile: frozenset[str]
    """Members that vary from run to run."""
    rows: frozenset[str]
    """Objects whose members are columns."""
    schema: str
    """The member with the schema's name."""
    table: str
    """The member with the table's name."""
    about: tuple[str, ...]
    """Other members that identify a record."""


_TIMES = ("ts_ms", "ts_us", "ts_ns")
_SOURCE = (*_TIMES, "gtid", "file", "pos", "thread")


def _either(*paths: str) -> frozenset[str]:
    """Paths in a value, for messages with a schema (below `payload`) and without one."""
    return frozenset(f"value.{begin}{path}" for begin in ("", "payload.") for path in paths)


MASKS: Rows[Mask] = Rows(
    {
        CANAL: Mask(
            volatile=frozenset({"value.id", "value.es", "value.ts", "value.gtid"}),
            rows=frozenset({"value.data[]", "value.old[]"}),
            schema="value.database",
            table="value.table",
            about=("value.type", "value.sql"),
        ),
        CONNECTOR: Mask(
            volatile=_either(*_TIMES, *(f"source.{name}" for name in _SOURCE), "transaction.id", "id")
            | {"key.id", "key.payload.id"}
            | {"header __debezium.context.runId", "header __debezium.context.runId.payload"},
            rows=_either("before", "after"),
            schema="source.db",
            table="source.table",
            about=("op", "ddl", "status"),
        ),
    }
)
"""Dialect → its masks. The server's id, the row in an event and the mark of a snapshot are not masked."""

_ACCOUNT = re.compile(r"DEFINER=`(?:[^`]|``)*`@`(?:[^`]|``)*`")
"""The account that ran the script, which the server adds to the text of a view."""
_MASK = "•"


class Scalar(NamedTuple):
    """A value in a JSON text: its path with positions, and its own text."""

    path: str
    text: str


class Masked(NamedTuple):
    """A masked record; `identity` distinguishes it from others of its stream."""

    texts: tuple[str | None, ...]
    """Topic, key, value, and the headers, names and values in turn."""
    identity: tuple[str | None, ...]
    scalars: tuple[Scalar, ...]


def clock_columns(truth: Truth) -> ClockColumns:
    """The columns of a workload that a statement's clock filled."""
    return frozenset((*change.table.id, column) for change in truth.changes for _, column in change.now)


def masked(record: Record, protocol: str, clocks: ClockColumns = frozenset()) -> Masked:
    """The masked form of a record, for comparison."""
    mask = MASKS[protocol]
    parts = [("key", record.key), ("value", record.value), *((f"header {name}", data) for name, data in record.headers)]
    given = [None if data is None else data.decode("utf-8", "backslashreplace") for _, data in parts]
    places = [[] if text is None else list(_places(name, text)) for (name, _), text in zip(parts, given, strict=True)]
    found = {_plain(place.path): place.text for part in places for place in part}
    about = tuple(found.get(path) for path in _paths(mask, mask.schema, mask.table, *mask.about))
    schema, table = (_first(found, _paths(mask, path)) for path in (mask.schema, mask.table))
    columns = {column for s, t, column in clocks if (s, t) == (schema, table)}
    texts: list[str | None] = []
    scalars: list[Scalar] = []
    for text, part in zip(given, places, strict=True):
        if text is None:
            texts.append(None)
            continue
        at, pieces = 0, list[str]()
        for place in part:
            shown = _shown(place, mask, columns)
            pieces += [text[at : place.begin], shown]
            at = place.end
            scalars.append(Scalar(place.path, shown))
        texts.append("".join([*pieces, text[at:]]))
    key, value, *of_headers = texts
    headers = [item for (name, _), text in zip(record.headers, of_headers, strict=True) for item in (name, text)]
    identity = (record.topic, key, *about, "tombstone" if record.value is None else "")
    return Masked((record.topic, key, value, *headers), identity, tuple(scalars))


def _paths(mask: Mask, *paths: str) -> tuple[str, ...]:
    """Paths as a text may have them: those that do not begin with a part of a record are below its value."""
    return tuple(p for path in paths for p in ([path] if path.startswith("value.") else sorted(_either(path))))


def _first(found: Mapping[str, str], paths: tuple[str, ...]) -> str | None:
    text = next((found[path] for path in paths if path in found), None)
    return text[1:-1] if text is not None and text.startswith('"') else None


def _shown(place: _Place, mask: Mask, columns: set[str]) -> str:
    """The masked text of a value, for comparison."""
    plain = _plain(place.path)
    parent, _, name = plain.rpartition(".")
    if plain in mask.volatile or (parent in mask.rows and name in columns):
        return _masked_value(place.text)
    return _ACCOUNT.sub(f"DEFINER={_MASK}", place.text) if "DEFINER" in place.text else place.text


def _masked_value(text: str) -> str:
    if text in ("null", '""', "true", "false"):
        return text
    return f'"{_MASK}"' if text.startswith('"') else "0"


# -- the values in a JSON text -----------------------------------------------------------------------------------------


class _Place(NamedTuple):
    """A value in a text, from `begin` to `end`."""

    path: str
    text: str
    begin: int
    end: int


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def _places(name: str, text: str) -> Iterator[_Place]:
    """Every value of a text except objects and lists; of a text that is not JSON, its words."""
    levels: list[list[str | int | None]] = []  # of each open object the member, of each open list the position
    expects_name = False
    for token in _TOKEN.finditer(text):
        kind = token[0]
        if kind in "{[":
            levels.append([None] if kind == "{" else [0])
            expects_name = kind == "{"
        elif kind in "}]":
            if levels:
                levels.pop()
            expects_name = False
        elif kind == ",":
            if levels and isinstance(levels[-1][0], int):
                levels[-1][0] += 1
            expects_name = bool(levels) and not isinstance(levels[-1][0], int)
        elif kind == ":":
            expects_name = False
        elif expects_name and levels:
            levels[-1][0] = kind.strip('"')
        else:
            yield _Place(_path(name, levels), kind, *token.span())


def _path(name: str, levels: list[list[str | int | None]]) -> str:
    return name + "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for [at] in levels)


_POSITION = re.compile(r"\[\d+\]")


def _plain(path: str) -> str:
    """A path without positions."""
    return _POSITION.sub("[]", path)
