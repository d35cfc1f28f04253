"""Encoders that get the schemas of rows, watermarks and DDL messages wrong, columns apart.

[DBZ-050 … DBZ-053, DBZ-310, DBZ-340 … DBZ-342, DBZ-402]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.debezium.edits import (
    Edit,
    Message,
    Tree,
    Wrap,
    change,
    ddl,
    drop,
    encoder,
    every,
    put,
    rows,
    watermark,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context

__all__ = ["MUTANTS"]

_Among = Callable[[Edit], Wrap]

_SCHEMA, _FIELDS = "value.schema", "value.schema.fields"
_SOURCE = f"{_FIELDS}.source"
_CHANGES = f"{_FIELDS}.tableChanges"
_TABLE = f"{_CHANGES}.items.fields.table"
_COLUMN = f"{_TABLE}.fields.columns"

# -- members with another value, or left out ---------------------------------------------------------------------------

# (requirement, name, what is described, among which messages, path, wrong value)
_MEMBERS: tuple[tuple[str, str, str, _Among, str, Any], ...] = (
    ("DBZ-050", "row-type", "the type of rows", rows, f"{_SCHEMA}.type", "record"),
    ("DBZ-050a", "row-optional", "`optional` of rows", rows, f"{_SCHEMA}.optional", True),
    ("DBZ-050c", "row-version", "the version of rows", rows, f"{_SCHEMA}.version", 2),
    ("DBZ-051d", "op-type", "the type of op", rows, f"{_FIELDS}.op.type", "int32"),
    ("DBZ-051d", "op-optional", "`optional` of op", rows, f"{_FIELDS}.op.optional", True),
    ("DBZ-051e", "ts-ms-type", "the type of ts_ms", rows, f"{_FIELDS}.ts_ms.type", "string"),
    ("DBZ-051e", "ts-ms-optional", "`optional` of ts_ms", rows, f"{_FIELDS}.ts_ms.optional", False),
    ("DBZ-051f", "transaction-optional", "`optional` of transaction", rows, f"{_FIELDS}.transaction.optional", False),
    ("DBZ-051f", "transaction-name", "the name of transaction", rows, f"{_FIELDS}.transaction.name", "transaction"),
    ("DBZ-051f", "transaction-version", "the version of transaction", rows, f"{_FIELDS}.transaction.version", 2),
    ("DBZ-052", "source-type", "the type of source", every, f"{_SOURCE}.type", "record"),
    ("DBZ-052", "source-optional", "`optional` of source", every, f"{_SOURCE}.optional", True),
    (
        "DBZ-052",
        "source-name",
        "the name of source",
        every,
        f"{_SOURCE}.name",
        "io.debezium.connector.ticdc.Source",
    ),
    ("DBZ-052b", "snapshot-name", "the name of snapshot", every, f"{_SOURCE}.fields.snapshot.name", "Enum"),
    ("DBZ-052b", "snapshot-version", "the version of snapshot", every, f"{_SOURCE}.fields.snapshot.version", 2),
    ("DBZ-052b", "snapshot-default", "the default of snapshot", every, f"{_SOURCE}.fields.snapshot.default", False),
    (
        "DBZ-052b",
        "snapshot-allowed",
        "`allowed` of snapshot",
        every,
        f"{_SOURCE}.fields.snapshot.parameters.allowed",
        "true,first,first_in_data_collection,last_in_data_collection,last,false,incremental",
    ),
    ("DBZ-310c", "ddl-key-type", "the type of DDL keys", ddl, "key.schema.type", "record"),
    ("DBZ-310d", "ddl-key-optional", "`optional` of DDL keys", ddl, "key.schema.optional", True),
    ("DBZ-310e", "ddl-key-version", "the version of DDL keys", ddl, "key.schema.version", "1"),
    ("DBZ-310b", "ddl-key-name", "the name of DDL keys", ddl, "key.schema.name", "default.test.SchemaChangeKey"),
    (
        "DBZ-310a",
        "ddl-key-database-type",
        "the type of databaseName in DDL keys",
        ddl,
        "key.schema.fields.databaseName.type",
        "struct",
    ),
    (
        "DBZ-310a",
        "ddl-key-database-optional",
        "`optional` of databaseName in DDL keys",
        ddl,
        "key.schema.fields.databaseName.optional",
        True,
    ),
    ("DBZ-340", "ddl-name", "the name of DDL messages", ddl, f"{_SCHEMA}.name", "default.test.t.Envelope"),
    ("DBZ-340a", "ddl-type", "the type of DDL messages", ddl, f"{_SCHEMA}.type", "record"),
    ("DBZ-340b", "ddl-optional", "`optional` of DDL messages", ddl, f"{_SCHEMA}.optional", True),
    ("DBZ-340c", "ddl-version", "the version of DDL messages", ddl, f"{_SCHEMA}.version", "1"),
    ("DBZ-341", "ddl-ts-ms-optional", "`optional` of ts_ms in DDL messages", ddl, f"{_FIELDS}.ts_ms.optional", True),
    ("DBZ-341", "ddl-ddl-type", "the type of ddl", ddl, f"{_FIELDS}.ddl.type", "struct"),
    ("DBZ-341", "ddl-schema-name-optional", "`optional` of schemaName", ddl, f"{_FIELDS}.schemaName.optional", False),
    ("DBZ-342", "ddl-changes-optional", "`optional` of tableChanges", ddl, f"{_CHANGES}.optional", True),
    ("DBZ-342", "change-name", "the name of a table change", ddl, f"{_CHANGES}.items.name", "Change"),
    ("DBZ-342", "change-version", "the version of a table change", ddl, f"{_CHANGES}.items.version", 2),
    ("DBZ-342a", "change-table-optional", "`optional` of table", ddl, f"{_TABLE}.optional", False),
    ("DBZ-342a", "change-table-name", "the name of table", ddl, f"{_TABLE}.name", "Table"),
    (
        "DBZ-342a",
        "change-table-keys-type",
        "the type of primaryKeyColumnNames",
        ddl,
        f"{_TABLE}.fields.primaryKeyColumnNames.type",
        "string",
    ),
    ("DBZ-342b", "change-column-name", "the name of a column", ddl, f"{_COLUMN}.items.name", "Column"),
    ("DBZ-342b", "change-column-version", "the version of a column", ddl, f"{_COLUMN}.items.version", 2),
    (
        "DBZ-342b",
        "change-jdbc-type-optional",
        "`optional` of jdbcType",
        ddl,
        f"{_COLUMN}.items.fields.jdbcType.optional",
        True,
    ),
    ("DBZ-342b", "change-length-type", "the type of length", ddl, f"{_COLUMN}.items.fields.length.type", "int64"),
    ("DBZ-400e", "watermark-key-type", "the type of a watermark's key", watermark, "key.schema.type", "record"),
    ("DBZ-400f", "watermark-key-optional", "`optional` of a watermark's key", watermark, "key.schema.optional", True),
    ("DBZ-402a", "watermark-type", "the type of watermarks", watermark, f"{_SCHEMA}.type", "record"),
    ("DBZ-402b", "watermark-optional", "`optional` of watermarks", watermark, f"{_SCHEMA}.optional", True),
    ("DBZ-402c", "watermark-version", "the version of watermarks", watermark, f"{_SCHEMA}.version", "1"),
    ("DBZ-402d", "watermark-op-optional", "`optional` of op in watermarks", watermark, f"{_FIELDS}.op.optional", True),
    (
        "DBZ-402d",
        "watermark-ts-ms-type",
        "the type of ts_ms in watermarks",
        watermark,
        f"{_FIELDS}.ts_ms.type",
        "string",
    ),
)

# (requirement, name, what is not described, among which messages, path)
_LEFT_OUT: tuple[tuple[str, str, str, _Among, str], ...] = (
    ("DBZ-051", "row-without-transaction", "transaction is", rows, f"{_FIELDS}.transaction"),
    ("DBZ-051", "row-without-source", "source is", rows, f"{_FIELDS}.source"),
    ("DBZ-051", "row-without-op", "op is", rows, f"{_FIELDS}.op"),
    ("DBZ-051", "row-without-ts-ms", "ts_ms is", rows, f"{_FIELDS}.ts_ms"),
    ("DBZ-051f", "transaction-without-order", "total_order is", rows, f"{_FIELDS}.transaction.fields.total_order"),
    ("DBZ-310a", "ddl-key-without-field", "databaseName of DDL keys is", ddl, "key.schema.fields.databaseName"),
    ("DBZ-341", "ddl-without-source", "source of DDL messages is", ddl, f"{_FIELDS}.source"),
    ("DBZ-341", "ddl-without-schema-name", "schemaName is", ddl, f"{_FIELDS}.schemaName"),
    ("DBZ-342", "change-without-id", "id of a table change is", ddl, f"{_CHANGES}.items.fields.id"),
    ("DBZ-342a", "change-without-comment", "comment of a table is", ddl, f"{_TABLE}.fields.comment"),
    ("DBZ-342b", "change-without-enum-values", "enumValues is", ddl, f"{_COLUMN}.items.fields.enumValues"),
    ("DBZ-342b", "change-without-comments", "comment of a column is", ddl, f"{_COLUMN}.items.fields.comment"),
    ("DBZ-402d", "watermark-without-source", "source of watermarks is", watermark, f"{_FIELDS}.source"),
    ("DBZ-402d", "watermark-without-transaction", "transaction of watermarks is", watermark, f"{_FIELDS}.transaction"),
)

_SOURCE_FIELDS = (
    *("version", "connector", "name", "ts_ms", "snapshot", "db", "sequence", "table", "server_id", "gtid", "file"),
    *("pos", "row", "thread", "query"),
)


def _tables() -> Iterator[Mutant]:
    for requirement, name, what, among, path, wrong in _MEMBERS:
        yield encoder(f"schema-{name}", requirement, f"in schemas, {what} is {wrong!r}", among(put(path, wrong)))
    for requirement, name, what, among, path in _LEFT_OUT:
        yield encoder(f"schema-{name}", requirement, f"in schemas, {what} left out", among(drop(path)))
    for field in _SOURCE_FIELDS:
        name = field.replace("_", "-")
        at = f"{_SOURCE}.fields.{field}"
        yield encoder(f"schema-source-without-{name}", "DBZ-052a", f"source.{field} is not described", every(drop(at)))
        yield encoder(
            f"schema-source-{name}-optional",
            "DBZ-052a",
            f"`optional` of source.{field} is turned round",
            every(change(f"{at}.optional", lambda given: not given)),
        )
    yield encoder(
        "schema-source-row-type",
        "DBZ-052a",
        "source.row is described as int64",
        every(put(f"{_SOURCE}.fields.row.type", "int64")),
    )


# -- names, order, presence --------------------------------------------------------------------------------------------


def _renamed(path: str, make: Callable[[list[str]], list[str]]) -> Edit:
    return change(path, lambda name: ".".join(make(name.split("."))))


def _named_for_table(message: Message, context: Context) -> None:
    schema = message.find(_SCHEMA)
    if schema is not None:
        schema["name"] = ".".join((message.source["name"], *message.table, "SchemaChangeValue"))


def _images(member: str, make: Callable[[Any], Any]) -> Wrap:
    """A member of the descriptions of both images is another."""

    def edit(message: Message, context: Context) -> None:
        for image in ("before", "after"):
            field = message.find(f"{_FIELDS}.{image}")
            if field is not None:
                field[member] = make(field[member])

    return rows(edit)


def _operation_last(message: Message, context: Context) -> None:
    fields = message.find(_FIELDS)
    if fields is not None:
        fields[3:] = [*fields[4:], fields[3]]


def _after_first(message: Message, context: Context) -> None:
    fields = message.find(_FIELDS)
    if fields is not None:
        fields[0], fields[1] = fields[1], fields[0]


def _null_images_undescribed(message: Message, context: Context) -> None:
    fields = message.find(_FIELDS)
    if fields is not None:
        gone = [image for image in ("before", "after") if message.payload.get(image) is None]
        fields[:] = [field for field in fields if field["field"] not in gone]


def _null_images_empty(message: Message, context: Context) -> None:
    for image in ("before", "after"):
        field = message.find(f"{_FIELDS}.{image}")
        if field is not None and message.payload.get(image) is None:
            field["fields"] = []


def _described_type_first(message: Message, context: Context) -> None:
    for path in ("key.schema.fields.databaseName", f"{_FIELDS}.databaseName", f"{_FIELDS}.ddl"):
        field = message.find(path)
        if field is not None:
            field["field"] = field.pop("field")


def _type_last(message: Message, context: Context) -> None:
    schema = message.find(_SCHEMA)
    if schema is not None:
        schema["type"] = schema.pop("type")


def _is_extended(context: Context) -> bool:
    return context.options.get("enable-tidb-extension") == "true"


def _described_commit(message: Message, context: Context) -> None:
    fields = message.find(f"{_SOURCE}.fields")
    if fields is not None and not _is_extended(context):
        fields.append({"type": "int64", "optional": False, "field": "commit_ts"})
        fields.append({"type": "string", "optional": False, "field": "cluster_id"})


def _undescribed_commit(message: Message, context: Context) -> None:
    fields = message.find(f"{_SOURCE}.fields")
    if fields is not None:
        fields[:] = [field for field in fields if field["field"] not in ("commit_ts", "cluster_id")]


def _commit_anyway(message: Message, context: Context) -> None:
    fields = message.find(f"{_SOURCE}.fields")
    if fields is not None and _is_extended(context):
        fields.append({"type": "int64", "optional": False, "field": "commit_ts"})


def _start_undescribed(message: Message, context: Context) -> None:
    drop(f"{_SOURCE}.fields.start_ts")(message, context)


def _start_first(message: Message, context: Context) -> None:
    fields: list[Tree] | None = message.find(f"{_SOURCE}.fields")
    if fields is not None and fields[-1]["field"] == "start_ts":
        fields.insert(0, fields.pop())


def _key_field(message: Message, context: Context) -> None:
    fields = message.find("key.schema.fields")
    if fields is not None:
        fields.append({"type": "int64", "optional": False, "field": "commit_ts"})


def _images_of_watermarks(message: Message, context: Context) -> None:
    fields = message.find(_FIELDS)
    if fields is not None:
        fields.insert(0, {"type": "struct", "optional": True, "field": "before", "fields": []})


def _others() -> Iterator[Mutant]:
    yield encoder(
        "schema-row-name-key",
        "DBZ-050b",
        "the name of rows ends in .Value",
        rows(_renamed(f"{_SCHEMA}.name", lambda parts: [*parts[:-1], "Value"])),
    )
    yield encoder(
        "schema-row-name-without-table",
        "DBZ-050b",
        "the name of rows lacks the table",
        rows(_renamed(f"{_SCHEMA}.name", lambda parts: [*parts[:-2], parts[-1]])),
    )
    yield encoder(
        "schema-ddl-name-of-table",
        "DBZ-340d",
        "the name of DDL messages is of the cluster, the schema and the table",
        ddl(_named_for_table),
    )
    yield encoder("schema-type-last", "DBZ-050d", "the type is the last member of schemas", every(_type_last))
    yield encoder(
        "schema-ddl-field-last",
        "DBZ-310f",
        "in schemas of DDL messages, names are the last members",
        ddl(_described_type_first),
    )
    yield encoder("schema-op-last", "DBZ-051h", "`op` is described last", rows(_operation_last))
    yield encoder("schema-after-first", "DBZ-051", "`after` is described before `before`", rows(_after_first))
    yield encoder(
        "schema-images-required", "DBZ-051a", "images are not optional", _images("optional", lambda given: False)
    )
    yield encoder(
        "schema-images-name",
        "DBZ-051a",
        "the name of images ends in .Row",
        _images("name", lambda name: name.removesuffix("Value") + "Row"),
    )
    yield encoder(
        "schema-null-image-undescribed",
        "DBZ-051g",
        "an image that is null is not described",
        rows(_null_images_undescribed),
        "DBZ-051",
    )
    yield encoder(
        "schema-null-image-empty",
        "DBZ-051b",
        "an image that is null is described without columns",
        rows(_null_images_empty),
        "DBZ-057",
    )
    yield encoder(
        "schema-commit-undescribed",
        "DBZ-052c",
        "commit_ts and cluster_id are not described",
        every(_undescribed_commit),
    )
    yield encoder(
        "schema-commit-described",
        "DBZ-053",
        "commit_ts and cluster_id are described without the extension",
        every(_described_commit),
    )
    for profile in ("doc", "classic"):
        yield encoder(
            f"schema-commit-described-{profile}",
            "DBZ-052d",
            "commit_ts is described with the extension",
            every(_commit_anyway),
            profile=profile,
        )
    yield encoder("schema-start-undescribed", "DBZ-052e", "start_ts is not described", rows(_start_undescribed))
    yield encoder("schema-start-first", "DBZ-052e", "start_ts is described first", rows(_start_first))
    yield encoder(
        "schema-watermark-key-name",
        "DBZ-400c",
        "the name of a watermark's key lacks the cluster",
        watermark(_renamed("key.schema.name", lambda parts: parts[1:])),
    )
    yield encoder("schema-watermark-key-field", "DBZ-400d", "a watermark's key has a column", watermark(_key_field))
    yield encoder(
        "schema-watermark-name",
        "DBZ-402",
        "the name of watermarks lacks the cluster",
        watermark(_renamed(f"{_SCHEMA}.name", lambda parts: parts[1:])),
    )
    yield encoder(
        "schema-watermark-name-m",
        "DBZ-402",
        "the name of watermarks ends in .resolved.Envelope",
        watermark(_renamed(f"{_SCHEMA}.name", lambda parts: [*parts[:-2], "resolved", parts[-1]])),
    )
    yield encoder(
        "schema-watermark-images", "DBZ-402d", "watermarks describe an image", watermark(_images_of_watermarks)
    )


MUTANTS: tuple[Mutant, ...] = (*_tables(), *_others())
