"""The texts of schemas, with members in the order of Kafka Connect's converter.

[DBZ-054, DBZ-060, DBZ-219, DBZ-350, DBZ-700 … DBZ-703]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reference_impl.connect_json import boolean, obj
from reference_impl.model import Column
from reference_impl.upstream.debezium.json_text import literal
from reference_impl.upstream.debezium.types import FORMS, Connect, Form, parameters
from reference_impl.upstream.debezium.versions import Version

__all__ = [
    "SCHEMA_CHANGE_KEY",
    "STRING",
    "TRANSACTION_KEY",
    "TRANSACTION_VALUE",
    "column_field",
    "envelope",
    "schema_change",
    "struct",
]


def _field(
    connect: Connect,
    optional: bool,
    field: str | None,
    *,
    inner: str | None = None,
    schema_parameters: Mapping[str, str] | None = None,
    default: str | None = None,
) -> str:
    """A schema; `inner` is the member after the type: the fields of a struct or the items of an array."""
    members = [f'"type":"{connect.type}"']
    if inner is not None:
        members.append(inner)
    members.append(f'"optional":{boolean(optional)}')
    if connect.name is not None:
        members.append(f'"name":{literal(connect.name)}')
    if connect.version is not None:
        members.append(f'"version":{connect.version}')
    if connect.doc is not None:
        members.append(f'"doc":{literal(connect.doc)}')
    if schema_parameters:
        texts = (f"{literal(name)}:{literal(value)}" for name, value in schema_parameters.items())
        members.append(f'"parameters":{obj(*texts)}')
    if default is not None:
        members.append(f'"default":{default}')
    if field is not None:
        members.append(f'"field":{literal(field)}')
    return obj(*members)


def _plain(connect_type: str, optional: bool, field: str) -> str:
    return _field(Connect(connect_type), optional, field)


def _fields(fields: Iterable[str]) -> str:
    return f'"fields":[{",".join(fields)}]'


STRING = _field(Connect("string"), False, None)

_WKB_SRID = _plain("int32", True, "srid")
_INNER: Mapping[Form, str] = {
    Form.GEOMETRY: _fields((_plain("bytes", False, "wkb"), _WKB_SRID)),
    Form.POINT: _fields(
        (_plain("double", False, "x"), _plain("double", False, "y"), _plain("bytes", True, "wkb"), _WKB_SRID)
    ),
    Form.FLOATS: f'"items":{_field(Connect("float"), False, None)}',
}


def column_field(column: Column, form: Form, default: str | None, *, snapshot: bool = False) -> str:
    """The schema of a column."""
    return _field(
        FORMS[form],
        column.nullable,
        column.name,
        inner=_INNER.get(form),
        schema_parameters=parameters(column.type, form, snapshot=snapshot),
        default=default,
    )


def struct(
    name: str, fields: Iterable[str], *, optional: bool = False, version: int | None = None, field: str | None = None
) -> str:
    """The schema of an object."""
    return _field(Connect("struct", name, version), optional, field, inner=_fields(fields))


_TRANSACTION = struct(
    "event.block",
    (
        _plain("string", False, "id"),
        _plain("int64", False, "total_order"),
        _plain("int64", False, "data_collection_order"),
    ),
    optional=True,
    version=1,
    field="transaction",
)
_MARK = Connect("string", "io.debezium.data.Enum", 1)


def _source(version: Version) -> str:
    fine = ("ts_us", "ts_ns") if version.fine_times else ()
    fields = (
        *(_plain("string", False, name) for name in ("version", "connector", "name")),
        _plain("int64", False, "ts_ms"),
        _field(_MARK, True, "snapshot", schema_parameters={"allowed": version.marks}, default='"false"'),
        _plain("string", False, "db"),
        _plain("string", True, "sequence"),
        *(_plain("int64", True, name) for name in fine),
        _plain("string", True, "table"),
        _plain("int64", False, "server_id"),
        _plain("string", True, "gtid"),
        _plain("string", False, "file"),
        _plain("int64", False, "pos"),
        _plain("int32", False, "row"),
        _plain("int64", True, "thread"),
        _plain("string", True, "query"),
    )
    return struct("io.debezium.connector.mysql.Source", fields, version=version.source, field="source")


def envelope(topic: str, columns: Iterable[str], version: Version) -> str:
    """The schema of the value of a row's record; `topic` is the prefix of its names."""
    fields = tuple(columns)
    images = (struct(f"{topic}.Value", fields, optional=True, field=image) for image in ("before", "after"))
    op, ms = _plain("string", False, "op"), _plain("int64", True, "ts_ms")
    end: tuple[str, ...] = (op, ms, _TRANSACTION)
    if version.transaction_first:
        end = (_TRANSACTION, op, ms)
    if version.fine_times:
        end += (_plain("int64", True, "ts_us"), _plain("int64", True, "ts_ns"))
    return struct(f"{topic}.Envelope", (*images, _source(version), *end), version=version.envelope)


# Statements


def _array(field: str, optional: bool, items: str) -> str:
    return _field(Connect("array"), optional, field, inner=f'"items":{items}')


_COLUMN = struct(
    "io.debezium.connector.schema.Column",
    (
        _plain("string", False, "name"),
        _plain("int32", False, "jdbcType"),
        _plain("int32", True, "nativeType"),
        _plain("string", False, "typeName"),
        _plain("string", True, "typeExpression"),
        _plain("string", True, "charsetName"),
        _plain("int32", True, "length"),
        _plain("int32", True, "scale"),
        _plain("int32", False, "position"),
        *(_plain("boolean", True, name) for name in ("optional", "autoIncremented", "generated")),
        *(_plain("string", True, name) for name in ("comment", "defaultValueExpression")),
        _array("enumValues", True, STRING),
    ),
    version=1,
)
_TABLE = struct(
    "io.debezium.connector.schema.Table",
    (
        _plain("string", True, "defaultCharsetName"),
        _array("primaryKeyColumnNames", True, STRING),
        _array("columns", False, _COLUMN),
        _plain("string", True, "comment"),
    ),
    optional=True,
    version=1,
    field="table",
)
_CHANGE = struct(
    "io.debezium.connector.schema.Change",
    (_plain("string", False, "type"), _plain("string", False, "id"), _TABLE),
    version=1,
)


# The schema of the key of a statement's record.
SCHEMA_CHANGE_KEY = struct(
    "io.debezium.connector.mysql.SchemaChangeKey", (_plain("string", False, "databaseName"),), version=1
)


def schema_change(version: Version) -> str:
    """The schema of the value of a statement's record."""
    fields = (
        _source(version),
        _plain("int64", False, "ts_ms"),
        *(_plain("string", True, name) for name in ("databaseName", "schemaName", "ddl")),
        _array("tableChanges", False, _CHANGE),
    )
    return struct("io.debezium.connector.mysql.SchemaChangeValue", fields, version=1)


# Transactions: the schemas of the key and of the value of their records.

TRANSACTION_KEY = struct(
    "io.debezium.connector.common.TransactionMetadataKey", (_plain("string", False, "id"),), version=1
)

_COLLECTION = struct(
    "event.collection", (_plain("string", False, "data_collection"), _plain("int64", False, "event_count")), version=1
)
TRANSACTION_VALUE = struct(
    "io.debezium.connector.common.TransactionMetadataValue",
    (
        _plain("string", False, "status"),
        _plain("string", False, "id"),
        _plain("int64", True, "event_count"),
        _array("data_collections", True, _COLLECTION),
        _plain("int64", False, "ts_ms"),
    ),
    version=1,
)
