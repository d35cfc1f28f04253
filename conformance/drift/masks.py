"""Masks the members that vary between recordings of one producer.

The bytes around a masked value stay unchanged, so that another order of members, another escape or another blank is
still a difference. A masked value keeps its kind: null in place of a text, or an empty text, is a difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from conformance.catalogue.workload import Truth
from reference_impl.model import Record
from reference_impl.protocols import CANAL, CONNECTOR, Rows

__all__ = ["MASKS", "ClockColumns", "Mask", "Masked", "clock_columns", "masked", "without_positions"]

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
    identifying: tuple[str, ...]
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
            identifying=("value.type", "value.sql"),
        ),
        CONNECTOR: Mask(
            volatile=_either(*_TIMES, *(f"source.{name}" for name in _SOURCE), "transaction.id", "id")
            | {"key.id", "key.payload.id"}
            | {"header __debezium.context.runId", "header __debezium.context.runId.payload"},
            rows=_either("before", "after"),
            schema="source.db",
            table="source.table",
            identifying=("op", "ddl", "status"),
        ),
    }
)
"""Dialect → its masks. The server's id, the row in an event and the mark of a snapshot are not masked."""

_ACCOUNT = re.compile(r"DEFINER=`(?:[^`]|``)*`@`(?:[^`]|``)*`")
"""The account that ran the script, which the server adds to the text of a view."""
_MASK = "•"


class Masked(NamedTuple):
    """A masked record."""

    texts: tuple[str | None, ...]
    """Topic, key, value, then name and value of each header."""
    identity: tuple[str | None, ...]
    """What distinguishes the record from others of its stream."""
    values: Mapping[str, str]
    """Path with positions → the text of the masked value there, in key, value and headers."""


def clock_columns(truth: Truth) -> ClockColumns:
    """The columns of a workload that a statement's clock filled."""
    return frozenset((*change.table.id, column) for change in truth.changes for _, column in change.now)


def masked(record: Record, protocol: str, clocks: ClockColumns = frozenset()) -> Masked:
    """The masked form of a record, for comparison."""
    mask = MASKS[protocol]
    parts = [("key", record.key), ("value", record.value), *((f"header {name}", data) for name, data in record.headers)]
    texts = [None if data is None else data.decode("utf-8", "backslashreplace") for _, data in parts]
    values = [list(_values(name, text or "")) for (name, _), text in zip(parts, texts, strict=True)]
    text_at = {without_positions(value.path): value.text for of_part in values for value in of_part}
    schema, table = (_first_string(text_at, _paths(mask_path)) for mask_path in (mask.schema, mask.table))
    columns = {column for s, t, column in clocks if (s, t) == (schema, table)}
    masked_values = [
        [value._replace(text=_masked_text(value, mask, columns)) for value in of_part] for of_part in values
    ]
    key, value_text, *header_texts = (_replaced(text, new) for text, new in zip(texts, masked_values, strict=True))
    headers = [item for (name, _), text in zip(record.headers, header_texts, strict=True) for item in (name, text)]
    identifying = [text_at.get(path) for path in _paths(mask.schema, mask.table, *mask.identifying)]
    identity = (record.topic, key, *identifying, "tombstone" if record.value is None else "")
    masked_texts = {value.path: value.text for of_part in masked_values for value in of_part}
    return Masked((record.topic, key, value_text, *headers), identity, masked_texts)


def _replaced(text: str | None, values: Sequence[_Value]) -> str | None:
    """A text with the new texts of its values; everything between them stays."""
    if text is None:
        return None
    end = 0
    pieces: list[str] = []
    for value in values:
        pieces += [text[end : value.begin], value.text]
        end = value.end
    return "".join([*pieces, text[end:]])


def _paths(*mask_paths: str) -> list[str]:
    """The paths at which texts may have those of a mask: one without `value.` is below the value or its payload."""
    paths: list[str] = []
    for path in mask_paths:
        paths += [path] if path.startswith("value.") else sorted(_either(path))
    return paths


def _first_string(text_at: Mapping[str, str], paths: Sequence[str]) -> str | None:
    """The JSON string at the first of the paths that is there, without quotes; None for any other value."""
    text = next((text_at[path] for path in paths if path in text_at), None)
    return text[1:-1] if text is not None and text.startswith('"') else None


def _masked_text(value: _Value, mask: Mask, columns: set[str]) -> str:
    """The text of a value, masked if it varies from run to run; `columns` are those that a clock filled."""
    plain = without_positions(value.path)
    parent, _, name = plain.rpartition(".")
    if plain in mask.volatile or (parent in mask.rows and name in columns):
        return _masked_value(value.text)
    return _ACCOUNT.sub(f"DEFINER={_MASK}", value.text) if "DEFINER" in value.text else value.text


def _masked_value(text: str) -> str:
    if text in ("null", '""', "true", "false"):
        return text
    return f'"{_MASK}"' if text.startswith('"') else "0"


# -- the values in a JSON text -----------------------------------------------------------------------------------------


class _Value(NamedTuple):
    """A value in a JSON text, where it is from `begin` to `end`."""

    path: str
    text: str
    begin: int
    end: int


_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def _values(name: str, text: str) -> Iterator[_Value]:
    """Every value of a text except objects and lists; of a text that is not JSON, its words."""
    # For each open object the current member (None before the first), for each open list the current position.
    levels: list[str | int | None] = []
    expects_name = False
    for match in _TOKENS.finditer(text):
        token = match[0]
        if token in "{[":
            levels.append(None if token == "{" else 0)
            expects_name = token == "{"
        elif token in "}]":
            if levels:
                levels.pop()
            expects_name = False
        elif token == ",":
            if levels and isinstance(levels[-1], int):
                levels[-1] += 1
            expects_name = bool(levels) and not isinstance(levels[-1], int)
        elif token == ":":
            expects_name = False
        elif expects_name and levels:
            levels[-1] = token.strip('"')
        else:
            yield _Value(_path(name, levels), token, *match.span())


def _path(name: str, levels: list[str | int | None]) -> str:
    return name + "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in levels)


_POSITION = re.compile(r"\[\d+\]")


def without_positions(path: str) -> str:
    """A path without positions."""
    return _POSITION.sub("[]", path)
