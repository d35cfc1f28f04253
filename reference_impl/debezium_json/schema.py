"""Writes the `schema` member of keys, row values, watermarks and DDL statements.  [DBZ-030, DBZ-050 … DBZ-057, DBZ-340]

The order of their members is part of the format. A schema never depends on a row.
"""

from __future__ import annotations

from collections.abc import Iterable

from reference_impl.column_types import Family
from reference_impl.connect_json import boolean, obj
from reference_impl.debezium_json.defaults import schema_default
from reference_impl.debezium_json.json_text import literal
from reference_impl.debezium_json.options import Options
from reference_impl.debezium_json.style import Style
from reference_impl.debezium_json.types import allowed, schema_type, tidb_type
from reference_impl.model import Column
from reference_impl.settings import Settings

__all__ = ["DDL_KEY_SCHEMA", "column_field", "ddl_schema", "envelope_schema", "key_schema", "watermark_schema"]


def column_field(column: Column, options: Options, style: Style, settings: Settings) -> str:
    """The schema of a column.  [DBZ-054, DBZ-055, DBZ-150]"""
    column_type = column.type
    type_name, name = schema_type(column_type)
    members = [f'"tidb_type":"{tidb_type(column_type)}"'] if options.enable_tidb_extension and style.tidb_type else []
    members += [f'"type":"{type_name}"', f'"optional":{boolean(column.nullable)}']
    if name is not None:
        members.append(f'"name":"{name}"')
        if column_type.family is not Family.VECTOR:  # [DBZ-125]
            members.append('"version":1')
    if column_type.family in (Family.ENUM, Family.SET):
        members.append(f'"parameters":{{"allowed":{literal(allowed(column_type))}}}')
    elif column_type.family is Family.BIT and column_type.bits > 1:
        members.append(f'"parameters":{{"length":"{column_type.bits}"}}')
    members.append(f'"field":{literal(column.name)}')
    default = schema_default(column, style, settings)
    if default is not None:
        members.append(f'"default":{default}')
    return obj(*members)


def _declared(declaration: str) -> tuple[str, str, str]:
    """Name, type and whether it is optional, as JSON, of a field such as `gtid string?`; `?` means optional."""
    name, kind = declaration.split()
    return name, kind.rstrip("?"), boolean(kind.endswith("?"))


# Fields of a row schema: the name comes last.


def _plain_field(declaration: str) -> str:
    name, kind, optional = _declared(declaration)
    return f'{{"type":"{kind}","optional":{optional},"field":"{name}"}}'


_SNAPSHOT_FIELD = (
    '{"type":"string","optional":true,"name":"io.debezium.data.Enum","version":1,'
    '"parameters":{"allowed":"true,last,false,incremental"},"default":"false","field":"snapshot"}'
)
_SOURCE_FIELDS = (
    *map(_plain_field, ("version string", "connector string", "name string", "ts_ms int64")),
    _SNAPSHOT_FIELD,
    *map(_plain_field, ("db string", "sequence string?", "table string?", "server_id int64", "gtid string?")),
    *map(_plain_field, ("file string", "pos int64", "row int32", "thread int64?", "query string?")),
)
_COMMIT_FIELDS = (_plain_field("commit_ts int64"), _plain_field("cluster_id string"))
_START_TS_FIELD = _plain_field("start_ts int64")

_BLOCK_FIELDS = (*map(_plain_field, ("id string", "total_order int64", "data_collection_order int64")),)
_TRANSACTION_FIELD = (
    f'{{"type":"struct","fields":[{",".join(_BLOCK_FIELDS)}],'
    '"optional":true,"name":"event.block","version":1,"field":"transaction"}'
)
_LAST_FIELDS = (_plain_field("op string"), _plain_field("ts_ms int64?"), _TRANSACTION_FIELD)


def _source(options: Options, style: Style, *, start_ts: bool) -> str:
    """The schema of `source`.  [DBZ-052, DBZ-052c]"""
    fields = [*_SOURCE_FIELDS]
    if options.enable_tidb_extension and style.declares_commit:
        fields += _COMMIT_FIELDS
    if start_ts:
        fields.append(_START_TS_FIELD)
    return (
        f'{{"type":"struct","fields":[{",".join(fields)}],"optional":false,'
        '"name":"io.debezium.connector.mysql.Source","field":"source"}'
    )


def key_schema(name: str, fields: Iterable[str]) -> str:
    """The schema of a key; `name` is its full name.  [DBZ-030, DBZ-400]"""
    return f'{{"type":"struct","name":{literal(name)},"optional":false,"fields":[{",".join(fields)}]}}'


def _envelope(name: str, fields: Iterable[str]) -> str:
    return f'{{"type":"struct","optional":false,"name":{literal(name)},"version":1,"fields":[{",".join(fields)}]}}'


def envelope_schema(namespace: str, fields: Iterable[str], options: Options, style: Style, *, start_ts: bool) -> str:
    """The schema of a row value.  [DBZ-050, DBZ-051]"""
    name, columns = literal(namespace + ".Value"), ",".join(fields)
    images = (
        f'{{"type":"struct","optional":true,"name":{name},"field":"{image}","fields":[{columns}]}}'
        for image in ("before", "after")
    )
    return _envelope(namespace + ".Envelope", (*images, _source(options, style, start_ts=start_ts), *_LAST_FIELDS))


def watermark_schema(cluster: str, options: Options, style: Style) -> str:
    """The schema of a watermark's value; `cluster` is the sanitised `cluster_id`.  [DBZ-402]"""
    return _envelope(cluster + ".watermark.Envelope", (_source(options, style, start_ts=False), *_LAST_FIELDS))


# Fields of the schema of a DDL message: the name comes first, except in `source`.  [DBZ-310, DBZ-341, DBZ-342]


def _ddl_field(declaration: str, *more: str) -> str:
    name, kind, optional = _declared(declaration)
    return obj(f'"field":"{name}"', f'"optional":{optional}', f'"type":"{kind}"', *more)


def _items(name: str, fields: Iterable[str]) -> str:
    head = f'"name":"io.debezium.connector.schema.{name}","optional":false,"type":"struct","version":1'
    return f'"items":{{{head},"fields":[{",".join(fields)}]}}'


_STRING_ITEMS = '"items":{"type":"string","optional":false}'

_COLUMN_FIELDS = (
    *map(_ddl_field, ("name string", "jdbcType int32", "nativeType int32?", "typeName string")),
    *map(_ddl_field, ("typeExpression string?", "charsetName string?", "length int32?", "scale int32?")),
    *map(_ddl_field, ("position int32", "optional boolean?", "autoIncremented boolean?", "generated boolean?")),
    *map(_ddl_field, ("comment string?", "defaultValueExpression string?")),
    _ddl_field("enumValues array?", _STRING_ITEMS),
)
_TABLE_FIELDS = (
    _ddl_field("defaultCharsetName string?"),
    _ddl_field("primaryKeyColumnNames array?", _STRING_ITEMS),
    _ddl_field("columns array", _items("Column", _COLUMN_FIELDS)),
    _ddl_field("comment string?"),
)
_CHANGE_FIELDS = (
    _ddl_field("type string"),
    _ddl_field("id string"),
    _ddl_field(
        "table struct?",
        '"name":"io.debezium.connector.schema.Table"',
        '"version":1',
        f'"fields":[{",".join(_TABLE_FIELDS)}]',
    ),
)
_DDL_FIELDS = (
    *map(_ddl_field, ("ts_ms int64", "databaseName string?", "schemaName string?", "ddl string?")),
    _ddl_field("tableChanges array", _items("Change", _CHANGE_FIELDS)),
)

DDL_KEY_SCHEMA = (
    '{"type":"struct","name":"io.debezium.connector.mysql.SchemaChangeKey","optional":false,"version":1,'
    f'"fields":[{_ddl_field("databaseName string")}]}}'
)


def ddl_schema(options: Options, style: Style) -> str:
    """The schema of a DDL message's value, with the name in the document's example and in recordings.

    [DBZ-340 … DBZ-342b]
    """
    fields = ",".join((_source(options, style, start_ts=False), *_DDL_FIELDS))
    return (
        '{"optional":false,"type":"struct","version":1,'
        f'"name":"io.debezium.connector.mysql.SchemaChangeValue","fields":[{fields}]}}'
    )
