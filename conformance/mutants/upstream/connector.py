"""Encoders of the connector's records that are wrong in one place: records, sources, schemas, defaults, statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from conformance.mutants.model import Mutant
from conformance.mutants.upstream.edits import (
    Json,
    Wrap,
    edit_records,
    edit_texts,
    edit_trees,
    payload_of,
    tree_of,
)
from conformance.mutants.wrappers import Context
from reference_impl.column_types import BINARY, TEXT, Family
from reference_impl.model import Column

__all__ = ["ENCODERS"]


def _encoder(name: str, requirement: str, description: str, wrap: Wrap, *also: str) -> Mutant:
    return Mutant(f"debezium-connector/{name}", requirement, "encode", description, wrap, frozenset(also))


# -- records ---------------------------------------------------------------------------------------------------------


def _payload(edit: Callable[[Json], Any]) -> Wrap:
    """Every payload is edited in place."""
    return edit_trees(lambda tree, context: edit(payload_of(tree)))


def _rows(edit: Callable[[Json], Any]) -> Wrap:
    """Payloads of rows are edited in place."""
    return _payload(lambda payload: edit(payload) if "op" in payload else None)


def _source(edit: Callable[[Json], Any]) -> Wrap:
    """`source` is edited in place."""
    return _payload(lambda payload: edit(payload["source"]) if "source" in payload else None)


def _is_row(record: Json) -> bool:
    tree = tree_of(record)
    return tree is not None and "op" in payload_of(tree)


def _tombstone_lost(record: Json, context: Context) -> list[Json] | None:
    return [] if record["value"] is None else None


def _truncation_lost(record: Json, context: Context) -> list[Json] | None:
    tree = tree_of(record)
    return [] if tree is not None and payload_of(tree).get("op") == "t" else None


def _statement_lost(record: Json, context: Context) -> list[Json] | None:
    tree = tree_of(record)
    return [] if tree is not None and "ddl" in payload_of(tree) else None


def _sent_twice(record: Json, context: Context) -> list[Json] | None:
    return [record, record] if _is_row(record) else None


def _headers_lost(record: Json, context: Context) -> None:
    record["headers"] = []


def _key_lost(record: Json, context: Context) -> None:
    if _is_row(record):
        record["key"] = None


def _topic_of_table(record: Json, context: Context) -> None:
    if _is_row(record):
        record["topic"] = record["topic"].rpartition(".")[2]


def _fine_times_lost(payload: Json) -> None:
    for part in (payload, payload.get("source") or {}):
        for name in ("ts_us", "ts_ns"):
            part.pop(name, None)


def _without_transaction(payload: Json) -> None:
    if payload.get("transaction") is not None:
        payload["transaction"] = None


def _marked(source: Json) -> None:
    if source["snapshot"] != "false":
        source["snapshot"] = "incremental"


_RECORDS = (
    _encoder("no-tombstones", "DBZ-022", "no tombstone follows a delete", edit_records(_tombstone_lost)),
    _encoder("no-truncations", "DBZ-024", "a truncation has no record", edit_records(_truncation_lost)),
    _encoder("no-headers", "DBZ-023", "records have no headers", edit_records(_headers_lost)),
    _encoder("member-beside-payload", "DBZ-044", "there is one more member", _rows(lambda p: p.update(ts=7))),
    _encoder("no-keys", "DBZ-250", "rows have no key", edit_records(_key_lost)),
    _encoder("rows-twice", "DBZ-251", "every row is sent twice", edit_records(_sent_twice), "DBZ-024"),
    _encoder("topic-of-the-table", "DBZ-252", "the topic is the table alone", edit_records(_topic_of_table)),
    _encoder("time-in-seconds", "DBZ-253", "ts_ms of source is in seconds", _source(lambda s: s.update(ts_ms=1700))),
    _encoder("escapes-slashes", "DBZ-425", "a slash is escaped", edit_texts(lambda data: data.replace(b"/", b"\\/"))),
    _encoder("another-connector", "DBZ-041", "the connector is another", _source(lambda s: s.update(connector="x"))),
    _encoder("another-version", "DBZ-524", "the version is another", _source(lambda s: s.update(version="1.0"))),
    _encoder("no-position", "DBZ-525", "pos is 0", _source(lambda s: s.update(pos=0))),
    _encoder("marks-of-its-own", "DBZ-539", "rows of a snapshot are marked incremental", _source(_marked)),
    _encoder("no-transactions", "DBZ-544", "no row names its transaction", _rows(_without_transaction)),
    _encoder("coarse-times", "DBZ-700", "there are milliseconds alone", _payload(_fine_times_lost)),
)


# -- schemas ---------------------------------------------------------------------------------------------------------

_IMAGES = ("before", "after")


def _schema(edit: Callable[[Json], Any]) -> Wrap:
    """The schema of a row's value is edited in place."""

    def one(tree: Any, context: Context) -> None:
        if "schema" in tree and "op" in payload_of(tree):
            edit(tree["schema"])

    return edit_trees(one)


def _part(schema: Json, *names: str) -> Iterator[Json]:
    return (field for field in schema["fields"] if field.get("field") in names)


def _any_mark(schema: Json) -> None:
    for source in _part(schema, "source"):
        for field in _part(source, "snapshot"):
            field["parameters"]["allowed"] = "true,false"


def _fields(families: frozenset[Family], edit: Callable[[Json, Column], Any]) -> Wrap:
    """The fields of columns of these families, in the schemas of both images, are edited in place."""

    def one(tree: Any, context: Context) -> None:
        if "schema" not in tree or "op" not in payload_of(tree):
            return
        source = payload_of(tree)["source"]
        for image in _part(tree["schema"], *_IMAGES):
            for field in image["fields"]:
                column = context.steady_column(source["db"], source["table"], field["field"])
                if column is not None and column.type.family in families:
                    edit(field, column)

    return edit_trees(one)


def _without_default(field: Json, column: Column) -> None:
    field.pop("default", None)


def _optional(field: Json, column: Column) -> None:
    field["optional"] = True


_ALL = frozenset(Family)
_DAYS = frozenset({Family.DATE, Family.DATETIME, Family.TIMESTAMP})
_TIME = frozenset({Family.TIME})
_REST = _ALL - _DAYS - _TIME - BINARY

_SCHEMAS = (
    _encoder("all-optional", "DBZ-055", "every field is optional", _fields(_ALL, _optional)),
    _encoder("nameless-envelope", "DBZ-060", "the envelope has another name", _schema(lambda s: s.update(name="x"))),
    _encoder("another-envelope", "DBZ-701", "the envelope's version is 9", _schema(lambda s: s.update(version=9))),
    _encoder("any-mark", "DBZ-703", "marks of snapshots are true and false", _schema(_any_mark)),
    _encoder("no-defaults", "DBZ-240", "fields have no default", _fields(_REST, _without_default)),
    _encoder("no-defaults-of-days", "DBZ-241", "days and moments have no default", _fields(_DAYS, _without_default)),
    _encoder("no-defaults-of-times", "DBZ-242", "TIME has no default", _fields(_TIME, _without_default)),
    _encoder("no-defaults-of-bytes", "DBZ-243", "bytes have no default", _fields(BINARY, _without_default)),
)


# -- values ----------------------------------------------------------------------------------------------------------

Change: TypeAlias = Callable[[Any, Column], Any]


def _cells(families: frozenset[Family], change: Change, *, nulls: bool = False) -> Wrap:
    """Values of columns of these families in both images; with `nulls` only null."""

    def one(tree: Any, context: Context) -> None:
        payload = payload_of(tree)
        if "op" not in payload:
            return
        source = payload["source"]
        for row in filter(None, (payload["before"], payload["after"])):
            for name, value in row.items():
                column = context.steady_column(source["db"], source["table"], name)
                if column is not None and column.type.family in families and (value is None) is nulls:
                    row[name] = change(value, column)

    return edit_trees(one)


def _as_text(value: Any, column: Column) -> Any:
    return str(value)


def _one_more(value: Any, column: Column) -> Any:
    return value + 1 if isinstance(value, int) and not isinstance(value, bool) else "1970-01-01T00:00:00Z"


def _in_capitals(value: Any, column: Column) -> Any:
    return f"{value.upper()}?"


def _unpadded(value: Any, column: Column) -> Any:
    return value[:-4]


def _flat(value: Any, column: Column) -> Any:
    return value["wkb"]


def _one(*families: Family) -> frozenset[Family]:
    return frozenset(families)


_Value: TypeAlias = tuple[str, str, str, frozenset[Family], Change]

_VALUES: Sequence[_Value] = (
    ("bits-as-text", "DBZ-201", "BIT is a text of digits", _one(Family.BIT), lambda value, _: f"{value}0"),
    ("tinyint-as-text", "DBZ-203", "TINYINT is a text", _one(Family.TINYINT), _as_text),
    ("smallint-as-text", "DBZ-204", "SMALLINT is a text", _one(Family.SMALLINT), _as_text),
    ("mediumint-as-text", "DBZ-205", "MEDIUMINT is a text", _one(Family.MEDIUMINT), _as_text),
    ("int-as-text", "DBZ-206", "INT is a text", _one(Family.INT), _as_text),
    ("bigint-as-text", "DBZ-208", "BIGINT is a text", _one(Family.BIGINT), lambda value, _: f"{value}n"),
    ("float-as-text", "DBZ-209", "FLOAT is a text", _one(Family.FLOAT), _as_text),
    ("double-as-text", "DBZ-211", "DOUBLE is a text", _one(Family.DOUBLE), _as_text),
    ("texts-in-capitals", "DBZ-213", "texts are in capitals", TEXT, _in_capitals),
    ("enum-in-capitals", "DBZ-214", "ENUM is in capitals", _one(Family.ENUM), _in_capitals),
    (
        "set-with-blanks",
        "DBZ-215",
        "labels are joined by semicolons",
        _one(Family.SET),
        lambda v, _: v.replace(",", ";"),
    ),
    (
        "json-with-blanks",
        "DBZ-216",
        "JSON has a blank after a comma",
        _one(Family.JSON),
        lambda v, _: v.replace(",", ", "),
    ),
    ("year-as-text", "DBZ-217", "YEAR is a text", _one(Family.YEAR), _as_text),
    (
        "timestamp-with-offset",
        "DBZ-218",
        "UTC is an offset",
        _one(Family.TIMESTAMP),
        lambda v, _: v.replace("Z", "+00:00"),
    ),
    ("geometry-as-bytes", "DBZ-219", "geometry is its WKB alone", _one(Family.GEOMETRY), _flat),
    ("days-from-one", "DBZ-220", "days and moments are counted from 1", _one(Family.DATE, Family.DATETIME), _one_more),
    ("times-from-one", "DBZ-222", "TIME is counted from 1", _TIME, _one_more),
    ("binary-unpadded", "DBZ-223", "BINARY(n) lacks its end", _one(Family.BINARY), _unpadded),
    ("vectors-as-text", "DBZ-704", "a VECTOR is a text", _one(Family.VECTOR), lambda value, _: "[]"),
    ("decimals-as-they-like", "DBZ-709", "a DECIMAL is a text of its own", _one(Family.DECIMAL), lambda v, _: f"{v}="),
)


def _of_values() -> Iterator[Mutant]:
    for name, requirement, description, families, change in _VALUES:
        yield _encoder(name, requirement, description, _cells(families, change))
    yield _encoder(
        "empty-for-null", "DBZ-244", "NULL in a text is the empty one", _cells(TEXT, lambda value, _: "", nulls=True)
    )


# -- statements ------------------------------------------------------------------------------------------------------


def _statements(edit: Callable[[Json], Any]) -> Wrap:
    """Payloads of statements are edited in place."""
    return _payload(lambda payload: edit(payload) if "ddl" in payload else None)


def _changes(edit: Callable[[Json], Any]) -> Wrap:
    """Table changes are edited in place."""
    return _statements(lambda payload: [edit(change) for change in payload["tableChanges"]])


def _columns(edit: Callable[[Json], Any]) -> Wrap:
    """Columns of table changes are edited in place."""
    return _changes(lambda change: [edit(column) for column in (change.get("table") or {}).get("columns", ())])


def _without_quotes(column: Json) -> None:
    if column["enumValues"]:
        column["enumValues"] = [label.strip("'") for label in column["enumValues"]]


_STATEMENTS = (
    _encoder("no-statements", "DBZ-350", "statements have no record", edit_records(_statement_lost)),
    _encoder(
        "statement-with-semicolon",
        "DBZ-350",
        "ddl ends in a semicolon",
        _statements(lambda p: p.update(ddl=p["ddl"] + ";")),
    ),
    _encoder("plain-ids", "DBZ-351", "id has no quotes", _changes(lambda c: c.update(id=c["id"].replace('"', "")))),
    _encoder("no-table-changes", "DBZ-353", "tableChanges is empty", _statements(lambda p: p.update(tableChanges=[]))),
    _encoder(
        "types-in-lower-case",
        "DBZ-354",
        "types are in lower case",
        _columns(lambda c: c.update(typeName=c["typeName"].lower())),
    ),
    _encoder("no-lengths", "DBZ-355", "length is null", _columns(lambda c: c.update(length=None))),
    _encoder("no-charsets", "DBZ-356", "charsetName is null", _columns(lambda c: c.update(charsetName=None))),
    _encoder("labels-without-quotes", "DBZ-357", "labels have no quotes", _columns(_without_quotes)),
    _encoder("never-generated", "DBZ-358", "no column is generated", _columns(lambda c: c.update(generated=False))),
    _encoder("empty-comments", "DBZ-359", "comment is empty", _columns(lambda c: c.update(comment=""))),
)

ENCODERS: tuple[Mutant, ...] = (*_RECORDS, *_SCHEMAS, *_of_values(), *_STATEMENTS)
