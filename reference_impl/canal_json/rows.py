"""Plans for reading the rows of a table, by the types in `mysqlType` and the table's definition, if known.

`read` checks every value and reports the faults. `read_quickly` gives the same values for rows whose texts are
obviously valid, and leaves all other rows to `read`.  [CJ-883, CJ-884]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reference_impl.canal_json.message import TextRow
from reference_impl.canal_json.texts import Reader, quick_test, reader
from reference_impl.canal_json.types import Declared, read_mysql_type, sql_type, widening
from reference_impl.column_types import ColumnType
from reference_impl.errors import Rejected
from reference_impl.faults import Faults
from reference_impl.model import Row, Table, Value

__all__ = ["RowPlan", "row_plan"]

_TEXT_OR_NULL = frozenset({str, type(None)})


@dataclass(frozen=True, slots=True)
class _Field:
    """The reader of a column."""

    name: str
    column_type: ColumnType
    read: Reader
    # True for a text that is its own value and needs no check; the test is None for types without such texts.
    quick_test: Callable[[str], object] | None
    # Whether large values have another `sqlType` code.
    widens: bool


@dataclass(frozen=True, slots=True)
class RowPlan:
    """The plan for rows with these columns."""

    mysql_type: Mapping[str, str]
    # The `sqlType` code of NULL in each column.
    sql_type: Mapping[str, int]
    fields: tuple[_Field, ...]

    def check_codes(self, codes: Mapping[str, int], row: TextRow, faults: Faults) -> None:
        """Check that each `sqlType` code is the one of its column and value.  [CJ-330 … CJ-341]"""
        for field in self.fields:
            try:
                expected = sql_type(field.column_type, row[field.name])
            except ValueError:
                continue  # not a number; `read` reports it
            code = codes[field.name]
            faults.expect(code == expected, "type", f"sqlType.{field.name} is {code}, expected {expected}")

    def read(self, image: str, row: TextRow, faults: Faults) -> Row:
        """The values of a row of texts; `image` names the row in error messages."""
        values: dict[str, Value] = dict(row)
        for field in self.fields:
            text = row.get(field.name)
            if text is not None:
                try:
                    values[field.name] = field.read(text)
                except Rejected as e:
                    faults.add(e.reason, f"{image}.{field.name}: {e.message}")
        return values

    def read_quickly(self, row: dict[str, Value], *, partial: bool = False) -> bool:
        """Convert the texts of `row` in place; False if that needs the slow path."""
        if not _TEXT_OR_NULL.issuperset(map(type, row.values())):
            return False
        for field in self.fields:
            if partial and field.name not in row:
                continue
            text = row[field.name]
            if text is None or (field.quick_test is not None and field.quick_test(text)):  # type: ignore[arg-type]
                continue
            if field.widens:
                return False
            try:
                row[field.name] = field.read(text)  # type: ignore[arg-type]
            except Rejected:
                return False
        return True


def _column(name: str, declared: Declared, table: Table | None, faults: Faults) -> Declared:
    """The type of a column: from the table if known, else from the message."""
    if table is None:
        return declared
    column = table.column(name)
    if column is None:
        faults.add("semantics", f"the table {table.name!r} has no column {name!r}")
        return declared
    in_table, in_message = column.type, declared.column_type
    same = in_table.family is in_message.family and (widening(in_table) is None) == (widening(in_message) is None)
    faults.expect(same, "semantics", f"mysqlType.{name} is {in_message.text!r}, the table says {in_table.text!r}")
    return Declared(in_table, exact=True) if same else declared


def row_plan(mysql_type: Mapping[str, str], table: Table | None, faults: Faults) -> RowPlan:
    """The plan for rows with this `mysqlType`, refined by `table` if known.

    Raises `Rejected` (class `type`) for an unknown type. Contradictions to `table` are added to `faults`.
    """
    fields = []
    for name, text in mysql_type.items():
        column = _column(name, read_mysql_type(text), table, faults)
        column_type, exact = column.column_type, column.exact
        fields.append(
            _Field(
                name,
                column_type,
                reader(column_type, exact),
                quick_test(column_type, exact),
                widening(column_type) is not None,
            )
        )
    codes = {field.name: sql_type(field.column_type, None) for field in fields}
    return RowPlan(dict(mysql_type), codes, tuple(fields))
