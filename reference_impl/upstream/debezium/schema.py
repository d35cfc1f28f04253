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
    field: str | None = None,
    *,
    optional: bool = False,
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


def _required(connect_type: str, field: str) -> str:
    return _field(Connect(connect_type), field)


def _optional(connect_type: str, field: str) -> str:
    return _field(Connect(connect_type), field, optional=True)


def _fields(fields: Iterable[str]) -> str:
    return f'"fields":[{",".join(fields)}]'


STRING = _field(Connect("string"))

_WKB_SRID = _optional("int32", "srid")
_INNER: Mapping[Form, str] = {
    Form.GEOMETRY: _fields((_required("bytes", "wkb"), _WKB_SRID)),
    Form.POINT: _fields((_required("double", "x"), _required("double", "y"), _optional("bytes", "wkb"), _WKB_SRID)),
    Form.FLOATS: f'"items":{_field(Connect("float"))}',
}


def column_field(column: Column, form: Form, default: str | None, *, snapshot: bool = False) -> str:
    """The schema of a column."""
    return _field(
        FORMS[form],
        column.name,
        optional=column.nullable,
        inner=_INNER.get(form),
        schema_parameters=parameters(column.type, form, snapshot=snapshot),
        default=default,
    )


def struct(
    name: str, fields: Iterable[str], *, optional: bool = False, version: int | None = None, field: str | None = None
) -> str:
    """The schema of an object."""
    return _field(Connect("struct", name, version), field, optional=optional, inner=_fields(fields))


_TRANSACTION = struct(
    "event.block",
    (
        _required("string", "id"),
        _required("int64", "total_order"),
        _required("int64", "data_collection_order"),
    ),
    optional=True,
    version=1,
    field="transaction",
)
_MARK = Connect("string", "io.debezium.data.Enum", 1)


def _source(version: Version) -> str:
    fine = ("ts_us", "ts_ns") if version.fine_times else ()
    fields = (
        *(_required("string", name) for name in ("version", "connector", "name")),
        _required("int64", "ts_ms"),
        _field(_MARK, "snapshot", optional=True, schema_parameters={"allowed": version.marks}, default='"false"'),
        _required("string", "db"),
        _optional("string", "sequence"),
        *(_optional("int64", name) for name in fine),
        _optional("string", "table"),
        _required("int64", "server_id"),
        _optional("string", "gtid"),
        _required("string", "file"),
        _required("int64", "pos"),
        _required("int32", "row"),
        _optional("int64", "thread"),
        _optional("string", "query"),
    )
    return struct("io.debezium.connector.mysql.Source", fields, version=version.source, field="source")


def envelope(topic: str, columns: Iterable[str], version: Version) -> str:
    """The schema of the value of a row's record; `topic` is the prefix of its names."""
    fields = tuple(columns)
    images = (struct(f"{topic}.Value", fields, optional=True, field=image) for image in ("before", "after"))
    op, ms = _required("string", "op"), _optional("int64", "ts_ms")
    end: tuple[str, ...] = (op, ms, _TRANSACTION)
    if version.transaction_first:
        end = (_TRANSACTION, op, ms)
    if version.fine_times:
        end += (_optional("int64", "ts_us"), _optional("int64", "ts_ns"))
    return struct(f"{topic}.Envelope", (*images, _source(version), *end), version=version.envelope)


# Statements


def _array(field: str, items: str, *, optional: bool = False) -> str:
    return _field(Connect("array"), field, optional=optional, inner=f'"items":{items}')


_COLUMN = struct(
    "io.debezium.connector.schema.Column",
    (
        _required("string", "name"),
        _required("int32", "jdbcType"),
        _optional("int32", "nativeType"),
        _required("string", "typeName"),
        _optional("string", "typeExpression"),
        _optional("string", "charsetName"),
        _optional("int32", "length"),
        _optional("int32", "scale"),
        _required("int32", "position"),
        *(_optional("boolean", name) for name in ("optional", "autoIncremented", "generated")),
        *(_optional("string", name) for name in ("comment", "defaultValueExpression")),
        _array("enumValues", STRING, optional=True),
    ),
    version=1,
)
_TABLE = struct(
    "io.debezium.connector.schema.Table",
    (
        _optional("string", "defaultCharsetName"),
        _array("primaryKeyColumnNames", STRING, optional=True),
        _array("columns", _COLUMN),
        _optional("string", "comment"),
    ),
    optional=True,
    version=1,
    field="table",
)
_CHANGE = struct(
    "io.debezium.connector.schema.Change",
    (_required("string", "type"), _required("string", "id"), _TABLE),
    version=1,
)


# The schema of the key of a statement's record.
SCHEMA_CHANGE_KEY = struct(
    "io.debezium.connector.mysql.SchemaChangeKey", (_required("string", "databaseName"),), version=1
)


def schema_change(version: Version) -> str:
    """The schema of the value of a statement's record."""
    fields = (
        _source(version),
        _required("int64", "ts_ms"),
        *(_optional("string", name) for name in ("databaseName", "schemaName", "ddl")),
        _array("tableChanges", _CHANGE),
    )
    return struct("io.debezium.connector.mysql.SchemaChangeValue", fields, version=1)


# Transactions: the schemas of the key and of the value of their records.

TRANSACTION_KEY = struct("io.debezium.connector.common.TransactionMetadataKey", (_required("string", "id"),), version=1)

_COLLECTION = struct(
    "event.collection", (_required("string", "data_collection"), _required("int64", "event_count")), version=1
)
TRANSACTION_VALUE = struct(
    "io.debezium.connector.common.TransactionMetadataValue",
    (
        _required("string", "status"),
        _required("string", "id"),
        _optional("int64", "event_count"),
        _array("data_collections", _COLLECTION, optional=True),
        _required("int64", "ts_ms"),
    ),
    version=1,
)
