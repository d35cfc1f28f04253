"""`tableChanges` of a DDL message: the table as it is after the statement, column by column.  [DBZ-322 … DBZ-339]"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reference_impl.actions import DROP_TABLE, TRUNCATE_TABLE
from reference_impl.column_types import BINARY, TEXT, ColumnType, Family
from reference_impl.connect_json import boolean, obj
from reference_impl.debezium_json.ddl import CHANGE_TYPES, change_id
from reference_impl.debezium_json.json_text import literal
from reference_impl.debezium_json.statement import Definition, definitions
from reference_impl.debezium_json.style import Style
from reference_impl.debezium_json.texts import bits_of
from reference_impl.errors import Rejected
from reference_impl.model import Column, DdlEvent, Table
from reference_impl.settings import Settings
from reference_impl.stored_defaults import CURRENT, stored_default

__all__ = ["default_length", "table_changes"]

_DEFAULT_CHARSET = "utf8mb4"

# The text for a default of CURRENT_TIMESTAMP.  [DBZ-334]
_EPOCH = "1970-01-01 00:00:00"


@dataclass(frozen=True, slots=True)
class _JdbcType:
    """The description of a family of column types."""

    jdbc: int  # the code in java.sql.Types
    unsigned: bool = False  # whether the name of the type has UNSIGNED and ZEROFILL
    charset: bool = False  # whether the column has a charset
    usual: tuple[int, int] | None = None  # the default lengths, signed and unsigned, which messages omit
    length: Callable[[ColumnType], int | None] = lambda column_type: column_type.length  # before omission


def _none(column_type: ColumnType) -> int | None:
    return None


def _float_width(column_type: ColumnType) -> int | None:
    """The width of FLOAT(m,d), None for FLOAT(p), for which the catalogue has no width.  [DBZ-339]"""
    return None if column_type.scale is None else column_type.length


_JDBC_TYPES: Mapping[Family, _JdbcType] = {
    Family.BIT: _JdbcType(-7, usual=(1, 1)),
    Family.TINYINT: _JdbcType(5, unsigned=True, usual=(4, 3)),
    Family.SMALLINT: _JdbcType(5, unsigned=True, usual=(6, 5)),
    Family.MEDIUMINT: _JdbcType(4, unsigned=True, usual=(9, 8)),
    Family.INT: _JdbcType(4, unsigned=True, usual=(11, 10)),
    Family.BIGINT: _JdbcType(-5, unsigned=True, usual=(20, 20)),
    Family.FLOAT: _JdbcType(6, unsigned=True, usual=(12, 12), length=_float_width),
    Family.DOUBLE: _JdbcType(8, unsigned=True, usual=(22, 22), length=_float_width),
    Family.DECIMAL: _JdbcType(3),
    Family.DATE: _JdbcType(91, length=_none),
    Family.TIME: _JdbcType(92, length=lambda column_type: column_type.fsp),
    Family.DATETIME: _JdbcType(93, length=lambda column_type: column_type.fsp),
    Family.TIMESTAMP: _JdbcType(2014, length=lambda column_type: column_type.fsp),
    Family.YEAR: _JdbcType(4, length=lambda column_type: 4),
    Family.CHAR: _JdbcType(1, charset=True, usual=(1, 1)),
    Family.VARCHAR: _JdbcType(12, charset=True, usual=(5, 5)),
    Family.BINARY: _JdbcType(-2, usual=(1, 1)),
    Family.VARBINARY: _JdbcType(-3, usual=(5, 5)),
    **dict.fromkeys(TEXT - {Family.CHAR, Family.VARCHAR}, _JdbcType(12, charset=True, length=_none)),
    **dict.fromkeys(BINARY - {Family.BINARY, Family.VARBINARY, Family.GEOMETRY}, _JdbcType(2004, length=_none)),
    Family.ENUM: _JdbcType(1, charset=True, length=lambda column_type: 1),
    Family.SET: _JdbcType(1, charset=True, length=lambda column_type: 2 * len(column_type.members) - 1),
    Family.JSON: _JdbcType(1111, length=_none),
    Family.VECTOR: _JdbcType(12),
}

# Types whose length and default come from the statement if it defines the column.  [DBZ-331]
_FROM_STATEMENT = frozenset({Family.DATETIME, Family.TIME, Family.TIMESTAMP, Family.YEAR})

# (unsigned, zerofill) → the end of the name of a type.
_UNSIGNED = {(True, False): " UNSIGNED", (True, True): " UNSIGNED ZEROFILL"}


def default_length(family: Family, *, unsigned: bool) -> int | None:
    """The length that a message omits for a family of types, None if it omits none."""
    jdbc_type = _JDBC_TYPES.get(family)
    return None if jdbc_type is None or jdbc_type.usual is None else jdbc_type.usual[unsigned]


def table_changes(event: DdlEvent, code: int, style: Style, settings: Settings) -> str:
    """The array `tableChanges`: empty for TRUNCATE and for a statement about a schema, else with one element.

    [DBZ-301, DBZ-324]
    """
    if not event.table or code == TRUNCATE_TABLE:
        return "[]"
    table = "null" if code == DROP_TABLE else _table(event.table_after, event.query, style, settings)
    return f'[{{"type":"{CHANGE_TYPES[code]}","id":{change_id(event, code)},"table":{table}}}]'


def _table(table: Table | None, query: str, style: Style, settings: Settings) -> str:
    """The object `table`, empty if the table is not known.  [DBZ-324, DBZ-325]"""
    charset = ""
    keys: tuple[str, ...] = ()
    columns: list[str] = []
    if table is not None:
        charset, keys = table.charset or _DEFAULT_CHARSET, _primary_key(table)
        defined = definitions(query)
        columns = [
            _column(column, position, table, defined.get(column.name), style, settings)
            for position, column in enumerate(table.columns, 1)
        ]
    return obj(
        f'"defaultCharsetName":{literal(charset)}',
        f'"primaryKeyColumnNames":[{",".join(map(literal, keys))}]',
        f'"columns":[{",".join(columns)}]',
        '"comment":null',
    )


def _primary_key(table: Table) -> tuple[str, ...]:
    """The primary key in index order, else the first unique key without a nullable column.  [DBZ-326]"""
    if table.primary_key:
        return table.primary_key
    nullable = {column.name for column in table.columns if column.nullable}
    return next((key.columns for key in table.unique_keys if nullable.isdisjoint(key.columns)), ())


def _column(
    column: Column, position: int, table: Table, definition: Definition | None, style: Style, settings: Settings
) -> str:
    jdbc_type = _JDBC_TYPES.get(column.type.family)
    if jdbc_type is None:
        raise Rejected("type", f"{column.type.text}: TiDB has no such column type")
    name, expression = _names(column, jdbc_type)
    labels = ",".join(literal(f"'{label}'") for label in column.type.members)
    is_automatic = column.auto_increment or (
        column.type.family is Family.TIMESTAMP and column.on_update_now
    )  # [DBZ-336]
    return obj(
        f'"name":{literal(column.name)}',
        f'"jdbcType":{jdbc_type.jdbc}',
        '"nativeType":null',
        f'"comment":{_json(_comment(column, definition, style))}',
        f'"defaultValueExpression":{_json(_default(column, definition, settings))}',
        f'"enumValues":{f"[{labels}]" if column.type.members else "null"}',
        f'"typeName":"{name}"',
        f'"typeExpression":"{expression}"',
        f'"charsetName":{_json(_charset(column, table) if jdbc_type.charset else None)}',
        f'"length":{_json(_length(column, jdbc_type, definition))}',
        f'"scale":{_json(column.type.scale)}',
        f'"position":{position}',
        f'"optional":{boolean(column.nullable)}',
        f'"autoIncremented":{boolean(is_automatic)}',
        f'"generated":{boolean(is_automatic)}',
    )


def _length(column: Column, jdbc_type: _JdbcType, definition: Definition | None) -> int | None:
    if definition is not None and column.type.family in _FROM_STATEMENT:
        return definition.length
    length = jdbc_type.length(column.type)
    usual = default_length(column.type.family, unsigned=column.type.unsigned)
    if column.type.family is Family.TINYINT and column.type.zerofill:
        usual = default_length(Family.TINYINT, unsigned=False)  # recorded: ZEROFILL keeps the length of a signed one
    return None if length == usual else length


def _names(column: Column, jdbc_type: _JdbcType) -> tuple[str, str]:
    """`typeName` and `typeExpression`."""
    word = column.type.family.value.upper()
    suffix = _UNSIGNED.get((column.type.unsigned, column.type.zerofill), "") if jdbc_type.unsigned else ""
    parameters = ""
    if column.type.family is Family.DOUBLE and column.type.scale is not None:
        parameters = f"({column.type.length},{column.type.scale})"
    elif column.type.family is Family.VECTOR and column.type.length is not None:
        parameters = f"({column.type.length})"
    return word + suffix, word + parameters + suffix


def _charset(column: Column, table: Table) -> str:
    implied = column.collation.partition("_")[0] if column.collation else None
    name = column.charset or implied or table.charset or _DEFAULT_CHARSET
    return "utf8" if name == "utf8mb3" else name


def _default(column: Column, definition: Definition | None, settings: Settings) -> str | None:
    """`defaultValueExpression`.  [DBZ-331, DBZ-334]"""
    text = stored_default(column, settings.timezone)
    family = column.type.family
    if definition is not None and family in _FROM_STATEMENT:
        if definition.default_null:
            return None
        text = CURRENT if definition.default_now else definition.default or text
    if text is None:
        return None
    if text.upper() == CURRENT:
        return _EPOCH
    if family is Family.BIT and (bits := bits_of(column.type, text)) is not None:
        return _bit_text(column.type.bits, bits)
    return text


def _bit_text(bits: int, value: int) -> str:
    """The binary digits of a BIT(`bits`) value, eight a byte.  [DBZ-146, DBZ-334c]

    The first byte has the digits of the type that are left for it; if they are eight, no leading zeros.
    """
    first, *rest = value.to_bytes((bits + 7) // 8, "big")
    return f"{first:0{bits % 8 or 1}b}" + "".join(f"{byte:08b}" for byte in rest)


def _comment(column: Column, definition: Definition | None, style: Style) -> str | None:
    """`comment`; if the statement defines the column, only some styles have it.  [DBZ-331, DBZ-333]"""
    return (column.comment or None) if definition is None or style.defined_comment else None


def _json(value: str | int | None) -> str:
    if value is None:
        return "null"
    return literal(value) if isinstance(value, str) else str(value)
