"""Shows the place of a finding in its record, as text and bytes, and the SQL statements that lead to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from conformance.cases.model import Case
from conformance.cases.sql import script
from conformance.errors import SuiteError
from reference_impl.model import Event, Record, Row, RowChange
from reference_impl.wire import event_to_json
from reports.texts import cut, printable

__all__ = ["bytes_at", "bytes_of_column", "row_with", "smallest", "span_of"]

_LONGEST = 200
_MOST_SQL = 8
_MOST_HEX = 40
_VALUE = re.compile(rb'\s*("(?:[^"\\]|\\.)*"|[^,}\]]*)', re.DOTALL)
_NUMBER = re.compile(r"(?:records|messages)\[(\d+)\]")
_NAME = re.compile(r"[^.\[\]]+")
_VERSION = bytes(7) + b"\1"
"""The first bytes of a key of Open Protocol."""
_ROWS = b'"data":['
_LEFT_OUT = ("SET time_zone = '+00:00'", "CREATE DATABASE")


def span_of(value: bytes, column: str) -> tuple[int, int, int] | None:
    """The first occurrence of a column in a message: offsets of its name, its value, and the end of the value.

    A schema before or after the row spells names differently. The types in Canal's messages do not: they are skipped.
    """
    needle = f'"{column}":'.encode()
    at = value.find(needle, max(0, value.find(_ROWS)))
    if at < 0:
        return None
    found = _VALUE.match(value, at + len(needle))
    return None if found is None else (at, found.start(1), found.end(1))


def bytes_of_column(records: Sequence[Record], column: str, number: int = 0) -> Iterator[tuple[str, str]]:
    """A column in a record, as text and hexadecimal digits: in message `number`, or in the first with it."""
    for record in (*records[number : number + 1], *records) if column else ():
        value = record.value or b""
        if (span := span_of(value, column)) is not None:
            yield from _shown(value[span[0] : span[2]])
            return
    yield from _whole(records)


def bytes_at(records: Sequence[Record], path: str) -> Iterator[tuple[str, str]]:
    """A path in a record, as text and hexadecimal digits, from its last existing name on."""
    found = _NUMBER.search(path)
    if not records:
        yield "record", "none"
        return
    names = _NAME.findall(path[found.end() :] if found else path)
    messages = [one for record in records for one in _messages(record, is_key=names[:1] == ["key"])]
    part = messages[min(int(found[1]) if found else 0, len(messages) - 1)]
    begin = -1  # of the last existing name, each after the one before it
    for name in names[1:]:
        begin = max(begin, part.find(f'"{name}":'.encode(), max(begin, 0)))
    if begin < 0:
        yield from _whole(records)
        return
    value = _VALUE.match(part, part.index(b":", begin) + 1)
    is_scalar = value is not None and part[value.start(1) : value.start(1) + 1] not in (b"{", b"[")
    yield from _shown(part[begin : value.end(1) if value and is_scalar else begin + _LONGEST])


def _messages(record: Record, *, is_key: bool) -> list[bytes]:
    """The messages of a record: one, or in Open Protocol those in its frames."""
    part = (record.key if is_key else record.value) or b""
    at, found = len(_VERSION) if part.startswith(_VERSION) else 0, list[bytes]()
    # Before each document are 8 bytes of length, of which 5 are zero; JSON text never begins so.
    while part[at : at + 5] == bytes(5) and len(part) >= at + 8:
        length = int.from_bytes(part[at : at + 8], "big")
        found.append(part[at + 8 : at + 8 + length])
        at += 8 + length
    return found if found and at == len(part) else [part]


def _whole(records: Sequence[Record]) -> Iterator[tuple[str, str]]:
    """The first record as bytes, if it has no path to show: the data of Avro, or the beginning of others."""
    for record in records[:1]:
        yield "key", _hex(record.key)
        yield "value", _hex(record.value)


def _hex(part: bytes | None) -> str:
    if not part:
        return "empty" if part == b"" else "none"
    return part[:_MOST_HEX].hex(" ") + (f" … ({len(part):,} bytes)" if len(part) > _MOST_HEX else "")


def _shown(part: bytes) -> Iterator[tuple[str, str]]:
    yield "record", cut(printable(part.decode("utf-8", "replace")), _LONGEST)
    yield "bytes", part[:_MOST_HEX].hex(" ") + ("…" if len(part) > _MOST_HEX else "")


# -- statements --------------------------------------------------------------------------------------------------------


def row_with(case: Case, column: str, value: str | None) -> int:
    """The number of the first row change in which a column has this value; 0 if none has it."""
    rows = [event for event in case.events if isinstance(event, RowChange)]
    for number, event in enumerate(rows):
        shown = event_to_json(event)
        image = shown.get("after") or shown.get("before") or {}
        if column in image and image[column] == value:
            return number
    return 0


def smallest(case: Case, column: str, number: int | None = None) -> tuple[str, ...]:
    """Statements for the rows with their key and one more column, or the case's own statements.

    With a number only that row is made, as it is after the change, or before it if it is deleted.
    """
    lines = _reduced(case, column, number) or list(case.sql)
    kept = [line for line in lines if not line.startswith(_LEFT_OUT)]
    return tuple(cut(f"{printable(line)};", _LONGEST) for line in kept[:_MOST_SQL])


def _reduced(case: Case, column: str, number: int | None) -> list[str]:
    rows = [event for event in case.events if isinstance(event, RowChange)]
    if not column or not rows:
        return []
    first = rows[number or 0]
    table = next((t for t in case.tables if t.id == (first.schema, first.table)), None)
    if table is None or table.column(column) is None:
        return []
    kept = tuple(one for one in table.columns if one.name in (*table.primary_key, column))
    names = {one.name for one in kept}
    small = replace(table, columns=kept, unique_keys=(), indexes=(), create_sql=None)

    def image(row: Row | None) -> Row | None:
        return None if row is None else {name: value for name, value in row.items() if name in names}

    changes: list[Event]
    if number is None:
        changes = [replace(one, before=image(one.before), after=image(one.after)) for one in rows]
    else:
        after = image(first.before if first.op == "delete" else first.after)
        changes = [replace(first, op="insert", before=None, after=after)]
    try:
        return list(script([small], changes, case.settings.timezone))
    except (SuiteError, KeyError, TypeError):
        return []
