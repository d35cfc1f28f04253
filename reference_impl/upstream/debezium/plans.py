"""Plans for reading the rows of a message: by a known table, else by the message's schema."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from reference_impl.column_types import ColumnType, parse_column_type
from reference_impl.connect_json import checked_field, parameter, parameter_number
from reference_impl.errors import Rejected, Undescribed
from reference_impl.exact_json import Tree, loads, same
from reference_impl.faults import Faults
from reference_impl.model import Column, Row, Table, Value
from reference_impl.upstream.debezium.defaults import default_text
from reference_impl.upstream.debezium.payload_column import LOST, Lost, PayloadColumn, Reader
from reference_impl.upstream.debezium.readers import enum_reader, read_unknown, reader
from reference_impl.upstream.debezium.texts import Reading
from reference_impl.upstream.debezium.types import FORMS, Form, form_of

__all__ = ["RowPlan", "declared_plan", "table_plan"]

# The assumed column type for a form without a known table. Modes that write texts cannot be told apart.
_ASSUMED_TYPES: Mapping[Form, ColumnType] = {
    form: parse_column_type(text)
    for form, text in (
        (Form.BOOLEAN, "bit(1)"),
        (Form.INT16, "smallint"),
        (Form.INT32, "int"),
        (Form.INT64, "bigint"),
        (Form.FLOAT, "float"),
        (Form.DOUBLE, "double"),
        (Form.STRING, "longtext"),
        (Form.DECIMAL, "decimal(65,0)"),
        (Form.BYTES, "longblob"),
        (Form.BITS, "bit(64)"),
        (Form.DATE, "date"),
        (Form.CONNECT_DATE, "date"),
        (Form.TIME, "time(6)"),
        (Form.CONNECT_TIME, "time(3)"),
        (Form.MILLIS, "datetime(3)"),
        (Form.MICROS, "datetime(6)"),
        (Form.CONNECT_TIMESTAMP, "datetime(3)"),
        (Form.ZONED, "timestamp(6)"),
        (Form.YEAR, "year"),
        (Form.ENUM, "enum('')"),
        (Form.SET, "set('')"),
        (Form.JSON, "json"),
        (Form.POINT, "point"),
        (Form.GEOMETRY, "geometry"),
        (Form.FLOATS, "vector"),
    )
}
# (type, name) in a schema → form.
_FORM_OF_SCHEMA: Mapping[tuple[str, str | None], Form] = {
    (FORMS[form].type, FORMS[form].name): form for form in _ASSUMED_TYPES
}
_MAX_SCALE, _MAX_PRECISION = 30, 65


@dataclass(frozen=True, slots=True)
class _Field:
    """The reader of a column; if `required`, the schema does not permit null."""

    read: Reader
    required: bool


@dataclass(frozen=True, slots=True)
class RowPlan:
    """A plan for rows: the readers of their columns."""

    fields: Mapping[str, _Field]
    closed: bool  # other columns are refused; if False, they are read without a type

    def read(self, image: str, row: Mapping[str, Tree], faults: Faults) -> Row:
        """The values of a row object, without lost values; `image` names the row in error messages."""
        values: dict[str, Value] = {}
        for name, payload_value in row.items():
            field = self.fields.get(name)
            try:
                if field is None:
                    if faults.expect(not self.closed, "schema", f"nothing declares {image}.{name}"):
                        values[name] = None if payload_value is None else read_unknown(payload_value)
                elif payload_value is None:
                    values[name] = None
                    if field.required:
                        faults.add("type", f"{image}.{name} is null, which its schema does not allow")
                elif (value := field.read(payload_value)) is not LOST:
                    values[name] = value
            except Undescribed as e:
                faults.add_undescribed(f"{image}.{name}: {e.message}")
            except Rejected as e:
                faults.add(e.reason, f"{image}.{name}: {e.message}")
        return values


def table_plan(table: Table | None, reading: Reading, key: Collection[str] = ()) -> RowPlan:
    """The plan of rows without a schema; `key` are the names of the key columns.

    Raises `Unsupported` for a type that this version does not know.
    """
    if table is None:
        return RowPlan({}, closed=False)
    fields = {}
    for column in table.columns:
        read = _reader_of_column(column, _reading_of_column(column.name, reading, key))
        fields[column.name] = _Field(read, required=False)
    return RowPlan(fields, closed=True)


def _reading_of_column(name: str, reading: Reading, key: Collection[str]) -> Reading:
    """The reading of one column: a snapshot has the bytes of BIT reversed in the columns of the key."""
    return replace(reading, has_reversed_bits=True) if reading.snapshot and name in key else reading


def _reader_of_column(column: Column, reading: Reading) -> Reader:
    """The reader of a column of a known table.

    If a value is invalid but is the default, it stands for NULL and is read as NULL.  [DBZ-244]
    """
    form = form_of(column.type, reading.options, snapshot=reading.snapshot)
    value_of = reader(PayloadColumn(column.type, form, exact=True, reading=reading))

    def read(payload_value: Tree) -> Value | Lost:
        try:
            return value_of(payload_value)
        except Rejected:
            default = default_text(column, form, reading)
            if default is not None and same(payload_value, loads(default)):
                return None
            raise

    return read


# Members of a field's schema: name, JSON kind, and whether it is required.
_MEMBERS: tuple[tuple[str, type, bool], ...] = (
    ("field", str, True),
    ("type", str, True),
    ("optional", bool, True),
    ("name", str, False),
    ("parameters", dict, False),
)


def _reader_of_schema(field: Mapping[str, Tree], form: Form, reading: Reading) -> Reader:
    """A reader for a column known only by the schema."""
    column_type, exact = _ASSUMED_TYPES[form], form is Form.BOOLEAN
    if form is Form.ENUM:
        return enum_reader(parameter(field, "allowed"))
    if form is Form.SET:
        column_type = replace(column_type, members=tuple(parameter(field, "allowed").split(",")))
    elif form is Form.BITS:
        column_type, exact = replace(column_type, length=parameter_number(field, "length", 2, 64)), True
    elif form is Form.DECIMAL:
        scale = parameter_number(field, "scale", 0, _MAX_SCALE)
        precision = parameter_number(field, "connect.decimal.precision", 1, _MAX_PRECISION)
        column_type, exact = replace(column_type, length=precision, scale=scale), True
    return reader(PayloadColumn(column_type, form, exact, reading))


def _field(field: Mapping[str, Tree], column: Column | None, reading: Reading) -> _Field:
    declared = field["type"], field.get("name")
    form = _FORM_OF_SCHEMA.get(declared)
    if form is None:
        raise Rejected("type", f"no column has the schema type {declared[0]!r} and name {declared[1]!r}")
    required = not field["optional"]
    if column is not None:
        own = FORMS[form_of(column.type, reading.options, snapshot=reading.snapshot)]
        if (own.type, own.name) == declared:
            return _Field(_reader_of_column(column, reading), required)
    return _Field(_reader_of_schema(field, form, reading), required)


def declared_plan(
    fields: Iterable[Tree], table: Table | None, reading: Reading, faults: Faults, key: Collection[str] = ()
) -> RowPlan:
    """The plan of the columns in a schema, which prevails over a contradicting table."""
    plan: dict[str, _Field] = {}
    for tree in fields:
        try:
            field = checked_field(tree, _MEMBERS)
            faults.expect(field["field"] not in plan, "schema", f"the schema declares {field['field']!r} twice")
            column = None if table is None else table.column(field["field"])
            plan[field["field"]] = _field(field, column, _reading_of_column(field["field"], reading, key))
        except Rejected as e:
            faults.add(e.reason, e.message)
    # After a fault the plan may lack columns that the schema declares: a closed plan would refuse them as undeclared,
    # and that class, `schema`, precedes the class of the fault itself.
    return RowPlan(plan, closed=faults.is_empty)
