"""Plans for reading the rows of a table, by the types in `mysqlType` and the table's definition, if known.

Two ways lead to the same row. `read` looks at everything and says what is wrong. `read_quickly` only knows rows that
are surely right and leaves all others to `read`.  [CJ-883, CJ-884]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reference_impl.canal_json.message import TextRow
from reference_impl.canal_json.texts import Reader, reader, surely
from reference_impl.canal_json.types import Declared, read_mysql_type, sql_type, widening
from reference_impl.column_types import ColumnType
from reference_impl.errors import Rejected
from reference_impl.faults import Faults
from reference_impl.model import Row, Table, Value

__all__ = ["RowPlan", "row_plan"]

_TEXT_OR_NULL = frozenset({str, type(None)})


@dataclass(frozen=True, slots=True)
class _Field:
    """The reader of a column. `surely` is a quick test; None if a value is more than its text."""

    name: str
    kind: ColumnType
    read: Reader
    surely: Callable[[str], object] | None
    widens: bool


@dataclass(frozen=True, slots=True)
class RowPlan:
    """The plan for rows with these columns.

    `sql_type` has the code that NULL has in each column.
    """

    mysql_type: Mapping[str, str]
    sql_type: Mapping[str, int]
    fields: tuple[_Field, ...]

    def check_codes(self, codes: Mapping[str, int], row: TextRow, faults: Faults) -> None:
        """Whether each `sqlType` code is the one of its column and value.  [CJ-330 … CJ-341]"""
        for field in self.fields:
            try:
                expected = sql_type(field.kind, row[field.name])
            except ValueError:
                continue  # not a number; `read` reports it
            code = codes[field.name]
            faults.expect(code == expected, "type", f"sqlType.{field.name} is {code}, expected {expected}")

    def read(self, what: str, row: TextRow, faults: Faults) -> Row:
        """The row of texts as values; `what` names the row in error messages."""
        values: dict[str, Value] = dict(row)
        for field in self.fields:
            text = row.get(field.name)
            if text is not None:
                try:
                    values[field.name] = field.read(text)
                except Rejected as e:
                    faults.add(e.reason, f"{what}.{field.name}: {e.message}")
        return values

    def read_quickly(self, row: dict[str, Value], *, partial: bool = False) -> bool:
        """Convert the texts of `row` in place; False if that needs the slow path."""
        if not _TEXT_OR_NULL.issuperset(map(type, row.values())):
            return False
        for field in self.fields:
            if partial and field.name not in row:
                continue
            text = row[field.name]
            if text is None or (field.surely is not None and field.surely(text)):  # type: ignore[arg-type]
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
    known, given = column.type, declared.kind
    same = known.family is given.family and (widening(known) is None) == (widening(given) is None)
    faults.expect(same, "semantics", f"mysqlType.{name} is {given.text!r}, the table says {known.text!r}")
    return Declared(known, exact=True) if same else declared


def row_plan(mysql_type: Mapping[str, str], table: Table | None, faults: Faults) -> RowPlan:
    """The plan for rows with this `mysqlType`, refined by `table` if known.

    Raises `Rejected` (class `type`) for an unknown type. Contradictions to `table` are added to `faults`.
    """
    fields = []
    for name, text in mysql_type.items():
        column = _column(name, read_mysql_type(text), table, faults)
        kind, exact = column.kind, column.exact
        fields.append(_Field(name, kind, reader(kind, exact), surely(kind, exact), widening(kind) is not None))
    codes = {field.name: sql_type(field.kind, None) for field in fields}
    return RowPlan(dict(mysql_type), codes, tuple(fields))
