"""Plans how to read the rows of a message: a reader for each column.

The reader depends on the schema in the message, and on the table's definition if it is known. If the two differ, the
schema prevails, since a statement may have changed the table without any message.  [DBZ-451]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo

from reference_impl.column_types import ColumnType, Family, parse_column_type
from reference_impl.connect_json import checked_field, parameter, parameter_number
from reference_impl.debezium_json.readers import Reader, enum_reader, read_unknown, reader
from reference_impl.debezium_json.types import READABLE, Form, allowed, form_of, read_tidb_type
from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree
from reference_impl.faults import Faults
from reference_impl.model import Row, Table, Value

__all__ = ["RowPlan", "declared_plan", "table_plan"]

# The column type that is assumed for a form if nothing else is known of the column.
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
        (Form.BITS, "bit(64)"),
        (Form.DATE, "date"),
        (Form.MILLIS, "datetime(3)"),
        (Form.MICROS, "datetime(6)"),
        (Form.TIME, "time(6)"),
        (Form.ZONED, "timestamp(6)"),
        (Form.YEAR, "year"),
        (Form.ENUM, "enum('')"),
        (Form.SET, "set('')"),
        (Form.JSON, "json"),
        (Form.VECTOR, "vector"),
        (Form.BYTES, "longblob"),
        (Form.DECIMAL, "decimal(65,0)"),
        (Form.CONNECT_TIME, "time(3)"),
        (Form.CONNECT_TIMESTAMP, "datetime(3)"),
        (Form.FLOATS, "vector"),
        (Form.GEOMETRY, "geometry"),
    )
}

# The forms in which Debezium's own connector, in one of its modes, writes a type that TiCDC writes in another form.
_OTHER_FORMS: Mapping[Family, frozenset[Form]] = {
    Family.TINYINT: frozenset({Form.BOOLEAN}),
    Family.INT: frozenset({Form.INT32}),
    Family.BIGINT: frozenset({Form.DECIMAL}),
    Family.FLOAT: frozenset({Form.FLOAT, Form.DOUBLE}),
    Family.DOUBLE: frozenset({Form.FLOAT}),
    Family.DECIMAL: frozenset({Form.STRING, Form.DECIMAL}),
    Family.BINARY: frozenset({Form.BYTES}),
    Family.VARBINARY: frozenset({Form.BYTES}),
    Family.TINYBLOB: frozenset({Form.BYTES}),
    Family.BLOB: frozenset({Form.BYTES}),
    Family.MEDIUMBLOB: frozenset({Form.BYTES}),
    Family.LONGBLOB: frozenset({Form.BYTES}),
    Family.DATETIME: frozenset({Form.CONNECT_TIMESTAMP}),
    Family.TIME: frozenset({Form.CONNECT_TIME}),
    Family.VECTOR: frozenset({Form.FLOATS}),
    Family.GEOMETRY: frozenset({Form.GEOMETRY}),
}

# Further forms that a `tidb_type` permits: it says `datetime` or `bit`, without fractional digits and length.
_LOOSE_FORMS: Mapping[Family, frozenset[Form]] = {
    Family.DATETIME: frozenset({Form.MILLIS, Form.MICROS}),
    Family.BIT: frozenset({Form.BITS}),
}
_NO_FORMS: frozenset[Form] = frozenset()


@dataclass(frozen=True, slots=True)
class _ColumnPlan:
    """How to read a column."""

    read: Reader  # of values that are not null
    required: bool  # whether the schema forbids null


# Members of a field's schema: name, JSON kind, and whether it is required.
_MEMBERS: tuple[tuple[str, type, bool], ...] = (
    ("field", str, True),
    ("type", str, True),
    ("optional", bool, False),
    ("name", str, False),
    ("tidb_type", str, False),
    ("parameters", dict, False),
)
# A column whose description has a fault: it counts as declared, so that its values add no further faults.
_UNREADABLE = _ColumnPlan(lambda value: None, required=False)


@dataclass(frozen=True, slots=True)
class RowPlan:
    """How to read the row objects of a message."""

    fields: Mapping[str, _ColumnPlan]  # by the name of the column
    closed: bool  # whether other columns are refused; if not, they are read without a type

    def read(self, image: str, row: Mapping[str, Tree], faults: Faults) -> Row:
        """The values of a row object; `image` names the row in error messages."""
        values: dict[str, Value] = {}
        fields = self.fields
        for name, value in row.items():
            field = fields.get(name)
            try:
                if field is None:
                    values[name] = self._undeclared(value)
                elif value is None:
                    values[name] = None
                    if field.required:
                        faults.add("type", f"{image}.{name} is null, which its schema does not allow")
                else:
                    values[name] = field.read(value)
            except Rejected as e:
                faults.add(e.reason, f"{image}.{name}: {e.message}")
        return values

    def _undeclared(self, value: Tree) -> Value:
        if self.closed:
            raise Rejected("schema", "the schema does not declare the column")
        return read_unknown(value)


def declared_plan(fields: Iterable[Tree], table: Table | None, zone: tzinfo, faults: Faults) -> RowPlan:
    """The plan of the columns that a schema declares.

    It may declare a column twice in the same way.  [DBZ-057]
    """
    declarations: dict[str, Mapping[str, Tree]] = {}
    plan: dict[str, _ColumnPlan] = {}
    for tree in fields:
        name = tree.get("field") if isinstance(tree, dict) else None
        if isinstance(name, str):
            plan.setdefault(name, _UNREADABLE)
        try:
            field = checked_field(tree, _MEMBERS)
            first = declarations.setdefault(field["field"], field)
            faults.expect(field == first, "schema", f"the schema declares {field['field']!r} twice, in different ways")
            plan[field["field"]] = _column_plan(field, table, zone)
        except Rejected as e:
            faults.add(e.reason, e.message)
    return RowPlan(plan, closed=True)


def table_plan(table: Table | None, zone: tzinfo) -> RowPlan:
    """The plan of rows without a schema; `table` may be None."""
    columns = table.columns if table is not None else ()
    fields = {
        column.name: _ColumnPlan(reader(column.type, exact=True, form=form_of(column.type), zone=zone), required=False)
        for column in columns
        if column.type.family is not Family.GEOMETRY
    }
    return RowPlan(fields, closed=False)


def _column_plan(field: Mapping[str, Tree], table: Table | None, zone: tzinfo) -> _ColumnPlan:
    """The plan of a column: by its type in the table if the field can describe it, else by the field alone."""
    form = READABLE.get((field["type"], field.get("name")))
    if form is None:
        raise Rejected("type", f"no column has the schema type {field['type']!r} and name {field.get('name')!r}")
    column_type, exact = _declared_type(field, form)
    column = table.column(field["field"]) if table is not None else None
    if column is not None and _could_describe(field, column.type, form):
        column_type, exact = column.type, True
    elif form is Form.ENUM:
        return _ColumnPlan(enum_reader(parameter(field, "allowed")), not field.get("optional", False))
    return _ColumnPlan(reader(column_type, exact, form, zone), not field.get("optional", False))


def _declared_type(field: Mapping[str, Tree], form: Form) -> tuple[ColumnType, bool]:
    """The type that a field of a schema describes, and whether its length and scale are known."""
    column_type = _ASSUMED_TYPES[form]
    if "tidb_type" in field:
        column_type = read_tidb_type(field["tidb_type"])
        if not (_fits(column_type, form) or form in _LOOSE_FORMS.get(column_type.family, _NO_FORMS)):
            raise Rejected("type", f"tidb_type {field['tidb_type']!r} contradicts type and name of the schema")
    if form is Form.SET:
        return replace(column_type, members=tuple(parameter(field, "allowed").split(","))), False
    if form is Form.BITS:
        return replace(column_type, length=parameter_number(field, "length", 0, 64)), True
    if form is Form.DECIMAL:
        return replace(column_type, scale=parameter_number(field, "scale", 0, 30)), column_type.family is Family.DECIMAL
    return column_type, form is Form.BOOLEAN


def _could_describe(field: Mapping[str, Tree], column_type: ColumnType, form: Form) -> bool:
    """Whether a field can describe a column of the type: it gives no other form, labels, length or scale."""
    if not _fits(column_type, form):
        return False
    parameters = field.get("parameters")
    if not isinstance(parameters, dict):
        return True
    fitting: tuple[str, ...]
    if form in (Form.ENUM, Form.SET):
        name, fitting = "allowed", (allowed(column_type), ",".join(column_type.members))  # with escapes, or without any
    elif form is Form.BITS:
        name, fitting = "length", (str(column_type.bits),)
    elif form is Form.DECIMAL:
        name, fitting = "scale", (str(column_type.scale or 0),)
    else:
        return True
    return name not in parameters or parameters[name] in fitting


def _fits(column_type: ColumnType, form: Form) -> bool:
    """Whether TiCDC or Debezium's connector writes the type in the form."""
    of_ticdc = None if column_type.family is Family.GEOMETRY else form_of(column_type)  # TiDB has no GEOMETRY
    return form is of_ticdc or form in _OTHER_FORMS.get(column_type.family, _NO_FORMS)
