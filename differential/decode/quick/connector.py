"""Shapes of the row messages of Debezium's MySQL connector, except those of a snapshot."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from differential.decode.quick.cells import Unsure, binaries_of_base64, each, texts
from differential.decode.quick.dialect import Dialect
from differential.decode.quick.grammar import BASE64, LOOSE, NUMBER, STRING, between, fixed
from differential.decode.quick.plan import Plan
from differential.decode.quick.scalars import binary_decimal, compact_document, document, java_number
from differential.decode.quick.shape import Shape
from differential.decode.quick.structs import (
    OPS,
    Convert,
    Member,
    PatternAndReader,
    clocks,
    converter,
    dates,
    fields_of,
    image,
    integers,
    key_object,
    moments,
    numbers,
    others,
    subjects,
    times,
)
from differential.sides import Side
from reference_impl.column_types import INTEGERS, TEXT, Family
from reference_impl.keys import handle_key
from reference_impl.model import Column, Table
from reference_impl.upstream.debezium.json_text import literal
from reference_impl.upstream.debezium.layout import Layouts
from reference_impl.upstream.debezium.options import Options
from reference_impl.upstream.debezium.payload_column import LOST
from reference_impl.upstream.debezium.plans import table_plan
from reference_impl.upstream.debezium.position import connector_name
from reference_impl.upstream.debezium.texts import Reading
from reference_impl.upstream.debezium.types import Form, form_of
from reference_impl.zones import zone_of

__all__ = ["DIALECT"]

_WIDTHS = {Form.INT16: 16, Form.INT32: 32, Form.INT64: 64}
_DIGITS = {Form.MILLIS: 3, Form.CONNECT_TIMESTAMP: 3, Form.CONNECT_TIME: 3, Form.MICROS: 6, Form.TIME: 6}
_LONGEST_TIME = 86_400_000
"""A day, where Kafka Connect's type of times ends; the connector writes NULL for a longer or a negative TIME."""
_BLOBS = frozenset({Family.VARBINARY, Family.TINYBLOB, Family.BLOB, Family.MEDIUMBLOB, Family.LONGBLOB})
_UTF8 = frozenset({"utf8mb4", "utf8mb3", "utf8"})
_NAMED = "[-0-9A-Za-z_.:,=]*"
_PLACE, _GTID, _TRANSACTION = f'"{_NAMED}"', f'"(?P<gtid>{_NAMED})"', f'"(?P<transaction>{_NAMED})"'
_BLOCK = rf'(?:null|\{{"id":{_TRANSACTION},"total_order":{NUMBER},"data_collection_order":{NUMBER}\}})'


def _pattern_and_reader(
    column: Column, charset: str, form: Form, options: Options, convert: Convert
) -> PatternAndReader:
    kind, family = column.type, column.type.family
    sized = kind.length if family in (Family.CHAR, Family.VARCHAR, Family.VARBINARY) else None
    if form in _WIDTHS and family in INTEGERS:
        return integers(kind, (1 << (_WIDTHS[form] - 1)) - 1)
    if form is Form.STRING and family in TEXT and (column.charset or charset or "utf8mb4") in _UTF8:
        return LOOSE, texts(sized)
    if form in (Form.BYTES, Form.BASE64) and family in _BLOBS:
        return BASE64, binaries_of_base64(sized)
    if (form, family) in ((Form.FLOAT, Family.FLOAT), (Form.DOUBLE, Family.DOUBLE)):
        return numbers(java_number, kind, convert)
    if form is Form.DECIMAL and family is Family.DECIMAL:
        return BASE64, each(binary_decimal(kind, convert))
    if form in (Form.DATE, Form.CONNECT_DATE):
        return dates(kind, convert)
    if form is Form.CONNECT_TIME:
        _, read = times(kind, _DIGITS[form], convert) if kind.fsp <= _DIGITS[form] else others(convert)
        return between(0, _LONGEST_TIME), read
    if form in _DIGITS and kind.fsp <= _DIGITS[form]:
        return (times if family is Family.TIME else clocks)(kind, _DIGITS[form], convert)
    if form is Form.ZONED:
        return moments(kind, convert)
    if form is Form.JSON:
        return STRING, each((document if options.server == "mariadb" else compact_document)(convert))
    return others(convert)


def _head(message: bytes) -> object:
    """The schema and table of a message, and its operation."""
    source = message.rfind(b'"source":{')
    start = message.find(b',"db":', source)
    end = message.find(b',"sequence":', start)
    table = message.find(b'"table":', end)
    op = message.find(b'"op":', table)
    return message[start:end], message[table : message.find(b',"server_id":', table)], message[op : op + 8]


def _heads(side: Side, table: Table, options: Options) -> Iterator[object]:
    """The heads of the messages of a table, by operation."""
    names = f',"db":{literal(table.schema)}'.encode(), f'"table":{literal(table.name)}'.encode()
    return ((*names, b'"op":"%b"' % code.encode()) for code in OPS.values())


def _shapes(side: Side, table: Table, options: Options) -> Iterator[tuple[object, Shape]]:
    """The shapes of a table, with their heads.

    Raises `Rejected`, or `Unsupported` for a type that this version of the connector does not know.
    """
    layout = Layouts(options, side.settings).of_table(table, snapshot=False)
    reading = Reading(options, zone_of(side.settings.timezone), snapshot=False)
    named_key = [field.name for field in layout.key_fields]
    readers = table_plan(table, reading, named_key).fields
    members = []
    for column, field in zip(table.columns, layout.fields, strict=True):
        convert = converter(column.type, _unless_lost(readers[column.name].read), field.write)
        form = form_of(column.type, options, snapshot=False)
        token, cells = _pattern_and_reader(column, table.charset or "", form, options, convert)
        token = f"null|{token}" if column.nullable and field.null == "null" else token
        members.append(Member(column.name, field.member, token, cells))
    key = handle_key(table)
    if not key or not named_key:
        return
    plan = Plan(table.schema, table.name, fields_of(members, table), key, has_commit_ts=False)
    key_begin, close = map(re.escape, (layout.key_begin, layout.end))
    # Of a long text `fixed` matches only the length: `Shape` compares the text, its argument `fixed`.
    start = rf"{key_begin}{key_object(members, named_key)}{close}\n{fixed(layout.begin)}"
    schema, name = f',"db":{literal(table.schema)}', f'"table":{literal(table.name)}'
    version, connector = literal(options.traits.text), literal(connector_name(side.settings))
    fine = options.traits.fine_times
    of_source = '"ts_us":(?P=time)[0-9]{3},"ts_ns":(?P=time)[0-9]{6},' if fine else ""
    source = (
        rf'\{{"version":{re.escape(version)},"connector":"mysql","name":{re.escape(connector)},'
        rf'"ts_ms":(?P<time>{NUMBER}),"snapshot":"false"{re.escape(schema)},"sequence":null,{of_source}{re.escape(name)},'
        rf'"server_id":{NUMBER},"gtid":(?:null|{_GTID}),"file":{_PLACE},"pos":{NUMBER},"row":{NUMBER},'
        rf'"thread":(?:null|{NUMBER}),"query":null\}}'
    )
    at = rf'"ts_ms":(?P<at>{NUMBER})' + (',"ts_us":(?P=at)[0-9]{3},"ts_ns":(?P=at)[0-9]{6}' if fine else "")
    for head_, (op, code) in zip(_heads(side, table, options), OPS.items(), strict=True):
        # The connector writes a change of the key as a delete and an insert. So both images have the message's key.
        before = image(members, "b", named_key) if op != "insert" else "null"
        after = image(members, "a", named_key, alike=op == "update") if op != "delete" else "null"
        op_, block = f'"op":"{code}"', f'"transaction":{_BLOCK}'
        end = f"{block},{op_},{at}" if options.traits.transaction_first else f"{op_},{at},{block}"
        text = rf'{start}\{{"before":{before},"after":{after},"source":{source},{end}\}}{close}'
        yield head_, Shape(plan, op, text, alike=op == "update", fixed=layout.begin)


def _unless_lost(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def checked(given: Any) -> Any:
        value = read(given)
        if value is LOST:
            raise Unsure
        return value

    return checked


DIALECT = Dialect(_head, _shapes, _heads, subjects)
