"""Tables that a DDL message tells, held against the versions of the tables given: which of them it is, or where not.

A version is written again as the dialect of the side writes it. Keys are left out, which are compared by their names;
of an altered table the defaults, which a producer takes from the statements that it understands; and the charset of a
table where the version does not say it, which is then the server's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import orjson

from differential.decode.unlike import shown, walk
from differential.sides import Side, codec_of
from reference_impl import exact_json
from reference_impl.debezium_json.style import style_of
from reference_impl.debezium_json.table_changes import table_changes
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Table
from reference_impl.options import parse
from reference_impl.protocols import CONNECTOR, DEBEZIUM, Rows
from reference_impl.upstream.debezium.table_changes import table_change

__all__ = ["Unfit", "digest_of", "unfit"]

Unfit: TypeAlias = list[tuple[int, list[tuple[str, str | None, str | None]]]]
"""Versions of a table with the columns that are told, by number, and where each is not what is told: none for its own.

A place is a path from the table, what was expected, and what is there.
"""

_MOST = 8  # places of a version
_CREATE_TABLE, _ADD_COLUMN = 3, 5
_KEYS, _DEFAULT = "primaryKeyColumnNames", "defaultValueExpression"
_CHARSET = "defaultCharsetName"


def digest_of(table: Any) -> str:
    """What is the same for two tables that are told alike."""
    return hashlib.blake2b(orjson.dumps(table, option=orjson.OPT_SORT_KEYS), digest_size=8).hexdigest()


def unfit(side: Side, name: str, query: str, told: Mapping[str, Any]) -> Unfit:
    """Where a table is not one of the versions given; `name` is its schema and name with a dot between, lower-case."""
    write = _WRITERS.get(side.dialect)
    columns = [str(column.get("name")).lower() for column in told.get("columns") or ()]
    if write is None or not columns:
        return []
    versions = (table for table in side.tables if f"{table.schema}.{table.name}".lower() == name)
    is_made = query.lstrip()[:6].upper() == "CREATE"
    found: Unfit = []
    for number, version in enumerate(versions):
        if [column.name.lower() for column in version.columns] == columns:
            charset = version.charset or told.get(_CHARSET)
            known = replace(version, charset=charset if isinstance(charset, str) else None)
            try:
                text = write(side, known, query, _CREATE_TABLE if is_made else _ADD_COLUMN)
            except Rejected:
                continue
            expected = exact_json.loads(text.encode("utf-8", "surrogatepass"))["table"]
            found.append((number, list(_places(expected, told, with_defaults=is_made))))
    return found


def _places(
    expected: Any, told: Mapping[str, Any], *, with_defaults: bool
) -> Iterator[tuple[str, str | None, str | None]]:
    count = 0
    for path, want, have in walk(expected, told, ()):
        if path[0] == _KEYS or (path[-1] == _DEFAULT and not with_defaults):
            continue
        if (count := count + 1) <= _MOST:
            yield ".".join(path), shown(want), shown(have)


def _by_ticdc(side: Side, table: Table, query: str, code: int) -> str:
    event = DdlEvent(table.schema, table.name, query, table_after=table)
    return table_changes(event, code, style_of(side.profile), side.settings)[1:-1]


def _by_connector(side: Side, table: Table, query: str, code: int) -> str:
    options: Any = parse(codec_of(side.dialect).options, side.options)
    return table_change("ALTER", table.id, table, options.traits)


_WRITERS: Rows[Callable[[Side, Table, str, int], str]] = Rows({DEBEZIUM: _by_ticdc, CONNECTOR: _by_connector})
"""By dialect how a version of a table is written in `tableChanges`."""
