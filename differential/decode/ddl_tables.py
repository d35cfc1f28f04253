"""Compares the table in a DDL message with the given versions of that table.

The reference encoder writes each version in the dialect of the side. Three things are left out: keys, which are
compared by name; the defaults of an altered table, which a producer takes from the statements that it understands; and
the charset if the version has none, since it is then the server's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import orjson

from differential.decode.member_differences import as_text, tree_differences
from differential.sides import Side, codec_of
from reference_impl import exact_json
from reference_impl.debezium_json.style import style_of
from reference_impl.debezium_json.table_changes import table_changes
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Table
from reference_impl.options import parse
from reference_impl.protocols import CONNECTOR, DEBEZIUM, Rows
from reference_impl.upstream.debezium.table_changes import TableChange, table_change

__all__ = ["VersionDifferences", "digest_of", "version_differences"]

VersionDifferences: TypeAlias = list[tuple[int, list[tuple[str, str | None, str | None]]]]
"""By number of a version with the same columns: its differences (path from the table, expected, got).

A version without differences is the one that the message describes.
"""

_MOST = 8  # differences of a version that are reported
_CREATE_TABLE, _ADD_COLUMN = 3, 5
_KEYS, _DEFAULT = "primaryKeyColumnNames", "defaultValueExpression"
_CHARSET = "defaultCharsetName"


def digest_of(table: Any) -> str:
    """A hash that is equal for equally described tables."""
    return hashlib.blake2b(orjson.dumps(table, option=orjson.OPT_SORT_KEYS), digest_size=8).hexdigest()


def version_differences(side: Side, name: str, query: str, given: Mapping[str, Any]) -> VersionDifferences:
    """The differences between a table in a DDL message and the given versions with the same columns.

    `name` is schema and name joined by a dot, in lower case.
    """
    write = _WRITERS.get(side.dialect)
    columns = [str(column.get("name")).lower() for column in given.get("columns") or ()]
    if write is None or not columns:
        return []
    versions = (table for table in side.tables if f"{table.schema}.{table.name}".lower() == name)
    is_created = query.lstrip()[:6].upper() == "CREATE"
    found: VersionDifferences = []
    for number, version in enumerate(versions):
        if [column.name.lower() for column in version.columns] == columns:
            charset = version.charset or given.get(_CHARSET)
            with_charset = replace(version, charset=charset if isinstance(charset, str) else None)
            try:
                text = write(side, with_charset, query, _CREATE_TABLE if is_created else _ADD_COLUMN)
            except Rejected:
                continue
            expected = exact_json.loads(text.encode("utf-8", "surrogatepass"))["table"]
            found.append((number, list(_differences(expected, given, with_defaults=is_created))))
    return found


def _differences(
    expected: Any, given: Mapping[str, Any], *, with_defaults: bool
) -> Iterator[tuple[str, str | None, str | None]]:
    count = 0
    for path, expected_value, got in tree_differences(expected, given, ()):
        if path[0] == _KEYS or (path[-1] == _DEFAULT and not with_defaults):
            continue
        if (count := count + 1) <= _MOST:
            yield ".".join(path), as_text(expected_value), as_text(got)


def _by_ticdc(side: Side, table: Table, query: str, code: int) -> str:
    event = DdlEvent(table.schema, table.name, query, table_after=table)
    changes = table_changes(event, code, style_of(side.profile), side.settings)
    return changes[1:-1]  # a list of one


def _by_connector(side: Side, table: Table, query: str, code: int) -> str:
    options: Any = parse(codec_of(side.dialect).options, side.options)
    return table_change(TableChange("ALTER", *table.id, table), options.traits)


_WRITERS: Rows[Callable[[Side, Table, str, int], str]] = Rows({DEBEZIUM: _by_ticdc, CONNECTOR: _by_connector})
"""By dialect, the function that writes a version of a table for `tableChanges`."""
