"""Reads the input files of commands: tables, events and schemas, as a JSON list or one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from conformance.ddl import tables_of_file
from conformance.errors import UsageError
from reference_impl.errors import Rejected
from reference_impl.model import Event, Table
from reference_impl.registry import RegisteredSchema
from reference_impl.wire import events_from_json, table_from_json

__all__ = ["bytes_of", "is_sql", "listed", "read_events", "read_schemas", "read_tables"]

T = TypeVar("T")
_NAMED = 4  # tables in a sentence
_BLANK = b" \t\r\n"
_UTF8_MARK = b"\xef\xbb\xbf"


def listed(tables: Iterable[tuple[str, str]]) -> str:
    """The names of tables, of many only the first ones."""
    names = sorted(map(".".join, tables))
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else "")


def is_sql(path: Path, data: bytes) -> bool:
    """Whether the content of a file is SQL: its name says so, or it begins as no JSON does."""
    if (ending := path.suffix.lower()) in (".sql", ".json", ".jsonl"):
        return ending == ".sql"
    return not data.removeprefix(_UTF8_MARK).lstrip(_BLANK).startswith((b"{", b"["))


def read_tables(path: Path, option: str = "--tables", data: bytes | None = None) -> list[Table]:
    """The tables of a dump's folder, or of a file of SQL (`is_sql`) or Table JSON; at least one.

    `data` is the content of the file if it was read before: a pipe can be read only once.

    Raises `UsageError`, naming file and table or statement, for what cannot be read.
    """
    if path.is_dir():
        return tables_of_file(path, option)
    data = bytes_of(path, option) if data is None else data
    if is_sql(path, data):
        return tables_of_file(path, option, data)
    tables = _items(option, "table", path, data, table_from_json)
    if not tables:
        raise UsageError(f"{option} {path}: there is no table in it")
    return tables


def read_events(path: Path, tables: Iterable[Table]) -> list[Event]:
    """Event JSON, in order; `tables` are in force before the first. Raises `UsageError`, naming file and event."""
    given = _read("--events", "event", path, dict)
    number = 0  # of the event that is being read, for the message

    def trees() -> Iterator[Any]:
        nonlocal number
        for tree in given:
            number += 1
            yield tree

    try:
        return events_from_json(trees(), tables)
    except (Rejected, KeyError, TypeError, ValueError) as e:
        raise UsageError(f"--events {path}, event {number}: {e}") from None


def read_schemas(path: Path) -> list[RegisteredSchema]:
    """A registry's list: objects with `id`, `schema` and, if known, `subject`. Raises `UsageError`."""
    return _read("--schemas", "schema", path, _schema)


def _schema(given: Any) -> RegisteredSchema:
    schema_id, subject, text = given["id"], given.get("subject", ""), given["schema"]
    if type(schema_id) is not int or not isinstance(subject, str) or not isinstance(text, str):
        raise TypeError("`id` is a number, `schema` and `subject` are strings")
    return RegisteredSchema(schema_id, subject, text)


def bytes_of(path: Path, option: str) -> bytes:
    """The content of a file. Raises `UsageError`."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as e:
        raise UsageError(f"{option} {path}: cannot be read ({getattr(e, 'strerror', None) or e})") from None


def _read(option: str, what: str, path: Path, read: Callable[[Any], T]) -> list[T]:
    return _items(option, what, path, bytes_of(path, option), read)


def _items(option: str, what: str, path: Path, data: bytes, read: Callable[[Any], T]) -> list[T]:
    """The items of a file, each made by `read` from its JSON; `what` is the noun for an item in messages."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise UsageError(f"{option} {path}: cannot be read (it is not UTF-8)") from None
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        lines = enumerate(text.split("\n"), 1)  # not splitlines(): a string may hold U+2028
        given = [_line(option, path, n, line) for n, line in lines if line.strip()]
    found = []
    for number, item in enumerate(given if isinstance(given, list) else [given], 1):
        try:
            found.append(read(item))
        except KeyError as e:
            raise UsageError(f"{option} {path}, {what} {number}: there is no member {e}") from None
        except (Rejected, TypeError, ValueError, AttributeError) as e:
            raise UsageError(f"{option} {path}, {what} {number}: {e}") from None
    return found


def _line(option: str, path: Path, number: int, line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as e:
        raise UsageError(f"{option} {path}, line {number}: not JSON ({e})") from None
