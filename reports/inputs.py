"""The input of a case as lines: its SQL and rows, or the records for a decoder, with their bytes decoded."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reports.avro_text import avro_fields
from reports.shortening import middle_out, row_text
from reports.texts import value_text, visible

__all__ = ["input_lines", "record_lines"]

_HEX_BYTES = 24
_HEAD_OF_A_LENGTH = bytes(3)
"""The first bytes of a plausible version or length of 8 bytes."""
_LONGEST = 360
_LONGEST_ROW = 140
_LONGEST_STATEMENT = 160


def input_lines(case: Mapping[str, Any], shown: str = "") -> Iterator[str]:
    """The input of a case: its SQL and its rows, or the records for a decoder. The column `shown` always appears."""
    yield from (middle_out(statement, _LONGEST_STATEMENT) for statement in case.get("sql", ()))
    case_input = case.get("input", {})
    # A record of a capture is an encoder's output, and the only input there is.
    if records := case_input.get("records", ()):
        for i, record in enumerate(records):
            lead = f"records[{i}] " if len(records) > 1 else ""
            for line in record_lines(record, case_input.get("schemas")):
                yield f"{lead}{line}"
                lead = " " * len(lead)
    else:
        yield from (_event_text(event, shown) for event in case_input.get("events", ()))


def _event_text(event: Mapping[str, Any], shown: str) -> str:
    if event.get("kind") != "row":
        return f"{event.get('kind')}  {event.get('query') or event.get('commit_ts', '')}"
    images = [_row_text(event[image], shown) for image in ("before", "after") if event.get(image) is not None]
    return f"{event.get('op')}  {' → '.join(images)}"


def _row_text(row: Any, shown: str) -> str:
    if not isinstance(row, dict):
        return value_text(row)
    cells = ((name, value_text(value)) for name, value in row.items())
    members = ((visible(name), text if name == shown else middle_out(text, _LONGEST_ROW // 4)) for name, text in cells)
    return row_text(members, visible(shown), _LONGEST_ROW)


# -- records -------------------------------------------------------------------------------------------------------


def record_lines(
    record: Mapping[str, Any], schemas: Sequence[Mapping[str, Any]] | None = None, longest: int = _LONGEST
) -> Iterator[str]:
    """Key and value of a record of the harness protocol: as text where they are text, else decoded and in hex.

    `schemas` are those of the registry, for a protocol that has one: bytes are then a schema's id and fields. Without
    them bytes are documents with their lengths before them. Lines longer than `longest` lose their middle.
    """
    for part in ("key", "value"):
        if record.get(part) is None:
            continue
        try:
            data = base64.b64decode(record[part], validate=True)
        except (ValueError, TypeError):
            yield f"{part:<5}  {middle_out(visible(str(record[part])), longest)}"
            continue
        text = _text_of(data)
        if text is not None:
            yield f"{part:<5}  {middle_out(visible(text), longest)} ({len(data)} bytes)"
            continue
        more = " …" if len(data) > _HEX_BYTES else ""
        yield f"{part:<5}  {data[:_HEX_BYTES].hex(' ')}{more} ({len(data)} bytes)"
        for line in _frames(part, data) if schemas is None else _fields(data, schemas):
            yield f"       {middle_out(line, longest)}"


def _text_of(data: bytes) -> str | None:
    """The bytes as text, if they look like one."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if all(c.isprintable() or c in "\t\r\n" for c in text) else None


def _frames(part: str, data: bytes) -> Iterator[str]:
    """The documents of Open Protocol: 8 bytes of version before the keys, 8 bytes of length before each document."""
    if not data.startswith(_HEAD_OF_A_LENGTH):
        return  # compressed, or of another kind
    at = 0
    if part == "key":
        yield f"version {int.from_bytes(data[:8], 'big')}"
        at = 8
    while at < len(data):
        length = int.from_bytes(data[at : at + 8], "big")
        document = data[at + 8 : at + 8 + length]
        text = visible(document.decode("utf-8", "backslashreplace"))
        there = "" if len(document) == length else f", {len(document)} present"
        yield f"length {length}{there}: {text}"
        at += 8 + length


def _fields(data: bytes, schemas: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """An Avro record: the magic byte, the id of its schema, and its fields where the schema is known."""
    if len(data) < 5:
        yield "cut: there is no magic byte and id of 4 bytes"
        return
    number = int.from_bytes(data[1:5], "big")
    head = f"magic {data[0]}, schema {number}"
    if not schemas:
        yield head
        return
    schema = next((s["schema"] for s in schemas if s.get("id") == number), None)
    if schema is None:
        yield f"{head}, which the case does not register"
        return
    try:
        fields, rest = avro_fields(json.loads(schema), data[5:])
    except (ValueError, LookupError, TypeError, RecursionError) as e:
        yield f"{head}: cannot be read by it ({e})"
        return
    yield f"{head}: {{{', '.join(f'{name}: {value_text(value)}' for name, value in fields)}}}"
    if rest:
        yield f"and {rest} bytes after the last field"
